// The Storage Lab: a tensor's cells and the flat storage under them. This file joins the parts; the rules are in
// shared/layout.js, the state in lab.js.
import { copyButton, h, liveRegion } from "../shared/dom.js";
import { LONGEST_LINE, MOST_CELLS, drawnWindow } from "../shared/drawn.js";
import { Grid } from "../shared/grid.js";
import { isStaticPage, linkTo, onHash, readHash, writeHash } from "../shared/hash.js";
import { elementsAt, flatIndex } from "../shared/layout.js";
import { memoryFill } from "../shared/memory.js";
import { Presets } from "../shared/presets.js";
import { Tape } from "../shared/tape.js";
import { followTheme } from "../shared/theme.js";
import { Twin } from "../shared/twin.js";
import { bracket } from "../shared/words.js";
import { Controls } from "./controls.js";
import { Lab } from "./lab.js";
import { Predict } from "./predict.js";
import { presetLayouts } from "./presets.js";
import { Reading } from "./reading.js";
import { readState, writeState } from "./state.js";
import { layoutText } from "./twin.js";
import { cellSentence, facts, spokenElement, spokenLayout } from "./words.js";

const HINT = "Point at a cell, or move with the arrow keys. In a field, ↑ and ↓ change a number.";
const PREDICT = "Choose a storage cell, or type its number. Escape ends the questions.";
const SETTLED = 250;        // ms after the last change before the address is written

class View {
  constructor(model, el, signal) {
    this.model = model;
    this.signal = signal;
    this.lab = new Lab(model, signal);
    this.hover = null;                              // { index } or { cell } that the pointer is on
    const { element: live, say } = liveRegion();
    this.say = say;
    const messageId = `tlw-${Math.random().toString(36).slice(2)}`;
    this.message = h("p", { class: "tlw-message", id: messageId });
    this.controls = new Controls(this.lab, messageId);
    this.predict = new Predict(this.lab, { changed: () => this.draw(), say });
    this.reading = new Reading(this.lab);
    this.twin = new Twin(() => layoutText(this.lab));
    this.presets = new Presets({
      names: model.get("presets"), chosen: (name) => this.lab.propose(this.layouts[name]),
    });
    this.grid = new Grid({
      helpId: messageId, home: (cell) => this.tape.slot(cell),
      picked: (index) => this.pick(index),
      hovered: (index) => this.point(index && { index }),
    });
    this.tape = new Tape({
      picked: (cell) => this.pickCell(cell),
      hovered: (cell) => this.point(cell === null ? null : { cell }),
    });
    this.facts = h("p", { class: "tlw-facts" });
    this.code = h("code", { class: "tlw-line tlw-mono" });
    this.root = h("div", { class: "tlw tlw-lab", role: "group", "aria-label": "Storage Lab" },
      this.controls.element, this.message, this.presets.element,
      h("div", { class: "tlw-scene" },
        h("div", { class: "tlw-tensor" }, h("p", { class: "tlw-part" }, "tensor"), this.grid.element),
        this.reading.element),
      h("div", { class: "tlw-storage" }, h("p", { class: "tlw-part" }, "storage"), this.tape.element),
      this.facts, this.footer(), this.twin.element, live);
    this.root.addEventListener("keydown", (event) => this.escape(event));
    followTheme(this.root, signal);
    el.append(this.root);
    this.keepAddress();
    this.lab.listen((change) => this.changed(change));
    this.draw();
  }

  footer() {
    const copyLine = copyButton("Copy", () => this.lab.line, this.say);
    copyLine.setAttribute("aria-label", "Copy the Python line");
    const reset = h("button", {
      type: "button", class: "tlw-button", onclick: () => {
        this.lab.reset();
        this.say(`Reset. ${spokenLayout(this.lab.layout)}`);
      },
    }, "Reset");
    const link = copyButton("Copy link", () => linkTo(this.model.get("key"), writeState(this.state)), this.say);
    return h("div", { class: "tlw-footer" },
      h("div", { class: "tlw-python" }, this.code, copyLine),
      h("div", { class: "tlw-actions" }, this.predict.button, reset, isStaticPage() ? link : null));
  }

