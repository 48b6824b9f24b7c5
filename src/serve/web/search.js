// The room "Search": a field with completions, results with marks, filters, and why a score is what
// it is.
import {Completions} from './completions.js';
import {button, emptyState, errorState, h, icon, isWeb, show, skeleton, urlText, webLink} from './dom.js';
import {counted, number, toTime, when} from './format.js';
import {place} from './shared.js';

const PAGE = 10;
const FILTER = /(^|\s)(lang|site|after):(\S+)/g;

const LANGUAGES = new Intl.DisplayNames(['en'], {type: 'language'});
function languageName(code) {
  try {
    return LANGUAGES.of(code) ?? code;
  } catch {
    return code;
  }
}

/** {words, filters: {lang, site, after}} of a query. */
export function parseQuery(query) {
  const filters = {};
  const words = query.replace(FILTER, (_, before, name, value) => {
    filters[name] = value;
    return before;
  }).replace(/ {2,}/g, ' ').trim();
  return {words, filters};
}

export const joinQuery = ({words, filters}) =>
  [words, ...Object.entries(filters).filter(([, value]) => value).map(([name, value]) =>
    `${name}:${value}`)].filter(Boolean).join(' ');

/** A snippet as text with <mark>; highlights are [offset, size] in UTF-16 units. */
export function marked(snippet, highlights) {
  const parts = [];
  let at = 0;
  for (const [offset, size] of [...highlights ?? []].sort((a, b) => a[0] - b[0])) {
    if (!(offset >= at) || offset + size > snippet.length) continue;
    parts.push(snippet.slice(at, offset), h('mark', snippet.slice(offset, offset + size)));
    at = offset + size;
  }
  return [...parts, snippet.slice(at)];
}

function daysAgo(days) {
  return new Date(Date.now() - days * 86400000).toISOString().slice(0, 10);
}

function whyTable(why) {
  const places = ['title', 'headings', 'body', 'url', 'anchors', 'navigation'];
  const names = {title: 'title', headings: 'headings', body: 'text', url: 'URL', anchors: 'links to it',
    navigation: 'navigation'};
  const top = Math.max(1e-9, ...why.words.map((word) => word.score));
  return h('div.why-score', h('table', h('thead', h('tr',
    ['Word', 'Found in', 'Rarity', 'Score'].map((label, i) => h(i > 1 ? 'th.end' : 'th', {scope: 'col'}, label)))),
  h('tbody', why.words.map((word) => {
    const bar = h('i.bar.info');
    bar.style.width = `${word.score / top * 100}%`;
    return h('tr', h('th', {scope: 'row'}, h('bdi', word.word)),
      h('td', places.filter((name) => word[name]).map((name) =>
        h('span.count-tag', `${names[name]} ${number(word[name])}`))),
      h('td.end', word.idf ? word.idf.toFixed(2) : '–'),
      h('td.end', h('span.bar-track', bar), h('span.word-score', word.score.toFixed(2))));
  }))),
  h('p.sum', h('span', 'text ', h('b', why.text_score.toFixed(2))), ' × ',
    h('span', 'links to the page ', h('b', why.static_factor.toFixed(2))), ' = ',
    h('b', (why.text_score * why.static_factor).toFixed(2))));
}

