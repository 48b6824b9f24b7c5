// Answers of the service for a crawl of a web that means harm: titles, URLs, texts and log lines that
// try to be markup, links that try to be scripts, characters that turn the direction of writing. Among
// them ordinary pages, so that pictures of the page look like a crawl.

export const HOSTILE = [
  '<img src=x onerror="window.harmed=1">', '"><script>window.harmed=2</script>',
  "javascript:window.harmed=3", '{{constructor.constructor("window.harmed=4")()}}',
  '</title><svg onload=window.harmed=5>', 'safe\u202egpj.exe\u2066 \u0007title',
  '<a href="javascript:window.harmed=6">x</a>', '<style>*{display:none}</style>',
];

const TOPICS = ['Containers', 'Iterators', 'Allocators', 'Ranges', 'Threads', 'Atomics', 'Strings', 'Streams',
  'Formatting', 'Coroutines', 'Concepts', 'Modules', 'Templates', 'Exceptions', 'Numerics', 'Regular expressions'];
const HOSTS = ['https://docs.example.org', 'https://www.example.org', 'https://blog.example.org',
  'https://wiki.example.com', 'https://static.example.net'];
const BEGAN = Date.now() - 195000;

export const pages = Array.from({length: 640}, (_, i) => {
  const hostile = i < 12 ? HOSTILE[i % HOSTILE.length] : null;
  const topic = TOPICS[i % TOPICS.length];
  const host = HOSTS[i % 23 === 0 ? i % 5 : i % 7 === 0 ? 1 : 0];
  return {
    url: hostile && i % 3 === 0 ? `javascript:window.harmed=${i}//${host}`
      : `${host}/${topic.toLowerCase().replace(/ /g, '-')}/${hostile ? encodeURIComponent(hostile) : `chapter-${Math.floor(i / 16) + 1}`}`,
    title: hostile ?? `${topic}, chapter ${Math.floor(i / 16) + 1}`,
    status: i % 41 === 7 ? 404 : 200, depth: 1 + i % 5, size: 3000 + (i * 7919) % 60000,
    language: ['en', 'en', 'en', 'de', 'fr'][i % 5], content_type: 'text/html; charset=utf-8',
    crawled_at: BEGAN + 1000 + i * 290, score: 1 / (i + 1),
  };
});

const hosts = Array.from({length: 74}, (_, i) => ({
  host: HOSTS[i] ?? `https://host${i}.example.com`, requests: Math.round(2400 / (i + 1)), pages: Math.round(2100 / (i + 1)),
  errors: i % 6 === 2 ? 14 - i % 9 : 0, waiting: i < 9 ? 900 >> i : 0, rate: i === 0 ? 0.98 : 0.4 / (i + 1),
  allowed_interval_ms: i === 2 ? 5000 : 1000, due_in_ms: i === 1 ? null : i < 9 ? 140 + i * 610 : null,
  why: i === 2 ? 'backoff' : i === 1 ? 'request under way' : 'politeness', asked_by: i === 2 ? 'Crawl-delay' : '--delay',
  trouble: i === 2 ? `503 at /search ${HOSTILE[0]}` : '',
}));

const robots = ['# robots.txt of docs.example.org', '', 'User-agent: *', 'Disallow: /search', 'Disallow: /private/',
  'Allow: /private/notice', `# ${HOSTILE[1]}`, 'Crawl-delay: 1', '', 'Sitemap: https://docs.example.org/sitemap.xml'].join('\n');

const broken = Array.from({length: 23}, (_, i) => ({
  url: i === 0 ? 'javascript:window.harmed=20' : `https://docs.example.org/old/${i === 1 ? encodeURIComponent(HOSTILE[0]) : `page-${i}`}`,
  status: [404, 404, 410, 0, 500][i % 5], fate: i % 5 === 3 ? 'failed' : 'http error',
  reason: i % 5 === 3 ? `connection timed out ${HOSTILE[4]}` : '', via: i === 5 ? 'seed' : 'link', from_url: i === 5 ? null : pages[i].url,
  nofollow: 0, anchor: i === 0 ? HOSTILE[0] : `see ${pages[i].title}`,
}));

