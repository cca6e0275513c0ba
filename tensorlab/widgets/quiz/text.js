// Text of the authors, put into the page without reading it as HTML: `code` between backticks, all else plain.
import { h } from "../shared/dom.js";

export function pieces(text) {
  return text
    .split("`")
    .map((piece, i) => ({ text: piece, code: i % 2 === 1 }))
    .filter((piece) => piece.text !== "");
}

export function rich(text) {
  return pieces(text).map((piece) => (piece.code ? h("code", {}, piece.text) : piece.text));
}
