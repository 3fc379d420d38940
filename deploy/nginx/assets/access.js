// The pages of access tokens. A token that was shown is gone after a reload.

import './common/dialogs.js';
import { startCopies } from './common/copies.js';
import { startForms } from './common/forms.js';
import { startPasskeys } from './common/passkeys.js';
import { byId, h, locale, t } from './common/dom.js';
import { hasWords } from './common/provider_list.js';

const inUtc = { dateStyle: 'medium', timeZone: 'UTC' };
const day = (iso) => new Date(iso).toLocaleDateString(locale, inUtc);

for (const time of document.querySelectorAll('time')) {
  const moment = new Date(time.dateTime);
  time.textContent = 'minutes' in time.dataset
    ? moment.toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'short' }) : day(time.dateTime);
}

for (const number of document.querySelectorAll('[data-number]')) {
  number.textContent = Number(number.textContent.replaceAll(',', '')).toLocaleString(locale);
}

startCopies();

/** The day that the chosen life leads to; the number of days is typed for a life that is not in the list. */
function startLife(life, days) {
  const ends = byId('token-ends').querySelector('time');
  const show = () => {
    const own = life.value === 'own';
    days.hidden = !own;
    days.required = own;
    const iso = life.selectedOptions[0].dataset.ends
      ?? (days.validity.valid && days.value && new Date(Date.now() + days.value * 86400e3).toISOString().slice(0, 10));
    byId('token-ends').hidden = !iso;
    if (!iso) return;
    ends.dateTime = iso;
    ends.textContent = day(iso);
  };
  life.addEventListener('change', show);
  days.addEventListener('input', show);
  show();
}

const life = byId('token-life');
if (life) startLife(life, byId('token-days'));

const mostWithoutSearch = 12;

/** The models as boxes, which write the lines of the field. A line that names none of them stays, and is marked. */
function startModels(field) {
  const lines = field.value.split('\n').map((line) => line.trim()).filter(Boolean);
  const own = [...byId('token-models-hint').querySelectorAll('code')].map((code) => [code.textContent, code.dataset.full]);
  const known = own.map(([name, full]) => ({ name, line: lines.find((line) => line === name || line === full) }));
  // A limit of which nothing is left has a line of its own.
  const gone = lines.filter((line) => known.every((one) => one.line !== line))
    .map((line) => ({ name: line === '-' ? t('All that were chosen') : line, line, isGone: true }));
  const boxes = [...gone, ...known].map(({ name, line, isGone }) => h('label', { class: 'check', 'data-testid': 'token-model' },
    h('input', { type: 'checkbox', value: line ?? name, checked: Boolean(line) }), h('span', { dir: 'auto' }, name),
    isGone ? h('span', { class: 'tag warn' }, t('switched off or removed')) : null));
  if (boxes.length === 0) return;
  const list = h('div', { class: 'choices models' }, boxes);
  const search = h('input', {
    type: 'search', placeholder: t('Search'), 'aria-label': t('Search the models'), autocomplete: 'off', 'data-testid': 'token-model-search',
    oninput: () => { for (const box of boxes) box.hidden = !hasWords(box.textContent, search.value); },
    onkeydown: (event) => { if (event.key === 'Enter') event.preventDefault(); }, // it is no field of the form
  });
  list.addEventListener('change', () => {
    field.value = [...list.querySelectorAll(':checked')].map((box) => box.value).join('\n');
  });
  const place = field.closest('.field');
  const group = h('fieldset', { class: 'field', 'aria-describedby': 'token-models-error' },
    h('legend', null, t('Models'), ' ', h('span', { class: 'hint' }, t('All models, if none is selected'))),
    boxes.length > mostWithoutSearch && search, list, byId('token-models-error'));
  place.hidden = true;
  place.after(group);
  if (field.hasAttribute('aria-invalid')) list.querySelector('input').focus();
}

const models = byId('token-models');
if (models) startModels(models);

/** Looks for the first call of a new token, each time later than before, for ten minutes and only while the page is seen. */
async function awaitCall(line) {
  line.hidden = false;
  for (let wait = 1500, until = Date.now() + 600e3; Date.now() < until; wait = Math.min(wait * 1.2, 15e3)) {
    await new Promise((done) => setTimeout(done, wait));
    if (document.hidden) continue;
    try {
      const response = await fetch(line.dataset.seen, { cache: 'no-store' });
      if (!response.ok) break;
      const { seenAt, network } = await response.json();
      if (!seenAt) continue;
      const time = new Date(seenAt).toLocaleTimeString(locale, { timeStyle: 'short' });
      line.textContent = t('Seen: {time}, from {network}', { time, network });
      line.classList.add('good');
      return;
    } catch {
      // the server may be back at the next look
    }
  }
  line.textContent = t('No call has come yet.');
}

const waiting = document.querySelector('[data-seen]');
if (waiting) awaitCall(waiting);

// A reload asks for the page, and does not send the form once more.
history.replaceState(null, '', location.pathname.replace(/\/(renew|enable)$/, ''));
startPasskeys();
startForms();
