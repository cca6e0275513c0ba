"""Chapter 5: right solutions that go other ways than the library. They must keep every point."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, has-type"
# The answers are written as students write them, without types.

from __future__ import annotations

import math

import tensorlab as tl
from tensorlab.grading.suite import Solutions

solutions = Solutions()


def category(dtype):
    """0 for bool, 1 for integers, 2 for floats."""
    return 2 if dtype.is_floating_point else 0 if dtype is tl.bool else 1


#: Changes of `category` that keep the order of its three numbers.
_ORDER_KEPT = {
    "Only the order of the categories counts.": (
        "return 2 if dtype.is_floating_point else 0 if dtype is tl.bool else 1 -> "
        "return 3 if dtype.is_floating_point else 0 if dtype is tl.bool else 1",
        "return 2 if dtype.is_floating_point else 0 if dtype is tl.bool else 1 -> "
        "return 2 if dtype.is_floating_point else -1 if dtype is tl.bool else 1",
    )
}


@solutions.right("05.can_cast", idea="Number the categories and compare.", same=_ORDER_KEPT)
def compares_categories(from_, to):
    return category(from_) <= category(to)


@solutions.right("05.can_cast", idea="Say which moves are forbidden.")
def forbids_the_way_down(from_, to):
    if from_.is_floating_point and not to.is_floating_point:
        return False
    return not (to is tl.bool and from_ is not tl.bool)


@solutions.right(
    "05.can_cast",
    idea="May go exactly when the two promote to the category of the target.",
    same=_ORDER_KEPT
    | {
        "Categories are only asked whether they are equal, and bools and integers have exchanged numbers.": (
            "return 2 if dtype.is_floating_point else 0 if dtype is tl.bool else 1 -> "
            "return 2 if dtype.is_floating_point else 0 if dtype is not tl.bool else 1",
        )
    },
)
def asks_where_they_meet(from_, to):
    meet = tl.promote_types(from_, to)
    return category(meet) == category(to)


@solutions.right(
    "05.result_type",
    idea="Three groups, asked in order.",
    same=_ORDER_KEPT
    | {
        "A dtype meets itself in itself.": ("for dtype in group[1:]: -> for dtype in group[0:]:",),
        "bool is the lowest dtype, so it changes no group that it joins.": (
            "groups[2].append(tl.bool) -> groups[1].append(tl.bool)",
        ),
    },
)
def asks_three_groups(*operands):
    groups = [[], [], []]
    for operand in operands:
        if isinstance(operand, tl.Tensor):
            groups[0 if operand.dim() > 0 else 1].append(operand.dtype)
        elif isinstance(operand, bool):
            groups[2].append(tl.bool)
        else:
            groups[2].append(tl.int64 if isinstance(operand, int) else tl.get_default_dtype())
    result = None
    for group in filter(None, groups):
        meet = group[0]
        for dtype in group[1:]:
            meet = tl.promote_types(meet, dtype)
        if result is None or category(meet) > category(result):
            result = meet
    return result


@solutions.right(
    "05.result_type",
    idea="Find the highest category, then the first group that has it.",
    same=_ORDER_KEPT
    | {
        "Only the order of the groups counts.": (
            "rank = 2 -> rank = 3",
            "rank, dtype = (0 if operand.shape else 1, operand.dtype) -> "
            "rank, dtype = (-1 if operand.shape else 1, operand.dtype)",
        )
    },
)
def finds_the_highest_category(*operands):
    met = {}
    for operand in operands:
        if isinstance(operand, tl.Tensor):
            rank, dtype = (0 if operand.shape else 1), operand.dtype
        else:
            rank = 2
            dtype = {bool: tl.bool, int: tl.int64, float: tl.get_default_dtype()}[type(operand)]
        met[rank] = tl.promote_types(met[rank], dtype) if rank in met else dtype
    highest = max(category(dtype) for dtype in met.values())
    return next(met[rank] for rank in sorted(met) if category(met[rank]) == highest)


@solutions.right("05.cast", idea="An empty tensor like the input, and then a copy into it.")
def fills_one_like_it(input, dtype):
    if input.dtype is dtype:
        return input
    out = tl.empty_like(input, dtype=dtype)
    out[...] = input
    return out


@solutions.right("05.cast", idea="The same with copy_, which converts as it writes.")
def copies_in(input, dtype):
    return input if input.dtype == dtype else tl.zeros_like(input, dtype=dtype).copy_(input)


@solutions.right("05.float32_fields", idea="Shifts and masks.")
def shifts_and_masks(bits):
    sign, stored, fraction = bits >> 31, (bits >> 23) & 255, bits & ((1 << 23) - 1)
    if stored == 255:
        raise ValueError("not a number" if fraction else "infinity")
    if stored == 0:
        return sign, fraction, -149
    return sign, fraction | (1 << 23), stored - 150


@solutions.right("05.float32_fields", idea="Division with remainder.")
def divides(bits):
    sign, rest = divmod(bits, 2**31)
    stored, fraction = divmod(rest, 2**23)
    if stored == 255:
        raise ValueError(f"this is {'infinity' if fraction == 0 else 'not a number'}")
    significand = fraction + (2**23 if stored > 0 else 0)
    return sign, significand, max(stored, 1) - 127 - 23


@solutions.right("05.float32_fields", idea="Write the bits down as text and cut it.")
def cuts_the_text(bits):
    text = f"{bits:032b}"
    sign, stored, fraction = int(text[0]), int(text[1:9], 2), text[9:]
    if text[1:9] == "1" * 8:
        raise ValueError("infinity" if "1" not in fraction else "not a number")
    hidden = "0" if stored == 0 else "1"
    return sign, int(hidden + fraction, 2), (stored or 1) - 150


@solutions.right("05.take_apart", idea="Remember the address of each storage.")
def remembers_addresses(tensors):
    numbers, storages, records = {}, [], []
    for x in tensors:
        storage = x.untyped_storage()
        if storage.data_ptr() not in numbers:
            numbers[storage.data_ptr()] = len(storages)
            storages.append(bytes(storage.tolist()))
        number = numbers[storage.data_ptr()]
        records.append((number, x.dtype, tuple(x.shape), x.stride(), x.storage_offset()))
    return storages, records


@solutions.right("05.take_apart", idea="First the storages, then the records.")
def storages_first(tensors):
    addresses = [x.untyped_storage().data_ptr() for x in tensors]
    order = list(dict.fromkeys(addresses))
    first = [tensors[addresses.index(address)] for address in order]
    storages = [bytes(x.untyped_storage().tolist()) for x in first]
    facts = ((x.dtype, tuple(x.shape), x.stride(), x.storage_offset()) for x in tensors)
    return storages, [(order.index(a), *fact) for a, fact in zip(addresses, facts, strict=True)]


@solutions.right("05.put_together", idea="A buffer for each storage, a tensor over it for each record.")
def over_buffers(storages, records):
    buffers = [bytearray(content) for content in storages]
    tensors = []
    for number, dtype, shape, strides, offset in records:
        line = tl.frombuffer(buffers[number], dtype=dtype)
        try:
            tensors.append(tl.as_strided(line, shape, strides, offset))
        except RuntimeError:
            raise RuntimeError("this record reaches outside its storage") from None
    return tensors


@solutions.right("05.put_together", idea="A line of bytes for each storage, viewed in the record's dtype.")
def views_of_bytes(storages, records):
    lines = [tl.tensor(list(content), dtype=tl.uint8) for content in storages]
    tensors = []
    for number, dtype, shape, strides, offset in records:
        line = lines[number].view(dtype)
        last = offset + sum((size - 1) * step for size, step in zip(shape, strides, strict=True))
        if math.prod(shape) > 0 and last >= line.numel():
            raise RuntimeError(f"cell {last} reaches outside its storage of {line.numel()} cells")
        tensors.append(tl.as_strided(line, shape, strides, offset))
    return tensors
