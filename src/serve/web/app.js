// The frame around the rooms: navigation, the state of the crawl and its controls, the connection.
// A place of the page is in the hash: #/CRAWL/ROOM[/VIEW]?settings.
import {CrawlApi, LiveFeed, listCrawls, onTokenNeeded} from './api.js';
import {confirmBox, field, formBox, note} from './dialog.js';
import {button, errorState, h, icon, setText, show, skeleton} from './dom.js';
import {clock, number} from './format.js';
import {isOver, place, statePill} from './shared.js';
import * as crawlsRoom from './crawls.js';
import * as overview from './overview.js';
import * as search from './search.js';
import * as pages from './pages.js';
import * as page from './page.js';
import * as hosts from './hosts.js';
import * as links from './links.js';
import * as log from './log.js';

const ROOMS = {overview, search, pages, page, hosts, links, log};
const NAVIGATION = [['overview', 'Overview'], ['search', 'Search'], ['pages', 'Pages'], ['hosts', 'Hosts'],
  ['links', 'Links'], ['log', 'Log']];

const frame = {
  top: h('header.top'),
  nav: h('nav.nav', {'aria-label': 'Rooms'}),
  name: h('bdi.crawl-title'),
  state: h('span.state', {role: 'status'}),
  progress: h('span.progress'),
  controls: h('div.controls'),
  banner: h('div.banner', {role: 'status', hidden: true}),
  main: h('main.main', {id: 'main', tabindex: '-1'}),
};

let crawls = [];
let current = {crawl: null, room: null, sub: null, close: () => {}};
let api = null;
let live = null;

