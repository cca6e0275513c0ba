// The prediction of an operation: view, copy or error, and the layout that comes out.
import { h } from "../shared/dom.js";
import { tuple } from "../shared/layout.js";
import { readNumber, readNumbers } from "../shared/numbers.js";
import { outcome } from "./words.js";

const KINDS = ["view", "copy", "error"];

export class Guess {
  // `done(right)` gives the score, as a sentence.
  constructor({ say, done }) {
    Object.assign(this, { say, done });
    this.radios = KINDS.map((value) =>
      h("input", { type: "radio", name: "kind", value, onchange: () => this.kindChosen() }));
    this.texts = ["shape", "strides", "offset"].map((name) => [name, h("input", {
      type: "text", autocomplete: "off", spellcheck: "false", "aria-label": `predicted ${name}`,
      inputmode: name === "offset" ? "numeric" : "text", size: name === "offset" ? 3 : 8,
    })]);
    this.fields = h("span", { class: "tlw-guess-fields" },
      this.texts.map(([name, input]) => h("label", {}, `${name} `, input)));
    this.commitButton = h("button", { type: "submit", class: "tlw-button" }, "Commit");
    this.verdict = h("p", { class: "tlw-sentence", role: "status" });
    this.form = h("form", { class: "tlw-guess", onsubmit: (event) => this.commit(event) },
      h("span", { class: "tlw-guess-kinds", role: "radiogroup", "aria-label": "What will come out" },
        this.radios.map((radio) => h("label", {}, radio, radio.value))),
      this.fields, this.commitButton);
    this.element = h("div", {}, this.form, this.verdict);
  }

  clear() {
    for (const radio of this.radios) radio.checked = false;
    for (const [, input] of this.texts) input.value = "";
    this.fields.hidden = false;
  }

  // What is to be predicted, and what follows the commitment.
  about(next, follow) { Object.assign(this, { next, follow }); }

  focus() { this.radios[0].focus({ preventScroll: true }); }

  get kind() { return this.radios.find((radio) => radio.checked)?.value ?? null; }

  kindChosen() { this.fields.hidden = this.kind === "error"; }

  commit(event) {
    event.preventDefault();
    const { kind, next } = this;
    if (kind === null) {
      this.tell("Choose view, copy or error first.", true);
      return;
    }
    const guessed = {};
    for (const [name, input] of kind === "error" ? [] : this.texts) {
      const { value, refusal } = (name === "offset" ? readNumber : readNumbers)(input.value, `the ${name}`);
      if (refusal !== undefined) {
        this.tell(`${refusal}.`, true);
        input.focus();
        return;
      }
      guessed[name] = value;
    }
    const wrong = mistakes(kind, guessed, next);
    const score = this.done(wrong.length === 0);
    this.follow();
    this.tell(`${wrong.length ? `Not so: ${wrong.join("; ")}. It` : "Right: it"} ${outcome(next)} ${score}`,
      wrong.length > 0);
    this.clear();
  }

  tell(text, wrong) {
    this.verdict.classList.toggle("tlw-wrong", wrong);
    this.verdict.textContent = text;
    this.say(text);
  }
}

// What is wrong with a prediction, one clause each. "The same tensor" counts as a view: nothing is copied.
export function mistakes(kind, guessed, next) {
  const truth = next.refusal !== undefined ? "error" : next.effect === "copy" ? "copy" : "view";
  if (kind !== truth) return [`you said ${kind}, and it is ${truth === "error" ? "an error" : `a ${truth}`}`];
  if (truth === "error") return [];
  return [["shape", next.shape], ["strides", next.stride]]
    .filter(([name, right]) => tuple(guessed[name]) !== tuple(right))
    .map(([name, right]) => `the ${name} ${name === "shape" ? "is" : "are"} ${tuple(right)}, not ${tuple(guessed[name])}`)
    .concat(guessed.offset === next.offset ? [] : [`the offset is ${next.offset}, not ${guessed.offset}`]);
}
