// How two shapes broadcast, column by column, and what the gradient of each sums. The rule itself is in
// shared/broadcast.js. No DOM here.
import { numel, tuple } from "../shared/layout.js";
import { meet } from "../shared/meet.js";

export const MOST_DIMS = 4;
export const MOST_DRAWN = 512;      // elements of the result

// Two shapes as columns aligned from the right: { sizes, size, stretches, clash }. A missing size is null; size is
// what comes out, null in a clash; stretches says which of the two has stride 0 there.
export function columns(a, b) {
  const ndim = Math.max(a.length, b.length);
  return Array.from({ length: ndim }, (_, column) => {
    const sizes = [a, b].map((shape) => shape[column - ndim + shape.length] ?? null);
    const [one, other] = sizes.map((size) => size ?? 1);
    const clash = one !== other && one !== 1 && other !== 1;
    const size = clash ? null : one === 1 ? other : one;
    return { sizes, size, clash, stretches: sizes.map((own) => !clash && (own === null || (own === 1 && size !== 1))) };
  });
}

// What turns a gradient of shape `result` into one of shape `own`: the dimensions that are summed, those in front
// (which go) and those inside (which keep size 1).
export function summed(own, result) {
  const lead = result.length - own.length;
  return {
    front: Array.from({ length: lead }, (_, dim) => dim),
    inside: own.map((size, dim) => (size === 1 && result[lead + dim] !== 1 ? lead + dim : -1)).filter((dim) => dim >= 0),
  };
}

// The line of Python for it.
export function gradientLine(own, result) {
  const { front, inside } = summed(own, result);
  const dims = (list) => (list.length === 1 ? String(list[0]) : tuple(list));
  const kept = inside.length ? `.sum(${dims(inside)}, keepdim=True)` : "";
  return `g${kept}${front.length ? `.sum(${dims(front)})` : ""}`;
}

const distinct = (list, ndim) => [...new Set(list)].filter((dim) => dim >= 0 && dim < ndim).sort((x, y) => x - y);

// { state } as it shall stand, or { refusal }.
export function check(state) {
  for (const name of ["a", "b"]) {
    const shape = state[name];
    if (shape.some((size) => size < 0)) return { refusal: `${name} has a negative size; sizes are 0 or more` };
    if (shape.length > MOST_DIMS)
      return { refusal: `up to ${MOST_DIMS} dimensions are drawn; ${name} has ${shape.length}` };
  }
  const { a, b, guess, refused, told } = state;
  if (!Number.isSafeInteger(numel(a) * numel(b))) return { refusal: "these shapes are too large to count" };
  const ndim = Math.max(a.length, b.length);
  const shift = Math.min(Math.max(state.shift, 0), Math.abs(a.length - b.length));
  return {
    state: {
      a, b, shift, stretch_a: distinct(state.stretch_a, ndim), stretch_b: distinct(state.stretch_b, ndim),
      guess: guess ?? null, refused: Boolean(refused), told: Boolean(told),
    },
  };
}

// How a prediction went, part by part: { right, wrong } with one clause a part.
export function judged({ a, b, shift, stretch_a: fromA, stretch_b: fromB, guess, refused }) {
  const found = meet(a, b);
  const [right, wrong] = [[], []];
  const gap = Math.abs(a.length - b.length);
  if (gap) (shift === gap ? right : wrong).push("shapes are aligned from the right");
  if (found.refusal !== undefined) {
    (refused ? right : wrong).push("the shapes don't fit");
    return { right, wrong };
  }
  if (refused) wrong.push(`they fit, and give ${tuple(found.shape)}`);
  else (String(guess) === String(found.shape) ? right : wrong).push(`the result is ${tuple(found.shape)}`);
  const truth = columns(a, b);
  for (const [k, [name, said]] of [["a", fromA], ["b", fromB]].entries()) {
    const dims = truth.map(({ stretches }, dim) => (stretches[k] ? dim : -1)).filter((dim) => dim >= 0);
    const clause = dims.length
      ? `${name} has stride 0 in ${dims.length === 1 ? "dimension" : "dimensions"} ${dims.join(", ")}`
      : `${name} stretches nowhere`;
    if (String(dims) === String(said)) {
      if (dims.length) right.push(clause);
    } else if (!refused) wrong.push(clause);
  }
  return { right, wrong };
}
