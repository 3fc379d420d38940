// Formulas: the library KaTeX reads TeX into a tree, and elements of MathML are made of it here: no text is ever read as HTML.
// Loaded when the first formula is there (docs/decisions/0024). A formula that cannot be drawn stays the text that it was.

import { byFrame } from '../common/event_stream.js';

const space = 'http://www.w3.org/1998/Math/MathML';
// A writer's own macros may grow without end, and links, pictures and HTML are no mathematics.
const refused = /\\(?:[egx]?def|let|futurelet|(?:re)?newcommand|providecommand|href|url|includegraphics|html\w+)(?![a-zA-Z])/;
const mostElements = 1000;
const mostOfFrame = 300; // elements that are drawn before the next frame: to lay them out takes longer than to make them
const mostDepth = 40; // elements within each other

const elements = new Set(('mrow mi mn mo mtext mspace mfrac msqrt mroot msub msup msubsup munder mover munderover mtable mtr mtd '
  + 'mstyle mpadded mphantom').split(' '));
const flag = /^(?:true|false)$/;
// A little back, and no further than the library lets one go forward.
const length = /^(?:-?[01]?(?:\.\d+)?|\d(?:\.\d+)?|10)(?:em|ex|px|pt)$/;
const attributes = {
  accent: flag, accentunder: flag, depth: length, displaystyle: flag, fence: flag, form: /^(?:prefix|infix|postfix)$/,
  height: length, largeop: flag, linethickness: length, lspace: length, mathvariant: /^normal$/, maxsize: length,
  minsize: length, movablelimits: flag, rspace: length, scriptlevel: /^[012]$/, separator: flag, stretchy: flag,
  symmetric: flag, voffset: length, width: length,
};
// Notations that a style draws.
const enclosed = { box: 'boxed', updiagonalstrike: 'struck', downdiagonalstrike: 'struck', horizontalstrike: 'struck' };

// Browsers want the letters of a variant as characters of their own: where A, a, 0, Α and α of it are in Unicode.
const variants = {
  bold: [0x1d400, 0x1d41a, 0x1d7ce, 0x1d6a8, 0x1d6c2], italic: [0x1d434, 0x1d44e], 'bold-italic': [0x1d468, 0x1d482, 0, 0x1d71c, 0x1d736],
  script: [0x1d49c, 0x1d4b6], fraktur: [0x1d504, 0x1d51e], 'double-struck': [0x1d538, 0x1d552, 0x1d7d8],
  'sans-serif': [0x1d5a0, 0x1d5ba, 0x1d7e2], monospace: [0x1d670, 0x1d68a, 0x1d7f6],
};
const ranges = ['AZ', 'az', '09', 'ΑΩ', 'αω'];
const older = { // letters that Unicode had before
  italic: { h: 'ℎ' },
  script: { B: 'ℬ', E: 'ℰ', F: 'ℱ', H: 'ℋ', I: 'ℐ', L: 'ℒ', M: 'ℳ', R: 'ℛ', e: 'ℯ', g: 'ℊ', o: 'ℴ' },
  fraktur: { C: 'ℭ', H: 'ℌ', I: 'ℑ', R: 'ℜ', Z: 'ℨ' },
  'double-struck': { C: 'ℂ', H: 'ℍ', N: 'ℕ', P: 'ℙ', Q: 'ℚ', R: 'ℝ', Z: 'ℤ' },
};

function letter(character, variant) {
  const range = ranges.findIndex(([first, last]) => first <= character && character <= last);
  const first = variants[variant][range];
  return older[variant]?.[character]
    ?? (first ? String.fromCodePoint(first + character.charCodeAt(0) - ranges[range].charCodeAt(0)) : character);
}

const letters = (text, variant) =>
  (Object.hasOwn(variants, variant ?? '') ? Array.from(text, (each) => letter(each, variant)).join('') : text);

/** An element of ours, its attributes by the list above. */
function element(name, given) {
  const node = document.createElementNS(space, name);
  for (const [key, value] of Object.entries(given)) {
    if (Object.hasOwn(attributes, key) && attributes[key].test(value)) node.setAttribute(key, value);
  }
  return node;
}

function align(table, columns) {
  for (const row of table.children) {
    [...row.children].forEach((cell, at) => {
      const to = columns[Math.min(at, columns.length - 1)];
      if (to === 'left' || to === 'right') cell.classList.add(`to-${to}`);
    });
  }
}

/** Copies the library's tree; what has no place in a formula gives way to what is in it. */
function copier() {
  let left = mostElements;
  return function copy(tree, depth, variant) {
    left -= 1;
    if (left < 0 || depth > mostDepth) throw new RangeError('This formula is too large.');
    if (tree.text !== undefined) return [letters(tree.text, variant)];
    const { type = '', attributes: given = {}, children = [], width } = tree;
    if (!type && width !== undefined) return [element('mspace', { width: `${Number(width.toFixed(4))}em` })];
    if (type === 'annotation') return [];
    const inside = children.flatMap((child) => copy(child, depth + 1, given.mathvariant));
    const frame = type === 'menclose' && (given.notation ?? '').split(' ').map((each) => enclosed[each]).find(Boolean);
    if (!elements.has(type) && !frame) return inside;
    const node = element(frame ? 'mrow' : type, given);
    if (frame) node.classList.add(frame);
    node.append(...inside);
    if (type === 'mtable') align(node, (given.columnalign ?? '').split(' '));
    return [node];
  };
}

/** The element of a formula. */
function math(tex, display) {
  if (refused.test(tex)) throw new RangeError('A command that is no mathematics.');
  const tree = globalThis.katex.__renderToDomTree(tex, {
    displayMode: display, output: 'mathml', throwOnError: true, strict: 'ignore', trust: false, maxExpand: 1000, maxSize: 10, macros: {},
  });
  const node = document.createElementNS(space, 'math');
  if (display) node.setAttribute('display', 'block');
  node.append(...copier()(tree, 0));
  return node;
}

const waiting = [];
const drawAll = byFrame((clock) => {
  for (let drawn = 0; waiting.length > 0;) {
    if (clock.over() || drawn > mostOfFrame) return true;
    const { node, tex, display } = waiting.shift();
    if (!node.isConnected || node.closest('.growing')) continue; // the next drawing replaces it
    try {
      node.replaceChildren(math(tex, display));
      drawn += node.querySelectorAll('*').length;
    } catch {
      // It stays text.
    }
  }
  return false;
});

let loading = null;

/** Draws a formula, {node, tex, display}, once its node stands in the page for good. */
export async function draw(formula) {
  loading ??= import('/assets/katex.js');
  await loading;
  waiting.push(formula);
  drawAll();
}
