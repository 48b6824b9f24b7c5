// The room "Hosts": what each was asked, how fast, when the next request is due and why then. A row
// opens the host's robots.txt with the lines that decided something.
import {emptyState, errorState, h, show, skeleton} from './dom.js';
import {counted, exact, hostOf, number, rate, span, statusTag, toTime} from './format.js';
import {holdupWords} from './overview.js';
import {downloads} from './shared.js';
import {dataTable, filterField, nothingFound} from './table.js';

/** The text of a robots.txt with numbers; lines that refused something say how many URLs. */
export function robotsText(robots) {
  const rules = new Map((robots.rules ?? []).map((rule) => [rule.line, rule]));
  const lines = String(robots.text ?? '').split(/\r\n|\n|\r/).slice(0, 2000);
  return h('ol.robots', {tabindex: '0', 'aria-label': 'robots.txt'}, lines.map((line, i) => {
    const rule = rules.get(i + 1);
    return h(rule ? rule.refused > 0 ? 'li.decided' : 'li.rule' : 'li', h('code', line || ' '),
      rule?.refused > 0 && h('span.tag.warn', counted(rule.refused, 'URL refused', 'URLs refused')));
  }));
}

function robotsPanel(robots) {
  const fetched = toTime(robots.fetched_at);
  const expires = toTime(robots.expires_at);
  const facts = h('p.facts-line', robots.status !== undefined && statusTag(robots.status),
    robots.policy && h('span', robots.policy),
    robots.crawl_delay > 0 && h('span', `Crawl-delay ${span(robots.crawl_delay * 1000)}`),
    fetched && h('span', `fetched ${exact(fetched)}`), expires && h('span', `kept until ${exact(expires)}`));
  return [facts, robots.text ? robotsText(robots)
    : emptyState('No robots.txt', 'The host has none, so every page may be fetched.')];
}

export function mount(root, {api, query, signal, note}) {
  const state = {sort: query.get('sort') ?? 'requests', order: query.get('order') ?? 'desc',
    offset: Number(query.get('offset')) || 0};
  const filter = {q: query.get('q') ?? ''};
  const keep = () => note({...filter, ...state});
  const refilter = (value) => {
    filter.q = value;
    state.offset = 0;
    keep();
    table.refresh();
  };

  async function open(row, control) {
    const line = control.closest('tr');
    if (control.getAttribute('aria-expanded') === 'true') {
      control.setAttribute('aria-expanded', 'false');
      line.nextElementSibling.remove();
      return;
    }
    control.setAttribute('aria-expanded', 'true');
    const panel = h('td.panel', {colspan: table.body.rows[0].cells.length}, skeleton(4));
    line.after(h('tr.panel-row', panel));
    const load = async () => {
      try {
        show(panel, robotsPanel(await api.get('hosts/robots', {host: row.host}, signal)));
      } catch (error) {
        show(panel, error.status === 404 ? emptyState('No robots.txt is known', error.message) : errorState(error, load));
      }
    };
    load();
  }

  function hostCell(row) {
    const control = h('button.host-open', {type: 'button', 'aria-expanded': 'false',
      title: 'Show its robots.txt'}, h('bdi', hostOf(row.host)));
    control.addEventListener('click', () => open(row, control));
    return [control, row.trouble && h('span.trouble', row.trouble)];
  }
  const due = (row) => row.waiting === 0 ? h('span.soft', '–')
    : row.due_in_ms === null || row.due_in_ms === undefined ? 'after its request'
      : row.due_in_ms <= 0 ? 'now' : `in ${span(row.due_in_ms)}`;
  const speed = (row) => row.requests === 0 ? h('span.soft', '–') : [rate(row.rate),
    row.allowed_interval_ms > 0 && h('span.soft', ` of ${rate(1000 / row.allowed_interval_ms)}`)];
  const table = dataTable({
    label: 'Hosts', unit: 'hosts', state, changed: keep,
    load: (ask, stop) => api.get('hosts', {...ask, ...filter}, stop),
    empty: () => filter.q ? nothingFound('hosts', () => {
      words.value = '';
      refilter('');
    }) : emptyState('No hosts yet', 'They appear with the first request.'),
    columns: [
      {key: 'host', label: 'Host', sort: true, main: true, cell: hostCell},
      {key: 'requests', label: 'Requests', sort: true, end: true, cell: (row) => number(row.requests)},
      {key: 'pages', label: 'Pages', sort: true, end: true, cell: (row) => number(row.pages)},
      {key: 'errors', label: 'Errors', sort: true, end: true,
        cell: (row) => h(row.errors > 0 ? 'span.bad-text' : 'span', number(row.errors))},
      {key: 'waiting', label: 'Waiting', sort: true, end: true, cell: (row) => number(row.waiting)},
      {key: 'rate', label: 'Requests/s', sort: true, end: true, cell: speed},
      {key: 'due_in_ms', label: 'Next', end: true, cell: due},
      {key: 'why', label: 'Why', wide: true, cell: (row) => row.waiting === 0 ? h('span.soft', 'nothing waits')
        : holdupWords({...row, interval_ms: row.allowed_interval_ms, trouble: ''}) || '–'},
    ],
  });
  const words = filterField('Filter by host', filter.q, refilter);
  signal.addEventListener('abort', table.close);
  // New numbers only while no robots.txt is open and nobody is in the table.
  const timer = setInterval(() => {
    const busy = table.body.querySelector('.panel-row') || table.element.contains(document.activeElement) ||
      table.element.matches(':hover') || document.hidden;
    if (!busy) table.refresh();
  }, 5000);
  signal.addEventListener('abort', () => clearInterval(timer));
  show(root, h('div.room-head', h('h1', {tabindex: '-1'}, 'Hosts'), downloads(api, 'hosts')),
    h('div.toolbar', words), h('section.card.flush', table.element));
}
