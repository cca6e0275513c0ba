// A lab's state as text: what a reader types into a field, and what stands in the page's address. Reading is
// strict: text becomes a valid state or a refusal in words, never half of each.
import { DTYPES, checkBounds, checkIndex, handAfterShape, numel, strideAfterShape } from "../shared/layout.js";
import { readNumber, readNumbers } from "../shared/numbers.js";

// The first reason why a layout cannot be, or null. The same checks as the library's, and the page's own limit.
export function refusalOf({ shape, stride, offset, cells, dtype }) {
  for (const [dim, size] of shape.entries()) {
    if (size < 0) return `the size ${size} of dimension ${dim} is negative; sizes are 0 or more`;
  }
  if (cells < 0) return `a storage of ${cells} cells cannot be; it has 0 or more`;
  if (!Object.hasOwn(DTYPES, dtype)) return `there is no dtype “${dtype}”; use ${Object.keys(DTYPES).join(", ")}`;
  if (!Number.isSafeInteger(numel(shape))) return "this shape has more elements than the page can count";
  return checkBounds(shape, stride, offset, cells).refusal ?? null;
}

export function writeState({ shape, stride, offset, cells, dtype, hand }) {
  const parts = { shape, stride, offset: [offset], cells: [cells], dtype: [dtype] };
  if (hand !== null) parts.hand = hand;
  return Object.entries(parts).map(([name, value]) => `${name}:${value.join(",")}`).join("/");
}

// { state } or { refusal } from the text of an address. What is left out is as in `start`.
export function readState(text, start) {
  const state = { ...start };
  for (const part of text.split("/")) {
    const cut = part.indexOf(":");
    const [name, value] = [part.slice(0, cut), part.slice(cut + 1)];
    if (cut < 0 || !["shape", "stride", "offset", "cells", "dtype", "hand"].includes(name)) {
      return { refusal: `it says “${part}”, which is no part of a lab's state` };
    }
    if (name === "dtype") {
      state.dtype = value;
      continue;
    }
    const one = name === "offset" || name === "cells";
    const read = one ? readNumber(value, name) : readNumbers(value, name);
    if (read.refusal !== undefined) return { refusal: read.refusal };
    state[name] = read.value;
  }
  if (!/(^|\/)stride:/.test(text)) state.stride = strideAfterShape(start.shape, start.stride, state.shape);
  const refusal = refusalOf(state);
  if (refusal !== null) return { refusal };
  state.hand = /(^|\/)hand:/.test(text) ? state.hand : handAfterShape(state.hand, state.shape);
  if (state.hand !== null) {
    const checked = checkIndex(state.hand, state.shape);
    if (checked.refusal !== undefined) return { refusal: checked.refusal };
    state.hand = checked.index;
  }
  return { state };
}
