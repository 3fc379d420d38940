// The address is typed once: what is known of it on one page before the sign-in is in the field of the next one.

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
