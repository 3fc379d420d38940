// The caller's providers as last heard from the server, and who wants to know of changes.
// Calls back when the person returns to this window, or the browser is online again.

import { get } from './api.js';
import { t, tell } from './dom.js';

let providers = [];
let version = 0;
const watchers = [];

export const all = () => providers;
export const find = (id) => providers.find((provider) => provider.id === id);
export const watch = (watcher) => watchers.push(watcher);

/** Takes over a list. */
export function replace(list) {
  providers = list;
  version += 1;
  for (const watcher of watchers) watcher(providers);
}

/** Fetches the list; an answer that a later change has overtaken is dropped. */
export async function load() {
  const asked = version;
  const answer = await get('/user/providers/list');
  if (asked !== version) return load();
  replace(answer.providers);
}

/** Whether one can talk to a model; some only turn texts into numbers or an order. */
export const talks = ({ capabilities }) =>
  !capabilities.split(',').some((word) => ['embedding', 'rerank'].includes(word));

/** The provider list is fetched again by start(), which tells of a failure itself, or quietly. */
export function keepFresh(start) {
  addEventListener('offline', () => tell(t('You are offline. Your text stays here until you are back.'), true, true));
  addEventListener('online', () => {
    tell(t('You are back.'));
    start();
  });
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) load().catch(() => {}); // a failure shows when the list is used
  });
}
