// The images of messages, each {type, data in Base64}, as the server takes them. They are scaled down and encoded again here,
// so that no more is sent than a model looks at, and no place or name that a camera wrote beside the picture. The page's
// policy shows no picture from memory, so they are drawn.

import { attempt, byId, h, icon, t } from '../common/dom.js';

const { maxImages, maxImageBytes, imageTypes } = byId('playground').dataset;
const mostSide = 1568; // pixels: Claude API docs, "Vision"; others scale down further
const shownSide = 640;
const qualities = [0.9, 0.6];
const list = byId('playground-images');
const adder = byId('playground-add-images');
const input = byId('playground-files');
const message = byId('playground-message');
let chosen = [];

function drawOn(canvas, picture, most) {
  const scale = Math.min(1, most / Math.max(picture.width, picture.height));
  canvas.width = Math.max(1, Math.round(picture.width * scale));
  canvas.height = Math.max(1, Math.round(picture.height * scale));
  const context = canvas.getContext('2d');
  context.imageSmoothingQuality = 'high';
  context.drawImage(picture, 0, 0, canvas.width, canvas.height);
}

const base64 = (blob) => new Promise((resolve, reject) => {
  const reader = new FileReader();
  reader.onload = () => resolve(reader.result.slice(reader.result.indexOf(',') + 1));
  reader.onerror = () => reject(reader.error);
  reader.readAsDataURL(blob);
});

/** An image of a file as it is sent: in the file's type, or as JPEG where the browser cannot or that is too large. */
async function imageOf(file) {
  const types = imageTypes.split(',');
  const canvas = h('canvas');
  try {
    if (!types.includes(file.type)) throw new Error();
    drawOn(canvas, await createImageBitmap(file), mostSide);
  } catch {
    throw new Error(t('{name} is damaged, or no PNG, JPEG or WebP image.', { name: file.name }));
  }
  for (const type of [file.type, 'image/jpeg']) {
    for (const quality of qualities) {
      const blob = await new Promise((resolve) => { canvas.toBlob(resolve, type, quality); });
      if (types.includes(blob.type) && blob.size <= Number(maxImageBytes)) return { type: blob.type, data: await base64(blob) };
    }
  }
  throw new Error(t('{name} is too large.', { name: file.name }));
}

/** Draws images: the nodes of a list. */
export const drawings = (images) => images.map(({ type, data }, at) => {
  const canvas = h('canvas', { role: 'img', 'aria-label': t('Image {number}', { number: at + 1 }), 'data-testid': 'playground-image' });
  const bytes = Uint8Array.from(atob(data), (sign) => sign.charCodeAt(0));
  createImageBitmap(new Blob([bytes], { type })).then((picture) => drawOn(canvas, picture, shownSide), () => {});
  return canvas;
});

/** Those of the message that is being written. */
export const chosenImages = () => chosen;

export function chooseImages(images) {
  chosen = images.slice(0, Number(maxImages));
  list.hidden = chosen.length === 0;
  list.replaceChildren(...drawings(chosen).map((canvas, at) => h('li', null, canvas, h('button', {
    type: 'button', class: 'round', 'aria-label': t('Remove image {number}', { number: at + 1 }), 'data-testid': 'image-remove',
    onclick() {
      chooseImages(chosen.toSpliced(at, 1));
      (list.querySelectorAll('button')[Math.min(at, chosen.length - 1)] ?? message).focus();
    },
  }, icon('close')))));
}

/** Files are chosen, pasted or dropped; mayAdd() throws when there is no model for them. */
export function startImages(mayAdd) {
  const add = (files) => attempt(adder, async () => {
    mayAdd();
    for (const file of files) {
      const image = await imageOf(file);
      if (chosen.length >= Number(maxImages)) throw new Error(t('A message has at most {count} images.', { count: maxImages }));
      chooseImages([...chosen, image]);
    }
  });
  adder.addEventListener('click', () => attempt(adder, () => {
    mayAdd();
    input.click();
  }));
  input.addEventListener('change', () => {
    add([...input.files]);
    input.value = '';
  });
  message.addEventListener('paste', (event) => {
    const files = [...event.clipboardData.files];
    if (files.length === 0 || event.clipboardData.getData('text/plain')) return;
    event.preventDefault();
    add(files);
  });
  for (const kind of ['dragover', 'drop']) {
    byId('playground').addEventListener(kind, (event) => {
      if (!event.dataTransfer.types.includes('Files')) return;
      event.preventDefault();
      if (kind === 'drop') add([...event.dataTransfer.files]);
    });
  }
}
