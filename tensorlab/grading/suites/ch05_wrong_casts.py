"""Chapter 5, casts: solutions that are wrong, each from a belief that somebody holds."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, has-type"
# The answers are written as students write them, without types.

from __future__ import annotations

import tensorlab as tl
from tensorlab.grading.suite import Solutions

solutions = Solutions()


@solutions.wrong(
    "05.cast",
    belief="A cast makes a new tensor.",
    lesson="When the dtype is the one that it has, there is nothing to make. The input itself comes back.",
)
def always_copies(input, dtype):
    out = tl.empty_like(input, dtype=dtype)
    out[...] = input
    return out


@solutions.wrong(
    "05.cast",
    belief="Make the copy, and see then whether it is needed.",
    lesson="While it lives, the memory holds both, and to make it takes as long as to use it. Compare the "
    "dtypes first.",
)
def makes_a_copy_to_throw_away(input, dtype):
    out = tl.empty_like(input, dtype=dtype)
    out[...] = input
    return input if input.dtype is dtype else out


@solutions.wrong(
    "05.cast",
    belief="The dtype says how to read the bytes, so a cast reads them in another way.",
    lesson="That is view(dtype): the bytes stay and the numbers change. A cast keeps the numbers and writes "
    "other "
    "bytes.",
)
def reads_the_bytes_anew(input, dtype):
    return input if input.dtype is dtype else input.view(dtype)


@solutions.wrong(
    "05.cast",
    belief="Where both dtypes are equally wide, nothing has to be written.",
    lesson="The cells are as many, but the bits mean something else: float16 and bfloat16 divide them "
    "otherwise. And where they mean the same, a write into the copy would show in the input.",
)
def keeps_the_bytes_of_the_same_width(input, dtype):
    if input.dtype is dtype:
        return input
    if input.dtype.itemsize == dtype.itemsize and dtype is not tl.bool:
        return input.view(dtype)
    out = tl.empty_like(input, dtype=dtype)
    out[...] = input
    return out


@solutions.wrong(
    "05.cast",
    belief="A float becomes the nearest integer.",
    lesson="The fraction is dropped: 1.9 becomes 1. Round first if you want the nearest: x.round().",
)
def rounds(input, dtype):
    if input.dtype is dtype:
        return input
    out = tl.empty_like(input, dtype=dtype)
    whole = input.dtype.is_floating_point and not dtype.is_floating_point and dtype is not tl.bool
    out[...] = input.round() if whole else input
    return out


@solutions.wrong(
    "05.cast",
    belief="Dropping the fraction means the next smaller integer.",
    lesson="For -1.9 the next smaller one is -2. Dropping the fraction gives -1: towards zero, on both "
    "sides.",
)
def rounds_down(input, dtype):
    if input.dtype is dtype:
        return input
    out = tl.empty_like(input, dtype=dtype)
    whole = input.dtype.is_floating_point and not dtype.is_floating_point and dtype is not tl.bool
    out[...] = input.floor() if whole else input
    return out


@solutions.wrong(
    "05.cast",
    belief="A bool is the integer part, 0 or not.",
    lesson="0.5 is not zero, so it is true, although its integer part is 0. Everything that is not zero is "
    "true.",
)
def bool_of_the_whole_part(input, dtype):
    if input.dtype is dtype:
        return input
    out = tl.empty_like(input, dtype=dtype)
    out[...] = input.trunc() if dtype is tl.bool else input
    return out


@solutions.wrong(
    "05.cast",
    belief="Only what is greater than zero is true.",
    lesson="-0.25 is not zero either. True means 'not zero', not 'positive'.",
)
def only_positive_is_true(input, dtype):
    if input.dtype is dtype:
        return input
    out = tl.empty_like(input, dtype=dtype)
    out[...] = input > 0 if dtype is tl.bool else input
    return out


@solutions.wrong(
    "05.cast",
    belief="NumPy has every dtype, so it can do the conversion.",
    lesson="It has no bfloat16. A write converts between all the dtypes of the library: y[...] = x.",
)
def converts_in_numpy(input, dtype):
    if input.dtype is dtype:
        return input
    return tl.tensor(input.numpy().astype(dtype.name))


@solutions.wrong(
    "05.cast",
    belief="A copy lies row after row.",
    lesson="This one keeps the order in memory when that leaves no gaps, as clone does: a turned tensor "
    "stays turned. "
    "tl.empty_like knows.",
)
def copies_row_after_row(input, dtype):
    if input.dtype is dtype:
        return input
    out = tl.empty(input.shape, dtype=dtype)
    out[...] = input
    return out


@solutions.wrong(
    "05.cast",
    belief="The copy has the same strides and the same offset as the input.",
    lesson="Gaps and cells before the first element belong to the old storage. The copy's storage "
    "holds its elements and "
    "nothing more.",
)
def keeps_the_gaps(input, dtype):
    if input.dtype is dtype:
        return input
    line = tl.as_strided(input, (input.untyped_storage().nbytes() // input.element_size(),), (1,), 0)
    out = tl.empty_like(line, dtype=dtype)
    out[...] = line
    return tl.as_strided(out, input.shape, input.stride(), input.storage_offset())


@solutions.wrong(
    "05.cast",
    belief="A new view is as good as the tensor itself.",
    lesson="When nothing changes, the very object comes back, so that `y is x` tells whether anything was "
    "copied.",
)
def returns_a_view_of_it(input, dtype):
    if input.dtype is dtype:
        return tl.as_strided(input, input.shape, input.stride(), input.storage_offset())
    out = tl.empty_like(input, dtype=dtype)
    out[...] = input
    return out
