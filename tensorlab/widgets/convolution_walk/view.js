// The Convolution Walk: a window stands on an image; beside it the strides of all windows, below it the storage with the
// cache lines that it touches, in both orders of the channels, and what im2col would write.
import { h } from "../shared/dom.js";
import { Choice, NumberField } from "../shared/fields.js";
import { Frame } from "../shared/frame.js";
import { Grid } from "../shared/grid.js";
import { elementsAt, numel } from "../shared/layout.js";
import { memoryFill } from "../shared/memory.js";
import { readNumber, readNumbers } from "../shared/numbers.js";
import { Presets } from "../shared/presets.js";
import { Store } from "../shared/store.js";
import { Tape } from "../shared/tape.js";
import { bracket, count, plural } from "../shared/words.js";
import {
  ITEMSIZE, LAYOUTS, LINES, bytes, cellOf, check, imageStrides, linesTouched, paddedShape, places, read, valueAt,
  windowView,
} from "./engine.js";
import { columnsText, costText, line, placeName, readText, spokenPlace, spokenState, viewText } from "./words.js";

const HINT = "Point at a window's place, or walk with the arrow keys.";
const SCHEMA = {
  image: "ints", kernel: "int", stride: "int", padding: "int", dilation: "int", layout: "word", sees: "word",
  line: "int", place: "ints",
};
const NUMBERS = { kernel: 1, stride: 1, padding: 0, dilation: 1 };
const PLAIN = { image: [3, 6, 6], kernel: 3, stride: 1, padding: 0, dilation: 1, sees: "all", line: 16, place: [0, 0] };
const PRESETS = {
  "3 by 3": PLAIN,
  "side by side": { ...PLAIN, kernel: 2, stride: 2 },
  "zeros around": { ...PLAIN, image: [3, 4, 4], padding: 1 },
  "spread out": { ...PLAIN, dilation: 2 },
  "one channel": { ...PLAIN, sees: "one" },
  "real lines": { ...PLAIN, image: [16, 4, 4], line: 64 },
};
const LETTERS = ["n", "c", "i", "j", "r", "s"];

const same = (state, changes) => Object.keys(changes).every((name) => String(state[name]) === String(changes[name]));

class View {
  constructor(context) {
    this.store = new Store(context.model, context.signal, check);
    this.frame = new Frame(context, {
      name: "Convolution Walk", kind: "tlw-convolution-walk", store: this.store, schema: SCHEMA, hint: HINT, line,
      twin: () => this.twinText(), spoken: (names) => (names.every((name) => name === "place")
        ? spokenPlace(this.store.state, this.store.state.place) : spokenState(this.store.state)),
    });
    const { messageId } = this.frame;
    this.fields = {
      image: this.field("image", { name: "C, H, W", spoken: "channels, height, width", many: true, least: 1 }),
    };
    for (const [name, least] of Object.entries(NUMBERS)) this.fields[name] = this.field(name, { name, least });
    const choice = (name, member, options) => new Choice({
      name, options, changed: (value) => this.store.propose({ [member]: member === "line" ? Number(value) : value }),
    });
    this.choices = {
      layout: choice("storage", "layout", [["NCHW", "NCHW, row-major"], ["NHWC", "NHWC, channels last"]]),
      sees: choice("a window sees", "sees", [["all", "all channels"], ["one", "one channel"]]),
      line: choice("cache line", "line", LINES.map((size) => [size, `${size} B${size === 64 ? ", as real ones" : ""}`])),
    };
    this.frame.controls.append(...[...Object.values(this.fields), ...Object.values(this.choices)]
      .map(({ element }) => element));
    this.presets = new Presets({
      names: Object.keys(PRESETS), label: "Windows", chosen: (name) => this.store.propose(PRESETS[name]),
    });
    const over = (element) => this.light(element ? this.placeOf(element) : this.store.state.place);
    this.grid = new Grid({
      label: "Image", helpId: messageId, picked: (element) => this.pick(element), hovered: over,
      home: (cell) => this.tape.slot(cell),
    });
    this.map = new Grid({
      label: "Places", helpId: messageId, picked: (place) => this.store.propose({ place }),
      hovered: (place) => this.light(place ?? this.store.state.place),
    });
    const element = (cell) => {
      const shape = paddedShape(this.store.state);
      return elementsAt(cell, shape, imageStrides(shape, this.store.state.layout), 0, 1)[0].slice(1);
    };
    this.tape = new Tape({
      picked: (cell) => this.pick(element(cell)), hovered: (cell) => over(cell === null ? null : element(cell)),
    });
    this.strides = h("div", {});
    this.reading = h("div", { class: "tlw-reading", role: "group", "aria-label": "In hand" });
    const part = (name, ...inside) => h("div", { class: "tlw-tensor" }, h("p", { class: "tlw-part" }, name), inside);
    this.mapName = h("span", {});
    this.frame.body.append(this.presets.element, h("div", { class: "tlw-scene" },
      part("image, a matrix for each channel", this.grid.element),
      part(this.mapName, this.map.element),
      h("div", { class: "tlw-side" }, this.strides, this.reading)),
    h("div", { class: "tlw-storage" }, h("p", { class: "tlw-part" }, "storage, in cache lines"), this.tape.element));
    this.frame.open(context.el, (names) => this.draw(names));
  }