const redirects = Array.from({length: 18}, (_, i) => ({
  url: `https://docs.example.org/r/${i}`, status: [301, 302, 308][i % 3], end_url: pages[30 + i].url, end_status: 200, end_fate: 'page',
  hops: 1 + i % 4, loop: Number(i === 4),
  chain: Array.from({length: 2 + i % 4}, (_, k) => `https://docs.example.org/r/${i}${k ? `-${k}` : ''}`).join(' -> '),
}));

const plain = (row, key) => row[key] ?? (key === 'due_in_ms' ? Infinity : '');
function cut(rows, query) {
  const words = (query.get('q') ?? '').toLowerCase();
  let list = rows.filter((row) => !words || `${row.title ?? ''} ${row.url ?? row.host}`.toLowerCase().includes(words));
  if (query.get('status')) list = list.filter((row) => row.status === Number(query.get('status')));
  const [key, sign] = [query.get('sort'), query.get('order') === 'desc' ? -1 : 1];
  if (key) list = [...list].sort((a, b) => (plain(a, key) < plain(b, key) ? -sign : plain(a, key) > plain(b, key) ? sign : 0));
  const offset = Number(query.get('offset')) || 0;
  return {total: list.length, rows: list.slice(offset, offset + (Number(query.get('limit')) || 50))};
}

const snippet = 'A container owns its elements and manages their memory. The vector keeps them one after the other, so that ' +
  'iterators are plain pointers; 😀 inserting in the middle moves what follows <b onclick=window.harmed=7>it</b>.';

function search(query) {
  const words = parseWords(query.get('q') ?? '');
  if (query.get('q') === '"') return {status: 400, body: {error: 'A quotation mark at position 1 is not closed.'}};
  if (words.includes('notready')) return {status: 409, body: {error: 'The index is being made.'}};
  if (words.includes('nothing')) return {body: {query: query.get('q'), total: 0, total_is_exact: true, did_you_mean: 'something', corrected: false, took_us: 210, results: []}};
  const at = snippet.indexOf('vector');
  const emoji = snippet.indexOf('inserting');
  const offset = Number(query.get('offset')) || 0;
  const results = pages.slice(offset, offset + (Number(query.get('limit')) || 10)).map((page, i) => ({
    url: page.url, title: page.title, snippet, highlights: [[at, 6], [emoji, 9]], language: page.language,
    date: page.crawled_at - i * 40 * 86400000, score: 14.2 - i * 0.7 - offset * 0.1, missing: i === 3 ? ['allocator'] : [], folded: i === 2 ? 4 : 0,
    ...(query.get('why') ? {why: {text_score: 11.3 - i * 0.5, static_factor: 1.26, words: [
      {word: 'vector', body: 14, headings: 2, title: 1, url: 1, anchors: 6, navigation: 0, idf: 2.41, score: 7.9},
      {word: HOSTILE[0], body: 3, headings: 0, title: 0, url: 0, anchors: 0, navigation: 2, idf: 1.32, score: 3.4}]}} : {}),
  }));
  return {body: {query: query.get('q'), total: 312, total_is_exact: true, did_you_mean: '', corrected: false, took_us: 1840, results}};
}
const parseWords = (text) => text.split(/\s+/);

