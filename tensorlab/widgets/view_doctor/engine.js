// The View Doctor's diagnosis: which neighbouring dimensions merge, the runs that they make, and whether another
// shape is a view. The rule itself is in shared/views.js. No DOM here.
import { addressRange, checkBounds, flatIndex, numel, tuple, unravel } from "../shared/layout.js";
import { attempt } from "../shared/refusal.js";
import { inferSize, viewStrides } from "../shared/views.js";

export const MOST_ELEMENTS = 1024;

// The border between each dimension and the next: { dims, merges, free, has, needs }. It merges where the outer
// stride is what a whole run along the inner one covers; a size of 1 is free: its stride is never used.
export function borders(shape, stride) {
  return shape.slice(1).map((_, outer) => {
    const pair = [outer, outer + 1];
    const sizes = pair.map((dim) => shape[dim]);
    const { refusal } = viewStrides(sizes, pair.map((dim) => stride[dim]), [numel(sizes)]);
    return {
      dims: pair, merges: refusal === undefined, free: sizes.includes(1) || sizes.includes(0),
      has: stride[outer], needs: [sizes[1], stride[outer + 1]],
    };
  });
}

// The dimensions in runs that merge into one each: { dims, size, step }. Sizes of 1 go with the run before them.
export function runs(shape, stride) {
  const found = [];
  let outer = null;                                   // the last dimension whose stride counts
  for (const [dim, size] of shape.entries()) {
    const joins = found.length > 0
      && (size === 1 || outer === null || stride[outer] === size * stride[dim]);
    if (joins) found.at(-1).dims.push(dim);
    else found.push({ dims: [dim] });
    if (size !== 1) outer = dim;
  }
  return found.map(({ dims }) => ({
    dims, size: numel(dims.map((dim) => shape[dim])),
    step: stride[dims.findLast((dim) => shape[dim] !== 1) ?? dims.at(-1)],
  }));
}

// Which sizes of the new shape cut each run: a list of its dimensions a run; or { straddling, border }, the new
// dimension that would lie across the end of a run.
export function cuts(shape, stride, newShape) {
  if (shape.includes(0)) return { fit: [] };
  const ends = [];                                    // elements inside of each border, counted from the right
  let inside = 1;
  for (const run of runs(shape, stride).reverse()) ends.push(inside *= run.size);
  const fit = ends.map(() => []);
  let filled = 1;
  for (let dim = newShape.length - 1; dim >= 0; dim -= 1) {
    const run = Math.min(ends.findIndex((end) => filled < end), ends.length - 1);
    const place = run < 0 ? ends.length - 1 : run;
    const after = filled * newShape[dim];
    if (newShape[dim] > 1 && (after > ends[place] || ends[place] % after !== 0)) {
      return { straddling: dim, filled, end: ends[place] };
    }
    fit[place]?.unshift(dim);
    filled = after;
  }
  return { fit: fit.reverse() };
}

// What `view` and `reshape` make of a layout: { shape, stride } as a view, or { shape, refusal, dims, order } with
// the cells in the order in which a copy would take them; or { refusal } of the shape itself.
export function treat({ shape, stride, offset }, target) {
  return attempt(() => {
    const wanted = inferSize(target, numel(shape));
    const { stride: strides, refusal, dims } = viewStrides(shape, stride, wanted);
    if (refusal === undefined) return { shape: wanted, stride: strides };
    const order = Array.from({ length: numel(shape) }, (_, k) => flatIndex(unravel(k, shape), stride, offset));
    return { shape: wanted, why: refusal, dims, order };
  });
}

// { state } as it shall stand, or { refusal }.
export function check(state) {
  const { shape, stride, offset, target, marks, answer, told } = state;
  const negative = shape.find((size) => size < 0);
  if (negative !== undefined) return { refusal: `the size ${negative} is negative; sizes are 0 or more` };
  if (shape.length === 0) return { refusal: "a tensor without dimensions has no borders to look at" };
  const count = numel(shape);
  if (count > MOST_ELEMENTS) return { refusal: `the doctor draws up to ${MOST_ELEMENTS} `
    + `elements; this would have ${count}` };
  const { refusal } = checkBounds(shape, stride, offset, Infinity);
  if (refusal !== undefined) return { refusal };
  const reached = addressRange(shape, stride, offset);
  if (reached && reached[1] >= 4 * MOST_ELEMENTS) {
    return { refusal: `the doctor draws up to ${4 * MOST_ELEMENTS} cells; ${tuple(shape)} with strides ${tuple(stride)} `
      + `reaches cell ${reached[1]}` };
  }
  const treated = treat({ shape, stride, offset }, target);
  if (treated.refusal !== undefined) return { refusal: treated.refusal };
  const marked = shape.slice(1).map((_, border) => (["merge", "apart"].includes(marks[border]) ? marks[border] : "open"));
  const answered = ["view", "copy"].includes(answer) ? answer : "open";
  return { state: { shape, stride, offset, target, marks: marked, answer: answered, told: Boolean(told) } };
}

// How many of the reader's marks are right, the answer included: { right, asked }.
export function score({ shape, stride, offset, target, marks, answer }) {
  const truth = borders(shape, stride).map(({ merges }) => (merges ? "merge" : "apart"));
  const treated = treat({ shape, stride, offset }, target).order ? "copy" : "view";
  const right = truth.filter((mark, border) => mark === marks[border]).length + (answer === treated ? 1 : 0);
  return { right, asked: truth.length + 1 };
}
