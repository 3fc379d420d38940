// The playground's page: message, providers and options; sending, stopping, comparing. Its parts lie in playground/; what it
// shares with the other pages, in common/.
//
// data-testid marks for browser tests:
//   top           playground-conversations playground-clear playground-compare playground-more playground-copy playground-save
//                 playground-print playground-code
//   log           playground-log playground-none playground-prompt playground-turn playground-question answer-who question-copy question-edit
//                 question-field question-resend question-delete playground-answer[data-state]
//                 playground-answer-text playground-thinking playground-thought code-block
//                 code-copy playground-facts playground-notes playground-stalled answer-copy answer-again
//                 playground-error playground-remedy error-again
//   composer      playground-message playground-send playground-stop playground-model playground-model-2
//                 playground-model-3 compare-without-2 compare-without-3 compare-add playground-options playground-system
//                 playground-temperature playground-max-tokens playground-stream
//                 playground-add-images playground-files playground-images playground-images-error playground-image (in the log, too)
//                 image-remove image-allow playground-kept
//   list          chooser-search chooser-option chooser-none

import { attempt, byId, h, locale, notLoaded, t, tell, tellFailure } from './common/dom.js';
import { clearErrors, showError } from './common/dialogs.js';
import { forgetDrafts, restoreDrafts } from './common/forms.js';
import { find, keepFresh, load, watch } from './common/provider_list.js';
import { onGone, post } from './common/api.js';
import { growingAnswer } from './playground/answer.js';
import { copy } from './playground/code_block.js';
import {
  addTurn, askToClear, asMarkdown, before, branch, editLast, fileName, historyOf, keepConversation, keeping, lastTurn,
  startConversation, takeBack,
} from './playground/conversation.js';
import { chooseImages, chosenImages, startImages } from './playground/images.js';
import { loadMarkdown } from './playground/markdown.js';
import { playgroundCall } from './playground/playground_call.js';
import { drawTargets, lanes, noteAsked, restoreTargets, startTargets, targets } from './playground/targets.js';

const panel = byId('playground');
const form = byId('playground-form');
const { message, system, temperature, maxTokens, stream } = form.elements;
const send = byId('playground-send');
const stop = byId('playground-stop');
const options = byId('playground-options');
const more = byId('playground-more');
const counter = byId('playground-counter');
const mostSigns = Number(panel.dataset.maxMessage);
const iconOf = (name) => new URL(`${name}.svg`, import.meta.url).href;
const icons = { idle: iconOf('favicon'), busy: iconOf('favicon-busy') };
const touches = matchMedia('(pointer: coarse)'); // no Shift there: Enter starts a line, the button sends
let running = null;
let sent = null; // {turn, bodies by lane} of what was asked last

const allReady = (which = lanes()) => which.every((lane) => targets[lane].ready());

function drawSend() {
  byId('playground-add-images').hidden = !allReady();
  send.disabled = !allReady();
}

function request(turn, lane) {
  const to = targets[lane];
  const { provider, model } = to.at();
  const images = to.sees() ? turn.images() : null;
  const past = historyOf(before(turn, lane), images);
  const body = {
    providerId: provider.id, message: turn.question(), stream: stream.checked, reasoning: true,
  };
  if (model) body.modelId = model.modelId;
  if (system.value.trim()) body.system = system.value.trim();
  if (temperature.value !== '') body.temperature = temperature.valueAsNumber;
  if (maxTokens.value !== '') body.maxTokens = maxTokens.valueAsNumber;
  if (images?.length) body.images = images;
  if (past.history.length) body.history = past.history;
  past.blind ||= !images && turn.images().length > 0;
  return { body, past };
}

/** Marks that answers arrive, or no longer do. The focus stays, unless its place goes. */
function mark(controller) {
  running = controller;
  document.querySelector('link[rel="icon"]').href = controller ? icons.busy : icons.idle;
  const [comes, goes] = controller ? [stop, send] : [send, stop];
  const focused = document.activeElement === goes;
  comes.hidden = false;
  if (focused) comes.focus();
  goes.hidden = true;
  byId('playground-log').setAttribute('aria-busy', String(Boolean(controller)));
}

/** Shows a fault beside its field; true when there is one that a person can mend here. */
function pointAt(error) {
  if (!['message', 'images', 'system', 'temperature', 'maxTokens'].includes(error?.field)) return false;
  if (!['message', 'images'].includes(error.field)) options.open = true;
  showError(form, error);
  return true;
}

