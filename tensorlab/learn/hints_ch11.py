"""Hints of chapter 11: a concept, a counterexample, a first step, one line. The solution is not here."""

from __future__ import annotations

#: Exercise id -> the four hints before the solution, in the order in which they open.
HINTS: dict[str, tuple[str, str, str, str]] = {
    "11.written_since": (
        "Every storage counts its writes, and x._version is that count. All tensors over the storage see the "
        "same one. What was written since is where the count has changed.",
        "x = tl.zeros(3); x.add_(1); x.sub_(1) leaves the numbers as they were, and there were two writes. "
        "Comparing numbers can't see that.",
        "Note the counts in a list before you define the inner function. The inner function compares them "
        "with the counts of that moment, and leaves the list alone.",
        "return [(place, x._version - before[place]) for place, x in enumerate(tensors) if ...]",
    ),
    "11.detach": (
        "A tensor is a layout over a storage, and beside that a place in a graph. Make another tensor "
        "with the first two and without the third.",
        "input.data shares the memory and counts its own writes: d = x.data; d.add_(1) leaves x._version "
        "at 0. A view made under no_grad is tied to its base and still requires a gradient.",
        "make_tensor(storage, dtype, shape, strides, offset) makes a tensor over an existing storage. "
        "Which five things of the input does it need?",
        "make_tensor(input.untyped_storage(), input.dtype, input.shape, ..., ...)",
    ),
    "11.release": (
        "A tensor's memory goes when nobody refers to it. The node does, by node.kept. Whether there is a "
        "tensor among what it keeps, node.versions says: None stands for whatever isn't one.",
        "x + 1 keeps nothing, so its backward can run twice. If you let go in any case, the second pass "
        "stops with an error for no reason.",
        "Look for a tensor first. Only if there is one, set node.kept to None. A node that has let go "
        "already has None there: don't walk over it.",
        "if any(version is not None for version in node.versions): ...",
    ),
    "11.checkpoint": (
        "saved_tensors_hooks(pack, unpack) lets you store anything in place of a kept tensor. Store its "
        "number, and when the first number is asked for, run the function again with other hooks that "
        "collect the tensors.",
        "With dropout inside, a second run draws another mask, unless the generator is in the state that "
        "it had before the first run. And when you leave it there, the next dropout of the program "
        "repeats.",
        "Before the first run note tl.get_rng_state(). In unpack, if nothing has been computed again yet: "
        "note the state that you find, set the old one, run the function under tl.enable_grad() and the "
        "collecting hooks, put the found state back. Collect x.detach(), or a tensor keeps its own graph "
        "alive.",
        "with tl.autograd.graph.saved_tensors_hooks(pack, unpack): return function(*args)",
    ),
    "11.accumulate": (
        "The mean over all rows is a weighted mean of the means: a batch counts by its share of the rows. "
        "backward() adds to grad, so the shares of the gradients add up.",
        "Means 1 (of 3 rows) and 5 (of 1 row): all four rows have the mean 2, and the mean of the means "
        "is 3.",
        "Count all rows first. Then, batch by batch: the loss times its share, backward, and the value as a "
        "number. Leave batches without rows out.",
        "part = loss(*batch) * (len(batch[0]) / whole)",
    ),
    "11.total_loss": (
        "A loss is a tensor, and a tensor holds the graph that made it. So does a sum to which it was added. "
        "Take the number out before you add.",
        "total = 0; total += loss; total += loss. Now type(total) is Tensor, and total.grad_fn leads to both "
        "graphs.",
        "Loop over the losses, once. In each turn add loss.item() to a float, and keep nothing else.",
        "total += loss.item()",
    ),
}
