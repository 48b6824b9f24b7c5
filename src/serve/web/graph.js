// The link graph as a picture on a canvas: the same each time, to be zoomed and dragged, with a
// table beside it.
import {button, clean, h, setText, show, urlText} from './dom.js';
import {counted, number} from './format.js';
import {place} from './shared.js';

const STEPS = 260;
const MOST_DRAWN = 6000;  // Edges; more are a grey area, and slow to drag.

/**
 * Positions {x, y} by attraction along edges and repulsion of all nodes. No chance in it: nodes
 * begin on a spiral in their order, so the same graph gives the same picture.
 */
export function layout(count, edges) {
  const x = new Float64Array(count);
  const y = new Float64Array(count);
  for (let i = 0; i < count; ++i) {
    const angle = i * 2.399963229728653;  // The golden angle: no two on one ray.
    x[i] = Math.sqrt(i + 0.5) * Math.cos(angle) * 30;
    y[i] = Math.sqrt(i + 0.5) * Math.sin(angle) * 30;
  }
  const moveX = new Float64Array(count);
  const moveY = new Float64Array(count);
  const degree = new Float64Array(count);
  for (const [from, to] of edges) {
    ++degree[from];
    ++degree[to];
  }
  const distance = 60;
  for (let turn = 0; turn < STEPS; ++turn) {
    repel(x, y, moveX, moveY, distance);
    for (const [from, to] of edges) {
      const dx = x[to] - x[from];
      const dy = y[to] - y[from];
      // Of a node with many edges each pulls less, or all would end in one heap.
      const pull = Math.hypot(dx, dy) / distance;
      const [here, there] = [pull / Math.sqrt(degree[from]) / 2, pull / Math.sqrt(degree[to]) / 2];
      const most = Math.max(degree[from], degree[to]) / 12;
      const ease = most > 1 ? 1 / Math.sqrt(most) : 1;
      moveX[from] += dx * here * ease;
      moveY[from] += dy * here * ease;
      moveX[to] -= dx * there * ease;
      moveY[to] -= dy * there * ease;
    }
    const most = 40 * (1 - turn / STEPS) + 0.5;
    for (let i = 0; i < count; ++i) {
      const dx = moveX[i] - x[i] * 0.8;  // Towards the middle, so that separate parts stay near.
      const dy = moveY[i] - y[i] * 0.8;
      const length = Math.hypot(dx, dy) || 1;
      x[i] += dx / length * Math.min(length, most);
      y[i] += dy / length * Math.min(length, most);
    }
  }
  return Array.from(x, (value, i) => ({x: value, y: y[i]}));
}

function repel(x, y, moveX, moveY, distance) {
  moveX.fill(0);
  moveY.fill(0);
  const square = distance * distance;
  for (let i = 0; i < x.length; ++i) {
    for (let j = i + 1; j < x.length; ++j) {
      const dx = x[i] - x[j];
      const dy = y[i] - y[j];
      const force = square / (dx * dx + dy * dy + 0.01);
      moveX[i] += dx * force;
      moveY[i] += dy * force;
      moveX[j] -= dx * force;
      moveY[j] -= dy * force;
    }
  }
}

/** Edges between places in `nodes`, whichever way the service names nodes. */
function edgePlaces(graph) {
  const place = new Map(graph.nodes.map((node, i) => [node.id, i]));
  return graph.edges.map(([from, to, weight]) => [place.get(from), place.get(to), weight ?? 1])
    .filter(([from, to]) => from !== undefined && to !== undefined && from !== to);
}

