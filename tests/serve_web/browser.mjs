// What the tests of the page share: a real Chromium that notes whatever it complains about, waiting for
// conditions rather than for times, and axe's judgement.
import fs from 'node:fs';
import {createRequire} from 'node:module';

const modules = process.env.CRAWLER_NODE_MODULES;
const require = createRequire(`${modules}/`);
const {chromium} = require('playwright-core');
const AXE = fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

export const PATIENCE_MS = 60000;

// The frame of a stored copy says so when something in it tries to run: that is what it is for.
function isOfStoredCopy(message) {
  return /\/content\?url=|about:srcdoc/.test(message.text() + message.location().url);
}

/** Calls `condition` until it gives something true, and returns that. */
export async function until(what, condition, patience = PATIENCE_MS) {
  const end = Date.now() + patience;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (Date.now() > end) throw new Error(`waited in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

export const launch = () => chromium.launch({
  executablePath: process.env.CRAWLER_CHROMIUM, args: ['--no-sandbox', '--disable-dev-shm-usage'], timeout: PATIENCE_MS,
});

/** A window of its own. `problems`: errors of console and scripts; `requests`: all addresses asked. */
export async function openWindow(browser, {width = 1280, height = 860, dark = false, expected = null} = {}) {
  const context = await browser.newContext({
    viewport: {width, height}, colorScheme: dark ? 'dark' : 'light', reducedMotion: 'reduce',
  });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const window = {context, page, problems: [], requests: []};
  page.on('console', (message) => {
    const text = message.text();
    if (!['error', 'warning'].includes(message.type())) return;
    if (isOfStoredCopy(message) || expected?.test(text)) return;
    window.problems.push(`${text} (${message.location().url})`);
  });
  page.on('pageerror', (error) => window.problems.push(error.stack));
  page.on('dialog', (dialog) => {
    window.problems.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on('request', (request) => window.requests.push(request.url()));
  return window;
}

/** Faults that axe calls serious or critical, as sentences. */
export async function accessibilityFaults(page) {
  await page.evaluate(AXE);
  const {violations} = await page.evaluate(() => axe.run(document, {
    resultTypes: ['violations'], runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'], iframes: false,
  }));
  return violations.filter(({impact}) => impact === 'serious' || impact === 'critical')
    .flatMap(({id, nodes}) => nodes.slice(0, 3).map((node) => `${id}: ${node.html.slice(0, 160)} ${node.failureSummary.slice(0, 300)}`));
}

/** What a hostile web could have done to the page. */
export async function harmDone(page) {
  return page.evaluate(() => {
    const harm = [];
    if (window.harmed !== undefined) harm.push(`a script ran: ${window.harmed}`);
    for (const element of document.querySelectorAll('*')) {
      for (const {name, value} of element.attributes) {
        if (/^on/.test(name)) harm.push(`handler ${name} on ${element.tagName}`);
        if (name === 'style' && element.closest('[data-foreign]')) harm.push(`style ${value}`);
        if (/^(href|src|action|formaction)$/.test(name) && !/^(https?:|\/(?!\/)|#|blob:)/.test(value)) harm.push(`${name}=${value}`);
      }
    }
    for (const link of document.querySelectorAll('a[href^="http"]')) {
      if (link.rel !== 'noopener noreferrer nofollow') harm.push(`rel of ${link.href}`);
    }
    if (/[\u202a-\u202e\u2066-\u2069\u0007]/.test(document.body.textContent)) harm.push('a character that turns the writing');
    return harm;
  });
}
