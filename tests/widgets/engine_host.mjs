// Runs a list of calls, [file, function, arguments…], from standard input and prints their results as JSON.
import { readFileSync } from "node:fs";

const calls = JSON.parse(readFileSync(0, "utf8"));
const modules = new Map();
const results = [];
for (const [file, name, ...parameters] of calls) {
  if (!modules.has(file)) modules.set(file, await import(file));
  results.push(modules.get(file)[name](...parameters) ?? null);
}
process.stdout.write(JSON.stringify(results));
