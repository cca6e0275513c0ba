// The two shapes over each other as rows of sizes. Before the answer the reader moves the shorter one and marks what
// stretches; after it every column says what happened there.
import { h } from "../shared/dom.js";
import { arrowStep } from "../shared/keys.js";
import { meet } from "../shared/meet.js";
import { columns } from "./engine.js";

export class Align {
  // `moved(shift)`, `marked(operand, column)` when the reader changes the prediction.
  constructor({ moved, marked }) {
    Object.assign(this, { moved, marked });
    this.element = h("div", { class: "tlw-align", role: "group", "aria-label": "The two shapes" });
  }

  draw(state) {
    const { a, b, told } = state;
    const focused = this.element.contains(document.activeElement) ? document.activeElement.dataset.spot : null;
    const ndim = Math.max(a.length, b.length);
    this.element.style.setProperty("--dims", Math.max(ndim, 1));
    const truth = columns(a, b);
    const rows = ["a", "b"].map((name, k) => this.row(state, name, k, truth));
    const result = told ? this.result(truth, meet(a, b)) : [];
    this.element.replaceChildren(...rows, ...[result].flat());
    if (focused) this.element.querySelector(`[data-spot="${focused}"]`)?.focus({ preventScroll: true });
  }

  // Where the first size of a shape stands.
  lead(state, name) {
    const gap = Math.max(state.a.length, state.b.length) - state[name].length;
    return state.told ? gap : Math.min(state.shift, gap);
  }

  row(state, name, operand, truth) {
    const shape = state[name];
    const ndim = truth.length;
    const gap = ndim - shape.length;
    const lead = this.lead(state, name);
    const cells = Array.from({ length: ndim }, (_, column) => this.cell(state, name, operand, column,
      shape[column - lead] ?? null, truth[column]));
    const grip = gap > 0 && !state.told ? this.grip(state, name, gap, lead) : h("span", { class: "tlw-grip" });
    return h("div", { class: "tlw-align-row" }, h("span", { class: "tlw-align-name tlw-mono" }, name), cells, grip);
  }

  cell(state, name, operand, column, size, truth) {
    const said = state[`stretch_${name}`].includes(column);
    if (!state.told) {
      const label = `${size ?? "no size"}: ${name}, `
        + `column ${column}, ${said ? "stretches, stride 0" : "does not stretch"}`;
      return h("button", {
        type: "button", class: `tlw-size tlw-mono${size === null ? " tlw-missing" : ""}${said ? " tlw-stretched" : ""}`,
        "aria-pressed": String(said), "aria-label": label, dataset: { spot: `${name}${column}` },
        onclick: () => this.marked(name, column),
      }, h("b", {}, size ?? "·"), h("small", {}, said ? "stride 0" : "\u00a0"));
    }
    const stretches = truth.stretches[operand];
    const note = truth.clash ? "differs" : stretches ? "stride 0" : "as it is";
    return h("span", {
      class: `tlw-size tlw-mono${size === null ? " tlw-missing" : ""}${stretches ? " tlw-stretched" : ""}`
        + `${truth.clash ? " tlw-clash" : ""}`,
    }, h("b", {}, size ?? "·"), h("small", {}, note));
  }

  // Moves the shorter shape along the longer one: dragged, or with the arrow keys.
  grip(state, name, gap, lead) {
    const to = (shift) => { if (shift !== lead && shift >= 0 && shift <= gap) this.moved(shift); };
    return h("button", {
      type: "button", class: "tlw-button tlw-grip", dataset: { spot: `${name}grip` },
      "aria-label": `⇠ ⇢ move ${name}: ${lead} of ${gap} columns to the right; arrow keys move it`,
      onkeydown: (event) => {
        const by = arrowStep(event)?.[1];
        if (!by) return;
        event.preventDefault();
        to(lead + by);
      },
      onclick: () => to(lead < gap ? lead + 1 : 0),
      onpointerdown: (event) => this.drag(event, lead, gap),
    }, "⇠ ⇢");
  }

  drag(event, lead, gap) {
    const width = this.element.querySelector(".tlw-size")?.getBoundingClientRect().width ?? 0;
    const from = event.clientX;
    const moving = new AbortController();
    const { signal } = moving;
    let at = lead;
    window.addEventListener("pointermove", (move) => {
      const wanted = lead + Math.round((move.clientX - from) / Math.max(width, 1));
      const shift = Math.min(Math.max(wanted, 0), gap);
      if (shift === at) return;
      at = shift;                                       // the row is drawn anew under the hand
      this.moved(shift);
    }, { signal });
    for (const end of ["pointerup", "pointercancel"]) window.addEventListener(end, () => moving.abort(), { signal });
  }

  result(truth, { refusal }) {
    return h("div", { class: "tlw-align-row tlw-align-result" },
      h("span", { class: "tlw-align-name" }, "result"),
      truth.map(({ size, clash, sizes }) => h("span", { class: `tlw-size tlw-mono${clash ? " tlw-clash" : ""}` },
        h("b", {}, clash ? "✗" : size), h("small", {}, clash ? sizes.join(" ≠ ") : "\u00a0"))),
      h("span", { class: "tlw-grip" }, refusal === undefined ? "" : "an error"));
  }
}
