// The sentences of the Activation Timeline. No DOM here.
import { plural } from "../shared/words.js";
import { BYTES, LABELS, alive, counts, freedBy, moments, savedBy } from "./engine.js";

const PYTHON = {
  add: "lambda h: h + 1", mul: "lambda h: h * 2", sin: "tl.sin", square: "tl.square", exp: "tl.exp", tanh: "tl.tanh",
  relu: "tl.relu",
};

export function momentText({ pass, step, name }) {
  return `${name} ${pass} (${step})`;
}

export function resultName({ steps }, r) {
  return `result ${r}, of ${LABELS[steps[r - 1]]}`;
}

// 1.6 MB, 400 kB
export function bytesText(bytes) {
  return bytes >= 1_000_000 ? `${bytes / 1_000_000} MB` : `${bytes / 1000} kB`;
}

// The call that shows the same in Python.
export function line({ steps, segment, recording }) {
  const pairs = [...steps.map((step, place) => `("${place + 1}", ${PYTHON[step]})`), '("sum", tl.sum)'];
  const x = `tl.ones(4, requires_grad=${recording ? "True" : "False"})`;
  return `tl.figures.lifetimes.watched([${pairs.join(", ")}], ${x}, ${segment})[0]`;
}

// Who needs a result, in words.
export function whyText(state, r) {
  const { steps, segment, recording } = state;
  const freed = momentText(moments(state)[freedBy(state, r)]);
  if (!recording) return `Nothing is recorded, so no node keeps ${resultName(state, r)}: it goes with ${freed}.`;
  const needed = steps.map((_, place) => place + 1).filter((k) => savedBy(steps, k) === r);
  const who = needed.map((k) => `${LABELS[steps[k - 1]]} (${k})`).join(" and ");
  const saved = needed.length ? `${who} ${needed.length > 1 ? "save" : "saves"} it` : "no step saves it";
  const subject = `R${resultName(state, r).slice(1)}`;
  if (!segment) return `${subject}: ${saved}. It goes with ${freed}.`;
  const held = r % segment === 0 && r < steps.length ? ", and it goes into the next checkpoint" : "";
  return `${subject}: ${saved}${held}. It goes for good with ${freed}.`;
}

// What the picture comes to.
export function sumText(state) {
  const found = counts(state);
  const most = Math.max(...found);
  const each = BYTES / state.pieces;
  const turn = found[state.steps.length];
  const times = state.pieces > 1 ? ` This happens ${state.pieces} times, one piece after the other.` : "";
  return `After a step there are at most ${plural(most, "result")}, ${bytesText(most * each)}; at the turn `
    + `${turn}, ${bytesText(turn * each)}.${times}`;
}

// The moments after which a result is alive, as runs: "1 to 3, 9".
export function aliveText(state, r) {
  const numbers = alive(state).flatMap((living, moment) => (living[r - 1] ? [moment + 1] : []));
  const runs = [];
  for (const number of numbers) {
    const run = runs.at(-1);
    if (run && run[1] === number - 1) run[1] = number;
    else runs.push([number, number]);
  }
  return runs.map(([first, last]) => (first === last ? `${first}` : `${first} to ${last}`)).join(", ");
}

// What is wrong with a predicted moment.
export function mistakes(state) {
  const right = freedBy(state, state.result);
  if (state.guess === right) return [];
  const found = moments(state);
  const early = state.guess < right;
  return [`after ${momentText(found[state.guess])} it ${early ? "is still needed" : "is gone already"}`];
}

export function spokenState(state) {
  const { steps, segment, recording } = state;
  const how = !recording ? "nothing is recorded" : segment ? `a checkpoint every ${plural(segment, "step")}`
    : "no checkpoints";
  return `${steps.map((step) => LABELS[step]).join(", ")}; ${how}. ${state.told ? sumText(state) : ""}`.trim();
}
