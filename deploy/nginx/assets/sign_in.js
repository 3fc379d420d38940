// The sign-in page of one who has to wait: the button counts down, what was typed stays.

import { countDown } from './common/count_down.js';

const form = document.querySelector('form[data-wait]');
countDown(form.querySelector('button.primary'), Number(form.dataset.wait));
form.elements.password.focus();
