import Anthropic from '@anthropic-ai/sdk';
import { CALL, PIXEL, SCHEMA, addresses, all, report } from './report.mjs';

const client = (name, more = {}) => {
  const { base, key } = addresses[name];
  return new Anthropic({ baseURL: base, apiKey: key, maxRetries: 0, ...more });
};
const good = client('good');
const { claude: model } = addresses.good;
const user = content => [{ role: 'user', content }];
const tools = [{ name: 'get_weather', input_schema: SCHEMA }];
const asked = (content, name = 'good') => ({ max_tokens: 100, model: addresses[name].claude, messages: user(content) });
const failing = name => client(name).messages.create(asked(name, name));

const cases = {
  whole: async () => {
    const { data, request_id } = await good.messages.create(asked('anthropic whole 你好')).withResponse();
    return { text: data.content[0].text, usage: data.usage, stop: data.stop_reason, request: request_id };
  },
  bearer: async () => {
    const other = new Anthropic({ baseURL: addresses.good.base, apiKey: null, authToken: addresses.good.key });
    return (await other.messages.create(asked('anthropic bearer'))).content[0].text;
  },
  stream: async () => {
    const events = await all(await good.messages.create({ ...asked('anthropic stream one'), stream: true }));
    const started = events[0].message.usage;
    return { types: events.map(e => e.type), started, usage: events.find(e => e.type === 'message_delta').usage };
  },
  helper: async () => {
    const made = await good.messages.stream(asked('anthropic helper')).finalMessage();
    return { text: made.content[0].text, usage: made.usage };
  },
  tools: async () => {
    const first = await good.messages.create({ ...asked(CALL), tools });
    const [use] = first.content;
    const result = { type: 'tool_result', tool_use_id: use.id, content: 'sunny' };
    const messages = [...user(CALL), { role: 'assistant', content: first.content }, ...user([result])];
    const second = await good.messages.create({ ...asked(''), messages, tools });
    return { stop: first.stop_reason, name: use.name, input: use.input, ends: second.stop_reason };
  },
  toolsStreamed: async () => {
    const made = await good.messages.stream({ ...asked(CALL), tools }).finalMessage();
    return { stop: made.stop_reason, input: made.content[0].input };
  },
  compatible: async () => {
    const { model } = addresses.good;
    return (await good.messages.create({ ...asked('anthropic compatible'), model })).content[0].text;
  },
  noAnswer: () => failing('page'),
  image: async () => {
    const source = { type: 'base64', media_type: 'image/png', data: PIXEL };
    const parts = [{ type: 'text', text: 'anthropic image' }, { type: 'image', source }];
    return (await good.messages.create(asked(parts))).content[0].text;
  },
  counted: async () => good.messages.countTokens({ model, messages: user('anthropic counted one two') }),
  beta: async () => {
    const made = await good.beta.messages.create({ ...asked('anthropic beta'), betas: ['stub-2026-01-01'] });
    return made.content[0].text;
  },
  billed: async () => {
    const billed = client('billed');
    const request = asked('anthropic billed one', 'billed');
    const { usage: whole } = await billed.messages.create(request);
    const { usage: streamed } = await billed.messages.stream(request).finalMessage();
    await billed.messages.countTokens({ model: request.model, messages: request.messages });
    const input = whole.input_tokens + streamed.input_tokens;
    return { calls: 2, input, output: whole.output_tokens + streamed.output_tokens };
  },
  models: async () => (await all(await good.models.list())).map(m => m.id),
  model: async () => (await good.models.retrieve(model)).id,
  aborted: async () => {
    const stream = client('slow').messages.stream(asked(`anthropic aborted ${'word '.repeat(500)}`, 'slow'));
    let events = 0;
    for await (const _ of stream) {
      if (++events === 4) stream.abort();
    }
    return { events };
  },
  retried: async () => {
    const limited = client('limited', { maxRetries: 1 });
    return limited.messages.create(asked('anthropic retried', 'limited'));
  },
  refused: async () => client('refused', { maxRetries: 3 }).messages.create(asked('x', 'refused')),
  endedStream: async () => {
    return all(await client('ended').messages.create({ ...asked('x y', 'ended'), stream: true }));
  },
};
for (const name of Object.keys(addresses).filter(each => each.startsWith('error'))) cases[name] = () => failing(name);
await report(cases);
