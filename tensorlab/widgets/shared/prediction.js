// Predicting: a switch, the question that stands open, and the score. What is asked is each lab's own.
import { h } from "./dom.js";

export class Prediction {
  // `changed()` when the picture must be drawn anew.
  constructor({ changed, label = "Predict" }) {
    this.changed = changed;
    this.state = "off";                         // off → asking → told → asking → …
    [this.right, this.asked] = [0, 0];
    this.button = h("button", {
      type: "button", class: "tlw-button", "aria-pressed": "false", onclick: () => this.toggle(),
    }, label);
  }

  get on() { return this.state !== "off"; }

  get asking() { return this.state === "asking"; }

  get told() { return this.state === "told"; }

  toggle() {
    const on = !this.on;
    [this.right, this.asked] = [0, 0];
    this.button.setAttribute("aria-pressed", String(on));
    this.state = on ? "asking" : "off";
    this.changed();
  }

  ask() {
    this.state = "asking";
    this.changed();
  }

  // The reader has committed; says how it went so far.
  tell(right) {
    this.state = "told";
    this.asked += 1;
    if (right) this.right += 1;
    return this.score;
  }

  get score() { return `${this.right} of ${this.asked} right so far.`; }
}
