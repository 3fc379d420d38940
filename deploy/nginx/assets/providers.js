// The providers page. Its parts lie in providers/ (the cards and their dialogs, and store.js, what the
// server said); what it shares with the other pages, in common/.
//
// data-testid marks for browser tests ("card" ones lie inside a provider-card):
//   every page    display-name sign-out notice theme; error-page; sign-in-dialog sign-in-email
//                 sign-in-password sign-in-submit sign-in-cancel sign-in-error
//   door          login-email login-password login-remember login-submit login-error forgot-link
//                 forgot-email forgot-submit forgot-sent forgot-error reset-password
//                 reset-submit reset-error
//   profile       profile-display-name display-name-error profile-name-submit; avatar avatar-file
//                 avatar-submit avatar-remove avatar-error; current-email pending-email
//                 pending-again pending-cancel profile-new-email new-email-error
//                 email-password email-password-error profile-email-submit;
//                 change-password change-password-error password-new password-new-error
//                 password-submit; sessions-end
//   page          create-provider provider-count provider-summary provider-list provider-empty begin-WORD test-all
//                 batch-summary batch-cancel batch-failures toast late
//   dialog        provider-dialog type-search type-WORD type-change provider-type provider-name provider-base-url provider-api-key
//                 provider-submit provider-cancel provider-outcome provider-keep provider-remove provider-form-error provider-name-error
//                 provider-base-url-error provider-api-key-error provider-http-warning
//                 provider-address-warning; confirm-dialog confirm-yes confirm-no
//   card          provider-card[data-provider-id] provider-title provider-url provider-type-label
//                 provider-health[data-health] health-message http-warning key-held-back test-provider
//                 test-result test-outcome[data-ok] chat-provider manage-provider
//                 provider-menu menu-models menu-keys menu-settings menu-status menu-delete
//   sheet         provider-sheet sheet-close tab-models tab-keys tab-settings provider-active
//                 settings-save settings-error delete-provider
//   models        model-list model-count no-model model-row[data-model-id] add-model-id add-model-submit
//                 add-model-error model-enabled model-capabilities model-test model-result test-models model-edit model-name
//                 model-remove model-undo browse-models; capabilities-dialog capability-WORD
//                 capabilities-submit; available-dialog available-filter available-status
//                 available-list available-model[data-model-id] available-choose
//                 available-choose-all available-add-chosen available-undo available-close
//   keys          account-list account-count own-key-row provider-key-hint replace-key
//                 add-account rotate account-row[data-account-id] account-order account-enabled
//                 key-use key-reason key-errors account-test account-edit account-replace
//                 account-delete account-result; key-dialog key-name key-value keys-value
//                 key-value-error keys-value-error key-form-error key-submit

import { attempt, byId, h, plural, t, tell } from './common/dom.js';
import { onGone } from './common/api.js';
import { keepFresh } from './common/provider_list.js';
import { all, caps, find, load, watch } from './providers/store.js';
import { bestKnownTypes, mark, readCatalogue, typeOf } from './providers/catalogue.js';
import { createProvider } from './providers/provider_form.js';
import { openAvailable } from './providers/available_models.js';
import { openSheet } from './providers/provider_sheet.js';
import { providerCard } from './providers/provider_card.js';
import { testAll, testProvider } from './providers/connectivity.js';

const list = byId('provider-list');
const cards = new Map();
const ranks = new Map(); // provider's id → its rank when this page first showed it: cards do not jump

function emptyState() {
  const tile = (type) => h('button', {
    type: 'button', class: 'tile', 'data-testid': `begin-${type}`, onclick: () => create(type),
  }, mark(type), h('span', null, typeOf(type).label));
  return h('div', { class: 'card empty', 'data-testid': 'provider-empty' },
    h('h2', null, t('Add your first provider')),
    h('p', { class: 'muted' },
      t('Paste an API key to chat with a provider’s models. It is encrypted and used only for your requests.')),
    h('div', { class: 'tiles' }, bestKnownTypes().map(tile)),
    h('button', { type: 'button', onclick: () => create() }, t('All providers')));
}

function cardOf(provider) {
  const card = cards.get(provider.id) ?? providerCard(provider);
  if (cards.has(provider.id)) card.update(provider);
  cards.set(provider.id, card);
  return card;
}

