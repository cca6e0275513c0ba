// The sentences of the Promotion Lattice. No DOM here.
import { KINDS, NUMBERS, categoryName, inPlaceRefusal, resultType, wrapped } from "./engine.js";

// An operand as Python: a tensor, a 0-dim tensor, a number.
export function operandText([kind, dtype]) {
  if (kind === "number") return NUMBERS[dtype];
  return `tl.ones(${kind === "tensor" ? "2" : "()"}, dtype=tl.${dtype})`;
}

export function operandWords([kind, dtype]) {
  return kind === "number" ? `the Python ${{ bool: "bool", int64: "int", float32: "float" }[dtype]} ${NUMBERS[dtype]}`
    : `${dtype.startsWith("int") ? "an" : "a"} ${dtype} ${KINDS[kind]}`;
}

// Why two operands promote to that dtype.
export function reasonText(left, right) {
  const { dtype, rule, first, second } = resultType(left, right);
  if (rule === "lattice") {
    return left[1] === right[1] ? `Both are ${dtype}, and so is the result.`
      : `Both are ${KINDS[left[0]]}s, so the lattice decides: ${dtype} is the lowest dtype above both.`;
  }
  const kind = KINDS[second[0]];
  if (rule === "stays") {
    return `A ${kind} speaks after a ${KINDS[first[0]]}. Its category, ${categoryName(second[1])}, is no higher than `
      + `${categoryName(first[1])}, so ${dtype} stays.`;
  }
  return `A ${kind} speaks after a ${KINDS[first[0]]}, but ${categoryName(second[1])} is a higher category than `
    + `${categoryName(first[1])}: the two promote to ${dtype}.`;
}

// What else follows from two dtypes: in place, matmul, and numbers that do not fit.
export function consequences(left, right) {
  const { dtype } = resultType(left, right);
  const list = [];
  if (left[0] !== "number") {
    list.push({
      shape: "a += b raises an error: a has no dimension, and what is written keeps its shape.",
      dtype: `a += b raises an error: ${dtype} cannot be cast to ${left[1]}, and what is written keeps its dtype.`,
    }[inPlaceRefusal(left, right)] ?? `a += b works, and a stays ${left[1]}.`);
  }
  if (left[0] === "tensor" && right[0] === "tensor" && left[1] !== right[1]) {
    list.push("a @ b raises an error: a matrix product converts nothing.");
  }
  const number = [left, right].find(([kind, type]) => kind === "number" && type === "int64");
  if (number && /^u?int8$/.test(dtype)) {
    list.push(`The number does not widen the dtype: 1 * 1000 is ${wrapped(1000, dtype)} in ${dtype}.`);
  }
  return list;
}