  get cellInHand() {
    const { layout, hand } = this.lab;
    return hand === null ? null : flatIndex(hand, layout.stride, layout.offset);
  }

  get layouts() { return presetLayouts(this.lab.start.shape, this.lab.layout.cells); }

  get state() { return { ...this.lab.layout, hand: this.lab.hand }; }

  // ---- what the reader does

  pick(index) {
    this.hover = null;
    this.lab.take(index);
    if (this.predict.state !== "off") this.predict.ask();
    else this.sayHand();
  }

  pickCell(cell) {
    if (this.predict.asking) {
      this.predict.commit(cell);
      return;
    }
    const reaching = this.reaching(cell);
    if (reaching.length === 0) {
      this.say(cellSentence(cell, reaching, MOST_CELLS));
      return;
    }
    // A cell that several elements share gives them one after the other.
    const here = reaching.findIndex((index) => String(index) === String(this.lab.hand));
    this.pick(reaching[(here + 1) % reaching.length]);
  }

  // Escape ends the questions; in a field of the layout it takes back what was typed.
  escape(event) {
    if (event.key !== "Escape" || event.defaultPrevented || this.predict.state === "off") return;
    event.preventDefault();
    this.predict.stop();
    this.predict.button.focus({ preventScroll: true });
    this.say("The questions have ended.");
  }

  point(hover) {
    if (JSON.stringify(hover) === JSON.stringify(this.hover)) return;
    this.hover = hover;
    if (this.predict.state === "off") this.light();
  }

  sayHand() {
    const { layout, hand } = this.lab;
    const cell = flatIndex(hand, layout.stride, layout.offset);
    this.say(spokenElement(hand, layout, this.lab.textAt(cell)));
  }

  // ---- what the state says

  changed(change) {
    this.linkRefusal = undefined;
    if (change === "layout") {
      this.hover = null;
      if (this.predict.state === "told") this.predict.state = "asking";
      this.draw();
      this.say(this.lab.refusal === null ? spokenLayout(this.lab.layout) : `Refused: ${this.lab.refusal}.`);
    } else if (change === "hand") {
      this.grid.hold(this.lab.hand);
      this.light();
      this.tape.show(this.cellInHand);
    } else {
      this.tell();
      if (this.lab.refusal !== null) this.say(`Refused: ${this.lab.refusal}.`);
    }
    this.remember();
  }

  // The elements that lie in a storage cell; a storage cell of an expanded tensor may have millions.
  reaching(cell) {
    const { shape, stride, offset } = this.lab.layout;
    return elementsAt(cell, shape, stride, offset, MOST_CELLS);
  }

  draw() {
    const hidden = this.predict.asking;
    this.root.style.setProperty("--digits", this.widest());
    this.drawGrid(hidden);
    this.drawTape(hidden);
    this.showPresets();
    this.twin.element.hidden = hidden;
    this.twin.draw();
    this.code.textContent = this.lab.line;
    const shown = facts(this.lab.layout, this.model.get("_pointer"));
    this.facts.replaceChildren(...shown.map(({ name, value }) =>
      h("span", {}, h("span", { class: "tlw-fact" }, name), " ", h("span", { class: "tlw-mono" }, value), " ")));
    this.tell();
    this.light();
  }

  showPresets() {
    const { layouts, lab: { layout } } = this;
    const facts = ({ shape, stride, offset }) => JSON.stringify([shape, stride, offset]);
    this.presets.show((name) => name in layouts, (name) => facts(layouts[name]) === facts(layout));
  }

  // While a prediction is open, `hidden`, the values and the colours would give the answer away.
  drawGrid(hidden) {
    const { shape, stride, offset, cells } = this.lab.layout;
    const cell = (index) => {
      if (hidden) return { text: "?", label: bracket(index), kind: "tlw-made" };
      const at = flatIndex(index, stride, offset);
      const text = this.lab.textAt(at);
      const place = bracket(index);
      const again = index.some((i, dim) => i > 0 && stride[dim] === 0);
      return {
        text, label: `${place}, value ${text}, storage cell ${at}`, title: `${place}: ${text}`, at,
        fill: memoryFill(at, cells), kind: again ? "tlw-again" : "",
      };
    };
    const rest = "; the address of every one follows the same sum";
    this.grid.draw({ shape, hand: this.lab.hand, cell, rest, stride });
  }

