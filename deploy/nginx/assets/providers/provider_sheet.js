// The sheet of a card, at the side, with the provider's models, keys and settings. Each part is built when it
// is first shown.
// Signs of a provider: how it is, and that its address is not encrypted.
// The actions on a whole provider that a card and a sheet share.
// The own headers of one provider: list, set, remove. Of a value nothing is shown.

import { ago, attempt, button, byId, h, icon, plural, redraw, t, tell, toggle } from '../common/dom.js';
import { confirmed, openDialog, settle, wireForm } from '../common/dialogs.js';
import { post, remove } from '../common/api.js';
import { change, drop, find, load, route, watch } from './store.js';
import { isHeldBack } from './key_states.js';
import { accountsPart } from './accounts.js';
import { modelsPart } from './models.js';
import { editProvider } from './provider_form.js';
import { mark, typeOf } from './catalogue.js';

/** A mark with a text for those who point at it, focus it or do not see it. */
export function unlockedSign(provider) {
  if (!provider.baseUrl.startsWith('http://')) return null;
  const text = t('Not encrypted: the base URL is plain http, so keys and messages can be read on their way.');
  return h('span', { class: 'sign warn', role: 'img', tabindex: '0', 'aria-label': text, 'data-testid': 'http-warning' },
    icon('unlocked'), h('span', { class: 'sign-text', 'aria-hidden': 'true' }, text));
}

export async function setActive(id, on) {
  change(id, await post(route(id, '/status'), { status: on ? 'active' : 'inactive' }));
}

function whatGoes({ models, accounts }) {
  const parts = [
    accounts.length ? plural(accounts.length + 1, '{count} key', '{count} keys') : t('its key'),
    models.length ? plural(models.length, '{count} model', '{count} models') : '',
  ].filter(Boolean);
  return parts.join(', ');
}

/** Asks and deletes; the control is busy meanwhile, and gone() is called once the server has done it. */
export async function deleteProvider(provider, control, gone = () => {}) {
  const text = t('This also deletes: {holds}. It can’t be undone.', { holds: whatGoes(provider) });
  if (!(await confirmed(t('Delete {name}?', provider), text))) return;
  await attempt(control, async () => {
    await remove(route(provider.id));
    gone();
    drop(provider.id);
  });
}

function field(id, name, label, missing, attributes) {
  const inputId = `header-${name}-${id}`;
  const input = h('input', {
    id: inputId, name, placeholder: label, required: true, 'data-missing': missing, autocomplete: 'off',
    autocapitalize: 'off', spellcheck: 'false', 'data-testid': `header-${name}`, ...attributes,
  });
  const error = h('p', { class: 'error', 'data-error-for': name, 'data-testid': `header-${name}-error` });
  return { input, parts: [h('label', { class: 'away', for: inputId }, label), input], error };
}

async function removeHeader(id, { name }, control) {
  if (!(await confirmed(t('Remove the header {name}?', { name }), t('Calls are then made without it.'), t('Remove')))) return;
  await attempt(control, async () => {
    await remove(route(id, `/headers/${name}`));
    await load();
  });
}

function headerRow(id, header, again) {
  const { name } = header;
  const named = (label, what) => ({
    class: 'quiet square', 'aria-label': `${label}: ${name}`, title: label,
    'data-testid': `header-${what}`, 'data-focus': `${what}-${name}`,
  });
  const trash = h('button', {
    type: 'button', ...named(t('Remove'), 'remove'), onclick: () => removeHeader(id, header, trash),
  }, icon('trash'));
  return h('li', { 'data-testid': 'header-row' },
    h('div', { class: 'grow name-line' }, h('code', null, name), ' ',
      isHeldBack(header) ? h('span', { class: 'tag warn', 'data-testid': 'header-use' }, t('Held back: enter it again')) : null),
    h('div', { class: 'row' }, button(icon('replace'), () => again(name), named(t('Replace the value'), 'replace')), trash));
}

/** The headers of a provider's sheet: {node, update(provider), close()}. */
function headersPart({ id }) {
  const list = h('ul', { class: 'rows', 'data-testid': 'header-list' });
  const name = field(id, 'name', t('Header, such as X-Tenant'), t('Enter a header.'));
  const value = field(id, 'value', t('Value'), t('Enter its value.'), { type: 'password' });
  const form = h('form', { class: 'add', novalidate: true }, ...name.parts, ...value.parts,
    h('button', { 'data-testid': 'header-submit' }, t('Set header')), name.error, value.error,
    h('p', { class: 'error', 'data-error-for': '', role: 'alert', 'data-testid': 'header-form-error' }));
  const again = (which) => {
    name.input.value = which;
    value.input.focus();
  };
  const forget = wireForm(form, {
    send: (values) => post(route(id, '/headers'), values),
    async done() {
      form.reset();
      settle(form);
      name.input.focus();
      tell(t('Saved.'));
      await load().catch(() => {});
    },
  });
  settle(form);
  const node = h('div', { class: 'part', role: 'group', 'aria-label': t('Headers') },
    h('h3', null, t('Headers')),
    h('p', { class: 'hint' }, t('They are sent with each call of this provider. Values are stored encrypted, and are not shown again.')),
    list, form);
  return {
    node,
    close: forget,
    update() { redraw(list, (find(id)?.headers ?? []).map((header) => headerRow(id, header, again))); },
  };
}

