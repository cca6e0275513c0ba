// A program of the Tape Player: lines of Python, read as a list of operations. The same small part of Python and the
// same operations as program.py. No DOM here.
import { attempt, refuse } from "../shared/refusal.js";

export const MOST_STEPS = 24;
export const MOST_LETTERS = 600;

const PLAIN = ["exp", "log", "sqrt", "tanh", "sigmoid", "relu", "sin", "cos", "abs", "square", "t", "clone", "detach"];
export const METHODS = [...PLAIN, "pow", "sum", "mean", "view", "expand", "transpose", "unsqueeze", "squeeze"];
export const WRITES = ["add_", "sub_", "mul_", "div_"];           // `h += 1` and its like
const VIEWS = ["view", "expand", "transpose", "unsqueeze", "squeeze", "t", "T", "detach"];
const SIGNS = { "+": "add", "-": "sub", "*": "mul", "/": "div", "@": "matmul", "**": "pow" };
const FOLD = "a dimension or several, and keepdim=True with them";
const TAKES = {
  sum: FOLD, mean: FOLD, view: "the new sizes", expand: "the new sizes", transpose: "two dimensions",
  unsqueeze: "a dimension", squeeze: "a dimension or nothing", pow: "a number",
};
const TOKEN = /\s*(?:((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|([A-Za-z_]\w*)|(\*\*|[-+*/]=|[-+*/@().,=[\]]))/y;

// ---- text into a tree

class Unreadable extends Error {}

function tokens(text) {
  const found = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const match = TOKEN.exec(text);
    if (match === null) throw new Unreadable();
    const [, number, name, sign] = match;
    if (/^0\d/.test(number ?? "")) throw new Unreadable();        // Python has no such number
    found.push(number !== undefined ? { number: Number(number), whole: /^\d+$/.test(number) }
      : name !== undefined ? { name } : { sign });
  }
  return found;
}

// One line: { target, sign, value } as a tree, the sign being that of `+=` where there is one. Kinds of nodes: number,
// name, neg, binary, attribute, call, list, flag.
class Tree {
  constructor(text) {
    this.tokens = tokens(text);
    this.at = 0;
  }

  line() {
    let [target, sign] = [null, null];
    const assigned = /^([-+*/]?)=$/.exec(this.tokens[1]?.sign ?? "");
    if (this.tokens[0]?.name !== undefined && assigned !== null) {
      [target, sign] = [this.tokens[0].name, assigned[1] || null];
      this.at = 2;
    }
    const value = this.sum();
    if (this.at < this.tokens.length || ["True", "False", "None"].includes(target)) throw new Unreadable();
    return { target, sign, value };
  }

  sign(...signs) {
    const sign = this.tokens[this.at]?.sign;
    if (!signs.includes(sign)) return null;
    this.at += 1;
    return sign;
  }

  need(sign) { if (this.sign(sign) === null) throw new Unreadable(); }

  chain(below, ...signs) {
    let left = below.call(this);
    for (let sign = this.sign(...signs); sign !== null; sign = this.sign(...signs)) {
      left = { kind: "binary", sign, left, right: below.call(this) };
    }
    return left;
  }

  sum() { return this.chain(this.product, "+", "-"); }

  product() { return this.chain(this.factor, "*", "/", "@"); }

  factor() {
    if (this.sign("-") !== null) return { kind: "neg", operand: this.factor() };
    const base = this.member();
    return this.sign("**") === null ? base : { kind: "binary", sign: "**", left: base, right: this.factor() };
  }

  member() {
    let node = this.atom();
    while (this.sign(".") !== null) {
      const name = this.tokens[this.at]?.name;
      if (name === undefined) throw new Unreadable();
      this.at += 1;
      node = this.sign("(") === null ? { kind: "attribute", object: node, name }
        : { kind: "call", object: node, name, ...this.arguments() };
    }
    return node;
  }

  arguments() {
    const [given, keywords] = [[], []];
    while (this.sign(")") === null) {
      const [first, second] = this.tokens.slice(this.at, this.at + 2);
      if (first?.name !== undefined && second?.sign === "=") {
        this.at += 2;
        if (keywords.some(([name]) => name === first.name)) throw new Unreadable();
        keywords.push([first.name, this.sum()]);
      } else if (keywords.length) throw new Unreadable();
      else given.push(this.sum());
      if (this.sign(",") === null) {
        this.need(")");
        break;
      }
    }
    return { given, keywords };
  }

  atom() {
    const token = this.tokens[this.at];
    this.at += 1;
    if (token?.number !== undefined) return { kind: "number", value: token.number, whole: token.whole };
    if (["True", "False"].includes(token?.name)) return { kind: "flag", value: token.name === "True" };
    if (token?.name !== undefined) return { kind: "name", name: token.name };
    if (token?.sign === "(") return this.bracket(")");
    if (token?.sign === "[") return this.bracket("]");
    throw new Unreadable();
  }

  // `(value)`, or a tuple or list of values.
  bracket(end) {
    const items = [];
    let comma = end === "]" || this.tokens[this.at]?.sign === end;
    while (this.sign(end) === null) {
      items.push(this.sum());
      if (this.sign(",") !== null) comma = true;
      else {
        this.need(end);
        break;
      }
    }
    return comma ? { kind: "list", items } : items[0];
  }
}

// ---- the tree into steps

const tuple = (sizes) => (sizes.length === 1 ? `(${sizes[0]},)` : `(${sizes.join(", ")})`);

// A number as Python's `:g` writes it.
export function general(value) {
  if (value === 0) return Object.is(value, -0) ? "-0" : "0";
  const [digits, power] = value.toExponential(5).split("e");
  const exponent = Number(power);
  if (exponent < -4 || exponent >= 6) {
    const mantissa = digits.replace(/\.?0+$/, "");
    return `${mantissa}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
  }
  return String(Number(value.toPrecision(6)));
}

const sameRef = (one, other) => one.leaf === other.leaf && one.step === other.step;

class Reader {
  constructor(source, leaves) {
    this.source = source.trim();
    this.leaves = leaves;
    this.names = new Map(leaves.map((name) => [name, { leaf: name }]));
    this.steps = [];
  }

  program() {
    const letters = [...this.source].length;
    if (letters > MOST_LETTERS) refuse(`a program has up to ${MOST_LETTERS} letters; this has ${letters}`);
    const lines = this.source.split(/[;\n]/).map((line) => line.trim()).filter(Boolean);
    const trees = this.readable(() => lines.map((line) => new Tree(line).line()));
    if (trees.length === 0) refuse("write an expression of the leaves, such as (x * w + b).tanh().sum()");
    const roots = trees.map((line) => this.readable(() => this.line(line)));
    const { steps } = this;
    if (steps.length > MOST_STEPS) refuse(`up to ${MOST_STEPS} operations are drawn; this has ${steps.length}`);
    const inputs = steps.flatMap((step) => step.inputs);
    const used = new Set(inputs.filter(({ step }) => step !== undefined).map(({ step }) => step));
    if (steps.length === 0 || roots.at(-1).step !== steps.length - 1 || used.size < steps.length - 1) {
      refuse("every operation has to lead to the result of the last line");
    }
    return { steps, leaves: this.leaves.filter((name) => inputs.some(({ leaf }) => leaf === name)) };
  }

  readable(work) {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      return refuse(`“${this.source}” cannot be read: use the leaves, numbers, + - * / ** @, brackets and methods`);
    }
  }

  line({ target, sign, value }) {
    if (sign !== null) return this.write(target, sign, value);
    const before = this.steps.length;
    const ref = this.expression(value);
    if (target === null) return ref;
    if (ref.number !== undefined) refuse(`${target} would be a number; only results of operations get a name`);
    if (this.steps.length > before) {
      const last = this.steps.at(-1);
      Object.assign(last, { name: target, label: `${target} = ${last.label}` });
    }
    this.names.set(target, ref);
    return ref;
  }

  // `h += …`: an operation that writes into h. All names of h are names of its result from here on.
  write(name, sign, value) {
    const target = this.expression({ kind: "name", name });
    const right = this.expression(value);
    if (target.leaf !== undefined) refuse(`${name} is a leaf: the player writes only into results of operations`);
    const memory = this.memory(target);
    if (this.steps.some(({ op, inputs }) => VIEWS.includes(op) && sameRef(this.memory(inputs[0]), memory))) {
      refuse(`${name} shares its memory with a view: the player writes only into results that have none`);
    }
    const ref = this.step(`${SIGNS[sign]}_`, [target, right], {}, `${name} ${sign}= ${this.shown(right) || "…"}`);
    this.steps.at(-1).name = name;
    for (const [own, known] of this.names) if (sameRef(known, target)) this.names.set(own, ref);
    return ref;
  }

  // The leaf or the operation whose memory a tensor looks into.
  memory(ref) {
    const step = this.steps[ref.step];
    return step !== undefined && [...VIEWS, ...WRITES].includes(step.op) ? this.memory(step.inputs[0]) : ref;
  }

  expression(node) {
    if (node.kind === "number") return { number: node.value };
    if (node.kind === "name") {
      if (!this.names.has(node.name)) {
        refuse(`there is no leaf ${node.name}; the leaves are ${this.leaves.join(", ")}`);
      }
      return this.names.get(node.name);
    }
    if (node.kind === "neg") {
      const operand = this.expression(node.operand);
      if (operand.number !== undefined) return { number: -operand.number };
      return this.step("neg", [operand], {}, `-${this.shown(operand)}`);
    }
    if (node.kind === "binary") return this.binary(node);
    if (node.kind === "attribute" && node.name === "T") {
      const operand = this.tensor(node.object, ".T");
      return this.step("T", [operand], {}, `${this.shown(operand)}.T`);
    }
    if (node.kind === "call") return this.method(node);
    throw new Unreadable();
  }

  binary({ sign, left: one, right: other }) {
    const [left, right] = [this.expression(one), this.expression(other)];
    const numbers = [left, right].map(({ number }) => number !== undefined);
    if (numbers[0] && numbers[1]) refuse(`one side of ${sign} has to be a tensor: both are numbers`);
    const label = `${this.shown(left) || "…"} ${sign} ${this.shown(right) || "…"}`;
    if (sign === "**") {
      if (!numbers[1]) refuse("the exponent of ** is a number here");
      return this.step("pow", [left], { exponent: right.number }, label);
    }
    if (sign === "@" && (numbers[0] || numbers[1])) refuse("one side of @ is a number: to scale a tensor write *");
    if (sign === "/" && numbers[0]) {                               // the library computes it in two steps
      const turned = this.step("reciprocal", [right], {}, `1 / ${this.shown(right) || "…"}`);
      return this.step("mul", [turned, left], {}, `… * ${this.shown(left)}`);
    }
    return this.step(SIGNS[sign], [left, right], {}, label);
  }

  tensor(node, what) {
    const ref = this.expression(node);
    if (ref.number !== undefined) refuse(`${what} belongs to a tensor, and ${this.shown(ref)} is a number`);
    return ref;
  }

  method({ object, name, given, keywords }) {
    if (!METHODS.includes(name)) refuse(`the player has no .${name}(); it has ${METHODS.join(", ")}`);
    const operand = this.tensor(object, `.${name}()`);
    const plain = given.map((node) => this.literal(node));
    const named = Object.fromEntries(keywords.map(([key, node]) => [key, this.literal(node)]));
    const { args, text } = argumentsOf(name, plain, named);
    return this.step(name, [operand], args, `${this.shown(operand)}.${name}(${text})`);
  }

  // A number as { value, whole }, true, false, or a list of those.
  literal(node) {
    if (node.kind === "number") return { value: node.value, whole: node.whole };
    if (node.kind === "flag") return node.value;
    if (node.kind === "neg") {
      const inner = this.literal(node.operand);
      if (typeof inner?.value === "number") return { ...inner, value: -inner.value };
    }
    if (node.kind === "list") return node.items.map((item) => this.literal(item));
    throw new Unreadable();
  }

  step(op, inputs, args, label) {
    this.steps.push({ op, inputs, args, label, name: null });
    return { step: this.steps.length - 1 };
  }

  shown(ref) {
    if (ref.leaf !== undefined) return ref.leaf;
    return ref.number !== undefined ? general(ref.number) : this.steps[ref.step].name ?? "";
  }
}

const whole = (literal) => literal?.whole === true;

// A dimension or several as a list of numbers; null if it is neither.
function dimsOf(literal) {
  const dims = Array.isArray(literal) ? literal : [literal];
  return dims.every(whole) ? dims.map(({ value }) => value) : null;
}

function argumentsOf(name, given, named) {
  const wrong = () => refuse(`.${name}() takes ${TAKES[name] ?? "no argument"}`);
  if (name === "sum" || name === "mean") {
    const { keepdim = given.length === 2 ? given[1] : false, dim = given[0], ...rest } = named;
    const dims = dim === undefined ? null : dimsOf(dim);
    if (Object.keys(rest).length || given.length > 2 || typeof keepdim !== "boolean") wrong();
    if (dims === null && (dim !== undefined || keepdim)) wrong();
    const shown = dims === null ? "" : Array.isArray(dim) ? tuple(dims) : String(dims[0]);
    return { args: { dims, keepdim }, text: shown + (keepdim ? ", keepdim=True" : "") };
  }
  if (Object.keys(named).length) wrong();
  if (name === "view" || name === "expand") {
    const sizes = given.length ? dimsOf(given.length === 1 ? given[0] : given) : null;
    if (sizes === null) wrong();
    return { args: { sizes }, text: sizes.length ? sizes.join(", ") : "()" };
  }
  const numbers = given.map((literal) => literal.value);
  if (name === "transpose" && given.length === 2 && given.every(whole)) {
    return { args: { dims: numbers }, text: numbers.join(", ") };
  }
  if ((name === "unsqueeze" || name === "squeeze") && given.length === 1 && whole(given[0])) {
    return { args: { dim: numbers[0] }, text: String(numbers[0]) };
  }
  if (name === "squeeze" && given.length === 0) return { args: { dim: null }, text: "" };
  if (name === "pow" && given.length === 1 && typeof numbers[0] === "number") {
    return { args: { exponent: numbers[0] }, text: general(numbers[0]) };
  }
  if (PLAIN.includes(name) && given.length === 0) return { args: {}, text: "" };
  return wrong();
}

// { steps, leaves }, or { refusal }. `leaves` are the names that have a value.
export function parse(source, leaves) {
  return attempt(() => new Reader(source, leaves).program());
}
