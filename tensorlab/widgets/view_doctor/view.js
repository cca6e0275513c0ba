// The View Doctor: the reader brackets the dimensions that merge and says whether a view exists; then it tells.
import { h, spokenText } from "../shared/dom.js";
import { NumberField } from "../shared/fields.js";
import { Frame } from "../shared/frame.js";
import { addressRange, flatIndex, numel, strideAfterShape, tuple, unravel } from "../shared/layout.js";
import { memoryFill } from "../shared/memory.js";
import { readNumber, readNumbers } from "../shared/numbers.js";
import { Store } from "../shared/store.js";
import { Tape } from "../shared/tape.js";
import { bracket, count } from "../shared/words.js";
import { Axes } from "./axes.js";
import { borders, check, score, treat } from "./engine.js";
import { BYTES, borderText, call, runsText, spokenLayout, treatmentText } from "./words.js";

const HINT = "Bracket the neighbours that merge, say whether a view exists, and commit.";
const TOLD = "Change the layout or the new shape, and a new question stands open.";
const SCHEMA = { shape: "ints", stride: "ints", offset: "int", target: "ints" };
const FIELDS = [
  { name: "shape", label: "shape", many: true }, { name: "stride", label: "stride", many: true },
  { name: "offset", label: "offset" }, { name: "target", label: "view as", many: true, kind: "shape", least: -1 },
];

class View {
  constructor(context) {
    this.store = new Store(context.model, context.signal, check);
    this.frame = new Frame(context, {
      name: "View Doctor", kind: "tlw-view-doctor", store: this.store, schema: SCHEMA, hint: HINT,
      line: (state) => this.line(state), twin: () => this.twinText(), spoken: (names) => this.spoken(names),
    });
    this.fields = Object.fromEntries(FIELDS.map(({ name, label, many = false, kind = name, least = 0 }) => [name,
      new NumberField({
        name: label, kind, many, least, messageId: this.frame.messageId,
        commit: () => this.setField(name, many), cancel: () => { this.showFields(); this.store.refuse(null); },
      })]));
    this.frame.controls.append(...Object.values(this.fields).map((field) => field.element));
    this.axes = new Axes({
      marked: (border, mark) => this.store.propose({ marks: this.store.state.marks.with(border, mark) }),
    });
    this.radios = ["view", "copy"].map((value) => h("input", {
      type: "radio", name: `${this.frame.messageId}-answer`, value, onchange: () => this.store.propose({ answer: value }),
    }));
    this.ask = h("span", {});
    this.commitButton = h("button", { type: "button", class: "tlw-button", onclick: () => this.commit() }, "Commit");
    this.answers = this.radios.map((radio) => h("label", {}, radio, radio.value === "view" ? "a view"
      : "a copy, and view fails"));
    this.question = h("div", { class: "tlw-guess", role: "radiogroup", "aria-label": "What does reshape make" }, this.ask,
      this.answers, this.commitButton);
    this.told = h("div", { class: "tlw-told" });
    this.tape = new Tape({ picked: (cell) => this.light(cell), hovered: (cell) => this.light(cell), label: "Storage" });
    this.copy = new Tape({
      picked: (cell) => this.lightCopy(cell), hovered: (cell) => this.lightCopy(cell), label: "Storage of the copy",
    });
    this.copyPart = h("div", { class: "tlw-storage tlw-new-storage" });
    this.frame.body.append(this.axes.element, this.question, this.told,
      h("div", { class: "tlw-storage" }, h("p", { class: "tlw-part" }, "storage: in which order the tensor reads it"),
        this.tape.element), this.copyPart);
    this.frame.open(context.el, (names) => this.draw(names));
  }

  // ---- what the reader does

  setField(name, many) {
    const field = this.fields[name];
    const { value, refusal } = (many ? readNumbers : readNumber)(field.text, `the ${name}`);
    field.mark(refusal !== undefined);
    const { state } = this.store;
    if (refusal !== undefined) this.store.refuse(refusal);
    else if (String(value) === String(state[name])) this.showFields();
    else {
      const changes = { [name]: value, told: false, answer: "open", marks: [] };
      if (name === "shape") {
        changes.stride = strideAfterShape(state.shape, state.stride, value);
        // A new shape that no longer holds as many elements: ask for one line of all of them.
        if (treat({ ...state, ...changes }, state.target).refusal !== undefined) changes.target = [-1];
      }
      if (this.store.propose(changes) !== null) field.mark(true);
    }
  }

  commit() {
    const { marks, answer, told } = this.store.state;
    if (told) {
      this.store.propose({ told: false, answer: "open", marks: [] });
      return;
    }
    if (marks.includes("open") || answer === "open") {
      this.told.replaceChildren(h("p", { class: "tlw-wrong", role: "alert" },
        "Mark every border and choose an answer first. "
        + "A wrong guess teaches more than none."));
      return;
    }
    this.store.propose({ told: true });
  }

  // ---- what the state says

  showFields() {
    for (const { name, many } of FIELDS) {
      const value = this.store.state[name];
      this.fields[name].show(many ? value.join(", ") : String(value));
    }
  }

