// The Stride Lab: operations on a tensor, what each does to its layout, and what a walk costs. This file joins the
// parts; the rules are in engine.js, shared/views.js and walking.js.
import { h } from "../shared/dom.js";
import { Choice, NumberField } from "../shared/fields.js";
import { Frame } from "../shared/frame.js";
import { Grid } from "../shared/grid.js";
import { DTYPES, elementsAt, flatIndex, handAfterShape, isContiguous, numel, unravel } from "../shared/layout.js";
import { memoryFill } from "../shared/memory.js";
import { readNumbers } from "../shared/numbers.js";
import { Prediction } from "../shared/prediction.js";
import { Presets } from "../shared/presets.js";
import { sampleText } from "../shared/sample.js";
import { Store } from "../shared/store.js";
import { addressLines } from "../shared/sums.js";
import { Tape } from "../shared/tape.js";
import { MOST_ROWS } from "../shared/twin.js";
import { bracket, count, join, numberTerms, plural } from "../shared/words.js";
import { run, valueAt } from "./engine.js";
import { layoutCard, stepChips } from "./cards.js";
import { Operations } from "./operations.js";
import { presetOperations } from "./presets.js";
import { Stroll } from "./stroll.js";
import { pythonLine, pythonText, readOps, writeOps } from "./text.js";
import { effectText, layoutText, spokenHand, spokenStep } from "./words.js";

const HINT = "Choose an operation, or point at a cell. Arrow keys move; in a field, ↑ and ↓ change a number.";
const PREDICT = "Choose an operation, or walk. You commit to what comes out before it is shown.";
const SCHEMA = {
  shape: "ints", dtype: "word", ops: { write: writeOps, read: readOps }, hand: "ints", line: "int", walk: "word",
};

function check(state) {
  const { shape, dtype, ops, line, walk } = state;
  const negative = shape.find((size) => size < 0);
  if (negative !== undefined) return { refusal: `the size ${negative} is negative; sizes are 0 or more` };
  if (!Object.hasOwn(DTYPES, dtype)) return { refusal: `there is no dtype “${dtype}”` };
  if (![8, 16, 32, 64, 128].includes(line)) return { refusal: `a cache line of ${line} bytes is not among 8 … 128` };
  if (!["last", "first"].includes(walk)) return { refusal: `a walk moves the last or the first dimension fastest` };
  const { steps, refusal } = run(shape, ops, dtype);
  if (refusal !== undefined) return { refusal };
  return { state: { shape, dtype, ops, hand: handAfterShape(state.hand, steps.at(-1).shape), line, walk } };
}

class View {
  constructor(context) {
    this.store = new Store(context.model, context.signal, check);
    this.hover = null;
    this.frame = new Frame(context, {
      name: "Stride Lab", kind: "tlw-stride-lab", store: this.store, schema: SCHEMA, hint: HINT,
      line: ({ shape, dtype, ops }) => pythonLine(shape, dtype, ops, this.steps),
      twin: () => this.twinText(), spoken: (names) => this.spoken(names),
    });
    const { say, messageId } = this.frame;
    this.prediction = new Prediction({ changed: () => this.frame.redraw(["ops"]) });
    this.shape = new NumberField({
      name: "shape", kind: "shape", many: true, messageId,
      commit: () => this.setShape(), cancel: () => { this.showFields(); this.store.refuse(null); },
    });
    this.dtype = new Choice({ name: "dtype", options: Object.keys(DTYPES), changed: (dtype) =>
      this.store.propose({ dtype }) });
    this.frame.controls.append(this.shape.element, this.dtype.element);
    this.chips = h("ol", { class: "tlw-chain", "aria-label": "Steps" });
    const predicting = () => this.prediction.on;
    const scored = (right) => this.prediction.tell(right);
    const { model } = context;
    this.presets = new Presets({
      names: model.get("presets"),
      chosen: (name) => this.store.propose({ ops: presetOperations(this.store.state.shape)[name] }),
    });
    this.offered = model.get("operations");
    this.operations = new Operations({
      names: this.offered,
      now: () => ({ step: this.step, dtype: this.store.state.dtype }), predicting, say, asked: scored,
      perform: (op) => this.store.propose({ ops: [...this.store.state.ops, op] }),
    });
    this.grid = new Grid({
      helpId: messageId, picked: (index) => this.pick(index), hovered: (index) => this.point(index && { index }),
      home: (origin) => this.tape.slot(this.cellOf(origin)),
    });
    this.tape = new Tape({
      picked: (cell) => this.pickCell(cell), hovered: (cell) => this.point(cell === null ? null : { cell }),
    });
    this.stroll = new Stroll({
      now: () => ({ step: this.step, ...this.store.state }), predicting, scored, say,
      moved: (hand) => (this.stroll.timer ? this.store.show({ hand }) : this.store.propose({ hand })),
      changed: (name, value) => this.store.propose({ [name]: value }),
    });
    context.signal.addEventListener("abort", () => this.stroll.pause());
    this.card = h("div", { class: "tlw-layout" });
    this.reading = h("div", { class: "tlw-reading", role: "group", "aria-label": "In hand" });
    this.storage = h("div", { class: "tlw-storage" }, h("p", { class: "tlw-part" }, "storage, in cache lines"),
      this.tape.element);
    this.frame.body.append(this.presets.element, this.operations.element, this.chips,
      h("div", { class: "tlw-scene" },
        h("div", { class: "tlw-tensor" }, h("p", { class: "tlw-part" }, "tensor"), this.grid.element),
        h("div", { class: "tlw-side" }, this.card, this.reading)),
      this.storage, this.stroll.element);
    this.frame.open(context.el, (names) => this.draw(names), [this.prediction.button]);
  }

