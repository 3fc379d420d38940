// The JSON routes: anti-forgery, sign-in and errors in one place.

export class ApiError extends Error {
  constructor(message, { code = 'internal_error', field = '', status = 0 } = {}) {
    super(message);
    Object.assign(this, { code, field, status });
  }
}

const token = () => document.querySelector('meta[name="request-verification-token"]').content;

function toSignIn() {
  const back = encodeURIComponent(location.pathname + location.search);
  location.assign(`/auth/login?returnUrl=${back}`);
}

async function refusal(response) {
  if (response.status === 401) toSignIn();
  const body = await response.json().catch(() => ({}));
  const status = response.status;
  if (body.code === 'antiforgery_invalid') {
    return new ApiError('This page is out of date. Reload it and try again.', { ...body, status });
  }
  const fallback = `The server answered with status ${status}. Try again in a moment.`;
  return new ApiError(body.error ?? fallback, { ...body, status });
}

/** Sends a request and gives the response once it is a good one; throws ApiError otherwise. */
export async function open(method, path, { body, accept = 'application/json', signal } = {}) {
  const headers = { Accept: accept };
  if (method !== 'GET') headers.RequestVerificationToken = token();
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  let response;
  try {
    response = await fetch(path, {
      method, headers, signal, credentials: 'same-origin', redirect: 'error', cache: 'no-store',
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new ApiError('The server cannot be reached. Check the connection and try again.');
  }
  if (!response.ok) throw await refusal(response);
  return response;
}

async function call(method, path, body) {
  const response = await open(method, path, { body });
  return response.status === 204 ? null : response.json();
}

export const get = (path) => call('GET', path);
export const post = (path, body = {}) => call('POST', path, body);
export const put = (path, body) => call('PUT', path, body);
export const remove = (path) => call('DELETE', path);
