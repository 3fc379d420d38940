// The page's language. The code says every sentence in English; a language's file has the others under the English
// ones and is in globalThis.sentences before any module runs (templates/languages, cmake/assets.py).

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
  return { around: english.split(/\{\w+\}/), places, translation };
};
let patterns = null;

/** The values in a sentence, each as short as it can be and never empty; null when it is another sentence. */
function valuesIn(text, [start, ...around]) {
  if (!text.startsWith(start)) return null;
  const ending = around.length - 1;
  const values = [];
  let at = start.length;
  for (const [i, part] of around.entries()) {
    const end = i === ending ? text.length - part.length : text.indexOf(part, at + 1);
    if (end <= at || !text.startsWith(part, end)) return null;
    values.push(text.slice(at, end));
    at = end + part.length;
  }
  return values;
}

/** What the server said, in English: as it is where the language does not have it. deep: how many sentences may
 *  stand in each other. */
export function said(text, deep = 4) {
  if (!text || deep === 0) return text;
  if (Object.hasOwn(answers, text)) return answers[text];
  patterns ??= Object.entries(answers).filter(([english]) => /\{\w+\}/.test(english)).map(patternOf);
  for (const { around, places, translation } of patterns) {
    const values = valuesIn(text, around);
    if (values) return fill(translation, Object.fromEntries(places.map((name, i) => [name, said(values[i], deep - 1)])));
  }
  return text;
}
