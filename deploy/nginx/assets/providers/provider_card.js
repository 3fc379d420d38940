// One provider as a card of two lines: what it is and whether it works; and what can be done with it.

import { ago, attempt, button, h, redraw, tell } from '../common/dom.js';
import { icon } from '../common/icons.js';
import { menuButton } from '../common/menu.js';
import { deleteProvider, setActive } from './provider_actions.js';
import { openSheet } from './provider_sheet.js';
import { outcome, testProvider } from './connectivity.js';
import { isHeldBack } from './key_states.js';
import { healthPill, unlockedSign } from './signs.js';
import { mark, typeOf } from './catalogue.js';
import { plural, said, t } from '../common/language.js';

const headingId = (provider) => `provider-${provider.id}`;

function tags(provider) {
  const { label } = typeOf(provider.type);
  const heldBack = [provider, ...provider.accounts].some((key) => key.hasKey && isHeldBack(key));
  return [
    provider.name.startsWith(label) ? null
      : h('span', { class: 'tag', 'data-testid': 'provider-type-label' }, label),
    provider.status === 'inactive' ? h('span', { class: 'tag' }, t('Switched off'))
      : healthPill(provider, { 'data-testid': 'provider-health' }),
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

function facts(provider) {
  const { healthStatus, healthCheckedAt: tried } = provider;
  const enabled = provider.models.filter((model) => model.isEnabled).length;
  const keys = provider.accounts.length + (provider.hasKey ? 1 : 0);
  const parts = [
    [h('span', { 'data-testid': 'provider-url', title: provider.baseUrl }, hostOf(provider)), unlockedSign(provider)],
    typeOf(provider.type).search ? null
      : enabled ? plural(enabled, '{count} model', '{count} models') : t('no model'),
    plural(keys, '{count} key', '{count} keys') + (provider.roundRobinAccounts ? t(', in turn') : ''),
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
      redraw(tagRow, tags(provider));
      redraw(factsRow, facts(provider));
      // A failed test's own line says it already.
      const told = result && !result.ok && result.error.startsWith(provider.healthMessage);
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
      redraw(slot, h('div', { class: 'outcome busy' }, t('Testing…')));
    },
    showResult(ended) {
      result = ended;
      redraw(slot, ended ? outcome(ended, 'test-outcome') : []);
      top.update(current, result);
    },
  };
  card.update(provider);
  return card;
}
