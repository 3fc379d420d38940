// Code in an answer: its language, a button that copies it, and lines that may still arrive.

import { button, h, tell } from '../common/dom.js';
import { growingText } from './growing_text.js';
import { highlight } from './highlight.js';
import { t } from '../common/language.js';

/** Copies text and says so; a browser that forbids it is told of. */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    throw new Error(t('The browser did not allow copying. Select the text and copy it yourself.'));
  }
  tell(t('Copied.'));
}

/** {node, append(text), end()} */
export function codeBlock(language) {
  let text = '';
  const code = h('code');
  const grow = growingText(code);
  const named = language || t('code');
  const node = h('div', { class: 'code', dir: 'ltr', 'data-testid': 'code-block' },
    h('div', { class: 'code-head' }, h('span', null, named),
      button(t('Copy'), () => copy(text), {
        class: 'quiet', 'aria-label': t('Copy the {named}', { named }), 'data-testid': 'code-copy',
      })),
    h('pre', { tabindex: '0', role: 'group', 'aria-label': named }, code));
  return {
    node,
    append(piece) {
      text += piece;
      grow(piece);
    },
    end: () => highlight(code, text, language),
  };
}
