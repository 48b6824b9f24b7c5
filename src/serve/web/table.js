// A table whose rows the service sorts, filters and cuts: one page of rows at a time. On a narrow
// screen each row becomes a card (style sheet), and a list of columns replaces the header.
import {button, emptyState, errorState, h, setText, show} from './dom.js';
import {number} from './format.js';

export const PAGE = 50;

/**
 * columns: [{key, label, sort: true, end: true, wide: true, cell(row) → node or text, main: true}]
 * load(query, signal) → {total, rows}; query has limit, offset, sort, order and what `query()` adds.
 * state: {sort, order, offset}; changed(state) is called when the reader changed it.
 */
export function dataTable({columns, load, state, changed, empty, label, unit}) {
  const head = h('tr');
  const body = h('tbody');
  const table = h('table.data', {'aria-label': label}, h('thead', head), body);
  const count = h('span.count', {role: 'status'});
  const previous = button('Previous', () => turn(-1), {icon: 'back', disabled: true});
  const next = button('Next', () => turn(1), {icon: 'next', disabled: true});
  const order = h('select', {
    'aria-label': 'Sort by',
    onchange: () => {
      const [key, direction] = order.value.split(' ');
      sortBy(key, direction);
    },
  });
  const message = h('div.table-message');
  const element = h('div.table', h('label.narrow-sort', h('span', 'Sort by'), order),
    h('div.table-frame', table), message, h('div.pager', count, h('span.pager-buttons', previous, next)));
  let running = null;
  let total = null;

  function header() {
    show(head, columns.map((column) => {
      const sorted = state.sort === column.key;
      const direction = state.order === 'asc' ? 'ascending' : 'descending';
      return h(column.end ? 'th.end' : 'th', {scope: 'col', 'aria-sort': sorted && direction},
        column.sort ? h('button.sort', {type: 'button', onclick: () => flip(column)}, column.label)
          : column.label);
    }));
    show(order, columns.filter((column) => column.sort).flatMap((column) => ['asc', 'desc'].map((way) =>
      h('option', {
        value: `${column.key} ${way}`,
        selected: state.sort === column.key && state.order === way,
      }, `${column.label} ${way === 'asc' ? '↑' : '↓'}`))));
  }

  function flip(column) {
    const first = column.end ? 'desc' : 'asc';
    const other = first === 'asc' ? 'desc' : 'asc';
    sortBy(column.key, state.sort === column.key && state.order === first ? other : first);
  }

  function sortBy(key, direction) {
    Object.assign(state, {sort: key, order: direction, offset: 0});
    const again = head.contains(document.activeElement) &&
      columns.findIndex((column) => column.key === key);
    header();
    if (again !== false) head.children[again].querySelector('button').focus();
    changed(state);
    refresh();
  }

  function turn(pages) {
    state.offset = Math.max(0, state.offset + pages * PAGE);
    changed(state);
    refresh().then(() => element.scrollIntoView({block: 'start'}));
  }

  function row(data) {
    return h('tr', columns.map((column) => {
      const classes = [column.end && 'end', column.main && 'main', column.wide && 'wide'].filter(Boolean);
      return h(['td', ...classes].join('.'), {'data-label': column.label}, column.cell(data));
    }));
  }

  function bones() {
    show(body, Array.from({length: 8}, () =>
      h('tr.bones', {'aria-hidden': 'true'}, columns.map(() => h('td', h('span.bone'))))));
  }

  function fill(answer) {
    total = answer.total ?? answer.rows.length;
    show(body, answer.rows.map(row));
    const last = state.offset + answer.rows.length;
    table.hidden = answer.rows.length === 0;
    show(message, answer.rows.length === 0 && empty());
    setText(count, answer.rows.length === 0 ? '' : total > answer.rows.length
      ? `${number(state.offset + 1)}–${number(last)} of ${number(total)} ${unit}`
      : `${number(total)} ${unit}`);
    previous.disabled = state.offset === 0;
    next.disabled = last >= total;
    previous.parentElement.hidden = total <= PAGE;
  }

  async function refresh() {
    running?.abort();
    const mine = running = new AbortController();
    table.setAttribute('aria-busy', 'true');
    try {
      const answer = await load({limit: PAGE, ...state}, mine.signal);
      if (running !== mine) return;
      fill(answer);
    } catch (error) {
      if (mine.signal.aborted) return;
      table.hidden = true;
      setText(count, '');
      show(message, errorState(error, refresh));
    }
    table.removeAttribute('aria-busy');
  }

  // Arrows go from row to row by the first link or button of each.
  body.addEventListener('keydown', (event) => {
    const step = {ArrowDown: 1, ArrowUp: -1}[event.key];
    const current = event.target.closest('tr');
    if (!step || !current || event.target.closest('input, select, textarea, pre')) return;
    let to = current;
    do {
      to = step > 0 ? to.nextElementSibling : to.previousElementSibling;
    } while (to && !to.querySelector('a, button'));
    if (!to) return;
    event.preventDefault();
    to.querySelector('a, button').focus();
  });

  header();
  bones();
  refresh();
  return {element, refresh, body, close: () => running?.abort()};
}

/** A field that filters as one types, after a short rest. */
export function filterField(label, value, changed) {
  let rest;
  const input = h('input', {
    type: 'search', placeholder: label, 'aria-label': label, value, autocomplete: 'off',
    spellcheck: 'false',
    oninput: () => {
      clearTimeout(rest);
      rest = setTimeout(() => changed(input.value.trim()), 250);
    },
  });
  return input;
}

export const nothingFound = (what, clear) =>
  emptyState(`No ${what} match`, 'Nothing fits the filter.', clear && button('Clear the filter', clear));
