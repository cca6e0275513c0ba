// Ways of optimizers down the valley f(x, y) = (x² + curvature · y²) / 2, by the rules of the library's SGD and Adam.
// A state holds whole numbers: the start in tenths, the rate in thousandths, the momentum in hundredths. No DOM here.

export const OPTIMIZERS = ["SGD", "Adam"];
export const STEPS = 40;
const BETAS = [0.9, 0.999];
const EPS = 1e-8;
const FAR = 1e6;             // a way that has left for good ends here

export const LIMITS = { x: 50, y: 20, curvature: 50, rate: 1000, momentum: 100 };

export function height([x, y], curvature) {
  return (x * x + curvature * y * y) / 2;
}

export function gradient([x, y], curvature) {
  return [x, curvature * y];
}

// The points of the way, the start first; it ends early where the numbers leave every picture.
export function way({ start, curvature, optimizer, rate, momentum }, steps = STEPS) {
  const lr = rate / 1000;
  const points = [start.map((tenths) => tenths / 10)];
  const velocity = [0, 0];
  const square = [0, 0];
  for (let step = 1; step <= steps; step += 1) {
    const point = points.at(-1);
    const grad = gradient(point, curvature);
    const next = point.map((number, k) => {
      if (optimizer === "SGD") {
        velocity[k] = (momentum / 100) * velocity[k] + grad[k];
        return number - lr * velocity[k];
      }
      velocity[k] = BETAS[0] * velocity[k] + (1 - BETAS[0]) * grad[k];
      square[k] = BETAS[1] * square[k] + (1 - BETAS[1]) * grad[k] * grad[k];
      const mean = velocity[k] / (1 - BETAS[0] ** step);
      const size = Math.sqrt(square[k] / (1 - BETAS[1] ** step));
      return number - (lr * mean) / (size + EPS);
    });
    points.push(next);
    if (next.some((number) => Math.abs(number) > FAR)) break;
  }
  return points;
}

// What plain SGD multiplies x and y by at every step; null for the others, which have no such numbers.
export function factors({ curvature, optimizer, rate, momentum }) {
  return optimizer === "SGD" && momentum === 0 ? [1 - rate / 1000, 1 - (curvature * rate) / 1000] : null;
}

const whole = (number, low, high) => Number.isInteger(number) && number >= low && number <= high;

// { state } as it shall stand, or { refusal }.
export function check(state) {
  const { start, curvature, optimizer, rate, momentum } = state;
  if (!Array.isArray(start) || start.length !== 2 || !whole(start[0], -LIMITS.x, LIMITS.x)
    || !whole(start[1], -LIMITS.y, LIMITS.y)) {
    return { refusal: `the start lies within x ±${LIMITS.x / 10} and y ±${LIMITS.y / 10}` };
  }
  if (!whole(curvature, 1, LIMITS.curvature)) return { refusal: `the curvature is from 1 to ${LIMITS.curvature}` };
  if (!OPTIMIZERS.includes(optimizer)) return { refusal: `the optimizer is one of ${OPTIMIZERS.join(", ")}` };
  if (!whole(rate, 1, LIMITS.rate)) return { refusal: "the learning rate is from 0.001 to 1" };
  if (!whole(momentum, 0, LIMITS.momentum)) return { refusal: "the momentum is from 0 to 1" };
  return { state: { start: [...start], curvature, optimizer, rate, momentum } };
}
