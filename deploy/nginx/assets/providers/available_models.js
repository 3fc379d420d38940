// The dialog that lists what the provider itself says it has: filter, choose one or many, undo.

import { attempt, button, byId, h, redraw } from '../common/dom.js';
import { openDialog } from '../common/dialogs.js';
import { get, post, remove } from '../common/api.js';
import { providerSaid } from '../common/provider_said.js';
import { caps, dropModel, find, putModel, route } from './store.js';
import { plural, said, t } from '../common/language.js';

const mostShown = 200;
const dialog = byId('available-dialog');
const filter = byId('available-filter');
const list = byId('available-list');
const status = byId('available-status');
const result = byId('available-result');
const addChosen = byId('available-add-chosen');
const chooseAll = byId('available-choose-all');
let providerId = '';
let offered = [];
let truncated = false;
let asked = 0;
const chosen = new Set();

const countOf = (count) => plural(count, '{count} model', '{count} models');
const own = () => new Set((find(providerId)?.models ?? []).map((model) => model.modelId));

function matches(model, words) {
  const text = `${model.modelId} ${model.displayName}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

/** What models of one maker or line have in common: what stands before a slash, else the first word. */
const familyOf = ({ modelId }) => (/^([^/]+)\//.exec(modelId) ?? /^(?:models\/)?([a-z]+)/i.exec(modelId))?.[1] ?? '';

async function takeBack(models) {
  for (const { modelId } of models) {
    await remove(route(providerId, `/models?modelId=${encodeURIComponent(modelId)}`));
    dropModel(providerId, modelId);
  }
  result.replaceChildren();
  draw();
}

/** Adds them one after the other; those that were added can be taken back, also when one failed. */
async function add(models) {
  const id = providerId;
  const added = [];
  try {
    for (const model of models) {
      const { modelId, displayName, capabilities } = model;
      putModel(id, await post(route(id, '/models'), { modelId, displayName, capabilities }));
      added.push(model);
      chosen.delete(modelId);
    }
  } finally {
    if (added.length > 0) {
      const what = added.length === 1 ? added[0].modelId : countOf(added.length);
      result.replaceChildren(t('Added {what}.', { what }), ' ',
        button(t('Undo'), () => takeBack(added), { class: 'quiet', 'data-testid': 'available-undo' }));
    }
    draw();
  }
}

function row(model, added, full) {
  const { modelId, displayName, capabilities } = model;
  const box = h('input', {
    type: 'checkbox', 'aria-label': t('Choose {modelId}', model), disabled: added,
    'data-testid': 'available-choose',
  });
  box.checked = chosen.has(modelId);
  box.addEventListener('change', () => {
    if (box.checked) chosen.add(modelId);
    else chosen.delete(modelId);
    drawTools();
  });
  const act = button(added ? t('Added') : t('Add'), () => add([model]), {
    'aria-label': added ? t('Added: {modelId}', model) : t('Add {modelId}', model),
    disabled: added || full, 'data-testid': 'available-add', 'data-focus': modelId,
  });
  const named = displayName && displayName !== modelId;
  return h('li', { 'data-testid': 'available-model', 'data-model-id': modelId }, box,
    h('div', { class: 'grow' },
      h('div', { class: 'mono' }, modelId),
      named || capabilities
        ? h('div', { class: 'sub' }, named ? h('span', null, displayName) : null,
          capabilities ? h('span', null, capabilities.split(',').join(', ')) : null)
        : null),
    act);
}

/** The rows, under a heading for each family where there is more than one. */
function grouped(models, rowOf) {
  const families = new Map();
  for (const model of models) {
    const family = familyOf(model);
    families.set(family, [...(families.get(family) ?? []), model]);
  }
  if (families.size < 2) return models.map(rowOf);
  return [...families].flatMap(([family, members]) =>
    [h('li', { class: 'group' }, h('h3', null, family)), ...members.map(rowOf)]);
}

function found() {
  const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  return offered.filter((model) => matches(model, words));
}

const free = () => found().slice(0, mostShown).filter((model) => !own().has(model.modelId));

function drawTools() {
  const room = caps.models - own().size;
  const all = free();
  addChosen.hidden = chosen.size === 0;
  addChosen.disabled = chosen.size > room;
  addChosen.textContent = chosen.size > room ? t('{count} chosen, room for {room}', { count: chosen.size, room })
    : plural(chosen.size, 'Add {count} model', 'Add {count} models');
  chooseAll.hidden = all.length === 0;
  chooseAll.textContent = all.every((model) => chosen.has(model.modelId)) ? t('Choose none') : t('Choose all shown');
}

function draw() {
  const added = own();
  const full = added.size >= caps.models;
  const all = found();
  const shown = all.slice(0, mostShown);
  redraw(list, grouped(shown, (model) => row(model, added.has(model.modelId), full)));
  const parts = [
    filter.value.trim() ? t('{count} of {most}', { count: all.length, most: countOf(offered.length) })
      : countOf(offered.length),
    all.length > shown.length ? t('the first {count} are shown, filter to narrow', { count: mostShown }) : '',
    truncated ? t('the provider has more') : '',
    t('{count} of {most} added', { count: added.size, most: caps.models }),
  ];
  status.textContent = `${parts.filter(Boolean).join(' · ')}.`;
  drawTools();
}

function fail(message, words = null) {
  redraw(status, message, words);
  status.classList.add('bad');
  list.replaceChildren();
}

function prepare(provider) {
  providerId = provider.id;
  offered = [];
  chosen.clear();
  filter.value = '';
  result.replaceChildren();
  byId('available-title').textContent = t('Models of {name}', provider);
  status.textContent = t('Asking the provider…');
  status.classList.remove('bad');
  redraw(list, [1, 2, 3, 4].map(() => h('li', { class: 'skeleton' }, h('i'))));
  drawTools();
}

/** Opens the dialog and asks the provider, unless its answer is there. */
export async function openAvailable(provider, known) {
  asked += 1;
  const question = asked;
  prepare(provider);
  openDialog(dialog);
  try {
    const answer = known ?? await get(route(provider.id, '/models/available'));
    if (question !== asked) return;
    offered = answer.models;
    truncated = answer.truncated === true;
    const { error, sentence } = answer;
    if (error) fail(`${said(error, sentence)} ${t('You can still add models by their id.')}`, providerSaid(answer));
    else draw();
  } catch (error) {
    if (question === asked) fail(error.message);
  }
}

function toggleAll() {
  const all = free();
  const none = all.every((model) => chosen.has(model.modelId));
  for (const { modelId } of all) {
    if (none) chosen.delete(modelId);
    else chosen.add(modelId);
  }
  draw();
}

filter.addEventListener('input', () => {
  if (offered.length > 0) draw();
});
chooseAll.addEventListener('click', toggleAll);
addChosen.addEventListener('click', () =>
  attempt(addChosen, () => add(offered.filter((model) => chosen.has(model.modelId)))));
