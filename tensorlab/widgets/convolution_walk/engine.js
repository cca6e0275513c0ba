// Windows of an image as a view, in either order of its channels: strides, cells, cache lines, and the bytes of im2col.
// The rules are those of the library's unfold. No DOM here.
import { defaultStrides, flatIndex, numel } from "../shared/layout.js";
import { attempt, refuse } from "../shared/refusal.js";
import { sliced, windows } from "../shared/views.js";

export const LAYOUTS = ["NCHW", "NHWC"];
export const LINES = [16, 32, 64];        // bytes of a cache line
export const SEES = ["all", "one"];       // the channels that a window reads
export const MOST_CELLS = 256;            // of the image with its padding
export const ITEMSIZE = 4;                // float32

// The image's shape with its zeros around it, (1, channels, height, width).
export function paddedShape({ image: [channels, height, width], padding }) {
  return [1, channels, height + 2 * padding, width + 2 * padding];
}

export function imageStrides(shape, layout) {
  const [, channels, height, width] = shape;
  if (layout === "NCHW") return defaultStrides(shape);
  return [channels * height * width, 1, width * channels, channels];
}

// All windows, [image, channel, down, across, row, column], as { shape, stride }.
export function windowView(state, layout) {
  const { kernel, stride, dilation } = state;
  const shape = paddedShape(state);
  const span = dilation * (kernel - 1) + 1;
  let view = { shape, stride: imageStrides(shape, layout) };
  for (const dim of [2, 3]) view = windows(view.shape, view.stride, dim, span, stride);
  for (const dim of [4, 5]) view = sliced(view.shape, view.stride, dim, 0, span, dilation);
  return { shape: view.shape, stride: view.stride };
}

// How many places a window has, down and across.
export function places(state) { return windowView(state, "NCHW").shape.slice(2, 4); }

// The elements of the padded image that the window at a place reads, each [channel, row, column].
export function read(state, [down, across]) {
  const { image: [channels], kernel, stride, dilation, sees } = state;
  const steps = Array.from({ length: kernel }, (_, k) => k * dilation);
  return Array.from({ length: sees === "all" ? channels : 1 }, (_, channel) => steps.map((row) => steps.map((column) =>
    [channel, down * stride + row, across * stride + column]))).flat(2);
}

// The storage cell of an element of the padded image.
export function cellOf(state, layout, element) {
  const shape = paddedShape(state);
  return flatIndex([0, ...element], imageStrides(shape, layout));
}

// The cache lines that the window at a place touches, in order of the storage.
export function linesTouched(state, layout, place) {
  const lines = read(state, place).map((element) => Math.floor((cellOf(state, layout, element) * ITEMSIZE) / state.line));
  return [...new Set(lines)].sort((a, b) => a - b);
}

// Bytes: of the padded image, and of the columns that im2col would write.
export function bytes(state) {
  return { image: ITEMSIZE * numel(paddedShape(state)), columns: ITEMSIZE * numel(windowView(state, "NCHW").shape) };
}

// What an element of the padded image holds: zeros around 0, 1, 2, …
export function valueAt({ image: [, height, width], padding }, [channel, row, column]) {
  const [i, j] = [row - padding, column - padding];
  if (i < 0 || j < 0 || i >= height || j >= width) return null;
  return (channel * height + i) * width + j;
}

const LEAST = { kernel: 1, stride: 1, padding: 0, dilation: 1 };

// { state } as it shall stand, or { refusal }.
export function check(state) {
  const { image, layout, sees, line } = state;
  return attempt(() => {
    if (image.length !== 3 || image.some((size) => size < 1)) {
      refuse("the image has three sizes, channels, height and width, each 1 or more");
    }
    for (const [name, least] of Object.entries(LEAST)) {
      if (state[name] < least) refuse(`the ${name} is ${least} or more, got ${state[name]}`);
    }
    const cells = numel(paddedShape(state));
    if (cells > MOST_CELLS) refuse(`the lab draws up to ${MOST_CELLS} elements; with its padding the image has ${cells}`);
    for (const [name, value, options] of [["layout", layout, LAYOUTS], ["sees", sees, SEES], ["line", line, LINES]]) {
      if (!options.includes(value)) refuse(`${name} is one of ${options.join(", ")}, got ${value}`);
    }
    const most = places(state);
    const place = most.map((count, k) => Math.min(Math.max(state.place[k] ?? 0, 0), count - 1));
    const { kernel, stride, padding, dilation } = state;
    return { state: { image: [...image], kernel, stride, padding, dilation, layout, sees, line, place } };
  });
}
