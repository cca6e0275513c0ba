// The address of an element as coloured sums.
import { h } from "./dom.js";
import { flatIndex } from "./layout.js";
import { byteSum, numberTerms, symbolTerms } from "./words.js";

// Terms of a sum as text, coloured by meaning.
function sum(terms) {
  return terms.map(({ text, kind }) => h("span", { class: `tlw-term-${kind}` }, text));
}

function line(...parts) { return h("p", { class: "tlw-sum tlw-mono" }, parts); }

// The address of an element, as the lines of a sum. Without `known`, the numbers wait for the prediction.
export function addressLines(index, { stride, offset, dtype }, known) {
  const symbols = line(sum(symbolTerms(index.length)));
  if (!known) return [symbols, line("= ?")];
  const cell = flatIndex(index, stride, offset);
  const numbers = index.length ? [line("= ", sum(numberTerms(index, stride, offset)))] : [];
  return [symbols, ...numbers, line("= ", h("strong", { class: "tlw-term-cell" }, String(cell))),
    h("p", { class: "tlw-sum tlw-mono tlw-bytes" }, byteSum(cell, dtype))];
}
