// Predict and Recall in a page: one form a question, nothing revealed before a prediction is committed.
import { h } from "../../shared/dom.js";
import { followTheme } from "../../shared/theme.js";
import { keep, readKept } from "../memory.js";
import { rich } from "../text.js";
import { coverCells } from "./cover.js";
import {
  accept, answerText, blank, commit, isPrediction, parseNumber, reopen, restore, save, score, verdict,
} from "./engine.js";

const LONG = 32;                           // characters: longer answers stand one below the other
let groups = 0; // radio groups need names of their own, also when one quiz is shown twice

function render({ model, el }) {
  const { key, stamp, title, questions } = model.get("spec");
  const closing = new AbortController();
  const asked = questions.map((question, i) => questionView(question, (value) => set(i, value)));
  const many = questions.length > 1;
  const summary = many ? h("p", { class: "tlq-score", role: "status" }) : null;
  let predictions = blank(questions);

  function set(index, value) {
    predictions = value === null ? reopen(predictions, index) : commit(questions, predictions, index, value);
    keep(key, save(stamp, predictions));
    model.set("predictions", predictions);
    model.save_changes();
    show();
  }

  function show() {
    asked.forEach((view, i) => view.show(predictions[i]));
    if (many) summary.textContent = scoreText(score(questions, predictions));
    coverCells(key, predictions.every((value) => value !== null), () => asked[0].focus());
  }

  function fromKernel() {
    predictions = accept(questions, model.get("predictions"));
    keep(key, save(stamp, predictions));
    show();
  }

  const heading = title ? h("p", { class: "tlq-title" }, rich(title)) : null;
  const root = h("div", { class: "tlw tlq", role: "group", "aria-label": title || "Prediction" });
  root.append(...[heading, ...asked.map((view) => view.node), summary].filter((node) => node !== null));
  el.append(root);
  followTheme(root, closing.signal);

  const inKernel = accept(questions, model.get("predictions"));
  const answered = inKernel.some((value) => value !== null);
  predictions = answered ? inKernel : restore(questions, stamp, readKept(key));
  show();
  model.on("change:predictions", fromKernel);
  return () => {
    closing.abort();
    model.off("change:predictions", fromKernel);
  };
}

function scoreText({ answered, right, total }) {
  return answered < total ? `${answered} of ${total} answered` : `${right} of ${total} right`;
}

function questionView(question, set) {
  const field = question.kind === "choice" ? choiceField(question) : numberField(question);
  const button = h("button", { type: "submit", class: "tlw-button" }, "Commit");
  const reveal = h("div", { class: "tlq-reveal", role: "status" });
  const code = question.code ? h("pre", { tabindex: 0 }, h("code", {}, question.code)) : null;
  const legend = h("legend", {}, rich(question.prompt));
  const answer = h("div", { class: `tlq-${question.kind}` }, field.node, button);
  const form = h("form", { novalidate: "", onsubmit: submit }, h("fieldset", {}, legend, code, answer), reveal);
  let committed = null;

  function submit(event) {
    event.preventDefault();
    const value = field.read();
    if (committed !== null) {
      set(null);
      field.focus();
    } else if (isPrediction(question, value)) {
      set(value);
      button.focus(); // the fields rest now, and a resting radio button would lose the focus
    } else {
      reveal.replaceChildren(h("p", { class: "tlq-ask" }, field.ask));
      field.focus();
    }
  }

  function show(value) {
    const changed = value !== committed;
    committed = value;
    field.show(value);
    form.dataset.state = value === null ? "open" : verdict(question, value).right ? "right" : "wrong";
    button.textContent = value === null ? "Commit" : "Change my mind";
    if (changed) reveal.replaceChildren(...(value === null ? [] : revealed(question, value)));
  }

  form.dataset.state = "open";
  return { node: form, show, focus: field.focus };
}

function revealed(question, value) {
  const { right, why } = verdict(question, value);
  const head = h("strong", {}, right ? "Right." : "Not so.");
  const answer = right ? null : h("p", {}, "The answer: ", h("strong", {}, rich(answerText(question))), ".");
  return [
    h("p", { class: "tlq-verdict" }, head, " ", rich(why)),
    answer,
    h("p", {}, rich(question.because)),
  ].filter((node) => node !== null);
}

function choiceField(question) {
  const name = `tlq-${(groups += 1)}`;
  const long = question.options.some(({ text }) => text.length > LONG);
  const rows = question.options.map((option, i) => {
    const input = h("input", { type: "radio", name, value: i });
    const mark = h("span", { class: "tlq-mark" });
    return { input, mark, label: h("label", {}, input, h("span", {}, rich(option.text), " ", mark)) };
  });

  function show(value) {
    rows.forEach(({ input, mark, label }, i) => {
      const right = value !== null && i === question.answer;
      input.disabled = value !== null;
      if (value !== null) input.checked = i === value;
      label.classList.toggle("tlq-right", right);
      label.classList.toggle("tlq-wrong", i === value && !right);
      mark.textContent = markText(right, i === value);
    });
  }

  return {
    node: h("div", { class: `tlq-options${long ? " tlq-long" : ""}` }, rows.map((row) => row.label)),
    ask: "Choose an answer first. A wrong guess teaches more than none.",
    read: () => rows.findIndex((row) => row.input.checked),
    focus: () => (rows.find((row) => row.input.checked) ?? rows[0]).input.focus(),
    show,
  };
}

function markText(right, yours) {
  if (right) return yours ? "✓ your answer" : "✓";
  return yours ? "✗ your answer" : "";
}

function numberField(question) {
  // The blank placeholder tells the style sheet whether anything was typed.
  const input = h("input", { type: "text", inputmode: "decimal", autocomplete: "off", placeholder: " " });
  const unit = question.unit ? h("span", {}, question.unit) : null;

  function show(value) {
    input.readOnly = value !== null;
    if (value !== null) input.value = String(value);
  }

  return {
    node: h("label", {}, h("span", {}, "Your number"), input, unit),
    ask: "Type a number first, such as 12 or 0.5. A wrong guess teaches more than none.",
    read: () => parseNumber(input.value),
    focus: () => input.focus(),
    show,
  };
}

export default { render };
