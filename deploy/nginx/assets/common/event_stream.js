// text/event-stream from a fetch response (EventSource can only GET).

import { ApiError } from './api.js';
import { sliceClock } from './pacing.js';
import { t } from './language.js';

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
