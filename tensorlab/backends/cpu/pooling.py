"""Pooling: the greatest number in a window, or their mean, and their gradients."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from tensorlab.backends.cpu import halves, intrinsics, jit, pointers, pooling_loops, threads
from tensorlab.backends.cpu.gemm.text import OPTIONS, cell_functions, decorated
from tensorlab.backends.cpu.levels import compute_name
from tensorlab.backends.cpu.sharing import share
from tensorlab.backends.windows import Pooling
from tensorlab.core.dtypes import dtype

# What one number in a window costs, in additions of one float32.
COST = 2

NO_PLACES = np.zeros(0, np.int64)


def pool(element_type: dtype, problem: Pooling, greatest: bool, places: bool = True) -> Callable[..., None]:
    """See `tensorlab.backends.windows.WindowOperations.pool`."""
    form = "mean" if not greatest else "greatest" if places else "greatest_alone"
    return _prepared(element_type, problem, form)


def pool_gradient(element_type: dtype, problem: Pooling, greatest: bool) -> Callable[..., None]:
    """See `tensorlab.backends.windows.WindowOperations.pool_gradient`."""
    return _prepared(element_type, problem, "greatest_gradient" if greatest else "mean_gradient")


def _prepared(element_type: dtype, problem: Pooling, form: str) -> Callable[..., None]:
    """A launch over (out, image, places), the last perhaps left out."""
    kernel = _kernel(element_type, form)
    down, across = problem.reaches
    slides = across.move > 0 and problem.image[3] <= problem.image[1]
    slide = (across.move, across.first, across.taps) if slides else (0, 0, 0)
    windows = [np.array([reach.begins, reach.ends, reach.divisors], np.int64) for reach in problem.reaches]
    dilation = (down.dilation, across.dilation)
    options = (
        (problem.channels, problem.width),
        (problem.out, problem.image),
        *windows,
        dilation,
        slide,
        problem.divisor,
    )
    tasks = problem.images * len(down.begins)
    if form in _GRADIENTS:  # windows overlap: one thread writes all of a channel, or of an image
        tasks = problem.images * (problem.channels if slides else 1)
    covered = int(np.prod([(window[1] - window[0]).sum() for window in windows]))
    work = COST * problem.images * problem.channels * covered

    def launch(out: tuple, image: tuple, places: tuple = (NO_PLACES, 0)) -> None:
        operands = [cells[offset:] for cells, offset in (out, image, places)]
        team = min(threads.team_for(work), tasks)
        share(kernel, team, tasks, *options, *operands)

    return launch


_FORMS: dict[str, tuple[list[Any], str]] = {
    "greatest": (
        [pooling_loops.taps_of, pooling_loops.accumulate_greatest, pooling_loops.write_greatest],
        "accumulate, write = accumulate_greatest, write_greatest\n",
    ),
    "greatest_alone": (
        [pooling_loops.taps_of, pooling_loops.accumulate_alone, pooling_loops.write_alone],
        "accumulate, write = accumulate_alone, write_alone\n",
    ),
    "mean": (
        [pooling_loops.taps_of, pooling_loops.accumulate_sum, pooling_loops.write_mean],
        "accumulate, write = accumulate_sum, write_mean\n",
    ),
    "mean_gradient": (
        [
            pooling_loops.taps_of,
            pooling_loops.add_parts,
            pooling_loops.sweep_back,
            pooling_loops.channels_back,
        ],
        "",
    ),
    "greatest_gradient": ([], ""),
}
_GRADIENTS = {
    "mean_gradient": pooling_loops.mean_gradient,
    "greatest_gradient": pooling_loops.greatest_gradient,
}
_DIGEST = hashlib.sha256("".join(map(inspect.getsource, (intrinsics, pointers))).encode()).hexdigest()[:16]


def pool_source(element_type: dtype, form: str) -> str:
    """The text of one module, whose kernel is called ``kernel``.

    Args:
        element_type: of image and result.
        form: ``"greatest"``, ``"mean"``, ``"greatest_gradient"`` or ``"mean_gradient"``; ``"greatest_alone"``
            without places.

    Example:
        >>> from tensorlab import dtypes
        >>> text = pool_source(dtypes.int64, "mean")
        >>> "def accumulate_sum(" in text, "def accumulate_greatest(" in text
        (True, False)
    """
    number = np.dtype(compute_name(element_type))
    least: object = 0
    if form in ("greatest", "greatest_alone"):
        least = 'float("-inf")' if number.kind == "f" else np.iinfo(number).min
    inner, names = _FORMS[form]
    kernel = _GRADIENTS.get(form, pooling_loops.pool_lines)
    parts = [
        *[decorated(inspect.getsource(conversion)) for conversion in halves.needed([element_type])],
        *cell_functions(element_type),
        *[decorated(inspect.getsource(level)) for level in inner],
        names,
        *([] if form in _GRADIENTS else [decorated(inspect.getsource(pooling_loops.sweep))]),
        f"@njit({jit.KERNEL}, {OPTIONS})\n{inspect.getsource(kernel)}",
        f"kernel = {kernel.__name__}\n",
    ]
    return (
        f'"""Generated by tensorlab: pooling of {element_type.name}, {form}."""\n\n'
        "import numpy as np\nfrom numba import njit\n\n"
        "from tensorlab.backends.cpu.intrinsics import greater, lesser\n"
        "from tensorlab.backends.cpu.jit import Part\n"
        f"from tensorlab.backends.cpu.pointers import advance, at\n# with intrinsics {_DIGEST}\n\n"
        f"Number = number = best_type = np.{number.name}\n"
        f"LEAST, WHOLE = Number({least}), {number.kind != 'f'}\n\n" + "\n\n".join(parts)
    )


_kernels: dict[tuple, Callable] = {}


def _kernel(element_type: dtype, form: str) -> Callable[..., Any]:
    found = _kernels.get((element_type, form))
    if found is None:
        module = jit.load(f"pool_{form}_{element_type.name}", pool_source(element_type, form))
        found = _kernels[element_type, form] = jit.quiet(module.kernel)
    return found
