// Logits in float32: their gaps, their exponentials, softmax by the formula and with the greatest taken out, and the
// entropy of what comes out. The numbers are those of the library, but for the last digit of an exp. No DOM here.

export const MOST = 5;            // logits
export const REACH = 120;         // how far a logit can be dragged to either side
export const MOST_SHIFT = 100000;
export const OVERFLOW = Math.log(3.4028234663852886e38);     // beyond it exp is inf in float32
export const UNDERFLOW = Math.log(2 ** -150);                // below it exp is 0

const f32 = Math.fround;

// The logits as float32, with what is added to all of them.
export function values({ logits, shift }) { return logits.map((logit) => f32(f32(logit) + f32(shift))); }

// How far the next float32 above the size of a number is.
export function gap(number) {
  const word = new Uint32Array(1);
  const float = new Float32Array(word.buffer);
  float[0] = Math.abs(number);
  word[0] += 1;
  return float[0] - Math.abs(f32(number));
}

export function exp(number) { return f32(Math.exp(number)); }

function divided(powers) {
  const total = powers.reduce((sum, power) => f32(sum + power), 0);
  return powers.map((power) => f32(power / total));
}

// exp over the sum of exp, as it is written in books.
export function formula(numbers) { return divided(numbers.map(exp)); }

// What is left when the greatest is taken out of all.
export function lowered(numbers) {
  const greatest = Math.max(...numbers);
  return numbers.map((number) => f32(number - greatest));
}

export function softmax(numbers) { return divided(lowered(numbers).map(exp)); }

// What each probability adds to the entropy, in nats.
export function surprises(shares) { return shares.map((share) => (share > 0 ? -share * Math.log(share) : 0)); }

export function entropy(shares) { return surprises(shares).reduce((sum, part) => sum + part, 0); }

// "overflow", "underflow" or "fits": what becomes of exp.
export function fate(number) {
  const power = exp(number);
  if (power === Infinity) return "overflow";
  return power === 0 ? "underflow" : "fits";
}

// { state } as it shall stand, or { refusal }.
export function check(state) {
  const logits = [...state.logits].map(Number);
  const shift = Number(state.shift);
  if (logits.length < 2 || logits.length > MOST) return { refusal: `2 to ${MOST} logits are drawn, got ${logits.length}` };
  if (![...logits, shift].every(Number.isFinite)) return { refusal: "logits are finite numbers here" };
  const far = logits.find((logit) => Math.abs(logit) > REACH);
  if (far !== undefined) return { refusal: `logits go from -${REACH} to ${REACH} here, got ${far}; add the rest to all` };
  if (Math.abs(shift) > MOST_SHIFT) return { refusal: `up to ${MOST_SHIFT} is added to all, got ${shift}` };
  return { state: { logits, shift } };
}
