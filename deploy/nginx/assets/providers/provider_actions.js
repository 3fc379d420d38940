// The actions on a whole provider that a card and a sheet share.

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

/** Asks and deletes; the control is busy meanwhile, and gone() is called once the server has done it. */
export async function deleteProvider(provider, control, gone = () => {}) {
  const text = t('This also deletes: {holds}. It can’t be undone.', { holds: whatGoes(provider) });
  if (!(await confirmed(t('Delete {name}?', provider), text))) return;
  await attempt(control, async () => {
    await remove(route(provider.id));
    gone();
    drop(provider.id);
  });
}
