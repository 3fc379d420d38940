// Building and redrawing pieces of the page, in the page's language. Text only ever enters as text nodes.
// The code says every sentence in English; a language's file has the others under the English ones and is in
// globalThis.sentences before any module runs (templates/languages, cmake/assets.py).

const sentences = globalThis.sentences ?? {};
const language = document.documentElement.lang;
/** How numbers and times are written: as the reader's own country does where it has that language. */
export const locale = navigator.languages.find((each) => each.split('-')[0] === language) ?? language;

const translation = (text) => (Object.hasOwn(sentences, text) ? sentences[text] : text);
/** A value in a sentence: a text or number as it is, or a list of the server's sentences. */
const shown = (value) => (Array.isArray(value) ? value.map((one) => t(one.text, one.values)).join('; ') : value);

/** A sentence of ours; its places such as {name} are given their values. */
export const t = (text, values = {}) =>
  translation(text).replace(/\{(\w+)\}/g, (place, name) => shown(values[name]) ?? place);

/** What the server said: in English, and beside it, where it has places, as {text, values}. */
export const said = (english, sentence) => (sentence ? t(sentence.text, sentence.values) : translation(english));

/** The one sentence or the other, for one thing or several; {count} is their number. */
export const plural = (count, one, several, values = {}) =>
  t(count === 1 ? one : several, { count: count.toLocaleString(locale), ...values });

const space = 'http://www.w3.org/2000/svg';
const paths = {
  bolt: 'M13 3 5 13.5h6L10 21l9-11h-6.5z',
  browse: 'M4 6h10M4 12h10M4 18h6M18 9v6M15 12h6',
  check: 'M5 12.5l4.5 4.5L19 7',
  chat: 'M4 5h16v11H10l-4.5 3.5V16H4z',
  close: 'M6 6l12 12M18 6 6 18',
  copy: 'M9 9h11v11H9zM15 9V4H4v11h5',
  grip: 'M9 6h.01M15 6h.01M9 12h.01M15 12h.01M9 18h.01M15 18h.01',
  key: 'M14.5 9.5a4 4 0 1 1-3.7-4 4 4 0 0 1 3.7 4M13.5 12.5 20 19M17 16l2-2',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  pencil: 'M4 20l1-4L16.5 4.5l3 3L8 19zM14 7l3 3',
  power: 'M12 4v8M7.5 7a7 7 0 1 0 9 0',
  replace: 'M4 11a8 8 0 0 1 14-4.5L20 9M20 4v5h-5M20 13a8 8 0 0 1-14 4.5L4 15M4 20v-5h5',
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14M16 16l4.5 4.5',
  settings: 'M4 7h9M17 7h3M4 17h3M11 17h9M15 4.5v5M9 14.5v5',
  trash: 'M4 7h16M10 4h4M6 7l1 13h10l1-13M10 11v5M14 11v5',
  unlocked: 'M6 11h12v9H6zM9 11V8a3.5 3.5 0 0 1 6.8-1.2',
};

/** A drawing by its name above. */
export function icon(name) {
  const node = document.createElementNS(space, 'svg');
  for (const [key, value] of Object.entries({ class: 'icon', viewBox: '0 0 24 24', 'aria-hidden': 'true' })) {
    node.setAttribute(key, value);
  }
  const path = document.createElementNS(space, 'path');
  path.setAttribute('d', paths[name]);
  node.append(path);
  return node;
}

/** For a module that is loaded later, and does not come. */
export const notLoaded = () => { throw new Error(t('This page has not loaded completely.')); };

/** An element. Properties become attributes (true: empty, false or null: none); onX listens. */
export function h(tag, properties, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === 'function') node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? '' : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== false));
  return node;
}

export const byId = (id) => document.getElementById(id);

const controls = (node) => [...node.querySelectorAll('[data-focus]')];
const free = (control) => control && !control.disabled;

/** Where the focus goes when its control is gone from a list: the same one of the row that took its place. */
function neighbour(node, { row, column }) {
  const rows = [...node.children].filter((child) => controls(child).length > 0);
  const near = rows[Math.min(row, rows.length - 1)];
  return near && (controls(near)[column] ?? controls(near)[0]);
}

function placeOf(node, focused) {
  const child = [...node.children].find((each) => each.contains(focused));
  return { row: [...node.children].indexOf(child), column: controls(child).indexOf(focused) };
}

/**
 * Replaces what is in a node. The focus stays on the piece with the same data-focus; where that is
 * gone it goes to its neighbour, where it can't be used any more to the next of its kind.
 */
