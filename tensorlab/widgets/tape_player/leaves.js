// The leaves: their values, which the reader changes, their gradients, and finite differences beside them.
import { h } from "../shared/dom.js";
import { Grid } from "../shared/grid.js";
import { defaultStrides, flatIndex, tuple, unravel } from "../shared/layout.js";
import { bracket } from "../shared/words.js";
import { block } from "./numbers.js";
import { short } from "./words.js";

const REACH = 3;            // how far the slider goes, at least
const GRADIENT = "tlw-gradient-block";

// How far two gradients are apart, as a share of the larger one; below 1 as a number. Infinite where only one of two is
// a number.
export function apart(one, other) {
  return Math.max(0, ...one.map((number, k) => {
    if (Object.is(number, other[k])) return 0;
    if (!Number.isFinite(number) || !Number.isFinite(other[k])) return Infinity;
    const largest = Math.max(1, Math.abs(number), Math.abs(other[k]));
    return Math.abs(number - other[k]) / largest;
  }));
}

export class Leaves {
  // `held(leaf, place)` when an element is taken; `changed(leaf, place, number, settled)` while and after its number
  // is changed; `required(leaf, grad)`.
  constructor({ held, changed, required, helpId }) {
    Object.assign(this, { held, required, helpId });
    this.cards = new Map();
    this.list = h("div", { class: "tlw-leaves" });
    this.name = h("span", { class: "tlw-mono tlw-hand-name" });
    this.field = h("input", { type: "text", inputmode: "text", autocomplete: "off", size: 8,
      onchange: () => this.typed(), onkeydown: (event) => this.key(event) });
    this.slider = h("input", { type: "range", step: "0.05",
      oninput: () => changed(...this.hand, Number(this.slider.value), false),
      onchange: () => changed(...this.hand, Number(this.slider.value), true) });
    this.changed = changed;
    this.sum = h("p", { class: "tlw-sum tlw-mono" });
    this.complaint = h("p", { class: "tlw-wrong", role: "alert" });
    this.editor = h("div", { class: "tlw-editor", role: "group", "aria-label": "Number in hand" },
      h("label", { class: "tlw-edit" }, this.name, " = ", this.field), this.slider, this.sum, this.complaint);
    this.element = h("div", { class: "tlw-leaf-part", role: "group", "aria-label": "Leaves" }, this.list);
  }

  key(event) {
    if (event.key !== "Enter") return;
    event.preventDefault();
    this.typed();
  }

  complain(reason) { this.complaint.textContent = reason; }

  typed() {
    const number = Number(this.field.value);
    const fits = this.field.value.trim() !== "" && Number.isFinite(number);
    this.complain(fits ? "" : `“${this.field.value}” is no number: write one such as 0.5 or -2.`);
    this.field.setAttribute("aria-invalid", String(!fits));
    if (fits && number !== this.number) this.changed(...this.hand, number, true);
  }

  // `gradients` and `estimates` are numbers by leaf, or null before they are told; a leaf without gradient has null.
  draw(leaves, { hand, gradients, estimates }) {
    const names = Object.keys(leaves);
    if (String([...this.cards.keys()]) !== String(names)) this.build(leaves);
    this.hand = hand;
    for (const [name, leaf] of Object.entries(leaves)) {
      this.card(name, leaf, hand[0] === name ? hand[1] : null, gradients?.[name], estimates?.[name]);
    }
    const [name, place] = hand;
    const home = this.cards.get(name).element;
    if (this.editor.parentElement !== home) home.append(this.editor);      // beside the numbers that it changes
    const { shape, data } = leaves[name];
    const at = `${name}${shape.length ? bracket(unravel(place, shape)) : ""}`;
    this.name.textContent = at;
    this.number = data[place];
    if (document.activeElement !== this.field) this.field.value = String(this.number);
    else if (Number(this.field.value) !== this.number) this.field.value = String(this.number);
    this.field.removeAttribute("aria-invalid");
    this.complain("");
    this.field.setAttribute("aria-label", `value of ${at}`);
    this.slider.setAttribute("aria-label", `value of ${at}`);
    this.range();
    const [gradient, estimate] = [gradients?.[name]?.[place], estimates?.[name]?.[place]];
    const of = at.replace(name, `${name}.grad`);
    const known = gradient === undefined ? "None" : short(gradient);
    this.sum.textContent = estimates === null ? "" : `${of} is ${known}; nudging ${at} gives ${short(estimate)}`;
  }

  // The slider keeps its ends while it is held, so that the number does not run away under the finger.
  range() {
    const most = Math.max(REACH, Math.ceil(Math.abs(this.number) * 1.5));
    if (Math.abs(this.number) > Number(this.slider.max || 0) || String(this.hand) !== this.ranged) {
      this.slider.min = String(-most);
      this.slider.max = String(most);
      this.ranged = String(this.hand);
    }
    this.slider.value = String(this.number);
  }

  build(leaves) {
    this.cards = new Map(Object.keys(leaves).map((name) => {
      const grid = new Grid({
        label: name, helpId: this.helpId,
        picked: (index) => this.held(name, flatIndex(index, defaultStrides(this.shapes[name]))),
      });
      const grad = h("input", {
        type: "checkbox", "aria-label": `requires_grad of ${name}`, onchange: () => this.required(name, grad.checked),
      });
      const title = h("p", { class: "tlw-part" });
      const told = h("div", { class: "tlw-blocks" });
      const note = h("p", { class: "tlw-note" });
      const element = h("div", { class: "tlw-leaf-card" },
        h("div", { class: "tlw-leaf-head" }, title, h("label", {}, grad, "requires_grad")),
        h("div", { class: "tlw-leaf-row" }, grid.element, told), note);
      return [name, { grid, grad, title, told, note, element }];
    }));
    this.list.replaceChildren(...[...this.cards.values()].map(({ element }) => element));
  }

  card(name, { shape, data, grad }, held, gradient, estimate) {
    const card = this.cards.get(name);
    this.shapes = { ...this.shapes, [name]: shape };
    card.title.replaceChildren(h("strong", { class: "tlw-mono" }, name), " ",
      h("span", { class: "tlw-mono tlw-shape" }, tuple(shape)));
    card.grad.checked = grad;
    const hand = held === null ? null : unravel(held, shape);
    const texts = data.map((number) => short(number, 3));       // all digits stand in the field
    const letters = Math.max(4, ...texts.map((text) => text.length));
    card.element.style.setProperty("--cell", `calc(${letters} * 0.58rem + 0.85rem)`);
    card.grid.draw({ shape, hand: hand ?? shape.map(() => 0), cell: (index) => {
      const text = texts[flatIndex(index, defaultStrides(shape))];
      return { text, label: `${text}: ${name}${index.length ? bracket(index) : ""}` };
    } });
    card.grid.light(hand, []);
    const parts = [];
    if (estimate !== undefined) {
      parts.push(gradient === null ? h("p", { class: "tlw-none tlw-mono" }, `${name}.grad is None`)
        : block(`${name}.grad`, { shape, data: gradient }, { kind: GRADIENT, held }),
      block("finite differences", { shape, data: estimate }, { held }));
    }
    card.told.replaceChildren(...parts);
    const far = gradient && estimate ? apart(gradient, estimate) : null;
    card.note.textContent = far === null ? "" : far === Infinity ? "They differ: one of two is no finite number."
      : `They differ by ${far.toExponential(1)} at most.`;
    card.note.classList.toggle("tlw-wrong", far > 1e-5);
  }
}
