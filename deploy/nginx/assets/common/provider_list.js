// The caller's providers as last heard from the server, and who wants to know of changes; how one and its models are shown.
// Calls back when the person returns to this window, or the browser is online again.

import { get } from './api.js';
import { h, t, tell } from './dom.js';

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

/** What a model can do, in words; generating text as an assistant is what one expects of any. */
const abilities = {
  generation: t('Generation'), assistant: t('Assistant'), reasoning: t('Reasoning'), vision: t('Vision'),
  tools: t('Tools'), code: t('Code'), embedding: t('Embedding'), rerank: t('Rerank'), image: t('Image'),
  audio: t('Audio'), video: t('Video'), moderation: t('Moderation'), search: t('Search'), fetch: t('Fetch'),
};
export const abilityName = (word) => abilities[word] ?? word;

/** The names of those that say something. */
export function abilityNames(capabilities) {
  const expected = document.querySelector('[data-default-capabilities]').dataset.defaultCapabilities.split(',');
  return capabilities.split(',').filter((word) => word && !expected.includes(word)).map(abilityName);
}

/** The contract's words for health, as people say them. */
const healthWords = {
  unknown: t('Not tested'), healthy: t('Working'), degraded: t('Partly working'), unhealthy: t('Failing'),
};

/** A word for the health in a colour, and how long an answer took. */
export const healthPill = ({ healthStatus }, attributes = {}, time = null) =>
  h('span', { class: `pill ${healthStatus}`, 'data-health': healthStatus, ...attributes },
    [healthWords[healthStatus] ?? healthStatus, time].filter(Boolean).join(' · '));

/** The mark of a type that the service knows (docs/decisions/0023). */
export function drawnMark(type) {
  const node = h('span', { class: 'mark drawn', 'aria-hidden': 'true' });
  node.style.setProperty('--mark', `url("${new URL(`../marks/${type}.svg`, import.meta.url)}")`);
  return node;
}

/** Whether a text has all the words, in any order. */
export const hasWords = (text, words) =>
  words.toLowerCase().split(/\s+/).every((word) => text.toLowerCase().includes(word));

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
