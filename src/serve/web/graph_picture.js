// A link graph on a canvas: points, lines and names, to be zoomed and moved.
import {clean, h} from './dom.js';
import {counted} from './format.js';
import {edgePlaces, layout} from './graph_layout.js';

const MOST_DRAWN = 6000;  // Edges; more are a grey area, and slow to drag.

/** The name of a node, short enough for the picture. */
export function shortName(node) {
  const text = clean(node.label || node.url || String(node.id)).replace(/^https?:\/\//, '');
  return text.length > 30 ? `${text.slice(0, 14)}…${text.slice(-15)}` : text;
}

function colours() {
  const style = getComputedStyle(document.documentElement);
  const of = (name) => style.getPropertyValue(name).trim();
  return {
    node: of('--c1'), far: of('--line-strong'), edge: of('--soft'), ink: of('--ink'), card: of('--card'), chosen: of('--c4'),
  };
}

/**
 * The picture. `over` and `chosen` are places in `nodes`, or null: their lines are lit.
 * `level` is host or page: a host is as large as its pages, a page as the links to it.
 */
export class GraphPicture {
  constructor(graph, level) {
    this.nodes = graph.nodes;
    this.level = level;
    this.edges = edgePlaces(graph);
    const stride = Math.ceil(this.edges.length / MOST_DRAWN);
    this.drawn = this.edges.filter((_, i) => i % stride === 0);
    this.points = layout(this.nodes.length, this.edges);
    const size = (node) => (level === 'host' ? node.pages : node.links) ?? 1;
    const largest = Math.max(1, ...this.nodes.map(size));
    this.radius = this.nodes.map((node) => 4 + 14 * Math.sqrt(size(node) / largest));
    this.neighbours = this.nodes.map(() => new Set());
    for (const [from, to] of this.edges) {
      this.neighbours[from].add(to);
      this.neighbours[to].add(from);
    }
    this.byLinks = this.nodes.map((_, i) => i)
      .sort((a, b) => (this.nodes[b].links ?? 0) - (this.nodes[a].links ?? 0) || a - b);
    this.over = this.chosen = null;
    Object.assign(this, {x: 0, y: 0, scale: 1, width: 0, height: 0});
    this.canvas = h('canvas', {
      tabindex: '0', role: 'img',
      'aria-label': `The links between ${counted(this.nodes.length, level, `${level}s`)}; the table says the same. ` +
        'Arrow keys move the picture, plus and minus zoom.',
    });
  }

  resize(width, height) {
    const first = this.width === 0;
    Object.assign(this, {width, height});
    if (width === 0) return;
    const ratio = window.devicePixelRatio || 1;
    this.canvas.width = width * ratio;
    this.canvas.height = height * ratio;
    if (first) this.fit();
    else this.draw();
  }

  /** All of it, as large as it goes. */
  fit() {
    const xs = this.points.map((point) => point.x);
    const ys = this.points.map((point) => point.y);
    const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    const wanted = Math.min(2.5, (this.width - 90) / (right - left + 1), (this.height - 70) / (bottom - top + 1));
    this.scale = Math.max(0.05, wanted);
    this.x = this.width / 2 - (left + right) / 2 * this.scale;
    this.y = this.height / 2 - (top + bottom) / 2 * this.scale;
    this.draw();
  }

  zoom(factor, atX = this.width / 2, atY = this.height / 2) {
    const scale = Math.min(12, Math.max(0.05, this.scale * factor));
    this.x = atX - (atX - this.x) * scale / this.scale;
    this.y = atY - (atY - this.y) * scale / this.scale;
    this.scale = scale;
    this.draw();
  }

  move(x, y) {
    this.x += x;
    this.y += y;
    this.draw();
  }

  /** The place of the node there, or null. */
  nodeAt(x, y) {
    const hit = (i) => {
      const [nodeX, nodeY] = this.toScreen(i);
      return Math.hypot(nodeX - x, nodeY - y) <= this.shownRadius(i) + 4;
    };
    return this.byLinks.find(hit) ?? null;
  }

  toScreen(i) {
    return [this.points[i].x * this.scale + this.x, this.points[i].y * this.scale + this.y];
  }

  shownRadius(i) {
    return this.radius[i] * Math.sqrt(this.scale);
  }

  draw() {
    const ratio = window.devicePixelRatio || 1;
    const context = this.canvas.getContext('2d');
    const colour = colours();
    const focus = this.over ?? this.chosen;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    context.strokeStyle = colour.edge;
    const faint = Math.max(0.04, 0.3 * Math.sqrt(Math.min(1, 150 / this.drawn.length)));
    this.drawEdges(context, this.drawn, focus === null ? faint : faint / 3);
    if (focus !== null) {
      this.drawEdges(context, this.edges.filter(([from, to]) => from === focus || to === focus), 0.7);
    }
    context.globalAlpha = 1;
    this.drawNodes(context, colour, focus);
    this.drawNames(context, colour, focus);
  }

  isNear(i, focus) {
    return focus === null || i === focus || this.neighbours[focus].has(i);
  }

  // All lines of a width are one path: thousands of them must follow the pointer.
  drawEdges(context, list, alpha) {
    context.globalAlpha = alpha;
    for (const width of [1, 2, 3]) {
      context.lineWidth = width * 0.9;
      context.beginPath();
      for (const [from, to, weight] of list) {
        if (Math.min(3, 1 + Math.floor(Math.log10(weight))) !== width) continue;
        context.moveTo(...this.toScreen(from));
        context.lineTo(...this.toScreen(to));
      }
      context.stroke();
    }
  }

  drawNodes(context, colour, focus) {
    context.strokeStyle = colour.card;
    context.lineWidth = 1.5;
    for (let i = this.nodes.length - 1; i >= 0; --i) {
      context.fillStyle = i === this.chosen ? colour.chosen : this.isNear(i, focus) ? colour.node : colour.far;
      context.beginPath();
      context.arc(...this.toScreen(i), this.shownRadius(i), 0, 2 * Math.PI);
      context.fill();
      context.stroke();
    }
  }

  // Names of the most linked, those that find room; or of what is pointed at and its neighbours.
  drawNames(context, colour, focus) {
    Object.assign(context, {
      font: '12px system-ui, sans-serif', textAlign: 'center', lineWidth: 3, lineJoin: 'round',
      strokeStyle: colour.card, fillStyle: colour.ink,
    });
    const order = focus === null ? this.byLinks.slice(0, 28)
      : [focus, ...this.byLinks.filter((i) => i !== focus && this.isNear(i, focus))].slice(0, 60);
    const taken = [];
    for (const i of order) {
      const text = shortName(this.nodes[i]);
      const [x, y] = this.toScreen(i);
      const half = context.measureText(text).width / 2 + 4;
      const top = y + this.shownRadius(i) + 2;
      const box = {left: x - half, right: x + half, top, bottom: top + 16};
      if (taken.some((other) => box.left < other.right && box.right > other.left &&
        box.top < other.bottom && box.bottom > other.top)) continue;
      taken.push(box);
      context.strokeText(text, x, top + 12);
      context.fillText(text, x, top + 12);
    }
  }
}
