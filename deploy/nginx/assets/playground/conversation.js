// The playground's conversation: turns, each with a question and an answer or two that are compared. A turn that was asked
// again has versions, and each of them has its own turns after it.

import { byId } from '../common/dom.js';
import { confirmed } from '../common/dialogs.js';
import { pastAnswer } from './answer.js';
import { keep, kept } from './kept.js';
import { toEnd } from './place.js';
import { turnView } from './turn.js';
import { t } from '../common/language.js';

const talk = byId('playground-talk');
const empty = byId('playground-empty');
const tools = ['playground-copy', 'playground-clear'].map(byId);
let first = null;
let work = {};

const versionOf = (turn) => turn.versions[turn.at];

/** The turns that are shown, from the top. */
function shown() {
  const path = [];
  for (let turn = first; turn; turn = versionOf(turn).next) path.push(turn);
  return path;
}

/** What is kept of a turn and all after it. */
const plain = (turn) => turn && {
  at: turn.at,
  versions: turn.versions.map(({ question, images, answers, past, next }) => ({
    question, images, past: past ?? Array.from(answers, (answer) => answer?.data() ?? null), next: plain(next),
  })),
};

/** Keeps what has arrived since; a sign-out meanwhile has ended it. */
export function keepConversation() {
  if (kept()) keep(plain(first));
}

/** An answer that was kept is drawn when its version is shown. */
function drawPast(turn, version) {
  version.answers = (version.past ?? []).map((data, lane) => data && pastAnswer(data, () => work.again(turn, lane)));
  version.past = null;
}

function draw() {
  const path = shown();
  for (const turn of path) {
    const version = versionOf(turn);
    if (version.past) drawPast(turn, version);
    turn.view.draw(version, turn.at, turn.versions.length);
  }
  const nodes = path.map((turn) => turn.view.node);
  for (const old of [...talk.children]) if (!nodes.includes(old)) old.remove();
  talk.append(...nodes.filter((node) => node.parentElement !== talk));
  empty.hidden = path.length > 0;
  for (const tool of tools) tool.disabled = path.length === 0;
  keep(plain(first));
}

/** Puts something else in the place of a turn. */
function replace(turn, other) {
  const before = shown().find((one) => versionOf(one).next === turn);
  if (before) versionOf(before).next = other;
  else first = other;
}

function remove(turn) {
  const path = shown();
  const near = path[path.indexOf(turn) + 1] ?? path[path.indexOf(turn) - 1];
  turn.stop();
  replace(turn, versionOf(turn).next);
  draw();
  (near?.view.node.querySelector('button') ?? byId('playground-message')).focus();
}

function makeTurn(versions, at = 0) {
  const turn = { versions, at, stop: () => {} };
  turn.question = () => versionOf(turn).question;
  turn.images = () => versionOf(turn).images;
  turn.show = (lane, answer) => {
    versionOf(turn).answers[lane] = answer;
    draw();
  };
  turn.view = turnView({
    question: turn.question,
    send: (text) => work.askAnew(turn, text),
    remove: () => remove(turn),
    go(step) {
      turn.at += step;
      draw();
    },
  });
  return turn;
}

const restored = (data) => data && makeTurn(
  data.versions.map((version) => ({ images: [], ...version, answers: [], next: restored(version.next) })), data.at);

/** Shows what was kept. askAnew(turn, text) and again(turn, lane) get other answers to a turn. */
export function startConversation(handlers) {
  work = handlers;
  first = restored(kept());
  draw();
  toEnd();
}

/** Adds a question: {question(), images(), stop, show(lane, answer)}. */
export function addTurn(question, images) {
  const turn = makeTurn([{ question, images, answers: [], next: null }]);
  const last = shown().at(-1);
  if (last) versionOf(last).next = turn;
  else first = turn;
  draw();
  toEnd();
  return turn;
}

/** Another version of a turn, whose conversation goes on from there. `lanes` are asked; other answers stay. */
export function branch(turn, question, lanes) {
  const { images, answers, next } = versionOf(turn);
  const version = { question, images, answers: answers.map((answer, lane) => (lanes.includes(lane) ? null : answer)), next: null };
  const hasFailed = !next && lanes.every((lane) => !answers[lane]?.text());
  turn.versions.splice(hasFailed ? turn.at : turn.versions.length, hasFailed ? 1 : 0, version);
  turn.at = hasFailed ? turn.at : turn.versions.length - 1;
  draw();
}

/** The question was not taken: it goes. */
export function takeBack(turn) {
  replace(turn, null);
  draw();
}

/** [question, answer, images] of each turn before this one. */
export const before = (turn, lane) => shown().slice(0, shown().indexOf(turn)).map((one) => {
  const { question, answers, images } = versionOf(one);
  return [question, (answers[lane] ?? answers[0])?.text() ?? '', images];
});

/** The whole conversation as a Markdown text. */
export function asMarkdown() {
  const said = (answer) => `**${answer.who}**\n\n${answer.text()}`;
  return shown().map(versionOf)
    .map(({ question, answers }) => [`**${t('You')}**`, question, ...answers.filter(Boolean).map(said)].filter(Boolean).join('\n\n'))
    .join('\n\n---\n\n');
}

/** Wipes the conversation after asking; its answers stop. */
export async function askToClear() {
  const text = t('It is kept in this tab only, and cannot be brought back.');
  if (!(await confirmed(t('Clear the conversation?'), text, t('Clear')))) return;
  for (const turn of shown()) turn.stop();
  first = null;
  draw();
}

export const editLast = () => {
  const last = shown().at(-1);
  last?.view.edit(last.question());
};
