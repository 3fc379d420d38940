// The page's language. The code says every sentence in English; a language's file has the others under the English
// ones and stands in globalThis.sentences before any module runs (templates/languages, cmake/assets.py).

const { scripts, answers } = globalThis.sentences ?? { scripts: {}, answers: {} };
const language = document.documentElement.lang;
/** How numbers and times are written: as the reader's own country does where it has that language. */
export const locale = navigator.languages.find((each) => each.split('-')[0] === language) ?? language;

const fill = (text, values) => text.replace(/\{(\w+)\}/g, (place, name) => values[name] ?? place);

/** A sentence of ours; its places such as {name} are given their values. */
export const t = (text, values = {}) => fill(Object.hasOwn(scripts, text) ? scripts[text] : text, values);

/** The one sentence or the other, for one thing or several; {count} is their number. */
export const plural = (count, one, several, values = {}) =>
  t(count === 1 ? one : several, { count: count.toLocaleString(locale), ...values });

const patternOf = ([english, translation]) => {
  const places = [...english.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  const literal = english.split(/\{\w+\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return { expression: new RegExp(`^${literal.join('(.+?)')}$`, 's'), places, translation };
};
let patterns = null;

/** What the server said, in English: as it is where the language does not have it. */
export function said(text) {
  if (!text) return text;
  if (Object.hasOwn(answers, text)) return answers[text];
  patterns ??= Object.entries(answers).filter(([english]) => /\{\w+\}/.test(english)).map(patternOf);
  for (const { expression, places, translation } of patterns) {
    const found = expression.exec(text);
    if (!found) continue;
    return fill(translation, Object.fromEntries(places.map((name, i) => [name, said(found[i + 1])])));
  }
  return text;
}
