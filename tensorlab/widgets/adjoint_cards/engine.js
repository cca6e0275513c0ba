// Operations that move numbers, their ways back, right ones and wrong ones, and the test of a pair. No DOM here.
import { numel, tuple } from "../shared/layout.js";
import { attempt, refuse } from "../shared/refusal.js";

export const LARGEST = 99;              // of a number in x or y
export const GUESSES = ["pair", "other"];

const PLACES = [0, 0, 2];
const pick = (list, places) => places.map((place) => list[place]);
const zeros = (count) => Array.from({ length: count }, () => 0);

// The cells of a 2 × 2 × 2 cube in the order in which `permute(order)` reads them.
function permuted(order) {
  const steps = pick([4, 2, 1], order);
  const bits = [0, 1];
  return bits.flatMap((i) => bits.flatMap((j) => bits.map((k) => i * steps[0] + j * steps[1] + k * steps[2])));
}

function added(values, places, count) {
  const result = zeros(count);
  for (const [k, place] of places.entries()) result[place] += values[k];
  return result;
}

function written(values, places, count) {
  const result = zeros(count);
  for (const [k, place] of places.entries()) result[place] = values[k];
  return result;
}

const column = (list, j) => [list[j], list[j + 2], list[j + 4]];
const total = (list) => list.reduce((sum, number) => sum + number, 0);

// name: what is written on the card, the line of Python, the shapes, and what it does to the numbers in order.
export const THERE = {
  flip: { text: "x.flip(0)", line: "x.flip(0)", from: [4], to: [4], apply: (x) => [...x].reverse() },
  permute: { text: "x.permute(1, 2, 0)", line: "x.permute(1, 2, 0)", from: [2, 2, 2], to: [2, 2, 2],
    apply: (x) => pick(x, permuted([1, 2, 0])) },
  slice: { text: "x[::2]", line: "x[::2]", from: [4], to: [2], apply: (x) => pick(x, [0, 2]) },
  take: { text: "x[[0, 0, 2]]", line: "x[[0, 0, 2]]", from: [3], to: [3], apply: (x) => pick(x, PLACES) },
  expand: { text: "x.expand(3, 2)", line: "x.expand(3, 2)", from: [2], to: [3, 2],
    apply: (x) => [...x, ...x, ...x] },
  sum: { text: "x.sum(0)", line: "x.sum(0)", from: [3, 2], to: [2],
    apply: (x) => [total(column(x, 0)), total(column(x, 1))] },
};

export const BACK = {
  leave: { text: "y", line: "y", from: [4], to: [4], apply: (y) => [...y] },
  flip: { text: "y.flip(0)", line: "y.flip(0)", from: [4], to: [4], apply: (y) => [...y].reverse() },
  "permute-same": { text: "y.permute(1, 2, 0)", line: "y.permute(1, 2, 0)", from: [2, 2, 2], to: [2, 2, 2],
    apply: (y) => pick(y, permuted([1, 2, 0])) },
  "permute-inverse": { text: "y.permute(2, 0, 1)", line: "y.permute(2, 0, 1)", from: [2, 2, 2], to: [2, 2, 2],
    apply: (y) => pick(y, permuted([2, 0, 1])) },
  "slice-twice": { text: "each number of y twice", line: "y.repeat_interleave(2)", from: [2], to: [4],
    apply: (y) => pick(y, [0, 0, 1, 1]) },
  "slice-zeros": { text: "zeros, y written at [::2]", line: "tl.stack([y, tl.zeros(2)], 1).flatten()", from: [2],
    to: [4], apply: (y) => written(y, [0, 2], 4) },
  "take-write": { text: "zeros, y written at [0, 0, 2]",
    line: "tl.zeros(3).index_put_((tl.tensor([0, 0, 2]),), y)", from: [3], to: [3],
    apply: (y) => written(y, PLACES, 3) },
  "take-add": { text: "zeros, y added at [0, 0, 2]", line: "tl.zeros(3).index_add_(0, tl.tensor([0, 0, 2]), y)",
    from: [3], to: [3], apply: (y) => added(y, PLACES, 3) },
  "take-again": { text: "y[[0, 0, 2]]", line: "y[[0, 0, 2]]", from: [3], to: [3], apply: (y) => pick(y, PLACES) },
  first: { text: "y[0]", line: "y[0]", from: [3, 2], to: [2], apply: (y) => y.slice(0, 2) },
  sum: { text: "y.sum(0)", line: "y.sum(0)", from: [3, 2], to: [2],
    apply: (y) => [total(column(y, 0)), total(column(y, 1))] },
  mean: { text: "y.expand(3, 2) / 3", line: "y.expand(3, 2) / 3", from: [2], to: [3, 2],
    apply: (y) => [...y, ...y, ...y].map((number) => number / 3) },
  expand: { text: "y.expand(3, 2)", line: "y.expand(3, 2)", from: [2], to: [3, 2], apply: (y) => [...y, ...y, ...y] },
};

