"""Chapter 11, sums of losses: solutions that are wrong, each from a belief that somebody holds."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, attr-defined, func-returns-value"
# The answers are written as students write them, without types.

from __future__ import annotations

import tensorlab as tl
from tensorlab.grading.suite import Solutions

solutions = Solutions()


@solutions.wrong(
    "11.total_loss",
    belief="total += loss adds numbers.",
    lesson="The sum is a tensor with a history, to which each loss adds its own. .item() at the end gives "
    "the right number, after all graphs have piled up.",
)
def adds_tensors(losses):
    total = 0
    for loss in losses:
        total += loss
    return total.item()


@solutions.wrong(
    "11.total_loss",
    belief="Stack them: one call of the library is better than a loop.",
    lesson="The stack needs all losses at once, and with them all graphs.",
)
def stacks_them(losses):
    return tl.stack([*losses]).sum().item()


@solutions.wrong(
    "11.total_loss",
    belief="Detach the total at the end, and the graphs are gone.",
    lesson="They are gone at the end. Until then each step has added one: the peak is what runs out of "
    "memory.",
)
def detaches_at_the_end(losses):
    total = tl.tensor(0.0)
    for loss in losses:
        total = total + loss
    return total.detach()


@solutions.wrong(
    "11.total_loss",
    belief="A detached tensor is a number.",
    lesson="It holds no graph, and is still a tensor. .item() makes a float of it.",
)
def returns_a_tensor(losses):
    total = tl.tensor(0.0)
    for loss in losses:
        total += loss.detach()
    return total


@solutions.wrong(
    "11.total_loss",
    belief="detach_() is the way to let a loss go.",
    lesson="It cuts the caller's own tensor: nobody can run backward from that loss any more.",
)
def detaches_in_place(losses):
    total = 0.0
    for loss in losses:
        total += loss.detach_().item()
    return total


@solutions.wrong(
    "11.total_loss",
    belief="Graphs are freed by backward().",
    lesson="It computes gradients that nobody has asked for, adds them to the weights' grad, and the caller "
    "cannot run backward any more. What lets a graph go is that nobody holds it.",
)
def runs_backward(losses):
    total = 0.0
    for loss in losses:
        if loss.requires_grad:
            loss.backward()
        total += loss.item()
    return total


@solutions.wrong(
    "11.total_loss",
    belief="It is harmless to remember the last few losses, to look at them later.",
    lesson="Each holds its graph, with all tensors that were saved. Remember numbers.",
)
def remembers_the_last_two(losses):
    total, last = 0.0, []
    for loss in losses:
        last = [*last[-1:], loss]
        total += loss.item()
    return total


@solutions.wrong(
    "11.total_loss",
    belief="The loss of an epoch is a mean.",
    lesson="Here the sum is asked for. Whoever wants the mean divides by the number of losses.",
)
def gives_the_mean(losses):
    numbers = [loss.item() for loss in losses]
    return sum(numbers) / len(numbers)


@solutions.wrong(
    "11.total_loss",
    belief="The last loss of an epoch says how the epoch went.",
    lesson="It says how the last batch went. Add them all.",
)
def gives_the_last(losses):
    value = 0.0
    for loss in losses:
        value = loss.item()
    return value


@solutions.wrong(
    "11.total_loss",
    belief="Losses come in a list, so I can take them by their places.",
    lesson="They may come from a generator, which has no length and no places. A for loop takes both.",
)
def takes_them_by_place(losses):
    total = 0.0
    for place in range(len(losses)):
        total += losses[place].item()
    return total


@solutions.wrong(
    "11.total_loss",
    belief="int() makes a number of a loss.",
    lesson="It cuts off what stands behind the point. float() and .item() do not.",
)
def cuts_the_fractions_off(losses):
    return float(sum(int(loss) for loss in losses))
