// The Reduction Lab: the reader squashes an axis and says which shape is left; then each element of the result shows
// what it gathers, and whether the result broadcasts with its tensor again.
import { ShapeQuestion, verdict } from "../shared/ask.js";
import { h, spokenText } from "../shared/dom.js";
import { Choice, NumberField } from "../shared/fields.js";
import { Frame } from "../shared/frame.js";
import { Grid } from "../shared/grid.js";
import { defaultStrides, flatIndex, numel, tuple, unravel } from "../shared/layout.js";
import { memoryFill } from "../shared/memory.js";
import { readNumbers } from "../shared/numbers.js";
import { Store } from "../shared/store.js";
import { bracket, letter } from "../shared/words.js";
import { OPERATIONS, back, check, combine, fibre, mistakes, reducedShape, sampleValue, targetOf } from "./engine.js";
import { backText, call, fibreText, numberText, spokenState, strideText } from "./words.js";

const HINT = "Choose the axes to squash, say which shape is left, and commit.";
const TOLD = "Point at an element of the result to see what it gathers. Another choice opens a new question.";
const SCHEMA = { shape: "ints", dims: "ints", keepdim: "flag", operation: "word" };
const OPEN = { guess: null, told: false };

class View {
  constructor(context) {
    this.store = new Store(context.model, context.signal, check);
    this.frame = new Frame(context, {
      name: "Reduction Lab", kind: "tlw-reduction-lab", store: this.store, schema: SCHEMA, hint: HINT,
      line: (state) => `(tl.arange(${numel(state.shape)}, dtype=tl.float32) * 7 % 10)`
        + `.view(${state.shape.length ? state.shape.join(", ") : "()"})${call(state)}`,
      twin: () => this.twinText(), spoken: (names) => (this.store.state.told && names.includes("told")
        ? spokenText(this.told) : spokenState(this.store.state)),
    });
    this.shape = new NumberField({
      name: "shape", kind: "shape", many: true, least: 1, messageId: this.frame.messageId,
      commit: () => this.setShape(),
        cancel: () => { this.shape.show(this.store.state.shape.join(", ")); this.store.refuse(null); },
    });
    this.operation = new Choice({
      name: "operation", options: OPERATIONS, changed: (operation) => this.store.propose({ ...OPEN, operation }),
    });
    this.keepdim = h("input", {
      type: "checkbox", onchange: () => this.store.propose({ ...OPEN, keepdim: this.keepdim.checked }),
    });
    this.frame.controls.append(this.shape.element, this.operation.element,
      h("label", { class: "tlw-check" }, this.keepdim, "keepdim"));
    this.axes = h("div", { class: "tlw-axes-choice", role: "group", "aria-label": "Axes to squash" });
    this.question = new ShapeQuestion({
      commit: ({ guess }) => this.store.propose({ guess, told: true }), again: () => this.store.propose(OPEN),
    });
    this.told = h("div", { class: "tlw-told" });
    this.grid = new Grid({
      label: "x", helpId: this.frame.messageId,
      picked: (index) => this.point(this.target(index), index), hovered: (index) => index
        && this.point(this.target(index), index),
    });
    this.result = new Grid({
      label: "result", helpId: this.frame.messageId,
      picked: (index) => this.point(index), hovered: (index) => index && this.point(index),
    });
    this.reading = h("div", { class: "tlw-reading", role: "group", "aria-label": "In hand" });
    this.resultPart = h("div", { class: "tlw-tensor" }, h("p", { class: "tlw-part" }, "result"), this.result.element);
    this.frame.body.append(this.axes, this.question.element, this.told, h("div", { class: "tlw-scene" },
      h("div", { class: "tlw-tensor" }, h("p", { class: "tlw-part" }, "x"), this.grid.element),
        this.resultPart, this.reading));
    this.frame.open(context.el, () => this.draw());
  }

  target(index) {
    const { shape, dims, keepdim } = this.store.state;
    return targetOf(index, shape, dims, keepdim);
  }

  setShape() {
    const { value, refusal } = readNumbers(this.shape.text, "the shape");
    const { state } = this.store;
    this.shape.mark(refusal !== undefined);
    if (refusal !== undefined) this.store.refuse(refusal);
    else if (String(value) === String(state.shape)) this.shape.show(state.shape.join(", "));
    else {
      const dims = state.dims.filter((dim) => dim < value.length);
      if (this.store.propose({ ...OPEN, shape: value, dims }) !== null) this.shape.mark(true);
    }
  }

  toggle(dim) {
    const { dims, operation } = this.store.state;
    const one = operation === "argmax";
    const next = dims.includes(dim) ? dims.filter((other) => other !== dim) : [...(one ? [] : dims), dim];
    this.store.propose({ ...OPEN, dims: next });
  }

