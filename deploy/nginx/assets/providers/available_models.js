// The dialog that lists what the provider itself says it has: filter, choose, add, undo.

import { attempt, byId, h, plural, providerSaid, redraw, said, t, tell } from '../common/dom.js';
import { openDialog } from '../common/dialogs.js';
import { get, post, remove } from '../common/api.js';
import { abilityTags } from './catalogue.js';
import { hasWords } from '../common/provider_list.js';
import { caps, dropModel, find, putModel, route } from './store.js';

const mostShown = 200;
const dialog = byId('available-dialog');
const filter = byId('available-filter');
const list = byId('available-list');
const status = byId('available-status');
const addChosen = byId('available-add-chosen');
const chooseAll = byId('available-choose-all');
let providerId = '';
let offered = [];
let truncated = false;
let asked = 0;
const chosen = new Set();

const countOf = (count) => plural(count, '{count} model', '{count} models');
const own = () => new Set((find(providerId)?.models ?? []).map((model) => model.modelId));

/** What models of one maker or line have in common: what stands before a slash, else the first word. */
const familyOf = ({ modelId }) => (/^([^/]+)\//.exec(modelId) ?? /^(?:models\/)?([a-z]+)/i.exec(modelId))?.[1] ?? '';

async function takeBack(id, models) {
  for (const { modelId } of models) {
    await remove(route(id, `/models?modelId=${encodeURIComponent(modelId)}`));
    dropModel(id, modelId);
  }
}

/** Tells which were added, and takes them back if asked to. */
function tellAdded(id, added) {
  if (added.length === 0) return;
  const what = added.length === 1 ? added[0].displayName : countOf(added.length);
  tell(t('Added {what}.', { what }), false, false, {
    label: t('Undo'), work: () => takeBack(id, added), testid: 'available-undo',
  });
}

/** Adds them one after the other and closes; those that were added can be taken back, also when one failed. */
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
  } catch (error) {
    draw();
    tellAdded(id, added);
    throw error;
  }
  dialog.close();
  tellAdded(id, added);
}

function row(model, added) {
  const { modelId, displayName, capabilities } = model;
  const box = h('input', {
    type: 'checkbox', disabled: added, 'data-testid': 'available-choose', 'data-focus': modelId,
  });
  box.checked = added || chosen.has(modelId);
  box.addEventListener('change', () => {
    if (box.checked) chosen.add(modelId);
    else chosen.delete(modelId);
    drawTools();
  });
  const named = displayName && displayName !== modelId;
  return h('li', { 'data-testid': 'available-model', 'data-model-id': modelId },
    h('label', { class: 'check grow' }, box,
      h('span', { class: 'grow' },
        h('span', { class: 'name-line' }, named ? displayName : modelId),
        h('span', { class: 'sub' }, named ? h('code', null, modelId) : null,
          added ? h('span', { class: 'tag good' }, t('Added')) : null,
          capabilities ? abilityTags(capabilities) : null))));
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

const found = () => offered.filter((model) => hasWords(`${model.modelId} ${model.displayName}`, filter.value));

/** Those that are shown and could be added, and for how many there is room. */
const free = () => found().slice(0, mostShown).filter((model) => !own().has(model.modelId));
const room = () => caps.models - own().size;

function drawTools() {
  const fit = free().slice(0, room());
  const tooMany = chosen.size > room();
  addChosen.disabled = chosen.size === 0 || tooMany;
  addChosen.textContent = room() <= 0 ? t('No room: {most} of {most}. Remove one first.', { most: caps.models })
    : tooMany ? t('{count} chosen, room for {room}', { count: chosen.size, room: room() })
    : chosen.size === 0 ? t('Add') : plural(chosen.size, 'Add {count} model', 'Add {count} models');
  chooseAll.hidden = fit.length === 0;
  const all = fit.length === free().length ? t('Choose all') : t('Choose the first {count}', { count: fit.length });
  chooseAll.textContent = chosen.size > 0 ? t('Choose none') : all;
}

function draw() {
  const added = own();
  const all = found();
  const shown = all.slice(0, mostShown);
  redraw(list, grouped(shown, (model) => row(model, added.has(model.modelId))));
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
  const fit = chosen.size > 0 ? [] : free().slice(0, room());
  chosen.clear();
  for (const { modelId } of fit) chosen.add(modelId);
  draw();
}

filter.addEventListener('input', () => {
  if (offered.length > 0) draw();
});
chooseAll.addEventListener('click', toggleAll);
addChosen.addEventListener('click', () =>
  attempt(addChosen, () => add(offered.filter((model) => chosen.has(model.modelId)))));
