// An index as a reader types it, `1:, [0, 2]`, as a list of items. No DOM here.

const NUMBER = /^-?\d{1,15}$/;
const COMPARISON = /^x(?: % (\d{1,6}))? (==|!=|>=|<=|>|<) (-?\d{1,6})$/;

// The parts between commas that stand outside of brackets; null where brackets do not close.
function split(text) {
  const parts = [""];
  let depth = 0;
  for (const sign of text) {
    if (sign === "[") depth += 1;
    if (sign === "]") depth -= 1;
    if (depth < 0) return null;
    if (sign === "," && depth === 0) parts.push("");
    else parts[parts.length - 1] += sign;
  }
  if (parts.length > 1 && parts.at(-1).trim() === "") parts.pop();
  return depth === 0 ? parts.map((part) => part.trim()) : null;
}

function list(inner) {
  const parts = inner.split(",").map((part) => part.trim());
  if (parts.at(-1) === "") parts.pop();
  if (parts.every((part) => NUMBER.test(part))) return { kind: "list", values: parts.map(Number) };
  if (parts.every((part) => part === "True" || part === "False")) {
    return { kind: "mask", values: parts.map((part) => part === "True") };
  }
  return null;
}

function item(text) {
  if (NUMBER.test(text)) return { kind: "int", value: Number(text) };
  if (text === "None" || text === "...") return { kind: text };
  if (text.includes(":")) {
    const bounds = text.split(":").map((bound) => bound.trim());
    if (bounds.length > 3 || !bounds.every((bound) => bound === "" || NUMBER.test(bound))) return null;
    const [start, stop, step] = [0, 1, 2].map((k) => (bounds[k] ? Number(bounds[k]) : null));
    return { kind: "slice", start, stop, step };
  }
  if (/^\[[^[\]]*\]$/.test(text)) return list(text.slice(1, -1));
  const comparison = COMPARISON.exec(text.replace(/\s*(%|==|!=|>=|<=|>|<)\s*/g, " $1 "));
  if (comparison === null) return null;
  const [, modulus, sign, number] = comparison;
  if (modulus !== undefined && Number(modulus) === 0) return null;
  return { kind: "compare", modulus: modulus === undefined ? null : Number(modulus), sign, number: Number(number) };
}

// What a tuple means, `x[(0, 1)]`, is what its items mean, `x[0, 1]`.
function untupled(text) {
  const inner = /^\(([^()]*)\)$/.exec(text)?.[1].trim();
  return inner?.includes(",") ? inner : text;
}

// { items } or { refusal }. The text stands between the brackets of x[…]: `[0, 2]` is a list.
export function parseIndex(text) {
  const inner = untupled(text.trim());
  const parts = inner === "" ? null : split(inner);
  const items = parts?.map(item) ?? [null];
  const wrong = items.indexOf(null);
  if (wrong >= 0) {
    return { refusal: `“${parts?.[wrong] ?? inner}” is nothing that this lab reads: use numbers, slices such `
      + `as 1:3, None, ..., lists such `
      + "as [0, 2] or [True, False], or x > 5" };
  }
  if (items.filter(({ kind }) => kind === "...").length > 1) return { refusal: "an index has one ... at most" };
  return { items };
}
