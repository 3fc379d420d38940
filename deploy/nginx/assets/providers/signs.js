// Signs of a provider: how it is, and that its address is not encrypted.

import { h } from '../common/dom.js';
import { icon } from '../common/icons.js';
import { t } from '../common/language.js';

/** The contract's words for health, as people say them. */
const healthWords = {
  unknown: t('Not tested'), healthy: t('Working'), degraded: t('Partly working'), unhealthy: t('Failing'),
};

/** A word for the health in a colour. */
export const healthPill = ({ healthStatus }, attributes = {}) =>
  h('span', { class: `pill ${healthStatus}`, 'data-health': healthStatus, ...attributes }, healthWords[healthStatus] ?? healthStatus);

/** A mark with a text for those who point at it, focus it or do not see it. */
export function unlockedSign(provider) {
  if (!provider.baseUrl.startsWith('http://')) return null;
  const text = t('Not encrypted: the base URL is plain http, so keys and messages can be read on their way.');
  return h('span', { class: 'sign warn', role: 'img', tabindex: '0', 'aria-label': text, 'data-testid': 'http-warning' },
    icon('unlocked'), h('span', { class: 'sign-text', 'aria-hidden': 'true' }, text));
}

