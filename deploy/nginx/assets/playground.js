// The playground's page: message, providers and options; sending, stopping, comparing. Its parts lie in playground/; what it
// shares with the other pages, in common/.
//
// data-testid marks for browser tests:
//   top           playground-compare playground-copy playground-clear
//   log           playground-log playground-none playground-turn playground-question answer-who question-copy question-edit
//                 question-field question-resend question-delete playground-answer[data-state]
//                 playground-answer-text playground-thinking playground-thought code-block
//                 code-copy playground-facts playground-stalled answer-copy answer-again
//                 playground-error playground-remedy
//   composer      playground-message playground-send playground-stop playground-provider playground-model
//                 playground-provider-2 playground-model-2 playground-options playground-system
//                 playground-temperature playground-max-tokens playground-stream

import { attempt, byId, tell } from './common/dom.js';
import { clearErrors, showError } from './common/dialogs.js';
import { forgetDrafts, restoreDrafts } from './common/drafts.js';
import { keepFresh } from './common/freshness.js';
import { find, load, watch } from './common/provider_list.js';
import { onGone } from './common/api.js';
import { growingAnswer } from './playground/answer.js';
import { copy } from './playground/code_block.js';
import { addTurn, askToClear, asMarkdown, pastOf, startConversation } from './playground/conversation.js';
import { loadMarkdown } from './playground/markdown.js';
import { playgroundCall } from './playground/playground_call.js';
import { targetOf } from './playground/targets.js';
import { t } from './common/language.js';

const panel = byId('playground');
const form = byId('playground-form');
const { message, system, temperature, maxTokens, stream } = form.elements;
const send = byId('playground-send');
const stop = byId('playground-stop');
const compare = byId('playground-compare');
const targets = [targetOf('', drawSend), targetOf('-2', drawSend)];
const iconOf = (name) => new URL(`${name}.svg`, import.meta.url).href;
const icons = { idle: iconOf('favicon'), busy: iconOf('favicon-busy') };
let running = null;

const comparing = () => compare.getAttribute('aria-pressed') === 'true';
const lanes = () => (comparing() ? [0, 1] : [0]);

function drawSend() {
  send.disabled = !lanes().every((lane) => targets[lane]?.ready());
}

function request(turn, lane) {
  const past = pastOf(turn, lane);
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

function draw(providers) {
  for (const each of targets) each.draw(providers);
  const none = !providers.some((one) => one.status === 'active');
  byId('playground-none').hidden = !none;
  byId('playground-ready').hidden = none;
}

/** The provider that the address asks for; a reload then keeps what is chosen later. */
function chooseAsked() {
  const asked = new URLSearchParams(location.search).get('provider');
  history.replaceState(null, '', location.pathname);
  if (find(asked)?.status === 'active') targets[0].choose(asked);
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
startConversation(askAnew);
restoreDrafts(panel);
fit();
watch(draw);
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
start().then(chooseAsked);
message.focus();
