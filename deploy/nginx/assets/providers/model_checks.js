// Asking models for one word: any one, or all of a provider that are enabled, a few at a time.

import { post } from '../common/api.js';
import { load } from './store.js';

const atOnce = 3; // of the calls that a person may have under way
const question = 'ping';
const results = new Map(); // provider and model → how it went, or busy
const keyOf = (id, modelId) => `${id} ${modelId}`;

/** How the last check of that model went: {ok, reply, latencyMs} or {ok: false, error}; {busy} meanwhile. */
export const checkOf = (id, modelId) => results.get(keyOf(id, modelId));

/** Asks one model; draw() is called before and after. */
async function check(id, modelId, draw) {
  results.set(keyOf(id, modelId), { busy: true });
  draw();
  try {
    const { content, latencyMs } = await post('/user/providers/playground', {
      providerId: id, modelId, message: question, stream: false,
    });
    results.set(keyOf(id, modelId), { ok: true, reply: content, latencyMs });
  } catch ({ message: error, providerCode, providerSaid }) {
    results.set(keyOf(id, modelId), { ok: false, error, providerCode, providerSaid });
  }
  draw();
}

/** Asks these models of a provider, in their order. */
export async function checkModels(id, modelIds, draw) {
  const waiting = [...modelIds];
  const worker = async () => {
    for (let next; (next = waiting.shift()) !== undefined;) await check(id, next, draw);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  await load();
}
