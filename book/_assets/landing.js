/* The lab of the landing page: one line of memory above which a tensor is read. Drag an arrow's head and its stride
 * changes, drag the flag and the offset does; the tiles fly from the line to their new places. The shape gives way where
 * it would reach out of memory. By keyboard: the arrows and the flag are sliders, the tensor is walked with arrow keys.
 * It plays three readings once, until somebody takes over; nothing moves where less motion is wanted.
 */
(function () {
  "use strict";

  const CELLS = 12;
  const PRESETS = {
    table: { shape: [3, 4], stride: [4, 1], offset: 0 },
    turned: { shape: [4, 3], stride: [1, 4], offset: 0 },
    window: { shape: [2, 2], stride: [4, 1], offset: 5 },
    "every other": { shape: [3, 2], stride: [4, 2], offset: 0 },
    "one row, again": { shape: [3, 4], stride: [0, 1], offset: 4 },
    sliding: { shape: [4, 4], stride: [2, 1], offset: 0 },
  };
  const ROWS = 4; // that the drawing keeps free
  const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

  function s(tag, attributes = {}, ...children) {
    const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    node.append(...children);
    return node;
  }

  function memory(share) { // the colours of memory: sand, aqua, sea
    const at = Math.min(Math.max(share, 0), 1) * 2;
    const low = Math.min(Math.floor(at), 1);
    return `color-mix(in oklab, var(--tl-memory-${low}), var(--tl-memory-${low + 1}) ${Math.round((at - low) * 100)}%)`;
  }

  const tuple = (numbers) => `(${numbers.join(", ")})`;

  const HINT = "Drag an arrowhead or the flag. The numbers stay where they are; the reading changes.";

  class Lab {
    constructor(root) {
      this.root = root;
      this.tiles = []; // { node, address }
      this.hand = null;
      this.state = structuredClone(PRESETS.table);
      this.want = this.state.shape;
      root.innerHTML = `<div class="tl-hero-stage"></div>
        <p class="tl-hero-facts"></p>
        <p class="tl-hero-sum"></p>
        <div class="tl-hero-presets" role="group" aria-label="Ways to read the line"></div>`;
      [this.stage, this.facts, this.sum, this.presets] = root.children;
      for (const name of Object.keys(PRESETS)) {
        const button = Object.assign(document.createElement("button"), { type: "button", textContent: name });
        button.addEventListener("click", () => { this.take(); this.choose(name); });
        this.presets.append(button);
      }
      this.touched = false;
      this.stage.addEventListener("pointerdown", () => this.take());
      new ResizeObserver(() => this.fit()).observe(this.stage);
    }

    // From now on the reader plays: nothing moves by itself, and what changes is said.
    take() {
      this.touched = true;
      this.facts.setAttribute("aria-live", "polite");
    }

    // Measures for the width at hand; everything is drawn anew when the layout changes.
    fit() {
      const width = Math.floor(this.stage.clientWidth);
      if (!width || width === this.width) return;
      this.width = width;
      this.pitch = Math.min(50, (width - 2) / CELLS);
      this.size = Math.max(Math.min(this.pitch, 42), 30);
      this.left = (width - CELLS * this.pitch) / 2;
      this.tensorTop = 6;
      this.stripTop = this.tensorTop + ROWS * this.size + 64;
      this.height = this.stripTop + this.pitch + 92;
      this.draw();
    }

    draw() {
      const { width, height } = this;
      this.svg = s("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "group", "aria-label": "One line of memory, and a tensor that reads it" });
      this.stage.replaceChildren(this.svg);
      const strip = s("g", { "aria-hidden": "true" });
      this.slots = Array.from({ length: CELLS }, (_, a) => {
        const slot = this.box(this.pitch, a, this.pitch);
        slot.style.transform = this.onLine(a, this.pitch);
        slot.addEventListener("pointerenter", () => this.point(a));
        strip.append(slot);
        return slot;
      });
      this.layer = s("g", { tabindex: 0, role: "application", "aria-label": "tensor; arrow keys move from element to element" });
      this.layer.addEventListener("keydown", (event) => this.walk(event));
      this.links = s("path", { class: "tl-hero-link" });
      this.marks = s("g");
      this.handles = {
        right: this.handle("right", "stride to the right", () => this.state.stride[1], (v) => this.restride(1, v)),
        down: this.handle("down", "stride downward", () => this.state.stride[0], (v) => this.restride(0, v)),
        offset: this.handle("offset", "offset", () => this.state.offset, (v) => this.reoffset(v)),
      };
      this.svg.append(this.links, strip, this.marks, ...Object.values(this.handles).map((h) => h.node), this.layer);
      this.tiles = [];
      this.read(this.state, true);
    }

    choose(name) {
      this.want = PRESETS[name].shape;
      this.read(PRESETS[name]);
    }

    box(size, address, room = size) {
      const g = s("g", { class: "tl-hero-cell" });
      g.append(s("rect", { x: 0.5, y: 0.5, width: room - 1, height: size - 1, rx: Math.min(5, size / 7) }),
        s("text", { x: room / 2, y: size / 2 + 5, "text-anchor": "middle", "font-size": size > 34 ? 15 : 13 }, String(address)));
      g.style.setProperty("--fill", memory(address / (CELLS - 1)));
      return g;
    }

    x(address) { return this.left + (address + 0.5) * this.pitch; }

    onLine(address, size = this.size) {
      const scale = this.pitch / size;
      return `translate(${this.x(address) - this.pitch / 2}px, ${this.stripTop}px) scale(${scale})`;
    }

    place(i, j) {
      const { shape } = this.state;
      const x = (this.width - shape[1] * this.size) / 2 + j * this.size;
      const y = this.tensorTop + (ROWS - shape[0]) * this.size / 2 + i * this.size + 14;
      return [x, y];
    }

    address(i, j) { return this.state.offset + i * this.state.stride[0] + j * this.state.stride[1]; }

    // A tile stays with its cell: it flies to where the new tensor shows that cell, or home to the line.
    read(next, atOnce = false) {
      this.state = structuredClone(next);
      const { shape, stride, offset } = this.state;
      const pool = [...this.tiles];
      const seen = new Set();
      this.tiles = [];
      for (let i = 0; i < shape[0]; i++) {
        for (let j = 0; j < shape[1]; j++) {
          const address = this.address(i, j);
          const k = pool.findIndex((tile) => tile.address === address);
          const tile = k < 0 ? this.hatch(address) : pool.splice(k, 1)[0];
          const [x, y] = this.place(i, j);
          const delay = atOnce || still() ? 0 : (i * shape[1] + j) * 18;
          const again = seen.has(address);
          seen.add(address);
          requestAnimationFrame(() => {
            tile.node.style.transitionDelay = `${delay}ms`;
            tile.node.style.transform = `translate(${x}px, ${y}px)`;
            tile.node.classList.toggle("tl-hero-again", again);
          });
          tile.index = [i, j];
          this.tiles.push(tile);
        }
      }
      for (const tile of pool) {
        tile.node.style.transitionDelay = "0ms";
        tile.node.style.transform = this.onLine(tile.address);
        tile.node.style.opacity = "0";
        setTimeout(() => tile.node.remove(), 600);
      }
      this.reached = new Set(this.tiles.map((tile) => tile.address));
      this.slots.forEach((slot, a) => slot.classList.toggle("tl-hero-rest", !this.reached.has(a)));
      this.facts.innerHTML = `<b class="shape">shape ${tuple(shape)}</b> <b class="stride">stride ${tuple(stride)}</b> <b class="offset">offset ${offset}</b>`;
      for (const button of this.presets.children) {
        button.setAttribute("aria-pressed", String(JSON.stringify(PRESETS[button.textContent]) === JSON.stringify(this.state)));
      }
      this.annotate();
      this.point(null);
    }

    hatch(address) {
      const node = this.box(this.size, address);
      node.classList.add("tl-hero-tile");
      node.style.transform = this.onLine(address);
      this.layer.append(node);
      node.getBoundingClientRect(); // begin at home
      const tile = { node, address };
      node.addEventListener("pointerenter", () => this.point(address, tile.index));
      node.addEventListener("pointerleave", () => { if (this.hand?.join() === tile.index.join()) this.point(null); });
      return tile;
    }

    // Stride arrows beside the tensor, arcs and flag on the line.
    annotate() {
      const { shape, stride, offset } = this.state;
      const [x, y] = this.place(0, 0);
      const line = this.stripTop, low = line + this.pitch;
      const parts = [];
      const text = (tx, ty, words, kind, anchor = "middle") => parts.push(s("text", { x: tx, y: ty, class: `tl-hero-${kind}`, "text-anchor": anchor }, words));
      const straight = (d) => parts.push(s("path", { d, class: "tl-hero-arrow", "marker-end": "url(#tl-hero-head)" }));
      straight(`M${x + 4} ${y - 8}h${this.size - 4}`);
      text(x + this.size + 14, y - 3.5, `+${stride[1]}`, "step", "start");
      if (shape[0] > 1) {
        straight(`M${x - 9} ${y + 4}v${this.size - 4}`);
        text(x - 6, y + this.size + 22, `+${stride[0]}`, "step", "end");
      }
      const arc = (from, to, base, sign, high) => {
        const a = this.x(from) - (from === to ? 8 : 0), b = this.x(to);
        return `M${a} ${base}C${a} ${base + sign * high * 1.3} ${b} ${base + sign * high * 1.3} ${b} ${base + sign * 9}`;
      };
      const high = (steps) => Math.min(16 + Math.abs(steps) * this.pitch * 0.13, 40);
      const right = offset + stride[1], down = offset + stride[0];
      parts.push(s("path", { d: arc(offset, right, line, -1, high(stride[1])), class: "tl-hero-arrow" }));
      parts.push(s("path", { d: arc(offset, down, low, 1, high(stride[0])), class: "tl-hero-arrow" }));
      const name = this.width > 460 ? [" to the right", " down"] : ["", ""];
      const beside = (to) => (this.x(to) + 130 > this.width ? [-15, "end"] : [15, "start"]);
      const [rx, ra] = beside(right), [dx, da] = beside(down);
      text(this.x(right) + rx, line - 12, `+${stride[1]}${name[0]}`, "step", ra);
      text(this.x(down) + dx, low + 22, `+${stride[0]}${name[1]}`, "step", da);
      this.marks.replaceChildren(s("defs", {}, s("marker", { id: "tl-hero-head", viewBox: "0 0 8 8", refX: 6, refY: 4, markerWidth: 8, markerHeight: 8, orient: "auto", markerUnits: "userSpaceOnUse" }, s("path", { d: "M0 0L8 4L0 8z", class: "tl-hero-head" }))), ...parts);
      this.handles.right.at(this.x(right), line - 9);
      this.handles.down.at(this.x(down), low + 9);
      this.handles.offset.at(this.x(offset) - this.pitch / 2 + 5, low + 62);
      const fx = x + this.size / 2, fy = y + shape[0] * this.size + 4;
      const via = line - 54;
      this.links.setAttribute("d", `M${fx} ${fy}V${Math.max(via, fy)}H${this.left + 6 + offset * this.pitch}V${line - 3}`);
      for (const handle of Object.values(this.handles)) handle.refresh();
    }

    handle(kind, label, value, change) {
      const node = s("g", { class: `tl-hero-handle tl-hero-handle-${kind}`, tabindex: 0, role: "slider", "aria-label": label, "aria-valuemin": 0, "aria-valuemax": CELLS - 1 });
      node.append(s("circle", { r: 22, class: "tl-hero-hit" }));
      if (kind === "offset") node.append(s("path", { d: "M0 -60V0L14 -6L0 -12", class: "tl-hero-flag" }), s("text", { x: 19, y: -1, class: "tl-hero-offset" }, "offset"));
      else node.append(s("path", { d: kind === "right" ? "M-8 -11H8L0 2z" : "M-8 11H8L0 -2z", class: "tl-hero-grip" }));
      const origin = () => (kind === "offset" ? 0 : this.state.offset);
      node.addEventListener("pointerdown", (event) => { node.setPointerCapture(event.pointerId); event.preventDefault(); node.focus({ preventScroll: true }); });
      node.addEventListener("pointermove", (event) => {
        if (!node.hasPointerCapture(event.pointerId)) return;
        const box = this.svg.getBoundingClientRect();
        const cell = Math.round(((event.clientX - box.left) * this.width / box.width - this.left) / this.pitch - 0.5);
        if (cell - origin() !== value()) change(cell - origin());
      });
      node.addEventListener("keydown", (event) => {
        const by = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
        if (!by) return;
        event.preventDefault();
        this.take();
        change(value() + by);
      });
      return {
        node,
        at: (x, y) => { node.style.transform = `translate(${x}px, ${y}px)`; },
        refresh: () => { node.setAttribute("aria-valuenow", value()); node.setAttribute("aria-valuetext", `${value()} cells`); },
      };
    }

    // No tensor may reach out of its memory: the shape gives way, and says so.
    attempt(stride, offset, first) {
      if (offset < 0 || offset >= CELLS || Math.min(...stride) < 0 || offset + stride[first] >= CELLS) {
        this.tell("That would begin or step outside of memory.", true);
        return;
      }
      const shape = [1, 1];
      const room = (dim) => CELLS - 1 - offset - (shape[1 - dim] - 1) * stride[1 - dim];
      const most = (dim) => (stride[dim] === 0 ? this.want[dim] : Math.min(this.want[dim], Math.floor(room(dim) / stride[dim]) + 1));
      shape[1 - first] = Math.min(this.state.shape[1 - first], most(1 - first));
      shape[first] = most(first);
      shape[1 - first] = most(1 - first);
      this.read({ shape, stride, offset });
      if (tuple(shape) !== tuple(this.want)) this.tell(`Shape ${tuple(shape)} is all that fits: one more would reach past cell ${CELLS - 1}.`);
    }

    tell(words, wrong = false) {
      this.sum.textContent = words;
      this.sum.classList.toggle("wrong", wrong);
    }

    restride(dim, value) { this.attempt(this.state.stride.map((old, k) => (k === dim ? value : old)), this.state.offset, dim); }

    reoffset(value) { this.attempt([...this.state.stride], value, 1); }

    walk(event) {
      const by = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[event.key];
      if (!by) return;
      event.preventDefault();
      this.take();
      const { shape } = this.state;
      const [i, j] = this.hand ?? [0, -1];
      const to = [Math.min(Math.max(i + by[0], 0), shape[0] - 1), Math.min(Math.max(j + by[1], 0), shape[1] - 1)];
      this.point(this.address(...to), to);
    }

    point(address, index) {
      this.hand = index ?? null;
      this.slots.forEach((slot, a) => slot.classList.toggle("tl-hero-hand", a === address));
      for (const tile of this.tiles) tile.node.classList.toggle("tl-hero-hand", tile.address === address);
      if (!index) { this.tell(HINT); return; }
      const { stride, offset } = this.state;
      const [i, j] = index;
      this.tell(`x[${i}, ${j}] is in cell ${offset} + ${i} × ${stride[0]} + ${j} × ${stride[1]} = ${address}`);
    }

    // Once, and only until somebody takes over.
    async show() {
      if (still()) return;
      for (const name of ["turned", "window", "table"]) {
        await new Promise((done) => setTimeout(done, 2200));
        if (this.touched) return;
        this.choose(name);
      }
    }
  }

  for (const place of document.querySelectorAll(".tl-play")) new Lab(place).show();
})();
