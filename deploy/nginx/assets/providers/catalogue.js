// The provider types, as the server put them into the type list of the provider dialog.
// The first step of the provider dialog: which type it is, by search, by mouse or by arrow keys.

import { byId, h, t } from '../common/dom.js';
import { abilityNames, drawnMark } from '../common/provider_list.js';

const types = new Map();
export const plainType = 'generic-compatible';

/** A tag for each capability that says something; null when there is none. */
export function abilityTags(capabilities, attributes = {}) {
  const names = abilityNames(capabilities);
  return names.length === 0 ? null
    : h('span', { class: 'chips', ...attributes }, names.map((name) => h('span', { class: 'tag' }, name)));
}

export function readCatalogue() {
  const list = byId('provider-type');
  const search = h('optgroup', { label: searchTitle() });
  const chat = h('optgroup', { label: t('Models') });
  for (const option of [...list.options]) {
    const { baseUrl, keyUrl, owned, search: isSearch, lists, streams, noKey, models } = option.dataset;
    if (option.value === plainType) option.textContent = t('OpenAI-compatible endpoint');
    types.set(option.value, {
      label: option.textContent.trim(), baseUrl, keyUrl, noKey, models: JSON.parse(models),
      owned: owned !== '', search: isSearch !== '', lists: lists !== '', streams: streams !== '',
    });
    (isSearch ? search : chat).append(option);
  }
  list.append(...[chat, search].filter((group) => group.children.length > 0));
}

/** What is known of a type; one this page has never heard of behaves like a plain endpoint. */
export function typeOf(value) {
  return types.get(value) ?? {
    label: value, baseUrl: '', keyUrl: '', noKey: '', models: [], owned: false, search: false, lists: true, streams: true,
  };
}

/** Every type, in the server's order, as [value, facts]. */
const allTypes = () => [...types];

const searchTitle = () => t('Web search and fetch');

/** The mark of a type (docs/decisions/0023); of one that this page has never heard of the initials, which no language changes. */
export function mark(value) {
  return types.has(value) ? drawnMark(value) : h('span', { class: 'mark', 'aria-hidden': 'true' },
    value.split('-').map((word) => word[0]).join('').slice(0, 2).toUpperCase());
}

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
  const fits = ([value, { label, models }]) =>
    [value, label, ...models.map(({ modelId }) => modelId)].join(' ').toLowerCase().includes(words);
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
