// Named ways to read a storage, each a layout. Pure.
import { numel } from "../shared/layout.js";

// Rows and columns of the table that a storage is read as: those of the tensor it was made for, where that is one.
function table(shape, cells) {
  const columns = shape.length > 1 ? shape.at(-1) : divisorNear(Math.sqrt(cells), cells);
  return [Math.floor(cells / columns), columns];
}

// The least divisor of a number that is no smaller than `least`.
function divisorNear(least, number) {
  let divisor = Math.max(Math.ceil(least), 1);
  while (divisor < number && number % divisor !== 0) divisor += 1;
  return divisor;
}

// { name: { shape, stride, offset } } for a storage of `cells` cells that was made for a tensor of `shape`; empty where
// there is no table of two rows and two columns.
export function presetLayouts(shape, cells) {
  if (numel(shape) === 0) return {};
  const [rows, columns] = table(shape, cells);
  if (!(rows > 1 && columns > 1)) return {};
  const from = (sizes, stride) => ({ shape: sizes, stride, offset: 0 });
  const windows = Math.floor((rows * columns - columns) / 2) + 1;
  return {
    rows: from([rows, columns], [columns, 1]),
    columns: from([rows, columns], [1, rows]),
    transpose: from([columns, rows], [1, columns]),
    "every second": from([rows, Math.ceil(columns / 2)], [columns, 2]),
    windows: from([Math.min(windows, rows + 2), columns], [2, 1]),
    broadcast: from([rows, columns], [0, 1]),
    overlap: from([rows, columns], [1, 1]),
  };
}