// Which number of x each number of the result is; null for an operation that makes new ones.
export function readBy(there) {
  return there === "sum" ? null : THERE[there].apply(zeros(numel(THERE[there].from)).map((_, k) => k));
}

// The ways back whose shapes go with an operation's.
export function fitting(there) {
  const { from, to } = THERE[there];
  return Object.keys(BACK).filter((name) => String(BACK[name].from) === String(to)
    && String(BACK[name].to) === String(from));
}

// Numbers without a pattern, different in x and y, or ones.
export function numbersFor(there, kind) {
  const { from, to } = THERE[there];
  const make = (shape, number) => Array.from({ length: numel(shape) }, (_, k) => (kind === "ones" ? 1 : number(k)));
  return { x: make(from, (k) => (k * 7) % 10 + 1), y: make(to, (k) => (k * 3 + 2) % 7 + 1) };
}

const dot = (a, b) => a.reduce((sum, number, k) => sum + number * b[k], 0);

// Both sums: there(x) · y and x · back(y).
export function sums({ there, back, x, y }) {
  return [dot(THERE[there].apply(x), y), dot(x, BACK[back].apply(y))];
}

// Whether the way back is the adjoint: whether the sums agree for every x and y, which units decide.
export function isPair(there, back) {
  const { from, to } = THERE[there];
  const unit = (count, at) => zeros(count).map((_, k) => Number(k === at));
  const [m, n] = [numel(to), numel(from)];
  return zeros(m).every((_, i) => zeros(n).every((_unused, j) => {
    const [left, right] = sums({ there, back, x: unit(n, j), y: unit(m, i) });
    return left === right;
  }));
}

export function agree([left, right]) { return Math.abs(left - right) < 1e-6; }

// { state } as it shall stand, or { refusal }.
export function check(state) {
  return attempt(() => {
    const { there, back, x, y, guess, told } = state;
    if (!Object.hasOwn(THERE, there)) refuse(`there is one of ${Object.keys(THERE).join(", ")}`);
    if (!fitting(there).includes(back)) refuse(`back is one of ${fitting(there).join(", ")} for ${there}`);
    for (const [name, numbers, shape] of [["x", x, THERE[there].from], ["y", y, THERE[there].to]]) {
      const count = numel(shape);
      if (numbers.length !== count) {
        refuse(`${name} has shape ${tuple(shape)} here, which is ${count} numbers; got ${numbers.length}`);
      }
      if (numbers.some((number) => Math.abs(number) > LARGEST)) {
        refuse(`numbers here go from -${LARGEST} to ${LARGEST}`);
      }
    }
    if (guess !== null && !GUESSES.includes(guess)) refuse(`a guess is one of ${GUESSES.join(", ")}`);
    return { state: { there, back, x, y, guess: guess ?? null, told: Boolean(told) } };
  });
}
