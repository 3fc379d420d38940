// The provider that the bench calls: OpenAI's streamed chat completions over HTTP/1.1. The path says how: POST /40x25/…
// answers with 40 tokens, one every 25 ms; POST /json/… with a small answer at once, not streamed. Prints its port, then a line when a caller leaves in mid-answer: nanoseconds
// of CLOCK_MONOTONIC.
import net from 'node:net';

const chunk = (text) => `${text.length.toString(16)}\r\n${text}\r\n`;
const event = (delta, finish) =>
  'data: {"id":"bench","object":"chat.completion.chunk","created":1,"model":"bench",' +
  `"choices":[{"index":0,"delta":${delta},"finish_reason":${finish}}]}\n\n`;

const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n';
const TOKEN = chunk(event('{"content":"token "}', 'null'));
const SMALL =
  '{"id":"bench","object":"chat.completion","created":1,"model":"bench","choices":[{"index":0,"message":' +
  '{"role":"assistant","content":"token"},"finish_reason":"stop"}],' +
  '"usage":{"prompt_tokens":4,"completion_tokens":1,"total_tokens":5}}';
const WHOLE = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${SMALL.length}\r\n\r\n${SMALL}`;
const END = `${chunk(`${event('{}', '"stop"')}data: [DONE]\n\n`)}0\r\n\r\n`;

class Caller {
  constructor(socket) {
    this.socket = socket;
    this.input = ''; // of a request's head
    this.missing = 0; // bytes of its body
    this.pace = null;
    this.timer = null; // while an answer is under way
    socket.setEncoding('latin1');
    socket.on('data', (text) => this.read(text));
    socket.on('error', () => {}); // 'close' comes next
    socket.on('close', () => this.leave());
  }

  read(text) {
    if (this.missing > 0) {
      this.missing -= text.length;
    } else {
      this.input += text;
      const bodyAt = this.input.indexOf('\r\n\r\n') + 4;
      if (bodyAt < 4) return;
      const length = Number(/\r\ncontent-length: *(\d+)/i.exec(this.input)?.[1] ?? 0);
      this.pace = /^POST \/(?:json|(\d+)x(\d+))\//.exec(this.input);
      this.missing = bodyAt + length - this.input.length;
      this.input = '';
    }
    if (this.missing > 0) return;
    if (this.pace?.[1]) this.answer(Number(this.pace[1]), Number(this.pace[2]));
    else if (this.pace) this.socket.write(WHOLE, 'latin1');
    else this.socket.destroy();
  }

  answer(tokens, pause) {
    const begun = performance.now();
    let told = 0;
    const wait = () => {
      this.timer = setTimeout(tell, begun + (told + 1) * pause - performance.now());
    };
    const tell = () => {
      told += 1;
      this.timer = null;
      this.socket.write(told < tokens ? TOKEN : TOKEN + END, 'latin1');
      if (told < tokens) wait();
    };
    this.socket.write(HEAD, 'latin1');
    wait();
  }

  leave() {
    if (this.timer === null) return;
    clearTimeout(this.timer);
    console.log(String(process.hrtime.bigint()));
  }
}

const server = net.createServer({ noDelay: true }, (socket) => new Caller(socket));
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => console.log(server.address().port));
