// A walk through a tensor's elements, and the cache lines that it fetches. Pure.
import { flatIndex, numel, unravel } from "../shared/layout.js";

export const KEPT_LINES = 2;        // the small cache of the picture: the two lines used last

// The index of the k-th element that a walk meets: the last dimension moves fastest, or the first.
export function indexAt(k, shape, walk) {
  return walk === "last" ? unravel(k, shape) : unravel(k, [...shape].reverse()).reverse();
}

// Where an index stands in a walk.
export function placeOf(index, shape, walk) {
  const order = walk === "last" ? index.map((_, dim) => dim) : index.map((_, dim) => index.length - 1 - dim);
  return order.reduce((place, dim) => place * shape[dim] + index[dim], 0);
}

// Each step of a walk as { cell, line, fetched }: the cell it reads, the cache line around it, and whether that
// line had to be fetched. The cache keeps the lines used last.
export function walkSteps({ shape, stride, offset }, walk, perLine, kept = KEPT_LINES) {
  let cache = [];
  return Array.from({ length: numel(shape) }, (_, k) => {
    const cell = flatIndex(indexAt(k, shape, walk), stride, offset);
    const line = Math.floor(cell / perLine);
    const fetched = !cache.includes(line);
    cache = [line, ...cache.filter((other) => other !== line)].slice(0, kept);
    return { cell, line, fetched, cache };
  });
}

// What the first `done` steps of a walk cost: numbers read, lines fetched, bytes of each.
export function cost(steps, done, lineBytes, itemsize) {
  const fetched = steps.slice(0, done).filter((step) => step.fetched).length;
  return { read: done, fetched, used: done * itemsize, moved: fetched * lineBytes };
}
