// The models of one provider: list, add, order, switch, test, name and capabilities, remove.
// Asking models for one word: any one, or all of a provider that are enabled, a few at a time.

import { post, remove } from '../common/api.js';
import { caps, dropModel, find, load, putModel, route } from './store.js';
import { attempt, button, byId, h, icon, redraw, t, tell, toggle } from '../common/dom.js';
import { clearErrors, lacks, openForm, showError } from '../common/dialogs.js';
import { forgetDrafts, restoreDrafts } from '../common/forms.js';
import { openAvailable } from './available_models.js';
import { abilityName, talks } from '../common/provider_list.js';
import { abilityTags, typeOf } from './catalogue.js';
import { outcome } from './connectivity.js';
import { orderHandle, tellPlace } from './order.js';

const atOnce = 3; // of the calls that a person may have under way
const question = 'ping';
const results = new Map(); // provider and model → how it went, or busy
const keyOf = (id, modelId) => `${id} ${modelId}`;

/** How the last check of that model went: {ok, reply, latencyMs} or {ok: false, error}; {busy} meanwhile. */
const checkOf = (id, modelId) => results.get(keyOf(id, modelId));

/** Asks one model; draw() is called before and after. */
async function check(id, modelId, draw) {
  results.set(keyOf(id, modelId), { busy: true });
  draw();
  try {
    const { content, latencyMs } = await post('/user/providers/playground', {
      providerId: id, modelId, message: question, stream: false,
    });
    results.set(keyOf(id, modelId), { ok: true, reply: content, latencyMs });
  } catch ({ message: error, providerCode, providerSaid }) {
    results.set(keyOf(id, modelId), { ok: false, error, providerCode, providerSaid });
  }
  draw();
}

/** Asks these models of a provider, in their order. */
async function checkModels(id, modelIds, draw) {
  const waiting = [...modelIds];
  const worker = async () => {
    for (let next; (next = waiting.shift()) !== undefined;) await check(id, next, draw);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  await load();
}

const capabilityWords = byId('providers-page').dataset.capabilityWords.split(',');

const query = (model) => `?modelId=${encodeURIComponent(model.modelId)}`;

function editModel(id, model) {
  const dialog = byId('capabilities-dialog');
  const had = model.capabilities.split(',');
  const choices = capabilityWords.map((word) => {
    const box = h('input', {
      type: 'checkbox', name: 'word', value: word, checked: had.includes(word),
      'data-testid': `capability-${word}`,
    });
    return h('label', { class: 'check' }, box, h('span', null, abilityName(word)));
  });
  byId('capabilities-title').textContent = t('Edit {displayName}', model);
  redraw(byId('capability-choices'), choices);
  const name = byId('model-name');
  name.value = model.displayName;
  openForm(dialog, {
    send: async () => {
      const chosen = [...dialog.querySelectorAll('input:checked')].map((box) => box.value);
      const kept = had.filter((word) => chosen.includes(word));
      const added = chosen.filter((word) => !had.includes(word));
      const capabilities = [...kept, ...added].join(',');
      let now = model;
      if (name.value.trim() !== model.displayName) {
        now = await post(route(id, `/models/name${query(model)}`), { displayName: name.value });
      }
      if (capabilities !== model.capabilities) {
        now = await post(route(id, `/models/capabilities${query(model)}`), { capabilities });
      }
      return now;
    },
    done: (changed) => putModel(id, changed),
  });
}

/** Only what is enabled and talks can be asked for a word. */
const testable = (model) => model.isEnabled && talks(model);

function checked(check) {
  if (!check) return null;
  return check.busy ? h('div', { class: 'outcome busy' }, t('Testing…')) : outcome(check, 'model-result');
}

const moved = (id, model, place) => post(route(id, `/models/position${query(model)}`), { position: place + 1 });

async function reorder(id, model, to) {
  const { length } = find(id).models;
  const place = Math.min(Math.max(to, 0), length - 1);
  await moved(id, model, place);
  await load();
  tellPlace(model.displayName, place, length);
}

/** Adds a removed model again, as and where it was. */
async function putBack(id, model, place) {
  const { modelId, displayName, capabilities, isEnabled } = model;
  let now = await post(route(id, '/models'), { modelId, displayName, capabilities });
  if (!isEnabled) now = await post(route(id, `/models/enabled${query(model)}`), { isEnabled });
  putModel(id, now);
  if (place < find(id).models.length - 1) await moved(id, model, place);
  await load();
}

function modelRow(id, model, place, draw) {
  const path = (rest) => route(id, `/models${rest}${query(model)}`);
  const mark = (what) => `model-${what}-${model.modelId}`;
  const flip = async (isEnabled) => putModel(id, await post(path('/enabled'), { isEnabled }));
  const takeAway = async () => {
    await remove(path(''));
    dropModel(id, model.modelId);
    const undo = { label: t('Undo'), work: () => putBack(id, model, place), testid: 'model-undo' };
    tell(t('Removed {displayName}.', model), false, false, undo);
  };
  const act = (drawing, label, what, work, disabled = false) => button(icon(drawing), work, {
    class: 'quiet square', 'aria-label': label, title: label, disabled,
    'data-testid': `model-${what}`, 'data-focus': mark(what),
  });
  const sameName = model.displayName === model.modelId;
  return h('li', { 'data-testid': 'model-row', 'data-model-id': model.modelId },
    orderHandle({
      name: model.displayName, place, focus: model.modelId, testid: 'model-order', move: (to) => reorder(id, model, to),
    }),
    toggle({
      label: t('Use {name}', { name: model.displayName }), hidden: true, on: model.isEnabled, flip,
      'data-testid': 'model-enabled', 'data-focus': mark('enabled'),
    }),
    h('div', { class: 'grow' },
      h('div', { class: 'name-line', dir: 'auto' }, model.displayName),
      h('div', { class: 'sub' },
        sameName ? null : h('code', null, model.modelId),
        abilityTags(model.capabilities, { 'data-testid': 'model-capabilities' })),
      checked(checkOf(id, model.modelId))),
    h('div', { class: 'row' },
      act('bolt', t('Test {displayName}', model), 'test', () => checkModels(id, [model.modelId], draw), !testable(model)),
      act('pencil', t('Edit {displayName}', model), 'edit', () => editModel(id, model)),
      act('trash', t('Remove {displayName}', model), 'remove', takeAway)));
}

function addForm(id) {
  const inputId = `add-model-${id}`;
  const input = h('input', {
    id: inputId, name: 'modelId', placeholder: t('Model id, such as vendor/model-name'),
    autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false', required: true,
    'data-missing': t('Enter a model id.'), 'data-draft': `model ${id}`, 'data-testid': 'add-model-id',
  });
  const add = h('button', { 'data-testid': 'add-model-submit' }, t('Add model'));
  const form = h('form', { class: 'add', novalidate: true },
    h('label', { class: 'away', for: inputId }, t('Model id')), input, add,
    h('p', { class: 'error', 'data-error-for': 'modelId', 'data-testid': 'add-model-error' }),
    h('p', { class: 'error', 'data-error-for': '', role: 'alert' }));
  restoreDrafts(form);
  const send = async () => {
    clearErrors(form);
    if (lacks(form)) return;
    try {
      putModel(id, await post(route(id, '/models'), { modelId: input.value.trim() }));
      forgetDrafts(form);
      form.reset();
      input.focus();
    } catch (error) {
      showError(form, error);
    }
  };
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    attempt(add, send);
  });
  return { form, add, input };
}

