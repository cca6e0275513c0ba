// A Parsons problem without a page: put given lines of code in order; some lines belong to no right program.
//
//   problem: {lines: [{text, why, group}], order: [id, …], start: [id, …], because}
// A line's id is its place in `lines`. `order` is a right program; a line that is not in it is a distractor.
// Neighbouring lines of one `group` may stand in any order among themselves. `start` is the order of the pool.

export function pool(problem, program) {
  return problem.start.filter((id) => !program.includes(id));
}

export function place(problem, program, id, at = program.length) {
  if (!problem.start.includes(id) || program.includes(id)) return program;
  const spot = Math.max(0, Math.min(at, program.length));
  return [...program.slice(0, spot), id, ...program.slice(spot)];
}

export function take(program, id) {
  return program.filter((other) => other !== id);
}

export function move(program, id, to) {
  if (!program.includes(id)) return program;
  const rest = take(program, id);
  const spot = Math.max(0, Math.min(to, rest.length));
  return [...rest.slice(0, spot), id, ...rest.slice(spot)];
}

// {right: true, because} or {right: false, at, why}: `at` is the first wrong place, or program.length when lines
// are missing.
export function check(problem, program) {
  for (let at = 0; at < program.length; at += 1) {
    const line = problem.lines[program[at]];
    if (!fits(problem, program, at)) return { right: false, at, why: line.why };
  }
  const missing = problem.order.length - program.length;
  if (missing > 0) return { right: false, at: program.length, why: unfinished(program.length, missing) };
  return { right: true, because: problem.because };
}

function fits(problem, program, at) {
  const id = program[at];
  if (at >= problem.order.length || !problem.order.includes(id)) return false;
  const expected = problem.order[at];
  const group = problem.lines[id].group;
  return id === expected || (group !== null && group === problem.lines[expected].group);
}

function unfinished(done, missing) {
  const lines = missing === 1 ? "1 line is" : `${missing} lines are`;
  return done === 0 ? "The program is empty." : `Right so far; ${lines} still missing.`;
}

export function programText(problem, program) {
  return program.map((id) => problem.lines[id].text).join("\n");
}

// What a browser keeps. `solved`: whether a right program was checked once; that stays so while the lines are moved.
export function save(stamp, program, solved) {
  return JSON.stringify({ stamp, program, solved });
}

export function restore(problem, stamp, text) {
  try {
    const kept = JSON.parse(text);
    if (kept && kept.stamp === stamp) return { program: accept(problem, kept.program), solved: kept.solved === true };
  } catch {
    // not ours, or written by an older page: the reader starts again
  }
  return { program: [], solved: false };
}

// A program that came from outside (storage, a kernel): unknown and repeated lines are dropped.
export function accept(problem, program) {
  if (!Array.isArray(program)) return [];
  return program.filter((id, i) => problem.start.includes(id) && program.indexOf(id) === i);
}
