// The forms of a page: what is typed is kept until it is saved, and a session that has ended is got back before a form
// is sent.
// Text that is typed and not sent yet survives a reload of this tab: fields with data-draft. Keys and passwords
// are no drafts; they are never stored.

import { restoreSession, userId } from './api.js';
import { t, tellIn } from './dom.js';

const place = (field) => `draft ${userId} ${field.dataset.draft}`;

document.addEventListener('input', ({ target }) => {
  if (target.dataset.draft) sessionStorage.setItem(place(target), target.value);
});
// Those of a person who was signed in before, without a sign-out.
for (const key of Object.keys(sessionStorage)) {
  if (/^(draft|conversation|comparing) /.test(key) && !key.includes(` ${userId}`)) sessionStorage.removeItem(key);
}

// Conversations that this device keeps (playground/archive.js), until a sign-out or another person, or beyond both. The answer to
// a sign-out clears all that scripts have stored, unless a person keeps some: then it is done here.
const keepers = (how) => Object.keys(localStorage)
  .filter((key) => key.startsWith('keeping ') && localStorage.getItem(key) === how).map((key) => key.slice('keeping '.length));
const forgetKept = (user) => new Promise((resolve) => {
  localStorage.removeItem(`keeping ${user}`);
  const request = indexedDB.deleteDatabase(`conversations ${user}`);
  for (const kind of ['success', 'error', 'blocked']) request.addEventListener(kind, resolve);
}).catch(() => {}); // without storage there is nothing to forget
keepers('session').filter((user) => user !== userId).forEach(forgetKept);
// "Sign out everywhere" ends this person's alone, also those that were to stay.
document.addEventListener('submit', async (event) => {
  if (event.defaultPrevented) return; // it is not sent yet
  const path = event.target.getAttribute('action');
  const isEverywhere = path === '/user/settings/profile/sessions/end';
  if (path !== '/auth/logout' && !isEverywhere) return;
  sessionStorage.clear();
  const stay = keepers('always').filter((user) => !isEverywhere || user !== userId).map((user) => `keeping ${user}`);
  // A sign-out deletes them also when its session has ended.
  if (isEverywhere && stay.length === 0) return;
  event.preventDefault();
  await Promise.all([...keepers('session'), ...(isEverywhere ? [userId] : [])].map(forgetKept));
  for (const key of Object.keys(localStorage)) if (!stay.includes(key)) localStorage.removeItem(key);
  if (stay.length > 0) {
    const field = document.createElement('input');
    Object.assign(field, { type: 'hidden', name: 'KeepStored', value: 'yes' });
    event.target.append(field);
  }
  event.target.submit();
});

const drafted = (root) => root.querySelectorAll('[data-draft]:not([data-draft=""])');

/** Puts back what was typed into the fields below root; true when there was something. */
export function restoreDrafts(root) {
  let found = false;
  for (const field of drafted(root)) {
    const text = sessionStorage.getItem(place(field));
    if (text === null) continue;
    field.value = text;
    field.closest('details')?.setAttribute('open', '');
    found = true;
  }
  return found;
}

/** The fields' texts were sent, or are not wanted. */
export function forgetDrafts(root) {
  for (const field of drafted(root)) sessionStorage.removeItem(place(field));
}

const sent = 'sent form';
const formsOf = (action) => document.querySelectorAll(`form[action="${action}"]`);

/** A session or a token that has ended is got back before the form is sent. */
async function guard(event, prepare) {
  const form = event.target;
  if (form.dataset.sure) return;
  event.preventDefault();
  try {
    if (!(await restoreSession())) return;
    await prepare(form);
    sessionStorage.setItem(sent, form.getAttribute('action'));
    form.dataset.sure = 'yes';
    form.requestSubmit(event.submitter);
  } catch {
    tellIn(form, t('The server cannot be reached, and nothing was sent. Try again in a moment.'));
  }
}

/** Wires the page's forms. prepare: what is done to a form before it is sent. */
export function startForms(prepare = async () => {}) {
  if (document.querySelector('[data-testid="notice"]')) {
    for (const form of formsOf(sessionStorage.getItem(sent))) forgetDrafts(form);
  }
  sessionStorage.removeItem(sent);
  restoreDrafts(document);
  for (const form of document.querySelectorAll('main form'))
    form.addEventListener('submit', (event) => guard(event, prepare));
}
