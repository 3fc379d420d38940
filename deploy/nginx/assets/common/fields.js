// The address is typed once: what is known of it on one page before the sign-in is in the field of the next one.
// Keys and passwords, shown while they are typed by a button beside them.

import { t } from './dom.js';

const place = 'address';

/** Fills the page's field and keeps what is typed there, in this tab alone. */
export function carryAddress() {
  const field = document.querySelector('[data-address]');
  if (!field) return; // the page asks for none
  const keep = () => sessionStorage.setItem(place, field.value);
  if (field.value === '') field.value = sessionStorage.getItem(place) ?? '';
  else keep();
  field.addEventListener('input', keep);
}

/** Holds a button back for so many seconds and counts them on it. */
export function countDown(button, seconds) {
  const label = button.textContent;
  const end = performance.now() + seconds * 1000;
  button.disabled = true;
  const tick = () => {
    const left = Math.ceil((end - performance.now()) / 1000);
    button.disabled = left > 0;
    button.textContent = left > 0 ? t('Wait {left} s', { left }) : label;
    if (left > 0) setTimeout(tick, 250);
  };
  tick();
}

/** Wires every button that names its field in data-reveals. */
export function startReveals() {
  for (const reveal of document.querySelectorAll('[data-reveals]')) {
    const field = document.getElementById(reveal.dataset.reveals);
    const show = (shown) => {
      if (field.type === 'textarea') field.classList.toggle('masked', !shown);
      else field.type = shown ? 'text' : 'password';
      reveal.setAttribute('aria-pressed', String(shown));
    };
    reveal.hidden = false;
    reveal.addEventListener('click', () => show(reveal.getAttribute('aria-pressed') === 'false'));
    field.form.addEventListener('submit', () => show(false));
    field.closest('dialog')?.addEventListener('close', () => show(false));
  }
}
