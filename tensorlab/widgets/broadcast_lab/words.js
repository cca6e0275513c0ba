// The sentences of the Broadcast Lab. No DOM here.
import { DTYPES, numel, tuple } from "../shared/layout.js";
import { meet } from "../shared/meet.js";
import { bracket, count, plural } from "../shared/words.js";
import { gradientLine, summed } from "./engine.js";

export const BYTES = DTYPES.float32; // the operands' dtype, which arange makes from a float

// The two operands as Python makes them: what the elements of the lab hold.
export function operandLines(a, b) {
  const [one, other] = [a, b].map((shape) => `tl.arange(${numel(shape)}.).view(${shape.length ? shape.join(", ") : "()"})`);
  return [one, `${other} * 10`];
}

// What broadcasting costs: nothing, and what copies would have cost.
export function costText(a, b, shape) {
  const saved = [a, b].reduce((sum, own) => sum + (numel(shape) - numel(own)) * BYTES, 0);
  return saved > 0 ? `Stretching moves 0 bytes: stride 0 reads a cell again. Copies would `
    + `take ${plural(saved, "byte")} more.`
    : "Nothing has to stretch.";
}

// What the gradient of an operand sums.
export function gradientText(name, own, shape) {
  const { front, inside } = summed(own, shape);
  const dims = [...front, ...inside];
  if (dims.length === 0) return `The gradient of ${name} is g itself: nothing was stretched.`;
  const each = dims.reduce((product, dim) => product * shape[dim], 1);
  return `The gradient of ${name} is ${gradientLine(own, shape)}: every element of ${name} was read `
    + `${plural(each, "time")}, and gets the sum of ${plural(each, "gradient")}.`;
}

// One element of an operand, and who reads it; with `gradients`, what that means on the way back.
export function readersText(name, index, readers, gradients) {
  const who = readers.slice(0, 4).map(bracket).join(", ");
  const own = `${name}${index.length ? bracket(index) : ""}`;
  return `${own} is read by ${plural(readers.length, "element")} of the `
    + `result: ${who}${readers.length > 4 ? ", …" : ""}.`
    + (gradients ? ` Its gradient is the sum of ${readers.length === 1 ? "that one" : `those ${count(readers.length)}`}.` : "");
}

export function spokenState({ a, b, told }) {
  if (!told) return `${tuple(a)} and ${tuple(b)}, to be aligned.`;
  const { shape, refusal } = meet(a, b);
  return refusal === undefined ? `${tuple(a)} and ${tuple(b)} give ${tuple(shape)}.` : `An error: ${refusal}.`;
}
