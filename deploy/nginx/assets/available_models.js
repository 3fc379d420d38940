// The dialog that lists what the provider itself says it has.

import { button, byId, h, plural, redraw } from './dom.js';
import { openDialog } from './dialogs.js';
import { get, post } from './api.js';
import { caps, find, putModel, route } from './store.js';

const mostShown = 200;
const dialog = byId('available-dialog');
const filter = byId('available-filter');
const list = byId('available-list');
const status = byId('available-status');
let providerId = '';
let offered = [];
let asked = 0;

function matches(model, words) {
  const text = `${model.modelId} ${model.displayName}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

async function add(model) {
  const { modelId, displayName, capabilities } = model;
  const id = providerId;
  putModel(id, await post(route(id, '/models'), { modelId, displayName, capabilities }));
  draw();
}

function row(model, added, full) {
  const act = button(added ? 'Added' : 'Add', () => add(model), {
    'aria-label': added ? `${model.modelId} is added` : `Add ${model.modelId}`,
    disabled: added || full, 'data-testid': 'available-add', 'data-focus': model.modelId,
  });
  const named = model.displayName && model.displayName !== model.modelId;
  return h('li', { 'data-testid': 'available-model', 'data-model-id': model.modelId },
    h('div', { class: 'grow' },
      h('div', { class: 'mono' }, model.modelId),
      named || model.capabilities
        ? h('div', { class: 'sub' }, named ? h('span', null, model.displayName) : null,
          model.capabilities ? h('span', null, model.capabilities.split(',').join(', ')) : null)
        : null),
    act);
}

function draw() {
  const own = new Set((find(providerId)?.models ?? []).map((model) => model.modelId));
  const full = own.size >= caps.models;
  const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  const found = offered.filter((model) => matches(model, words));
  const shown = found.slice(0, mostShown);
  redraw(list, shown.map((model) => row(model, own.has(model.modelId), full)));
  const parts = [
    words.length ? `${found.length} of ${plural(offered.length, 'model')}` : plural(offered.length, 'model'),
    found.length > shown.length ? `the first ${mostShown} are shown, filter to narrow` : '',
    `${own.size} of ${caps.models} added`,
  ];
  status.textContent = `${parts.filter(Boolean).join(' · ')}.`;
}

function fail(message) {
  status.textContent = message;
  status.classList.add('bad');
  list.replaceChildren();
}

/** Opens the dialog and asks the provider. */
export async function openAvailable(provider) {
  asked += 1;
  const question = asked;
  providerId = provider.id;
  offered = [];
  filter.value = '';
  byId('available-title').textContent = `Models of ${provider.name}`;
  status.textContent = 'Asking the provider…';
  status.classList.remove('bad');
  redraw(list, [1, 2, 3, 4].map(() => h('li', { class: 'skeleton' }, h('i'))));
  openDialog(dialog);
  try {
    const answer = await get(route(provider.id, '/models/available'));
    if (question !== asked) return;
    offered = answer.models;
    if (answer.error) fail(`${answer.error} You can still add models by their id.`);
    else draw();
  } catch (error) {
    if (question === asked) fail(error.message);
  }
}

filter.addEventListener('input', () => {
  if (offered.length > 0) draw();
});
