// Passkeys: a button, or the browser's own list beside the address, fills a form with what the browser has signed and sends
// it. The form of a new passkey asks the browser before it is sent.

import { t, tellIn } from './dom.js';

const bytes = (text) => Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));
const text = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer)))
  .replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
const credentials = (words = '') => words.split(' ').filter(Boolean).map((word) => ({ type: 'public-key', id: bytes(word) }));

function fill(form, fields) {
  for (const [name, value] of Object.entries(fields)) {
    const field = form.elements[name] ?? form.appendChild(Object.assign(document.createElement('input'), { type: 'hidden', name }));
    field.value = value;
  }
}

/** A page that was open for longer than a challenge is good asks for another one. */
async function challengeOf(button) {
  if (performance.now() < 240_000) return button.dataset.challenge;
  const page = await (await fetch(location.href, { cache: 'no-store' })).text();
  return new RegExp(`data-challenge="([^"]+)"[^>]*data-testid="${button.dataset.testid}"`).exec(page)?.[1] ?? button.dataset.challenge;
}

async function get(button, options = {}) {
  const challenge = await challengeOf(button);
  const publicKey = {
    challenge: bytes(challenge), allowCredentials: credentials(button.dataset.allowed), userVerification: 'preferred',
  };
  const found = await navigator.credentials.get({ publicKey, ...options });
  fill(button.form, {
    Credential: text(found.rawId), ClientData: text(found.response.clientDataJSON), Challenge: challenge,
    AuthenticatorData: text(found.response.authenticatorData), Signature: text(found.response.signature),
  });
  button.form.submit(); // without a look at the fields of the password
}

/** The browser names its passkeys beside the address, until the button is pressed. */
async function offer(button, signal) {
  if (await PublicKeyCredential.isConditionalMediationAvailable?.()) {
    get(button, { mediation: 'conditional', signal }).catch(() => {}); // another one is asked for, or none was chosen
  }
}

async function create(form) {
  const { challenge, rp, user, email, name, own } = form.querySelector('[data-creates]').dataset;
  const made = await navigator.credentials.create({
    publicKey: {
      challenge: bytes(challenge), rp: { id: rp, name: 'usershell' }, user: { id: bytes(user), name: email, displayName: name },
      pubKeyCredParams: [-8, -7, -257].map((alg) => ({ type: 'public-key', alg })), excludeCredentials: credentials(own),
      authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
    },
  });
  fill(form, {
    NewClientData: text(made.response.clientDataJSON), NewAuthenticatorData: text(made.response.getAuthenticatorData()),
    NewPublicKey: text(made.response.getPublicKey()), NewAlgorithm: made.response.getPublicKeyAlgorithm(), NewChallenge: challenge,
  });
}

const failed = (error) => (error.name === 'InvalidStateError'
  ? t('This device already has a passkey of yours.')
  : t('The browser did not use a passkey. Try again.'));

export function startPasskeys() {
  if (!window.PublicKeyCredential) return;
  const offered = new AbortController();
  for (const button of document.querySelectorAll('[data-passkey]')) {
    button.hidden = false;
    if (button.dataset.passkey === 'offered') offer(button, offered.signal);
    button.addEventListener('click', async () => {
      offered.abort();
      try {
        if (button.form.elements.NewClientData?.value === '') await create(button.form);
        await get(button);
      } catch (error) {
        tellIn(button.form, failed(error));
      }
    });
  }
  const maker = document.querySelector('[data-creates]')?.form;
  maker?.addEventListener('submit', async (event) => {
    if (maker.elements.NewClientData.value) return; // made before, and the password was wrong
    event.preventDefault();
    event.stopImmediatePropagation();
    try {
      await create(maker);
      maker.requestSubmit();
    } catch (error) {
      tellIn(maker, failed(error));
    }
  });
}
