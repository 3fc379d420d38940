// The profile page: tells at once when a chosen picture cannot be accepted, keeps what is typed until it is
// saved, and shows times as the reader's clock does.

import { forgetDrafts, restoreDrafts } from './common/drafts.js';
import { restoreSession } from './common/session.js';

const input = document.getElementById('avatar');
const slot = document.getElementById('avatar-error');

function problem(file) {
  if (!file) return '';
  if (!input.accept.split(',').includes(file.type)) return 'Choose a PNG or JPEG image.';
  const { maxBytes, limit } = input.dataset;
  if (file.size > Number(maxBytes)) {
    return `This picture has ${Math.ceil(file.size / 1024)} KiB; at most ${limit} are accepted.`;
  }
  return '';
}

input?.addEventListener('change', () => {
  const text = problem(input.files[0]);
  slot.textContent = text;
  input.setAttribute('aria-invalid', String(text !== ''));
  input.setCustomValidity(text);
});

for (const time of document.querySelectorAll('time')) {
  time.textContent = new Date(time.dateTime).toLocaleString();
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
  said.textContent = 'The server cannot be reached, and nothing was sent. Try again in a moment.';
  form.append(said);
}

/** A session or a token that has ended is got back before the form is sent. */
async function guard(event) {
  const form = event.target;
  if (form.dataset.sure) return;
  event.preventDefault();
  try {
    if (!(await restoreSession())) return;
    sessionStorage.setItem(sent, form.getAttribute('action'));
    form.dataset.sure = 'yes';
    form.requestSubmit(event.submitter);
  } catch {
    tellUnreachable(form);
  }
}

for (const form of document.querySelectorAll('main form')) form.addEventListener('submit', guard);
