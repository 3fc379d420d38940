// Text that is typed and not sent yet survives a reload of this tab: fields with data-draft. Keys and passwords
// are no drafts; they are never stored.

import { userId } from './session.js';

const place = (field) => `draft ${userId} ${field.dataset.draft}`;

document.addEventListener('input', ({ target }) => {
  if (target.dataset.draft) sessionStorage.setItem(place(target), target.value);
});
// Those of a person who was signed in before, without a sign-out.
for (const key of Object.keys(sessionStorage)) {
  if (/^(draft|conversation|comparing) /.test(key) && !key.includes(` ${userId}`)) sessionStorage.removeItem(key);
}
document.querySelector('form[action="/auth/logout"]')
  ?.addEventListener('submit', () => sessionStorage.clear());

const drafted = (root) => root.querySelectorAll('[data-draft]:not([data-draft=""])');

/** Puts back what was typed into the fields below root; true when there was something. */
export function restoreDrafts(root) {
  let found = false;
  for (const field of drafted(root)) {
    const text = sessionStorage.getItem(place(field));
    if (text === null) continue;
    field.value = text;
    found = true;
  }
  return found;
}

/** The fields' texts were sent, or are not wanted. */
export function forgetDrafts(root) {
  for (const field of drafted(root)) sessionStorage.removeItem(place(field));
}
