"""Chapter 14, places of a window: solutions that are wrong, each from a belief that somebody holds."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, has-type"
# The answers are written as students write them, without types.

from __future__ import annotations

import math

from tensorlab.grading.suite import Solutions

solutions = Solutions()


@solutions.wrong(
    "14.places",
    belief="A window of 3 in a line of 5 has 5 - 3 places to go to.",
    lesson="That counts the steps. The place where it stands before the first step counts too: 3 places.",
)
def counts_steps(extent, kernel, step, dilation, before, after):
    return (extent + before + after - dilation * (kernel - 1) - 1) // step


@solutions.wrong(
    "14.places",
    belief="The rest of the image, shorter than a step, still gets a window.",
    lesson="A window that reaches over the end has nothing to read there. The rest is left out.",
)
def rounds_up(extent, kernel, step, dilation, before, after):
    return math.ceil((extent + before + after - dilation * (kernel - 1) - 1) / step) + 1


@solutions.wrong(
    "14.places",
    belief="Padding is one number of zeros, so it is added once.",
    lesson="Zeros stand on both sides of the image. Each side makes it longer.",
)
def pads_one_side(extent, kernel, step, dilation, before, after):
    return (extent + before - dilation * (kernel - 1) - 1) // step + 1


@solutions.wrong(
    "14.places",
    belief="Padding is the same on both sides, so twice the first number.",
    lesson="A window of 4 needs 1 before and 2 after to keep the size. Add the two numbers.",
)
def pads_evenly(extent, kernel, step, dilation, before, after):
    return (extent + 2 * before - dilation * (kernel - 1) - 1) // step + 1


@solutions.wrong(
    "14.places",
    belief="A window covers as many elements as it has numbers.",
    lesson="With dilation 2 a window of 3 reaches over 5 elements: two of them lie between its own.",
)
def forgets_the_dilation(extent, kernel, step, dilation, before, after):
    return (extent + before + after - kernel) // step + 1


@solutions.wrong(
    "14.places",
    belief="A dilated window covers dilation times as many elements.",
    lesson="There are kernel - 1 gaps, not kernel. A window of 1 covers one element, whatever its dilation.",
)
def stretches_the_whole_window(extent, kernel, step, dilation, before, after):
    return (extent + before + after - dilation * kernel) // step + 1


@solutions.wrong(
    "14.places",
    belief="With a step of 2 there are half as many places.",
    lesson="Of 3 places every second is 2, the first and the last. Divide the way, and add the first place.",
)
def divides_the_places(extent, kernel, step, dilation, before, after):
    return (extent + before + after - dilation * (kernel - 1)) // step


@solutions.wrong(
    "14.places",
    belief="Each step makes one place, wherever the window ends.",
    lesson="The last windows would reach over the end. Take the window's own length off first.",
)
def lets_it_reach_over(extent, kernel, step, dilation, before, after):
    return (extent + before + after + step - 1) // step


@solutions.wrong(
    "14.places",
    belief="First divide the image by the step, then take off the window.",
    lesson="The window is measured in elements and not in steps. Take it off before you divide.",
)
def divides_first(extent, kernel, step, dilation, before, after):
    return (extent + before + after) // step - dilation * (kernel - 1)


@solutions.wrong(
    "14.places",
    belief="The nearest whole number of steps is meant.",
    lesson="Two and three quarters of a step are two: the third would not come to its end.",
)
def rounds_to_the_nearest(extent, kernel, step, dilation, before, after):
    return round((extent + before + after - dilation * (kernel - 1) - 1) / step) + 1
