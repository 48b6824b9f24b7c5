// A site whose every page tries to harm whoever shows it. Pages link to the next ones; some links are
// scripts, some lead nowhere, one redirects.
import http from 'node:http';
import {HOSTILE} from './recorded.mjs';

const escape = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/"/g, '&quot;');

export class HostileSite {
  constructor(pages) {
    this.pages = pages;
    this.requests = 0;
    this.server = http.createServer((request, response) => this.handle(request, response));
  }

  async listen() {
    await new Promise((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${this.server.address().port}/`;
    return this;
  }

  async close() {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  handle(request, response) {
    const page = /^\/(?:page\/(\d+)(?:\?.*)?)?$/.exec(request.url);
    const number = page ? Number(page[1] ?? 0) : -1;
    if (request.url !== '/robots.txt') ++this.requests;
    if (request.url === '/robots.txt') {
      response.writeHead(200, {'Content-Type': 'text/plain'});
      response.end(`User-agent: *\nDisallow: /private\n# ${HOSTILE[1]}\n`);
    } else if (request.url === '/moved') {
      response.writeHead(301, {Location: '/page/1'});
      response.end();
    } else if (number >= 0 && number < this.pages) {
      response.writeHead(200, {'Content-Type': 'text/html; charset=utf-8'});
      response.end(this.page(number));
    } else {
      response.writeHead(404, {'Content-Type': 'text/html'});
      response.end('<title>404</title>');
    }
  }

  page(number) {
    const hostile = HOSTILE[number % HOSTILE.length];
    const next = [number * 2 + 1, number * 2 + 2].filter((to) => to < this.pages);
    const links = next.map((to) => `<a href="/page/${to}?t=${encodeURIComponent(hostile)}">${escape(hostile)}</a>
      <a href="/page/${to}">page ${to}</a>`).join('\n');
    return `<!doctype html><html lang="en"><head><title>${escape(hostile)} number ${number}</title>
<script>parent.harmed = 1; top.harmed = 1;</script></head><body onload="parent.harmed = 2">
<h1>Page ${number}</h1>${links}<a href="javascript:top.harmed=3">script</a><a href="/missing/${number}">${escape(hostile)}</a>
<a href="/moved">moved</a><a href="/private/x">private</a>
<p>The vector of page ${number} keeps its elements one after the other. ${escape(hostile)} A sentence about iterators and
allocators makes the text of this page long enough to be worth a snippet, with number ${number * 7919} in it.</p>
<img src="x" onerror="parent.harmed = 4"><form action="/" method="post"><button>Go</button></form></body></html>`;
  }
}
