import { t } from './language.js';

/** Holds a button back for so many seconds and counts them on it. */
export function countDown(button, seconds) {
  const label = button.textContent;
  const end = performance.now() + seconds * 1000;
  button.disabled = true;
  const tick = () => {
    const left = Math.ceil((end - performance.now()) / 1000);
    button.disabled = left > 0;
    button.textContent = left > 0 ? t('Wait {left} s', { left }) : label;
    if (left > 0) setTimeout(tick, 250);
  };
  tick();
}
