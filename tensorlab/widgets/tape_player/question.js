// Which gradient comes out? Candidates to choose from, and a commitment: the way back opens after it.
import { h } from "../shared/dom.js";
import { block } from "./numbers.js";
import { ERROR, explained } from "./mistakes.js";
import { nested } from "./words.js";

// A candidate that is no tensor, in words; null for a tensor.
const plain = (gradient) => (gradient === null ? "None" : gradient === ERROR ? "an error" : null);

export class GradientQuestion {
  // `asked(leaf)` when the reader asks about another leaf, `commit(kind)` a prediction, `again()` the wish for a new
  // one.
  constructor({ asked, commit, again }) {
    Object.assign(this, { commit, again });
    this.group = `tlw-${Math.random().toString(36).slice(2)}`;
    this.leaf = h("select", { "aria-label": "leaf that is asked about", onchange: () => asked(this.leaf.value) });
    this.cards = h("div", {
      class: "tlw-candidates", role: "radiogroup", "aria-label": "Candidates",
      onchange: () => { this.complaint.textContent = ""; },
    });
    this.complaint = h("p", { class: "tlw-wrong", role: "alert" });
    this.button = h("button", { type: "submit", class: "tlw-button" }, "Commit");
    this.told = h("p", { class: "tlw-outcome" });
    this.element = h("form", { class: "tlw-which", onsubmit: (event) => this.submit(event) },
      h("p", { class: "tlw-asks" }, "Which gradient comes out for ", this.leaf, "?"),
      this.cards, this.told, h("div", { class: "tlw-buttons" }, this.button), this.complaint);
  }

  // The way back does not open before the reader has committed.
  complain() {
    this.complaint.textContent = "Choose a gradient and commit first. A wrong guess teaches more than none.";
    this.element.scrollIntoView({ block: "nearest" });
  }

  submit(event) {
    event.preventDefault();
    if (this.state.told) {
      this.again();
      this.cards.querySelector("input")?.focus({ preventScroll: true });
      return;
    }
    const chosen = this.cards.querySelector("input:checked")?.value;
    if (chosen === undefined) {
      this.complain();
      return;
    }
    this.commit(chosen);
    this.button.focus({ preventScroll: true });
  }

  // `offered` are the candidates, `names` the leaves of the program.
  draw(state, offered, names) {
    this.state = state;
    const { ask, told, guess } = state;
    const listed = [...this.leaf.options].map(({ value }) => value);
    if (String(listed) !== String(names)) {
      this.leaf.replaceChildren(...names.map((name) => h("option", { value: name }, name)));
    }
    this.leaf.value = ask;
    this.button.textContent = told ? (guess === null ? "Ask me" : "Ask again") : "Commit";
    const key = JSON.stringify([ask, told, guess, offered]);
    if (key === this.key) return;
    this.key = key;
    this.complaint.textContent = "";
    this.cards.hidden = told && guess === null;
    this.cards.replaceChildren(...offered.map((one, place) => this.card(one, place)));
    this.told.replaceChildren(...this.verdict());
  }

  card({ kind, gradient }, place) {
    const { told, guess } = this.state;
    const chosen = told && kind === guess;
    const right = told && kind === "right";
    const mark = right ? "this one" : chosen ? "your choice" : "";
    const text = plain(gradient);
    const content = text !== null ? h("span", { class: "tlw-mono tlw-none" }, text)
      : block("", gradient, { kind: "tlw-gradient-block" });
    const radio = h("input", {
      type: "radio", name: this.group, value: kind, disabled: told ? "" : null,
      "aria-label": `candidate ${place + 1}: ${text ?? nested(gradient)}`,
    });
    radio.checked = chosen;
    return h("label", { class: `tlw-candidate${right ? " tlw-right" : chosen ? " tlw-missed" : ""}` },
      radio, content, mark ? h("span", { class: "tlw-mark" }, mark) : null);
  }

  verdict() {
    const { told, guess } = this.state;
    if (!told || guess === null) return [];
    return guess === "right" ? [h("strong", {}, "Right."), " Play the way back to see how it comes about."]
      : [h("strong", { class: "tlw-wrong" }, "Not so: "), `${explained(guess)}.`];
  }
}
