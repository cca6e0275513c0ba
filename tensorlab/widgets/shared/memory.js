// The colours of memory, from sand through aqua to sea: a cell keeps its colour wherever it is shown.

// The CSS colour of a cell in a storage of `cells`.
export function memoryFill(cell, cells) {
  const twice = cells > 1 ? (2 * cell) / (cells - 1) : 0;
  const low = twice < 1 ? 0 : 1;
  const share = Math.round((twice - low) * 100);
  return `color-mix(in oklab, var(--tl-memory-${low}), var(--tl-memory-${low + 1}) ${share}%)`;
}
