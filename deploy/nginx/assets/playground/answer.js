// One answer that grows on the page: what arrives is gathered and drawn once a frame.

import { button, byId, h, providerSaid, t } from '../common/dom.js';
import { byFrame } from '../common/event_stream.js';
import { copy, growingText } from './code_block.js';
import { loadMarkdown } from './markdown.js';
import { richText } from './rich_text.js';

/** What is shown while nothing arrives: {node, heard(), end()}. */
function silence(stop) {
  const step = Number(byId('playground').dataset.stallSeconds);
  const node = h('div', { class: 'note stalled', role: 'status', 'data-testid': 'playground-stalled' });
  const words = h('span');
  const stopper = h('button', { type: 'button', onclick: stop }, t('Stop'));
  let timer;
  let patience; // seconds; a model may think for minutes
  function wait() {
    timer = setTimeout(() => {
      patience += step;
      words.textContent = t('Nothing has arrived for {patience} seconds.', { patience });
      if (!node.firstChild) node.replaceChildren(words, ' ', stopper);
      wait();
    }, step * 1000);
  }
  function end() {
    clearTimeout(timer);
    node.replaceChildren();
  }
  function heard() {
    clearTimeout(timer);
    if (node.firstChild) node.replaceChildren();
    patience = 0;
    wait();
  }
  return { node, heard, end };
}

/** What the model thought before it answered, folded away: {node, append(text), end()}. */
function thinking() {
  const title = h('summary', null, t('Thinking…'));
  const body = h('div', { class: 'thought', dir: 'auto', 'data-testid': 'playground-thought' });
  const node = h('details', { class: 'thinking', hidden: true, 'data-testid': 'playground-thinking' }, title, body);
  const grow = growingText(body);
  return {
    node,
    append(piece) {
      node.hidden = false;
      grow(piece);
    },
    end: () => { title.textContent = t('Thoughts'); },
  };
}

/**
 * An answer: {node, who, append(text), think(text), note(words, kind), fail(error), point(words, href), text(), data(), finish(state)}.
 * finish resolves once everything that arrived is drawn. who is shown above one of two from the beginning, stop is what the button of a stalled answer
 * does, again what its "Try again" does. data() is what pastAnswer() makes the answer of again.
 */
export function growingAnswer({ who, stop, again }) {
  const head = h('h3', { class: 'who', 'data-testid': 'answer-who' }, who);
  const body = h('div', { class: 'said', dir: 'auto', 'data-testid': 'playground-answer-text' });
  const foot = h('div', { class: 'said-foot', 'data-testid': 'playground-facts' });
  const copier = button(t('Copy'), () => copy(text), { class: 'quiet', 'aria-label': t('Copy the answer'), 'data-testid': 'answer-copy' });
  const acts = h('div', { class: 'row acts', hidden: true }, copier,
    button(t('Try again'), again, { class: 'quiet', 'aria-label': t('Try again with this question'), 'data-testid': 'answer-again' }));
  const quiet = silence(stop);
  const thought = thinking();
  const node = h('div', {
    class: 'answer', tabindex: '-1', 'data-testid': 'playground-answer', 'data-state': 'waiting',
  }, head, thought.node, body, quiet.node, foot, acts);
  const rich = richText(body);
  let text = '';
  let thoughts = '';
  let thoughtsToDraw = '';
  let ended = null; // resolves finish()
  const told = []; // [what, …arguments] of each line of the foot

  const draw = byFrame((clock) => {
    if (thoughtsToDraw) thought.append(thoughtsToDraw);
    thoughtsToDraw = '';
    if (rich.draw(clock)) return true;
    ended?.();
    return false;
  });
  const drawn = () => loadMarkdown().then(draw);
  function add(child, ...what) {
    foot.append(child);
    told.push(what);
  }
  quiet.heard();

  return {
    node,
    who,
    append(piece) {
      quiet.heard();
      if (text === '') {
        node.dataset.state = 'streaming';
        thought.end();
      }
      text += piece;
      rich.push(piece);
      drawn();
    },
    think(piece) {
      quiet.heard();
      thoughts += piece;
      thoughtsToDraw += piece;
      drawn();
    },
    note: (words, kind) => add(h('span', { class: kind }, words), 'note', words, kind),
    fail({ message, providerCode, providerSaid: words }) {
      const error = { message, providerCode, providerSaid: words };
      add(h('p', { class: 'error', role: 'alert', 'data-testid': 'playground-error' }, message), 'fail', error);
      foot.append(providerSaid(error) ?? '');
    },
    point: (words, href) => add(h('a', { href, 'data-testid': 'playground-remedy' }, words), 'point', words, href),
    text: () => text,
    data: () => (acts.hidden ? { who, text, thoughts, told: [...told, ['note', t('Stopped.')]], state: 'stopped' }
      : { who, text, thoughts, told, state: node.dataset.state }),
    async finish(state) {
      quiet.end();
      rich.end();
      await new Promise((resolve) => {
        ended = resolve;
        drawn();
      });
      copier.hidden = text === '';
      acts.hidden = false;
      node.dataset.state = state;
    },
  };
}

/** An answer that was kept, as it was. */
export function pastAnswer(data, again) {
  const answer = growingAnswer({ who: data.who, stop: () => {}, again });
  if (data.thoughts) answer.think(data.thoughts);
  if (data.text) answer.append(data.text);
  for (const [what, ...given] of data.told) answer[what](...given);
  answer.finish(data.state);
  return { ...answer, data: () => data };
}
