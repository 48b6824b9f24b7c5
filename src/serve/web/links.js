// The room "Links": broken ones, redirects, and the graph.
import {emptyState, errorState, h, show, skeleton, urlText} from './dom.js';
import {counted, number, statusTag} from './format.js';
import {graphView} from './graph.js';
import {fateTag} from './page.js';
import {downloads, place} from './shared.js';
import {dataTable} from './table.js';

const VIEWS = {broken: 'Broken', redirects: 'Redirects', graph: 'Graph'};

const pageLink = (crawl, url) => h('a', {href: place(crawl, 'page', {url})}, urlText(url));

/** The URLs of a chain, which comes as one text. */
const hops = (row) => String(row.chain ?? '').split(' -> ');

const COLUMNS = {
  broken: (crawl) => [
    {key: 'url', label: 'URL', sort: true, main: true, cell: (row) => pageLink(crawl, row.url)},
    {key: 'status', label: 'Problem', sort: true, cell: (row) => [row.status ? statusTag(row.status) : fateTag(row.fate),
      row.reason && h('span.soft.reason', row.reason)]},
    {key: 'from_url', label: 'Linked from', sort: true, wide: true, cell: (row) => [
      row.from_url ? pageLink(crawl, row.from_url) : h('span.soft', row.via),
      row.anchor && h('bdi.soft.reason', `“${row.anchor}”`)]},
  ],
  redirects: (crawl) => [
    {key: 'url', label: 'URL', sort: true, main: true, cell: (row) => pageLink(crawl, row.url)},
    {key: 'status', label: 'Status', sort: true, cell: (row) => statusTag(row.status)},
    {key: 'hops', label: 'Hops', sort: true, end: true, cell: (row) => number(row.hops)},
    {key: 'end_url', label: 'Ends at', sort: true, cell: (row) => row.loop ? h('span.tag.bad', 'loop')
      : [pageLink(crawl, row.end_url), ' ', row.end_status > 0 && statusTag(row.end_status),
        row.hops > 1 && h('details', h('summary', counted(row.hops, 'hop', 'hops')),
          h('ol.way', hops(row).map((url) => h('li', urlText(url)))))]},
  ],
};

function listView({crawl, api, query, signal, note}, kind) {
  const state = {sort: query.get('sort') ?? (kind === 'broken' ? 'url' : 'hops'),
    order: query.get('order') ?? (kind === 'broken' ? 'asc' : 'desc'), offset: Number(query.get('offset')) || 0};
  const table = dataTable({
    label: VIEWS[kind], unit: kind === 'broken' ? 'broken links' : 'redirects', state, changed: note,
    load: (ask, stop) => api.get('links', {...ask, kind}, stop),
    empty: () => kind === 'broken'
      ? emptyState('No broken links', 'Every link that was followed led to an answer.')
      : emptyState('No redirects', 'Every URL that was fetched answered itself.'),
    columns: COLUMNS[kind](crawl),
  });
  signal.addEventListener('abort', table.close);
  return h('section.card.flush', table.element);
}

function graphRoom({crawl, api, query, signal, note}) {
  const level = query.get('level') === 'page' ? 'page' : 'host';
  const frame = h('div', skeleton(10));
  const choice = h('div.segmented', {role: 'group', 'aria-label': 'What the points are'},
    [['host', 'Hosts'], ['page', 'Pages']].map(([value, label]) => h('button', {
      type: 'button', 'aria-pressed': String(value === level), onclick: () => {
        note({level: value});
        load(value);
      },
    }, label)));
  async function load(wanted) {
    [...choice.children].forEach((one, i) => one.setAttribute('aria-pressed', String((i === 0) === (wanted === 'host'))));
    try {
      const graph = await api.get('graph', {level: wanted, limit: 300}, signal);
      show(frame, graph.nodes.length ? graphView(graph, wanted, crawl, signal)
        : emptyState('No links yet', 'The picture appears when pages that link to each other are stored.'));
    } catch (error) {
      if (!signal.aborted) show(frame, errorState(error, () => load(wanted)));
    }
  }
  load(level);
  return h('div.graph-room', h('div.toolbar', choice), frame);
}

export function mount(root, context) {
  const view = VIEWS[context.sub] ? context.sub : 'broken';
  show(root,
    h('div.room-head', h('h1', {tabindex: '-1'}, 'Links'), view !== 'graph' && downloads(context.api, view)),
    h('nav.tabs', {'aria-label': 'Kinds of links'}, Object.entries(VIEWS).map(([name, label]) =>
      h('a.tab', {href: place(context.crawl, `links/${name}`), 'aria-current': name === view && 'page'}, label))),
    view === 'graph' ? graphRoom(context) : listView(context, view));
}
