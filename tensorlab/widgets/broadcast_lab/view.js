// The Broadcast Lab: the reader aligns two shapes and says what stretches; then the picture shows what each element
// of the result reads, and what the gradient of each operand sums.
import { ShapeQuestion, verdict } from "../shared/ask.js";
import { h, spokenText } from "../shared/dom.js";
import { NumberField } from "../shared/fields.js";
import { Frame } from "../shared/frame.js";
import { Grid } from "../shared/grid.js";
import { defaultStrides, elementsAt, flatIndex, numel, tuple, unravel } from "../shared/layout.js";
import { meet } from "../shared/meet.js";
import { memoryFill } from "../shared/memory.js";
import { readNumbers } from "../shared/numbers.js";
import { Store } from "../shared/store.js";
import { bracket, count } from "../shared/words.js";
import { Align } from "./align.js";
import { MOST_DRAWN, check, columns, gradientLine, judged } from "./engine.js";
import { BYTES, costText, gradientText, operandLines, readersText, spokenState } from "./words.js";

const HINT = "Move the shorter shape, tap each size that stretches, say what comes out, and commit.";
const TOLD = "Point at an element to see what it reads. Another shape opens a new question.";
const SCHEMA = { a: "ints", b: "ints" };
const OPEN = { shift: 0, stretch_a: [], stretch_b: [], guess: null, refused: false, told: false };

class View {
  constructor(context) {
    this.store = new Store(context.model, context.signal, check);
    this.gradients = context.model.get("gradients");
    this.frame = new Frame(context, {
      name: "Broadcast Lab", kind: "tlw-broadcast-lab", store: this.store, schema: SCHEMA, hint: HINT,
      line: (state) => this.line(state), twin: () => this.twinText(),
        spoken: (names) => (this.store.state.told && names.includes("told")
        ? spokenText(this.told) : spokenState(this.store.state)),
    });
    this.fields = Object.fromEntries(["a", "b"].map((name) => [name, new NumberField({
      name, spoken: `shape of ${name}`, kind: "shape", many: true, messageId: this.frame.messageId,
      commit: () => this.setShape(name), cancel: () => { this.showFields(); this.store.refuse(null); },
    })]));
    this.frame.controls.append(...Object.values(this.fields).map((field) => field.element));
    this.align = new Align({
      moved: (shift) => this.store.propose({ shift }),
      marked: (name, column) => {
        const said = this.store.state[`stretch_${name}`];
        const next = said.includes(column) ? said.filter((dim) => dim !== column) : [...said, column];
        this.store.propose({ [`stretch_${name}`]: next });
      },
    });
    this.question = new ShapeQuestion({
      never: "they don't fit",
      commit: (prediction) => this.store.propose({ ...prediction, told: true }),
      again: () => this.store.propose(OPEN),
    });
    this.told = h("div", { class: "tlw-told" });
    this.operands = ["a", "b"].map((name, k) => ({
      name, k, title: h("p", { class: "tlw-part" }), grid: this.grid(name),
    }));
    this.result = { name: "a + b", title: h("p", { class: "tlw-part" }), grid: this.grid("a + b") };
    this.reading = h("div", { class: "tlw-reading", role: "group", "aria-label": "In hand" });
    this.scene = h("div", { class: "tlw-scene" }, [...this.operands, this.result].map(({ title, grid }) =>
      h("div", { class: "tlw-tensor" }, title, grid.element)), this.reading);
    this.frame.body.append(this.align.element, this.question.element, this.told, this.scene);
    this.frame.open(context.el, () => this.draw());
  }

  grid(name) {
    return new Grid({
      label: name, helpId: this.frame.messageId,
      picked: (index) => this.point(index), hovered: (index) => this.point(index ?? this.hand),
    });
  }

  // ---- what the reader does

  setShape(name) {
    const { value, refusal } = readNumbers(this.fields[name].text, `the shape of ${name}`);
    this.fields[name].mark(refusal !== undefined);
    if (refusal !== undefined) this.store.refuse(refusal);
    else if (String(value) === String(this.store.state[name])) this.showFields();
    else if (this.store.propose({ ...OPEN, [name]: value }) !== null) this.fields[name].mark(true);
  }

  // ---- what the state says

  showFields() {
    for (const name of ["a", "b"]) this.fields[name].show(this.store.state[name].join(", "));
  }

  draw() {
    const { state } = this.store;
    const { a, b, told } = state;
    this.showFields();
    this.found = meet(a, b);
    this.align.draw(state);
    this.question.show(state);
    this.frame.hint = told ? TOLD : HINT;
    this.tell();
    this.drawGrids();
  }

  // What the gradient of each operand sums, where the lab speaks of gradients.
  get gradientTexts() {
    const { a, b } = this.store.state;
    const { shape } = this.found;
    return this.gradients ? [["a", a], ["b", b]].map(([name, own]) => gradientText(name, own, shape)) : [];
  }

