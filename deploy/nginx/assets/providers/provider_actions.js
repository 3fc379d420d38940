// What a card and a sheet do alike with a whole provider.

import { attempt } from '../common/dom.js';
import { confirmed } from '../common/dialogs.js';
import { post, remove } from '../common/api.js';
import { change, drop, route } from './store.js';
import { plural, t } from '../common/language.js';

export async function setActive(id, on) {
  change(id, await post(route(id, '/status'), { status: on ? 'active' : 'inactive' }));
}

function whatGoes({ models, accounts }) {
  const parts = [
    accounts.length ? plural(accounts.length + 1, '{count} key', '{count} keys') : t('its key'),
    models.length ? plural(models.length, '{count} model', '{count} models') : '',
  ].filter(Boolean);
  return parts.join(', ');
}

/** Asks and deletes; before() is called once it is gone from the server. */
export async function deleteProvider(provider, control = null, before = () => {}) {
  const text = t('This also deletes: {holds}. It can’t be undone.', { holds: whatGoes(provider) });
  if (!(await confirmed(t('Delete {name}?', provider), text))) return;
  const work = async () => {
    await remove(route(provider.id));
    before();
    drop(provider.id);
  };
  await (control ? attempt(control, work) : work());
}
