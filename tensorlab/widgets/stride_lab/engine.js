// The Stride Lab's operations on layouts. A step is { shape, stride, offset, cells, values }: `values[c]` is what
// cell c of its storage holds (null: every cell holds its own number). The rules are in shared/views.js. No DOM.
import { DTYPES, checkBounds, defaultStrides, flatIndex, isContiguous, numel, tuple, unravel } from "../shared/layout.js";
import { attempt, refuse } from "../shared/refusal.js";
import {
  diagonal, expanded, inferSize, permuted, preservedStrides, selected, sliced, squeezed, transposed, unsqueezed,
  viewStrides, windows, wrapDim,
} from "../shared/views.js";

export const MOST_ELEMENTS = 4096;

// The kinds of each operation's arguments.
export const ARGUMENTS = {
  transpose: ["int", "int"], permute: ["ints"], slice: ["int", "int", "int", "int"], select: ["int", "int"],
  expand: ["ints"], unsqueeze: ["int"], squeeze: ["int"], diagonal: ["int", "int", "int"],
  unfold: ["int", "int", "int"], flip: ["ints"], view: ["ints"], reshape: ["ints"], contiguous: [],
  as_strided: ["ints", "ints", "int"],
};

// The operations that a layout alone decides: they are views.
const VIEWS = {
  transpose: transposed, permute: permuted, slice: sliced, select: selected, expand: expanded,
  unsqueeze: unsqueezed, squeeze: squeezed, diagonal, unfold: windows,
};

function bounded(shape) {
  const count = numel(shape);
  if (count > MOST_ELEMENTS) refuse(`the lab draws up to ${MOST_ELEMENTS} elements; this would have ${count}`);
}

export function firstStep(shape) {
  bounded(shape);
  return { shape, stride: defaultStrides(shape), offset: 0, cells: numel(shape), values: null };
}

export function valueAt(step, cell) { return step.values === null ? cell : step.values[cell]; }

// The numbers of a tensor's elements, in order.
export function elements({ shape, stride, offset, values }) {
  const count = numel(shape);
  return Array.from({ length: count }, (_, k) => valueAt({ values }, flatIndex(unravel(k, shape), stride, offset)));
}

// A new storage for these numbers, in row-major order, laid out with these strides.
function copied(shape, stride, numbers) {
  const values = Array(numbers.length);
  for (const [k, number] of numbers.entries()) values[flatIndex(unravel(k, shape), stride)] = number;
  return { shape, stride, offset: 0, cells: numbers.length, values };
}

function flipped(step, dims) {
  const { shape, stride } = step;
  const chosen = dims.map((dim) => wrapDim(dim, shape.length));
  const twice = chosen.find((dim, k) => chosen.indexOf(dim) < k);
  if (twice !== undefined) refuse(`dim ${twice} appears multiple times in the list of dims`);
  const numbers = elements(step);
  const strides = defaultStrides(shape);
  const turned = numbers.map((_, k) => {
    const index = unravel(k, shape).map((i, dim) => (chosen.includes(dim) ? shape[dim] - 1 - i : i));
    return numbers[flatIndex(index, strides)];
  });
  return copied(shape, preservedStrides(shape, stride), turned);
}

// The copy that `reshape` makes where no view exists.
export function reshapedCopy(step, shape) {
  return copied(shape, defaultStrides(shape), elements(step));
}

// The same elements in another shape: { step } as a view, or { why, dims, shape } where there is none.
export function viewed(step, sizes) {
  const shape = inferSize(sizes, numel(step.shape));
  const { stride, refusal, dims } = viewStrides(step.shape, step.stride, shape);
  return refusal === undefined ? { step: { ...step, shape, stride } } : { why: refusal, dims, shape };
}

function applied(step, name, args, itemsize) {
  const { shape, stride, offset } = step;
  if (name === "flip") return flipped(step, args[0]);
  if (name === "contiguous") return isContiguous(shape, stride) ? step : reshapedCopy(step, shape);
  if (name === "view" || name === "reshape") {
    const found = viewed(step, args[0]);
    if (found.step) return found.step;
    if (name === "reshape") return reshapedCopy(step, found.shape);
    return refuse(`cannot view ${tuple(shape)} with strides ${tuple(stride)} as ${tuple(found.shape)}: ${found.why}; `
      + `reshape would copy ${numel(shape) * itemsize} bytes`);
  }
  if (name === "as_strided") return strided(step, ...args);
  const view = VIEWS[name](shape, stride, ...args);
  bounded(view.shape);
  return { ...step, shape: view.shape, stride: view.stride, offset: offset + (view.skipped ?? 0) };
}

function strided(step, shape, stride, offset) {
  if (shape.some((size) => size < 0)) refuse(`as_strided(): sizes must not be negative, got ${tuple(shape)}`);
  const { refusal } = checkBounds(shape, stride, offset, step.cells);
  if (refusal !== undefined) {
    refuse(`as_strided: size ${tuple(shape)}, stride ${tuple(stride)} and storage_offset ${offset} are refused: `
      + refusal);
  }
  return { ...step, shape, stride, offset };
}

// What an operation makes of a step: the next one with `effect`, "view", "copy" or "same", and the `bytes` that it
// moved; or { refusal }.
export function apply(step, [name, ...args], dtype) {
  const itemsize = DTYPES[dtype];
  return attempt(() => {
    const next = applied(step, name, args, itemsize);
    bounded(next.shape);
    const effect = next === step ? "same" : next.values === step.values ? "view" : "copy";
    return { ...next, effect, bytes: effect === "copy" ? numel(next.shape) * itemsize : 0 };
  });
}

// All steps: the first tensor, then one an operation; or { refusal, failed } with the operation's place.
export function run(shape, ops, dtype) {
  const first = attempt(() => firstStep(shape));
  if (first.refusal !== undefined) return { refusal: first.refusal, failed: -1 };
  const steps = [first];
  for (const [failed, op] of ops.entries()) {
    const next = apply(steps.at(-1), op, dtype);
    if (next.refusal !== undefined) return { refusal: next.refusal, failed };
    steps.push(next);
  }
  return { steps };
}
