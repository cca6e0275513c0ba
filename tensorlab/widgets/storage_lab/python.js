// The line of Python that makes a layout.
import { defaultStrides, numel, tuple } from "../shared/layout.js";

const same = (a, b) => a.length === b.length && a.every((x, k) => x === b[k]);

// `view` and an exchange of dimensions, where the layout is a dense one with its dimensions in another order.
function permutedLine({ shape, stride }) {
  const order = shape.map((_, dim) => dim).sort((a, b) => stride[b] - stride[a] || a - b);
  const dense = order.map((dim) => shape[dim]);
  if (!same(defaultStrides(dense), order.map((dim) => stride[dim]))) return null;
  const view = same(dense, [numel(shape)]) ? "" : `.view(${dense.join(", ")})`;
  if (order.every((dim, k) => dim === k)) return view;
  const places = shape.map((_, dim) => order.indexOf(dim));
  return shape.length === 2 ? `${view}.t()` : `${view}.permute(${places.join(", ")})`;
}

// One dimension is a slice, none is an element.
function indexedLine({ shape, stride, offset, cells }) {
  if (shape.length === 0) return `[${offset}]`;
  if (shape.length !== 1 || shape[0] === 0 || stride[0] === 0) return null;
  const stop = offset + (shape[0] - 1) * stride[0] + 1;
  const step = stride[0] === 1 ? "" : `:${stride[0]}`;
  return `[${offset || ""}:${stop === cells ? "" : stop}${step}]`;
}

// The shortest line that makes exactly this tensor: same shape, strides, offset and dtype. `name` is the Python
// name of a given tensor and `given` its own layout; without one the line makes its sample storage too.
export function pythonLine(layout, name = null, given = null) {
  const { shape, stride, offset, cells, dtype } = layout;
  const strided = `.as_strided(${tuple(shape)}, ${tuple(stride)}, ${offset})`;
  if (name !== null) {
    const untouched = same(shape, given.shape) && same(stride, given.stride) && offset === given.offset;
    return untouched ? name : name + strided;
  }
  const source = dtype === "bool" ? "zeros" : "arange";
  const make = `tl.${source}(${cells}${dtype === "int64" ? "" : `, dtype=tl.${dtype}`})`;
  // A dense layout of all cells begins with cell 0. A single number is an element: `view()` takes a size.
  const whole = shape.length > 0 && numel(shape) === cells && cells > 0;
  return make + ((whole ? permutedLine(layout) : null) ?? indexedLine(layout) ?? strided);
}
