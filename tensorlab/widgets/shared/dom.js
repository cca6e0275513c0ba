// A small way to make elements, and the few things that every widget does with them.

// h("button", { class: "tlw-button", type: "button", "aria-pressed": false, onclick: f }, "Reset")
// Properties that begin with `on` are listeners; `dataset` is an object; null and undefined are left out; all
// else is an attribute. Children are nodes or text: text is never read as HTML.
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "dataset") Object.assign(element.dataset, value);
    else element.setAttribute(name, String(value));
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return element;
}

// An element for what a screen reader should say; `say(text)` says it, also when the text is the same again.
export function liveRegion() {
  const element = h("div", { class: "tlw-hidden", role: "status", "aria-live": "polite", "aria-atomic": "true" });
  let odd = false;
  const say = (text) => {
    odd = !odd;                                         // a text that does not change is not read again
    element.textContent = odd ? text : `${text}\u00a0`;
  };
  return { element, say };
}

// What is written in an element, for a screen reader: its parts are sentences of their own.
export function spokenText(element) {
  return [...element.children].map((part) => part.textContent.trim()).filter(Boolean).join(" ");
}

// Scrolls a container, and never the page, until an element in it can be seen with some pixels around it.
export function revealInside(container, element, margin) {
  const [outer, inner] = [container.getBoundingClientRect(), element.getBoundingClientRect()];
  const short = (low, high, from, to) => Math.min(low - margin - from, 0) || Math.max(high + margin - to, 0);
  container.scrollTop += short(inner.top, inner.bottom, outer.top, outer.top + container.clientHeight);
  container.scrollLeft += short(inner.left, inner.right, outer.left, outer.left + container.clientWidth);
}

// Copies text; answers whether it worked. The clipboard is closed on pages without https: then a hidden
// selection does it.
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const holder = h("textarea", { class: "tlw-hidden", "aria-hidden": "true" });
    const focused = document.activeElement;
    holder.value = text;
    document.body.append(holder);
    holder.select();
    const copied = document.execCommand("copy");
    holder.remove();
    focused?.focus({ preventScroll: true });
    return copied;
  }
}

// A button that copies `text()` and says for two seconds that it did.
export function copyButton(label, text, say) {
  const button = h("button", { type: "button", class: "tlw-button" }, label);
  let timer = 0;
  button.addEventListener("click", async () => {
    const done = await copyText(text()) ? "Copied" : "Not copied: this page may not write to the clipboard";
    button.textContent = done;
    say(done);
    clearTimeout(timer);
    timer = setTimeout(() => { button.textContent = label; }, 2000);
  });
  return button;
}
