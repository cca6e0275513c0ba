// How a rule refuses: it throws a `Refused` with the reason, and `attempt` turns that into { refusal }.

export class Refused extends Error {}

export function refuse(reason) {
  throw new Refused(reason);
}

// What `work` gives, or { refusal }. Every other error is a mistake of this code and goes on.
export function attempt(work) {
  try {
    return work();
  } catch (error) {
    if (error instanceof Refused) return { refusal: error.message };
    throw error;
  }
}
