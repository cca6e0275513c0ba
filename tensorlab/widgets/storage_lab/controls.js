// The one line of controls: shape, stride, offset, cells, dtype. What a reader types is a draft over all fields
// together, so that a shape that only fits with other strides can be entered first and the strides after it.
import { h } from "../shared/dom.js";
import { Choice, NumberField } from "../shared/fields.js";
import { DTYPES, strideAfterShape, tuple } from "../shared/layout.js";
import { readNumber, readNumbers } from "../shared/numbers.js";

const FIELDS = [
  { name: "shape", many: true, kind: "shape" },
  { name: "stride", many: true, kind: "stride" },
  { name: "offset", many: false, kind: "offset" },
  { name: "cells", many: false, kind: "storage", label: "storage", spoken: "storage length in cells" },
];

export class Controls {
  constructor(lab, messageId) {
    this.lab = lab;
    this.fields = Object.fromEntries(FIELDS.map(({ name, many, kind, label = name, spoken = name }) => [name,
      new NumberField({
        name: label, spoken, kind, many, messageId,
        commit: () => this.commit(name),
        cancel: () => { this.show(); this.lab.refuse(null); },
      })]));
    this.dtype = new Choice({ name: "dtype", options: Object.keys(DTYPES), changed: () => this.commit("dtype") });
    this.element = h("div", { class: "tlw-controls", role: "group", "aria-label": "Layout" },
      Object.values(this.fields).map((field) => field.element), this.dtype.element);
    lab.listen((change) => { if (change === "layout") this.show(); });
    this.show();
  }

  // Writes the layout that stands into the fields.
  show() {
    const { layout, fixed } = this.lab;
    for (const { name, many } of FIELDS) this.fields[name].show(many ? layout[name].join(", ") : String(layout[name]));
    this.dtype.show(layout.dtype);
    this.dtype.input.disabled = fixed;
    if (fixed) this.fields.cells.disable(true);
  }

  // The fields as a layout, or the first refusal and the field that it belongs to.
  draft() {
    const layout = { dtype: this.dtype.input.value };
    for (const { name, many, label = name } of FIELDS) {
      const { value, refusal } = (many ? readNumbers : readNumber)(this.fields[name].text, `the ${label}`);
      if (refusal !== undefined) return { refusal, name };
      layout[name] = value;
    }
    return { layout };
  }

  commit(changed) {
    const before = this.lab.layout;
    const { layout, refusal, name } = this.draft();
    if (refusal !== undefined) {
      this.mark([name]);
      this.lab.refuse(refusal);
      return;
    }
    const strideUntouched = tuple(layout.stride) === tuple(before.stride);
    if (changed === "shape" && strideUntouched) {
      layout.stride = strideAfterShape(before.shape, before.stride, layout.shape);
    }
    if (JSON.stringify({ ...before, ...layout }) === JSON.stringify(before) && this.lab.refusal === null) {
      this.show();                                      // the same layout in another spelling
      return;
    }
    if (this.lab.propose(layout) !== null) {
      this.mark(FIELDS.map((field) => field.name).filter((field) => String(layout[field]) !== String(before[field])));
    }
  }

  mark(names) {
    for (const [name, field] of Object.entries(this.fields)) field.mark(names.includes(name));
  }
}
