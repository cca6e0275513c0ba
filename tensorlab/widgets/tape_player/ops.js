// The operations of the player: how each computes, what its node is called, what it keeps for the backward pass, and
// the gradient of each operand. A tensor is { shape, strides, data, storage }: data in reading order, strides as the
// library would have them, storage { cells } shared by views. No DOM here.
import { product } from "../matmul_lab/engine.js";
import { broadcastShapes, broadcastStrides } from "../shared/broadcast.js";
import { defaultStrides, flatIndex, isContiguous, numel, tuple, unravel } from "../shared/layout.js";
import { refuse } from "../shared/refusal.js";
import { expanded, inferSize, permuted, preservedStrides, squeezed, transposed, unsqueezed, viewStrides, wrapDim,
} from "../shared/views.js";

// A new tensor of a storage of its own.
export function made(shape, data, strides = defaultStrides(shape)) {
  return { shape, data, strides, storage: { cells: data.length } };
}

const scalar = (number) => made([], [number]);

// The elements of a tensor as a larger shape reads them.
export function stretched({ shape, data }, wide) {
  const strides = broadcastStrides(shape, defaultStrides(shape), wide);
  return Array.from({ length: numel(wide) }, (_, k) => data[flatIndex(unravel(k, wide), strides)]);
}

// A gradient summed (or averaged, which is a mistake) over dimensions that an operand was stretched along.
export function fitted({ shape, data }, own, mean = false) {
  const lead = shape.length - own.length;
  const strides = broadcastStrides(own, defaultStrides(own), shape);
  const sums = Array(numel(own)).fill(0);
  for (const [k, number] of data.entries()) sums[flatIndex(unravel(k, shape), strides)] += number;
  const times = mean && lead >= 0 ? numel(shape) / Math.max(numel(own), 1) : 1;
  return made(own, sums.map((number) => number / times));
}

export function summedDims(own, wide) {
  const lead = wide.length - own.length;
  return wide.map((_, dim) => dim).filter((dim) => dim < lead || (own[dim - lead] === 1 && wide[dim] !== 1));
}

const like = (x, data) => made(x.shape, data, preservedStrides(x.shape, x.strides));

// An operation of one operand, number by number: `slope(x, y)` is its derivative at x, where it gives y.
function single(name, compute, slope, keeps) {
  return {
    ownSlope: true, ownResult: keeps === "result",
    name: () => name,
    forward: ([x]) => like(x, x.data.map(compute)),
    keeps: () => [[keeps, keeps === "result" ? "result" : 0]],
    backward: (g, [x], y) => [made(x.shape, g.data.map((number, k) => number * slope(x.data[k], y.data[k])))],
  };
}

// An operation of two operands that meet: `slopes` are the derivatives after each, as functions of both numbers.
// `edge` says which way of the node belongs to the operand that gets a gradient, where it is not the operand's own.
function pair({ name, compute, slopes, keeps = () => [] }, edge = () => null) {
  return {
    name, keeps, edge, stretches: true,
    forward: ([x, y]) => {
      const shape = broadcastShapes(x.shape, y.shape);
      const [one, other] = [stretched(x, shape), stretched(y, shape)];
      const turned = [x, y].find((own) => tuple(own.shape) === tuple(shape) && !isContiguous(own.shape, own.strides));
      const strides = turned ? preservedStrides(shape, turned.strides) : defaultStrides(shape);
      return made(shape, one.map((number, k) => compute(number, other[k])), strides);
    },
    backward: (g, [x, y]) => {
      const [one, other] = [stretched(x, g.shape), stretched(y, g.shape)];
      return slopes.map((slope) => made(g.shape, g.data.map((number, k) => number * slope(one[k], other[k]))));
    },
  };
}

