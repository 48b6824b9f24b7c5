// The link graph: a picture that is the same each time, its controls, and a table that says the same.
import {button, h, show, urlText} from './dom.js';
import {counted, number} from './format.js';
import {GraphPicture, shortName} from './graph_picture.js';
import {place} from './shared.js';

/** Pointer: drag moves, a click chooses, the wheel zooms once the picture has the focus. */
function byPointer(picture, tip, words, choose) {
  const {canvas} = picture;
  const drag = {down: false, x: 0, y: 0, moved: 0};
  canvas.addEventListener('pointerdown', (event) => {
    canvas.setPointerCapture(event.pointerId);
    Object.assign(drag, {down: true, x: event.offsetX, y: event.offsetY, moved: 0});
  });
  canvas.addEventListener('pointermove', ({offsetX: x, offsetY: y}) => {
    if (drag.down) {
      drag.moved += Math.abs(x - drag.x) + Math.abs(y - drag.y);
      picture.move(x - drag.x, y - drag.y);
      Object.assign(drag, {x, y});
      return;
    }
    point(picture.nodeAt(x, y), x, y);
  });
  function point(over, x, y) {
    tip.hidden = over === null;
    canvas.classList.toggle('on-node', over !== null);
    if (over !== null) {
      show(tip, h('b', shortName(picture.nodes[over])), h('span', words(picture.nodes[over])));
      const left = Math.min(x + 14, picture.width - tip.offsetWidth - 8);
      tip.style.transform = `translate(${Math.max(0, left)}px, ${Math.min(y + 14, picture.height - 56)}px)`;
    }
    if (over === picture.over) return;
    picture.over = over;
    picture.draw();
  }
  canvas.addEventListener('pointerup', (event) => {
    drag.down = false;
    if (drag.moved < 5) choose(picture.nodeAt(event.offsetX, event.offsetY));
  });
  canvas.addEventListener('pointercancel', () => {
    drag.down = false;
  });
  canvas.addEventListener('pointerleave', () => point(null, 0, 0));
  canvas.addEventListener('wheel', (event) => {
    if (!event.ctrlKey && document.activeElement !== canvas) return;  // The page scrolls.
    event.preventDefault();
    picture.zoom(Math.exp(-event.deltaY * 0.002), event.offsetX, event.offsetY);
  }, {passive: false});
}

function byKeys(picture) {
  const keys = {
    ArrowLeft: () => picture.move(40, 0), ArrowRight: () => picture.move(-40, 0),
    ArrowUp: () => picture.move(0, 40), ArrowDown: () => picture.move(0, -40),
    '+': () => picture.zoom(1.25), '=': () => picture.zoom(1.25), '-': () => picture.zoom(0.8), 0: () => picture.fit(),
  };
  picture.canvas.addEventListener('keydown', (event) => {
    const act = keys[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  });
}

/** Draws again when the place or the colours change, until `signal`. */
function keepDrawn(picture, signal) {
  const observer = new ResizeObserver(([{contentRect}]) =>
    picture.resize(Math.floor(contentRect.width), Math.floor(contentRect.height)));
  observer.observe(picture.canvas);
  signal.addEventListener('abort', () => observer.disconnect());
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => picture.draw(), {signal});
}

function tools(picture) {
  const tool = (icon, label, act) => {
    const one = button(label, act, {icon, title: label});
    one.classList.add('icon-only');
    return one;
  };
  const {nodes, edges, drawn, level} = picture;
  const caption = `${counted(nodes.length, level, `${level}s`)}, ${counted(edges.length, 'connection', 'connections')}` +
    (drawn.length < edges.length ? `, ${number(drawn.length)} of them drawn` : '');
  return h('div.graph-tools', h('span.soft', caption), h('span.graph-buttons',
    tool('plus', 'Zoom in', () => picture.zoom(1.25)), tool('minus', 'Zoom out', () => picture.zoom(0.8)),
    tool('fit', 'Show all', () => picture.fit())));
}

export function graphView(graph, level, crawl, signal) {
  const picture = new GraphPicture(graph, level);
  const {nodes, neighbours} = picture;
  const tip = h('div.graph-tip', {hidden: true});
  const detail = h('div.graph-detail');
  const rows = new Map();
  const words = (node) => [level === 'host' && counted(node.pages ?? 0, 'page', 'pages'),
    counted(node.links ?? 0, 'link', 'links')].filter(Boolean).join(' · ');

  function choose(i) {
    picture.chosen = i;
    for (const [at, row] of rows) {
      row.classList.toggle('chosen', at === i);
      row.querySelector('button').setAttribute('aria-pressed', String(at === i));
    }
    if (i === null) {
      show(detail, h('p.soft', 'Choose a point to see what it is linked with.'));
    } else {
      const node = nodes[i];
      const target = level === 'host' ? place(crawl, 'hosts', {q: shortName(node)})
        : place(crawl, 'page', {url: node.url ?? node.label});
      show(detail, h('a.graph-name', {href: target}, urlText(node.url || node.label)),
        h('p.soft', words(node), ` · ${counted(neighbours[i].size, 'neighbour', 'neighbours')} here`));
    }
    picture.draw();
  }

  const table = h('table.data.graph-table', {'aria-label': `Most linked ${level}s`}, h('thead', h('tr',
    h('th', {scope: 'col'}, level === 'host' ? 'Host' : 'Page'), h('th.end', {scope: 'col'}, 'Links'),
    h('th.end', {scope: 'col'}, 'Neighbours'))),
  h('tbody', picture.byLinks.map((i) => {
    const row = h('tr',
      h('td', h('button.linklike', {type: 'button', onclick: () => choose(i)}, h('bdi', shortName(nodes[i])))),
      h('td.end', number(nodes[i].links)), h('td.end', number(neighbours[i].size)));
    rows.set(i, row);
    return row;
  })));
  byPointer(picture, tip, words, choose);
  byKeys(picture);
  keepDrawn(picture, signal);
  choose(null);
  return h('div.graph-columns',
    h('section.card.graph-card', tools(picture), h('div.graph-frame', picture.canvas, tip), detail),
    h('section.card.flush.graph-list', {tabindex: '0', 'aria-label': 'Table of the graph'}, table));
}
