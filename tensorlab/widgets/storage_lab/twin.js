// The picture as text: the address of every element.
import { DTYPES, flatIndex, numel, unravel } from "../shared/layout.js";
import { MOST_ROWS } from "../shared/twin.js";
import { bracket, count, join, numberTerms } from "../shared/words.js";
import { spokenLayout } from "./words.js";

export function layoutText(lab) {
  const { shape, stride, offset, dtype } = lab.layout;
  const total = numel(shape);
  const rows = Array.from({ length: Math.min(total, MOST_ROWS) }, (_, position) => {
    const index = unravel(position, shape);
    const cell = flatIndex(index, stride, offset);
    return [bracket(index), lab.textAt(cell), join(numberTerms(index, stride, offset)), cell, cell * DTYPES[dtype]];
  });
  const table = { caption: spokenLayout(lab.layout), header: ["index", "value", "sum", "storage cell", "byte"], rows };
  return total > MOST_ROWS ? [table, `The first ${MOST_ROWS} of ${count(total)} elements.`] : [table];
}
