// The Float Ruler: the reader drags logits and adds a number to all of them. The ruler shows where exp still fits,
// once for the logits and once with the greatest taken out; below are both softmaxes, and the entropy.
import { h } from "../shared/dom.js";
import { Choice } from "../shared/fields.js";
import { Frame } from "../shared/frame.js";
import { Store } from "../shared/store.js";
import { MOST, OVERFLOW, REACH, UNDERFLOW, check, fate, formula, lowered, softmax, surprises, values } from "./engine.js";
import { entropyText, fateText, formulaText, gapText, line, short, spokenState } from "./words.js";

const HINT = "Drag a logit, or add a number to all of them, and watch both rows of shares.";
const SHIFTS = [-1000, -100, 0, 50, 80, 88, 100, 1000];
const PRESETS = { "2, 1, 0": [2, 1, 0], equal: [0, 0, 0], sure: [10, 0, 0], "far apart": [60, -60, 0] };
const number = (text, name) => (/^-?\d+(\.\d+)?$/.test(text) ? { value: Number(text) }
  : { refusal: `${name} is a number, not “${text.slice(0, 40)}”` });
const NUMBERS = {
  write: (list) => list.join(","),
  read: (text, name) => {
    const read = text.split(",").map((part) => number(part, name));
    return read.find(({ refusal }) => refusal !== undefined) ?? { value: read.map(({ value }) => value) };
  },
};
const SCHEMA = { logits: NUMBERS, shift: { write: String, read: number } };
const [LEFT, RIGHT] = [-125, 110];            // the ends of the ruler
const COLOURS = ["var(--tl-memory-0)", "var(--tl-memory-1)", "var(--tl-memory-2)"];

function place(value) { return 100 * (Math.min(Math.max(value, LEFT), RIGHT) - LEFT) / (RIGHT - LEFT); }

// The colour of logit `k` of `n`, from sand to sea.
function fill(k, n) {
  const at = n > 1 ? 2 * k / (n - 1) : 0;
  const low = Math.min(Math.floor(at), 1);
  const share = Math.round(100 * (at - low));
  return `color-mix(in oklab, ${COLOURS[low]} ${100 - share}%, ${COLOURS[low + 1]} ${share}%)`;
}

class View {
  constructor(context) {
    this.store = new Store(context.model, context.signal, check);
    this.frame = new Frame(context, {
      name: "Float Ruler", kind: "tlw-float-ruler", store: this.store, schema: SCHEMA, hint: HINT, line,
      twin: () => this.twinText(), spoken: () => spokenState(this.store.state),
    });
    this.shift = new Choice({
      name: "added to all", options: SHIFTS.map((shift) => [String(shift), shift > 0 ? `+${shift}` : String(shift)]),
      changed: (shift) => this.store.propose({ shift: Number(shift) }),
    });
    const preset = ([name, logits]) => h("button", {
      type: "button", class: "tlw-button", onclick: () => this.store.propose({ logits, shift: 0 }),
    }, name);
    this.thousand = h("button", {
      type: "button", class: "tlw-button", onclick: () => this.store.propose({ shift: 1000 }),
    }, "+1000");
    this.frame.controls.append(this.shift.element, this.thousand, ...Object.entries(PRESETS).map(preset));
    this.sliders = h("div", { class: "tlw-logits", role: "group", "aria-label": "Logits" });
    this.ruler = h("div", { class: "tlw-ruler", "aria-hidden": "true" });
    this.why = h("p", {});
    this.shares = h("div", { class: "tlw-scene" });
    this.surprise = h("div", {});
    this.frame.body.append(this.sliders, this.ruler, this.shares, this.why, this.surprise);
    this.frame.open(context.el, () => this.draw());
  }

  draw() {
    const { logits, shift } = this.store.state;
    const numbers = values(this.store.state);
    if (![...this.shift.input.options].some((option) => option.value === String(shift))) {
      this.shift.input.append(h("option", { value: String(shift) }, String(shift)));
    }
    this.shift.show(shift);
    this.drawSliders(logits, numbers);
    this.drawRuler(numbers);
    const [own, safe] = [formula(numbers), softmax(numbers)];
    this.shares.replaceChildren(this.bars("exp(x) / sum of exp(x)", own), this.bars("softmax(x)", safe));
    this.why.textContent = formulaText(numbers);
    this.why.classList.toggle("tlw-wrong", own.some(Number.isNaN));
    this.drawEntropy(safe);
  }

