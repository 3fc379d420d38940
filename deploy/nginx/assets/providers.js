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
//                 profile-email-password email-password-error profile-email-submit;
//                 password-current password-current-error password-new password-new-error
//                 password-submit; sessions-end
//   page          create-provider provider-count provider-list provider-empty test-all
//                 batch-summary batch-cancel batch-failures toast late
//   dialog        provider-dialog provider-type type-WORD provider-name provider-base-url provider-api-key
//                 provider-submit provider-cancel provider-outcome provider-keep provider-remove provider-form-error provider-name-error
//                 provider-base-url-error provider-api-key-error provider-http-warning
//                 provider-address-warning; confirm-dialog confirm-yes confirm-no
//   card          provider-card[data-provider-id] provider-title provider-url provider-type-label
//                 provider-health[data-health] health-message http-warning test-provider
//                 test-result test-outcome[data-ok] chat-provider manage-provider
//                 provider-active edit-provider delete-provider
//   models        model-list model-count no-model model-row[data-model-id] add-model-id add-model-submit
//                 add-model-error model-enabled model-capabilities model-test model-result test-models model-edit model-name
//                 model-remove browse-models; capabilities-dialog capability-WORD
//                 capabilities-submit; available-dialog available-filter available-status
//                 available-list available-model[data-model-id] available-choose available-add
//                 available-choose-all available-add-chosen available-result available-undo
//                 available-close
//   keys          account-list account-count own-key-row provider-key-hint replace-key
//                 add-account rotate account-row[data-account-id] account-order account-enabled
//                 key-use key-reason key-errors account-health account-test account-edit account-replace
//                 account-delete account-result; key-dialog key-name key-value
//                 key-value-error key-form-error key-submit
// A card's Manage part is open when the provider has no model yet, and right after its creation.

import { attempt, byId, h, tell } from './common/dom.js';
import { onGone } from './common/api.js';
import { all, caps, find, load, watch } from './providers/store.js';
import { readCatalogue, typeOf } from './providers/catalogue.js';
import { keepFresh } from './common/freshness.js';
import { createProvider } from './providers/provider_form.js';
import { openAvailable } from './providers/available_models.js';
import { providerCard } from './providers/provider_card.js';
import { testAll } from './providers/connectivity.js';
import { t } from './common/language.js';

const list = byId('provider-list');
const cards = new Map();

function emptyState() {
  return h('div', { class: 'card empty', 'data-testid': 'provider-empty' },
    h('img', { src: new URL('logo.svg', import.meta.url).href, alt: '', width: '56', height: '56' }),
    h('h2', null, t('No provider yet')),
    h('p', { class: 'muted' },
      t('Add one with its key. The key is encrypted, and only calls to the provider ever use it.')),
    h('button', { type: 'button', class: 'primary', onclick: create }, t('Add your first provider')));
}

function cardOf(provider) {
  let card = cards.get(provider.id);
  if (card) {
    card.update(provider);
  } else {
    card = providerCard(provider);
    card.expand(provider.models.length === 0 && !typeOf(provider.type).search);
    cards.set(provider.id, card);
  }
  return card;
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
  const nodes = providers.map((provider) => cardOf(provider).node);
  if (nodes.length === 0) nodes.push(emptyState());
  const settled = nodes.length === list.children.length && nodes.every((n, i) => n === list.children[i]);
  if (!settled) list.replaceChildren(...nodes);
  if (focused && !list.contains(document.activeElement)) {
    const near = nodes[Math.min(place, nodes.length - 1)];
    (near.querySelector('.more') ?? near.querySelector('button')).focus();
  }
  list.removeAttribute('aria-busy');
  byId('provider-count').textContent = t('{count} of {most}', { count: providers.length, most: caps.providers });
  byId('create-provider').disabled = providers.length >= caps.providers;
  byId('test-all').disabled = providers.length === 0;
}

function create() {
  createProvider(async ({ id, outcome }) => {
    await load();
    const card = cards.get(id);
    card.expand();
    card.node.scrollIntoView({ block: 'nearest' });
    if (!outcome.ok || outcome.reply !== undefined) return card.showResult(outcome);
    card.focusModels();
    if (outcome.models) return openAvailable(find(id), outcome.models);
    tell(t('Added. Its models cannot be listed: add one, then test it.'));
  });
}

/** Shows what a link from another page leads to: "#provider-ID". */
function showLinked() {
  const card = cards.get(location.hash.slice('#provider-'.length));
  card?.expand();
  card?.node.scrollIntoView({ block: 'nearest' });
}

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

document.addEventListener('click', ({ target }) => {
  const link = target.closest('a[href^="#provider-"]'); // what can be mended is behind "Manage"
  if (link) cards.get(link.hash.slice('#provider-'.length))?.expand();
});
onGone(tellGone);
keepFresh(start);
byId('late').remove();
readCatalogue();
watch(draw);
byId('create-provider').addEventListener('click', create);
byId('test-all').addEventListener('click', (event) => {
  if (all().length > 0) attempt(event.currentTarget, () => testAll(cards));
});
start().then(showLinked);
