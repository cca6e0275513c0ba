"""Chapter 13, a step of Adam: solutions that are wrong, each from a belief that somebody holds."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, has-type"
# The answers are written as students write them, without types.

from __future__ import annotations

from tensorlab.grading.suite import Solutions

solutions = Solutions()


def _means(grad, mean, square, betas):
    mean.mul_(betas[0]).add_((1 - betas[0]) * grad)
    square.mul_(betas[1]).add_((1 - betas[1]) * grad * grad)


@solutions.wrong(
    "13.adam_step",
    belief="A running mean is a mean from its first step on.",
    lesson="It began at 0, so at the first step it is a tenth of the gradient, and the square a "
    "thousandth of its square. Divide by 1 - beta ** step.",
)
def forgets_the_correction(parameter, grad, mean, square, step, lr=1e-3, betas=(0.9, 0.999), eps=1e-8):
    _means(grad, mean, square, betas)
    parameter.sub_(lr * mean / (square.sqrt() + eps))


@solutions.wrong(
    "13.adam_step",
    belief="The corrected means are the new means.",
    lesson="The next step would correct them again. What is remembered stays as it is; only this step uses "
    "the corrected ones.",
)
def keeps_the_corrected(parameter, grad, mean, square, step, lr=1e-3, betas=(0.9, 0.999), eps=1e-8):
    _means(grad, mean, square, betas)
    mean.div_(1 - betas[0] ** step)
    square.div_(1 - betas[1] ** step)
    parameter.sub_(lr * mean / (square.sqrt() + eps))


@solutions.wrong(
    "13.adam_step",
    belief="step says how many steps have been taken before.",
    lesson="It counts from 1: in the first step the exponent is 1. With 0 the correction divides by 0.",
)
def counts_from_zero(parameter, grad, mean, square, step, lr=1e-3, betas=(0.9, 0.999), eps=1e-8):
    _means(grad, mean, square, betas)
    corrected = mean / (1 - betas[0] ** (step - 1) + 1e-12)
    root = (square / (1 - betas[1] ** (step - 1) + 1e-12)).sqrt()
    parameter.sub_(lr * corrected / (root + eps))


@solutions.wrong(
    "13.adam_step",
    belief="eps keeps the root from being taken of 0, so it stands inside.",
    lesson="It keeps from dividing by 0. Inside the root it would count as its own root: 0.0001, not 1e-8.",
)
def eps_inside_the_root(parameter, grad, mean, square, step, lr=1e-3, betas=(0.9, 0.999), eps=1e-8):
    _means(grad, mean, square, betas)
    corrected, second = mean / (1 - betas[0] ** step), square / (1 - betas[1] ** step)
    parameter.sub_(lr * corrected / (second + eps).sqrt())


@solutions.wrong(
    "13.adam_step",
    belief="The gradient is divided by its mean square.",
    lesson="By the root of it. Otherwise gradients ten times as large make steps a tenth as long.",
)
def forgets_the_root(parameter, grad, mean, square, step, lr=1e-3, betas=(0.9, 0.999), eps=1e-8):
    _means(grad, mean, square, betas)
    parameter.sub_(lr * (mean / (1 - betas[0] ** step)) / (square / (1 - betas[1] ** step) + eps))


@solutions.wrong(
    "13.adam_step",
    belief="The first beta is the slow one.",
    lesson="The first is the mean's, 0.9, the second the square's, 0.999: sizes are averaged over "
    "longer than directions.",
)
def swaps_the_betas(parameter, grad, mean, square, step, lr=1e-3, betas=(0.9, 0.999), eps=1e-8):
    second, first = betas
    _means(grad, mean, square, (first, second))
    root = (square / (1 - second**step)).sqrt()
    parameter.sub_(lr * (mean / (1 - first**step)) / (root + eps))


@solutions.wrong(
    "13.adam_step",
    belief="The second memory is the square of the first.",
    lesson="The mean of the squares is not the square of the mean: gradients that change sign have a "
    "mean near 0 and a mean square that is not.",
)
def squares_the_mean(parameter, grad, mean, square, step, lr=1e-3, betas=(0.9, 0.999), eps=1e-8):
    mean.mul_(betas[0]).add_((1 - betas[0]) * grad)
    square.mul_(betas[1]).add_((1 - betas[1]) * mean * mean)
    root = (square / (1 - betas[1] ** step)).sqrt()
    parameter.sub_(lr * (mean / (1 - betas[0] ** step)) / (root + eps))


@solutions.wrong(
    "13.adam_step",
    belief="Only the mean began at 0 in a way that matters.",
    lesson="Both did. Without its own correction the square is a thousandth of what it should be, and the "
    "first step more than thirty times too long.",
)
def corrects_the_mean_alone(parameter, grad, mean, square, step, lr=1e-3, betas=(0.9, 0.999), eps=1e-8):
    _means(grad, mean, square, betas)
    parameter.sub_(lr * (mean / (1 - betas[0] ** step)) / (square.sqrt() + eps))


@solutions.wrong(
    "13.adam_step",
    belief="At step t the correction is 1 - beta · t.",
    lesson="What is left of the zero at the start fades by beta at each step: beta to the power t.",
)
def multiplies_by_the_step(parameter, grad, mean, square, step, lr=1e-3, betas=(0.9, 0.999), eps=1e-8):
    _means(grad, mean, square, betas)
    corrected, second = mean / (1 - betas[0] * step), square / (1 - betas[1] * step)
    parameter.sub_(lr * corrected / (second.abs().sqrt() + eps))


@solutions.wrong(
    "13.adam_step",
    belief="`parameter = …` changes the parameter.",
    lesson="It gives the old name to a new tensor, inside the function. The network still holds the old one.",
)
def binds_a_new_name(parameter, grad, mean, square, step, lr=1e-3, betas=(0.9, 0.999), eps=1e-8):
    _means(grad, mean, square, betas)
    root = (square / (1 - betas[1] ** step)).sqrt()
    parameter = parameter - lr * (mean / (1 - betas[0] ** step)) / (root + eps)


@solutions.wrong(
    "13.adam_step",
    belief="The means are only needed for this step.",
    lesson="They are what Adam remembers. If they aren't written, every step is a first step.",
)
def forgets_the_means(parameter, grad, mean, square, step, lr=1e-3, betas=(0.9, 0.999), eps=1e-8):
    new_mean = betas[0] * mean + (1 - betas[0]) * grad
    new_square = betas[1] * square + (1 - betas[1]) * grad * grad
    root = (new_square / (1 - betas[1] ** step)).sqrt()
    parameter.sub_(lr * (new_mean / (1 - betas[0] ** step)) / (root + eps))


@solutions.wrong(
    "13.adam_step",
    belief="beta is the weight of what is new.",
    lesson="beta is what stays of the old mean. With 0.9 for the new one there is hardly a memory.",
)
def weighs_the_new(parameter, grad, mean, square, step, lr=1e-3, betas=(0.9, 0.999), eps=1e-8):
    _means(grad, mean, square, (1 - betas[0], 1 - betas[1]))
    first, second = (1 - (1 - beta) ** step for beta in betas)
    parameter.sub_(lr * (mean / first) / ((square / second).sqrt() + eps))


@solutions.wrong(
    "13.adam_step",
    belief="The defaults are Adam's; nobody changes them.",
    lesson="Large models are trained with a second beta of 0.95, and eps is raised where squares are tiny.",
)
def knows_only_the_defaults(parameter, grad, mean, square, step, lr=1e-3, betas=(0.9, 0.999), eps=1e-8):
    _means(grad, mean, square, (0.9, 0.999))
    root = (square / (1 - 0.999**step)).sqrt()
    parameter.sub_(lr * (mean / (1 - 0.9**step)) / (root + 1e-8))
