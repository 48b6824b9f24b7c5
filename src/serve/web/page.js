// The room of one page: its story from top to bottom, its links, its text, its stored copy.
import {hasToken} from './api.js';
import {button, emptyState, errorState, h, icon, show, skeleton, urlText, webLink} from './dom.js';
import {bytes, counted, span, statusTag, when} from './format.js';
import {place} from './shared.js';
import {dataTable} from './table.js';

const FATES = {
  page: ['Stored', 'good'], waiting: ['Waiting', 'info'], skipped: ['Not queued', 'quiet'],
  refused: ['Refused by robots.txt', 'warn'], redirect: ['Redirect', 'info'], failed: ['Failed', 'bad'],
  unknown: ['Unknown', 'quiet'], duplicate: ['Duplicate', 'info'],
};
export function fateTag(fate) {
  const [words, tone] = FATES[fate] ?? [fate || 'Unknown', 'quiet'];
  return h(`span.tag.${tone}`, words);
}

const sentence = (text) => typeof text === 'string' ? text.charAt(0).toUpperCase() + text.slice(1) : text;
const step = (tone, title, ...more) => h(`li.step.${tone}`, h('p.step-title', sentence(title)), ...more);
const link = (crawl, url) => h('a', {href: place(crawl, 'page', {url})}, urlText(url));

function foundStep(crawl, e) {
  const from = e.path.at(-1);
  const ways = {seed: 'It is a seed', link: 'Found as a link', redirect: 'Found by a redirect',
    sitemap: 'Found in a sitemap'};
  const title = [ways[e.via] ?? `Found by ${e.via}`, from && [' on ', link(crawl, from.url)]];
  const path = e.path.length > 1 && h('details', h('summary', `The whole way, ${counted(e.path.length, 'step', 'steps')}`),
    h('ol.way', e.path.map((one) => h('li', h('span.soft', `${one.via} `), link(crawl, one.url))),
      h('li', h('span.soft', `${e.via} `), urlText(e.url))));
  return step('info', title, h('p.soft', `${counted(e.depth, 'link', 'links')} from a seed`,
    e.search && ` · ${e.search}`), path);
}

function attemptStep(attempt) {
  const tone = attempt.status >= 200 && attempt.status < 400 ? 'good' : attempt.outcome === 'refused' ? 'warn' : 'bad';
  return step(tone, [attempt.status ? ['Fetched: ', statusTag(attempt.status), ' '] : '', attempt.outcome],
    h('p.soft', when(attempt.at), attempt.total_us > 0 && ` · took ${span(attempt.total_us / 1000)}`,
      attempt.address && ` · from ${attempt.address}`, attempt.detail && ` · ${attempt.detail}`,
      !attempt.final && ' · to be tried again'));
}

/** The steps of an explanation, oldest first. */
export function story(crawl, e) {
  if (!e.known) return [step('quiet', 'The crawl has not come across this URL', h('p.soft', e.scope))];
  const refused = /^refused/.test(e.robots ?? '');
  const links = (title, urls, tone) => urls?.length > 0 &&
    step(tone, title, h('ul.plain', urls.map((url) => h('li', link(crawl, url)))));
  return [
    foundStep(crawl, e),
    e.scope && step(e.skipped ? 'quiet' : 'good', e.scope),
    e.skipped && step('quiet', ['Not queued: ', e.skipped]),
    e.robots && step(refused ? 'warn' : 'good', ['robots.txt: ', e.robots]),
    links('Redirected from', e.redirected_from, 'info'),
    (e.attempts ?? []).map(attemptStep),
    e.due && step('info', ['Waits; it is due ', e.due]),
    links('Redirects to', e.redirects, 'info'),
    e.redirect_loop && step('bad', 'The redirects are a loop'),
    e.dead_letter && step('bad', ['Given up: ', e.dead_letter]),
    e.fate === 'page' && step('good', ['Stored', e.size !== undefined && `, ${bytes(e.size)}`],
      e.truncated && h('p.soft', `Only a part was received: ${e.truncated}`)),
    e.duplicate_of && step('info', ['Has the content of ', link(crawl, e.duplicate_of)]),
    e.canonical && e.canonical !== e.url && step('info', ['Names as its canonical address ', link(crawl, e.canonical)]),
    e.noindex ? step('quiet', 'It asks not to be indexed, so no search finds it')
      : e.indexed && step('good', 'Indexed: searches find it'),
  ];
}

function linkTable(api, crawl, url, kind) {
  const state = {sort: 'url', order: 'asc', offset: 0};
  const table = dataTable({
    label: kind === 'in' ? 'Links to this page' : 'Links from this page', unit: 'links', state, changed: () => {},
    load: (ask, stop) => api.get('links', {...ask, kind, url}, stop),
    empty: () => emptyState(kind === 'in' ? 'No stored page links here' : 'No links',
      kind === 'in' ? 'It was found in another way, or its links are not crawled yet.'
        : 'The page has none, or it is not stored.'),
    columns: [
      {key: 'url', label: kind === 'in' ? 'From' : 'To', sort: true, main: true, cell: (row) => link(crawl, row.url)},
      {key: 'anchor', label: 'Text of the link', sort: true, wide: true, cell: (row) => h('bdi', row.anchor || '–')},
      {key: 'nofollow', label: 'Kind', cell: (row) => row.nofollow ? 'nofollow' : ''},
    ],
  });
  return table.element;
}

