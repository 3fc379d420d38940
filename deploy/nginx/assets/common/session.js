// The page's user, and a new session without loss of typed text: by a fresh token, or by a sign-in in
// place. If another user is signed in, typed text is wiped and the page is loaded again, so that no text of
// one person is sent as another.

import { byId } from './dom.js';
import { countDown } from './count_down.js';
import { t } from './language.js';

const meta = (name) => document.querySelector(`meta[name="${name}"]`);
const tokenName = 'request-verification-token';

export const token = () => meta(tokenName).content;
export const userId = meta('user-id')?.content ?? '';
// A token is good at the program that made the page. The address says which: nginx sends these to usershell-auth, whose
// forms show its page again when they are refused. A page of another program may look like that one, and gets no token.
const forms = ['email', 'password', 'delete'].map((name) => `/user/settings/profile/${name}`);
const isOfAuth = ['/user/settings/security', '/user/settings/access', ...forms].includes(location.pathname);
const ownPage = isOfAuth ? '/user/settings/security' : '/user/settings/profile';

const read = (page, name) => new RegExp(`<meta name="${name}" content="([^"]*)">`).exec(page)?.[1] ?? '';

function wipe() {
  sessionStorage.clear();
  for (const dialog of document.querySelectorAll('dialog[open]')) dialog.close();
  for (const field of document.querySelectorAll('input, textarea')) field.value = '';
  location.reload();
  return new Promise(() => {}); // nothing goes on until the page is gone
}

/** Asks whether the session is there, and takes its token. False: it has ended. */
async function refresh() {
  const response = await fetch(ownPage, { redirect: 'manual', cache: 'no-store' });
  if (response.type === 'opaqueredirect') return false;
  if (!response.ok) throw new Error(t('The server answered with status {status}. Try again in a moment.', response));
  const page = await response.text();
  if (read(page, 'user-id') !== userId) return wipe();
  const fresh = read(page, tokenName);
  meta(tokenName).content = fresh;
  for (const field of document.querySelectorAll('[name="__RequestVerificationToken"]')) field.value = fresh;
  return true;
}

/** Tries to sign in: '' when it went well, else what to say. again: by the password, also where there is a session. */
async function signIn(form, submit, again) {
  const page = await fetch(again ? '/auth/login?again=yes' : '/auth/login', { redirect: 'manual', cache: 'no-store' });
  if (page.type === 'opaqueredirect') return ''; // in another window
  const response = await fetch('/auth/login', {
    method: 'POST', redirect: 'manual', body: new URLSearchParams(new FormData(form)),
    headers: { RequestVerificationToken: read(await page.text(), tokenName) },
  });
  if (response.type === 'opaqueredirect') return '';
  const wait = Number(response.headers.get('Retry-After'));
  if (wait) countDown(submit, wait);
  return /data-testid="login-error">([^<]*)/.exec(await response.text())?.[1]
    ?? t('The server answered with status {status}. Try again in a moment.', response);
}

/** Opens the sign-in dialog; true once the same person is signed in again, false when it was closed. */
function signInHere(again = false) {
  const dialog = byId('sign-in-dialog');
  for (const text of dialog.querySelectorAll('[data-again]')) text.hidden = (text.dataset.again === 'yes') !== again;
  const form = dialog.querySelector('form');
  const submit = form.querySelector('button.primary');
  const said = byId('sign-in-error');
  return new Promise((resolve) => {
    const attempt = async () => {
      try {
        said.textContent = await signIn(form, submit, again);
        if (said.textContent !== '' || !(await refresh())) return;
        resolve(true);
        dialog.close();
      } catch {
        said.textContent = t('The server cannot be reached. Check the connection and try again.');
      }
    };
    form.onsubmit = async (event) => {
      if (event.submitter?.value === 'cancel') return;
      event.preventDefault();
      if (submit.disabled || submit.getAttribute('aria-busy') === 'true') return;
      submit.setAttribute('aria-busy', 'true');
      await attempt();
      submit.removeAttribute('aria-busy');
      if (dialog.open) form.elements.password.select();
    };
    dialog.addEventListener('close', () => {
      form.elements.password.value = '';
      said.textContent = '';
      resolve(false);
    }, { once: true });
    dialog.showModal();
  });
}

let restoring = null;

/** Gets the session of this page's person back, whatever it takes; false when they would not. */
export function restoreSession() {
  restoring ??= (async () => (await refresh()) || signInHere())().finally(() => { restoring = null; });
  return restoring;
}

/** Asks this page's person for the password again, which begins another session; false when they would not give it. */
export function askPassword() {
  restoring ??= signInHere(true).finally(() => { restoring = null; });
  return restoring;
}
