// The lab's one state, over the model that the kernel (or the static page) holds. The model may be set from
// anywhere: this page, Python, a linked slider. Only a layout that fits is ever shown; what does not fit leaves
// the last one standing and gives a reason.
import { checkBounds, checkIndex, handAfterShape, numel } from "../shared/layout.js";
import { sampleText } from "../shared/sample.js";
import { pythonLine } from "./python.js";
import { refusalOf } from "./state.js";

const LAYOUT = ["shape", "stride", "offset", "cells", "dtype"];
const WATCHED = [...LAYOUT, "hand", "_values", "_values_start"];

export class Lab {
  constructor(model, signal) {
    this.model = model;
    this.listeners = [];
    this.refusal = null;
    this.heard = null;                          // what the model said last
    this.fixed = model.get("_fixed");           // a given tensor: its storage and dtype are what they are
    this.name = this.fixed ? model.get("name") : null;
    const { hand, ...start } = model.get("_start");
    this.start = { ...start, hand };            // what `reset` goes back to
    this.layout = start;                        // stands in until the model's own, if that one does not fit
    this.hand = hand;
    let waiting = false;
    const later = () => {                       // shape, stride and offset come one by one: read them together
      if (waiting) return;
      waiting = true;
      queueMicrotask(() => {
        waiting = false;
        if (!signal.aborted) this.read();
      });
    };
    for (const name of WATCHED) model.on(`change:${name}`, later);
    signal.addEventListener("abort", () => { for (const name of WATCHED) model.off(`change:${name}`, later); });
    this.read();
  }

  listen(listener) { this.listeners.push(listener); }

  tell(change) { for (const listener of this.listeners) listener(change); }

  // Takes over what the model says, where it fits, and tells what is new there. What this page set itself comes
  // back here as well, and is not new; so a draft that was refused stays while the reader looks at other cells.
  read() {
    const layout = Object.fromEntries(LAYOUT.map((name) => [name, this.model.get(name)]));
    this.values = this.model.get("_values");
    const says = JSON.stringify([layout, this.values]);
    const news = says !== this.heard;
    this.heard = says;
    if (news) {
      this.refusal = refusalOf(layout);
      if (this.refusal === null) this.layout = layout;
    }
    const hand = this.model.get("hand");
    const checked = hand === null ? {} : checkIndex(hand, this.layout.shape);
    const held = String(this.hand);
    this.hand = checked.index ?? handAfterShape(this.hand, this.layout.shape);
    if (news) this.tell("layout");
    else if (String(this.hand) !== held) this.tell("hand");
  }

  // Sets the layout if it fits; answers with null, or with the reason why it does not.
  propose(candidate) {
    const { hand: wanted, ...changes } = candidate;
    const layout = { ...this.layout, ...changes };
    const refusal = refusalOf(layout);
    if (refusal !== null) {
      this.refuse(refusal);
      return refusal;
    }
    const hand = wanted === undefined ? handAfterShape(this.hand, layout.shape) : wanted;
    // The storage of a given tensor is not ours to change, so those two traits are never sent back.
    const names = LAYOUT.filter((name) => !this.fixed || !["cells", "dtype"].includes(name));
    for (const name of names) this.model.set(name, layout[name]);
    this.model.set("hand", hand);
    this.model.save_changes();
    this.heard = null;                          // also where the model said the same before
    this.read();
    return null;
  }

  refuse(reason) {
    this.refusal = reason;
    this.tell("refusal");
  }

  take(index) {
    this.hand = index;
    this.model.set("hand", index);
    this.model.save_changes();
    this.tell("hand");
  }

  reset() {
    this.propose(this.start);
  }

  get count() { return numel(this.layout.shape); }

  get reached() {
    const { shape, stride, offset, cells } = this.layout;
    return checkBounds(shape, stride, offset, cells).reached;
  }

  // What a storage cell holds, as text: known for a sample storage, sent by the kernel for a given one.
  textAt(cell) {
    if (!this.fixed) return sampleText(cell, this.layout.dtype);
    return this.values[cell - this.model.get("_values_start")] ?? "·";
  }

  get line() { return pythonLine(this.layout, this.name, this.start); }
}
