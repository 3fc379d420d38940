// The keys of one provider in one list: its own key, then the accounts; and whether they are used in turn.

import { ago, attempt, button, byId, h, icon, plural, redraw, t, tell, toggle } from '../common/dom.js';
import { confirmed, openForm } from '../common/dialogs.js';
import { ApiError, post, put, remove } from '../common/api.js';
import { caps, change, dropAccount, find, load, putAccount, route } from './store.js';
import { outcome } from './connectivity.js';
import { orderHandle, tellPlace } from './order.js';
import { historyOf, loadFacts, reasonOf, stateOf, untilCooldownEnds } from './key_states.js';

const dialog = byId('key-dialog');
const results = new Map();

/** One dialog for four jobs: which of its fields are shown is the difference. */
function keyForm({ title, submit, account, shows, send, done }) {
  const form = dialog.querySelector('form');
  form.reset();
  byId('key-dialog-title').textContent = title;
  form.querySelector('button.primary').textContent = submit;
  for (const [field, id] of [['name', 'key-name-field'], ['apiKey', 'key-value-field'], ['keys', 'keys-field']]) {
    byId(id).hidden = !shows.includes(field);
    form.elements[field].disabled = !shows.includes(field);
  }
  form.elements.name.value = account?.name ?? '';
  openForm(dialog, { send, done });
}

function replaceOwnKey(provider) {
  keyForm({
    title: t('New key for {name}', provider), submit: t('Replace key'), shows: ['apiKey'],
    send: (values) => post(route(provider.id, '/apikey'), values),
    done: () => { tell(t('The key is replaced.')); load(); },
  });
}

/** "Key 2", or the next number that is free. */
function freeName({ accounts }) {
  const taken = new Set(accounts.map((account) => account.name));
  for (let number = accounts.length + 2; ; number += 1) {
    const name = t('Key {number}', { number });
    if (!taken.has(name)) return name;
  }
}

const keysAdded = (count) => plural(count, '{count} key added.', '{count} keys added.');

/** Sends the keys line by line; those that are refused stay in the field, and their reasons are the error. */
async function sendLines(id, given, keyFor) {
  const field = dialog.querySelector('form').elements.keys;
  const refused = [];
  const lines = given.split('\n').map((line) => line.trim()).filter(Boolean);
  for (const apiKey of lines) {
    const provider = find(id);
    if (!provider) throw new ApiError(t('This provider was deleted in another window.'));
    const name = freeName(provider);
    try {
      putAccount(id, await post(route(id, '/accounts'), { name, apiKey }, keyFor(apiKey)));
    } catch (error) {
      refused.push([apiKey, error]);
    }
  }
  field.value = refused.map(([line]) => line).join('\n');
  if (refused.length === 0) return lines.length;
  const reasons = refused.map(([, { message }], i) => (refused.length > 1 ? `${i + 1}: ${message}` : message));
  const added = lines.length - refused.length;
  if (added > 0) reasons.unshift(keysAdded(added));
  throw new ApiError(reasons.join('\n'), { field: 'keys' });
}

/** The key of a request by the line that it sends, so that a repeat after a lost answer adds no second. Until the dialog closes. */
function lineKeys() {
  const made = new Map();
  dialog.addEventListener('close', () => made.clear(), { once: true });
  return (line) => {
    if (!made.has(line)) made.set(line, crypto.randomUUID());
    return made.get(line);
  };
}

function addKeys(id) {
  const keyFor = lineKeys();
  keyForm({
    title: t('Add keys'), submit: t('Add'), shows: ['keys'],
    send: ({ keys }) => sendLines(id, keys, keyFor),
    done: (count) => tell(keysAdded(count)),
  });
}

function editAccount(id, account, path) {
  keyForm({
    title: t('Rename {name}', account), submit: t('Save'), shows: ['name'], account,
    send: (values) => put(path, values),
    done: (changed) => putAccount(id, changed),
  });
}

function replaceKey(id, account, path) {
  keyForm({
    title: t('New key for {name}', account), submit: t('Replace key'), shows: ['apiKey'],
    send: (values) => put(`${path}/apikey`, values),
    done: (changed) => { results.delete(account.id); putAccount(id, changed); },
  });
}

async function deleteAccount(id, account, path, control) {
  const text = t('The key is deleted here. At the provider it stays valid until you revoke it there.');
  if (!(await confirmed(t('Delete the key {name}?', account), text))) return;
  await attempt(control, async () => {
    await remove(path);
    dropAccount(id, account.id);
  });
}

async function testAccount(account, path) {
  results.set(account.id, await post(`${path}/test`));
  await load();
}

function stateTag(provider, account) {
  const [words, kind] = stateOf(provider, account);
  return h('span', { class: `tag ${kind}`, 'data-testid': 'key-use' }, words);
}

/** Gives the keys priorities in this order; only those that change are sent. */
async function reorder(id, account, to) {
  const order = find(id).accounts.filter((one) => one.id !== account.id);
  const place = Math.min(Math.max(to, 0), order.length);
  order.splice(place, 0, account);
  const changed = order.map((one, i) => [one, i + 1]).filter(([one, priority]) => one.priority !== priority);
  try {
    for (const [one, priority] of changed) await put(route(id, `/accounts/${one.id}`), { priority });
  } finally {
    await load();
  }
  tellPlace(account.name, place, order.length);
}