  // The sliders stay where they are while one is dragged: only their texts are new.
  drawSliders(logits, numbers) {
    if (this.sliders.children.length !== logits.length) {
      this.sliders.replaceChildren(...logits.map((_, k) => this.slider(k, logits.length)));
    }
    for (const [k, row] of [...this.sliders.children].entries()) {
      const [input, told] = [row.querySelector("input"), row.querySelector(".tlw-note")];
      if (Number(input.value) !== logits[k]) input.value = String(logits[k]);
      input.setAttribute("aria-valuetext", `${short(numbers[k], 7)}, ${fateText(numbers[k])}`);
      row.querySelector("b").textContent = short(numbers[k], 7);
      told.textContent = `${gapText(numbers[k])} · ${fateText(numbers[k])}`;
      told.classList.toggle("tlw-wrong", fate(numbers[k]) !== "fits");
    }
  }

  slider(k, n) {
    const input = h("input", {
      type: "range", min: -REACH, max: REACH, step: 0.5, "aria-label": `logit ${k}`,
      oninput: () => {
        const logits = [...this.store.state.logits];
        logits[k] = Number(input.value);
        this.store.propose({ logits });
      },
    });
    return h("label", { class: "tlw-logit" }, h("span", { class: "tlw-dot", style: `background:${fill(k, n)}` }),
      h("span", { class: "tlw-mono" }, `x[${k}]`), input, h("b", { class: "tlw-mono" }),
      h("span", { class: "tlw-note tlw-mono" }));
  }

  drawRuler(numbers) {
    const row = (name, list, top) => [
      h("span", { class: "tlw-ruler-name", style: `top:${top}rem` }, name),
      ...list.map((value, k) => h("span", {
        class: `tlw-dot tlw-${fate(value)}`, style: `left:${place(value)}%;top:${top + 1.4}rem;background:${fill(k, list.length)}`,
      })),
    ];
    const wall = (at, name, side) => h("span", { class: `tlw-wall tlw-wall-${side}`, style: `left:${place(at)}%` },
      h("small", {}, name));
    this.ruler.replaceChildren(
      wall(UNDERFLOW, "exp is 0", "left"), wall(OVERFLOW, "exp is inf", "right"),
      ...[-100, -50, 0, 50].map((at) => h("small", { class: "tlw-tick", style: `left:${place(at)}%` }, String(at))),
      ...row("x", numbers, 1.5), ...row("x less its greatest", lowered(numbers), 4));
  }

  bars(title, shares) {
    return h("div", { class: "tlw-shares" }, h("p", { class: "tlw-part tlw-mono" }, title),
      shares.map((share, k) => h("div", { class: "tlw-share" }, Number.isFinite(share)
        ? h("span", { class: "tlw-bar", style: `width:${100 * share}%;background:${fill(k, shares.length)}` }) : null,
      h("span", { class: `tlw-mono${Number.isFinite(share) ? "" : " tlw-wrong"}` }, short(share, 3)))));
  }

  drawEntropy(shares) {
    const most = Math.log(shares.length);
    this.surprise.replaceChildren(h("p", { class: "tlw-part" }, entropyText(shares)),
      h("div", { class: "tlw-entropy" }, surprises(shares).map((part, k) => h("span", {
        style: `width:${100 * part / most}%;background:${fill(k, shares.length)}`,
      }))));
  }

  twinText() {
    const numbers = values(this.store.state);
    const [own, safe] = [formula(numbers), softmax(numbers)];
    const parts = surprises(safe);
    const rows = numbers.map((one, k) => [`x[${k}] = ${short(one, 7)}`, short(lowered(numbers)[k], 7), gapText(one),
      fateText(one), short(own[k]), short(safe[k]), short(parts[k])]);
    const header = ["logit", "less the greatest", "gap", "exp", "by the formula", "softmax", "adds to the entropy"];
    return [{ caption: `Up to ${MOST} logits in float32.`, header, rows }, formulaText(numbers), `${entropyText(safe)}.`];
  }
}

function render({ model, el, signal }) {
  new View({ model, el, signal });
}

export default { render };
