// The access page: a token that was shown is gone after a reload.

import './common/dialogs.js';
import { startCopies } from './common/copies.js';
import { startForms } from './common/forms.js';
import { startPasskeys } from './common/passkeys.js';
import { locale } from './common/dom.js';

for (const time of document.querySelectorAll('time')) {
  time.textContent = new Date(time.dateTime).toLocaleDateString(locale, { dateStyle: 'medium', timeZone: 'UTC' });
}

for (const number of document.querySelectorAll('[data-number]')) {
  number.textContent = Number(number.textContent.replaceAll(',', '')).toLocaleString(locale);
}

startCopies();

// A reload asks for the page, and does not send the form once more.
history.replaceState(null, '', location.pathname);
startPasskeys();
startForms();
