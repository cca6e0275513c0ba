"""Chapter 4, *view, reshape, contiguous*: the question whether a view exists, and with which strides."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from tensorlab.core import layout
from tensorlab.core.layout import default_strides
from tensorlab.grading.suite import Case, Exercise, Topic
from tensorlab.grading.suites import ch04_right, ch04_wrong_views, draw


def _steps_alike(new_shape: tuple[int, ...]) -> Callable[[Any, Any], bool]:
    """Compares strides where a step is taken. A refusal is as good as another that gives a reason."""

    def alike(got: Any, want: Any) -> bool:
        if isinstance(want, layout.Refusal):
            return isinstance(got, layout.Refusal) and bool(got.reason.strip())
        if type(got) is not tuple or len(got) != len(want) or any(type(step) is not int for step in got):
            return False
        steps = zip(new_shape, got, want, strict=True)
        return 0 in new_shape or all(one == other for size, one, other in steps if size != 1)

    return alike


def _viewed(shape: tuple[int, ...], strides: tuple[int, ...], new_shape: tuple[int, ...]) -> Case:
    return Case((shape, strides, new_shape), same=_steps_alike(new_shape))


def _dense_view(source: Random) -> Case:
    shape = draw.shape(source, 2, 4, (1, 4))
    return _viewed(shape, default_strides(shape), draw.factors(source, layout.numel(shape)))


def _loose_view(source: Random, exists: bool) -> Case:
    """A new shape for a layout that is not contiguous, of the kind that is asked for."""
    while True:
        shape, strides = draw.loose_layout(source)
        if layout.is_contiguous(shape, strides):
            continue
        # Half of the shapes keep a border of the old one: purely random ones are nearly always refused.
        cut = source.randint(1, len(shape) - 1)
        outer, inner = (layout.numel(part) for part in (shape[:cut], shape[cut:]))
        parts = draw.factors(source, outer) + draw.factors(source, inner)
        new_shape = parts if source.random() < 0.7 else draw.factors(source, outer * inner)
        if isinstance(layout.view_strides(shape, strides, new_shape), tuple) == exists:
            return _viewed(shape, strides, new_shape)


def _view_with_ones(source: Random) -> Case:
    shape, strides = draw.layout_with_ones(source)
    if source.random() < 0.5:
        strides = tuple(7 if size == 1 else step for size, step in zip(shape, strides, strict=True))
    sizes = [size for size in shape if size != 1]
    sizes.insert(source.randint(0, len(sizes)), 1)
    return _viewed(shape, strides, tuple(sizes))


VIEW_STRIDES = Exercise(
    id="04.view_strides",
    title="Is there a view?",
    stars=4,
    signature="view_strides(shape, strides, new_shape)",
    task="Return the strides of a view with the new shape, or a layout.Refusal when no view exists.",
    part="tensorlab.core.layout:view_strides",
    topics=(
        Topic(
            "row after row",
            2,
            "A contiguous tensor is one run of cells. It can be cut into any shape, and the strides are "
            "those "
            "of a new tensor.",
            tuple(
                _viewed(*call)
                for call in (
                    ((2,), (1,), (2,)),
                    ((6,), (1,), (2, 3)),
                    ((2, 3), (3, 1), (6,)),
                    ((2, 3), (3, 1), (3, 2)),
                    ((2, 3), (3, 1), (2, 1, 3)),
                    ((2, 3, 4), (12, 4, 1), (4, 6)),
                    ((2, 3, 4), (12, 4, 1), (2, 2, 2, 3)),
                )
            ),
            _dense_view,
        ),
        Topic(
            "a view of what is not contiguous",
            2,
            "Merge what can be merged. A new shape is a view when each merged dimension is cut on its own.",
            tuple(
                _viewed(*call)
                for call in (
                    ((3,), (2,), (3,)),
                    ((2, 2), (1, 2), (2, 2)),
                    ((4,), (2,), (2, 2)),
                    ((2, 4), (1, 2), (2, 2, 2)),
                    ((4, 3), (1, 4), (2, 2, 3)),
                    ((4, 3), (1, 4), (2, 2, 1, 3)),
                    ((2, 3), (6, 2), (6,)),
                    ((2, 3), (0, 0), (6,)),
                    ((2, 4), (0, 1), (2, 2, 2)),
                    ((3, 2, 4), (4, 12, 1), (3, 2, 2, 2)),
                    ((2, 3, 4), (24, 4, 1), (2, 12)),
                )
            ),
            lambda source: _loose_view(source, exists=True),
        ),
        Topic(
            "no view exists",
            2,
            "A dimension of a view has one step. Where the cells of one of the new dimensions are not evenly "
            "spaced, there is no view.",
            tuple(
                _viewed(*call)
                for call in (
                    ((2, 2), (1, 2), (4,)),
                    ((3, 2), (1, 3), (6,)),
                    ((3, 2), (1, 3), (2, 3)),
                    ((2, 2), (3, 1), (4,)),
                    ((2, 2), (2, 2), (4,)),
                    ((2, 3), (0, 1), (6,)),
                    ((2, 3), (1, 0), (3, 2)),
                    ((4, 3), (1, 4), (2, 6)),
                    ((3, 2, 4), (4, 12, 1), (6, 4)),
                    ((2, 3, 4), (24, 4, 1), (6, 4)),
                    ((2, 3, 4), (24, 4, 1), (24,)),
                )
            ),
            lambda source: _loose_view(source, exists=False),
        ),
        Topic(
            "sizes of 1",
            2,
            "A size of 1 takes no step. Its old stride stops nothing, and its new stride may be anything.",
            tuple(
                _viewed(*call)
                for call in (
                    ((3, 1), (1, 7), (3,)),
                    ((3,), (1,), (1, 3)),
                    ((3,), (1,), (3, 1)),
                    ((2, 1, 3), (3, 9, 1), (6,)),
                    ((2, 1, 3), (3, 9, 1), (3, 2)),
                    ((2, 3), (1, 2), (2, 1, 3)),
                    ((2, 1, 2), (1, 5, 2), (4,)),
                    ((2, 1, 2), (0, 5, 0), (4,)),
                    ((2, 1, 3), (6, 9, 2), (6,)),
                    ((1, 1), (5, 7), (1,)),
                    ((), (), (1, 1)),
                    ((1,), (4,), ()),
                )
            ),
            _view_with_ones,
        ),
        Topic(
            "no elements",
            1,
            "No element is reached, so no stride is wrong. Every shape without elements is a view.",
            tuple(
                _viewed(*call)
                for call in (
                    ((0,), (1,), (0,)),
                    ((0,), (1,), (2, 0)),
                    ((2, 0), (1, 1), (0, 5)),
                    ((0, 3), (1, 7), (3, 0)),
                    ((3, 0), (1, 4), (0,)),
                )
            ),
            lambda source: _viewed((3, 0, 2), draw.loose(source, (3, 2, 2)), draw.shape_with_zero(source)),
        ),
    ),
    wrong=ch04_wrong_views.solutions.wrong_of("04.view_strides"),
    right=ch04_right.solutions.right_of("04.view_strides"),
)