// What each operand's gradient needs, if it gets one: names and the operands they stand for, the first need first.
const needs = (first, second) => (live, isTensor) => {
  const wanted = [...(live[0] ? first : []), ...(live[1] ? second : [])];
  return [...new Set(wanted)].filter((operand) => isTensor[operand]).map((operand) => ["xy"[operand], operand]);
};

// A view: another shape and strides over the same storage; `back` is the shape change of its gradient.
function view(name, change, back) {
  return {
    name: (args) => (typeof name === "function" ? name(args) : name),
    keeps: () => [],
    forward: ([x], args) => {
      const { shape, strides, order = null } = change(x, args);
      const data = order === null ? [...x.data] : order.map((place) => x.data[place]);
      return { shape, strides, data, storage: x.storage };
    },
    backward: (g, [x], y, args) => [back(g, x, args)],
  };
}

const reshaped = (g, x) => made(x.shape, [...g.data]);

// Where each element of a tensor with dimensions in another order stands in the first one.
function turnedOrder(shape, order) {
  const { shape: sizes, stride } = permuted(shape, defaultStrides(shape), order);
  return Array.from({ length: numel(sizes) }, (_, k) => flatIndex(unravel(k, sizes), stride));
}

function turned(x, order) {
  const { shape, stride } = permuted(x.shape, x.strides, order);
  return { shape, strides: stride, order: turnedOrder(x.shape, order) };
}

function turnedBack(g, order) {
  const inverse = order.map((_, dim) => order.indexOf(dim));
  const { shape, order: places } = turned(g, inverse);
  return made(shape, places.map((place) => g.data[place]));
}

function turn(name, orderOf) {
  return view(name, (x, args) => turned(x, orderOf(x, args)), (g, x, args) => turnedBack(g, orderOf(x, args)));
}

const backwards = (x) => x.shape.map((_, dim) => x.shape.length - 1 - dim);

function swapped(x, [one, other]) {
  const dims = [wrapDim(one, x.shape.length), wrapDim(other, x.shape.length)];
  return x.shape.map((_, dim) => (dim === dims[0] ? dims[1] : dim === dims[1] ? dims[0] : dim));
}

function matrixOrder(x) {
  if (x.shape.length > 2) {
    refuse(`t() expects a tensor with <= 2 dimensions, but self is ${x.shape.length}D: name the two `
      + "dimensions, transpose(i, j)");
  }
  return backwards(x);
}

// Sums over dimensions, all of them where none is named.
function fold(name, share) {
  const dimsOf = (x, { dims }) => {
    if (dims === null || dims.length === 0) return x.shape.map((_, dim) => dim);
    const wrapped = dims.map((dim) => wrapDim(dim, x.shape.length)).filter((dim) => dim < x.shape.length);
    const twice = wrapped.find((dim, k) => wrapped.indexOf(dim) < k);
    if (twice !== undefined) refuse(`dim ${twice} appears multiple times in the list of dims ${tuple(dims)}`);
    return wrapped;
  };
  const kept = (x, dims) => x.shape.map((size, dim) => (dims.includes(dim) ? 1 : size));
  const times = (x, dims) => dims.reduce((product_, dim) => product_ * x.shape[dim], 1);
  return {
    name: ({ dims }) => `${name}${dims === null ? 0 : 1}`,
    keeps: () => [],
    forward: ([x], args) => {
      const dims = dimsOf(x, args);
      const { data } = fitted(x, kept(x, dims));
      const shape = args.keepdim ? kept(x, dims) : x.shape.filter((_, dim) => !dims.includes(dim));
      return made(shape, data.map((number) => number * share(times(x, dims))));
    },
    backward: (g, [x], y, args) => {
      const dims = dimsOf(x, args);
      const wide = stretched(made(kept(x, dims), g.data), x.shape);
      return [made(x.shape, wide.map((number) => number * share(times(x, dims))))];
    },
  };
}

