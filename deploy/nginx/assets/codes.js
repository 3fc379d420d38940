// The pages of an authenticator app, a passkey and recovery codes, which are copied and printed.

import { startCopies } from './common/copies.js';
import { startForms } from './common/forms.js';
import { startPasskeys } from './common/passkeys.js';

startCopies();
const print = document.querySelector('[data-prints]');
if (print) {
  print.hidden = false;
  print.addEventListener('click', () => window.print());
  // A reload does not send the form once more.
  history.replaceState(null, '', '/user/settings/security?codes'); // another address than the link's, which is to load it
}
startPasskeys();
startForms();
