// The dialog with the conversations that this device keeps, and whether it may. Loaded when it is opened.
//
// data-testid marks for browser tests:
//   conversations keep-offer keep-yes keep-session keep-end conversations-error conversation-search conversation-count
//   conversation-row conversation-open conversation-rename conversation-title conversation-save conversation-delete
//   conversation-undo

import { ago, button, byId, h, icon, plural, redraw, t, tell } from '../common/dom.js';
import { confirmed, openDialog } from '../common/dialogs.js';
import { forget, list, open, remove, rename, load, save, search } from './archive.js';
import { beginKeeping, endKeeping, keeping, lastTurn, openKept, shownId, startAnew } from './conversation.js';

const message = byId('playground-message');
const mostRows = 200; // in one task; a search finds the others
let told = () => {}; // of a change of what is kept
let all = [];
let fits = null; // the ids with the text that is looked for in their messages

const count = h('p', { class: 'hint', role: 'status', 'data-testid': 'conversation-count' });
const rows = h('ul', { class: 'rows scroll kept', 'aria-label': t('Conversations'), tabindex: '-1' });
const field = h('input', {
  type: 'search', id: 'conversation-search', autocomplete: 'off', placeholder: t('Search titles and messages'), 'data-testid': 'conversation-search',
});
const fault = h('p', { class: 'error', role: 'alert', 'data-testid': 'conversations-error' });
const body = h('div', { class: 'stack' });
const dialog = h('dialog', { class: 'tall', id: 'conversations', 'aria-labelledby': 'conversations-title', 'data-testid': 'conversations' },
  h('div', { class: 'stack' },
    h('div', { class: 'talk-head plain-head' }, h('h2', { id: 'conversations-title' }, t('Conversations')),
      h('button', { type: 'button', class: 'round quiet', 'aria-label': t('Close'), 'data-close': true, 'data-testid': 'conversations-close' }, icon('close'))),
    body, fault));
document.body.append(dialog);

/** Does work whose failure is told in the dialog. */
async function tried(work) {
  fault.textContent = '';
  try {
    await work();
  } catch (error) {
    fault.textContent = error.message;
  }
}

const wanted = () => field.value.trim().toLocaleLowerCase();
const found = () => all.filter(({ id, title }) => title.toLocaleLowerCase().includes(wanted()) || fits?.has(id));
const control = (what, id) => rows.querySelector(`[data-focus="${what} ${id}"]`);

async function refresh() {
  all = await list();
  draw();
}

function draw() {
  const shown = found();
  redraw(rows, shown.slice(0, mostRows).map(rowOf));
  count.textContent = wanted() && shown.length === 0 ? t('Nothing found.')
    : plural(shown.length, '{count} conversation', '{count} conversations');
}

/** The row as a form for its title. */
function editTitle({ id, title }) {
  const input = h('input', { value: title, maxlength: '120', 'aria-label': t('Title'), autocomplete: 'off', 'data-testid': 'conversation-title' });
  const back = () => { draw(); control('rename', id)?.focus(); };
  const form = h('form', { class: 'row grow', novalidate: true }, h('div', { class: 'grow' }, input),
    h('button', { class: 'primary', 'data-testid': 'conversation-save' }, t('Save')), button(t('Cancel'), back));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    tried(async () => {
      await rename(id, input.value.trim());
      await refresh();
      control('rename', id)?.focus();
    });
  });
  form.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    event.stopPropagation();
    back();
  });
  control('rename', id).closest('li').replaceChildren(form);
  input.select();
}

async function take(one) {
  const record = await load(one.id);
  await remove(one.id);
  const isShown = one.id === shownId();
  if (isShown) startAnew();
  await refresh();
  if (!rows.contains(document.activeElement)) field.focus();
  tell(t('“{title}” is deleted.', one), false, false, {
    label: t('Undo'), testid: 'conversation-undo',
    async work() {
      await save(record, []);
      await refresh();
      if (isShown && !lastTurn()) await openKept(one.id);
    },
  });
}

