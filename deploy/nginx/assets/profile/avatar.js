// The picture: cut to a square here, seen before it is sent, and sent no larger than it is shown.

import { byId } from '../common/dom.js';
import { t } from '../common/language.js';

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
export async function cropped() {
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

export function startAvatar() {
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
