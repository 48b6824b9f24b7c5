// The page in Chromium against recorded answers of a hostile web: every room, live, by keyboard, on a
// phone, with a service that fails, vanishes, or wants a token.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';
import {accessibilityFaults, harmDone, launch, openWindow, until} from './browser.mjs';
import {RecordedService} from './recorded_service.mjs';

const WEB = process.env.CRAWLER_WEB_FOLDER;
const page1 = encodeURIComponent('https://docs.example.org/containers/chapter-3');
const ROOMS = {
  overview: ['#/docs/overview', '.recent li'],
  search: ['#/docs/search?q=vector', '.result'],
  'empty search': ['#/docs/search', '.intro'],
  pages: ['#/docs/pages', '.page-cell'],
  page: [`#/docs/page?url=${page1}`, '.story .step'],
  hosts: ['#/docs/hosts', '.host-open'],
  broken: ['#/docs/links/broken', '.data tbody a'],
  redirects: ['#/docs/links/redirects', '.data tbody a'],
  graph: ['#/docs/links/graph', '.graph-table .linklike'],
  log: ['#/docs/log', '.log-line'],
};

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

/** Runs `body` with a service and a window of its own; the window must not have complained. */
async function visit(options, body) {
  const service = await new RecordedService(WEB, {tickMs: 200, ...options}).listen();
  const window = await openWindow(browser, options);
  try {
    await body(window.page, service, window);
    assert.deepEqual(window.problems, []);
    assert.deepEqual(await harmDone(window.page), []);
    assert.deepEqual(window.requests.filter((url) => !url.startsWith(service.url) && !url.startsWith('blob:')), [], 'requests elsewhere');
  } finally {
    await window.context.close();
    await service.close();
  }
}

const textOf = (page, selector) => page.locator(selector).first().textContent();
const shownPages = async (page) => Number((await textOf(page, '.figure-value')).replace(/\D/g, ''));

for (const [kind, options] of Object.entries({
  'desktop, light': {}, 'desktop, dark': {dark: true}, 'phone, light': {width: 360, height: 740}, 'phone, dark': {width: 360, height: 740, dark: true},
})) {
  test(`every room: ${kind}`, () => visit(options, async (page, service) => {
    for (const [name, [hash, sign]] of Object.entries(ROOMS)) {
      await page.goto(`${service.url}/${hash}`);
      await page.locator(sign).first().waitFor();
      await page.locator('.pill').waitFor();
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(width <= (options.width ?? 1280), `${name} is ${width} wide`);
      assert.deepEqual(await accessibilityFaults(page), [], name);
      assert.deepEqual(await harmDone(page), [], name);
    }
  }));
}

test('numbers go on without a reload, and nothing jumps', () => visit({}, async (page, service) => {
  await page.goto(service.url);
  await page.locator('.recent li').first().waitFor();
  await page.locator('.plot .line').first().waitFor();
  await page.evaluate(() => {
    window.shift = 0;
    new PerformanceObserver((list) => list.getEntries().forEach((entry) => {
      window.shift += entry.value;
    })).observe({type: 'layout-shift'});
  });
  const first = await shownPages(page);
  await until('more pages are shown', async () => await shownPages(page) > first + 200);
  assert.ok(await page.evaluate(() => window.shift) < 0.02, 'the layout jumped');
}));

test('a plot has a crosshair for pointer and keys', () => visit({}, async (page, service) => {
  await page.goto(service.url);
  await page.locator('.plot .line').first().waitFor();
  await page.locator('.plot-frame').first().hover();
  await page.locator('.plot-tip:visible').waitFor();
  assert.match(await textOf(page, '.plot-tip:visible'), /^\d\d:\d\d:\d\dPages\/s [\d.]+Errors\/s [\d.]+$/);
  await page.mouse.move(0, 0);
  await page.locator('.plot-frame').first().focus();
  await page.keyboard.press('Home');
  const first = await textOf(page, '.plot-tip:visible');
  await page.keyboard.press('ArrowRight');
  assert.notEqual(await textOf(page, '.plot-tip:visible'), first);
}));

test('pause, resume, and stop only after a question', () => visit({}, async (page, service) => {
  await page.goto(service.url);
  await page.getByRole('button', {name: 'Pause'}).click();
  await page.locator('.pill', {hasText: 'Paused'}).waitFor();
  await page.getByRole('button', {name: 'Resume'}).click();
  await page.locator('.pill', {hasText: 'Running'}).waitFor();
  await page.getByRole('button', {name: 'Stop'}).click();
  await page.getByRole('dialog').waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
  await page.keyboard.press('Enter');  // The focus is on Cancel.
  await page.getByRole('dialog').waitFor({state: 'detached'});
  assert.deepEqual(service.posts.map(({what}) => what), ['pause', 'resume']);
  await page.getByRole('button', {name: 'Stop'}).click();
  await page.getByRole('button', {name: 'Stop the crawl'}).click();
  await page.locator('.pill', {hasText: 'Stopped'}).waitFor();
  await page.getByRole('heading', {name: 'How it went'}).waitFor();
}));