const sheet = byId('provider-sheet');
const tabs = byId('sheet-tabs');
const panels = byId('sheet-panels');
const steps = { ArrowRight: 1, ArrowLeft: -1 };
let shownId = '';
let parts = new Map(); // tab → {node, update(provider), shown?(), close?()} of those that were shown

/** The settings: {node, update(provider), shown(), close()}. */
function settingsPart(provider) {
  const { id } = provider;
  let leave = null; // once the fields are in the form
  const active = h('div', { class: 'setting' });
  const form = h('form', { class: 'stack', novalidate: true },
    h('p', { class: 'error', 'data-error-for': '', role: 'alert', 'data-testid': 'settings-error' }),
    h('div', { class: 'row end' }, h('button', { class: 'primary', 'data-testid': 'settings-save' }, t('Save'))));
  const remove = h('button', {
    type: 'button', class: 'danger', 'data-testid': 'delete-provider', 'data-focus': 'delete',
    onclick: () => deleteProvider(find(id), remove, () => sheet.close()),
  });
  const headers = headersPart(provider);
  const node = h('div', { class: 'stack' }, active, form, headers.node,
    h('div', { class: 'setting danger-zone' },
      h('p', { class: 'hint' }, t('This also deletes its models and keys.')), remove));
  return {
    node,
    shown() { leave ??= editProvider(provider, form); },
    close() {
      leave?.();
      headers.close();
    },
    update(now) {
      headers.update();
      remove.textContent = t('Delete {name}', now);
      redraw(active, toggle({
        label: t('Active'), on: now.status === 'active', flip: (on) => setActive(id, on),
        'data-testid': 'provider-active', 'data-focus': 'active',
      }), h('p', { class: 'hint' }, t('While it is off, chats, tools and “Test all” skip it.')));
    },
  };
}

const makers = {
  models: [() => t('Models'), modelsPart],
  keys: [() => t('Keys'), accountsPart],
  settings: [() => t('Settings'), settingsPart],
};

function drawHead(provider) {
  const { healthCheckedAt: tried, healthStatus } = provider;
  redraw(byId('sheet-mark'), mark(provider.type));
  byId('sheet-title').textContent = provider.name;
  redraw(byId('sheet-facts'), healthPill(provider), tried && healthStatus !== 'unknown' ? ago(tried) : null,
    unlockedSign(provider), h('code', { class: 'sub' }, provider.baseUrl));
}

function select(tab) {
  const provider = find(shownId);
  for (const button of tabs.children) {
    const chosen = button.dataset.tab === tab;
    button.setAttribute('aria-selected', String(chosen));
    button.tabIndex = chosen ? 0 : -1;
  }
  if (!parts.has(tab)) {
    const part = makers[tab][1](provider);
    part.panel = h('div', { role: 'tabpanel', id: `sheet-${tab}`, 'aria-labelledby': `tab-${tab}` }, part.node);
    panels.append(part.panel);
    parts.set(tab, part);
    part.update(provider);
  }
  for (const [each, { panel }] of parts) panel.hidden = each !== tab;
  parts.get(tab).shown?.();
}

function drawTabs({ type, models }) {
  const shown = Object.entries(makers).filter(([tab]) => tab !== 'models' || !typeOf(type).search || models.length > 0);
  redraw(tabs, shown.map(([tab, [label]]) => h('button', {
    type: 'button', role: 'tab', id: `tab-${tab}`, 'data-tab': tab, 'data-testid': `tab-${tab}`, onclick: () => select(tab),
  }, label())));
}

/** The sheet has an entry of the history, which Back leaves; one that a closed sheet has left is used again. */
function enter(id) {
  history[history.state ? 'replaceState' : 'pushState']({ sheet: id }, '');
}

/** Closes what is uppermost, as its own button does. */
addEventListener('popstate', () => {
  const top = [...document.querySelectorAll('dialog[open]')].at(-1);
  if (!sheet.open || history.state?.sheet) return;
  if (top !== sheet) enter(shownId);
  top.querySelector('[data-close], [value="no"]').click();
});

/** Opens the sheet of a provider, at the first of its tabs unless one is named; gives that part. */
export function openSheet(id, tab) {
  const provider = find(id);
  if (!provider) return null;
  if (!sheet.open) {
    shownId = id;
    sheet.dataset.providerId = id;
    drawHead(provider);
    drawTabs(provider);
    openDialog(sheet);
    enter(id);
  }
  const wanted = [...tabs.children].find((button) => button.dataset.tab === tab) ?? tabs.firstChild;
  select(wanted.dataset.tab);
  wanted.focus();
  return parts.get(wanted.dataset.tab);
}

tabs.addEventListener('keydown', (event) => {
  if (!(event.key in steps)) return;
  event.preventDefault();
  const all = [...tabs.children];
  const next = all[(all.indexOf(document.activeElement) + steps[event.key] + all.length) % all.length];
  select(next.dataset.tab);
  next.focus();
});

sheet.addEventListener('close', () => {
  for (const part of parts.values()) part.close?.();
  parts = new Map();
  panels.replaceChildren();
  shownId = '';
  if (history.state?.sheet) history.replaceState({}, '');
});

sheet.addEventListener('click', ({ target, clientX }) => {
  const { left, right } = sheet.getBoundingClientRect();
  if (target === sheet && (clientX < left || clientX > right)) sheet.querySelector('[data-close]').click();
});

watch(() => {
  if (!sheet.open) return;
  const provider = find(shownId);
  if (!provider) {
    sheet.close();
    return tell(t('This provider was deleted in another window.'), true);
  }
  drawHead(provider);
  for (const part of parts.values()) part.update(provider);
});
