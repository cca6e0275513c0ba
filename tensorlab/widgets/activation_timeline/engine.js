// What is alive when: the results of a chain of steps over its forward and its backward pass, as the library keeps
// and frees them. No DOM here.
import { attempt, refuse } from "../shared/refusal.js";

// What each step saves for the way back: its input, its result, or nothing.
export const SAVES = {
  add: null, mul: null, sin: "input", square: "input", exp: "result", tanh: "result", relu: "result",
};
export const LABELS = { add: "+ 1", mul: "× 2", sin: "sin", square: "square", exp: "exp", tanh: "tanh", relu: "relu" };
export const LEAST = 2;
export const MOST = 8;
export const PIECES = [1, 2, 4];
export const BYTES = 400_000;             // of one result, with the whole batch

// The number of the result that step k saves, 0 for the chain's own input; null where it saves none.
export function savedBy(steps, k) {
  return { input: k - 1, result: k }[SAVES[steps[k - 1]]] ?? null;
}

// The names of the moments: each step forward, then the sum; then, where there is a graph, all of them backward.
export function moments({ steps, recording }) {
  const forward = [...steps.map((step, place) => ({ pass: "forward", step: place + 1, name: LABELS[step] })),
    { pass: "forward", step: steps.length + 1, name: "sum" }];
  const backward = forward.map((moment) => ({ ...moment, pass: "backward" })).reverse();
  return recording ? [...forward, ...backward] : forward;
}

// The segment that a step is in, as its first and last step; without checkpoints all steps are one.
function segmentOf(steps, segment, k) {
  const size = segment || steps.length;
  const first = Math.floor((k - 1) / size) * size + 1;
  return { first, last: Math.min(first + size - 1, steps.length) };
}

// The steps of a segment that save a tensor, the first one first.
function savers(steps, { first, last }) {
  const all = Array.from({ length: last - first + 1 }, (_, place) => first + place);
  return all.filter((k) => savedBy(steps, k) !== null);
}

// Whether result r is alive after the step `done` of the forward pass.
function aliveForward({ steps, segment, recording }, r, done) {
  if (r > done) return false;
  if (r === done) return true;                                        // the variable has it
  if (!recording) return segment > 0 && r % segment === 0 && done <= Math.min(r + segment, steps.length);
  if (!segment) return steps.some((_, place) => place + 1 <= done && savedBy(steps, place + 1) === r);
  return heldByNext({ steps, segment }, r, done, 0);
}

// Whether the checkpoint that begins after result r holds it as its argument: while its function runs, and then
// until the first of its nodes that have saved something has run backward (`left` is the last node that has not).
function heldByNext({ steps, segment }, r, done, left) {
  if (r % segment !== 0 || r >= steps.length || done <= r) return false;
  const next = segmentOf(steps, segment, r + 1);
  if (!left && done <= next.last) return true;
  const saving = savers(steps, next);
  return saving.length > 0 && (!left || saving[0] < left);
}

// Whether result r is alive after node `done` has run backward.
function aliveBackward({ steps, segment }, r, done) {
  const { length } = steps;
  const needed = (first, last) => steps.some((_, place) => {
    const k = place + 1;
    return k >= first && k <= last && k < done && savedBy(steps, k) === r;
  });
  if (!segment) return needed(1, length);
  if (heldByNext({ steps, segment }, r, length + 1, done)) return true;
  const own = segmentOf(steps, segment, r);
  const next = r < length ? segmentOf(steps, segment, r + 1) : null;
  // A segment's tensors are computed again when the last of its nodes that saved something runs.
  const again = (part) => part !== null && done <= (savers(steps, part).at(-1) ?? 0) && needed(part.first, part.last);
  return again(own) || again(next);
}

// For each moment, for each result, whether it is alive afterwards.
export function alive(state) {
  const results = state.steps.map((_, place) => place + 1);
  return moments(state).map(({ pass, step }) => results.map((r) => (pass === "forward"
    ? aliveForward(state, r, step) : aliveBackward(state, r, step))));
}

// The moment that frees a result for good: the one after the last at which it is alive.
export function freedBy(state, r) {
  return alive(state).map((living) => living[r - 1]).lastIndexOf(true) + 1;
}

// How many results are alive after each moment.
export function counts(state) {
  return alive(state).map((living) => living.filter(Boolean).length);
}

// { state } as it shall stand, or { refusal }.
export function check(state) {
  return attempt(() => {
    const { steps, segment, pieces, recording, result, guess, told } = state;
    const unknown = steps.find((step) => !Object.hasOwn(SAVES, step));
    if (unknown !== undefined) refuse(`a step is one of ${Object.keys(SAVES).join(", ")}, not ${unknown}`);
    if (steps.length < LEAST || steps.length > MOST) {
      refuse(`a chain has ${LEAST} to ${MOST} steps, got ${steps.length}`);
    }
    if (segment < 0 || segment > steps.length) refuse(`a segment has 0 to ${steps.length} steps, got ${segment}`);
    if (!PIECES.includes(pieces)) refuse(`the batch is cut into ${PIECES.join(", ")} pieces, not ${pieces}`);
    if (result < 1 || result > steps.length) refuse(`there are results 1 to ${steps.length}, not ${result}`);
    const last = moments(state).length - 1;
    if (guess !== null && (guess < 0 || guess > last)) refuse(`there are moments 0 to ${last}, not ${guess}`);
    return { state: { steps: [...steps], segment, pieces, recording: Boolean(recording), result, guess,
      told: Boolean(told) } };
  });
}