  draw() {
    const { state } = this.store;
    const { shape, stride, offset, target, answer, told } = state;
    this.showFields();
    this.treated = treat(state, target);
    this.axes.draw(state);
    this.ask.textContent = `What does reshape${call(this.treated.shape)} make?`;
    for (const radio of this.radios) [radio.checked, radio.disabled] = [radio.value === answer, told];
    const unasked = told && answer === "open";                // the answer stood there from the beginning
    for (const part of [this.ask, ...this.answers]) part.hidden = unasked;
    this.commitButton.textContent = unasked ? "Ask me" : told ? "Ask again" : "Commit";
    this.frame.hint = told ? TOLD : HINT;
    this.tell();
    const cells = (addressRange(shape, stride, offset)?.[1] ?? -1) + 1;
    this.order = Array.from({ length: numel(shape) }, (_, k) => flatIndex(unravel(k, shape), stride, offset));
    const place = new Map(this.order.map((cell, k) => [cell, k]).reverse());
    this.frame.root.style.setProperty("--digits", String(Math.max(cells, 10)).length);
    this.tape.draw({
      cells, first: this.order.length ? Math.min(...this.order) : null,
      cell: (cell) => (place.has(cell)
        ? { text: `${place.get(cell)}`, kind: "tlw-reached", title: `cell ${cell}`, fill: memoryFill(cell, cells),
          label: `${place.get(cell)}: storage cell ${cell} is element ${bracket(unravel(place.get(cell), shape))}` }
        : { text: "·", label: `· storage cell ${cell}, at rest` }),
    });
    this.drawCopy(cells);
    this.light(null);
    const bytes = numel(shape) * BYTES;
    this.frame.showFacts([
      { name: "elements", value: `${count(numel(shape))} × ${BYTES} B = ${count(bytes)} B` },
      ...(told ? [{ name: "reshape moves", value: `${count(this.treated.order ? bytes : 0)} B`,
        kind: this.treated.order ? "tlw-copied" : "tlw-shared" }] : []),
    ]);
  }

  tell() {
    const { state } = this.store;
    if (!state.told) {
      this.told.replaceChildren();
      return;
    }
    const { right, asked } = score(state);
    const guessed = !state.marks.includes("open") && state.answer !== "open";
    this.told.replaceChildren(
      ...(guessed ? [h("p", { class: right === asked ? "" : "tlw-wrong" },
        h("strong", {}, `${right} of ${asked} right.`))] : []),
      h("p", {}, `${runsText(state.shape, state.stride)}.`.replace(/^d/, "D")),
      h("p", { class: "tlw-treatment" }, treatmentText(state, this.treated)));
  }

  // The storage that reshape would fill: what it holds is the cell that each number comes from, in that cell's colour.
  drawCopy(cells) {
    const { order } = this.treated;
    this.copyPart.hidden = !this.store.state.told || !order;
    if (this.copyPart.hidden) return;
    this.copyPart.replaceChildren(
      h("p", { class: "tlw-part" }, `the copy that reshape makes: ${count(order.length * BYTES)} `
        + `B, each number with the cell `
        + "that it comes from"), this.copy.element);
    this.copy.draw({
      cells: order.length, first: 0,
      cell: (cell) => ({ text: `${order[cell]}`, kind: "tlw-reached", title: `from cell ${order[cell]}`,
        fill: memoryFill(order[cell], cells),
        label: `${order[cell]}: cell ${cell} of the copy comes from storage cell ${order[cell]}` }),
    });
  }

  // One element in both storages; `cell` of the first one, or null.
  light(cell) {
    const { state } = this.store;
    const place = cell === null ? -1 : this.order.indexOf(cell);
    this.tape.light(cell, state, place < 0 ? null : unravel(place, state.shape));
    if (!this.copyPart.hidden) this.copy.light(place < 0 ? null : place, { stride: [1], offset: 0 }, null);
  }

  lightCopy(place) { this.light(place === null ? null : this.order[place]); }

  // ---- in words

  line({ shape, stride, offset, target, told }) {
    const size = (addressRange(shape, stride, offset)?.[1] ?? -1) + 1;
    const make = `tl.arange(${size}, dtype=tl.float32).as_strided(${tuple(shape)}, ${tuple(stride)}, ${offset})`;
    const name = told && treat({ shape, stride, offset }, target).stride ? "view" : "reshape";
    return `${make}.${name}${call(target)}`;
  }

  spoken(names) {
    const { state } = this.store;
    if (names.includes("told") && state.told) return spokenText(this.told);
    if (names.every((name) => name === "marks")) return `Borders: ${state.marks.join(", ")}.`;
    return names.every((name) => name === "answer") ? `Answer: ${state.answer}.` : spokenLayout(state);
  }

  twinText() {
    const { state } = this.store;
    const rows = borders(state.shape, state.stride).map((border, place) => [border.dims.join(" and "), border.has,
      border.needs.join("·"), state.marks[place], state.told ? borderText(border) : "not told yet"]);
    return [
      { caption: spokenLayout(state), header: ["border", "outer stride", "a run inside", "your mark", "truth"], rows },
      ...(state.told ? [`${runsText(state.shape, state.stride)}.`, treatmentText(state, this.treated)] : []),
    ];
  }
}

function render({ model, el, signal }) {
  new View({ model, el, signal });
}

export default { render };
