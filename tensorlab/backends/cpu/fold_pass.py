"""One look at the elements of a fold: the types and the expressions that its kernels have in common."""

from __future__ import annotations

import numpy as np

from tensorlab import dtypes
from tensorlab.backends.cpu.kernel_text import Cells, numpy_name
from tensorlab.dtypes import dtype
from tensorlab.folds import ADD, Fold, arguments_of, itself

__all__ = ["Pass", "by_vectors", "total_type"]


class Pass:
    """One look at the elements: the types and expressions of a fold."""

    def __init__(self, fold: Fold, cells: Cells, value: dtype, step: bool = False) -> None:
        self.fold, self.cells, self.step = fold, cells, step
        self.floating = value.is_floating_point and not fold.truth
        if fold.truth:
            kinds = "uint8", "uint8", "uint8"
        elif not self.floating:
            kind = "int64" if fold.join.name in ("add", "multiply") else _integer(value)
            kinds = kind, kind, kind
        elif fold.join.floats:  # the greatest element is exact in its own type
            kind = value.name if value.itemsize > 2 else "float32"
            kinds = kind, kind, kind
        else:
            # Steps are taken one cell at a time, and one accumulator must hold a whole block.
            wide = value is dtypes.float64 or fold.wide or (step and not fold.scalars)
            kinds = ("float64", "float64", "float64") if wide else ("float32", "float32", "float64")
        self.value, self.lane, self.total = kinds  # names of NumPy types
        # Counting looks at the elements in their own type, and the counts are integers.
        if fold.each.__name__ in ("is_true", "is_number"):
            self.value = numpy_name(value)
            if not fold.truth:
                self.lane = self.total = "int64"
                self.floating = False
        self.compensated = self.lane == "float64" and fold.join is ADD
        self.direct = self.lane == self.total and not self.compensated
        # Whether whole vectors of cells are folded as they are: see `tensorlab.backends.cpu.fold_vectors`.
        widens = np.dtype(self.lane).itemsize >= cells.source.itemsize
        self.vectors = by_vectors(fold, cells.source, step) and self.floating and widens

    @property
    def start(self) -> str:
        """What a fold of nothing gives."""
        start = self.fold.join.start
        if isinstance(start, int):
            return str(start)
        if self.lane.startswith("float"):
            return "-np.inf" if start == "lowest" else "np.inf"
        info = np.iinfo(self.lane)
        return str(info.min if start == "lowest" else info.max)

    def together(self, a: str, b: str, kind: str) -> str:
        """Two partial results of this type, joined."""
        join = self.fold.join
        if kind.startswith("float"):  # two of one type give a third; every conversion takes time to compile
            return f"({(join.floats or join.together).format(a=a, b=b)})"
        return f"np.{kind}({join.together.format(a=a, b=b)})"

    def joined(self, total: str, part: str, lost: str) -> list[str]:
        """The lines that join a part to a total; `lost` keeps what rounding takes from a compensated one."""
        if not self.compensated:
            return [f"{total} = {self.together(total, part, self.total)}"]
        return [
            f"joined = {total} + {part}",
            f"added = joined - {total}",
            f"{lost} += ({total} - (joined - added)) + ({part} - added)",
            f"{total} = joined",
        ]

    def each(self, cell: str, center: str = "c") -> str:
        """What the element in a cell counts as."""
        values = {"x": self.cells.load(cell, self.value), "c": center, "k": "k"}
        arguments = ", ".join(values[name] for name in arguments_of(self.fold.each))
        return f"np.{self.lane}({self.fold.each.__name__}({arguments}))"

    def finish(self, total: str, center: str = "c") -> str:
        """The result that a total stands for."""
        values = {"total": total, "c": center, "k": "k", "n": "n"}
        arguments = ", ".join(values[name] for name in arguments_of(self.fold.finish))
        return f"{self.fold.finish.__name__}({arguments})"


def by_vectors(fold: Fold, source: dtype, step: bool) -> bool:
    """Whether a fold takes whole vectors of such cells, which `step` says lie apart."""
    return not step and fold.each is itself and source in (dtypes.float32, dtypes.float64)


def total_type(fold: Fold, value: dtype) -> dtype:
    """The type in which a fold keeps what it has joined so far."""
    return dtypes.by_name(Pass(fold, Cells(value, value), value).total)


def _integer(element_type: dtype) -> str:
    return "uint8" if element_type is dtypes.bool else element_type.name
