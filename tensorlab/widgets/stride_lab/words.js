// The sentences of the Stride Lab. No DOM here.
import { numel, tuple } from "../shared/layout.js";
import { bracket, count, plural } from "../shared/words.js";
import { viewed } from "./engine.js";

export function effectText({ effect, bytes }) {
  if (effect === "copy") return `a copy: ${plural(bytes, "byte")} moved into a new storage`;
  return effect === "same" ? "the same tensor, 0 bytes moved" : "a view, 0 bytes moved";
}

export function layoutText({ shape, stride, offset }) {
  return `shape ${tuple(shape)}, strides ${tuple(stride)}, offset ${offset}`;
}

// What an operation would do.
export function outcome(next) {
  return next.refusal === undefined ? `gives ${layoutText(next)}: ${effectText(next)}.` : `raises an error: ${next.refusal}.`;
}

// Why `view(-1)` works or fails on a tensor: { works, text }.
export function whyView(step) {
  const { shape, stride } = step;
  const found = viewed(step, [numel(shape)]);
  if (found.step) return { works: true, text: "view(-1) works here: the elements in order lie at one distance." };
  const [outer, inner] = found.dims;
  return {
    works: false,
    text: `view(-1) fails here: dimensions ${outer} and ${inner} are not adjacent in memory. Dimension ${outer} steps `
      + `${plural(stride[outer], "cell")}; to go on where dimension ${inner} ends it would have to step `
      + `${shape[inner]}·${stride[inner]} = ${shape[inner] * stride[inner]}.`,
  };
}

export function costText({ read, fetched, used, moved }, total, lineBytes) {
  return `${count(read)} of ${plural(total, "number")} read, ${plural(fetched, "cache line")} of ${lineBytes} B fetched: `
    + `${count(moved)} B moved for ${count(used)} B used.`;
}

export function spokenStep(step, name) {
  return `${name}: ${layoutText(step)}; ${effectText(step)}.`;
}

export function spokenHand(index, value, cell) {
  return `${bracket(index)}, value ${value}, storage cell ${cell}.`;
}
