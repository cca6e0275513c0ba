// A row of named ways to read a storage.
import { h } from "./dom.js";

export class Presets {
  // `chosen(name)` when the reader takes one of `names`.
  constructor({ names, chosen }) {
    this.buttons = names.map((name) => h("button", {
      type: "button", class: "tlw-button tlw-preset", "aria-pressed": "false", dataset: { preset: name },
      onclick: () => chosen(name),
    }, name));
    this.element = h("div", { class: "tlw-presets", role: "group", "aria-label": "Ways to read the storage" }, this.buttons);
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
