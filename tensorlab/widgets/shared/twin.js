// A picture as text: a closed <details> with a table, for screen readers and for whoever prefers text.
import { h } from "./dom.js";

export const MOST_ROWS = 256;

function row(cells, tag) {
  const [first, ...rest] = cells.map(String);
  return h("tr", {}, h("th", { scope: tag === "th" ? "col" : "row" }, first), rest.map((cell) => h(tag, {}, cell)));
}

export class Twin {
  // `write()` gives the text: a list of tables { caption, header, rows } and of sentences.
  constructor(write) {
    this.write = write;
    this.body = h("div", { class: "tlw-twin-body", tabindex: "0", role: "group", "aria-label": "The picture as text" });
    this.element = h("details", { class: "tlw-twin", ontoggle: () => this.draw() },
      h("summary", {}, "As text"), this.body);
  }

  // Written when it is open: it costs as much as the picture.
  draw() {
    if (!this.element.open) return;
    this.body.replaceChildren(...this.write().map((part) => (typeof part === "string" ? h("p", {}, part)
      : h("table", { class: "tlw-mono" }, h("caption", {}, part.caption), h("thead", {}, row(part.header, "th")),
        h("tbody", {}, part.rows.map((cells) => row(cells, "td")))))));
  }
}
