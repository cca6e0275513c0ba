// The Adjoint Cards: the reader pairs an operation with a way back, commits to whether they belong together, and sees
// the two sums; the numbers can be changed.
import { h } from "../shared/dom.js";
import { NumberField } from "../shared/fields.js";
import { Frame } from "../shared/frame.js";
import { Grid } from "../shared/grid.js";
import { defaultStrides, flatIndex, numel, tuple } from "../shared/layout.js";
import { memoryFill } from "../shared/memory.js";
import { readNumbers } from "../shared/numbers.js";
import { Store } from "../shared/store.js";
import { bracket } from "../shared/words.js";
import { BACK, THERE, check, fitting, numbersFor, readBy } from "./engine.js";
import { lineText, numberText, outcomeText, sidesText, spokenState, verdictText } from "./words.js";

const HINT = "Choose a card on each side. Do they belong together? Commit, and the two sums are shown.";
const TOLD = "Change a number of x or y, or choose another card, which asks again.";
const SCHEMA = { there: "word", back: "word", x: "ints", y: "ints" };
const OPEN = { guess: null, told: false };

class View {
  constructor(context) {
    this.store = new Store(context.model, context.signal, check);
    this.frame = new Frame(context, {
      name: "Adjoint Cards", kind: "tlw-adjoint-cards", store: this.store, schema: SCHEMA, hint: HINT,
      line: lineText, twin: () => this.twinText(), spoken: () => spokenState(this.store.state),
    });
    this.fields = ["x", "y"].map((name) => new NumberField({
      name, spoken: `numbers of ${name}`, kind: "plain", many: true, least: -99, messageId: this.frame.messageId,
      commit: () => this.setNumbers(name),
      cancel: () => { this.field(name).show(this.store.state[name].join(", ")); this.store.refuse(null); },
    }));
    const preset = (kind) => h("button", {
      type: "button", class: "tlw-button", onclick: () => this.store.propose(numbersFor(this.store.state.there, kind)),
    }, kind);
    this.frame.controls.append(...this.fields.map((field) => field.element), preset("scattered"), preset("ones"));
    this.there = h("div", { class: "tlw-pair-cards", role: "group", "aria-label": "There" });
    this.back = h("div", { class: "tlw-pair-cards", role: "group", "aria-label": "Back" });
    this.grids = Object.fromEntries([["x", "x"], ["made", "there(x)"], ["y", "y"], ["back", "back(y)"]]
      .map(([key, label]) => [key, new Grid({
        label, helpId: this.frame.messageId, picked: (index) => this.grids[key].hold(index),
      })]));
    const part = (key, title, kind) => h("div", { class: `tlw-tensor ${kind}` },
      h("p", { class: "tlw-part" }, title), this.grids[key].element);
    this.answers = [["pair", "They belong together"], ["other", "They don't"]].map(([guess, text]) => h("button", {
      type: "button", class: "tlw-button", onclick: () => this.commit(guess),
    }, text));
    this.again = h("button", { type: "button", class: "tlw-button", onclick: () => this.askAgain() }, "Ask again");
    this.told = h("div", { class: "tlw-told" });
    this.frame.body.append(
      h("div", { class: "tlw-pair-sides" },
        h("div", { class: "tlw-pair-side" }, h("p", { class: "tlw-part" }, "there"), this.there,
          h("div", { class: "tlw-scene" }, part("x", "x", "tlw-forward"), part("made", "→ there(x)", "tlw-forward"))),
        h("div", { class: "tlw-pair-side" }, h("p", { class: "tlw-part" }, "back"), this.back,
          h("div", { class: "tlw-scene" },
            part("back", "back(y) ←", "tlw-backward"), part("y", "y", "tlw-backward")))),
      h("div", { class: "tlw-pair-answers", role: "group", "aria-label": "Do they belong together?" },
        this.answers, this.again),
      this.told);
    this.frame.open(context.el, () => this.draw());
  }

  field(name) { return this.fields[name === "x" ? 0 : 1]; }