/** The models of a provider's sheet: {node, update(provider), focus()}. */
export function modelsPart(provider) {
  const { id } = provider;
  const count = h('span', { class: 'count', 'data-testid': 'model-count' });
  const list = h('ul', { class: 'rows', 'data-testid': 'model-list' });
  const adding = addForm(id);
  const browse = button(t('Browse models'), () => openAvailable(find(id)), {
    'data-testid': 'browse-models', title: t('Ask the provider which models it has'),
  });
  const none = h('p', { class: 'hint', 'data-testid': 'no-model' });
  const first = h('p', { class: 'hint' }, t('Chats and tests begin with the first model that is switched on.'));
  const testableIds = () => (find(id)?.models ?? []).filter(testable).map((model) => model.modelId);
  const test = button(t('Test all'), () => checkModels(id, testableIds(), draw), {
    'data-testid': 'test-models', title: t('Ask each enabled model for one word'),
  });
  const node = h('div', { class: 'part', role: 'group', 'aria-label': t('Models') },
    h('div', { class: 'part-head' }, count, h('div', { class: 'row end' }, test, browse)),
    list, first, none, adding.form);

  function draw() {
    const models = find(id)?.models ?? [];
    redraw(list, models.map((model, place) => modelRow(id, model, place, draw)));
    first.hidden = models.length < 2;
  }

  function update({ type, models }) {
    const full = models.length >= caps.models;
    const { lists } = typeOf(type);
    count.textContent = t('{count} of {most}', { count: models.length, most: caps.models });
    browse.hidden = !lists;
    none.hidden = models.length > 0 && !full;
    none.textContent = full ? t('No room: {most} of {most}. Remove one first.', { most: caps.models }) : lists ? t('No model yet. Browse the provider’s list, or enter an id.')
      : t('No model yet. Enter its id as the provider writes it.');
    for (const control of [adding.add, adding.input]) control.disabled = full;
    test.hidden = !models.some(testable);
    draw();
  }
  update(provider);
  return { node, update, focus: () => adding.input.focus() };
}
