// The playground: which provider and model, the options, sending, streaming, stopping.

import { byId, h, redraw } from './dom.js';
import { ApiError, open } from './api.js';
import { clearErrors, showError } from './dialogs.js';
import { frames } from './event_stream.js';
import { ask, clearConversation, history } from './conversation.js';
import { find, load, watch } from './store.js';
import { typeOf } from './catalogue.js';

const form = byId('playground-form');
const { providerId, modelId, message, system, temperature, maxTokens, stream } = form.elements;
const send = byId('playground-send');
const stop = byId('playground-stop');
const clear = byId('playground-clear');
let running = null;

function drawModels() {
  const provider = find(providerId.value);
  const enabled = provider?.models.filter((model) => model.isEnabled) ?? [];
  const chosen = modelId.value;
  const none = typeOf(provider?.type).search ? 'No model needed' : 'No model enabled';
  redraw(modelId, enabled.length
    ? enabled.map((model) => h('option', { value: model.modelId }, model.displayName))
    : h('option', { value: '' }, provider ? none : 'No provider'));
  if (enabled.some((model) => model.modelId === chosen)) modelId.value = chosen;
  modelId.disabled = enabled.length === 0;
  send.disabled = !provider || (enabled.length === 0 && !typeOf(provider.type).search);
}

function drawProviders(providers) {
  const chosen = providerId.value;
  const active = providers.filter((provider) => provider.status === 'active');
  redraw(providerId, active.length
    ? active.map((provider) => h('option', { value: provider.id }, provider.name))
    : h('option', { value: '' }, 'No active provider'));
  if (active.some((provider) => provider.id === chosen)) providerId.value = chosen;
  providerId.disabled = active.length === 0;
  byId('playground').removeAttribute('data-loading');
  drawModels();
}

/** Chooses a provider and goes to the message. */
export function tryProvider(id) {
  providerId.value = id;
  drawModels();
  byId('playground').scrollIntoView({ block: 'nearest' });
  message.focus();
}

function request(text) {
  const past = history();
  const body = { providerId: providerId.value, message: text, stream: stream.checked };
  if (modelId.value) body.modelId = modelId.value;
  if (system.value.trim()) body.system = system.value.trim();
  if (temperature.value !== '') body.temperature = temperature.valueAsNumber;
  if (maxTokens.value !== '') body.maxTokens = maxTokens.valueAsNumber;
  if (past.history.length) body.history = past.history;
  return { body, leftOut: past.leftOut };
}

/** Reads the answer as it arrives; the times are those of arrival, not of drawing. */
async function receive(response, answer) {
  if (!response.headers.get('Content-Type')?.startsWith('text/event-stream')) {
    const { content, model } = await response.json();
    answer.append(content);
    return { model, ended: performance.now() };
  }
  let model = null;
  for await (const frame of frames(response)) {
    if (frame.error) throw new ApiError(frame.error, frame);
    if (frame.token) answer.append(frame.token);
    if (frame.content !== undefined) { answer.append(frame.content); model ??= ''; }
    if (frame.done) model = frame.model ?? '';
  }
  if (model === null) throw new ApiError('The answer was cut off.');
  return { model, ended: performance.now() };
}

function mark(controller) {
  running = controller;
  stop.hidden = !controller;
  send.hidden = Boolean(controller);
  clear.disabled = Boolean(controller);
  if (controller) stop.focus();
  else message.focus();
}

function failed(error, answer) {
  answer.fail(error);
  if (['system', 'temperature', 'maxTokens'].includes(error.field)) {
    form.querySelector('.options').open = true;
    showError(form, error);
  }
}

const duration = (ms) => (ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`);

async function submit() {
  const text = message.value.trim();
  if (running || send.disabled || text === '') return;
  clearErrors(form);
  const { body, leftOut } = request(text);
  const started = performance.now();
  const controller = new AbortController();
  const answer = ask(text, () => controller.abort());
  message.value = '';
  mark(controller);
  let state = 'done';
  try {
    const response = await open('POST', '/user/providers/playground', {
      body, signal: controller.signal, accept: body.stream ? 'text/event-stream' : 'application/json',
    });
    const { model, ended } = await receive(response, answer);
    answer.note([model, duration(ended - started)].filter(Boolean).join(' · '));
  } catch (error) {
    state = controller.signal.aborted ? 'stopped' : 'failed';
    if (state === 'stopped') answer.note('Stopped.');
    else failed(error, answer);
    if (answer.text() === '' && message.value === '') message.value = text;
  }
  if (leftOut > 0) answer.note('The oldest messages no longer fit and were left out.');
  await answer.finish(state);
  mark(null);
  load().catch(() => {});
}

export function startPlayground() {
  watch(drawProviders);
  providerId.addEventListener('change', drawModels);
  form.addEventListener('submit', (event) => { event.preventDefault(); submit(); });
  message.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    submit();
  });
  stop.addEventListener('click', () => running?.abort());
  clear.addEventListener('click', () => { clearConversation(); clear.disabled = true; message.focus(); });
}
