// Where the boxes of a layered drawing stand: the same steps and the same places as tensorlab/figures/layers.py, which
// says why. No DOM here.

const SWEEPS = 12;
const LANE = 14;
const STRAIGHT = 8;

const pairs = (chain) => chain.slice(1).map((box, k) => [chain[k], box]);

// { places, routes, width, height } of boxes of `sizes` [width, height] and of `edges` [from, to] without a circle.
export function placed(sizes, edges, gap = [22, 40]) {
  const levels = levelsOf(sizes.length, edges);
  const widths = sizes.map(([width]) => width);
  const chains = edges.map(([source, target]) => {
    const chain = [source];
    for (let level = levels[source] + 1; level < levels[target]; level += 1) {
      chain.push(widths.length);
      widths.push(LANE);
      levels.push(level);
    }
    return [...chain, target];
  });
  const links = chains.flatMap(pairs);
  const layers = ordered(levels, links);
  let centres = centresOf(layers, links, widths, gap[0], sizes.length);
  const left = Math.min(...centres.map((centre, box) => centre - widths[box] / 2), Infinity);
  centres = centres.map((centre) => centre - left);
  const [tops, bottoms] = [[], []];
  let y = 0;
  for (const layer of layers) {
    tops.push(y);
    y += Math.max(...layer.map((box) => sizes[box]?.[1] ?? 0));
    bottoms.push(y);
    y += gap[1];
  }
  const places = sizes.map(([width], box) =>
    ({ x: centres[box] - width / 2, y: tops[levels[box]], layer: levels[box] }));
  const routes = routesOf(chains, { centres, places, sizes, levels, tops, bottoms });
  const width = Math.max(...centres.map((centre, box) => centre + widths[box] / 2), 0);
  return { places, routes, width, height: Math.max(y - gap[1], 0) };
}

function levelsOf(count, edges) {
  const waits = Array(count).fill(0);
  for (const [, target] of edges) waits[target] += 1;
  const levels = Array(count).fill(0);
  const ready = waits.map((_, box) => box).filter((box) => waits[box] === 0);
  while (ready.length) {
    const box = ready.pop();
    for (const [source, target] of edges) {
      if (source !== box) continue;
      levels[target] = Math.max(levels[target], levels[box] + 1);
      waits[target] -= 1;
      if (waits[target] === 0) ready.push(target);
    }
  }
  return levels;
}

function ordered(levels, links) {
  const layers = Array.from({ length: Math.max(...levels, -1) + 1 }, () => []);
  for (const [box, level] of levels.entries()) layers[level].push(box);
  const copy = () => layers.map((layer) => [...layer]);
  let [best, fewest] = [copy(), crossings(layers, links)];
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const down = sweep % 2 === 0;
    const moved = down ? layers.slice(1) : layers.slice(0, -1).reverse();
    for (const layer of moved) sortByNeighbours(layer, layers, links, down);
    const found = crossings(layers, links);
    if (found < fewest) [best, fewest] = [copy(), found];
  }
  return best;
}

function placesIn(layers) {
  return new Map(layers.flatMap((layer, level) => layer.map((box, position) => [box, [level, position]])));
}

function sortByNeighbours(layer, layers, links, down) {
  const place = placesIn(layers);
  const means = new Map(layer.map((box) => {
    const near = links.filter((link) => link[down ? 1 : 0] === box).map((link) => place.get(link[down ? 0 : 1])[1]);
    return [box, near.length ? near.reduce((sum, position) => sum + position, 0) / near.length : place.get(box)[1]];
  }));
  layer.sort((one, other) => means.get(one) - means.get(other));
}

export function crossings(layers, links) {
  const place = placesIn(layers);
  const ends = links.map(([source, target]) => [...place.get(source), place.get(target)[1]]);
  let count = 0;
  for (const [k, one] of ends.entries()) {
    for (const other of ends.slice(k + 1)) {
      if (one[0] === other[0] && (one[1] - other[1]) * (one[2] - other[2]) < 0) count += 1;
    }
  }
  return count;
}

function centresOf(layers, links, widths, gap, boxes) {
  const near = widths.map(() => []);
  for (const [source, target] of links) {
    const times = Math.min(source, target) >= boxes ? STRAIGHT : 1;
    for (let k = 0; k < times; k += 1) {
      near[source].push(target);
      near[target].push(source);
    }
  }
  const offsets = [];
  const centres = [];
  for (const layer of layers) {
    let at = 0;
    for (const [k, box] of layer.entries()) {
      if (k > 0) at += (widths[layer[k - 1]] + widths[box]) / 2 + gap;
      offsets[box] = at;
    }
    for (const box of layer) centres[box] = offsets[box] - at / 2;
  }
  for (let sweep = 0; sweep < 2 * SWEEPS; sweep += 1) {
    for (const layer of sweep % 2 === 0 ? layers : [...layers].reverse()) {
      const wishes = layer.map((box) => (near[box].length
        ? near[box].reduce((sum, other) => sum + centres[other], 0) / near[box].length : centres[box]));
      const shifts = rising(wishes.map((wish, k) => wish - offsets[layer[k]]));
      for (const [k, box] of layer.entries()) centres[box] = shifts[k] + offsets[box];
    }
  }
  return centres;
}

function rising(wishes) {
  const pools = [];
  for (const wish of wishes) {
    let [total, count] = [wish, 1];
    while (pools.length && pools.at(-1)[0] / pools.at(-1)[1] >= total / count) {
      const [before, many] = pools.pop();
      [total, count] = [total + before, count + many];
    }
    pools.push([total, count]);
  }
  return pools.flatMap(([total, count]) => Array(count).fill(total / count));
}

function routesOf(chains, { centres, places, sizes, levels, tops, bottoms }) {
  const ends = (which, next) => {
    const found = new Map();
    for (const [number, chain] of chains.entries()) {
      const box = chain.at(which);
      found.set(box, [...(found.get(box) ?? []), number]);
    }
    for (const numbers of found.values()) {
      numbers.sort((one, other) => centres[chains[one].at(next)] - centres[chains[other].at(next)]);
    }
    return found;
  };
  const [leaving, arriving] = [ends(0, 1), ends(-1, -2)];
  const port = (box, number, found) => {
    const numbers = found.get(box);
    const [width] = sizes[box];
    const spread = Math.min((width * 0.6) / numbers.length, 28);
    return places[box].x + width / 2 + (numbers.indexOf(number) - (numbers.length - 1) / 2) * spread;
  };
  return chains.map((chain, number) => {
    const [source, target] = [chain[0], chain.at(-1)];
    return [
      [port(source, number, leaving), places[source].y + sizes[source][1]],
      ...chain.slice(1, -1).flatMap((lane) =>
        [tops, bottoms].map((edge) => [centres[lane], edge[levels[lane]]])),
      [port(target, number, arriving), places[target].y],
    ];
  });
}
