// The walk: steps through the elements in order, and counts the cache lines that it fetches.
import { h } from "../shared/dom.js";
import { Choice } from "../shared/fields.js";
import { DTYPES, numel } from "../shared/layout.js";
import { readNumber } from "../shared/numbers.js";
import { plural } from "../shared/words.js";
import { KEPT_LINES, cost, indexAt, walkSteps } from "./walking.js";
import { costText } from "./words.js";

const MOST_BARS = 256;
const WHOLE_WALK = 6000;          // ms, where a walk has many steps
const ONE_STEP = 450;             // ms at most
const SHOWN_STEPS = 60;           // a second; a long walk takes several steps at a time

export class Stroll {
  // `moved(index)` puts an element in hand; `changed(name, value)` sets the order or the line.
  constructor({ now, moved, changed, predicting, scored, say }) {
    Object.assign(this, { now, moved, predicting, scored, say });
    this.done = 0;
    this.timer = 0;
    this.order = new Choice({
      name: "walk", options: [["last", "last dimension fastest"], ["first", "first dimension fastest"]],
      changed: (value) => changed("walk", value),
    });
    this.line = new Choice({
      name: "cache line",
      options: [8, 16, 32, 64, 128].map((bytes) => [bytes, `${bytes} B${bytes === 64 ? ", as real ones" : ""}`]),
      changed: (value) => changed("line", Number(value)),
    });
    const button = (label, work) => h("button", { type: "button", class: "tlw-button", onclick: work }, label);
    this.stepper = button("Step", () => { this.pause(); this.step(1); });
    this.player = button("Walk", () => this.toggle());
    this.rewinder = button("Start over", () => this.rewind());
    this.strip = h("div", { class: "tlw-strip", "aria-hidden": "true" });
    this.told = h("p", { class: "tlw-cost" });
    this.question = h("form", { class: "tlw-guess", hidden: "", onsubmit: (event) => this.commit(event) });
    this.verdict = h("p", { class: "tlw-sentence", role: "status" });
    this.element = h("div", { class: "tlw-stroll", role: "group", "aria-label": "Walk" },
      h("div", { class: "tlw-controls" }, this.order.element, this.line.element,
        h("div", { class: "tlw-buttons" }, this.player, this.stepper, this.rewinder)),
      this.question, this.verdict, this.strip, this.told);
  }

  // Another tensor, order or cache line: the walk begins anew.
  begin() {
    this.pause();
    const { step, dtype, walk, line } = this.now();
    this.order.show(walk);
    this.line.show(line);
    this.perLine = Math.max(line / DTYPES[dtype], 1);
    this.steps = walkSteps(step, walk, this.perLine);
    this.guessed = null;
    this.verdict.textContent = "";
    const bars = this.steps.length <= MOST_BARS ? this.steps : [];
    this.strip.replaceChildren(...bars.map(() => h("i", {})));
    this.question.hidden = true;
    this.at(0);
  }

  rewind() {
    this.begin();
    this.takeHand(0);
  }

  at(done) {
    this.done = done;
    const { dtype, line } = this.now();
    for (const [k, bar] of [...this.strip.children].entries()) {
      bar.className = k >= done ? "" : this.steps[k].fetched ? "tlw-fetch" : "tlw-hit";
    }
    const total = this.steps.length;
    this.told.textContent = done
      ? costText(cost(this.steps, done, line, DTYPES[dtype]), total, line)
      : `The walk reads ${plural(total, "number")}; a small cache keeps the ${KEPT_LINES} lines used last.`;
    for (const control of [this.stepper, this.player]) control.disabled = total === 0;
    this.player.textContent = this.timer ? "Pause" : done > 0 && done < total ? "Go on" : "Walk";
  }

  takeHand(place) {
    const { step, walk } = this.now();
    if (numel(step.shape)) this.moved(indexAt(place, step.shape, walk));
  }

  // The cells read so far, the lines fetched so far, and those in the cache now.
  get seen() {
    const past = (this.steps ?? []).slice(0, this.done);
    return {
      cells: new Set(past.map(({ cell }) => cell)), lines: new Set(past.map(({ line }) => line)),
      cache: past.at(-1)?.cache ?? [],
    };
  }

  step(by) {
    if (this.mustAsk()) return;
    const from = this.done >= this.steps.length ? 0 : this.done;
    this.at(Math.min(from + by, this.steps.length));
    this.takeHand(this.done - 1);
    if (this.done === this.steps.length) this.finish();
  }

  toggle() {
    if (this.timer) {
      this.pause();
      this.at(this.done);
      this.takeHand(this.done - 1);             // now the kernel hears of it too
      return;
    }
    if (this.mustAsk()) return;
    if (window.matchMedia("(prefers-reduced-motion: reduce)").matches) {
      this.step(this.steps.length);
      return;
    }
    if (this.done >= this.steps.length) this.at(0);
    const pace = Math.min(ONE_STEP, WHOLE_WALK / this.steps.length);
    const by = Math.max(1, Math.round(1000 / SHOWN_STEPS / pace));
    this.timer = setInterval(() => this.step(by), Math.max(pace, 1000 / SHOWN_STEPS));
    this.step(by);
  }

  pause() {
    clearInterval(this.timer);
    this.timer = 0;
  }

  finish() {
    this.pause();
    this.at(this.done);
    this.takeHand(this.done - 1);
    if (this.guessed !== null) this.reveal();
    else this.say(this.told.textContent);
  }

  // ---- the prediction

  mustAsk() {
    if (!this.predicting() || this.guessed !== null || this.steps.length === 0) return false;
    this.field = h("input", { type: "text", inputmode: "numeric", size: 4, autocomplete: "off" });
    this.question.replaceChildren(
      h("label", {}, "How many times will the walk fetch a cache line? ", this.field),
      h("button", { type: "submit", class: "tlw-button" }, "Commit"));
    this.question.hidden = false;
    this.verdict.textContent = "";
    this.at(0);
    this.field.focus({ preventScroll: true });
    return true;
  }

  commit(event) {
    event.preventDefault();
    const { value, refusal } = readNumber(this.field.value, "the number of fetches");
    this.verdict.textContent = refusal === undefined ? "" : `${refusal}.`;
    if (refusal !== undefined) return;
    this.guessed = value;
    this.question.hidden = true;
    this.player.focus({ preventScroll: true });
    this.toggle();
  }

  reveal() {
    const fetched = this.steps.filter((step) => step.fetched).length;
    const right = this.guessed === fetched;
    const score = this.scored(right);
    this.verdict.classList.toggle("tlw-wrong", !right);
    this.verdict.textContent = `${right ? "Right" : `Not ${this.guessed}`}: ${plural(fetched, "fetch", "fetches")}. ${score}`;
    this.guessed = null;
    this.say(this.verdict.textContent);
  }
}
