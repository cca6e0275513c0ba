// The progress map in a page: the whole book as one picture, what it adds up to and what comes next, and below a row
// for each chapter, with a mark for each quiz and each exercise.
import { h, liveRegion } from "../shared/dom.js";
import { followTheme } from "../shared/theme.js";
import { readKept } from "../quiz/memory.js";
import { mapOf, nextChapter, nextExercise, readExport, share, totals } from "./engine.js";

const KEPT = "tensorlab:progress";
const MARKS = { none: "", begun: "◐", done: "✓", solved: "✓", assisted: "✓" };
const WORDS = {
  none: "not yet", begun: "begun", done: "committed", solved: "solved", assisted: "solved with the solution open",
};

function render({ model, el }) {
  const closing = new AbortController();
  const { element: live, say } = liveRegion();
  const chapters = h("ol", { class: "tlm-chapters" });
  const next = h("p", { class: "tlm-next" });
  const sums = h("p", { class: "tlm-totals" });
  const picture = h("div", { class: "tlm-picture" });
  picture.innerHTML = model.get("picture"); // of our own making: see picture.py
  picture.firstElementChild?.classList.add("tl-map-progress");
  const message = h("p", { class: "tlm-message" });
  const file = h("input", { type: "file", accept: ".json,application/json", class: "tlm-file", onchange: take });
  const label = h("label", { class: "tlm-import" }, "Exercises from a file: ", file);
  const forget = h("button", { type: "button", class: "tlw-button", onclick: drop }, "Forget the exercises");
  const root = h("div", { class: "tlw tlm", role: "group", "aria-label": "Progress map" },
    next, sums, picture, chapters, h("div", { class: "tlm-tools" }, label, forget), message, live);
  let records = readRecords();
  el.append(root);
  followTheme(root, closing.signal);
  show();
  // Answers are given on other pages, perhaps in another tab.
  window.addEventListener("storage", reload, { signal: closing.signal });
  window.addEventListener("pageshow", reload, { signal: closing.signal });
  document.addEventListener("visibilitychange", reload, { signal: closing.signal });
  return () => closing.abort();

  function reload() {
    records = readRecords();
    show();
  }

  function show() {
    const map = mapOf(model.get("spec"), readKept, records);
    chapters.replaceChildren(...map.map((chapter) => chapterRow(chapter, records !== null)));
    forget.hidden = records === null;
    sums.textContent = totalsText(totals(map), records !== null);
    for (const chapter of map) fill(picture.querySelector(`[data-chapter="${chapter.number}"]`), chapter);
    const open = nextChapter(map);
    next.replaceChildren(...(open === null
      ? ["Everything on this map is done."]
      : ["Go on with ", h("a", { href: open.page }, `chapter ${open.number}, ${open.title}`), "."]));
    const unsolved = records === null ? null : nextExercise(map);
    if (unsolved) {
      next.append(" Next unsolved exercise: ", h("a", { href: unsolved.page }, unsolved.id), `, ${unsolved.title}.`);
    }
  }

  async function take() {
    if (file.files.length === 0) return;
    const text = await file.files[0].text();
    const { records: found, refusal } = readExport(text);
    if (refusal) {
      tell(`Not taken: ${refusal}.`, true);
      return;
    }
    records = found;
    const kept = write(text);
    show();
    const count = Object.keys(found).length;
    tell(`${count} exercise${count === 1 ? "" : "s"} read${kept ? "" : "; this browser does not keep them"}.`, false);
  }

  function drop() {
    records = null;
    write(null);
    file.value = "";
    show();
    tell("The exercises are forgotten. The predictions are kept by their own pages.", false);
    file.focus();
  }

  function tell(text, wrong) {
    message.textContent = text;
    message.classList.toggle("tlw-wrong", wrong);
    say(text);
  }
}

function totalsText({ quizzes, exercises, points }, known) {
  const of = ([some, all], what) => `${some} of ${all} ${what}`;
  return known
    ? [of(quizzes, "quizzes"), of(exercises, "exercises"), of(points, "points")].join(" · ")
    : `${of(quizzes, "quizzes")} · ${exercises[1]} exercises`;
}

// One cell of the picture: a bar says how far the chapter is, and a dark box is a solved exercise.
function fill(cell, chapter) {
  if (!cell) return;
  const part = share(chapter);
  const whole = chapter.exercises.length > 0 && chapter.solved === chapter.exercises.length;
  cell.classList.toggle("tl-map-done", whole);
  cell.style.setProperty("--share", `${Math.round(part * 100)}%`);
  const facts = cell.querySelector(".tl-map-facts");
  facts.dataset.minutes ??= facts.textContent;
  facts.textContent = part === 0 ? facts.dataset.minutes : whole ? "all solved" : `${Math.round(part * 100)} %`;
  [...cell.querySelectorAll(".tl-map-boxes i")].forEach((box, i) =>
    box.classList.toggle("tl-map-solved", ["solved", "assisted"].includes(chapter.exercises[i]?.state)));
}

function chapterRow({ number, title, page, quizzes, exercises, solved }, known) {
  const tiles = exercises.map(({ id, title: about, state, got, points }) => h("li", {
    class: "tlm-tile", dataset: { state }, title: `${about}: ${WORDS[state]}, ${got} of ${points} points`,
  }, h("span", { "aria-hidden": "true", class: "tlm-mark" }, MARKS[state]),
    h("span", { class: "tlw-mono" }, id.split(".")[1]),
    known ? h("span", { class: "tlw-hidden" }, `: ${WORDS[state]}`) : null));
  const dots = quizzes.states.map((state) => h("span", { class: "tlm-dot", dataset: { state } }, MARKS[state]));
  return h("li", { class: "tlm-chapter" },
    h("p", { class: "tlm-title" }, h("a", { href: page }, `${number}. ${title}`)),
    quizzes.total === 0 ? null : h("div", { class: "tlm-line" },
      h("span", { class: "tlm-name" }, `${quizzes.done} of ${quizzes.total} quizzes`),
      h("span", { class: "tlm-dots", "aria-hidden": "true" }, dots)),
    exercises.length === 0 ? null : h("div", { class: "tlm-line" },
      h("span", { class: "tlm-name" }, known ? `${solved} of ${exercises.length} exercises`
        : `${exercises.length} exercises`),
      h("ul", { class: "tlm-tiles" }, tiles)));
}

function readRecords() {
  try {
    const text = window.localStorage.getItem(KEPT);
    return text === null ? null : readExport(text).records ?? null;
  } catch {
    return null;
  }
}

// Answers whether the text was kept.
function write(text) {
  try {
    if (text === null) window.localStorage.removeItem(KEPT);
    else window.localStorage.setItem(KEPT, text);
    return true;
  } catch {
    return false;
  }
}

export default { render };
