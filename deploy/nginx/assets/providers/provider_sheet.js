// The sheet of a card, at the side, with the provider's models, keys and settings. Each part is built when it
// is first shown.

import { ago, byId, h, redraw, tell, toggle } from '../common/dom.js';
import { openDialog } from '../common/dialogs.js';
import { find, watch } from './store.js';
import { accountsPart } from './accounts.js';
import { headersPart } from './headers.js';
import { modelsPart } from './models.js';
import { deleteProvider, setActive } from './provider_actions.js';
import { editProvider } from './provider_form.js';
import { healthPill, unlockedSign } from './signs.js';
import { mark, typeOf } from './catalogue.js';
import { t } from '../common/language.js';

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
      h('p', { class: 'hint' }, t('Its models and keys go with it.')), remove));
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
      }), h('p', { class: 'hint' }, t('Chats, tools and “Test all” use it only while it is active.')));
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
