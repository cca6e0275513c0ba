/* Draws the widgets of a page that needs no widget manager: anywidgets that stand alone, with no kernel.
 *
 * Such a widget is an ES module, a style sheet and a state, all three in the page. The module's `render` gets a
 * model and an element, as anywidget's front-end module promises; the model here is the page's copy of the state.
 * Every place that shows a model shares it. The build decides which pages get this file, and which the manager:
 * see `tensorlab_book/widgets.py`. A classic script and blob addresses, because a page that is opened as a file
 * may not import modules from other files.
 */
(function () {
  "use strict";

  const STATE = 'script[type="application/vnd.jupyter.widget-state+json"]';
  const VIEW = 'script[type="application/vnd.jupyter.widget-view+json"]';

  /* What Python's traits hold, without Python: listeners hear of a value that changes, and nobody saves it. */
  class Model {
    #state;
    #listeners = new Map(); // event -> the callbacks, in the order in which they came

    constructor(state) { this.#state = state; }

    get(name) { return this.#state[name]; }

    // `set("name", value)` or `set({ name: value, … })`.
    set(name, value) {
      const values = typeof name === "string" ? { [name]: value } : name;
      const changed = Object.entries(values).filter(([key, to]) => !same(this.#state[key], to));
      Object.assign(this.#state, values);
      for (const [key, to] of changed) this.#tell(`change:${key}`, this, to);
      if (changed.length > 0) this.#tell("change", this);
    }

    // Several events may stand in one text, with spaces between them.
    on(events, callback) {
      for (const event of events.split(/\s+/)) {
        this.#listeners.set(event, [...this.#listeners.get(event) ?? [], callback]);
      }
    }

    // Without a callback all callbacks of the events, without events the callback wherever it listens.
    off(events = null, callback = null) {
      for (const event of events?.split(/\s+/) ?? [...this.#listeners.keys()]) {
        const others = (this.#listeners.get(event) ?? []).filter((known) => callback && known !== callback);
        this.#listeners.set(event, others);
      }
    }

    save_changes() {} // there is no kernel that could hear of them

    send() {}

    #tell(event, ...news) {
      for (const callback of this.#listeners.get(event) ?? []) callback(...news);
    }
  }

  // Whether two values of a state, which came as JSON, are the same.
  function same(one, other) {
    return Object.is(one, other) || JSON.stringify(one) === JSON.stringify(other);
  }

  const modules = new Map(); // source -> what its module exports by default

  function load(source) {
    if (!modules.has(source)) {
      const address = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
      modules.set(source, import(address)
        .then((module) => module.default)
        .finally(() => URL.revokeObjectURL(address)));
    }
    return modules.get(source);
  }

  const sheets = new Set();

  function wear(source) {
    if (source && !sheets.has(source)) {
      sheets.add(source);
      const style = document.createElement("style");
      style.textContent = source;
      document.head.append(style);
    }
  }

  // What `render` and `initialize` get beside the model. A page's views end with the page.
  function surroundings() {
    return {
      signal: new AbortController().signal,
      experimental: { invoke: () => Promise.reject(new Error("This page has no kernel that could answer.")) },
    };
  }

  async function wake(state, sources) {
    const { _esm, _css, ...own } = state;
    wear(sources[_css?.source]);
    const exported = await load(sources[_esm.source]);
    const widget = typeof exported === "function" ? await exported() : exported;
    const model = new Model(own);
    await widget.initialize?.({ model, ...surroundings() });
    return { model, widget };
  }

  async function draw(place, waking) {
    const { model, widget } = await waking;
    const el = document.createElement("div");
    place.append(el);
    await widget.render?.({ model, el, ...surroundings() });
  }

  /* The twin of a widget, its text for a reader without JavaScript, stands in a <noscript> after it. */
  function fallBack(place, view) {
    const twin = view.nextElementSibling?.querySelector("noscript")?.textContent ?? "";
    place.innerHTML = `<p>This widget could not be drawn. As text:</p>${twin}`;
  }

  const { state, sources } = JSON.parse(document.querySelector(STATE).textContent);
  const awake = new Map(); // model id -> what `wake` promised
  for (const view of document.querySelectorAll(VIEW)) {
    const id = JSON.parse(view.textContent).model_id;
    if (!awake.has(id)) awake.set(id, wake(state[id].state, sources));
    const place = document.createElement("div");
    place.className = "widget-subarea"; // the manager's name for it, which style sheets know
    view.before(place);
    draw(place, awake.get(id)).catch((error) => {
      fallBack(place, view);
      reportError(error);
    });
  }
})();
