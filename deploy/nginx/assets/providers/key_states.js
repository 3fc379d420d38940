// The state of each key of a provider, and why calls with it have failed.

import { ago, byId, h, locale, plural, said, t } from '../common/dom.js';
import { get } from '../common/api.js';
import { route } from './store.js';

const heldBack = byId('providers-page').dataset.holds.split(' ');
const facts = new Map(); // provider's id → {nextInTurn, errors}
const opened = new Set(); // the keys whose errors are unfolded

/** Whether calls take the accounts of that provider in turn. */
export const takesTurns = ({ roundRobinAccounts, accounts }) =>
  roundRobinAccounts && accounts.some((one) => one.isEnabled && one.hasKey);

const isInCooldown = ({ cooldownUntil }) => Boolean(cooldownUntil) && Date.parse(cooldownUntil) > Date.now();
const clock = (moment) => new Date(moment).toLocaleTimeString(locale, { timeStyle: 'short' });

export const isHeldBack = ({ keyEnteredFor }) => heldBack.includes(keyEnteredFor);

/** Whether a provider's key would be held back at another type or base URL; false for one that is already. */
export function wouldHoldBack(provider, { type, baseUrl }) {
  if (!provider.hasKey || isHeldBack(provider)) return false;
  if (type !== provider.type || new URL(baseUrl).origin !== new URL(provider.baseUrl).origin) return true;
  return baseUrl !== provider.baseUrl && heldBack.includes('another_path');
}

/** What a key that calls use is doing: [words, kind]. */
function turn(provider, account) {
  const key = account ?? provider;
  if (isInCooldown(key)) return [t('Paused · tried again at {time}', { time: clock(key.cooldownUntil) }), 'warn'];
  if (key.healthStatus === 'unhealthy' && account) return [t('Failing'), 'bad'];
  if (!account) return [t('In use'), 'good'];
  if (facts.get(provider.id)?.nextInTurn === account.id) return [t('Next'), 'good'];
  return [t('In rotation'), 'good'];
}

/** The state of an account, or (null) of the provider's own key: [words, kind]. */
export function stateOf(provider, account) {
  const key = account ?? provider;
  if (provider.status === 'inactive') return [t('Not used: the provider is switched off'), ''];
  if (!key.hasKey) return [t('No key yet: enter one'), ''];
  if (account && !account.isEnabled) return [t('Switched off'), ''];
  if (isHeldBack(key)) return [t('Held back: enter it again'), 'warn'];
  if (!account && takesTurns(provider)) return [t('Not used while keys rotate'), ''];
  if (account && !provider.roundRobinAccounts) return [t('Not used'), ''];
  return turn(provider, account);
}

/** Why a key is not just used, in a sentence; null when there is nothing to say. */
export function reasonOf(provider, account) {
  const key = account ?? provider;
  if (key.hasKey && isHeldBack(key)) {
    return t('Entered for another address or type, so it isn’t sent.');
  }
  if (account) return said(account.healthMessage, account.healthSentence) || null;
  return isInCooldown(provider) ? whyFailed(errorsOf(provider, null)[0]) : null;
}

const errorsOf = ({ id }, account) =>
  facts.get(id)?.errors.filter(({ accountId }) => accountId === (account?.id ?? null)) ?? [];

const whyFailed = (error) => (error ? said(error.message, error.sentence) : null);

/** The last errors of a key, folded away; null when there are none. */
export function historyOf(provider, account) {
  const errors = errorsOf(provider, account);
  if (errors.length === 0) return null;
  const id = account?.id ?? provider.id;
  const node = h('details', { class: 'history', open: opened.has(id), 'data-testid': 'key-errors' },
    h('summary', { 'data-focus': `errors-${id}` }, plural(errors.length, 'Last error', 'Last {count} errors')),
    h('ol', null, errors.map((error) => h('li', null, ago(error.at), ': ', whyFailed(error)))));
  node.addEventListener('toggle', () => (node.open ? opened.add(id) : opened.delete(id)));
  return node;
}

const isTried = ({ healthCheckedAt }) => healthCheckedAt !== null;

/** Asks for what the list does not say of a provider's keys; true when there was anything to ask for. */
export async function loadFacts(provider) {
  const { id, accounts, roundRobinAccounts } = provider;
  if (!roundRobinAccounts && ![provider, ...accounts].some(isTried)) return facts.delete(id);
  facts.set(id, await get(route(id, '/keys')));
  return true;
}

/** Milliseconds until the first cooldown of that provider ends; Infinity when no key is in one. */
export const untilCooldownEnds = (provider) => Math.min(...[provider, ...provider.accounts].filter(isInCooldown)
  .map(({ cooldownUntil }) => Date.parse(cooldownUntil) - Date.now()));
