// The Optimizer Lab: drag the start, turn the rate, and see the way down the valley; the last way stays in sight.
import { h } from "../shared/dom.js";
import { Choice } from "../shared/fields.js";
import { Frame } from "../shared/frame.js";
import { arrowStep } from "../shared/keys.js";
import { Store } from "../shared/store.js";
import { LIMITS, OPTIMIZERS, check, height, way } from "./engine.js";
import { ending, factorText, line, pair, short, spoken } from "./words.js";

const SVG = "http://www.w3.org/2000/svg";
const HINT = "Drag the start, or focus it and use the arrow keys.";
const SCHEMA = { start: "ints", curvature: "int", optimizer: "word", rate: "int", momentum: "int" };
const [WIDTH, HEIGHT] = [720, 320];
const SCALE = [WIDTH / 2 / (LIMITS.x / 10 + 0.4), HEIGHT / 2 / (LIMITS.y / 10 + 0.3)];
const RINGS = [0.01, 0.05, 0.15, 0.35, 0.65, 1, 1.5];
const PRESETS = {
  "steep done at once": { optimizer: "SGD", rate: 40, momentum: 0, curvature: 25 },
  "too long": { optimizer: "SGD", rate: 82, momentum: 0, curvature: 25 },
  rolling: { optimizer: "SGD", rate: 30, momentum: 80, curvature: 25 },
  "no friction": { optimizer: "SGD", rate: 10, momentum: 100, curvature: 25 },
  Adam: { optimizer: "Adam", rate: 300, momentum: 0, curvature: 25 },
};

function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

const place = ([x, y]) => [WIDTH / 2 + x * SCALE[0], HEIGHT / 2 - y * SCALE[1]];

class View {
  constructor(context) {
    this.store = new Store(context.model, context.signal, check);
    this.frame = new Frame(context, {
      name: "Optimizer Lab", kind: "tlw-optimizer-lab", store: this.store, schema: SCHEMA, hint: HINT,
      line, twin: () => this.twin(), spoken: () => spoken(this.points, this.store.state),
    });
    this.optimizer = new Choice({
      name: "optimizer", options: OPTIMIZERS, changed: (optimizer) => this.store.propose({ optimizer }),
    });
    this.rate = this.slider("learning rate", "rate", 1, LIMITS.rate, (value) => `${value / 1000}`);
    this.momentum = this.slider("momentum", "momentum", 0, LIMITS.momentum, (value) => `${value / 100}`);
    this.curvature = this.slider("curvature across", "curvature", 1, LIMITS.curvature, String);
    this.frame.controls.append(this.optimizer.element, this.rate.element, this.momentum.element, this.curvature.element);
    const presets = h("div", { class: "tlw-presets", role: "group", "aria-label": "Presets" },
      Object.entries(PRESETS).map(([name, changes]) => h("button", {
        type: "button", class: "tlw-button", onclick: () => this.store.propose(changes),
      }, name)));
    this.rings = svg("g", { class: "tlw-rings" });
    this.before = svg("polyline", { class: "tlw-way tlw-before" });
    this.now = svg("polyline", { class: "tlw-way" });
    this.dots = svg("g", { class: "tlw-dots" });
    this.handle = svg("circle", { class: "tlw-handle", r: 11, tabindex: 0, role: "button" });
    this.picture = svg("svg", {
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "tlw-valley", role: "group", "aria-label": "The valley from above",
    }, this.rings, this.before, this.now, this.dots, this.handle);
    this.words = h("p", { class: "tlw-note" });
    this.frame.body.append(presets, this.picture, this.words);
    this.drags();
    this.frame.open(context.el, () => this.draw());
  }

  slider(name, member, least, most, text) {
    const value = h("output", { class: "tlw-mono" });
    const input = h("input", {
      type: "range", min: least, max: most, step: 1, "aria-label": name,
      oninput: () => this.store.propose({ [member]: Number(input.value) }),
    });
    return {
      element: h("div", { class: "tlw-field tlw-slider" }, h("span", { class: "tlw-field-name" }, name, " ", value), input),
      show: (number) => {
        input.value = String(number);
        value.textContent = text(number);
        input.setAttribute("aria-valuetext", text(number));
      },
      input,
    };
  }

  drags() {
    const move = (event) => {
      const box = this.picture.getBoundingClientRect();
      const x = ((event.clientX - box.left) / box.width) * WIDTH;
      const y = ((event.clientY - box.top) / box.height) * HEIGHT;
      this.put([Math.round(((x - WIDTH / 2) / SCALE[0]) * 10), Math.round(((HEIGHT / 2 - y) / SCALE[1]) * 10)]);
    };
    this.handle.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      this.handle.setPointerCapture(event.pointerId);
      this.handle.focus({ preventScroll: true });
    });
    this.handle.addEventListener("pointermove", (event) => {
      if (this.handle.hasPointerCapture(event.pointerId)) move(event);
    });
    this.handle.addEventListener("keydown", (event) => {
      const step = arrowStep(event);
      if (step === null) return;
      event.preventDefault();
      const [x, y] = this.store.state.start;
      this.put([x + step[1], y - step[0]]);
    });
  }

  put([x, y]) {
    const within = (number, most) => Math.min(Math.max(number, -most), most);
    const start = [within(x, LIMITS.x), within(y, LIMITS.y)];
    if (String(start) !== String(this.store.state.start)) this.store.propose({ start });
  }

  get points() { return way(this.store.state); }

  draw() {
    const { state } = this.store;
    const points = this.points;
    this.optimizer.show(state.optimizer);
    this.rate.show(state.rate);
    this.momentum.show(state.momentum);
    this.momentum.input.disabled = state.optimizer !== "SGD";
    this.curvature.show(state.curvature);
    const outline = points.map((point) => place(point).map((number) => number.toFixed(1)).join(",")).join(" ");
    const last = this.now.getAttribute("points");
    if (last !== null && last !== outline) this.before.setAttribute("points", last);
    this.now.setAttribute("points", outline);
    const top = height([LIMITS.x / 10, 0], 1);
    this.rings.replaceChildren(...RINGS.map((share) => svg("ellipse", {
      cx: WIDTH / 2, cy: HEIGHT / 2,
      rx: Math.sqrt(2 * share * top) * SCALE[0], ry: Math.sqrt((2 * share * top) / state.curvature) * SCALE[1],
    })));
    this.dots.replaceChildren(...points.slice(1).map((point) => {
      const [cx, cy] = place(point);
      return svg("circle", { cx: cx.toFixed(1), cy: cy.toFixed(1), r: 4 });
    }));
    const [cx, cy] = place(points[0]);
    this.handle.setAttribute("cx", cx.toFixed(1));
    this.handle.setAttribute("cy", cy.toFixed(1));
    this.handle.setAttribute("aria-label", `start at ${pair(points[0])}; arrow keys move it`);
    this.words.textContent = `${ending(points, state)} ${factorText(state)}`;
  }

  twin() {
    const { state } = this.store;
    const rows = this.points.map((point, step) => [step, short(point[0]), short(point[1]),
      short(height(point, state.curvature))]);
    return [{ caption: line(state), header: ["step", "x", "y", "height"], rows: rows.filter(([step]) => step % 4 === 0) },
      ending(this.points, state)];
  }
}

function render({ model, el, signal }) {
  new View({ model, el, signal });
}

export default { render };
