// One answer that grows on the page: what arrives is gathered and drawn once a frame.

import { byId, h } from './dom.js';
import { byFrame } from './pacing.js';
import { growingText } from './growing_text.js';

const log = byId('playground-log');
const atOnce = 20000; // characters drawn before the clock is asked

const atEnd = () => log.scrollHeight - log.scrollTop - log.clientHeight < 40;
export const toEnd = () => { log.scrollTop = log.scrollHeight; };

/** Changes the log; a person who reads its end still does afterwards. */
function following(change) {
  const follow = atEnd();
  const result = change();
  if (follow) toEnd();
  return result;
}

/** What is shown while nothing arrives: {node, heard(), end()}. */
function silence(stop) {
  const patience = Number(byId('playground').dataset.stallSeconds);
  const node = h('div', { class: 'note stalled', role: 'status', 'data-testid': 'playground-stalled' });
  let timer;
  const tell = () => following(() => node.replaceChildren(
    `Nothing has arrived for ${patience} seconds. `,
    h('button', { type: 'button', onclick: stop }, 'Stop')));
  function end() {
    clearTimeout(timer);
    node.replaceChildren();
  }
  function heard() {
    clearTimeout(timer);
    if (node.firstChild) node.replaceChildren();
    timer = setTimeout(tell, patience * 1000);
  }
  return { node, heard, end };
}

/**
 * An answer: {node, append(text), note(words), fail(error), text(), finish(state)}. finish resolves
 * once everything that arrived is drawn. stop is what the button of a stalled answer does.
 */
export function growingAnswer(stop) {
  const body = h('div', { class: 'said', dir: 'auto', 'data-testid': 'playground-answer-text' });
  const foot = h('div', { class: 'said-foot' });
  const quiet = silence(stop);
  const node = h('div', {
    class: 'answer', 'data-testid': 'playground-answer', 'data-state': 'waiting',
  }, body, quiet.node, foot);
  const grow = growingText(body);
  let text = '';
  let shown = 0;
  let drawn = () => {};

  const draw = byFrame((clock) => following(() => {
    while (shown < text.length && !clock.over()) {
      grow(text.slice(shown, shown + atOnce));
      shown = Math.min(shown + atOnce, text.length);
    }
    if (shown === text.length) drawn();
    return shown < text.length;
  }));
  const add = (child) => following(() => foot.append(child));
  quiet.heard();

  return {
    node,
    append(piece) {
      quiet.heard();
      if (text === '') node.dataset.state = 'streaming';
      text += piece;
      draw();
    },
    note: (words) => add(h('span', null, words)),
    fail: (error) => add(h('p', {
      class: 'error', role: 'alert', 'data-testid': 'playground-error',
    }, error.message)),
    text: () => text,
    async finish(state) {
      quiet.end();
      if (shown < text.length) await new Promise((resolve) => { drawn = resolve; });
      node.dataset.state = state;
    },
  };
}
