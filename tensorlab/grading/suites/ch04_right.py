"""Chapter 4: right solutions that go other ways than the library. They must keep every point."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, has-type"
# The answers are written as students write them, without types.

from __future__ import annotations

import itertools
import math

import tensorlab as tl
from tensorlab.core import layout
from tensorlab.grading.suite import Solutions

solutions = Solutions()


@solutions.right("04.merge_axes", idea="Drop the sizes of 1, then join each dimension to the one before it.")
def joins_from_the_left(shape, strides):
    sizes, steps = [], []
    for size, step in zip(shape, strides, strict=True):
        if size == 1:
            continue
        if sizes and steps[-1] == step * size:
            sizes[-1] = sizes[-1] * size
            steps[-1] = step
        else:
            sizes.append(size)
            steps.append(step)
    return tuple(sizes), tuple(steps)


@solutions.right("04.merge_axes", idea="From the right, one run at a time.")
def joins_from_the_right(shape, strides):
    axes = [(size, step) for size, step in zip(shape, strides, strict=True) if size != 1]
    merged = []
    while axes:
        size, step = axes.pop()
        while axes and axes[-1][1] == step * size:
            size *= axes.pop()[0]
        merged.insert(0, (size, step))
    return tuple(size for size, _ in merged), tuple(step for _, step in merged)


@solutions.right("04.merge_axes", idea="By recursion: merge the rest, then look at the first two.")
def merges_the_rest_first(shape, strides):
    if not shape:
        return (), ()
    sizes, steps = merges_the_rest_first(shape[1:], strides[1:])
    if shape[0] == 1:
        return sizes, steps
    if sizes and strides[0] == steps[0] * sizes[0]:
        return (shape[0] * sizes[0], *sizes[1:]), steps
    return (shape[0], *sizes), (strides[0], *steps)


@solutions.right("04.infer_size", idea="Refuse what cannot be, divide by the known sizes, check the product.")
def divides_by_the_known_sizes(shape, count):
    for size in shape:
        if size < -1:
            raise RuntimeError(f"invalid shape dimension {size}")
    if shape.count(-1) > 1:
        raise RuntimeError("only one dimension can be inferred")
    known = 1
    for size in shape:
        if size != -1:
            known = known * size
    if -1 in shape and known == 0 and count == 0:
        raise RuntimeError("the size -1 can be any value")
    fits = known == count if -1 not in shape else known != 0 and count % known == 0
    if not fits:
        raise RuntimeError(f"shape {list(shape)} is invalid for input of size {count}")
    return tuple(count // known if size == -1 else size for size in shape)


@solutions.right("04.infer_size", idea="Try the one size that can be right, and look whether it is.")
def tries_one_size(shape, count):
    if any(size < -1 for size in shape):
        raise RuntimeError(f"invalid shape dimension in {shape}: sizes are 0 or more, or -1")
    unknown = [dim for dim, size in enumerate(shape) if size == -1]
    if len(unknown) > 1:
        raise RuntimeError("only one dimension can be inferred")
    known = math.prod(size for size in shape if size >= 0)
    if unknown and known == 0 and count == 0:
        raise RuntimeError("-1 can be any value here")
    sizes = list(shape)
    for dim in unknown:
        sizes[dim] = count // max(known, 1)
    if math.prod(sizes) != count:
        raise RuntimeError(f"{shape} is invalid for input of size {count}")
    return tuple(sizes)


@solutions.right("04.contiguous", idea="Ask layout, then copy into an empty tensor.")
def fills_an_empty_tensor(input):
    if layout.is_contiguous(input.shape, input.stride()):
        return input
    copy = tl.empty(input.shape, dtype=input.dtype)
    copy[...] = input
    return copy


@solutions.right(
    "04.contiguous",
    idea="Take the numbers out and make a new tensor of them.",
    same={
        "A single element has only sizes of 1.": (
            "if size > 1 and stride != expected and (input.numel() > 0): -> "
            "if size > 1 and stride != expected and (input.numel() > 1):",
        )
    },
)
def makes_a_new_tensor(input):
    expected = 1
    for size, stride in reversed(list(zip(input.shape, input.stride(), strict=True))):
        if size > 1 and stride != expected and input.numel() > 0:
            return tl.tensor(input.tolist(), dtype=input.dtype)
        expected *= size
    return input


@solutions.right("04.contiguous", idea="Element by element, in the order in which they are to lie.")
def copies_each_element(input):
    if layout.is_contiguous(input.shape, input.stride()):
        return input
    copy = tl.empty(input.shape, dtype=input.dtype)
    for index in itertools.product(*map(range, input.shape)):
        copy[index] = input[index]
    return copy


@solutions.right("04.reshape", idea="Strides from layout; without them, a contiguous copy first.")
def asks_for_strides(input, *sizes):
    shape = layout.infer_size(sizes, input.numel())
    strides = layout.view_strides(input.shape, input.stride(), shape)
    if isinstance(strides, layout.Refusal):
        input = input.contiguous()
        strides = layout.default_strides(shape)
    return tl.as_strided(input, shape, strides, input.storage_offset())


@solutions.right("04.reshape", idea="Try view, and copy when it refuses.")
def tries_view(input, *sizes):
    try:
        return input.view(sizes)
    except RuntimeError:
        return input.contiguous().view(sizes)


@solutions.right("04.reshape", idea="Decide first, then view.")
def decides_first(input, *sizes):
    shape = layout.infer_size(sizes, input.numel())
    if type(layout.view_strides(input.shape, input.stride(), shape)) is not tuple:
        flat = tl.empty(input.numel(), dtype=input.dtype)
        flat.view(input.shape)[...] = input
        return flat.view(shape)
    return input.view(shape)


@solutions.right("04.flatten", idea="Put the new shape together, then reshape.")
def puts_the_shape_together(input, start_dim=0, end_dim=-1):
    dims = len(input.shape)
    first, last = layout.wrap_dim(start_dim, dims), layout.wrap_dim(end_dim, dims)
    if first > last:
        raise RuntimeError("start_dim cannot come after end_dim")
    if first == last and dims > 0:
        return input
    middle = layout.numel(input.shape[first : last + 1])
    return input.reshape(*input.shape[:first], middle, *input.shape[last + 1 :])


@solutions.right(
    "04.flatten",
    idea="A tensor without dimensions gets one; then multiply the sizes in a loop.",
    same={
        "Only the length of this shape is used.": (
            "shape = list(input.shape) or [1] -> shape = list(input.shape) or [2]",
            "shape = list(input.shape) or [1] -> shape = list(input.shape) or [0]",
        ),
        "A size of 1 takes no step.": (
            "input = input.as_strided((1,), (1,)) -> input = input.as_strided((1,), (2,))",
            "input = input.as_strided((1,), (1,)) -> input = input.as_strided((1,), (0,))",
        ),
    },
)
def multiplies_the_sizes(input, start_dim=0, end_dim=-1):
    shape = list(input.shape) or [1]
    if not input.shape:
        input = input.as_strided((1,), (1,))
    start, end = (dim + len(shape) if dim < 0 else dim for dim in (start_dim, end_dim))
    for given, dim in ((start_dim, start), (end_dim, end)):
        if not 0 <= dim < len(shape):
            raise IndexError(f"Dimension out of range: there is no dimension {given} in {len(shape)}")
    if start > end:
        raise RuntimeError(f"start_dim {start_dim} comes after end_dim {end_dim}")
    if start == end:
        return input
    size = 1
    for dim in range(start, end + 1):
        size *= shape[dim]
    return input.reshape(*shape[:start], size, *shape[end + 1 :])


@solutions.right(
    "04.view_strides",
    idea="Merge all dimensions, then cut each merged one, from the right.",
    same={
        "step is not used before the first run sets it.": (
            "left, step = (1, 1) -> left, step = (1, 2)",
            "left, step = (1, 1) -> left, step = (1, 0)",
        ),
        "A size of 1 takes no step.": (
            "new_strides.append(1) -> new_strides.append(2)",
            "new_strides.append(1) -> new_strides.append(0)",
        ),
    },
)
def merges_and_cuts(shape, strides, new_shape):
    if 0 in shape:
        return layout.default_strides(new_shape)
    sizes, steps = layout.merge_axes(shape, strides)
    axes = list(zip(sizes, steps, strict=True))
    new_strides = []
    left, step = 1, 1
    for size in reversed(new_shape):
        if size == 1:
            new_strides.append(1)
            continue
        if left == 1:
            left, step = axes.pop()
        if left % size != 0:
            return layout.Refusal("a new dimension would cross a border that cannot be merged")
        new_strides.append(step)
        left, step = left // size, step * size
    return tuple(reversed(new_strides))


@solutions.right(
    "04.view_strides",
    idea="From the left: what is inside a dimension says how far its step is.",
    same={
        "Without elements no step is taken.": (
            "return (1,) * len(new_shape) -> return (2,) * len(new_shape)",
            "return (1,) * len(new_shape) -> return (0,) * len(new_shape)",
        ),
        "A size of 1 takes no step.": (
            "new_strides.append(0) -> new_strides.append(1)",
            "new_strides.append(0) -> new_strides.append(-1)",
        ),
    },
)
def cuts_from_the_left(shape, strides, new_shape):
    if 0 in shape:
        return (1,) * len(new_shape)
    runs = list(zip(*layout.merge_axes(shape, strides), strict=True))
    new_strides, inside = [], 1
    for size in new_shape:
        if size == 1:
            new_strides.append(0)
            continue
        if inside == 1:
            inside, step = runs.pop(0)
        if inside % size:
            return layout.Refusal(f"size {size} does not divide a run of {inside}")
        inside //= size
        new_strides.append(inside * step)
    return tuple(new_strides)


@solutions.right(
    "04.view_strides",
    idea="By looking: list the cell of every element, and see if even steps fit.",
    same={
        "A size of 1 takes no step.": (
            "step = cells[inside] if size > 1 else 1 -> step = cells[inside] if size > 1 else 2",
            "step = cells[inside] if size > 1 else 1 -> step = cells[inside] if size > 1 else 0",
        ),
        "Without elements no step is taken.": (
            "return tuple((max(size, 1) for size in new_shape)) -> "
            "return tuple((max(size, 2) for size in new_shape))",
            "return tuple((max(size, 1) for size in new_shape)) -> "
            "return tuple((max(size, 0) for size in new_shape))",
        ),
    },
)
def looks_at_every_cell(shape, strides, new_shape):
    cells = [layout.flat_index(i, strides) for i in itertools.product(*map(range, shape))]
    if not cells:
        return tuple(max(size, 1) for size in new_shape)
    found, inside = [], len(cells)
    for size in new_shape:
        inside //= size
        step = cells[inside] if size > 1 else 1
        found.append(step)
    for index, cell in zip(itertools.product(*map(range, new_shape)), cells, strict=True):
        if layout.flat_index(index, found) != cell:
            return layout.Refusal(f"element {index} would not lie in cell {cell}")
    return tuple(found)
