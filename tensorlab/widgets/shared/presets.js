// A row of named states of a lab.
import { h } from "./dom.js";

export class Presets {
  // `chosen(name)` when the reader takes one of `names`; `label` is what the row offers.
  constructor({ names, chosen, label = "Ways to read the storage" }) {
    this.buttons = names.map((name) => h("button", {
      type: "button", class: "tlw-button tlw-preset", "aria-pressed": "false", dataset: { preset: name },
      onclick: () => chosen(name),
    }, name));
    this.element = h("div", { class: "tlw-presets", role: "group", "aria-label": label }, this.buttons);
  }

  // `fits(name)` tells which of them there are, `stands(name)` which one is shown.
  show(fits, stands) {
    for (const button of this.buttons) {
      const { preset } = button.dataset;
      button.hidden = !fits(preset);
      button.setAttribute("aria-pressed", String(!button.hidden && stands(preset)));
    }
    this.element.hidden = this.buttons.every((button) => button.hidden);
  }
}
