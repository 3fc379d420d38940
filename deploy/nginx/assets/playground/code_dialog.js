// The dialog with the message that was sent last as code. Loaded when it is opened.
//
// data-testid marks for browser tests: code-dialog code-of code-tab code-text code-take code-none

import { attempt, byId, h, icon, t } from '../common/dom.js';
import { find } from '../common/provider_list.js';
import { openDialog } from '../common/dialogs.js';
import { copy } from './code_block.js';
import { samplesOf } from './code_samples.js';

const { chatTypes, messagesTypes } = byId('playground').dataset;
const languages = ['curl', 'Python', 'JavaScript'];
const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
const apis = { chat: chatTypes.split(' '), messages: messagesTypes.split(' ') };

let bodies = [];
let language = languages[0];

const models = h('select', { id: 'code-model', 'aria-label': t('Model'), 'data-testid': 'code-of' });
const tabs = languages.map((each) => h('button', {
  type: 'button', role: 'tab', id: `code-${each}`, 'aria-controls': 'code-panel', 'data-testid': 'code-tab', onclick: () => choose(each),
}, each));
const text = h('pre', { tabindex: '0', id: 'code-panel', role: 'tabpanel', dir: 'ltr', 'data-testid': 'code-text' });
const none = h('p', { class: 'note', 'data-testid': 'code-none' }, t('Tools cannot call this provider: none of its APIs is passed on.'));
const taker = h('button', { type: 'button', class: 'primary', 'data-testid': 'code-take', onclick: () => attempt(taker, () => copy(text.textContent)) }, t('Copy'));
const strip = h('div', { class: 'row code-tabs', role: 'tablist', 'aria-label': t('Language of the code') }, tabs);
const whole = h('div', { class: 'stack' }, strip, text,
  h('p', { class: 'hint' }, t('Put an access token in place of YOUR_TOKEN.'), ' ', h('a', { href: '/user/settings/access' }, t('Make one'))));
const dialog = h('dialog', { class: 'tall', 'aria-labelledby': 'code-title', 'data-testid': 'code-dialog' },
  h('div', { class: 'stack' },
    h('div', { class: 'talk-head plain-head' }, h('h2', { id: 'code-title' }, t('The last message as code')),
      h('button', { type: 'button', class: 'round quiet', 'aria-label': t('Close'), 'data-close': true }, icon('close'))),
    models, none, whole, h('div', { class: 'row end' }, taker)));
document.body.append(dialog);

function draw() {
  const sent = bodies[models.selectedIndex];
  const provider = find(sent.providerId);
  const api = sent.modelId && Object.keys(apis).find((each) => apis[each].includes(provider?.type));
  none.hidden = Boolean(api);
  for (const part of [whole, taker]) part.hidden = !api;
  for (const tab of tabs) {
    tab.setAttribute('aria-selected', String(tab.textContent === language));
    tab.tabIndex = tab.textContent === language ? 0 : -1;
  }
  text.setAttribute('aria-labelledby', `code-${language}`);
  const about = { origin: location.origin, model: `${provider?.handle}/${sent.modelId}`, type: provider?.type, sent };
  text.textContent = api ? samplesOf(api, about)[language] : '';
}

function choose(each) {
  language = each;
  draw();
}

strip.addEventListener('keydown', (event) => {
  if (!(event.key in steps)) return;
  event.preventDefault();
  const at = (languages.indexOf(language) + steps[event.key] + languages.length) % languages.length;
  choose(languages[at]);
  tabs[at].focus();
});
models.addEventListener('change', draw);

/** Shows the code of what was sent: a body for each model that was asked. */
export function showCode(sent) {
  bodies = sent;
  models.replaceChildren(...sent.map(({ providerId, modelId }) =>
    h('option', null, [find(providerId)?.name, modelId].filter(Boolean).join(' · '))));
  models.hidden = sent.length < 2;
  draw();
  openDialog(dialog);
  (whole.hidden ? dialog.querySelector('[data-close]') : tabs[languages.indexOf(language)]).focus();
}
