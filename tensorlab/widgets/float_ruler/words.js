// The sentences of the Float Ruler. No DOM here.
import { entropy, exp, fate, formula, gap, softmax, values } from "./engine.js";

// A number in few characters, as Python writes it.
export function short(number, digits = 4) {
  if (Number.isNaN(number)) return "nan";
  if (!Number.isFinite(number)) return number > 0 ? "inf" : "-inf";
  const text = String(Number(number.toPrecision(digits)));
  return text.replace(/e([+-])(\d)$/, "e$10$2");
}

function float(number) { return Number.isInteger(number) ? `${number}.0` : String(number); }

export function line({ logits, shift }) {
  const made = `tl.tensor([${logits.map(float).join(", ")}])`;
  return shift === 0 ? `${made}.softmax(0)` : `(${made} ${shift < 0 ? "-" : "+"} ${Math.abs(shift)}).softmax(0)`;
}

// What becomes of one logit.
export function fateText(number) {
  const power = exp(number);
  return { overflow: "exp overflows: inf", underflow: "exp underflows: 0", fits: `exp is ${short(power)}` }[fate(number)];
}

export function gapText(number) { return `gap ${short(gap(number), 3)}`; }

// Why the formula has no answer, or that it has the right one.
export function formulaText(numbers) {
  const fates = numbers.map(fate);
  if (fates.includes("overflow")) return "inf / inf is nan: an exponential has left the range of float32.";
  if (fates.every((one) => one === "underflow")) return "0 / 0 is nan: all exponentials are 0.";
  const [own, safe] = [formula(numbers), softmax(numbers)];
  const close = own.every((share, k) => Math.abs(share - safe[k]) <= 1e-3 * Math.max(share, safe[k], 1e-30));
  return close ? "The formula agrees: every exponential fits."
    : "The formula has lost digits: its exponentials are next to the smallest floats.";
}

export function entropyText(shares) {
  const [found, most] = [entropy(shares), Math.log(shares.length)];
  const bits = (nats) => short(nats / Math.LN2, 3);
  return `entropy ${short(found, 3)} nats = ${bits(found)} bits, at most ${bits(most)}`;
}

export function spokenState(state) {
  const numbers = values(state);
  const shares = softmax(numbers);
  return `Logits ${numbers.map((number) => short(number, 6)).join(", ")}. ${formulaText(numbers)} softmax: `
    + `${shares.map((share) => short(share, 3)).join(", ")}; ${entropyText(shares)}.`;
}
