"""The kernels of pooling, as their text: `tensorlab.backends.cpu.pooling` puts them together for each dtype.

The results of a line are made together, one place of the window after another, so that the innermost loop
runs over neighbours: along the line, where the window moves in equal steps and a line's numbers are
neighbours; else over the channels.

``accumulate`` and ``write`` are those of the greatest number or those of the mean. As they stand here, the
names mean float32 and the greatest number, so that every function can be called and stepped through as it is.
"""

from __future__ import annotations

import numpy as np

from tensorlab.backends.cpu.gemm.cell import Number, narrow, widen
from tensorlab.backends.cpu.intrinsics import greater, lesser
from tensorlab.backends.cpu.pointers import advance, at

LEAST = Number(-np.inf)  # no number is below it
WHOLE = False  # whether numbers are integers


def accumulate_greatest(count, numbers, step, place, move, best, where):
    """One number for each result: kept, and its place with it, where it is greater, or where it is NaN."""
    for j in range(count):
        number, kept, found, here = widen(numbers[j * step]), best[j], where[j], place + j * move
        better = (number > kept) | (number != number)
        best[j] = number if better else kept
        where[j] = here if better else found


def accumulate_alone(count, numbers, step, place, move, best, where):
    """One number for each result, kept where it is greater or where it is NaN; its place is not."""
    for j in range(count):
        number, kept = widen(numbers[j * step]), best[j]
        best[j] = number if (number > kept) | (number != number) else kept


def accumulate_sum(count, numbers, step, place, move, best, where):
    """One number for each result, added up."""
    for j in range(count):
        best[j] = Number(best[j] + widen(numbers[j * step]))


def write_greatest(count, best, where, divisor, divisors, out, places, step):
    """The results of a line, and where they were found."""
    for j in range(count):
        out[j * step] = narrow(best[j])
        places[j * step] = where[j]


def write_alone(count, best, where, divisor, divisors, out, places, step):
    """The results of a line."""
    for j in range(count):
        out[j * step] = narrow(best[j])


def write_mean(count, best, where, divisor, divisors, out, places, step):
    """The means of a line: each sum divided by `divisor`, times what its column has to say."""
    for j in range(count):
        by = divisor * divisors[j]
        if WHOLE:  # rounded towards 0
            total = abs(best[j]) // abs(by)
            out[j * step] = narrow(total if (best[j] < 0) == (by < 0) else -total)
        else:
            out[j * step] = narrow(Number(best[j] / Number(by)))


