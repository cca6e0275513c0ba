// The lattice as a picture: one button a dtype, lines to what lies above. Choosing a dtype is the prediction.
import { h } from "../shared/dom.js";
import { arrowStep, rove } from "../shared/keys.js";
import { ABOVE, DTYPES, between, categoryName } from "./engine.js";

const SVG = "http://www.w3.org/2000/svg";

export class Lattice {
  // `chosen(dtype)` when the reader takes a dtype.
  constructor({ chosen, signal }) {
    this.lines = document.createElementNS(SVG, "svg");
    this.lines.setAttribute("class", "tlw-lattice-lines");
    this.lines.setAttribute("aria-hidden", "true");
    this.nodes = DTYPES.map((dtype) => h("button", {
      type: "button", class: `tlw-node tlw-mono tlw-${categoryName(dtype)}`, dataset: { dtype },
        onclick: () => chosen(dtype),
    }, dtype));
    this.element = h("div", {
      class: "tlw-lattice", role: "group", "aria-label": "Lattice of dtypes", onkeydown: (event) => this.key(event),
    }, this.lines, this.nodes);
    rove(this.nodes, this.nodes[0]);
    const watch = new ResizeObserver(() => this.drawLines());
    watch.observe(this.element);
    signal.addEventListener("abort", () => watch.disconnect());
  }

  key(event) {
    const step = arrowStep(event);
    const here = this.nodes.indexOf(document.activeElement);
    if (step === null || here < 0) return;
    event.preventDefault();
    const next = Math.min(Math.max(here + step[0] + step[1], 0), this.nodes.length - 1);
    rove(this.nodes, this.nodes[next]);
  }

  // `left` and `right` are the two dtypes that start, `result` what they promote to, null before the answer; after it there
  // is nothing to choose.
  draw({ left, right, result, guess, told }) {
    this.ways = result ? [between(left, result), between(right, result)] : [[], []];
    for (const node of this.nodes) {
      const { dtype } = node.dataset;
      const roles = [dtype === left ? "a" : null, dtype === right ? "b" : null, result === dtype ? "result" : null,
        guess === dtype && result !== dtype && result ? "your guess" : null].filter(Boolean);
      node.disabled = told;
      node.classList.toggle("tlw-start", dtype === left || dtype === right);
      node.classList.toggle("tlw-result", result === dtype);
      node.classList.toggle("tlw-missed", Boolean(result) && guess === dtype && result !== dtype);
      node.dataset.role = roles.join(" · ");              // written by the style sheet, and in the label
      node.setAttribute("aria-label", [dtype, ...roles, categoryName(dtype)].join(", "));
    }
    this.drawLines();
  }

  drawLines() {
    if (!this.ways) return;
    const node = (dtype) => this.nodes[DTYPES.indexOf(dtype)];
    const centre = (one) => [one.offsetLeft + one.offsetWidth / 2, one.offsetTop + one.offsetHeight / 2];
    this.lines.replaceChildren(...DTYPES.flatMap((low) => ABOVE[low].map((high) => {
      const line = document.createElementNS(SVG, "line");
      const [[x1, y1], [x2, y2]] = [centre(node(low)), centre(node(high))];
      for (const [name, value] of Object.entries({ x1, y1, x2, y2 })) line.setAttribute(name, String(value));
      const used = this.ways.map((way) => way.includes(low) && way.includes(high));
      line.setAttribute("class", used[0] && used[1] ? "tlw-way-both" : used[0] ? "tlw-way-a"
        : used[1] ? "tlw-way-b" : "");
      return line;
    })));
  }
}
