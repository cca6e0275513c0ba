"""What a mask chooses: where it is not 0, and which elements stand there."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from tensorlab.backends.cuda.constants import specialised
from tensorlab.backends.cuda.index import cell_of, counting, merged
from tensorlab.backends.cuda.intrinsics import quotient, remainder
from tensorlab.backends.cuda.operands import raw
from tensorlab.backends.cuda.rows import WARPS, joined
from tensorlab.backends.cuda.simulator import cuda
from tensorlab.backends.operands import Buffer, Launch
from tensorlab.core.integers import ceil_div

if TYPE_CHECKING:
    from tensorlab.backends.cuda.compute import Cuda

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

# What is done where a mask is not 0, and in which numbers is counted.
POSITIONS, SELECT, SCATTER = range(3)
ACTIONS = {"positions": POSITIONS, "select": SELECT, "scatter": SCATTER}
ACTION, number = POSITIONS, np.int64


def count_by_mask(total, length, shape, counts, mask, mask_first, mask_strides):
    """How many elements of a mask are not 0: each block counts a run of it."""
    warps = cuda.shared.array(WARPS, number)
    begin, found = cuda.blockIdx.x * length, number(0)
    for i in range(begin + cuda.threadIdx.x, min(begin + length, total), cuda.blockDim.x):
        if mask[cell_of(i, shape, mask_first, mask_strides)] != 0:
            found = number(found + 1)
    found = joined(found, warps, True)
    if cuda.threadIdx.x == 0:
        counts[cuda.blockIdx.x] = found


def choose_by_mask(
    total, length, count, shape, counts, line, line_first, mask, mask_first, mask_strides,
    x, x_first, x_strides,
):  # fmt: skip
    """What `Core.compact` does, by blocks that have a run of the mask each; `counts` is what they have.

    The sum of the counts before its own says where in the line a block's elements begin. Then it goes through
    its run, and the threads add up how many of them chose, which says where each one's element goes.
    """
    warps = cuda.shared.array(WARPS, number)
    chosen = cuda.shared.array(WARPS, number)
    me, threads = cuda.threadIdx.x, cuda.blockDim.x
    lane, warp = me % 32, me // 32
    before = number(0)
    for block in range(me, cuda.blockIdx.x, threads):
        before = number(before + counts[block])
    before = joined(before, warps, True)
    begin = cuda.blockIdx.x * length
    end = min(begin + length, total)
    for first in range(begin, end, threads):
        i, own = first + me, number(0)
        if i < end and mask[cell_of(i, shape, mask_first, mask_strides)] != 0:
            own = number(1)
        place, step = own, 1
        while step < 32:
            other = cuda.shfl_up_sync(0xFFFFFFFF, place, step)
            if lane >= step:
                place = number(place + other)
            step *= 2
        if lane == 31:
            chosen[warp] = place
        cuda.syncthreads()
        of_all = number(0)
        for each in range(threads // 32):
            if each == warp:
                place = number(place + of_all)
            of_all = number(of_all + chosen[each])
        if own != 0:
            cell = line_first + before + place - 1
            if ACTION == POSITIONS:
                rest = i
                for dim in range(len(shape) - 1, -1, -1):
                    line[cell + dim * count] = remainder(rest, shape[dim])
                    rest = quotient(rest, shape[dim])
            elif ACTION == SELECT:
                line[cell] = x[cell_of(i, shape, x_first, x_strides)]
            else:
                x[cell_of(i, shape, x_first, x_strides)] = line[cell]
        cuda.syncthreads()
        before = number(before + of_all)


def prepare_compact(
    backend: Cuda, action: str, shape: Sequence[int], mask: Sequence[int], other: Sequence[int] = ()
) -> Launch:
    """See `tensorlab.backends.protocol.Core.compact`."""
    total, threads = math.prod(shape), backend.driver.threads
    operands = [mask, *([other] if other else [])]
    sizes, strides = (shape, operands) if action == "positions" else merged(shape, *operands)
    walked, of_mask, of_others = (
        tuple(sizes or (1,)),
        tuple(strides[0] or (0,)),
        tuple(strides[-1] or (0,)),
    )
    length = ceil_div(ceil_div(total, backend.driver.blocks), threads) * threads
    blocks, constants = ceil_div(total, length), {"ACTION": ACTIONS[action], **counting(total)}
    count_up, move = (
        specialised(kernel, **constants, number=np.int64) for kernel in (count_by_mask, choose_by_mask)
    )

    def launch(line: Buffer, at: Buffer, cells: Buffer | None, count: int) -> None:
        counts = backend.allocate(blocks, np.dtype(np.int64))
        given = *raw(at), of_mask
        backend.run(count_up, blocks, threads, total, length, walked, counts.cells, *given)
        moved = *raw(line), *given, *raw(cells or at), of_others
        backend.run(move, blocks, threads, total, length, count, walked, counts.cells, *moved)

    return launch