// Without scripts and style of its own: for a srcdoc, which has this page's policy and would only
// complain about them. Handlers go before they are parsed, since the parser complains too. What keeps
// them from running is the sandbox, whatever is left here.
function bareCopy(html) {
  const copy = new DOMParser().parseFromString(html.replace(/\bon[a-z]+\s*=/gi, 'data-on='), 'text/html');
  const unwanted = 'script, style, link, meta, base, iframe, object, embed, img, video, audio, source';
  for (const element of copy.querySelectorAll(unwanted)) {
    element.remove();
  }
  for (const element of copy.querySelectorAll('*')) {
    for (const {name} of [...element.attributes]) {
      if (/^on|^style$|^srcdoc$|^src|^poster$|^background$/i.test(name)) element.removeAttribute(name);
    }
  }
  return copy.documentElement.outerHTML;
}

/** The stored copy: no scripts, no forms, no way out of the frame. */
async function copyFrame(api, url, signal) {
  const frame = h('iframe.copy', {sandbox: true, referrerpolicy: 'no-referrer', title: 'Stored copy', loading: 'lazy'});
  frame.setAttribute('sandbox', '');
  if (hasToken()) frame.srcdoc = bareCopy(await api.text('content', {url}, signal));
  else frame.src = api.address('content', {url});
  return frame;
}

async function textPanel(api, e, signal) {
  const text = e.text ?? await api.text('content', {url: e.url, as: 'text'}, signal);
  return text ? h('pre.page-text', {tabindex: '0'}, text) : emptyState('No text', 'Nothing of this page could be read.');
}

export function mount(root, {crawl, api, query, signal}) {
  const url = query.get('url') ?? '';
  const head = h('div');
  const body = h('div', skeleton(8));
  show(root, h('a.back', {href: place(crawl, 'pages')}, icon('back'), 'Pages'), head, body);

  const panels = {
    in: ['Links in', () => linkTable(api, crawl, url, 'in')],
    out: ['Links out', () => linkTable(api, crawl, url, 'out')],
    text: ['Text', (e) => textPanel(api, e, signal)],
    copy: ['Stored copy', () => copyFrame(api, url, signal)],
  };

  function tabs(e) {
    const stored = e.fate === 'page' || e.fate === 'duplicate';
    const names = Object.keys(panels).filter((name) => stored || name === 'in');
    const panel = h('div.tab-panel', {role: 'tabpanel', id: 'page-panel', tabindex: '0'});
    const buttons = names.map((name) => h('button.tab', {
      type: 'button', role: 'tab', id: `tab-${name}`, 'aria-controls': 'page-panel', onclick: () => open(name),
    }, panels[name][0]));
    async function open(name) {
      names.forEach((other, i) => {
        buttons[i].setAttribute('aria-selected', String(other === name));
        buttons[i].tabIndex = other === name ? 0 : -1;
      });
      panel.setAttribute('aria-labelledby', `tab-${name}`);
      show(panel, skeleton(6));
      try {
        show(panel, await panels[name][1](e));
      } catch (error) {
        if (!signal.aborted) show(panel, errorState(error, () => open(name)));
      }
    }
    const bar = h('div.tabs', {role: 'tablist', 'aria-label': 'Of this page', onkeydown: (event) => {
      const move = {ArrowRight: 1, ArrowLeft: -1}[event.key];
      if (!move) return;
      event.preventDefault();
      const at = (buttons.indexOf(document.activeElement) + move + names.length) % names.length;
      buttons[at].focus();
      open(names[at]);
    }}, buttons);
    open(names[0]);
    return h('section.card', bar, panel);
  }

  async function load() {
    if (!url) {
      show(body, emptyState('No page is named', 'Open one from Pages or Search.'));
      return;
    }
    try {
      const e = await api.get('explain', {url}, signal);
      const facts = [fateTag(e.fate), e.language && h('span', e.language), e.content_type && h('span', e.content_type),
        e.size !== undefined && h('span', bytes(e.size)), e.crawled_at && when(e.crawled_at),
        e.links > 0 && h('span', counted(e.links, 'page links here', 'pages link here'))];
      show(head, h('h1.page-title', {tabindex: '-1'}, h('bdi', e.title || e.url)),
        h('p.page-url', webLink(e.url, urlText(e.url), ' ', icon('open'))), h('p.facts-line', facts));
      show(body, h('div.columns.story-columns',
        h('section.card', h('h2', 'Its story'), h('ol.story', story(crawl, e))), tabs(e)));
    } catch (error) {
      if (signal.aborted) return;
      show(head, h('h1.page-title', {tabindex: '-1'}, h('bdi', url)));
      show(body, error.status === 404 ? emptyState('Not known', error.message,
        button('All pages', () => {
          location.hash = place(crawl, 'pages');
        })) : errorState(error, load));
    }
  }
  load();
}
