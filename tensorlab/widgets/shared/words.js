// Words and sums that several widgets show. No DOM here.
import { DTYPES } from "./layout.js";

const LETTERS = ["i", "j", "k", "l", "m", "n"];

// The name of the index of a dimension: i, j, k, …
export function letter(dim, dims) {
  return dims <= LETTERS.length ? LETTERS[dim] : `i${dim}`;
}

export function bracket(index) {
  return `[${index.join(", ")}]`;
}

export function count(number) {
  return number.toLocaleString("en");
}

export function plural(number, one, many = `${one}s`) {
  return `${count(number)} ${number === 1 ? one : many}`;
}

// The address of one element as a list of terms, each { text, kind }, so that the page can colour them by
// meaning. Kinds: "offset", "index", "stride", "cell", "plain".
export function symbolTerms(dims) {
  const terms = [{ text: "offset", kind: "offset" }];
  for (let dim = 0; dim < dims; dim += 1) {
    terms.push(
      { text: " + ", kind: "plain" }, { text: letter(dim, dims), kind: "index" },
      { text: "·", kind: "plain" }, { text: `s${dim}`, kind: "stride" },
    );
  }
  return terms;
}

export function numberTerms(index, stride, offset) {
  const terms = [{ text: String(offset), kind: "offset" }];
  for (const [dim, i] of index.entries()) {
    terms.push(
      { text: " + ", kind: "plain" }, { text: String(i), kind: "index" },
      { text: "·", kind: "plain" }, { text: String(stride[dim]), kind: "stride" },
    );
  }
  return terms;
}

export function join(terms) {
  return terms.map((term) => term.text).join("");
}

// `8 × 4 B = byte 32`
export function byteSum(cell, dtype) {
  return `${count(cell)} × ${DTYPES[dtype]} B = byte ${count(cell * DTYPES[dtype])}`;
}
