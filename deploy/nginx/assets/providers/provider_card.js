// One provider as a card: its facts, its health, its actions, and behind "Manage" the rest.

import { ago, button, h, redraw, toggle } from '../common/dom.js';
import { confirmed } from '../common/dialogs.js';
import { post, remove } from '../common/api.js';
import { change, drop, route } from './store.js';
import { accountsPart } from './accounts.js';
import { modelsPart } from './models.js';
import { editProvider } from './provider_form.js';
import { healthWords, outcome, testProvider } from './connectivity.js';
import { markOf, typeOf } from './catalogue.js';
import { plural, said, t } from '../common/language.js';

const models = (count) => plural(count, '{count} model', '{count} models');
const headingId = (provider) => `provider-${provider.id}`;

function title(provider) {
  const plain = provider.baseUrl.startsWith('http://');
  return [
    markOf(provider.type),
    h('h2', { id: headingId(provider), 'data-testid': 'provider-title' }, provider.name),
    h('span', { class: 'tag', 'data-testid': 'provider-type-label' }, typeOf(provider.type).label),
    provider.status === 'inactive' ? h('span', { class: 'tag' }, t('inactive')) : null,
    plain ? h('span', {
      class: 'tag warn', 'data-testid': 'http-warning',
      title: t('The base URL is plain http: keys and messages travel unencrypted'),
    }, t('not encrypted')) : null,
  ];
}

function facts(provider) {
  const { healthStatus, healthCheckedAt: tried } = provider;
  const enabled = provider.models.filter((model) => model.isEnabled).length;
  const keys = provider.accounts.length;
  return [
    h('span', {
      class: `health ${healthStatus}`, 'data-testid': 'provider-health', 'data-health': healthStatus,
    }, healthWords()[healthStatus] ?? healthStatus,
      tried && healthStatus !== 'unknown' ? [', ', ago(tried)] : null),
    typeOf(provider.type).search ? null
      : h('span', null, enabled ? models(enabled) : t('no model enabled')),
    h('span', null, t('key'), ' ', h('code', null, provider.hasKey ? provider.keyHint : t('none'))),
    keys ? h('span', null, plural(keys, '{count} more key', '{count} more keys'),
      provider.roundRobinAccounts ? t(', rotating') : '') : null,
  ];
}

async function deleteProvider(provider) {
  const holds = [
    t('its key'),
    provider.models.length ? models(provider.models.length) : '',
    provider.accounts.length ? plural(provider.accounts.length, '{count} further key', '{count} further keys') : '',
  ].filter(Boolean).join(', ');
  const text = t('Deleted with it: {holds}. This cannot be undone.', { holds });
  if (!(await confirmed(t('Delete {name}?', provider), text))) return;
  await remove(route(provider.id));
  drop(provider.id);
}

function lastRow(provider) {
  const { id } = provider;
  const flip = async (on) =>
    change(id, await post(route(id, '/status'), { status: on ? 'active' : 'inactive' }));
  const act = (label, what, work, kind) => button(label, work, {
    class: kind, 'aria-describedby': headingId(provider),
    'data-testid': `${what}-provider`, 'data-focus': what,
  });
  return [
    toggle({
      label: t('Active'), on: provider.status === 'active', flip,
      'data-testid': 'provider-active', 'data-focus': 'active',
    }),
    h('div', { class: 'row end' },
      act(t('Edit'), 'edit', () => editProvider(provider, (changed) => change(id, changed))),
      act(t('Delete'), 'delete', () => deleteProvider(provider), 'danger')),
  ];
}

/** The facts at the top: {node, update(provider, result of the last test)}. */
function summary() {
  const titleRow = h('div', { class: 'title-row' });
  const url = h('p', { class: 'mono sub', 'data-testid': 'provider-url' });
  const factsRow = h('p', { class: 'sub facts' });
  const message = h('p', { class: 'sub message', 'data-testid': 'health-message' });
  return {
    node: h('div', { class: 'grow' }, titleRow, url, factsRow, message),
    update(provider, result) {
      redraw(titleRow, title(provider));
      url.textContent = provider.baseUrl;
      redraw(factsRow, facts(provider));
      // A failed test's own line says it already.
      const told = result && !result.ok && result.error.startsWith(provider.healthMessage);
      message.textContent = told ? '' : said(provider.healthMessage, provider.healthSentence);
    },
  };
}

/** The part behind "Manage", and its button: {node, opener, update(provider), expand, focusModels}. */
function management(provider) {
  const models = modelsPart(provider);
  const accounts = accountsPart(provider);
  const last = h('div', { class: 'row' });
  const node = h('div', { class: 'manage', id: `manage-${provider.id}`, hidden: true },
    models.node, accounts.node, last);
  const opener = h('button', {
    type: 'button', class: 'more', 'aria-expanded': 'false', 'aria-controls': node.id,
    'aria-describedby': headingId(provider), 'data-testid': 'manage-provider',
    onclick: () => expand(node.hidden),
  }, t('Manage'));

  function expand(open = true) {
    node.hidden = !open;
    if (open) accounts.ask();
    opener.setAttribute('aria-expanded', String(open));
  }
  function update(now) {
    models.update(now);
    accounts.update(now);
    redraw(last, lastRow(now));
  }
  return { node, opener, update, expand, focusModels: models.focus };
}

/** A card: {node, update(provider), expand(), focusModels(), showTesting(), showResult(or null)}. */
export function providerCard(provider) {
  const { id } = provider;
  const top = summary();
  const manage = management(provider);
  const slot = h('div', { role: 'status', 'data-testid': 'test-result' });
  const named = { 'aria-describedby': headingId(provider) };
  const test = button(t('Test'), () => testProvider(id, card), { ...named, 'data-testid': 'test-provider' });
  const chat = h('a', { class: 'button', href: `/user/playground?provider=${id}`, ...named, 'data-testid': 'chat-provider' }, t('Chat'));
  const node = h('article', {
    class: 'card provider', 'aria-labelledby': headingId(provider),
    'data-testid': 'provider-card', 'data-provider-id': id,
  }, h('div', { class: 'provider-head' }, top.node, h('div', { class: 'row' }, test, chat, manage.opener)),
  slot, manage.node);
  let current = provider;
  let result = null;

  const card = {
    node, expand: manage.expand, focusModels: manage.focusModels,
    update(now) {
      current = now;
      node.classList.toggle('inactive', now.status === 'inactive');
      chat.hidden = now.status === 'inactive';
      top.update(now, result);
      manage.update(now);
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
