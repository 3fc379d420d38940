// Loaded before the Portkey gateway: on Node 20 its streams need answers whose headers can be changed, and it would listen
// on every interface.
import net from 'node:net';

const { fetch } = globalThis;
globalThis.fetch = async (...given) => {
  const { body, status, statusText, headers } = await fetch(...given);
  return new Response(body, { status, statusText, headers: new Headers(headers) });
};

const { listen } = net.Server.prototype;
net.Server.prototype.listen = function listenOnLoopback(where, ...rest) {
  const port = typeof where === 'object' ? where.port : where;
  return listen.call(this, { port: Number(port), host: '127.0.0.1' }, rest.find((each) => typeof each === 'function'));
};
