"""Chapter 10, *Gradients of shape operations*: the questions about stretching and reordering dimensions.

Those about places are in `ch10_places`, about products in `ch10_products`, about finite differences in
`ch10_differences`.
"""

from __future__ import annotations

from random import Random
from typing import Any

from tensorlab.core import dtypes, layout
from tensorlab.grading.inside.strided import Strided, strided
from tensorlab.grading.suite import Case, Exercise, Topic
from tensorlab.grading.suites import ch10_right, ch10_wrong_order, ch10_wrong_stretch, draw
from tensorlab.grading.suites.ch08_einsum import shows_the_same
from tensorlab.grading.suites.ch10_differences import GRADCHECK
from tensorlab.grading.suites.ch10_places import AMAX_BACKWARD, INDEX_BACKWARD
from tensorlab.grading.suites.ch10_products import MATMUL_BACKWARD

Shape = tuple[int, ...]


def _gradient(shape: Shape, strides: Shape | None = None, offset: int = 0, **more: Any) -> Strided:
    """A gradient with a number of its own in every cell, none of them 0."""
    made = strided(shape, strides, offset, **more)
    return strided(shape, strides, offset, cells=[cell + 1 for cell in made.cells], **more)


def _summed(given: Strided | Shape, shape: Shape) -> Case:
    gradient = given if isinstance(given, Strided) else _gradient(given)
    return Case((gradient, shape), same=shows_the_same)


def _misfit(given: Shape, shape: Shape) -> Case:
    return Case((_gradient(given), shape), ("broadcast",))


def _loose(source: Random, shape: Shape) -> Strided:
    """A gradient of any layout, perhaps itself a stretched one, as that of a sum is."""
    return _gradient(shape, draw.loose(source, shape), source.randint(0, 2))


def _with_ones(source: Random, shape: Shape, least: int = 1) -> Shape:
    """The shape with at least so many of its sizes replaced by 1."""
    gone = source.sample(range(len(shape)), source.randint(least, len(shape)))
    return tuple(1 if dim in gone else size for dim, size in enumerate(shape))


def _leading(source: Random) -> Case:
    shape = draw.shape(source, 2, 7, (2, 3))
    return _summed(_loose(source, shape), shape[source.randint(1, len(shape)) :])


def _inner(source: Random) -> Case:
    shape = draw.shape(source, 2, 7, (2, 3))
    return _summed(_loose(source, shape), _with_ones(source, shape))


def _both(source: Random) -> Case:
    shape = draw.shape(source, 2, 3, (3, 4))
    rest = shape[source.randint(1, len(shape) - 2) :]
    return _summed(_loose(source, shape), _with_ones(source, rest))


def _not_stretched(source: Random) -> Case:
    shape = draw.mixed_shape(source, source.choice((1, 2)))
    return _summed(_loose(source, shape), shape)


UNBROADCAST = Exercise(
    id="10.unbroadcast",
    title="Back from broadcasting",
    stars=2,
    signature="unbroadcast(gradient, shape)",
    task="Return a gradient of the shape that an operand was broadcast to, summed into the operand's own "
    "shape.",
    part="tensorlab.autograd.unbroadcasting:unbroadcast",
    topics=(
        Topic(
            "dimensions that were missing",
            2,
            "A dimension that the operand didn't have was filled in on the left. Sum over it, and it is "
            "gone.",
            (
                _summed((2, 3), (3,)),
                _summed((2, 2), (2,)),
                _summed((3,), ()),
                _summed((2, 3), ()),
                _summed((2, 3, 4), (3, 4)),
                _summed((2, 3, 4), (4,)),
                _summed((2, 2, 2), (2, 2)),
            ),
            _leading,
        ),
        Topic(
            "dimensions of size 1",
            2,
            "A size of 1 was read again at every place of the dimension. Sum over it, and keep it with size "
            "1.",
            (
                _summed((2, 3), (2, 1)),
                _summed((2, 3), (1, 3)),
                _summed((2, 2), (2, 1)),
                _summed((3,), (1,)),
                _summed((2, 3), (1, 1)),
                _summed((2, 3, 4), (2, 1, 4)),
                _summed((2, 3, 4), (1, 3, 1)),
            ),
            _inner,
        ),
        Topic(
            "both at once",
            2,
            "The shapes are aligned on the right: dimension d of the operand is dimension d + lead of the "
            "gradient, where lead is how many dimensions were missing.",
            (
                _summed((2, 3, 4), (3, 1)),
                _summed((2, 3, 4), (1, 4)),
                _summed((2, 2, 2), (2, 1)),
                _summed((2, 3, 4), (1, 1)),
                _summed((2, 3, 4), (1,)),
                _summed((2, 3, 2, 4), (3, 1, 4)),
                _summed((2, 3, 2, 4), (1, 2, 1)),
            ),
            _both,
        ),
        Topic(
            "nothing was stretched",
            1,
            "Then there is nothing to add, and the gradient itself comes back. A sum over no dimensions, "
            "sum(()), would be one over all of them.",
            (
                _summed((3,), (3,)),
                _summed((2, 3), (2, 3)),
                _summed((2, 1), (2, 1)),
                _summed((1,), (1,)),
                _summed((), ()),
                _summed(_gradient((2, 3), (1, 2)), (2, 3)),
            ),
            _not_stretched,
        ),
        Topic(
            "sizes of 0",
            1,
            "A sum of nothing is 0. A size of 1 can have been stretched to 0, too.",
            (
                _summed((0,), (1,)),
                _summed((0, 3), (3,)),
                _summed((2, 0), (2, 1)),
                _summed((0,), ()),
                _summed((0, 3), (1, 3)),
            ),
            lambda source: _summed(
                shape := draw.shape_with_zero(source), (1,) * source.randint(1, len(shape))
            ),
        ),
        Topic(
            "shapes that don't belong together",
            1,
            "Where the operand can't have been broadcast to the gradient's shape, a formula is wrong, and "
            "adding "
            "up something would hide it: raise an error that says so.",
            (
                _misfit((4,), (2,)),
                _misfit((3,), (2,)),
                _misfit((2, 3), (2,)),
                _misfit((3,), (2, 3)),
                _misfit((3,), (1, 3)),
                _misfit((2, 3), (4, 3)),
                _misfit((1, 3), (2, 3)),
            ),
            lambda source: _misfit(
                (n := source.randint(2, 4), 2 * n + source.randint(0, 1)),
                (source.randint(2, 3) * (2 * n + 1),),
            ),
        ),
    ),
    wrong=ch10_wrong_stretch.solutions.wrong_of("10.unbroadcast"),
    right=ch10_right.solutions.right_of("10.unbroadcast"),
)