async function answerIn(turn, lane, controller, headed) {
  const { body, past } = request(turn, lane);
  const { provider: { name: who, type }, model } = targets[lane].at();
  const name = model?.displayName;
  const halt = () => controller.abort();
  const answer = growingAnswer({
    who: [who, name].filter(Boolean).join(' · '), type, stop: halt, again: () => again(turn, lane),
  });
  sent.bodies.push(body);
  turn.stop = halt;
  turn.show(lane, answer);
  if (past.shortened) {
    answer.note(t('An earlier answer was too long and was shortened for the model.'), 'warn');
  }
  if (past.leftOut > 0) answer.note(t('The oldest messages no longer fit and were left out.'), 'warn');
  if (past.blind) answer.note(t('Some images were left out.'), 'warn');
  return playgroundCall({ body, signal: controller.signal, answer, who, name, headed });
}

/** Gets the answers of a turn; resolves to whether the server took the question. */
async function answerTurn(turn, which) {
  clearErrors(form);
  sent = { turn, bodies: [] };
  noteAsked(which);
  const controller = new AbortController();
  mark(controller);
  let errors = [];
  try {
    errors = await Promise.all(which.map((lane) => answerIn(turn, lane, controller, which.length > 1)));
  } finally {
    mark(null);
    keepConversation();
  }
  load().catch(() => {});
  return !errors.some(pointAt);
}

/** Throws when no question can be asked now. */
function mayAsk(which) {
  if (running) throw new Error(t('Wait for the answer, or stop it first.'));
  if (!allReady(which)) throw new Error(t('Choose a model first.'));
}

/** The service sends images only to models with “Vision”, which those that were added by their id have not: one can say so here. */
function mayAddImages(which = lanes()) {
  const blind = which.find((lane) => !targets[lane].sees());
  if (blind === undefined) return;
  const { provider, model } = targets[blind].at();
  if (!model) throw new Error(t('{name} reads no images.', provider));
  const allow = async () => {
    const capabilities = [model.capabilities, 'vision'].filter(Boolean).join(',');
    await post(`/user/providers/${provider.id}/models/capabilities?modelId=${encodeURIComponent(model.modelId)}`, { capabilities });
    await load();
  };
  throw Object.assign(new Error(t('{displayName} is not known to read images.', model)), {
    act: { label: t('It reads images'), work: allow, testid: 'image-allow' },
  });
}

/** The same of a turn that is there already. A question without words is one about its images. */
function mayAskAgain(turn, text, which) {
  mayAsk(which);
  if (text !== '') return;
  if (turn.images().length > 0) mayAddImages(which);
  else throw new Error(t('The images of this conversation are too large to be kept: a reload loses them.'));
}

async function again(turn, lane) {
  mayAskAgain(turn, turn.question(), [lane]);
  branch(turn, turn.question(), [lane]);
  await answerTurn(turn, [lane]);
}

function fit() {
  message.style.height = 'auto';
  message.style.height = `${message.scrollHeight + message.offsetHeight - message.clientHeight}px`;
}

const length = () => [...message.value.trim()].length;

/** How long the message is, once that matters. */
function drawCounter() {
  const near = message.value.length > 0.9 * mostSigns && length() > 0.9 * mostSigns;
  counter.textContent = near
    ? t('{count} of {most} characters', { count: length().toLocaleString(locale), most: mostSigns.toLocaleString(locale) }) : '';
  counter.classList.toggle('error', near && length() > mostSigns);
}

function write(text) {
  message.value = text;
  message.dispatchEvent(new Event('input', { bubbles: true }));
}

async function submit() {
  const text = message.value.trim();
  const images = chosenImages();
  if (text === '' && images.length === 0) return;
  mayAsk(lanes());
  if (images.length > 0) mayAddImages();
  if (length() > mostSigns) throw new Error(t('This message is too long. It has not been sent.'));
  write('');
  forgetDrafts(message.parentElement);
  chooseImages([]);
  const turn = addTurn(text, images);
  if (await answerTurn(turn, lanes())) return;
  takeBack(turn);
  chooseImages([...images, ...chosenImages()]);
  write([text, message.value].filter(Boolean).join('\n\n'));
}

/** A changed question is answered anew, as another version of its turn; false when that cannot be now. */
function askAnew(turn, text) {
  if (text === '' && turn.question() !== '') return false;
  try {
    mayAskAgain(turn, text, lanes());
  } catch (error) {
    tellFailure(error);
    return false;
  }
  branch(turn, text, [...targets.keys()]);
  answerTurn(turn, lanes()).catch(tellFailure);
  return true;
}

