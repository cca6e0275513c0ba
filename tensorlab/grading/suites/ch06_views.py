"""Chapter 6, *Broadcasting*: the questions about one tensor, stretched or about to be written."""

from __future__ import annotations

from random import Random
from typing import Any

from tensorlab.core import dtypes, layout
from tensorlab.grading.inside.strided import Strided, strided
from tensorlab.grading.suite import Case, Exercise, Large, Topic
from tensorlab.grading.suites import ch06_right, ch06_wrong_views, draw
from tensorlab.grading.suites.draw import Counted

INT = dtypes.int64


def _cases(*calls: tuple[Any, ...], any_bytes: bool = False) -> tuple[Case, ...]:
    return tuple(Case(call, any_bytes=any_bytes) for call in calls)


def _tensor(
    shape: tuple[int, ...], strides: tuple[int, ...] | None = None, offset: int = 0, **more: Any
) -> Strided:
    return strided(shape, strides, offset, **{"dtype": INT} | more)


COLUMN, ROW = _tensor((3, 1)), _tensor((4,))


def _thin(source: Random, loose: bool = False) -> tuple[Strided, tuple[int, ...]]:
    """A tensor with some sizes of 1, and what these may be stretched to."""
    wide = draw.shape(source, 2, 6, (2, 3))
    shape = list(wide)
    for dim in source.sample(range(len(wide)), source.randint(1, len(wide) - 1)):
        shape[dim] = 1
    if not loose:
        return _tensor(tuple(shape)), wide
    strides = draw.loose(source, tuple(shape), zeros=False)
    return _tensor(tuple(shape), strides, source.randint(1, 4), dtype=dtypes.float32), wide


def _wide(source: Random, loose: bool = False) -> Case:
    x, wide = _thin(source, loose)
    return Case((x, *wide), any_bytes=not loose)


def _with_front(source: Random) -> Case:
    x, wide = _thin(source)
    return Case((x, *draw.shape(source, 2, 3, (1, 2)), *wide), any_bytes=True)


def _with_kept(source: Random) -> Case:
    """Some sizes are -1; now and then there are new dimensions in front."""
    x, wide = _thin(source)
    sizes = [-1 if source.random() < 0.5 else size for size in wide]
    sizes[source.randrange(len(sizes))] = -1
    return Case((x, *draw.shape(source, 2, 3, (0, 1)), *sizes), any_bytes=True)


_SIZE_STAYS = "must match the existing size"
_TOO_FEW = "greater or equal to the number of dimensions"
_NOTHING_TO_KEEP = "leading, non-existing dimension"


def _refused(x: Strided, *sizes: int, says: str) -> Case:
    others = {_SIZE_STAYS, _TOO_FEW, _NOTHING_TO_KEEP} - {says}
    return Case((x, *sizes), (says,), tuple(sorted(others)))


def _hopeless(source: Random) -> Case:
    x, wide = _thin(source)
    kind = source.randrange(3)
    if kind == 0:
        return _refused(x, *wide[1:], says=_TOO_FEW)
    if kind == 1:
        return _refused(x, -1, *wide, says=_NOTHING_TO_KEEP)
    sizes = list(wide)
    dim = source.choice([dim for dim, size in enumerate(x.shape) if size != 1])
    sizes[dim] = sizes[dim] * source.choice((2, 3)) if source.random() < 0.5 else 1
    return _refused(x, *sizes, says=_SIZE_STAYS)


def _large_view(source: Random) -> Large:
    """4 KiB as if they were 4 GiB already, and as if those were 256: there is room for neither."""
    rows, times, columns = 1 << 20, 64, 1024
    row, shape = Counted(source), (rows, times, columns)
    program = f"expand({row.rows((rows, 1, columns))}, *{shape})"
    return Large(program, dtypes.float32, shape, lambda _, __, k: row[k])


