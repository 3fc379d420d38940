// Changes of the provider list, as the server has answered them, and how many of each kind there may be.

import { all, find, replace } from '../common/provider_list.js';
import { byId } from '../common/dom.js';

export { all, find, load, watch } from '../common/provider_list.js';

const { maxProviders, maxModels, maxAccounts } = byId('providers-page').dataset;
export const caps = {
  providers: Number(maxProviders), models: Number(maxModels), accounts: Number(maxAccounts),
};

/** Takes over changed fields of one provider, or a whole one as the server has it now. */
export function change(id, fields) {
  const now = (one) => (fields.createdAt ? fields : { ...one, ...fields });
  replace(all().map((one) => (one.id === id ? now(one) : one)));
}

export function drop(id) {
  replace(all().filter((provider) => provider.id !== id));
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
