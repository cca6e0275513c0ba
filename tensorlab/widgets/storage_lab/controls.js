// The one line of controls: shape, stride, offset, cells, dtype. What a reader types is a draft over all fields
// together, so that a shape that only fits with other strides can be entered first and the strides after it.
import { h } from "../shared/dom.js";
import { DTYPES, strideAfterShape, tuple } from "../shared/layout.js";
import { readNumber, readNumbers } from "../shared/numbers.js";

const FIELDS = [
  { name: "shape", many: true, kind: "shape" },
  { name: "stride", many: true, kind: "stride" },
  { name: "offset", many: false, kind: "offset" },
  { name: "cells", many: false, kind: "storage", label: "storage" },
];

// The number in `text` that the caret stands in or after: its start and end. With no caret, the last one.
export function numberAt(text, caret) {
  const spans = [...text.matchAll(/[+-]?\d+/g)].map((match) => [match.index, match.index + match[0].length]);
  return spans.find(([, end]) => caret <= end) ?? spans.at(-1) ?? null;
}

export class Controls {
  constructor(lab, messageId) {
    this.lab = lab;
    this.inputs = {};
    const fields = FIELDS.map((field) => this.field(field, messageId));
    this.dtype = h("select", { "aria-label": "dtype", onchange: () => this.commit("dtype") },
      Object.keys(DTYPES).map((name) => h("option", { value: name }, name)));
    this.element = h("div", { class: "tlw-controls", role: "group", "aria-label": "Layout" }, fields,
      h("div", { class: "tlw-field" }, h("span", { class: "tlw-field-name" }, "dtype"), this.dtype));
    lab.listen((change) => { if (change === "layout") this.show(); });
    this.show();
  }

  field({ name, many, kind, label = name }, messageId) {
    const input = h("input", {
      type: "text", inputmode: many ? "text" : "numeric", autocomplete: "off", spellcheck: "false",
      placeholder: many ? "( )" : null,
      "aria-label": label === "storage" ? "storage length in cells" : label,
      "aria-describedby": messageId, size: many ? 6 : 3,
      onkeydown: (event) => this.key(event, name),
      onchange: () => this.commit(name),
    });
    this.inputs[name] = input;
    const step = (by, sign, word) => h("button", {
      type: "button", class: "tlw-step", tabindex: "-1", "aria-label": `${word} ${label}`,
      onmousedown: (event) => event.preventDefault(),     // the caret stays in the field that it is in
      onclick: () => this.step(name, by),
    }, sign);
    return h("div", { class: `tlw-field tlw-kind-${kind}` },
      h("span", { class: "tlw-field-name", onclick: () => input.focus() }, label),
      h("span", { class: "tlw-field-box" }, step(-1, "−", "decrease"), input, step(1, "+", "increase")));
  }

  // Writes the layout that stands into the fields.
  show() {
    const { layout, fixed } = this.lab;
    for (const { name, many } of FIELDS) {
      const input = this.inputs[name];
      input.value = many ? layout[name].join(", ") : String(layout[name]);
      input.removeAttribute("aria-invalid");
      for (const button of this.steps(name)) button.disabled = numberAt(input.value, 0) === null;
    }
    this.dtype.value = layout.dtype;
    for (const control of [this.dtype, this.inputs.cells]) control.disabled = fixed;
    for (const button of this.steps("cells")) button.disabled = fixed;
  }

  steps(name) { return this.inputs[name].parentElement.querySelectorAll("button"); }

  key(event, name) {
    const by = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (by !== undefined && !event.altKey && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      this.step(name, by);
    } else if (event.key === "Enter") {
      event.preventDefault();
      this.commit(name);
    } else if (event.key === "Escape") {
      event.preventDefault();
      this.show();
      this.lab.refuse(null);
    }
  }

  step(name, by) {
    const input = this.inputs[name];
    const caret = document.activeElement === input ? input.selectionStart : Infinity;
    const span = numberAt(input.value, caret);
    if (span === null) return;
    const [start, end] = span;
    const number = Math.max(Number(input.value.slice(start, end)) + by, 0);
    const place = input.value.slice(0, start);
    input.value = `${place}${number}${input.value.slice(end)}`;
    this.commit(name);
    if (document.activeElement === input) {
      const stop = numberAt(input.value, Math.min(caret, start + String(number).length))?.[1] ?? 0;
      input.setSelectionRange(stop, stop);
    }
  }

  // The fields as a layout, or the first refusal and the field that it belongs to.
  draft() {
    const layout = { dtype: this.dtype.value };
    for (const { name, many, label = name } of FIELDS) {
      const { value, refusal } = (many ? readNumbers : readNumber)(this.inputs[name].value, `the ${label}`);
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
    for (const { name } of FIELDS) {
      if (names.includes(name)) this.inputs[name].setAttribute("aria-invalid", "true");
      else this.inputs[name].removeAttribute("aria-invalid");
    }
  }
}