export function redraw(node, ...children) {
  const focused = node.contains(document.activeElement) ? document.activeElement : null;
  const mark = focused?.dataset.focus;
  const place = mark && placeOf(node, focused);
  node.replaceChildren(...children.flat().filter((child) => child !== null && child !== false));
  if (!mark) return;
  const all = controls(node);
  const at = all.findIndex((control) => control.dataset.focus === mark);
  const next = at < 0 ? neighbour(node, place)
    : all.slice(at).find(free) ?? all.slice(0, at).findLast(free);
  (next ?? node.parentElement.querySelector('button:enabled:not([hidden]), input:enabled'))
    ?.focus({ preventScroll: true });
}

/** A switch; flip(on) does the work, and a failure puts it back and is told. */
export function toggle({ label, hidden, on, flip, ...attributes }) {
  const box = h('input', { type: 'checkbox', role: 'switch', ...attributes });
  box.checked = on;
  if (hidden) box.setAttribute('aria-label', label);
  box.addEventListener('change', async () => {
    const wanted = box.checked;
    if (!(await attempt(box, () => flip(wanted)))) box.checked = !wanted;
  });
  return h('label', { class: 'switch' }, box, hidden ? null : h('span', null, label));
}

/** A button whose work is done once at a time and whose failure is told. */
export function button(label, work, attributes) {
  const node = h('button', { type: 'button', ...attributes }, label);
  node.addEventListener('click', () => attempt(node, work));
  return node;
}

/** An error may bring a button with what helps: act. */
export const tellFailure = (error) => tell(error.message, true, false, error.act);

/** Runs work while the control is marked busy; true when it went well. */
export async function attempt(control, work) {
  if (control.getAttribute('aria-busy') === 'true') return false;
  control.setAttribute('aria-busy', 'true');
  try {
    await work();
    return true;
  } catch (error) {
    tellFailure(error);
    return false;
  } finally {
    control.removeAttribute('aria-busy');
  }
}

let hideToast;

/** Puts the toast where it can be seen and used: into the dialog that is open, or above the playground's box. */
export function placeToast() {
  const place = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document.querySelector('.box') ?? document.body;
  if (byId('toast').parentElement !== place) place.append(byId('toast'));
}

/**
 * Tells something in the corner of the page, or of the dialog that is open: for a while, or to stay. `act`: {label, work,
 * testid} of what can be done about it; the focus then goes back to where it was.
 */
export function tell(message, bad = false, stays = false, act = null) {
  const toast = byId('toast');
  placeToast();
  const focused = document.activeElement;
  const undo = act && button(act.label, async () => {
    focused.focus();
    await act.work();
    toast.textContent = '';
  }, { class: 'quiet', 'data-testid': act.testid });
  toast.replaceChildren(message, ...(undo ? [undo] : []));
  toast.classList.toggle('bad', bad);
  clearTimeout(hideToast);
  const hide = () => {
    if (toast.contains(document.activeElement)) focused.focus();
    toast.textContent = '';
  };
  if (!stays) hideToast = setTimeout(hide, bad || act ? 10000 : 4000);
}

const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });

function timeSince(timestamp) {
  const seconds = Math.min(0, (Date.parse(timestamp) - Date.now()) / 1000);
  const [size, unit] = [[86400, 'day'], [3600, 'hour'], [60, 'minute']]
    .find(([length]) => -seconds >= length) ?? [0, ''];
  return unit ? relative.format(Math.round(seconds / size), unit) : t('just now');
}

/** Why the form was not sent, at its end. */
export function tellIn(form, message) {
  const said = form.querySelector('.unsent') ?? document.createElement('p');
  said.className = 'error unsent';
  said.setAttribute('role', 'alert');
  said.textContent = message;
  form.append(said);
}

/** A time element such as "3 minutes ago", which stays true while the page is open. */
export const ago = (timestamp) => h('time', {
  class: 'ago', datetime: timestamp, title: new Date(timestamp).toLocaleString(locale),
}, timeSince(timestamp));

setInterval(() => {
  for (const time of document.querySelectorAll('time.ago')) time.textContent = timeSince(time.dateTime);
}, 30000);

/** A folded part with the provider's own code and words, of a failed call's answer; null when there are none. */
export function providerSaid({ providerCode, providerSaid: words }) {
  if (!providerCode && !words) return null;
  return h('details', { class: 'provider-said', 'data-testid': 'provider-said' },
    h('summary', null, t('The provider said')),
    words ? h('p', { dir: 'auto' }, words) : null,
    providerCode ? h('p', null, h('code', null, providerCode)) : null);
}
