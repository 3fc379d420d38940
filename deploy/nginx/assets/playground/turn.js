// One turn on the page: the question and what can be done with it, its versions, and its answers.

import { button, h, icon, t } from '../common/dom.js';
import { copy } from './code_block.js';
import { drawings } from './images.js';

/** The question as a field to change it in; what was answered stays until it is sent again. */
function editor(asked, send) {
  const area = h('textarea', { rows: '3', dir: 'auto', 'aria-label': t('Question'), 'data-testid': 'question-field' });
  let from = null; // what had the focus before
  const back = () => {
    form.replaceWith(asked);
    from.focus();
  };
  const form = h('form', { class: 'stack editing', novalidate: true }, area,
    h('div', { class: 'row end' }, button(t('Cancel'), back),
      h('button', { class: 'primary', 'data-testid': 'question-resend' }, t('Send again'))));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (send(area.value.trim())) back();
  });
  form.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    back();
  });
  return (text) => {
    area.value = text;
    from = document.activeElement;
    asked.replaceWith(form);
    area.focus();
  };
}

/** The way to the earlier and later versions: {node, draw(at, count)}. */
function versions(go) {
  const step = (sign, by, label, what) => h('button', {
    type: 'button', class: 'quiet', 'aria-label': label, 'data-testid': `question-${what}`, onclick: () => go(by),
  }, sign);
  const place = h('span', { class: 'muted', 'data-testid': 'question-version' });
  const earlier = step('‹', -1, t('Earlier version'), 'earlier');
  const later = step('›', 1, t('Later version'), 'later');
  const node = h('span', { class: 'versions' }, earlier, place, later);
  return {
    node,
    draw(at, count) {
      const focused = node.contains(document.activeElement);
      node.hidden = count === 1;
      place.textContent = `${at + 1}/${count}`;
      earlier.disabled = at === 0;
      later.disabled = at === count - 1;
      if (focused) (earlier.disabled ? later : earlier).focus();
    },
  };
}

/**
 * {node, edit(text), act(): its first button, draw(version, at, count)}; a version is {question, images, answers}. acts: {question(), send(text) is true when
 * it is asked, remove(), go(step)}.
 */
export function turnView(acts) {
  const act = (label, what, work, drawing = what) => button(icon(drawing), work, {
    class: 'quiet', title: label, 'aria-label': t('{label} the question', { label }), 'data-testid': `question-${what}`,
  });
  const bubble = h('div', { class: 'question', dir: 'auto', 'data-testid': 'playground-question' });
  const way = versions(acts.go);
  const pictures = h('div', { class: 'images' });
  let drawn = null;
  const copier = act(t('Copy'), 'copy', () => copy(acts.question()));
  const asked = h('div', { class: 'asked' }, h('h3', { class: 'away' }, t('You')), pictures, bubble,
    h('div', { class: 'row acts' }, way.node, copier,
      act(t('Edit'), 'edit', () => edit(acts.question()), 'pencil'),
      act(t('Delete'), 'delete', acts.remove, 'trash')));
  const edit = editor(asked, acts.send);
  const place = h('div', { class: 'answers', tabindex: '-1' });
  return {
    node: h('div', { class: 'turn', 'data-testid': 'playground-turn' }, asked, place),
    edit,
    act: () => asked.querySelector('.acts > button:not([hidden])'),
    draw({ question, images, answers }, at, count) {
      if (drawn !== images) pictures.replaceChildren(...drawings(images));
      drawn = images;
      for (const each of [bubble, copier]) each.hidden = question === '';
      bubble.textContent = question;
      way.draw(at, count);
      const nodes = answers.filter(Boolean).map((answer) => answer.node);
      const focused = place.contains(document.activeElement);
      if (nodes.length !== place.children.length || nodes.some((node) => node.parentElement !== place))
        place.replaceChildren(...nodes);
      place.classList.toggle('compared', nodes.length > 1);
      if (focused && !place.contains(document.activeElement)) place.focus({ preventScroll: true });
    },
  };
}
