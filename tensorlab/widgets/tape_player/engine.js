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
  memory: (tensor) => tensor,                                       // what a formula finds of a tensor
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
    const operands = operandsOf(program.steps[ref.step], tensors, results).map((own) => rules.memory(own, results));
    const g = made(results[ref.step].shape, rules.above(op, gradients[source].data));
    const handed = op.backward(g, operands, rules.result(op, operands, rules.memory(results[ref.step], results)), args);
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

// What a node keeps: names, and the operand or the result that each stands for. `copied`: a write keeps what its own
// formula needs of the tensor that it overwrites as a copy.
function keptBy({ program, tensors, results, isLive }, step) {
  const { op, inputs } = program.steps[step];
  const operands = operandsOf(program.steps[step], tensors, results);
  const kept = OPS[op].keeps(inputs.map(isLive), operands.map(({ number: plain }) => plain === undefined));
  return kept.map(([name, which]) => ({
    name, which, tensor: which === "result" ? results[step] : operands[which],
    copied: Boolean(OPS[op].writes) && which === 0,
  }));
}

const nameOf = ({ program, tensors, results }, step) => OPS[program.steps[step].op]
  .name(program.steps[step].args, operandsOf(program.steps[step], tensors, results));

// The steps that write into a storage, in order.
function writesInto({ program, results }, storage) {
  return results.map((_, step) => step)
    .filter((step) => OPS[program.steps[step].op].writes && results[step].storage === storage);
}

// The version of the storage that a step has written into; null for a step that makes a tensor of its own, and a leaf.
function versionOf(pass, step) {
  const writes = step === undefined ? [] : writesInto(pass, pass.results[step].storage);
  return writes.includes(step) ? writes.indexOf(step) + 1 : null;
}

// The first node of the way back that finds a tensor overwritten which it keeps: the step of the node, what it keeps,
// the versions of the storage then and now, the step that wrote last, and the library's error. Null where none does.
export function overwritten(pass) {
  const { program, results, nodes, isLive } = pass;
  for (const [node, { step }] of nodes.entries()) {
    for (const { name, which, tensor, copied } of step === undefined ? [] : keptBy(pass, step)) {
      const writes = writesInto(pass, tensor.storage);
      const then = writes.filter((k) => k < step).length;
      if (copied || writes.length === then) continue;
      const [own, now, last] = [nameOf(pass, step), writes.length, writes.at(-1)];
      const from = program.steps[step].inputs[which];
      const origin = which === "result" ? "its own result" : isLive(from) ? `result 0 of ${nameOf(pass, from.step)}`
        : "which requires no gradient";
      const text = "one of the variables needed for gradient computation has been modified by an inplace operation: "
        + `${own} kept a tensor of shape [${tensor.shape.join(", ")}] and dtype float64 as \`${name}\`, ${origin}; `
        + `it was at version ${then} then, and is at version ${now} now. ${program.steps[last].op} wrote it`
        + `${now - then > 1 ? " last" : ""}. Compute ${own}'s operation after the write, or write into a clone().`;
      return { node, name, then, now, last, text, before: tensor, after: results[last] };
    }
  }
  return null;
}

// The tape of a program at these leaves, { shape, data, grad } by name: nodes as in record.py, and behind them what
// was computed but not recorded, whose name is null. `made` lists the operations in the order of the program; `error`
// is what ends the way back at a node, with the node that wrote, or null.
export function tapeOf(program, leaves) {
  const pass = forward(program, leaves);
  const { tensors, results, root, nodes: recorded } = pass;
  if (recorded.length === 0) refuse("nothing to go back to: no leaf that requires a gradient leads to the result");
  if (numel(results[root].shape) !== 1) {
    refuse("grad can be implicitly created only for scalar outputs: the result has shape "
      + `${tuple(results[root].shape)}; end with .sum()`);
  }
  const { gradients, edges } = backward(pass);
  const broken = overwritten(pass);
  const known = new Set(recorded.map(keyOf));
  const all = [...program.steps.map((_, step) => ({ step })), ...program.leaves.map((leaf) => ({ leaf }))];
  const refs = [...recorded, ...all.filter((ref) => !known.has(keyOf(ref)))];
  const numbers = new Map(refs.map((ref, number) => [keyOf(ref), number]));
  const nodes = refs.map((ref, number) => {
    const { shape, data } = ref.leaf !== undefined ? tensors[ref.leaf] : results[ref.step];
    const step = program.steps[ref.step];
    const plain = number >= recorded.length;
    const name = step === undefined ? "AccumulateGrad" : nameOf(pass, ref.step);
    const reached = !plain && (broken === null || number <= broken.node);
    const inputs = (step?.inputs ?? []).filter((input) => input.number === undefined);
    return {
      name: plain ? null : name, leaf: ref.leaf ?? null, label: ref.leaf ?? step.label, shape, value: data,
      inputs: inputs.map((input) => numbers.get(keyOf(input))),
      words: wordsOf(step, program), version: versionOf(pass, ref.step), saved: [],
      gradient: reached ? gradients[number]?.data ?? null : null,
    };
  });
  keep(pass, nodes);
  const made = program.steps.map((_, step) => numbers.get(keyOf({ step })));
  const plainly = ({ shape, data }) => ({ shape, data });
  return { nodes, edges, made, error: broken && {
    ...broken, writer: made[broken.last], before: plainly(broken.before), after: plainly(broken.after),
  } };
}

// What a step is called, and what its formulas call x, y and n: operands that have a name or are numbers, an exponent.
function wordsOf(step, program) {
  if (step === undefined) return {};
  const [x, y] = step.inputs.map(({ leaf, number, step: from }) =>
    leaf ?? (number === undefined ? program.steps[from].name : String(number)));
  return { x: x ?? null, y: y ?? null, n: step.args.exponent ?? 2, name: step.name };
}

// What each node keeps, the youngest first: a storage that was kept before is shared.
function keep(pass, nodes) {
  const { program, tensors, nodes: recorded } = pass;
  const own = new Set(recorded.filter(({ leaf }) => leaf !== undefined).map(({ leaf }) => tensors[leaf].storage));
  const seen = new Map();
  for (const [number, { step }] of recorded.entries()) {
    if (step === undefined) continue;
    const { inputs } = program.steps[step];
    nodes[number].saved = keptBy(pass, step).map(({ name, which, tensor: { shape, storage: memory }, copied }) => {
      const storage = copied ? { cells: numel(shape) } : memory;
      const owner = own.has(storage) ? "leaf" : seen.has(storage) ? "shared" : "graph";
      if (!seen.has(storage)) seen.set(storage, seen.size);
      const { leaf = null, step: from } = which === "result" ? {} : inputs[which];
      const called = leaf ?? (from === undefined ? "result" : program.steps[from].name ?? program.steps[from].label);
      const of = copied ? `a copy of ${called}` : called;
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
