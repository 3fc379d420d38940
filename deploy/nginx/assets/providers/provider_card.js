// One provider as a card of two lines: what it is and whether it works; and what can be done with it.
// A button with a menu, by mouse and by keyboard: arrow keys, Home, End, Escape, the first letter.

import { ago, attempt, button, h, icon, plural, redraw, said, t, tell } from '../common/dom.js';
import { deleteProvider, openSheet, setActive, unlockedSign } from './provider_sheet.js';
import { creditLeft, outcome, testProvider, took } from './connectivity.js';
import { isHeldBack } from './key_states.js';
import { mark, plainType, typeOf } from './catalogue.js';
import { healthPill } from '../common/provider_list.js';

const steps = { ArrowDown: 1, ArrowUp: -1 };
let open = null; // {list, close} of the menu that is open

function focusAt(list, place) {
  const items = [...list.children].filter((item) => !item.disabled);
  items[(place + items.length) % items.length]?.focus();
}

/** Where a key leads in the list: a place, or null. */
function placeFor(list, key) {
  const items = [...list.children].filter((item) => !item.disabled);
  const at = items.indexOf(document.activeElement);
  if (key in steps) return at + steps[key];
  if (key === 'Home') return 0;
  if (key === 'End') return -1;
  const next = [...items.slice(at + 1), ...items.slice(0, at + 1)];
  const found = next.find((item) => item.textContent.toLowerCase().startsWith(key.toLowerCase()));
  return key.length === 1 && found ? items.indexOf(found) : null;
}

/** items(): [{label, drawing, work(opener), kind, testid}], asked for when the menu opens. */
function menuButton(attributes, items) {
  const list = h('div', { class: 'menu', role: 'menu', 'aria-label': attributes['aria-label'], hidden: true });
  const opener = h('button', {
    type: 'button', class: 'quiet square', 'aria-haspopup': 'menu', 'aria-expanded': 'false', ...attributes,
  }, icon('more'));
  const node = h('div', { class: 'menu-place' }, opener, list);

  function close(toOpener = false) {
    if (open?.list !== list) return;
    open = null;
    if (toOpener || list.contains(document.activeElement)) opener.focus();
    list.hidden = true;
    list.replaceChildren();
    opener.setAttribute('aria-expanded', 'false');
  }

  function show(place) {
    open?.close();
    open = { list, node, close };
    list.replaceChildren(...items().map(({ label, drawing, work, kind = '', testid }) => h('button', {
      type: 'button', role: 'menuitem', tabindex: '-1', class: kind, 'data-testid': testid,
      onclick: () => { close(true); work(opener); },
    }, icon(drawing), label)));
    list.hidden = false;
    opener.setAttribute('aria-expanded', 'true');
    list.classList.toggle('above', list.getBoundingClientRect().bottom > innerHeight);
    focusAt(list, place);
  }

  opener.addEventListener('click', () => (list.hidden ? show(0) : close(true)));
  opener.addEventListener('keydown', (event) => {
    if (!(event.key in steps) || !list.hidden) return;
    event.preventDefault();
    show(event.key === 'ArrowUp' ? -1 : 0);
  });
  list.addEventListener('keydown', (event) => {
    if (event.key === 'Tab') return close();
    const place = event.key === 'Escape' ? null : placeFor(list, event.key);
    if (event.key === 'Escape') close(true);
    else if (place === null) return;
    else focusAt(list, place);
    event.preventDefault();
    event.stopPropagation();
  });
  return node;
}

document.addEventListener('pointerdown', ({ target }) => {
  if (open && !open.node.contains(target)) open.close();
});

const headingId = (provider) => `provider-${provider.id}`;

function tags(provider, result) {
  const { label } = typeOf(provider.type);
  const heldBack = [provider, ...provider.accounts].some((key) => key.hasKey && isHeldBack(key));
  return [
    provider.type === plainType || provider.name.startsWith(label) ? null
      : h('span', { class: 'tag', 'data-testid': 'provider-type-label' }, label),
    provider.status === 'inactive' ? h('span', { class: 'tag' }, t('Switched off'))
      : healthPill(provider, { 'data-testid': 'provider-health', title: result?.ok ? outcome(result).textContent : null }, took(result)),
    provider.hasKey || provider.accounts.some((key) => key.hasKey) ? null : h('button', {
      type: 'button', class: 'tag warn', 'data-testid': 'no-key', 'data-focus': 'no-key',
      onclick: () => openSheet(provider.id, 'keys'),
    }, t('No key')),
    heldBack ? h('button', {
      type: 'button', class: 'tag warn', 'data-testid': 'key-held-back', 'data-focus': 'held-back',
      onclick: () => openSheet(provider.id, 'keys'),
    }, t('Key held back')) : null,
    provider.headers.some(isHeldBack) ? h('button', {
      type: 'button', class: 'tag warn', 'data-testid': 'header-held-back', 'data-focus': 'header-held-back',
      onclick: () => openSheet(provider.id, 'settings'),
    }, t('Header held back')) : null,
  ];
}

function hostOf({ baseUrl }) {
  try {
    return new URL(baseUrl).host;
  } catch {
    return baseUrl;
  }
}

