// The room "Overview": how the crawl goes, or went.
import {emptyState, h, icon, setText, show, urlText} from './dom.js';
import {bytes, clock, counted, hostOf, number, rate, reason, span, statusTag, tone, when} from './format.js';
import {bars, sparkline, timePlot, toRates} from './plot.js';
import {every, isOver, place} from './shared.js';

const RECENT = 10;
const SPARK = 60;  // Points of a sparkline.

function figure(label, colour) {
  const value = h('b.figure-value', '–');
  const detail = h('span.figure-detail', '\u00a0');
  const spark = sparkline(colour);
  return {
    element: h('div.card.figure', h('span.figure-label', label), value, detail, spark.element),
    set(text, more, values) {
      setText(value, text);
      setText(detail, more || '\u00a0');
      if (values) spark.update(values);
    },
  };
}

const errorsOf = (statistics) => (statistics.http_errors ?? 0) + (statistics.failures ?? 0);

/** What a host waits for, in words. */
export function holdupWords(holdup) {
  if (holdup.why === 'politeness' && holdup.interval_ms) {
    return `${span(holdup.interval_ms)} between requests` +
      (holdup.asked_by ? ` (${holdup.asked_by})` : '');
  }
  if (holdup.why === 'backoff') return `backing off${holdup.trouble ? `: ${holdup.trouble}` : ''}`;
  return [holdup.why, holdup.trouble].filter(Boolean).join(': ');
}

function needsAction(crawl, statistics) {
  const facts = [
    [errorsOf(statistics), 'failed answer', 'failed answers', 'links/broken', 'Broken links'],
    [statistics.redirects, 'redirect', 'redirects', 'links/redirects', 'Redirects'],
    [statistics.dead_letters, 'URL was given up', 'URLs were given up', 'hosts', 'Hosts'],
    [statistics.refused, 'URL refused by robots.txt', 'URLs refused by robots.txt', 'hosts', 'Hosts'],
    [statistics.duplicates, 'page with the content of another', 'pages with the content of another',
      'pages', 'Pages'],
  ].filter(([count]) => count > 0);
  if (!facts.length) return h('p.all-well', icon('check'), 'Nothing needs action.');
  return h('ul.facts', facts.map(([count, one, many, room, label]) =>
    h('li', h('b', number(count)), ` ${count === 1 ? one : many} `,
      h('a', {href: place(crawl, room)}, label))));
}

function report(crawl, status) {
  const {statistics} = status;
  const time = clock(status.elapsed_all_ms ?? status.elapsed_ms ?? 0);
  return [
    h('p.lead', `${counted(statistics.pages, 'page', 'pages')} (${bytes(statistics.bytes)}) from ` +
      `${counted(statistics.hosts_asked, 'host', 'hosts')} in ${time}.`),
    status.why_not_finished && h('p', status.why_not_finished),
    needsAction(crawl, statistics),
  ];
}

function holdups(crawl, list) {
  return h('ul.holdups', list.slice(0, 6).map((holdup) => h('li',
    h('a.holdup-host', {href: place(crawl, 'hosts', {q: hostOf(holdup.host)})}, hostOf(holdup.host)),
    h('span.holdup-due', holdup.due_in_ms === null || holdup.due_in_ms === undefined
      ? 'after its request' : `in ${span(holdup.due_in_ms)}`),
    h('span.soft', counted(holdup.waiting, 'URL waits', 'URLs wait'), ' · ', holdupWords(holdup)))));
}

function phases(status) {
  return h('ol.phases', (status.phases ?? []).map((phase) =>
    h('li', {'aria-current': phase.name === status.phase && !isOver(status.state) && 'step'},
      h('span', phase.name), h('span.soft', clock(phase.elapsed_ms)))));
}

function codeRows(codes) {
  return [...codes].sort((a, b) => b.responses - a.responses).slice(0, 8).map((code) => ({
    label: [statusTag(code.status), h('span.soft', reason(code.status))],
    value: code.responses, tone: tone(code.status),
    title: `${number(code.responses)} responses, ${number(code.urls)} URLs`,
  }));
}

function domainRows(domains) {
  return [...domains].sort((a, b) => b.pages - a.pages).slice(0, 5).map((domain) => ({
    label: h('bdi.cut', domain.domain), value: domain.pages, tone: 'plain',
    title: `${domain.domain}: ${number(domain.requests)} requests, ${number(domain.errors)} errors, ${bytes(domain.bytes)}`,
  }));
}

/** The newest pages, at most once a second; it stands still while the pointer is on it. */
function recentPages(crawl) {
  const list = h('ol.recent', {'aria-label': 'Recent pages'});
  let pages = [];
  let held = false;
  list.addEventListener('pointerenter', () => {
    held = true;
  });
  list.addEventListener('pointerleave', () => {
    held = false;
    draw();
  });
  const rows = new Map();
  function row(page) {
    return h('li', h('a', {href: place(crawl, 'page', {url: page.url})},
      h('bdi.title', page.title || '(no title)'), urlText(page.url)),
    statusTag(page.status), h('span.num', bytes(page.size)));
  }
  function draw() {
    if (held || list.contains(document.activeElement)) return;
    const kept = new Set(pages.map((page) => page.url));
    for (const url of rows.keys()) if (!kept.has(url)) rows.delete(url);
    for (const page of pages) if (!rows.has(page.url)) rows.set(page.url, row(page));
    list.replaceChildren(...pages.map((page) => rows.get(page.url)));
  }
  return {
    element: list,
    add(page) {
      pages = [page, ...pages.filter((other) => other.url !== page.url)].slice(0, RECENT);
    },
    draw,
    size: () => pages.length,
  };
}

