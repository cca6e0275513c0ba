/* The switch 'show everything' above a chapter, which opens all covers, for rereaders and teachers; and the button that
 * prints the card at its end.
 *
 * The page's root says data-show="everything", and the quizzes' style sheet does the rest. The address keeps it as
 * ?show=everything, so that a link can be given away; the browser keeps it for the reader who turned it on.
 */
(function () {
  "use strict";

  const KEY = "tensorlab:show";
  const line = document.querySelector(".tl-open");
  if (!line) return;
  const box = line.querySelector("input");
  const said = line.querySelector("[role=status]");

  function kept() {
    try {
      return window.localStorage.getItem(KEY) === "everything";
    } catch {
      return false; // a private window keeps nothing
    }
  }

  function keep(on) {
    try {
      if (on) window.localStorage.setItem(KEY, "everything");
      else window.localStorage.removeItem(KEY);
    } catch {
      // the address still has it
    }
  }

  function show(on) {
    box.checked = on;
    if (on) document.documentElement.dataset.show = "everything";
    else delete document.documentElement.dataset.show;
    const address = new URL(window.location.href);
    if ((address.searchParams.get("show") === "everything") === on) return;
    if (on) address.searchParams.set("show", "everything");
    else address.searchParams.delete("show");
    window.history.replaceState(window.history.state, "", address);
  }

  box.addEventListener("change", () => {
    keep(box.checked);
    show(box.checked);
    said.textContent = box.checked ? "All outputs are shown." : "Outputs wait for your predictions again.";
  });
  const print = document.querySelector(".tl-print");
  if (print) {
    print.hidden = false;
    print.addEventListener("click", () => {
      document.documentElement.dataset.print = "card";
      window.print();
    });
    window.addEventListener("afterprint", () => { delete document.documentElement.dataset.print; });
  }

  line.querySelector("label").hidden = false;
  show(new URLSearchParams(window.location.search).get("show") === "everything" || kept());
})();
