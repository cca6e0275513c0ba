// The sentences that the lab shows, reads aloud and writes into its text twin. No DOM here.
import { DTYPES, flatIndex, isContiguous, numel, tuple } from "../shared/layout.js";
import { bracket, count, plural } from "../shared/words.js";

// What a screen reader says when an element is taken in hand.
export function spokenElement(index, layout, value) {
  const { stride, offset, dtype } = layout;
  const cell = flatIndex(index, stride, offset);
  const terms = [`offset ${offset}`, ...index.map((i, dim) => `${i} times ${stride[dim]}`)];
  return `${bracket(index)}, value ${value}, storage cell ${cell}: ${terms.join(" plus ")}; `
    + `byte ${cell * DTYPES[dtype]}.`;
}

// A storage cell: who lies in it. `most` is where the search stopped.
export function cellSentence(cell, reaching, most) {
  const who = `Storage cell ${count(cell)}`;
  if (reaching.length === 0) return `${who} rests: no element of the tensor lies in it.`;
  if (reaching.length === 1) return `${who} is reached by ${bracket(reaching[0])}.`;
  const shown = reaching.slice(0, 4).map(bracket).join(", ");
  const more = reaching.length > 4 ? ", …" : "";
  return `${who} is shared by ${sharers(reaching, most)}: ${shown}${more}.`;
}

export function sharers(reaching, most) {
  return `${reaching.length === most ? "at least " : ""}${plural(reaching.length, "element")}`;
}

// The facts under the picture, each { name, value }.
// `pointer` is the address of the storage in decimal digits, or empty: a sample storage has none.
export function facts({ shape, stride, offset, cells, dtype }, pointer) {
  const size = DTYPES[dtype];
  const elements = numel(shape);
  const list = [
    { name: "numel", value: count(elements) },
    { name: "itemsize", value: `${size} B` },
    { name: "tensor", value: `${count(elements)} × ${size} B = ${count(elements * size)} B` },
    { name: "storage", value: `${count(cells)} × ${size} B = ${count(cells * size)} B` },
    { name: "contiguous", value: isContiguous(shape, stride) ? "yes" : "no" },
  ];
  if (pointer) {
    const address = BigInt(pointer) + BigInt(offset * size);
    list.push({ name: "data_ptr", value: `0x${address.toString(16)}` });
  }
  return list;
}

export function spokenLayout({ shape, stride, offset, cells, dtype }) {
  const order = isContiguous(shape, stride) ? "contiguous" : "not contiguous";
  return `Shape ${tuple(shape)}, strides ${tuple(stride)}, offset ${offset}, ${dtype}: `
    + `${plural(numel(shape), "element")} over a storage of ${plural(cells, "cell")}, ${order}.`;
}
