// The pages before the sign-in: the address is typed once, and the button of one who has to wait counts down.

import { carryAddress, countDown } from './common/fields.js';
import { startPasskeys } from './common/passkeys.js';

carryAddress();
const form = document.querySelector('form[action="/auth/login"]');
if (form) {
  if (form.dataset.wait) countDown(form.querySelector('button.primary'), Number(form.dataset.wait));
  if (form.elements.email.value !== '') form.elements.password.focus();
}
startPasskeys();
