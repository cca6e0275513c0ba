"""Hints of chapter 5: a concept, a counterexample, a first step, one line. The solution is not here."""

from __future__ import annotations

#: Exercise id -> the four hints before the solution, in the order in which they open.
HINTS: dict[str, tuple[str, str, str, str]] = {
    "05.can_cast": (
        "There are three categories: bool, integer, float. Only the order of the categories decides.",
        "float64 into float16 loses digits and is allowed. float16 into int64 would fit, and is not "
        "allowed: an integer has no halves.",
        "Give each dtype the number of its category, 0, 1 or 2. dtype.is_floating_point finds the floats, "
        "and tl.bool is a category of its own.",
        "2 if dtype.is_floating_point else 0 if dtype is tl.bool else 1",
    ),
    "05.result_type": (
        "Take three groups in order: tensors with dimensions, tensors without, Python numbers. A later "
        "group changes the answer only if its category is higher.",
        "int8 with the number 1000 is int8, because both are integers. int8 with 0.5 is float32, because "
        "a float is a higher category, and a Python float brings the default dtype.",
        "Sort the operands' dtypes into three lists. Within a list, tl.promote_types combines two. Then "
        "go through the three results, and replace the answer only by one of a higher category.",
        "if result is None or category(of_group) > category(result): result = of_group",
    ),
    "05.cast": (
        "Either nothing changes, and the input is the answer. Or you write all elements again, into cells "
        "of another size.",
        "tl.empty(shape) lies row after row. The copy of a transposed tensor must be transposed too, so "
        "don't write into that.",
        "Compare the dtypes first. Then make an empty tensor with the layout of the input and the new "
        "dtype, and write the input into it. Writing converts.",
        "out = tl.empty_like(input, dtype=dtype); out[...] = input",
    ),
    "05.float32_fields": (
        "32 bits are 1 of sign, 8 of exponent, 23 of fraction, in this order from the left. To get them "
        "as ints, divide by powers of 2, or shift.",
        "1.0 is stored as exponent 127 and fraction 0. Its significand is 2**23 and its exponent -23, "
        "because 2**23 · 2**-23 is 1. For 0.0 both fields are 0, and the significand is 0, not 2**23.",
        "Cut out the three fields. Handle a stored exponent of 255 and one of 0 before anything else. All "
        "others get the hidden 1.",
        "return sign, fraction + 2**23, stored - 127 - 23",
    ),
    "05.take_apart": (
        "A file has to hold two things: the bytes of each storage, once, and for each tensor which "
        "storage it reads and how.",
        "x and x[1:] have different data_ptr() and one storage. Two tensors with equal numbers have two "
        "storages.",
        "Keep a list of the storages found so far, and the address of each. Look up every tensor's "
        "storage in it; if it is new, append it.",
        "address = x.untyped_storage().data_ptr()",
    ),
    "05.put_together": (
        "First the storages, one for each bytes. Then the tensors, each over the storage that its record "
        "names.",
        "Two tensors made from the same bytes are two copies, unless they share a buffer. You can't write "
        "to bytes; you can write to a bytearray.",
        "Make one bytearray for each storage. tl.frombuffer(buffer, dtype=dtype) is a line of cells over "
        "it, however often you call it. as_strided gives it the record's layout, and raises an error if "
        "that reaches outside.",
        "line = tl.frombuffer(buffers[number], dtype=dtype)",
    ),
}
