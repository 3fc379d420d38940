// The models of one provider: list, add, switch, capabilities, remove.

import { attempt, button, byId, h, redraw, tell, toggle } from '../common/dom.js';
import { clearErrors, lacks, openForm, showError } from '../common/dialogs.js';
import { forgetDrafts, restoreDrafts } from '../common/drafts.js';
import { post, remove } from '../common/api.js';
import { caps, dropModel, find, putModel, route } from './store.js';
import { openAvailable } from './available_models.js';
import { typeOf } from './catalogue.js';
import { t } from '../common/language.js';

const capabilityWords = byId('providers-page').dataset.capabilityWords.split(',');

const query = (model) => `?modelId=${encodeURIComponent(model.modelId)}`;
const readable = (capabilities) => capabilities.split(',').join(', ');

function editCapabilities(id, model) {
  const dialog = byId('capabilities-dialog');
  const had = model.capabilities.split(',');
  const choices = capabilityWords.map((word) => {
    const box = h('input', {
      type: 'checkbox', name: 'word', value: word, checked: had.includes(word),
      'data-testid': `capability-${word}`,
    });
    return h('label', { class: 'check' }, box, h('span', null, word));
  });
  byId('capabilities-title').textContent = t('Capabilities of {displayName}', model);
  redraw(byId('capability-choices'), choices);
  openForm(dialog, {
    send: () => {
      const chosen = [...dialog.querySelectorAll('input:checked')].map((box) => box.value);
      const kept = had.filter((word) => chosen.includes(word));
      const added = chosen.filter((word) => !had.includes(word));
      const capabilities = [...kept, ...added].join(',');
      return post(route(id, `/models/capabilities${query(model)}`), { capabilities });
    },
    done: (changed) => putModel(id, changed),
  });
}

function modelRow(id, model) {
  const path = (rest) => route(id, `/models${rest}${query(model)}`);
  const mark = (what) => `model-${what}-${model.modelId}`;
  const flip = async (isEnabled) => putModel(id, await post(path('/enabled'), { isEnabled }));
  const takeAway = async () => {
    await remove(path(''));
    dropModel(id, model.modelId);
    tell(t('Removed {displayName}.', model));
  };
  const sameName = model.displayName === model.modelId;
  return h('li', { 'data-testid': 'model-row', 'data-model-id': model.modelId },
    toggle({
      label: t('Use {name}', { name: model.displayName }), hidden: true, on: model.isEnabled, flip,
      'data-testid': 'model-enabled', 'data-focus': mark('enabled'),
    }),
    h('div', { class: 'grow' },
      h('div', { class: sameName ? 'mono' : null }, model.displayName),
      h('div', { class: 'sub' },
        sameName ? null : h('span', { class: 'mono' }, model.modelId),
        h('span', { 'data-testid': 'model-capabilities' }, readable(model.capabilities)))),
    h('div', { class: 'row' },
      button(t('Capabilities'), () => editCapabilities(id, model), {
        class: 'quiet', 'aria-label': t('Capabilities of {displayName}', model),
        'data-testid': 'model-edit-capabilities', 'data-focus': mark('capabilities'),
      }),
      button(t('Remove'), takeAway, {
        class: 'quiet', 'aria-label': t('Remove {displayName}', model),
        'data-testid': 'model-remove', 'data-focus': mark('remove'),
      })));
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

/** The models part of a card: {node, update(provider), focus()}. */
export function modelsPart(provider) {
  const { id } = provider;
  const count = h('span', { class: 'count', 'data-testid': 'model-count' });
  const list = h('ul', { class: 'rows', 'data-testid': 'model-list' });
  const adding = addForm(id);
  const browse = button(t('Choose from a list'), () => openAvailable(find(id)), {
    'data-testid': 'browse-models', title: t('Ask the provider which models it has'),
  });
  const node = h('section', { class: 'part', 'aria-label': t('Models') },
    h('div', { class: 'part-head' }, h('h3', null, t('Models')), count, browse),
    list, adding.form);

  function update({ type, models }) {
    const full = models.length >= caps.models;
    const { lists, search } = typeOf(type);
    node.hidden = search && models.length === 0;
    count.textContent = t('{count} of {most}', { count: models.length, most: caps.models });
    browse.hidden = !lists;
    adding.add.disabled = full;
    redraw(list, models.map((model) => modelRow(id, model)));
  }
  update(provider);
  return { node, update, focus: () => adding.input.focus() };
}
