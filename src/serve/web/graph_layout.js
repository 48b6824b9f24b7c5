// Where the points of a link graph stand.

const STEPS = 260;

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
export function edgePlaces(graph) {
  const place = new Map(graph.nodes.map((node, i) => [node.id, i]));
  return graph.edges.map(([from, to, weight]) => [place.get(from), place.get(to), weight ?? 1])
    .filter(([from, to]) => from !== undefined && to !== undefined && from !== to);
}
