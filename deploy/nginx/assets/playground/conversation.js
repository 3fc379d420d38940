// The playground's conversation, turn by turn: a question, and an answer or two that are compared.

import { button, byId, h } from '../common/dom.js';
import { toEnd } from './answer.js';
import { copy } from './code_block.js';
import { confirmed } from '../common/dialogs.js';
import { t } from '../common/language.js';

const log = byId('playground-log');
const empty = byId('playground-empty');
const tools = ['playground-copy', 'playground-clear'].map(byId);
// The rest of a request is for the message, the system prompt and what JSON adds to both.
const { maxBody, maxHistory, maxContent } = byId('playground').dataset;
const roomForHistory = Number(maxBody) * 0.74;
let turns = [];
let ask = () => {};

/** ask(turn) gets the answers to a turn whose question was changed. */
export function startConversation(asking) {
  ask = asking;
}

const isControl = (sign) => (sign < ' ' && !'\t\r\n'.includes(sign)) || (sign >= '\u007f' && sign <= '\u009f');

/** The text as the server takes it in a history: without control characters, and not too long. */
function fitting(text) {
  return [...text].filter((sign) => !isControl(sign)).slice(0, Number(maxContent)).join('');
}

/** The messages of this lane before the turn that fit: {history, leftOut: turns, shortened: is an answer cut?}. */
export function pastOf(turn, lane) {
  const before = turns.slice(0, turns.indexOf(turn))
    .map((one) => [one.question, (one.answers[lane] ?? one.answers[0])?.text() ?? ''])
    .filter(([, answer]) => answer !== '')
    .map(([question, answer]) => ({
      pair: [{ role: 'user', content: question }, { role: 'assistant', content: fitting(answer) }],
      shortened: [...answer].length > Number(maxContent),
    }));
  const size = ({ pair }) => new TextEncoder().encode(JSON.stringify(pair)).length;
  let room = roomForHistory;
  let first = before.length;
  const fits = () => 2 * (before.length - first) < Number(maxHistory) && (room -= size(before[first - 1])) >= 0;
  while (first > 0 && fits()) first -= 1;
  const sent = before.slice(first);
  return {
    history: sent.flatMap((one) => one.pair), leftOut: first, shortened: sent.some((one) => one.shortened),
  };
}

function drawTools() {
  for (const tool of tools) tool.disabled = turns.length === 0;
}

function clearConversation() {
  turns = [];
  log.replaceChildren(log.firstElementChild, empty);
  drawTools();
}

/** The whole conversation as a Markdown text. */
export function asMarkdown() {
  const said = (answer) => `**${answer.who}**\n\n${answer.text()}`;
  return turns.map((turn) => [`**${t('You')}**\n\n${turn.question}`, ...turn.answers.map(said)].join('\n\n'))
    .join('\n\n---\n\n');
}

function remove(turn) {
  const index = turns.indexOf(turn);
  const near = turns[index + 1] ?? turns[index - 1];
  turn.stop();
  turns = turns.filter((one) => one !== turn);
  turn.node.remove();
  if (turns.length === 0) clearConversation();
  (near?.node.querySelector('button') ?? byId('playground-message')).focus();
}

/** The question as a field to change it in; what was answered stays until it is sent again. */
function edit(turn) {
  const area = h('textarea', { rows: '3', dir: 'auto', 'aria-label': t('Question'), 'data-testid': 'question-field' });
  const back = () => {
    form.replaceWith(turn.asked);
    turn.asked.querySelector('button').focus();
  };
  const form = h('form', { class: 'stack editing', novalidate: true }, area,
    h('div', { class: 'row end' }, button(t('Cancel'), back),
      h('button', { class: 'primary', 'data-testid': 'question-resend' }, t('Send again'))));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const text = area.value.trim();
    if (text === '' || !ask(turn, text)) return;
    back();
  });
  area.value = turn.question;
  turn.asked.replaceWith(form);
  area.focus();
}

function drawQuestion(turn) {
  turn.bubble.replaceChildren(h('span', { class: 'away' }, `${t('You')}: `), turn.question);
}

/** Adds a question to the log: {question, answers, say(text), show(lane, answer), stop}. */
export function addTurn(question) {
  const act = (label, what, work) => button(label, work, {
    class: 'quiet', 'aria-label': t('{label} the question', { label }), 'data-testid': `question-${what}`,
  });
  const turn = { question, answers: [], stop: () => {} };
  turn.bubble = h('div', { class: 'question', dir: 'auto', 'data-testid': 'playground-question' });
  turn.asked = h('div', { class: 'asked' }, turn.bubble, h('div', { class: 'row acts' },
    act(t('Copy'), 'copy', () => copy(turn.question)),
    act(t('Edit'), 'edit', () => edit(turn)),
    act(t('Delete'), 'delete', () => remove(turn))));
  const place = h('div', { class: 'answers' });
  turn.node = h('div', { class: 'turn', 'data-testid': 'playground-turn' }, turn.asked, place);
  turn.say = (text) => {
    turn.question = text;
    drawQuestion(turn);
  };
  turn.show = (lane, answer) => {
    const old = turn.answers[lane];
    const focused = old?.node.contains(document.activeElement);
    if (old) old.node.replaceWith(answer.node);
    else place.append(answer.node);
    if (focused) answer.node.focus();
    turn.answers[lane] = answer;
    place.classList.toggle('compared', place.children.length > 1);
  };
  drawQuestion(turn);
  empty.remove();
  turns.push(turn);
  log.append(turn.node);
  drawTools();
  toEnd();
  return turn;
}

/** Wipes the conversation after asking; its answers stop. */
export async function askToClear() {
  const text = t('The questions and answers are on this page only.');
  if (!(await confirmed(t('Clear the conversation?'), text, t('Clear')))) return;
  for (const turn of turns) turn.stop();
  clearConversation();
}
