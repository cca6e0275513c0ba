// A lab's one state over the model that the kernel (or the static page) holds, as one value: it changes whole or
// not at all. The model may be set from anywhere: this page, Python, another view of the widget. Only a state that
// passes `check` is ever shown; another one leaves the last standing and gives a reason.

export class Store {
  // `check(state)` gives { state }, as it shall stand, or { refusal }.
  constructor(model, signal, check) {
    this.model = model;
    this.check = check;
    this.listeners = [];
    this.refusal = null;
    this.start = model.get("_start");           // what `reset` goes back to
    this.state = check(this.start).state;
    this.heard = null;                          // what the model said last, as text
    const read = () => this.read();
    model.on("change:state", read);
    signal.addEventListener("abort", () => model.off("change:state", read));
    this.read();
  }

  // `listener(names)`: the names of the members that changed, or null where a proposal was refused.
  listen(listener) { this.listeners.push(listener); }

  tell(names) { for (const listener of this.listeners) listener(names); }

  read() {
    const said = this.model.get("state");
    const text = JSON.stringify(said);
    if (text === this.heard) return;
    this.heard = text;
    const { state, refusal } = this.check(said);
    this.stand(state ?? this.state, refusal ?? null);
  }

  stand(state, refusal) {
    const before = this.state;
    this.state = state;
    this.refusal = refusal;
    const names = Object.keys(state).filter((name) => JSON.stringify(state[name]) !== JSON.stringify(before[name]));
    this.tell(refusal === null ? names : null);
  }

  // Changes members of the state, if they fit; answers with null, or with the reason why they do not.
  propose(changes) {
    const { state, refusal } = this.check({ ...this.state, ...changes });
    if (refusal !== undefined) {
      this.refuse(refusal);
      return refusal;
    }
    this.heard = JSON.stringify(state);
    this.model.set("state", state);
    this.model.save_changes();
    this.stand(state, null);
    return null;
  }

  // As `propose`, for this page alone: the steps of an animation are nothing that a kernel waits for.
  show(changes) {
    const { state } = this.check({ ...this.state, ...changes });
    if (state !== undefined) this.stand(state, null);
  }

  refuse(reason) {
    this.refusal = reason;
    this.tell(null);
  }

  reset() { return this.propose(this.start); }
}
