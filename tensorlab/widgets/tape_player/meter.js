// What the graph alone keeps, step by step: bytes grow forward, and go back with the gradients.
import { h } from "../shared/dom.js";
import { momentOf, ribbonsOf } from "./steps.js";
import { keptText, ribbonText, ribbonWords } from "./words.js";

const SVG = "http://www.w3.org/2000/svg";
const [WIDTH, HEIGHT] = [240, 44];

function svg(tag, attributes) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  return element;
}

export class Meter {
  constructor() {
    this.line = svg("path", { class: "tlw-meter-line" });
    this.rest = svg("path", { class: "tlw-meter-rest" });
    this.dot = svg("circle", { class: "tlw-meter-dot", r: 4 });
    this.picture = svg("svg", {
      class: "tlw-meter-picture", viewBox: `-5 -5 ${WIDTH + 10} ${HEIGHT + 10}`, "aria-hidden": "true",
    });
    this.picture.append(this.rest, this.line, this.dot);
    this.text = h("p", { class: "tlw-meter-text" });
    this.ribbons = h("ul", { class: "tlw-ribbons", "aria-label": "What the nodes keep, and until when" });
    this.element = h("div", { class: "tlw-meter" }, this.text, this.picture, this.ribbons);
  }

  draw(tape, steps, at) {
    if (this.tape !== tape) {
      this.bytes = Array.from({ length: steps.length + 1 }, (_, step) => momentOf(tape, steps, step).kept);
    }
    this.tape = tape;
    this.drawRibbons(tape, steps, at);
    const { bytes } = this;
    const most = Math.max(...bytes);
    this.text.replaceChildren("The graph alone keeps ", h("span", { class: "tlw-mono tlw-alone" }, keptText(bytes[at])),
      most ? ` of at most ${keptText(most)}` : "");
    this.picture.toggleAttribute("hidden", most === 0);
    const x = (step) => (step * WIDTH) / steps.length;
    const y = (kept) => HEIGHT - (kept * HEIGHT) / Math.max(most, 1);
    const way = (from, to) => bytes.slice(from, to + 1).map((kept, k) =>
      (k === 0 ? `M${x(from)} ${y(kept)}` : `H${x(from + k)}V${y(kept)}`)).join("");
    this.line.setAttribute("d", way(0, at));
    this.rest.setAttribute("d", way(at, steps.length));
    this.dot.setAttribute("cx", x(at));
    this.dot.setAttribute("cy", y(bytes[at]));
  }

  // One row a tensor that is kept: its ribbon runs from the step that makes the node to the one in which the node runs.
  drawRibbons(tape, steps, at) {
    const all = ribbonsOf(tape, steps);
    this.ribbons.toggleAttribute("hidden", all.length === 0);
    const share = (step) => `${(100 * step) / steps.length}%`;
    this.ribbons.replaceChildren(...all.map((ribbon) => {
      const { from, to, alone } = ribbon;
      const state = at < from ? "coming" : at < to ? "held" : "freed";
      const bar = h("span", {
        class: "tlw-ribbon-bar", style: `left:${share(from)};width:${share(Math.min(to, steps.length) - from)}`,
      });
      return h("li", { class: `tlw-ribbon tlw-ribbon-${state}${alone ? " tlw-ribbon-alone" : ""}` },
        h("span", { class: "tlw-ribbon-name tlw-mono" }, ribbonText(ribbon)),
        h("span", { class: "tlw-hidden" }, ribbonWords(ribbon, tape.nodes, state)),
        h("span", { class: "tlw-ribbon-track", "aria-hidden": "true", style: `--at:${share(at)}` }, bar));
    }));
  }
}
