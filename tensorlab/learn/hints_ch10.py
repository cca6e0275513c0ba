"""Hints of chapter 10: a concept, a counterexample, a first step, one line. The solution is not here."""

from __future__ import annotations

#: Exercise id -> the four hints before the solution, in the order in which they open.
HINTS: dict[str, tuple[str, str, str, str]] = {
    "10.unbroadcast": (
        "Stretching reads one element at many places. On the way back, what arrives at these places is "
        "added into "
        "the one element. So it is a sum over every dimension that was stretched, and over no other.",
        "(3, 1) was broadcast to (2, 3, 4) in two ways: dimension 0 was missing, and the last one had size "
        "1. Sum "
        "over the first only and the shape is (3, 4); without keepdim it is (3,).",
        "lead = gradient.dim() - len(shape) says how many dimensions were missing. Dimension d of the "
        "operand is "
        "dimension lead + d of the gradient. Collect all that were stretched, and sum once.",
        "gradient.sum(dims, keepdim=True).reshape(shape)",
    ),
    "10.permute_backward": (
        "Dimension i of the gradient is dimension dims[i] of x. To go back is to put it there again.",
        "(1, 2, 0) sends the shape (2, 3, 4) to (3, 4, 2). The same order again gives (4, 2, 3); the order "
        "that gives "
        "(2, 3, 4) is (2, 0, 1).",
        "Make a list as long as dims, and fill in for each i the place dims[i]. Python counts negative "
        "places of a "
        "list from the end, which is what you need here.",
        "inverse[dim] = place",
    ),
    "10.index_backward": (
        "Reading by index has an adjoint from chapter 7: adding into the same places. The sums begin with "
        "zeros.",
        "x[[0, 0]] of two elements, with the gradients 1 and 2: x[0] gets 3. An assignment leaves 2, and so "
        "does "
        "whole[[0, 0]] += grad.",
        "Make zeros of the shape, with the gradient's dtype. Then add grad at indices, so that a place that "
        "comes up "
        "again gets every value. Chapter 7 has a table of functions that do.",
        "whole.index_put_(indices, grad, accumulate=True)",
    ),
    "10.gradcheck": (
        "Two ways to the same numbers: the gradients that come back, and the differences that you measure. "
        "Go through "
        "all pairs of a number of the input and a number of the result.",
        "x.flip(0) with the backward g.clone(): after .sum() both sides are 1 everywhere. Ask for result 0 "
        "alone, with "
        "the start (1, 0), and the gradient arrives at number 0 instead of number 1.",
        "For each number of the result make a start of zeros with a 1 in it, and call tl.autograd.grad with "
        "allow_unused=True. Then, inside tl.no_grad(), set one number of x to kept + 1e-6 and to kept - "
        "1e-6, and back to "
        "kept.",
        "slope = (above - below) / 2e-6",
    ),
    "10.amax_backward": (
        "Only elements that are equal to the largest can change it. Make a mask of them. The gradient goes "
        "where the "
        "mask is true, and is divided by how many equals there are for the same result.",
        "In [[3, 1, 3]] two elements are the largest. If both get the whole gradient, twice as much leaves "
        "as arrived.",
        "Bring grad and result into the shape that they have with keepdim: sizes of 1 where dimensions "
        "went. Then all "
        "comparisons and divisions broadcast as they should.",
        "equal / equal.sum(dim, keepdim=True) * grad.reshape(largest.shape)",
    ),
    "10.matmul_backward": (
        "For two matrices the gradients are grad @ b.mT and a.mT @ grad. For everything else: make it two "
        "batches of "
        "matrices first, and undo at the end what you did to a and b.",
        "(2, 1, 2, 3) @ (5, 3, 4): grad @ b.mT has shape (2, 5, 2, 3), and a has (2, 1, 2, 3). The matrices "
        "of a served "
        "five products each.",
        "Put the missing dimension into a vector, and into grad as well: a row on the left, a column on the "
        "right. "
        "Then the formulas, then a sum over the batch dimensions that were stretched, then reshape.",
        "of_left = summed_into(grad @ right.mT, left.shape)",
    ),
}
