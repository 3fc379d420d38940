// The security page: times are those of the reader's clock.

import { startForms } from './common/forms.js';
import { startPasskeys } from './common/passkeys.js';
import { locale } from './common/dom.js';
import './password.js';

for (const time of document.querySelectorAll('time')) {
  time.textContent = new Date(time.dateTime).toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'short' });
}

startPasskeys();
startForms();
