// The words of a provider that a failed call's answer hands on.

import { h } from './dom.js';
import { t } from './language.js';

/** A folded part with the provider's own code and words; null when there are none. */
export function providerSaid({ providerCode, providerSaid: words }) {
  if (!providerCode && !words) return null;
  return h('details', { class: 'provider-said', 'data-testid': 'provider-said' },
    h('summary', null, t('The provider said')),
    words ? h('p', { dir: 'auto' }, words) : null,
    providerCode ? h('p', null, h('code', null, providerCode)) : null);
}
