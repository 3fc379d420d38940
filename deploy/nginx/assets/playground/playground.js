// The playground: message, providers and options; sending, stopping, comparing.

import { attempt, byId, tell } from '../common/dom.js';
import { clearErrors, showError } from '../common/dialogs.js';
import { forgetDrafts, restoreDrafts } from '../common/drafts.js';
import { growingAnswer } from './answer.js';
import { copy } from './code_block.js';
import { addTurn, askToClear, asMarkdown, history, startConversation } from './conversation.js';
import { loadMarkdown } from './markdown.js';
import { playgroundCall } from './playground_call.js';
import { load, watch } from '../providers/store.js';
import { targetOf } from './targets.js';
import { t } from '../common/language.js';

const panel = byId('playground');
const form = byId('playground-form');
const { message, system, temperature, maxTokens, stream } = form.elements;
const send = byId('playground-send');
const stop = byId('playground-stop');
const compare = byId('playground-compare');
const targets = [targetOf('', drawSend), targetOf('-2', drawSend)];
const iconOf = (name) => new URL(`../${name}.svg`, import.meta.url).href;
const icons = { idle: iconOf('favicon'), busy: iconOf('favicon-busy') };
let running = null;

const comparing = () => compare.getAttribute('aria-pressed') === 'true';
const lanes = () => (comparing() ? [0, 1] : [0]);

function drawSend() {
  send.disabled = !lanes().every((lane) => targets[lane]?.ready());
}

/** Chooses a provider and goes to the message. */
export function tryProvider(id) {
  targets[0].choose(id);
  panel.scrollIntoView({ block: 'nearest' });
  message.focus();
}

function request(turn, lane) {
  const past = history(turn, lane);
  const to = targets[lane];
  const body = {
    providerId: to.provider().id, message: turn.question, stream: stream.checked, reasoning: true,
  };
  if (to.model()) body.modelId = to.model();
  if (system.value.trim()) body.system = system.value.trim();
  if (temperature.value !== '') body.temperature = temperature.valueAsNumber;
  if (maxTokens.value !== '') body.maxTokens = maxTokens.valueAsNumber;
  if (past.history.length) body.history = past.history;
  return { body, past };
}

/** Marks that answers arrive, or no longer do. The focus stays, unless its place goes. */
function mark(controller) {
  running = controller;
  document.querySelector('link[rel="icon"]').href = controller ? icons.busy : icons.idle;
  const stopped = document.activeElement === stop;
  stop.hidden = !controller;
  send.setAttribute('aria-disabled', String(Boolean(controller)));
  byId('playground-log').setAttribute('aria-busy', String(Boolean(controller)));
  if (!controller && stopped) message.focus();
}

function pointAt(error) {
  if (!['system', 'temperature', 'maxTokens'].includes(error?.field)) return;
  form.querySelector('.options').open = true;
  showError(form, error);
}

async function answerIn(turn, lane, controller) {
  const { body, past } = request(turn, lane);
  const who = targets[lane].provider().name;
  const halt = () => controller.abort();
  const answer = growingAnswer({
    who: [who, body.modelId].filter(Boolean).join(' · '), stop: halt, again: () => answerTurn(turn, [lane]),
  });
  turn.stop = halt;
  turn.show(lane, answer);
  if (past.shortened) {
    answer.note(t('An earlier answer was too long and was shortened for the model.'), 'warn');
  }
  if (past.leftOut > 0) answer.note(t('The oldest messages no longer fit and were left out.'), 'warn');
  pointAt(await playgroundCall({ body, signal: controller.signal, answer, who }));
}

async function answerTurn(turn, which) {
  if (running) throw new Error(t('Another answer is still arriving. Stop it first.'));
  if (!which.every((lane) => targets[lane].ready())) throw new Error(t('Choose a provider and a model first.'));
  clearErrors(form);
  const controller = new AbortController();
  mark(controller);
  try {
    await Promise.all(which.map((lane) => answerIn(turn, lane, controller)));
  } finally {
    mark(null);
  }
  load().catch(() => {});
}

function fit() {
  message.style.height = 'auto';
  message.style.height = `${message.scrollHeight + message.offsetHeight - message.clientHeight}px`;
}

function submit() {
  const text = message.value.trim();
  if (running || send.disabled || text === '') return;
  message.value = '';
  forgetDrafts(message.parentElement);
  fit();
  answerTurn(addTurn(text), lanes());
}

/** A changed question is answered anew in its place; false while another answer arrives. */
function askAnew(turn, text) {
  if (running) {
    tell(t('Another answer is still arriving. Stop it first.'), true);
    return false;
  }
  turn.say(text);
  answerTurn(turn, lanes()).catch((error) => tell(error.message, true));
  return true;
}

function toggleCompare() {
  compare.setAttribute('aria-pressed', String(!comparing()));
  panel.toggleAttribute('data-comparing', comparing());
  byId('playground-second').hidden = !comparing();
  if (comparing()) targets[1].differFrom(targets[0]);
  drawSend();
}

export function startPlayground() {
  startConversation(askAnew);
  restoreDrafts(panel);
  fit();
  watch((providers) => {
    for (const each of targets) each.draw(providers);
    panel.removeAttribute('data-loading');
  });
  panel.addEventListener('focusin', loadMarkdown, { once: true });
  form.addEventListener('submit', (event) => { event.preventDefault(); submit(); });
  message.addEventListener('input', fit);
  message.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    submit();
  });
  stop.addEventListener('click', () => running?.abort());
  compare.addEventListener('click', toggleCompare);
  byId('playground-copy').addEventListener('click', (event) =>
    attempt(event.currentTarget, () => copy(asMarkdown())));
  byId('playground-clear').addEventListener('click', async () => {
    await askToClear();
    message.focus();
  });
}