test('seeds are added', () => visit({}, async (page, service) => {
  await page.goto(service.url);
  await page.getByRole('button', {name: 'Add seeds'}).click();
  await page.getByRole('dialog').getByRole('textbox').fill('https://a.example/\nhttps://b.example/');
  await page.getByRole('button', {name: 'Add', exact: true}).click();
  await page.getByRole('dialog').waitFor({state: 'detached'});
  assert.deepEqual(service.posts, [{what: 'seeds', body: {seeds: ['https://a.example/', 'https://b.example/']}}]);
}));

test('search by keyboard: slash, completions, arrows, why', () => visit({}, async (page, service) => {
  await page.goto(`${service.url}/#/docs/hosts`);
  await page.locator('.host-open').first().waitFor();
  await page.keyboard.press('/');
  await until('the field has the focus', () => page.evaluate(() => document.activeElement?.id === 'search-input'));
  await page.keyboard.type('ve');
  await page.locator('.completions li').first().waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.locator('.result').first().waitFor();
  assert.equal(await page.locator('#search-input').inputValue(), 'vector');
  assert.deepEqual(await page.locator('.result').first().locator('mark').allTextContents(), ['vector', 'inserting']);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  assert.equal(await page.evaluate(() => [...document.querySelectorAll('.result-title')].indexOf(document.activeElement)), 1);
  await page.keyboard.press('/');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'search-input');
  const why = page.getByRole('button', {name: 'Why this score'}).nth(1);
  await why.click();
  await page.locator('.why-score').waitFor();
  assert.equal(await why.getAttribute('aria-expanded'), 'true');
  assert.deepEqual(await accessibilityFaults(page), []);
  await why.click();
  assert.equal(await page.locator('.why-score').isVisible(), false);
}));

test('search: filters, pages, and what went wrong', () => visit({expected: /status of (400|409)/}, async (page, service) => {
  await page.goto(`${service.url}/#/docs/search?q=vector`);
  await page.getByRole('button', {name: 'German'}).click();
  await page.locator('.chip[aria-pressed=true]', {hasText: 'German'}).waitFor();
  assert.equal(await page.locator('#search-input').inputValue(), 'vector lang:de');
  await page.locator('.chip[aria-pressed=true]').click();
  await until('the filter is gone', async () => await page.locator('#search-input').inputValue() === 'vector');
  await page.getByRole('button', {name: 'Next'}).click();
  await page.getByText('Page 2').waitFor();
  for (const [query, words] of [['nothing', 'No page has these words'], ['"', 'is not closed'], ['notready', 'The index is being made']]) {
    await page.locator('#search-input').fill(query);
    await page.keyboard.press('Enter');
    await page.getByText(words).waitFor();
  }
}));

test('tables: sort, filter, turn pages, go by arrows', () => visit({}, async (page, service) => {
  await page.goto(`${service.url}/#/docs/pages`);
  await page.locator('.page-cell').first().waitFor();
  await page.getByRole('button', {name: 'Size'}).click();
  await page.locator('th[aria-sort=descending]', {hasText: 'Size'}).waitFor();
  await until('the largest is first', async () => /^6\d\.\d/.test(await textOf(page, 'tbody td:nth-child(4)')));
  await page.getByRole('button', {name: 'Next'}).click();
  await page.getByText('51–100 of 640 pages').waitFor();
  await page.getByRole('searchbox').fill('coroutines');
  await page.getByText('39 pages').waitFor();
  await page.locator('.page-cell').first().focus();
  await page.keyboard.press('ArrowDown');
  assert.equal(await page.evaluate(() => [...document.querySelectorAll('.page-cell')].indexOf(document.activeElement)), 1);
  await page.keyboard.press('Enter');
  await page.locator('.story').waitFor();
  await page.goBack();
  await page.getByText('39 pages').waitFor();  // The filter is in the address.
  await page.getByRole('searchbox').fill('no such thing');
  await page.getByText('No pages match').waitFor();
  await page.getByRole('button', {name: 'Clear the filter'}).click();
  await page.locator('.page-cell').first().waitFor();
}));

test('robots.txt opens in its place, with the lines that decided', () => visit({}, async (page, service) => {
  await page.goto(`${service.url}/#/docs/hosts`);
  await page.locator('.host-open').first().click();
  await page.locator('.robots').waitFor();
  assert.deepEqual(await page.locator('.robots .decided').allTextContents(), ['Disallow: /search31 URLs refused', 'Disallow: /private/6 URLs refused']);
  assert.deepEqual(await accessibilityFaults(page), []);
  await page.locator('.host-open').first().click();
  await page.locator('.robots').waitFor({state: 'detached'});
}));

