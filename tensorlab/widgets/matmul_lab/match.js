// The axes of both operands as cards. The reader joins the two that are summed over: a card of a is dragged onto one of b, or
// taken with Enter and laid down with Enter. After the answer every card says what became of its axis.
import { h } from "../shared/dom.js";
import { arrowStep } from "../shared/keys.js";
import { inner, product } from "./engine.js";

export class Match {
  // `joined(pair)` when the reader joins an axis of a and one of b, `say` for the screen reader.
  constructor({ joined, say }) {
    Object.assign(this, { joined, say });
    this.held = null;                     // the axis of a in hand
    this.element = h("div", { class: "tlw-match", role: "group", "aria-label": "Axes of a and b" });
  }

  draw(state) {
    this.state = state;
    const { a, b, told } = state;
    const focused = this.element.contains(document.activeElement) ? document.activeElement.dataset.axis : null;
    if (told) this.held = null;
    this.element.replaceChildren(this.row("a", a), this.row("b", b));
    if (focused) this.element.querySelector(`[data-axis="${focused}"]`)?.focus({ preventScroll: true });
  }

  row(name, shape) {
    return h("div", { class: "tlw-match-row" }, h("span", { class: "tlw-align-name tlw-mono" }, name),
      shape.map((size, dim) => this.card(name, size, dim)));
  }

  // What an axis is for: part of the batch, a row, a column, or summed away.
  role(name, dim) {
    const { a, b } = this.state;
    const [last, opposite] = inner(a, b);
    if (name === "a") return dim === last ? "k, summed" : dim === a.length - 2 ? "m, rows" : "batch";
    return dim === opposite ? "k, summed" : dim === b.length - 1 ? "n, columns" : "batch";
  }

  // Whether a batch axis is read again and again for the other operand's.
  stretched(name, dim) {
    const { a, b } = this.state;
    const found = product(a, b);
    const own = name === "a" ? a : b;
    if (found.refusal !== undefined || dim >= own.length - 2) return false;
    return own[dim] === 1 && found.batch[found.batch.length - (own.length - 2) + dim] !== 1;
  }

  card(name, size, dim) {
    const { pair, told } = this.state;
    const side = name === "a" ? 0 : 1;
    const joined = told ? this.role(name, dim) === "k, summed" : pair[side] === dim;
    const kinds = `tlw-size tlw-mono${joined ? " tlw-joined" : ""}${name === "a" && this.held === dim ? " tlw-held" : ""}`;
    if (told) {
      const role = this.stretched(name, dim) ? "stride 0" : this.role(name, dim);
      return h("span", { class: kinds }, h("b", {}, size), h("small", {}, role));
    }
    const does = name === "a" ? "take it to join it with an axis of b" : "join it with the axis of a in hand";
    return h("button", {
      type: "button", class: kinds, dataset: { axis: `${name}${dim}`, note: joined ? "summed" : `dim ${dim}` },
      "aria-label": `${size}: size of dimension ${dim} of ${name}${joined ? ", joined" : ""}; ${does}`,
      "aria-pressed": String(joined || (name === "a" && this.held === dim)),
      onclick: () => this.press(name, dim), onkeydown: (event) => this.key(event, name, dim),
      onpointerdown: (event) => { if (name === "a") this.drag(event, dim); },
    }, h("b", {}, size));
  }

  // Lays the axis of a back that is in hand.
  release() {
    this.held = null;
    this.draw(this.state);
    this.say("Nothing is in hand.");
  }

  key(event, name, dim) {
    if (event.key === "Escape" && this.held !== null) {
      event.preventDefault();
      this.release();
      return;
    }
    const step = arrowStep(event);
    if (step === null) return;
    event.preventDefault();
    const to = step[0] === 0 ? `${name}${dim + step[1]}` : `${step[0] > 0 ? "b" : "a"}${dim}`;
    this.element.querySelector(`[data-axis="${to}"]`)?.focus({ preventScroll: true });
  }

  // By click or Enter: first an axis of a, then one of b (or b first, where one of a is joined already).
  press(name, dim) {
    if (this.dragged) {
      this.dragged = false;
      return;
    }
    if (name === "a") {
      this.held = dim;
      this.say(`Dimension ${dim} of a is in hand. Choose the dimension of b that is summed with it.`);
      this.draw(this.state);
      return;
    }
    const one = this.held ?? this.state.pair[0];
    if (one === undefined) {
      this.say("Take a dimension of a first.");
      return;
    }
    this.held = null;
    this.joined([one, dim]);
  }

  drag(event, dim) {
    const moving = new AbortController();
    const { signal } = moving;
    const start = [event.clientX, event.clientY];
    window.addEventListener("pointermove", (move) => {
      if (this.held === dim || Math.hypot(move.clientX - start[0], move.clientY - start[1]) < 6) return;
      this.held = dim;
      this.draw(this.state);
    }, { signal });
    window.addEventListener("pointerup", (up) => {
      moving.abort();
      const target = document.elementFromPoint(up.clientX, up.clientY)?.closest?.("[data-axis]");
      if (this.held !== dim || Math.hypot(up.clientX - start[0], up.clientY - start[1]) < 6) return;
      if (!target?.dataset.axis.startsWith("b") || !this.element.contains(target)) {
        this.release();
        return;
      }
      this.dragged = target.dataset.axis === document.activeElement?.dataset.axis;
      this.held = null;
      this.joined([dim, Number(target.dataset.axis.slice(1))]);
    }, { signal });
    window.addEventListener("pointercancel", () => moving.abort(), { signal });
  }
}
