// The Indexing Lab: the reader says whether an index makes a view or a gather and which shape comes out; then each
// element of the result shows where it comes from, and what becomes of duplicates.
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
import { bracket, plural } from "../shared/words.js";
import { check, mistakes, take, timesNamed } from "./engine.js";
import { parseIndex } from "./parse.js";
import { addedText, spokenState, takenText } from "./words.js";

const HINT = "Type an index, say what it makes, and commit.";
const TOLD = "Point at an element to see where it comes from. Another index opens a new question.";
const SCHEMA = { shape: "ints", index: "text" };
const OPEN = { says: null, guess: null, refused: false, told: false };
const EXAMPLES = ["1", "1:, ::2", "..., None", "[0, 2]", "[0, 0, 2], [1, 1, 3]", ":, [3, 0]", "x > 5"];

class View {
  constructor(context) {
    this.store = new Store(context.model, context.signal, check);
    this.frame = new Frame(context, {
      name: "Indexing Lab", kind: "tlw-indexing-lab", store: this.store, schema: SCHEMA, hint: HINT,
      line: ({ shape, index }) => `x = tl.arange(${numel(shape)}).view(${shape.join(", ")}); x[${index}]`,
      twin: () => this.twinText(), spoken: (names) => (this.store.state.told && names.includes("told")
        ? spokenText(this.told) : spokenState(this.store.state, this.taken)),
    });
    const { messageId } = this.frame;
    this.shape = new NumberField({
      name: "shape", kind: "shape", many: true, least: 1, messageId, commit: () => this.setShape(),
      cancel: () => { this.showFields(); this.store.refuse(null); },
    });
    this.index = h("input", {
      type: "text", autocomplete: "off",
        spellcheck: "false", "aria-label": "index", "aria-describedby": messageId, size: 18,
      onchange: () => this.setIndex(this.index.value),
      onkeydown: (event) => { if (event.key === "Enter") this.setIndex(this.index.value); },
    });
    this.frame.controls.append(this.shape.element, h("div", { class: "tlw-field tlw-many tlw-index" },
      h("span", { class: "tlw-field-name" }, "index"),
        h("span", { class: "tlw-field-box tlw-mono" }, "x[", this.index, "]")),
    h("div", { class: "tlw-examples", role: "group", "aria-label": "Examples" }, EXAMPLES.map((text) => h("button", {
      type: "button", class: "tlw-button tlw-mono", onclick: () => this.setIndex(text),
    }, text))));
    this.radios = [["view", "a view"], ["copy", "a gathered copy"]].map(([value, text]) => {
      const input = h("input", {
        type: "radio", name: `${messageId}-says`, value, onchange: () => this.store.propose({ says: value }),
      });
      return { input, label: h("label", {}, input, text) };
    });
    this.question = new ShapeQuestion({
      never: "it raises an error",
      extra: h("span", { class: "tlw-guess-kinds", role: "radiogroup", "aria-label": "What the index makes" },
        this.radios.map(({ label }) => label)),
      missing: () => (this.store.state.says === null ? "Say first whether it is a view or a gathered copy." : null),
      commit: (prediction) => this.store.propose({ ...prediction, told: true }),
      again: () => this.store.propose(OPEN),
    });
    this.told = h("div", { class: "tlw-told" });
    this.x = this.part("x", (index) => this.fromSource(index));
    this.result = this.part("x[index]", (index) => this.point(index));
    this.once = this.part("x[index] += 1 adds", () => {});
    this.every = this.part("accumulate=True adds", () => {});
    this.reading = h("div", { class: "tlw-reading", role: "group", "aria-label": "In hand" });
    this.frame.body.append(this.question.element, this.told,
      h("div", { class: "tlw-scene" }, this.x.element, this.result.element,
      this.reading), h("div", { class: "tlw-scene" }, this.once.element, this.every.element));
    this.frame.open(context.el, () => this.draw());
  }

  part(name, picked) {
    const grid = new Grid({ label: name, helpId: this.frame.messageId, picked,
      hovered: (index) => index && picked(index) });
    return { grid, element: h("div", { class: "tlw-tensor" }, h("p", { class: "tlw-part" }, name), grid.element) };
  }

  get taken() { return take(this.store.state.shape, parseIndex(this.store.state.index).items); }

  setShape() {
    const { value, refusal } = readNumbers(this.shape.text, "the shape");
    this.shape.mark(refusal !== undefined);
    if (refusal !== undefined) this.store.refuse(refusal);
    else if (String(value) === String(this.store.state.shape)) this.showFields();
    else if (this.store.propose({ ...OPEN, shape: value }) !== null) this.shape.mark(true);
  }

  setIndex(text) {
    if (text.trim() === this.store.state.index) {
      this.showFields();
      return;
    }
    if (this.store.propose({ ...OPEN, index: text }) !== null) this.index.setAttribute("aria-invalid", "true");
  }

  showFields() {
    this.shape.show(this.store.state.shape.join(", "));
    this.index.value = this.store.state.index;
    this.index.removeAttribute("aria-invalid");
  }

