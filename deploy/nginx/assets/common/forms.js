// The forms of a page: what is typed is kept until it is saved, and a session that has ended is got back before a form
// is sent.

import { forgetDrafts, restoreDrafts } from './drafts.js';
import { restoreSession } from './session.js';
import { t } from './language.js';

const sent = 'sent form';
const formsOf = (action) => document.querySelectorAll(`form[action="${action}"]`);

function tellUnreachable(form) {
  const said = form.querySelector('.unsent') ?? document.createElement('p');
  said.className = 'error unsent';
  said.setAttribute('role', 'alert');
  said.textContent = t('The server cannot be reached, and nothing was sent. Try again in a moment.');
  form.append(said);
}

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
    tellUnreachable(form);
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
