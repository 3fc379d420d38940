// The access page: texts are copied by a button, and a token that was shown is gone after a reload.

import './common/dialogs.js';
import { startForms } from './common/forms.js';
import { locale, t } from './common/dom.js';

for (const time of document.querySelectorAll('time')) {
  time.textContent = new Date(time.dateTime).toLocaleDateString(locale, { dateStyle: 'medium', timeZone: 'UTC' });
}

for (const number of document.querySelectorAll('[data-number]')) {
  number.textContent = Number(number.textContent.replaceAll(',', '')).toLocaleString(locale);
}

/** Copies the text, or selects it where the browser does not let a page copy. */
async function copy(button) {
  const text = document.getElementById(button.dataset.copies);
  try {
    await navigator.clipboard.writeText(text.textContent);
    button.textContent = t('Copied.');
  } catch {
    getSelection().selectAllChildren(text);
  }
}

for (const button of document.querySelectorAll('[data-copies]')) {
  button.hidden = false;
  button.addEventListener('click', () => copy(button));
}

// A reload asks for the page, and does not send the form once more.
history.replaceState(null, '', location.pathname);
startForms();
