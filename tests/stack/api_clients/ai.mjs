import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { Output, embed, generateText, jsonSchema, stepCountIs, streamText, tool } from 'ai';
import { CALL, PIXEL, SCHEMA, addresses, all, report } from './report.mjs';

// Each way to the same text: which route a model's requests take.
const ways = {
  responses: ({ base, key, model }) => createOpenAI({ baseURL: `${base}/v1`, apiKey: key }).responses(model),
  chat: ({ base, key, model }) => createOpenAI({ baseURL: `${base}/v1`, apiKey: key }).chat(model),
  completions: ({ base, key, model }) => createOpenAI({ baseURL: `${base}/v1`, apiKey: key }).completion(model),
  messages: ({ base, key, claude }) => createAnthropic({ baseURL: `${base}/v1`, apiKey: key }).languageModel(claude),
};
const weather = tool({ inputSchema: jsonSchema(SCHEMA), execute: async ({ city }) => `sunny in ${city}` });
const image = [{ type: 'text', text: 'ai image' }, { type: 'file', data: PIXEL, mediaType: 'image/png' }];
const output = Output.object({ schema: jsonSchema({ type: 'object', properties: { echo: { type: 'string' } } }) });
const quiet = { maxRetries: 0, onError: () => {} };

const cases = {};
for (const [way, make] of Object.entries(ways)) {
  const model = make(addresses.good);
  const asked = (prompt, more = {}) => generateText({ model, prompt, maxRetries: 0, ...more });
  cases[`${way} whole`] = async () => {
    const { text, usage } = await asked(`ai ${way}`);
    return { text, input: usage.inputTokens, output: usage.outputTokens };
  };
  cases[`${way} stream`] = async () => {
    const made = streamText({ model, prompt: `ai ${way} streamed`, ...quiet });
    const pieces = await all(made.textStream);
    return { text: pieces.join(''), pieces: pieces.length, input: (await made.usage).inputTokens };
  };
  cases[`${way} error`] = () => generateText({ model: make(addresses.error503), prompt: 'x', maxRetries: 0 });
  cases[`${way} refused`] = () => generateText({ model: make(addresses.refused), prompt: 'x', maxRetries: 0 });
  cases[`${way} aborted`] = async () => {
    const stop = new AbortController();
    const words = `ai ${way} aborted ${'word '.repeat(500)}`;
    const made = streamText({ model: make(addresses.slow), prompt: words, abortSignal: stop.signal, ...quiet });
    const kinds = new Set();
    for await (const part of made.fullStream) {
      kinds.add(part.type);
      if (part.type === 'text-delta') stop.abort();
    }
    return { ended: kinds.has('abort') };
  };
  cases[`${way} failed`] = async () => {
    const parts = await all(streamText({ model: make(addresses.failed), prompt: 'x y', ...quiet }).fullStream);
    return parts.filter(part => part.type === 'error').map(part => part.error.message ?? String(part.error)).join();
  };
  if (way === 'completions') continue;
  cases[`${way} tools`] = async () => {
    const { steps, text } = await asked(CALL, { tools: { get_weather: weather }, stopWhen: stepCountIs(2) });
    return { output: steps[0].toolResults[0].output, steps: steps.length, text };
  };
  cases[`${way} image`] = async () => (await asked(undefined, { messages: [{ role: 'user', content: image }] })).text;
  if (way !== 'messages') cases[`${way} json`] = async () => (await asked('ai json', { output })).output;
}
cases.embedding = async () => {
  const { base, key, model } = addresses.good;
  const provider = createOpenAI({ baseURL: `${base}/v1`, apiKey: key });
  const made = await embed({ model: provider.embedding(model), value: 'ai vector' });
  return { vector: made.embedding, tokens: made.usage.tokens };
};
await report(cases);
