"""Chapter 3, slices: solutions that are wrong, each from a belief that somebody holds."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated"
# The answers are written as students write them, without types.

from __future__ import annotations

from tensorlab.grading.suite import Solutions

solutions = Solutions()


def _bounds(size, bounds):
    """What most of the wrong solutions below get right."""
    start, stop, step = bounds.indices(size)
    if step < 1:
        raise ValueError("step must be greater than zero")
    return start, stop, step


@solutions.wrong(
    "03.sliced",
    belief="A slice is a shorter dimension. Its size changes, and that is all.",
    lesson="A slice that begins at 2 has its first element two steps further on. Without the skipped cells "
    "it shows the beginning of the tensor.",
)
def skips_nothing(size, stride, bounds):
    start, stop, step = _bounds(size, bounds)
    return len(range(start, stop, step)), stride * step, 0


@solutions.wrong(
    "03.sliced",
    belief="start says how many cells are skipped.",
    lesson="start counts positions of the dimension. Each of them is one stride long: start · stride cells.",
)
def skips_positions(size, stride, bounds):
    start, stop, step = _bounds(size, bounds)
    return len(range(start, stop, step)), stride * step, start


@solutions.wrong(
    "03.sliced",
    belief="The step changes how many elements are left, not how far apart they lie.",
    lesson="Every second element lies two strides apart: the stride is multiplied by the step.",
)
def keeps_the_stride(size, stride, bounds):
    start, stop, step = _bounds(size, bounds)
    return len(range(start, stop, step)), stride, start * stride


@solutions.wrong(
    "03.sliced",
    belief="The step of the slice is the new stride.",
    lesson="That is right where the old stride is 1. One step of the slice is step steps of the dimension, "
    "each a stride long.",
)
def step_is_the_stride(size, stride, bounds):
    start, stop, step = _bounds(size, bounds)
    return len(range(start, stop, step)), step, start * stride


@solutions.wrong(
    "03.sliced",
    belief="(stop - start) // step elements are left.",
    lesson="0:7:2 takes 0, 2, 4 and 6: four elements, and 7 // 2 is 3. A last, shorter step counts as well: "
    "round up.",
)
def rounds_down(size, stride, bounds):
    start, stop, step = _bounds(size, bounds)
    return max(0, stop - start) // step, stride * step, start * stride


@solutions.wrong(
    "03.sliced",
    belief="The position stop belongs to the slice.",
    lesson="1:4 takes 1, 2 and 3. stop is the first position that is left out, as in range.",
)
def takes_stop_too(size, stride, bounds):
    start, stop, step = _bounds(size, bounds)
    return len(range(start, min(stop + 1, size), step)), stride * step, start * stride


@solutions.wrong(
    "03.sliced",
    belief="A bound outside the dimension is an error, as an index is.",
    lesson="An index must exist. A slice takes what there is: x[1:99] ends at the end.",
)
def refuses_what_is_outside(size, stride, bounds):
    for bound in (bounds.start, bounds.stop):
        if bound is not None and not -size <= bound <= size:
            raise IndexError(f"{bound} is out of bounds for a dimension with size {size}")
    start, stop, step = _bounds(size, bounds)
    return len(range(start, stop, step)), stride * step, start * stride


@solutions.wrong(
    "03.sliced",
    belief="start and stop can be used as they are written.",
    lesson="x[1:99] has no 98 elements, and x[-2:] begins near the end. Bring the bounds inside first.",
)
def uses_bounds_as_written(size, stride, bounds):
    step = bounds.step or 1
    if step < 1:
        raise ValueError("step must be greater than zero")
    start = bounds.start or 0
    stop = size if bounds.stop is None else bounds.stop
    return len(range(start, stop, step)), stride * step, start * stride


@solutions.wrong(
    "03.sliced",
    belief="stop or size gives the end when stop is left out.",
    lesson="It gives the end for stop 0 as well, because 0 counts as false. x[:0] is empty: ask whether "
    "stop is None.",
)
def zero_means_left_out(size, stride, bounds):
    start, stop, step = _bounds(size, slice(bounds.start, bounds.stop or None, bounds.step))
    return len(range(start, stop, step)), stride * step, start * stride


@solutions.wrong(
    "03.sliced",
    belief="Adding the size to a negative bound brings it inside.",
    lesson="-9 + 5 is -4, which is still outside. What is before the beginning is moved to the beginning.",
)
def adds_the_size_once(size, stride, bounds):
    _, _, step = _bounds(size, bounds)
    start = 0 if bounds.start is None else bounds.start
    stop = size if bounds.stop is None else bounds.stop
    start = min(start + size if start < 0 else start, size)
    stop = min(stop + size if stop < 0 else stop, size)
    return len(range(start, stop, step)), stride * step, start * stride


@solutions.wrong(
    "03.sliced",
    belief="stop - start is the size, whatever the two are.",
    lesson="3:1 would have size -2. Where stop is not behind start nothing is left, and the size is 0.",
)
def negative_sizes(size, stride, bounds):
    start, stop, step = _bounds(size, bounds)
    return -((start - stop) // step), stride * step, start * stride


@solutions.wrong(
    "03.sliced",
    belief="A step of -1 turns the dimension around, as with a list.",
    lesson="NumPy does so, with a negative stride. Tensors have none here and in PyTorch, so the slice is "
    "refused.",
)
def turns_around(size, stride, bounds):
    start, stop, step = bounds.indices(size)
    return len(range(start, stop, step)), stride * step, start * stride


@solutions.wrong(
    "03.sliced",
    belief="Three numbers in a list are the same three numbers.",
    lesson="The answer is a tuple, which cannot be changed under the hands of whoever reads it.",
)
def returns_three_in_a_list(size, stride, bounds):
    start, stop, step = _bounds(size, bounds)
    return [len(range(start, stop, step)), stride * step, start * stride]


@solutions.wrong(
    "03.sliced",
    belief="With a step the first element lies step times further on.",
    lesson="The step is taken between elements of the slice. The first one lies at start, whatever the step.",
)
def step_moves_the_start(size, stride, bounds):
    start, stop, step = _bounds(size, bounds)
    return len(range(start, stop, step)), stride * step, start * stride * step


@solutions.wrong(
    "03.sliced",
    belief="Where nothing is left, nothing is skipped.",
    lesson="The empty slice 5:2 begins at 5, as 5:6 does: start, brought inside, times the stride.",
)
def skips_nothing_for_nothing(size, stride, bounds):
    start, stop, step = _bounds(size, bounds)
    kept = len(range(start, stop, step))
    return kept, stride * step, start * stride if kept else 0