  drawTape(hidden) {
    const { shape, stride, offset, cells } = this.lab.layout;
    const cell = (at) => {
      const text = this.lab.textAt(at);
      const reached = !hidden && elementsAt(at, shape, stride, offset, 1).length > 0;
      const state = hidden ? "" : reached ? ", reached by the tensor" : ", at rest";
      const label = `storage cell ${at}, holds ${text}${state}`;
      return {
        text, label, title: `cell ${at}: ${text}`, kind: reached ? "tlw-reached" : "", fill: memoryFill(at, cells),
      };
    };
    this.tape.draw({ cells, first: this.lab.reached?.[0] ?? null, cell });
  }

  // Characters of the longest value, so that all cells have one width.
  widest() {
    const { cells } = this.lab.layout;
    const { start, stop } = drawnWindow(cells, this.lab.reached?.[0] ?? null, LONGEST_LINE);
    let widest = Math.max(2, String(cells).length);
    for (let cell = start; cell < stop; cell += 1) widest = Math.max(widest, this.lab.textAt(cell).length);
    return Math.min(widest, 9);
  }

  tell() {
    const { refusal } = this.lab;
    this.message.classList.toggle("tlw-wrong", refusal !== null || this.linkRefusal !== undefined);
    if (refusal !== null) this.message.textContent = `Refused, the picture stays: ${refusal}.`;
    else this.message.textContent = this.linkRefusal ?? (this.predict.state === "off" ? HINT : PREDICT);
  }

  light() {
    const { layout, hand } = this.lab;
    const { predict } = this;
    if (predict.asking || hand === null) {
      this.grid.light(hand, []);
      this.tape.light(null, layout, null);
    } else if (this.hover?.cell !== undefined && predict.state === "off") {
      const reaching = this.reaching(this.hover.cell);
      const only = reaching.length === 1 ? reaching[0] : null;
      this.grid.light(only, reaching);
      this.tape.light(this.hover.cell, layout, only);
      this.reading.cell(this.hover.cell, reaching, MOST_CELLS);
      return;
    } else {
      const index = predict.state === "off" ? this.hover?.index ?? hand : hand;
      const cell = flatIndex(index, layout.stride, layout.offset);
      const reaching = this.reaching(cell);
      this.grid.light(index, reaching);
      this.tape.light(cell, layout, index, predict.missed);
      if (predict.state === "off") {
        this.reading.show(index, reaching, MOST_CELLS);
        return;
      }
    }
    if (predict.state !== "off") predict.show(this.reading);
    else this.reading.empty();
  }

  // ---- the address

  keepAddress() {
    if (!isStaticPage()) return;
    const key = this.model.get("key");
    const restore = (text) => {
      if (text === null) {
        this.lab.reset();
        return;
      }
      const { state, refusal } = readState(text, this.lab.start);
      const other = state && this.lab.fixed
        && (state.cells !== this.lab.start.cells || state.dtype !== this.lab.start.dtype);
      if (refusal === undefined && !other) {
        this.linkRefusal = undefined;
        this.lab.propose(state);
        return;
      }
      this.refuseLink(refusal ?? "it is about another storage");
    };
    const found = readHash(key);
    if (found !== null) {
      restore(found);
      requestAnimationFrame(() => this.root.scrollIntoView({ block: "nearest" }));
    }
    onHash(key, restore, this.signal);
  }

  // What a link says cannot be: the lab stays, says so, and the address says again what is shown.
  refuseLink(reason) {
    this.linkRefusal = `The link's state was not used: ${reason}.`;
    this.tell();
    this.remember();
    setTimeout(() => { if (!this.signal.aborted) this.say(this.linkRefusal ?? ""); }, SETTLED);   // in the page by then
  }

  remember() {
    if (!isStaticPage()) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      const key = this.model.get("key");
      const text = writeState(this.state);
      const initial = writeState(this.lab.start);
      if (text !== initial) writeHash(key, text);
      else if (readHash(key) !== null) writeHash(key, null);
    }, SETTLED);
  }
}

function render({ model, el, signal }) {
  new View(model, el, signal);
}

export default { render };