  field(member, options) {
    const { many = false } = options;
    const field = new NumberField({
      ...options, messageId: this.frame.messageId,
      commit: () => {
        const { value, refusal } = (many ? readNumbers : readNumber)(field.text, `the ${member}`);
        field.mark(refusal !== undefined);
        if (refusal !== undefined) this.store.refuse(refusal);
        else if (String(value) === String(this.store.state[member])) this.showFields();
        else field.mark(this.store.propose({ [member]: value }) !== null);
      },
      cancel: () => { this.showFields(); this.store.refuse(null); },
    });
    return field;
  }

  // The place of the last window that begins at or before an element.
  placeOf([, row, column]) {
    const { state } = this.store;
    return places(state).map((most, k) => Math.min(Math.floor([row, column][k] / state.stride), most - 1));
  }

  pick(element) {
    this.grid.hold(element);
    this.tape.hold(cellOf(this.store.state, this.store.state.layout, element));
    this.store.propose({ place: this.placeOf(element) });
  }

  showFields() {
    for (const [name, field] of Object.entries(this.fields)) field.show([this.store.state[name]].flat().join(", "));
    for (const [name, choice] of Object.entries(this.choices)) choice.show(this.store.state[name]);
  }

  draw(names) {
    const { state } = this.store;
    if (names.some((name) => name !== "place")) this.drawAll();
    this.presets.show(() => true, (name) => same(state, PRESETS[name]));
    this.map.hold(state.place);
    this.light(state.place);
    this.tape.show(cellOf(state, state.layout, read(state, state.place)[0]));
  }

  drawAll() {
    const { state } = this.store;
    const { layout } = state;
    const shape = paddedShape(state);
    const cells = numel(shape);
    this.showFields();
    this.frame.root.style.setProperty("--digits", String(cells).length);
    const look = (element) => {
      const value = valueAt(state, element);
      const at = cellOf(state, layout, element);
      const held = value === null ? { text: "0", kind: "tlw-zero", fill: "var(--tl-cell)" } : { text: String(value), fill: memoryFill(at, cells) };
      return { ...held, at, title: `x${bracket([0, ...element])}: ${held.text}, cell ${at}` };
    };
    const elements = [];
    this.grid.draw({
      shape: shape.slice(1), letters: ["h", "w"], hand: read(state, state.place)[0],
      cell: (element) => {
        const seen = look(element);
        elements[seen.at] = seen;
        return { ...seen, label: seen.title };
      },
    });
    const steps = places(state);
    this.mapName.textContent = `lines that each window touches in ${layout}`;
    this.map.draw({
      shape: steps, hand: state.place,
      cell: (place) => {
        const lines = linesTouched(state, layout, place).length;
        return {
          text: lines, label: `${placeName(state, place)}: ${plural(lines, "line")}`, kind: "tlw-count",
          fill: "var(--tl-surface)",
        };
      },
    });
    this.tape.draw({
      cells, first: 0, group: state.line / ITEMSIZE,
      cell: (at) => {
        const { text, kind, fill, title } = elements[at];
        return { text, title, fill, kind: kind ?? "tlw-reached", label: title };
      },
    });
    this.drawStrides();
  }

