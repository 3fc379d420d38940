// The page's language. The code says every sentence in English; a language's file has the others under the English
// ones and is in globalThis.sentences before any module runs (templates/languages, cmake/assets.py).

const sentences = globalThis.sentences ?? {};
const language = document.documentElement.lang;
/** How numbers and times are written: as the reader's own country does where it has that language. */
export const locale = navigator.languages.find((each) => each.split('-')[0] === language) ?? language;

const translation = (text) => (Object.hasOwn(sentences, text) ? sentences[text] : text);
/** A value in a sentence: a text or number as it is, or a list of the server's sentences. */
const shown = (value) => (Array.isArray(value) ? value.map((one) => t(one.text, one.values)).join('; ') : value);

/** A sentence of ours; its places such as {name} are given their values. */
export const t = (text, values = {}) =>
  translation(text).replace(/\{(\w+)\}/g, (place, name) => shown(values[name]) ?? place);

/** What the server said: in English, and beside it, where it has places, as {text, values}. */
export const said = (english, sentence) => (sentence ? t(sentence.text, sentence.values) : translation(english));

/** The one sentence or the other, for one thing or several; {count} is their number. */
export const plural = (count, one, several, values = {}) =>
  t(count === 1 ? one : several, { count: count.toLocaleString(locale), ...values });
