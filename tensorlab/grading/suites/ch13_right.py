"""Chapter 13: right solutions that go other ways than the library. They must keep every point."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, has-type"
# The answers are written as students write them, without types.

from __future__ import annotations

import math

import tensorlab as tl
from tensorlab.grading.suite import Solutions

solutions = Solutions()


@solutions.right("13.named_members", idea="A recursion that yields, and a set of identities around it.")
def filters_what_a_walk_yields(own, children):
    def walk(own, children):
        yield from own
        for child, (members, inside) in children:
            for name, member in walk(members, inside):
                yield f"{child}.{name}", member

    found, seen = [], set()
    for name, member in walk(own, children):
        if member is not None and id(member) not in seen:
            seen.add(id(member))
            found.append((name, member))
    return found


@solutions.right("13.named_members", idea="A stack in place of the recursion; children are pushed backwards.")
def keeps_a_stack(own, children):
    found, stack = [], [("", own, children)]
    while stack:
        path, members, inside = stack.pop()
        for name, member in members:
            if member is not None and all(member is not other for _, other in found):
                found.append((path + name, member))
        stack += [(f"{path}{name}.", *module) for name, module in reversed(inside)]
    return found


@solutions.right("13.linear", idea="@ takes any number of dimensions in front.")
def uses_the_operator(input, weight, bias=None):
    result = input @ weight.t()
    if bias is not None:
        result = result + bias
    return result


@solutions.right("13.linear", idea="Flatten to a table, multiply, and give the sizes back.")
def goes_by_a_table(input, weight, bias=None):
    table = input.reshape(-1, input.shape[-1]).mm(weight.transpose(0, 1))
    result = table.reshape(*input.shape[:-1], weight.shape[0])
    return result if bias is None else result.add_(bias)


@solutions.right("13.linear", idea="A sum over the last of one dimension more.")
def sums_products(input, weight, bias=None):
    result = (input.unsqueeze(-2) * weight).sum(-1)
    return result + (0 if bias is None else bias)


@solutions.right("13.sgd_momentum", idea="Two chains of writes in place.")
def writes_in_place(parameter, grad, velocity, lr, momentum):
    velocity.mul_(momentum).add_(grad)
    parameter.sub_(lr * velocity)


@solutions.right("13.sgd_momentum", idea="Compute anew, and copy into the old cells.")
def computes_and_copies(parameter, grad, velocity, lr, momentum):
    new = momentum * velocity + grad
    velocity.copy_(new)
    parameter.copy_(parameter - lr * new)


@solutions.right("13.sgd_momentum", idea="Slices that are assigned, and the augmented assignments.")
def assigns_slices(parameter, grad, velocity, lr, momentum):
    velocity[...] = grad + velocity * momentum
    parameter -= velocity * lr


@solutions.right("13.adam_step", idea="The paper's five lines.")
def follows_the_paper(parameter, grad, mean, square, step, lr=1e-3, betas=(0.9, 0.999), eps=1e-8):
    first, second = betas
    mean.mul_(first).add_((1 - first) * grad)
    square.mul_(second).add_((1 - second) * grad * grad)
    corrected, size = mean / (1 - first**step), square / (1 - second**step)
    parameter.sub_(lr * corrected / (size.sqrt() + eps))


@solutions.right("13.adam_step", idea="Corrections as numbers: of the length of the step, and of the root.")
def corrects_numbers(parameter, grad, mean, square, step, lr=1e-3, betas=(0.9, 0.999), eps=1e-8):
    mean.copy_(mean + (1 - betas[0]) * (grad - mean))
    square.copy_(betas[1] * square + (1 - betas[1]) * grad**2)
    root = square.sqrt() / math.sqrt(1 - betas[1] ** step)
    parameter -= lr / (1 - betas[0] ** step) * (mean / (root + eps))


@solutions.right(
    "13.dropout",
    idea="A mask of even random numbers.",
    same={
        "That a random number is p exactly has no probability to speak of.": (
            "return input * (tl.rand(input.shape) >= p) / (1 - p) -> "
            "return input * (tl.rand(input.shape) > p) / (1 - p)",
        ),
    },
)
def draws_a_mask(input, p=0.5, training=True):
    if not training:
        return input
    if p == 1:
        return tl.zeros_like(input)
    return input * (tl.rand(input.shape) >= p) / (1 - p)


@solutions.right("13.dropout", idea="bernoulli makes zeros and ones; where chooses.")
def draws_zeros_and_ones(input, p=0.5, training=True):
    if training:
        stays = tl.bernoulli(tl.full(input.shape, 1.0 - p))
        return tl.where(stays > 0, input / max(1 - p, 1e-9), 0.0)
    return input


@solutions.right("13.get_total_norm", idea="The norm of the norms.")
def norm_of_norms(tensors, norm_type=2.0):
    if not tensors:
        return tl.tensor(0.0)
    norms = tl.stack([tl.linalg.vector_norm(x, norm_type) for x in tensors])
    return tl.linalg.vector_norm(norms, norm_type)


@solutions.right("13.get_total_norm", idea="One long line of all numbers.")
def one_long_line(tensors, norm_type=2.0):
    if len(tensors) == 0:
        return tl.tensor(0.0)
    line = tl.cat([x.reshape(-1) for x in tensors]).abs()
    if norm_type == math.inf:
        return line.amax()
    return (line**norm_type).sum() ** (1 / norm_type)