  // All steps of the state that stands, and the last one.
  get steps() {
    const { shape, dtype, ops } = this.store.state;
    const key = JSON.stringify([shape, dtype, ops]);
    if (key !== this.known) [this.known, this.found] = [key, run(shape, ops, dtype).steps];
    return this.found;
  }

  get step() { return this.steps.at(-1); }

  textAt(cell) { return sampleText(valueAt(this.step, cell), this.store.state.dtype); }

  // A number keeps the colour of the first storage's cell that it came from, also in a copy.
  fillAt(cell) { return memoryFill(valueAt(this.step, cell), this.steps[0].cells); }

  // The cell of the storage that stands now in which the number of the first storage's cell lies.
  cellOf(origin) { return this.step.values === null ? origin : this.step.values.indexOf(origin); }

  // ---- what the reader does

  setShape() {
    const { value, refusal } = readNumbers(this.shape.text, "the shape");
    this.shape.mark(refusal !== undefined);
    if (refusal !== undefined) this.store.refuse(refusal);
    else if (String(value) === String(this.store.state.shape)) this.showFields();
    else if (this.store.propose({ shape: value }) !== null) {
      // The operations were for another shape: they go rather than stand in the way, and come back when asked.
      const { shape, ops } = this.store.state;
      if (this.store.propose({ shape: value, ops: [] }) !== null) this.shape.mark(true);
      else if (ops.length) this.offer({ shape, ops });
    }
  }

  // Says that operations went, with a button that brings them back; the next change takes the offer away.
  offer(before) {
    const went = `${plural(before.ops.length, "operation")} did not fit the new shape.`;
    const undo = () => { this.store.propose(before); this.shape.element.querySelector("input")?.focus(); };
    this.chips.append(h("li", { class: "tlw-note" }, `${went} `,
      h("button", { type: "button", class: "tlw-button", onclick: undo }, "Bring back")));
    this.frame.say(went);
  }

  pick(hand) {
    this.hover = null;
    this.stroll.pause();
    this.store.propose({ hand });
  }

  pickCell(cell) {
    const reaching = this.reaching(cell);
    if (reaching.length === 0) {
      this.frame.say(`Storage cell ${cell} rests: no element lies in it.`);
      return;
    }
    const here = reaching.findIndex((index) => String(index) === String(this.store.state.hand));
    this.pick(reaching[(here + 1) % reaching.length]);
  }

  point(hover) {
    if (JSON.stringify(hover) === JSON.stringify(this.hover)) return;
    this.hover = hover;
    this.light();
  }

  reaching(cell) {
    const { shape, stride, offset } = this.step;
    return elementsAt(cell, shape, stride, offset, 64);
  }

  // ---- what the state says

  showFields() {
    this.shape.show(this.store.state.shape.join(", "));
    this.dtype.show(this.store.state.dtype);
  }

  draw(names) {
    if (names.some((name) => name !== "hand")) this.drawAll();
    else this.grid.hold(this.store.state.hand);
    this.light();
  }

  drawAll() {
    const { step, steps } = this;
    const { state } = this.store;
    const { shape, stride, offset, cells } = step;
    this.showFields();
    this.frame.hint = this.prediction.on ? PREDICT : HINT;
    this.hover = null;
    this.frame.root.style.setProperty("--digits", this.widest());
    this.chips.replaceChildren(...stepChips(steps, state, (kept) =>
      this.store.propose({ ops: state.ops.slice(0, kept) })));
    this.operations.show();
    const presets = presetOperations(state.shape);
    const written = JSON.stringify(state.ops);
    this.presets.show((name) => name in presets, (name) => JSON.stringify(presets[name]) === written);
    this.card.replaceChildren(...layoutCard(step, this.offered.some((name) => ["view", "reshape"].includes(name))));
    const cell = (index) => {
      const at = flatIndex(index, stride, offset);
      const text = this.textAt(at);
      const place = bracket(index);
      const again = index.some((i, dim) => i > 0 && stride[dim] === 0);
      return {
        text, label: `${place}, value ${text}, storage cell ${at}`, title: `${place}: ${text}`,
        kind: again ? "tlw-again" : "", fill: this.fillAt(at), at: valueAt(step, at),
      };
    };
    this.grid.draw({ shape, hand: state.hand, cell, stride });
    this.storage.classList.toggle("tlw-new-storage", step.values !== null);
    this.stroll.begin();
    this.reached = new Set(this.stroll.steps.map(({ cell: at }) => at));
    this.tape.draw({
      cells, group: this.stroll.perLine,
      first: this.reached.size ? Math.min(...this.reached) : null,
      cell: (at) => {
        const text = this.textAt(at);
        const reached = this.reached.has(at);
        return {
          text, title: `cell ${at}: ${text}`, kind: reached ? "tlw-reached" : "", fill: this.fillAt(at),
          label: `storage cell ${at}, holds ${text}, ${reached ? "reached by the tensor" : "at rest"}`,
        };
      },
    });
    this.showFacts();
  }

