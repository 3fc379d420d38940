// Testing one provider, and all of them with results as they come.

import { byId, h, locale, plural, providerSaid, redraw, said, t, tell } from '../common/dom.js';
import { open, post } from '../common/api.js';
import { frames } from '../common/event_stream.js';
import { takesTurns } from './key_states.js';
import { all, change, find, load, route } from './store.js';

const money = ({ amount, currency }) => Number(amount).toLocaleString(locale, { style: 'currency', currency });

export const creditLeft = (result) => (result?.credit ? t('{credit} left', { credit: money(result.credit) }) : null);
export const took = (result) => (result?.ok && result.latencyMs !== undefined ? `${result.latencyMs.toLocaleString(locale)} ms` : null);

/** How a test ended, in a sentence. */
export function outcome(result, testid) {
  const { ok, reply, latencyMs, model, error, sentence, keyName } = result;
  const words = reply?.trim() ? t('answered “{reply}”', { reply: reply.trim().slice(0, 120) }) : t('answered');
  const parts = [
    model ? `${model} ${words}` : words,
    latencyMs === undefined ? '' : t('in {ms} ms', { ms: latencyMs.toLocaleString(locale) }),
    keyName ? t('(key “{key}”)', { key: keyName }) : '',
  ];
  const text = ok ? [`${t('Working:')} ${parts.filter(Boolean).join(' ')}.`, creditLeft(result)].filter(Boolean).join(' ')
    : [said(error, sentence), keyName ? t('The key was “{key}”.', { key: keyName }) : ''].filter(Boolean).join(' ');
  return h('div', {
    class: `outcome ${ok ? 'good' : 'bad'}`, 'data-ok': String(ok), 'data-testid': testid,
  }, text, providerSaid(result));
}

/** One result of those of several keys: it has failed when one of them has, and says which. */
function together(results) {
  const failures = results.filter(({ ok }) => !ok);
  if (failures.length === 0) return { ...results[0], keyName: undefined };
  const count = plural(failures.length, '{count} of {total} keys fails.', '{count} of {total} keys fail.', { total: results.length });
  const causes = failures.map(({ keyName, error, sentence }) => t('“{name}”: {cause}', { name: keyName, cause: said(error, sentence) }));
  return { ...(failures.length === 1 && failures[0]), isOfKeys: true, ok: false, error: [count, ...causes].join(' '), sentence: undefined, keyName: undefined };
}

/** Of each key that calls take in turn, one after another. */
async function resultOf(provider) {
  const turns = takesTurns(provider) ? provider.accounts.filter((one) => one.isEnabled && one.hasKey) : [];
  if (turns.length < 2) return post(route(provider.id, '/test'));
  const results = [];
  for (const { id } of turns) results.push(await post(route(provider.id, `/accounts/${id}/test`)));
  return together(results);
}

/** Tests one provider and shows the result on its card. */
export async function testProvider(id, card) {
  card.showTesting();
  try {
    card.showResult(await resultOf(find(id)));
  } catch (error) {
    if (!find(id)) return tell(error.message, true); // its card is gone
    card.showResult({ ok: false, error: error.message });
  }
  await load();
}

const providers = (count) => plural(count, '{count} provider', '{count} providers');

function totals({ total, passed, failed }) {
  if (total === 0) return t('No provider is switched on.');
  if (failed === 0) return plural(total, 'The provider works.', 'All {count} providers work.');
  return plural(passed, '{count} of {providers} works.', '{count} of {providers} work.', { providers: providers(total) });
}

/** The line above the list: {say(text, kind, …more), progress(done)}. */
function summaryLine(asked, stop) {
  const summary = byId('batch-summary');
  const words = h('span', { role: 'status' });
  const bar = h('progress', { max: String(asked), 'aria-label': t('Providers tested') });
  const cancel = h('button', { type: 'button', onclick: stop, 'data-testid': 'batch-cancel' }, t('Cancel'));
  summary.hidden = false;
  summary.className = 'note';
  redraw(summary, words, h('div', { class: 'row' }, bar, cancel));
  return {
    progress(done) {
      bar.value = done;
      words.textContent = done
        ? t('{done} of {providers} tested…', { done, providers: providers(asked) })
        : t('Testing {providers}…', { providers: providers(asked) });
    },
    end(text, kind, failures) {
      summary.className = `note ${kind}`;
      const names = failures.flatMap(({ providerId, name }, i) => [i ? ', ' : ' ', h('a', { href: `#provider-${providerId}` }, name)]);
      redraw(summary, h('span', { role: 'status' }, text), failures.length === 0 ? null
        : h('span', { 'data-testid': 'batch-failures' }, ` ${t('Failing:')}`, names));
    },
  };
}

/** The frames of a test of all, each result given to tested(); resolves to the totals. */
async function batch(signal, tested) {
  const response = await open('POST', '/user/providers/test-batch', {
    accept: 'text/event-stream', body: {}, signal,
  });
  for await (const frame of frames(response)) {
    if (frame.done) return frame;
    tested(frame);
  }
  throw new Error(t('The test was cut off. Try again.'));
}

/** Tests every active provider; cards is a map from id to card. */
export async function testAll(cards) {
  const waiting = new Set(all().filter((one) => one.status === 'active').map((one) => one.id));
  const asked = waiting.size;
  const controller = new AbortController();
  const failures = [];
  const line = summaryLine(asked, () => controller.abort());
  for (const id of waiting) cards.get(id)?.showTesting();
  line.progress(0);
  try {
    const done = await batch(controller.signal, (result) => {
      waiting.delete(result.providerId);
      if (!result.ok) failures.push(result);
      cards.get(result.providerId)?.showResult(result);
      change(result.providerId, { healthStatus: result.ok ? 'healthy' : 'unhealthy' }); // until the list is loaded
      line.progress(asked - waiting.size);
    });
    line.end(totals(done), done.failed ? 'bad' : 'good', failures);
  } catch (error) {
    const words = controller.signal.aborted
      ? t('Cancelled; {done} of {providers} were tested.', {
        done: asked - waiting.size, providers: providers(asked),
      }) : error.message;
    line.end(words, controller.signal.aborted ? '' : 'bad', failures);
  }
  for (const id of waiting) cards.get(id)?.showResult(null);
  await load().catch((error) => tell(error.message, true));
}
