"""Chapter 14, a convolution: solutions that are wrong, each from a belief that somebody holds."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, has-type"
# The answers are written as students write them, without types.

from __future__ import annotations

import tensorlab as tl
from tensorlab.grading.suite import Solutions

solutions = Solutions()


def _windows(input, kernel, stride, padding, dilation):
    """The padded image's windows: image, channel, row, column of the place, then of the window."""
    padded = tl.nn.functional.pad(input, (padding, padding, padding, padding))
    height, width = (dilation * (size - 1) + 1 for size in kernel)
    spread = padded.unfold(2, height, stride).unfold(3, width, stride)
    return spread[..., ::dilation, ::dilation]


def _made(windows, weight, bias, groups):
    """One product for each group."""
    n, _, down, across = windows.shape[:4]
    columns = windows.permute(1, 4, 5, 0, 2, 3).reshape(groups, -1, n * down * across)
    table = weight.reshape(groups, weight.shape[0] // groups, -1) @ columns
    result = table.reshape(weight.shape[0], n, down, across).transpose(0, 1)
    return (result if bias is None else result + bias.view(-1, 1, 1)).contiguous()


@solutions.wrong(
    "14.conv2d",
    belief="A convolution turns the window round.",
    lesson="In mathematics it does. What networks compute lays the window on as it is, which mathematics "
    "calls a cross-correlation. The weights are learned, so nobody misses the turning.",
)
def turns_the_window(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    windows = _windows(input, weight.shape[2:], stride, padding, dilation)
    return _made(windows, weight.flip((2, 3)), bias, groups)


@solutions.wrong(
    "14.conv2d",
    belief="Groups are a hint for speed: the result is the same.",
    lesson="With two groups a window sees half of the channels. It has numbers for no more.",
)
def ignores_groups(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    windows = _windows(input, weight.shape[2:], stride, padding, dilation)
    return _made(windows, weight.repeat(1, groups, 1, 1), bias, 1)


@solutions.wrong(
    "14.conv2d",
    belief="Channels are dealt to the groups like cards, one after the other.",
    lesson="The first group gets the first channels, as one block.",
)
def deals_the_channels(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    n, channels, height, width = input.shape
    dealt = input.reshape(n, channels // groups, groups, height, width).transpose(1, 2)
    dealt = dealt.reshape(input.shape)
    return _made(_windows(dealt, weight.shape[2:], stride, padding, dilation), weight, bias, groups)


@solutions.wrong(
    "14.conv2d",
    belief="Every window makes an image of each channel.",
    lesson="Its products are summed over all channels that it sees. A window makes one image.",
)
def sees_one_channel(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    windows = _windows(input[:, :1], weight.shape[2:], stride, padding, dilation)
    return _made(windows, weight[:, :1], bias, 1)


@solutions.wrong(
    "14.conv2d",
    belief="A window averages what it sees over the channels.",
    lesson="It sums. Whoever wants a mean has smaller weights.",
)
def averages_the_channels(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    windows = _windows(input, weight.shape[2:], stride, padding, dilation)
    return _made(windows, weight / weight.shape[1], bias, groups)


@solutions.wrong(
    "14.conv2d",
    belief="The stride says how far a row moves down.",
    lesson="It is the step in both directions.",
)
def steps_down_alone(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    windows = _windows(input, weight.shape[2:], 1, padding, dilation)[:, :, ::stride]
    return _made(windows, weight, bias, groups)


@solutions.wrong(
    "14.conv2d",
    belief="Padding repeats the edge of the image.",
    lesson="It is zeros. Repeating the edge is padding_mode='replicate', which somebody has to ask for.",
)
def repeats_the_edge(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    padded = input
    if padding:
        padded = tl.nn.functional.pad(input, (padding, padding, padding, padding), mode="replicate")
    return _made(_windows(padded, weight.shape[2:], stride, 0, dilation), weight, bias, groups)


@solutions.wrong(
    "14.conv2d",
    belief="A dilated window has more numbers.",
    lesson="It has the same numbers, farther apart. What lies between them is not looked at.",
)
def ignores_dilation(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    return _made(_windows(input, weight.shape[2:], stride, padding, 1), weight, bias, groups)


@solutions.wrong(
    "14.conv2d",
    belief="A bias is added to the last dimension, as in a linear layer.",
    lesson="The last dimension here is the width. The bias belongs to the windows, which are dimension 1.",
)
def adds_the_bias_to_columns(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    result = _made(_windows(input, weight.shape[2:], stride, padding, dilation), weight, None, groups)
    if bias is None:
        return result
    return result + bias.repeat(result.shape[-1] // len(bias) + 1)[: result.shape[-1]]


@solutions.wrong(
    "14.conv2d",
    belief="What the product gives has the images first.",
    lesson="Its rows are windows, its columns places of all images. Cut it so, and then exchange the two.",
)
def misreads_the_product(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    result = _made(_windows(input, weight.shape[2:], stride, padding, dilation), weight, bias, groups)
    return result.transpose(0, 1).reshape(result.shape)


@solutions.wrong(
    "14.conv2d",
    belief="The order within a window doesn't matter, as long as all are summed.",
    lesson="Each number of the window meets one element. Both have to be flattened in the same order.",
)
def flattens_in_two_orders(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    windows = _windows(input, weight.shape[2:], stride, padding, dilation)
    turned = weight.transpose(2, 3).reshape(weight.shape)
    return _made(windows, turned, bias, groups)
