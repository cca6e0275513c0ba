// The storage: one line of cells, wrapped like text. Each cell shows what it holds and, under it, its number.
import { h, revealInside } from "../shared/dom.js";
import { arrowStep, rove } from "../shared/keys.js";
import { drawnWindow, elementsAt, flatIndex } from "./engine.js";
import { MOST_CELLS } from "./grid.js";
import { Walk } from "./walk.js";
import { count } from "./words.js";

export class Tape {
  // `picked(cell)` when a reader takes a cell, `hovered(cell or null)` while pointing at or focusing one.
  constructor(lab, { picked, hovered }) {
    this.lab = lab;
    this.buttons = [];
    this.lit = [];
    this.start = 0;
    this.line = h("div", {
      class: "tlw-tape", role: "group", "aria-label": "Storage",
      onkeydown: (event) => this.key(event),
      onclick: (event) => { const cell = this.cellOf(event); if (cell !== null) picked(cell); },
      onpointerover: (event) => { if (event.pointerType !== "touch") hovered(this.cellOf(event)); },
      onpointerleave: () => hovered(null),
      onfocusin: (event) => { if (event.target.matches(":focus-visible")) hovered(this.cellOf(event)); },
      onfocusout: () => hovered(null),
    });
    this.walk = new Walk(this.line);
    this.note = h("p", { class: "tlw-note" });
    this.element = h("div", {}, this.line, this.note);
  }

  cellOf(event) {
    const cell = event.target.closest?.("[data-cell]")?.dataset.cell;
    return cell === undefined ? null : Number(cell);
  }

  // Draws the storage anew. While a prediction is open, `hidden`, nothing says which cells are reached.
  draw(hidden) {
    const { shape, stride, offset, cells } = this.lab.layout;
    const reached = (cell) => !hidden && elementsAt(cell, shape, stride, offset, 1).length > 0;
    const { start, stop } = drawnWindow(cells, this.lab.reached, MOST_CELLS);
    this.start = start;
    this.buttons = Array.from({ length: stop - start }, (_, k) => this.cell(start + k, reached(start + k), hidden));
    const empty = h("p", { class: "tlw-note" }, "A storage of no cells.");
    const focused = this.line.contains(document.activeElement);
    this.line.replaceChildren(...(this.buttons.length ? this.buttons : [empty]), this.walk.element);
    this.note.textContent = stop - start < cells
      ? `Storage cells ${count(start)} to ${count(stop - 1)} of ${count(cells)} are drawn.` : "";
    const chosen = this.hold(this.lab.reached?.[0] ?? start);
    if (focused) chosen?.focus({ preventScroll: true });
  }

  cell(cell, reached, hidden) {
    const value = this.lab.textAt(cell);
    const state = hidden ? "" : reached ? ", reached by the tensor" : ", at rest";
    const label = `storage cell ${cell}, holds ${value}${state}`;
    return h("button", {
      type: "button", class: `tlw-slot${reached ? " tlw-reached" : ""}`, tabindex: "-1",
      "aria-label": label, title: `cell ${cell}: ${value}`, dataset: { cell },
    }, h("span", { class: "tlw-slot-value" }, value));      // its number is written by the style sheet
  }

  slot(cell) { return this.buttons[cell - this.start] ?? null; }

  hold(cell) {
    const chosen = this.slot(cell) ?? this.buttons[0];
    if (chosen) rove(this.buttons, chosen);
    return chosen;
  }

  // Lights one cell, and draws the way from the offset to it; `wrong` marks a prediction that missed.
  light(cell, index, wrong = null) {
    for (const button of this.lit) button.classList.remove("tlw-in-hand", "tlw-missed");
    const chosen = cell === null ? null : this.slot(cell);
    const missed = wrong === null ? null : this.slot(wrong);
    chosen?.classList.add("tlw-in-hand");
    missed?.classList.add("tlw-missed");
    this.lit = [chosen, missed].filter(Boolean);
    this.walk.draw((at) => this.slot(at), this.lab.layout, index);
  }

  // Scrolls a long storage, never the page, so that the cell of an element can be seen.
  show(index) {
    const { stride, offset } = this.lab.layout;
    const button = index && this.slot(flatIndex(index, stride, offset));
    if (button) revealInside(this.line, button, 40);
  }

  key(event) {
    const cell = this.cellOf(event);
    if (cell === null) return;
    const top = this.buttons[0].offsetTop;
    const perRow = this.buttons.findIndex((button) => button.offsetTop !== top);
    const arrow = arrowStep(event);
    let next = cell;
    if (arrow !== null) next += arrow[1] + arrow[0] * (perRow < 0 ? 0 : perRow);
    else if (event.key === "Home") next = this.start;
    else if (event.key === "End") next = this.start + this.buttons.length - 1;
    else return;
    event.preventDefault();
    if (this.slot(next)) this.hold(next);
  }
}
