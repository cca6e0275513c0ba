// The picture as text: a closed <details> with a table, for screen readers and for whoever prefers text.
import { h } from "../shared/dom.js";
import { DTYPES, drawnPart, flatIndex, unravel } from "./engine.js";
import { bracket, count, join, numberTerms, spokenLayout } from "./words.js";

const MOST_ROWS = 256;

function row(cells, tag = "td") {
  const [first, ...rest] = cells;
  return h("tr", {}, h("th", { scope: tag === "th" ? "col" : "row" }, first), rest.map((cell) => h(tag, {}, cell)));
}

export class Twin {
  constructor(lab) {
    this.lab = lab;
    this.body = h("div", { class: "tlw-twin-body", tabindex: "0", role: "group", "aria-label": "The picture as text" });
    this.element = h("details", { class: "tlw-twin", ontoggle: () => this.draw() },
      h("summary", {}, "As text"), this.body);
  }

  // Written when it is open: it costs as much as the picture.
  draw() {
    if (!this.element.open) return;
    const { layout } = this.lab;
    const { shape, stride, offset, dtype } = layout;
    const total = drawnPart(shape, Infinity).count;
    const rows = Array.from({ length: Math.min(total, MOST_ROWS) }, (_, position) => {
      const index = unravel(position, shape);
      const cell = flatIndex(index, stride, offset);
      return row([bracket(index), this.lab.textAt(cell), join(numberTerms(index, stride, offset)), cell,
        cell * DTYPES[dtype]].map(String));
    });
    const left = total > MOST_ROWS ? h("p", {}, `The first ${MOST_ROWS} of ${count(total)} elements.`) : [];
    this.body.replaceChildren(h("table", { class: "tlw-mono" },
      h("caption", {}, spokenLayout(layout)),
      h("thead", {}, row(["index", "value", "sum", "storage cell", "byte"], "th")),
      h("tbody", {}, rows)), ...[left].flat());
  }
}
