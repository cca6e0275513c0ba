"""What the texts of all kernels of folds begin with, and the sizes of the pieces that they work in."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path

from tensorlab import dtypes
from tensorlab.backends.cpu import fold_vectors, jit, pointers
from tensorlab.backends.cpu.fold_pass import Pass, by_vectors
from tensorlab.backends.cpu.kernel_text import OPTIONS, STEP_BLOCK, Cells, header
from tensorlab.dtypes import dtype
from tensorlab.folds import Fold, itself
from tensorlab.scalars import TABLE
from tensorlab.scalars.source import formula_text

__all__ = [
    "AHEAD_BYTES",
    "GROUP",
    "NEAR_BYTES",
    "ROWS",
    "STRIP",
    "STRIPS",
    "TOGETHER",
    "VECTOR_ROWS",
    "FoldText",
    "block_length",
    "fold_header",
    "scalar_functions",
    "strip_width",
]

# Bytes to a block of elements. Of integers and of sixteen-bit floats that are folded as they are it is less:
# between two blocks memory is asked for, and little at a time comes soonest. Others wait less for memory and
# more for what follows a block, or ask for memory within the block.
BLOCK_BYTES = 4096
SHORT_BLOCK_BYTES = 1024
# How far ahead memory is asked for, and from how many bytes of elements on: fewer lie in a second-level cache
# from the last time, and asking only costs.
AHEAD_BYTES = 4096
NEAR_BYTES = 1 << 20

# Neighbouring results to a strip, where there are many: the least that a thread is given to do.
STRIP = 128
# Up to so many strips of neighbouring results that one thread has to do are computed together. Memory is the
# faster the longer the runs are in which it is read, and the totals of so many results stay in a first-level
# cache while rows of elements pass by.
STRIPS = 32
# Rows of a strip to a block: of whole vectors, and of others.
VECTOR_ROWS = 128
ROWS = 256
# Rows that are read together, so that a total is loaded and stored once for all of them.
TOGETHER = 8
# Where rows are narrow, several of them count as one that is no wider than this.
GROUP = 1024

# What is kept on disk of a kernel has the pointers' instructions in it, which Numba's cache does not see.
_DIGEST = hashlib.sha256(Path(pointers.__file__).read_bytes()).hexdigest()[:12]


def block_length(fold: Fold, source: dtype, step: bool) -> int:
    """Elements to a block of a fold; sixteen-bit floats and small integers take no more than others."""
    if step:
        return STEP_BLOCK
    short = fold.each is itself and not by_vectors(fold, source, step)
    return (SHORT_BLOCK_BYTES if short else BLOCK_BYTES) // max(source.itemsize, 4)


def strip_width(width: int) -> int:
    """How many of so many neighbouring results make a strip; rows that are grouped are not cut."""
    return STRIP if 2 * width > GROUP else width


def fold_header(title: str, imports: Iterable[str] = ()) -> str:
    """The first lines of a generated module that folds; `imports` names what it takes of `fold_vectors`."""
    pointers = f"from tensorlab.backends.cpu.pointers import advance, at  # {_DIGEST}\n"
    vectors = "".join(fold_vectors.IMPORT.format(name=name) for name in imports)
    return f"{header(title)}{vectors}{pointers}\n\n"


def scalar_functions(fold: Fold, one: Pass, value: dtype) -> str:
    """The text of the scalar functions that a fold calls."""
    compute = dtypes.by_name(one.value) if fold.scalars else value
    decorator = f"@njit({OPTIONS}, forceinline=True, {jit.HELPER})"
    return "".join(formula_text(TABLE[name].formula, compute, decorator) + "\n\n" for name in fold.scalars)


class FoldText:
    """What the text of a kernel is made of, whichever its form.

    Attributes:
        main: the fold's look at the elements.
        center: the look that comes first, if the kernel has to find the fold's center.
        given: whether the centers are passed to the kernel.
        step: whether the cells along the innermost loop lie apart.
        cells: the dtypes of the elements and of the results.
    """

    # All kernels take centers: those of one signature share the kernel that divides them among threads.
    parameters = "first, last, walk, span, parts, n, k, centers, out, x"

    def __init__(self, fold: Fold, cells: Cells, value: dtype, step: bool, given: bool) -> None:
        self.main = Pass(fold, cells, value, step)
        self.center = Pass(fold.center, cells, value, step) if fold.center and not given else None
        self.cells, self.step, self.given = cells, step, given
        self.block = block_length(fold, cells.source, step)

    @property
    def looks(self) -> Sequence[tuple[Pass, str]]:
        """The looks at the elements in their order, and their names."""
        looks = ((self.center, "center"), (self.main, "main"))
        return [(one, name) for one, name in looks if one]
