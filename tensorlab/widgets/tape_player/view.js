// The Tape Player: a program runs forward and records its graph, then a gradient runs back through it, step by step.
import { h, spokenText } from "../shared/dom.js";
import { Frame } from "../shared/frame.js";
import { Presets } from "../shared/presets.js";
import { Store } from "../shared/store.js";
import { tuple } from "../shared/layout.js";
import { differences } from "./differences.js";
import { GraphPicture } from "./graph.js";
import { Leaves } from "./leaves.js";
import { candidates } from "./mistakes.js";
import { NextNode } from "./next.js";
import { Meter } from "./meter.js";
import { PRESETS } from "./presets.js";
import { GradientQuestion } from "./question.js";
import { Reading } from "./reading.js";
import { SCHEMA, check, played } from "./state.js";
import { forwardCount, momentOf, revived, stepsOf, waitsOf } from "./steps.js";
import { Transport } from "./transport.js";
import {
  keptText, nested, placeText, pythonLines, savedText, sourceLines, stepText,
} from "./words.js";

const HINT = "Step through the forward pass, choose the gradient that will come out, and commit. "
  + "Then play the way back.";
const TOLD = "Step or play, drag a number, change the expression. A node of the picture tells what it holds.";
const RECORDED = "Step or play. A node of the picture tells what it holds.";

class View {
  constructor(context) {
    const { model, signal } = context;
    const plain = model.get("tape");
    this.recorded = null;
    if (Object.keys(plain).length) {
      const tape = revived(plain);
      const steps = stepsOf(tape);
      this.recorded = { tape, steps, forward: forwardCount(steps) };
    }
    this.store = new Store(model, signal, this.recorded ? (state) => this.checkRecorded(state) : check);
    this.hand = null;                     // the node that the reader took
    this.element = null;                  // the element of a leaf in hand: [leaf, place]
    this.frame = new Frame(context, {
      name: "Tape Player", kind: "tlw-tape-player", store: this.store,
      schema: this.recorded ? { step: "int" } : SCHEMA, hint: this.recorded ? RECORDED : HINT,
      line: this.recorded ? null : ({ source, leaves }) => pythonLines(source, leaves),
      twin: () => this.twinText(), spoken: (names) => this.spoken(names),
    });
    const helpId = this.frame.messageId;
    this.transport = new Transport({
      moved: (step) => this.go(step), blocked: () => this.question.complain(), signal,
    });
    this.graph = new GraphPicture({ picked: (node) => this.take(node), helpId });
    this.reading = new Reading();
    this.meter = new Meter();
    const side = h("div", { class: "tlw-side" }, this.reading.element, this.meter.element);
    const scene = h("div", { class: "tlw-scene" }, this.graph.element, side);
    this.next = new NextNode({ changed: () => this.draw(), say: (text) => this.frame.say(text) });
    if (this.recorded) {
      this.frame.controls.hidden = true;
      this.frame.body.append(scene, this.next.element, this.transport.element);
    } else this.open(helpId, scene);
    this.frame.open(context.el, () => this.draw(), [this.next.button]);
  }

  open(helpId, scene) {
    this.source = h("input", {
      type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false", "aria-label": "expression",
      "aria-describedby": helpId, onchange: () => this.rewrite(), onkeydown: (event) => this.sourceKey(event),
    });
    this.frame.controls.append(h("div", { class: "tlw-field tlw-many tlw-source" },
      h("span", { class: "tlw-field-name", onclick: () => this.source.focus() }, "expression"),
      h("span", { class: "tlw-field-box" }, this.source)));
    this.question = new GradientQuestion({
      asked: (ask) => this.store.propose({ ask, guess: null, told: false }),
      commit: (guess) => this.store.propose({ guess, told: true }),
      again: () => this.store.propose({ guess: null, told: false }),
    });
    this.leaves = new Leaves({
      helpId, held: (leaf, place) => { this.element = [leaf, place]; this.draw(); },
      changed: (leaf, place, number, settled) => this.change(leaf, place, number, settled),
      required: (leaf, grad) => this.requireGrad(leaf, grad),
    });
    this.presets = new Presets({
      names: this.frame.model.get("presets"), label: "Programs", chosen: (name) => this.begin(name),
    });
    this.frame.body.append(this.presets.element, scene, this.next.element, this.transport.element, this.question.element,
      this.leaves.element);
  }

  // ---- what the reader does

  go(step) {
    this.hand = null;
    const { step: at } = this.store.state;
    const stop = step > at ? this.next.stop(this.steps, at, step) : step;
    if (stop < step) this.transport.pause();
    if (stop === at) this.draw();
    else this.store.propose({ step: stop });
  }

  take(node) {
    if (this.next.asking) {
      if (this.next.answer(node, this)) this.store.propose({ step: this.store.state.step + 1 });
      else this.draw();
      return;
    }
    this.hand = this.hand === node ? null : node;
    this.transport.pause();
    this.draw();
  }

