// Numbers, sizes and times as text.
import {h} from './dom.js';

const whole = new Intl.NumberFormat('en', {maximumFractionDigits: 0});
const exactTime = new Intl.DateTimeFormat('en-CA', {
  year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit',
  second: '2-digit', hourCycle: 'h23', timeZoneName: 'short',
});
const clockTime = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23',
});

export const number = (value) => value === null || value === undefined ? '–' : whole.format(value);

/** "3 pages", "1 page". */
export const counted = (count, one, many) => `${number(count)} ${count === 1 ? one : many}`;

/** Per second: one decimal below ten, none above. */
export const rate = (value) =>
  !Number.isFinite(value) ? '–' : value === 0 ? '0' : value < 0.095 ? value.toFixed(2)
    : value < 9.95 ? value.toFixed(1) : whole.format(value);

export function bytes(value) {
  if (value === null || value === undefined) return '–';
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let unit = 0;
  let rest = value;
  while (rest >= 999.5 && unit < units.length - 1) {
    rest /= 1000;
    ++unit;
  }
  return `${unit === 0 || rest >= 99.5 ? Math.round(rest) : rest.toFixed(1)}\u00a0${units[unit]}`;
}

/** A time that runs: 0:21, 1:42:00. */
export function clock(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const pad = (value) => String(value).padStart(2, '0');
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours ? `${hours}:${pad(minutes)}:${pad(seconds % 60)}` : `${minutes}:${pad(seconds % 60)}`;
}

/** A span: 850 ms, 1.5 s, 14 s, 3 min. */
export function span(ms) {
  if (ms === null || ms === undefined) return '–';
  if (ms < 1000) return `${Math.round(ms)}\u00a0ms`;
  if (ms < 9950) return `${Number((ms / 1000).toFixed(1))}\u00a0s`;
  if (ms < 120000) return `${Math.round(ms / 1000)}\u00a0s`;
  if (ms < 7200000) return `${Math.round(ms / 60000)}\u00a0min`;
  return `${Math.round(ms / 3600000)}\u00a0h`;
}

export const exact = (t) => exactTime.format(t).replace(',', '');
export const timeOfDay = (t) => clockTime.format(t);

/** How long ago: "12 s ago", "3 h ago"; a date after a month. */
export function ago(t, now = Date.now()) {
  const seconds = Math.round((now - t) / 1000);
  if (seconds < -5) return `in ${span(-seconds * 1000)}`;
  if (seconds < 5) return 'just now';
  if (seconds < 90) return `${seconds}\u00a0s ago`;
  if (seconds < 5400) return `${Math.round(seconds / 60)}\u00a0min ago`;
  if (seconds < 129600) return `${Math.round(seconds / 3600)}\u00a0h ago`;
  if (seconds < 2592000) return `${Math.round(seconds / 86400)}\u00a0days ago`;
  return exact(t).slice(0, 10);
}

/** A time since 1970 in ms, an ISO text, or nothing, as ms or null. */
export function toTime(value) {
  if (value === null || value === undefined || value === '' || value === 0) return null;
  const t = typeof value === 'number' ? value : Date.parse(String(value).replace(' ', 'T'));
  return Number.isFinite(t) && Math.abs(t) < 8.64e15 ? t : null;
}

/** A relative time that keeps itself right, with the exact one on hover. */
export function when(value) {
  const t = toTime(value);
  if (t === null) return h('span.soft', '–');
  const element = h('time', {datetime: new Date(t).toISOString(), title: exact(t)}, ago(t));
  element.dataset.t = t;
  return element;
}

setInterval(() => {
  const now = Date.now();
  for (const element of document.querySelectorAll('time[data-t]')) {
    const text = ago(Number(element.dataset.t), now);
    if (element.textContent !== text) element.textContent = text;
  }
}, 5000);

/** "https://example.org:8080" without its scheme. */
export const hostOf = (origin) => String(origin).replace(/^https?:\/\//, '').replace(/\/$/, '');

const REASONS = {
  200: 'OK', 204: 'No content', 206: 'Partial', 301: 'Moved', 302: 'Found', 303: 'See other',
  304: 'Not modified', 307: 'Temporary redirect', 308: 'Permanent redirect', 400: 'Bad request',
  401: 'Unauthorized', 403: 'Forbidden', 404: 'Not found', 405: 'Not allowed', 406: 'Not acceptable',
  408: 'Timeout', 410: 'Gone', 429: 'Too many requests', 451: 'Legal reasons', 500: 'Server error',
  501: 'Not implemented', 502: 'Bad gateway', 503: 'Unavailable', 504: 'Gateway timeout',
};
export const reason = (status) => REASONS[status] ?? '';

/** The class of a status: it is shown in colour, and always in words or digits too. */
export const tone = (status) =>
  !status ? 'quiet' : status < 300 ? 'good' : status < 400 ? 'info' : status < 500 ? 'warn' : 'bad';

/** A status code as a small mark. */
export function statusTag(status, text) {
  return h(`span.tag.${tone(status)}`, {title: reason(status)}, text ?? (status || '–'));
}
