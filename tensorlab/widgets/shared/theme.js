// The page's theme, as `data-theme="light|dark"` on the widget's own root. Pages say it in different ways:
// the book and pydata themes on <html data-theme>, JupyterLab on <body data-jp-theme-light>, VS Code by a class
// on <body>, Colab by <html theme>. Where nobody says anything, the reader's system decides.

const SYSTEM = "(prefers-color-scheme: dark)";

export function pageTheme(doc = document) {
  const { documentElement: html, body } = doc;
  const named = html.dataset.theme ?? html.getAttribute("theme");
  if (named === "light" || named === "dark") return named;
  const jupyter = body?.dataset.jpThemeLight;
  if (jupyter === "true" || jupyter === "false") return jupyter === "true" ? "light" : "dark";
  const code = body?.classList;
  if (code?.contains("vscode-dark") || code?.contains("vscode-high-contrast")) return "dark";
  if (code?.contains("vscode-light")) return "light";
  return doc.defaultView.matchMedia(SYSTEM).matches ? "dark" : "light";
}

// Keeps `root.dataset.theme` equal to the page's theme until the signal is aborted.
export function followTheme(root, signal) {
  const update = () => { root.dataset.theme = pageTheme(); };
  update();
  const observer = new MutationObserver(update);
  const attributeFilter = ["data-theme", "theme", "data-jp-theme-light", "class"];
  for (const target of [document.documentElement, document.body]) {
    observer.observe(target, { attributes: true, attributeFilter });
  }
  window.matchMedia(SYSTEM).addEventListener("change", update, { signal });
  signal.addEventListener("abort", () => observer.disconnect());
}
