// Reductions over dimensions: which elements each result gathers, and how the result broadcasts with its tensor again.
// The rules are those of the library's sum, mean, amax and argmax. No DOM here.
import { defaultStrides, flatIndex, numel, tuple, unravel } from "../shared/layout.js";
import { meet } from "../shared/meet.js";
import { attempt, refuse } from "../shared/refusal.js";
import { wrapDim } from "../shared/views.js";

export const OPERATIONS = ["sum", "mean", "amax", "argmax"];
export const MOST_DIMS = 4;
export const MOST_ELEMENTS = 256;

// What element `k` of the sample holds: digits in a scattered order, so that the largest is not always the last.
export function sampleValue(k) { return (k * 7) % 10; }

// The dimensions that go, counted from the front and sorted; none named means all of them.
export function squashed(shape, dims) {
  const wrapped = dims.map((dim) => wrapDim(dim, shape.length));
  const twice = wrapped.find((dim, k) => wrapped.indexOf(dim) < k);
  if (twice !== undefined) refuse(`dim ${twice} appears multiple times in the list of dims ${tuple(dims)}`);
  return dims.length ? wrapped.sort((a, b) => a - b) : shape.map((_, dim) => dim);
}

export function reducedShape(shape, dims, keepdim) {
  const gone = squashed(shape, dims);
  if (keepdim) return shape.map((size, dim) => (gone.includes(dim) ? 1 : size));
  return shape.filter((_, dim) => !gone.includes(dim));
}

// The elements that one element of the result gathers, in order.
export function fibre(index, shape, dims, keepdim) {
  const gone = squashed(shape, dims);
  const kept = [...index];
  const full = shape.map((_, dim) => (gone.includes(dim) && !keepdim ? 0 : kept.shift()));
  const inner = gone.map((dim) => shape[dim]);
  return Array.from({ length: numel(inner) }, (_, k) => {
    const place = unravel(k, inner);
    return full.map((i, dim) => (gone.includes(dim) ? place[gone.indexOf(dim)] : i));
  });
}

// Where an element of the tensor goes in the result.
export function targetOf(index, shape, dims, keepdim) {
  const gone = squashed(shape, dims);
  if (keepdim) return index.map((i, dim) => (gone.includes(dim) ? 0 : i));
  return index.filter((_, dim) => !gone.includes(dim));
}

// The number that an operation makes of the gathered ones. The first of the largest wins, as in argmax.
export function combine(operation, numbers) {
  const total = numbers.reduce((sum, number) => sum + number, 0);
  if (operation === "sum") return total;
  if (operation === "mean") return total / numbers.length;
  const largest = Math.max(...numbers);
  return operation === "amax" ? largest : numbers.indexOf(largest);
}

// How the result broadcasts with the tensor that it was made of: "fits" where each element gets the number made of
// its own fibre, "refused" with a reason, or "wrong" where it gets the number of another one.
export function back(shape, dims, keepdim) {
  const result = reducedShape(shape, dims, keepdim);
  const found = meet(shape, result);
  if (found.refusal !== undefined) return { kind: "refused", reason: found.refusal };
  if (tuple(found.shape) !== tuple(shape)) return { kind: "wrong", shape: found.shape };
  const strides = found.strides[1];
  const dense = defaultStrides(result);
  for (let k = 0; k < numel(shape); k += 1) {
    const index = unravel(k, shape);
    if (flatIndex(index, strides) !== flatIndex(targetOf(index, shape, dims, keepdim), dense)) {
      return { kind: "wrong", shape: found.shape };
    }
  }
  return { kind: "fits" };
}

// { state } as it shall stand, or { refusal }.
export function check(state) {
  const { shape, operation, guess, told } = state;
  if (shape.some((size) => size < 1)) return { refusal: "sizes are 1 or more here" };
  if (shape.length > MOST_DIMS) return { refusal: `up to ${MOST_DIMS} dimensions are drawn, got ${shape.length}` };
  const count = numel(shape);
  if (count > MOST_ELEMENTS) return { refusal: `the lab draws up to ${MOST_ELEMENTS} `
    + `elements; this would have ${count}` };
  if (!OPERATIONS.includes(operation)) return { refusal: `the operation is one of ${OPERATIONS.join(", ")}` };
  return attempt(() => {
    const dims = state.dims.length ? squashed(shape, state.dims) : [];
    if (operation === "argmax" && dims.length > 1) refuse("argmax takes one dimension, or none for all elements");
    const keepdim = Boolean(state.keepdim) && dims.length > 0;
    return { state: { shape, dims, keepdim, operation, guess: guess ?? null, told: Boolean(told) } };
  });
}

// What is wrong with a predicted shape, and what mistake may be behind it.
export function mistakes({ shape, dims, keepdim, guess }) {
  const right = reducedShape(shape, dims, keepdim);
  if (tuple(guess) === tuple(right)) return [];
  const gone = squashed(shape, dims);
  const others = shape.map((_, dim) => dim).filter((dim) => !gone.includes(dim));
  if (others.length && tuple(guess) === tuple(reducedShape(shape, others, keepdim))) {
    return [`the dimension that is named goes, the others stay: ${tuple(right)}`];
  }
  if (dims.length && tuple(guess) === tuple(reducedShape(shape, dims, !keepdim))) {
    return [keepdim ? `keepdim=True keeps a dimension of size 1: ${tuple(right)}`
      : `without keepdim the dimension goes: ${tuple(right)}`];
  }
  return [`the result has shape ${tuple(right)}`];
}
