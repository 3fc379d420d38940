// What the scripts share. ADDRESSES: {name: {base, key, model, claude}}, `base` without /v1.
export const addresses = JSON.parse(process.env.ADDRESSES);
export const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
export const SCHEMA = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
export const CALL = 'call get_weather {"city": "Zürich", "unit": "c"}';

/** All that a stream yields. */
export async function all(stream) {
  const items = [];
  for await (const item of stream) items.push(item);
  return items;
}

function described(error) {
  const { name, code, type, message, isRetryable, responseHeaders: headers } = error;
  const request = error.requestID ?? headers?.['x-request-id'] ?? headers?.['request-id'];
  const wait = error.headers?.get?.('retry-after') ?? headers?.['retry-after'];
  const status = error.status ?? error.statusCode;
  return { class: error.constructor.name, name, status, code, type, message, isRetryable, request, wait };
}

/** Runs each case and prints {name: its result, or the error that the client threw}. */
export async function report(cases) {
  const results = {};
  for (const [name, run] of Object.entries(cases)) {
    try {
      results[name] = (await run()) ?? null;
    } catch (error) {
      results[name] = { thrown: described(error) };
    }
  }
  console.log(JSON.stringify(results));
}
