// The picture of a tape: the leaves above, the result below. Values flow down, gradients climb. Each node is a button;
// one Tab stop, arrows move to the nearest node.
import { h } from "../shared/dom.js";
import { arrowStep, rove } from "../shared/keys.js";
import { placed } from "./layers.js";
import { glimpse, keptNames, nodeText } from "./words.js";

const SVG = "http://www.w3.org/2000/svg";
const [BOLD, LETTER] = [7.9, 7.25];         // px of a letter of a label, and of one below it
const [LINE, PAD] = [17, 16];               // px of a line, and of both edges
const BESIDE = 296;                         // px that the step needs beside the picture

function svg(tag, attributes) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  return element;
}

// The lines of a node, top to bottom: { kind, widest } with the most letters that ever stand there.
function linesOf({ name, leaf, label, shape, value, saved }, waits, most) {
  const few = shape.length <= 1 && (value ?? []).length <= most && (value ?? []).length > 0;
  const numbers = few ? 2 + 8 * value.length : 2 + 4 * shape.length;
  const lines = [
    { kind: "label", widest: (label.length * BOLD) / LETTER }, { kind: "value", widest: Math.max(numbers, 4) },
  ];
  if (leaf === null && saved.length) lines.push({ kind: "saved", widest: 8 + keptNames(saved).join(", ").length });
  if (name !== null) lines.push({ kind: "gradient", widest: Math.max(numbers + 2, leaf === null ? name.length : 11) });
  return lines;
}

export class GraphPicture {
  // `picked(node)` when a reader takes a node.
  constructor({ picked, helpId }) {
    this.picked = picked;
    this.key = null;
    this.svg = svg("svg", { "aria-hidden": "true", class: "tlw-ways" });
    this.plane = h("div", { class: "tlw-plane" });
    this.element = h("div", {
      class: "tlw-graph", role: "group", "aria-label": "Graph", "aria-describedby": helpId,
      onkeydown: (event) => this.move(event),
      onclick: (event) => {
        const node = event.target.closest("[data-node]")?.dataset.node;
        if (node !== undefined) picked(Number(node));
      },
    }, this.plane);
    new ResizeObserver(() => this.fit()).observe(this.element);
  }

  // Draws anew where the page has become wider or narrower.
  fit() { if (this.last && this.room !== this.element.parentElement.clientWidth) this.draw(...this.last); }

  draw(tape, waits, moment, hand) {
    this.last = [tape, waits, moment, hand];
    this.room = this.element.parentElement.clientWidth;
    const shapes = tape.nodes.map(({ label, name, shape, saved }) => [label, name, shape, keptNames(saved)]);
    const edges = tape.edges.map(({ source, target, summed }) => [source, target, summed]);
    const key = JSON.stringify([shapes, edges, waits, this.room]);
    if (key !== this.key) {
      // Vectors are shown by their numbers where the picture stays narrow enough, else by their shape.
      this.build(tape, waits, 3);
      if (this.width > this.room - BESIDE) this.build(tape, waits, 1);
    }
    this.key = key;
    const current = moment.event?.edge === undefined ? moment.event?.node : tape.edges[moment.event.edge].target;
    for (const [number, node] of tape.nodes.entries()) this.node(number, node, waits, moment, number === current);
    this.broken(tape, moment);
    for (const way of this.ways) {
      const passed = moment.passed.has(way.edge);
      way.element.classList.toggle("tlw-passed", passed);
      way.element.classList.toggle("tlw-passing", moment.event?.kind === "hand" && moment.event.edge === way.edge);
      way.element.classList.toggle("tlw-flowed", moment.computed.has(way.from));
      way.sum?.classList.toggle("tlw-passed", passed);
    }
    rove(this.buttons, this.buttons[hand ?? current ?? tape.nodes.length - 1] ?? this.buttons[0]);
    for (const [number, button] of this.buttons.entries()) button.setAttribute("aria-pressed", String(number === hand));
    if (current !== undefined) this.reveal(this.buttons[current]);
  }

