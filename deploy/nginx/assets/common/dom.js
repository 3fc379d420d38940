// Building and redrawing pieces of the page. Text only ever enters as text nodes.

import { locale, t } from './language.js';

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

/** Runs work while the control is marked busy; true when it went well. */
export async function attempt(control, work) {
  if (control.getAttribute('aria-busy') === 'true') return false;
  control.setAttribute('aria-busy', 'true');
  try {
    await work();
    return true;
  } catch (error) {
    tell(error.message, true);
    return false;
  } finally {
    control.removeAttribute('aria-busy');
  }
}

let hideToast;

/**
 * Tells something in the corner of the page, or of the dialog that is open: for a while, or to stay. `act`: {label, work,
 * testid} of what can be done about it; the focus then goes back to where it was.
 */
export function tell(message, bad = false, stays = false, act = null) {
  const toast = byId('toast');
  const inDialog = [...document.querySelectorAll('dialog[open]')].at(-1);
  if (toast.parentElement !== (inDialog ?? document.body)) (inDialog ?? document.body).append(toast);
  const focused = document.activeElement;
  const undo = act && button(act.label, async () => {
    focused.focus();
    await act.work();
    toast.textContent = '';
  }, { class: 'quiet', 'data-testid': act.testid });
  toast.replaceChildren(message, ...(undo ? [undo] : []));
  toast.classList.toggle('bad', bad);
  clearTimeout(hideToast);
  if (!stays) hideToast = setTimeout(() => { toast.textContent = ''; }, bad || act ? 10000 : 4000);
}

const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });

function timeSince(timestamp) {
  const seconds = Math.min(0, (Date.parse(timestamp) - Date.now()) / 1000);
  const [size, unit] = [[86400, 'day'], [3600, 'hour'], [60, 'minute']]
    .find(([length]) => -seconds >= length) ?? [0, ''];
  return unit ? relative.format(Math.round(seconds / size), unit) : t('just now');
}

/** A time element such as "3 minutes ago", which stays true while the page is open. */
export const ago = (timestamp) => h('time', {
  class: 'ago', datetime: timestamp, title: new Date(timestamp).toLocaleString(locale),
}, timeSince(timestamp));

setInterval(() => {
  for (const time of document.querySelectorAll('time.ago')) time.textContent = timeSince(time.dateTime);
}, 30000);
