"""A convolution as a product of matrices: what a window meets becomes a column, and its weights are a row."""

from __future__ import annotations

import numpy as np

from tensorlab.backends.cuda.intrinsics import quotient, remainder
from tensorlab.backends.cuda.rows import narrow, widen
from tensorlab.backends.cuda.simulator import cuda

__all__ = ["arrange", "joined_weights", "unfold"]

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

number = np.float32


def unfold(
    count, groups, channels, places, lines, columns, taps, kernel_z, kernel_y, kernel_x,
    step_z, step_y, step_x, depth, height, width, offsets, out, x, x_first, x_n, x_g, x_c, x_z, x_y, x_x,
):  # fmt: skip
    """Write what each tap meets: images, groups, channels, taps, places. A thread has a place of a channel.

    `offsets` are those of the taps along depth, then height, then width. Outside of the image lie zeros.
    """
    for i in range(cuda.grid(1), count, cuda.gridsize(1)):
        place, plane = remainder(i, places), quotient(i, places)
        across, rest = remainder(place, columns), quotient(place, columns)
        down, deep = remainder(rest, lines), quotient(rest, lines)
        channel, rest = remainder(plane, channels), quotient(plane, channels)
        group, image = remainder(rest, groups), quotient(rest, groups)
        source = x_first + image * x_n + group * x_g + channel * x_c
        cell = plane * taps * places + place
        for tap_z in range(kernel_z):
            z = deep * step_z + offsets[tap_z]
            for tap_y in range(kernel_y):
                y = down * step_y + offsets[kernel_z + tap_y]
                line = source + z * x_z + y * x_y
                is_inside = z >= 0 and z < depth and y >= 0 and y < height
                for tap_x in range(kernel_x):
                    at = across * step_x + offsets[kernel_z + kernel_y + tap_x]
                    value = number(0)
                    if is_inside and at >= 0 and at < width:
                        value = widen(x[line + at * x_x])
                    out[cell] = narrow(value)
                    cell += places


def arrange(count, results, channels, taps, places, out, x, x_first, x_g, x_m, x_c):
    """Copy weights so that those of a result are a row: all taps of a channel, and then of the next."""
    for i in range(cuda.grid(1), count, cuda.gridsize(1)):
        tap, rest = remainder(i, taps), quotient(i, taps)
        channel, rest = remainder(rest, channels), quotient(rest, channels)
        result, group = remainder(rest, results), quotient(rest, results)
        out[i] = x[x_first + group * x_g + result * x_m + channel * x_c + places[tap]]


def joined_weights(count, parts, results, channels, taps, places, out, out_first, out_g, out_m, out_c, x):
    """Add up parts, each a row of weights for each result, and write the sums to where the weights lie."""
    for i in range(cuda.grid(1), count, cuda.gridsize(1)):
        total = number(0)
        for part in range(parts):
            total = number(total + x[part * count + i])
        tap, rest = remainder(i, taps), quotient(i, taps)
        channel, rest = remainder(rest, channels), quotient(rest, channels)
        result, group = remainder(rest, results), quotient(rest, results)
        out[out_first + group * out_g + result * out_m + channel * out_c + places[tap]] = narrow(total)
