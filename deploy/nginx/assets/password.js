// A password that is being chosen: shown on request, and in words how far it is from long enough.

import { plural, t } from './common/dom.js';
import { startReveals } from './common/fields.js';

startReveals();
for (const field of document.querySelectorAll('[data-least]')) {
  const words = document.getElementById(`${field.id}-length`);
  field.addEventListener('input', () => {
    const lacking = Number(field.dataset.least) - [...field.value].length;
    words.textContent = field.value === '' ? '' : lacking > 0
      ? plural(lacking, 'Too short: {count} character more.', 'Too short: {count} characters more.')
      : t('Long enough. Saving also checks that it isn’t a common one.');
  });
}
