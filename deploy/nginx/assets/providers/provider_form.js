// The dialog that creates and edits a provider.

import { button, byId, h, redraw } from '../common/dom.js';
import { openForm } from '../common/dialogs.js';
import { restoreDrafts } from '../common/drafts.js';
import { startReveals } from '../common/reveal.js';
import { ApiError, put } from '../common/api.js';
import { beginAdding } from './adding.js';
import { all, find, load, route } from './store.js';
import { allTypes, markOf, searchTitle, typeOf } from './catalogue.js';
import { t } from '../common/language.js';

const dialog = byId('provider-dialog');
const form = dialog.querySelector('form');
const { type, name, handle, baseUrl, apiKey } = form.elements; // handle: where there are access tokens
const tiles = byId('provider-tiles');
const plainType = 'generic-compatible';
let edited = null;
let offered = '';
let offeredName = '';

// The path behind the base URL in a request, of the types with a fixed one.
const paths = {
  anthropic: '/messages', 'google-gemini': '/models/MODEL:generateContent', 'azure-openai': null, ollama: null,
};
const ownServer = (port) => t('A server of your own, such as {address}; your operator has to allow it.', { address: `http://HOST:${port}/v1` });
const help = {
  'azure-openai': t('The address of your resource, such as https://NAME.openai.azure.com; the API’s version is added to it, unless it ends in /v1. Models are the names of your deployments.'),
  ollama: t('For a server of your own give its address and port; your operator has to allow it.'),
  'lm-studio': ownServer(1234), 'llama-cpp': ownServer(8080), vllm: ownServer(8000),
  'generic-compatible': t('Any server that speaks OpenAI’s format; one of your own your operator has to allow.'),
};

/** "OpenAI", or "OpenAI 2" where that is taken. */
function freeName(label) {
  const taken = new Set(all().map((provider) => provider.name));
  for (let number = 2, name = label; ; number += 1) {
    if (!taken.has(name)) return name;
    name = `${label} ${number}`;
  }
}

function showRequest() {
  const chosen = typeOf(type.value);
  const path = paths[type.value] === undefined ? '/chat/completions' : paths[type.value];
  const base = addressOf(baseUrl.value);
  const known = path !== null && !chosen.owned && base !== null;
  byId('provider-request-url').textContent = known ? t('Requests go to {address}', { address: `${base}${path}` }) : help[type.value] ?? '';
}

function addressOf(text) {
  try {
    return new URL(text.trim()).href.replace(/(?<!\/)\/+$/, '');
  } catch {
    return null;
  }
}