  setNumbers(name) {
    const field = this.field(name);
    const { value, refusal } = readNumbers(field.text, name);
    field.mark(refusal !== undefined);
    if (refusal !== undefined) this.store.refuse(refusal);
    else if (String(value) === String(this.store.state[name])) field.show(value.join(", "));
    else if (this.store.propose({ [name]: value }) !== null) field.mark(true);
  }

  commit(guess) {
    this.store.propose({ guess, told: true });
    this.again.focus({ preventScroll: true });
  }

  askAgain() {
    this.store.propose(OPEN);
    this.answers[0].focus({ preventScroll: true });
  }

  draw() {
    const { state } = this.store;
    const { there, back, x, y, told } = state;
    this.frame.hint = told ? TOLD : HINT;
    this.field("x").show(x.join(", "));
    this.field("y").show(y.join(", "));
    this.drawCards(this.there, Object.keys(THERE), THERE, there, (name) => this.store.propose({
      ...OPEN, there: name, back: fitting(name)[0], ...numbersFor(name, "scattered"),
    }));
    this.drawCards(this.back, fitting(there), BACK, back, (name) => this.store.propose({ ...OPEN, back: name }));
    const { from, to, apply } = THERE[there];
    const shown = [["x", from, x], ["made", to, apply(x)], ["y", to, y], ["back", from, BACK[back].apply(y)]];
    const texts = shown.flatMap(([, , numbers]) => numbers.map((number) => numberText(number).length));
    this.frame.root.style.setProperty("--digits", Math.max(...texts, 2));
    const cells = { x: x.map((_, k) => k), made: readBy(there) };
    for (const [key, shape, numbers] of shown) this.drawGrid(key, shape, numbers, cells[key], numel(from));
    for (const button of this.answers) button.hidden = told;
    this.again.hidden = !told;
    this.told.replaceChildren(...(told ? this.answer() : []));
  }

  drawCards(group, names, cards, chosen, choose) {
    const focused = [...group.children].indexOf(document.activeElement);
    group.replaceChildren(...names.map((name) => h("button", {
      type: "button", class: "tlw-button tlw-mono", "aria-pressed": String(name === chosen),
      onclick: () => { if (name !== chosen) choose(name); },
    }, cards[name].text)));
    if (focused >= 0) group.children[Math.min(focused, names.length - 1)].focus({ preventScroll: true });
  }

  // `cells` says which number of x stands where, so that it keeps its colour; null where numbers are new.
  drawGrid(key, shape, numbers, cells, count) {
    const strides = defaultStrides(shape);
    this.grids[key].draw({ shape, hand: shape.map(() => 0), cell: (index) => {
      const place = flatIndex(index, strides);
      const text = numberText(numbers[place]);
      const fill = cells ? memoryFill(cells[place], count) : null;
      return { text, label: `${text}: ${bracket(index)}`, fill };
    } });
  }

  answer() {
    const { state } = this.store;
    const { right, text } = state.guess === null ? { right: true, text: "" } : verdictText(state);
    return [
      state.guess === null ? null : h("p", { class: right ? "" : "tlw-wrong" }, h("strong", {}, text)),
      ...sidesText(state).map((side) => h("p", { class: "tlw-sum tlw-mono" }, side)),
      h("p", {}, outcomeText(state)),
    ].filter(Boolean);
  }

  twinText() {
    const { state } = this.store;
    const { there, back, x, y, told } = state;
    const { from, to, apply } = THERE[there];
    const rows = [
      ["x", tuple(from), x.map(numberText).join(", ")],
      [`there(x): ${THERE[there].text}`, tuple(to), apply(x).map(numberText).join(", ")],
      ["y", tuple(to), y.map(numberText).join(", ")],
      [`back(y): ${BACK[back].text}`, tuple(from), BACK[back].apply(y).map(numberText).join(", ")],
    ];
    const caption = `${THERE[there].text} with ${BACK[back].text}`;
    const table = { caption, header: ["tensor", "shape", "numbers"], rows };
    return told ? [table, ...sidesText(state), outcomeText(state)]
      : [table, "Do they belong together? The two sums come after your prediction."];
  }
}

function render({ model, el, signal }) {
  new View({ model, el, signal });
}

export default { render };
