// The operation buttons, and the form of the one that is open: its numbers, what it would do, or the prediction.
import { h } from "../shared/dom.js";
import { NumberField } from "../shared/fields.js";
import { arrowStep, rove } from "../shared/keys.js";
import { readNumber, readNumbers } from "../shared/numbers.js";
import { apply } from "./engine.js";
import { Guess } from "./guess.js";
import { CALLS, FORMS, pythonText } from "./text.js";
import { outcome } from "./words.js";

export class Operations {
  // `names` are the operations that are offered; `now()` gives { step, dtype }; `perform(op)` applies one;
  // `predicting()` says whether to ask first.
  constructor({ names, now, perform, predicting, say, asked }) {
    Object.assign(this, { now, perform, predicting });
    this.open = null;
    this.buttons = names.map((name) => h("button", {
      type: "button", class: "tlw-button", "aria-pressed": "false", dataset: { operation: name },
      onclick: () => this.toggle(name),
    }, name));
    this.toolbar = h("div", {
      class: "tlw-operations", role: "toolbar", "aria-label": "Operations", onkeydown: (event) => this.key(event),
    }, this.buttons);
    if (names.length) rove(this.buttons, this.buttons[0]);
    this.preview = h("p", { class: "tlw-preview", role: "status" });
    this.panel = h("div", { class: "tlw-form", hidden: "" });
    this.element = h("div", { class: "tlw-operating" }, this.toolbar, this.panel);
    this.guess = new Guess({ say, done: (right) => asked(right) });
  }

  key(event) {
    const by = arrowStep(event)?.[1];
    const here = this.buttons.indexOf(document.activeElement);
    if (!by || here < 0) return;
    event.preventDefault();
    rove(this.buttons, this.buttons[Math.min(Math.max(here + by, 0), this.buttons.length - 1)]);
  }

  toggle(name) {
    this.open = this.open === name ? null : name;
    this.show();
    if (this.open) rove(this.buttons, this.buttons.find((button) => button.dataset.operation === name));
  }

  // Draws the form anew, for the tensor that stands now.
  show() {
    for (const button of this.buttons) {
      button.setAttribute("aria-pressed", String(button.dataset.operation === this.open));
    }
    this.panel.hidden = this.open === null;
    if (this.open === null) return;
    const { step } = this.now();
    const place = this.controls().indexOf(document.activeElement);
    this.fields = FORMS[this.open](step).map(({ name, many = false, start }) => {
      const field = new NumberField({
        name, many, least: many ? -1 : -8,
          kind: { shape: "shape", sizes: "shape", stride: "stride", offset: "offset" }[name],
        commit: () => this.update(), enter: () => this.go(), cancel: () => this.toggle(this.open),
      });
      field.show(many ? start.join(", ") : String(start));
      return { name, many, field };
    });
    this.go_ = h("button", { type: "button", class: "tlw-button tlw-go", onclick: () => this.go() }, "Apply");
    this.panel.replaceChildren(
      h("div", { class: "tlw-controls", role: "group", "aria-label": `Arguments of ${this.open}` },
        this.fields.map(({ field }) => field.element), this.predicting() ? null : this.go_),
      this.preview, this.predicting() ? this.guess.element : []);
    this.guess.clear();
    this.update();
    if (place >= 0) this.focus(place);
  }

  controls() {
    return [...this.panel.querySelectorAll("input, button")];
  }

  // The form is built anew after each operation: the focus stays where it was, or goes to the first field.
  focus(place) {
    const controls = this.controls().filter((control) => !control.disabled);
    (this.controls()[place]?.disabled === false ? this.controls()[place] : controls[0])?.focus({ preventScroll: true });
  }

  // The operation that the fields say, or null with a field marked.
  read() {
    const name = CALLS[this.open] ?? this.open;
    const args = [];
    for (const { name: what, many, field } of this.fields) {
      const { value, refusal } = (many ? readNumbers : readNumber)(field.text, what);
      field.mark(refusal !== undefined);
      if (refusal !== undefined) return { refusal };
      args.push(value);
    }
    return { op: [name, ...args] };
  }

  update() {
    const { step, dtype } = this.now();
    const { op, refusal } = this.read();
    this.next = op ? apply(step, op, dtype) : { refusal };
    this.op = op;
    const written = op && this.next.refusal === undefined ? `x${pythonText(op, step.shape)}` : null;
    const text = this.predicting()
      ? "What will come out? Commit to it, and the operation is applied."
      : outcome(this.next);
    this.preview.classList.toggle("tlw-wrong", !this.predicting() && this.next.refusal !== undefined);
    this.preview.replaceChildren(...[written && !this.predicting() ? h("code", { class: "tlw-mono" }, written) : null,
      written && !this.predicting() ? " " : null, text].filter(Boolean));
    this.go_.disabled = this.next.refusal !== undefined;
    if (this.predicting()) {
      const { op: wanted, next } = this;
      this.guess.about(next, () => { if (next.refusal === undefined) this.perform(wanted); });
    }
  }

  go() {
    this.update();
    if (this.predicting()) this.guess.focus();
    else if (this.next.refusal === undefined) this.perform(this.op);
  }
}
