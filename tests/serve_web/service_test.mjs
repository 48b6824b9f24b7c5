// The page in Chromium against the real service: a crawl of a hostile site and of the synthetic web is
// started, watched, paused, resumed, searched and looked into from the page alone.
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {after, before, test} from 'node:test';
import {accessibilityFaults, harmDone, launch, openWindow, until} from './browser.mjs';
import {HostileSite} from './hostile_site.mjs';

const PAGES = 120;
let browser;
let site;
let web;
let service;
let folder;

/** Starts a program; resolves when a line of its output matches, to {child, match}. */
function start(program, options, line) {
  const child = spawn(program, options, {stdio: ['ignore', 'pipe', 'pipe']});
  return new Promise((resolve, reject) => {
    let text = '';
    const take = (piece) => {
      text += piece;
      const match = line.exec(text);
      if (match) resolve({child, match});
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.on('exit', (code) => reject(new Error(`${program} ended with ${code}: ${text}`)));
  });
}

async function end(started) {
  if (!started || started.child.exitCode !== null) return;
  const over = new Promise((resolve) => started.child.once('exit', resolve));
  started.child.kill('SIGTERM');
  await over;
}

before(async () => {
  browser = await launch();
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'crawler-web-'));
  site = await new HostileSite(PAGES).listen();
  web = await start(process.env.CRAWLER_SYNTHETIC_WEB, ['--host', '2 pages=40 links=5 missing=2 redirects=2 loop=2 robots=200 disallow=/p/3',
    '--log', path.join(folder, 'log'), '--max-seconds', '600'], /PORT (\d+)/);
  fs.mkdirSync(path.join(folder, 'crawls'));
  service = await start(process.env.CRAWLER_PROGRAM, ['serve', '--root', path.join(folder, 'crawls'), '--listen', '0', '--allow-net', '127.0.0.0/8',
    '--delay', '50ms'], /(http:\/\/127\.0\.0\.1:\d+)/);
});
after(async () => {
  await browser?.close();
  await end(service);
  await end(web);
  await site?.close();
  fs.rmSync(folder, {recursive: true, force: true});
});

const figure = async (page, at) => Number((await page.locator('.figure-value').nth(at).textContent()).replace(/\D/g, ''));

/** Runs `body` in a window of its own, which must not have complained or been harmed. */
async function visit(hash, body, options = {}) {
  const window = await openWindow(browser, options);
  const url = service.match[1];
  try {
    await window.page.goto(`${url}/${hash}`);
    await body(window.page);
    assert.deepEqual(window.problems, []);
    assert.deepEqual(await harmDone(window.page), []);
    assert.deepEqual(window.requests.filter((address) => !address.startsWith(url)), []);
  } finally {
    await window.context.close();
  }
}

test('a crawl is started, watched, paused and resumed', () => visit('', async (page) => {
  await page.getByRole('button', {name: 'New crawl'}).click();
  await page.getByLabel('Name').fill('hostile');
  await page.getByLabel('Seeds').fill(`${site.url}\nhttp://127.0.0.2:${web.match[1]}/`);
  await page.getByRole('button', {name: 'Start'}).click();
  await page.locator('.crawl-card', {hasText: 'hostile'}).click();
  await page.locator('.pill', {hasText: 'Running'}).waitFor();
  await until('pages come', async () => await figure(page, 0) > 5);
  await page.getByRole('button', {name: 'Pause'}).click();
  await page.locator('.pill', {hasText: 'Paused'}).waitFor();
  await page.locator('.recent li').first().waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
  // What was under way ends; then nothing is asked for any more.
  let asked = -1;
  await until('the crawl rests', async () => {
    const before = asked;
    asked = site.requests;
    await new Promise((resolve) => setTimeout(resolve, 500));
    return before === site.requests;
  });
  assert.ok(asked < 2 * PAGES, 'the crawl was over before it could be paused');
  await page.getByRole('button', {name: 'Resume'}).click();
  await until('the crawl goes on', () => site.requests > asked);
  await page.locator('.pill', {hasText: /Finished|Not complete/}).waitFor();
  await page.getByRole('heading', {name: 'How it went'}).waitFor();
  assert.ok(await figure(page, 0) >= PAGES);
}));

test('it is searched', () => visit('#/hostile/search', async (page) => {
  await page.locator('#search-input').pressSequentially('vect');
  await page.locator('.completions li', {hasText: 'vector'}).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.locator('.result').first().waitFor();
  assert.match(await page.locator('.result mark').first().textContent(), /vector/i);
  await page.getByRole('button', {name: 'Why this score'}).first().click();
  await page.locator('.why-score .sum').waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
  await page.locator('#search-input').fill('"vector');
  await page.keyboard.press('Enter');
  await page.locator('.empty-title').waitFor();
}, {expected: /status of 400/}));

test('pages, their story, links, text and stored copy', () => visit('#/hostile/pages', async (page) => {
  await page.getByRole('searchbox').fill('number 17');
  await page.locator('.page-cell', {hasText: 'number 17'}).first().click();
  await page.locator('.story .step').nth(2).waitFor();
  await page.locator('.tab-panel tbody a').first().waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
  await page.getByRole('tab', {name: 'Text'}).click();
  await page.locator('.page-text', {hasText: 'keeps its elements'}).waitFor();
  await page.getByRole('tab', {name: 'Stored copy'}).click();
  await page.frameLocator('iframe.copy').getByText('keeps its elements').waitFor();
  await page.getByRole('tab', {name: 'Links out'}).click();
  await page.locator('.tab-panel tbody a', {hasText: '/missing/'}).waitFor();
}));

test('hosts and their robots.txt', () => visit('#/hostile/hosts', async (page) => {
  await page.locator('.host-open', {hasText: '127.0.0.1'}).click();
  await page.locator('.robots', {hasText: 'Disallow: /private'}).waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
}));

test('broken links, redirects and the graph', () => visit('#/hostile/links', async (page) => {
  await page.locator('.data tbody a', {hasText: '/missing/'}).first().waitFor();
  await page.getByRole('button', {name: 'Problem'}).click();
  await page.locator('th[aria-sort]', {hasText: 'Problem'}).waitFor();
  await page.getByRole('link', {name: 'Redirects'}).click();
  await page.locator('.data tbody a', {hasText: '/moved'}).first().waitFor();
  await page.locator('.tag', {hasText: 'loop'}).first().waitFor();
  await page.getByRole('link', {name: 'Graph'}).click();
  await page.getByRole('button', {name: 'Pages', exact: true}).click();
  await until('pages are drawn', async () => await page.locator('.graph-table tbody tr').count() > 20);
  assert.deepEqual(await accessibilityFaults(page), []);
}));

test('every room fits a phone', async () => {
  for (const hash of ['#/', '#/hostile/overview', '#/hostile/search?q=vector', '#/hostile/pages', '#/hostile/hosts', '#/hostile/links', '#/hostile/links/graph']) {
    await visit(hash, async (page) => {
      await page.locator('.room :is(.card, .result, .crawl-card)').first().waitFor();
      await until('it is loaded', async () => await page.locator(':is(.skeleton, .bones):visible').count() === 0);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= 360, hash);
    }, {width: 360, height: 740});
  }
});
