// Keys and passwords, shown while they are typed by a button beside them.

/** Wires every button that names its field in data-reveals. */
export function startReveals() {
  for (const reveal of document.querySelectorAll('[data-reveals]')) {
    const field = document.getElementById(reveal.dataset.reveals);
    const show = (shown) => {
      field.type = shown ? 'text' : 'password';
      reveal.setAttribute('aria-pressed', String(shown));
    };
    reveal.hidden = false;
    reveal.addEventListener('click', () => show(field.type === 'password'));
    field.form.addEventListener('submit', () => show(false));
    field.closest('dialog')?.addEventListener('close', () => show(false));
  }
}