EXPAND = Exercise(
    id="06.expand",
    title="As if it were larger",
    stars=3,
    signature="expand(input, *sizes)",
    task="Return a view of the input with these sizes: sizes of 1 are stretched, new dimensions come in "
    "front.",
    part="tensorlab.ops.shape:expand",
    topics=(
        Topic(
            "a size of 1 that is stretched",
            2,
            "A view of the same storage with a stride of 0 along each stretched dimension. Nothing is "
            "copied.",
            _cases(
                (_tensor((1,)), 3),
                (COLUMN, 3, 4),
                (_tensor((1, 4)), 3, 4),
                (_tensor((1, 1)), 2, 3),
                (_tensor((2, 1, 3)), 2, 4, 3),
                (COLUMN, 3, 1),
                (COLUMN, 3, 0),
                any_bytes=True,
            ),
            _wide,
        ),
        Topic(
            "new dimensions",
            2,
            "The sizes are aligned on the right. What the input lacks on the left is filled "
            "in with stride 0.",
            _cases(
                (_tensor(()), 2),
                (ROW, 3, 4),
                (_tensor((2, 2)), 3, 2, 2),
                (COLUMN, 2, 3, 4),
                (_tensor(()), 2, 3),
                (ROW, 1, 4),
                (ROW, 2, 1, 4),
                any_bytes=True,
            ),
            _with_front,
        ),
        Topic(
            "-1 keeps a size",
            1,
            "-1 keeps the size that the dimension has. It is not computed from the others.",
            _cases(
                (COLUMN, -1, 4),
                (_tensor((1, 3)), 2, -1),
                (ROW, 3, -1),
                (_tensor((2, 1, 3)), -1, 4, -1),
                (_tensor((1, 3)), -1, -1),
                (_tensor((0, 1)), -1, 2),
                any_bytes=True,
            ),
            _with_kept,
        ),
        Topic(
            "a view of a view",
            1,
            "Strides and offset of the input stay as they are, except where a stride becomes 0. No copy is "
            "made on the way either.",
            _cases(
                (_tensor((2, 2), (1, 2)), 3, 2, 2),
                (_tensor((3,), (2,)), 2, 3),
                (_tensor((3, 1), (4, 1), 1), 3, 4),
                (_tensor((1, 3), (9, 1), 3), 2, 3),
                (_tensor((2, 1, 2), (1, 7, 3), 2), 2, 3, 2),
                (_tensor((2, 3), (0, 1), 1), 2, 2, 3),
            ),
            lambda source: _wide(source, loose=True),
            _large_view,
        ),
        Topic(
            "what cannot be stretched",
            2,
            "Only a 1 stretches. There are at least as many sizes as dimensions, and a new dimension has no "
            "size that -1 could keep.",
            (
                _refused(_tensor((3,)), 4, says=_SIZE_STAYS),
                _refused(_tensor((2,)), 4, says=_SIZE_STAYS),
                _refused(_tensor((3,)), 1, says=_SIZE_STAYS),
                _refused(_tensor((3,)), 3, 4, says=_SIZE_STAYS),
                _refused(_tensor((2, 3)), 4, 3, says=_SIZE_STAYS),
                _refused(_tensor((3, 4)), 4, says=_TOO_FEW),
                _refused(_tensor((1, 4)), 4, says=_TOO_FEW),
                _refused(ROW, -1, 4, says=_NOTHING_TO_KEEP),
                _refused(COLUMN, -1, 3, 4, says=_NOTHING_TO_KEEP),
            ),
            _hopeless,
        ),
    ),
    wrong=ch06_wrong_views.solutions.wrong_of("06.expand"),
    right=ch06_right.solutions.right_of("06.expand"),
    lean=True,
)


def _shared(x: Strided, dim: int) -> Case:
    return Case((x,), ("more than one element", f"dimension {dim}"))


def _with_zero(source: Random) -> Case:
    """Exactly one dimension, of size 2 or more, has stride 0."""
    shape = draw.shape(source, 2, 6, (1, 4))
    dim = source.randrange(len(shape))
    inner = layout.default_strides((*shape[:dim], *shape[dim + 1 :]))
    strides = (*inner[:dim], 0, *inner[dim:])
    return _shared(_tensor(shape, strides, source.choice((0, 0, 3)), cells=300), dim)


def _with_zeros(source: Random) -> Case:
    """Two dimensions or more with stride 0; the first of them is to be named."""
    shape = draw.shape(source, 2, 3, (3, 4))
    dims = sorted(source.sample(range(len(shape)), source.randint(2, len(shape))))
    rest = iter(layout.default_strides([size for dim, size in enumerate(shape) if dim not in dims]))
    strides = tuple(0 if dim in dims else next(rest) for dim in range(len(shape)))
    return _shared(_tensor(shape, strides), dims[0])


