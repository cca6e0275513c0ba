// The quiz without a page: questions, predictions, verdicts. Pure functions of plain values.
//
// A question, as question.py writes it:
//   {kind: "choice", prompt, code, options: [{text, why}], answer: index, because}
//   {kind: "number", prompt, code, unit, answer: number, wrong: [{value, why}], otherwise, because}
// A prediction is an option's index or a number; null means that the reader has not committed yet.

export function blank(questions) {
  return questions.map(() => null);
}

// Reads what a person types into a number field: "48", " -3 ", "1 000 000", "1_000", "0.5", "1e6". Anything else
// is null, also "1,5" and "1,000": a comma says two different things.
export function parseNumber(text) {
  const digits = String(text).trim().replace(/[_\s\u00a0\u202f]/g, "").replace(/^\u2212/, "-");
  if (!/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(digits)) return null;
  return Number(digits);
}

export function isPrediction(question, value) {
  if (question.kind === "choice") {
    return Number.isInteger(value) && value >= 0 && value < question.options.length;
  }
  return typeof value === "number" && Number.isFinite(value);
}

// What a committed prediction deserves: {right, why}. `why` speaks to this very answer; it may be empty when the
// answer is right.
export function verdict(question, value) {
  const right = value === question.answer;
  if (question.kind === "choice") return { right, why: question.options[value].why };
  if (right) return { right, why: "" };
  const known = question.wrong.find((guess) => guess.value === value);
  return { right, why: known ? known.why : question.otherwise };
}

export function answerText(question) {
  if (question.kind === "choice") return question.options[question.answer].text;
  return question.unit ? `${question.answer} ${question.unit}` : String(question.answer);
}

// A committed prediction stays until it is reopened: the reveal must not be a way to try all options.
export function commit(questions, predictions, index, value) {
  if (predictions[index] !== null || !isPrediction(questions[index], value)) return predictions;
  return predictions.map((old, i) => (i === index ? value : old));
}

export function reopen(predictions, index) {
  return predictions.map((old, i) => (i === index ? null : old));
}

export function score(questions, predictions) {
  const answered = predictions.filter((value) => value !== null).length;
  const right = questions.filter((question, i) => predictions[i] !== null && verdict(question, predictions[i]).right);
  return { answered, right: right.length, total: questions.length };
}

// The text kept in localStorage. `stamp` names this wording of the questions: when the authors change a
// question, an old answer no longer counts as an answer to it.
export function save(stamp, predictions) {
  return JSON.stringify({ stamp, predictions });
}

export function restore(questions, stamp, text) {
  const kept = parseKept(text);
  if (!kept || kept.stamp !== stamp) return blank(questions);
  return accept(questions, kept.predictions);
}

// Predictions that came from outside (storage, a kernel): anything that is no prediction becomes null.
export function accept(questions, values) {
  const list = Array.isArray(values) ? values : [];
  return questions.map((question, i) => (isPrediction(question, list[i]) ? list[i] : null));
}

function parseKept(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null; // not ours, or written by an older page: the reader answers again
  }
}
