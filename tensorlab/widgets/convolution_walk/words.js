// The sentences of the Convolution Walk. No DOM here.
import { numel, tuple } from "../shared/layout.js";
import { count, plural } from "../shared/words.js";
import { ITEMSIZE, LAYOUTS, bytes, linesTouched, places, read, windowView } from "./engine.js";

// The line of Python that makes the view.
export function line({ kernel, stride, padding, dilation, layout }) {
  const pad = padding ? `F.pad(x, (${Array(4).fill(padding).join(", ")}))` : "x";
  const format = layout === "NHWC" ? ".to(memory_format=tl.channels_last)" : "";
  const span = dilation * (kernel - 1) + 1;
  const apart = dilation > 1 ? `[..., ::${dilation}, ::${dilation}]` : "";
  return `${pad}${format}.unfold(2, ${span}, ${stride}).unfold(3, ${span}, ${stride})${apart}`;
}

export function placeName({ sees }, [down, across]) {
  return `windows[0, ${sees === "all" ? ":" : "0"}, ${down}, ${across}]`;
}

export function readText(state, place) {
  const numbers = read(state, place).length;
  return `reads ${plural(numbers, "number")}, ${count(numbers * ITEMSIZE)} B, and touches`;
}

// What a window costs in an order of the channels.
export function costText(state, layout, place) {
  const lines = linesTouched(state, layout, place).length;
  return `${plural(lines, "line")}, ${count(lines * state.line)} B`;
}

export function columnsText(state) {
  const { image, columns } = bytes(state);
  return `${count(columns)} B, ${Number((columns / image).toPrecision(3))} × the image`;
}

export function viewText(state) {
  const { shape } = windowView(state, state.layout);
  return `All windows show ${plural(numel(shape), "number")}. Beside the image they take:`;
}

export function spokenPlace(state, place) {
  const costs = LAYOUTS.map((layout) => `${costText(state, layout, place)} in ${layout}`);
  return `${placeName(state, place)} ${readText(state, place)} ${costs.join("; ")}.`;
}

export function spokenState(state) {
  const { shape, stride } = windowView(state, state.layout);
  const [down, across] = places(state);
  return `${plural(down * across, "window")}, a view of shape ${tuple(shape)} with strides ${tuple(stride)} `
    + `in ${state.layout}; im2col would write ${columnsText(state)}.`;
}
