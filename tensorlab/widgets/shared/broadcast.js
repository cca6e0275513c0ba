// Broadcasting: how shapes fit together. The same rules and the same words as tensorlab/core/broadcasting.py. A rule that
// does not hold refuses (see refusal.js). No DOM here.
import { tuple } from "./layout.js";
import { refuse } from "./refusal.js";

// The shape that these shapes broadcast to: sizes are aligned from the right, and a 1 stretches.
export function broadcastShapes(...shapes) {
  const ndim = Math.max(0, ...shapes.map((shape) => shape.length));
  const result = Array(ndim).fill(1);
  for (const shape of shapes) {
    for (let back = 1; back <= shape.length; back += 1) {
      const [size, dim] = [shape[shape.length - back], ndim - back];
      if (size === 1 || result[dim] === size) continue;
      if (result[dim] !== 1) {
        refuse(`The size of tensor a (${result[dim]}) must match the size of tensor b (${size}) at `
          + `non-singleton dimension ${dim}: shapes ${shapes.map(tuple).join(" and ")} are aligned from the right, `
          + "and two sizes must be equal or one of them 1");
      }
      result[dim] = size;
    }
  }
  return result;
}

// The strides that read a tensor as if it had the shape that it is broadcast to: 0 where it stretches.
export function broadcastStrides(shape, strides, newShape) {
  const lead = newShape.length - shape.length;
  const stretched = shape.map((size, dim) => (size === 1 && newShape[lead + dim] !== 1 ? 0 : strides[dim]));
  return [...Array(lead).fill(0), ...stretched];
}

// The strides of `expand`: as above, but new dimensions of size 1 get the stride that PyTorch gives them.
export function expandStrides(shape, strides, newShape) {
  const lead = newShape.length - shape.length;
  const sizes = `target sizes ${tuple(newShape)}, tensor sizes ${tuple(shape)}`;
  if (lead < 0) {
    refuse(`The number of sizes provided (${newShape.length}) must be greater or equal to the number of `
      + `dimensions in the tensor (${shape.length}): ${sizes}`);
  }
  for (const [k, size] of shape.entries()) {
    const [dim, wanted] = [lead + k, newShape[lead + k]];
    if (size !== 1 && size !== wanted) {
      refuse(`The expanded size of the tensor (${wanted}) must match the existing size (${size}) at `
        + `non-singleton dimension ${dim}: ${sizes}`);
    }
  }
  const steps = broadcastStrides(shape, strides, newShape);
  for (let dim = lead - 1; dim >= 0 && shape.length; dim -= 1) {
    if (newShape[dim] === 1) steps[dim] = newShape[dim + 1] * steps[dim + 1];
  }
  return steps;
}
