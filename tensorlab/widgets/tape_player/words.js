// The sentences of the Tape Player. No DOM here.
import { numel, tuple } from "../shared/layout.js";
import { momentOf } from "./steps.js";
import { count, plural } from "../shared/words.js";

// A number as the picture shows it: four digits, no more.
export function short(number, digits = 4) {
  if (Number.isNaN(number)) return "nan";
  if (!Number.isFinite(number)) return number > 0 ? "inf" : "-inf";
  if (number === 0) return "0";
  const size = Math.abs(number);
  if (size < 1e-3 || size >= 1e5) {
    const [mantissa, power] = number.toExponential(2).split("e");
    return `${mantissa.replace(/\.?0+$/, "")}e${Number(power)}`;
  }
  return String(Number(number.toPrecision(digits)));
}

// A tensor in brackets: [[1, 2], [3, 4]].
export function nested({ shape, data }, write = short) {
  if (shape.length === 0) return write(data[0]);
  const part = numel(shape.slice(1));
  return `[${Array.from({ length: shape[0] }, (_, k) =>
    nested({ shape: shape.slice(1), data: data.slice(k * part, (k + 1) * part) }, write)).join(", ")}]`;
}

// What a node of the picture shows of its value: the numbers where they are at most `most`, else the shape.
export function glimpse(shape, data, most) {
  if (data === null || data.length > most || shape.length > 1 || data.length === 0) return tuple(shape);
  return nested({ shape, data }, shape.length === 0 ? short : (number) => short(number, 3));
}

export function dimensions(dims) {
  return `${dims.length === 1 ? "dimension" : "dimensions"} ${dims.join(" and ")}`;
}

const OWNERS = { leaf: "the leaf's own", shared: "counted already", graph: "kept by the graph alone" };

// What a kept tensor is called: by its own name where the program is known, else as the formulas call it.
export const keptName = ({ of, name }) => of ?? name;

export function savedText({ of, name, shape, nbytes, owner }) {
  return `${keptName({ of, name })} ${tuple(shape)}, ${plural(nbytes, "byte")}, ${OWNERS[owner]}`;
}

// Each once: x * x keeps x twice, and it is one tensor.
export const keptNames = (saved) => [...new Set(saved.map(keptName))];

const names = (saved) => keptNames(saved).join(" and ");

// How the gradients of the operands x and y follow from the gradient g of the result; n is a number.
const FORMULAS = {
  AddBackward0: ["g", "g"], SubBackward0: ["g", "-g"], RsubBackward1: ["-g"], MulBackward0: ["g * y", "g * x"],
  DivBackward0: ["g / y", "-g * x / y ** 2"], PowBackward0: ["g * n * x ** (n - 1)"], NegBackward0: ["-g"],
  ReciprocalBackward0: ["-g * result ** 2"], ExpBackward0: ["g * result"], LogBackward0: ["g / x"], SqrtBackward0: ["g / (2 * result)"],
  TanhBackward0: ["g * (1 - result ** 2)"], SigmoidBackward0: ["g * result * (1 - result)"],
  ReluBackward0: ["g where result > 0, else 0"], SinBackward0: ["g * cos(x)"], CosBackward0: ["-g * sin(x)"],
  AbsBackward0: ["g * sign(x)"], SumBackward0: ["g for every element"], SumBackward1: ["g for every element"],
  MeanBackward0: ["g / count for every element"], MeanBackward1: ["g / count for every element"],
  ViewBackward0: ["g in the shape of x"], UnsqueezeBackward0: ["g in the shape of x"],
  SqueezeBackward0: ["g in the shape of x"], SqueezeBackward1: ["g in the shape of x"],
  TBackward0: ["g turned back"], TransposeBackward0: ["g turned back"], PermuteBackward0: ["g turned back"],
  ExpandBackward0: ["g"], CloneBackward0: ["g"], DotBackward0: ["g * y", "g * x"],
  MvBackward0: ["g times y, an outer product", "x.T @ g"], MmBackward0: ["g @ y.T", "x.T @ g"],
};

// The formula of one gradient of a node, or null where the page knows none.
export function formulaOf({ name, words = {} }, operand) {
  const formula = FORMULAS[name]?.[operand] ?? null;
  const others = FORMULAS[name]?.length > 1;
  const { x = null, y = null, n = "n" } = words;
  const own = { x: x ?? (others ? "left" : "input"), y: y ?? "right", n };
  return formula && formula.replace(/\b[xyn]\b/g, (letter) => own[letter]);
}

// What a node is called: a leaf by its name, an operation as the source has it; of a recorded graph by its node.
export function nodeName({ name, leaf, label, words }) {
  return leaf ?? (words === undefined ? name : words.name ?? label);
}

// The same in a sentence that speaks of the node.
const nodeTitle = (node) => (node.words === undefined ? node.name : `${node.name} of ${nodeName(node)}`);

export function computeText(node) {
  const shape = `The result has shape ${tuple(node.shape)}.`;
  if (node.name === null) {
    const why = node.label.endsWith(".detach()") ? "detach() leaves its history behind"
      : "no operand requires a gradient";
    return `${node.label} is computed, and nothing is recorded: ${why}.`;
  }
  const kept = node.saved.length ? names(node.saved) : "nothing";
  const wrote = node.version ? ` It overwrites ${node.words.name}, whose memory is at version ${node.version} now.` : "";
  return `${node.label} is computed, and ${node.name} is born.${wrote} ${shape} The node keeps ${kept}.`;
}