  draw() {
    const { state } = this.store;
    const { shape, says, told } = state;
    this.showFields();
    for (const { input } of this.radios) [input.checked, input.disabled] = [input.value === says, told];
    this.question.show(state);
    this.frame.hint = told ? TOLD : HINT;
    this.frame.root.style.setProperty("--digits", Math.max(String(numel(shape) - 1).length, 2));
    const strides = defaultStrides(shape);
    this.x.grid.draw({ shape, hand: null, cell: (index) => {
      const cell = flatIndex(index, strides);
      return { text: String(cell), label: `${cell}: x${bracket(index)}`, fill: memoryFill(cell, numel(shape)) };
    } });
    this.x.grid.light(null, []);
    const taken = told ? this.taken : { refusal: "" };
    this.works = taken.refusal === undefined;
    this.result.element.hidden = !this.works;
    this.reading.hidden = !this.works;
    this.told.replaceChildren(...(told ? this.answer(taken) : []));
    this.drawAdded(taken);
    if (!this.works) return;
    const places = defaultStrides(taken.shape);
    this.result.grid.draw({ shape: taken.shape, hand: null, cell: (index) => {
      const cell = taken.sources[flatIndex(index, places)];
      return { text: String(cell), label: `${cell}: x[index]${bracket(index)}`, fill: memoryFill(cell, numel(shape)) };
    } });
    this.result.element.classList.toggle("tlw-copied-cells", taken.kind === "copy");
    if (taken.sources.length) this.point(taken.shape.map(() => 0));
    else this.reading.replaceChildren(h("p", {}, "Nothing is taken: a size is 0."));
  }

  answer(taken) {
    const { state } = this.store;
    const asked = state.guess !== null || state.refused;
    return [...verdict(asked ? mistakes(state) : null), ...(this.works
      ? [h("p", { class: taken.kind === "view" ? "tlw-is-view" : "tlw-is-copy" }, takenText(taken)),
        h("p", {}, addedText(state.shape, taken))]
      : [h("p", { class: "tlw-wrong" }, `An error: ${taken.refusal}.`)])];
  }

  // What is added where an element is named several times: once, or every time.
  drawAdded(taken) {
    const { shape } = this.store.state;
    const times = this.works ? timesNamed(shape, taken.sources) : [];
    const twice = taken.kind === "copy" && times.some((time) => time > 1);
    this.once.element.parentElement.hidden = !twice;
    if (!twice) return;
    const strides = defaultStrides(shape);
    for (const [{ grid }, most] of [[this.once, 1], [this.every, Infinity]]) {
      grid.draw({ shape, hand: null, cell: (index) => {
        const time = times[flatIndex(index, strides)];
        const text = String(Math.min(time, most));
        return { text, label: `${text}: added to x${bracket(index)}`, kind: time > 1
          ? "tlw-twice" : time ? "" : "tlw-rests" };
      } });
    }
  }

  // Lights an element of the result, where it comes from, and who else comes from there.
  point(index) {
    if (!this.works) return;
    const { shape } = this.store.state;
    const taken = this.taken;
    const source = taken.sources[flatIndex(index, defaultStrides(taken.shape))];
    const same = taken.sources.flatMap((other, k) => (other === source ? [unravel(k, taken.shape)] : []));
    this.x.grid.light(unravel(source, shape), []);
    this.x.grid.hold(unravel(source, shape));
    this.result.grid.light(index, same);
    this.result.grid.hold(index);
    this.reading.replaceChildren(
      h("p", { class: "tlw-subject tlw-mono" }, `x[index]${index.length ? bracket(index) : ""} is `
        + `x${bracket(unravel(source, shape))}`),
      h("p", { class: "tlw-note" }, same.length > 1
        ? `x${bracket(unravel(source, shape))} is named ${plural(same.length, "time")}.` : ""));
  }

  fromSource(index) {
    if (!this.works) {
      this.x.grid.light(index, []);
      this.x.grid.hold(index);
      return;
    }
    const { shape } = this.store.state;
    const taken = this.taken;
    const source = flatIndex(index, defaultStrides(shape));
    const first = taken.sources.indexOf(source);
    if (first >= 0) {
      this.point(unravel(first, taken.shape));
      return;
    }
    this.x.grid.light(index, []);
    this.x.grid.hold(index);
    this.result.grid.light(null, []);
    this.reading.replaceChildren(h("p", { class: "tlw-subject tlw-mono" }, `x${bracket(index)} is not taken`));
  }

  twinText() {
    const { state } = this.store;
    const taken = this.taken;
    if (!state.told) return [`x has shape ${tuple(state.shape)}. What is x[${state.index}]? The answer `
      + `comes after your prediction.`];
    if (taken.refusal !== undefined) return [`An error: ${taken.refusal}.`];
    const rows = taken.sources.slice(0, MOST_ROWS).map((source, k) => [bracket(unravel(k, taken.shape)), source,
      `x${bracket(unravel(source, state.shape))}`]);
    return [{ caption: takenText(taken), header: ["index", "value", "comes from"], rows }, addedText(state.shape, taken)];
  }
}

function render({ model, el, signal }) {
  new View({ model, el, signal });
}

export default { render };