// Products of matrices and vectors of one or two dimensions.
const matmul = {
  name: (args, [a, b]) => `${["", "Dot", "Mv", "Mm"][a.shape.length + b.shape.length - 1]}Backward0`,
  keeps: (live) => [...(live[0] ? [["b", 1]] : []), ...(live[1] ? [["a", 0]] : [])],
  forward: ([a, b]) => {
    const { refusal, shape } = product(a.shape, b.shape);
    if (refusal !== undefined) refuse(refusal);
    if (a.shape.length > 2 || b.shape.length > 2 || a.shape.length < b.shape.length) {
      refuse(`the player multiplies a matrix with a matrix or a vector, and vectors; not ${tuple(a.shape)} `
        + `with ${tuple(b.shape)}`);
    }
    return made(shape, dots(asMatrix(a, true), asMatrix(b, false)));
  },
  backward: (g, [a, b]) => {
    const [left, right] = [asMatrix(a, true), asMatrix(b, false)];
    const gradient = { rows: left.rows, columns: right.columns, data: g.data };
    return [made(a.shape, dots(gradient, flipped(right))), made(b.shape, dots(flipped(left), gradient))];
  },
};

// A vector is a row on the left and a column on the right.
function asMatrix({ shape, data }, left) {
  if (shape.length === 2) return { rows: shape[0], columns: shape[1], data };
  return left ? { rows: 1, columns: shape[0], data } : { rows: shape[0], columns: 1, data };
}

function flipped({ rows, columns, data }) {
  return { rows: columns, columns: rows, data: turnedOrder([rows, columns], [1, 0]).map((place) => data[place]) };
}

function dots(a, b) {
  return Array.from({ length: a.rows * b.columns }, (_, k) => {
    const [row, column] = [Math.floor(k / b.columns), k % b.columns];
    let total = 0;
    for (let at = 0; at < a.columns; at += 1) total += a.data[row * a.columns + at] * b.data[at * b.columns + column];
    return total;
  });
}

const sigmoid = (x) => 1 / (1 + Math.exp(-x));
const POWER = {
  ownSlope: true,
  name: () => "PowBackward0",
  forward: ([x], { exponent }) => like(x, x.data.map((number) => number ** exponent)),
  keeps: () => [["x", 0]],
  backward: (g, [x], y, { exponent }) => [made(x.shape, g.data.map((number, k) =>
    (exponent === 0 ? 0 : number * exponent * x.data[k] ** (exponent - 1))))],
};

