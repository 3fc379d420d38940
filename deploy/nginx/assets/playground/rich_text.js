// A Markdown text that grows: pieces that are finished are drawn once, the last one each time. They are in parts of bounded
// size, each laid out and painted alone, so that the browser skips those out of sight.
// Cuts a growing Markdown text into pieces that cannot change any more, so that each is read and drawn
// once. Code between fences is recognised line by line.

import { h } from '../common/dom.js';
import { codeBlock } from './code_block.js';
import { markdown } from './markdown.js';

const longest = 4000; // characters of a block before it is cut at a line end
const most = 6000; // before it is cut ahead of its last line, or within its only one
const longestHead = 1000; // of a table that goes on in the next block
const fence = /^ {0,3}(`{3,}|~{3,}(?!~))([^`\n]*)$/;
const tableHead = /^[^\n|]*\|[^\n]*\n[ \t]*[|:-][ \t|:-]*\n/;

class Blocks {
  #rest = '';
  #known = 0; // how much of the rest has been looked at in vain
  #fence = null;
  #ended = false;

  push(text) { this.#rest += text; }

  end() {
    if (this.#rest !== '' && !this.#rest.endsWith('\n')) this.#rest += '\n';
    this.#ended = true;
  }

  /** The next piece, {text}, {open: language}, {code} or {close: true}; null until more has arrived. */
  next() { return this.#fence ? this.#inCode() : this.#inText(); }

  /** The beginning of a piece of text, as far as it has arrived. */
  tail() { return this.#fence ? '' : this.#rest; }

  #take(length) {
    const taken = this.#rest.slice(0, length);
    this.#rest = this.#rest.slice(length);
    this.#known = 0;
    return taken;
  }

  #open(line, [, mark, info]) {
    this.#take(line.length + 1);
    this.#fence = new RegExp(`^ {0,3}${mark[0]}{${mark.length},}[ \\t]*$`);
    return { open: info.trim().split(/\s/)[0] };
  }

  /** A table goes on with its head. */
  #takeLines(length) {
    const head = tableHead.exec(this.#rest)?.[0] ?? '';
    const text = this.#take(length);
    if (head.length < length && head.length <= longestHead) this.#rest = head + this.#rest;
    return { text };
  }

  /** Cuts a line at a word, else between two characters. */
  #takeWords() {
    const word = this.#rest.lastIndexOf(' ', most) + 1;
    const whole = /[\uDC00-\uDFFF]/.test(this.#rest[most]) ? most - 1 : most;
    return { text: this.#take(word || whole) };
  }

  #inText() {
    const text = this.#rest;
    let at = this.#known;
    for (let end; (end = text.indexOf('\n', at)) >= 0 && end <= most; at = end + 1) {
      const line = text.slice(at, end);
      const opening = fence.exec(line);
      if (opening) return at > 0 ? { text: this.#take(at) } : this.#open(line, opening);
      if (line.trim() === '') {
        const next = text[end + 1];
        if (next === undefined) break;
        // A line that is indented after an empty line still belongs to a list.
        if (!/\s/.test(next)) return { text: this.#take(end + 1) };
      } else if (end > longest) return this.#takeLines(end + 1);
    }
    this.#known = at;
    if (text.length > most) return at > 0 ? this.#takeLines(at) : this.#takeWords();
    return this.#ended && text !== '' ? { text: this.#take(text.length) } : null;
  }

  #inCode() {
    const text = this.#rest;
    let at = 0;
    for (let end; (end = text.indexOf('\n', at)) >= 0; at = end + 1) {
      if (!this.#fence.test(text.slice(at, end))) continue;
      if (at > 0) break;
      this.#take(end + 1);
      this.#fence = null;
      return { close: true };
    }
    if (at === 0 && text.length > longest) at = text.length;
    return at > 0 ? { code: this.#take(at) } : null;
  }
}

const mostOfPart = 6000; // characters of a part, until the next piece

/** {push(text), end(), draw(clock)} for a node; draw returns true while it has not come to the end. */
export function richText(node) {
  const blocks = new Blocks();
  const last = h('div', { class: 'growing' });
  let part = null;
  let size = 0;
  let code = null;
  let tail = '';
  const answer = { costly: 0 }; // pieces that took too long
  node.append(last);

  function add(...nodes) {
    if (!part || size > mostOfPart) {
      part = h('div', { class: 'part' });
      size = 0;
      last.before(part);
    }
    part.append(...nodes);
  }

  function place(piece) {
    if (piece.text) add(...markdown(piece.text, answer));
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
      if (tail !== blocks.tail()) last.replaceChildren(...markdown(blocks.tail(), answer));
      tail = blocks.tail();
      return false;
    },
  };
}
