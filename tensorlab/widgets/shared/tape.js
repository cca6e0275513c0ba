// The storage: one line of cells, wrapped like text. Each cell shows what it holds and, under it, its number.
import { h, revealInside } from "./dom.js";
import { LONGEST_LINE, drawnWindow } from "./drawn.js";
import { arrowStep, rove } from "./keys.js";
import { Walk } from "./walk.js";
import { count } from "./words.js";

const MARGIN = 20;          // pixels around the cells of a cache line

export class Tape {
  // `picked(cell)` when a reader takes a cell, `hovered(cell or null)` while pointing at or focusing one.
  constructor({ picked, hovered = () => {}, label = "Storage" }) {
    this.buttons = [];
    this.lit = [];
    this.start = 0;
    this.line = h("div", {
      class: "tlw-tape", role: "group", "aria-label": label,
      onkeydown: (event) => this.key(event),
      onclick: (event) => { const cell = this.cellOf(event); if (cell !== null) picked(cell); },
      onpointerover: (event) => { if (event.pointerType !== "touch") hovered(this.cellOf(event)); },
      onpointerleave: () => hovered(null),
      onfocusin: (event) => { if (event.target.matches(":focus-visible")) hovered(this.cellOf(event)); },
      onfocusout: () => hovered(null),
    });
    this.walk = new Walk(this.line);
    new ResizeObserver(() => this.fit()).observe(this.line);
    this.note = h("p", { class: "tlw-note" });
    this.element = h("div", {}, this.line, this.note);
  }

  cellOf(event) {
    const cell = event.target.closest?.("[data-cell]")?.dataset.cell;
    return cell === undefined ? null : Number(cell);
  }

  // Draws a storage of `cells` cells anew. `cell(c)` says what stands there: { text, label, title, kind, fill };
  // `first` is the first cell that a tensor reaches, or null. With `group`, so many cells make one cache line, in a box.
  draw({ cells, first, cell, group = 0 }) {
    this.group = group;
    const { start, stop } = drawnWindow(cells, first, LONGEST_LINE);
    this.start = start;
    this.buttons = Array.from({ length: stop - start }, (_, k) => this.cell(start + k, cell(start + k)));
    const empty = h("p", { class: "tlw-note" }, "A storage of no cells.");
    const focused = this.line.contains(document.activeElement);
    const boxes = group ? this.grouped(group) : this.buttons;
    this.line.classList.toggle("tlw-in-lines", group > 0);
    this.widest = this.buttons.reduce((widest, { textContent }) => Math.max(widest, textContent.length), 1);
    this.fit();
    this.line.replaceChildren(...(this.buttons.length ? boxes : [empty]), this.walk.element);
    this.note.textContent = stop - start < cells
      ? `Storage cells ${count(start)} to ${count(stop - 1)} of ${count(cells)} are drawn.` : "";
    const chosen = this.hold(first ?? start);
    if (focused) chosen?.focus({ preventScroll: true });
  }

  // A cache line stands in one row, its cells as narrow as that takes; where they would be too narrow to read or to
  // hit, it stands in equal halves or quarters.
  fit() {
    if (!this.group || !this.line.clientWidth) return;
    const { fontSize } = getComputedStyle(this.line.closest(".tlw") ?? this.line);
    const least = Math.max(24, (this.widest * 0.58 + 0.3) * Number.parseFloat(fontSize));
    let row = this.group;
    while (row > 1 && row % 2 === 0 && (this.line.clientWidth - MARGIN) / row < least) row /= 2;
    this.line.style.setProperty("--per-row", row);
  }

  // The cells in boxes of one cache line each; the first and the last box may be short.
  grouped(group) {
    const boxes = new Map();
    for (const [k, button] of this.buttons.entries()) {
      const line = Math.floor((this.start + k) / group);
      if (!boxes.has(line)) boxes.set(line, h("div", { class: "tlw-cache-line", dataset: { line } }));
      boxes.get(line).append(button);
    }
    return boxes.values();
  }

  cell(cell, { text, label, title = null, kind = "", fill = null }) {
    return h("button", {
      type: "button", class: `tlw-slot ${kind}`.trim(), tabindex: "-1", "aria-label": label, title, dataset: { cell },
      style: fill && `--fill: ${fill}`,
    }, h("span", { class: "tlw-slot-value" }, text));       // its number is written by the style sheet
  }

  slot(cell) { return this.buttons[cell - this.start] ?? null; }

  hold(cell) {
    const chosen = this.slot(cell) ?? this.buttons[0];
    if (chosen) rove(this.buttons, chosen);
    return chosen;
  }

  // Lights one cell, and draws the way to it from the offset of `layout`, the way of `index` (null: the flag
  // alone); `wrong` marks a prediction that missed.
  light(cell, layout, index, wrong = null) {
    for (const button of this.lit) button.classList.remove("tlw-in-hand", "tlw-missed");
    const chosen = cell === null ? null : this.slot(cell);
    const missed = wrong === null ? null : this.slot(wrong);
    chosen?.classList.add("tlw-in-hand");
    missed?.classList.add("tlw-missed");
    this.lit = [chosen, missed].filter(Boolean);
    this.walk.draw((at) => this.slot(at), layout, index);
  }

  // Scrolls a long storage, never the page, so that a cell can be seen.
  show(cell) {
    const button = cell === null ? null : this.slot(cell);
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
