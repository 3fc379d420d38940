// Text that grows by appending. It is in blocks of bounded size, so that the layout of a change
// covers the last block and not the whole text.

import { h } from '../common/dom.js';

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
