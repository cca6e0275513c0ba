"""The loops around the tiles, for a convolution and for the gradient of its weights.

=======  ====================================  =========================================================
loop     of a convolution, over                what it keeps
=======  ====================================  =========================================================
1        tasks: results, images, positions     the sums of a task, in the second-level cache
2        channels, as many as make a block     their weights, one row for each result
3        images of the task                    the copy of these channels, padded
4        strips of results                     the strip's weights, in the first-level cache
5        tiles of the strip                    sums, in registers
=======  ====================================  =========================================================

The gradient of the weights sums over images and positions: these are its inner loops, and the sums of some
channels and results stay where they are from the first image to the last.

Every sum is made of the same parts in the same order, however the tasks are shared among threads.
"""

from __future__ import annotations

from tensorlab.backends.cpu.convolution.copies import (
    copy_image,
    pack_gradients,
    pack_weights,
    write_result,
    write_weights,
)
from tensorlab.backends.cpu.convolution.tile import gradient_strip, image_strip
from tensorlab.backends.cpu.gemm.cell import ROWS, Number, widen
from tensorlab.backends.cpu.pointers import advance, at
from tensorlab.backends.cpu.run_loops import zero_run


# fmt: off
def convolve(
    first, last, counts, sizes, extents, steps, block, strides, lines, segments, places, taps,
    out, image, weight, bias, work,
):
    # fmt: on
    """Tasks `first` … `last` - 1 of ``out = bias + weight * image``.

    Args:
        counts: images, groups, results and channels of a group.
        sizes, extents: of the result and of the image, each (depth, height, width).
        steps: by how much the window moves in each dimension.
        block: the images, results, rows, columns, channels and taps of a block; the numbers of a line, of a
            plane, of the copy's room, and of a row of sums; whether all weights of a task's results stay.
        strides: rows for the result, the image, the weights and the bias: image, group, channel, z, y, x. For
            the weights the first is that from result to result.
        lines, segments: see `copy_image`.
        places: where in the copy the rows of the unfolded image begin, for the channels of a block.
        taps: the place of each tap in the weights of one channel.
        out, image, weight, bias: flat arrays of cells.
        work: the workspace of one thread.
    """
    images, _, results, channels = counts
    many_images, strip, rows, columns, many_channels, many_taps = block[:6]
    pitch, plane, room, sums_row, stays = block[6:]
    blocks_x = (sizes[2] + columns - 1) // columns
    blocks_y = (sizes[1] + rows - 1) // rows
    blocks_n = (images + many_images - 1) // many_images
    strips = (results + strip - 1) // strip
    row = many_channels * taps.size if many_taps == taps.size else many_taps
    copy = at(work, 0)
    sums = advance(copy, room)
    weights = advance(sums, strip * sums_row)
    kept = -1
    for task in range(first, last):
        rest, x = task // blocks_x, task % blocks_x * columns
        rest, y = rest // blocks_y, rest % blocks_y * rows
        rest, z = rest // sizes[0], rest % sizes[0]
        rest, n = rest // blocks_n, rest % blocks_n * many_images
        g, m = rest // strips, rest % strips * strip
        several, high = min(many_images, images - n), min(strip, results - m)
        down, across = min(rows, sizes[1] - y), min(columns, sizes[2] - x)
        count = (down - 1) * pitch + across
        per_image = sums_row // many_images
        for i in range((high + ROWS - 1) // ROWS * ROWS):
            begin = Number(0)
            if i < high and bias.size > 0:
                begin = widen(bias[g * strides[3, 1] + (m + i) * strides[3, 2]])
            for j in range(several * per_image):
                sums[i * sums_row + j] = begin
        block_at = 0
        for c in range(0, channels, many_channels):
            deep = min(many_channels, channels - c)
            for t in range(0, taps.size, many_taps):
                end = min(t + many_taps, taps.size)
                a = advance(weights, block_at)
                if not stays or kept != rest:
                    w = advance(at(weight, g * strides[2, 1]), m * strides[2, 0] + c * strides[2, 2])
                    pack_weights(high, deep, t, end, taps, w, strides[2, 0], strides[2, 2], a, row)
                if stays:
                    block_at += strip * row
                for b in range(several):
                    if t == 0 or several > 1:
                        source = (n + b) * strides[1, 0] + g * strides[1, 1] + c * strides[1, 2]
                        copy_image(
                            deep, extents[0], extents[1], extents[2], at(image, source), strides[1, 2],
                            strides[1, 3], strides[1, 4], strides[1, 5], z * steps[0], y * steps[1],
                            x * steps[2], steps[2], lines, segments, pitch, plane, copy,
                        )  # fmt: skip
                    for i in range(0, high, ROWS):
                        to = advance(sums, i * sums_row + b * per_image)
                        image_strip(
                            deep * (end - t), count, advance(a, i * row), row, copy, at(places, t), to,
                            sums_row,
                        )  # fmt: skip
        kept = rest
        for b in range(several):
            target = (n + b) * strides[0, 0] + g * strides[0, 1] + m * strides[0, 2]
            target += z * strides[0, 3] + y * strides[0, 4] + x * strides[0, 5]
            write_result(
                down, across, high, advance(sums, b * per_image), pitch, sums_row, at(out, target),
                strides[0, 2], strides[0, 4], strides[0, 5],
            )  # fmt: skip


# fmt: off
def weight_gradient(
    first, last, counts, sizes, extents, steps, block, strides, lines, segments, places, taps,
    out, image, weight, bias, work,
):
    # fmt: on
    """Tasks `first` … `last` - 1 of the weights' gradient: `weight` is written, and `out` is the gradient.

    The arguments are those of `convolve`. A block's rows and columns are those of the positions that are
    summed up at a time, and a row of sums has its results.
    """
    images, _, results, channels = counts
    _, strip, rows, columns, many_channels, many_taps = block[:6]
    pitch, plane, room, sums_row, _ = block[6:]
    strips = (results + strip - 1) // strip
    blocks_c = (channels + many_channels - 1) // many_channels
    blocks_t = (taps.size + many_taps - 1) // many_taps
    copy = at(work, 0)
    sums = advance(copy, room)
    panels = advance(sums, (many_channels * many_taps + ROWS - 1) // ROWS * ROWS * sums_row)
    for task in range(first, last):
        rest, t = task // blocks_t, task % blocks_t * many_taps
        rest, c = rest // blocks_c, rest % blocks_c * many_channels
        g, m = rest // strips, rest % strips * strip
        wide, deep = min(strip, results - m), min(many_channels, channels - c)
        end = min(t + many_taps, taps.size)
        high = deep * (end - t)
        zero_run((high + ROWS - 1) // ROWS * ROWS * sums_row, sums)
        for n in range(images):
            source = n * strides[1, 0] + g * strides[1, 1] + c * strides[1, 2]
            begin = n * strides[0, 0] + g * strides[0, 1] + m * strides[0, 2]
            for z in range(sizes[0]):
                for y in range(0, sizes[1], rows):
                    for x in range(0, sizes[2], columns):
                        down, across = min(rows, sizes[1] - y), min(columns, sizes[2] - x)
                        copy_image(
                            deep, extents[0], extents[1], extents[2], at(image, source), strides[1, 2],
                            strides[1, 3], strides[1, 4], strides[1, 5], z * steps[0], y * steps[1],
                            x * steps[2], steps[2], lines, segments, pitch, plane, copy,
                        )  # fmt: skip
                        position = z * strides[0, 3] + y * strides[0, 4] + x * strides[0, 5]
                        pack_gradients(
                            down, across, wide, at(out, begin + position), strides[0, 2], strides[0, 4],
                            strides[0, 5], pitch, panels,
                        )  # fmt: skip
                        for k in range(0, high, ROWS):
                            gradient_strip(
                                down, across, wide, copy, pitch, at(places, t + k), panels,
                                advance(sums, k * sums_row), sums_row,
                            )  # fmt: skip
        to = at(weight, g * strides[2, 1] + m * strides[2, 0] + c * strides[2, 2])
        write_weights(wide, deep, t, end, taps, sums, sums_row, to, strides[2, 0], strides[2, 2])
