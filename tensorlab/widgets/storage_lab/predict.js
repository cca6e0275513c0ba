// Predict: the reader takes an element and commits to its storage cell before the answer is shown.
import { h } from "../shared/dom.js";
import { flatIndex, unravel } from "../shared/layout.js";
import { readNumber } from "../shared/numbers.js";
import { addressLines } from "../shared/sums.js";
import { bracket } from "../shared/words.js";

export class Predict {
  // `changed()` when the picture must be drawn anew, `say(text)` for the screen reader.
  constructor(lab, { changed, say }) {
    this.lab = lab;
    this.say = say;
    this.changed = changed;
    this.state = "off";                       // off → asking → told → asking → …
    this.guess = null;
    [this.right, this.asked] = [0, 0];
    this.button = h("button", {
      type: "button", class: "tlw-button", "aria-pressed": "false", onclick: () => this.toggle(),
    }, "Predict");
  }

  get asking() { return this.state === "asking"; }

  get missed() { return this.state === "told" && this.guess !== this.answer ? this.guess : null; }

  get answer() {
    const { stride, offset } = this.lab.layout;
    return flatIndex(this.lab.hand, stride, offset);
  }

  toggle() {
    if (this.state !== "off") this.stop();
    else {
      [this.right, this.asked] = [0, 0];
      this.button.setAttribute("aria-pressed", "true");
      this.next();
    }
  }

  stop() {
    this.state = "off";
    this.guess = null;
    this.button.setAttribute("aria-pressed", "false");
    this.changed();
  }

  // Another element than the one in hand, where there is another.
  next() {
    const { lab } = this;
    if (lab.hand !== null) {
      const { shape } = lab.layout;
      const here = flatIndex(lab.hand, shape.map((_, dim) => shape.slice(dim + 1).reduce((a, b) => a * b, 1)));
      const step = lab.count > 1 ? 1 + Math.floor(Math.random() * (lab.count - 1)) : 0;
      lab.take(unravel((here + step) % lab.count, shape));
    }
    this.ask();
  }

  again() {
    this.next();
    this.field.focus({ preventScroll: true });
  }

  // Opens the question about the element in hand.
  ask() {
    this.state = "asking";
    this.guess = null;
    this.changed();
    if (this.lab.hand !== null) this.say(`${this.question()} Answer in the field, or choose a storage cell.`);
  }

  question() { return `In which storage cell does ${bracket(this.lab.hand)} lie?`; }

  commit(cell) {
    if (!this.asking || this.lab.hand === null) return;
    this.guess = cell;
    this.state = "told";
    this.asked += 1;
    if (cell === this.answer) this.right += 1;
    this.changed();
    // What had the focus, the field or a storage cell, was drawn anew: the keyboard goes on at `Next`.
    this.following.focus({ preventScroll: true });
    this.say(this.verdict());
  }

  verdict() {
    const where = `${bracket(this.lab.hand)} lies in cell ${this.answer}`;
    const score = `${this.right} of ${this.asked} right so far.`;
    return this.guess === this.answer ? `Right: ${where}. ${score}` : `Not ${this.guess}: ${where}. ${score}`;
  }

  // What stands in the reading's place while predicting.
  show(reading) {
    const { lab } = this;
    if (lab.hand === null) return reading.empty();
    if (this.asking) return reading.fill(...this.questionLines());
    const wrong = this.guess !== this.answer;
    this.following = h("button", { type: "button", class: "tlw-button", onclick: () => this.again() }, "Next");
    reading.fill(
      h("p", { class: `tlw-sentence${wrong ? " tlw-wrong" : ""}` }, this.verdict()),
      ...addressLines(lab.hand, lab.layout, true), h("p", {}, this.following));
    return undefined;
  }

  questionLines() {
    const problem = h("span", { class: "tlw-wrong", role: "alert" });
    this.field = h("input", {
      type: "text", inputmode: "numeric", size: 4, autocomplete: "off", "aria-label": "storage cell",
    });
    const form = h("form", {
      class: "tlw-guess",
      onsubmit: (event) => {
        event.preventDefault();
        const { value, refusal } = readNumber(this.field.value, "the storage cell");
        if (refusal === undefined) this.commit(value);
        else problem.textContent = `${refusal}.`;
      },
    }, this.field, h("button", { type: "submit", class: "tlw-button" }, "Commit"), problem);
    return [
      h("p", { class: "tlw-sentence" }, this.question(), " Click it below, or type its number."),
      ...addressLines(this.lab.hand, this.lab.layout, false), form,
    ];
  }
}
