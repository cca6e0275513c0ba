// A lab's state as text: what a reader types into a field, and what stands in the page's address. Reading is
// strict: text becomes a valid state or a refusal in words, never half of each.
import { DTYPES, checkBounds, checkIndex, handAfterShape, numel, strideAfterShape } from "./engine.js";

const LARGEST = 9_999_999;      // products of two such numbers are still exact
const MOST_DIMENSIONS = 8;

// { value } or { refusal } from `3, 4`, `(3, 4)`, `[3 4]` or nothing at all; `what` names the field.
export function readNumbers(text, what) {
  const inner = text.trim().replace(/^\((.*)\)$|^\[(.*)\]$/s, "$1$2").trim().replace(/,$/, "");
  if (inner === "") return { value: [] };
  const parts = inner.split(/\s*,\s*|\s+/);
  const wrong = parts.find((part) => !/^[+-]?\d+$/.test(part));
  if (wrong === "") {
    return { refusal: `${what} is a list of whole numbers such as 3, 4; a number is missing in “${inner}”` };
  }
  if (wrong !== undefined) {
    return { refusal: `${what} is a list of whole numbers such as 3, 4; “${wrong}” is not one` };
  }
  const value = parts.map((part) => Number(part) + 0);  // + 0: “-0” is 0, and is written so
  const large = parts.find((part) => Math.abs(Number(part)) > LARGEST);
  if (large !== undefined) return { refusal: `numbers here go up to 9,999,999; ${what} has ${large}` };
  if (value.length > MOST_DIMENSIONS) {
    return { refusal: `up to ${MOST_DIMENSIONS} dimensions can be drawn; ${what} has ${value.length}` };
  }
  return { value };
}

export function readNumber(text, what) {
  const { value, refusal } = readNumbers(text, what);
  if (refusal === undefined && value.length === 1) return { value: value[0] };
  if (refusal?.startsWith("numbers")) return { refusal };
  return { refusal: `${what} is one whole number; “${text.trim()}” is not one` };
}

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
