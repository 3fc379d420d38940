// The load client of `./dev bench`. Reads one JSON object, the members of `run`, and prints its report as one.
// Prints "open" before it when the answers of all connections have begun.
import { readFileSync } from 'node:fs';
import tls from 'node:tls';

const run = {
  port: 0, // on 127.0.0.1
  requests: [], // whole ones; connection i sends number i (modulo)
  connections: 1,
  rate: 0, // connections begun a second, each with its request; 0: all are open before the first request
  rotate: false, // the k-th request of connection i is number i + k × connections
  once: false, // a request a connection, instead of one after the other
  linger: false, // answers need not end within the time
  seconds: 10, // no request begins later
  warm: 0, // seconds whose requests' times don't count
  first: '', // a body with its first token holds this
  end: '', // the last bytes of a whole body hold this
  ...JSON.parse(readFileSync(0, 'utf8')),
};
const MOST_HANDSHAKES = 128; // at the same time: a listener's backlog is finite
const PATIENCE = 120_000; // milliseconds for answers under way at the end
const KEPT_TAIL = 512;
const LAST_CHUNK = '\n0\r\n\r\n';

const requests = run.requests.map((text) => Buffer.from(text));
const secureContext = tls.createSecureContext();
const buffer = Buffer.alloc(65_536);
const ready = []; // until the run begins
const times = { '': [], first_: [] }; // of whole answers, in milliseconds: to the last byte, to the first token
const report = { requests: 0, failed: 0, open_most: 0, statuses: {} };
let [opened, connecting, underWay, streaming] = [0, 0, 0, 0];
let begun = run.rate ? performance.now() : null;

const since = () => performance.now() - begun;
const isTime = () => since() < run.seconds * 1000;

class Connection {
  constructor(number) {
    this.next = number;
    this.open();
  }

  open() {
    connecting += 1;
    this.isConnecting = true;
    this.isWaiting = false;
    const onread = { buffer, callback: (size) => this.read(buffer.toString('latin1', 0, size)) };
    const options = { host: '127.0.0.1', port: run.port, noDelay: true, onread };
    const socket = tls.connect({ ...options, servername: 'localhost', secureContext, rejectUnauthorized: false });
    socket.on('secureConnect', () => this.connected());
    socket.on('error', () => {}); // 'close' comes next
    socket.on('close', () => this.socket === socket && this.lose());
    this.socket = socket;
  }

  close() {
    const { socket } = this;
    this.socket = null;
    socket.destroy();
  }

  connected() {
    connecting -= 1;
    this.isConnecting = false;
    if (begun === null) ready.push(this);
    else this.send();
  }

  send() {
    underWay += 1;
    Object.assign(this, { isWaiting: true, head: '', tail: '\n', status: 0, firstAt: 0 });
    const request = requests[this.next % requests.length];
    if (run.rotate) this.next += run.connections;
    this.sentAt = performance.now();
    this.socket.write(request);
  }

  read(bytes) {
    let body = bytes;
    if (this.status === 0) {
      this.head += bytes;
      const end = this.head.indexOf('\r\n\r\n');
      if (end < 0) return;
      body = this.head.slice(end + 4);
      this.readHead(this.head.slice(0, end + 2));
    }
    const text = this.tail + body;
    if (body && !this.firstAt && text.includes(run.first)) this.firstAt = performance.now();
    this.tail = text.slice(-KEPT_TAIL);
    this.left -= body.length;
    if (this.left <= 0 || (this.isChunked && text.endsWith(LAST_CHUNK))) this.takeAnswer();
  }

  readHead(head) {
    this.status = Number(head.slice(9, 12));
    this.closes = /\r\nconnection: close\r\n/i.test(head);
    this.isChunked = /\r\ntransfer-encoding: chunked\r\n/i.test(head);
    const length = this.status === 304 ? null : /\r\ncontent-length: *(\d+)/i.exec(head);
    this.left = this.isChunked ? Infinity : Number(length?.[1] ?? 0);
    streaming += this.status === 200;
    if (streaming <= report.open_most) return;
    report.open_most = streaming;
    if (streaming === run.connections) console.log('open');
  }

  takeAnswer() {
    this.endAnswer();
    report.statuses[this.status] = (report.statuses[this.status] ?? 0) + 1;
    if (this.tail.includes(run.end)) this.noteTimes();
    else report.failed += 1;
    if (run.once || !isTime()) this.close();
    else if (this.closes) this.reopen();
    else this.send();
  }

  endAnswer() {
    underWay -= 1;
    streaming -= this.status === 200;
    this.isWaiting = false;
  }

  noteTimes() {
    report.requests += 1;
    if (this.sentAt - begun < run.warm * 1000) return;
    times[''].push(performance.now() - this.sentAt);
    if (this.firstAt) times.first_.push(this.firstAt - this.sentAt);
  }

  reopen() {
    this.close();
    this.open();
  }

  lose() {
    this.socket = null;
    report.failed += 1;
    connecting -= this.isConnecting;
    if (this.isWaiting) this.endAnswer();
  }
}

function openDue() {
  const due = run.rate ? (since() * run.rate) / 1000 : Infinity;
  for (; opened < Math.min(run.connections, due) && connecting < MOST_HANDSHAKES; opened += 1) new Connection(opened);
}

function isOver() {
  const isQuiet = underWay === 0 && connecting === 0;
  if (isTime()) return opened === run.connections && isQuiet;
  return run.linger || isQuiet || since() > run.seconds * 1000 + PATIENCE;
}

function finish() {
  for (const [name, all] of Object.entries(times)) {
    all.sort((a, b) => a - b);
    const at = (part) => all[Math.floor(part * all.length)] ?? 0;
    Object.assign(report, { [`${name}p50_ms`]: at(0.5), [`${name}p99_ms`]: at(0.99) });
  }
  console.log(JSON.stringify({ ...report, unfinished: underWay, per_second: (report.requests * 1000) / since() }));
  process.exit();
}

setInterval(() => {
  if (begun === null || isTime()) openDue();
  if (begun === null && opened === run.connections && connecting === 0) {
    begun = performance.now();
    ready.filter((each) => each.socket).forEach((each) => each.send());
  }
  if (begun !== null && isOver()) finish();
}, 1);
