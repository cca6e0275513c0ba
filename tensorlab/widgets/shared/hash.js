// A widget's state in the page's address: `#first-lab=shape:3,4&second-lab=…`. Each widget owns one key and
// leaves the others alone. A plain `#section` is not ours: it gives way when the reader changes a widget.

// In a static page nobody but the address remembers a state. With a kernel, the kernel does.
export function isStaticPage(doc = document) {
  return doc.querySelector('script[type="application/vnd.jupyter.widget-state+json"]') !== null;
}

export function parseHash(hash) {
  const states = new Map();
  for (const part of hash.replace(/^#/, "").split("&")) {
    const cut = part.indexOf("=");
    if (cut < 1) continue;
    try {
      states.set(decodeURIComponent(part.slice(0, cut)), decodeURIComponent(part.slice(cut + 1)));
    } catch (error) {
      if (!(error instanceof URIError)) throw error;    // a cut-off %-sequence: that part says nothing
    }
  }
  return states;
}

// Commas, colons and slashes are legal in a fragment and stay readable; the rest is encoded.
const encode = (text) => encodeURIComponent(text).replace(/%(?:2C|3A|2F)/g, decodeURIComponent);

export function formatHash(states) {
  return [...states].map(([key, value]) => `${encode(key)}=${encode(value)}`).join("&");
}

export function readHash(key) {
  return parseHash(window.location.hash).get(key) ?? null;
}

// The page's address with this widget in this state, and nothing of other widgets.
export function linkTo(key, text) {
  const url = new URL(window.location.href);
  url.hash = formatHash(new Map([[key, text]]));
  return url.href;
}

// Puts the state into the address; null takes the key out. No entry in the history: Back leaves the page.
export function writeHash(key, text) {
  const states = parseHash(window.location.hash);
  if (text === null) states.delete(key);
  else states.set(key, text);
  const url = new URL(window.location.href);
  url.hash = formatHash(states);
  window.history.replaceState(window.history.state, "", url);
}

// Calls `listener(text)` when the reader opens another link to states of this page's widgets; null where it has none
// of this one, which is then as it was at first. A link to a section leaves all widgets as they are.
export function onHash(key, listener, signal) {
  window.addEventListener("hashchange", () => {
    const states = parseHash(window.location.hash);
    if (states.size) listener(states.get(key) ?? null);
  }, { signal });
}
