import OpenAI from 'openai';
import { CALL, PIXEL, SCHEMA, addresses, all, report } from './report.mjs';

const client = (name, more = {}) => {
  const { base, key } = addresses[name];
  return new OpenAI({ baseURL: `${base}/v1`, apiKey: key, maxRetries: 0, ...more });
};
const good = client('good');
const { model } = addresses.good;
const user = content => [{ role: 'user', content }];
const chat = (content, more = {}) => good.chat.completions.create({ model, messages: user(content), ...more });
const response = (input, more = {}) => good.responses.create({ model, input, ...more });
const tools = [{ type: 'function', function: { name: 'get_weather', parameters: SCHEMA } }];
const functions = [{ type: 'function', name: 'get_weather', parameters: SCHEMA, strict: false }];
const failing = name => client(name).chat.completions.create({ model: addresses[name].model, messages: user(name) });

const cases = {
  whole: async () => {
    const { data, request_id } = await chat('openai whole 你好').withResponse();
    return { text: data.choices[0].message.content, usage: data.usage, request: request_id };
  },
  stream: async () => {
    const chunks = await all(await chat('openai stream one two', { stream: true }));
    const text = chunks.map(c => c.choices[0]?.delta.content ?? '').join('');
    return { text, usages: chunks.filter(c => c.usage).length };
  },
  usage: async () => {
    const options = { stream: true, stream_options: { include_usage: true } };
    const chunks = await all(await chat('openai usage one', options));
    return { last: chunks.at(-1).usage, choices: chunks.at(-1).choices.length };
  },
  tools: async () => {
    const first = (await chat(CALL, { tools })).choices[0];
    const [call] = first.message.tool_calls;
    const messages = [...user(CALL), first.message, { role: 'tool', tool_call_id: call.id, content: 'sunny' }];
    const second = await good.chat.completions.create({ model, messages, tools });
    const said = second.choices[0].message.content;
    return { finish: first.finish_reason, name: call.function.name, arguments: call.function.arguments, said };
  },
  toolsStreamed: async () => {
    const stream = good.chat.completions.stream({ model, messages: user(CALL), tools });
    const { finish_reason, message } = (await stream.finalChatCompletion()).choices[0];
    return { finish: finish_reason, arguments: message.tool_calls[0].function.arguments };
  },
  image: async () => {
    const url = `data:image/png;base64,${PIXEL}`;
    const parts = [{ type: 'text', text: 'openai image' }, { type: 'image_url', image_url: { url } }];
    return (await chat(parts)).choices[0].message.content;
  },
  json: async () => {
    const format = { response_format: { type: 'json_object' } };
    return JSON.parse((await chat('openai json', format)).choices[0].message.content);
  },
  response: async () => {
    const made = await response('openai response');
    return { text: made.output_text, usage: made.usage, status: made.status };
  },
  responseStream: async () => {
    const events = await all(await response('openai events one', { stream: true }));
    const [types, numbers] = [events.map(e => e.type), events.map(e => e.sequence_number)];
    return { types, numbers, text: events.at(-1).response.output[0].content[0].text };
  },
  responseHelper: async () => {
    const made = await good.responses.stream({ model, input: 'openai helper' }).finalResponse();
    return { text: made.output_text, usage: made.usage };
  },
  responseTools: async () => {
    const { output } = await response(CALL, { tools: functions });
    const input = [...user(CALL), ...output];
    input.push({ type: 'function_call_output', call_id: output[0].call_id, output: 'sunny' });
    const said = (await response(input, { tools: functions })).output_text;
    const streamed = await good.responses.stream({ model, input: CALL, tools: functions }).finalResponse();
    return { arguments: output[0].arguments, streamed: streamed.output[0].arguments, said };
  },
  responseImage: async () => {
    const image = { type: 'input_image', image_url: `data:image/png;base64,${PIXEL}`, detail: 'auto' };
    return (await response(user([{ type: 'input_text', text: 'openai seen' }, image]))).output_text;
  },
  responseJson: async () => {
    const format = { type: 'json_schema', name: 'echo', schema: SCHEMA, strict: false };
    return JSON.parse((await response('openai schema', { text: { format } })).output_text);
  },
  completion: async () => (await good.completions.create({ model, prompt: 'openai text' })).choices[0].text,
  completionStream: async () => {
    const chunks = await all(await good.completions.create({ model, prompt: 'openai older', stream: true }));
    return chunks.map(c => c.choices[0].text).join('');
  },
  embedding: async () => {
    const made = await good.embeddings.create({ model, input: ['openai', 'vectors'] });
    return { count: made.data.length, vector: [...made.data[0].embedding], usage: made.usage };
  },
  drawn: async () => {
    const { data } = await good.images.generate({ model, prompt: 'openai drawn' });
    return Buffer.from(data[0].b64_json, 'base64').toString();
  },
  spoken: async () => {
    const made = await good.audio.speech.create({ model, voice: 'alloy', input: 'openai spoken' });
    return { type: made.headers.get('content-type'), begins: Buffer.from(await made.arrayBuffer()).toString('latin1', 0, 3) };
  },
  compacted: async () => {
    const made = await good.responses.compact({ model, input: 'openai compacted' });
    return { object: made.object, usage: made.usage };
  },
  ranked: async () => {
    const made = await good.post('/rerank', { body: { model, query: 'openai ranked', documents: ['a', 'b'] } });
    return made.results.map(each => each.index);
  },
  noAnswer: () => failing('page'),
  billed: async () => {
    const { model } = addresses.billed;
    const billed = client('billed');
    const asked = { model, messages: user('openai billed one two') };
    const { usage: whole } = await billed.chat.completions.create(asked);
    const options = { stream: true, stream_options: { include_usage: true } };
    const { usage: streamed } = (await all(await billed.chat.completions.create({ ...asked, ...options }))).at(-1);
    const { usage: response } = await billed.responses.create({ model, input: 'openai billed' });
    const { usage: embedding } = await billed.embeddings.create({ model, input: 'openai billed' });
    const input = whole.prompt_tokens + streamed.prompt_tokens + response.input_tokens + embedding.prompt_tokens;
    const output = whole.completion_tokens + streamed.completion_tokens + response.output_tokens;
    return { calls: 4, input, output };
  },
  models: async () => (await all(await good.models.list())).map(m => m.id),
  model: async () => (await good.models.retrieve(model)).id,
  aborted: async () => {
    const stop = new AbortController();
    const messages = user(`openai aborted ${'word '.repeat(500)}`);
    const request = { model: addresses.slow.model, messages, stream: true };
    let chunks = 0;
    for await (const _ of await client('slow').chat.completions.create(request, { signal: stop.signal })) {
      if (++chunks === 3) stop.abort();
    }
    return { chunks };
  },
  retried: async () => {
    const limited = client('limited', { maxRetries: 1 });
    return limited.chat.completions.create({ model: addresses.limited.model, messages: user('openai retried') });
  },
  refused: async () => {
    const stubborn = client('refused', { maxRetries: 3 });
    await stubborn.responses.create({ model: addresses.refused.model, input: 'x' }).catch(error => error);
    return stubborn.chat.completions.create({ model: addresses.refused.model, messages: user('x') });
  },
  endedStream: async () => {
    const request = { model: addresses.ended.model, messages: user('x y'), stream: true };
    return all(await client('ended').chat.completions.create(request));
  },
  endedResponse: async () => {
    return all(await client('ended').responses.create({ model: addresses.ended.model, input: 'x y', stream: true }));
  },
  failedResponse: async () => {
    const { model } = addresses.failed;
    const events = await all(await client('failed').responses.create({ model, input: 'x y', stream: true }));
    return { type: events.at(-1).type, error: events.at(-1).response.error };
  },
};
for (const name of Object.keys(addresses).filter(each => each.startsWith('error'))) cases[name] = () => failing(name);
await report(cases);