  // Scrolls a wide picture, never the page.
  reveal(button) {
    const { element } = this;
    const [left, right] = [button.offsetLeft - 8, button.offsetLeft + button.offsetWidth + 8];
    if (left < element.scrollLeft) element.scrollLeft = left;
    else if (right > element.scrollLeft + element.clientWidth) element.scrollLeft = right - element.clientWidth;
  }

  build(tape, waits, most) {
    const { nodes } = tape;
    this.most = most;
    const lines = nodes.map((node, number) => linesOf(node, waits[number], most));
    const widest = (own) => Math.max(...own.map((line) => line.widest));
    const sizes = lines.map((own) => [widest(own) * LETTER + PAD, own.length * LINE + 10]);
    const ways = [];                  // from a result to its operands, by way of the sum where there is one
    for (const [source, { inputs }] of nodes.entries()) {
      const own = tape.edges.map((edge, number) => ({ ...edge, number })).filter((edge) => edge.source === source);
      for (const target of inputs) {
        const at = own.findIndex((edge) => edge.target === target);
        const edge = at < 0 ? null : own.splice(at, 1)[0];
        ways.push({ source, target, edge: edge?.number ?? null, summed: edge?.summed ?? [] });
      }
    }
    const links = [];
    for (const way of ways) {
      if (way.summed.length) {
        const text = `sum over ${way.summed.join(", ")}`;
        way.box = sizes.length;
        way.text = text;
        sizes.push([text.length * 7 + 16, 22]);
        links.push([way.source, way.box], [way.box, way.target]);
      } else links.push([way.source, way.target]);
    }
    const layout = placed(sizes, links, [16, 26]);
    const [width, height] = [Math.ceil(layout.width) + 4, Math.ceil(layout.height) + 6];
    this.width = width;
    Object.assign(this.plane.style, { width: `${width}px`, height: `${height}px` });
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    Object.assign(this.svg.style, { width: `${width}px`, height: `${height}px` });
    const top = (box) => layout.height - layout.places[box].y - sizes[box][1] + 4;
    this.buttons = nodes.map((node, number) => this.button(node, number, lines[number], {
      x: layout.places[number].x + 2, y: top(number), width: sizes[number][0], height: sizes[number][1],
    }));
    this.spots = nodes.map((_, number) => [layout.places[number].x + sizes[number][0] / 2, top(number)]);
    let next = 0;
    const sums = [];
    this.ways = ways.map((way) => {
      const parts = way.box === undefined ? [layout.routes[next]] : layout.routes.slice(next, next + 2);
      next += parts.length;
      const group = svg("g", { class: "tlw-way" });
      for (const [k, route] of parts.entries()) {
        this.curve(group, route.map(([x, y]) => [x + 2, layout.height - y + 4]), k === parts.length - 1, k === 0);
      }
      let sum = null;
      if (way.box !== undefined) {
        const left = layout.places[way.box].x + 2;
        sum = h("span", {
          class: "tlw-sum-pill", "aria-hidden": "true",
          style: `left:${left}px;top:${top(way.box)}px;width:${sizes[way.box][0]}px`,
        }, way.text);
        sums.push(sum);
      }
      return { element: group, sum, edge: way.edge, from: way.source };
    });
    this.svg.replaceChildren(...this.ways.map(({ element }) => element));
    this.plane.replaceChildren(this.svg, ...sums, ...this.buttons);
  }

  // One curve with two heads, of which the style shows one: down for the value, up for the gradient.
  curve(group, points, ends, begins) {
    const [first, last] = [points[0], points.at(-1)];
    let d = `M${first[0]} ${first[1]}`;
    for (const [k, [x, y]] of points.slice(1).entries()) {
      const [fromX, fromY] = points[k];
      const half = (fromY + y) / 2;
      d += `C${fromX} ${half} ${x} ${half} ${x} ${y}`;
    }
    group.append(svg("path", { d }));
    if (begins) group.append(svg("path", { class: "tlw-head-down", d: `M${first[0]} ${first[1]}l-4 -7h8z` }));
    if (ends) group.append(svg("path", { class: "tlw-head-up", d: `M${last[0]} ${last[1]}l-4 7h8z` }));
  }

