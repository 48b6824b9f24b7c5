// The room "Pages": every stored page.
import {button, emptyState, h, show} from './dom.js';
import {bytes, number, statusTag, when} from './format.js';
import {downloads, pageCell} from './shared.js';
import {dataTable, filterField, nothingFound} from './table.js';

export function mount(root, {crawl, api, live, query, signal, note}) {
  const state = {
    sort: query.get('sort') ?? 'crawled_at', order: query.get('order') ?? 'desc',
    offset: Number(query.get('offset')) || 0,
  };
  const filter = {q: query.get('q') ?? '', status: query.get('status') ?? ''};
  const keep = () => note({...filter, ...state});
  const refilter = () => {
    state.offset = 0;
    keep();
    table.refresh();
  };
  const clear = () => {
    Object.assign(filter, {q: '', status: ''});
    words.value = '';
    status.value = '';
    refilter();
  };
  const words = filterField('Filter by title or URL', filter.q, (value) => {
    filter.q = value;
    refilter();
  });
  const status = h('select', {
    'aria-label': 'Status', onchange: () => {
      filter.status = status.value;
      refilter();
    },
  });
  const drawCodes = () => {
    const codes = (live.status?.codes ?? []).filter((code) => code.urls > 0).map((code) => String(code.status));
    const wanted = ['', ...new Set([...codes, filter.status].filter(Boolean))];
    if (wanted.join() === [...status.options].map((option) => option.value).join()) return;
    show(status, wanted.map((code) => h('option', {value: code, selected: code === filter.status},
      code || 'Any status')));
  };
  drawCodes();
  live.addEventListener('status', drawCodes, {signal});
  const table = dataTable({
    label: 'Pages', unit: 'pages', state, changed: keep,
    load: (ask, stop) => api.get('pages', {...ask, ...filter}, stop),
    empty: () => filter.q || filter.status ? nothingFound('pages', clear)
      : emptyState('No pages yet', 'They appear here as they are stored.',
        button('Look again', () => table.refresh(), {icon: 'retry'})),
    columns: [
      {key: 'url', label: 'Page', sort: true, main: true, cell: (row) => pageCell(crawl, row)},
      {key: 'status', label: 'Status', sort: true, cell: (row) => statusTag(row.status)},
      {key: 'depth', label: 'Depth', sort: true, end: true, cell: (row) => number(row.depth)},
      {key: 'size', label: 'Size', sort: true, end: true, cell: (row) => bytes(row.size)},
      {key: 'language', label: 'Language', sort: true, cell: (row) => row.language || '–'},
      {key: 'content_type', label: 'Type', cell: (row) => String(row.content_type ?? '–').split(';')[0]},
      {key: 'crawled_at', label: 'Crawled', sort: true, end: true, cell: (row) => when(row.crawled_at)},
    ],
  });
  signal.addEventListener('abort', table.close);
  show(root, h('div.room-head', h('h1', {tabindex: '-1'}, 'Pages'), downloads(api, 'pages')),
    h('div.toolbar', words, status,
      button('Refresh', () => table.refresh(), {icon: 'retry', kind: 'quiet'})), h('section.card.flush', table.element));
}
