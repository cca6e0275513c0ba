// The sentences of the Indexing Lab. No DOM here.
import { tuple } from "../shared/layout.js";
import { plural } from "../shared/words.js";
import { timesNamed } from "./engine.js";

const BYTES = 8;                    // of an int64

// What an index makes.
export function takenText(taken) {
  if (taken.kind === "view") {
    return `A view of shape ${tuple(taken.shape)}: strides ${tuple(taken.stride)}, `
      + `offset ${taken.offset}, 0 bytes moved. `
      + "Writing into it writes into x.";
  }
  return `A gathered copy of shape ${tuple(taken.shape)}: ${plural(taken.sources.length * BYTES, "byte")} moved into a new storage. `
    + "Writing into it leaves x as it is.";
}

// What x[index] += 1 does, and where duplicates are lost.
export function addedText(shape, taken) {
  const times = timesNamed(shape, taken.sources);
  const most = Math.max(0, ...times);
  const named = times.filter((time) => time > 0).length;
  if (taken.kind === "view" || most < 2) {
    return `x[index] += 1 adds 1 to ${plural(named, "element")} of `
      + `x${taken.kind === "copy" ? ": it gathers, adds, and writes back" : ""}.`;
  }
  return `Some elements are named up to ${most} times. x[index] += 1 gathers first and writes back, so each gets 1 once; `
    + "index_put_ with accumulate=True adds every time.";
}

export function spokenState({ shape, index, told }, taken) {
  const what = `x of shape ${tuple(shape)}, x[${index}]`;
  if (!told) return `${what}: a view or a gather?`;
  return taken.refusal === undefined ? `${what}. ${takenText(taken)}` : `${what} raises an error: ${taken.refusal}.`;
}

