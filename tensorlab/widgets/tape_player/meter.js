// What the graph alone keeps, step by step: bytes grow forward, and go back with the gradients.
import { h } from "../shared/dom.js";
import { momentOf } from "./steps.js";
import { keptText } from "./words.js";

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
    this.element = h("div", { class: "tlw-meter" }, this.text, this.picture);
  }

  draw(tape, steps, at) {
    if (this.tape !== tape) {
      this.bytes = Array.from({ length: steps.length + 1 }, (_, step) => momentOf(tape, steps, step).kept);
    }
    this.tape = tape;
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
}
