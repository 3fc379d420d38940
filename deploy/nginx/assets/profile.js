// The profile page: a picture is cut before it is sent, what is typed is kept until it is saved, times are
// those of the reader's clock.

import { forgetDrafts, restoreDrafts } from './common/drafts.js';
import { restoreSession } from './common/session.js';
import { cropped, startAvatar } from './profile/avatar.js';
import './password.js';
import { startImport } from './profile/own_data.js';
import { locale, t } from './common/language.js';

for (const time of document.querySelectorAll('time')) {
  time.textContent = new Date(time.dateTime).toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'short' });
}

const sent = 'sent form';
const formsOf = (action) => document.querySelectorAll(`form[action="${action}"]`);

if (document.querySelector('[data-testid="notice"]')) {
  for (const form of formsOf(sessionStorage.getItem(sent))) forgetDrafts(form);
}
sessionStorage.removeItem(sent);
restoreDrafts(document);

function tellUnreachable(form) {
  const said = form.querySelector('.unsent') ?? document.createElement('p');
  said.className = 'error unsent';
  said.setAttribute('role', 'alert');
  said.textContent = t('The server cannot be reached, and nothing was sent. Try again in a moment.');
  form.append(said);
}

/** A session or a token that has ended is got back before the form is sent. */
async function guard(event) {
  const form = event.target;
  if (form.dataset.sure) return;
  event.preventDefault();
  try {
    if (!(await restoreSession())) return;
    if (form.id === 'avatar-form') await cropped();
    sessionStorage.setItem(sent, form.getAttribute('action'));
    form.dataset.sure = 'yes';
    form.requestSubmit(event.submitter);
  } catch {
    tellUnreachable(form);
  }
}

for (const form of document.querySelectorAll('main form')) form.addEventListener('submit', guard);
startAvatar();
startImport();
