// The form that creates a provider, in a dialog, and the one that edits it, in its sheet: the same fields, which lie
// where they are used.

import { byId, h, redraw, t, tell } from '../common/dom.js';
import { isDirty, openForm, settle, wireForm } from '../common/dialogs.js';
import { restoreDrafts } from '../common/forms.js';
import { startReveals } from '../common/fields.js';
import { ApiError, post, put } from '../common/api.js';
import { beginAdding } from './adding.js';
import { all, find, load, route } from './store.js';
import { beginChoice, plainType, showChosen, typeOf } from './catalogue.js';
import { isHeldBack, wouldHoldBack } from './key_states.js';

const dialog = byId('provider-dialog');
const form = dialog.querySelector('form');
const fields = byId('provider-fields');
const home = fields.parentElement;
const { type, name, handle, baseUrl, apiKey } = form.elements; // handle: where there are access tokens
const keyField = byId('provider-api-key-field');
let edited = null;
let offered = '';
let offeredName = '';

// The path behind the base URL in a request, of the types with a fixed one.
const paths = {
  anthropic: '/messages', 'google-gemini': '/models/MODEL:generateContent', 'azure-openai': null, ollama: null,
};
const ownServer = (port) => t('A server of your own, such as {address}; your administrator must allow it.', { address: `http://HOST:${port}/v1` });
const help = {
  'azure-openai': t('The address of your resource, such as https://NAME.openai.azure.com; the API’s version is added to it, unless it ends in /v1. Models are the names of your deployments.'),
  ollama: t('For a server of your own give its address and port; your administrator must allow it.'),
  'lm-studio': ownServer(1234), 'llama-cpp': ownServer(8080), vllm: ownServer(8000),
  [plainType]: t('Any OpenAI-compatible server. Your administrator must allow servers on a private network.'),
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

const azureInference = /^https:\/\/[^/]+\.services\.ai\.azure\.com\/models$/; // really ends so

/**
 * The base URL in an address that ends in a route, or lacks the path of the type's own; null when there is none. The
 * server knows more such addresses, and names the right one when it refuses (base_url_in() of lib/domain/catalogue.hpp).
 */
function baseIn(text) {
  const address = addressOf(text.replace(/[?#].*$/s, ''));
  if (address === null || azureInference.test(address)) return null;
  const own = typeOf(type.value).baseUrl;
  if (paths[type.value] === undefined && own.startsWith(`${address}/`)) return own;
  const ending = baseUrl.dataset.endings.split(' ').find((each) => address.endsWith(each));
  if (!ending) return null;
  return address.slice(0, ending.startsWith(':') ? address.lastIndexOf('/models/') : -ending.length);
}

/** An address that was pasted with a route becomes its base URL when the field is left. */
function mendBase() {
  const base = typeOf(type.value).owned ? null : baseIn(baseUrl.value);
  if (base === null) return;
  baseUrl.value = base;
  baseUrl.dispatchEvent(new Event('input', { bubbles: true }));
  byId('provider-pasted').textContent = t('Shortened to the base URL.');
}

/** Whether the stored keys would not be sent to what is typed. */
function moves() {
  const { owned, baseUrl: own } = typeOf(type.value);
  const address = owned ? addressOf(own) : addressOf(baseUrl.value);
  if (!edited || address === null) return false;
  return wouldHoldBack(edited, { type: type.value, baseUrl: address });
}

/** The key is asked for with a new provider, and where the stored one is held back or will be. */
function askForKey() {
  const moved = moves();
  const asked = !edited || moved || isHeldBack(edited);
  byId('provider-address-warning').hidden = !moved;
  keyField.hidden = !asked;
  apiKey.disabled = !asked;
  apiKey.required = edited ? moved : !typeOf(type.value).noKey;
}

function warn() {
  byId('provider-pasted').textContent = '';
  const { owned } = typeOf(type.value);
  byId('provider-http-warning').hidden = owned || !/^\s*http:\/\//i.test(baseUrl.value);
  askForKey();
  showRequest();
}

function keyHelp({ label, keyUrl, noKey }) {
  const without = !noKey ? '' : edited ? t('No key needed? Enter “{word}”.', { word: noKey }) : t('No key? Leave it empty.');
  if (!/^https:\/\//.test(keyUrl)) return [without];
  const link = h('a', { href: keyUrl, target: '_blank', rel: 'noopener noreferrer' }, t('Get an API key from {label}', { label }));
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

/** A type is chosen: what it knows is filled in, and the first field that is empty waits. */
function choose(value) {
  const touched = isDirty(dialog);
  type.value = value;
  type.dispatchEvent(new Event('input', { bubbles: true }));
  typeChosen();
  showRest(true);
  [name, baseUrl, apiKey].find((field) => field.value === '' && !field.closest('[hidden]'))?.focus();
  if (!touched) settle(form);
}

function showRest(shown) {
  fields.hidden = !shown;
  byId('provider-submit').hidden = !shown;
}

type.addEventListener('change', typeChosen);
startReveals();
baseUrl.addEventListener('input', warn);
baseUrl.addEventListener('change', mendBase);

function fillIn(provider) {
  edited = provider;
  type.value = provider?.type ?? plainType;
  name.value = provider?.name ?? '';
  baseUrl.value = provider?.baseUrl ?? '';
  apiKey.value = '';
  offered = provider ? typeOf(provider.type).baseUrl : '';
  offeredName = '';
  byId('provider-type-field').hidden = provider === null;
  if (handle) {
    byId('provider-handle-field').hidden = provider === null;
    handle.disabled = provider === null;
    handle.value = provider?.handle ?? '';
  }
  for (const field of [type, name, baseUrl]) field.dataset.draft = provider ? '' : `provider ${field.name}`;
}

/** Creates a provider, of that type if one is given; done gets {id, outcome} (adding.js). */
export function createProvider(done, value = null) {
  home.append(fields);
  form.reset();
  fillIn(null);
  byId('provider-submit').textContent = t('Check and add');
  beginChoice(choose);
  const restored = restoreDrafts(form);
  showRest(restored);
  const send = beginAdding(done);
  openForm(dialog, { send: (values, key) => send({ ...values, apiKey: values.apiKey || typeOf(values.type).noKey }, key), done });
  if (restored) {
    showChosen(type.value);
    typeChosen();
  } else if (value) {
    showChosen(value);
    choose(value);
  }
}

/** Those of the values that differ from what the form began with. */
const changes = ({ apiKey: key, ...values }) =>
  Object.fromEntries(Object.entries(values).filter(([field, value]) => value !== edited[field]));

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

/** Only what was changed is sent; a key is bound to the address that is stored, so it comes last. */
async function save(values) {
  const changed = changes(values);
  await meetOthers(changed);
  if (Object.keys(changed).length > 0) edited = await put(route(edited.id), changed);
  if (values.apiKey) await post(route(edited.id, '/apikey'), { apiKey: values.apiKey });
}

/** Puts the fields into a form of a provider's sheet; the form is forgotten with the sheet. */
export function editProvider(provider, sheetForm) {
  sheetForm.prepend(fields);
  fields.hidden = false;
  fillIn(provider);
  typeChosen();
  const forget = wireForm(sheetForm, {
    send: save,
    async done() {
      forget();
      await load().catch(() => {});
      fillIn(find(provider.id) ?? edited);
      typeChosen();
      settle(sheetForm);
      tell(t('Saved.'));
    },
  });
  settle(sheetForm);
  return () => {
    forget();
    home.append(fields);
  };
}
