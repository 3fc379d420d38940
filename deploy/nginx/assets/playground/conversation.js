// The playground's conversation: turns, each with a question and an answer or two that are compared. A turn that was asked
// again has versions, and each of them has its own turns after it.
// The conversation as it is kept in this tab: it survives a reload and ends with the session, as drafts do
// (common/forms.js). It is never sent to the server but as the history of a question.
// The place in the conversation: a person who reads its end sees what arrives there, one who has scrolled up stays. The
// browser reports growth after it has laid out the page, so that no frame is laid out twice.
// The messages before a question, as the server takes them.

import { byId, plural, t, tell } from '../common/dom.js';
import { userId } from '../common/api.js';
import { confirmed } from '../common/dialogs.js';
import { pastAnswer } from './answer.js';
import { turnView } from './turn.js';

const place = `conversation ${userId}`;

/** What was kept, or null. */
export function kept() {
  try {
    return JSON.parse(sessionStorage.getItem(place));
  } catch {
    return null;
  }
}

let saidWithoutImages = false;

function fits(data) {
  try {
    sessionStorage.setItem(place, JSON.stringify(data));
    return true;
  } catch {
    return false;
  }
}

const withoutImages = (turn) => turn && {
  ...turn, versions: turn.versions.map((version) => ({ ...version, images: [], next: withoutImages(version.next) })),
};

/** Keeps the plain data of turns; null ends it. The texts are kept where the images do not fit. */
export function keep(data) {
  sessionStorage.removeItem(place);
  if (!data || fits(data)) return;
  if (!fits(withoutImages(data))) {
    tell(t('This conversation has become too long to be kept: a reload loses it.'), true);
  } else if (!saidWithoutImages) {
    saidWithoutImages = true;
    tell(t('The images of this conversation are too large to be kept: a reload loses them.'), true);
  }
}

const near = 40; // pixels above the end
const log = byId('playground-log');
const jump = byId('playground-jump');
let follows = true;
let top = 0;

function toEnd() {
  follows = true;
  log.scrollTop = first ? log.scrollHeight : 0;
}

log.addEventListener('scroll', () => {
  const left = log.scrollHeight - log.scrollTop - log.clientHeight;
  follows = left < 2 || (log.scrollTop >= top && (follows || left < near));
  top = log.scrollTop;
  jump.hidden = follows || !first;
});
jump.addEventListener('click', () => {
  log.focus({ preventScroll: true });
  toEnd();
});

// While a question is edited, the place stays.
const growth = new ResizeObserver(() => { if (follows && !log.querySelector('.editing')) toEnd(); });
for (const box of [log, byId('playground-talk')]) growth.observe(box);

// The rest of a request is for the message, the system prompt and what JSON adds to both.
const { maxBody, maxHistory, maxContent, maxAllImageBytes } = byId('playground').dataset;
const roomForHistory = Number(maxBody) * 0.74;

const isControl = (sign) => (sign < ' ' && !'\t\r\n'.includes(sign)) || (sign >= '\u007f' && sign <= '\u009f');

/** The text without control characters, and not too long. */
function fitting(text) {
  return [...text].filter((sign) => !isControl(sign)).slice(0, Number(maxContent)).join('');
}

const bytesOf = (images) => images.reduce((sum, { data }) => sum + data.length * 0.75, 0);

/** Gives the images of the last turns to their questions, as far as there is room; true when some are left out. */
function addImages(turns, room) {
  let left = room;
  for (const { pair, images } of [...turns].reverse()) {
    left -= bytesOf(images);
    if (images.length > 0 && left >= 0) pair[0].images = images;
  }
  return left < 0;
}

/**
 * Of [question, answer, images] each, those of the end that fit: {history, leftOut: how many do not, shortened: is an answer
 * cut?, blind: are images left out?}. `own`: the images of the question itself; null: the model reads none.
 */
export function historyOf(turns, own) {
  const before = turns.filter(([, answer]) => answer !== '').map(([question, answer, images]) => ({
    images,
    pair: [{ role: 'user', content: question }, { role: 'assistant', content: fitting(answer) }],
    shortened: [...answer].length > Number(maxContent),
  }));
  const size = ({ pair }) => new TextEncoder().encode(JSON.stringify(pair)).length;
  let room = roomForHistory;
  let first = before.length;
  const fits = () => 2 * (before.length - first) < Number(maxHistory) && (room -= size(before[first - 1])) >= 0;
  while (first > 0 && fits()) first -= 1;
  const sent = before.slice(first);
  const lost = addImages(sent, own ? Number(maxAllImageBytes) - bytesOf(own) : 0);
  const asked = sent.filter(({ pair: [question] }) => question.content !== '' || question.images);
  return {
    blind: lost || asked.length < sent.length, history: asked.flatMap((one) => one.pair), leftOut: first,
    shortened: asked.some((one) => one.shortened),
  };
}

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
  nodes.forEach((node, at) => { if (talk.children[at] !== node) talk.insertBefore(node, talk.children[at] ?? null); });
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

/** Takes a turn away; an Undo puts it with all its versions where it was, before what is there then. */
function remove(turn) {
  const path = shown();
  const at = path.indexOf(turn);
  const version = versionOf(turn);
  const before = path[at - 1] && versionOf(path[at - 1]);
  turn.stop();
  replace(turn, version.next);
  draw();
  ((path[at + 1] ?? path[at - 1])?.view.act() ?? byId('playground-message')).focus();
  const putBack = () => {
    version.next = before ? before.next : first;
    if (before) before.next = turn;
    else first = turn;
    draw();
  };
  const others = turn.versions.length - 1;
  const said = others === 0 ? t('The question is deleted.')
    : plural(others, 'The question and {count} other version are deleted.', 'The question and {count} other versions are deleted.');
  tell(said, false, false, { label: t('Undo'), work: putBack, testid: 'question-undo' });
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