  drawStrides() {
    const views = LAYOUTS.map((layout) => windowView(this.store.state, layout));
    const row = (name, kind, numbers, now = false) => h("tr", { class: `tlw-kind-${kind}${now ? " tlw-now" : ""}` },
      h("th", { scope: "row" }, name), numbers.map((number) => h("td", {}, String(number))));
    this.strides.replaceChildren(h("table", { class: "tlw-layout-card tlw-mono" },
      h("thead", {}, h("tr", {}, ["windows", ...LETTERS].map((text) => h("th", { scope: "col" }, text)))),
      h("tbody", {}, row("shape", "shape", views[0].shape), LAYOUTS.map((layout, k) =>
        row(layout, "stride", views[k].stride, layout === this.store.state.layout)))),
    h("p", { class: "tlw-note" }, "i, j: which window; r, s: where in it. Below the shape are the strides."));
  }

  // Lights the window at a place, on the image and in the storage, and the lines that it touches.
  light(place) {
    const { state } = this.store;
    const { layout } = state;
    const elements = read(state, place);
    const cells = new Set(elements.map((element) => cellOf(state, layout, element)));
    const lines = new Set(linesTouched(state, layout, place));
    this.grid.light(null, elements);
    this.map.light(place, []);
    for (const button of this.tape.buttons) button.classList.toggle("tlw-in-window", cells.has(Number(button.dataset.cell)));
    for (const box of this.tape.line.querySelectorAll(".tlw-cache-line")) {
      box.classList.toggle("tlw-touched", lines.has(Number(box.dataset.line)));
    }
    this.read(place);
  }

  read(place) {
    const { state } = this.store;
    const { image, columns } = bytes(state);
    const whole = Math.max(image, columns);
    const touched = LAYOUTS.map((layout) => [layout, linesTouched(state, layout, place).length * state.line]);
    const most = Math.max(...touched.map(([, size]) => size));
    const bar = (name, size, whole, text) => [h("span", {}, name),
      h("span", { class: "tlw-bytes-bar", style: `width: ${(100 * size) / whole}%` }), h("span", {}, text)];
    const bars = (...rows) => h("div", { class: "tlw-bytes-bars tlw-mono" }, rows);
    this.reading.replaceChildren(
      h("p", {}, h("span", { class: "tlw-subject tlw-mono" }, placeName(state, place)), ` ${readText(state, place)}`),
      bars(touched.map(([layout, size]) => bar(layout, size, most, costText(state, layout, place)))),
      h("p", {}, viewText(state)),
      bars(bar("image", image, whole, `${count(image)} B`), bar("view", 0, whole, "0 B"),
        bar("im2col", columns, whole, columnsText(state))));
  }

  twinText() {
    const { state } = this.store;
    const views = LAYOUTS.map((layout) => windowView(state, layout));
    const [, across] = places(state);
    const rows = Array.from({ length: numel(places(state)) }, (_, k) => {
      const place = [Math.floor(k / across), k % across];
      return [placeName(state, place), ...LAYOUTS.map((layout) => costText(state, layout, place))];
    });
    return [
      { caption: "The windows, as a view.", header: ["windows", ...LETTERS],
        rows: [["shape", ...views[0].shape], ...LAYOUTS.map((layout, k) => [`strides in ${layout}`, ...views[k].stride])] },
      { caption: `Cache lines of ${state.line} B that a window touches.`, header: ["window", ...LAYOUTS], rows },
      spokenState(state),
    ];
  }
}

function render({ model, el, signal }) {
  new View({ model, el, signal });
}

export default { render };
