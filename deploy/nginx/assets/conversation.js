// The playground's conversation: what was said, and an answer that grows on the page.

import { byId, h } from './dom.js';

const log = byId('playground-log');
const empty = byId('playground-empty');
// The rest of a request is for the message, the system prompt and what JSON adds to both.
const roomForHistory = Number(byId('playground').dataset.maxBody) * 0.75;
let turns = [];

const atEnd = () => log.scrollHeight - log.scrollTop - log.clientHeight < 40;
const toEnd = () => { log.scrollTop = log.scrollHeight; };

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
 * Puts a question into the log and gives the growing answer: append(text), note(text),
 * fail(error), end(state), isEmpty(). What was said, cut short or not, becomes part of the history.
 */
export function ask(question) {
  empty.remove();
  const text = document.createTextNode('');
  const body = h('div', { class: 'said', 'data-testid': 'playground-answer-text' });
  const foot = h('div', { class: 'said-foot' });
  const answer = h('div', {
    class: 'answer', 'data-testid': 'playground-answer', 'data-state': 'waiting',
  }, body, foot);
  body.append(text);
  log.append(h('div', { class: 'question', 'data-testid': 'playground-question' },
    h('span', { class: 'away' }, 'You: '), question), answer);
  log.setAttribute('aria-busy', 'true');
  toEnd();

  const grow = (change) => {
    const follow = atEnd();
    change();
    if (follow) toEnd();
  };
  const add = (...nodes) => grow(() => foot.append(...nodes));
  return {
    append(piece) {
      answer.dataset.state = 'streaming';
      grow(() => text.appendData(piece));
    },
    note: (words) => add(h('span', null, words)),
    fail: (error) => add(h('p', {
      class: 'error', role: 'alert', 'data-testid': 'playground-error',
    }, error.message)),
    end(state) {
      answer.dataset.state = state;
      log.removeAttribute('aria-busy');
      if (text.data === '') return;
      turns.push({ role: 'user', content: question }, { role: 'assistant', content: text.data });
    },
    isEmpty: () => text.data === '',
  };
}
