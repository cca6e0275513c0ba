"""The CPU backend: kernels compiled by Numba."""

from __future__ import annotations

from tensorlab.backends.cpu import masks
from tensorlab.backends.cpu.attention import attention, attention_gradient
from tensorlab.backends.cpu.convolution import correlate, correlate_weights
from tensorlab.backends.cpu.counting import bounds_of_numbers, count_numbers, weigh_numbers
from tensorlab.backends.cpu.distinct import count_runs, distinct, order_rows, row_runs, take_runs
from tensorlab.backends.cpu.embedding import add_rows, take_rows
from tensorlab.backends.cpu.extremes import extremes
from tensorlab.backends.cpu.gemm import gemm, small_gemm
from tensorlab.backends.cpu.index import indexed, outside
from tensorlab.backends.cpu.index_runs import add_run, take_run
from tensorlab.backends.cpu.joining import join_pair
from tensorlab.backends.cpu.joint import joint_kernel
from tensorlab.backends.cpu.kth import kth_cell
from tensorlab.backends.cpu.likelihood import likelihood, likelihood_gradient
from tensorlab.backends.cpu.mapped import mapped_fold
from tensorlab.backends.cpu.normalise import normalise, normalise_gradient
from tensorlab.backends.cpu.overwriting import overwriting
from tensorlab.backends.cpu.pointwise import flat_kernel, pointwise, short_kernel
from tensorlab.backends.cpu.pooling import pool, pool_gradient
from tensorlab.backends.cpu.random import philox, prepare, seed_words
from tensorlab.backends.cpu.ranking import rank
from tensorlab.backends.cpu.reduce import flat_fold, reduce
from tensorlab.backends.cpu.resampling import resample
from tensorlab.backends.cpu.results import computing, dense, exchanging, mapping, meeting, new_dense, view
from tensorlab.backends.cpu.scan import scan
from tensorlab.backends.cpu.search import search
from tensorlab.backends.cpu.selection import first_k, first_of_more
from tensorlab.backends.cpu.softmax import short_softmax, softmax
from tensorlab.backends.cpu.softmax_gradient import softmax_gradient
from tensorlab.backends.cpu.triangles import clear_triangle

__all__ = ["BACKEND"]


class CPU:
    """The backend of the device ``"cpu"`` (see `tensorlab.backends.protocol`)."""

    add_rows = staticmethod(add_rows)
    add_run = staticmethod(add_run)
    attention = staticmethod(attention)
    attention_gradient = staticmethod(attention_gradient)
    bounds_of_numbers = staticmethod(bounds_of_numbers)
    clear_triangle = staticmethod(clear_triangle)
    computing = staticmethod(computing)
    correlate = staticmethod(correlate)
    correlate_weights = staticmethod(correlate_weights)
    count_numbers = staticmethod(count_numbers)
    count_runs = staticmethod(count_runs)
    dense = staticmethod(dense)
    distinct = staticmethod(distinct)
    exchanging = staticmethod(exchanging)
    extremes = staticmethod(extremes)
    first_k = staticmethod(first_k)
    first_of_more = staticmethod(first_of_more)
    flat_fold = staticmethod(flat_fold)
    flat_kernel = staticmethod(flat_kernel)
    gemm = staticmethod(gemm)
    indexed = staticmethod(indexed)
    join_pair = staticmethod(join_pair)
    joint_kernel = staticmethod(joint_kernel)
    kth_cell = staticmethod(kth_cell)
    likelihood = staticmethod(likelihood)
    likelihood_gradient = staticmethod(likelihood_gradient)
    mapped_fold = staticmethod(mapped_fold)
    mapping = staticmethod(mapping)
    mask_count = staticmethod(masks.count)
    mask_fill = staticmethod(masks.fill)
    mask_positions = staticmethod(masks.positions)
    mask_scatter = staticmethod(masks.scatter)
    mask_select = staticmethod(masks.select)
    meeting = staticmethod(meeting)
    new_dense = staticmethod(new_dense)
    normalise = staticmethod(normalise)
    normalise_gradient = staticmethod(normalise_gradient)
    order_rows = staticmethod(order_rows)
    outside = staticmethod(outside)
    overwriting = staticmethod(overwriting)
    philox = staticmethod(philox)
    pointwise = staticmethod(pointwise)
    pool = staticmethod(pool)
    pool_gradient = staticmethod(pool_gradient)
    random = staticmethod(prepare)
    rank = staticmethod(rank)
    reduce = staticmethod(reduce)
    resample = staticmethod(resample)
    row_runs = staticmethod(row_runs)
    seed_words = staticmethod(seed_words)
    scan = staticmethod(scan)
    search = staticmethod(search)
    short_kernel = staticmethod(short_kernel)
    short_softmax = staticmethod(short_softmax)
    small_gemm = staticmethod(small_gemm)
    softmax = staticmethod(softmax)
    softmax_gradient = staticmethod(softmax_gradient)
    take_rows = staticmethod(take_rows)
    take_run = staticmethod(take_run)
    take_runs = staticmethod(take_runs)
    view = staticmethod(view)
    weigh_numbers = staticmethod(weigh_numbers)


BACKEND = CPU()
