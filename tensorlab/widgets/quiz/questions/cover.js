// Covers what a prediction would be spoilt by: the outputs of the cells tagged `after-KEY` (in the book they carry
// the class `tag_after-KEY`), and the text behind them up to the next cell or heading. Code stays in sight, and so
// does every definition: a cover ends at the first paragraph that introduces a term. The build looks for answers in
// what stays in sight (`tensorlab_book/covers.py`, which has the same rule).
//
// Nothing is covered without JavaScript. The browser's own search finds covered text and opens it
// (hidden="until-found"); paper shows everything, and so does a page whose switch 'show everything' is on (style.css).

const NOTE = "tlq-cover";
const TERM = "strong .std-term";            // **{term}`…`**: here a word is said for the first time

export function coverCells(key, committed, goToQuestion) {
  const cells = [...document.getElementsByClassName(`tag_after-${key}`)];
  const covers = cells.map((cell) => ({ cell, covered: [...outputs(cell), ...explanation(cell)] }))
    .filter(({ covered }) => covered.length > 0);
  const open = () => covers.forEach(uncover);
  if (committed) return open();
  covers.forEach((one) => cover(one, open));
  covers.filter(isMissed).forEach(({ cell }) => addNote(cell, goToQuestion));
}

function outputs(cell) {
  return [...cell.children].filter((child) => child.classList.contains("cell_output"));
}

function explanation(cell) {
  const found = [];
  for (let next = cell.nextElementSibling; next; next = next.nextElementSibling) {
    if (next.matches(".cell, section, h1, h2, h3, h4, h5, h6") || next.querySelector(TERM)) break;
    found.push(next);
  }
  return found;
}

// Nobody misses a figure whose code is not shown, behind an output that is covered too: one note speaks for both.
function isMissed({ cell }, place) {
  return place === 0 || cell.querySelector(":scope > .cell_input") !== null;
}

function cover({ covered }, open) {
  for (const node of covered) {
    node.setAttribute("hidden", "until-found");
    node.addEventListener("beforematch", open, { once: true });
  }
}

function uncover({ cell, covered }) {
  cell.querySelector(`:scope > .${NOTE}`)?.remove();
  for (const node of covered) node.removeAttribute("hidden");
}

function addNote(cell, goToQuestion) {
  if (cell.querySelector(`:scope > .${NOTE}`)) return;
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Commit to a prediction first";
  button.addEventListener("click", goToQuestion);
  const line = document.createElement("p");
  line.className = NOTE;
  line.append(button);
  cell.append(line);
}
