// The Activation Timeline: a chain of steps, forward and backward; the reader says when a result goes, and then sees
// what is alive at every moment.
import { verdict } from "../shared/ask.js";
import { h } from "../shared/dom.js";
import { Choice } from "../shared/fields.js";
import { Frame } from "../shared/frame.js";
import { Store } from "../shared/store.js";
import { plural } from "../shared/words.js";
import { LABELS, PIECES, SAVES, alive, check, counts, freedBy, moments } from "./engine.js";
import { aliveText, line, mistakes, momentText, resultName, spokenState, sumText, whyText } from "./words.js";

const HINT = "Choose a result, say which moment frees it, and commit.";
const TOLD = "Each row is a result, each column a moment. Another choice opens a new question.";
const SCHEMA = {
  steps: { write: (steps) => steps.join(","), read: (text) => ({ value: text.split(",") }) },
  segment: "int", pieces: "int", recording: "flag", result: "int", guess: "int", told: "flag",
};
const OPEN = { guess: null, told: false };
const EXAMPLES = {
  "six sines": ["sin", "sin", "sin", "sin", "sin", "sin"],
  "six times + 1": ["add", "add", "add", "add", "add", "add"],
  "exp before square": ["sin", "add", "exp", "square", "add", "tanh"],
  "layers of a network": ["mul", "add", "relu", "mul", "add", "tanh"],
};
const OWN = "your own";

class View {
  constructor(context) {
    this.store = new Store(context.model, context.signal, check);
    this.frame = new Frame(context, {
      name: "Activation Timeline", kind: "tlw-activation-timeline", store: this.store, schema: SCHEMA, hint: HINT,
      line, twin: () => this.twinText(), spoken: (names) => (this.store.state.told && names.includes("told")
        ? this.told.textContent : spokenState(this.store.state)),
    });
    this.example = new Choice({
      name: "example", options: [...Object.keys(EXAMPLES), OWN],
      changed: (name) => EXAMPLES[name] && this.change({ steps: EXAMPLES[name] }),
    });
    this.segment = new Choice({
      name: "checkpoints", options: [["0", "none"]], changed: (size) => this.change({ segment: Number(size) }),
    });
    this.pieces = new Choice({
      name: "batch", options: PIECES.map((count) => [String(count), count === 1 ? "whole" : `in ${count} pieces`]),
      changed: (count) => this.change({ pieces: Number(count) }),
    });
    this.recording = h("input", {
      type: "checkbox", onchange: () => this.change({ recording: this.recording.checked }),
    });
    this.frame.controls.append(this.example.element, this.segment.element, this.pieces.element,
      h("label", { class: "tlw-check" }, this.recording, "recording"));
    this.result = h("select", { "aria-label": "result", onchange: () => this.change({ result: Number(this.result.value) }) });
    this.moment = h("select", { "aria-label": "freed by" });
    this.commit = h("button", { type: "submit", class: "tlw-button" }, "Commit");
    this.ask = h("form", { class: "tlw-guess", onsubmit: (event) => this.submit(event) },
      h("label", {}, "freed for good: ", this.result), h("label", {}, "by ", this.moment), this.commit);
    this.told = h("div", { class: "tlw-told" });
    this.chart = h("div", { class: "tlw-at-chart" });
    this.frame.body.append(this.chart, this.ask, this.told);
    this.frame.open(context.el, () => this.draw());
  }

  // A choice of the reader, which opens a new question.
  change(members) {
    const { steps } = { ...this.store.state, ...members };
    const { segment, result } = { ...this.store.state, ...members };
    this.store.propose({
      ...members, ...OPEN, segment: Math.min(segment, steps.length), result: Math.min(result, steps.length),
    });
  }

  submit(event) {
    event.preventDefault();
    if (this.store.state.told) this.store.propose(OPEN);
    else this.store.propose({ guess: Number(this.moment.value), told: true });
    this.commit.focus({ preventScroll: true });
  }

  draw() {
    const { state } = this.store;
    const { steps, segment, pieces, recording, told } = state;
    const same = Object.keys(EXAMPLES).find((name) => EXAMPLES[name].join() === steps.join());
    this.example.show(same ?? OWN);
    this.segment.input.replaceChildren(...[0, ...steps.map((_, place) => place + 1)].map((size) => h("option",
      { value: size }, size ? `every ${plural(size, "step")}` : "none")));
    this.segment.show(segment);
    this.pieces.show(pieces);
    this.recording.checked = recording;
    this.frame.hint = told ? TOLD : HINT;
    this.drawQuestion();
    this.drawChart();
    this.told.replaceChildren(...(told ? [...verdict(state.guess === null ? null : mistakes(state)),
      h("p", {}, whyText(state, state.result)), h("p", {}, sumText(state))] : []));
  }

