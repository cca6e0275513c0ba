// View rules: how each operation changes a layout. The same rules and the same words as tensorlab/core/view_rules.py,
// part_rules.py and `view_strides` of layout.py. Each gives { shape, stride } and, where a part begins further on,
// { skipped }, the cells to its first element; or it refuses (see refusal.js). No DOM here.
import { expandStrides } from "./broadcast.js";
import { defaultStrides, isContiguous, numel, tuple } from "./layout.js";
import { refuse } from "./refusal.js";

export function wrapDim(dim, ndim) {
  const span = Math.max(ndim, 1);
  if (dim < -span || dim >= span) {
    refuse(`Dimension out of range (expected to be in range of [${-span}, ${span - 1}], but got ${dim})`);
  }
  return dim < 0 ? dim + span : dim;
}

const list = (numbers) => `[${numbers.join(", ")}]`;

// The sizes with their one -1 replaced so that they hold `count` elements.
export function inferSize(sizes, count) {
  const shown = `shape ${list(sizes)}`;
  const unknown = sizes.filter((size) => size === -1).length;
  if (unknown > 1) refuse(`only one dimension can be inferred, and ${shown} has ${unknown} times -1`);
  const wrong = sizes.find((size) => size < -1);
  if (wrong !== undefined) {
    refuse(`invalid shape dimension ${wrong} in ${shown}: sizes are 0 or more, or one -1`);
  }
  const known = numel(sizes.filter((size) => size !== -1));
  if (unknown && known === 0) {
    refuse(`cannot reshape tensor of ${count} elements into ${shown}: `
      + "the other sizes multiply to 0, so the unspecified dimension size -1 can be any value");
  }
  if (unknown ? count % known !== 0 : known !== count) {
    refuse(`${shown} is invalid for input of size ${count}: its sizes multiply to ${known}`);
  }
  return sizes.map((size) => (size === -1 ? count / known : size));
}

// { stride } with which the same cells in the same order have another shape, or { refusal, dims } that names the
// two dimensions which are not adjacent in memory.
export function viewStrides(shape, strides, newShape) {
  if (shape.includes(0)) return { stride: tuple(shape) === tuple(newShape) ? [...strides] : defaultStrides(newShape) };
  const stride = Array(newShape.length).fill(1);
  if (shape.length === 0) return { stride };
  let newDim = newShape.length - 1;
  let [run, step] = [1, strides.at(-1)];      // elements in the run of mergeable dimensions, the stride inside it
  for (let dim = shape.length - 1; dim >= 0; dim -= 1) {
    run *= shape[dim];
    if (dim > 0 && (shape[dim - 1] === 1 || strides[dim - 1] === run * step)) continue;
    let filled = 1;
    while (newDim >= 0 && (filled < run || newShape[newDim] === 1)) {
      stride[newDim] = filled * step;
      filled *= newShape[newDim];
      newDim -= 1;
    }
    if (filled !== run) {
      const dims = [dim - 1, shape.findIndex((size, other) => other >= dim && size !== 1)];
      return { refusal: `dimensions ${dims[0]} and ${dims[1]} are not adjacent in memory`, dims };
    }
    if (dim > 0) [run, step] = [1, strides[dim - 1]];
  }
  return { stride };
}

export function permuted(shape, strides, order) {
  // Too many or too few are refused before any of them is looked at, as in PyTorch.
  const wrapped = order.length === shape.length ? order.map((dim) => wrapDim(dim, shape.length)) : [];
  if (order.length !== shape.length || new Set(wrapped).size !== shape.length) {
    refuse(`permute(): dims ${list(order)} must name each of the ${shape.length} dimensions once`);
  }
  return { shape: wrapped.map((dim) => shape[dim]), stride: wrapped.map((dim) => strides[dim]) };
}

export function transposed(shape, strides, dim0, dim1) {
  const [a, b] = [wrapDim(dim0, shape.length), wrapDim(dim1, shape.length)];
  const order = shape.map((_, dim) => (dim === a ? b : dim === b ? a : dim));
  return permuted(shape, strides, order);
}

export function unsqueezed(shape, strides, dim) {
  const place = wrapDim(dim, shape.length + 1);
  const step = place < shape.length ? shape[place] * strides[place] : 1;
  return { shape: shape.toSpliced(place, 0, 1), stride: strides.toSpliced(place, 0, step) };
}

// Without one dimension, if its size is 1.
export function squeezed(shape, strides, dim) {
  const place = wrapDim(dim, shape.length);
  if (shape[place] !== 1) return { shape: [...shape], stride: [...strides] };
  return { shape: shape.toSpliced(place, 1), stride: strides.toSpliced(place, 1) };
}

