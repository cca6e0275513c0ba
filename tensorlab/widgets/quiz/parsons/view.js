// Parsons in a page: the lines to choose from, and the program made of them. Mouse, touch and keyboard alike.
import { h, liveRegion } from "../../shared/dom.js";
import { followTheme } from "../../shared/theme.js";
import { keep, readKept } from "../memory.js";
import { rich } from "../text.js";
import { dragLines } from "./drag.js";
import { accept, check, move, place, pool, programText, restore, save, take } from "./engine.js";

function render({ model, el }) {
  const { key, stamp, problem } = model.get("spec");
  const closing = new AbortController();
  const source = h("ul", { class: "tlp-lines", "aria-label": "Lines to choose from" });
  const target = h("ol", { class: "tlp-lines tlp-program", "aria-label": "Your program" });
  const verdict = h("div", { class: "tlp-verdict", role: "status" });
  const { element: heard, say } = liveRegion();
  const checkButton = h("button", { type: "button", class: "tlw-button", onclick: judge }, "Check");
  const restart = h("button", { type: "button", class: "tlw-button", onclick: startOver }, "Start over");
  let program = [];
  let solved = false;

  // Shows a new program; the focus goes to the button that the reader will want next.
  function set(next, focus, message) {
    program = next;
    keep(key, save(stamp, program, solved));
    model.set("program", program);
    model.save_changes();
    show();
    (root.querySelector(focus) ?? checkButton).focus({ preventScroll: true });
    say(message);
  }

  function show() {
    verdict.replaceChildren();
    verdict.dataset.state = "open";
    source.replaceChildren(...pool(problem, program).map((id) => poolLine(id, problem.lines[id].text)));
    target.replaceChildren(...program.map((id, at) => programLine(id, problem.lines[id].text, at, program.length)));
    if (program.length === 0) target.append(h("li", { class: "tlp-empty" }, "Add a line, or drag it here."));
  }

  function neighbour(list, id) {
    return list[list.indexOf(id) + 1] ?? list[list.indexOf(id) - 1];
  }

  function put(id, at = program.length) {
    const next = place(problem, program, id, at);
    set(next, tool(neighbour(pool(problem, program), id), "add"), `Placed as line ${next.indexOf(id) + 1}.`);
  }

  function shift(id, to, verb) {
    const next = move(program, id, to);
    set(next, tool(id, verb), `Line ${next.indexOf(id) + 1} of ${next.length}.`);
  }

  function putBack(id) {
    set(take(program, id), tool(neighbour(program, id), "remove"), "Taken out of the program.");
  }

  function startOver() {
    set([], tool(problem.start[0], "add"), "All lines are back.");
  }

  const actions = {
    add: (id) => put(id),
    up: (id) => shift(id, program.indexOf(id) - 1, "up"),
    down: (id) => shift(id, program.indexOf(id) + 1, "down"),
    remove: putBack,
  };

  function clicked(event) {
    const button = event.target.closest("[data-verb]");
    if (button) actions[button.dataset.verb](Number(button.closest("[data-line]").dataset.line));
  }

  function pressed(event) {
    const verb = { ArrowUp: "up", ArrowDown: "down" }[event.key];
    const row = event.target.closest(".tlp-program [data-line]");
    if (!verb || !row || !event.altKey) return;
    event.preventDefault();
    actions[verb](Number(row.dataset.line));
  }

  function judge() {
    const result = check(problem, program);
    [...target.children].forEach((row, at) => row.classList.toggle("tlp-wrong", !result.right && at === result.at));
    verdict.dataset.state = result.right ? "right" : "wrong";
    verdict.replaceChildren(...(result.right ? praise(problem, program) : refused(result, program.length)));
    if (result.right && !solved) {
      solved = true;
      keep(key, save(stamp, program, solved));
    }
  }

  function fromKernel() {
    program = accept(problem, model.get("program"));
    keep(key, save(stamp, program, solved));
    show();
  }

  const root = h(
    "div",
    { class: "tlw tlp", role: "group", "aria-label": "Put the lines in order", onclick: clicked, onkeydown: pressed },
    h("p", { class: "tlp-title" }, rich(problem.prompt)),
    h("div", { class: "tlp-columns" }, column("Lines to choose from", source), column("Your program", target)),
    h("div", { class: "tlp-actions" }, checkButton, restart),
    verdict,
    heard,
  );
  el.append(root);
  followTheme(root, closing.signal);
  const drop = (id, at) => (program.includes(id) ? shift(id, at, "up") : put(id, at));
  dragLines(root, target, { drop, putBack }, closing.signal);

  const inKernel = accept(problem, model.get("program"));
  const kept = restore(problem, stamp, readKept(key));
  program = inKernel.length > 0 ? inKernel : kept.program;
  solved = kept.solved;
  show();
  if (solved && check(problem, program).right) judge(); // as it was left
  model.on("change:program", fromKernel);
  return () => {
    closing.abort();
    model.off("change:program", fromKernel);
  };
}

function praise(problem, program) {
  const code = h("pre", { tabindex: 0 }, h("code", {}, programText(problem, program)));
  return [h("p", {}, h("strong", {}, "Right."), " ", rich(problem.because)), code];
}

function refused(result, length) {
  const where = result.at < length ? `Look at line ${result.at + 1}.` : "Not finished.";
  return [h("p", {}, h("strong", {}, where), " ", rich(result.why))];
}

function column(title, list) {
  return h("div", {}, h("p", { class: "tlp-head", "aria-hidden": "true" }, title), list);
}

function tool(id, verb) {
  return `[data-line="${id}"] [data-verb="${verb}"]`;
}

function poolLine(id, text) {
  // Without its indentation, which would tell what belongs inside of what.
  return row(id, text.trim(), [button("add", "Add", `Add line ${text.trim()}`)]);
}

function programLine(id, text, at, length) {
  const name = `line ${at + 1}: ${text.trim()}`;
  return row(id, text, [
    button("up", "↑", `Move up ${name}`, at === 0),
    button("down", "↓", `Move down ${name}`, at === length - 1),
    button("remove", "✕", `Take out ${name}`),
  ]);
}

function row(id, text, buttons) {
  const handle = h("span", { class: "tlp-handle", "aria-hidden": "true" }, "⠿");
  const code = h("code", { style: `--indent: ${text.length - text.trimStart().length}` }, text);
  return h("li", { "data-line": id }, handle, code, h("span", { class: "tlp-tools" }, buttons));
}

// A button that can do nothing here stays focusable, so that a keyboard user does not lose the place.
function button(verb, label, name, idle = false) {
  const disabled = idle ? "true" : null;
  const attributes = { "data-verb": verb, "aria-label": name, title: name, "aria-disabled": disabled };
  return h("button", { type: "button", class: "tlw-button", ...attributes }, label);
}

export default { render };
