// The playground's conversation: turns, each with a question and an answer, or up to three that are compared. A turn that was asked
// again has versions, and each of them has its own turns after it.
// The conversation as it is kept in this tab: it survives a reload and ends with the session, as drafts do
// (common/forms.js). A person may have the browser keep it longer (archive.js). It is never sent to the server but as the
// history of a question.
// The place in the conversation: a person who reads its end sees what arrives there, one who has scrolled up stays. The
// browser reports growth after it has laid out the page, so that no frame is laid out twice.
// The messages before a question, as the server takes them.

import { byId, notLoaded, plural, t, tell } from '../common/dom.js';
import { userId } from '../common/api.js';
import { confirmed } from '../common/dialogs.js';
import { pastAnswer } from './answer.js';
import { turnView } from './turn.js';

const place = `conversation ${userId}`;
const wish = `keeping ${userId}`;
const archive = () => import('./archive.js').catch(notLoaded);

/** Whether conversations are kept on this device: 'always', 'session' (until a sign-out, see common/forms.js) or null. */
export const keeping = () => localStorage.getItem(wish);

/** What the tab has kept, {id, cut: is something left out?, first}, or null. */
function kept() {
  try {
    return JSON.parse(sessionStorage.getItem(place));
  } catch {
    return null;
  }
}

let saidWithoutImages = false;

/** Whether the tab has room for a conversation, {id, …}, whose turns are that JSON. */
function fits(head, turns) {
  try {
    sessionStorage.setItem(place, `${JSON.stringify(head).slice(0, -1)},"first":${turns}}`);
    return true;
  } catch {
    return false;
  }
}

export const withoutImages = (turn) => turn && {
  ...turn, versions: turn.versions.map((version) => ({ ...version, images: [], next: withoutImages(version.next) })),
};

/** Keeps the texts where the images do not fit; else only which conversation it is, which the device may have. */
function keepInTab(head, turns, json) {
  sessionStorage.removeItem(place);
  if (!turns || fits(head, json)) return;
  const cut = { ...head, cut: true };
  const hasTexts = fits(cut, JSON.stringify(withoutImages(turns)));
  if (!hasTexts) fits(cut, null);
  if (keeping()) return;
  if (!hasTexts) {
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
const tools = [...byId('playground-tools').children];
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

/** What a conversation with these words is called until it gets a name. */
export function nameOf(words) {
  const line = words.trimStart().split('\n', 1)[0].trim();
  return (line.length > 80 ? `${[...line].slice(0, 78).join('').trimEnd()}…` : line) || t('Images');
}

/** What is in it to be found by. */
const wordsShown = () => shown().map(versionOf)
  .flatMap(({ question, answers }) => [question, ...answers.map((answer) => answer?.text() ?? '')]).join('\n');

/**
 * The conversation as the device has it. stamps: of this tab's last save and of the one it tries; if the device has another,
 * then another tab has saved. next: what is to be saved.
 */
const onDevice = (id, stamps = []) => ({ id, stamps, next: null, isSaving: false });

const tried = `${place} tried`; // survives a reload, which may come before the device has it
let device = onDevice(crypto.randomUUID());
let mirrored = ''; // what the device has, or is about to have

function keepStamps(isSaved) {
  try {
    if (keeping()) sessionStorage.setItem(tried, JSON.stringify({ stamps: device.stamps, isSaved }));
  } catch {
    // Full of images: the device's conversation goes on as a copy after a reload.
  }
}

async function saveOn(to) {
  const { saveAll } = await archive();
  await saveAll(to, {
    saved: () => { if (to === device) keepStamps(!to.next); },
    copied() {
      if (to === device) keep();
      tell(t('This conversation was changed in another tab. This tab goes on with a copy.'));
    },
  });
}

/** Keeps the conversation as it is now; resolves when the device has it, too, where it shall, or that has failed. */
async function keep() {
  const turns = plain(first);
  const json = JSON.stringify(turns);
  const isNew = keeping() && turns && `${device.id}${json}` !== mirrored;
  keepInTab({ id: device.id }, turns, json);
  if (!isNew) return;
  mirrored = `${device.id}${json}`;
  const changed = Math.max(Date.now(), ...device.stamps.map((each) => each + 1));
  const words = wordsShown();
  device.stamps = [...device.stamps.slice(0, 1), changed];
  device.next = { id: device.id, changed, turns, words, title: nameOf(words) };
  keepStamps(false);
  await saveOn(device).catch((error) => {
    mirrored = '';
    tell(error.message, true);
  });
}

/** Keeps what has arrived since; a sign-out meanwhile has ended it. */
export function keepConversation() {
  if (kept()) keep();
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
  byId('playground-clear').disabled = path.length === 0;
  keep();
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

/** Puts another conversation in the place of the one that is shown, whose answers stop. */
function show(turns, to, isSaved = true) {
  for (const turn of shown()) turn.stop();
  byId('toast').textContent = ''; // an Undo in it was for the other
  device = to;
  first = restored(turns);
  mirrored = isSaved ? `${device.id}${JSON.stringify(plain(first))}` : '';
  keepStamps(isSaved);
  draw();
  toEnd();
}

/** Begins another one. */
export const startAnew = () => show(null, onDevice(crypto.randomUUID()));

/** Shows one that the device has kept; false when it is gone. */
export async function openKept(id) {
  const found = await (await archive()).load(id);
  if (found) show(found.turns, onDevice(id, [found.changed]));
  return Boolean(found);
}

/** Which one is shown. */
export const shownId = () => device.id;

/** Keeps the one that is shown on the device from now on. */
export function beginKeeping(how) {
  localStorage.setItem(wish, how);
  mirrored = '';
  return keep();
}

export const endKeeping = () => localStorage.removeItem(wish);

/** Shows what was kept. askAnew(turn, text) and again(turn, lane) get other answers to a turn. */
export function startConversation(handlers) {
  work = handlers;
  const data = kept();
  const { stamps, isSaved } = JSON.parse(sessionStorage.getItem(tried)) ?? {};
  if (data?.first) show(data.first, onDevice(data.id, stamps), isSaved);
  else draw();
  if (data?.cut && keeping()) openKept(data.id).catch((error) => tell(error.message, true));
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

/** The question was not taken: it goes, unless another conversation is shown by now. */
export function takeBack(turn) {
  if (!shown().includes(turn)) return;
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

/** Begins another conversation; one that is in this tab alone is lost by that, so it asks. */
export async function askToClear() {
  const text = t('It exists only in this tab. This can’t be undone.');
  if (keeping() || (await confirmed(t('Clear the conversation?'), text, t('Clear')))) startAnew();
}

/** The turn that was asked last, or none. */
export const lastTurn = () => shown().at(-1);

/** A name for a file of it. */
export const fileName = () =>
  `${nameOf(wordsShown()).replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-|-$/g, '').slice(0, 60) || 'conversation'}.md`;

export const editLast = () => {
  const last = shown().at(-1);
  last?.view.edit(last.question());
};
