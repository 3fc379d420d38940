// Markdown as nodes of the page. The library `marked` reads it into tokens; each kind of token has a row
// here that builds nodes. No text is ever read as HTML, and nothing is loaded from elsewhere.

import { h, t } from '../common/dom.js';
import { codeBlock } from './code_block.js';

let library = null;
let loading = null;

/** Resolves when the library is there, or will not come: then texts stay as they are. */
export function loadMarkdown() {
  loading ??= import('/assets/marked.js').then(() => {
    library = globalThis.marked;
    library.use({ tokenizer: costs, extensions: formulas });
  }, () => {});
  return loading;
}

// The library looks at all that is left of a text at each step, and again for each level of a list, quotation or emphasis.
// So each step costs the characters that are left, and a text has a budget of steps. Texts that people write take a
// quarter of it.
const share = 200;
const most = 600000; // some ten milliseconds
let left = 0;
function charge(characters) {
  left -= characters;
  if (left < 0) throw new RangeError('This Markdown takes too long.');
  return false; // the library goes on
}
const costs = {
  // The first thing asked at each step of blocks. Each bar of a line may end the first cell of a table's head.
  space(text) {
    for (const line of text.split('\n')) charge((line.split('|').length - 1) * line.length / 16);
    return charge(text.length);
  },
  // The first thing asked at each step of what is in a line.
  escape: (text) => charge(text.length),
  // All items are read in one step.
  list: (text) => /^ {0,3}(?:[*+-]|\d)/.test(text) && charge(text.split('\n').length * text.length / 16),
};

// Formulas of TeX. A dollar begins one before a character and ends it after one, and not before a digit: prices stay text, by the
// rule of Pandoc. None goes on over an empty line.
const within = (no = '') => String.raw`((?:\\[^]|[^\\\n${no}]|\n(?![ \t]*\n)){1,1500}?)`;
const display = String.raw`(?:\$\$${within('$`')}\$\$|\\\[${within()}\\\])`;
const own = new RegExp(String.raw`^ {0,3}${display}[ \t]*(?:\n|$)`);
const inLine = new RegExp(String.raw`^(?:${display}|\\\(${within()}\\\)|\$${within('$`')}\$(?!\d))`);

function formulaToken(type, found) {
  if (!found) return undefined;
  const [raw, dollars, brackets, round, dollar] = found;
  if (dollar && dollar.trim() !== dollar) return undefined;
  return { type, raw, tex: dollars ?? brackets ?? round ?? dollar, display: Boolean(dollars ?? brackets) };
}

const formulas = [{
  name: 'display',
  level: 'block',
  start: (text) => text.search(/\n {0,3}(?:\$\$|\\\[)/),
  tokenizer: (text) => formulaToken('display', own.exec(text)),
}, {
  name: 'formula',
  level: 'inline',
  start: (text) => text.search(/\$|\\[[(]/),
  tokenizer: (text) => formulaToken('formula', inLine.exec(text)),
}];

const names = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' };
const lastCharacter = 0x10ffff;

/** The library escapes for HTML, and a writer may have done so: here the characters themselves stand. */
function plain(text) {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w+));/gi, (whole, decimal, hex, name) => {
    if (name) return names[name] ?? whole;
    const code = decimal ? Number(decimal) : Number.parseInt(hex, 16);
    return code <= lastCharacter ? String.fromCodePoint(code) : whole;
  });
}

const inside = (token) => nodes(token.tokens ?? [], inlineRows);

function address(text) {
  try {
    const url = new URL(text);
    return ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url : null;
  } catch {
    return null;
  }
}

/** A link that says where it leads, unless its own text does. */
function link(target, words, content) {
  const url = address(target);
  if (!url) return [...content, ` (${target})`];
  const place = url.host || url.pathname;
  const anchor = h('a', {
    href: url.href, target: '_blank', rel: 'noopener noreferrer', referrerpolicy: 'no-referrer',
  }, content);
  return [target, url.href, place].includes(words) ? [anchor]
    : [anchor, h('span', { class: 'host' }, ` (${place})`)];
}

/** Text until it is drawn, by a module that is loaded then. */
function formula({ raw, tex, display: isWide }) {
  const node = h('span', {
    class: isWide ? 'formula wide' : 'formula', 'data-testid': 'formula', ...(isWide && { tabindex: '0', role: 'group', 'aria-label': t('Formula') }),
  }, raw.trim());
  import('./formulas.js').then(({ draw }) => draw({ node, tex, display: isWide })).catch(() => {}); // then it stays text
  return [node];
}

const inlineRows = {
  formula,
  text: (token) => [plain(token.text)],
  escape: (token) => [plain(token.text)],
  html: (token) => [token.raw],
  br: () => [h('br')],
  codespan: (token) => [h('code', { dir: 'ltr' }, plain(token.text))],
  strong: (token) => [h('strong', null, inside(token))],
  em: (token) => [h('em', null, inside(token))],
  del: (token) => [h('del', null, inside(token))],
  link: (token) => link(plain(token.href), plain(token.text), inside(token)),
  image: (token) => link(plain(token.href), '', [t('Picture: {title}', { title: plain(token.text) || t('untitled') })]),
};

function list(token) {
  const items = token.items.map((item) => h('li', { dir: 'auto' },
    item.task ? [item.checked ? '☑ ' : '☐ '] : [], nodes(item.tokens, blockRows)));
  const start = token.ordered && token.start !== 1 ? token.start : null;
  return [h(token.ordered ? 'ol' : 'ul', { start }, items)];
}

function table(token) {
  const cell = (tag, scope) => (content, column) =>
    h(tag, { scope, class: token.align[column] && `to-${token.align[column]}` }, inside(content));
  const head = h('tr', null, token.header.map(cell('th', 'col')));
  const rows = token.rows.map((row) => h('tr', null, row.map(cell('td'))));
  return [h('div', { class: 'wide-table', tabindex: '0', role: 'group', 'aria-label': t('Table') },
    h('table', null, h('thead', null, head), h('tbody', null, rows)))];
}

function code(token) {
  const block = codeBlock(token.lang);
  block.append(token.text);
  block.end();
  return [block.node];
}

const paragraph = (token) => [h('p', { dir: 'auto' }, inside(token))];
const blockRows = {
  space: () => [],
  def: () => [],
  paragraph,
  text: (token) => (token.tokens ? inside(token) : [plain(token.text)]),
  html: (token) => [h('p', { class: 'plain', dir: 'auto' }, token.raw.trimEnd())],
  display: (token) => [h('p', null, formula(token))],
  hr: () => [h('hr')],
  // The page's own headings are above these.
  heading: (token) => [h(`h${Math.min(5, token.depth + 2)}`, { dir: 'auto' }, inside(token))],
  blockquote: (token) => [h('blockquote', { dir: 'auto' }, nodes(token.tokens, blockRows))],
  code,
  list,
  table,
};

/** A kind of token that has no row is shown as it was written. */
function nodes(tokens, rows) {
  return tokens.flatMap((token) => (rows[token.type] ?? inlineRows.html)(token));
}

// Each of them takes up to half a second, and an answer may have hundreds.
const mostCostly = 3;

/** The nodes of a piece of an answer; as it was written, where the library is missing, fails or has taken too long. */
export function markdown(text, answer) {
  if (text === '') return [];
  left = Math.min(share * text.length, most);
  try {
    if (library && answer.costly < mostCostly) return nodes(library.lexer(text), blockRows);
  } catch {
    answer.costly += 1; // hostile or broken
  }
  return [h('p', { class: 'plain', dir: 'auto' }, text)];
}
