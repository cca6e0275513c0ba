// The way through the storage, drawn over it: a flag where the tensor starts (offset), then one arrow a step of
// a stride, until the cell in hand. At the first element, one step of each dimension. It is decoration for the eyes; the sum beside it says the same in text.

const SVG = "http://www.w3.org/2000/svg";
const MOST_ARROWS = 8;       // of one dimension; a longer way is one arrow
const MOST_ROWS = 4;         // in a storage of many lines the arrows would tangle

function shape(tag, attributes, text = null) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  if (text !== null) element.textContent = text;
  return element;
}

// The hops from the offset to an element: { from, to, label } in cells, the label once a dimension. A stride of 0
// hops on the spot.
export function hopsTo(index, stride, offset) {
  const hops = [];
  let cell = offset;
  for (const [dim, i] of index.entries()) {
    if (i === 0) continue;
    const label = `${i}·${stride[dim]}`;
    const count = i <= MOST_ARROWS && stride[dim] > 0 ? i : 1;
    const size = (i * stride[dim]) / count;
    for (let k = 0; k < count; k += 1) {
      const middle = k === Math.floor((count - 1) / 2);
      hops.push({ from: cell, to: cell + size, label: middle ? label : null, even: count % 2 === 0 });
      cell += size;
    }
  }
  return hops;
}

// One step of each dimension from the offset: what the arrows beside the tensor say, on the line.
export function firstSteps(shape, stride, offset) {
  const steps = stride.filter((_, dim) => shape[dim] > 1);
  return [...new Set(steps)].map((step) => ({ from: offset, to: offset + step, label: `+${step}`, even: false }));
}

export class Walk {
  constructor(line) {
    this.line = line;
    this.element = shape("svg", { class: "tlw-walk", "aria-hidden": "true" });
    this.last = null;
    new ResizeObserver(() => { if (this.last) this.draw(...this.last); }).observe(line);
  }

  // `slot(cell)` finds the button of a cell; `index` is the element in hand, or null for the flag alone.
  draw(slot, layout, index) {
    this.last = [slot, layout, index];
    const { shape: sizes, stride, offset } = layout;
    const slots = this.line.getElementsByClassName("tlw-slot");
    const [first, final] = [slots[0], slots[slots.length - 1]];
    const rows = first ? (final.offsetTop - first.offsetTop) / (first.offsetHeight + this.gap()) + 1 : 0;
    this.line.classList.toggle("tlw-dense", rows > MOST_ROWS + 0.5);
    this.element.replaceChildren();
    this.element.style.width = `${this.line.clientWidth}px`;
    this.element.style.height = `${this.line.scrollHeight}px`;
    const start = slot(offset);
    if (start) this.flag(start);
    if (index === null || rows > MOST_ROWS + 0.5) return;
    const atStart = sizes !== undefined && index.every((i) => i === 0);
    for (const hop of atStart ? firstSteps(sizes, stride, offset) : hopsTo(index, stride, offset)) {
      const [from, to] = [slot(hop.from), slot(hop.to)];
      if (from && to) this.hop(from, to, hop);
    }
  }

  gap() { return Number.parseFloat(getComputedStyle(this.line).rowGap) || 0; }

  flag(button) {
    const [x, y] = [button.offsetLeft + 4, button.offsetTop];
    this.element.append(
      shape("path", { class: "tlw-flag-pole", d: `M${x} ${y}v-15` }),
      shape("path", { class: "tlw-flag", d: `M${x} ${y - 16}l11 4l-11 4z` }),
    );
  }

  hop(from, to, { label, even }) {
    const centre = (button) => button.offsetLeft + button.offsetWidth / 2;
    const [x1, x2] = [centre(from), centre(to)];
    const [y1, y2] = [from.offsetTop - 4, to.offsetTop - 4];   // clear of the ring
    if (from === to) {
      this.arc(`M${x1 - 3} ${y1}C${x1 - 16} ${y1 - 20} ${x1 + 16} ${y1 - 20} ${x1 + 3} ${y1 - 3}`);
      this.head(x1 + 3, y1);
      if (label) this.label(x1, y1 - 19, label);
      return;
    }
    if (y1 === y2) {
      const height = Math.min(12 + Math.abs(x2 - x1) * 0.1, 24);
      this.arc(`M${x1} ${y1}C${x1} ${y1 - height} ${x2} ${y2 - height} ${x2} ${y2 - 2}`);
      this.head(x2, y2);
      if (label) this.label(even ? x2 : (x1 + x2) / 2, y1 - height * 0.75 - 4, label);
      return;
    }
    // The next line of the storage: out at the right edge, in again at the left, as text is read.
    const right = this.line.clientWidth - 2;
    this.arc(`M${x1} ${y1}C${x1} ${y1 - 18} ${x1 + 8} ${y1 - 18} ${right} ${y1 - 18}`);
    this.arc(`M2 ${y2 - 18}C${x2 - 8} ${y2 - 18} ${x2} ${y2 - 18} ${x2} ${y2 - 2}`);
    this.head(x2, y2);
    if (label) this.label(Math.max(x2 / 2, 14), y2 - 22, label);
  }

  arc(d) { this.element.append(shape("path", { class: "tlw-hop", d })); }

  head(x, y) { this.element.append(shape("path", { class: "tlw-hop-head", d: `M${x} ${y}l-4 -7h8z` })); }

  label(x, y, text) {
    this.element.append(shape("text", { class: "tlw-hop-label", x, y, "text-anchor": "middle" }, text));
  }
}
