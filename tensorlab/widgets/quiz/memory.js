// What this browser remembers of a quiz. Storage can be switched off or full (private windows, embedded pages);
// the quiz then works and forgets.

const name = (key) => `tensorlab:quiz:${key}`;

export function readKept(key) {
  try {
    return window.localStorage.getItem(name(key));
  } catch {
    return null;
  }
}

// Answers whether the text was kept.
export function keep(key, text) {
  try {
    window.localStorage.setItem(name(key), text);
    return true;
  } catch {
    return false;
  }
}
