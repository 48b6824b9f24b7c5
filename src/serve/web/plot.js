// Plots over time, sparklines and bars, drawn as SVG. y begins at 0; a gap is where there are no
// data; a crosshair follows the pointer or the arrow keys.
import {h, s, setText, show} from './dom.js';
import {timeOfDay} from './format.js';

/** Round steps: about `count` ticks from 0 to `max`. */
export function ticks(max, count = 4) {
  if (!(max > 0)) return [0, 1];
  const raw = max / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((m) => m * power).find((x) => x >= raw * 0.999);
  const list = [];
  for (let value = 0; ; value += step) {
    list.push(Number(value.toPrecision(12)));
    if (value >= max) return list;
  }
}

const TIME_STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200,
  86400].map((seconds) => seconds * 1000);

function timeTicks(from, to, count) {
  const step = TIME_STEPS.find((x) => (to - from) / x <= count) ?? 7 * 86400000;
  const list = [];
  for (let t = Math.ceil(from / step) * step; t <= to; t += step) list.push(t);
  return list;
}

/** Runs of points without a gap: a gap is several times the usual distance. */
export function runs(points) {
  if (points.length === 0) return [];
  const distances = points.slice(1).map((point, i) => point.t - points[i].t).sort((a, b) => a - b);
  const usual = distances[Math.floor(distances.length / 2)] ?? 0;
  const list = [[points[0]]];
  for (let i = 1; i < points.length; ++i) {
    if (points[i].t - points[i - 1].t > Math.max(5000, usual * 4)) list.push([]);
    list.at(-1).push(points[i]);
  }
  return list;
}

/** Counters to rates per second: each point gets the rate since the one before it. */
export function toRates(points, names) {
  const list = [];
  for (const run of runs(points)) {
    for (let i = 1; i < run.length; ++i) {
      const seconds = (run[i].t - run[i - 1].t) / 1000;
      if (seconds <= 0) continue;
      const point = {t: run[i].t};
      for (const name of names) {
        point[name] = Math.max(0, (run[i][name] ?? 0) - (run[i - 1][name] ?? 0)) / seconds;
      }
      list.push(point);
    }
  }
  return list;
}

const path = (points, x, y) =>
  points.map((p, i) => `${i ? 'L' : 'M'}${x(p).toFixed(1)} ${y(p).toFixed(1)}`).join('');

const MARGIN = {left: 44, right: 12, top: 12, bottom: 24};

/**
 * A plot in a <figure>: timePlot({title, series: [{key, name, colour, format}], area: true}).
 * update(points) draws points {t, key: value, …}; colours are 1 to 6 of the style sheet.
 */
