// One answer that grows on the page: what arrives is gathered and drawn once a frame.

import { button, byId, h, icon, providerSaid, t } from '../common/dom.js';
import { byFrame } from '../common/event_stream.js';
import { drawnMark } from '../common/provider_list.js';
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

const unmarked = ['llama-cpp', 'generic-compatible', 'serper']; // docs/decisions/0023

/** What is known of an answer: what one looks for in sight, the rest folded away: {node, add(words, kind)}. */
function facts() {
  const title = h('summary');
  const rest = h('span');
  const node = h('details', { class: 'facts', hidden: true, 'data-testid': 'playground-facts' }, title, rest);
  return {
    node,
    add(words, kind) {
      const place = kind === 'fact' ? title : rest;
      place.append(place.firstChild ? ' · ' : '', words);
      node.hidden = !title.firstChild;
      node.classList.toggle('bare', !rest.firstChild);
      title.tabIndex = rest.firstChild ? 0 : -1;
    },
  };
}

/**
 * An answer: {node, who, append(text), think(text), note(words, kind), fail(error), point(words, href), text(), data(), finish(state)}.
 * finish resolves once everything that arrived is drawn. who is shown above one of several from the beginning, with the mark of its type;
 * stop is what the button of a stalled answer does, again what its "Try again" does. data() is what pastAnswer() makes the answer of
 * again. A note of the kinds fact and more is no message but a fact of the answer.
 */
export function growingAnswer({ who, type, stop, again }) {
  const head = h('h3', { class: 'who', 'data-testid': 'answer-who' }, !type || unmarked.includes(type) ? null : drawnMark(type), who);
  const body = h('div', { class: 'said', dir: 'auto', 'data-testid': 'playground-answer-text' });
  const foot = h('div', { class: 'said-foot', 'data-testid': 'playground-notes' });
  const known = facts();
  const remedies = h('div', { class: 'row' }, button(t('Try again'), again, { 'data-testid': 'error-again' }));
  const copier = button(icon('copy'), () => copy(text), { class: 'quiet', title: t('Copy'), 'aria-label': t('Copy the answer'), 'data-testid': 'answer-copy' });
  const repeater = button(icon('replace'), again, {
    class: 'quiet', title: t('Try again'), 'aria-label': t('Try again with this question'), 'data-testid': 'answer-again',
  });
  const acts = h('div', { class: 'row acts', hidden: true }, copier, repeater);
  const quiet = silence(stop);
  const thought = thinking();
  const node = h('div', {
    class: 'answer', tabindex: '-1', 'data-testid': 'playground-answer', 'data-state': 'waiting',
  }, head, thought.node, body, quiet.node, foot, h('div', { class: 'answer-foot' }, acts, known.node));
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
    note(words, kind) {
      told.push(['note', words, kind]);
      if (kind === 'fact' || kind === 'more') known.add(words, kind);
      else foot.append(h('span', { class: kind }, words));
    },
    fail({ message, providerCode, providerSaid: words }) {
      const error = { message, providerCode, providerSaid: words };
      told.push(['fail', error]);
      foot.append(h('div', { class: 'note bad' },
        h('p', { role: 'alert', 'data-testid': 'playground-error' }, message), providerSaid(error), remedies));
      repeater.hidden = true;
    },
    point(words, href) {
      told.push(['point', words, href]);
      remedies.prepend(h('a', { href, class: 'button', 'data-testid': 'playground-remedy' }, words));
    },
    text: () => text,
    data: () => ({
      who, type, text, thoughts, ...(acts.hidden ? { told: [...told, ['note', t('Stopped.')]], state: 'stopped' } : { told, state: node.dataset.state }),
    }),
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
  const answer = growingAnswer({ who: data.who, type: data.type, stop: () => {}, again });
  if (data.thoughts) answer.think(data.thoughts);
  if (data.text) answer.append(data.text);
  for (const [what, ...given] of data.told) answer[what](...given);
  answer.finish(data.state);
  return { ...answer, data: () => data };
}
