// What several rooms show in the same way: a page in a table, downloads, states of a crawl.
import {hasToken, request} from './api.js';
import {note} from './dialog.js';
import {h, icon, urlText} from './dom.js';

/** The address of a room of a crawl: place('docs', 'page', {url}). */
export function place(crawl, room, query) {
  const set = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== null &&
    value !== '' && value !== 0);
  const tail = set.length ? `?${new URLSearchParams(set)}` : '';
  return `#/${encodeURIComponent(crawl)}/${room}${tail}`;
}

/** Title and URL of a page, which lead to its detail. */
export function pageCell(crawl, row) {
  return h('a.page-cell', {href: place(crawl, 'page', {url: row.url})},
    row.title && h('bdi.title', row.title), urlText(row.url));
}

const STATES = {
  running: ['Running', 'live'], paused: ['Paused', 'warn'], finished: ['Finished', 'good'],
  'not complete': ['Not complete', 'warn'], failed: ['Failed', 'bad'], stopped: ['Stopped', 'quiet'],
  'budget spent': ['Budget spent', 'good'], interrupted: ['Interrupted', 'bad'],
  starting: ['Starting', 'live'], queued: ['Queued', 'quiet'], stopping: ['Stopping', 'warn'],
};

export function statePill(state) {
  const [words, tone] = STATES[state] ?? [state || 'Unknown', 'quiet'];
  return h(`span.pill.${tone}`, h('i.dot', {'aria-hidden': 'true'}), words);
}

export const isOver = (state) => !['running', 'paused', 'starting', 'queued', 'stopping'].includes(state);

/** Links that save `what` as CSV and as JSON lines. */
export function downloads(api, what) {
  return h('span.downloads', icon('download'), ['csv', 'jsonl'].map((format) => {
    const address = api.address('export', {what, format});
    return h('a', {
      href: address, download: `${api.name}-${what}.${format}`,
      title: `Save all as ${format === 'csv' ? 'CSV' : 'JSON lines'}`,
      onclick: (event) => {
        if (!hasToken()) return;
        event.preventDefault();  // A plain link cannot carry the token.
        save(address, `${api.name}-${what}.${format}`);
      },
    }, format === 'csv' ? 'CSV' : 'JSONL');
  }));
}

async function save(address, name) {
  let content;
  try {
    content = await (await request(address, {patience: 0})).blob();
  } catch (error) {
    note(error.message, 'bad');
    return;
  }
  const link = h('a', {href: URL.createObjectURL(content), download: name});
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

/** Calls `work` while `signal` is not aborted, at once and then every `ms`, one at a time. */
export function every(ms, signal, work) {
  let timer;
  const turn = async () => {
    if (!document.hidden) await work().catch(() => {});
    if (!signal.aborted) timer = setTimeout(turn, ms);
  };
  signal.addEventListener('abort', () => clearTimeout(timer));
  turn();
}
