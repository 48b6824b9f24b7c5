// Serves the page's files and recorded.mjs as the service does, with a browser to be driven against it:
//
//     node recorded_service.mjs WEB_FOLDER [PORT]
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {HOSTILE, RecordedCrawl} from './recorded.mjs';

const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const SANDBOX = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'";
const TYPES = {'.html': 'text/html', '.css': 'text/css', '.js': 'text/javascript', '.svg': 'image/svg+xml'};

/** `token`: asked for, if it is set. `failing`: paths of the API that answer 500, e.g. "hosts"; `busy`: 503. */
export class RecordedService {
  constructor(folder, {token = null, tickMs = 1000, canStart = false} = {}) {
    this.folder = folder;
    this.token = token;
    this.canStart = canStart;
    this.crawl = new RecordedCrawl();
    this.failing = new Set();
    this.busy = new Set();
    this.posts = [];
    this.streams = new Set();
    this.server = http.createServer((request, response) => this.handle(request, response));
    this.timer = setInterval(() => this.tick(), tickMs);
  }

  async listen(port = 0) {
    await new Promise((resolve) => this.server.listen(port, '127.0.0.1', resolve));
    this.port = this.server.address().port;
    this.url = `http://127.0.0.1:${this.port}`;
    return this;
  }

  /** No longer there, until listen(port) is called again. */
  async vanish() {
    this.server.closeAllConnections();
    this.streams.clear();
    await new Promise((resolve) => this.server.close(resolve));
  }

  async close() {
    clearInterval(this.timer);
    await this.vanish();
  }

  tick() {
    this.crawl.tick();
    for (const stream of this.streams) this.tell(stream);
  }

  tell(stream) {
    const send = (event, data) => stream.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
    send('status', this.crawl.status());
    if (this.crawl.state !== 'running') return;
    send('page', this.crawl.pageOfTick());
    send('log', this.crawl.logOfTick());
  }

  json(response, status, body, more = {}) {
    response.writeHead(status, {'Content-Type': 'application/json', ...more});
    response.end(JSON.stringify(body));
  }

  file(name, response) {
    const type = TYPES[path.extname(name)];
    const file = path.join(this.folder, name);
    if (!type || !/^[a-z_]+\.[a-z]+$/.test(name) || !fs.existsSync(file)) {
      this.json(response, 404, {error: 'There is no such file.'});
      return;
    }
    response.writeHead(200, {'Content-Type': `${type}; charset=utf-8`, 'Content-Security-Policy': POLICY,
      'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-cache'});
    response.end(fs.readFileSync(file));
  }

  handle(request, response) {
    const url = new URL(request.url, this.url);
    if (!url.pathname.startsWith('/api/')) {
      this.file(url.pathname === '/' ? 'index.html' : url.pathname.replace(/^\/web\//, ''), response);
    } else if (this.token && request.headers.authorization !== `Bearer ${this.token}`) {
      this.json(response, 401, {error: 'A token is needed.'}, {'WWW-Authenticate': 'Bearer'});
    } else if (request.method === 'POST') {
      this.post(url, request, response);
    } else if (url.pathname === '/api/v1/crawls') {
      const {statistics} = this.crawl.status();
      const one = {name: 'docs', folder: '/data/docs', state: this.crawl.state, controllable: true, pages: statistics.pages,
        urls_waiting: statistics.urls_waiting, started_at: Date.now() - 195000, startable: this.canStart, error: '', last_error: ''};
      const list = this.canStart ? [one, {...one, name: 'wiki', state: 'failed', folder: '/data/wiki', urls_waiting: 0, last_error: `The disk is full ${HOSTILE[0]}`}] : [one];
      this.json(response, 200, list);
    } else {
      this.get(url, response);
    }
  }

  get(url, response) {
    const [, name, what] = /^\/api\/v1\/crawls\/([^/]+)\/(.+)$/.exec(url.pathname) ?? [];
    if (name !== 'docs' && name !== 'wiki') {
      this.json(response, 404, {error: 'There is no such crawl.'});
    } else if (this.failing.has(what)) {
      this.json(response, 500, {error: 'The database cannot be read: disk I/O error.'});
    } else if (this.busy.has(what)) {
      this.json(response, 503, {error: 'Too many requests at a time; try again.'}, {'Retry-After': '1'});
    } else if (what === 'events') {
      response.writeHead(200, {'Content-Type': 'text/event-stream'});
      this.streams.add(response);
      response.on('close', () => this.streams.delete(response));
      this.tell(response);
    } else {
      this.send(this.crawl.answer(what, url.searchParams), response);
    }
  }

  send(answer, response) {
    if (!answer) this.json(response, 404, {error: 'There is no such answer.'});
    else if (answer.body) this.json(response, answer.status ?? 200, answer.body);
    else {
      response.writeHead(200, {'Content-Type': answer.type, 'Content-Security-Policy': answer.sandbox ? SANDBOX : POLICY,
        ...(answer.name ? {'Content-Disposition': `attachment; filename="${answer.name}"`} : {})});
      response.end(answer.text);
    }
  }

  post(url, request, response) {
    let body = '';
    request.on('data', (piece) => {
      body += piece;
    });
    request.on('end', () => {
      const what = url.pathname.split('/').at(-1);
      if (request.headers['x-crawler'] !== '1') {
        this.json(response, 403, {error: 'The header X-Crawler is missing.'});
        return;
      }
      this.posts.push({what, body: JSON.parse(body || '{}')});
      const state = {pause: 'paused', resume: 'running', stop: 'stopped'}[what];
      if (state) this.crawl.state = state;
      this.json(response, what === 'crawls' ? 201 : 200, {});
      this.tick();
    });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const service = await new RecordedService(process.argv[2], {canStart: process.argv.includes('--several')}).listen(Number(process.argv[3]) || 0);
  console.log(service.url);
}
