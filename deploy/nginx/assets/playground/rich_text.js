// A Markdown text that grows: pieces that are finished are drawn once, the last one each time. They are in parts of bounded
// size, each laid out and painted alone, so that the browser skips those out of sight.

import { h } from '../common/dom.js';
import { Blocks } from './markdown_blocks.js';
import { codeBlock } from './code_block.js';
import { markdown } from './markdown.js';

const most = 6000; // characters of a part, until the next piece

/** {push(text), end(), draw(clock)} for a node; draw returns true while it has not come to the end. */
export function richText(node) {
  const blocks = new Blocks();
  const last = h('div', { class: 'growing' });
  let part = null;
  let size = 0;
  let code = null;
  let tail = '';
  node.append(last);

  function add(...nodes) {
    if (!part || size > most) {
      part = h('div', { class: 'part' });
      size = 0;
      last.before(part);
    }
    part.append(...nodes);
  }

  function place(piece) {
    if (piece.text) add(...markdown(piece.text));
    if (piece.open !== undefined) {
      code = codeBlock(piece.open);
      add(code.node);
    }
    if (piece.code) code.append(piece.code);
    if (piece.close) code.end();
    size += (piece.text ?? piece.code ?? '').length;
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
