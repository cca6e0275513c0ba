// A tensor's cells: one matrix, or one a leading index, each labelled. One Tab stop; arrows move.
import { h, revealInside } from "./dom.js";
import { MOST_CELLS, drawnPart } from "./drawn.js";
import { arrowStep, rove } from "./keys.js";
import { defaultStrides, flatIndex, unravel } from "./layout.js";
import { bracket, count, letter } from "./words.js";

export class Grid {
  // `picked(index)` when a reader takes an element, `hovered(index or null)` while pointing at one; `label` is
  // the group's name, `helpId` the element that says how to move.
  constructor({ picked, hovered = () => {}, helpId = null, label = "Tensor" }) {
    this.picked = picked;
    this.buttons = new Map();
    this.lit = [];
    this.shape = [];
    this.note = h("p", { class: "tlw-note" });
    this.plates = h("div", {
      class: "tlw-plates", "aria-label": label, "aria-describedby": helpId,
      onkeydown: (event) => this.key(event),
      onclick: (event) => { const index = this.indexOf(event); if (index) picked(index); },
      onpointerover: (event) => { if (event.pointerType !== "touch") hovered(this.indexOf(event)); },
      onpointerleave: () => hovered(null),
    });
    this.element = h("div", {}, this.plates, this.note);
  }

  indexOf(event) {
    const key = event.target.closest?.("[data-index]")?.dataset.index;
    return key === undefined ? null : key.split(",").filter(Boolean).map(Number);
  }

  // Draws a tensor anew. `cell(index)` says what stands there: { text, label, title, kind }, `kind` being a class
  // for the style sheet. `rest` is what is said of the elements that are not drawn, `letters` names the rows and
  // the columns where a lab has names of its own for them.
  draw({ shape, hand, cell, rest = "", letters = null }) {
    this.shape = shape;
    this.letters = letters ?? shape.map((_, dim) => letter(dim, shape.length)).slice(-2);
    this.part = drawnPart(shape, MOST_CELLS);
    this.buttons.clear();
    this.lit = [];
    const plates = [];
    for (let plate = 0; plate < this.part.plates; plate += 1) plates.push(this.plate(plate, cell));
    if (plates.length === 0) plates.push(h("p", { class: "tlw-note" }, "No elements: a size is 0."));
    this.plates.setAttribute("role", this.part.plates ? "grid" : "group");      // a grid must have rows
    const focused = this.plates.contains(document.activeElement);
    this.plates.replaceChildren(...plates);
    const { drawn, count: all } = this.part;
    this.note.textContent = drawn < all ? `${count(drawn)} of ${count(all)} elements are drawn${rest}.` : "";
    const chosen = this.hold(hand);
    if (focused) chosen?.focus({ preventScroll: true });
  }

  plate(plate, describe) {
    const { shape } = this;
    const { rows, columns } = this.part;
    const lead = unravel(plate, shape.slice(0, -2));
    const dims = shape.length;
    const names = this.letters;
    const corner = dims > 1 ? `${names[0]}\u2009\\\u2009${names[1]}` : (names[0] ?? "");
    const head = (text) => h("span", { class: "tlw-axis", "aria-hidden": "true" }, text);
    const heading = dims === 0 ? [] : [head(corner), ...Array.from({ length: columns }, (_, column) => head(column))];
    const lines = Array.from({ length: rows }, (_, row) => h("div", { role: "row", class: "tlw-row" },
      dims === 0 ? [] : head(dims > 1 ? row : ""),
      Array.from({ length: columns }, (_unused, column) => this.cell(
        dims === 0 ? [] : dims === 1 ? [column] : [...lead, row, column], describe))));
    const label = dims > 2 ? bracket([...lead, ":", ":"]) : null;
    return h("div", {
      role: "rowgroup", class: "tlw-plate", "aria-label": label, dataset: { dims },
      style: `--columns: ${columns}`,
    }, label && h("div", { class: "tlw-plate-name tlw-mono" }, label),
    h("div", { class: "tlw-matrix" }, h("div", { class: "tlw-row", "aria-hidden": "true" }, heading), lines));
  }

  cell(index, describe) {
    const { text, label, title = null, kind = "" } = describe(index);
    const button = h("button", {
      type: "button", role: "gridcell", class: `tlw-cell ${kind}`.trim(), tabindex: "-1", "aria-label": label, title,
      dataset: { index: index.join(",") },
    }, text);
    this.buttons.set(index.join(","), button);
    return button;
  }

  // Makes the element in hand the Tab stop and, if the group has the focus, moves it there.
  hold(index) {
    const chosen = (index && this.buttons.get(index.join(","))) ?? this.buttons.values().next().value;
    if (chosen) {
      rove(this.buttons.values(), chosen);
      revealInside(this.plates, chosen, 24);
    }
    return chosen;
  }

  // Lights elements: `hand` is the one in hand (thick ring), `others` share its storage cell.
  light(hand, others) {
    for (const button of this.lit) button.classList.remove("tlw-in-hand", "tlw-sharing");
    const find = (index) => this.buttons.get(index.join(","));
    this.lit = [];
    for (const [indexes, name] of [[others, "tlw-sharing"], [hand ? [hand] : [], "tlw-in-hand"]]) {
      for (const button of indexes.map(find).filter(Boolean)) {
        button.classList.add(name);
        this.lit.push(button);
      }
    }
  }

  key(event) {
    const { shape } = this;
    const hand = this.indexOf(event);
    if (hand === null || shape.length === 0) return;
    const next = this.moved(event, hand, shape);
    if (next === null) return;
    event.preventDefault();
    if (this.buttons.has(next.join(","))) this.picked(next);
  }

  // Where a key leads: arrows along the last two dimensions, Home and End along a row, Page Up and Down to the
  // next matrix. Null for other keys; the same index where the tensor ends.
  moved(event, hand, shape) {
    const { rows, columns } = this.part;
    const next = [...hand];
    const last = shape.length - 1;
    const clamp = (number, size) => Math.min(Math.max(number, 0), size - 1);
    const arrow = arrowStep(event);
    if (arrow !== null) {
      next[last] = clamp(next[last] + arrow[1], columns);
      if (last > 0) next[last - 1] = clamp(next[last - 1] + arrow[0], rows);
    } else if (event.key === "Home" || event.key === "End") {
      next[last] = event.key === "Home" ? 0 : columns - 1;
    } else if ((event.key === "PageUp" || event.key === "PageDown") && last > 1) {
      const lead = shape.slice(0, -2);
      const place = flatIndex(hand.slice(0, -2), defaultStrides(lead));
      const plate = clamp(place + (event.key === "PageDown" ? 1 : -1), this.part.plates);
      next.splice(0, lead.length, ...unravel(plate, lead));
    } else {
      return null;
    }
    return next;
  }
}
