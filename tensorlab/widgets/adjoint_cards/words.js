// The sentences of the Adjoint Cards. No DOM here.
import { BACK, THERE, agree, isPair, sums } from "./engine.js";

export function numberText(number) { return String(Number(number.toPrecision(5))); }

// `1·3 + 8·6 = 51`
export function dotText(a, b) {
  const terms = a.map((number, k) => `${numberText(number)}·${numberText(b[k])}`);
  const sum = a.reduce((all, number, k) => all + number * b[k], 0);
  return `${terms.join(" + ")} = ${numberText(sum)}`;
}

export function sidesText({ there, back, x, y }) {
  return [`there(x) · y: ${dotText(THERE[there].apply(x), y)}`, `x · back(y): ${dotText(x, BACK[back].apply(y))}`];
}

// What the two sums say of the pair.
export function outcomeText(state) {
  const pair = isPair(state.there, state.back);
  const same = agree(sums(state));
  if (pair) return "The two sums agree, and would for any x and y: each is the other's way back.";
  if (same) return "The two sums agree for these numbers, and not for all. These numbers are too alike to tell.";
  return "The two sums differ, so this is not the way back.";
}

export function verdictText({ there, back, guess }) {
  const pair = isPair(there, back);
  const said = guess === "pair" ? "that they belong together" : "that they don't";
  return (guess === "pair") === pair ? { right: true, text: "Right." }
    : { right: false, text: `Not so: you said ${said}.` };
}

export function lineText({ there, back }) {
  return `(${THERE[there].line} * y).sum(), (x * ${BACK[back].line}).sum()`;
}

export function spokenState(state) {
  const pair = `${THERE[state.there].text} with ${BACK[state.back].text}`;
  return state.told ? `${pair}. ${sidesText(state).join("; ")}. ${outcomeText(state)}` : `${pair}.`;
}
