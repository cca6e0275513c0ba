// The Matmul Lab: the reader joins the axes that are summed over and says which shape comes out; then each element of the
// product shows its row and its column, and the lab counts operations and bytes.
import { ShapeQuestion, verdict } from "../shared/ask.js";
import { h, spokenText } from "../shared/dom.js";
import { NumberField } from "../shared/fields.js";
import { Frame } from "../shared/frame.js";
import { Grid } from "../shared/grid.js";
import { defaultStrides, flatIndex, numel, tuple, unravel } from "../shared/layout.js";
import { memoryFill } from "../shared/memory.js";
import { readNumbers } from "../shared/numbers.js";
import { Store } from "../shared/store.js";
import { MOST_ROWS } from "../shared/twin.js";
import { bracket } from "../shared/words.js";
import { MOST_DRAWN, check, mistakes, operandLine, period, product, terms } from "./engine.js";
import { Match } from "./match.js";
import { costFacts, letters, productText, spokenState, sumText, totalOf } from "./words.js";

const HINT = "Drag the axis of a onto the axis of b that is summed with it (or take it with Enter), "
  + "say what comes out, and commit.";
const TOLD = "Point at an element of the product. Another shape opens a new question.";
const SCHEMA = { a: "ints", b: "ints" };
const OPEN = { pair: [], guess: null, refused: false, told: false };

class View {
  constructor(context) {
    this.store = new Store(context.model, context.signal, check);
    this.frame = new Frame(context, {
      name: "Matmul Lab", kind: "tlw-matmul-lab", store: this.store, schema: SCHEMA, hint: HINT,
      line: ({ a, b }) => `${operandLine("a", a)} @ ${operandLine("b", b)}`,
      twin: () => this.twinText(), spoken: (names) => (this.store.state.told && names.includes("told")
        ? spokenText(this.told) : spokenState(this.store.state)),
    });
    this.fields = Object.fromEntries(["a", "b"].map((name) => [name, new NumberField({
      name, spoken: `shape of ${name}`, kind: "shape", many: true, least: 1, messageId: this.frame.messageId,
      commit: () => this.setShape(name), cancel: () => { this.showFields(); this.store.refuse(null); },
    })]));
    this.frame.controls.append(...Object.values(this.fields).map((field) => field.element));
    this.match = new Match({ joined: (pair) => this.store.propose({ pair }), say: this.frame.say });
    this.question = new ShapeQuestion({
      never: "it raises an error",
      missing: () => (this.store.state.pair.length ? null : "First join the axis of a and the axis of b that are summed over."),
      commit: (prediction) => this.store.propose({ ...prediction, told: true }),
      again: () => this.store.propose(OPEN),
    });
    this.told = h("div", { class: "tlw-told" });
    this.parts = { a: this.part("a"), b: this.part("b"), c: this.part("a @ b") };
    this.reading = h("div", { class: "tlw-reading", role: "group", "aria-label": "In hand" });
    this.scene = h("div", { class: "tlw-scene" }, Object.values(this.parts).map(({ element }) => element), this.reading);
    this.frame.body.append(this.match.element, this.question.element, this.told, this.scene);
    this.frame.open(context.el, () => this.draw());
  }

  part(name) {
    const product_ = name === "a @ b";
    const grid = new Grid({
      label: name, helpId: this.frame.messageId,
      picked: (index) => (product_ ? this.point(index) : this.fromOperand(name, index)),
      hovered: (index) => index && (product_ ? this.point(index) : this.fromOperand(name, index)),
    });
    const title = h("p", { class: "tlw-part" }, name);
    return { grid, title, element: h("div", { class: "tlw-tensor" }, title, grid.element) };
  }

  setShape(name) {
    const { value, refusal } = readNumbers(this.fields[name].text, `the shape of ${name}`);
    this.fields[name].mark(refusal !== undefined);
    if (refusal !== undefined) this.store.refuse(refusal);
    else if (String(value) === String(this.store.state[name])) this.showFields();
    else if (this.store.propose({ ...OPEN, [name]: value }) !== null) this.fields[name].mark(true);
  }

  showFields() {
    for (const name of ["a", "b"]) this.fields[name].show(this.store.state[name].join(", "));
  }

