// What an index takes of x = arange(numel).view(shape): a view, or a gathered copy. The same shapes, elements and
// reasons as the library's x[index]. No DOM here.
import { defaultStrides, flatIndex, numel, tuple, unravel } from "../shared/layout.js";
import { attempt, refuse } from "../shared/refusal.js";
import { sliced } from "../shared/views.js";
import { parseIndex } from "./parse.js";

export const MOST_DIMS = 3;
export const MOST_ELEMENTS = 144;

const list = (numbers) => `[${numbers.join(", ")}]`;

const SIGNS = {
  "==": (a, b) => a === b, "!=": (a, b) => a !== b, ">": (a, b) => a > b, "<": (a, b) => a < b,
  ">=": (a, b) => a >= b, "<=": (a, b) => a <= b,
};

// The coordinates where a comparison is true, one list a dimension.
function places(shape, { modulus, sign, number }) {
  const hits = Array.from({ length: numel(shape) }, (_, k) => k)
    .filter((k) => SIGNS[sign](modulus === null ? k : k % modulus, number)).map((k) => unravel(k, shape));
  return shape.map((_, dim) => hits.map((index) => index[dim]));
}

// How many dimensions of the tensor an item speaks of.
function uses({ kind }, ndim) { return kind === "compare" ? ndim : kind === "None" || kind === "..." ? 0 : 1; }

// The plain items as a view, and the lists that choose among its elements: { shape, stride, offset, chosen }, where
// chosen has { dim, values } with dim a dimension of the view.
function plainPart(whole, items) {
  const strides = defaultStrides(whole);
  const ndim = whole.length;
  const used = items.reduce((sum, item) => sum + uses(item, ndim), 0);
  if (used > ndim) refuse(`too many indices for tensor of dimension ${ndim}: got ${used}, and `
    + `shape ${tuple(whole)} takes ${ndim}`);
  const view = { shape: [], stride: [], offset: 0, chosen: [] };
  let dim = 0;
  const take = (count) => {
    view.shape.push(...whole.slice(dim, dim + count));
    view.stride.push(...strides.slice(dim, dim + count));
    dim += count;
  };
  for (const [position, item] of items.entries()) {
    const size = whole[dim];
    if (item.kind === "int") {
      if (item.value < -size || item.value >= size) {
        refuse(`index ${item.value} is out of bounds for dimension ${dim} with size ${size}: `
          + (size ? `use ${-size} … ${size - 1}` : "it has no elements"));
      }
      view.offset += (item.value < 0 ? item.value + size : item.value) * strides[dim];
      dim += 1;
    } else if (item.kind === "slice") {
      const part = sliced([size], [strides[dim]], 0, item.start ?? 0, item.stop ?? size, item.step ?? 1);
      view.offset += part.skipped;
      view.shape.push(part.shape[0]);
      view.stride.push(part.stride[0]);
      dim += 1;
    } else if (item.kind === "None") {
      view.shape.push(1);
      view.stride.push(dim < ndim ? whole[dim] * strides[dim] : 1);
    } else if (item.kind === "...") {
      take(ndim - used);
    } else if (item.kind === "compare") {
      const lists = places(whole, item);
      view.chosen.push(...lists.map((values, k) => ({ dim: view.shape.length + k, values })));
      take(ndim);
    } else {
      view.chosen.push({ dim: view.shape.length, position, ...item });
      take(1);
    }
  }
  take(ndim - dim);
  return view;
}

// Masks as the positions where they are true, positions checked and counted from the front.
function positions({ dim, kind = "list", values }, shape) {
  const size = shape[dim];
  if (kind === "mask") {
    if (values.length !== size) {
      refuse(`The shape of the mask [${values.length}] at index 0 does not match the shape of the indexed tensor `
        + `${list(shape)} at index ${dim}: a mask has the sizes of the dimensions that it chooses from`);
    }
    return values.flatMap((value, k) => (value ? [k] : []));
  }
  const wrong = values.findIndex((value) => value < -size || value >= size);
  if (wrong >= 0) {
    refuse(`index ${values[wrong]} is out of bounds for dimension ${dim} with size ${size} at (${wrong},) of the index: `
      + (size ? `use ${-size} … ${size - 1}` : "it has no elements"));
  }
  return values.map((value) => (value < 0 ? value + size : value));
}

