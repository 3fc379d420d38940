// Texts that a button copies.

import { t } from './dom.js';

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

export function startCopies() {
  for (const button of document.querySelectorAll('[data-copies]')) {
    button.hidden = false;
    button.addEventListener('click', () => copy(button));
  }
}
