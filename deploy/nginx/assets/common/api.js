// The JSON routes: anti-forgery, sign-in and errors in one place.

import { askPassword, restoreSession, token } from './session.js';
import { said, t } from './language.js';

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
