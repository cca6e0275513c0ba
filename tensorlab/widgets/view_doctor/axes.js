// The dimensions as cards in a row, and between them the borders that the reader brackets.
import { h } from "../shared/dom.js";
import { letter } from "../shared/words.js";
import { borders } from "./engine.js";
import { borderText } from "./words.js";

const NEXT = { open: "merge", merge: "apart", apart: "open" };
const SHOWN = { open: "?", merge: "merge", apart: "apart" };

export class Axes {
  // `marked(border, mark)` when the reader changes a bracket.
  constructor({ marked }) {
    this.marked = marked;
    const label = "Dimensions and the borders between them";
    this.element = h("div", { class: "tlw-axes", role: "group", "aria-label": label });
  }

  draw({ shape, stride, marks, told }) {
    const truth = borders(shape, stride);
    const focused = [...this.element.querySelectorAll("button")].indexOf(document.activeElement);
    this.element.replaceChildren(...shape.flatMap((size, dim) => [
      dim ? this.border(truth[dim - 1], marks[dim - 1], told) : [],
      h("div", { class: "tlw-axis-card tlw-mono" },
        h("span", { class: "tlw-axis-name" }, `${dim} (${letter(dim, shape.length)})`),
        h("span", { class: "tlw-axis-size" }, "size ", h("b", {}, String(size))),
        h("span", { class: "tlw-axis-stride" }, "stride ", h("b", {}, String(stride[dim])))),
    ].flat()));
    if (focused >= 0) this.element.querySelectorAll("button")[focused]?.focus({ preventScroll: true });
  }

  border(border, mark, told) {
    const [outer, inner] = border.dims;
    const truth = border.merges ? "merge" : "apart";
    const shown = told ? truth : mark;
    const verdict = told && mark !== "open" ? (mark === truth ? "✓ as you said" : `✗ you said ${mark}`) : null;
    const missed = told && mark !== "open" && mark !== truth;
    return h("div", { class: `tlw-border tlw-border-${shown}${missed ? " tlw-missed" : ""}` },
      h("span", { class: "tlw-bracket", "aria-hidden": "true" }),
      h("button", {
        type: "button", class: "tlw-button", disabled: told ? "" : null, title: told ? borderText(border) : null,
        "aria-label": `${SHOWN[shown]}: dimensions ${outer} and ${inner}`,
        onclick: () => this.marked(outer, NEXT[mark]),
      }, SHOWN[shown]),
      told ? h("span", { class: "tlw-equation tlw-mono" }, border.free ? "free"
        : `${border.has} ${border.merges ? "=" : "≠"} ${border.needs.join("·")}`) : null,
      verdict ? h("span", { class: "tlw-verdict" }, verdict) : null);
  }
}
