// The layout as a small table, why `view` fails here, and the steps as a chain.
import { h } from "../shared/dom.js";
import { letter } from "../shared/words.js";
import { pythonText } from "./text.js";
import { effectText, layoutText, whyView } from "./words.js";

// The layout: a column a dimension, its size and its stride under each other; with `why`, also whether `view` works.
export function layoutCard(step, why) {
  const { shape, stride, offset } = step;
  const dims = shape.length;
  const row = (name, kind, numbers) => h("tr", { class: `tlw-kind-${kind}` },
    h("th", { scope: "row" }, name), numbers.map((number) => h("td", {}, String(number))));
  const table = h("table", { class: "tlw-layout-card tlw-mono" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "dimension"),
      shape.map((_, dim) => h("th", { scope: "col" }, `${dim} (${letter(dim, dims)})`)))),
    h("tbody", {}, row("shape", "shape", shape), row("stride", "stride", stride),
      h("tr", { class: "tlw-kind-offset" }, h("th", { scope: "row" }, "offset"),
        h("td", { colspan: Math.max(dims, 1) }, String(offset)))));
  if (!why) return [table];
  const { works, text } = whyView(step);
  return [table, h("p", { class: `tlw-why${works ? " tlw-note" : ""}` }, text)];
}

// One button a step; it goes back to there. A view hangs on by a dashed line, a copy has a box of its own.
export function stepChips(steps, { ops }, back) {
  return steps.map((step, k) => {
    const text = k ? pythonText(ops[k - 1], steps[k - 1].shape) : "x";
    const effect = k ? (step.effect === "copy" ? `copy · ${step.bytes} B` : `${step.effect} · 0 B`) : "start";
    const now = k === steps.length - 1;
    return h("li", { class: `tlw-link-${k ? step.effect : "start"}` }, h("button", {
      type: "button", class: "tlw-chip", "aria-current": now ? "step" : null,
      "aria-label": `${text} ${effect}: ${layoutText(step)}${k ? `, ${effectText(step)}` : ""}${now ? "" : "; go back to here"}`,
      onclick: () => back(k),
    }, h("span", { class: "tlw-mono" }, text), " ", h("span", { class: "tlw-chip-effect" }, effect)));
  });
}
