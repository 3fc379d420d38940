// Dialogs: forms whose errors stand beside their fields, and the question before a deletion.

import { byId, placeToast, t } from './dom.js';
import { forgetDrafts } from './forms.js';

function slotOf(form, field) {
  const slots = [...form.querySelectorAll('[data-error-for]')];
  const named = slots.find((slot) => slot.dataset.errorFor === field && !slot.closest('[hidden]'));
  return named ?? slots.find((slot) => slot.dataset.errorFor === '');
}

function mended(input) {
  input.removeAttribute('aria-invalid');
  input.removeAttribute('aria-describedby');
}

export function clearErrors(form) {
  for (const slot of form.querySelectorAll('[data-error-for]')) slot.textContent = '';
  for (const input of form.querySelectorAll('[aria-invalid]')) mended(input);
}

// An error goes when its field is changed.
document.addEventListener('input', ({ target }) => {
  if (!target.form || target.getAttribute('aria-invalid') !== 'true') return;
  const slot = slotOf(target.form, target.name);
  if (!slot) return; // a form that the server draws
  slot.textContent = '';
  mended(target);
});

/** Shows an error by its field, where the form has it, else at the form's foot; the last shown has the focus. */
export function showError(form, error) {
  const slot = slotOf(form, error.field ?? '');
  slot.textContent = error.message;
  const input = slot.dataset.errorFor && form.elements[slot.dataset.errorFor];
  if (!input) return;
  slot.id ||= `${input.id}-error`;
  input.setAttribute('aria-invalid', 'true');
  input.setAttribute('aria-describedby', slot.id);
  input.focus();
}

const filledIn = new WeakMap(); // form → what it held when it was opened
const contents = (form) => JSON.stringify([...new FormData(form)]);
const formsOf = (dialog) => [...dialog.querySelectorAll('form')];

/** Whether a form of that dialog holds what leaving it would lose. */
export const isDirty = (dialog) =>
  formsOf(dialog).some((form) => filledIn.has(form) && filledIn.get(form) !== contents(form));

/** What a form holds now is stored, or came by itself: leaving it loses nothing. */
export const settle = (form) => filledIn.set(form, contents(form));

/** Closes a dialog; one with something typed in it asks before. */
async function leave(dialog) {
  if (dialog.querySelector('[aria-busy="true"]')) return;
  if (isDirty(dialog)) {
    const sure = await confirmed(
      t('Discard what you typed?'), t('It has not been saved.'), t('Discard'), t('Keep editing'));
    if (!sure) return;
  }
  forgetDrafts(dialog);
  dialog.close();
}

function wireOnce(dialog) {
  if (dialog.dataset.wired) return;
  dialog.dataset.wired = 'yes';
  for (const closer of dialog.querySelectorAll('[data-close]')) {
    closer.addEventListener('click', () => leave(dialog));
  }
  dialog.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || event.target.closest('dialog') !== dialog) return;
    event.preventDefault();
    leave(dialog);
  });
  dialog.addEventListener('cancel', (event) => {
    if (event.target !== dialog) return;
    event.preventDefault();
    leave(dialog);
  });
  dialog.addEventListener('close', () => {
    for (const form of formsOf(dialog)) {
      filledIn.delete(form);
      form.reset();
    }
  });
}

document.addEventListener('close', () => {
  placeToast();
  // Chromium gives a text field the focus back without its caret, and then no key writes anything.
  const field = document.activeElement;
  if (!field.matches('input, textarea')) return;
  field.blur();
  field.focus({ preventScroll: true });
}, true);

addEventListener('beforeunload', (event) => {
  if ([...document.querySelectorAll('dialog[open]')].some(isDirty)) event.preventDefault();
});

/** How to find a control again that a redrawing has replaced. */
function wayBack(control) {
  const mark = control?.dataset?.focus;
  const card = control?.closest('[data-provider-id]')?.dataset.providerId;
  if (!mark || !card) return () => {};
  return () => [...document.querySelectorAll(`[data-provider-id="${card}"] [data-focus]`)]
    .find((each) => each.dataset.focus === mark)?.focus();
}

/** Opens it; when it closes the focus goes back to where it was. */
export function openDialog(dialog) {
  wireOnce(dialog);
  const back = wayBack(document.activeElement);
  dialog.addEventListener('close', () => {
    if (document.activeElement === document.body) back();
  }, { once: true });
  dialog.showModal();
  placeToast();
}

/** Tells of every required field that is empty, all at once; true when there was one. */
export function lacks(form) {
  const empty = [...form.querySelectorAll('[required]')]
    .filter((field) => !field.disabled && !field.closest('[hidden]') && field.value.trim() === '');
  for (const field of empty.reverse()) showError(form, { field: field.name, message: field.dataset.missing });
  return empty.length > 0;
}

/** A key for the same values as before, or a new one. */
function keys() {
  let last = {};
  return (values) => {
    const text = JSON.stringify(values);
    if (text !== last.text) last = { text, key: crypto.randomUUID() };
    return last.key;
  };
}

/**
 * Makes a form send: send(values, key) does the work, `key` as for post(), and when it went well done(result) is
 * called. Gives a function that forgets what was sent, keys above all.
 */
export function wireForm(form, { send, done }) {
  const submit = form.querySelector('button.primary') ?? form.querySelector('button');
  clearErrors(form);
  let keyFor = keys();
  const forget = () => { keyFor = keys(); };
  form.onsubmit = async (event) => {
    event.preventDefault();
    if (submit.getAttribute('aria-busy') === 'true') return;
    clearErrors(form);
    if (lacks(form)) return;
    submit.setAttribute('aria-busy', 'true');
    try {
      const values = Object.fromEntries(new FormData(form));
      const result = await send(values, keyFor(values));
      forgetDrafts(form);
      done(result);
    } catch (error) {
      showError(form, error);
    } finally {
      submit.removeAttribute('aria-busy');
    }
  };
  return forget;
}

/**
 * Opens a form dialog, as wireForm(). When it went well the dialog closes (which empties it, and gives the focus back)
 * and only then done(result) draws.
 */
export function openForm(dialog, { send, done }) {
  const form = dialog.querySelector('form');
  const forget = wireForm(form, {
    send,
    done(result) {
      if (dialog.open) dialog.close();
      done(result);
    },
  });
  dialog.addEventListener('close', forget, { once: true });
  openDialog(dialog);
  settle(form);
}

/** A form of a page that takes something away asks first: data-asks, data-warns. */
document.addEventListener('submit', async (event) => {
  const { target: form, submitter } = event;
  const { asks, warns } = form.dataset;
  if (!asks) return;
  event.preventDefault();
  event.stopPropagation();
  if (!(await confirmed(asks, warns, submitter.textContent))) return;
  delete form.dataset.asks;
  form.requestSubmit(submitter);
}, true);

/** Asks before something is lost; true when the answer was yes. */
export function confirmed(title, text, yes = t('Delete'), no = t('Cancel')) {
  const dialog = byId('confirm-dialog');
  dialog.querySelector('[value="yes"]').textContent = yes;
  dialog.querySelector('[value="no"]').textContent = no;
  byId('confirm-title').textContent = title;
  byId('confirm-text').textContent = text;
  dialog.returnValue = '';
  dialog.showModal();
  placeToast();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'yes'), { once: true });
  });
}
