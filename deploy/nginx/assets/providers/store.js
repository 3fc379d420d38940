// The caller's providers as last heard from the server, and who wants to know of changes.

import { get } from '../common/api.js';
import { byId } from '../common/dom.js';

const { maxProviders, maxModels, maxAccounts } = byId('providers-page').dataset;
export const caps = {
  providers: Number(maxProviders), models: Number(maxModels), accounts: Number(maxAccounts),
};

let providers = [];
let version = 0;
const watchers = [];

export const all = () => providers;
export const find = (id) => providers.find((provider) => provider.id === id);
export const watch = (watcher) => watchers.push(watcher);

function announce() {
  version += 1;
  for (const watcher of watchers) watcher(providers);
}

/** Fetches the list; an answer that a later change has overtaken is dropped. */
export async function load() {
  const asked = version;
  const answer = await get('/user/providers/list');
  if (asked !== version) return load();
  providers = answer.providers;
  announce();
}

/** Takes over changed fields of one provider, or a whole one as the server has it now. */
export function change(id, fields) {
  const now = (one) => (fields.createdAt ? fields : { ...one, ...fields });
  providers = providers.map((one) => (one.id === id ? now(one) : one));
  announce();
}

export function drop(id) {
  providers = providers.filter((provider) => provider.id !== id);
  announce();
}

export function putModel(id, model) {
  const models = find(id).models;
  const known = models.some((one) => one.modelId === model.modelId);
  change(id, {
    models: known ? models.map((one) => (one.modelId === model.modelId ? model : one))
      : [...models, model],
  });
}

export function dropModel(id, modelId) {
  change(id, { models: find(id).models.filter((model) => model.modelId !== modelId) });
}

export function putAccount(id, account) {
  const others = find(id).accounts.filter((one) => one.id !== account.id);
  const byOrder = (a, b) => a.priority - b.priority || a.name.localeCompare(b.name);
  change(id, { accounts: [...others, account].sort(byOrder) });
}

export function dropAccount(id, accountId) {
  change(id, { accounts: find(id).accounts.filter((account) => account.id !== accountId) });
}

export const route = (id, rest = '') => `/user/providers/${id}${rest}`;
