// A message as code that sends it through this service's /v1: curl, Python, JavaScript. Any text is quoted right: it stands
// in JSON between lines of its own, which a shell leaves as they are, or in a literal that all three languages read alike.

// They refuse max_tokens, or will; most others know only that (lib/adapters/protocols/openai.cpp).
const completionTokens = ['openai', 'azure-openai'];
const mostTokens = 1500; // of the Messages API, which wants a number
const invisible = /[\u007f-\u009f\u2028\u2029]/g;
const escaped = (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** A value as a literal, its parts on lines of their own. `words`: how true and false are written. */
function literal(value, words = ['true', 'false'], indent = '') {
  const inner = `${indent}  `;
  const parts = (open, lines, close) => `${open}\n${lines.map((line) => inner + line).join(',\n')}\n${indent}${close}`;
  if (Array.isArray(value)) return parts('[', value.map((each) => literal(each, words, inner)), ']');
  if (typeof value === 'object') {
    return parts('{', Object.entries(value).map(([name, each]) => `${literal(name)}: ${literal(each, words, inner)}`), '}');
  }
  if (typeof value === 'boolean') return words[value ? 0 : 1];
  return typeof value === 'string' ? JSON.stringify(value.toWellFormed()).replace(invisible, escaped) : String(value);
}

const pictures = {
  chat: ({ type, data }) => ({ type: 'image_url', image_url: { url: `data:${type};base64,${data}` } }),
  messages: ({ type, data }) => ({ type: 'image', source: { type: 'base64', media_type: type, data } }),
};

function contentOf(api, text, images) {
  if (!images?.length) return text;
  return [...images.map(pictures[api]), ...(text ? [{ type: 'text', text }] : [])];
}

/** The body for a route of that API, of what the playground sent, {message, history, system, temperature, …}. */
function bodyOf(api, model, type, { message, images, history = [], system, temperature, maxTokens, stream }) {
  const said = [...history, { role: 'user', content: message, images }]
    .map(({ role, content, images: own }) => ({ role, content: contentOf(api, content, own) }));
  const isChat = api === 'chat';
  const name = isChat && completionTokens.includes(type) ? 'max_completion_tokens' : 'max_tokens';
  const most = maxTokens ?? (isChat ? undefined : mostTokens);
  return {
    model,
    ...(system && !isChat ? { system } : {}),
    messages: [...(system && isChat ? [{ role: 'system', content: system }] : []), ...said],
    ...(temperature === undefined ? {} : { temperature }),
    ...(most === undefined ? {} : { [name]: most }),
    ...(stream ? { stream } : {}),
  };
}

const curl = (origin, path, headers, body) => [
  `curl ${body.stream ? '--no-buffer ' : ''}${origin}/v1${path} \\`,
  ...['Authorization: Bearer YOUR_TOKEN', 'Content-Type: application/json', ...headers].map((each) => `  -H "${each}" \\`),
  '  --data-binary @- <<\'JSON\'', literal(body), 'JSON',
].join('\n');

/** The arguments of a call in Python: each member by its name. */
const named = (body) => Object.entries(body)
  .map(([name, value]) => `    ${name}=${literal(value, ['True', 'False'], '    ')},`).join('\n');

const chat = (origin, body) => ({
  curl: curl(origin, '/chat/completions', [], body),
  Python: `from openai import OpenAI

client = OpenAI(base_url="${origin}/v1", api_key="YOUR_TOKEN")
answer = client.chat.completions.create(
${named(body)}
)
${body.stream ? `for chunk in answer:
    for choice in chunk.choices:
        print(choice.delta.content or "", end="", flush=True)` : 'print(answer.choices[0].message.content)'}`,
  JavaScript: `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: '${origin}/v1', apiKey: 'YOUR_TOKEN' });
const answer = await client.chat.completions.create(${literal(body)});
${body.stream ? `for await (const chunk of answer) {
  process.stdout.write(chunk.choices[0]?.delta.content ?? '');
}` : 'console.log(answer.choices[0].message.content);'}`,
});

const messages = (origin, { stream, ...rest }, body = stream ? { ...rest, stream } : rest) => ({
  curl: curl(origin, '/messages', ['anthropic-version: 2023-06-01'], body),
  Python: `from anthropic import Anthropic

client = Anthropic(base_url="${origin}", auth_token="YOUR_TOKEN")
${stream ? `with client.messages.stream(
${named(rest)}
) as answer:
    for text in answer.text_stream:
        print(text, end="", flush=True)` : `answer = client.messages.create(
${named(rest)}
)
print(answer.content[0].text)`}`,
  JavaScript: `import Anthropic from '@anthropic-ai/sdk';

const client = new Anthropic({ baseURL: '${origin}', authToken: 'YOUR_TOKEN' });
const answer = await client.messages.create(${literal(body)});
${stream ? `for await (const event of answer) {
  process.stdout.write(event.delta?.text ?? '');
}` : 'console.log(answer.content[0].text);'}`,
});

/** {curl, Python, JavaScript}: the texts for what was sent to a model of a provider of that type, by that API of it. */
export const samplesOf = (api, { origin, model, type, sent }) =>
  (api === 'chat' ? chat : messages)(origin, bodyOf(api, model, type, sent));
