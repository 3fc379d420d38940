// The place in the conversation: a person who reads its end sees what arrives there, one who has scrolled up stays. The
// browser reports growth after it has laid out the page, so that no frame is laid out twice.

import { byId } from '../common/dom.js';

const near = 40; // pixels above the end
const log = byId('playground-log');
const jump = byId('playground-jump');
let follows = true;
let top = 0;

export function toEnd() {
  follows = true;
  log.scrollTop = log.scrollHeight;
}

log.addEventListener('scroll', () => {
  const left = log.scrollHeight - log.scrollTop - log.clientHeight;
  follows = left < 2 || (log.scrollTop >= top && (follows || left < near));
  top = log.scrollTop;
  jump.hidden = follows;
});
jump.addEventListener('click', toEnd);

// While a question is edited, the place stays.
const growth = new ResizeObserver(() => { if (follows && !log.querySelector('.editing')) toEnd(); });
for (const box of [log, byId('playground-talk')]) growth.observe(box);