export function mount(root, {crawl, api, live, signal}) {
  const pages = figure('Pages', 1);
  const speed = figure('Pages per second', 3);
  const waiting = figure('URLs waiting', 2);
  const errors = figure('Errors', 4);
  const ratePlot = timePlot({
    title: 'Pages and errors per second',
    series: [{key: 'pages', name: 'Pages/s', colour: 1, format: rate},
      {key: 'errors', name: 'Errors/s', colour: 4, format: rate}],
  });
  const waitingPlot = timePlot({
    title: 'URLs waiting', area: true,
    series: [{key: 'waiting', name: 'Waiting', colour: 2, format: number}],
  });
  const whyTitle = h('h2', 'Why it is not finished');
  const why = h('div.why-body');
  const codes = h('div');
  const recent = recentPages(crawl);
  const recentEmpty = h('div');
  show(root,
    h('h1.unseen', {tabindex: '-1'}, 'Overview'),
    h('section.figures', {'aria-label': 'Figures'},
      [pages, speed, waiting, errors].map((one) => one.element)),
    h('div.columns.wide-left',
      h('section.card.why', whyTitle, why), h('section.card', h('h2', 'Status codes'), codes)),
    h('div.columns',
      h('section.card', ratePlot.element), h('section.card', waitingPlot.element)),
    h('section.card', h('div.card-head', h('h2', 'Recent pages'),
      h('a', {href: place(crawl, 'pages')}, 'All pages')), recent.element, recentEmpty));

  let series = [];
  let rates = [];

  function drawFigures(status) {
    const all = status.statistics;
    const now = rates.at(-1);
    const running = status.state === 'running';
    const mean = status.elapsed_ms > 0 ? (status.this_run?.pages ?? all.pages) / status.elapsed_ms * 1000 : 0;
    const of = (name) => series.slice(-SPARK).map((point) => point[name] ?? 0);
    pages.set(number(all.pages), status.max_pages ? `of at most ${number(status.max_pages)}`
      : `${bytes(all.bytes)} received`, of('pages'));
    speed.set(running && now ? rate(now.pages) : running ? rate(mean) : '0',
      `${rate(mean)} on average`, rates.slice(-SPARK).map((point) => point.pages));
    waiting.set(number(all.urls_waiting), running && status.eta_ms !== null && status.eta_ms !== undefined
      ? `about ${clock(status.eta_ms)} left` : `${number(all.urls_known)} known`, of('waiting'));
    errors.set(number(errorsOf(all)), all.requests
      ? `${(errorsOf(all) / all.requests * 100).toFixed(1)}% of requests` : '', of('errors'));
  }

  function drawStatus() {
    const {status} = live;
    if (!status) return;
    const over = isOver(status.state);
    drawFigures(status);
    setText(whyTitle, over ? 'How it went' : 'Why it is not finished');
    show(why, over ? report(crawl, status) : [
      h('p.lead', status.why_not_finished || 'It is being worked on.'),
      status.activity?.url && h('p.doing', h('span.soft', 'Now '), urlText(status.activity.url)),
      status.holdups?.length > 0 && holdups(crawl, status.holdups),
    ], phases(status));
    const list = status.codes ?? [];
    const domains = status.domains ?? [];
    show(codes, list.length ? [bars(codeRows(list), number), domains.length > 1 && [
      h('h2', 'Pages by domain'), bars(domainRows(domains), number)]]
      : emptyState('No responses yet', over ? '' : 'They appear as the first answers come.'));
    recent.draw();
    show(recentEmpty, recent.size() === 0 && emptyState('No pages yet', over
      ? 'No page was stored: the log and the hosts say why.' : 'They appear here as they are stored.'));
  }

  async function loadSeries() {
    const answer = await api.get('series', null, signal);
    series = answer.points ?? [];
    rates = toRates(series, ['pages', 'errors']);
    const without = live.status && isOver(live.status.state) ? 'This service has not seen the crawl run' : 'No data yet';
    ratePlot.update(rates, without);
    waitingPlot.update(series, without);
    drawStatus();
  }

  // There is nothing to read before the first request.
  let recentLoaded = false;
  async function loadRecent() {
    if (recentLoaded || !live.status?.statistics.requests) return;
    recentLoaded = true;
    const {rows} = await api.get('pages', {recent: 1, limit: RECENT}, signal);
    for (const row of [...rows].reverse()) recent.add(row);
    recent.draw();
    drawStatus();
  }

  live.addEventListener('status', drawStatus, {signal});
  live.addEventListener('page', ({detail}) => recent.add(detail), {signal});
  live.addEventListener('connection', () => {
    recentLoaded = false;
  }, {signal});
  let seriesOver = false;
  every(2000, signal, async () => {
    if (seriesOver) return;
    await loadSeries();
    seriesOver = Boolean(live.status) && isOver(live.status.state);
  });
  live.addEventListener('status', ({detail}) => {
    if (!isOver(detail.state)) seriesOver = false;
    loadRecent().catch(() => {});
  }, {signal});
  loadRecent().catch(() => {});
  drawStatus();
}
