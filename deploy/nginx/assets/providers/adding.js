// Checking and adding a provider as one flow. A check needs what is stored, since only the program that opens keys
// calls providers: so it is saved, checked at once, and when the check fails the dialog stays open with the reason,
// to correct and check again, to keep, or to remove it.

import { attempt, byId, redraw, tell } from '../common/dom.js';
import { settle } from '../common/dialogs.js';
import { forgetDrafts } from '../common/drafts.js';
import { ApiError, get, post, put, remove } from '../common/api.js';
import { providerSaid } from '../common/provider_said.js';
import { drop, load, route } from './store.js';
import { typeOf } from './catalogue.js';
import { said, t } from '../common/language.js';

const dialog = byId('provider-dialog');
const note = byId('provider-outcome');
const keep = byId('provider-keep');
const takeAway = byId('provider-remove');
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
  settle(dialog);
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
    if (outcome.ok) return { id: saved.id, outcome };
    failed = outcome;
    offer(true);
    throw new ApiError(said(outcome.error, outcome.sentence), { field: fieldOf[outcome.reason] ?? '' });
  } finally {
    redraw(note, failed ? t('It is saved, and its check has failed. Correct it, keep it as it is, or remove it.') : '',
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
