"""Chapter 14, windows and layouts: solutions that are wrong, each from a belief that somebody holds."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, has-type"
# The answers are written as students write them, without types.

from __future__ import annotations

import tensorlab as tl
from tensorlab.core.layout import default_strides
from tensorlab.grading.suite import Solutions

solutions = Solutions()


@solutions.wrong(
    "14.unfold",
    belief="Windows that overlap need cells of their own.",
    lesson="Two elements of a view may be one cell. The windows are there already; only the strides are new.",
)
def copies_the_windows(input, dimension, size, step):
    return tl.stack(
        [input.narrow(dimension, at, size) for at in range(0, input.shape[dimension] - size + 1, step)]
    ).movedim(0, dimension)


@solutions.wrong(
    "14.unfold",
    belief="The step is how far apart the elements of a window are.",
    lesson="The step is between windows. Within a window the elements are neighbours.",
)
def steps_within_the_window(input, dimension, size, step):
    shape, strides = list(input.shape), list(input.stride())
    if size > shape[dimension]:
        raise RuntimeError(f"maximum size is {shape[dimension]} but size is {size}")
    stride = strides[dimension]
    reach = min(step, (shape[dimension] - 1) // max(size - 1, 1)) if size > 1 else 1
    shape[dimension] = (shape[dimension] - size) // step + 1
    strides[dimension] = stride
    return input.as_strided((*shape, size), (*strides, stride * reach), input.storage_offset())


@solutions.wrong(
    "14.unfold",
    belief="Windows always move by one.",
    lesson="They move by the step: the dimension's stride grows by that factor, and there are fewer places.",
)
def moves_by_one(input, dimension, size, step):
    shape, strides = list(input.shape), list(input.stride())
    if size > shape[dimension]:
        raise RuntimeError(f"maximum size is {shape[dimension]} but size is {size}")
    shape[dimension] = shape[dimension] - size + 1
    return input.as_strided((*shape, size), (*strides, strides[dimension]), input.storage_offset())


@solutions.wrong(
    "14.unfold",
    belief="A window that begins in the image counts, also where it ends outside.",
    lesson="It would show cells that are not its own, or none at all. Only whole windows count.",
)
def begins_anywhere(input, dimension, size, step):
    shape, strides = list(input.shape), list(input.stride())
    if size > shape[dimension]:
        raise RuntimeError(f"maximum size is {shape[dimension]} but size is {size}")
    stride = strides[dimension]
    shape[dimension] = (shape[dimension] - 1) // step + 1
    strides[dimension] = stride * step
    return input.as_strided((*shape, size), (*strides, stride), input.storage_offset())


@solutions.wrong(
    "14.unfold",
    belief="Neighbours in a window are neighbours in memory, so its stride is 1.",
    lesson="Along a column neighbours are a whole row apart. The window's stride is that of its dimension.",
)
def has_a_window_of_stride_1(input, dimension, size, step):
    shape, strides = list(input.shape), list(input.stride())
    if size > shape[dimension]:
        raise RuntimeError(f"maximum size is {shape[dimension]} but size is {size}")
    shape[dimension] = (shape[dimension] - size) // step + 1
    strides[dimension] *= step
    return input.as_strided((*shape, size), (*strides, 1), input.storage_offset())


@solutions.wrong(
    "14.unfold",
    belief="A tensor's strides are those of its shape.",
    lesson="A transposed or sliced tensor has others. Ask stride(), and begin at storage_offset().",
)
def computes_strides_from_the_shape(input, dimension, size, step):
    shape, strides = list(input.shape), list(default_strides(input.shape))
    if size > shape[dimension]:
        raise RuntimeError(f"maximum size is {shape[dimension]} but size is {size}")
    stride = strides[dimension]
    shape[dimension] = (shape[dimension] - size) // step + 1
    strides[dimension] = stride * step
    return input.as_strided((*shape, size), (*strides, stride), input.storage_offset())


@solutions.wrong(
    "14.unfold",
    belief="A view begins where its storage begins.",
    lesson="A slice begins later. as_strided counts from the storage's first cell, so give it the offset.",
)
def begins_at_the_storage(input, dimension, size, step):
    shape, strides = list(input.shape), list(input.stride())
    if size > shape[dimension]:
        raise RuntimeError(f"maximum size is {shape[dimension]} but size is {size}")
    stride = strides[dimension]
    shape[dimension] = (shape[dimension] - size) // step + 1
    strides[dimension] = stride * step
    return input.as_strided((*shape, size), (*strides, stride), 0)


@solutions.wrong(
    "14.unfold",
    belief="The window stands beside the dimension that it slides along.",
    lesson="It is always the last dimension, so that what comes next can count on it.",
)
def puts_the_window_beside(input, dimension, size, step):
    shape, strides = list(input.shape), list(input.stride())
    dimension %= len(shape)
    if size > shape[dimension]:
        raise RuntimeError(f"maximum size is {shape[dimension]} but size is {size}")
    stride = strides[dimension]
    shape[dimension] = (shape[dimension] - size) // step + 1
    strides[dimension] = stride * step
    shape.insert(dimension + 1, size)
    strides.insert(dimension + 1, stride)
    return input.as_strided(shape, strides, input.storage_offset())


@solutions.wrong(
    "14.unfold",
    belief="A dimension that is too short has no windows, so the result is empty.",
    lesson="A window that fits nowhere is a mistake in the call, and the library says so.",
)
def has_no_windows(input, dimension, size, step):
    shape, strides = list(input.shape), list(input.stride())
    stride = strides[dimension]
    shape[dimension] = max((shape[dimension] - size) // step + 1, 0)
    strides[dimension] = stride * step
    return input.as_strided((*shape, size), (*strides, stride), input.storage_offset())


@solutions.wrong(
    "14.unfold",
    belief="Windows stand side by side, like blocks.",
    lesson="Each begins a step after the one before it, whether or not that one has ended.",
)
def cuts_into_blocks(input, dimension, size, step):
    shape, strides = list(input.shape), list(input.stride())
    if size > shape[dimension]:
        raise RuntimeError(f"maximum size is {shape[dimension]} but size is {size}")
    stride = strides[dimension]
    shape[dimension] //= size
    strides[dimension] = stride * size
    return input.as_strided((*shape, size), (*strides, stride), input.storage_offset())


# --- 14.channels_last_strides -------------------------------------------------------------------------


def _strides(shape, order):
    """Dense strides, whose dimensions are from the fastest to the slowest `order`."""
    strides, step = [0] * len(shape), 1
    for dim in order:
        strides[dim] = step
        step *= shape[dim]
    return tuple(strides)


@solutions.wrong(
    "14.channels_last_strides",
    belief="The shape is the same, so the strides are.",
    lesson="A shape says nothing of the order in memory. Row-major strides put W innermost, and not C.",
)
def keeps_the_rows(shape):
    return default_strides(shape)


@solutions.wrong(
    "14.channels_last_strides",
    belief="Channels last means that the channels become the last dimension.",
    lesson="That would be permute. The shape stays (N, C, H, W), so the strides come in this order too.",
)
def permutes_the_strides(shape):
    n, channels, *sizes = shape
    return _strides((n, *sizes, channels), range(len(shape) - 1, -1, -1))


@solutions.wrong(
    "14.channels_last_strides",
    belief="What comes last is the slowest, so a channel is the farthest step.",
    lesson="It is the other way round: the last dimension of a dense layout is the fastest.",
)
def puts_channels_outside(shape):
    return _strides(shape, (*range(len(shape) - 1, 1, -1), 0, 1))


@solutions.wrong(
    "14.channels_last_strides",
    belief="The first number after the channels is H, so H is the next faster one.",
    lesson="Within an image the rows stay rows: W is faster than H, and D is the slowest of the three.",
)
def goes_down_the_columns(shape):
    return _strides(shape, (1, *range(2, len(shape)), 0))


@solutions.wrong(
    "14.channels_last_strides",
    belief="Everything is turned round: the first dimension is the fastest.",
    lesson="Only the channels move. Images still follow one another as a whole.",
)
def turns_everything_round(shape):
    return _strides(shape, range(len(shape)))


@solutions.wrong(
    "14.channels_last_strides",
    belief="A row stays together, and the channels follow row by row.",
    lesson="So old image formats have it. Here all channels of one pixel lie side by side: C has stride 1.",
)
def interleaves_rows(shape):
    return _strides(shape, (len(shape) - 1, 1, *range(len(shape) - 2, 1, -1), 0))


@solutions.wrong(
    "14.channels_last_strides",
    belief="Channels have stride 1, and the other strides are those of one channel.",
    lesson="A step to the right passes all channels of a pixel. Every slower stride has C as a factor.",
)
def forgets_to_pass_the_channels(shape):
    plain = _strides(shape, range(len(shape) - 1, -1, -1))
    return (plain[0], 1, *plain[2:])


@solutions.wrong(
    "14.channels_last_strides",
    belief="There are four dimensions.",
    lesson="Volumes have five. Go through all dimensions from W up to the third, however many they are.",
)
def knows_images_only(shape):
    _, channels, *_, height, width = shape
    strides = (channels * height * width, 1, channels * width, channels)
    return strides if len(shape) == 4 else (*strides[:2], channels * height * width, *strides[2:])


@solutions.wrong(
    "14.channels_last_strides",
    belief="A size of 0 counts as 1, as in every layout.",
    lesson="It does so for row-major strides. Here PyTorch multiplies by it, and slower strides become 0.",
)
def takes_1_for_0(shape):
    return _strides([max(size, 1) for size in shape], (1, *range(len(shape) - 1, 1, -1), 0))


@solutions.wrong(
    "14.channels_last_strides",
    belief="Nobody steps along a size of 1, so its stride is 1.",
    lesson="Nobody does, but the rule does not ask: the stride is the product of the faster sizes.",
)
def gives_ones_stride_1(shape):
    strides = _strides(shape, (1, *range(len(shape) - 1, 1, -1), 0))
    return tuple(1 if size == 1 else stride for size, stride in zip(shape, strides, strict=True))


@solutions.wrong(
    "14.channels_last_strides",
    belief="Strides count bytes.",
    lesson="NumPy's do. A tensor's strides count elements.",
)
def counts_bytes(shape):
    return tuple(4 * stride for stride in _strides(shape, (1, *range(len(shape) - 1, 1, -1), 0)))
