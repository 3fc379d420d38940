// The file that was exported, read back.

import { post } from '../common/api.js';
import { byId } from '../common/dom.js';
import { plural, t } from '../common/language.js';

const input = byId('import-file');
const start = byId('import');
const result = byId('import-result');

async function providersIn(file) {
  if (file.size > Number(input.dataset.maxBytes)) throw new Error(t('This file is too large.'));
  try {
    const { providers } = JSON.parse(await file.text());
    if (Array.isArray(providers)) return providers;
  } catch { /* told below */ }
  throw new Error(t('This is not a file that was exported here.'));
}

function say(text, bad) {
  result.textContent = text;
  result.className = bad ? 'error' : 'note good';
}

let key = ''; // of the chosen file

async function take() {
  start.disabled = true;
  try {
    const providers = await providersIn(input.files[0]);
    const added = await post('/user/settings/profile/import', { providers }, key);
    say(t('Added: {providers}, {models}. Enter their keys on the page Providers.', {
      providers: plural(added.providers, '{count} provider', '{count} providers'),
      models: plural(added.models, '{count} model', '{count} models'),
    }));
    input.value = '';
  } catch (error) {
    say(error.message, true);
    start.disabled = false;
  }
}

export function startImport() {
  input.accept = '.json';
  input.addEventListener('change', () => {
    key = crypto.randomUUID();
    result.textContent = '';
    result.className = '';
    start.disabled = input.files.length === 0;
  });
  start.addEventListener('click', take);
}
