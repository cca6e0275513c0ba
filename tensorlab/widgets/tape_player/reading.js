// What the step in hand does, with its numbers: a sentence, formulas, and the tensors that take part.
import { h } from "../shared/dom.js";
import { block } from "./numbers.js";
import { dimensions, formulaOf, nodeName, savedText, stepText } from "./words.js";

const GRADIENT = { kind: "tlw-gradient-block" };
const sign = (text) => h("span", { class: "tlw-between", "aria-hidden": "true" }, text);

const savedList = (saved, title) => (saved.length === 0 ? []
  : [h("p", { class: "tlw-note" }, title), h("ul", { class: "tlw-kept" }, saved.map((one) =>
    h("li", { class: `tlw-mono tlw-owner-${one.owner}` }, savedText(one))))]);

const valueBlock = (title, { shape, value }) => (value === null
  ? h("p", { class: "tlw-note" }, `${title}: a graph keeps no value that its backward pass does not need.`)
  : block(title, { shape, data: value }));

// What a step shows under its sentence.
function computed(node, { nodes }) {
  const operands = node.inputs.map((input) => valueBlock(nodeName(nodes[input]), nodes[input]));
  const parts = node.value === null ? [] : operands;
  return [h("div", { class: "tlw-blocks" }, parts, parts.length ? sign("→") : null, valueBlock("result", node)),
    savedList(node.saved, "Kept for the backward pass:")];
}

function ran(number, node, { nodes, edges }, sum) {
  const lines = edges.filter(({ source, given }) => source === number && given !== null).map((edge) => {
    const formula = formulaOf(node, edge.operand);
    const title = `for ${nodeName(nodes[edge.target])}${formula === null ? "" : `: ${formula}`}`;
    return block(title, edge.given, GRADIENT);
  });
  return [h("div", { class: "tlw-blocks" }, block("g, which arrived", { shape: node.shape, data: sum }, GRADIENT),
    sign("→"), lines), savedList(node.saved, "Let go of:")];
}

function handed(edge, { nodes }, { before, sums }) {
  const { shape } = nodes[edge.target];
  const to = nodeName(nodes[edge.target]);
  const parts = [block(edge.summed.length ? "handed on" : `for ${to}`, edge.given, GRADIENT)];
  if (edge.summed.length) {
    parts.push(sign(`sum over ${dimensions(edge.summed)} →`),
      block(`for ${to}`, { shape, data: edge.arrived }, GRADIENT));
  }
  if (before !== null) {
    parts.push(sign("+"), block("waits there", { shape, data: before }, GRADIENT),
      sign("="), block("together", { shape, data: sums[edge.target] }, GRADIENT));
  }
  return [h("div", { class: "tlw-blocks" }, parts)];
}

// What a node kept, as it was and as it is.
function failed({ nodes, error }) {
  const { name, then, now, before, after, node, writer } = error;
  const { of } = nodes[node].saved.find((entry) => entry.name === name);
  const title = of === "result" ? "its result" : of;
  return [h("div", { class: "tlw-blocks" }, block(`${title} at version ${then}`, before),
    sign(`${nodes[writer].label} →`), block(`at version ${now}`, after))];
}

function stepParts(tape, moment) {
  const { event, sums } = moment;
  if (event === null) return [];
  if (event.kind === "hand") return handed(tape.edges[event.edge], tape, moment);
  const node = tape.nodes[event.node];
  if (event.kind === "compute") return computed(node, tape);
  if (event.kind === "fail") return failed(tape);
  if (event.kind === "run") return ran(event.node, node, tape, sums[event.node]);
  const title = event.kind === "seed" ? "g" : `${node.leaf}.grad`;
  return [h("div", { class: "tlw-blocks" }, block(title, { shape: node.shape, data: sums[event.node] }, GRADIENT))];
}

// A node that the reader took: what there is of it at this moment.
function nodeParts(number, tape, moment, waits) {
  const node = tape.nodes[number];
  const there = node.leaf !== null || moment.computed.has(number);
  if (!there) return [h("p", {}, "It is not computed yet.")];
  const gradient = moment.sums[number];
  const freed = moment.ran.has(number);
  const kinds = node.name === null ? "Nothing is recorded here: no gradient is wanted."
    : node.leaf === null ? `grad_fn is ${node.name}.` : "A leaf: its gradient ends here, in AccumulateGrad.";
  const arrived = waits[number] ? ` ${moment.arrived[number]} of ${waits[number]} gradients have arrived.` : "";
  return [h("p", {}, kinds, arrived), h("div", { class: "tlw-blocks" }, valueBlock("value", node),
    gradient === null ? null : block(moment.arrived[number] < waits[number] ? "gradient so far" : "gradient",
      { shape: node.shape, data: gradient }, GRADIENT)),
  savedList(node.saved, freed ? "Let go of:" : "Kept for the backward pass:")];
}

export class Reading {
  constructor() {
    this.title = h("p", { class: "tlw-subject" });
    this.body = h("div", { class: "tlw-doing" });
    this.element = h("div", { class: "tlw-reading", role: "group", "aria-label": "This step" }, this.title, this.body);
  }

  // The step, or the node that the reader took instead.
  draw(tape, waits, moment, hand) {
    const text = hand === null ? stepText(tape, moment, waits) : tape.nodes[hand].label;
    this.title.textContent = text;
    this.title.classList.toggle("tlw-mono", hand !== null);
    const parts = hand === null ? stepParts(tape, moment) : nodeParts(hand, tape, moment, waits);
    this.body.replaceChildren(...parts.flat(Infinity).filter(Boolean));
  }
}
