"""Chapter 14: right solutions that go other ways than the library. They must keep every point."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, has-type"
# The answers are written as students write them, without types.

from __future__ import annotations

import tensorlab as tl
from tensorlab.grading.suite import Solutions

solutions = Solutions()


@solutions.right(
    "14.places", idea="The way of the window's first element, in whole steps, and its first place."
)
def divides_the_way(extent, kernel, step, dilation, before, after):
    covered = dilation * (kernel - 1) + 1
    way = extent + before + after - covered
    return way // step + 1


@solutions.right("14.places", idea="The beginnings of all windows, counted.")
def counts_beginnings(extent, kernel, step, dilation, before, after):
    last = extent + before + after - dilation * (kernel - 1)
    return len(range(0, last, step))


@solutions.right("14.unfold", idea="New strides over the old cells.")
def changes_the_strides(input, dimension, size, step):
    shape, strides = list(input.shape), list(input.stride())
    if size > shape[dimension]:
        raise RuntimeError(f"the dimension's size is {shape[dimension]}, but size is {size}")
    stride = strides[dimension]
    shape[dimension] = (shape[dimension] - size) // step + 1
    strides[dimension] = stride * step
    return input.as_strided((*shape, size), (*strides, stride), input.storage_offset())


@solutions.right("14.unfold", idea="The dimension twice: as windows, and as the inside of a window.")
def goes_through_the_dimensions(input, dimension, size, step):
    dimension %= input.dim()
    shape, strides = [], []
    for dim, (length, stride) in enumerate(zip(input.shape, input.stride(), strict=True)):
        if dim == dimension and size > length:
            raise RuntimeError(f"the dimension's size is {length}, but size is {size}")
        shape.append(len(range(0, length - size + 1, step)) if dim == dimension else length)
        strides.append(stride * step if dim == dimension else stride)
    inside = input.stride(dimension)
    return tl.as_strided(input, (*shape, size), (*strides, inside), input.storage_offset())


@solutions.right("14.channels_last_strides", idea="From the fastest dimension to the slowest.")
def multiplies_on_the_way(shape):
    strides, step = {}, 1
    for dim in [1, *range(len(shape) - 1, 1, -1), 0]:
        strides[dim] = step
        step *= shape[dim]
    return tuple(strides[dim] for dim in range(len(shape)))


@solutions.right(
    "14.channels_last_strides", idea="The product of all that is faster, anew for each dimension."
)
def asks_who_is_faster(shape):
    order = [1, *reversed(range(2, len(shape))), 0]
    strides = []
    for dim in range(len(shape)):
        step = 1
        for faster in order[: order.index(dim)]:
            step *= shape[faster]
        strides.append(step)
    return tuple(strides)


@solutions.right("14.fold", idea="For each element of the window, all windows at once.")
def adds_tap_by_tap(input, output_size, kernel_size, dilation=1, padding=0, stride=1):
    k = kernel_size
    height, width = (size + 2 * padding for size in output_size)
    down, across = ((size - dilation * (k - 1) - 1) // stride + 1 for size in (height, width))
    image = tl.zeros(input.shape[0], input.shape[1] // (k * k), height, width)
    blocks = input.reshape(*image.shape[:2], k, k, down, across)
    for i in range(k):
        for j in range(k):
            rows = slice(i * dilation, i * dilation + stride * (down - 1) + 1, stride)
            columns = slice(j * dilation, j * dilation + stride * (across - 1) + 1, stride)
            image[:, :, rows, columns] += blocks[:, :, i, j]
    return image[:, :, padding : height - padding, padding : width - padding].contiguous()


@solutions.right("14.fold", idea="Place by place, each with its whole window.")
def adds_place_by_place(input, output_size, kernel_size, dilation=1, padding=0, stride=1):
    k = kernel_size
    height, width = (size + 2 * padding for size in output_size)
    image = tl.zeros(input.shape[0], input.shape[1] // (k * k), height, width)
    covered = dilation * (k - 1) + 1
    place = 0
    for top in range(0, height - covered + 1, stride):
        for left in range(0, width - covered + 1, stride):
            block = input[:, :, place].reshape(*image.shape[:2], k, k)
            image[:, :, top : top + covered : dilation, left : left + covered : dilation] += block
            place += 1
    return image[:, :, padding : padding + output_size[0], padding : padding + output_size[1]].contiguous()


@solutions.right("14.conv2d", idea="Windows as strides, copied once into columns, and one product a group.")
def multiplies_columns(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    padded = tl.nn.functional.pad(input, (padding, padding, padding, padding))
    height, width = (dilation * (size - 1) + 1 for size in weight.shape[2:])
    windows = padded.unfold(2, height, stride).unfold(3, width, stride)[..., ::dilation, ::dilation]
    n, _, down, across = windows.shape[:4]
    columns = windows.permute(1, 4, 5, 0, 2, 3).reshape(groups, -1, n * down * across)
    made = weight.shape[0]
    table = weight.reshape(groups, made // groups, -1) @ columns
    result = table.reshape(made, n, down, across).transpose(0, 1)
    if bias is not None:
        result = result + bias.view(-1, 1, 1)
    return result.contiguous()


@solutions.right("14.conv2d", idea="For each element of the window one product over the channels, summed.")
def sums_over_taps(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    n, channels, height, width = input.shape
    padded = tl.zeros(n, channels, height + 2 * padding, width + 2 * padding)
    padded[:, :, padding : padding + height, padding : padding + width] = input
    made, share, *kernel = weight.shape
    sizes = zip(padded.shape[2:], kernel, strict=True)
    down, across = ((size - dilation * (k - 1) - 1) // stride + 1 for size, k in sizes)
    result = tl.zeros(n, groups, made // groups, down, across)
    weights = weight.reshape(groups, made // groups, share, *kernel)
    for i in range(kernel[0]):
        for j in range(kernel[1]):
            rows = slice(i * dilation, i * dilation + stride * (down - 1) + 1, stride)
            columns = slice(j * dilation, j * dilation + stride * (across - 1) + 1, stride)
            seen = padded[:, :, rows, columns].reshape(n, groups, share, down, across)
            result += tl.einsum("ngchw,gmc->ngmhw", seen, weights[..., i, j])
    result = result.reshape(n, made, down, across)
    return result if bias is None else result + bias.reshape(1, -1, 1, 1)