/** The base URL in an address that ends in a route, or lacks the path of the type's own; null when there is none. */
function baseIn(text) {
  const address = addressOf(text.replace(/[?#].*$/s, ''));
  if (address === null) return null;
  const own = typeOf(type.value).baseUrl;
  if (paths[type.value] === undefined && own.startsWith(`${address}/`)) return own;
  const ending = baseUrl.dataset.endings.split(' ').find((each) => address.endsWith(each));
  if (!ending) return null;
  return address.slice(0, ending.startsWith(':') ? address.lastIndexOf('/models/') : -ending.length);
}

function offerBase() {
  const base = typeOf(type.value).owned ? null : baseIn(baseUrl.value);
  const use = () => {
    baseUrl.value = base;
    baseUrl.dispatchEvent(new Event('input', { bubbles: true }));
    baseUrl.focus();
  };
  redraw(byId('provider-pasted'), base === null ? [] : [t('This is not the base URL of its API.'), ' ',
    button(t('Use {url}', { url: base }), use, { class: 'quiet', 'data-testid': 'provider-pasted-use' })]);
}

function warn() {
  offerBase();
  const owned = typeOf(type.value).owned;
  const address = addressOf(baseUrl.value);
  byId('provider-http-warning').hidden = owned || !/^\s*http:\/\//i.test(baseUrl.value);
  const moved = !owned && address !== null && address !== addressOf(edited?.baseUrl ?? '');
  byId('provider-address-warning').hidden = !edited || (type.value === edited.type && !moved);
  showRequest();
}

function keyHelp({ keyUrl, noKey }) {
  const without = noKey ? t('For a server that needs no key enter “{word}”: none is sent.', { word: noKey }) : '';
  if (!/^https:\/\//.test(keyUrl)) return [without];
  const link = h('a', { href: keyUrl, target: '_blank', rel: 'noopener noreferrer' }, t('Get a key at the provider'));
  return [link, '. ', without];
}

function typeChosen() {
  const chosen = typeOf(type.value);
  const untouched = baseUrl.value === '' || baseUrl.value === offered;
  if (untouched) baseUrl.value = chosen.baseUrl;
  offered = chosen.baseUrl;
  if (!edited && (name.value === '' || name.value === offeredName)) {
    offeredName = type.value === plainType ? '' : freeName(chosen.label);
    name.value = offeredName;
  }
  byId('provider-base-url-field').hidden = chosen.owned;
  redraw(byId('provider-key-help'), keyHelp(chosen));
  warn();
}

function drawTiles() {
  const tile = ([value, { label }]) => {
    const radio = h('input', { type: 'radio', name: 'tile', value });
    radio.checked = value === type.value;
    return h('label', { class: 'tile', 'data-testid': `type-${value}` }, radio, markOf(value), h('span', null, label));
  };
  // The default is first, so that the tiles begin with it and the best known.
  const [chat, search] = [false, true].map((kind) => allTypes().filter(([, facts]) => facts.search === kind));
  chat.sort(([a], [b]) => (b === plainType) - (a === plainType));
  tiles.replaceChildren(...chat.map(tile), h('p', { class: 'hint' }, searchTitle()), ...search.map(tile));
}

tiles.addEventListener('change', ({ target }) => {
  type.value = target.value;
  type.dispatchEvent(new Event('input', { bubbles: true }));
  typeChosen();
});
type.addEventListener('change', typeChosen);
startReveals();
baseUrl.addEventListener('input', warn);

function prepare(provider) {
  edited = provider;
  form.reset();
  const verb = provider ? t('Edit the provider') : t('Add a provider');
  byId('provider-dialog-title').textContent = verb;
  form.querySelector('button.primary').textContent = provider ? t('Save') : t('Check and add');
  byId('provider-api-key-field').hidden = provider !== null;
  apiKey.disabled = provider !== null;
  type.value = provider?.type ?? plainType;
  name.value = provider?.name ?? '';
  baseUrl.value = provider?.baseUrl ?? '';
  offered = provider ? typeOf(provider.type).baseUrl : '';
  if (handle) {
    byId('provider-handle-field').hidden = provider === null;
    handle.disabled = provider === null;
    handle.value = provider?.handle ?? '';
  }
  for (const field of [type, name, baseUrl]) field.dataset.draft = provider ? '' : `provider ${field.name}`;
  offeredName = '';
  if (!provider) restoreDrafts(form);
  tiles.hidden = provider !== null;
  type.hidden = provider === null;
  if (!provider) drawTiles();
  typeChosen();
}

/** Creates a provider; done gets {id, outcome} (adding.js). */
export function createProvider(done) {
  prepare(null);
  const send = beginAdding(done);
  openForm(dialog, { send: ({ tile, ...values }, key) => send(values, key), done });
  tiles.querySelector(':checked').closest('.tile').scrollIntoView({ block: 'nearest' });
}

/** Those of the values that differ from what the form began with. */
function changes(values) {
  return Object.fromEntries(Object.entries(values).filter(([field, value]) => value !== edited[field]));
}

/** Takes over what another window changed; refuses once when it was one of the fields changed here. */
async function meetOthers(changed) {
  const before = edited;
  await load();
  edited = find(before.id) ?? before;
  for (const field of [type, name, handle, baseUrl].filter(Boolean)) {
    if (!(field.name in changed)) field.value = edited[field.name];
  }
  const field = Object.keys(changed).find((name) => edited[name] !== before[name] && edited[name] !== changed[name]);
  if (!field) return;
  throw new ApiError(t('In another window this became “{value}”. Save again to use yours.', { value: edited[field] }), { field });
}

/** Edits a provider; done gets the changed one. Only what was changed is sent. */
export function editProvider(provider, done) {
  prepare(provider);
  beginAdding(null);
  openForm(dialog, {
    send: async (values) => {
      const changed = changes(values);
      await meetOthers(changed);
      return put(route(provider.id), changed);
    },
    done,
  });
}
