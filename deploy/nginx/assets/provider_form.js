// The dialog that creates and edits a provider.

import { byId, h, redraw } from './dom.js';
import { openForm } from './dialogs.js';
import { restoreDrafts } from './drafts.js';
import { post, put } from './api.js';
import { route } from './store.js';
import { typeOf } from './catalogue.js';

const dialog = byId('provider-dialog');
const form = dialog.querySelector('form');
const { type, name, baseUrl, apiKey } = form.elements;
let edited = null;
let offered = '';

function addressOf(text) {
  try {
    return new URL(text.trim()).href.replace(/\/+$/, '');
  } catch {
    return null;
  }
}

function warn() {
  const owned = typeOf(type.value).owned;
  const address = addressOf(baseUrl.value);
  byId('provider-http-warning').hidden = owned || !/^\s*http:\/\//i.test(baseUrl.value);
  const moved = !owned && address !== null && address !== addressOf(edited?.baseUrl ?? '');
  byId('provider-address-warning').hidden = !edited || (type.value === edited.type && !moved);
}

function keyHelp(keyUrl) {
  if (!/^https:\/\//.test(keyUrl)) return ['A server that needs no key takes any word.'];
  const link = h('a', { href: keyUrl, target: '_blank', rel: 'noopener noreferrer' }, 'Get a key');
  return [link, ' at the provider.'];
}

function typeChosen() {
  const chosen = typeOf(type.value);
  const untouched = baseUrl.value === '' || baseUrl.value === offered;
  if (untouched) baseUrl.value = chosen.baseUrl;
  offered = chosen.baseUrl;
  byId('provider-base-url-field').hidden = chosen.owned;
  redraw(byId('provider-key-help'), keyHelp(chosen.keyUrl));
  warn();
}

type.addEventListener('change', typeChosen);
baseUrl.addEventListener('input', warn);

function prepare(provider) {
  edited = provider;
  form.reset();
  const verb = provider ? 'Edit the provider' : 'Add a provider';
  byId('provider-dialog-title').textContent = verb;
  form.querySelector('button.primary').textContent = provider ? 'Save' : 'Add provider';
  byId('provider-api-key-field').hidden = provider !== null;
  apiKey.disabled = provider !== null;
  type.value = provider?.type ?? 'generic-compatible';
  name.value = provider?.name ?? '';
  baseUrl.value = provider?.baseUrl ?? '';
  offered = provider ? typeOf(provider.type).baseUrl : '';
  for (const field of [type, name, baseUrl]) field.dataset.draft = provider ? '' : `provider ${field.name}`;
  if (!provider) restoreDrafts(form);
  typeChosen();
}

/** Creates a provider; done gets {id, name, type}. */
export function createProvider(done) {
  prepare(null);
  openForm(dialog, { send: (values) => post('/user/providers/create', values), done });
}

/** Edits a provider; done gets the changed one. */
export function editProvider(provider, done) {
  prepare(provider);
  openForm(dialog, { send: (values) => put(route(provider.id), values), done });
}