function parsePlace() {
  const [path, query] = location.hash.replace(/^#\/?/, '').split('?');
  const [crawl, room, sub] = path.split('/').map((part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  });
  return {crawl: crawl || null, room: room || 'overview', sub: sub || null, query: new URLSearchParams(query)};
}

function drawFrame() {
  show(document.getElementById('app'),
    h('aside.side',
      h('a.brand', {href: '#/'}, h('img', {src: '/web/icon.svg', alt: '', width: 24, height: 24}), 'Crawler'), frame.nav),
    h('div.page',
      frame.top, frame.banner, frame.main));
  show(frame.top, h('div.top-line', h('div.top-name', frame.name, frame.state), frame.progress, frame.controls));
}

function drawNavigation({crawl, room}) {
  const shown = room === 'page' ? 'pages' : room;
  const several = crawls.length > 1 || !crawl;
  show(frame.nav, h('ul',
    several && h('li', h('a', {href: '#/', 'aria-current': !crawl && 'page'}, icon('crawls'), 'Crawls')),
    crawl && NAVIGATION.map(([name, label]) => h('li', h('a', {
      href: place(crawl, name), 'aria-current': name === shown && 'page',
    }, icon(name), label)))));
  frame.nav.querySelector('[aria-current]')?.scrollIntoView({block: 'nearest', inline: 'nearest'});
}

async function act(what, body, done) {
  try {
    await api.post(what, body);
    note(done);
  } catch (error) {
    note(error.message, 'bad');
  }
}

async function stop() {
  const sure = await confirmBox({
    title: `Stop ${api.name}?`, yes: 'Stop the crawl',
    text: 'Requests under way end, and everything fetched is kept. The crawl can be resumed later from where it is.',
  });
  if (sure) await act('stop', {}, 'The crawl is being stopped.');
}

const addSeeds = () => formBox({
  title: 'Add seeds', text: 'URLs to crawl beside the others.', yes: 'Add',
  fields: field('URLs, one in a line',
    h('textarea', {name: 'seeds', rows: 4, required: true, spellcheck: 'false', autofocus: true})),
  send: async ({seeds}) => {
    await api.post('seeds', {seeds: seeds.split(/\s+/).filter(Boolean)});
    note('The seeds were added.');
    return true;
  },
});

let controlsFor = null;
function drawControls(status) {
  const paused = status.state === 'paused';
  const going = !isOver(status.state);
  const startable = crawls.some(({startable: can}) => can);
  const key = `${api.name} ${status.state} ${status.controllable}`;
  if (key === controlsFor) return;  // A button that is being pressed must not be replaced.
  controlsFor = key;
  if (going ? !status.controllable : !startable) {
    show(frame.controls, going && h('span.soft.watching', {title: 'Another process runs this crawl'}, 'Watching only'));
    return;
  }
  show(frame.controls, going ? [
    paused ? button('Resume', () => act('resume', {}, 'The crawl goes on.'), {icon: 'resume', kind: 'primary'})
      : button('Pause', () => act('pause', {}, 'The crawl is paused.'), {icon: 'pause'}),
    button('Stop', stop, {icon: 'stop', kind: 'danger'}),
    button('Add seeds', addSeeds, {icon: 'plus', kind: 'quiet'}),
  ] : [
    button('Retry failures', () => act('retry', {}, 'What failed is tried again.'), {icon: 'retry'}),
    status.state === 'finished' ? button('Crawl again', () => act('recrawl', {}, 'The crawl begins again.'), {icon: 'resume'})
      : button('Resume', () => act('resume', {}, 'The crawl goes on.'), {icon: 'resume', kind: 'primary'}),
  ]);
}

let shownState = null;
function drawStatus(status) {
  if (shownState !== status.state) {
    shownState = status.state;
    show(frame.state, statePill(status.state));
  }
  const time = clock(status.elapsed_ms ?? 0);
  setText(frame.progress, isOver(status.state) ? '' : `${number(status.statistics.pages)} pages · ${time}`);
  drawControls(status);
}

function drawConnection() {
  const lost = live !== null && live.connected === false;
  frame.banner.hidden = !lost;
  document.documentElement.classList.toggle('stale', lost);
  if (!lost) return;
  const gone = live.error?.status === 404;
  const text = gone ? `There is no crawl ${api.name}.`
    : 'The connection is lost. What is shown may be old; it is tried again by itself.';
  if (frame.banner.querySelector('span')?.textContent === text) return;
  show(frame.banner, icon('warning'), h('span', text), gone ? h('a', {href: '#/'}, 'All crawls')
    : button('Try now', () => live.hurry(), {kind: 'quiet'}));
}

function openCrawl(name) {
  live?.close();
  live = null;
  api = null;
  shownState = controlsFor = null;
  show(frame.controls);
  show(frame.state);
  setText(frame.progress, '');
  setText(frame.name, name ?? '');
  frame.top.hidden = !name;
  drawConnection();
  if (!name) return;
  api = new CrawlApi(name);
  live = new LiveFeed(api);
  live.addEventListener('status', ({detail}) => drawStatus(detail));
  live.addEventListener('connection', drawConnection);
}

/** Writes settings of a room into the address without opening it again. */
function noteInAddress(crawl, room) {
  return (query) => history.replaceState(null, '', place(crawl, room, query));
}

function openRoom(to, moved) {
  current.close();
  const stopper = new AbortController();
  const where = to.sub ? `${to.room}/${to.sub}` : to.room;
  const root = h('div.room');
  show(frame.main, root);
  const context = {
    crawl: to.crawl, api, live, query: to.query, sub: to.sub, signal: stopper.signal,
    go: (query) => {
      const address = place(to.crawl, where, query);
      if (address === location.hash) room.update?.(to.query);
      else location.hash = address;
    },
    note: noteInAddress(to.crawl, where),
  };
  let room = {};
  current = {...to, close: () => stopper.abort()};
  try {
    room = (to.crawl ? ROOMS[to.room] : crawlsRoom).mount(root, context) ?? {};
  } catch (error) {
    show(root, errorState(error, () => openRoom(to, true)));
  }
  current.canUpdate = Boolean(room.update);
  current.update = (query) => room.update(query);
  window.scrollTo(0, 0);
  // For screen readers and the keyboard: what has changed begins at the heading.
  if (moved && !root.contains(document.activeElement)) root.querySelector('h1')?.focus({preventScroll: true});
}

function follow(moved = true) {
  if (location.hash === '#main') {
    history.replaceState(null, '', current.crawl ? place(current.crawl, current.room) : '#/');
    frame.main.focus();
    return;
  }
  let to = parsePlace();
  if (!to.crawl && crawls.length === 1) {
    history.replaceState(null, '', place(crawls[0].name, 'overview'));
    to = parsePlace();
  }
  if (to.crawl && !ROOMS[to.room]) to.room = 'overview';
  if (to.crawl !== current.crawl || current.room === null) openCrawl(to.crawl);
  drawNavigation(to);
  const label = NAVIGATION.find(([name]) => name === to.room)?.[1] ?? 'Page';
  document.title = to.crawl ? `${label} · ${to.crawl} · Crawler` : 'Crawls · Crawler';
  if (to.crawl === current.crawl && to.room === current.room && to.sub === current.sub && current.canUpdate) {
    current.update(to.query);
  } else {
    openRoom(to, moved);
  }
}

function askToken(wrong) {
  return formBox({
    title: 'Token', yes: 'Continue',
    text: wrong || 'This service asks for the token it was started with (CRAWLER_TOKEN).',
    fields: field('Token',
      h('input', {name: 'token', type: 'password', required: true, autocomplete: 'off', autofocus: true}),
      'Kept until this tab is closed'),
    send: async ({token}) => token.trim(),
  });
}

function onKey(event) {
  const typing = event.target.closest?.('input, textarea, select, dialog');
  if (event.key !== '/' || typing || event.ctrlKey || event.metaKey || event.altKey || !current.crawl) return;
  event.preventDefault();
  const input = document.getElementById('search-input');
  if (input) {
    input.focus();
    input.select();
  } else {
    location.hash = place(current.crawl, 'search');
  }
}

async function begin() {
  show(frame.main, h('div.room', skeleton(10)));
  try {
    ({crawls} = await listCrawls());
  } catch (error) {
    show(frame.main, errorState(error, begin));
    return;
  }
  follow(false);
}

onTokenNeeded(askToken);
drawFrame();
addEventListener('hashchange', () => follow());
addEventListener('keydown', onKey);
begin();
