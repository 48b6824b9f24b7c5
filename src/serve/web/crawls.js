// The list of all crawls, and the form that starts one.
import {listCrawls, startCrawl} from './api.js';
import {field, formBox, note} from './dialog.js';
import {button, emptyState, errorState, h, show, skeleton} from './dom.js';
import {number, when} from './format.js';
import {every, place, statePill} from './shared.js';

/** The body of a request for a new crawl, of what the form says. */
export function crawlBody(values) {
  const options = {scope: values.scope};
  for (const name of ['max_pages', 'max_depth']) {
    if (values[name] !== '') options[name] = Number(values[name]);
  }
  if (values.delay !== '') options.delay_ms = Math.round(Number(values.delay) * 1000);
  return {name: values.name.trim(), seeds: values.seeds.split(/\s+/).filter(Boolean), options};
}

export function startForm() {
  const input = (name, attributes) => h('input', {name, autocomplete: 'off', ...attributes});
  return formBox({
    title: 'New crawl', yes: 'Start',
    fields: [
      field('Name', input('name', {required: true, pattern: '[A-Za-z0-9][A-Za-z0-9._\\-]*', autofocus: true}),
        'The name of its folder'),
      field('Seeds', h('textarea', {name: 'seeds', rows: 3, required: true, spellcheck: 'false'}),
        'URLs to begin with, one in a line'),
      h('div.field-row',
        field('Scope', h('select', {name: 'scope'}, ['host', 'prefix', 'domain', 'web'].map((name) => h('option', name)))),
        field('Most pages', input('max_pages', {type: 'number', min: 1, inputmode: 'numeric'})),
        field('Depth', input('max_depth', {type: 'number', min: 0, inputmode: 'numeric'})),
        field('Delay (s)', input('delay', {type: 'number', min: 0, step: 'any', inputmode: 'decimal'}))),
    ],
    send: (values) => startCrawl(crawlBody(values)),
  });
}

export function mount(root, {signal}) {
  const list = h('div', skeleton(6));
  const start = button('New crawl', async () => {
    const started = await startForm();
    if (!started) return;
    note('The crawl was started.');
    load().catch(() => {});
  }, {icon: 'plus', kind: 'primary', hidden: true});
  const row = (crawl) => h('li', h('a.crawl-card', {href: place(crawl.name, 'overview')},
    h('span.crawl-name', h('bdi', crawl.name)), statePill(crawl.state),
    h('span.crawl-facts', h('b', number(crawl.pages)), ' pages · ', h('b', number(crawl.urls_waiting)), ' waiting',
      crawl.started_at && [' · started ', when(crawl.started_at)]),
    h('span.crawl-folder', crawl.folder),
    (crawl.error || crawl.last_error) && h('span.crawl-error', crawl.error || crawl.last_error)));
  async function load() {
    try {
      const {crawls, canStart} = await listCrawls(signal);
      start.hidden = !canStart;
      if (list.contains(document.activeElement)) return;
      show(list, crawls.length ? h('ul.crawl-list', crawls.map(row))
        : emptyState('No crawls yet', canStart ? 'Start one here, or with crawler crawl.' : 'The service was given none.'));
    } catch (error) {
      if (!signal.aborted) show(list, errorState(error, load));
    }
  }
  show(root, h('div.room-head', h('h1', {tabindex: '-1'}, 'Crawls'), start), list);
  every(5000, signal, load);
}
