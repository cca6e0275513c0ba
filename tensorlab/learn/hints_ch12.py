"""Hints of chapter 12: a concept, a counterexample, a first step, one line. The solution is not here."""

from __future__ import annotations

#: Exercise id -> the four hints before the solution, in the order in which they open.
HINTS: dict[str, tuple[str, str, str, str]] = {
    "12.logsumexp": (
        "You may take any number c out of the exponents if you add it back at the end: log(sum(exp(x - c))) "
        "+ c. With the greatest element as c, no exponential is larger than 1.",
        "[-inf, -inf]: the greatest is -inf, and -inf - -inf is nan. The right answer is -inf.",
        "Take amax(dim, keepdim=True). Where it is infinite take 0 out instead. Ask for a dimension of size "
        "0 before amax does: a sum of nothing is 0.",
        "m = tl.where(m.isinf(), 0.0, m)",
    ),
    "12.log_softmax_backward": (
        "log_softmax(x) is x - logsumexp(x). The first x hands grad on as it is. The logsumexp of a row was "
        "subtracted from all its elements, so it gets the sum of their gradients, with a minus.",
        "grad = [2, -1] with equal logits: the sum is 1, each probability 0.5, so the answer is [1.5, -1.5]. "
        "With grad = [1, 1] it's [0, 0]: adding the same number to all logits changes nothing.",
        "exp(result) gives the probabilities. The sum of grad needs keepdim=True, to stay beside its row.",
        "grad.sum(dim, keepdim=True)",
    ),
    "12.cross_entropy": (
        "The loss of a row is minus the log-probability of its target. log_softmax gives all "
        "log-probabilities, and gather reads one of each row.",
        "Logits [1000, 0] with target 1: the probability is 0 in float32, but the loss is 1000. Taking a "
        "logarithm after softmax gives inf.",
        "Make the targets a column with target[:, None], and gather along dimension 1.",
        "chosen = input.log_softmax(1).gather(1, target[:, None])",
    ),
    "12.accurate_sum": (
        "A running total grows, and its gaps with it: small numbers are rounded away. Either add numbers of "
        "the same size to one another, or keep what each addition loses.",
        "16777216 and 12 ones in float32: one after the other the sum stays 16777216.",
        "By pairs: add the first half to the second half as whole tensors, into a new tensor, until one "
        "number is left. If the number of elements is odd, one stays over and goes on to the next round.",
        "line = tl.cat([line[:half] + line[half : 2 * half], line[2 * half :]])",
    ),
    "12.safe_where": (
        "where doesn't stop a nan on the way back: it sends 0 into the function, and 0 times an infinite "
        "slope is nan. A second where, in front of the function, does stop it.",
        "tl.where(x > 0, x.sqrt(), 0.0) at 0: the value is 0, and the gradient is nan.",
        "Put safe in the place of every element that isn't chosen. Call the function on that. Then choose "
        "again.",
        "inside = tl.where(condition, input, safe)",
    ),
}
