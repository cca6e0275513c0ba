// What the Optimizer Lab says: numbers, the line of Python, and how the way ended.
import { factors, height } from "./engine.js";

export function short(number) {
  if (Math.abs(number) >= 1e4) return number.toExponential(1);
  return Number(number.toPrecision(3)).toString();
}

export function pair([x, y]) {
  return `(${short(x)}, ${short(y)})`;
}

export function line({ optimizer, rate, momentum }) {
  const settings = optimizer === "SGD" && momentum ? `, momentum=${momentum / 100}` : "";
  return `tl.optim.${optimizer}([point], lr=${rate / 1000}${settings})`;
}

// How much of the height at the start is left at the end, in words.
export function ending(points, state) {
  const first = height(points[0], state.curvature);
  const last = height(points.at(-1), state.curvature);
  if (first === 0) return "The start is the lowest point: nothing moves.";
  const share = last / first;
  if (share > 1) return `After ${points.length - 1} steps it stands higher than at the start: it is leaving the valley.`;
  const percent = share * 100 >= 0.01 ? `${short(share * 100)} %` : "less than 0.01 %";
  return `After ${points.length - 1} steps ${percent} of the height is left.`;
}

export function factorText(state) {
  const found = factors(state);
  if (found === null) return "";
  const [x, y] = found;
  const fate = Math.abs(y) > 1 ? "y grows" : Math.abs(y) === 1 ? "y keeps its size" : y < 0 ? "y jumps across and shrinks" : "y shrinks";
  return `Each step multiplies x by ${short(x)} and y by ${short(y)}: ${fate}.`;
}

export function spoken(points, state) {
  return `${line(state)} from ${pair(points[0])}, curvature ${state.curvature}. ${ending(points, state)}`;
}
