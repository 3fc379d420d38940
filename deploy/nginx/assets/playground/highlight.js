// The colours of code. The library Prism reads it into tokens, which become elements here: no text is ever read as HTML. The
// library and a language are loaded when the first code in it is there (docs/decisions/0024).

import { h } from '../common/dom.js';
import { byFrame } from '../common/pacing.js';

const most = 10000; // characters of code that get colours
// The library's languages, and which others each is made from.
const needed = {
  bash: [], c: ['clike'], clike: [], cpp: ['c'], csharp: ['clike'], css: [], diff: [], docker: [], go: ['clike'], graphql: [],
  ini: [], java: ['clike'], 'javascript': ['clike'], json: [], jsx: ['markup', 'javascript'], kotlin: ['clike'], lua: [],
  makefile: [], markdown: ['markup'], markup: [], 'markup-templating': ['markup'], nginx: [], perl: [],
  php: ['markup-templating'], powershell: [], python: [], r: [], ruby: ['clike'], rust: [], scala: ['java'], sql: [],
  swift: [], toml: [], tsx: ['jsx', 'typescript'], typescript: ['javascript'], yaml: [],
};
const otherNames = {
  'c#': 'csharp', 'c++': 'cpp', cc: 'cpp', console: 'bash', cs: 'csharp', dockerfile: 'docker', golang: 'go', h: 'c', hpp: 'cpp',
  html: 'markup', js: 'javascript', kt: 'kotlin', make: 'makefile', md: 'markdown', mjs: 'javascript', patch: 'diff',
  pl: 'perl', ps1: 'powershell', py: 'python', python3: 'python', rb: 'ruby', rs: 'rust', sh: 'bash', shell: 'bash',
  svg: 'markup', ts: 'typescript', xml: 'markup', yml: 'yaml', zsh: 'bash',
};
// The colour of a kind of token; other kinds look as the text around them.
const colours = Object.fromEntries(Object.entries({
  comment: 'comment prolog doctype cdata shebang blockquote',
  string: 'string char attr-value regex url template-string inserted triple-quoted-string',
  number: 'number boolean constant symbol null nil unit',
  word: 'keyword tag selector atrule rule important builtin deleted directive hr',
  name: 'function class-name title function-variable method namespace',
  field: 'attr-name property variable key parameter table',
}).flatMap(([colour, kinds]) => kinds.split(' ').map((kind) => [kind, colour])));

const loading = new Map();

/** Resolves when that file of the library has run. */
function load(file) {
  if (!loading.has(file)) loading.set(file, import(`/assets/prism/prism-${file}.min.js`));
  return loading.get(file);
}

async function loadLanguage(language) {
  if (!globalThis.Prism) {
    // The library reads two settings: it must not change a page on its own, and its languages must find it.
    globalThis.Prism = { manual: true, disableWorkerMessageHandler: true };
    globalThis.global = globalThis;
  }
  await load('core');
  await Promise.all(needed[language].map(loadLanguage));
  await load(language);
}

function colour(token) {
  return [token.type, token.alias].flat().map((kind) => colours[kind]).find(Boolean);
}

function nodes(content) {
  if (typeof content === 'string') return [content];
  if (!Array.isArray(content)) return nodes([content]);
  return content.flatMap((token) => {
    if (typeof token === 'string') return [token];
    const inside = nodes(token.content);
    const own = colour(token);
    return own ? [h('span', { class: `code-${own}` }, inside)] : inside;
  });
}

const waiting = [];
const draw = byFrame((clock) => {
  while (waiting.length > 0) {
    if (clock.over()) return true;
    const { node, text, language } = waiting.shift();
    if (!node.isConnected || node.closest('.growing')) continue; // the next drawing replaces it
    node.replaceChildren(h('span', { class: 'piece' }, nodes(globalThis.Prism.tokenize(text, globalThis.Prism.languages[language]))));
  }
  return false;
});

/** Gives the text that stands in a node its colours, soon; it stays as it is in a language that is not known. */
export async function highlight(node, text, name) {
  const lower = name?.toLowerCase() ?? '';
  const language = Object.hasOwn(otherNames, lower) ? otherNames[lower] : lower;
  if (!Object.hasOwn(needed, language) || text.length > most) return;
  try {
    await loadLanguage(language);
  } catch {
    return; // without the library
  }
  waiting.push({ node, text, language });
  draw();
}
