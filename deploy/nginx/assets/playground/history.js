// The messages before a question, as the server takes them.

import { byId } from '../common/dom.js';

// The rest of a request is for the message, the system prompt and what JSON adds to both.
const { maxBody, maxHistory, maxContent, maxAllImageBytes } = byId('playground').dataset;
const roomForHistory = Number(maxBody) * 0.74;

const isControl = (sign) => (sign < ' ' && !'\t\r\n'.includes(sign)) || (sign >= '\u007f' && sign <= '\u009f');

/** The text without control characters, and not too long. */
function fitting(text) {
  return [...text].filter((sign) => !isControl(sign)).slice(0, Number(maxContent)).join('');
}

const bytesOf = (images) => images.reduce((sum, { data }) => sum + data.length * 0.75, 0);

/** Gives the images of the last turns to their questions, as far as there is room; true when some are left out. */
function addImages(turns, room) {
  let left = room;
  for (const { pair, images } of [...turns].reverse()) {
    left -= bytesOf(images);
    if (images.length > 0 && left >= 0) pair[0].images = images;
  }
  return left < 0;
}

/**
 * Of [question, answer, images] each, those of the end that fit: {history, leftOut: how many do not, shortened: is an answer
 * cut?, blind: are images left out?}. `own`: the images of the question itself; null: the model reads none.
 */
export function historyOf(turns, own) {
  const before = turns.filter(([, answer]) => answer !== '').map(([question, answer, images]) => ({
    images,
    pair: [{ role: 'user', content: question }, { role: 'assistant', content: fitting(answer) }],
    shortened: [...answer].length > Number(maxContent),
  }));
  const size = ({ pair }) => new TextEncoder().encode(JSON.stringify(pair)).length;
  let room = roomForHistory;
  let first = before.length;
  const fits = () => 2 * (before.length - first) < Number(maxHistory) && (room -= size(before[first - 1])) >= 0;
  while (first > 0 && fits()) first -= 1;
  const sent = before.slice(first);
  const lost = addImages(sent, own ? Number(maxAllImageBytes) - bytesOf(own) : 0);
  const asked = sent.filter(({ pair: [question] }) => question.content !== '' || question.images);
  return {
    blind: lost || asked.length < sent.length, history: asked.flatMap((one) => one.pair), leftOut: first,
    shortened: asked.some((one) => one.shortened),
  };
}
