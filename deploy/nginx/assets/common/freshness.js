// Calls back when the person returns to this window, or the browser is online again.

import { tell } from './dom.js';
import { load } from './provider_list.js';
import { t } from './language.js';

/** The provider list is fetched again by start(), which tells of a failure itself, or quietly. */
export function keepFresh(start) {
  addEventListener('offline', () => tell(t('You are offline. Your text stays here until you are back.'), true, true));
  addEventListener('online', () => {
    tell(t('You are back.'));
    start();
  });
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) load().catch(() => {}); // a failure shows when the list is used
  });
}
