// The room "Log": the lines of the crawl as they are written.
import {button, emptyState, h, setText, show} from './dom.js';
import {exact, number, timeOfDay, toTime} from './format.js';

const KEPT = 2000;
const LEVELS = ['debug', 'info', 'warn', 'error'];

/** A line as {at, level, text}; plain text begins with its time and level, or not. */
export function logLine(data) {
  if (data && typeof data === 'object') {
    return {at: toTime(data.at), level: LEVELS.includes(data.level) ? data.level : 'info', text: String(data.text ?? '')};
  }
  const match = /^(\d{4}-\d\d-\d\d[ T][\d:.]+Z?)\s+(debug|info|warn|error)\s+(.*)$/s.exec(String(data));
  return match ? {at: toTime(match[1]), level: match[2], text: match[3]} : {at: null, level: 'info', text: String(data)};
}

export function mount(root, {api, live, signal}) {
  let lines = [];
  let level = 'debug';
  let words = '';
  let follow = true;
  let drawn = false;
  const list = h('div.log-lines', {role: 'log', 'aria-label': 'Log', tabindex: '0', 'aria-live': 'off'});
  const empty = h('div');
  const count = h('span.soft', {role: 'status'});
  const toEnd = button('Follow', () => {
    follow = true;
    draw();
  }, {kind: 'quiet', hidden: true});

  const fits = (line) => LEVELS.indexOf(line.level) >= LEVELS.indexOf(level) &&
    (!words || line.text.toLowerCase().includes(words));
  const row = (line) => h(`div.log-line.log-${line.level}`, line.at !== null && h('time', {title: exact(line.at)}, timeOfDay(line.at)),
    h('span.log-level', line.level), h('span.log-text', line.text));
  function draw() {
    drawn = true;
    const fitting = lines.filter(fits);
    show(list, fitting.map(row));
    list.hidden = fitting.length === 0;
    setText(count, `${number(fitting.length)} of ${number(lines.length)} lines`);
    show(empty, fitting.length === 0 && (lines.length ? emptyState('No lines match', 'Other words or a lower level show more.')
      : emptyState('No lines yet', 'Lines appear here while a crawl runs in this service.')));
    if (follow) list.scrollTop = list.scrollHeight;
    toEnd.hidden = follow;
  }
  // Lines can come faster than anybody reads: drawn at most four times a second.
  function later() {
    if (!drawn) return;
    drawn = false;
    setTimeout(() => {
      if (signal.aborted) return;
      if (follow) draw();
      else {
        drawn = true;
        setText(count, `${number(lines.length)} lines, more below`);
      }
    }, 250);
  }
  function add(data) {
    lines.push(logLine(data));
    if (lines.length > KEPT * 1.2) lines = lines.slice(-KEPT);
    later();
  }
  list.addEventListener('scroll', () => {
    const atEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 24;
    if (atEnd === follow) return;
    follow = atEnd;
    toEnd.hidden = follow;
  });
  const levels = h('select', {'aria-label': 'Level', onchange: () => {
    level = levels.value;
    draw();
  }}, LEVELS.map((name) => h('option', {value: name}, name === 'debug' ? 'All levels' : `${name} and above`)));
  const filter = h('input', {type: 'search', placeholder: 'Filter lines', 'aria-label': 'Filter lines', spellcheck: 'false',
    oninput: () => {
      words = filter.value.trim().toLowerCase();
      draw();
    }});
  show(root, h('div.room-head', h('h1', {tabindex: '-1'}, 'Log'), count),
    h('div.toolbar', filter, levels, toEnd), h('section.card.flush.log-card', list, empty));
  draw();
  api.get('log', {limit: 500}, signal).then(({rows}) => {
    lines = [...rows.map(logLine), ...lines];
    draw();
  }).catch(() => {});  // Without a memory of the service, only new lines are shown.
  live.addEventListener('log', ({detail}) => add(detail), {signal});
}