  showFacts() {
    const { step, steps } = this;
    const size = DTYPES[this.store.state.dtype];
    const moved = steps.reduce((sum, { bytes = 0 }) => sum + bytes, 0);
    this.frame.showFacts([
      { name: "moved", value: `${count(moved)} B`, kind: moved ? "tlw-copied" : "tlw-shared" },
      { name: "tensor", value: `${count(numel(step.shape))} × ${size} B = ${count(numel(step.shape) * size)} B` },
      { name: "storage", value: `${count(step.cells)} × ${size} B = ${count(step.cells * size)} B` },
      { name: "contiguous", value: isContiguous(step.shape, step.stride) ? "yes" : "no" },
    ]);
  }

  widest() {
    const texts = Array.from({ length: this.step.cells }, (_, cell) => this.textAt(cell).length);
    return Math.min(Math.max(2, String(this.step.cells).length, ...texts), 9);
  }

  light() {
    const { step } = this;
    const { hand, dtype } = this.store.state;
    const aimed = this.hover?.cell;
    const index = aimed === undefined ? this.hover?.index ?? hand : null;
    const cell = aimed ?? (index === null ? null : flatIndex(index, step.stride, step.offset));
    const reaching = cell === null ? [] : this.reaching(cell);
    const only = index ?? (reaching.length === 1 ? reaching[0] : null);
    this.grid.light(only, reaching);
    this.tape.light(cell, step, only);
    this.showSeen();
    this.reading.replaceChildren(...(cell === null
      ? [h("p", {}, "A tensor without elements reaches no storage cell.")]
      : [h("p", { class: "tlw-subject tlw-mono" }, only
        ? `x${only.length ? bracket(only) : ""} is ${this.textAt(cell)}` : `cell ${cell} holds ${this.textAt(cell)}`),
      ...(only ? addressLines(only, { ...step, dtype }, true) : []),
      ...(reaching.length === 1 ? [] : [h("p", { class: "tlw-note" }, reaching.length
        ? `${plural(reaching.length, "element")} share this storage cell.` : "No element lies in it.")])]));
    if (this.hover === null) this.tape.show(cell);
  }

  // The cells that the walk has read, and the lines that it has fetched.
  showSeen() {
    const { cells, lines, cache } = this.stroll.seen;
    for (const button of this.tape.buttons) {
      button.classList.toggle("tlw-read", cells.has(Number(button.dataset.cell)));
    }
    for (const box of this.tape.line.querySelectorAll(".tlw-cache-line")) {
      const line = Number(box.dataset.line);
      box.classList.toggle("tlw-was-fetched", lines.has(line));
      box.classList.toggle("tlw-is-kept", cache.includes(line));
    }
  }

  // ---- in words

  spoken(names) {
    const { step, store: { state } } = this;
    if (names.every((name) => name === "hand")) {
      if (state.hand === null || this.stroll.timer) return "";
      const cell = flatIndex(state.hand, step.stride, step.offset);
      return spokenHand(state.hand, this.textAt(cell), cell);
    }
    const op = state.ops.at(-1);
    const name = op ? pythonText(op, this.steps.at(-2).shape) : "x";
    return op ? spokenStep(step, name) : `x: ${layoutText(step)}.`;
  }

  twinText() {
    const { steps, step } = this;
    const { ops, shape } = this.store.state;
    const rows = steps.map((one, k) => [k ? pythonText(ops[k - 1], steps[k - 1].shape) : `view(${shape.join(", ")})`,
      `(${one.shape.join(", ")})`, `(${one.stride.join(", ")})`, one.offset, k ? effectText(one) : "new storage"]);
    const total = numel(step.shape);
    const elements = Array.from({ length: Math.min(total, MOST_ROWS) }, (_, k) => {
      const index = unravel(k, step.shape);
      const cell = flatIndex(index, step.stride, step.offset);
      return [bracket(index), this.textAt(cell), join(numberTerms(index, step.stride, step.offset)), cell];
    });
    return [
      { caption: "One operation after the other.", header: ["step", "shape", "strides", "offset", "effect"], rows },
      { caption: `The elements of ${layoutText(step)}.`,
        header: ["index", "value", "sum", "storage cell"], rows: elements },
      ...(total > MOST_ROWS ? [`The first ${MOST_ROWS} of ${count(total)} elements.`] : []),
    ];
  }
}

function render({ model, el, signal }) {
  new View({ model, el, signal });
}

export default { render };
