// The frame of a lab: a line of controls, a message, the scene, facts, the Python line, actions, the text twin; and
// what all labs do alike: theme, page address, what is read aloud.
import { readFields, writeFields } from "./address.js";
import { copyButton, h, liveRegion } from "./dom.js";
import { isStaticPage, linkTo, onHash, readHash, writeHash } from "./hash.js";
import { followTheme } from "./theme.js";
import { Twin } from "./twin.js";

const SETTLED = 250;        // ms after the last change before the address is written

export class Frame {
  // `store` holds the state; `schema` names the members that an address has, the question and never an answer; `hint`
  // says how to move; `line(state)` is the line of Python (or null); `twin()` the tables of the text twin;
  // `spoken(names)` what is read aloud after a change.
  constructor({ model, signal }, { name, kind, store, schema, hint, line, twin, spoken }) {
    Object.assign(this, { model, signal, store, schema, hint, spoken, writeLine: line });
    this.messageId = `tlw-${Math.random().toString(36).slice(2)}`;
    this.message = h("p", { class: "tlw-message", id: this.messageId });
    const { element: live, say } = liveRegion();
    this.say = say;
    this.body = h("div", { class: "tlw-body" });
    this.facts = h("p", { class: "tlw-facts" });
    this.code = h("code", { class: "tlw-line tlw-mono" });
    this.controls = h("div", { class: "tlw-controls", role: "group", "aria-label": "Controls" });
    this.actions = h("div", { class: "tlw-actions" });
    this.twin = new Twin(twin);
    this.root = h("div", { class: `tlw tlw-lab ${kind}`, role: "group", "aria-label": name },
      this.controls, this.message, this.body, this.facts, this.footer(), this.twin.element, live);
    followTheme(this.root, signal);
    store.listen((names) => this.changed(names));
  }

  footer() {
    const copyLine = copyButton("Copy", () => this.code.textContent, this.say);
    copyLine.setAttribute("aria-label", "Copy the Python line");
    const python = this.writeLine ? h("div", { class: "tlw-python" }, this.code, copyLine) : null;
    return h("div", { class: "tlw-footer" }, python, this.actions);
  }

  // Shows the lab. `draw(names)` brings the picture up to date; `buttons` stand before Reset.
  open(el, draw, buttons = []) {
    this.draw = draw;
    const reset = h("button", { type: "button", class: "tlw-button", onclick: () => this.reset() }, "Reset");
    const link = copyButton("Copy link", () => linkTo(this.model.get("key"), this.address), this.say);
    this.actions.append(...buttons, reset, ...(isStaticPage() ? [link] : []));
    el.append(this.root);
    this.keepAddress();
    this.redraw(Object.keys(this.store.state));
  }

  redraw(names) {
    this.draw(names);
    if (this.writeLine) this.code.textContent = this.writeLine(this.store.state);
    this.twin.draw();
    this.tell();
  }

  reset() {
    this.store.reset();
    this.say(`Reset. ${this.spoken(Object.keys(this.store.state))}`);
  }

  changed(names) {
    if (!this.draw) return;
    this.linkRefusal = undefined;
    if (names === null) {
      this.tell();
      if (this.store.refusal !== null) this.say(`Refused: ${this.store.refusal}.`);
      return;
    }
    this.redraw(names);
    if (names.length) this.say(this.spoken(names));
    this.remember();
  }

  tell() {
    const { refusal } = this.store;
    this.message.classList.toggle("tlw-wrong", refusal !== null || this.linkRefusal !== undefined);
    if (refusal !== null) this.message.textContent = `Refused, the picture stays: ${refusal}.`;
    else this.message.textContent = this.linkRefusal ?? this.hint;
  }

  // Each { name, value }, under the picture.
  showFacts(facts) {
    this.facts.replaceChildren(...facts.map(({ name, value, kind = "" }) => h("span", { class: kind },
      h("span", { class: "tlw-fact" }, name), " ", h("span", { class: "tlw-mono" }, value), " ")));
  }

  // ---- the address

  get address() { return writeFields(this.schema, this.store.state); }

  keepAddress() {
    if (!isStaticPage()) return;
    const key = this.model.get("key");
    const restore = (text) => {
      const { changes, refusal } = text === null ? {} : readFields(this.schema, text);
      const { start } = this.store;
      // A link asks: where a lab tells after a prediction, that is still to come.
      const wanted = { ...start, ...(text !== null && "told" in start ? { told: false } : {}), ...changes };
      const reason = refusal ?? this.store.check(wanted).refusal;
      if (reason === undefined) this.store.propose(wanted);
      else this.refuseLink(reason);
    };
    const found = readHash(key);
    if (found !== null) {
      restore(found);
      requestAnimationFrame(() => this.root.scrollIntoView({ block: "nearest" }));
    }
    onHash(key, restore, this.signal);
  }

  // What a link says cannot be: the lab stays, says so, and the address says again what is shown.
  refuseLink(reason) {
    this.linkRefusal = `The link's state was not used: ${reason}.`;
    this.tell();
    this.remember();
    setTimeout(() => { if (!this.signal.aborted) this.say(this.linkRefusal ?? ""); }, SETTLED);   // in the page by then
  }

  remember() {
    if (!isStaticPage()) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      if (this.signal.aborted) return;
      const key = this.model.get("key");
      const text = this.address;
      if (text !== writeFields(this.schema, this.store.start)) writeHash(key, text);
      else if (readHash(key) !== null) writeHash(key, null);
    }, SETTLED);
  }
}
