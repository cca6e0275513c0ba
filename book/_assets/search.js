/* The excerpts on the page of the search: what a page says, less what its reader has yet to predict or to write.
 *
 * Sphinx takes all the text of a page: also the numbers in its drawings, the answers that are folded for readers
 * without scripts, the programs that are folded, and what a prediction covers. Covered is what the widgets' cover.js
 * covers.
 */
(function () {
  "use strict";

  const ENDS = ".cell, section, h1, h2, h3, h4, h5, h6";
  const TERM = "strong .std-term";
  const UNSAID = ".headerlink, .tl-open, .tag_hide-cell, script, style, noscript, svg";
  const BLOCKS = "h1, h2, h3, h4, h5, h6, p, li, dt, dd, td, th, pre";

  function* covered(cell) {
    yield* cell.querySelectorAll(":scope > .cell_output");
    for (let next = cell.nextElementSibling; next; next = next.nextElementSibling) {
      if (next.matches(ENDS) || next.querySelector(TERM)) return;
      yield next;
    }
  }

  Search.htmlToText = (html, anchor) => {
    const page = new DOMParser().parseFromString(html, "text/html");
    const unsaid = [...page.querySelectorAll(UNSAID)];
    for (const cell of page.querySelectorAll('[class*="tag_after-"]')) unsaid.push(...covered(cell));
    unsaid.forEach((node) => node.remove());
    page.querySelectorAll(BLOCKS).forEach((node) => node.append(" "));
    const article = page.querySelector("article") ?? page.body;
    return ((anchor && article.querySelector(anchor)) || article).textContent.replace(/\s+/g, " ");
  };
})();