async function go(one) {
  if (one.id !== shownId() && !(await openKept(one.id))) {
    await refresh();
    throw new Error(t('This conversation was deleted in another tab.'));
  }
  dialog.close();
  message.focus();
}

function rowOf(one) {
  const named = { title: one.title };
  const act = (what, drawing, label, work) => button(icon(drawing), work, {
    class: 'quiet', 'aria-label': label, title: label, 'data-focus': `${what} ${one.id}`, 'data-testid': `conversation-${what}`,
  });
  return h('li', { 'data-testid': 'conversation-row' },
    button([h('span', { dir: 'auto' }, one.title), ago(new Date(one.changed).toISOString())], () => go(one), {
      class: 'quiet grow kept-title', 'aria-current': one.id === shownId() ? 'true' : null,
      'data-focus': `open ${one.id}`, 'data-testid': 'conversation-open',
    }),
    h('div', { class: 'row' }, act('rename', 'pencil', t('Rename “{title}”', named), () => editTitle(one)),
      act('delete', 'trash', t('Delete “{title}”', named), () => take(one))));
}

function atSignOut(on) {
  const box = h('input', { type: 'checkbox', name: 'session', 'data-testid': 'keep-session' });
  box.checked = on;
  return [h('label', { class: 'check' }, box, h('span', null, t('Delete them when I sign out'))), box];
}

/** What is asked before anything is kept. */
function drawOffer() {
  const [label, box] = atSignOut(true);
  const form = h('form', { class: 'stack', novalidate: true, 'data-testid': 'keep-offer' },
    h('p', null, t('A conversation stays in its tab and is gone with it. This browser can keep your conversations on this device, and on no other. This service never stores them.')),
    h('p', { class: 'muted' }, t('People who use this browser as you do could read them. Another person who signs in here does not see them.')),
    label,
    h('div', { class: 'row end' }, h('button', { class: 'primary', 'data-testid': 'keep-yes' }, t('Keep on this device'))));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    tried(async () => {
      await open();
      navigator.storage?.persist?.();
      await beginKeeping(box.checked ? 'session' : 'always');
      drawKept();
      await refresh();
    });
  });
  body.replaceChildren(form);
  told();
  form.querySelector('.primary').focus();
}

async function stop() {
  const text = t('Those on this device are deleted. The one that is open stays in its tab. This can’t be undone.');
  if (!(await confirmed(t('Keep no conversations?'), text, t('Delete all')))) return;
  endKeeping();
  await forget();
  drawOffer();
}

/** Those that are kept. */
function drawKept() {
  const [label, box] = atSignOut(keeping() === 'session');
  box.addEventListener('change', () => {
    beginKeeping(box.checked ? 'session' : 'always');
    told();
  });
  const form = h('form', { class: 'stack', role: 'search', novalidate: true },
    h('label', { class: 'away', for: field.id }, t('Search titles and messages')), field, count);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    tried(async () => {
      await look();
      const [first] = found();
      if (first) await go(first);
    });
  });
  field.value = '';
  fits = null;
  body.replaceChildren(form, rows,
    h('p', { class: 'hint' }, t('They are on this device alone. This service never stores them.')),
    h('div', { class: 'row kept-foot' }, label,
      button(t('Keep no more…'), () => tried(stop), { class: 'quiet danger', 'data-testid': 'keep-end' })));
  told();
  field.focus();
}

/** Shows those with the text that is looked for; a text that came later is looked for instead. */
async function look() {
  const text = wanted();
  const ids = text.length > 1 ? await search(text) : null;
  if (text !== wanted()) return;
  fits = ids;
  draw();
}

field.addEventListener('input', () => tried(look));

/** Opens the dialog; tellKept() is called when it changes what is kept. */
export async function showConversations(tellKept) {
  told = tellKept;
  fault.textContent = '';
  openDialog(dialog);
  if (!keeping()) return drawOffer();
  drawKept();
  return tried(refresh);
}
