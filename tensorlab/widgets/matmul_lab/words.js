// The sentences of the Matmul Lab. No DOM here.
import { numel, tuple } from "../shared/layout.js";
import { count, plural } from "../shared/words.js";
import { BYTES, cost, period, product, terms } from "./engine.js";

const MOST_TERMS = 8;

// The pairs of numbers that one element of the product multiplies.
function factors(index, a, b) {
  const [inA, inB] = [period("a", a), period("b", b)];
  return terms(index, a, b).map(([one, other]) => [one % inA, other % inB]);
}

export function totalOf(index, a, b) {
  return factors(index, a, b).reduce((sum, [one, other]) => sum + one * other, 0);
}

// The numbers of one element of the product, term by term.
export function sumText(index, a, b) {
  const pairs = factors(index, a, b);
  const shown = pairs.slice(0, MOST_TERMS).map(([one, other]) => `${one}·${other}`);
  return `${shown.join(" + ")}${pairs.length > MOST_TERMS ? " + …" : ""} = ${totalOf(index, a, b)}`;
}

// The letters of rows and columns, the same as on the cards of the axes.
export function letters(name, a, b) {
  const axes = { a: a.length > 1 ? "mk" : "k", b: b.length > 1 ? "kn" : "k",
    c: `${a.length > 1 ? "m" : ""}${b.length > 1 ? "n" : ""}` };
  return [...axes[name]];
}

// How the shapes make a product.
export function productText(a, b) {
  const { shape, batch, m, k, n, strides } = product(a, b);
  const vectors = a.length === 1 || b.length === 1
    ? ` ${a.length === 1 && b.length === 1 ? "Both vectors get" : a.length === 1 ? "The vector a gets" : "The vector b gets"} `
      + "an axis of size 1 for the product, which goes again." : "";
  const many = batch.length ? `${plural(numel(batch), "product")} of (${m}, ${k}) and `
    + `(${k}, ${n}), one for each index of the `
    + `batch ${tuple(batch)}` : `one product of (${m}, ${k}) and (${k}, ${n})`;
  const zero = ["a", "b"].filter((_, side) => strides[side].some((stride, dim) => stride === 0 && batch[dim] > 1));
  const stretched = zero.length
    ? ` ${zero.join(" and ")} ${zero.length > 1 ? "are" : "is"} read again with stride 0, not copied.` : "";
  return `The result has shape ${tuple(shape)}: ${many}.${vectors}${stretched}`;
}

export function costFacts(a, b) {
  const { batch, m, k, n } = product(a, b);
  const { flops, bytes, intensity } = cost(a, b);
  const size = numel(product(a, b).shape);
  const factors = [numel(batch), m, k, n].filter((_, place) => place || batch.length);
  return [
    { name: "operations", value: `2 · ${factors.join(" · ")} = ${count(flops)}` },
    { name: "bytes", value: `(${count(numel(a))} + ${count(numel(b))} + ${count(size)}) `
      + `× ${BYTES} B = ${count(bytes)} B` },
    { name: "operations a byte", value: String(Number(intensity.toPrecision(3))) },
  ];
}

export function spokenState({ a, b, told }) {
  if (!told) return `a of shape ${tuple(a)}, b of shape ${tuple(b)}: which axes are summed over?`;
  const { refusal } = product(a, b);
  return refusal === undefined ? productText(a, b) : `An error: ${refusal}.`;
}
