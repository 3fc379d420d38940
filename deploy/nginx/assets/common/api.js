// The JSON routes: anti-forgery, sign-in and errors in one place.
// The page's user, and a new session without loss of typed text: by a fresh token, or by a sign-in in
// place. If another user is signed in, typed text is wiped and the page is loaded again, so that no text of
// one person is sent as another.

import { byId, said, t } from './dom.js';
import { countDown } from './fields.js';

const meta = (name) => document.querySelector(`meta[name="${name}"]`);
const tokenName = 'request-verification-token';

export const token = () => meta(tokenName).content;
export const userId = meta('user-id')?.content ?? '';
// A token is good at the program that made the page. The address says which: nginx sends these to usershell-auth, whose
// forms show its page again when they are refused. A page of another program may look like that one, and gets no token.
// It is the address by which the document came: a script may give the page another one.
const cameBy = new URL(performance.getEntriesByType('navigation')[0].name).pathname;
const isOfAuth = /^\/user\/settings\/(security(\/[a-z]+)?|access(\/[0-9a-f-]{36}(\/[a-z]+)?)?|profile\/(email|password|delete))$/.test(cameBy);
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

/** Asks for the code of a second factor where the answer does: its fields take the place of the password's. */
function askCode(form, text) {
  const [, asked] = /<form [^>]*action="\/auth\/factor">([^]*?)<\/form>/.exec(text) ?? [];
  const fields = [...(asked ?? '').matchAll(/type="hidden" name="(\w+)" value="([\w-]*)"/g)].map(([, ...field]) => field);
  const isAsked = asked?.includes('name="Code"') && !fields.some(([name]) => name === 'Secret');
  byId('sign-in-elsewhere').hidden = !(isAsked && asked.includes('data-passkey'));
  const { Code } = form.elements;
  Code.closest('.field').hidden = !isAsked;
  Code.required = isAsked;
  Code.value = '';
  form.factor = isAsked ? fields : null;
  if (isAsked) Code.focus();
  else if (asked) location.assign('/auth/login?again=yes'); // to add one takes the page itself
  return isAsked;
}

/** Tries to sign in: '' when it went well, else what to say. again: by the password, also where there is a session. */
async function signIn(form, submit, again) {
  const page = await fetch(again ? '/auth/login?again=yes' : '/auth/login', { redirect: 'manual', cache: 'no-store' });
  if (page.type === 'opaqueredirect') return ''; // in another window
  const fields = form.factor ? [...form.factor, ['Code', form.elements.Code.value]] : new FormData(form);
  const response = await fetch(form.factor ? '/auth/factor' : '/auth/login', {
    method: 'POST', redirect: 'manual', body: new URLSearchParams(fields),
    headers: { RequestVerificationToken: read(await page.text(), tokenName) },
  });
  if (response.type === 'opaqueredirect') return '';
  const wait = Number(response.headers.get('Retry-After'));
  if (wait) countDown(submit, wait);
  const text = await response.text();
  const isAsked = askCode(form, text);
  return /data-testid="login-error">([^<]*)/.exec(text)?.[1]
    ?? (isAsked ? t('Now enter the code.') : t('The server answered with status {status}. Try again in a moment.', response));
}

/** Opens the sign-in dialog; true once the same person is signed in again, false when it was closed. */
function signInHere(again = false) {
  const dialog = byId('sign-in-dialog');
  for (const text of dialog.querySelectorAll('[data-again]')) text.hidden = (text.dataset.again === 'yes') !== again;
  const form = dialog.querySelector('form');
  const submit = form.querySelector('button.primary');
  const said = byId('sign-in-error');
  return new Promise((resolve) => {
    const settle = async () => {
      if (!(await refresh())) return;
      resolve(true);
      dialog.close();
    };
    const attempt = async () => {
      try {
        said.textContent = await signIn(form, submit, again);
        if (said.textContent === '') await settle();
      } catch {
        said.textContent = t('The server cannot be reached. Check the connection and try again.');
      }
    };
    form.onsubmit = async (event) => {
      event.preventDefault();
      if (submit.disabled || submit.getAttribute('aria-busy') === 'true') return;
      submit.setAttribute('aria-busy', 'true');
      await attempt();
      submit.removeAttribute('aria-busy');
      if (dialog.open && !form.factor) form.elements.password.select();
    };
    byId('sign-in-cancel').onclick = () => dialog.close();
    // Pages of other programs may not ask the browser for a passkey.
    byId('sign-in-elsewhere').onclick = () => window.addEventListener('focus', () => settle().catch(() => {}), { once: true });
    dialog.addEventListener('close', () => {
      form.elements.password.value = '';
      askCode(form, '');
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
function askPassword() {
  restoring ??= signInHere(true).finally(() => { restoring = null; });
  return restoring;
}

export class ApiError extends Error {
  constructor(message, { code = 'internal_error', field = '', reason = '', status = 0, providerCode, providerSaid } = {}) {
    super(message);
    Object.assign(this, { code, field, reason, status, providerCode, providerSaid });
  }
}

/** Told of a 404: gives the sentence for it, once the page shows what is still there. */
let gone = async () => null;
export function onGone(handler) {
  gone = handler;
}

async function refusal(response) {
  const body = await response.json().catch(() => ({}));
  const { status } = response;
  const fallback = t('The server answered with status {status}. Try again in a moment.', { status });
  return new ApiError(said(body.error, body.sentence) ?? fallback, { ...body, status });
}

async function send(method, path, { body, accept, signal, key }) {
  const headers = { Accept: accept };
  if (key) headers['Idempotency-Key'] = key;
  if (method !== 'GET') headers.RequestVerificationToken = token();
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  try {
    return await fetch(path, {
      method, headers, signal, credentials: 'same-origin', redirect: 'error', cache: 'no-cache',
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw unreachable();
  }
}

const unreachable = () => new ApiError(navigator.onLine
  ? t('The server cannot be reached. Check the connection and try again.')
  : t('You are offline. Nothing was sent; try again when you are back.'));

const sessionLost = ({ status, code }) => status === 401 || code === 'antiforgery_invalid';

/**
 * Sends a request and gives the response once it is a good one; throws ApiError otherwise. A session or
 * a token that has ended is got back first, a password that is needed is asked for, and the request repeated once.
 */
export async function open(method, path, { accept = 'application/json', ...rest } = {}) {
  for (let repeated = false; ; repeated = true) {
    const response = await send(method, path, { accept, ...rest });
    if (response.ok) return response;
    const error = await refusal(response);
    if (sessionLost(error)) {
      if (!repeated && (await restoreSession().catch(() => { throw unreachable(); }))) continue;
      error.message = t('You are signed out, and nothing was sent. Try again to sign in.');
    } else if (error.code === 'password_needed') {
      if (!repeated && (await askPassword())) continue;
      error.message = t('Nothing was changed: this needs your password. Save again to enter it.');
    } else if (error.status === 404) {
      error.message = (await gone(path, rest.body)) ?? error.message;
    }
    throw error;
  }
}

async function call(method, path, body, key) {
  const response = await open(method, path, { body, key });
  return response.status === 204 ? null : response.json();
}

export const get = (path) => call('GET', path);
/** key: of what is made. A repeat with the same key finds what the first has made. */
export const post = (path, body = {}, key = '') => call('POST', path, body, key);
export const put = (path, body) => call('PUT', path, body);
export const remove = (path) => call('DELETE', path);