  begin(name) {
    this.hand = null;
    this.transport.pause();
    this.store.propose({ ...PRESETS[name], ask: null, guess: null, told: false, step: 0 });
  }

  sourceKey(event) {
    if (event.key === "Escape") {
      event.preventDefault();
      this.source.value = sourceLines(this.store.state.source).join("; ");
      this.store.refuse(null);
    } else if (event.key === "Enter") {
      event.preventDefault();
      this.rewrite();
    }
  }

  rewrite() {
    const source = this.source.value.trim();
    if (source === sourceLines(this.store.state.source).join("; ")) return;
    this.hand = null;
    this.transport.pause();
    const refusal = this.store.propose({ source, guess: null, told: false, step: 0 });
    this.source.setAttribute("aria-invalid", String(refusal !== null));
  }

  change(leaf, place, number, settled) {
    const { leaves } = this.store.state;
    const changed = { leaves: { ...leaves, [leaf]: { ...leaves[leaf], data: leaves[leaf].data.with(place, number) } } };
    if (settled) this.store.propose(changed);
    else this.store.show(changed);
  }

  requireGrad(leaf, grad) {
    const { leaves } = this.store.state;
    const changed = { leaves: { ...leaves, [leaf]: { ...leaves[leaf], grad } } };
    const refusal = this.store.propose({ ...changed, guess: null, told: false, step: 0 });
    if (refusal === null) return;
    this.draw();
    this.leaves.complain(`Refused: ${refusal}.`);       // the message above may be out of sight
  }

  // ---- what the state says

  checkRecorded(state) {
    const { step } = state;
    return { state: { ...state, step: Math.min(Math.max(step, 0), this.recorded.steps.length) } };
  }

  draw() {
    const { state } = this.store;
    const { tape, steps, forward, program } = this.recorded ?? played(state.source, state.leaves);
    Object.assign(this, { tape, steps, waits: waitsOf(tape) });
    this.moment = momentOf(tape, steps, state.step);
    const told = this.recorded !== null || state.told;
    if (this.hand !== null && this.hand >= tape.nodes.length) this.hand = null;
    this.transport.draw({ at: state.step, most: told ? steps.length : forward, forward, all: steps.length });
    this.graph.draw(tape, this.waits, this.moment, this.hand);
    this.reading.draw(tape, this.waits, this.moment, this.hand);
    this.next.draw(steps, state.step);
    this.meter.draw(tape, steps, state.step);
    if (this.recorded === null) this.drawProgram(state, program);
  }

  drawProgram(state, program) {
    const { source, leaves, ask, told } = state;
    this.frame.hint = told ? TOLD : HINT;
    if (document.activeElement !== this.source || this.store.refusal === null) {
      this.source.value = sourceLines(source).join("; ");
    }
    this.source.removeAttribute("aria-invalid");
    this.presets.show(() => true, (name) => PRESETS[name].source === source);
    this.question.draw(state, candidates(program, leaves, ask), program.leaves);
    if (this.element === null || !(this.element[1] < leaves[this.element[0]]?.data.length)) this.element = [ask, 0];
    const by = (make) => Object.fromEntries(Object.keys(leaves).map((name) => [name, make(name)]));
    const gradientOf = (name) => this.tape.nodes.find(({ leaf }) => leaf === name)?.gradient ?? null;
    this.leaves.draw(leaves, {
      hand: this.element,
      gradients: told ? by(gradientOf) : null,
      estimates: told ? by((name) => differences(program, leaves, name)) : null,
    });
  }

  spoken(names) {
    if (names.includes("told") && this.store.state.told && this.question) return spokenText(this.question.told);
    if (names.includes("step")) return stepText(this.tape, this.moment, this.waits);
    if (names.includes("leaves") && !names.includes("source")) return "";
    return `${this.tape.nodes.length} nodes. ${stepText(this.tape, this.moment, this.waits)}`;
  }

  twinText() {
    const { tape, moment, waits, steps } = this;
    const { step } = this.store.state;
    const shown = (shape, data) => (data === null ? "" : nested({ shape, data }));
    const rows = tape.nodes.map((node, number) => {
      const there = node.leaf !== null || moment.computed.has(number);
      return [node.label, node.name ?? "not recorded", tuple(node.shape), there ? shown(node.shape, node.value) : "not yet",
        `${moment.arrived[number]} of ${waits[number]}`, shown(node.shape, moment.sums[number]),
        there && !moment.ran.has(number) ? node.saved.map(savedText).join("; ") : ""];
    });
    return [`${placeText(step, forwardCount(steps), steps.length)}: ${stepText(tape, moment, waits)}`,
      { caption: "The nodes, the youngest first", rows,
        header: ["computes", "node", "shape", "value", "gradients arrived", "gradient", "keeps"] },
      `The graph alone keeps ${keptText(moment.kept)}.`];
  }
}

function render({ model, el, signal }) {
  new View({ model, el, signal });
}

export default { render };
