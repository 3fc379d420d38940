// Code in an answer: its language, a button that copies it, and lines that may still arrive.
// Text that grows by appending. It is in blocks of bounded size, so that the layout of a change
// covers the last block and not the whole text.
// The colours of code. The library Prism reads it into tokens, which become elements here: no text is ever read as HTML. The
// library and a language are loaded when the first code in it is there (docs/decisions/0024).

import { button, h, t, tell } from '../common/dom.js';
import { byFrame } from '../common/event_stream.js';

const most = 4000; // characters of a block, until the next line end

/** Where the block with `length` characters ends in the text that follows: after a line, else a word, else anywhere. */
function cut(length, text) {
  const after = (mark, limit) => text.indexOf(mark, Math.max(0, limit - length)) + 1;
  const hard = 3 * most - length;
  const whole = /[\uDC00-\uDFFF]/.test(text[hard] ?? '') ? hard + 1 : hard; // no half of a character
  const ends = [after('\n', most), after(' ', 2 * most), text.length > whole ? whole : 0];
  return Math.min(...ends.filter((end) => end > 0));
}

/** Returns append(text) for a node whose style keeps white space. */
export function growingText(node) {
  let last = null;
  return (text) => {
    for (let rest = text; rest !== '';) {
      if (!last) {
        last = document.createTextNode('');
        node.append(h('span', { class: 'piece' }, last));
      }
      const end = cut(last.length, rest);
      last.appendData(rest.slice(0, end));
      rest = rest.slice(end);
      if (end !== Infinity) last = null;
    }
  };
}

const mostColoured = 10000; // characters of code that get colours
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
async function highlight(node, text, name) {
  const lower = name?.toLowerCase() ?? '';
  const language = Object.hasOwn(otherNames, lower) ? otherNames[lower] : lower;
  if (!Object.hasOwn(needed, language) || text.length > mostColoured) return;
  try {
    await loadLanguage(language);
  } catch {
    return; // without the library
  }
  waiting.push({ node, text, language });
  draw();
}

/** Copies text and says so; a browser that forbids it is told of. */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    throw new Error(t('The browser did not allow copying. Select the text and copy it yourself.'));
  }
  tell(t('Copied.'));
}

/** {node, append(text), end()} */
export function codeBlock(language) {
  let text = '';
  const code = h('code');
  const grow = growingText(code);
  const named = language || t('code');
  const node = h('div', { class: 'code', dir: 'ltr', 'data-testid': 'code-block' },
    h('div', { class: 'code-head' }, h('span', null, named),
      button(t('Copy'), () => copy(text), {
        class: 'quiet', 'aria-label': t('Copy the {named}', { named }), 'data-testid': 'code-copy',
      })),
    h('pre', { tabindex: '0', role: 'group', 'aria-label': named }, code));
  return {
    node,
    append(piece) {
      text += piece;
      grow(piece);
    },
    end: () => highlight(code, text, language),
  };
}