export function seedText({ name }) {
  return `backward() begins at ${name}, the result's node: the result changes one to one with itself, so its `
    + "gradient is 1.";
}

export function runText(node, waits) {
  const all = waits === 1 ? "Its gradient has arrived" : `All ${waits} gradients have arrived`;
  const freed = node.saved.length ? ` Then it lets go of ${names(node.saved)}.` : "";
  return `${nodeTitle(node)} runs. ${all}, and it makes one gradient for each operand.${freed}`;
}

export function handText(edge, nodes, arrived, waits) {
  const [source, target] = [nodes[edge.source], nodes[edge.target]];
  const to = nodeName(target);
  const sums = edge.summed.length
    ? ` It has shape ${tuple(edge.given.shape)}, and ${to} has ${tuple(target.shape)}: what was stretched is summed, `
      + `over ${dimensions(edge.summed)}.` : "";
  const place = waits === 1 ? "" : arrived === 1 ? ` It is the first of ${waits}: ${to} waits.`
    : ` It is added to what waits there, as number ${arrived} of ${waits}.`;
  return `${nodeTitle(source)} hands a gradient to ${to}.${sums}${place}`;
}

// At the node that finds a tensor overwritten: what backward() says, word by word.
export function failText({ nodes, error }) {
  return `backward() stops at ${nodeTitle(nodes[error.node])} and raises a RuntimeError: ${error.text}`;
}

export function storeText({ leaf }) { return `AccumulateGrad writes ${leaf}.grad. A leaf's gradient stays there.`; }

// The sentence for a step.
export function stepText(tape, moment, waits) {
  const { event, arrived } = moment;
  const { nodes, edges } = tape;
  if (event === null) return "Nothing is computed yet. Step forward.";
  if (event.kind === "compute") return computeText(nodes[event.node]);
  if (event.kind === "seed") return seedText(nodes[event.node]);
  if (event.kind === "run") return runText(nodes[event.node], waits[event.node]);
  if (event.kind === "store") return storeText(nodes[event.node]);
  if (event.kind === "fail") return failText(tape);
  const edge = edges[event.edge];
  return handText(edge, nodes, arrived[edge.target], waits[edge.target]);
}

// The sentences of all steps, in order.
export function storyOf(tape, steps, waits) {
  return steps.map((_, at) => stepText(tape, momentOf(tape, steps, at + 1), waits));
}

// Where the player stands: `forward 2 of 4`, `backward 3 of 11`.
export function placeText(at, forward, all) {
  if (at <= forward) return `forward, ${at} of ${forward}`;
  return `backward, ${at - forward} of ${all - forward}`;
}

// The state of a node in words, for who cannot see the picture.
export function nodeText(node, number, moment, waits) {
  const { computed, ran, arrived, sums } = moment;
  const parts = [node.leaf === null ? node.label : `leaf ${node.leaf}`, `shape ${tuple(node.shape)}`];
  if (node.leaf === null && !computed.has(number)) return `${parts.join(", ")}, not computed yet`;
  if (node.value !== null) parts.push(`value ${nested({ shape: node.shape, data: node.value })}`);
  if (node.name === null) return `${parts.join(", ")}, not recorded`;
  if (node.leaf === null) {
    parts.push(node.name);
    if (node.saved.length) parts.push(`${ran.has(number) ? "has let go of" : "keeps"} ${names(node.saved)}`);
  }
  if (waits[number]) parts.push(`${arrived[number]} of ${plural(waits[number], "gradient")} arrived`);
  if (sums[number] !== null) parts.push(`gradient ${nested({ shape: node.shape, data: sums[number] })}`);
  return parts.join(", ");
}

// The lines of a source.
export function sourceLines(source) { return source.split(/[;\n]/).map((line) => line.trim()).filter(Boolean); }

// Whether something can follow an expression as it is: outside of brackets there is no sign.
function isClosed(text) {
  let depth = 0;
  for (const sign of text) {
    if (sign === ")") depth -= 1;
    if (depth === 0 && "+-*/@ ".includes(sign)) return false;
    if (sign === "(") depth += 1;
  }
  return true;
}

// The lines of Python that do the same.
export function pythonLines(source, leaves) {
  const made = Object.entries(leaves).map(([name, { shape, data, grad }]) => {
    const numbers = nested({ shape, data }, (number) => (Number.isInteger(number) ? `${number}.0` : String(number)));
    return `${name} = tl.tensor(${numbers}, dtype=tl.float64${grad ? ", requires_grad=True" : ""})`;
  });
  const lines = sourceLines(source);
  const last = lines.pop();
  const name = /^([A-Za-z_]\w*)\s*[-+*/]?=/.exec(last)?.[1];
  const end = name ? [last, `${name}.backward()`] : [`${isClosed(last) ? last : `(${last})`}.backward()`];
  return [...made, ...lines, ...end].join("\n");
}

// A ribbon's name: what is kept, with the bytes that only the graph needs.
export function ribbonText({ entry, alone }) {
  return `${keptName(entry)} ${alone ? keptText(entry.nbytes) : "0 B"}`;
}

// The same in words, with the node that keeps it, and what has become of it: `coming`, `held` or `freed`.
export function ribbonWords({ node, entry }, nodes, state) {
  const name = nodeName(nodes[node]);
  const why = { leaf: ", which is there anyway", shared: ", which another node keeps", graph: "" }[entry.owner];
  const said = { coming: "is not made yet", held: "keeps it", freed: "has let it go" }[state];
  return `of ${name}${why}; the node ${said}`;
}

export function keptText(bytes) { return `${count(bytes)} B`; }