  draw() {
    const { state } = this.store;
    const { shape, dims, keepdim, operation, told } = state;
    this.shape.show(shape.join(", "));
    this.operation.show(operation);
    this.keepdim.checked = keepdim;
    this.keepdim.disabled = dims.length === 0;
    this.drawAxes();
    this.question.show(state);
    this.frame.hint = told ? TOLD : HINT;
    const widest = told ? Math.max(...this.numbers.map((number) => numberText(number).length), 2) : 2;
    this.frame.root.style.setProperty("--digits", widest);
    this.grid.draw({ shape, hand: this.hand, cell: (index) => {
      const text = `${this.valueAt(index)}`;
      const fill = memoryFill(flatIndex(index, defaultStrides(shape)), numel(shape));
      return { text, label: `${text}: x${bracket(index)}`, fill };
    } });
    this.resultPart.hidden = !told;
    this.reading.hidden = !told;
    this.told.replaceChildren(...(told ? this.answer() : []));
    if (!told) {
      this.grid.light(null, []);
      return;
    }
    this.drawn = reducedShape(shape, dims, keepdim);
    const numbers = this.numbers;
    const strides = defaultStrides(this.drawn);
    this.result.draw({ shape: this.drawn, hand: this.drawn.map(() => 0), cell: (index) => {
      const text = numberText(numbers[flatIndex(index, strides)]);
      return { text, label: `${text}: result${bracket(index)}`, kind: "tlw-made" };
    } });
    this.point(this.drawn.map(() => 0));
  }

  drawAxes() {
    const { shape, dims } = this.store.state;
    const focused = [...this.axes.children].indexOf(document.activeElement);
    this.axes.replaceChildren(...shape.map((size, dim) => h("button", {
      type: "button", class: "tlw-button tlw-mono", "aria-pressed": String(dims.includes(dim)),
        onclick: () => this.toggle(dim),
    }, `dim ${dim} (${letter(dim, shape.length)}) · ${size}`)),
    h("span", { class: "tlw-note" }, dims.length ? "pressed axes are squashed" : "none pressed: everything is squashed"));
    if (focused >= 0) this.axes.children[focused]?.focus({ preventScroll: true });
  }

  valueAt(index) { return sampleValue(flatIndex(index, defaultStrides(this.store.state.shape))); }

  // What each element of the result is, in order.
  get numbers() {
    const { shape, dims, keepdim, operation } = this.store.state;
    const result = reducedShape(shape, dims, keepdim);
    return Array.from({ length: numel(result) }, (_, k) => combine(operation,
      fibre(unravel(k, result), shape, dims, keepdim).map((index) => this.valueAt(index))));
  }

  answer() {
    const { state } = this.store;
    return [...verdict(state.guess === null ? null : mistakes(state)),
      h("p", {}, strideText(state)),
      h("p", { class: state.operation === "argmax" ? ""
        : `tlw-back-${back(state.shape, state.dims, state.keepdim).kind}` },
        backText(state))];
  }

  // Lights an element of the result and all that it gathers; `own` is one of them that the reader points at.
  point(index, own = null) {
    const { shape, dims, keepdim, operation, told } = this.store.state;
    if (!told) {
      this.grid.light(own, []);
      if (own) this.grid.hold(own);
      return;
    }
    const gathered = fibre(index, shape, dims, keepdim);
    const values = gathered.map((one) => this.valueAt(one));
    const chosen = operation === "argmax" || operation === "amax" ? gathered[values.indexOf(Math.max(...values))] : own;
    this.grid.light(chosen, gathered);
    this.grid.hold(own ?? gathered[0]);
    this.result.light(index, []);
    this.result.hold(index);
    this.reading.replaceChildren(
      h("p", { class: "tlw-subject tlw-mono" }, `result${index.length ? bracket(index) : ""}`),
      h("p", { class: "tlw-sum tlw-mono" }, fibreText(operation, values)),
      h("p", { class: "tlw-note" }, "gathered from "
        + `${gathered.slice(0, 4).map(bracket).join(", ")}${gathered.length > 4 ? ", …" : ""}`));
  }

  twinText() {
    const { state } = this.store;
    const { shape, dims, keepdim, operation, told } = state;
    if (!told) return [`x has shape ${tuple(shape)}. Which shape has x${call(state)}? The answer `
      + `comes after your prediction.`];
    const result = reducedShape(shape, dims, keepdim);
    const rows = this.numbers.map((number, k) => {
      const index = unravel(k, result);
      const values = fibre(index, shape, dims, keepdim).map((one) => this.valueAt(one));
      return [bracket(index), numberText(number), fibreText(operation, values)];
    });
    return [{ caption: spokenState(state), header: ["index", "value", "gathered"], rows },
      strideText(state), backText(state)];
  }
}

function render({ model, el, signal }) {
  new View({ model, el, signal });
}

export default { render };
