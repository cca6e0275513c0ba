"""Hints of chapter 13: a concept, a counterexample, a first step, one line. The solution is not here."""

from __future__ import annotations

#: Exercise id -> the four hints before the solution, in the order in which they open.
HINTS: dict[str, tuple[str, str, str, str]] = {
    "13.named_members": (
        "A network is a tree, and the answer is a walk through it: a module's own parameters, then those of "
        "each child, under the child's name.",
        "If the first and the last layer share a weight, an optimizer that got it twice would move it twice. "
        "And two layers that begin with equal numbers are still two.",
        "Write a function inside yours that takes own, children and the path so far, and calls itself for "
        "each child with the path made longer. Keep what was met outside of it, for all calls.",
        "found.setdefault(id(member), (path + name, member))",
    ),
    "13.linear": (
        "Row i of the weight belongs to output i. An example is a row too, so the weight has to be turned.",
        "With two inputs and two outputs the wrong way round raises no error. With an input of shape (2, 3, "
        "4), mm does.",
        "@ takes any number of dimensions in front. The bias has one number for each output, which is the "
        "last dimension: broadcasting does the rest.",
        "result = input @ weight.t()",
    ),
    "13.sgd_momentum": (
        "A layer holds the parameter, the optimizer the velocity. Both objects stay; their cells are "
        "overwritten.",
        "parameter = parameter - lr * velocity binds a local name to a new tensor. The layer still holds the "
        "old one, and nothing was learned.",
        "Write the velocity first: what it was, times momentum, plus the gradient. Then the parameter, with "
        "the new velocity.",
        "velocity.mul_(momentum).add_(grad)",
    ),
    "13.adam_step": (
        "Two running means, of the gradient and of its square. The step is one divided by the root of the "
        "other, so the gradient's size cancels.",
        "At the first step with a gradient of 4 the mean is 0.4 and the mean square 0.016. Its root is 0.13: "
        "the step would be three times too long.",
        "Overwrite both means. Then make two corrected tensors of them, without overwriting: what began at 0 "
        "is divided by 1 - beta ** step.",
        "corrected = mean / (1 - betas[0] ** step)",
    ),
    "13.dropout": (
        "Draw a random number for each element. With probability p the element goes; what stays has to make "
        "up for it.",
        "With p = 0.5 and a thousand ones, 500 are left. The next layer is used to a sum of 1000.",
        "Deal with training=False first, then with p = 1. rand gives numbers that are even between 0 and 1, "
        "so a share of p of them is below p.",
        "stays = tl.rand(input.shape) >= p",
    ),
    "13.get_total_norm": (
        "Imagine all numbers of all tensors in one long line. You're asked for the length of that line's "
        "vector.",
        "(3) and (4) have lengths 3 and 4. Together they are (3, 4), and that has length 5.",
        "Deal with no tensors and with infinity first. For the rest add up powers over all tensors, and take "
        "one root at the end.",
        "total = total + (x.abs() ** norm_type).sum()",
    ),
}