function explain(query) {
  const url = query.get('url');
  const page = pages.find((one) => one.url === url);
  const known = Boolean(page) || /^https:/.test(url);
  const base = {url, known, scope: 'in scope: on the host of a seed (--scope host)', robots: 'allowed by line 6: Allow: /private/notice',
    via: 'link', search: '', depth: 3, skipped: '', due: '', title: page?.title ?? '', truncated: '', noindex: false, canonical: '',
    duplicate_of: '', dead_letter: '', redirects: [], redirect_loop: false, redirected_from: [], links: 7,
    path: [{url: 'https://docs.example.org/', via: 'seed'}, {url: 'https://docs.example.org/containers/chapter-1', via: 'link'},
      {url: pages[1].url, via: 'link'}],
    linked_by: [], fate: page ? 'page' : known ? 'waiting' : 'unknown', indexed: Boolean(page)};
  if (!page) return base;
  return {...base, size: page.size, language: page.language, content_type: page.content_type, crawled_at: page.crawled_at,
    attempts: [
      {at: page.crawled_at - 9000, outcome: 'server error', status: 503, detail: `Retry-After: 5 ${HOSTILE[0]}`, score: 11, address: '192.0.2.7', total_us: 84000, final: false},
      {at: page.crawled_at, outcome: 'page', status: 200, detail: '', score: 11, address: '192.0.2.7', total_us: 31500, final: true}],
    text: `${page.title}\n\n${snippet}\n${HOSTILE.join('\n')}`};
}

function linkRows(kind) {
  if (kind === 'broken') return broken;
  if (kind === 'redirects') return redirects;
  return pages.slice(0, kind === 'in' ? 7 : 62).map((page, i) => ({url: page.url, nofollow: Number(i % 9 === 0), anchor: i === 0 ? HOSTILE[1] : page.title}));
}

function graph(query) {
  const names = query.get('level') === 'page' ? pages.slice(0, 180).map((page) => page.url) : hosts.map((row) => row.host);
  const nodes = names.map((name, i) => ({id: 100 + i, label: name, url: name, pages: Math.round(900 / (i + 1)) + 1, links: Math.round(700 / (i + 1)) + 2}));
  const edges = [];
  for (let i = 1; i < nodes.length; ++i) {
    edges.push([100 + i, 100 + Math.floor(i / 6), 1 + i % 5]);
    if (i % 3 === 0) edges.push([100 + i, 100 + (i * 7) % nodes.length, 1 + i % 9]);
  }
  return {nodes, edges};
}

export const COPY = `<!doctype html><title>Copy</title><h1>The stored copy</h1><p>${snippet}</p>
<img src=x onerror="parent.harmed=8"><script>parent.harmed=9;top.location='about:blank'</script>
<a href="javascript:parent.harmed=10">link</a><form action="/api/v1/crawls/docs/stop" method=post><button>Go</button></form>`;

/** A crawl that goes on while somebody looks: every tick is some more pages. */
export class RecordedCrawl {
  constructor() {
    this.state = 'running';
    this.ticks = 195;
    this.controllable = true;
  }

  get done() {
    return Math.min(pages.length * 40, Math.round(this.ticks * 19.5 + 60 * Math.sin(this.ticks / 9)));
  }

  tick() {
    if (this.state === 'running') ++this.ticks;
  }

  pageOfTick() {
    const page = pages[this.ticks % pages.length];
    return {url: page.url, title: page.title, status: page.status, size: page.size};
  }

  logOfTick() {
    const level = ['INFO ', 'INFO ', 'DEBUG', 'WARN ', 'ERROR'][this.ticks % 5];
    const what = this.ticks % 4 === 0 ? HOSTILE[this.ticks % HOSTILE.length] : pages[this.ticks % pages.length].url;
    return {line: `2026-11-18 07:07:24.261 ${level} [fetcher-1] engine - Fetched url="${what}" status=200 links=12`};
  }

