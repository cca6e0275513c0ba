/* Makes every notebook widget of a page come from this site, where the page needs the widget manager.
 *
 * Such a page (draw.js has the others) loads three scripts in this order: require.js, this file, embed-amd.js
 * (the manager). The manager asks require.js for each widget's module and turns to a public CDN for what require.js
 * does not find. Here require.js learns where the modules lie, and the CDN becomes a folder of this site that
 * does not exist: an unknown module is then a failed request that the tests see, and never a foreign one.
 */
(function () {
  "use strict";

  const script = document.currentScript;
  const folder = new URL(".", script.src).href.replace(/\/$/, ""); // absolute, so a page at any depth finds it

  window.requirejs.config({
    paths: {
      anywidget: folder + "/anywidget",
      "@jupyter-widgets/html-manager": folder + "/embed-amd",
      // The manager resolves its icon fonts against this name.
      "@jupyter-widgets/html-manager/dist": folder,
    },
  });
  script.setAttribute("data-jupyter-widgets-cdn", folder + "/not-vendored/");
  dropSchemaAdvice();

  // The manager starts on `load`. This listener was registered first, so it also runs first.
  window.addEventListener("load", offerMathJax2Queue);

  /* The manager's schema validator prints advice to the authors of its schema, twice on every page. A reader's
   * console stays empty, so that whatever does appear there is news. */
  function dropSchemaAdvice() {
    const warn = console.warn;
    console.warn = function (first, ...rest) {
      if (!String(first).startsWith("strict mode: use allowUnionTypes")) {
        warn.call(console, first, ...rest);
      }
    };
  }

  /* HTMLMath labels are typeset through MathJax 2's `Hub.Queue(["Typeset", MathJax.Hub, element])`. */
  function offerMathJax2Queue() {
    const mathjax = window.MathJax;
    if (!mathjax || mathjax.Hub || !mathjax.typesetPromise) {
      return;
    }
    mathjax.Hub = {
      Queue: function (command) {
        if (command && command[0] === "Typeset") {
          mathjax.startup.promise.then(function () {
            return mathjax.typesetPromise([command[2]]);
          });
        }
      },
    };
  }
})();
