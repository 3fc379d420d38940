// A Markdown text that grows: pieces that are finished are drawn once, the last one each time.

import { h } from '../common/dom.js';
import { Blocks } from './markdown_blocks.js';
import { codeBlock } from './code_block.js';
import { markdown } from './markdown.js';

/** {push(text), end(), draw(clock)} for a node; draw returns true while it has not come to the end. */
export function richText(node) {
  const blocks = new Blocks();
  const last = h('div');
  let code = null;
  let tail = '';
  node.append(last);

  function place(piece) {
    if (piece.text) last.before(...markdown(piece.text));
    if (piece.open !== undefined) {
      code = codeBlock(piece.open);
      last.before(code.node);
    }
    if (piece.code) code.append(piece.code);
  }

  return {
    push: (text) => blocks.push(text),
    end: () => blocks.end(),
    draw(clock) {
      for (let piece; (piece = blocks.next());) {
        place(piece);
        if (clock.over()) return true;
      }
      if (tail !== blocks.tail()) last.replaceChildren(...markdown(blocks.tail()));
      tail = blocks.tail();
      return false;
    },
  };
}
