// Work in slices, so that the page stays alive however much arrives: drawing once a frame, and pauses
// in which clicks, keys and frames have their turn.

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
export function sliceClock() {
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
