"""Chapter 4, *view, reshape, contiguous*: the questions about tensors, where sharing and bytes count."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

from tensorlab.core import dtypes, layout
from tensorlab.grading.inside.strided import Strided, strided
from tensorlab.grading.suite import Case, Exercise, Large, Topic
from tensorlab.grading.suites import ch04_right, ch04_wrong_flatten, ch04_wrong_tensors, draw
from tensorlab.grading.suites.draw import Counted

INT = dtypes.int64
TYPES = (INT, dtypes.float32, dtypes.float64, dtypes.int32)


def _cases(*calls: tuple[Any, ...], any_bytes: bool = False) -> tuple[Case, ...]:
    return tuple(Case(call, any_bytes=any_bytes) for call in calls)


def _tensor(
    shape: tuple[int, ...], strides: tuple[int, ...] | None = None, offset: int = 0, **more: Any
) -> Strided:
    return strided(shape, strides, offset, **{"dtype": INT} | more)


def _window(source: Random, zeros: bool = True) -> Strided:
    """A tensor that begins somewhere inside its storage, in any order of dimensions, not contiguous."""
    while True:
        shape = draw.shape(source, 2, 7, (2, 3))
        strides = draw.loose(source, shape, zeros)
        if not layout.is_contiguous(shape, strides):
            return _tensor(shape, strides, source.randint(0, 3), dtype=source.choice(TYPES))


def _dense(source: Random) -> Strided:
    """A contiguous tensor, which may begin inside its storage."""
    return _tensor(draw.shape(source, 2, 7, (2, 3)), None, source.choice((0, 0, 2, 5)))


def _any(source: Random) -> Strided:
    return source.choice((_dense, _window))(source)


#: The shape of a float32 tensor of 240 MB.
_ROOM_FOR_ONE = (60 << 10, 1024)


def _large_dense(source: Random) -> Large:
    """Where a contiguous tensor has room, and no second one beside it."""
    row = Counted(source)
    program = f"x = tl.empty{_ROOM_FOR_ONE}\nx[...] = {row.rows(_ROOM_FOR_ONE)}\ncontiguous(x)"
    return Large(program, dtypes.float32, _ROOM_FOR_ONE, lambda _, k: row[k])


TABLE = _tensor((2, 3))
TURNED = _tensor((3, 2), (1, 3))
CUBE = _tensor((2, 3, 4))

CONTIGUOUS = Exercise(
    id="04.contiguous",
    title="Row after row, please",
    stars=2,
    signature="contiguous(input)",
    task="Return the input itself when it is contiguous, else a contiguous copy.",
    part="tensorlab.ops.conversion:contiguous",
    topics=(
        Topic(
            "a tensor that is not contiguous",
            2,
            "A copy in a storage of its own: the same numbers at the same indices, and strides for rows that "
            "follow one another.",
            _cases(
                (_tensor((2, 2), (1, 2)),),
                (TURNED,),
                (_tensor((2, 2), (3, 1)),),
                (_tensor((3,), (2,)),),
                (_tensor((3, 2, 4), (4, 12, 1)),),
                (_tensor((2, 3), (1, 2), dtype=dtypes.float32),),
                (_tensor((2, 2), (1, 2), dtype=dtypes.float64),),
                (_tensor((2, 2), (1, 2), dtype=dtypes.int32),),
            ),
            lambda source: Case((_window(source, zeros=False),)),
        ),
        Topic(
            "a tensor that is contiguous",
            2,
            "Nothing has to be done, so nothing is: the tensor that came in goes out, the very same object.",
            _cases((TABLE,), (_tensor((3,)),), (CUBE,), (_tensor((2, 2), None, 3),), (_tensor(()),)),
            lambda source: Case((_dense(source),)),
            _large_dense,
        ),
        Topic(
            "sizes of 1, or no elements",
            2,
            "A stride that no index uses does not count. layout.is_contiguous knows.",
            _cases(
                (_tensor((1, 3), (7, 1)),),
                (_tensor((3, 1), (1, 1)),),
                (_tensor((2, 1, 3), (3, 9, 1)),),
                (_tensor((1, 1), (4, 4)),),
                (_tensor((0, 3), (1, 1)),),
                (_tensor((0, 3), (1, 2)),),
                (_tensor((3, 1), (2, 1)),),
            ),
            lambda source: Case(
                (
                    _tensor(
                        (shape := (1, *draw.shape(source, 2, 4, (1, 2)))),
                        (9, *layout.default_strides(shape[1:])),
                    ),
                )
            ),
        ),
        Topic(
            "a stride of 0, and an offset",
            1,
            "Cells that are reached twice are written twice, and cells that are not reached stay behind.",
            _cases(
                (_tensor((3,), (0,)),),
                (_tensor((2, 3), (0, 1)),),
                (_tensor((2, 3), (1, 0), 1),),
                (_tensor((2, 2), (4, 1), 5, cells=12),),
                (_tensor((2, 2), (1, 4), 5, cells=12),),
            ),
            lambda source: Case(
                (
                    _tensor(
                        (shape := draw.shape(source, 2, 7, (2, 3))),
                        (0, *layout.default_strides(shape[1:])),
                        source.randint(1, 5),
                    ),
                )
            ),
        ),
    ),
    wrong=ch04_wrong_tensors.solutions.wrong_of("04.contiguous"),
    right=ch04_right.solutions.right_of("04.contiguous"),
    lean=True,
)


def _reshaped(source: Random, x: Strided) -> Case:
    return Case((x, *draw.factors(source, layout.numel(x.shape))))


def _is_view(case: Case) -> bool:
    x, *sizes = case.args
    return isinstance(layout.view_strides(x.shape, x.strides, sizes), tuple)


def _reshape_of_a_window(source: Random, view: bool) -> Case:
    """A tensor that is not contiguous, and a shape that is a view of it, or is not."""
    while True:
        x = _window(source)
        cut = source.randint(1, len(x.shape) - 1)
        parts = (layout.numel(x.shape[:cut]), layout.numel(x.shape[cut:]))
        sizes = [size for part in parts for size in draw.factors(source, part)]
        case = Case((x, *sizes)) if view else _reshaped(source, x)
        if _is_view(case) == view:
            return case


def _large_view(source: Random) -> Large:
    """4 KiB as if they were 16 GiB, of which every copy would have to be made."""
    outer, inner, columns = 1 << 16, 64, 1024
    row, shape = Counted(source), (outer * inner, columns)
    program = f"reshape({row.rows((outer, inner, columns))}, *{shape})"
    return Large(program, dtypes.float32, shape, lambda _, k: row[k])


def _large_copy(source: Random) -> Large:
    """Rows that have no view as one: there is room for them once, and not twice."""
    row = Counted(source)
    rows, columns = _ROOM_FOR_ONE
    program = f"reshape({row.rows(_ROOM_FOR_ONE)}, {rows * columns})"
    return Large(program, dtypes.float32, (rows * columns,), lambda place: row[place % columns])


def _with_unknown(source: Random) -> Case:
    """One size left out, of any tensor; every third time the rest does not fit."""
    x = _any(source)
    sizes = list(draw.factors(source, layout.numel(x.shape)))
    sizes[source.randrange(len(sizes))] = -1
    if source.random() < 0.3:
        # Of seven elements, or more sevens, it fits.
        return Case((x, *sizes, 7), ("is invalid for input of size",), any_bytes=True)
    return Case((x, *sizes), any_bytes=True)


RESHAPE = Exercise(
    id="04.reshape",
    title="A view if there is one, else a copy",
    stars=3,
    signature="reshape(input, *sizes)",
    task="Return the elements in their order with other sizes: as a view where one exists, else as a copy.",
    part="tensorlab.ops.shape:reshape",
    topics=(
        Topic(
            "a contiguous tensor",
            2,
            "Every new shape is a view of a contiguous tensor: the same storage and the same offset, and no "
            "byte is "
            "copied.",
            _cases(
                (_tensor((2,)), 2),
                (TABLE, 3, 2),
                (TABLE, 6),
                (_tensor((6,)), 2, 3),
                (CUBE, 4, 6),
                (_tensor((2, 2), None, 3), 4),
                (TABLE, 2, 3),
                any_bytes=True,
            ),
            lambda source: replace(_reshaped(source, _dense(source)), any_bytes=True),
        ),
        Topic(
            "a view of what is not contiguous",
            2,
            "Not contiguous is not the same as no view: ask layout.view_strides, and keep the offset. No "
            "copy is made on the way either.",
            _cases(
                (_tensor((2, 2), (1, 2)), 2, 2),
                (_tensor((4,), (2,)), 2, 2),
                (_tensor((4, 3), (1, 4)), 2, 2, 3),
                (_tensor((2, 2), (1, 2)), 2, 1, 2),
                (_tensor((2, 4), (6, 1), 1), 2, 2, 2),
                (_tensor((3, 2, 4), (4, 12, 1)), 3, 2, 2, 2),
                (_tensor((2, 3), (0, 0)), 6),
            ),
            lambda source: _reshape_of_a_window(source, view=True),
            _large_view,
        ),
        Topic(
            "a copy where there is no view",
            2,
            "The elements keep their order, row by row as the input shows them. The copy is as large as they "
            "are, and no larger.",
            _cases(
                (_tensor((2, 2), (1, 2)), 4),
                (TURNED, 6),
                (TURNED, 2, 3),
                (_tensor((2, 2), (3, 1)), 4),
                (_tensor((2, 3), (0, 1)), 6),
                (_tensor((2, 2), (4, 1), 5, cells=12), 4),
                (_tensor((3, 2, 4), (4, 12, 1)), 6, 4),
            ),
            lambda source: _reshape_of_a_window(source, view=False),
            _large_copy,
        ),
        Topic(
            "a size of -1, no sizes, and sizes that do not fit",
            2,
            "layout.infer_size replaces -1, and refuses a shape with another number of elements. No sizes at "
            "all are the shape (), which holds one element.",
            (
                *_cases(
                    (TABLE, -1),
                    (TABLE, 3, -1),
                    (TURNED, -1),
                    (_tensor((2, 3), None, 2), -1),
                    (_tensor((3, 2), (1, 3), 1), -1),
                    (_tensor((2, 4), (1, 2)), 2, -1, 2),
                    (CUBE, 2, -1, 2),
                    (_tensor((2, 0)), -1),
                    (_tensor(()), -1),
                    (_tensor((1,)),),
                    (_tensor((1, 1), None, 2),),
                    any_bytes=True,
                ),
                Case((TABLE, 4), ("is invalid for input of size 6",)),
                Case((TABLE,), ("is invalid for input of size 6",)),
                Case((TABLE, 4, -1), ("is invalid for input of size 6",)),
                Case((TURNED, 5), ("is invalid for input of size 6",)),
            ),
            _with_unknown,
        ),
    ),
    wrong=ch04_wrong_tensors.solutions.wrong_of("04.reshape"),
    right=ch04_right.solutions.right_of("04.reshape"),
    as_the_part_takes=lambda x, *sizes: (x, sizes),
    lean=True,
)


def _with_a_one(source: Random) -> Strided:
    """A contiguous tensor with a size of 1 or 0 somewhere."""
    shape = list(draw.shape(source, 2, 6, (2, 3)))
    shape[source.randrange(len(shape))] = source.choice((0, 1))
    return _tensor(tuple(shape))


def _with_a_gap(source: Random) -> Strided:
    """Every second block of a larger tensor: all dimensions but the first are one run."""
    shape = draw.shape(source, 2, 3, (3, 4))
    strides = layout.default_strides(shape)
    return _tensor(shape, (2 * strides[0], *strides[1:]), source.randint(0, 3))


def _some_dims(source: Random) -> Case:
    """The first and the last dimension to flatten, counted from the front or from the end."""
    x = source.choice((_any, _with_a_one, _with_a_gap))(source)
    dims = len(x.shape)
    first = source.randrange(dims - 1)
    last = source.randint(first + 1, dims - 1)
    return Case((x, *(dim - dims if source.random() < 0.5 else dim for dim in (first, last))))


def _no_dims(source: Random) -> Case:
    x = _any(source)
    dims = len(x.shape)
    if source.random() < 0.5:
        return Case((x, dims - 1, 0), ("start_dim",))
    return Case((x, source.choice((dims, -dims - 1))), ("dimension out of range",))


FLATTEN = Exercise(
    id="04.flatten",
    title="Several dimensions into one",
    stars=2,
    signature="flatten(input, start_dim=0, end_dim=-1)",
    task="Return the input with the dimensions from start_dim to end_dim as one: a view where there is one.",
    part="tensorlab.ops.shape:flatten",
    topics=(
        Topic(
            "all dimensions",
            2,
            "One dimension with all elements. Where no view exists the copy is reshape's affair.",
            _cases(
                (_tensor((2, 2)),),
                (TABLE,),
                (CUBE,),
                (TURNED,),
                (_tensor((2, 3), (4, 1)),),
                (_tensor((2, 3), (6, 2)),),
                (_tensor((2, 0)),),
            ),
            lambda source: Case((_any(source),)),
        ),
        Topic(
            "some dimensions",
            2,
            "The sizes before start_dim and behind end_dim stay. Both ends belong to what is flattened, and "
            "both may count from the end.",
            _cases(
                (CUBE, 1),
                (CUBE, 0, 1),
                (CUBE, -2),
                (CUBE, 1, 2),
                (CUBE, 0, -2),
                (_tensor((3, 2, 4), (4, 12, 1)), 1),
                (_tensor((3, 2, 4), (4, 12, 1)), 0, 1),
                (_tensor((2, 3, 2, 2)), 1, 2),
                (_tensor((2, 3, 0)), 1),
                (_tensor((0, 2, 3)), 1),
                (_tensor((1, 2, 3)), 1),
                (_tensor((2, 3, 1)), 0, 1),
                (_tensor((2, 2, 3), (12, 3, 1)), 1),
            ),
            _some_dims,
        ),
        Topic(
            "one element",
            1,
            "However many dimensions there were, even none: the answer has one dimension. A size of 1 is a "
            "size like any other.",
            _cases((_tensor(()),), (_tensor((), (), 3),), (_tensor((1, 1)),), (_tensor((1, 1, 1)),)),
            lambda source: Case((_tensor((1,) * source.choice((0, 2, 3, 4)), None, source.randint(0, 4)),)),
        ),
        Topic(
            "nothing to flatten",
            1,
            "When start_dim and end_dim are the same dimension, nothing changes, and the input itself comes "
            "back.",
            _cases(
                (_tensor((3,)),), (TURNED, 1), (CUBE, 1, 1), (_tensor((1,)),), (CUBE, 2, -1), (CUBE, -3, 0)
            ),
            lambda source: Case((x := _any(source), dim := source.randrange(len(x.shape)), dim)),
        ),
        Topic(
            "dimensions that there are not",
            1,
            "layout.wrap_dim counts from the front and refuses what does not exist. start_dim may not come "
            "after end_dim.",
            (
                Case((TABLE, 1, 0), ("start_dim",)),
                Case((CUBE, -1, 1), ("start_dim",)),
                Case((CUBE, 2, -3), ("start_dim",)),
                Case((TABLE, 2), ("dimension out of range",)),
                Case((TABLE, 0, 2), ("dimension out of range",)),
                Case((TABLE, -3), ("dimension out of range",)),
                Case((_tensor(()), 1), ("dimension out of range",)),
                Case((_tensor(()), 0, -2), ("dimension out of range",)),
            ),
            _no_dims,
        ),
    ),
    wrong=ch04_wrong_flatten.solutions.wrong_of("04.flatten"),
    right=ch04_right.solutions.right_of("04.flatten"),
)
