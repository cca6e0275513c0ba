"""The loops around the tile: each keeps one block of an operand in one memory while others pass by.

======  ==========================  ==========  ==================================================
loop    runs over                   in BLIS     what it keeps
======  ==========================  ==========  ==================================================
1       blocks of columns           jc, by NC   as many columns of B as fit the second-level cache
2       blocks of steps (of k)      pc, by KC   the block of B, copied once
3       blocks of rows              ic, by MC   a block of A, copied once if it has to be
4       strips, as high as a tile   ir, by MR   the strip's rows of A, in the first-level cache
5       tiles of the strip          jr, by NR   a tile of the result, in registers
======  ==========================  ==========  ==================================================

Loops 4 and 5 are the macro-kernel; what is inside of them, `tensorlab.backends.cpu.gemm.tile`, is the
micro-kernel. BLIS has 5 around 4: a panel of B stays in the first-level cache while strips of a packed block
of A come from the second, and the block of B lies in the third. Here the strip of A stays and the panels of B
come. So only B has to be copied, if A's rows are runs: the first-level cache keeps a few rows as they lie.

Every sum over k is made in blocks of the same steps, each from zero and in ascending order, whatever part of
the result is computed and however its operands lie: so one element's value depends on its own row of A and
column of B alone.
"""

from __future__ import annotations

from tensorlab.backends.cpu.gemm.cell import COLUMNS, HEIGHT, LANES, ROWS, STEPS, WIDTH, numbers
from tensorlab.backends.cpu.gemm.finish import finish
from tensorlab.backends.cpu.gemm.pack import pack, pack_panels, pack_strips
from tensorlab.backends.cpu.gemm.tile import strip
from tensorlab.backends.cpu.pointers import advance


# fmt: off
def tiles(
    m, n, k, a, a_row, a_step, b, b_step, b_col, packs_a, packs_b, collects, work,
    alpha, beta, adds_residual, out, o_row, o_col, source, s_row, s_col, residual, r_row, r_col,
):
    # fmt: on
    """See `forms` in `text.py`. Operands that are not packed have runs of numbers as rows.

    A result that is not collected in the workspace is computed where it stands.
    """
    width = balanced(n, COLUMNS, WIDTH)
    depth = balanced(k, STEPS, 8)
    sums = work
    block_b = advance(work, m * width if collects else 0)
    block_a = advance(block_b, STEPS * COLUMNS)
    for j in range(0, n, width):  # loop 1
        columns = min(width, n - j)
        if collects:
            c, c_row = sums, width
        else:
            c, c_row = advance(numbers(out, sums), j), o_row
        for p in range(0, max(k, 1), depth):  # loop 2
            steps = min(depth, k - p)
            b_block = advance(b, p * b_step + j * b_col)
            if packs_b:
                pack_panels(steps, columns, b_block, b_step, b_col, block_b)
            for i in range(0, m, HEIGHT):  # loop 3
                rows = min(HEIGHT, m - i)
                a_block = advance(a, i * a_row + p * a_step)
                if not packs_a:
                    left, next_strip, left_row, left_step = numbers(a_block, block_a), a_row, a_row, a_step
                elif a_row == 1:
                    pack_strips(rows, steps, a_block, a_step, block_a)
                    left, next_strip, left_row, left_step = block_a, steps, 1, ROWS
                else:
                    pack(rows, steps, a_block, a_row, a_step, block_a, STEPS + LANES)
                    left, next_strip, left_row, left_step = block_a, STEPS + LANES, STEPS + LANES, 1
                for r in range(0, rows, ROWS):  # loop 4; the fifth is in `strip`
                    high = min(ROWS, rows - r)
                    a_strip, c_strip = advance(left, r * next_strip), advance(c, (i + r) * c_row)
                    strip(
                        steps, high, columns, a_strip, left_row, left_step,
                        block_b if packs_b else numbers(b_block, block_b),
                        steps if packs_b else b_step, packs_b, c_strip, c_row, p > 0,
                    )  # fmt: skip
                    if collects and p + depth >= k:
                        finish(
                            high, columns, c_strip, c_row, alpha, beta, adds_residual,
                            advance(out, (i + r) * o_row + j * o_col), o_row, o_col,
                            advance(source, (i + r) * s_row + j * s_col), s_row, s_col,
                            advance(residual, (i + r) * r_row + j * r_col), r_row, r_col,
                        )  # fmt: skip


def balanced(size, most, multiple):
    """The size of equal blocks, none larger than `most`: a multiple, like `most` itself."""
    blocks = (max(size, 1) + most - 1) // most
    return ((max(size, 1) + blocks - 1) // blocks + multiple - 1) // multiple * multiple
