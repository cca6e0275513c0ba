// The Tape Player's engine: runs a program forward, records its graph, and carries a gradient back through it. The
// tape that comes out is the one that record.py takes from the library's own engine. No DOM here.
import { broadcastShapes } from "../shared/broadcast.js";
import { numel, tuple } from "../shared/layout.js";
import { attempt, refuse } from "../shared/refusal.js";
import { OPS, fitted, made, operandsOf, stretched, summedDims } from "./ops.js";
import { parse } from "./parse.js";

export const MOST_ELEMENTS = 64;
const ITEM = 8;                     // bytes of a float64

// How a backward pass goes. A planted mistake (mistakes.js) is one of these rules in another form.
export const RULES = {
  cuts: (op) => op.cuts === true,                                   // does an operation let no gradient through?
  above: (op, gradient) => gradient,                                // what an operation multiplies its slope with
  result: (op, operands, result) => result,                         // what a formula takes for the result
  fit: (given, shape) => fitted(given, shape),                      // what is made of a gradient that is too large
  add: (waiting, arrived) => {                                      // what is made of two that arrive at one node
    const shape = broadcastShapes(waiting.shape, arrived.shape);
    const [one, other] = [stretched(waiting, shape), stretched(arrived, shape)];
    return made(shape, one.map((number, k) => number + other[k]));
  },
};

// The leaves of a state as tensors.
export function tensorsOf(leaves) {
  return Object.fromEntries(Object.entries(leaves).map(([name, { shape, data }]) => [name, made(shape, data)]));
}

// The results of a program's steps. Throws what the library would refuse.
export function run(program, tensors) {
  const results = [];
  for (const step of program.steps) {
    const result = OPS[step.op].forward(operandsOf(step, tensors, results), step.args);
    if (numel(result.shape) > MOST_ELEMENTS) {
      refuse(`tensors of up to ${MOST_ELEMENTS} elements are shown; ${step.label} has shape ${tuple(result.shape)}`);
    }
    results.push(result);
  }
  return results;
}

const keyOf = ({ leaf, step }) => (leaf !== undefined ? `l${leaf}` : `s${step}`);

// A forward pass and what it records: { results, root, nodes } with a reference { leaf } or { step } for each node, the
// youngest first. A leaf's node is born just before its first operation. Only what the result leads to is recorded:
// nobody holds the rest of the graph.
export function forward(program, leaves, rules = RULES) {
  const tensors = tensorsOf(leaves);
  const results = run(program, tensors);
  const live = [];
  const isLive = ({ leaf, step }) => (leaf !== undefined ? leaves[leaf].grad : step !== undefined && live[step]);
  const births = new Map();
  for (const [step, { op, inputs }] of program.steps.entries()) {
    live.push(!rules.cuts(OPS[op]) && inputs.some(isLive));
    if (!live[step]) continue;
    for (const ref of [...inputs.filter(({ leaf }) => leaf !== undefined && isLive({ leaf })), { step }]) {
      if (!births.has(keyOf(ref))) births.set(keyOf(ref), ref);
    }
  }
  const root = program.steps.length - 1;
  const part = new Set(live[root] ? [keyOf({ step: root })] : []);
  for (let step = root; step >= 0; step -= 1) {
    if (part.has(keyOf({ step }))) program.steps[step].inputs.filter(isLive).forEach((ref) => part.add(keyOf(ref)));
  }
  const nodes = [...births.values()].filter((ref) => part.has(keyOf(ref))).reverse();
  return { program, tensors, results, root, nodes, isLive };
}

// Carries the gradient 1 from the result back: nodes from the youngest to the oldest, each once. Gives the gradients
// that arrive at the nodes and, edge by edge, those that are handed on.
export function backward({ program, tensors, results, nodes, isLive }, rules = RULES) {
  const numbers = new Map(nodes.map((ref, number) => [keyOf(ref), number]));
  const gradients = nodes.map(() => null);
  gradients[0] = made(results.at(-1).shape, [1]);
  const edges = [];
  for (const [source, ref] of nodes.entries()) {
    if (ref.step === undefined) continue;
    const { op: name, inputs, args } = program.steps[ref.step];
    const op = OPS[name];
    const operands = operandsOf(program.steps[ref.step], tensors, results);
    const g = made(results[ref.step].shape, rules.above(op, gradients[source].data));
    const handed = op.backward(g, operands, rules.result(op, operands, results[ref.step]), args);
    for (const [operand, input] of inputs.entries()) {
      if (!isLive(input)) continue;
      const target = numbers.get(keyOf(input));
      const { shape } = operands[operand];
      const given = handed[operand];
      const summed = op.stretches ? summedDims(shape, given.shape) : [];
      const arrived = summed.length ? rules.fit(given, shape, input.leaf) : given;
      edges.push({
        source, target, operand: op.edge?.(operands) ?? operand, summed,
        given: { shape: given.shape, data: given.data }, arrived: arrived.data,
      });
      gradients[target] = gradients[target] === null ? arrived : rules.add(gradients[target], arrived);
    }
  }
  return { gradients, edges };
}

