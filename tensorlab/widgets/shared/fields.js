// Fields of a lab's controls: numbers with steppers, and choices.
import { h } from "./dom.js";

// The number in `text` that the caret stands in or after: its start and end. With no caret, the last one.
export function numberAt(text, caret) {
  const spans = [...text.matchAll(/[+-]?\d+/g)].map((match) => [match.index, match.index + match[0].length]);
  return spans.find(([, end]) => caret <= end) ?? spans.at(-1) ?? null;
}

const LONG = 8;             // letters that a field has room for on a phone

// One text field for a number or a list of numbers; ↑ and ↓ and the steppers change the number at the caret.
export class NumberField {
  // `name` is what a reader calls it, `kind` its meaning (for the colour), `least` where stepping ends;
  // `commit()` follows a step and leaving the field, `enter()` the Enter key, `cancel()` Escape.
  constructor({
    name, spoken = name, kind = "plain", many = false, least = 0, messageId = null, commit, enter = commit, cancel,
  }) {
    Object.assign(this, { least, commit, enter, cancel });
    this.input = h("input", {
      type: "text", inputmode: many || least < 0 ? "text" : "numeric", autocomplete: "off", spellcheck: "false",
      placeholder: many ? "( )" : null, "aria-label": spoken, "aria-describedby": messageId,
      size: many ? 6 : 3, onkeydown: (event) => this.key(event), onchange: () => this.commit(),
    });
    this.steppers = [this.stepper(-1, "−", `decrease ${name}`), this.stepper(1, "+", `increase ${name}`)];
    const [less, more] = this.steppers;
    this.element = h("div", { class: `tlw-field tlw-kind-${kind}${many ? " tlw-many" : ""}` },
      h("span", { class: "tlw-field-name", onclick: () => this.input.focus() }, name),
      h("span", { class: "tlw-field-box" }, less, this.input, more));
  }

  stepper(by, sign, label) {
    return h("button", {
      type: "button", class: "tlw-step", tabindex: "-1", "aria-label": label,
      onmousedown: (event) => event.preventDefault(),     // the caret stays in the field that it is in
      onclick: () => this.step(by),
    }, sign);
  }

  get text() { return this.input.value; }

  // Writes what stands; a mark of an error goes.
  show(text) {
    this.input.value = text;
    this.element.classList.toggle("tlw-long", text.length > LONG);
    this.mark(false);
    for (const button of this.steppers) button.disabled = this.input.disabled || numberAt(text, 0) === null;
  }

  mark(wrong) {
    if (wrong) this.input.setAttribute("aria-invalid", "true");
    else this.input.removeAttribute("aria-invalid");
  }

  disable(disabled) {
    this.input.disabled = disabled;
    for (const button of this.steppers) button.disabled = disabled;
  }

  key(event) {
    const by = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (by !== undefined && !event.altKey && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      this.step(by);
    } else if (event.key === "Enter") {
      event.preventDefault();
      this.enter();
    } else if (event.key === "Escape") {
      event.preventDefault();
      this.cancel();
    }
  }

  step(by) {
    const { input } = this;
    const caret = document.activeElement === input ? input.selectionStart : Infinity;
    const span = numberAt(input.value, caret);
    if (span === null) return;
    const [start, end] = span;
    const number = Math.max(Number(input.value.slice(start, end)) + by, this.least);
    input.value = `${input.value.slice(0, start)}${number}${input.value.slice(end)}`;
    this.commit();
    if (document.activeElement === input) {
      const stop = numberAt(input.value, Math.min(caret, start + String(number).length))?.[1] ?? 0;
      input.setSelectionRange(stop, stop);
    }
  }
}

// A labelled choice: `options` are texts or [value, text]; `changed(value)` follows the reader's choice.
export class Choice {
  constructor({ name, options, changed }) {
    const pairs = options.map((option) => (Array.isArray(option) ? option : [option, option]));
    this.input = h("select", { "aria-label": name, onchange: () => changed(this.input.value) },
      pairs.map(([value, text]) => h("option", { value }, text)));
    this.element = h("div", { class: "tlw-field" }, h("span", { class: "tlw-field-name" }, name), this.input);
  }

  show(value) { this.input.value = String(value); }
}