export const OPS = {
  add: pair({ name: () => "AddBackward0", compute: (x, y) => x + y, slopes: [() => 1, () => 1] }),
  sub: pair({
    name: (args, [x]) => (x.number === undefined ? "SubBackward0" : "RsubBackward1"),
    compute: (x, y) => x - y, slopes: [() => 1, () => -1],
  }, ([x]) => (x.number === undefined ? null : 0)),      // number - tensor is a node of one operand
  mul: pair({
    name: () => "MulBackward0", compute: (x, y) => x * y, slopes: [(x, y) => y, (x) => x], keeps: needs([1], [0]),
  }),
  div: pair({
    name: () => "DivBackward0", compute: (x, y) => x / y, slopes: [(x, y) => 1 / y, (x, y) => -x / (y * y)],
    keeps: needs([1], [0, 1]),
  }),
  matmul,
  pow: POWER,
  square: { ...POWER, forward: ([x]) => POWER.forward([x], { exponent: 2 }),
    backward: (g, [x], y) => POWER.backward(g, [x], y, { exponent: 2 }) },
  neg: { ...single("NegBackward0", (x) => -x, () => -1, "x"), keeps: () => [] },
  reciprocal: single("ReciprocalBackward0", (x) => 1 / x, (x, y) => -y * y, "result"),
  exp: single("ExpBackward0", Math.exp, (x, y) => y, "result"),
  log: single("LogBackward0", Math.log, (x) => 1 / x, "x"),
  sqrt: single("SqrtBackward0", Math.sqrt, (x, y) => 1 / (2 * y), "result"),
  tanh: single("TanhBackward0", Math.tanh, (x, y) => 1 - y * y, "result"),
  sigmoid: single("SigmoidBackward0", sigmoid, (x, y) => y * (1 - y), "result"),
  relu: single("ReluBackward0", (x) => (x < 0 ? 0 : x), (x, y) => (y > 0 ? 1 : 0), "result"),
  sin: single("SinBackward0", Math.sin, Math.cos, "x"),
  cos: single("CosBackward0", Math.cos, (x) => -Math.sin(x), "x"),
  abs: single("AbsBackward0", Math.abs, Math.sign, "x"),
  sum: fold("SumBackward", () => 1),
  mean: fold("MeanBackward", (times) => 1 / times),
  view: view("ViewBackward0", (x, { sizes }) => {
    const shape = inferSize(sizes, numel(x.shape));
    const { stride, refusal } = viewStrides(x.shape, x.strides, shape);
    if (refusal !== undefined) refuse(viewRefusal(x, shape, refusal));
    return { shape, strides: stride };
  }, reshaped),
  t: turn("TBackward0", matrixOrder),
  T: turn("PermuteBackward0", backwards),
  transpose: turn("TransposeBackward0", (x, { dims }) => swapped(x, dims)),
  unsqueeze: view("UnsqueezeBackward0", (x, { dim }) => {
    const { shape, stride } = unsqueezed(x.shape, x.strides, dim);
    return { shape, strides: stride };
  }, reshaped),
  squeeze: view(({ dim }) => `SqueezeBackward${dim === null ? 0 : 1}`, (x, { dim }) => {
    if (dim !== null) {
      const { shape, stride } = squeezed(x.shape, x.strides, dim);
      return { shape, strides: stride };
    }
    const kept = x.shape.map((_, k) => k).filter((k) => x.shape[k] !== 1);
    return { shape: kept.map((k) => x.shape[k]), strides: kept.map((k) => x.strides[k]) };
  }, reshaped),
  expand: {
    ...view("ExpandBackward0", (x, { sizes }) => {
      const { shape, stride } = expanded(x.shape, x.strides, sizes);
      const wide = stretched(made(x.shape, x.data.map((_, k) => k)), shape);
      return { shape, strides: stride, order: wide };
    }, (g) => g),
    stretches: true,
  },
  clone: {
    name: () => "CloneBackward0", keeps: () => [], forward: ([x]) => like(x, [...x.data]), backward: (g) => [g],
  },
  // A view that no gradient passes. As if it were any other, its `backward` is what a reader may wrongly expect.
  detach: { ...view("", (x) => ({ shape: x.shape, strides: x.strides }), reshaped), cuts: true },
};

// An operation that writes its result into its first operand. What its own formula needs of that one is copied.
function written(op) {
  return {
    ...op, writes: true,
    forward: ([x, y]) => {
      const { shape, data } = op.forward([x, y]);
      if (tuple(shape) !== tuple(x.shape)) {
        refuse(`output with shape [${x.shape.join(", ")}] doesn't match the broadcast shape [${shape.join(", ")}]: `
          + "a tensor that is written keeps its shape");
      }
      return { ...x, data };
    },
  };
}

for (const name of ["add", "sub", "mul", "div"]) OPS[`${name}_`] = written(OPS[name]);

function viewRefusal(x, shape, reason) {
  return `cannot view ${tuple(x.shape)} with strides ${tuple(x.strides)} as ${tuple(shape)}: ${reason}; `
    + `reshape would copy ${numel(shape) * 8} bytes`;
}

// The operands of a step as tensors; a number is one of no dimensions, which nothing keeps.
export function operandsOf(step, leaves, results) {
  return step.inputs.map(({ leaf, step: from, number }) => {
    if (leaf !== undefined) return leaves[leaf];
    return from !== undefined ? results[from] : { ...scalar(number), number };
  });
}
