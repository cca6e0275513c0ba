// What operands promote to. The lattice is the rule: two dtypes promote to the lowest one that lies above both. The
// same answers as tensorlab.promote_types and result_type. No DOM here.

// Each dtype, and those right above it.
export const ABOVE = {
  bool: ["uint8", "int8"], uint8: ["int16"], int8: ["int16"], int16: ["int32"], int32: ["int64"],
  int64: ["float16", "bfloat16"], float16: ["float32"], bfloat16: ["float32"], float32: ["float64"], float64: [],
};
export const DTYPES = Object.keys(ABOVE);
export const KINDS = { tensor: "tensor", zerodim: "0-dim tensor", number: "Python number" };

// What a Python number brings: bool, int as int64, float as the default dtype.
export const NUMBERS = { bool: "True", int64: "1000", float32: "0.5" };

const CATEGORIES = ["bool", "integer", "floating"];

// 0 for bool, 1 for integers, 2 for floats.
export function category(dtype) { return dtype === "bool" ? 0 : dtype.includes("float") ? 2 : 1; }

export function categoryName(dtype) { return CATEGORIES[category(dtype)]; }

// A dtype and all above it.
export function upward(dtype) {
  const found = new Set([dtype]);
  for (const one of found) for (const next of ABOVE[one]) found.add(next);
  return found;
}

// The lowest dtype above both: the common one from which all other common ones are reached.
export function promote(a, b) {
  const common = DTYPES.filter((dtype) => upward(a).has(dtype) && upward(b).has(dtype));
  return common.find((dtype) => common.every((other) => upward(dtype).has(other)));
}

const RANKS = Object.keys(KINDS);       // a tensor speaks before a 0-dim one, and that before a number

// The dtype of `left + right`, each [kind, dtype]: { dtype, rule, first, second }. The rule is "lattice" where both
// speak alike, "stays" where the later speaker brings no higher category, "category" where it does.
export function resultType(left, right) {
  const [first, second] = [left, right].sort((x, y) => RANKS.indexOf(x[0]) - RANKS.indexOf(y[0]));
  if (left[0] === right[0]) return { dtype: promote(left[1], right[1]), rule: "lattice", first: left, second: right };
  if (category(second[1]) <= category(first[1])) return { dtype: first[1], rule: "stays", first, second };
  return { dtype: promote(first[1], second[1]), rule: "category", first, second };
}

// Why `left += right` cannot be, "dtype" or "shape", or null: what is written keeps its dtype, whose category must not
// be lower than the result's, and its shape.
export function inPlaceRefusal(left, right) {
  if (category(resultType(left, right).dtype) > category(left[1])) return "dtype";
  return left[0] === "zerodim" && right[0] === "tensor" ? "shape" : null;
}

// The dtypes on all ways from one up to another.
export function between(low, high) {
  return [...upward(low)].filter((dtype) => upward(dtype).has(high));
}

// What an integer becomes in a narrow integer dtype: it wraps around.
export function wrapped(value, dtype) {
  const bits = Number(/\d+$/.exec(dtype)[0]);
  const residue = ((value % 2 ** bits) + 2 ** bits) % 2 ** bits;
  return dtype.startsWith("u") || residue < 2 ** (bits - 1) ? residue : residue - 2 ** bits;
}

function operandRefusal(name, operand) {
  if (!Array.isArray(operand) || !Object.hasOwn(KINDS, operand[0]))
    return `${name} is a tensor, a 0-dim tensor or a number`;
  const [kind, dtype] = operand;
  if (!DTYPES.includes(dtype)) return `there is no dtype “${dtype}”`;
  if (kind === "number" && !Object.hasOwn(NUMBERS, dtype))
    return `a Python number is a bool, an int or a float, not ${dtype}`;
  return null;
}

// { state } as it shall stand, or { refusal }.
export function check({ left, right, guess, told }) {
  const refusal = operandRefusal("left", left) ?? operandRefusal("right", right)
    ?? (left[0] === "number" && right[0] === "number"
      ? "Python combines two Python numbers itself: make one operand a tensor" : null)
    ?? (guess !== null && !DTYPES.includes(guess) ? `there is no dtype “${guess}”` : null);
  return refusal === null ? { state: { left, right, guess, told: Boolean(told) } } : { refusal };
}
