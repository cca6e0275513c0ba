// How much of a tensor and of a storage a page draws. Pure.
import { numel } from "./layout.js";

export const MOST_CELLS = 4096;     // of a tensor
export const LONGEST_LINE = 1024;   // cells of a storage

// Which elements a page draws when it may draw `cap` of them: whole matrices where they fit, else the upper
// left part of the first one. A vector is a matrix of one row, a single number one of one cell.
export function drawnPart(shape, cap) {
  const count = numel(shape);
  const height = shape.length > 1 ? shape[shape.length - 2] : 1;
  const width = shape.length > 0 ? shape[shape.length - 1] : 1;
  const fits = height * width <= cap;
  const columns = fits ? width : Math.min(width, height === 1 ? cap : Math.floor(Math.sqrt(cap)));
  const rows = fits ? height : Math.min(height, Math.floor(cap / columns));
  const plates = count === 0 ? 0 : Math.min(numel(shape.slice(0, -2)), Math.floor(cap / (rows * columns)));
  return { plates, rows, columns, drawn: plates * rows * columns, count };
}

// The cells of a storage that a page draws: all, or `cap` of them from the first one that the tensor reaches
// (null: it reaches none).
export function drawnWindow(cells, first, cap) {
  if (cells <= cap) return { start: 0, stop: cells };
  const start = Math.min(first ?? 0, cells - cap);
  return { start, stop: start + cap };
}