function gathered(view) {
  const { shape, stride, offset } = view;
  const masks = view.chosen.map((one) => (one.kind === "mask" ? positions(one, shape) : one.values));
  const lengths = masks.map((values) => values.length);
  const count = lengths.includes(0) ? 0 : Math.max(...lengths);
  const odd = lengths.find((length) => length !== 1 && length !== (lengths.find((other) => other !== 1) ?? 1));
  if (odd !== undefined) {
    refuse(`shape mismatch: indexing tensors could not be broadcast together with shapes `
      + `${lengths.map((length) => `[${length}]`).join(", ")}: aligned from the right, two sizes `
        + `must be equal or one of them 1`);
  }
  const lists = view.chosen.map((one, k) => (one.kind === "mask" ? masks[k] : positions(one, shape)));
  const dims = view.chosen.map(({ dim }) => dim);
  const adjacent = dims.every((dim, k) => k === 0 || dim === dims[k - 1] + 1);
  const rest = shape.map((_, dim) => dim).filter((dim) => !dims.includes(dim));
  const before = adjacent ? rest.filter((dim) => dim < dims[0]) : [];
  const after = rest.filter((dim) => !before.includes(dim));
  const result = [...before.map((dim) => shape[dim]), count, ...after.map((dim) => shape[dim])];
  const sources = Array.from({ length: numel(result) }, (_, k) => {
    const index = unravel(k, result);
    const full = shape.map(() => 0);
    for (const [place, dim] of before.entries()) full[dim] = index[place];
    for (const [place, dim] of after.entries()) full[dim] = index[before.length + 1 + place];
    for (const [place, dim] of dims.entries()) {
      full[dim] = lists[place].length === 1 ? lists[place][0] : lists[place][index[before.length]];
    }
    return flatIndex(full, stride, offset);
  });
  return { kind: "copy", shape: result, sources };
}

// What x[index] is: { kind: "view", shape, stride, offset, sources } or { kind: "copy", shape, sources }, the sources
// being the places of x that its elements come from; or { refusal }.
export function take(shape, items) {
  return attempt(() => {
    const view = plainPart(shape, items);
    if (view.chosen.length) return gathered(view);
    const sources = Array.from({ length: numel(view.shape) }, (_, k) =>
      flatIndex(unravel(k, view.shape), view.stride, view.offset));
    return { kind: "view", shape: view.shape, stride: view.stride, offset: view.offset, sources };
  });
}

// How often each element of x is named.
export function timesNamed(shape, sources) {
  const times = Array(numel(shape)).fill(0);
  for (const source of sources) times[source] += 1;
  return times;
}

// { state } as it shall stand, or { refusal }.
export function check(state) {
  const { shape, index, says, guess, refused, told } = state;
  if (shape.some((size) => size < 1)) return { refusal: "sizes are 1 or more here" };
  if (shape.length > MOST_DIMS || shape.length < 1)
    return { refusal: `1 to ${MOST_DIMS} dimensions are drawn, got ${shape.length}` };
  const count = numel(shape);
  if (count > MOST_ELEMENTS) return { refusal: `the lab draws up to ${MOST_ELEMENTS} `
    + `elements; this would have ${count}` };
  const { items, refusal } = parseIndex(index);
  if (refusal !== undefined) return { refusal };
  const taken = take(shape, items);
  if (taken.sources?.length > 4 * MOST_ELEMENTS) return { refusal: "that takes more elements than the lab draws" };
  return { state: {
    shape, index: index.trim(), says: ["view", "copy"].includes(says) ? says : null, guess: guess ?? null,
    refused: Boolean(refused), told: Boolean(told),
  } };
}

// What is wrong with a prediction, one clause each.
export function mistakes({ shape, index, says, guess, refused }) {
  const taken = take(shape, parseIndex(index).items);
  if (refused !== (taken.refusal !== undefined)) return [refused ? "it works" : "it raises an error"];
  if (refused) return [];
  const wrong = [];
  if (says !== taken.kind) {
    wrong.push(taken.kind === "view" ? "numbers, slices, None and ... make a view" : "a list or a mask gathers a copy");
  }
  if (tuple(guess) !== tuple(taken.shape)) wrong.push(`the result has shape ${tuple(taken.shape)}`);
  return wrong;
}
