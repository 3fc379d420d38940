// The own headers of one provider: list, set, remove. Of a value nothing is shown.

import { attempt, button, h, redraw, tell } from '../common/dom.js';
import { icon } from '../common/icons.js';
import { confirmed, settle, wireForm } from '../common/dialogs.js';
import { post, remove } from '../common/api.js';
import { find, load, route } from './store.js';
import { isHeldBack } from './key_states.js';
import { t } from '../common/language.js';

function field(id, name, label, missing, attributes) {
  const inputId = `header-${name}-${id}`;
  const input = h('input', {
    id: inputId, name, placeholder: label, required: true, 'data-missing': missing, autocomplete: 'off',
    autocapitalize: 'off', spellcheck: 'false', 'data-testid': `header-${name}`, ...attributes,
  });
  const error = h('p', { class: 'error', 'data-error-for': name, 'data-testid': `header-${name}-error` });
  return { input, parts: [h('label', { class: 'away', for: inputId }, label), input], error };
}

async function removeHeader(id, { name }, control) {
  if (!(await confirmed(t('Remove the header {name}?', { name }), t('Calls are then made without it.'), t('Remove')))) return;
  await attempt(control, async () => {
    await remove(route(id, `/headers/${name}`));
    await load();
  });
}

function headerRow(id, header, again) {
  const { name } = header;
  const named = (label, what) => ({
    class: 'quiet square', 'aria-label': `${label}: ${name}`, title: label,
    'data-testid': `header-${what}`, 'data-focus': `${what}-${name}`,
  });
  const trash = h('button', {
    type: 'button', ...named(t('Remove'), 'remove'), onclick: () => removeHeader(id, header, trash),
  }, icon('trash'));
  return h('li', { 'data-testid': 'header-row' },
    h('div', { class: 'grow name-line' }, h('code', null, name), ' ',
      isHeldBack(header) ? h('span', { class: 'tag warn', 'data-testid': 'header-use' }, t('Held back: enter it again')) : null),
    h('div', { class: 'row' }, button(icon('replace'), () => again(name), named(t('Replace the value'), 'replace')), trash));
}

/** The headers of a provider's sheet: {node, update(provider), close()}. */
export function headersPart({ id }) {
  const list = h('ul', { class: 'rows', 'data-testid': 'header-list' });
  const name = field(id, 'name', t('Header, such as X-Tenant'), t('Enter a header.'));
  const value = field(id, 'value', t('Value'), t('Enter its value.'), { type: 'password' });
  const form = h('form', { class: 'add', novalidate: true }, ...name.parts, ...value.parts,
    h('button', { 'data-testid': 'header-submit' }, t('Set header')), name.error, value.error,
    h('p', { class: 'error', 'data-error-for': '', role: 'alert', 'data-testid': 'header-form-error' }));
  const again = (which) => {
    name.input.value = which;
    value.input.focus();
  };
  const forget = wireForm(form, {
    send: (values) => post(route(id, '/headers'), values),
    async done() {
      form.reset();
      settle(form);
      name.input.focus();
      tell(t('Saved.'));
      await load().catch(() => {});
    },
  });
  settle(form);
  const node = h('div', { class: 'part', role: 'group', 'aria-label': t('Headers') },
    h('h3', null, t('Headers')),
    h('p', { class: 'hint' }, t('They are sent with each call of this provider. Values are stored encrypted, and are not shown again.')),
    list, form);
  return {
    node,
    close: forget,
    update() { redraw(list, (find(id)?.headers ?? []).map((header) => headerRow(id, header, again))); },
  };
}
