// Testing one provider, and all of them with results as they come.

import { byId, h, plural, redraw, tell } from './dom.js';
import { open, post } from './api.js';
import { frames } from './event_stream.js';
import { all, load, route } from './store.js';

/** The contract's words for health, as people say them. */
export const healthWords = {
  unknown: 'Not tried yet', healthy: 'Healthy', degraded: 'Degraded', unhealthy: 'Unhealthy',
};

/** How a test ended, in a sentence. */
export function outcome(result, testid) {
  const reply = result.reply?.trim();
  const timing = result.latencyMs === undefined ? '' : ` in ${result.latencyMs.toLocaleString('en')} ms`;
  const model = result.model ? ` with ${result.model}` : '';
  const text = result.ok
    ? `Works: answered${reply ? ` “${reply.slice(0, 120)}”` : ''}${timing}${model}.`
    : result.error;
  return h('div', {
    class: `outcome ${result.ok ? 'good' : 'bad'}`, 'data-ok': String(result.ok), 'data-testid': testid,
  }, text);
}

/** Tests one provider and shows the result on its card. */
export async function testProvider(id, card) {
  card.showTesting();
  try {
    card.showResult(await post(route(id, '/test')));
  } catch (error) {
    card.showResult({ ok: false, error: error.message });
  }
  await load();
}

function totals({ total, passed, failed }) {
  if (total === 0) return 'There is no active provider to test.';
  if (failed === 0) return total === 1 ? 'The provider works.' : `All ${total} providers work.`;
  return `${passed} of ${plural(total, 'provider')} work${passed === 1 ? 's' : ''}, ${failed} failed.`;
}

/** Tests every active provider; cards is a map from id to card. */
export async function testAll(cards) {
  const summary = byId('batch-summary');
  const waiting = new Set(all().filter((one) => one.status === 'active').map((one) => one.id));
  const asked = waiting.size;
  const say = (text, kind = '') => {
    summary.hidden = false;
    summary.className = `note ${kind}`;
    redraw(summary, text);
  };
  for (const id of waiting) cards.get(id)?.showTesting();
  say(`Testing ${plural(asked, 'provider')}…`);
  let done = null;
  try {
    const response = await open('POST', '/user/providers/test-batch', {
      accept: 'text/event-stream', body: {},
    });
    for await (const frame of frames(response)) {
      if (frame.done) done = frame;
      else {
        waiting.delete(frame.providerId);
        cards.get(frame.providerId)?.showResult(frame);
        say(`${asked - waiting.size} of ${plural(asked, 'provider')} tested…`);
      }
    }
    if (!done) throw new Error('The test was cut off. Try again.');
    say(totals(done), done.failed ? 'bad' : 'good');
  } catch (error) {
    say(error.message, 'bad');
  }
  for (const id of waiting) cards.get(id)?.showResult(null);
  await load().catch((error) => tell(error.message, true));
}
