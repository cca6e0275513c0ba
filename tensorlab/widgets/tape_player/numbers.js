// A small tensor as a block of numbers that is only read.
import { h } from "../shared/dom.js";
import { numel, tuple, unravel } from "../shared/layout.js";
import { nested, short } from "./words.js";

// `title` stands above it; `held` is the place of a number in hand, or null.
export function block(title, { shape, data }, { kind = "", held = null } = {}) {
  const columns = shape.at(-1) ?? 1;
  const rows = [];
  for (let start = 0; start < data.length; start += columns) {
    const firstOfPlate = shape.length > 2 && start > 0 && unravel(start, shape).at(-2) === 0;
    rows.push(h("span", { class: `tlw-numbers-row${firstOfPlate ? " tlw-next-plate" : ""}` },
      data.slice(start, start + columns).map((number, k) =>
        h("span", { class: start + k === held ? "tlw-held" : null }, short(number)))));
  }
  const spoken = numel(shape) ? nested({ shape, data }) : "no elements";
  return h("div", { class: `tlw-block ${kind}`.trim() },
    h("p", { class: "tlw-block-title" }, title, " ", h("span", { class: "tlw-mono tlw-shape" }, tuple(shape))),
    h("span", {
      class: "tlw-numbers tlw-mono", role: "img", "aria-label": spoken, style: `--columns: ${columns}`,
    }, rows));
}
