"""Chapter 4, the size -1: solutions that are wrong, each from a belief that somebody holds."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, has-type"
# The answers are written as students write them, without types.

from __future__ import annotations

import math

import numpy as np

from tensorlab.grading.suite import Solutions

solutions = Solutions()


def refuse_what_cannot_be(shape):
    if any(size < -1 for size in shape):
        raise RuntimeError(f"invalid shape dimension in {shape}")
    if shape.count(-1) > 1:
        raise RuntimeError("only one dimension can be inferred")


def refuse_sizes(shape, count):
    raise RuntimeError(f"shape {shape} is invalid for input of size {count}")


def refuse_any_value(shape):
    raise RuntimeError(f"the size -1 in {shape} can be any value")


def with_unknown(shape, size):
    return tuple(size if given == -1 else given for given in shape)


def product_of_known(shape):
    return math.prod(size for size in shape if size != -1)


@solutions.wrong(
    "04.infer_size",
    belief="The known sizes multiply to something that the count can be divided by.",
    lesson="A known size of 0 multiplies to 0, and nothing can be divided by 0. Look at the product first.",
)
def divides_by_zero(shape, count):
    refuse_what_cannot_be(shape)
    known = product_of_known(shape)
    if -1 in shape:
        if count % known:
            refuse_sizes(shape, count)
        return with_unknown(shape, count // known)
    if known != count:
        refuse_sizes(shape, count)
    return tuple(shape)


@solutions.wrong(
    "04.infer_size",
    belief="One size has to be left open.",
    lesson="A shape may be given whole. Then nothing is inferred, and the sizes only have to fit.",
)
def wants_an_unknown(shape, count):
    refuse_what_cannot_be(shape)
    known = product_of_known(shape)
    if -1 not in shape or (known and count % known):
        refuse_sizes(shape, count)
    if known == 0:
        refuse_any_value(shape) if count == 0 else refuse_sizes(shape, count)
    return with_unknown(shape, count // known)


@solutions.wrong(
    "04.infer_size",
    belief="A tensor without elements has no size to infer, so -1 is refused.",
    lesson="For (2, -1) and 0 elements there is one size that fits: 0. Only beside a known size of 0 does "
    "every "
    "size fit.",
)
def refuses_all_empties(shape, count):
    refuse_what_cannot_be(shape)
    if -1 in shape and count == 0:
        refuse_any_value(shape)
    known = product_of_known(shape)
    fits = known != 0 and count % known == 0 if -1 in shape else known == count
    if not fits:
        refuse_sizes(shape, count)
    return with_unknown(shape, count // known) if -1 in shape else tuple(shape)


@solutions.wrong(
    "04.infer_size",
    belief="Beside a size of 0 the unknown one is 0 too.",
    lesson="It could be 0, and as well 1 or 7: the product is 0 each time. When the answer is not the only "
    "one, "
    "guessing is worse than an error.",
)
def zero_beside_zero(shape, count):
    refuse_what_cannot_be(shape)
    known = product_of_known(shape)
    if -1 in shape and known == count == 0:
        return with_unknown(shape, 0)
    fits = known != 0 and count % known == 0 if -1 in shape else known == count
    if not fits:
        refuse_sizes(shape, count)
    return with_unknown(shape, count // known) if -1 in shape else tuple(shape)


@solutions.wrong(
    "04.infer_size",
    belief="Beside a known size of 0 the unknown one can be anything, whatever the count is.",
    lesson="With 6 elements nothing fits (0, -1): whatever stands for -1, the product is 0. That is a wrong "
    "size, not "
    "an open one.",
)
def open_for_any_count(shape, count):
    refuse_what_cannot_be(shape)
    known = product_of_known(shape)
    if -1 in shape and known == 0:
        refuse_any_value(shape)
    fits = count % known == 0 if -1 in shape else known == count
    if not fits:
        refuse_sizes(shape, count)
    return with_unknown(shape, count // known) if -1 in shape else tuple(shape)


@solutions.wrong(
    "04.infer_size",
    belief="64 bits are enough for the number of elements.",
    lesson="For sizes that somebody made up they are not. 2**32 times 2**32 wraps around to 0 in NumPy's "
    "integers, and is 2**64 in Python's.",
)
def multiplies_in_64_bits(shape, count):
    refuse_what_cannot_be(shape)
    known = int(np.prod([size for size in shape if size != -1], dtype=np.int64))
    if -1 in shape:
        if known == count == 0:
            refuse_any_value(shape)
        if known == 0 or count % known:
            refuse_sizes(shape, count)
        return with_unknown(shape, count // known)
    if known != count:
        refuse_sizes(shape, count)
    return tuple(shape)


@solutions.wrong(
    "04.infer_size",
    belief="-1 takes what is left of the count after the known sizes: a subtraction.",
    lesson="Sizes multiply. Of 12 elements in rows of 3 there are 12 / 3 = 4 rows, not 12 - 3 = 9.",
)
def subtracts(shape, count):
    refuse_what_cannot_be(shape)
    if -1 not in shape:
        if product_of_known(shape) != count:
            refuse_sizes(shape, count)
        return tuple(shape)
    return with_unknown(shape, count - sum(size for size in shape if size != -1))


@solutions.wrong(
    "04.infer_size",
    belief="The product of the shape says what is known.",
    lesson="The -1 is in that product and turns its sign: for (2, -1) it is -2. Leave the -1 out.",
)
def multiplies_the_minus_one(shape, count):
    refuse_what_cannot_be(shape)
    known = math.prod(shape)
    if -1 in shape:
        if known == count == 0:
            refuse_any_value(shape)
        if known == 0 or count % known:
            refuse_sizes(shape, count)
        return with_unknown(shape, count // known)
    if known != count:
        refuse_sizes(shape, count)
    return tuple(shape)


@solutions.wrong(
    "04.infer_size",
    belief="Dividing and rounding down gives the size.",
    lesson="6 elements in rows of 4 are one row, and 2 elements are lost. A remainder means that no size "
    "fits.",
)
def rounds_down(shape, count):
    refuse_what_cannot_be(shape)
    known = product_of_known(shape)
    if -1 in shape:
        if known == count == 0:
            refuse_any_value(shape)
        return with_unknown(shape, count // known if known else 0)
    if known != count:
        refuse_sizes(shape, count)
    return tuple(shape)


@solutions.wrong(
    "04.infer_size",
    belief="Sizes without a -1 were chosen by someone who knows, so they need no check.",
    lesson="That someone makes mistakes too. A shape with 8 places for 6 elements would read two cells that "
    "belong "
    "to nobody.",
)
def trusts_given_sizes(shape, count):
    refuse_what_cannot_be(shape)
    if -1 not in shape:
        return tuple(shape)
    known = product_of_known(shape)
    if known == count == 0:
        refuse_any_value(shape)
    if known == 0 or count % known:
        refuse_sizes(shape, count)
    return with_unknown(shape, count // known)


@solutions.wrong(
    "04.infer_size",
    belief="A shape that is smaller than the tensor is fine: it shows the first elements.",
    lesson="That would be a slice. A view with another shape shows all elements, so both counts must be "
    "equal.",
)
def allows_smaller(shape, count):
    refuse_what_cannot_be(shape)
    known = product_of_known(shape)
    if -1 in shape:
        if known == count == 0:
            refuse_any_value(shape)
        if known == 0 or count % known:
            refuse_sizes(shape, count)
        return with_unknown(shape, count // known)
    if known > count:
        refuse_sizes(shape, count)
    return tuple(shape)


@solutions.wrong(
    "04.infer_size",
    belief="With two unknown sizes the first one takes all, and the other is 1.",
    lesson="6 in two unknown sizes may be 6 · 1, 3 · 2, 2 · 3 or 1 · 6. Nobody said which, so it is an "
    "error.",
)
def first_unknown_takes_all(shape, count):
    if any(size < -1 for size in shape):
        raise RuntimeError(f"invalid shape dimension in {shape}")
    sizes = list(shape)
    for dim in [dim for dim, size in enumerate(sizes) if size == -1][1:]:
        sizes[dim] = 1
    known = product_of_known(sizes)
    if -1 in sizes and known == count == 0:
        refuse_any_value(shape)
    fits = known != 0 and count % known == 0 if -1 in sizes else known == count
    if not fits:
        refuse_sizes(shape, count)
    return with_unknown(sizes, count // known) if -1 in sizes else tuple(sizes)


@solutions.wrong(
    "04.infer_size",
    belief="Any negative size means 'work it out'.",
    lesson="Only -1 does. A -2 is most likely a slip in someone's arithmetic, and an error helps to find it.",
)
def any_negative_is_unknown(shape, count):
    shape = tuple(-1 if size < 0 else size for size in shape)
    if shape.count(-1) > 1:
        raise RuntimeError("only one dimension can be inferred")
    known = product_of_known(shape)
    if -1 in shape and known == count == 0:
        refuse_any_value(shape)
    fits = known != 0 and count % known == 0 if -1 in shape else known == count
    if not fits:
        refuse_sizes(shape, count)
    return with_unknown(shape, count // known) if -1 in shape else shape


@solutions.wrong(
    "04.infer_size",
    belief="Wrong sizes are a ValueError.",
    lesson="Python's own functions would say so. PyTorch raises RuntimeError here, and programs catch it by "
    "that "
    "name.",
)
def raises_value_error(shape, count):
    if any(size < -1 for size in shape):
        raise ValueError(f"invalid shape dimension in {shape}")
    if shape.count(-1) > 1:
        raise ValueError("only one dimension can be inferred")
    known = product_of_known(shape)
    if -1 in shape and known == count == 0:
        raise ValueError("the size -1 can be any value")
    fits = known != 0 and count % known == 0 if -1 in shape else known == count
    if not fits:
        raise ValueError(f"shape {shape} is invalid for input of size {count}")
    return with_unknown(shape, count // known) if -1 in shape else tuple(shape)


@solutions.wrong(
    "04.infer_size",
    belief="/ divides.",
    lesson="/ gives a float even when it comes out whole, and a size is an int: 12 // 3.",
)
def divides_to_a_float(shape, count):
    refuse_what_cannot_be(shape)
    known = product_of_known(shape)
    if -1 in shape and known == count == 0:
        refuse_any_value(shape)
    fits = known != 0 and count % known == 0 if -1 in shape else known == count
    if not fits:
        refuse_sizes(shape, count)
    return with_unknown(shape, count / known) if -1 in shape else tuple(shape)


@solutions.wrong(
    "04.infer_size",
    belief="int(count / known) is what count // known is.",
    lesson="/ goes by way of floats, which keep 53 bits of a number and drop the rest. // stays with ints.",
)
def divides_as_floats(shape, count):
    refuse_what_cannot_be(shape)
    known = product_of_known(shape)
    if -1 not in shape:
        if known != count:
            refuse_sizes(shape, count)
        return tuple(shape)
    if known == 0 and count == 0:
        refuse_any_value(shape)
    if known == 0 or count % known:
        refuse_sizes(shape, count)
    return with_unknown(shape, int(count / known))