  button(node, number, lines, { x, y, width, height }) {
    const parts = Object.fromEntries(lines.map(({ kind }) =>
      [kind, h("span", { class: `tlw-node-${kind}` }, kind === "label" ? node.label : "")]));
    const button = h("button", {
      type: "button", tabindex: "-1", dataset: { node: number },
      class: `tlw-node tlw-mono${node.leaf === null ? "" : " tlw-leaf"}`,
      style: `left:${x}px;top:${y}px;width:${width}px;height:${height}px`,
    }, Object.values(parts));
    button.parts = parts;
    return button;
  }

  // Brings a node up to date. Its label is text, which its spoken name begins with; the style sheet writes the rest.
  node(number, node, waits, moment, current) {
    const button = this.buttons[number];
    const { parts } = button;
    const { computed, ran, arrived, sums } = moment;
    const there = node.leaf !== null || computed.has(number);
    const done = ran.has(number);
    button.classList.toggle("tlw-pending", !there);
    button.classList.toggle("tlw-plain", node.name === null);
    button.classList.toggle("tlw-done", done);
    button.classList.toggle("tlw-now", current);
    button.setAttribute("aria-label", nodeText(node, number, moment, waits));
    parts.value.dataset.text = there ? glimpse(node.shape, node.value, this.most) : "…";
    if (parts.saved) {
      const kept = keptNames(node.saved).join(", ");
      parts.saved.dataset.text = there ? `${done ? "freed" : "keeps"} ${kept}` : "";
      parts.saved.classList.toggle("tlw-alone", node.saved.some(({ owner }) => owner === "graph"));
    }
    if (parts.gradient) {
      const complete = arrived[number] === waits[number] && sums[number] !== null;
      parts.gradient.classList.toggle("tlw-complete", complete);
      parts.gradient.dataset.text = complete ? `g ${glimpse(node.shape, sums[number], this.most)}`
        : arrived[0] ? `waits for ${waits[number] - arrived[number]}` : there && node.leaf === null ? node.name : "";
    }
  }

  // From the write on: the node whose tensor is overwritten, and the one that wrote.
  broken({ nodes, error = null }, { computed }) {
    for (const [number, button] of this.buttons.entries()) {
      const broken = error !== null && computed.has(error.writer) && number === error.node;
      button.classList.toggle("tlw-broken", broken);
      button.classList.toggle("tlw-culprit", error !== null && computed.has(number) && number === error.writer);
      if (!broken) continue;
      button.parts.saved.dataset.text = `written ${keptNames(nodes[number].saved).join(", ")}`;
      const told = button.getAttribute("aria-label");
      button.setAttribute("aria-label", `${told}, overwritten by ${nodes[error.writer].label}`);
    }
  }

  move(event) {
    const from = event.target.closest?.("[data-node]");
    const step = arrowStep(event);
    if (!from || step === null) return;
    event.preventDefault();
    const [x, y] = this.spots[Number(from.dataset.node)];
    const far = ([otherX, otherY]) => {
      const [across, along] = step[0] ? [otherX - x, (otherY - y) * step[0]] : [otherY - y, (otherX - x) * step[1]];
      return along > 4 ? along + 2 * Math.abs(across) : Infinity;
    };
    const distances = this.spots.map(far);
    const nearest = distances.indexOf(Math.min(...distances));
    if (distances[nearest] === Infinity) return;
    rove(this.buttons, this.buttons[nearest]);
    this.buttons[nearest].focus({ preventScroll: true });
    this.reveal(this.buttons[nearest]);
  }
}
