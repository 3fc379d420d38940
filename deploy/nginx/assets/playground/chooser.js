// The list of all models that can be chosen, above the box: a search field with a listbox (WAI-ARIA APG, "Combobox"). The
// last used are first, the rest are in the person's order. The browser keeps the ids of the last used until a sign-out.

import { byId, h, icon, t } from '../common/dom.js';
import { abilityNames, all, drawnMark, hasWords, healthPill, talks } from '../common/provider_list.js';
import { userId } from '../common/api.js';

const place = `used ${userId}`;
const mostUsed = 4;
const searchTypes = byId('playground').dataset.searchTypes.split(' ');
const panel = byId('chooser');
const search = byId('chooser-search');
const list = byId('chooser-list');
const none = byId('chooser-none');
const touches = matchMedia('(pointer: coarse)');
let asked = null; // {opener, at(), choose(choice)} of what is being chosen
let active = null; // the option that Enter takes

/** What these providers offer: {provider, model}; one that searches needs no model. */
export const choicesOf = (providers) => providers.flatMap((provider) => {
  const models = provider.models.filter((model) => model.isEnabled && talks(model));
  const needsNone = models.length === 0 && searchTypes.includes(provider.type);
  return needsNone ? [{ provider }] : models.map((model) => ({ provider, model }));
});

export const isActive = (provider) => provider?.status === 'active';
export const choices = () => choicesOf(all().filter(isActive));
const idOf = ({ provider, model }) => `${provider.id} ${model?.modelId ?? ''}`;
export const isSame = (one, other) => idOf(one) === idOf(other);

const used = () => JSON.parse(localStorage.getItem(place)) ?? [];

/** That one is the last used now. */
export function noteUsed(choice) {
  const others = used().filter((id) => id !== idOf(choice));
  localStorage.setItem(place, JSON.stringify([idOf(choice), ...others].slice(0, mostUsed)));
}

function activate(option) {
  active?.classList.remove('active');
  active = option ?? null;
  active?.classList.add('active');
  if (active) search.setAttribute('aria-activedescendant', active.id);
  else search.removeAttribute('aria-activedescendant');
}

const failing = (provider) =>
  (['degraded', 'unhealthy'].includes(provider.healthStatus) ? healthPill(provider) : null);

/** isAlone: not among the others of its provider. */
function optionOf(choice, isAlone) {
  const { provider, model } = choice;
  const isChosen = isSame(choice, asked.at());
  const facts = [isAlone && provider.name, ...abilityNames(model?.capabilities ?? '')].filter(Boolean);
  return h('div', {
    role: 'option', id: `choice ${idOf(choice)}`.replaceAll(' ', '-'), 'aria-selected': String(isChosen), title: model?.modelId,
    'data-testid': 'chooser-option', onclick: () => take(choice),
  }, drawnMark(provider.type),
  h('span', { class: 'grow' }, h('span', { dir: 'auto' }, model?.displayName ?? t('Web search and fetch')),
    facts.length > 0 && h('span', { class: 'sub' }, facts.join(' · '))),
  isAlone && failing(provider), isChosen && icon('check'));
}

function groupOf(title, sign, members, isAlone) {
  const name = h('div', { class: 'group-name', role: 'presentation' }, h('span', { dir: 'auto' }, title), sign);
  return h('div', { role: 'group', 'aria-label': [title, sign?.textContent].filter(Boolean).join(', ') }, name,
    members.map((choice) => optionOf(choice, isAlone)));
}

function draw() {
  const words = search.value.trim();
  const found = choices().filter(({ provider, model }) =>
    hasWords([provider.name, model?.displayName, model?.modelId].filter(Boolean).join(' '), words));
  const last = words ? [] : used().map((id) => found.find((choice) => idOf(choice) === id)).filter(Boolean);
  const byProvider = Map.groupBy(found.filter((choice) => !last.includes(choice)), ({ provider }) => provider);
  list.replaceChildren(...(last.length > 0 ? [groupOf(t('Last used'), null, last, true)] : []),
    ...[...byProvider].map(([provider, members]) => groupOf(provider.name, failing(provider), members, false)));
  none.textContent = found.length > 0 ? '' : t('No model has that name.');
  const options = optionsNow();
  activate((!words && options.find((option) => option.getAttribute('aria-selected') === 'true')) || options[0]);
  if (panel.matches(':popover-open')) active?.scrollIntoView({ block: 'nearest' });
}

const optionsNow = () => [...list.querySelectorAll('[role="option"]')];

function take(choice) {
  asked.choose(choice);
  panel.hidePopover();
}

/** A button that shows what is chosen, at(), and opens the list. */
export function chooserButton(testid, at, choose) {
  const opener = h('button', {
    type: 'button', class: 'quiet more chosen', popovertarget: panel.id, 'aria-haspopup': 'dialog', 'data-testid': testid,
    onclick() {
      asked = { opener, at, choose };
      opener.focus(); // Safari does not, and then the focus would not come back here
    },
  });
  return opener;
}

search.addEventListener('input', draw);
search.addEventListener('keydown', (event) => {
  const options = optionsNow();
  const at = options.indexOf(active);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
  if (event.key === 'Tab') panel.hidePopover();
  if (event.isComposing || (to === undefined && event.key !== 'Enter')) return;
  event.preventDefault();
  if (to === undefined) return active?.click();
  activate(options.at(to === options.length ? 0 : to));
  active?.scrollIntoView({ block: 'nearest' });
});
panel.addEventListener('beforetoggle', ({ newState }) => {
  if (newState === 'closed') return;
  search.value = '';
  search.autofocus = !touches.matches; // there a keyboard would cover the list
  draw();
});
panel.addEventListener('toggle', ({ newState }) => {
  const isOpen = newState === 'open';
  const focused = document.activeElement;
  panel.style.height = isOpen ? `${panel.offsetHeight}px` : ''; // so that it stays in its place while one types
  if (isOpen) active?.scrollIntoView({ block: 'center' });
  else if (focused.contains(panel) || panel.contains(focused)) asked.opener.focus(); // nothing else was pressed
});
new ResizeObserver(([{ target }]) => {
  panel.style.setProperty('--above', `${innerHeight - target.getBoundingClientRect().top}px`);
}).observe(document.querySelector('.box'));
