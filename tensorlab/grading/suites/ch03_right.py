"""Chapter 3: right solutions that go other ways than the library. They must keep every point."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated"
# The answers are written as students write them, without types.

from __future__ import annotations

import tensorlab as tl
from tensorlab.grading.suite import Solutions

solutions = Solutions()


@solutions.right(
    "03.sliced",
    idea="Bring both bounds inside by hand, then count the steps.",
    same={
        "range refuses a step of 0 with a ValueError that says so.": ("if step < 1: -> if step < 0:",),
        "start is 0 or more, so nothing lies before a stop of 0 or -1.": (
            "stop = max(0, min(stop, size)) -> stop = max(-1, min(stop, size))",
        ),
    },
)
def brings_bounds_inside(size, stride, bounds):
    start, stop = bounds.start, bounds.stop
    step = 1 if bounds.step is None else bounds.step
    if step < 1:
        raise ValueError(f"step must be greater than zero, got {step}")
    start = 0 if start is None else start
    stop = size if stop is None else stop
    if start < 0:
        start += size
    if stop < 0:
        stop += size
    start = max(0, min(start, size))
    stop = max(0, min(stop, size))
    count = 0
    for _ in range(start, stop, step):
        count += 1
    return count, stride * step, start * stride


@solutions.right(
    "03.sliced",
    idea="Let a range be sliced, and read off what became of it.",
    same={"A range refuses a step of 0 first.": ("if kept.step < 1: -> if kept.step < 0:",)},
)
def slices_a_range(size, stride, bounds):
    kept = range(size)[bounds]
    if kept.step < 1:
        raise ValueError("step must be greater than zero")
    return len(kept), stride * kept.step, stride * kept.start


@solutions.right("03.permuted", idea="Take sizes and strides from where order says.")
def takes_from_order(shape, strides, order):
    dims = len(shape)
    wanted = []
    for dim in order:
        if not -dims <= dim < max(dims, 1):
            raise IndexError(f"Dimension out of range: there is no dimension {dim}")
        wanted.append(dim % dims if dims else dim)
    if len(wanted) != dims or len(set(wanted)) != dims:
        raise RuntimeError(f"order must name each of the {dims} dimensions once")
    return tuple(shape[dim] for dim in wanted), tuple(strides[dim] for dim in wanted)


@solutions.right("03.permuted", idea="Move pairs of size and stride.")
def moves_pairs(shape, strides, order):
    pairs = list(zip(shape, strides, strict=True))
    try:
        moved = [pairs[dim] for dim in order] if pairs else list(order)
    except IndexError:
        raise IndexError("Dimension out of range") from None
    if sorted(dim % max(len(pairs), 1) for dim in order) != list(range(len(pairs))):
        raise RuntimeError(f"permute: dims must name each of the {len(pairs)} dimensions once")
    return tuple(size for size, _ in moved), tuple(stride for _, stride in moved)


@solutions.right("03.squeezed", idea="Count dims from the front, then keep what is not both named and 1.")
def keeps_the_rest(shape, strides, dims):
    count = len(shape)
    named = list(range(count)) if dims is None else []
    if dims is not None:
        for dim in dims:
            if not -max(count, 1) <= dim < max(count, 1):
                raise IndexError(f"Dimension out of range: {dim}")
            dim = dim + max(count, 1) if dim < 0 else dim
            if dim in named:
                raise RuntimeError(f"dim {dim} appears multiple times in the list of dims")
            named.append(dim)
    new_shape, new_strides = [], []
    for dim in range(count):
        if shape[dim] != 1 or dim not in named:
            new_shape.append(shape[dim])
            new_strides.append(strides[dim])
    return tuple(new_shape), tuple(new_strides)


@solutions.right("03.squeezed", idea="Take the dimensions out of lists, from the back.")
def deletes_from_the_back(shape, strides, dims):
    sizes, steps = list(shape), list(strides)
    everything = list(range(max(len(sizes), 1)))  # without dimensions 0 and -1 may be named
    try:
        named = everything if dims is None else [everything[dim] for dim in dims]
    except IndexError:
        raise IndexError("Dimension out of range") from None
    if len(set(named)) < len(named):
        raise RuntimeError("a dim appears multiple times in the list of dims")
    for dim in sorted(named, reverse=True):
        if sizes[dim : dim + 1] == [1]:
            del sizes[dim], steps[dim]
    return tuple(sizes), tuple(steps)


@solutions.right(
    "03.diagonal",
    idea="Both strides at once, from the first element that is kept.",
    same={
        "For 0 both branches skip nothing.": (
            "if offset >= 0: -> if offset > 0:",
            "if offset >= 0: -> if offset >= 1:",
        ),
        "A view of no elements may begin anywhere.": (
            "if length <= 0: -> if length < 0:",
            "if length <= 0: -> if length <= -1:",
            "length, skipped = (0, 0) -> length, skipped = (0, 1)",
        ),
    },
)
def both_strides_at_once(input, offset=0, dim1=0, dim2=1):
    shape, strides = list(input.shape), list(input.stride())
    dim1, dim2 = dim1 % len(shape), dim2 % len(shape)
    rows, columns = shape[dim1], shape[dim2]
    start = input.storage_offset()
    if offset >= 0:
        length = min(rows, columns - offset)
        skipped = offset * strides[dim2]
    else:
        length = min(rows + offset, columns)
        skipped = -offset * strides[dim1]
    if length <= 0:
        length, skipped = 0, 0
    step = strides[dim1] + strides[dim2]
    for dim in sorted((dim1, dim2), reverse=True):
        del shape[dim], strides[dim]
    return tl.as_strided(input, (*shape, length), (*strides, step), start + skipped)


@solutions.right(
    "03.diagonal",
    idea="Cut the corner off with slices, then take the diagonal of what is left.",
    same={
        "For 0 both slices keep everything.": (
            "x = x[..., offset:] if offset >= 0 else x[..., -offset:, :] -> "
            "x = x[..., offset:] if offset > 0 else x[..., -offset:, :]",
            "x = x[..., offset:] if offset >= 0 else x[..., -offset:, :] -> "
            "x = x[..., offset:] if offset >= 1 else x[..., -offset:, :]",
        )
    },
)
def cuts_the_corner_off(input, offset=0, dim1=0, dim2=1):
    x = input.movedim((dim1, dim2), (-2, -1))
    x = x[..., offset:] if offset >= 0 else x[..., -offset:, :]
    *front, rows, columns = x.shape
    *steps, down, right = x.stride()
    return tl.as_strided(x, (*front, min(rows, columns)), (*steps, down + right), x.storage_offset())


@solutions.right(
    "03.setitem",
    idea="Take the view, and copy or fill in place.",
    same={"copy_ takes a number too.": ("if isinstance(value, tl.Tensor): -> if True:",)},
)
def fills_the_view(input, index, value):
    part = input[index]
    if isinstance(value, tl.Tensor):
        part.copy_(value)
    else:
        part.fill_(value)


@solutions.right("03.setitem", idea="A number is a tensor too, which copy_ writes into every element.")
def copies_either(input, index, value):
    source = value if isinstance(value, tl.Tensor) else tl.tensor(value, dtype=input.dtype)
    input[index].copy_(source.expand(input[index].shape))