// The tape of a program at these leaves, { shape, data, grad } by name: nodes as in record.py, and behind them what
// was computed but not recorded, whose name is null. `made` lists the operations in the order of the program.
export function tapeOf(program, leaves) {
  const pass = forward(program, leaves);
  const { tensors, results, root, nodes: recorded } = pass;
  if (recorded.length === 0) refuse("nothing to go back to: no leaf that requires a gradient leads to the result");
  if (numel(results[root].shape) !== 1) {
    refuse("grad can be implicitly created only for scalar outputs: the result has shape "
      + `${tuple(results[root].shape)}; end with .sum()`);
  }
  const { gradients, edges } = backward(pass);
  const known = new Set(recorded.map(keyOf));
  const all = [...program.steps.map((_, step) => ({ step })), ...program.leaves.map((leaf) => ({ leaf }))];
  const refs = [...recorded, ...all.filter((ref) => !known.has(keyOf(ref)))];
  const numbers = new Map(refs.map((ref, number) => [keyOf(ref), number]));
  const nodes = refs.map((ref, number) => {
    const { shape, data } = ref.leaf !== undefined ? tensors[ref.leaf] : results[ref.step];
    const step = program.steps[ref.step];
    const plain = number >= recorded.length;
    const name = step === undefined ? "AccumulateGrad"
      : OPS[step.op].name(step.args, operandsOf(step, tensors, results));
    const inputs = (step?.inputs ?? []).filter((input) => input.number === undefined);
    return {
      name: plain ? null : name, leaf: ref.leaf ?? null, label: ref.leaf ?? step.label, shape, value: data,
      inputs: inputs.map((input) => numbers.get(keyOf(input))),
      words: wordsOf(step, program), saved: [], gradient: plain ? null : gradients[number]?.data ?? null,
    };
  });
  keep(pass, nodes);
  return { nodes, edges, made: program.steps.map((_, step) => numbers.get(keyOf({ step }))) };
}

// What a step is called, and what its formulas call x, y and n: operands that have a name or are numbers, an exponent.
function wordsOf(step, program) {
  if (step === undefined) return {};
  const [x, y] = step.inputs.map(({ leaf, number, step: from }) =>
    leaf ?? (number === undefined ? program.steps[from].name : String(number)));
  return { x: x ?? null, y: y ?? null, n: step.args.exponent ?? 2, name: step.name };
}

// What each node keeps, the youngest first: a storage that was kept before is shared.
function keep({ program, tensors, results, nodes: recorded, isLive }, nodes) {
  const own = new Set(recorded.filter(({ leaf }) => leaf !== undefined).map(({ leaf }) => tensors[leaf].storage));
  const seen = new Map();
  for (const [number, { step }] of recorded.entries()) {
    if (step === undefined) continue;
    const { op, inputs } = program.steps[step];
    const operands = operandsOf(program.steps[step], tensors, results);
    const kept = OPS[op].keeps(inputs.map(isLive), operands.map(({ number: plain }) => plain === undefined));
    nodes[number].saved = kept.map(([name, which]) => {
      const { shape, storage } = which === "result" ? results[step] : operands[which];
      const owner = own.has(storage) ? "leaf" : seen.has(storage) ? "shared" : "graph";
      if (!seen.has(storage)) seen.set(storage, seen.size);
      const { leaf = null, step: from } = which === "result" ? {} : inputs[which];
      const of = leaf ?? (from === undefined ? "result" : program.steps[from].name ?? program.steps[from].label);
      return { name, of, shape, nbytes: storage.cells * ITEM, owner, storage: seen.get(storage) };
    });
  }
}

// { tape, program } of a state's source and leaves, or { refusal }.
export function tapeFor(source, leaves) {
  const program = parse(source, Object.keys(leaves));
  if (program.refusal !== undefined) return program;
  return attempt(() => ({ program, tape: tapeOf(program, leaves) }));
}
