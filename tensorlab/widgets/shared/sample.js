// The values of a sample storage, as text. No DOM here.

// A whole number as a float of so many significant bits keeps it: to nearest, ties to even.
function rounded(value, bits) {
  const unit = 2 ** Math.max(Math.floor(Math.log2(Math.max(value, 1))) + 1 - bits, 0);
  const [low, rest] = [Math.floor(value / unit), value % unit];
  const up = rest * 2 > unit || (rest * 2 === unit && low % 2 === 1);
  return (low + (up ? 1 : 0)) * unit;
}

function wrapped(value, bits, signed) {
  const modulus = 2 ** bits;
  const residue = value % modulus;
  return signed && residue >= modulus / 2 ? residue - modulus : residue;
}

// What cell `i` of the sample storage shows: `tl.arange(cells)` in this dtype (zeros for bool, which cannot
// count). Floats end in a point, as in a tensor's repr.
export function sampleText(i, dtype) {
  if (dtype === "bool") return "False";
  const integer = /^(u?)int(\d+)$/.exec(dtype);
  if (integer) return String(wrapped(i, Number(integer[2]), integer[1] === ""));
  const value = rounded(i, { float16: 11, bfloat16: 8, float32: 24, float64: 53 }[dtype]);
  return dtype === "float16" && value > 65504 ? "inf" : `${value}.`;
}