def _permuted(shape: Shape, dims: Shape, strides: Shape | None = None, **more: Any) -> Case:
    """The case for ``x.permute(dims)`` where `x` has this shape; the gradient lies as it likes."""
    wrapped = [layout.wrap_dim(dim, len(shape)) for dim in dims]
    return Case((_gradient(tuple(shape[dim] for dim in wrapped), strides, **more), dims))


def _order(source: Random, count: int) -> Shape:
    dims = list(range(count))
    while dims == sorted(dims):
        source.shuffle(dims)
    return tuple(dims)


def _in_a_circle(source: Random, count: int) -> Shape:
    """An order that a swap of two dimensions doesn't give, and that isn't its own way back."""
    while True:
        dims = _order(source, count)
        if any(dims[dims[dim]] != dim for dim in range(count)):
            return dims


def _any_layout(source: Random, dims: Shape) -> Case:
    largest = 7 if len(dims) < 4 else 5  # with gaps, four sizes of 7 are more cells than a question may tell
    shape = draw.shape(source, 2, largest, (len(dims), len(dims)))
    turned = tuple(shape[dim] for dim in dims)
    gradient = _gradient(turned, draw.loose(source, turned), source.randint(0, 2))
    return Case((gradient, dims))


PERMUTE_BACKWARD = Exercise(
    id="10.permute_backward",
    title="The way back of permute",
    stars=1,
    signature="permute_backward(grad, dims)",
    task="Return the gradient of x, as a view of grad, which is the gradient of x.permute(dims).",
    part="tensorlab.ops.dims:permute_backward",
    topics=(
        Topic(
            "two dimensions",
            2,
            "A swap undoes itself. The answer is a view: no number moves.",
            (
                _permuted((2, 3), (1, 0)),
                _permuted((2, 3), (0, 1)),
                _permuted((3,), (0,)),
                _permuted((2, 3, 4), (0, 2, 1)),
                _permuted((2, 3, 4), (2, 1, 0)),
            ),
            lambda source: _any_layout(source, source.choice(((1, 0), (0, 2, 1), (1, 0, 2)))),
        ),
        Topic(
            "three dimensions in a circle",
            3,
            "Dimension i of the gradient is dimension dims[i] of x. So it has to go to place dims[i], and "
            "that is "
            "the inverse order, not the same one.",
            (
                _permuted((2, 3, 4), (1, 2, 0)),
                _permuted((2, 3, 4), (2, 0, 1)),
                _permuted((2, 2, 2), (1, 2, 0)),
                _permuted((2, 3, 4, 5), (0, 2, 3, 1)),
            ),
            lambda source: _any_layout(source, source.choice(((1, 2, 0), (2, 0, 1)))),
        ),
        Topic(
            "more dimensions",
            1,
            "The rule is the same for any number of them.",
            (
                _permuted((2, 3, 4, 5), (1, 2, 3, 0)),
                _permuted((2, 2, 3, 2), (3, 0, 1, 2)),
                _permuted((2, 3, 2, 3), (2, 0, 3, 1)),
                _permuted((2, 1, 3, 1, 2), (4, 2, 0, 1, 3)),
            ),
            lambda source: _any_layout(source, _in_a_circle(source, 4)),
        ),
        Topic(
            "counted from the end",
            1,
            "-1 is the last dimension. Count it from the front before you look for it.",
            (
                _permuted((2, 3), (-1, 0)),
                _permuted((2, 3, 4), (-1, 0, 1)),
                _permuted((2, 3, 4), (1, -1, -3)),
                _permuted((2, 3, 4), (-2, -1, -3)),
            ),
            lambda source: _any_layout(source, tuple(dim - 3 for dim in _in_a_circle(source, 3))),
        ),
        Topic(
            "any layout",
            1,
            "The gradient may be a view itself, stretched or with gaps, and may have sizes of 1 and of 0.",
            (
                _permuted((2, 3, 2), (1, 2, 0), (0, 0, 0)),
                _permuted((2, 3, 2), (2, 0, 1), (7, 3, 1)),
                _permuted((2, 0, 3), (1, 2, 0)),
                _permuted((1, 3, 2), (1, 2, 0), dtype=dtypes.float64),
            ),
            lambda source: _any_layout(source, _in_a_circle(source, source.randint(3, 4))),
        ),
    ),
    wrong=ch10_wrong_order.solutions.wrong_of("10.permute_backward"),
    right=ch10_right.solutions.right_of("10.permute_backward"),
)

EXERCISES = (UNBROADCAST, PERMUTE_BACKWARD, INDEX_BACKWARD, MATMUL_BACKWARD, GRADCHECK, AMAX_BACKWARD)
