// The Promotion Lattice: two operands, a prediction by choosing a dtype, and the ways up to the result.
import { h, spokenText } from "../shared/dom.js";
import { Choice } from "../shared/fields.js";
import { Frame } from "../shared/frame.js";
import { Store } from "../shared/store.js";
import { DTYPES, KINDS, NUMBERS, check, resultType } from "./engine.js";
import { Lattice } from "./lattice.js";
import { consequences, operandText, operandWords, reasonText } from "./words.js";

const HINT = "Choose the dtype of a + b in the lattice. A wider dtype lies further to the end.";
const TOLD = "Change an operand, or take the next pair.";
const OPERAND = {
  write: (operand) => operand.join("."),
  read: (text) => {
    const parts = text.split(".");
    return parts.length === 2 ? { value: parts } : { refusal: `“${text}” is no operand such as tensor.int8` };
  },
};
const SCHEMA = { left: OPERAND, right: OPERAND };
const OPEN = { guess: null, told: false };

class View {
  constructor(context) {
    this.store = new Store(context.model, context.signal, check);
    this.frame = new Frame(context, {
      name: "Promotion Lattice", kind: "tlw-promotion-lattice", store: this.store, schema: SCHEMA, hint: HINT,
      line: ({ left, right }) => `(${operandText(left)} + ${operandText(right)}).dtype`,
      twin: () => this.twinText(), spoken: () => this.spoken(),
    });
    [this.right, this.asked] = [0, 0];
    this.choices = Object.fromEntries([["left", "a"], ["right", "b"]].map(([side, name]) => [side, {
      kind: new Choice({ name: `${name} is a`, options: Object.entries(KINDS),
        changed: (kind) => this.setKind(side, kind) }),
      dtype: new Choice({
        name: `dtype of ${name}`, options: DTYPES,
        changed: (dtype) => this.store.propose({ ...OPEN, [side]: [this.store.state[side][0], dtype] }),
      }),
    }]));
    this.frame.controls.append(...Object.values(this.choices).flatMap(({ kind, dtype }) =>
      [kind.element, dtype.element]));
    this.lattice = new Lattice({ signal: context.signal, chosen: (dtype) => this.commit(dtype) });
    this.question = h("p", { class: "tlw-question" });
    this.told = h("div", { class: "tlw-told" });
    this.next = h("button", { type: "button", class: "tlw-button", onclick: () => this.nextPair() }, "Next pair");
    this.frame.body.append(this.question, this.lattice.element, this.told);
    this.frame.open(context.el, () => this.draw(), [this.next]);
  }

  setKind(side, kind) {
    const [, dtype] = this.store.state[side];
    const fits = kind !== "number" || Object.hasOwn(NUMBERS, dtype);
    this.store.propose({ ...OPEN, [side]: [kind, fits ? dtype : "int64"] });
    this.draw();                        // also where it was refused: the choice goes back
  }

  commit(dtype) {
    const { left, right, told } = this.store.state;
    if (told) return;
    this.asked += 1;
    if (dtype === resultType(left, right).dtype) this.right += 1;
    this.store.propose({ guess: dtype, told: true });
    this.next.focus({ preventScroll: true });
  }

  nextPair() {
    const one = (list) => list[Math.floor(Math.random() * list.length)];
    const kind = one(["tensor", "tensor", "zerodim", "number"]);
    const right = one(kind === "number" ? Object.keys(NUMBERS) : DTYPES);
    // Two of one dtype ask nothing, and nor does the dtype that was there before.
    const before = this.store.state.left[1];
    const left = one(DTYPES.filter((dtype) => dtype !== right && dtype !== before));
    this.store.propose({ ...OPEN, left: ["tensor", left], right: [kind, right] });
  }

  draw() {
    const { left, right, guess, told } = this.store.state;
    for (const [side, operand] of [["left", left], ["right", right]]) {
      this.choices[side].kind.show(operand[0]);
      const { input } = this.choices[side].dtype;
      for (const option of input.options) {
        option.disabled = operand[0] === "number" && !Object.hasOwn(NUMBERS, option.value);
      }
      this.choices[side].dtype.show(operand[1]);
    }
    this.question.textContent = `a is ${operandWords(left)}, b is ${operandWords(right)}. Which dtype has a + b?`;
    this.frame.hint = told ? TOLD : HINT;
    const { dtype } = resultType(left, right);
    this.lattice.draw({ left: left[1], right: right[1], result: told ? dtype : null, guess, told });
    this.told.replaceChildren(...(told ? this.answer(dtype) : []));
  }

  answer(dtype) {
    const { left, right, guess } = this.store.state;
    const score = this.asked ? ` ${this.right} of ${this.asked} right so far.` : "";
    const verdict = guess === null ? [] : [h("p", { class: guess === dtype ? "" : "tlw-wrong" },
      h("strong", {}, guess === dtype ? `Right: ${dtype}.` : `Not ${guess}: ${dtype}.`), score)];
    return [...verdict, h("p", {}, reasonText(left, right)),
      h("ul", { class: "tlw-consequences" }, consequences(left, right).map((text) => h("li", {}, text)))];
  }

  spoken() { return this.store.state.told ? spokenText(this.told) : this.question.textContent; }

  twinText() {
    const { left, right, told } = this.store.state;
    const table = DTYPES.map((dtype) => [dtype,
      ...DTYPES.map((other) => resultType(["tensor", dtype], ["tensor", other]).dtype)]);
    if (!told) return [`${this.question.textContent} The answer comes after your prediction.`];
    return [`${reasonText(left, right)} ${consequences(left, right).join(" ")}`,
      { caption: "The dtype that two tensors promote to.", header: ["a \\ b", ...DTYPES], rows: table }];
  }
}

function render({ model, el, signal }) {
  new View({ model, el, signal });
}

export default { render };
