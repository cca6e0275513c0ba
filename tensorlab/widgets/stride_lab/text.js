// The Stride Lab's operations as text: Python behind a tensor, fields to fill in, and words in an address.
import { tuple } from "../shared/layout.js";
import { ARGUMENTS } from "./engine.js";

// What an operation is written as behind a tensor of `shape`: `.transpose(0, 1)`, `[:, ::2]`.
export function pythonText([name, ...args], shape) {
  if (name === "slice" || name === "select") {
    const dim = args[0] < 0 ? args[0] + shape.length : args[0];
    const inner = name === "select" ? String(args[1]) : sliceText(shape[dim], ...args.slice(1));
    return `[${":, ".repeat(dim)}${inner}]`;
  }
  if (ARGUMENTS[name].join() === "ints") return `.${name}(${args[0].length ? args[0].join(", ") : "()"})`;
  return `.${name}(${args.map((arg) => (Array.isArray(arg) ? tuple(arg) : arg)).join(", ")})`;
}

function sliceText(size, start, stop, step) {
  return `${start || ""}:${stop >= size ? "" : stop}${step === 1 ? "" : `:${step}`}`;
}

export function pythonLine(shape, dtype, ops, steps) {
  const count = steps[0].cells;
  const source = dtype === "bool" ? "zeros" : "arange";
  const start = `tl.${source}(${count}${dtype === "int64" ? "" : `, dtype=tl.${dtype}`})${pythonText(["view", shape], [])}`;
  return start + ops.map((op, k) => pythonText(op, steps[k].shape)).join("");
}

// Operations in an address: `transpose(0,1)slice(1,0,4,2)as_strided(4.3,1.4,0)`, lists with points.
export function writeOps(ops) {
  return ops.map(([name, ...args]) => `${name}(${args.map((arg) => (Array.isArray(arg) ? arg.join(".") : arg)).join(",")})`)
    .join("") || "none";
}

export function readOps(text) {
  const value = [];
  if (text === "none") return { value };
  if (!/^(?:[a-z_]+\([^()]*\))+$/.test(text)) return { refusal: `“${text}” is no list of operations` };
  for (const [, name, inner] of text.matchAll(/([a-z_]+)\(([^()]*)\)/g)) {
    const kinds = Object.hasOwn(ARGUMENTS, name) ? ARGUMENTS[name] : null;
    const parts = kinds?.length === 0 && inner === "" ? [] : inner.split(",");
    const numbers = parts.map((part, k) => (kinds?.[k] === "ints" ? part.split(".").filter(Boolean) : [part]));
    if (kinds?.length !== parts.length || !numbers.flat().every((number) => /^-?\d{1,7}$/.test(number))) {
      return { refusal: `“${name}(${inner})” is no operation of this lab` };
    }
    value.push([name, ...numbers.map((list, k) => (kinds[k] === "ints" ? list.map(Number) : Number(list[0])))]);
  }
  return { value };
}

// What an operation asks for: its fields, each { name, many } with what to begin with for a tensor of this layout.
const DIM = (dim) => ({ name: "dim", start: dim });
const last = (shape) => Math.max(shape.length - 1, 0);
export const FORMS = {
  transpose: ({ shape }) => [{ name: "dim0", start: Math.max(shape.length - 2, 0) },
    { name: "dim1", start: last(shape) }],
  permute: ({ shape }) => [{ name: "dims", many: true, start: shape.map((_, dim) => (dim || shape.length) - 1) }],
  slice: ({ shape }) => [DIM(0), { name: "start", start: 1 }, { name: "stop", start: shape[0] ?? 1 },
    { name: "step", start: 1 }],
  step: ({ shape }) => [DIM(last(shape)), { name: "start", start: 0 }, { name: "stop", start: shape.at(-1) ?? 1 },
    { name: "step", start: 2 }],
  select: () => [DIM(0), { name: "index", start: 0 }],
  expand: ({ shape }) => [{ name: "sizes", many: true, start: shape.includes(1)
    ? shape.map((size) => (size === 1 ? 3 : size)) : [2, ...shape] }],
  unsqueeze: () => [DIM(0)],
  squeeze: ({ shape }) => [DIM(Math.max(shape.indexOf(1), 0))],
  diagonal: () => [{ name: "offset", start: 0 }, { name: "dim1", start: 0 }, { name: "dim2", start: 1 }],
  window: ({ shape }) => [DIM(last(shape)), { name: "size", start: 2 }, { name: "step", start: 1 }],
  flip: ({ shape }) => [{ name: "dims", many: true, start: [last(shape)] }],
  view: () => [{ name: "sizes", many: true, start: [-1] }],
  reshape: () => [{ name: "sizes", many: true, start: [-1] }],
  contiguous: () => [],
  as_strided: ({ shape, stride, offset }) => [{ name: "shape", many: true, start: shape },
    { name: "stride", many: true, start: stride }, { name: "offset", start: offset }],
};

// The operation behind a button: `step` is a slice, `window` is unfold.
export const CALLS = { step: "slice", window: "unfold" };
