// The room "Log": the pages of the crawl and the lines that it writes, since this page was opened.
import {button, emptyState, h, setText, show} from './dom.js';
import {bytes, exact as exactTime, number, timeOfDay} from './format.js';

const LEVELS = ['page', 'debug', 'info', 'warn', 'error'];
const LABELS = {page: 'Pages and all lines', debug: 'All lines'};
const LINE = /^(\S+ (\d\d:\d\d:\d\d)\S*) (DEBUG|INFO|WARN|ERROR) +(.*)$/s;

/** The parts of a line, or of a stored page; a line that is not the crawler's own is only text. */
export function logLine(line) {
  if (typeof line === 'object') {
    const {at, page} = line;
    return {exact: exactTime(at), time: timeOfDay(at), level: 'page',
      text: `${page.status} ${page.url} ${bytes(page.size)}${page.title ? ` “${page.title}”` : ''}`};
  }
  const [, exact = '', time = '', level = 'INFO', text = line] = LINE.exec(line) ?? [];
  return {exact, time, level: level.toLowerCase(), text};
}

export function mount(root, {live, signal}) {
  let level = 'page';
  let words = '';
  let follow = true;
  let waiting = false;
  const list = h('div.log-lines', {role: 'log', 'aria-label': 'Log', tabindex: '0', 'aria-live': 'off'});
  const empty = h('div');
  const count = h('span.soft', {role: 'status'});
  const toEnd = button('Follow', () => {
    follow = true;
    draw();
  }, {kind: 'quiet', hidden: true});

  const fits = (line) => LEVELS.indexOf(line.level) >= LEVELS.indexOf(level) &&
    (!words || line.text.toLowerCase().includes(words));
  const row = (line) => h(`div.log-line.log-${line.level}`, h('time', {title: line.exact}, line.time),
    h('span.log-level', line.level), h('span.log-text', line.text));
  function draw() {
    const lines = live.lines.map(logLine);
    const fitting = lines.filter(fits);
    show(list, fitting.map(row));
    list.hidden = fitting.length === 0;
    setText(count, `${number(fitting.length)} of ${number(lines.length)} lines`);
    show(empty, fitting.length === 0 && (lines.length
      ? emptyState('No lines match', 'Other words or a lower level show more.')
      : emptyState('No lines yet', 'Pages and log lines appear here as they come, if the crawl runs in this service.')));
    if (follow) list.scrollTop = list.scrollHeight;
    toEnd.hidden = follow;
  }
  // Lines can come faster than anybody reads: drawn at most four times a second.
  function later() {
    if (waiting) return;
    waiting = true;
    setTimeout(() => {
      waiting = false;
      if (!signal.aborted && follow) draw();
      else setText(count, `${number(live.lines.length)} lines, more below`);
    }, 250);
  }
  list.addEventListener('scroll', () => {
    follow = list.scrollHeight - list.scrollTop - list.clientHeight < 24;
    toEnd.hidden = follow;
  });
  const levels = h('select', {
    'aria-label': 'Level', onchange: () => {
      level = levels.value;
      draw();
    },
  }, LEVELS.map((name) => h('option', {value: name}, LABELS[name] ?? `${name} and above`)));
  const filter = h('input', {
    type: 'search', placeholder: 'Filter lines', 'aria-label': 'Filter lines', spellcheck: 'false',
    oninput: () => {
      words = filter.value.trim().toLowerCase();
      draw();
    },
  });
  show(root, h('div.room-head', h('h1', {tabindex: '-1'}, 'Log'), count),
    h('div.toolbar', filter, levels, toEnd), h('section.card.flush.log-card', list, empty));
  draw();
  live.addEventListener('log', later, {signal});
  live.addEventListener('page', later, {signal});
}
