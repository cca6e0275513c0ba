// Covers what a prediction would be spoilt by: the output of the cells tagged `after-KEY` (in the book they carry
// the class `tag_after-KEY`), and the text behind them up to the next cell or heading. Code stays in sight.
//
// Nothing is covered without JavaScript. The browser's own search finds covered text and opens it
// (hidden="until-found"), and paper shows everything (style.css).

const NOTE = "tlq-cover";

export function coverCells(key, committed, goToQuestion) {
  const cells = [...document.getElementsByClassName(`tag_after-${key}`)];
  if (cells.length === 0) return;
  const covered = cells.flatMap((cell, i) => [...(i === 0 ? outputs(cell) : [cell]), ...explanation(cell)]);
  if (committed) uncover(cells[0], covered);
  else cover(cells[0], covered, goToQuestion);
}

function outputs(cell) {
  return [...cell.children].filter((child) => child.classList.contains("cell_output"));
}

function explanation(cell) {
  const found = [];
  for (let next = cell.nextElementSibling; next; next = next.nextElementSibling) {
    if (next.matches(".cell, section, h1, h2, h3, h4, h5, h6")) break;
    found.push(next);
  }
  return found;
}

function cover(cell, covered, goToQuestion) {
  if (!cell.querySelector(`:scope > .${NOTE}`)) cell.append(note(goToQuestion));
  for (const node of covered) {
    node.setAttribute("hidden", "until-found");
    node.addEventListener("beforematch", () => uncover(cell, covered), { once: true });
  }
}

function uncover(cell, covered) {
  cell.querySelector(`:scope > .${NOTE}`)?.remove();
  for (const node of covered) node.removeAttribute("hidden");
}

function note(goToQuestion) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Commit to a prediction first";
  button.addEventListener("click", goToQuestion);
  const box = document.createElement("div");
  box.className = NOTE;
  box.append(button);
  return box;
}
