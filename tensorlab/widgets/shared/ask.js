// The question which shape comes out, and its commitment: nothing is told before it.
import { h } from "./dom.js";
import { readNumbers } from "./numbers.js";

export class ShapeQuestion {
  // `never` is what a reader ticks instead of a shape, or null; `extra` an element with a lab's own question, and
  // `missing()` says what is still to be answered there, or null. `commit({ guess, refused })` follows a prediction,
  // `again()` the wish for a new one.
  constructor({ never = null, extra = null, missing = () => null, commit, again }) {
    Object.assign(this, { missing, commit, again });
    this.told = false;
    this.input = h("input", {
      type: "text", size: 8, autocomplete: "off", spellcheck: "false", "aria-label": "shape of the result",
    });
    this.never = never && h("input", { type: "checkbox", onchange: () => { this.input.disabled = this.never.checked; } });
    this.button = h("button", { type: "submit", class: "tlw-button" }, "Commit");
    this.complaint = h("p", { class: "tlw-wrong", role: "alert" });
    const shape = h("label", {}, "the result has shape ", this.input);
    this.parts = [extra, shape, never && h("label", {}, this.never, never)].filter(Boolean);
    this.element = h("div", {}, h("form", { class: "tlw-guess", onsubmit: (event) => this.submit(event) }, this.parts,
      this.button), this.complaint);
  }

  submit(event) {
    event.preventDefault();
    this.complaint.textContent = "";
    if (this.told) {
      this.input.value = "";
      this.again();
      this.input.focus({ preventScroll: true });
      return;
    }
    const refused = Boolean(this.never?.checked);
    const gap = refused ? null : this.missing();
    if (gap !== null) {
      this.complaint.textContent = gap;
      return;
    }
    const blank = this.input.value.trim() === "";
    const { value, refusal } = refused ? { value: null } : readNumbers(this.input.value, "the shape of the result");
    if (refusal !== undefined || (!refused && blank)) {
      this.complaint.textContent = blank
        ? "Commit to a shape first, such as 3, 4 or (). A wrong guess teaches more than none."
        : `${refusal}.`;
      this.input.focus({ preventScroll: true });
      return;
    }
    this.commit({ guess: value, refused });
    this.button.focus({ preventScroll: true });
  }

  // Follows the state.
  show({ guess, refused = false, told }) {
    if (told) this.input.value = guess === null ? "" : guess.length ? guess.join(", ") : "()";
    else if (this.told) {
      this.input.value = "";
      if (this.never) this.never.checked = false;
    }
    this.told = told;
    if (told) this.complaint.textContent = "";
    if (this.never) [this.never.checked, this.never.disabled] = [told ? refused : this.never.checked, told];
    this.input.disabled = told || Boolean(this.never?.checked);
    const unasked = told && guess === null && !refused;       // the answer stood there from the beginning
    for (const part of this.parts) part.hidden = unasked;
    this.button.textContent = unasked ? "Ask me" : told ? "Ask again" : "Commit";
  }
}

// How a prediction went: `wrong` has one clause a mistake, or is null where nothing was predicted; `right` has one
// clause a part that was right all the same.
export function verdict(wrong, right = []) {
  if (wrong === null) return [];
  if (!wrong.length) return [h("p", {}, h("strong", {}, "Right."))];
  return [
    ...(right.length ? [h("p", {}, h("strong", {}, "Right: "), `${right.join("; ")}.`)] : []),
    h("p", { class: "tlw-wrong" }, h("strong", {}, "Not so: "), `${wrong.join("; ")}.`)];
}
