// Checking and adding a provider as one flow. A check needs what is stored, since only the program that opens keys
// calls providers: so it is saved, checked at once, and when the check fails the dialog stays open with the reason,
// to correct and check again, to keep, or to remove it. A good one begins with a few models.

import { attempt, byId, providerSaid, redraw, said, t, tell } from '../common/dom.js';
import { confirmed, settle } from '../common/dialogs.js';
import { forgetDrafts } from '../common/forms.js';
import { ApiError, get, post, put, remove } from '../common/api.js';
import { talks } from '../common/provider_list.js';
import { drop, load, route } from './store.js';
import { typeOf } from './catalogue.js';

const dialog = byId('provider-dialog');
const note = byId('provider-outcome');
const keep = byId('provider-keep');
const takeAway = byId('provider-remove');
const form = dialog.querySelector('form');
const submit = dialog.querySelector('button.primary');
const cancel = dialog.querySelector('[data-close]');

/** The field to look at, by the reason of a failed check. */
const fieldOf = {
  key_refused: 'apiKey', not_allowed: 'apiKey', out_of_credit: 'apiKey', key_unavailable: 'apiKey',
  unreachable: 'baseUrl', timed_out: 'baseUrl', bad_certificate: 'baseUrl', not_this_protocol: 'baseUrl',
};

let saved = null; // {id, values}, once it is stored
let failed = null; // how its check went, while the dialog waits for what to do
let finish = () => {};

function offer(choices) {
  keep.hidden = !choices;
  takeAway.hidden = !choices;
  cancel.hidden = choices;
  if (choices) submit.textContent = t('Check again');
}

const mostAtFirst = 3;
const isNoChat = /embed|rerank|moderat|guard|whisper|speech|tts|transcri|image|dall-e|video/i;

/** The models that a provider of that type begins with: current ones that it has, else the first that chat. */
function firstModels({ models }, listed) {
  if (!listed) return models.slice(0, mostAtFirst);
  const known = new Map(listed.map((model) => [model.modelId, model]));
  const wanted = models.filter(({ modelId }) => known.has(modelId)).map((model) => {
    const { displayName, capabilities } = known.get(model.modelId);
    return {
      ...model, capabilities: capabilities ?? model.capabilities,
      displayName: displayName === model.modelId ? model.displayName : displayName,
    };
  });
  const chats = listed.filter(({ modelId, capabilities }) => talks({ capabilities: capabilities ?? '' }) && !isNoChat.test(modelId));
  return (wanted.length > 0 ? wanted : chats).slice(0, mostAtFirst);
}

/** Adds them. One that is there already came by an answer that was lost. */
async function addModels(id, models) {
  for (const { modelId, displayName, capabilities } of models) {
    try {
      await post(route(id, '/models'), { modelId, displayName, capabilities });
    } catch (error) {
      if (error.code !== 'conflict') throw error;
    }
  }
}

/** The provider works, so a failure to add models is told and stops nothing. */
async function begin(outcome) {
  const { id, values } = saved;
  const type = typeOf(values.type);
  if (type.search) return;
  await addModels(id, firstModels(type, outcome.models?.models)).catch((error) => tell(error.message, true));
}

/** Stores what was corrected. A key is bound to its address: with another one it is sent anew. */
async function correct(values) {
  const { id } = saved;
  const fields = ['name', 'type', 'baseUrl'].filter((name) => values[name] !== saved.values[name]);
  if (fields.length > 0) {
    await put(route(id), Object.fromEntries(fields.map((name) => [name, values[name]])));
    const moved = fields.some((name) => name !== 'name');
    saved.values = { ...values, apiKey: moved ? '' : saved.values.apiKey };
  }
  if (values.apiKey !== saved.values.apiKey) await post(route(id, '/apikey'), { apiKey: values.apiKey });
}

async function store(values, key) {
  if (saved) await correct(values);
  else saved = await post('/user/providers/create', values, key);
  saved.values = values;
  forgetDrafts(dialog);
  settle(form);
  await load();
}

/** Asks the provider, as far as its type can be asked: {ok, …} with its answer. */
async function check() {
  const { id, values } = saved;
  const { lists, search } = typeOf(values.type);
  try {
    if (search) return await post(route(id, '/test'));
    if (!lists) return { ok: true };
    const models = await get(route(id, '/models/available'));
    return models.error ? { ...models, ok: false } : { ok: true, models };
  } catch (error) {
    return { ok: false, error: error.message };
  }
}

async function send(values, key) {
  failed = null;
  try {
    await store(values, key);
    note.textContent = t('Saved. Checking it…');
    const outcome = await check();
    if (outcome.ok) {
      await begin(outcome);
      return { id: saved.id, outcome };
    }
    failed = outcome;
    offer(true);
    throw new ApiError(said(outcome.error, outcome.sentence), { field: fieldOf[outcome.reason] ?? '' });
  } finally {
    redraw(note, failed ? t('Saved, but the check failed. Fix it and check again, or keep it as it is.') : '',
      failed && providerSaid(failed));
  }
}

/** Begins anew; done({id, outcome}) is told how it ended, unless it was removed. Gives what the form sends with. */
export function beginAdding(done) {
  finish = done;
  failed = null;
  note.textContent = '';
  offer(false);
  return send;
}

/** While it is checked again there is nothing to decide. */
const isChecking = () => submit.getAttribute('aria-busy') === 'true';

keep.addEventListener('click', () => isChecking() || dialog.close());
takeAway.addEventListener('click', () => isChecking() || attempt(takeAway, async () => {
  const { id, values } = saved;
  const text = t('This also deletes: {holds}. It can’t be undone.', { holds: t('its key') });
  if (!(await confirmed(t('Delete {name}?', values), text))) return;
  await remove(route(id));
  failed = null;
  dialog.close();
  drop(id);
  tell(t('Removed {name}.', values));
}));
dialog.addEventListener('close', () => {
  const kept = failed && { id: saved.id, outcome: failed };
  saved = null; // no key stays in the page's memory
  failed = null;
  if (!kept) return;
  forgetDrafts(dialog);
  finish(kept);
});
