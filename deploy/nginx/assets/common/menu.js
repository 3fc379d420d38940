// A button with a menu, by mouse and by keyboard: arrow keys, Home, End, Escape, the first letter.

import { h } from './dom.js';
import { icon } from './icons.js';

const steps = { ArrowDown: 1, ArrowUp: -1 };
let open = null; // {list, close} of the menu that is open

function focusAt(list, place) {
  const items = [...list.children].filter((item) => !item.disabled);
  items[(place + items.length) % items.length]?.focus();
}

/** Where a key leads in the list: a place, or null. */
function placeFor(list, key) {
  const items = [...list.children].filter((item) => !item.disabled);
  const at = items.indexOf(document.activeElement);
  if (key in steps) return at + steps[key];
  if (key === 'Home') return 0;
  if (key === 'End') return -1;
  const next = [...items.slice(at + 1), ...items.slice(0, at + 1)];
  const found = next.find((item) => item.textContent.toLowerCase().startsWith(key.toLowerCase()));
  return key.length === 1 && found ? items.indexOf(found) : null;
}

/** items(): [{label, drawing, work(opener), kind, testid}], asked for when the menu opens. */
export function menuButton(attributes, items) {
  const list = h('div', { class: 'menu', role: 'menu', 'aria-label': attributes['aria-label'], hidden: true });
  const opener = h('button', {
    type: 'button', class: 'quiet square', 'aria-haspopup': 'menu', 'aria-expanded': 'false', ...attributes,
  }, icon('more'));
  const node = h('div', { class: 'menu-place' }, opener, list);

  function close(toOpener = false) {
    if (open?.list !== list) return;
    open = null;
    if (toOpener || list.contains(document.activeElement)) opener.focus();
    list.hidden = true;
    list.replaceChildren();
    opener.setAttribute('aria-expanded', 'false');
  }

  function show(place) {
    open?.close();
    open = { list, node, close };
    list.replaceChildren(...items().map(({ label, drawing, work, kind = '', testid }) => h('button', {
      type: 'button', role: 'menuitem', tabindex: '-1', class: kind, 'data-testid': testid,
      onclick: () => { close(true); work(opener); },
    }, icon(drawing), label)));
    list.hidden = false;
    opener.setAttribute('aria-expanded', 'true');
    list.classList.toggle('above', list.getBoundingClientRect().bottom > innerHeight);
    focusAt(list, place);
  }

  opener.addEventListener('click', () => (list.hidden ? show(0) : close(true)));
  opener.addEventListener('keydown', (event) => {
    if (!(event.key in steps) || !list.hidden) return;
    event.preventDefault();
    show(event.key === 'ArrowUp' ? -1 : 0);
  });
  list.addEventListener('keydown', (event) => {
    if (event.key === 'Tab') return close();
    const place = event.key === 'Escape' ? null : placeFor(list, event.key);
    if (event.key === 'Escape') close(true);
    else if (place === null) return;
    else focusAt(list, place);
    event.preventDefault();
    event.stopPropagation();
  });
  return node;
}

document.addEventListener('pointerdown', ({ target }) => {
  if (open && !open.node.contains(target)) open.close();
});