test('a stored copy runs nothing and stays in its frame', () => visit({}, async (page, service) => {
  await page.goto(`${service.url}/#/docs/page?url=${page1}`);
  await page.getByRole('tab', {name: 'Stored copy'}).click();
  const frame = page.frameLocator('iframe.copy');
  await frame.getByText('The stored copy').waitFor();
  assert.equal(await page.locator('iframe.copy').getAttribute('sandbox'), '');
  await frame.getByText('link', {exact: true}).click();
  await frame.getByRole('button', {name: 'Go'}).click();
  await page.getByRole('tab', {name: 'Text'}).click();
  await page.locator('.page-text').waitFor();
  assert.match(await textOf(page, '.page-text'), /<img src=x onerror=/);
  assert.deepEqual(service.posts, []);
  assert.deepEqual(await harmDone(page), []);
}));

test('the graph is the same each time and can be moved by keys', () => visit({}, async (page, service) => {
  await page.goto(`${service.url}/#/docs/links/graph`);
  await page.locator('.graph-table .linklike').first().waitFor();
  const same = await page.evaluate(async () => {
    const {layout} = await import('/web/graph_layout.js');
    const edges = Array.from({length: 99}, (_, i) => [i + 1, i >> 2, 1]);
    const [a, b] = [layout(100, edges), layout(100, edges)].map((points) => JSON.stringify(points));
    return a === b && !a.includes('null');
  });
  assert.ok(same);
  const picture = () => page.evaluate(() => document.querySelector('canvas').toDataURL());
  const before = await picture();
  assert.ok(before.length > 5000, 'nothing is drawn');
  await page.locator('canvas').focus();
  await page.keyboard.press('+');
  await until('the picture is larger', async () => await picture() !== before);
  await page.keyboard.press('0');
  await page.getByRole('button', {name: 'docs.example.org'}).click();
  await page.locator('.graph-detail', {hasText: 'neighbours'}).waitFor();
}));

test('a lost connection is told and heals', () => visit({expected: /Failed to load resource/}, async (page, service) => {
  await page.goto(service.url);
  await page.locator('.recent li').first().waitFor();
  const {port} = service;
  await service.vanish();
  await page.locator('.banner', {hasText: 'The connection is lost'}).waitFor();
  const old = await shownPages(page);
  await service.listen(port);
  await page.locator('.banner').waitFor({state: 'hidden'});
  await until('numbers go on', async () => await shownPages(page) > old);
}));

test('without room for a stream the numbers are asked for', () => visit({expected: /status of 503/}, async (page, service) => {
  service.busy.add('events');
  await page.goto(service.url);
  await page.locator('.pill', {hasText: 'Running'}).waitFor();
  const first = await shownPages(page);
  await until('numbers go on', async () => await shownPages(page) > first);
  assert.equal(await page.locator('.banner').isVisible(), false);
}));

test('a failure is told, and trying again heals it', () => visit({expected: /status of 500/}, async (page, service) => {
  service.failing.add('hosts');
  await page.goto(`${service.url}/#/docs/hosts`);
  await page.getByText('disk I/O error').waitFor();
  service.failing.clear();
  await page.getByRole('button', {name: 'Try again'}).click();
  await page.locator('.host-open').first().waitFor();
}));

test('a token is asked for once, and again if it is wrong', () => visit({token: 'right', expected: /status of 401/}, async (page, service) => {
  await page.goto(`${service.url}/#/docs/page?url=${page1}`);
  for (const token of ['wrong', 'right']) {
    if (token === 'right') await page.getByText('That token was not accepted').waitFor();
    await page.getByLabel('Token').getByRole('textbox').or(page.locator('input[name=token]')).first().fill(token);
    await page.getByRole('button', {name: 'Continue'}).click();
  }
  await page.getByRole('tab', {name: 'Stored copy'}).click();
  await page.frameLocator('iframe.copy').getByText('The stored copy').waitFor();
  await page.reload();
  await page.locator('.story').waitFor();
  const [saved] = await Promise.all([page.waitForEvent('download'),
    page.goto(`${service.url}/#/docs/hosts`).then(() => page.getByRole('link', {name: 'CSV'}).click())]);
  assert.equal(saved.suggestedFilename(), 'docs-hosts.csv');
}));

