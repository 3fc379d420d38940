// The playground's conversation: what was said, turn by turn.

import { byId, h } from './dom.js';
import { growingAnswer, toEnd } from './answer.js';

const log = byId('playground-log');
const empty = byId('playground-empty');
// The rest of a request is for the message, the system prompt and what JSON adds to both.
const roomForHistory = Number(byId('playground').dataset.maxBody) * 0.75;
let turns = [];

/** The turns that still fit into one request beside the message, and how many did not. */
export function history() {
  const size = (turn) => new TextEncoder().encode(JSON.stringify(turn)).length;
  let room = roomForHistory;
  let first = turns.length;
  while (first > 0 && (room -= size(turns[first - 1])) >= 0) first -= 1;
  first += first % 2;
  return { history: turns.slice(first), leftOut: first };
}

export function clearConversation() {
  turns = [];
  log.replaceChildren(empty);
}

/**
 * Puts a question into the log and gives the growing answer; finish() makes what was said, cut short
 * or not, a part of the history.
 */
export function ask(question, stop) {
  const answer = growingAnswer(stop);
  empty.remove();
  log.append(h('div', { class: 'question', dir: 'auto', 'data-testid': 'playground-question' },
    h('span', { class: 'away' }, 'You: '), question), answer.node);
  log.setAttribute('aria-busy', 'true');
  toEnd();
  return {
    ...answer,
    async finish(state) {
      await answer.finish(state);
      log.removeAttribute('aria-busy');
      if (answer.text() === '') return;
      turns.push({ role: 'user', content: question }, { role: 'assistant', content: answer.text() });
    },
  };
}
