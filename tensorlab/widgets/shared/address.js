// A lab's state in the page's address, by a schema: the kind of each member, "ints", "int", "word", "flag", "text"
// or a pair { write, read } of the lab's own. `shape:3,4/dim:1/keepdim:yes`. No DOM here.
import { readNumber, readNumbers } from "./numbers.js";

export function writeFields(schema, state) {
  const writers = { ints: (value) => value.join(","), flag: (value) => (value ? "yes" : "no") };
  return Object.entries(schema).filter(([name]) => state[name] !== null).map(([name, kind]) => {
    const write = kind.write ?? writers[kind] ?? String;
    return `${name}:${write(state[name])}`;
  }).join("/");
}

const READERS = {
  ints: readNumbers,
  int: readNumber,
  word: (text, name) => (/^[\w-]+$/.test(text) ? { value: text } : { refusal: `${name} is one word, not “${text}”` }),
  flag: (text, name) => (["yes", "no"].includes(text) ? { value: text === "yes" }
    : { refusal: `${name} is yes or no, not “${text}”` }),
  text: (value) => ({ value }),
};

// { changes } or { refusal } from the text of an address.
export function readFields(schema, text) {
  const changes = {};
  for (const part of text.split("/")) {
    const cut = part.indexOf(":");
    const name = part.slice(0, cut);
    if (cut < 0 || !Object.hasOwn(schema, name)) {
      return { refusal: `it says “${part}”, which is no part of this lab's state` };
    }
    const read = schema[name].read ?? READERS[schema[name]];
    const { value, refusal } = read(part.slice(cut + 1), name);
    if (refusal !== undefined) return { refusal };
    changes[name] = value;
  }
  return { changes };
}
