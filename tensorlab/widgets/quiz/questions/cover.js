// Covers the output of the cells that wait for a prediction: the cells tagged `after-KEY`, which carry the
// class `tag_after-KEY` in the book. Without JavaScript nothing is covered. The browser's own search still
// finds covered text and opens it; on paper everything shows (style.css).

const NOTE = "tlq-cover";

export function coverCells(key, committed, goToQuestion) {
  for (const cell of document.getElementsByClassName(`tag_after-${key}`)) {
    const output = cell.querySelector(":scope > .cell_output");
    if (!output) continue;
    if (committed) uncover(output);
    else cover(output, goToQuestion);
  }
}

function cover(output, goToQuestion) {
  if (output.previousElementSibling?.classList.contains(NOTE)) return;
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Commit to a prediction first";
  button.addEventListener("click", goToQuestion);
  const note = document.createElement("div");
  note.className = NOTE;
  note.append(button);
  output.before(note);
  output.setAttribute("hidden", "until-found");
  output.addEventListener("beforematch", () => note.remove(), { once: true });
}

function uncover(output) {
  output.removeAttribute("hidden");
  const note = output.previousElementSibling;
  if (note?.classList.contains(NOTE)) note.remove();
}
