// The player's state: what it may be, and how it stands in an address. No DOM here.
import { readFields, writeFields } from "../shared/address.js";
import { readNumbers } from "../shared/numbers.js";
import { tuple, numel } from "../shared/layout.js";
import { MOST_ELEMENTS, tapeFor } from "./engine.js";
import { kindNames } from "./mistakes.js";
import { forwardCount, stepsOf } from "./steps.js";

// In an address `/` parts the members, so a division is written as `÷`.
const SOURCE = { write: (text) => text.replaceAll("/", "÷"), read: (text) => ({ value: text.replaceAll("÷", "/") }) };

const LEAF = /^([A-Za-z_]\w*)\(([\d,]*)\)([^!]*)(!?)$/;

// `x(2,3)1,2,3,4,5,6~w(3)0.1,0.2,0.3`; a `!` behind the numbers: no gradient.
const LEAVES = {
  write: (leaves) => Object.entries(leaves).map(([name, { shape, data, grad }]) =>
    `${name}(${shape.join(",")})${data.join(",")}${grad ? "" : "!"}`).join("~"),
  read: (text) => {
    const leaves = {};
    for (const part of text.split("~")) {
      const match = LEAF.exec(part);
      if (match === null) return { refusal: `“${part}” is no leaf: it is written as w(3)0.1,0.2,0.3` };
      const { value: shape, refusal } = readNumbers(match[2], `the shape of ${match[1]}`);
      if (refusal !== undefined) return { refusal };
      const data = match[3] === "" ? [] : match[3].split(",").map(Number);
      leaves[match[1]] = { shape, data, grad: match[4] === "" };
    }
    return { value: leaves };
  },
};

export const SCHEMA = { source: SOURCE, leaves: LEAVES, ask: "word", step: "int" };

export function addressOf(state) { return writeFields(SCHEMA, state); }

export function fromAddress(text) { return readFields(SCHEMA, text); }

function refusedLeaf(name, { shape, data }) {
  const count = numel(shape);
  if (count !== data.length || count > MOST_ELEMENTS || count === 0) {
    return `${name} of shape ${tuple(shape)} has ${count} elements, given are ${data.length}: a leaf has `
      + `1 … ${MOST_ELEMENTS}`;
  }
  if (!data.every(Number.isFinite)) return `every element of ${name} is a finite number`;
  return null;
}

// The last tape, for a state is checked many times and its program rarely changes.
const memory = { key: null, found: null };

// { program, tape, steps, forward } of a source and its leaves, or { refusal }.
export function played(source, leaves) {
  const key = JSON.stringify([source, leaves]);
  if (memory.key !== key) {
    const found = tapeFor(source, leaves);
    const steps = found.refusal === undefined ? stepsOf(found.tape) : [];
    Object.assign(memory, { key, found: { ...found, steps, forward: forwardCount(steps) } });
  }
  return memory.found;
}

// { state } as it shall stand, or { refusal }.
export function check(state) {
  const { source, leaves } = state;
  for (const [name, leaf] of Object.entries(leaves)) {
    const refusal = refusedLeaf(name, leaf);
    if (refusal !== null) return { refusal };
  }
  const { refusal, program, steps, forward } = played(source, leaves);
  if (refusal !== undefined) return { refusal };
  const asked = program.leaves.includes(state.ask) ? state.ask : null;
  const first = program.leaves.find((name) => leaves[name].grad) ?? program.leaves[0];
  const told = Boolean(state.told);
  return {
    state: {
      source, leaves, ask: asked ?? first, told,
      guess: kindNames().includes(state.guess) ? state.guess : null,
      step: Math.min(Math.max(state.step, 0), told ? steps.length : forward),
    },
  };
}
