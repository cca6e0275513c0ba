// Named ways to read the storage of a table, each a list of operations. Pure.

// { name: operations } for a table of this shape; empty for a tensor that is none of two rows and two columns.
export function presetOperations(shape) {
  if (shape.length !== 2 || shape.some((size) => size < 2)) return {};
  const [rows, columns] = shape;
  return {
    rows: [],
    columns: [["as_strided", [rows, columns], [1, rows], 0]],
    transpose: [["transpose", 0, 1]],
    "every second": [["slice", 1, 0, columns, 2]],
    windows: [["unfold", 1, Math.min(3, columns), 1]],
    broadcast: [["select", 0, 0], ["expand", [rows, columns]]],
    overlap: [["as_strided", [rows, columns], [1, 1], 0]],
  };
}
