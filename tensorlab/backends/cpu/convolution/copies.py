"""Copies: a padded part of the image, weights in rows, gradients in panels, and the way of sums into results.

The copy of an image holds for each channel some *lines*: rows of the image that taps meet. Where the window
moves by more than one number, the numbers that one tap meets are every second or third of a line, and the
line is copied in as many *segments*, each with the numbers that belong together. What lies outside of the
image is 0.
"""

from __future__ import annotations

from tensorlab.backends.cpu.gemm.cell import LANES, ONE, ROWS, SAME, narrow, widen
from tensorlab.backends.cpu.gemm.pack import pack
from tensorlab.backends.cpu.gemm.tile import panel
from tensorlab.backends.cpu.pointers import advance
from tensorlab.backends.cpu.run_loops import zero_run


# fmt: off
def copy_image(
    channels, depth, height, width, image, channel, z_stride, y_stride, x_stride,
    z, y, x, step_x, lines, segments, pitch, plane, to,
):
    # fmt: on
    """The lines and segments that the taps meet for positions from (z, y, x) of the image on.

    Args:
        channels: how many to copy; they are `channel` apart in the image, and `plane` in the copy.
        lines: for each line how far behind `z`, and how far behind `y` it lies.
        segments: for each segment how far behind `x` it begins.
        pitch: the numbers of one line in one segment.
    """
    for s in range(segments.size):
        begin = x + segments[s]
        # Numbers before `low` and from `high` on lie outside of the image.
        low = min(max(-(begin // step_x), 0), pitch)
        high = max(min((width - 1 - begin) // step_x + 1, pitch), low)
        for n in range(lines.shape[1]):
            line = advance(to, (s * lines.shape[1] + n) * pitch)
            in_z, in_y = z + lines[0, n], y + lines[1, n]
            if in_z < 0 or in_z >= depth or in_y < 0 or in_y >= height:
                for c in range(channels):
                    zero_run(pitch, advance(line, c * plane))
            else:
                for c in range(channels):
                    zero_run(low, advance(line, c * plane))
                    zero_run(pitch - high, advance(line, c * plane + high))
                source = advance(image, in_z * z_stride + in_y * y_stride + (begin + low * step_x) * x_stride)
                pack(channels, high - low, source, channel, step_x * x_stride, advance(line, low), plane)


def pack_weights(results, channels, first, last, taps, weight, result, channel, to, row):
    """Rows of weights, one for each result: of each channel the taps from `first` to `last`.

    Rows of zeros follow, up to a whole tile.
    """
    several = last - first
    runs = channel == several
    for t in range(several):
        runs = runs and taps[first + t] == t
    if runs:
        # The weights of all channels are a run.
        pack(results, channels * several, weight, result, ONE, to, row)
    else:
        for m in range(results):
            w, line = advance(weight, m * result), advance(to, m * row)
            for t in range(several):
                tap, column = advance(w, taps[first + t]), advance(line, t)
                for c in range(channels):
                    column[c * several] = widen(tap[c * channel])
    for m in range(results, (results + ROWS - 1) // ROWS * ROWS):
        zero_run(channels * several, advance(to, m * row))


def pack_gradients(rows, columns, results, gradient, result, y_stride, x_stride, pitch, to):
    """Gradients at `rows` × `columns` positions as panels: for each position a row of channels.

    The `pitch` of the copy's lines does not matter here; it does where a group has few results.
    """
    j = 0
    while j < results:
        wide = panel(results - j)
        row = (wide + LANES - 1) // LANES * LANES
        for r in range(rows):
            source = advance(gradient, j * result + r * y_stride)
            to_line = advance(to, (j * rows + r * row) * columns)
            pack(columns, wide, source, x_stride, result, to_line, row)
        j += wide


def write_result(rows, columns, results, sums, pitch, sums_row, out, result, y_stride, x_stride):
    """The sums at `rows` × `columns` positions into the result."""
    for r in range(rows):
        line, to = advance(sums, r * pitch), advance(out, r * y_stride)
        if SAME and result == 1:
            pack(columns, results, line, ONE, sums_row, to, x_stride)
        elif x_stride == 1:
            for m in range(results):
                source, cells = advance(line, m * sums_row), advance(to, m * result)
                for x in range(columns):
                    cells[x] = narrow(source[x])
        else:
            for m in range(results):
                for x in range(columns):
                    to[m * result + x * x_stride] = narrow(line[m * sums_row + x])


def write_weights(results, channels, first, last, taps, sums, sums_row, out, result, channel):
    """The sums of channels and taps into the weights' gradient."""
    several = last - first
    for m in range(results):
        for c in range(channels):
            for t in range(several):
                to = m * result + c * channel + taps[first + t]
                out[to] = narrow(sums[(c * several + t) * sums_row + m])
