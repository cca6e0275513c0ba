"""Chapter 14, windows put back: solutions that are wrong, each from a belief that somebody holds."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, has-type"
# The answers are written as students write them, without types.

from __future__ import annotations

import tensorlab as tl
from tensorlab.grading.suite import Solutions

solutions = Solutions()


def _taps(image, blocks, k, dilation, stride):
    """For each element of the window: its row and column, what it meets in the image, what the blocks say."""
    down, across = blocks.shape[-2:]
    for i in range(k):
        for j in range(k):
            top, left = i * dilation, j * dilation
            rows = slice(top, top + stride * (down - 1) + 1, stride)
            columns = slice(left, left + stride * (across - 1) + 1, stride)
            yield image[:, :, rows, columns], blocks[:, :, i, j]


def _room(input, output_size, k, dilation, padding, stride):
    """A padded image of zeros, and the blocks by image, channel, row and column of the window, and place."""
    height, width = (size + 2 * padding for size in output_size)
    down, across = ((size - dilation * (k - 1) - 1) // stride + 1 for size in (height, width))
    image = tl.zeros(input.shape[0], input.shape[1] // (k * k), height, width)
    return image, input.reshape(*image.shape[:2], k, k, down, across)


def _cropped(image, padding):
    height, width = image.shape[2:]
    return image[:, :, padding : height - padding, padding : width - padding].contiguous()


@solutions.wrong(
    "14.fold",
    belief="fold undoes unfold, so each element is written back.",
    lesson="An element of several windows is written several times, and the last one wins. What goes back is "
    "a sum, as with every index that may repeat.",
)
def overwrites(input, output_size, kernel_size, dilation=1, padding=0, stride=1):
    image, blocks = _room(input, output_size, kernel_size, dilation, padding, stride)
    for part, block in _taps(image, blocks, kernel_size, dilation, stride):
        part.copy_(block)
    return _cropped(image, padding)


@solutions.wrong(
    "14.fold",
    belief="fold undoes unfold, so what windows say of an element is averaged.",
    lesson="It is unfold's adjoint and not its inverse. Two windows that say 1 give 2.",
)
def takes_the_mean(input, output_size, kernel_size, dilation=1, padding=0, stride=1):
    image, blocks = _room(input, output_size, kernel_size, dilation, padding, stride)
    count = tl.zeros_like(image)
    for part, block in _taps(image, blocks, kernel_size, dilation, stride):
        part += block
    for part, _ in _taps(count, blocks, kernel_size, dilation, stride):
        part += 1
    return _cropped(image / count.clamp(min=1), padding)


@solutions.wrong(
    "14.fold",
    belief="The image has the size at which the windows lay in it, padding included.",
    lesson="output_size is the image's own. The zeros around it were never part of it.",
)
def keeps_the_padding(input, output_size, kernel_size, dilation=1, padding=0, stride=1):
    image, blocks = _room(input, output_size, kernel_size, dilation, padding, stride)
    for part, block in _taps(image, blocks, kernel_size, dilation, stride):
        part += block
    return image


@solutions.wrong(
    "14.fold",
    belief="The padding stands behind the image.",
    lesson="It stands on all four sides. The image begins `padding` rows down and as many columns in.",
)
def crops_the_end_alone(input, output_size, kernel_size, dilation=1, padding=0, stride=1):
    image, blocks = _room(input, output_size, kernel_size, dilation, padding, stride)
    for part, block in _taps(image, blocks, kernel_size, dilation, stride):
        part += block
    return image[:, :, : output_size[0], : output_size[1]].contiguous()


@solutions.wrong(
    "14.fold",
    belief="A column holds the channels of the first element, then those of the second.",
    lesson="It is the other way round: all elements of channel 0 come first.",
)
def has_channels_inside(input, output_size, kernel_size, dilation=1, padding=0, stride=1):
    k = kernel_size
    n, rows, count = input.shape
    turned = input.reshape(n, k * k, rows // (k * k), count).transpose(1, 2).reshape(n, rows, count)
    image, blocks = _room(turned, output_size, k, dilation, padding, stride)
    for part, block in _taps(image, blocks, k, dilation, stride):
        part += block
    return _cropped(image, padding)


@solutions.wrong(
    "14.fold",
    belief="Places are counted down the columns of the image.",
    lesson="They are counted row by row: the second place lies to the right of the first.",
)
def counts_places_down(input, output_size, kernel_size, dilation=1, padding=0, stride=1):
    image, blocks = _room(input, output_size, kernel_size, dilation, padding, stride)
    down, across = blocks.shape[-2:]
    blocks = blocks.reshape(*blocks.shape[:4], across, down).transpose(-1, -2)
    for part, block in _taps(image, blocks, kernel_size, dilation, stride):
        part += block
    return _cropped(image, padding)


@solutions.wrong(
    "14.fold",
    belief="A window's column runs down first.",
    lesson="It is read row by row, like every tensor that is flattened.",
)
def turns_the_window(input, output_size, kernel_size, dilation=1, padding=0, stride=1):
    image, blocks = _room(input, output_size, kernel_size, dilation, padding, stride)
    for part, block in _taps(image, blocks.transpose(2, 3), kernel_size, dilation, stride):
        part += block
    return _cropped(image, padding)


@solutions.wrong(
    "14.fold",
    belief="Going back means that the window is turned round.",
    lesson="Turned windows come from summing over places. Here every number goes back to where it was taken.",
)
def flips_the_window(input, output_size, kernel_size, dilation=1, padding=0, stride=1):
    image, blocks = _room(input, output_size, kernel_size, dilation, padding, stride)
    for part, block in _taps(image, blocks.flip((2, 3)), kernel_size, dilation, stride):
        part += block
    return _cropped(image, padding)


@solutions.wrong(
    "14.fold",
    belief="Dilation spreads the windows, and the stride spreads them too: they are one thing.",
    lesson="The stride is between windows, the dilation between the elements of one window.",
)
def forgets_the_dilation(input, output_size, kernel_size, dilation=1, padding=0, stride=1):
    image, blocks = _room(input, output_size, kernel_size, dilation, padding, stride)
    for part, block in _taps(image, blocks, kernel_size, 1, stride):
        part += block
    return _cropped(image, padding)


@solutions.wrong(
    "14.fold",
    belief="All images of a batch are summed into one.",
    lesson="Each image has windows of its own. Keep the first dimension apart.",
)
def adds_up_the_batch(input, output_size, kernel_size, dilation=1, padding=0, stride=1):
    image, blocks = _room(input, output_size, kernel_size, dilation, padding, stride)
    for part, block in _taps(image, blocks, kernel_size, dilation, stride):
        part += block.sum(0, keepdim=True)
    return _cropped(image, padding)
