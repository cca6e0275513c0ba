// A tensor's cells: one matrix, or one a leading index, each labelled. One Tab stop; arrows move.
import { h, revealInside } from "./dom.js";
import { MOST_CELLS, drawnPart } from "./drawn.js";
import { fly, placesOf } from "./fly.js";
import { arrowStep, rove } from "./keys.js";
import { defaultStrides, flatIndex, unravel } from "./layout.js";
import { bracket, count, letter } from "./words.js";

export class Grid {
  // `picked(index)` when a reader takes an element, `hovered(index or null)` while pointing at one; `label` is
  // the group's name, `helpId` the element that says how to move, `home(cell)` the element that shows a storage cell
  // on its line.
  constructor({ picked, hovered = () => {}, helpId = null, label = "Tensor", home = () => null }) {
    Object.assign(this, { picked, home });
    this.buttons = new Map();
    this.lit = [];
    this.shape = null;
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

  // Draws a tensor anew. `cell(index)` says what stands there: { text, label, title, kind, fill, at }, `kind` being a
  // class for the style sheet, `fill` a colour, `at` the storage cell: a tile flies from where that was shown before.
  // `rest` is what is said of the elements that are not drawn, `letters` names the rows and the columns where a lab
  // has names of its own for them, `stride` is drawn as arrows beside the cells.
  draw({ shape, hand, cell, rest = "", letters = null, stride = null }) {
    const places = this.shape && placesOf([...this.buttons.values()]);
    this.shape = shape;
    this.stride = stride;
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
    if (places) requestAnimationFrame(() => this.fly(places));
  }

  // A tile may fly in from the storage below, so that nothing is cut off meanwhile that would not scroll.
  fly(places) {
    const { plates } = this;
    const fits = plates.scrollHeight <= plates.clientHeight && plates.scrollWidth <= plates.clientWidth;
    const flights = fly([...this.buttons.values()], places, this.home);
    if (!flights.length || !fits) return;
    plates.classList.add("tlw-flying");
    Promise.allSettled(flights.map(({ finished }) => finished)).then(() => {
      if (!plates.getAnimations({ subtree: true }).length) plates.classList.remove("tlw-flying");
    });
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
    const across = columns > 1 ? this.step(dims - 1, "across") : null;
    const down = dims > 1 && rows > 1 ? this.step(dims - 2, "down") : null;
    return h("div", {
      role: "rowgroup", class: "tlw-plate", "aria-label": label, dataset: { dims },
      style: `--columns: ${columns}; --rows: ${rows}`,
    }, label && h("div", { class: "tlw-plate-name tlw-mono" }, label, this.stepTo(lead)),
    h("div", { class: `tlw-matrix${down ? " tlw-stepped" : ""}` }, down,
      across && h("div", { class: "tlw-row", "aria-hidden": "true" }, across),
      h("div", { class: "tlw-row", "aria-hidden": "true" }, heading), lines));
  }

  // The stride of a dimension, as an arrow from the first cell to the next one.
  step(dim, way) {
    if (!this.stride) return null;
    return h("span", { class: `tlw-step-arrow tlw-step-${way}`, "aria-hidden": "true" }, h("span", {}, `+${this.stride[dim]}`));
  }

  // The stride that leads from the first matrix to this one, where it is one step away.
  stepTo(lead) {
    const far = lead.reduce((sum, i) => sum + i, 0);
    if (!this.stride || far !== 1) return null;
    return h("span", { class: "tlw-step-to", "aria-hidden": "true" }, ` +${this.stride[lead.indexOf(1)]}`);
  }

  cell(index, describe) {
    const { text, label, title = null, kind = "", fill = null, at = null } = describe(index);
    const button = h("button", {
      type: "button", role: "gridcell", class: `tlw-cell ${kind}`.trim(), tabindex: "-1", "aria-label": label, title,
      style: fill && `--fill: ${fill}`,
      dataset: at === null ? { index: index.join(",") } : { index: index.join(","), at },
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
