// The sentences of the View Doctor. No DOM here.
import { numel, tuple } from "../shared/layout.js";
import { plural } from "../shared/words.js";
import { cuts, runs } from "./engine.js";

export const BYTES = 4;             // of a float32, which the doctor takes the elements to be

// Why a border merges or does not.
export function borderText({ dims: [outer, inner], merges, free, has, needs: [size, step] }) {
  if (free) return `A size of 1 or 0 is free: its stride is never used, so ${outer} and ${inner} merge.`;
  return merges
    ? `${has} = ${size}·${step}: dimension ${outer} goes on where dimension ${inner} ends. They merge.`
    : `${has} ≠ ${size}·${step} = ${size * step}: dimension ${outer} does not go on where dimension ${inner} ends.`;
}

export function runsText(shape, stride) {
  return runs(shape, stride).map(({ dims, size, step }) => (dims.length > 1
    ? `dimensions ${dims.join(", ")} are one run (${plural(size, "element")}, ${plural(step, "cell")} apart)`
    : `dimension ${dims[0]} is a run of its own (${plural(size, "element")}, ${plural(step, "cell")} apart)`)).join("; ");
}

// The sizes as the arguments of a call: (6, 4).
export function call(sizes) { return `(${sizes.length ? sizes.join(", ") : "()"})`; }

// What `view` answers: the strides and where they come from, or why there are none.
export function treatmentText({ shape, stride }, treated) {
  const wanted = call(treated.shape);
  if (treated.stride) {
    return `view${wanted} exists, with strides ${tuple(treated.stride)}: every new size cuts inside of one run. `
      + "reshape makes the same view and moves 0 bytes.";
  }
  const { straddling } = cuts(shape, stride, treated.shape);
  const [outer, inner] = treated.dims;
  const where = straddling === undefined ? "" : ` Size ${treated.shape[straddling]} of the new shape would lie across `
    + `that border.`;
  return `view${wanted} fails: dimensions ${outer} and ${inner} are not adjacent in memory.${where} `
    + `reshape copies ${plural(numel(shape) * BYTES, "byte")} into a new storage.`;
}

export function spokenLayout({ shape, stride, target }) {
  return `Shape ${tuple(shape)}, strides ${tuple(stride)}, to be viewed as ${tuple(target)}.`;
}
