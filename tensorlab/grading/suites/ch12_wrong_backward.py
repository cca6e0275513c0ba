"""Chapter 12, back through log_softmax: solutions that are wrong, each from a belief that somebody holds."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, has-type"
# The answers are written as students write them, without types.

from __future__ import annotations

import tensorlab as tl
from tensorlab.grading.suite import Solutions

solutions = Solutions()


@solutions.wrong(
    "12.log_softmax_backward",
    belief="backward multiplies by the Jacobian, so I make it.",
    lesson="n logits have n² derivatives. With 50,000 words that's 10 GB for one row. Multiply by hand "
    "first: one sum is left.",
)
def makes_the_jacobian_of_each_row(grad, result, dim):
    g, p = grad.transpose(dim, -1), result.exp().transpose(dim, -1)
    n = g.shape[-1]
    rows, shares = g.reshape(-1, n), p.reshape(-1, n)
    out = tl.empty(rows.shape, dtype=grad.dtype)
    for i in range(rows.shape[0]):
        jacobian = tl.eye(n, dtype=grad.dtype) - shares[i]
        out[i] = (rows[i][:, None] * jacobian).sum(0)
    return out.view(g.shape).transpose(dim, -1)


@solutions.wrong(
    "12.log_softmax_backward",
    belief="All rows at once is faster: a batch of Jacobians.",
    lesson="Rows times n² numbers. What is multiplied with them comes down to one sum for each row.",
)
def makes_all_jacobians(grad, result, dim):
    g, p = grad.transpose(dim, -1), result.exp().transpose(dim, -1)
    jacobians = tl.eye(g.shape[-1], dtype=grad.dtype) - p[..., None, :]
    return (g[..., :, None] * jacobians).sum(-2).transpose(dim, -1)


@solutions.wrong(
    "12.log_softmax_backward",
    belief="It's softmax with a logarithm, so its gradient is that of softmax.",
    lesson="p · (g - sum(g · p)) is the gradient of softmax. The logarithm divides by p, and what is left is "
    "g - p · sum(g).",
)
def takes_that_of_softmax(grad, result, dim):
    p = result.exp()
    return p * (grad - (grad * p).sum(dim, keepdim=True))


@solutions.wrong(
    "12.log_softmax_backward",
    belief="result holds the probabilities.",
    lesson="It holds their logarithms, which are negative. exp(result) gives the probabilities.",
)
def takes_the_logarithms_for_probabilities(grad, result, dim):
    return grad - result * grad.sum(dim, keepdim=True)


@solutions.wrong(
    "12.log_softmax_backward",
    belief="The gradient is p - y; everybody knows that.",
    lesson="That's the gradient of a cross-entropy, where grad is -y and adds up to -1. Here grad is "
    "anything: p is multiplied by its sum.",
)
def knows_the_end(grad, result, dim):
    return grad + result.exp()


@solutions.wrong(
    "12.log_softmax_backward",
    belief="One class is right, so the gradient has one element that counts.",
    lesson="It may have any number of elements, of either sign. Their sum is what reaches the others.",
)
def looks_for_one_class(grad, result, dim):
    one = grad * (grad.abs() == grad.abs().amax(dim, keepdim=True))
    return one - result.exp() * one.sum(dim, keepdim=True)


@solutions.wrong(
    "12.log_softmax_backward",
    belief="Each step has a gradient: first that of the logarithm, grad / p, then that of softmax.",
    lesson="Right on paper. Where p is 0 it divides 0 by 0: a class that is ruled out turns its whole row "
    "to nan. Simplify before you compute.",
)
def goes_step_by_step(grad, result, dim):
    p = result.exp()
    g = grad / p
    return p * (g - (g * p).sum(dim, keepdim=True))


@solutions.wrong(
    "12.log_softmax_backward",
    belief="keepdim is cosmetic.",
    lesson="Without it the sums of the rows are aligned with the columns. Some shapes raise an error, and "
    "square tables give wrong numbers.",
)
def forgets_keepdim(grad, result, dim):
    return grad - result.exp() * grad.sum(dim)


@solutions.wrong(
    "12.log_softmax_backward",
    belief="The gradients of the whole batch add up.",
    lesson="Every row has a softmax of its own, and its own sum. Rows know nothing of each other.",
)
def adds_up_the_batch(grad, result, dim):
    return grad - result.exp() * grad.sum()


@solutions.wrong(
    "12.log_softmax_backward",
    belief="The classes are always the last dimension.",
    lesson="dim says which they are. Pictures have them in dimension 1 of 4.",
)
def always_takes_the_last_dimension(grad, result, dim):
    return grad - result.exp() * grad.sum(-1, keepdim=True)


@solutions.wrong(
    "12.log_softmax_backward",
    belief="The logits that share a sum share the gradient evenly.",
    lesson="Each gets as much as its probability says: p, not 1 / n.",
)
def shares_evenly(grad, result, dim):
    return grad - grad.mean(dim, keepdim=True)


@solutions.wrong(
    "12.log_softmax_backward",
    belief="What flows back through the sum is added.",
    lesson="The logsumexp is subtracted: x - logsumexp(x). So what flows back through it is subtracted, too.",
)
def adds_instead_of_subtracting(grad, result, dim):
    return grad + result.exp() * grad.sum(dim, keepdim=True)


@solutions.wrong(
    "12.log_softmax_backward",
    belief="grad was made for this step and can be overwritten.",
    lesson="The engine may hand the same tensor to another branch, or to a hook. Make a new one.",
)
def overwrites_the_gradient(grad, result, dim):
    grad -= result.exp() * grad.sum(dim, keepdim=True)
    return grad


@solutions.wrong(
    "12.log_softmax_backward",
    belief="The result is saved for exactly this, so it can be overwritten.",
    lesson="It's the caller's tensor, too. Saving doesn't copy, and an in-place write raises the error of "
    "chapter 11.",
)
def overwrites_the_result(grad, result, dim):
    result.exp_()
    return grad - result * grad.sum(dim, keepdim=True)
