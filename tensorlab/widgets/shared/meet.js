// What shapes broadcast to: the shape that comes out, and the strides with which it reads each dense operand.
import { broadcastShapes, broadcastStrides } from "./broadcast.js";
import { defaultStrides } from "./layout.js";
import { attempt } from "./refusal.js";

// { shape, strides }, or { refusal }.
export function meet(...shapes) {
  return attempt(() => {
    const shape = broadcastShapes(...shapes);
    return { shape, strides: shapes.map((own) => broadcastStrides(own, defaultStrides(own), shape)) };
  });
}