// Dimensions of size 1 stretched, new ones in front; -1 keeps a size.
export function expanded(shape, strides, sizes) {
  const lead = sizes.length - shape.length;
  const negative = sizes.find((size) => size < -1);
  if (negative !== undefined) refuse(`expand: a size is 0 or more, or -1 to keep the one there is, got ${negative}`);
  const missing = sizes.findIndex((size, dim) => size === -1 && dim < lead);
  if (missing >= 0) {
    refuse("The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension "
      + `${missing}: -1 keeps the size that a dimension has, and shape ${tuple(shape)} has none there`);
  }
  const wanted = sizes.map((size, dim) => (size === -1 ? shape[dim - lead] : size));
  return { shape: wanted, stride: expandStrides(shape, strides, wanted) };
}

// One position of a dimension, which goes.
export function selected(shape, strides, dim, index) {
  if (shape.length === 0) refuse("select() cannot be applied to a 0-dim tensor.");
  const place = wrapDim(dim, shape.length);
  const size = shape[place];
  if (index < -size || index >= size) {
    refuse(`select(): index ${index} out of range for tensor of size ${list(shape)} at dimension ${place}`);
  }
  const position = index < 0 ? index + size : index;
  return {
    shape: shape.toSpliced(place, 1), stride: strides.toSpliced(place, 1), skipped: position * strides[place],
  };
}

// `start:stop:step` of a dimension, as Python reads a slice: bounds outside are brought inside.
export function sliced(shape, strides, dim, start, stop, step) {
  const place = wrapDim(dim, shape.length);
  if (shape.length === 0) refuse("too many indices for tensor of dimension 0: got 1, and shape () takes 0");
  if (step === 0) refuse("slice step cannot be zero");
  if (step < 0) refuse(`step must be greater than zero, got ${step}: views have no negative strides, flip copies`);
  const size = shape[place];
  const inside = (bound) => Math.min(Math.max(bound < 0 ? bound + size : bound, 0), size);
  const [first, end] = [inside(start), inside(stop)];
  const length = end > first ? Math.ceil((end - first) / step) : 0;
  return {
    shape: shape.with(place, length), stride: strides.with(place, strides[place] * step),
    skipped: first * strides[place],
  };
}

export function diagonal(shape, strides, offset, dim1, dim2) {
  const [first, second] = [wrapDim(dim1, shape.length), wrapDim(dim2, shape.length)];
  if (first === second) refuse(`diagonal dimensions cannot be identical ${dim1}, ${dim2}`);
  const [row, column] = [Math.max(-offset, 0), Math.max(offset, 0)];
  const length = Math.max(Math.min(shape[first] - row, shape[second] - column), 0);
  const rest = shape.map((_, dim) => dim).filter((dim) => dim !== first && dim !== second);
  return {
    shape: [...rest.map((dim) => shape[dim]), length],
    stride: [...rest.map((dim) => strides[dim]), strides[first] + strides[second]],
    skipped: length ? row * strides[first] + column * strides[second] : 0,
  };
}

// All windows of `size` neighbours along a dimension, `step` apart, with the window as a last dimension.
export function windows(shape, strides, dim, size, step) {
  const place = wrapDim(dim, shape.length);
  const [length, stride] = shape.length ? [shape[place], strides[place]] : [1, 1];
  if (size < 0) refuse(`size is ${size} but must be >= 0`);
  if (size > length) refuse(`maximum size for tensor at dimension ${place} is ${length} but size is ${size}`);
  if (step <= 0) refuse(`step is ${step} but must be > 0`);
  if (shape.length === 0) return { shape: [size], stride: [1] };
  return {
    shape: [...shape.with(place, Math.floor((length - size) / step) + 1), size],
    stride: [...strides.with(place, stride * step), stride],
  };
}

// The strides of a copy that keeps a layout: the same if it has no gaps, else dense in the same order.
export function preservedStrides(shape, strides) {
  if (isDense(shape, strides)) return [...strides];
  const order = shape.map((_, dim) => shape.length - 1 - dim);      // from the fastest to the slowest
  for (let unsorted = 1; unsorted < order.length; unsorted += 1) {
    let position = unsorted;
    for (let other = unsorted - 1; other >= 0; other -= 1) {
      const sooner = comparedDims(shape, strides, order[other], order[position]);
      if (sooner < 0) break;
      if (sooner > 0) {
        [order[other], order[position]] = [order[position], order[other]];
        position = other;
      }
    }
  }
  if (order.every((dim, k) => dim === shape.length - 1 - k)) return defaultStrides(shape);
  const result = [...strides];
  order.reduce((step, dim) => { result[dim] = step; return step * shape[dim]; }, 1);
  return result;
}

// Positive if `second` should be the faster dimension, negative if `first` should, 0 if that is undecided.
function comparedDims(shape, strides, first, second) {
  const [a, b] = [strides[first], strides[second]];
  if (a === 0 || b === 0) return 0;
  return a !== b ? a - b : shape[first] > shape[second] ? 1 : 0;
}

// The elements fill a run of cells without gaps, each cell once, in whatever order.
function isDense(shape, strides) {
  const used = shape.map((_, dim) => dim).filter((dim) => shape[dim] !== 1)
    .sort((a, b) => strides[a] - strides[b] || shape[a] - shape[b]);
  return isContiguous(used.map((dim) => shape[dim]).reverse(), used.map((dim) => strides[dim]).reverse());
}