test('several crawls: a list, and a new one', () => visit({canStart: true}, async (page, service) => {
  await page.goto(service.url);
  await page.locator('.crawl-card').nth(1).waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
  await page.getByRole('button', {name: 'New crawl'}).click();
  await page.getByLabel('Name').fill('fresh');
  await page.getByLabel('Seeds').fill('https://example.org/');
  await page.getByLabel('Most pages').fill('50');
  await page.getByLabel('Delay').fill('1.5');
  assert.deepEqual(await accessibilityFaults(page), []);
  await page.getByRole('button', {name: 'Start'}).click();
  await page.getByRole('dialog').waitFor({state: 'detached'});
  assert.deepEqual(service.posts, [{what: 'crawls', body: {name: 'fresh', seeds: ['https://example.org/'], options: {scope: 'host', max_pages: 50, delay_ms: 1500}}}]);
  await page.locator('.crawl-card', {hasText: 'wiki'}).click();
  await page.locator('.figures').waitFor();
}));

test('nothing but text and http(s) links can be made', () => visit({}, async (page, service) => {
  await page.goto(service.url);
  await page.locator('.pill').waitFor();
  const made = await page.evaluate(async () => {
    const {h, webLink, clean} = await import('/web/dom.js');
    const refused = (make) => {
      try {
        make();
        return false;
      } catch {
        return true;
      }
    };
    return {
      script: webLink('javascript:alert(1)').tagName, data: webLink('data:text/html,x').tagName, web: webLink('https://example.org/').rel,
      markup: h('p', '<b>x</b>').children.length, bidi: clean('a\u202eb'),
      refused: ['javascript:alert(1)', '//evil.example/', '/\\evil.example', 'https://evil.example/'].map((href) => refused(() => h('a', {href}))),
      handlers: refused(() => h('p', {onclick: 'alert(1)'})), style: refused(() => h('p', {style: 'color:red'})),
    };
  });
  assert.deepEqual(made, {script: 'SPAN', data: 'SPAN', web: 'noopener noreferrer nofollow', markup: 0, bidi: 'a\ufffdb',
    refused: [true, true, true, true], handlers: true, style: true});
}));

test('numbers, times and events as text', () => visit({}, async (page, service) => {
  await page.goto(service.url);
  await page.locator('.pill').waitFor();
  const found = await page.evaluate(async () => {
    const format = await import('/web/format.js');
    const {eventParser} = await import('/web/api.js');
    const {ticks, toRates, runs} = await import('/web/plot.js');
    const {parseQuery, joinQuery} = await import('/web/search.js');
    const {logLine} = await import('/web/log.js');
    const events = [];
    const feed = eventParser((event, data) => events.push([event, data]));
    for (const piece of ['event: sta', 'tus\ndata: {"a":', '1}\n\n: comment\n', '\ndata: x\ndata: y\r\n\r\n']) feed(piece);
    const point = (t, pages) => ({t: t * 1000, pages});
    return {
      bytes: [0, 999, 1000, 163000000].map(format.bytes), clock: [21000, 6120000].map(format.clock), span: [850, 1500, 14000, 180000].map(format.span),
      ago: [2, 12, 300, 7200].map((seconds) => format.ago(1e12, 1e12 + seconds * 1000)), rate: [0, 0.04, 1.04, 59.4].map(format.rate), events,
      ticks: ticks(17, 3), rates: toRates([point(0, 0), point(2, 4), point(60, 90), point(62, 92)], ['pages']),
      gaps: runs([point(0), point(1), point(2), point(30), point(31)]).length,
      line: logLine('2026-11-18 07:07:24.261 WARN  [main] frontier - Host paused'), plain: logLine('?').level,
      stored: logLine({at: 0, page: {url: 'http://x/', status: 200, size: 5, title: 'T'}}).text,
      query: parseQuery('vector lang:de "a b" site:x.org'), joined: joinQuery({words: 'a', filters: {lang: '', site: 'x'}}),
    };
  });
  const nbsp = '\u00a0';
  assert.deepEqual(found, {
    bytes: [`0${nbsp}B`, `999${nbsp}B`, `1.0${nbsp}kB`, `163${nbsp}MB`], clock: ['0:21', '1:42:00'],
    span: [`850${nbsp}ms`, `1.5${nbsp}s`, `14${nbsp}s`, `3${nbsp}min`], ago: ['just now', `12${nbsp}s ago`, `5${nbsp}min ago`, `2${nbsp}h ago`],
    rate: ['0', '0.04', '1.0', '59'], events: [['status', '{"a":1}'], ['message', 'x\ny']], ticks: [0, 10, 20],
    rates: [{t: 2000, pages: 2}, {t: 62000, pages: 1}], gaps: 2,
    line: {exact: '2026-11-18 07:07:24.261', time: '07:07:24', level: 'warn', text: '[main] frontier - Host paused'}, plain: 'info', stored: `200 http://x/ 5${nbsp}B “T”`, query: {words: 'vector "a b"', filters: {lang: 'de', site: 'x.org'}}, joined: 'a site:x',
  });
}));
