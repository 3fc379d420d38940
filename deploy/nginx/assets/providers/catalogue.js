// The provider types, as the server put them into the type list of the provider dialog.

import { byId, h } from '../common/dom.js';
import { t } from '../common/language.js';

const types = new Map();

export function readCatalogue() {
  const list = byId('provider-type');
  const search = h('optgroup', { label: searchTitle() });
  const chat = h('optgroup', { label: t('Models') });
  for (const option of [...list.options]) {
    const { baseUrl, keyUrl, owned, search: isSearch, lists, streams, noKey } = option.dataset;
    types.set(option.value, {
      label: option.textContent.trim(), baseUrl, keyUrl, noKey,
      owned: owned !== '', search: isSearch !== '', lists: lists !== '', streams: streams !== '',
    });
    (isSearch ? search : chat).append(option);
  }
  list.append(...[chat, search].filter((group) => group.children.length > 0));
}

/** What is known of a type; one this page has never heard of behaves like a plain endpoint. */
export function typeOf(value) {
  return types.get(value) ?? {
    label: value, baseUrl: '', keyUrl: '', noKey: '', owned: false, search: false, lists: true, streams: true,
  };
}

/** Every type, in the server's order, as [value, facts]. */
export const allTypes = () => [...types];

export const searchTitle = () => t('Web search and fetch');

/** A simple drawing for a type: its initials on a colour of its own. */
export function markOf(value) {
  const { label } = typeOf(value);
  const initials = label.match(/[\p{L}\p{N}]+/gu).map((word) => word[0]).join('').slice(0, 2).toUpperCase();
  const mark = h('span', { class: 'mark', 'aria-hidden': 'true' }, initials);
  const hue = [...value].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)) % 360, 7);
  mark.style.setProperty('--hue', hue);
  return mark;
}
