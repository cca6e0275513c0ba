// Programs that show one thing each, with their leaves. Pure.

const leaf = (shape, data) => ({ shape, data, grad: true });

export const PRESETS = {
  "two ways": { source: "a = x * w; z = a * a + a.exp()", leaves: { x: leaf([], [1]), w: leaf([], [2]) } },
  stretched: {
    source: "z = (x * w + b).sum()",
    leaves: { x: leaf([2, 3], [1, 2, 3, -3, -2, -1]), w: leaf([3], [0.5, -0.25, 0.25]), b: leaf([], [0.5]) },
  },
  overwritten: { source: "h = x.exp(); h *= 2; z = h.sum()", leaves: { x: leaf([2], [0, 1]) } },
  "written and fine": { source: "h = x.sin(); h *= 2; z = h.sum()", leaves: { x: leaf([2], [0, 1]) } },
};