export function mount(root, context) {
  const {crawl, api, signal, go} = context;
  let {query} = context;
  let running = null;
  let whyAnswers = null;

  const list = h('ul.completions', {role: 'listbox', id: 'completions', 'aria-label': 'Completions', hidden: true});
  const input = h('input.search-input', {
    type: 'search', id: 'search-input', placeholder: 'Search the pages of this crawl', autocomplete: 'off',
    spellcheck: 'false', autocapitalize: 'off', role: 'combobox', 'aria-expanded': 'false',
    'aria-controls': 'completions', 'aria-autocomplete': 'list', 'aria-label': 'Search', enterkeyhint: 'search',
  });
  const chips = h('div.chips', {role: 'group', 'aria-label': 'Filters'});
  const summary = h('p.summary', {role: 'status'});
  const results = h('ol.results');
  const message = h('div');
  const pager = h('div.pager.centre');
  show(root, h('h1.unseen', {tabindex: '-1'}, 'Search'),
    h('form.search-form', {role: 'search', onsubmit: submit},
      h('div.search-box', icon('search'), input, h('kbd', {title: 'Press / to search'}, '/')), list),
    chips, summary, message, results, pager);

  function submit(event) {
    event.preventDefault();
    go({q: input.value.trim()});
  }

  new Completions(input, list, api, signal, (words) => go({q: words}));
  input.addEventListener('keydown', (event) => {
    const first = results.querySelector('.result-title');
    if (event.key !== 'ArrowDown' || !list.hidden || event.defaultPrevented || !first) return;
    event.preventDefault();
    first.focus();
  });
  results.addEventListener('keydown', (event) => {
    const step = {ArrowDown: 1, ArrowUp: -1}[event.key];
    const current = event.target.closest('.result');
    if (!step || !current) return;
    event.preventDefault();
    const to = step > 0 ? current.nextElementSibling : current.previousElementSibling;
    if (to) to.querySelector('.result-title').focus();
    else if (step < 0) input.focus();
  });

  function drawChips(answer) {
    const parsed = parseQuery(input.value);
    const chip = (name, value, label) => {
      const on = parsed.filters[name] === value;
      return h('button.chip', {
        type: 'button', 'aria-pressed': String(on),
        onclick: () => go({q: joinQuery({words: parsed.words,
          filters: {...parsed.filters, [name]: on ? '' : value}})}),
      }, label, on && icon('close'));
    };
    const values = (of, name) => [...new Set([parsed.filters[name], ...(answer?.results ?? []).map(of)])]
      .filter(Boolean).slice(0, 4);
    const host = (result) => isWeb(result.url) ? new URL(result.url).host : '';
    const dates = [[daysAgo(7), 'Past week'], [daysAgo(365), 'Past year']];
    const {after} = parsed.filters;
    show(chips, input.value.trim() && [
      values((result) => result.language, 'lang').map((code) => chip('lang', code, languageName(code))),
      values(host, 'site').map((name) => chip('site', name, name)),
      after && !dates.some(([date]) => date === after) && chip('after', after, `Since ${after}`),
      dates.map(([date, label]) => chip('after', date, label)),
    ]);
  }

  async function toggleWhy(result, control, panel) {
    const open = control.getAttribute('aria-expanded') !== 'true';
    control.setAttribute('aria-expanded', String(open));
    panel.hidden = !open;
    if (!open) return;
    try {
      whyAnswers ??= api.get('search', {...parameters(), why: 1}, signal);
      const answer = await whyAnswers;
      const why = answer.results.find(({url}) => url === result.url)?.why;
      show(panel, why ? whyTable(why) : h('p.soft', 'The result is no longer among these.'));
    } catch (error) {
      whyAnswers = null;
      show(panel, errorState(error, () => {
        control.setAttribute('aria-expanded', 'false');
        toggleWhy(result, control, panel);
      }));
    }
  }

  function item(result) {
    const panel = h('div.why-panel', {hidden: true}, skeleton(3));
    const details = place(crawl, 'page', {url: result.url});
    const title = h('bdi', result.title || result.url);
    const heading = isWeb(result.url) ? webLink(result.url, title) : h('a', {href: details}, title);
    heading.classList.add('result-title');
    const control = h('button.linklike', {type: 'button', 'aria-expanded': 'false'}, 'Why this score');
    control.addEventListener('click', () => toggleWhy(result, control, panel));
    return h('li.result',
      h('div.result-url', urlText(result.url)),
      h('h2.result-heading', heading),
      result.snippet && h('p.snippet', h('bdi', marked(result.snippet, result.highlights))),
      h('div.result-facts',
        toTime(result.date) !== null && when(result.date),
        result.language && h('span', languageName(result.language)),
        result.missing?.length > 0 && h('span', 'without ', h('s', result.missing.join(', '))),
        result.folded > 0 && h('span', counted(result.folded, 'similar page', 'similar pages')),
        h('a', {href: details}, 'Details'), control, h('span.score.num', {title: 'Score'}, result.score.toFixed(2))),
      panel);
  }

  const parameters = () => ({q: query.get('q') ?? '', limit: PAGE, offset: Number(query.get('offset')) || 0});

  function drawAnswer(answer) {
    const {offset} = parameters();
    results.start = offset + 1;
    show(results, answer.results.map(item));
    const took = answer.took_us === undefined ? '' : ` in ${(answer.took_us / 1000).toFixed(1)} ms`;
    show(summary, answer.results.length > 0 &&
      `${answer.total_is_exact === false ? 'About ' : ''}${counted(answer.total, 'page', 'pages')}${took}`,
    answer.did_you_mean && h('span.meant', answer.corrected ? ' · Nothing has those words. Shown is ' : ' · Did you mean ',
      h('a', {href: place(crawl, 'search', {q: answer.did_you_mean})}, answer.did_you_mean), answer.corrected ? '' : '?'));
    show(message, answer.results.length === 0 && emptyState('No page has these words',
      'Fewer or other words may help; words are found whatever their ending.',
      input.value !== parseQuery(input.value).words &&
        button('Without the filters', () => go({q: parseQuery(input.value).words}))));
    const more = offset + answer.results.length < answer.total && answer.results.length > 0;
    show(pager, (offset > 0 || more) && [
      button('Previous', () => go({...parameters(), offset: Math.max(0, offset - PAGE), limit: ''}),
        {icon: 'back', disabled: offset === 0}),
      h('span.soft', `Page ${number(offset / PAGE + 1)}`),
      button('Next', () => go({...parameters(), offset: offset + PAGE, limit: ''}), {icon: 'next', disabled: !more}),
    ]);
    drawChips(answer);
  }

  async function search() {
    running?.abort();
    whyAnswers = null;
    const asked = parameters();
    input.value = asked.q;
    drawChips(null);
    if (!asked.q) {
      show(results);
      show(summary);
      show(pager);
      show(message, intro());
      return;
    }
    const mine = running = new AbortController();
    results.setAttribute('aria-busy', 'true');
    if (!results.children.length) show(message, skeleton(9));
    try {
      const answer = await api.get('search', asked, mine.signal);
      drawAnswer(answer);
    } catch (error) {
      if (mine.signal.aborted) return;
      show(results);
      show(summary);
      show(pager);
      show(message, error.status === 400 ? emptyState('The query cannot be understood', error.message)
        : error.status === 409 ? emptyState('The index is not ready', error.message, button('Try again', search, {icon: 'retry'}))
          : errorState(error, search));
    }
    results.removeAttribute('aria-busy');
  }

  function intro() {
    const examples = [['"two words"', 'one after the other'], ['-word', 'without it'], ['title:word', 'in the title'],
      ['site:example.org', 'of that host'], ['lang:de', 'in that language'], ['alloc*', 'that begins so']];
    return h('div.intro', h('p', 'Pages with most of the words come first.'), h('dl', examples.map(([term, text]) =>
      h('div', h('dt', h('code', term)), h('dd', text)))),
    h('p.soft', h('kbd', '/'), ' to the field, ', h('kbd', '↑'), h('kbd', '↓'), ' through the results, ',
      h('kbd', 'Enter'), ' opens.'));
  }

  signal.addEventListener('abort', () => running?.abort());
  search();
  input.focus({preventScroll: true});
  return {
    update(newQuery) {
      query = newQuery;
      search();
      window.scrollTo(0, 0);
    },
  };
}
