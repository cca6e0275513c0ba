// What a reader types into a field of numbers. Reading is strict: text becomes numbers or a refusal in words,
// never half of each.

const LARGEST = 9_999_999;      // products of two such numbers are still exact
const MOST_DIMENSIONS = 8;
const MOST_QUOTED = 40;         // characters of what was typed or pasted that a message repeats

function quoted(text) {
  return `“${text.length > MOST_QUOTED ? `${text.slice(0, MOST_QUOTED)}…` : text}”`;
}

// { value } or { refusal } from `3, 4`, `(3, 4)`, `[3 4]` or nothing at all; `what` names the field.
export function readNumbers(text, what) {
  const inner = text.trim().replace(/^\((.*)\)$|^\[(.*)\]$/s, "$1$2").trim().replace(/,$/, "");
  if (inner === "") return { value: [] };
  const parts = inner.split(/\s*,\s*|\s+/);
  const wrong = parts.find((part) => !/^[+-]?\d+$/.test(part));
  if (wrong === "") {
    return { refusal: `${what} is a list of whole numbers such as 3, 4; a number is missing in ${quoted(inner)}` };
  }
  if (wrong !== undefined) {
    return { refusal: `${what} is a list of whole numbers such as 3, 4; ${quoted(wrong)} is not one` };
  }
  const value = parts.map((part) => Number(part) + 0);  // + 0: “-0” is 0, and is written so
  const large = parts.find((part) => Math.abs(Number(part)) > LARGEST);
  if (large !== undefined) return { refusal: `numbers here go up to 9,999,999; ${what} has ${large.slice(0, MOST_QUOTED)}` };
  if (value.length > MOST_DIMENSIONS) {
    return { refusal: `up to ${MOST_DIMENSIONS} dimensions can be drawn; ${what} has ${value.length}` };
  }
  return { value };
}

export function readNumber(text, what) {
  const { value, refusal } = readNumbers(text, what);
  if (refusal === undefined && value.length === 1) return { value: value[0] };
  if (refusal?.startsWith("numbers")) return { refusal };
  return { refusal: `${what} is one whole number; ${quoted(text.trim())} is not one` };
}
