// @musistudio/llms is a library: a server of it. node llms.cjs PORT UPSTREAM KEY

const { default: Server } = require('@musistudio/llms');

const [port, upstream, key] = process.argv.slice(2);
const provider = {
  name: 'mock', api_base_url: `http://${upstream}/v1/chat/completions`, api_key: key, models: ['gpt-4o'],
};
new Server({
  useJsonFile: false, useEnvFile: false, logger: false,
  initialConfig: { providers: [provider], HOST: '127.0.0.1', PORT: port },
}).start();