function facts(provider, result) {
  const { healthStatus, healthCheckedAt: tried, models } = provider;
  const enabled = models.filter((model) => model.isEnabled).length;
  const keys = provider.accounts.length + (provider.hasKey ? 1 : 0);
  const parts = [
    [h('span', { 'data-testid': 'provider-url', title: provider.baseUrl }, hostOf(provider)), unlockedSign(provider)],
    typeOf(provider.type).search ? null
      : enabled === 0 ? t('no model')
      : enabled < models.length ? t('{count} of {most} models', { count: enabled, most: models.length })
      : plural(enabled, '{count} model', '{count} models'),
    plural(keys, '{count} key', '{count} keys') + (provider.roundRobinAccounts ? t(', rotating') : ''),
    creditLeft(result),
    tried && healthStatus !== 'unknown' ? ago(tried) : null,
  ].filter(Boolean);
  return parts.flatMap((part, i) => (i ? [' · ', part] : [part])).flat();
}

/** The text side of a card: {node, update(provider, result of the last test)}. */
function summary({ id }) {
  const name = button('', () => openSheet(id), {
    class: 'name', dir: 'auto', 'aria-haspopup': 'dialog', 'data-testid': 'manage-provider', 'data-focus': 'manage',
  });
  const heading = h('h2', { id: headingId({ id }), 'data-testid': 'provider-title' }, name);
  const tagRow = h('span', { class: 'tags' });
  const factsRow = h('p', { class: 'sub' });
  const message = h('p', { class: 'sub message', 'data-testid': 'health-message' });
  return {
    node: h('div', { class: 'grow' }, h('div', { class: 'title-row' }, heading, tagRow), factsRow, message),
    update(provider, result) {
      name.textContent = provider.name;
      redraw(tagRow, tags(provider, result));
      redraw(factsRow, facts(provider, result));
      // A failed test's own line says it already.
      const told = result && !result.ok && (result.isOfKeys || result.error.startsWith(provider.healthMessage));
      message.textContent = told ? '' : said(provider.healthMessage, provider.healthSentence);
    },
  };
}

function menuOf(provider) {
  const { models, name } = provider;
  const hasModels = models.length > 0 || !typeOf(provider.type).search;
  const isActive = provider.status === 'active';
  const tab = (label, drawing, which) =>
    ({ label, drawing, testid: `menu-${which}`, work: () => openSheet(provider.id, which) });
  return [
    ...(hasModels ? [tab(t('Models'), 'browse', 'models')] : []),
    tab(t('Keys'), 'key', 'keys'),
    tab(t('Settings'), 'settings', 'settings'),
    {
      label: isActive ? t('Switch off') : t('Switch on'), drawing: 'power', testid: 'menu-status',
      work: (opener) => attempt(opener, async () => {
        await setActive(provider.id, !isActive);
        tell(isActive ? t('{name} is switched off.', { name }) : t('{name} is switched on.', { name }));
      }),
    },
    { label: t('Delete'), drawing: 'trash', kind: 'danger', testid: 'menu-delete', work: (opener) => deleteProvider(provider, opener) },
  ];
}

/** A card: {node, update(provider), focus(), showTesting(), showResult(or null)}. */
export function providerCard(provider) {
  const { id } = provider;
  let current = provider;
  let result = null;
  const top = summary(provider);
  const drawing = h('span');
  const slot = h('div', { role: 'status', 'data-testid': 'test-result' });
  const chat = h('a', {
    class: 'button chat', href: `/user/playground?provider=${id}`, 'data-testid': 'chat-provider', 'data-focus': 'chat',
  }, icon('chat'), t('Chat'));
  const test = button(icon('bolt'), () => testProvider(id, card), {
    class: 'quiet square', 'data-testid': 'test-provider', 'data-focus': 'test',
  });
  const menuAttributes = { 'data-testid': 'provider-menu', 'data-focus': 'menu' };
  const menu = menuButton(menuAttributes, () => menuOf(current));
  const node = h('article', {
    class: 'card provider', 'aria-labelledby': headingId(provider),
    'data-testid': 'provider-card', 'data-provider-id': id,
  }, h('div', { class: 'provider-head' }, drawing, top.node, h('div', { class: 'row' }, chat, test, menu)), slot);

  function nameButtons({ name }) {
    const names = [[chat, t('Chat with {name}', { name })], [test, t('Test {name}', { name })],
      [menu.firstChild, t('More about {name}', { name })]];
    for (const [control, text] of names) control.setAttribute('aria-label', text);
    for (const [control, text] of names.slice(1)) control.title = text;
    menu.lastChild.setAttribute('aria-label', t('More about {name}', { name }));
  }

  const card = {
    node,
    focus: () => chat.focus(),
    update(now) {
      current = now;
      node.classList.toggle('inactive', now.status === 'inactive');
      chat.hidden = now.status === 'inactive';
      redraw(drawing, mark(now.type));
      nameButtons(now);
      top.update(now, result);
    },
    showTesting() {
      result = null;
      slot.classList.remove('away');
      redraw(slot, h('div', { class: 'outcome busy' }, t('Testing…')));
    },
    showResult(ended) {
      result = ended;
      slot.classList.toggle('away', ended?.ok === true); // the pill says it to those who see it
      redraw(slot, ended ? outcome(ended, 'test-outcome') : []);
      top.update(current, result);
    },
  };
  card.update(provider);
  return card;
}
