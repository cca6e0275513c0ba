// What is in hand, in words and sums: the element, its address term by term, its byte, and who shares the cell.
import { h } from "../shared/dom.js";
import { flatIndex } from "../shared/layout.js";
import { addressLines } from "../shared/sums.js";
import { bracket, byteSum } from "../shared/words.js";
import { cellSentence, sharers } from "./words.js";

export class Reading {
  constructor(lab) {
    this.lab = lab;
    this.element = h("div", { class: "tlw-reading", "aria-label": "In hand", role: "group" });
  }

  // An element in hand; `reaching` are the elements in its storage cell, itself included, `most` at most.
  show(index, reaching, most) {
    const { layout } = this.lab;
    const cell = flatIndex(index, layout.stride, layout.offset);
    const name = this.lab.name ?? "x";
    const subject = index.length ? `${name}${bracket(index)}` : name;
    const shared = reaching.length > 1
      ? h("p", { class: "tlw-note" }, `${sharers(reaching, most)} share this storage cell.`) : null;
    this.fill(h("p", { class: "tlw-subject tlw-mono" }, `${subject} is ${this.lab.textAt(cell)}`),
      ...addressLines(index, layout, true), shared);
  }

  // A storage cell pointed at: with one element in it, that element; else the sentence that says who.
  cell(cell, reaching, most) {
    if (reaching.length === 1) {
      this.show(reaching[0], reaching, most);
      return;
    }
    this.fill(h("p", { class: "tlw-subject tlw-mono" }, `cell ${cell} holds ${this.lab.textAt(cell)}`),
      h("p", { class: "tlw-sentence" }, cellSentence(cell, reaching, most)),
      h("p", { class: "tlw-sum tlw-mono tlw-bytes" }, byteSum(cell, this.lab.layout.dtype)));
  }

  empty() {
    this.fill(h("p", { class: "tlw-sentence" }, "A tensor without elements reaches no storage cell."));
  }

  fill(...children) { this.element.replaceChildren(...children.filter(Boolean)); }
}
