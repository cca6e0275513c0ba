// The player's keys: first, back, play, forward, last, and the way as a slider. ← and → on the slider step.
import { h } from "../shared/dom.js";
import { placeText } from "./words.js";

const PACE = 1100;          // ms a step

export class Transport {
  // `moved(step)` when the reader goes to another step, `blocked()` where the way on is not open yet.
  constructor({ moved, blocked, signal }) {
    Object.assign(this, { moved, blocked });
    this.timer = 0;
    const key = (label, text, to) => h("button", {
      type: "button", class: "tlw-button", "aria-label": label, title: label,
      onclick: () => { this.pause(); this.go(to()); },
    }, text);
    this.first = key("first step", "⇤", () => 0);
    this.back = key("step back", "←", () => this.at - 1);
    this.forward = key("step forward", "→", () => this.at + 1);
    this.last = key("last step", "⇥", () => this.all);
    this.play = h("button", { type: "button", class: "tlw-button tlw-play", onclick: () => this.toggle() }, "Play");
    this.slider = h("input", {
      type: "range", min: 0, "aria-label": "step", oninput: () => { this.pause(); this.go(Number(this.slider.value)); },
    });
    this.place = h("span", { class: "tlw-place tlw-mono" });
    this.element = h("div", { class: "tlw-transport", role: "group", "aria-label": "Steps" },
      this.first, this.back, this.play, this.forward, this.last, this.slider, this.place);
    signal.addEventListener("abort", () => this.pause());
  }

  go(step) {
    const next = Math.min(Math.max(step, 0), this.most);
    if (next !== this.at) this.moved(next);
    else if (step > this.most && this.most < this.all) this.blocked();
  }

  get playing() { return this.timer !== 0; }

  toggle() {
    if (this.playing) {
      this.pause();
      return;
    }
    if (this.at === this.most) this.go(0);
    this.timer = setInterval(() => {
      this.go(this.at + 1);
      if (this.at >= this.most) this.pause();
    }, PACE);
    this.play.textContent = "Pause";
  }

  pause() {
    clearInterval(this.timer);
    this.timer = 0;
    this.play.textContent = "Play";
  }

  // `most` is where it ends for now, `all` the number of steps.
  draw({ at, most, forward, all }) {
    Object.assign(this, { at, most, all });
    this.slider.max = String(most);
    this.slider.value = String(at);
    const text = placeText(at, forward, all);
    this.slider.setAttribute("aria-valuetext", text);
    this.place.textContent = text;
    for (const button of [this.first, this.back]) this.disable(button, at === 0);
    for (const button of [this.forward, this.last]) this.disable(button, at === all);
    this.play.disabled = most === 0;
  }

  // A button that has the focus keeps it: it says that it does nothing, and is not taken away under the finger.
  disable(button, disabled) { button.setAttribute("aria-disabled", String(disabled)); }
}