  drawQuestion() {
    const { state } = this.store;
    const { steps, result, guess, told } = state;
    const found = moments(state);
    this.result.replaceChildren(...steps.map((_, place) => h("option", { value: place + 1 },
      resultName(state, place + 1))));
    this.result.value = String(result);
    const before = this.moment.value;
    this.moment.replaceChildren(...found.map((moment, number) => h("option", { value: number },
      `${number + 1}. ${momentText(moment)}`)));
    const open = Math.min(Number(before) || 0, found.length - 1);
    this.moment.value = String(guess ?? (told ? freedBy(state, result) : open));
    this.moment.disabled = told;
    this.commit.textContent = told ? "Ask again" : "Commit";
  }

  drawChart() {
    const { state } = this.store;
    const { steps, segment, recording, result, told } = state;
    const found = moments(state);
    const focused = [...this.chart.querySelectorAll("select")].indexOf(document.activeElement);
    const lives = alive(state);
    const freed = freedBy(state, result);
    const half = steps.length + 1;
    this.chart.style.setProperty("--moments", found.length);
    const heads = [h("span", { class: "tlw-at-corner" }, "step"),
      h("span", { class: "tlw-at-pass tlw-at-forward", style: `grid-column: span ${half}` }, "forward"),
      recording ? h("span", { class: "tlw-at-pass tlw-at-backward", style: `grid-column: span ${half}` }, "backward") : null];
    const numbers = [h("span", {}), ...found.map(({ pass }, number) => h("span",
      { class: `tlw-at-number tlw-mono tlw-at-${pass}` }, number + 1))];
    const rows = steps.flatMap((step, place) => [this.stepChoice(step, place, segment && place > 0
      && place % segment === 0), ...found.map((moment, number) => h("span", {
      class: `tlw-at-moment${told && lives[number][place] ? " tlw-at-alive" : ""}`
        + `${place + 1 === result ? " tlw-at-asked" : ""}${number === half ? " tlw-at-turn" : ""}`
        + `${told && place + 1 === result && number === freed ? " tlw-at-freed" : ""}`,
      onclick: () => !told && place + 1 === result && this.pick(number),
    }))]);
    const most = Math.max(...counts(state), 1);
    const bars = [h("span", { class: "tlw-note" }, "alive"), ...counts(state).map((count, number) => h("span", {
      class: `tlw-at-count tlw-mono${number === half ? " tlw-at-turn" : ""}`, style: `--height: ${told ? count / most : 0}`,
    }, told ? count : ""))];
    this.chart.replaceChildren(...[...heads, ...numbers, ...rows, ...bars].filter(Boolean));
    if (focused >= 0) this.chart.querySelectorAll("select")[focused]?.focus({ preventScroll: true });
  }

  stepChoice(step, place, cut) {
    const { steps } = this.store.state;
    const choice = h("select", {
      "aria-label": `step ${place + 1}`, class: cut ? "tlw-at-cut" : "",
      onchange: () => this.change({ steps: steps.map((old, other) => (other === place ? choice.value : old)) }),
    }, Object.keys(SAVES).map((name) => h("option", { value: name }, LABELS[name])));
    choice.value = step;
    return choice;
  }

  pick(number) {
    this.moment.value = String(number);
    this.frame.say(momentText(moments(this.store.state)[number]));
  }

  twinText() {
    const { state } = this.store;
    const { steps, result, told } = state;
    const found = moments(state).map((moment, number) => `${number + 1} ${momentText(moment)}`);
    if (!told) return [`The moments: ${found.join(", ")}. Which of them frees ${resultName(state, result)} for good? `
      + "The answer comes after your prediction."];
    return [{ caption: spokenState(state), header: ["result", "alive after"],
      rows: steps.map((_, place) => [resultName(state, place + 1), aliveText(state, place + 1)]) },
    `The moments: ${found.join(", ")}.`, sumText(state)];
  }
}

function render({ model, el, signal }) {
  new View({ model, el, signal });
}

export default { render };
