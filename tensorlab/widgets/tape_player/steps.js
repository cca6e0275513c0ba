// A tape as steps to play: first each operation computes, then the gradient goes back. No DOM here.
import { numel } from "../shared/layout.js";

// The steps, each { kind, node } or { kind, edge }. Kinds: `compute` an operation and record it; `seed` the gradient 1;
// `run` a node, whose gradient is complete; `hand` one of its gradients on; `store` a gradient in a leaf; `fail` at a node
// that finds a tensor overwritten.
export function stepsOf({ nodes, edges, made = null, error = null }) {
  const order = made ?? nodes.map((_, node) => node).filter((node) => nodes[node].leaf === null).reverse();
  const steps = [...order.map((node) => ({ kind: "compute", node })), { kind: "seed", node: 0 }];
  for (const [node, { name, leaf, gradient }] of nodes.entries()) {
    if (name === null || gradient === null) continue;
    if (node === error?.node) {
      steps.push({ kind: "fail", node });
      break;
    }
    steps.push({ kind: leaf === null ? "run" : "store", node });
    for (const [edge, { source, arrived }] of edges.entries()) {
      if (source === node && arrived !== null) steps.push({ kind: "hand", edge });
    }
  }
  return steps;
}

// A tape as record.py wrote it, with numbers that JSON does not know.
export function revived({ nodes, edges }) {
  const numbers = (list) => list && list.map(Number);
  return {
    nodes: nodes.map((node) => ({ ...node, value: numbers(node.value), gradient: numbers(node.gradient) })),
    edges: edges.map(({ given, arrived, ...edge }) => ({
      ...edge, given: given && { ...given, data: numbers(given.data) }, arrived: numbers(arrived),
    })),
  };
}

export const RUNS = ["run", "store", "fail"];       // the steps of a node on the way back

export function forwardCount(steps) {
  return steps.findIndex(({ kind }) => kind === "seed");
}

// How many gradients each node waits for, from the beginning. The result waits for the one that is put there.
export function waitsOf({ nodes, edges }) {
  const waits = nodes.map(() => 0);
  waits[0] = 1;
  for (const { target, arrived } of edges) if (arrived !== null) waits[target] += 1;
  return waits;
}

// What stands after `at` steps: which nodes are computed, have run, are stored; how many gradients have arrived at each
// and their sum; what the graph keeps. `before` is the sum at the target of the last step before it.
export function momentOf(tape, steps, at) {
  const { nodes, edges } = tape;
  const moment = {
    event: at > 0 ? steps[at - 1] : null, computed: new Set(), ran: new Set(), sums: nodes.map(() => null),
    arrived: nodes.map(() => 0), before: null, passed: new Set(),
  };
  for (const { kind, node, edge } of steps.slice(0, at)) {
    if (kind === "compute") moment.computed.add(node);
    else if (kind === "seed") {
      moment.sums[0] = Array(numel(nodes[0].shape)).fill(1);
      moment.arrived[0] = 1;
    } else if (kind === "hand") {
      const { target, arrived } = edges[edge];
      moment.before = moment.sums[target];
      moment.sums[target] = moment.before === null ? arrived : moment.before.map((number, k) => number + arrived[k]);
      moment.arrived[target] += 1;
      moment.passed.add(edge);
    } else if (kind !== "fail") moment.ran.add(node);
  }
  moment.kept = keptBytes(tape, moment);
  return moment;
}

// The bytes that only the graph needs: each storage once, as long as a node that keeps it has not run.
function keptBytes({ nodes }, { computed, ran }) {
  const storages = new Map();
  for (const [node, { saved }] of nodes.entries()) {
    if (!computed.has(node) || ran.has(node)) continue;
    for (const { owner, storage, nbytes } of saved) if (owner !== "leaf") storages.set(storage, nbytes);
  }
  return [...storages.values()].reduce((sum, nbytes) => sum + nbytes, 0);
}

// What each node keeps, as ribbons from the step that makes the node to the one in which it runs and lets go. The
// oldest node comes first; a storage that a node keeps twice is one ribbon. `alone`: only the graph needs it.
export function ribbonsOf({ nodes }, steps) {
  const after = (kind, node) => steps.findIndex((step) => step.kind === kind && step.node === node) + 1;
  const ribbons = nodes.flatMap(({ saved }, node) => {
    const from = after("compute", node);
    const to = after("run", node) || steps.length + 1;        // held to the end, where an error stops the way
    const storages = new Map(saved.map((entry) => [entry.storage, entry]).reverse());      // the first one stays
    return [...storages.values()].map((entry) => ({ node, from, to, entry, alone: entry.owner === "graph" }));
  });
  return ribbons.sort((one, other) => one.from - other.from);
}

// Which node runs next: the youngest whose gradients have all arrived. Null at the end.
export function nextNode(steps, at) {
  return steps.slice(at).find(({ kind }) => RUNS.includes(kind))?.node ?? null;
}
