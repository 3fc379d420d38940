// Loaded before Portkey: it listens on loopback alone, is told by headers where to go, which its
// callers here don't send, and on Node 20 its streams fail on responses that can't be changed.

import http from 'node:http';
import net from 'node:net';

const headers = {
  'x-portkey-provider': 'openai', 'x-portkey-custom-host': `http://${process.env.UPSTREAM}/v1`,
};
const { emit } = http.Server.prototype;
http.Server.prototype.emit = function emitWith(event, request, ...rest) {
  if (event === 'request') {
    Object.assign(request.headers, headers);
    request.rawHeaders.push(...Object.entries(headers).flat());
  }
  return emit.call(this, event, request, ...rest);
};

const { listen } = net.Server.prototype;
net.Server.prototype.listen = function listenOnLoopback(where, ...rest) {
  const place = typeof where === 'object' ? where : { port: where };
  return listen.call(this, { ...place, host: '127.0.0.1' }, ...rest.filter((one) => typeof one === 'function'));
};

const { fetch } = globalThis;
globalThis.fetch = async (...request) => {
  const { body, status, statusText, headers: given } = await fetch(...request);
  return new Response(body, { status, statusText, headers: new Headers(given) });
};
