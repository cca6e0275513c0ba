// Layouts: pure functions of integers, the same rules and the same words as tensorlab/core/layout.py. The tests run
// one set of cases through both. No DOM here, and no data: a layout is a shape, one stride a dimension, and an
// offset, all in cells.

export const DTYPES = {
  bool: 1, uint8: 1, int8: 1, int16: 2, int32: 4, int64: 8, float16: 2, bfloat16: 2, float32: 4, float64: 8,
};

// Python's way to write a tuple: (), (3,), (3, 4).
export function tuple(numbers) {
  return numbers.length === 1 ? `(${numbers[0]},)` : `(${numbers.join(", ")})`;
}

export function numel(shape) {
  return shape.reduce((count, size) => count * size, 1);
}

// A size of 0 counts as 1, so that strides never become 0.
export function defaultStrides(shape) {
  const strides = Array(shape.length).fill(1);
  for (let dim = shape.length - 2; dim >= 0; dim -= 1) {
    strides[dim] = strides[dim + 1] * Math.max(shape[dim + 1], 1);
  }
  return strides;
}

// Walking the elements in order walks the storage one cell at a time. The stride of a dimension of size 1 is
// never used, so it does not matter.
export function isContiguous(shape, strides) {
  if (shape.includes(0)) return true;
  let expected = 1;
  for (let dim = shape.length - 1; dim >= 0; dim -= 1) {
    if (shape[dim] === 1) continue;
    if (strides[dim] !== expected) return false;
    expected *= shape[dim];
  }
  return true;
}

export function flatIndex(index, strides, offset = 0) {
  return index.reduce((cell, i, dim) => cell + i * strides[dim], offset);
}

// { index } with negatives counted from the end, or { refusal }.
export function checkIndex(index, shape) {
  if (index.length !== shape.length) {
    const which = index.length > shape.length ? "many" : "few";
    return {
      refusal: `too ${which} indices for tensor of dimension ${shape.length}: `
        + `got ${index.length}, and shape ${tuple(shape)} takes ${shape.length}`,
    };
  }
  const checked = [];
  for (const [dim, i] of index.entries()) {
    const size = shape[dim];
    if (i < -size || i >= size) {
      const hint = size ? `use ${-size} … ${size - 1}` : "it has no elements";
      return { refusal: `index ${i} is out of bounds for dimension ${dim} with size ${size}: ${hint}` };
    }
    checked.push(i < 0 ? i + size : i);
  }
  return { index: checked };
}

// [first, last] storage cell that a layout reaches; null when it has no elements.
export function addressRange(shape, strides, offset = 0) {
  if (shape.includes(0)) return null;
  let [low, high] = [offset, offset];
  for (const [dim, size] of shape.entries()) {
    const span = (size - 1) * strides[dim];
    if (span >= 0) high += span;
    else low += span;
  }
  return [low, high];
}

// { reached: [first, last] or null }, or { refusal } that says which element would lie where.
export function checkBounds(shape, strides, offset, cells) {
  if (shape.length !== strides.length) {
    return { refusal: `${shape.length} sizes need ${shape.length} strides, got ${strides.length}` };
  }
  for (const [dim, stride] of strides.entries()) {
    if (stride < 0) {
      return { refusal: `the stride ${stride} of dimension ${dim} is negative; strides are 0 or more` };
    }
  }
  if (offset < 0) return { refusal: `the offset ${offset} is negative; a storage begins with cell 0` };
  const reached = addressRange(shape, strides, offset);
  if (reached !== null && reached[1] >= cells) {
    const last = shape.map((size) => size - 1);
    const terms = [String(offset), ...last.map((i, dim) => `${i}·${strides[dim]}`)].join(" + ");
    const sum = last.length ? `${terms} = ${reached[1]}` : terms;
    const has = cells ? `the storage has cells 0 … ${cells - 1}` : "the storage has no cells";
    return { refusal: `element ${tuple(last)} would lie in cell ${sum}, and ${has}` };
  }
  return { reached };
}

// The elements that lie in a storage cell, `limit` of them at most. Strides are 0 or more. Larger strides are
// tried first: what the smaller ones can still reach bounds the index, so that a search rarely turns back.
export function elementsAt(cell, shape, strides, offset, limit = Infinity) {
  const found = [];
  if (shape.includes(0)) return found;
  const order = shape.map((_, dim) => dim).sort((a, b) => strides[b] - strides[a] || a - b);
  const spans = order.map((dim) => (shape[dim] - 1) * strides[dim]);
  const index = Array(shape.length).fill(0);
  const search = (place, rest, reachable) => {
    if (place === order.length) {
      if (rest === 0) found.push([...index]);
      return;
    }
    const dim = order[place];
    const [size, stride, inner] = [shape[dim], strides[dim], reachable - spans[place]];
    const first = stride === 0 ? 0 : Math.max(Math.ceil((rest - inner) / stride), 0);
    const last = stride === 0 ? size - 1 : Math.min(Math.floor(rest / stride), size - 1);
    for (let i = first; i <= last && found.length < limit; i += 1) {
      index[dim] = i;
      search(place + 1, rest - i * stride, inner);
    }
  };
  const reachable = spans.reduce((sum, span) => sum + span, 0);
  if (cell >= offset && cell <= offset + reachable) search(0, cell - offset, reachable);
  return found.sort((a, b) => a.reduce((order_, i, dim) => order_ || i - b[dim], 0));
}

// The index of the element at a position of the row-major order. Needs a tensor with elements.
export function unravel(position, shape) {
  const index = Array(shape.length).fill(0);
  let rest = position;
  for (let dim = shape.length - 1; dim >= 0; dim -= 1) {
    index[dim] = rest % shape[dim];
    rest = Math.floor(rest / shape[dim]);
  }
  return index;
}

// What the strides become when only the shape is set: a dense layout stays dense, other strides stay as they
// are, and strides of another number of dimensions mean nothing any more.
export function strideAfterShape(shape, strides, newShape) {
  const dense = defaultStrides(shape).every((stride, dim) => stride === strides[dim]);
  return dense || newShape.length !== shape.length ? defaultStrides(newShape) : [...strides];
}

// The index in hand after the shape changed: the nearest one that exists, or null in a tensor without elements.
export function handAfterShape(hand, shape) {
  if (shape.includes(0)) return null;
  if (hand === null || hand.length !== shape.length) return shape.map(() => 0);
  return hand.map((i, dim) => Math.min(Math.max(i, 0), shape[dim] - 1));
}