/** Why a key is not just used, unless its test has just said so. */
function why(provider, account, result) {
  const reason = result ? null : reasonOf(provider, account);
  return reason ? h('div', { class: 'sub', 'data-testid': 'key-reason' }, reason) : null;
}

const hintOf = (key, attributes) => h('code', attributes, key.hasKey ? key.keyHint : t('none'));

/** A key's lines: name and state, hint and time of the last call, and why it is not just used. */
const lines = (provider, account, name, hint, ...more) => h('div', { class: 'grow' },
  h('div', { class: 'name-line' }, h('span', { dir: 'auto' }, name), ' ', stateTag(provider, account)),
  h('div', { class: 'sub' }, hint, account?.healthCheckedAt ? ago(account.healthCheckedAt) : null), ...more);

function accountRow(provider, account, place) {
  const { id } = provider;
  const path = route(id, `/accounts/${account.id}`);
  const named = (label, what) => ({
    class: 'quiet square', 'aria-label': `${label}: ${account.name}`, title: label,
    'data-testid': `account-${what}`, 'data-focus': `${what}-${account.id}`,
  });
  const flip = async (isEnabled) => putAccount(id, await put(`${path}/enabled`, { isEnabled }));
  const result = results.get(account.id);
  const act = (drawing, label, what, work, disabled = false) =>
    button(icon(drawing), work, { ...named(label, what), disabled });
  const trash = h('button', {
    type: 'button', ...named(t('Delete'), 'delete'), onclick: () => deleteAccount(id, account, path, trash),
  }, icon('trash'));
  return h('li', { 'data-testid': 'account-row', 'data-account-id': account.id },
    orderHandle({ name: account.name, place, focus: account.id, testid: 'account-order', move: (to) => reorder(id, account, to) }),
    toggle({
      label: t('Use {name}', account), hidden: true, on: account.isEnabled, flip,
      'data-testid': 'account-enabled', 'data-focus': `enabled-${account.id}`,
    }),
    lines(provider, account, account.name, hintOf(account), why(provider, account, result),
      result ? outcome({ ...result, keyName: undefined }, 'account-result') : null, historyOf(provider, account)),
    h('div', { class: 'row' },
      act('bolt', t('Test'), 'test', () => testAccount(account, path), !account.hasKey),
      act('pencil', t('Rename'), 'edit', () => editAccount(id, account, path)),
      act('replace', t('Replace key'), 'replace', () => replaceKey(id, account, path)),
      trash));
}

function ownKeyRow(provider) {
  const hint = hintOf(provider, { 'data-testid': 'provider-key-hint' });
  const label = t('Replace key');
  return h('li', { 'data-testid': 'own-key-row' },
    lines(provider, null, t('Provider key'), hint, why(provider, null), historyOf(provider, null)),
    h('div', { class: 'row' }, button(icon('replace'), () => replaceOwnKey(provider), {
      class: 'quiet square', 'aria-label': `${label}: ${provider.name}`, title: label,
      'data-testid': 'replace-key', 'data-focus': 'replace-own-key',
    })));
}

function wayOf({ roundRobinAccounts, accounts }) {
  if (roundRobinAccounts) return t('Requests rotate through the enabled keys, top to bottom. If none is enabled, the provider key is used.');
  return accounts.length > 0 ? t('Requests use only the provider key.') : t('With more keys, requests can rotate through them.');
}

/** The keys of a provider's sheet: {node, update(provider), shown()}. */
export function accountsPart(provider) {
  const { id } = provider;
  const count = h('span', { class: 'count', 'data-testid': 'account-count' });
  const list = h('ul', { class: 'rows', 'data-testid': 'account-list' });
  const rotation = h('div', { class: 'setting' });
  const add = button(t('Add keys'), () => addKeys(id), { 'data-testid': 'add-account' });
  const node = h('div', { class: 'part', role: 'group', 'aria-label': t('Keys') },
    h('div', { class: 'part-head' }, count, h('div', { class: 'row end' }, add)), rotation, list);
  const rotate = async (roundRobinAccounts) =>
    change(id, await put(route(id), { roundRobinAccounts }));

  let drawn = {};
  let asked = null; // the accounts of the list for which the facts were asked
  let waiting;

  /** What the list does not say is asked for when the part is seen, once for each list. */
  async function shown() {
    if (asked === drawn.accounts) return;
    asked = drawn.accounts;
    await loadFacts(drawn).then(draw, () => { asked = null; });
  }

  function draw() {
    redraw(list, ownKeyRow(drawn), drawn.accounts.map((account, place) => accountRow(drawn, account, place)));
    clearTimeout(waiting);
    const wait = untilCooldownEnds(drawn);
    if (wait < Infinity) waiting = setTimeout(draw, wait + 50);
  }

  function update(now) {
    drawn = now;
    if (!node.closest('[hidden]') && node.isConnected) shown();
    count.textContent = t('{count} of {most}', { count: now.accounts.length + 1, most: caps.accounts + 1 });
    add.disabled = now.accounts.length >= caps.accounts;
    draw();
    redraw(rotation, toggle({
      label: t('Rotate keys'), on: now.roundRobinAccounts, flip: rotate,
      'data-testid': 'rotate', 'data-focus': 'rotate',
    }), h('p', { class: 'hint' }, wayOf(now)));
  }
  update(find(id) ?? provider);
  return { node, update, shown, close: () => clearTimeout(waiting) };
}
