// The keys of one provider: its own key, the accounts, rotation.

import { ago, button, byId, h, redraw, tell, toggle } from '../common/dom.js';
import { confirmed, openForm } from '../common/dialogs.js';
import { post, put, remove } from '../common/api.js';
import { caps, change, dropAccount, find, load, putAccount, route } from './store.js';
import { healthWords, outcome } from './connectivity.js';
import { orderHandle } from './key_order.js';
import { historyOf, loadFacts, reasonOf, stateOf, untilCooldownEnds } from './key_states.js';
import { t } from '../common/language.js';

const dialog = byId('key-dialog');
const results = new Map();

/** One dialog for four jobs: which of its fields are shown is the difference. */
function keyForm({ title, submit, account, shows, send, done }) {
  const form = dialog.querySelector('form');
  form.reset();
  byId('key-dialog-title').textContent = title;
  form.querySelector('button.primary').textContent = submit;
  for (const [field, id] of [['name', 'key-name-field'], ['apiKey', 'key-value-field']]) {
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

function addAccount(id) {
  keyForm({
    title: t('Add a key'), submit: t('Add key'), shows: ['name', 'apiKey'],
    send: (values, key) => post(route(id, '/accounts'), values, key),
    done: (account) => putAccount(id, account),
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

async function deleteAccount(id, account, path) {
  const text = t('The key is deleted here. At the provider it stays valid until you revoke it there.');
  if (!(await confirmed(t('Delete the key {name}?', account), text))) return;
  await remove(path);
  dropAccount(id, account.id);
}

async function testAccount(account, path) {
  results.set(account.id, await post(`${path}/test`));
  await load();
}

/** What is known of a key from its calls. */
function health({ healthStatus, healthCheckedAt }) {
  return h('span', { class: `health ${healthStatus}`, 'data-testid': 'account-health' },
    healthWords()[healthStatus] ?? healthStatus,
    healthCheckedAt && healthStatus !== 'unknown' ? [', ', ago(healthCheckedAt)].flat() : null);
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
  tell(t('{name} is number {place} of {count}.', { name: account.name, place: place + 1, count: order.length }));
}

/** Why a key is not just used, unless its test has just said so. */
function why(provider, account, result) {
  const reason = result ? null : reasonOf(provider, account);
  return reason ? h('div', { class: 'sub', 'data-testid': 'key-reason' }, reason) : null;
}

function accountRow(provider, account, place) {
  const { id } = provider;
  const path = route(id, `/accounts/${account.id}`);
  const act = (label, what, work, disabled = false) => button(label, work, {
    class: 'quiet', 'aria-label': `${label}: ${account.name}`, disabled,
    'data-testid': `account-${what}`, 'data-focus': `${what}-${account.id}`,
  });
  const flip = async (isEnabled) => putAccount(id, await put(`${path}/enabled`, { isEnabled }));
  const result = results.get(account.id);
  return h('li', { 'data-testid': 'account-row', 'data-account-id': account.id },
    orderHandle(account, place, (to) => reorder(id, account, to)),
    toggle({
      label: t('Use {name}', account), hidden: true, on: account.isEnabled, flip,
      'data-testid': 'account-enabled', 'data-focus': `enabled-${account.id}`,
    }),
    h('div', { class: 'grow' },
      h('div', null, account.name, ' ', stateTag(provider, account)),
      h('div', { class: 'sub' }, h('code', null, account.hasKey ? account.keyHint : t('none')), health(account)),
      why(provider, account, result),
      result ? outcome({ ...result, key: undefined }, 'account-result') : null,
      historyOf(provider, account)),
    h('div', { class: 'row' },
      act(t('Test'), 'test', () => testAccount(account, path), !account.hasKey),
      act(t('Rename'), 'edit', () => editAccount(id, account, path)),
      act(t('Replace key'), 'replace', () => replaceKey(id, account, path)),
      act(t('Delete'), 'delete', () => deleteAccount(id, account, path))));
}

function ownKeyRow(provider) {
  return h('li', { 'data-testid': 'own-key-row' },
    h('div', { class: 'grow' },
      h('div', null, t('Provider key'), ' ', stateTag(provider, null)),
      h('div', { class: 'sub' },
        h('code', { 'data-testid': 'provider-key-hint' }, provider.hasKey ? provider.keyHint : t('none'))),
      why(provider, null), historyOf(provider, null)),
    h('div', { class: 'row' }, button(t('Replace key'), () => replaceOwnKey(provider), {
      class: 'quiet', 'aria-label': `${t('Replace key')}: ${provider.name}`,
      'data-testid': 'replace-key', 'data-focus': 'replace-own-key',
    })));
}

function wayOf({ roundRobinAccounts, accounts }) {
  if (roundRobinAccounts) return t('Calls take the enabled keys in turn, in this order; the provider key only when none is enabled.');
  return accounts.length > 0 ? t('Calls use the provider key alone. Switch this on, and the other keys take turns.')
    : t('Calls use the provider key. Add more keys to spread calls over them.');
}

/** The keys part of a card: {node, update(provider)}. */
export function accountsPart(provider) {
  const { id } = provider;
  const count = h('span', { class: 'count', 'data-testid': 'account-count' });
  const list = h('ul', { class: 'rows', 'data-testid': 'account-list' });
  const rotation = h('div');
  const add = button(t('Add key'), () => addAccount(id), { 'data-testid': 'add-account' });
  const node = h('div', { class: 'part', role: 'group', 'aria-label': t('Keys') },
    h('div', { class: 'part-head' }, h('h3', null, t('Keys')), count, add), list, rotation);
  const rotate = async (roundRobinAccounts) =>
    change(id, await put(route(id), { roundRobinAccounts }));

  let drawn = {};
  let asked = null; // the accounts of the list for which the facts were asked
  let waiting;

  /** What the list does not say is asked for when the part is seen, once for each list. */
  async function ask() {
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
    if (!node.closest('[hidden]') && node.isConnected) ask();
    count.textContent = t('{count} of {most}', { count: now.accounts.length, most: caps.accounts });
    add.disabled = now.accounts.length >= caps.accounts;
    draw();
    redraw(rotation, toggle({
      label: t('Rotate keys'), on: now.roundRobinAccounts, flip: rotate,
      'data-testid': 'rotate', 'data-focus': 'rotate',
    }), h('p', { class: 'hint' }, wayOf(now)));
  }
  update(find(id) ?? provider);
  return { node, update, ask };
}