/** What needs a look comes first. */
function rankOf({ id, status, healthStatus }) {
  if (!ranks.has(id)) ranks.set(id, status === 'inactive' ? 3 : { unhealthy: 0, degraded: 1 }[healthStatus] ?? 2);
  return ranks.get(id);
}

function counted(providers) {
  const active = providers.filter(({ status }) => status === 'active');
  const of = (word) => active.filter(({ healthStatus }) => healthStatus === word).length;
  const parts = [
    [of('healthy'), t('{count} working')], [of('degraded'), t('{count} partly working')],
    [of('unhealthy'), t('{count} failing')], [of('unknown'), t('{count} not tested')],
    [providers.length - active.length, t('{count} switched off')],
  ];
  return parts.filter(([count]) => count > 0).map(([count, text]) => text.replace('{count}', count)).join(', ');
}

function draw(providers) {
  const focused = list.contains(document.activeElement);
  const place = [...list.children].findIndex((node) => node.contains(document.activeElement));
  const known = new Set(providers.map((provider) => provider.id));
  for (const [id, card] of cards) {
    if (known.has(id)) continue;
    card.node.remove();
    cards.delete(id);
  }
  const nodes = [...providers].sort((a, b) => rankOf(a) - rankOf(b)).map((provider) => cardOf(provider).node);
  if (nodes.length === 0) nodes.push(emptyState());
  const settled = nodes.length === list.children.length && nodes.every((n, i) => n === list.children[i]);
  if (!settled) list.replaceChildren(...nodes);
  if (focused && !list.contains(document.activeElement)) {
    nodes[Math.min(place, nodes.length - 1)].querySelector('button').focus();
  }
  list.removeAttribute('aria-busy');
  byId('provider-count').textContent = t('{count} of {most}', { count: providers.length, most: caps.providers });
  const full = providers.length >= caps.providers;
  byId('provider-summary').textContent = [counted(providers),
    full && t('No room: {most} of {most}. Remove one first.', { most: caps.providers })].filter(Boolean).join('. ');
  byId('create-provider').disabled = full;
  byId('test-all').hidden = providers.length === 0;
  byId('test-all').disabled = false;
}

/** Shows a new provider, and asks a model of it for a word: a list says nothing about chats. */
async function showNew({ id, outcome }) {
  await load();
  const card = cards.get(id);
  const provider = find(id);
  card.node.scrollIntoView({ block: 'nearest' });
  card.focus();
  if (!outcome.ok || outcome.reply !== undefined) return card.showResult(outcome);
  const browse = { label: t('Browse models'), work: () => openAvailable(find(id)), testid: 'browse-after-adding' };
  if (provider.models.length > 0) {
    const added = plural(provider.models.length, 'Added {name} with {count} model.', 'Added {name} with {count} models.', provider);
    tell(added, false, false, typeOf(provider.type).lists ? browse : null);
    return testProvider(id, card);
  }
  tell(t('Added {name}. Add a model to chat with it.', provider));
  openSheet(id, 'models').focus();
}

const create = (type = null) => createProvider(showNew, type);

async function start() {
  try {
    await load();
  } catch (error) {
    const again = h('button', { type: 'button', onclick: start }, t('Try again'));
    list.replaceChildren(
      h('div', { class: 'card empty', role: 'alert' }, h('p', null, error.message), again));
  }
}

/** After a 404 the list is fetched, and what is not on it any more has gone in another window. */
async function tellGone(path, body) {
  await load();
  const id = path.split('/')[3];
  const provider = find(body?.providerId ?? id);
  if (!provider) return t('This provider was deleted in another window.');
  return path.includes('/accounts/') ? t('This key was deleted in another window.')
    : t('This model was removed in another window.');
}

/** Opens what a link such as "#provider-ID" leads to: what can be mended is in the sheet. */
const showLinked = (hash) => openSheet(hash.slice('#provider-'.length), 'keys');

document.addEventListener('click', (event) => {
  const link = event.target.closest('a[href^="#provider-"]');
  if (!link) return;
  event.preventDefault();
  showLinked(link.hash);
});
onGone(tellGone);
keepFresh(start);
byId('late').remove();
readCatalogue();
watch(draw);
byId('create-provider').addEventListener('click', () => create());
byId('test-all').addEventListener('click', (event) => {
  if (all().length > 0) attempt(event.currentTarget, () => testAll(cards));
});
const { hash } = location;
history.replaceState(history.state, '', location.pathname);
start().then(() => showLinked(hash));