export function graphView(graph, level, crawl, signal) {
  const {nodes} = graph;
  const edges = edgePlaces(graph);
  const points = layout(nodes.length, edges);
  const size = (node) => (level === 'host' ? node.pages : node.links) ?? 1;
  const largest = Math.max(1, ...nodes.map(size));
  const radius = nodes.map((node) => 4 + 14 * Math.sqrt(size(node) / largest));
  const neighbours = nodes.map(() => new Set());
  for (const [from, to] of edges) {
    neighbours[from].add(to);
    neighbours[to].add(from);
  }
  const stride = Math.ceil(edges.length / MOST_DRAWN);
  const drawn = edges.filter((_, i) => i % stride === 0);
  const byLinks = nodes.map((_, i) => i).sort((a, b) => (nodes[b].links ?? 0) - (nodes[a].links ?? 0) || a - b);

  const canvas = h('canvas', {tabindex: '0', role: 'img',
    'aria-label': `The links between ${counted(nodes.length, level, `${level}s`)}; the table says the same. ` +
      'Arrow keys move the picture, plus and minus zoom.'});
  const tip = h('div.graph-tip', {hidden: true});
  const detail = h('div.graph-detail');
  const rows = new Map();
  const view = {x: 0, y: 0, scale: 1, width: 0, height: 0};
  const state = {over: null, chosen: null};

  function colours() {
    const style = getComputedStyle(document.documentElement);
    const of = (name) => style.getPropertyValue(name).trim();
    return {node: of('--c1'), far: of('--line-strong'), edge: of('--soft'), ink: of('--ink'), card: of('--card'),
      chosen: of('--c4')};
  }

  const toScreen = (i) => [points[i].x * view.scale + view.x, points[i].y * view.scale + view.y];

  function draw() {
    const ratio = window.devicePixelRatio || 1;
    const context = canvas.getContext('2d');
    const colour = colours();
    const focus = state.over ?? state.chosen;
    const near = (i) => focus === null || i === focus || neighbours[focus].has(i);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, view.width, view.height);
    context.strokeStyle = colour.edge;
    const faint = Math.max(0.04, 0.3 * Math.sqrt(Math.min(1, 150 / drawn.length)));
    drawEdges(context, drawn, focus === null ? faint : faint / 3);
    if (focus !== null) drawEdges(context, edges.filter(([from, to]) => from === focus || to === focus), 0.7);
    context.globalAlpha = 1;
    for (let i = nodes.length - 1; i >= 0; --i) {
      const [x, y] = toScreen(i);
      context.fillStyle = i === state.chosen ? colour.chosen : near(i) ? colour.node : colour.far;
      context.strokeStyle = colour.card;
      context.lineWidth = 1.5;
      context.beginPath();
      context.arc(x, y, radius[i] * Math.sqrt(view.scale), 0, 2 * Math.PI);
      context.fill();
      context.stroke();
    }
    labels(context, colour, near, focus);
  }

  // All lines of a width are one path: thousands of them must follow the pointer.
  function drawEdges(context, list, alpha) {
    context.globalAlpha = alpha;
    for (const width of [1, 2, 3]) {
      context.lineWidth = width * 0.9;
      context.beginPath();
      for (const [from, to, weight] of list) {
        if (Math.min(3, 1 + Math.floor(Math.log10(weight))) !== width) continue;
        context.moveTo(...toScreen(from));
        context.lineTo(...toScreen(to));
      }
      context.stroke();
    }
  }

  // Names of the largest, those that find room, and of what is pointed at with its neighbours.
  function labels(context, colour, near, focus) {
    context.font = '12px system-ui, sans-serif';
    context.textAlign = 'center';
    context.lineWidth = 3;
    context.strokeStyle = colour.card;
    context.fillStyle = colour.ink;
    context.lineJoin = 'round';
    const taken = [];
    const order = focus === null ? byLinks : [focus, ...byLinks.filter((i) => i !== focus && near(i))];
    for (const i of order.slice(0, focus === null ? 28 : 60)) {
      const text = short(nodes[i]);
      const [x, y] = toScreen(i);
      const half = context.measureText(text).width / 2 + 4;
      const top = y + radius[i] * Math.sqrt(view.scale) + 2;
      const box = [x - half, top, x + half, top + 16];
      if (taken.some((other) => box[0] < other[2] && box[2] > other[0] && box[1] < other[3] && box[3] > other[1])) continue;
      taken.push(box);
      context.strokeText(text, x, top + 12);
      context.fillText(text, x, top + 12);
    }
  }

  function short(node) {
    const text = clean(node.label || node.url || String(node.id)).replace(/^https?:\/\//, '');
    return text.length > 30 ? `${text.slice(0, 14)}…${text.slice(-15)}` : text;
  }

  function fit() {
    const xs = points.map((p) => p.x);
    const ys = points.map((p) => p.y);
    const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    view.scale = Math.min(2.5, (view.width - 90) / (right - left + 1), (view.height - 70) / (bottom - top + 1));
    view.scale = Math.max(0.05, view.scale);
    view.x = view.width / 2 - (left + right) / 2 * view.scale;
    view.y = view.height / 2 - (top + bottom) / 2 * view.scale;
    draw();
  }

  function zoom(factor, atX = view.width / 2, atY = view.height / 2) {
    const scale = Math.min(12, Math.max(0.05, view.scale * factor));
    view.x = atX - (atX - view.x) * scale / view.scale;
    view.y = atY - (atY - view.y) * scale / view.scale;
    view.scale = scale;
    draw();
  }

  function nodeAt(x, y) {
    for (const i of byLinks) {
      const [nx, ny] = toScreen(i);
      if (Math.hypot(nx - x, ny - y) <= radius[i] * Math.sqrt(view.scale) + 4) return i;
    }
    return null;
  }

  const words = (node) => [level === 'host' && node.pages !== undefined && counted(node.pages, 'page', 'pages'),
    node.links !== undefined && counted(node.links, 'link', 'links')].filter(Boolean).join(' · ');

  function choose(i) {
    state.chosen = i;
    for (const [at, row] of rows) {
      row.classList.toggle('chosen', at === i);
      row.querySelector('button').setAttribute('aria-pressed', String(at === i));
    }
    if (i === null) {
      show(detail, h('p.soft', 'Choose a point to see what it is linked with.'));
    } else {
      const node = nodes[i];
      const target = level === 'host' ? place(crawl, 'hosts', {q: short(node)})
        : place(crawl, 'page', {url: node.url ?? node.label});
      show(detail, h('a.graph-name', {href: target}, urlText(node.url || node.label)), h('p.soft', words(node) || ' ',
        ` · ${counted(neighbours[i].size, 'neighbour', 'neighbours')} here`));
    }
    draw();
  }

  const place0 = {};
  canvas.addEventListener('pointerdown', (event) => {
    canvas.setPointerCapture(event.pointerId);
    Object.assign(place0, {down: true, x: event.offsetX, y: event.offsetY, moved: 0});
  });
  canvas.addEventListener('pointermove', (event) => {
    const {offsetX: x, offsetY: y} = event;
    if (place0.down) {
      view.x += x - place0.x;
      view.y += y - place0.y;
      place0.moved += Math.abs(x - place0.x) + Math.abs(y - place0.y);
      Object.assign(place0, {x, y});
      draw();
      return;
    }
    const over = nodeAt(x, y);
    tip.hidden = over === null;
    canvas.classList.toggle('on-node', over !== null);
    if (over !== null) {
      show(tip, h('b', short(nodes[over])), h('span', words(nodes[over])));
      const left = Math.min(x + 14, view.width - tip.offsetWidth - 8);
      tip.style.transform = `translate(${Math.max(0, left)}px, ${Math.min(y + 14, view.height - 56)}px)`;
    }
    if (over !== state.over) {
      state.over = over;
      draw();
    }
  });
  canvas.addEventListener('pointerup', (event) => {
    place0.down = false;
    if (place0.moved < 5) choose(nodeAt(event.offsetX, event.offsetY));
  });
  canvas.addEventListener('pointercancel', () => {
    place0.down = false;
  });
  canvas.addEventListener('pointerleave', () => {
    state.over = null;
    tip.hidden = true;
    draw();
  });
  canvas.addEventListener('wheel', (event) => {
    if (!event.ctrlKey && document.activeElement !== canvas) return;  // The page scrolls until the picture is chosen.
    event.preventDefault();
    zoom(Math.exp(-event.deltaY * 0.002), event.offsetX, event.offsetY);
  }, {passive: false});
  canvas.addEventListener('keydown', (event) => {
    const move = {ArrowLeft: [40, 0], ArrowRight: [-40, 0], ArrowUp: [0, 40], ArrowDown: [0, -40]}[event.key];
    if (move) {
      view.x += move[0];
      view.y += move[1];
      draw();
    } else if (event.key === '+' || event.key === '=') zoom(1.25);
    else if (event.key === '-') zoom(0.8);
    else if (event.key === '0') fit();
    else return;
    event.preventDefault();
  });
  const observer = new ResizeObserver(([entry]) => {
    const first = view.width === 0;
    view.width = Math.floor(entry.contentRect.width);
    view.height = Math.floor(entry.contentRect.height);
    if (view.width === 0) return;
    const ratio = window.devicePixelRatio || 1;
    canvas.width = view.width * ratio;
    canvas.height = view.height * ratio;
    if (first) fit();
    else draw();
  });
  observer.observe(canvas);
  const scheme = matchMedia('(prefers-color-scheme: dark)');
  scheme.addEventListener('change', draw, {signal});
  signal.addEventListener('abort', () => observer.disconnect());

  const table = h('table.data.graph-table', {'aria-label': `Most linked ${level}s`}, h('thead', h('tr',
    h('th', {scope: 'col'}, level === 'host' ? 'Host' : 'Page'), h('th.end', {scope: 'col'}, 'Links'),
    h('th.end', {scope: 'col'}, 'Neighbours'))),
  h('tbody', byLinks.map((i) => {
    const row = h('tr', h('td', h('button.linklike', {type: 'button', onclick: () => choose(i)}, h('bdi', short(nodes[i])))),
      h('td.end', number(nodes[i].links)), h('td.end', number(neighbours[i].size)));
    rows.set(i, row);
    return row;
  })));
  choose(null);
  const tool = (name, label, act) => {
    const one = button(label, act, {icon: name, title: label});
    one.classList.add('icon-only');
    return one;
  };
  const caption = h('span.soft');
  setText(caption, `${counted(nodes.length, level, `${level}s`)}, ${counted(edges.length, 'connection', 'connections')}` +
    (stride > 1 ? `, ${number(drawn.length)} of them drawn` : ''));
  return h('div.graph-columns',
    h('section.card.graph-card', h('div.graph-tools', caption, h('span.graph-buttons', tool('plus', 'Zoom in', () => zoom(1.25)),
      tool('minus', 'Zoom out', () => zoom(0.8)), tool('fit', 'Show all', fit))), h('div.graph-frame', canvas, tip), detail),
    h('section.card.flush.graph-list', {tabindex: '0', 'aria-label': 'Table of the graph'}, table));
}