def _harmless_zero(source: Random) -> Case:
    """A stride of 0 along a size of 1, or in a tensor without elements."""
    shape = list(draw.shape(source, 2, 7, (2, 3)))
    strides = list(layout.default_strides(shape))
    dim = source.randrange(len(shape))
    if source.random() < 0.5:
        shape[dim] = 1
    else:
        shape[dim - 1] = 0
    strides[dim] = 0
    return Case((_tensor(tuple(shape), tuple(strides)),))


def _windows(source: Random) -> Case:
    size = source.randint(2, 4)
    return Case((_tensor((source.randint(2, 4), size), (source.randint(1, size - 1), 1)),))


GUARD_LAYOUT = Exercise(
    id="06.guard_layout",
    title="The check before the write",
    stars=2,
    signature="guard_layout(target)",
    task="Raise RuntimeError if a dimension along which steps are taken has stride 0, else return None.",
    part="tensorlab.dispatch.guards:guard_layout",
    topics=(
        Topic(
            "a stretched tensor",
            2,
            "Along a dimension with stride 0 several elements lie in one cell. A write would leave only one "
            "of the values, so it raises an error.",
            (
                _shared(_tensor((3,), (0,)), 0),
                _shared(_tensor((2, 3), (0, 1)), 0),
                _shared(_tensor((3, 4), (1, 0)), 1),
                _shared(_tensor((2, 3, 4), (4, 0, 1)), 1),
                _shared(_tensor((2, 3), (0, 1), 2, cells=12), 0),
            ),
            _with_zero,
        ),
        Topic(
            "a tensor that may be written",
            2,
            "Each element has a cell of its own, in whatever order the cells lie. The guard says nothing.",
            _cases(
                (ROW,),
                (_tensor((2, 3)),),
                (_tensor((3, 2), (1, 3)),),
                (_tensor((3,), (2,), 1),),
                (_tensor((2, 2), (4, 1), 5, cells=12),),
                (_tensor(()),),
            ),
            lambda source: Case(
                (_tensor(shape := draw.shape(source, 2, 4), draw.loose(source, shape, zeros=False)),)
            ),
        ),
        Topic(
            "a stride of 0 that no step uses",
            2,
            "A dimension of size 1 takes no step, and a tensor without elements has nothing to write. Their "
            "strides say nothing.",
            _cases(
                (_tensor((1,), (0,)),),
                (_tensor((1, 3), (0, 1)),),
                (_tensor((3, 1), (1, 0)),),
                (_tensor((1, 3), (0, 2)),),
                (_tensor((1, 1), (0, 0)),),
                (_tensor((0, 3), (0, 1)),),
                (_tensor((0, 3), (1, 0)),),
                (_tensor((2, 0), (0, 0)),),
            ),
            _harmless_zero,
        ),
        Topic(
            "several strides of 0",
            1,
            "The first dimension that is stretched is named. A size of 1 before it is not.",
            (
                _shared(_tensor((2, 3), (0, 0)), 0),
                _shared(_tensor((1, 3), (0, 0)), 1),
                _shared(_tensor((2, 3, 2), (1, 0, 0)), 1),
                _shared(_tensor((1, 2, 3), (0, 0, 1)), 1),
                _shared(_tensor((1, 1, 2, 2), (0, 0, 1, 0)), 3),
            ),
            _with_zeros,
        ),
        Topic(
            "windows",
            1,
            "Windows overlap with strides that are not 0. To find all such overlaps can take as long as the "
            "write, so the guard looks for strides of 0 only, as in PyTorch.",
            _cases(
                (_tensor((2, 2), (1, 1)),),
                (_tensor((3, 3), (1, 1)),),
                (_tensor((2, 3), (2, 1)),),
                (_tensor((3, 2), (1, 2)),),
            ),
            _windows,
        ),
    ),
    wrong=ch06_wrong_views.solutions.wrong_of("06.guard_layout"),
    right=ch06_right.solutions.right_of("06.guard_layout"),
)
