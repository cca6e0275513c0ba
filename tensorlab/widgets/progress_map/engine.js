// The progress map's rules, as pure functions of plain values: what a kept quiz says, what a file of exercises says,
// and what both make of the book.

const LONGEST = 1_000_000;                  // characters of a file; one of this book has a few thousand
const FIELDS = { points: "number", checks: "number", hints: "number", assisted: "boolean" };

// What the text that a quiz keeps says of it: "none", "begun" or "done". Questions are done when all are answered,
// right or wrong; a puzzle when its own page found the program right.
export function quizState(kind, text) {
  const kept = parse(text);
  const list = kind === "Parsons" ? kept?.program : kept?.predictions;
  if (kind === "Parsons" && kept?.solved === true) return "done";
  if (!Array.isArray(list) || list.length === 0) return "none";
  if (kind === "Parsons") return "begun";
  const answered = list.filter((value) => value !== null).length;
  return answered === 0 ? "none" : answered < list.length ? "begun" : "done";
}

// The exercises in a file that `tensorlab progress --export` wrote: { records } or { refusal }.
export function readExport(text) {
  if (text.length > LONGEST) return { refusal: "this file is too long for one of exercises" };
  const content = parse(text);
  if (content === null || typeof content !== "object" || content.tensorlab !== "progress") {
    return { refusal: "this is not a file that `tensorlab progress --export FILE` wrote" };
  }
  const { exercises } = content;
  if (exercises === null || typeof exercises !== "object" || Array.isArray(exercises)) {
    return { refusal: "the file names no exercises" };
  }
  const records = {};
  for (const [id, record] of Object.entries(exercises)) {
    const fits = record !== null && typeof record === "object" && /^\d\d\.\w+$/.test(id)
      && Object.entries(FIELDS).every(([name, type]) => typeof record[name] === type);
    if (!fits) return { refusal: `what the file says of ${id} cannot be read` };
    records[id] = Object.fromEntries(Object.keys(FIELDS).map((name) => [name, record[name]]));
  }
  return { records };
}

// Of one exercise: "solved", "assisted" (with the solution open), "begun", or "none".
export function exerciseState(exercise, record) {
  if (!record) return "none";
  if (record.points >= exercise.points) return record.assisted ? "assisted" : "solved";
  return record.points > 0 || record.checks > 0 || record.hints > 0 ? "begun" : "none";
}

// The whole map. `kept(key)` gives what a quiz keeps; `records` are those of `readExport`, or null.
export function mapOf(spec, kept, records) {
  return spec.map((chapter) => {
    const quizzes = chapter.quizzes.map(({ kind, key }) => quizState(kind, kept(key)));
    const exercises = chapter.exercises.map((exercise) => ({
      ...exercise, state: exerciseState(exercise, records?.[exercise.id]),
      got: Math.min(records?.[exercise.id]?.points ?? 0, exercise.points),
    }));
    const done = quizzes.filter((state) => state === "done").length;
    const solved = exercises.filter(({ state }) => state === "solved" || state === "assisted").length;
    return {
      number: chapter.number, title: chapter.title, page: chapter.page, exercise_page: chapter.exercise_page, exercises,
      quizzes: { states: quizzes, done, total: quizzes.length }, solved,
      finished: done === quizzes.length && (records === null || solved === exercises.length),
    };
  });
}

// What the whole map adds up to.
export function totals(map) {
  const add = (of) => map.reduce((sum, chapter) => sum + of(chapter), 0);
  const points = (of) => add(({ exercises }) => exercises.reduce((sum, exercise) => sum + exercise[of], 0));
  return {
    quizzes: [add(({ quizzes }) => quizzes.done), add(({ quizzes }) => quizzes.total)],
    exercises: [add(({ solved }) => solved), add(({ exercises }) => exercises.length)],
    points: [points("got"), points("points")],
  };
}

// The first exercise that is not solved, with its page; null when all are.
export function nextExercise(map) {
  for (const { exercises, exercise_page: page } of map) {
    const open = exercises.find(({ state }) => state !== "solved" && state !== "assisted");
    if (open) return { id: open.id, title: open.title, page };
  }
  return null;
}

// How far a chapter is, from 0 to 1: its quizzes and its exercises count alike.
export function share({ quizzes, exercises, solved }) {
  const all = quizzes.total + exercises.length;
  return all === 0 ? 0 : (quizzes.done + solved) / all;
}

// The first chapter that is not finished; null when all are.
export function nextChapter(map) {
  return map.find((chapter) => !chapter.finished) ?? null;
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;                            // nothing kept, or not ours
  }
}
