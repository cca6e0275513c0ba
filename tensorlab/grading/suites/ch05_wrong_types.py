"""Chapter 5, where dtypes meet: solutions that are wrong, each from a belief that somebody holds."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, has-type, arg-type, call-overload"
# The answers are written as students write them, without types.

from __future__ import annotations

import functools

import tensorlab as tl
from tensorlab.grading.suite import Solutions

solutions = Solutions()


def category(dtype):
    """0 for bool, 1 for integers, 2 for floats."""
    return 2 if dtype.is_floating_point else 0 if dtype is tl.bool else 1


def number_dtype(number):
    return {bool: tl.bool, int: tl.int64, float: tl.get_default_dtype()}[type(number)]


def met_in_groups(operands, dtype_of_number=number_dtype):
    """The dtype in which each group meets; None for a group without operands."""
    met = [None, None, None]
    for operand in operands:
        if isinstance(operand, tl.Tensor):
            group, dtype = (0 if operand.dim() else 1), operand.dtype
        else:
            group, dtype = 2, dtype_of_number(operand)
        met[group] = dtype if met[group] is None else tl.promote_types(met[group], dtype)
    return met


def meeting_of(dtypes):
    """Where the dtypes of one group meet; None if there are none."""
    return functools.reduce(tl.promote_types, dtypes) if dtypes else None


def raised(met):
    """The first group decides, unless a later one is of a higher category."""
    result = None
    for dtype in met:
        if dtype is not None and (result is None or category(dtype) > category(result)):
            result = dtype
    return result


@solutions.wrong(
    "05.can_cast",
    belief="Whatever does not fit is cut off, so everything may be written.",
    lesson="x += 0.5 on whole numbers would then do nothing at all, and say nothing. PyTorch raises "
    "an error.",
)
def allows_everything(from_, to):
    return True


@solutions.wrong(
    "05.can_cast",
    belief="Only into the same dtype.",
    lesson="Then a float32 tensor could not take up a float64 result. Digits may be lost; it is the category "
    "that counts.",
)
def same_dtype_only(from_, to):
    return from_ is to


@solutions.wrong(
    "05.can_cast",
    belief="It may be written when the cells are wide enough.",
    lesson="int64 is as wide as float64 and still has no halves. And float64 into float16 is allowed: the "
    "category is "
    "the same.",
)
def compares_widths(from_, to):
    return from_.itemsize <= to.itemsize


@solutions.wrong(
    "05.can_cast",
    belief="It may be written if the two promote to the dtype of the target.",
    lesson="float64 and float16 promote to float64, and yet a float64 result may go into a float16 "
    "tensor. Only "
    "the category "
    "of what they promote to counts.",
)
def meets_in_the_target(from_, to):
    return tl.promote_types(from_, to) is to


@solutions.wrong(
    "05.can_cast",
    belief="Between integers and floats nothing may go.",
    lesson="Upwards it may: an integer in a float tensor is a number that floats have, or nearly have.",
)
def categories_do_not_mix(from_, to):
    return category(from_) == category(to)


@solutions.wrong(
    "05.can_cast",
    belief="A bool is a number with the values 0 and 1, so numbers may go into it.",
    lesson="A 7 would become true, and the 7 is gone. bool is a category of its own, below the integers.",
)
def bool_is_an_integer(from_, to):
    return not from_.is_floating_point or to.is_floating_point


@solutions.wrong(
    "05.can_cast",
    belief="A bool may go nowhere, as it is no number.",
    lesson="Upwards everything may go: false becomes 0 and true becomes 1.",
)
def bool_goes_nowhere(from_, to):
    if from_ is tl.bool or to is tl.bool:
        return from_ is to
    return not from_.is_floating_point or to.is_floating_point


@solutions.wrong(
    "05.can_cast",
    belief="can_cast(a, b) asks whether b may go into a.",
    lesson="The first argument is what is there, the second where it should go: can_cast(from_, to).",
)
def the_other_way_round(from_, to):
    return category(to) <= category(from_)


@solutions.wrong(
    "05.can_cast",
    belief="A negative number has no place in uint8, so signed integers may not go there.",
    lesson="The values are not looked at, only the categories. int8 into uint8 is integer into integer.",
)
def minds_the_sign(from_, to):
    if from_.is_signed and not to.is_signed and to is not tl.bool:
        return False
    return category(from_) <= category(to)


@solutions.wrong(
    "05.can_cast",
    belief="There are three dtypes of floats: float16, float32 and float64.",
    lesson="bfloat16 is a float as well, and more may come. dtype.is_floating_point knows them all.",
)
def forgets_bfloat16(from_, to):
    floats = (tl.float16, tl.float32, tl.float64)
    if from_ in floats:
        return to in floats
    return to is not tl.bool or from_ is tl.bool


@solutions.wrong(
    "05.result_type",
    belief="A tensor with one element is a single number.",
    lesson="tl.tensor([1000]) has a dimension, tl.tensor(1000) has none. Only the second counts as a single "
    "number: what is asked is x.dim(), not how many elements there are.",
)
def one_element_is_a_number(*operands):
    groups = [[], [], []]
    for operand in operands:
        tensor = isinstance(operand, tl.Tensor)
        group = (0 if operand.numel() > 1 else 1) if tensor else 2
        groups[group].append(operand.dtype if tensor else number_dtype(operand))
    return raised([meeting_of(group) for group in groups])


@solutions.wrong(
    "05.result_type",
    belief="Two dtypes promote to one, so two of each group are looked at.",
    lesson="Promote the result of two of them with the third: uint8, int8 and int32 give int32.",
)
def only_two_of_a_group(*operands):
    groups = [[], [], []]
    for operand in operands:
        tensor = isinstance(operand, tl.Tensor)
        group = (0 if operand.dim() else 1) if tensor else 2
        groups[group].append(operand.dtype if tensor else number_dtype(operand))
    return raised([meeting_of(group[:2]) for group in groups])


@solutions.wrong(
    "05.result_type",
    belief="The widest dtype wins.",
    lesson="int64 is wider than float32, and the sum of the two is float32: the category decides first. Only "
    "within a "
    "category does the width matter.",
)
def widest_wins(*operands):
    def of(operand):
        return operand.dtype if isinstance(operand, tl.Tensor) else number_dtype(operand)

    return max(map(of, operands), key=lambda dtype: dtype.itemsize)


@solutions.wrong(
    "05.result_type",
    belief="All operands are promoted with one another, whatever they are.",
    lesson="A number beside a tensor would then make it wider: int8 + 1000 would be int64. Numbers and "
    "tensors without "
    "dimensions only raise the category.",
)
def promotes_all(*operands):
    result = None
    for operand in operands:
        dtype = operand.dtype if isinstance(operand, tl.Tensor) else number_dtype(operand)
        result = dtype if result is None else tl.promote_types(result, dtype)
    return result


@solutions.wrong(
    "05.result_type",
    belief="int64 and float32 promote to float64, because float32 can't hold every int64.",
    lesson="NumPy thinks so. PyTorch keeps the float that it finds: memory doubles otherwise wherever an "
    "index is combined with a float.",
)
def as_numpy_does(*operands):
    met = met_in_groups(operands)
    dtypes = [operand.dtype for operand in operands if isinstance(operand, tl.Tensor) and operand.dim()]
    result = raised(met)
    wide = any(dtype in (tl.int32, tl.int64) for dtype in dtypes)
    if wide and any(dtype in (tl.float16, tl.bfloat16, tl.float32) for dtype in dtypes):
        return tl.float64
    return result


@solutions.wrong(
    "05.result_type",
    belief="A tensor without dimensions is a tensor, so it counts like the others.",
    lesson="It is one number, and behaves as a number does: int8 with a single int64 stays int8. It counts "
    "when its "
    "category is higher.",
)
def no_dimensions_count_fully(*operands):
    met = met_in_groups(operands)
    if met[0] is not None and met[1] is not None:
        met[0], met[1] = tl.promote_types(met[0], met[1]), None
    return raised(met)


@solutions.wrong(
    "05.result_type",
    belief="A single number never changes the dtype of a tensor.",
    lesson="0.5 beside whole numbers cannot be kept in them. When the category is higher, it changes the "
    "dtype.",
)
def singles_never_count(*operands):
    return next(dtype for dtype in met_in_groups(operands) if dtype is not None)


@solutions.wrong(
    "05.result_type",
    belief="A Python float is a float64.",
    lesson="It is stored so in Python. Beside an integer tensor it brings the default dtype, float32.",
)
def python_floats_are_float64(*operands):
    return raised(
        met_in_groups(operands, lambda n: {bool: tl.bool, int: tl.int64, float: tl.float64}[type(n)])
    )


@solutions.wrong(
    "05.result_type",
    belief="A Python float brings float32.",
    lesson="It brings the default dtype, which is float32 until tl.set_default_dtype makes it another. "
    "tl.get_default_dtype() says which it is.",
)
def python_floats_are_float32(*operands):
    return raised(
        met_in_groups(operands, lambda n: {bool: tl.bool, int: tl.int64, float: tl.float32}[type(n)])
    )


@solutions.wrong(
    "05.result_type",
    belief="When a single tensor raises the category to float, the result is the default dtype.",
    lesson="It brings its own dtype: int8 with a single float64 is float64. The default dtype is for Python "
    "floats.",
)
def raises_to_the_default(*operands):
    met = met_in_groups(operands)
    result = raised(met)
    known = met[0] if met[0] is not None else result
    floats = category(result) > category(known) and category(result) == 2
    return tl.get_default_dtype() if floats else result


@solutions.wrong(
    "05.result_type",
    belief="A number takes the smallest dtype that holds it: 1000 is an int16.",
    lesson="Values are not looked at, or a sum would change its dtype with the data. A Python int brings "
    "int64, which "
    "counts only by its category.",
)
def looks_at_the_value(*operands):
    def smallest(number):
        if type(number) is not int:
            return number_dtype(number)
        return tl.int8 if -128 <= number < 128 else tl.int16

    met = met_in_groups(operands, smallest)
    if met[2] is not None and category(met[2]) == 1:
        base = raised(met[:2])
        if base is not None and category(base) == 1:
            return tl.promote_types(base, met[2])
    return raised(met)


@solutions.wrong(
    "05.result_type",
    belief="The left operand decides.",
    lesson="a + b and b + a have the same dtype. The operands are sorted by what they are, not by where they "
    "stand.",
)
def the_left_decides(*operands):
    first = operands[0]
    return first.dtype if isinstance(first, tl.Tensor) else number_dtype(first)


@solutions.wrong(
    "05.result_type",
    belief="True is the number 1.",
    lesson="For Python it is nearly so. Here a bool brings the dtype bool, and raises nothing.",
)
def true_is_one(*operands):
    return raised(met_in_groups(operands, lambda n: tl.get_default_dtype() if type(n) is float else tl.int64))


@solutions.wrong(
    "05.result_type",
    belief="Tensors without dimensions and Python numbers are one group.",
    lesson="A single int8 tensor with 1000 stays int8: a tensor's dtype was chosen by somebody, a Python "
    "number's was "
    "not. The tensor is asked first.",
)
def two_groups_only(*operands):
    met = met_in_groups(operands)
    if met[1] is not None and met[2] is not None:
        met[1], met[2] = tl.promote_types(met[1], met[2]), None
    return raised(met)
