// Finite differences: the gradient without a graph, two forward passes an element. No DOM here.
import { run, tensorsOf } from "./engine.js";

const STEP = 1e-5;                  // near the cube root of float64's rounding, where both errors are smallest

function resultAt(program, leaves, leaf, place, value) {
  const { shape, data, grad } = leaves[leaf];
  const moved = { ...leaves, [leaf]: { shape, grad, data: data.with(place, value) } };
  return run(program, tensorsOf(moved)).at(-1).data[0];
}

// For each element of a leaf (f(x + h) − f(x − h)) / 2h.
export function differences(program, leaves, leaf) {
  return leaves[leaf].data.map((number, place) => {
    const h = STEP * Math.max(1, Math.abs(number));
    const [above, below] = [number + h, number - h];
    const [one, other] = [above, below].map((value) => resultAt(program, leaves, leaf, place, value));
    return (one - other) / (above - below);
  });
}