  status() {
    const done = this.done;
    const statistics = {pages: done, requests: Math.round(done * 1.09), bytes: done * 31200, redirects: 118, http_errors: 61, failures: 9,
      throttled: 4, refused: 37, unwanted: 12, dead_letters: 2, duplicates: 14, links: done * 21, urls_known: 6134 + done, urls_done: done + 300,
      urls_elsewhere: 297, urls_waiting: 4200 + Math.round(1500 * Math.sin(this.ticks / 60)), urls_under_way: 6, hosts_known: 91, hosts_asked: 74,
      hosts_ready: 3, hosts_waiting: 9};
    const going = this.state === 'running' || this.state === 'paused';
    return {name: 'docs', state: this.state, controllable: this.controllable, statistics, this_run: statistics,
      why_not_finished: this.state === 'paused' ? 'It is paused: 4,390 URLs wait until it is resumed.'
        : going ? 'docs.example.org has 900 URLs to fetch at one request per second, which takes about 15 minutes.' : '',
      elapsed_ms: this.ticks * 1000, elapsed_all_ms: this.ticks * 1000, eta_ms: going ? 754000 : null, max_pages: 0, phase: going ? 'expansion' : 'completion',
      phases: [{name: 'discovery', elapsed_ms: 2100, requests: 4, pages: 1}, {name: 'expansion', elapsed_ms: this.ticks * 1000 - 2100, requests: done, pages: done},
        ...(going ? [] : [{name: 'indexing', elapsed_ms: 1900, requests: 0, pages: 0}, {name: 'completion', elapsed_ms: 20, requests: 0, pages: 0}])],
      activity: {url: going ? pages[this.ticks % pages.length].url : '', holdup: null},
      holdups: going ? hosts.slice(0, 4).map((row) => ({...row, interval_ms: row.allowed_interval_ms, under_way: 1})) : [],
      codes: [{status: 200, responses: done, urls: done}, {status: 301, responses: 92, urls: 92}, {status: 302, responses: 26, urls: 26},
        {status: 404, responses: 48, urls: 48}, {status: 503, responses: 13, urls: 2}], domains: ['example.org', 'example.com', HOSTILE[0]].map((domain, i) => ({domain, requests: done >> i, pages: done >> i, errors: 3, bytes: done * 900})), as_of: Date.now()};
  }

  series() {
    const now = Date.now();
    const points = [];
    for (let tick = 0; tick <= this.ticks; tick += 2) {
      if (tick > 84 && tick < 104) continue;  // The service was not looking: a gap.
      points.push({t: now - (this.ticks - tick) * 1000, pages: Math.round(tick * 19.5 + 60 * Math.sin(tick / 9)), requests: tick * 21,
        bytes: tick * 600000, errors: Math.floor(tick / 3) + (tick > 140 ? Math.floor((tick - 140) / 2) : 0),
        waiting: 4200 + Math.round(1500 * Math.sin(tick / 60)), under_way: 6});
    }
    return {interval_ms: 2000, points};
  }

  /** {status, body} or {type, text} of a GET below the crawl, or null. */
  answer(what, query) {
    const rows = (list) => ({body: cut(list, query)});
    switch (what) {
      case 'status': return {body: this.status()};
      case 'series': return {body: this.series()};
      case 'hosts': return rows(hosts);
      case 'hosts/robots': return {body: {host: query.get('host'), text: robots, status: 200, policy: 'rules', fetched_at: BEGAN, expires_at: BEGAN + 86400000,
        crawl_delay: 1, rules: [{line: 4, text: 'Disallow: /search', refused: 31}, {line: 5, text: 'Disallow: /private/', refused: 6}, {line: 6, text: 'Allow: /private/notice', refused: 0}]}};
      case 'pages': return rows(query.get('recent') ? pages.slice(0, 40) : pages);
      case 'explain': return {body: explain(query)};
      case 'links': return rows(linkRows(query.get('kind')));
      case 'graph': return {body: graph(query)};
      case 'search': return search(query);
      case 'suggest': return {body: [['vector', 212], ['vector::insert', 31], ['vectors', 12], [HOSTILE[0], 1]].filter(([word]) =>
        word.startsWith(query.get('q')) || query.get('q') === 've').map(([word, count]) => ({word, pages: count}))};
      case 'export': return {type: 'text/csv', text: 'url\n', name: 'pages.csv'};
      case 'content': return {type: 'text/html; charset=utf-8', text: COPY, sandbox: true};
      default: return null;
    }
  }
}
