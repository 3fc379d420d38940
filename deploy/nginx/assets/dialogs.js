// Dialogs: forms whose errors stand beside their fields, and the question before a deletion.

import { byId } from './dom.js';

function slotOf(form, field) {
  const slots = [...form.querySelectorAll('[data-error-for]')];
  const named = slots.find((slot) => slot.dataset.errorFor === field && !slot.closest('[hidden]'));
  return named ?? slots.find((slot) => slot.dataset.errorFor === '');
}

export function clearErrors(form) {
  for (const slot of form.querySelectorAll('[data-error-for]')) slot.textContent = '';
  for (const input of form.querySelectorAll('[aria-invalid]')) {
    input.removeAttribute('aria-invalid');
    input.removeAttribute('aria-describedby');
  }
}

/** Shows an error by its field, where the form has it, else at the form's foot. */
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

function wireOnce(dialog) {
  if (dialog.dataset.wired) return;
  dialog.dataset.wired = 'yes';
  for (const closer of dialog.querySelectorAll('[data-close]')) {
    closer.addEventListener('click', () => dialog.close());
  }
  dialog.addEventListener('close', () => dialog.querySelector('form')?.reset());
}

export function openDialog(dialog) {
  wireOnce(dialog);
  dialog.showModal();
}

/**
 * Opens a form dialog. send(values) does the work; when it went well the dialog closes (which
 * empties it, keys above all, and gives the focus back) and only then done(result) draws.
 */
export function openForm(dialog, { send, done }) {
  const form = dialog.querySelector('form');
  const submit = form.querySelector('button.primary');
  clearErrors(form);
  form.onsubmit = async (event) => {
    event.preventDefault();
    if (submit.getAttribute('aria-busy') === 'true') return;
    clearErrors(form);
    submit.setAttribute('aria-busy', 'true');
    try {
      const result = await send(Object.fromEntries(new FormData(form)));
      if (dialog.open) dialog.close();
      done(result);
    } catch (error) {
      showError(form, error);
    } finally {
      submit.removeAttribute('aria-busy');
    }
  };
  openDialog(dialog);
}

/** Asks before something is lost; true when the answer was yes. */
export function confirmed(title, text, yes = 'Delete') {
  const dialog = byId('confirm-dialog');
  dialog.querySelector('[value="yes"]').textContent = yes;
  byId('confirm-title').textContent = title;
  byId('confirm-text').textContent = text;
  dialog.returnValue = '';
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'yes'), { once: true });
  });
}
