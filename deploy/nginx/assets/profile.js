// The profile page: a picture is cut before it is sent.
// The picture: cut to a square here, seen before it is sent, and sent no larger than it is shown.
// The file that was exported, read back.

import { byId, plural, t } from './common/dom.js';
import { get, post } from './common/api.js';
import { confirmed } from './common/dialogs.js';
import { startForms } from './common/forms.js';

const mostSide = 512;
const input = byId('avatar');
const slot = byId('avatar-error');
const crop = byId('crop');
const view = byId('crop-view');
const [zoom, across, down] = ['crop-zoom', 'crop-across', 'crop-down'].map(byId);
let image = null;

function say(text) {
  slot.textContent = text;
  input.setAttribute('aria-invalid', String(text !== ''));
  input.setCustomValidity(text);
}

/** The square of the image that is taken: {left, top, side, roomX, roomY}, in the image's pixels. */
function square() {
  const side = Math.min(image.width, image.height) / Number(zoom.value);
  const roomX = image.width - side;
  const roomY = image.height - side;
  return { side, roomX, roomY, left: roomX * Number(across.value), top: roomY * Number(down.value) };
}

function draw() {
  const { left, top, side } = square();
  view.width = Math.max(1, Math.min(mostSide, Math.round(side)));
  view.height = view.width;
  const context = view.getContext('2d');
  context.imageSmoothingQuality = 'high';
  context.drawImage(image, left, top, side, side, 0, 0, view.width, view.height);
}

/** Moves the square by so many pixels of the image, as far as it goes. */
function move(x, y) {
  const { roomX, roomY } = square();
  if (roomX > 0) across.value = Number(across.value) + x / roomX;
  if (roomY > 0) down.value = Number(down.value) + y / roomY;
  draw();
}

async function chosen() {
  const [file] = input.files;
  image = null;
  crop.hidden = true;
  say('');
  if (!file) return;
  if (!input.accept.split(',').includes(file.type)) {
    say(t('Choose a PNG or JPEG image.'));
    return;
  }
  try {
    image = await createImageBitmap(file);
  } catch {
    say(t('This picture is damaged, or no PNG or JPEG.'));
    return;
  }
  Object.assign(zoom, { min: 1, max: 4, step: 'any', value: 1 });
  for (const slider of [across, down]) Object.assign(slider, { min: 0, max: 1, step: 'any', value: 0.5 });
  crop.hidden = false;
  draw();
}

const encoded = (type, quality) => new Promise((resolve) => { view.toBlob(resolve, type, quality); });

/** Puts what is seen in the place of the chosen file. */
async function cropped() {
  if (!image) return;
  const most = Number(input.dataset.maxBytes);
  const tries = [['image/jpeg', 0.9], ['image/jpeg', 0.6]];
  if (input.files[0].type === 'image/png') tries.unshift(['image/png']);
  for (const [type, quality] of tries) {
    const blob = await encoded(type, quality);
    const fits = new DataTransfer();
    fits.items.add(new File([blob], input.files[0].name, { type }));
    if (blob.size > most) continue;
    input.files = fits.files;
    image = null;
    return;
  }
}

function startAvatar() {
  input.addEventListener('change', chosen);
  input.form.addEventListener('reset', () => setTimeout(chosen));
  for (const slider of [zoom, across, down]) slider.addEventListener('input', draw);
  view.addEventListener('pointerdown', (event) => view.setPointerCapture(event.pointerId));
  view.addEventListener('pointermove', (event) => {
    if (!view.hasPointerCapture(event.pointerId)) return;
    const scale = square().side / view.clientWidth;
    move(-event.movementX * scale, -event.movementY * scale);
  });
}

const chooser = byId('import-file');
const start = byId('import');
const result = byId('import-result');

async function providersIn(file) {
  if (file.size > Number(chooser.dataset.maxBytes)) throw new Error(t('This file is too large.'));
  try {
    const { providers } = JSON.parse(await file.text());
    if (Array.isArray(providers)) return providers;
  } catch { /* told below */ }
  throw new Error(t('This is not a file that was exported here.'));
}

function tellImport(text, bad) {
  result.textContent = text;
  result.className = bad ? 'error' : 'note good';
}

/** Of those that are here already the names get numbers, if the person wants them a second time; null if not. */
async function numbered(providers) {
  const list = await get('/user/providers/list');
  const taken = new Set(list.providers.map(({ name }) => name));
  const known = new Set(list.providers.map(({ name, baseUrl }) => `${name} ${baseUrl}`));
  const twice = providers.filter(({ name, baseUrl }) => known.has(`${name} ${baseUrl}`));
  const sure = twice.length === 0 || await confirmed(t('Add these a second time?'),
    t('You already have {names}. The new ones get a number.', { names: twice.map(({ name }) => name).join(', ') }), t('Add'));
  if (!sure) return null;
  return providers.map((provider) => {
    let { name } = provider;
    for (let number = 2; taken.has(name); number += 1) name = `${provider.name} ${number}`;
    taken.add(name);
    return { ...provider, name };
  });
}

let key = ''; // of the chosen file

async function take() {
  start.disabled = true;
  try {
    const providers = await numbered(await providersIn(chooser.files[0]));
    if (!providers) {
      start.disabled = false;
      start.focus();
      return;
    }
    const added = await post('/user/settings/profile/import', { providers }, key);
    tellImport(t('Added: {providers}, {models}. Enter their keys on the page Providers.', {
      providers: plural(added.providers, '{count} provider', '{count} providers'),
      models: plural(added.models, '{count} model', '{count} models'),
    }));
    chooser.value = '';
  } catch (error) {
    tellImport(error.message, true);
    start.disabled = false;
  }
}

function startImport() {
  chooser.accept = '.json';
  chooser.addEventListener('change', () => {
    key = crypto.randomUUID();
    result.textContent = '';
    result.className = '';
    start.disabled = chooser.files.length === 0;
  });
  start.addEventListener('click', take);
}

startForms(async (form) => {
  if (form.id === 'avatar-form') await cropped();
});
startAvatar();
startImport();
