// Where a message goes: a choice of provider and model. Up to three are compared, each in a lane: its place among the answers
// of a turn, and in the conversation before. The browser keeps the ids of what was chosen last, until a sign-out.

import { byId, button, h, icon, t } from '../common/dom.js';
import { all, drawnMark, find } from '../common/provider_list.js';
import { userId } from '../common/api.js';
import { chooserButton, choices, choicesOf, isActive, isSame, noteUsed } from './chooser.js';

const compare = byId('playground-compare');
const adder = byId('compare-add');
const comparingKept = `comparing ${userId}`;
let others = []; // lanes beside the first
let changed = () => {};

/**
 * {node, opener, at(): the choice, ready(): can it be asked?, sees(): does it read images?, choose(choice), draw(), differ():
 * where another lane has the same, it takes another}
 */
function target(lane) {
  const suffix = lane === 0 ? '' : `-${lane + 1}`;
  const place = `chosen${suffix} ${userId}`;
  let kept = JSON.parse(localStorage.getItem(place)) ?? {};

  /** What was chosen, as long as it is there; else the first of its provider, or of all. */
  function at() {
    const providers = isActive(find(kept.provider)) ? [find(kept.provider)] : all().filter(isActive);
    const free = choicesOf(providers);
    return free.find(({ model }) => (model?.modelId ?? '') === kept.model) ?? free[0] ?? { provider: providers[0] };
  }
  const ready = () => Boolean(at().provider) && choices().some((choice) => isSame(choice, at()));
  const nameOf = ({ provider, model }) =>
    model?.displayName ?? (!provider ? t('No provider') : ready() ? provider.name : t('No chat model enabled'));

  function draw() {
    const { provider } = at();
    const name = nameOf(at());
    const words = [others.length > 0 ? `${t('Model')} ${lane + 1}` : t('Model'), name, provider?.name];
    opener.setAttribute('aria-label', words.filter(Boolean).join(', '));
    opener.title = [...new Set([provider?.name, name])].filter(Boolean).join(' · ');
    opener.replaceChildren(...(provider ? [drawnMark(provider.type)] : []), h('span', { dir: 'auto' }, name));
    opener.disabled = choices().length === 0;
    for (const each of ['aria-label', 'title']) remover.setAttribute(each, t('Take {name} out of the comparison', { name }));
  }
  function choose({ provider, model }) {
    kept = { provider: provider.id, model: model?.modelId ?? '' };
    localStorage.setItem(place, JSON.stringify(kept));
    draw();
    changed();
  }

  const opener = chooserButton(`playground-model${suffix}`, at, choose);
  const remover = button(icon('close'), () => {
    compareWith(others.filter((other) => other !== lane));
    (adder.hidden ? targets[0].opener : adder).focus();
  }, { class: 'quiet round', hidden: lane === 0, 'data-testid': `compare-without${suffix}` });
  return {
    node: h('div', { class: 'chooser', hidden: lane > 0 }, opener, remover),
    opener, at, ready, choose, draw,
    sees: () => at().model?.capabilities.split(',').includes('vision') ?? false,
    differ() {
      const taken = lanes().filter((other) => other !== lane).map((other) => targets[other].at());
      const isTaken = (choice) => taken.some((each) => isSame(each, choice));
      if (!ready() || !isTaken(at())) return;
      const free = choices().filter((choice) => !isTaken(choice));
      const other = free.find(({ provider }) => !taken.some((each) => each.provider === provider)) ?? free[0];
      if (other) choose(other);
    },
  };
}

export const targets = [0, 1, 2].map(target);
export const lanes = () => [0, ...others];

/** Shows what is chosen, and what can be. */
export function drawTargets() {
  for (const each of targets) each.draw();
  changed();
}

/** Compares the first with these lanes; a new one begins with what no other has. */
function compareWith(next) {
  const added = next.filter((lane) => !others.includes(lane));
  others = next.toSorted();
  for (const lane of added) targets[lane].differ();
  targets.forEach(({ node }, lane) => { node.hidden = !lanes().includes(lane); });
  compare.setAttribute('aria-pressed', String(others.length > 0));
  byId('playground').toggleAttribute('data-comparing', others.length > 0);
  adder.hidden = others.length !== 1;
  drawTargets();
  try {
    sessionStorage.setItem(comparingKept, JSON.stringify(others));
  } catch {
    // Full of images: a reload forgets it.
  }
}

/** Notes that these are used now, the first lane last of all. */
export const noteAsked = (which) => which.toReversed().forEach((lane) => noteUsed(targets[lane].at()));

/** Goes on with the comparison from before a reload, and with the provider that the address asks for. */
export function restoreTargets() {
  const wanted = new URLSearchParams(location.search).get('provider');
  history.replaceState(null, '', location.pathname); // a reload then keeps what is chosen later
  if (isActive(find(wanted))) targets[0].choose(choicesOf([find(wanted)])[0] ?? { provider: find(wanted) });
  const kept = JSON.parse(sessionStorage.getItem(comparingKept));
  compareWith([1, 2].filter((lane) => kept?.includes?.(lane)));
}

/** Puts them into the page; change() is called after each change. */
export function startTargets(change) {
  changed = change;
  byId('playground-choosers').prepend(...targets.map(({ node }) => node));
  compare.addEventListener('click', () => compareWith(others.length > 0 ? [] : [1]));
  adder.addEventListener('click', () => {
    const lane = [1, 2].find((each) => !others.includes(each));
    compareWith([...others, lane]);
    targets[lane].opener.focus();
  });
}
