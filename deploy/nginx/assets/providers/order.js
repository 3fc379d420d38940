// The order of keys or of models, changed by dragging a row's handle or by its arrow keys.

import { attempt, h, icon, t, tell } from '../common/dom.js';

const step = { ArrowUp: -1, ArrowDown: 1 };

const isAbove = (row, other) =>
  Boolean(row.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_PRECEDING);

/** Lets the other rows make way: they move, as a row that moved would lose its pointer. */
function makeWay(row, others, y) {
  const middle = ({ top, height }) => top + height / 2;
  const above = (other) => middle(other.getBoundingClientRect()) < y;
  for (const other of others) if (above(other) && !isAbove(row, other)) row.before(other);
  for (const other of [...others].reverse()) if (!above(other) && isAbove(row, other)) row.after(other);
}

/** Follows the pointer; resolves to the row's place at the end, -1 when it was redrawn meanwhile. */
function dragged(row, handle, pointer) {
  const rows = () => [...(row.parentElement?.querySelectorAll(':scope > li:has(> .handle)') ?? [])];
  const follow = ({ clientY }) => makeWay(row, rows().filter((each) => each !== row), clientY);
  row.classList.add('dragged');
  handle.setPointerCapture(pointer);
  handle.addEventListener('pointermove', follow);
  return new Promise((resolve) => {
    handle.addEventListener('lostpointercapture', () => {
      handle.removeEventListener('pointermove', follow);
      row.classList.remove('dragged');
      resolve(rows().indexOf(row));
    }, { once: true });
  });
}

/** The handle of the row of `name`; move(to) brings it to that place, counted from 0. */
export function orderHandle({ name, place, focus, testid, move }) {
  const handle = h('button', {
    type: 'button', class: 'quiet handle', title: t('Drag it, or press the up and down arrow keys'),
    'aria-label': t('Order of {name}: {place}. Up and down arrow keys move it', { name, place: place + 1 }),
    'data-focus': `order-${focus}`, 'data-testid': testid,
  }, icon('grip'), String(place + 1));
  handle.addEventListener('keydown', (event) => {
    if (!step[event.key]) return;
    event.preventDefault();
    attempt(handle, () => move(place + step[event.key]));
  });
  handle.addEventListener('pointerdown', async (event) => {
    if (event.button !== 0) return;
    const to = await dragged(handle.closest('li'), handle, event.pointerId);
    if (to >= 0 && to !== place) attempt(handle, () => move(to));
  });
  return handle;
}

/** Where it is now, for those who do not see it move. */
export const tellPlace = (name, place, count) =>
  tell(t('{name} is number {place} of {count}.', { name, place: place + 1, count }));