  tell() {
    const { state } = this.store;
    const { a, b, told, guess, refused } = state;
    if (!told) {
      this.told.replaceChildren();
      this.frame.showFacts([]);
      return;
    }
    const { shape, refusal } = this.found;
    const { right, wrong } = guess !== null || refused ? judged(state) : { wrong: null };
    const text = refusal === undefined
      ? [h("p", {}, costText(a, b, shape)), ...this.gradientTexts.map((line) => h("p", { class: "tlw-gradient" }, line))]
      : [h("p", { class: "tlw-wrong" }, `An error: ${refusal}.`)];
    this.told.replaceChildren(...verdict(wrong, right), ...text);
    this.frame.showFacts(refusal !== undefined ? [] : [
      { name: "a", value: `${count(numel(a) * BYTES)} B` }, { name: "b", value: `${count(numel(b) * BYTES)} B` },
      { name: "result", value: `${tuple(shape)}, ${count(numel(shape) * BYTES)} B` },
      { name: "moved to stretch", value: "0 B", kind: "tlw-shared" },
    ]);
  }

  // The operands as the result sees them, and the result. Cells that are read again are dashed.
  drawGrids() {
    const { a, b, told } = this.store.state;
    const { shape, strides } = this.found;
    this.drawn = told && shape !== undefined && numel(shape) <= MOST_DRAWN && numel(shape) > 0;
    this.scene.hidden = !this.drawn;
    if (!this.drawn) return;
    this.hand = shape.map(() => 0);
    const value = (k, index) => flatIndex(index, strides[k]) * (k ? 10 : 1);
    const widest = String((numel(a) - 1) + (numel(b) - 1) * 10).length;
    this.frame.root.style.setProperty("--digits", Math.max(widest, 2));
    for (const { name, k, title, grid } of this.operands) {
      const own = k ? b : a;
      title.textContent = `${name} of shape ${tuple(own)}, read with strides ${tuple(strides[k])}`;
      grid.draw({ shape, hand: this.hand, cell: (index) => {
        const first = index.every((i, dim) => i === 0 || strides[k][dim] !== 0);
        const text = String(value(k, index));
        return { text, kind: first ? "" : "tlw-again", fill: memoryFill(flatIndex(index, strides[k]), numel(own)),
          label: `${text}: ${name} at ${bracket(index)}${first ? "" : ", read again"}` };
      } });
    }
    this.result.title.textContent = `a + b of shape ${tuple(shape)}`;
    this.result.grid.draw({ shape, hand: this.hand, cell: (index) => {
      const text = String(value(0, index) + value(1, index));
      return { text, kind: "tlw-made", label: `${text}: a + b at ${bracket(index)}` };
    } });
    this.point(this.hand);
  }

  // Lights an element of the result, and in the operands every place that reads the same cell.
  point(index) {
    if (!this.drawn || !index) return;
    this.hand = index;
    const { a, b } = this.store.state;
    const { shape, strides } = this.found;
    const lines = [];
    for (const { name, k, grid } of this.operands) {
      const own = k ? b : a;
      const cell = flatIndex(index, strides[k]);
      const readers = elementsAt(cell, shape, strides[k], 0, MOST_DRAWN);
      grid.light(index, readers);
      grid.hold(index);
      const place = numel(own) ? unravel(cell, own) : [];
      lines.push(h("p", { class: `tlw-sentence${this.gradients ? " tlw-gradient" : ""}` },
        readersText(name, place, readers, this.gradients)));
    }
    this.result.grid.light(index, []);
    this.result.grid.hold(index);
    const terms = this.operands.map(({ k }) => flatIndex(index, strides[k]) * (k ? 10 : 1));
    this.reading.replaceChildren(h("p", { class: "tlw-subject tlw-mono" },
      `${index.length ? bracket(index) : "the one element"}: ${terms[0]} + ${terms[1]} `
        + `= ${terms[0] + terms[1]}`), ...lines);
  }

  // ---- in words

  line({ a, b, told }) {
    const { shape } = meet(a, b);
    const grads = this.gradients && told && shape ? `  # gradient of a: ${gradientLine(a, shape)}; of b: ${gradientLine(b, shape)}` : "";
    return `${operandLines(a, b).join(" + ")}${grads}`;
  }

  twinText() {
    const { a, b, told } = this.store.state;
    if (!told) return [`Two shapes, ${tuple(a)} and ${tuple(b)}. The answer comes after your prediction.`];
    const rows = columns(a, b).map(({ sizes, size, clash, stretches }, dim) => [dim,
      ...sizes.map((own) => own ?? "missing"),
      clash ? "error" : size, clash ? "they differ" : stretches[0] ? "a" : stretches[1] ? "b" : "neither"]);
    const { shape, refusal } = this.found;
    return [{ caption: spokenState(this.store.state), header: ["dimension", "a", "b", "result", "stretches"], rows },
      ...(refusal === undefined ? [costText(a, b, shape), ...this.gradientTexts] : [])];
  }
}

function render({ model, el, signal }) {
  new View({ model, el, signal });
}

export default { render };