/** What is set stands on the closed options, too: it goes with each message. */
function drawOptions() {
  const set = [
    system.value.trim() && t('system prompt set'),
    temperature.value && t('temperature {temperature}', { temperature: temperature.value }),
    maxTokens.value && t('at most {count} tokens', { count: maxTokens.valueAsNumber.toLocaleString(locale) }),
  ].filter(Boolean);
  byId('playground-set').textContent = set.map((each) => ` · ${each}`).join('');
}

/** The last message as it was sent; after a reload, as it would be. */
function sentLast() {
  const turn = lastTurn();
  const bodies = sent?.turn === turn ? sent.bodies.filter((body) => body.message === turn.question()) : [];
  if (bodies.length > 0) return bodies;
  if (!allReady()) throw new Error(t('Choose a model first.'));
  return lanes().map((lane) => request(turn, lane).body);
}

function saveAsFile() {
  const address = URL.createObjectURL(new Blob([asMarkdown(), '\n'], { type: 'text/markdown' }));
  h('a', { href: address, download: fileName() }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60000); // the browser reads it some time after the click
}

/** Says how long a conversation is kept, and what becomes of it when another is begun. */
function drawKeeping() {
  byId('playground-kept').textContent = {
    always: t('Kept on this device'), session: t('Kept on this device until you sign out'),
  }[keeping()] ?? t('Kept in this tab only');
  byId('playground-clear-name').textContent = keeping() ? t('New') : t('Clear');
}

function draw(providers) {
  drawTargets();
  const none = !providers.some((one) => one.status === 'active');
  byId('playground-none').hidden = !none;
  byId('playground-ready').hidden = none;
}

async function start() {
  await load().catch((error) => tell(error.message, true));
}

onGone(async (path, body) => {
  await load();
  return find(body?.providerId) ? t('This model was removed in another window.')
    : t('This provider was deleted in another window.');
});
byId('late').remove();
keepFresh(start);
restoreDrafts(panel);
startConversation({ askAnew, again });
startImages(mayAddImages);
startTargets(drawSend);
for (const draw of [fit, drawCounter]) message.addEventListener('input', draw);
for (const draw of [fit, drawCounter, drawOptions, drawKeeping]) draw();
options.addEventListener('input', drawOptions);
watch(draw);
panel.addEventListener('focusin', loadMarkdown, { once: true });
form.addEventListener('submit', (event) => {
  event.preventDefault();
  submit().catch(tellFailure);
});
message.addEventListener('keydown', (event) => {
  if (event.isComposing) return;
  if (event.key === 'ArrowUp' && message.value === '') {
    event.preventDefault();
    editLast();
  } else if (event.key === 'Enter' && !event.shiftKey && !touches.matches) {
    event.preventDefault();
    submit().catch(tellFailure);
  }
});
document.addEventListener('keydown', ({ key, defaultPrevented }) => {
  if (key !== 'Escape' || defaultPrevented || document.querySelector('dialog[open], :popover-open')) return;
  const open = [options, more].find((each) => each.open);
  if (open?.contains(document.activeElement)) open.firstElementChild.focus();
  if (open) open.open = false;
  else running?.abort();
});
document.addEventListener('pointerdown', ({ target }) => {
  for (const each of [options, more]) if (!each.contains(target)) each.open = false;
});
addEventListener('beforeunload', (event) => {
  if (running) event.preventDefault();
});
addEventListener('pagehide', keepConversation);
for (const prompt of document.querySelectorAll('.prompts button')) prompt.addEventListener('click', () => {
  write(prompt.textContent);
  message.focus();
});
stop.addEventListener('click', () => running?.abort());
for (const [name, work] of Object.entries({
  copy: () => copy(asMarkdown()), save: saveAsFile, print: () => print(),
  code: async () => (await import('./playground/code_dialog.js').catch(notLoaded)).showCode(sentLast()),
})) {
  byId(`playground-${name}`)?.addEventListener('click', (event) => {
    more.firstElementChild.focus();
    more.open = false;
    attempt(event.currentTarget, work);
  });
}
byId('playground-conversations').addEventListener('click', (event) => attempt(event.currentTarget, async () =>
  (await import('./playground/conversations.js').catch(notLoaded)).showConversations(drawKeeping)));
byId('playground-clear').addEventListener('click', async () => {
  await askToClear();
  message.focus();
});
start().then(restoreTargets);
message.focus();
