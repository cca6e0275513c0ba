// Which node runs next? When this is asked, the way back stops before each node until the reader has chosen one that
// is ready.
import { h } from "../shared/dom.js";
import { Prediction } from "../shared/prediction.js";
import { RUNS, nextNode } from "./steps.js";
import { nodeName } from "./words.js";

export class NextNode {
  // `changed()` when the picture must be drawn anew; `say` for the screen reader.
  constructor({ changed, say }) {
    this.say = say;
    this.prediction = new Prediction({ changed, label: "Predict the next node" });
    this.button = this.prediction.button;
    this.verdict = "";
    this.element = h("p", { class: "tlw-next" });
  }

  get asking() { return this.prediction.on && this.waiting; }

  // Where a way from one step to another ends: before the first node that is to be predicted.
  stop(steps, at, wanted) {
    if (!this.prediction.on) return wanted;
    const before = steps.findIndex(({ kind }, step) => step >= at && step < wanted && RUNS.includes(kind));
    return before < 0 ? wanted : before;
  }

  // Whether the chosen node is one that may run; says why not.
  answer(node, { tape, steps, waits, moment, store }) {
    const name = nodeName(tape.nodes[node]);
    const next = nextNode(steps, store.state.step);
    const missing = waits[node] - moment.arrived[node];
    const ready = tape.nodes[node].name !== null && waits[node] > 0 && missing === 0 && !moment.ran.has(node);
    const score = this.prediction.tell(ready);
    if (ready && node === next) this.verdict = `Right. ${score}`;
    else if (ready) {
      this.verdict = `${name} is ready, too; ${nodeName(tape.nodes[next])} is younger and runs first. ${score}`;
    } else if (moment.ran.has(node)) this.verdict = `${name} has run. ${score}`;
    else if (missing > 0) this.verdict = `${name} still waits for ${missing}. ${score}`;
    else this.verdict = `No gradient comes to ${name}. ${score}`;
    this.say(this.verdict);
    return ready;
  }

  draw(steps, at) {
    this.waiting = at < steps.length && RUNS.includes(steps[at].kind);
    if (!this.prediction.on) this.verdict = "";
    const question = this.asking ? "Which node runs next? Choose it in the picture." : "";
    this.element.replaceChildren(this.verdict, this.verdict && question ? " " : "", h("strong", {}, question));
    this.element.hidden = !this.prediction.on || (this.verdict === "" && question === "");
  }
}