def taps_of(slide, width, dilation, count):
    """For each place of the window along a line where it lies, and the results that meet it in the image.

    Returns:
        for each place its position in the window of the first result that has it in the image; that result,
        and the one behind the last.
    """
    move, begin, taps = slide
    found = np.empty((3, taps), np.int64)
    for tap in range(taps):
        offset = begin + tap * dilation
        low = greater(-(offset // move), 0)
        found[0, tap], found[1, tap] = offset + low * move, low
        found[2, tap] = greater(lesser((width - 1 - offset) // move + 1, count), low)
    return found


def sweep(move, taps, line, step, place, best, where):
    """All places of the window in one line of the image, for the results that lie along the line."""
    for tap in range(taps.shape[1]):
        u, low, high = taps[0, tap], taps[1, tap], taps[2, tap]
        numbers, values, found = advance(line, u * step), advance(best, low), advance(where, low)
        if move * step == 1:
            accumulate(high - low, numbers, 1, place + u, move, values, found)
        elif move * step == 2:
            accumulate(high - low, numbers, 2, place + u, move, values, found)
        else:
            accumulate(high - low, numbers, move * step, place + u, move, values, found)


# fmt: off
def pool_lines(
    first, last, counts, strides, rows, columns, dilation, slide, divisor, out, image, places,
):
    # fmt: on
    """Tasks `first` … `last` - 1; each makes one line of results, for all channels of an image.

    Args:
        counts: the channels, and the width of the image.
        strides: those of the result, and those of the image: image, channel, line, number.
        rows, columns: for each result along a dimension where its window begins, where it ends, and by what
            its mean is divided.
        dilation: how far apart places of the window are, in both dimensions.
        slide: by how much the window moves along a line, where the first one begins, and how many places it
            has there. A movement of 0 says that the innermost loop is to run over the channels.
        divisor: of all means, or 0 where `rows` and `columns` say it.
        out, image, places: flat arrays of cells.
    """
    channels, width = counts
    down, across = rows.shape[1], columns.shape[1]
    out_image, out_channel, out_line, out_step = strides[0]
    image_image, image_channel, image_line, image_step = strides[1]
    lanes = greater(channels, across)
    values, found, ones = np.empty(lanes, best_type), np.empty(lanes, np.int64), np.empty(lanes, np.int64)
    for lane in range(lanes):
        ones[lane] = 1
    best, where = at(values, 0), at(found, 0)
    taps = taps_of(slide, width, dilation[1], across)
    for task in range(first, last):
        n, y = task // down, task % down
        begin, end = rows[0, y], rows[1, y]
        to = n * out_image + y * out_line
        of_row = divisor if divisor != 0 else rows[2, y]
        for c in range(channels if slide[0] > 0 else 0):
            for x in range(across):
                values[x], found[x] = LEAST, begin * width + columns[0, x]
            for v in range(begin, end, dilation[0]):
                line = at(image, n * image_image + c * image_channel + v * image_line)
                sweep(slide[0], taps, line, image_step, v * width, best, where)
            divisors = at(ones, 0) if divisor != 0 else at(columns[2], 0)
            start = to + c * out_channel
            write(across, best, where, of_row, divisors, at(out, start), at(places, start), out_step)
        for x in range(across if slide[0] == 0 else 0):
            for c in range(channels):
                values[c], found[c] = LEAST, begin * width + columns[0, x]
            for v in range(begin, end, dilation[0]):
                for u in range(columns[0, x], columns[1, x], dilation[1]):
                    numbers = at(image, n * image_image + v * image_line + u * image_step)
                    if image_channel == 1:
                        accumulate(channels, numbers, 1, v * width + u, 0, best, where)
                    else:
                        accumulate(channels, numbers, image_channel, v * width + u, 0, best, where)
            by = of_row if divisor != 0 else of_row * columns[2, x]
            start = to + x * out_step
            write(channels, best, where, by, at(ones, 0), at(out, start), at(places, start), out_channel)


def add_parts(count, parts, numbers, step):
    """One number of the image for each result: its part is added to it."""
    for j in range(count):
        numbers[j * step] = Number(numbers[j * step] + parts[j])


def sweep_back(move, taps, line, step, parts):
    """The parts of a line of results added to all places of their windows in one line of the image."""
    for tap in range(taps.shape[1]):
        u, low, high = taps[0, tap], taps[1, tap], taps[2, tap]
        numbers, some = advance(line, u * step), advance(parts, low)
        if move * step == 1:
            add_parts(high - low, some, numbers, 1)
        elif move * step == 2:
            add_parts(high - low, some, numbers, 2)
        else:
            add_parts(high - low, some, numbers, move * step)


def channels_back(channels, begin, end, dilation, line, step, channel, parts):
    """The parts of all channels of a result added to one line of their windows in the image."""
    for u in range(begin, end, dilation):
        if channel == 1:
            add_parts(channels, parts, advance(line, u * step), 1)
        else:
            add_parts(channels, parts, advance(line, u * step), channel)


# fmt: off
def mean_gradient(
    first, last, counts, strides, rows, columns, dilation, slide, divisor, out, image, places,
):
    # fmt: on
    """The gradient of the mean: each number of `out`, divided, is added to all numbers of its window.

    The arguments are those of `pool_lines`. A task is a channel of an image, or a whole image where the
    innermost loop runs over the channels. `places` is not used.
    """
    channels, width = counts
    down, across = rows.shape[1], columns.shape[1]
    out_image, out_channel, out_line, out_step = strides[0]
    image_image, image_channel, image_line, image_step = strides[1]
    values = np.empty(greater(channels, across), best_type)
    parts = at(values, 0)
    move = slide[0]
    taps = taps_of(slide, width, dilation[1], across)
    for task in range(first, last):
        n, c = (task // channels, task % channels) if move > 0 else (task, 0)
        plane = at(image, n * image_image + c * image_channel)
        for y in range(down):
            of_row = divisor if divisor != 0 else rows[2, y]
            start = n * out_image + c * out_channel + y * out_line
            for x in range(across if move > 0 else 0):
                by = of_row if divisor != 0 else of_row * columns[2, x]
                values[x] = Number(widen(out[start + x * out_step]) / Number(by))
            for v in range(rows[0, y], rows[1, y] if move > 0 else rows[0, y], dilation[0]):
                sweep_back(move, taps, advance(plane, v * image_line), image_step, parts)
            for x in range(across if move == 0 else 0):
                by = of_row if divisor != 0 else of_row * columns[2, x]
                for lane in range(channels):
                    cell = start + x * out_step + lane * out_channel
                    values[lane] = Number(widen(out[cell]) / Number(by))
                for v in range(rows[0, y], rows[1, y], dilation[0]):
                    channels_back(
                        channels, columns[0, x], columns[1, x], dilation[1], advance(plane, v * image_line),
                        image_step, image_channel, parts,
                    )  # fmt: skip


# fmt: off
def greatest_gradient(
    first, last, counts, strides, rows, columns, dilation, slide, divisor, out, image, places,
):
    # fmt: on
    """The gradient of the greatest: each number of `out` is added to the one at its place.

    The arguments are those of `mean_gradient`. Lines of the image follow one another without gaps.
    """
    channels, move = counts[0], slide[0]
    down, across = rows.shape[1], columns.shape[1]
    out_image, out_channel, out_line, out_step = strides[0]
    image_image, image_channel, _, image_step = strides[1]
    for task in range(first, last):
        n, c = task // channels if move > 0 else task, task % channels if move > 0 else 0
        for y in range(down):
            for x in range(across):
                start = n * out_image + y * out_line + x * out_step
                for lane in range(c, c + 1 if move > 0 else channels):
                    cell = start + lane * out_channel
                    to = n * image_image + lane * image_channel + places[cell] * image_step
                    image[to] = narrow(Number(widen(image[to]) + widen(out[cell])))


best_type = np.float32
accumulate, write = accumulate_greatest, write_greatest
