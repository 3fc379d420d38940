// The first step of the provider dialog: which type it is, by search, by mouse or by arrow keys.

import { byId, h } from '../common/dom.js';
import { allTypes, mark, plainType, searchTitle, typeOf } from './catalogue.js';
import { t } from '../common/language.js';

const search = byId('type-search');
const tiles = byId('provider-tiles');
const none = byId('type-none');
const choosing = byId('type-choosing');
const chosen = byId('type-chosen');
const bestKnown = 5;
const moves = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
let onChoose = () => {};

/** The best known, then one of one's own, then the rest; search types are last. */
function inOrder() {
  const [chat, searchTypes] = [false, true].map((kind) => allTypes().filter(([, facts]) => facts.search === kind));
  const [plain, named] = [true, false].map((kind) => chat.filter(([value]) => (value === plainType) === kind));
  return { first: [...named.slice(0, bestKnown), ...plain], more: named.slice(bestKnown), searchTypes };
}

export const bestKnownTypes = () => inOrder().first.slice(0, bestKnown).map(([value]) => value);

const tile = ([value, { label }]) => h('button', {
  type: 'button', class: 'tile', 'data-testid': `type-${value}`, onclick: () => choose(value),
}, mark(value), h('span', null, label));

const heading = (text) => h('p', { class: 'hint' }, text);

function draw() {
  const words = search.value.trim().toLowerCase();
  const fits = ([value, { label }]) => `${value} ${label}`.toLowerCase().includes(words);
  const { first, more, searchTypes } = inOrder();
  const found = [...first, ...more, ...searchTypes].filter(fits);
  none.hidden = found.length > 0;
  tiles.replaceChildren(...(words ? found.map(tile) : [
    ...first.map(tile), heading(t('More')), ...more.map(tile), heading(searchTitle()), ...searchTypes.map(tile)]));
}

function choose(value) {
  showChosen(value);
  onChoose(value);
}

/** Shows the one that is chosen in place of all of them. */
export function showChosen(value) {
  choosing.hidden = true;
  chosen.hidden = false;
  byId('type-chosen-name').replaceChildren(mark(value), h('span', null, typeOf(value).label));
}

/** Begins the choice; choose(value) is called for each. */
export function beginChoice(choose) {
  onChoose = choose;
  search.value = '';
  choosing.hidden = false;
  chosen.hidden = true;
  draw();
}

search.addEventListener('input', draw);
choosing.addEventListener('keydown', (event) => {
  const buttons = [...tiles.querySelectorAll('button')];
  if (event.key === 'Enter' && event.target === search) {
    event.preventDefault();
    if (search.value.trim()) buttons[0]?.click();
    return;
  }
  const at = buttons.indexOf(document.activeElement);
  const isMove = event.key in moves && (at >= 0 || event.key === 'ArrowDown');
  if (!isMove) return;
  event.preventDefault();
  const to = at < 0 ? 0 : at + moves[event.key];
  (to < 0 ? search : buttons[Math.min(to, buttons.length - 1)])?.focus();
});
byId('type-change').addEventListener('click', () => {
  beginChoice(onChoose);
  search.focus();
});