export function timePlot({title, series, area = false, height = 180}) {
  const svg = s('svg', {height, role: 'img', 'aria-label': title});
  const tip = h('div.plot-tip', {hidden: true});
  const spoken = h('span.unseen', {'aria-live': 'polite'});
  const legend = h('ul.legend', series.map((line) =>
    h('li', h(`i.key.c${line.colour}`), line.name, h('b.now'))));
  const frame = h('div.plot-frame', {
    tabindex: '0', role: 'group', 'aria-label': `${title}: arrow keys read the values`,
  }, svg, tip, spoken);
  const figure = h('figure.plot', h('figcaption', h('h3', title), legend), frame);
  const state = {points: [], width: 0, at: null, without: ''};

  const scales = () => {
    const {points, width} = state;
    const from = points[0].t;
    const to = Math.max(points.at(-1).t, from + 1000);
    const top = ticks(Math.max(...points.flatMap((p) => series.map((line) => p[line.key] ?? 0))), 3);
    const x = (p) => MARGIN.left + (p.t - from) / (to - from) * (width - MARGIN.left - MARGIN.right);
    const bottom = height - MARGIN.bottom;
    const y = (value) => bottom - value / top.at(-1) * (bottom - MARGIN.top);
    return {from, to, top, x, y, bottom};
  };

  function axes({from, to, top, x, y, bottom}) {
    const {width} = state;
    const most = Math.max(2, Math.floor((width - MARGIN.left) / 90));
    return [
      top.map((value) => [
        s('line.grid', {x1: MARGIN.left, x2: width - MARGIN.right, y1: y(value), y2: y(value)}),
        s('text.tick.end', {x: MARGIN.left - 8, y: y(value) + 4}, series[0].format(value)),
      ]),
      timeTicks(from, to, most).map((t) => {
        const place = Math.min(Math.max(x({t}), MARGIN.left + 24), width - MARGIN.right - 24);
        return s('text.tick.middle', {x: place, y: bottom + 18}, timeOfDay(t));
      }),
    ];
  }

  function lines({x, y, bottom}) {
    return runs(state.points).map((run) => series.map((line) => {
      const outline = path(run, x, (p) => y(p[line.key] ?? 0));
      const last = run.at(-1);
      return [
        area && s(`path.fill.c${line.colour}`,
          {d: `${outline}L${x(last)} ${bottom}L${x(run[0])} ${bottom}Z`}),
        run.length > 1 ? s(`path.line.c${line.colour}`, {d: outline})
          : s(`circle.dot.c${line.colour}`, {cx: x(last), cy: y(last[line.key] ?? 0), r: 2.5}),
      ];
    }));
  }

  function draw() {
    const {points, width} = state;
    svg.setAttribute('width', width);
    if (width < 100) return;
    if (points.length < 2) {
      show(svg, s('text.tick.middle', {x: width / 2, y: height / 2}, state.without));
      return;
    }
    const scale = scales();
    show(svg, axes(scale), lines(scale), s('g.cross'));
    series.forEach((line, i) =>
      setText(legend.children[i].querySelector('.now'), line.format(points.at(-1)[line.key] ?? 0)));
    if (state.at !== null) cross();
  }

  function cross() {
    const {points} = state;
    const group = svg.querySelector('.cross');
    tip.hidden = state.at === null || !group;
    if (!group) return;
    if (state.at === null) {
      show(group);
      return;
    }
    const point = points[Math.min(state.at, points.length - 1)];
    const {x, y, bottom} = scales();
    const at = x(point);
    show(group, s('line.hair', {x1: at, x2: at, y1: MARGIN.top, y2: bottom}),
      series.map((line) => s(`circle.dot.c${line.colour}`, {cx: at, cy: y(point[line.key] ?? 0), r: 4})));
    show(tip, h('b', timeOfDay(point.t)), series.map((line) =>
      h('span', h(`i.key.c${line.colour}`), `${line.name} `, h('b', line.format(point[line.key] ?? 0)))));
    const left = at + 14 + tip.offsetWidth > state.width ? at - 14 - tip.offsetWidth : at + 14;
    tip.style.transform = `translate(${Math.max(0, Math.round(left))}px, ${MARGIN.top}px)`;
  }

  function nearest(offset) {
    if (state.points.length < 2) return null;
    const {x} = scales();
    let best = 0;
    state.points.forEach((point, i) => {
      if (Math.abs(x(point) - offset) < Math.abs(x(state.points[best]) - offset)) best = i;
    });
    return best;
  }

  frame.addEventListener('pointermove', (event) => {
    state.at = nearest(event.clientX - svg.getBoundingClientRect().left);
    cross();
  });
  const leave = () => {
    state.at = null;
    cross();
  };
  frame.addEventListener('pointerleave', leave);
  frame.addEventListener('blur', leave);
  frame.addEventListener('keydown', (event) => {
    const last = state.points.length - 1;
    const step = {ArrowLeft: -1, ArrowRight: 1, Home: -last, End: last}[event.key];
    if (step === undefined || last < 1) return;
    event.preventDefault();
    state.at = Math.min(last, Math.max(0, (state.at ?? last) + step));
    cross();
    setText(spoken, tip.innerText);
  });
  const observer = new ResizeObserver(([entry]) => {
    const width = Math.floor(entry.contentRect.width);
    if (width === state.width) return;
    state.width = width;
    draw();
  });
  observer.observe(frame);

  return {
    element: figure,
    /** `without`: what is said if there is nothing to draw. */
    update(points, without) {
      Object.assign(state, {points, without});
      draw();
    },
  };
}

/** A small line without axes; `colour` is 1 to 6. */
export function sparkline(colour) {
  const svg = s('svg.spark', {viewBox: '0 0 100 28', preserveAspectRatio: 'none', 'aria-hidden': 'true'});
  return {
    element: svg,
    update(values) {
      if (values.length < 2) {
        show(svg);
        return;
      }
      const top = Math.max(...values) || 1;
      const x = (i) => i / (values.length - 1) * 100;
      const y = (value) => 26 - value / top * 24;
      const d = values.map((value, i) => `${i ? 'L' : 'M'}${x(i).toFixed(1)} ${y(value).toFixed(1)}`).join('');
      show(svg, s(`path.fill.c${colour}`, {d: `${d}L100 28L0 28Z`}), s(`path.line.c${colour}`, {d}));
    },
  };
}

/** Rows of a label, a bar and a number: bars([{label, value, tone}]). Bars share one scale. */
export function bars(rows, format) {
  const top = Math.max(1, ...rows.map((row) => row.value));
  return h('ul.bars', rows.map((row) => {
    const bar = h(`i.bar.${row.tone ?? 'info'}`);
    bar.style.width = `${Math.max(0.5, row.value / top * 100)}%`;
    return h('li', {title: row.title}, h('span.bar-label', row.label), h('span.bar-track', bar),
      h('span.bar-value', format(row.value)));
  }));
}
