// Which gradient comes out? The right one, and those that known mistakes would give. No DOM here.
import { tuple } from "../shared/layout.js";
import { attempt } from "../shared/refusal.js";
import { RULES, backward, forward, overwritten } from "./engine.js";
import { fitted, made } from "./ops.js";
import { WRITES } from "./parse.js";

const MOST = 4;                     // candidates
export const ERROR = "error";       // in the place of a gradient: backward() raises one

// Each mistake as one changed rule of the backward pass, with what is said of it. The likeliest ones come first.
const MISTAKES = {
  unsummed: {
    rules: (leaf) => ({ fit: (given, shape, target) => (target === leaf ? given : fitted(given, shape)) }),
    says: "that one has the shape that the operand was stretched to. A leaf's gradient has the leaf's own shape: what "
      + "was read several times gets the sum",
  },
  overwrite: {
    rules: () => ({ add: (waiting, arrived) => arrived }),
    says: "that one keeps only the last gradient that arrives. Gradients that meet are added",
  },
  first: {
    rules: () => ({ add: (waiting) => waiting }),
    says: "that one keeps only the first gradient that arrives. Gradients that meet are added",
  },
  through: {
    rules: () => ({ cuts: () => false }),
    says: "that one goes through detach(), which lets no gradient pass",
  },
  mean: {
    rules: () => ({ fit: (given, shape) => fitted(given, shape, true) }),
    says: "that one averages over the stretched dimensions. The gradients of the copies are added",
  },
  input: {
    rules: () => ({ result: (op, operands, result) => (op.ownResult ? operands[0] : result) }),
    says: "that one puts an input where the derivative has the result",
  },
  chain: {
    rules: () => ({ above: (op, gradient) => (op.ownSlope ? gradient.map(() => 1) : gradient) }),
    says: "that one forgets to multiply by the gradient that comes from above",
  },
};

const OTHERS = {
  old: "that one uses the saved numbers as they were. The node kept the tensor itself and no copy, and its cells were "
    + "overwritten",
  written: "that one uses the new numbers, as if nobody had noticed. The node compares versions, and raises an error",
  error: "no node keeps a tensor that was overwritten, so nothing is wrong with the write",
  none: "the leaf gets a gradient: a way of recorded operations leads to it",
  zeros: "no way leads to it, and then there is no gradient at all: None, not zeros",
  ones: "that one is the 1 that the pass begins with",
  value: "that one is the leaf's value, not its gradient",
};

// All kinds of candidates, the right one first.
export function kindNames() { return ["right", ...Object.keys(MISTAKES), ...Object.keys(OTHERS)]; }

// What is said of a wrong candidate.
export function explained(kind) { return MISTAKES[kind]?.says ?? OTHERS[kind]; }

// A tensor as its memory is at the end.
function lastWritten(tensor, results) {
  const { data } = results.findLast(({ shape, strides, storage }) => storage === tensor.storage
    && tuple(shape) === tuple(tensor.shape) && tuple(strides) === tuple(tensor.strides)) ?? tensor;
  return { ...tensor, data };
}

// The gradient of a leaf under some rules, as a tensor; null where none reaches it.
function gradientOf(program, leaves, leaf, rules) {
  const pass = forward(program, leaves, rules);
  const number = pass.nodes.findIndex((ref) => ref.leaf === leaf);
  return number < 0 ? null : backward(pass, rules).gradients[number];
}

const textOf = (gradient) => (gradient === null ? "None" : gradient === ERROR ? ERROR
  : `${gradient.shape}:${gradient.data.map((number) => number.toPrecision(9))}`);

// Candidates { kind, gradient } that differ, the right one among them, in an order that says nothing. `gradient` is
// { shape, data }, null for None, or ERROR.
export function candidates(program, leaves, leaf) {
  const fails = overwritten(forward(program, leaves)) !== null;
  const right = fails ? ERROR : gradientOf(program, leaves, leaf, RULES);
  const { shape, data } = leaves[leaf];
  const others = [
    ...(fails ? [["old", () => gradientOf(program, leaves, leaf, RULES)], ["written", () =>
      gradientOf(program, leaves, leaf, { ...RULES, memory: lastWritten })]] : []),
    ...(!fails && program.steps.some(({ op }) => WRITES.includes(op)) ? [["error", () => ERROR]] : []),
    ...(right === null ? [["zeros", () => made(shape, data.map(() => 0))]] : []),
    ...Object.entries(MISTAKES).map(([kind, { rules }]) => [kind, () =>
      gradientOf(program, leaves, leaf, { ...RULES, ...rules(leaf) })]),
    ["value", () => made(shape, data)],
    ["ones", () => made(shape, data.map(() => 1))],
    ["none", () => null],
  ];
  const found = [{ kind: "right", gradient: right }];
  for (const [kind, make] of others) {
    const gradient = attempt(make);
    if (found.length === MOST || gradient?.refusal !== undefined) continue;
    if (!found.some((one) => textOf(one.gradient) === textOf(gradient))) found.push({ kind, gradient });
  }
  const text = `${leaf}${program.steps.map(({ label }) => label)}`;
  const turn = [...text].reduce((sum, sign) => sum + sign.codePointAt(0), 0) % found.length;
  return [...found.slice(turn), ...found.slice(0, turn)]
    .map(({ kind, gradient }) => ({ kind, gradient: gradient === ERROR ? ERROR
      : gradient && { shape: gradient.shape, data: gradient.data } }));
}
