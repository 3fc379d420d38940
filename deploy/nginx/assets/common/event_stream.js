// text/event-stream from a fetch response (EventSource can only GET).
// Work in slices, so that the page stays alive however much arrives: drawing once a frame, and pauses
// in which clicks, keys and frames have their turn.

import { ApiError } from './api.js';
import { t } from './dom.js';

const slice = 5; // milliseconds of work before a pause; drawing what it made takes as long again, and a frame at 60 Hz has 16

const channel = new MessageChannel();
const waiting = [];
channel.port1.onmessage = () => waiting.shift()();

/** Resolves in a task of its own. Unlike a timer's, it is not slowed down while the page is hidden. */
const nextTask = () => new Promise((resolve) => {
  waiting.push(resolve);
  channel.port2.postMessage(null);
});

/** A clock for one piece of work: over() tells that its slice is used up, rest() pauses and begins anew. */
function sliceClock() {
  let began = performance.now();
  return {
    over: () => performance.now() - began > slice,
    async rest() {
      await nextTask();
      began = performance.now();
    },
  };
}

/**
 * A function that asks for `draw` in the next frame, once however often it is called. A hidden page
 * has no frames; a timer replaces it. draw(clock) returns true to be called again in the frame after.
 */
export function byFrame(draw) {
  let asked = false;
  function run() {
    asked = false;
    if (draw(sliceClock())) ask();
  }
  function ask() {
    if (asked) return;
    asked = true;
    if (document.hidden) setTimeout(run);
    else requestAnimationFrame(run);
  }
  return ask;
}

async function* lines(body) {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { value, done } = await reader.read();
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
      // A CR at the end may be half of a CRLF: it waits for the next chunk.
      const waiting = !done && rest.endsWith('\r') ? '\r' : '';
      const complete = rest.slice(0, rest.length - waiting.length).split(/\r\n|\n|\r/);
      rest = complete.pop() + waiting;
      yield* complete;
      if (done) return;
    }
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new ApiError(t('The connection was lost before the end.'));
  } finally {
    reader.cancel().catch(() => {});
  }
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiError(t('The server sent something this page does not understand.'));
  }
}

/**
 * The frames of a response, each one JSON object; comments and other fields are passed over. Frames
 * that arrived together are given out in slices, with pauses for the page.
 */
export async function* frames(response) {
  const clock = sliceClock();
  let data = [];
  for await (const line of lines(response.body)) {
    if (line === '') {
      if (data.length > 0) yield parsed(data.join('\n'));
      data = [];
      if (clock.over()) await clock.rest();
    } else if (line.startsWith('data:')) {
      data.push(line.slice(line[5] === ' ' ? 6 : 5));
    }
  }
}
