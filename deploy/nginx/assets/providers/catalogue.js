// The provider types, as the server put them into the type list of the provider dialog.

import { byId, h } from '../common/dom.js';
import { t } from '../common/language.js';

const types = new Map();
export const plainType = 'generic-compatible';

/** What a model can do, in words; generating text as an assistant is what one expects of any. */
const abilities = {
  generation: t('Generation'), assistant: t('Assistant'), reasoning: t('Reasoning'), vision: t('Vision'),
  tools: t('Tools'), code: t('Code'), embedding: t('Embedding'), rerank: t('Rerank'), image: t('Image'),
  audio: t('Audio'), video: t('Video'), moderation: t('Moderation'), search: t('Search'), fetch: t('Fetch'),
};
export const abilityName = (word) => abilities[word] ?? word;

/** A tag for each capability that says something; null when there is none. */
export function abilityTags(capabilities, attributes = {}) {
  const expected = byId('providers-page').dataset.defaultCapabilities.split(',');
  const words = capabilities.split(',').filter((word) => word && !expected.includes(word));
  return words.length === 0 ? null
    : h('span', { class: 'chips', ...attributes }, words.map((word) => h('span', { class: 'tag' }, abilityName(word))));
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
export const allTypes = () => [...types];

export const searchTitle = () => t('Web search and fetch');

/** Types without a mark of their own (docs/decisions/0023). */
const lettered = new Set(['llama-cpp', 'generic-compatible', 'serper']);

/** The mark of a type, or its initials, which no language changes, on a soft tile. */
export function mark(value) {
  const node = h('span', { class: 'mark', 'aria-hidden': 'true' });
  if (types.has(value) && !lettered.has(value)) {
    node.classList.add('drawn');
    node.style.setProperty('--mark', `url("${new URL(`../marks/${value}.svg`, import.meta.url)}")`);
  } else {
    node.append(value.split('-').map((word) => word[0]).join('').slice(0, 2).toUpperCase());
  }
  return node;
}