  draw() {
    const { state } = this.store;
    const { a, b, told } = state;
    this.showFields();
    this.match.draw(state);
    this.question.show(state);
    this.frame.hint = told ? TOLD : HINT;
    this.found = product(a, b);
    const works = told && this.found.refusal === undefined;
    this.told.replaceChildren(...(told ? this.answer() : []));
    this.frame.showFacts(works ? costFacts(a, b) : []);
    this.drawn = works && [a, b, this.found.shape].every((shape) => numel(shape) <= MOST_DRAWN);
    this.scene.hidden = !this.drawn;
    if (this.drawn) this.drawGrids();
  }

  answer() {
    const { state } = this.store;
    const { a, b } = state;
    const asked = state.guess !== null || state.refused;
    return [...verdict(asked ? mistakes(state) : null), this.found.refusal === undefined
      ? h("p", {}, productText(a, b)) : h("p", { class: "tlw-wrong" }, `An error: ${this.found.refusal}.`)];
  }

  drawGrids() {
    const { a, b } = this.store.state;
    const { shape } = this.found;
    const totals = Array.from({ length: numel(shape) }, (_, k) => totalOf(unravel(k, shape), a, b));
    this.frame.root.style.setProperty("--digits", Math.max(2, ...totals.map((total) => String(total).length)));
    const held = (name, own) => { const size = period(name, own); return (k) => k % size; };
    for (const [name, own, value] of [["a", a, held("a", a)], ["b", b, held("b", b)], ["c", shape, (k) => totals[k]]]) {
      const strides = defaultStrides(own);
      const label = name === "c" ? "a @ b" : name;
      this.parts[name].title.textContent = `${label} of shape ${tuple(own)}`;
      this.parts[name].grid.draw({ shape: own, hand: null, letters: letters(name, a, b), cell: (index) => {
        const place = flatIndex(index, strides);
        const text = String(value(place));
        const kind = name === "c" ? "tlw-made" : "";
        return { text, label: `${text}: ${label} at ${bracket(index)}`, kind, fill: memoryFill(place, numel(own)) };
      } });
    }
    this.point(shape.map(() => 0));
  }

  // Lights an element of the product with its row of a and its column of b.
  point(index, own = {}) {
    if (!this.drawn) return;
    const { a, b } = this.store.state;
    const pairs = terms(index, a, b);
    for (const [side, [name, shape]] of [["a", a], ["b", b]].entries()) {
      const places = pairs.map((pair) => unravel(pair[side], shape));
      this.parts[name].grid.light(own[name] ?? null, places);
      this.parts[name].grid.hold(own[name] ?? places[0]);
    }
    this.parts.c.grid.light(index, []);
    this.parts.c.grid.hold(index);
    this.reading.replaceChildren(
      h("p", { class: "tlw-subject tlw-mono" }, `(a @ b)${index.length ? bracket(index) : ""}`),
      h("p", { class: "tlw-sum tlw-mono" }, sumText(index, a, b)),
      h("p", { class: "tlw-note" }, `${pairs.length} multiply-adds, the row of a times the column of b`));
  }

  // An element of an operand: the first element of the product that it goes into.
  fromOperand(name, index) {
    if (!this.drawn) return;
    const { a, b } = this.store.state;
    const { shape } = this.found;
    const [side, own] = name === "a" ? [0, a] : [1, b];
    const place = flatIndex(index, defaultStrides(own));
    const k = Array.from({ length: numel(shape) }, (_, one) => one)
      .find((one) => terms(unravel(one, shape), a, b).some((pair) => pair[side] === place));
    if (k !== undefined) this.point(unravel(k, shape), { [name]: index });
  }

  twinText() {
    const { a, b, told } = this.store.state;
    if (!told) return [`a has shape ${tuple(a)}, b has shape ${tuple(b)}. Which axes are summed over? `
      + `The answer comes after your prediction.`];
    if (this.found.refusal !== undefined) return [`An error: ${this.found.refusal}.`];
    const { shape } = this.found;
    const rows = Array.from({ length: Math.min(numel(shape), MOST_ROWS) }, (_, k) => {
      const index = unravel(k, shape);
      return [bracket(index), sumText(index, a, b)];
    });
    return [{ caption: productText(a, b), header: ["index", "sum"], rows },
      `${costFacts(a, b).map(({ name, value }) => `${name}: ${value}`).join("; ")}.`];
  }
}

function render({ model, el, signal }) {
  new View({ model, el, signal });
}

export default { render };
