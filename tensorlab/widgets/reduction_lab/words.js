// The sentences of the Reduction Lab. No DOM here.
import { defaultStrides, numel, tuple } from "../shared/layout.js";
import { plural } from "../shared/words.js";
import { back, combine, reducedShape, squashed } from "./engine.js";

const MOST_TERMS = 12;

// A result in few characters, as a tensor prints it.
export function numberText(number) { return String(Number(number.toPrecision(4))); }

// `.sum(1, keepdim=True)`
export function call({ dims, keepdim, operation }) {
  const dim = dims.length === 0 ? "" : dims.length === 1 ? String(dims[0]) : tuple(dims);
  return `.${operation}(${dim}${keepdim ? ", keepdim=True" : ""})`;
}

// What one element of the result is made of.
export function fibreText(operation, values) {
  const shown = values.slice(0, MOST_TERMS).map(String).concat(values.length > MOST_TERMS ? ["…"] : []);
  const result = numberText(combine(operation, values));
  if (operation === "sum") return `${shown.join(" + ")} = ${result}`;
  if (operation === "mean") return `(${shown.join(" + ")}) / ${values.length} = ${result}`;
  if (operation === "amax") return `the largest of ${shown.join(", ")} is ${result}`;
  return `the largest of ${shown.join(", ")} stands first at ${result}`;
}

// How many fibres there are, how long they are, and how far apart their elements lie.
export function strideText({ shape, dims, keepdim }) {
  const gone = squashed(shape, dims);
  const strides = defaultStrides(shape);
  const each = numel(gone.map((dim) => shape[dim]));
  const result = reducedShape(shape, dims, keepdim);
  const steps = gone.map((dim) => plural(strides[dim], "cell")).join(" and ");
  return `${plural(numel(result), "result")} of shape ${tuple(result)}; each gathers ${plural(each, "element")}`
    + `${gone.length ? `, stepping ${steps} through the storage` : ""}.`;
}

// Whether x and its own result broadcast as they should. Places, which argmax gives, are nothing to divide by.
export function backText(state) {
  const { shape, dims, keepdim, operation } = state;
  if (operation === "argmax") return "argmax gives places along the squashed axis, counted "
    + "from 0; of equal ones the first.";
  const expression = `x / x${call(state)}`;
  const result = tuple(reducedShape(shape, dims, keepdim));
  const { kind, reason } = back(shape, dims, keepdim);
  if (kind === "fits") return `${expression} divides each element by what was made of its own `
    + `fibre: ${result} broadcasts to ${tuple(shape)}.`;
  if (kind === "refused") return `${expression} raises an error: ${reason}.`;
  return `${expression} runs and is wrong: shapes are aligned from the right, so ${result} is aligned with other dimensions `
    + `of ${tuple(shape)} than it was made of. keepdim=True keeps it in place.`;
}

export function spokenState(state) {
  const what = `x of shape ${tuple(state.shape)}, x${call(state)}`;
  return state.told ? `${what} has shape ${tuple(reducedShape(state.shape, state.dims, state.keepdim))}.` : `${what}.`;
}
