// A matrix product of any ranks: its shape, its batch, its cost. The same answers and reasons as the library's
// matmul. No DOM here.
import { broadcastShapes, broadcastStrides } from "../shared/broadcast.js";
import { DTYPES, defaultStrides, flatIndex, numel, tuple } from "../shared/layout.js";
import { attempt, refuse } from "../shared/refusal.js";

export const MOST_DIMS = 4;
export const MOST_DRAWN = 256;      // elements of each tensor
export const BYTES = DTYPES.float32; // the operands' dtype, which arange makes from a float

// The operands hold 0, 1, 2, … and begin again at `period`: small digits, and no two rows or matrices begin alike,
// so that a reader sees which of them were paired.
const LEAST = { a: 5, b: 3 };

export function period(name, shape) {
  const [rows, columns] = [shape.at(-2) ?? 1, shape.at(-1)];
  const divides = (one, other) => (other ? divides(other, one % other) : one);
  let least = Math.max(LEAST[name], numel(shape.slice(0, -2)));
  while (divides(rows * columns, least) !== 1) least += 1;
  return least;
}

export function operandLine(name, shape) {
  return `(tl.arange(${numel(shape)}.) % ${period(name, shape)}).view(${shape.join(", ")})`;
}

function refuseSizes(a, b) {
  const [m, k] = a.length > 1 ? a.slice(-2) : [1, a[0]];
  if (b.length === 1) {
    if (a.length === 1) {
      refuse(`inconsistent tensor size, expected tensor [${k}] and src [${b[0]}] to have the same number of elements, `
        + `but got ${k} and ${b[0]} elements respectively: the length of the first must equal that of the second`);
    }
    refuse(`size mismatch, got input (${m}), mat (${m}x${k}), vec (${b[0]}): the last size of `
      + `the matrix, ${k}, must equal `
      + `the length of the vector, ${b[0]}`);
  }
  const [rows, n] = b.slice(-2);
  const shapes = a.length === 2 && b.length === 2 ? "" : `; the shapes are ${tuple(a)} and ${tuple(b)}`;
  refuse(`mat1 and mat2 shapes cannot be multiplied (${m}x${k} and ${rows}x${n}): the last size of the first, ${k}, must `
    + `equal the second-to-last size of the second, ${rows}${shapes}`);
}

// The dimensions that are summed away: the last of a, the second-to-last of b (the only one of a vector).
export function inner(a, b) { return [a.length - 1, Math.max(b.length - 2, 0)]; }

// { shape, batch, m, k, n, strides } with the strides of the batch dimensions in each operand; or { refusal }.
export function product(a, b) {
  return attempt(() => {
    if (a.length === 0 || b.length === 0) {
      refuse(`both arguments to matmul need to be at least 1D, but they are ${a.length}D `
        + `and ${b.length}D: to scale a tensor `
        + "write a * b");
    }
    const [last, opposite] = inner(a, b);
    if (a[last] !== b[opposite]) refuseSizes(a, b);
    const leads = [a.slice(0, -2), b.slice(0, -2)];
    const batch = broadcastShapes(...leads);
    const [m, n] = [a.length > 1 ? a.at(-2) : 1, b.length > 1 ? b.at(-1) : 1];
    const shape = [...batch, ...(a.length > 1 ? [m] : []), ...(b.length > 1 ? [n] : [])];
    const strides = [a, b].map((own, side) =>
      broadcastStrides(leads[side], defaultStrides(own).slice(0, leads[side].length), batch));
    return { shape, batch, m, k: a[last], n, strides };
  });
}

// What a product costs: multiply-adds count as two operations; every element is read or written once, a stretched
// batch too.
export function cost(a, b) {
  const { shape, batch, m, k, n } = product(a, b);
  const products = numel(batch);
  const flops = 2 * products * m * k * n;
  const bytes = (numel(a) + numel(b) + numel(shape)) * BYTES;
  return { products, flops, bytes, intensity: bytes ? flops / bytes : 0 };
}

// The elements of a and b that one element of the product multiplies: pairs of places, in order.
export function terms(index, a, b) {
  const { batch, k, strides } = product(a, b);
  const lead = index.slice(0, batch.length);
  const rest = index.slice(batch.length);
  const row = a.length > 1 ? rest[0] : 0;
  const column = b.length > 1 ? rest.at(-1) : 0;
  const starts = strides.map((stride) => flatIndex(lead, stride));
  const [stepA, stepB] = [a, b].map(defaultStrides);
  return Array.from({ length: k }, (_, place) => [
    starts[0] + (a.length > 1 ? row * stepA.at(-2) : 0) + place * stepA.at(-1),
    starts[1] + (b.length > 1 ? place * stepB.at(-2) + column * stepB.at(-1) : place * stepB.at(-1)),
  ]);
}

// { state } as it shall stand, or { refusal }.
export function check(state) {
  for (const name of ["a", "b"]) {
    const shape = state[name];
    if (shape.some((size) => size < 1)) return { refusal: `sizes are 1 or more here; ${name} is ${tuple(shape)}` };
    if (shape.length > MOST_DIMS)
      return { refusal: `up to ${MOST_DIMS} dimensions are drawn; ${name} has ${shape.length}` };
    if (shape.length < 1) return { refusal: `${name} needs a dimension: to scale a tensor write a * b` };
  }
  const { a, b, guess, refused, told } = state;
  if (!Number.isSafeInteger(2 * numel(a) * numel(b))) return { refusal: "these shapes are too large to count" };
  const [one, other] = state.pair.length === 2 ? state.pair : [-1, -1];
  const fits = one >= 0 && one < a.length && other >= 0 && other < b.length;
  return {
    state: { a, b, pair: fits ? [one, other] : [], guess: guess ?? null, refused: Boolean(refused), told: Boolean(told) },
  };
}

// What is wrong with a prediction, one clause each.
export function mistakes({ a, b, pair, guess, refused }) {
  const found = product(a, b);
  const wrong = [];
  const [last, opposite] = inner(a, b);
  if (String(pair) !== String([last, opposite])) {
    wrong.push(`dimension ${last} of a is summed with dimension ${opposite} of b`);
  }
  if (refused !== (found.refusal !== undefined)) wrong.push(refused
    ? `the product is ${tuple(found.shape)}` : "it raises an error");
  else if (!refused && tuple(guess) !== tuple(found.shape)) wrong.push(`the product has shape ${tuple(found.shape)}`);
  return wrong;
}
