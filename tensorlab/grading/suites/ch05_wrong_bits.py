"""Chapter 5, the bits of a float: solutions that are wrong, each from a belief that somebody holds."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, has-type"
# The answers are written as students write them, without types.

from __future__ import annotations

from tensorlab.grading.suite import Solutions

solutions = Solutions()


def fields(bits):
    """The three fields as they are stored; infinity and not a number are refused."""
    sign, stored, fraction = bits >> 31, bits >> 23 & 255, bits & (1 << 23) - 1
    if stored == 255:
        raise ValueError("not a number" if fraction else "infinity")
    return sign, stored, fraction


@solutions.wrong(
    "05.float32_fields",
    belief="Every float has a hidden 1 before its fraction.",
    lesson="Then 0 could not be written. A stored exponent of 0 means that there is no hidden 1.",
)
def always_a_hidden_one(bits):
    sign, stored, fraction = fields(bits)
    return sign, fraction + 2**23, max(stored, 1) - 150


@solutions.wrong(
    "05.float32_fields",
    belief="The fraction is the significand.",
    lesson="A normal number starts with a 1 that isn't stored, because it is always there.",
)
def no_hidden_one(bits):
    sign, stored, fraction = fields(bits)
    return sign, fraction, max(stored, 1) - 150


@solutions.wrong(
    "05.float32_fields",
    belief="A stored exponent of 0 is the power next below that of a stored 1.",
    lesson="It is the same power. So the subnormal numbers go on from the least normal one in equal steps, "
    "down to 0.",
)
def one_power_too_low(bits):
    sign, stored, fraction = fields(bits)
    return sign, fraction + (2**23 if stored else 0), stored - 150


@solutions.wrong(
    "05.float32_fields",
    belief="The stored exponent is the exponent.",
    lesson="127 is added to it before it is stored, so that small powers have a place without a sign.",
)
def forgets_the_bias(bits):
    sign, stored, fraction = fields(bits)
    return sign, fraction + (2**23 if stored else 0), max(stored, 1) - 23


@solutions.wrong(
    "05.float32_fields",
    belief="Eight bits have the middle 128.",
    lesson="The bias is 127, half of 254, because 0 and 255 mean something else.",
)
def bias_of_128(bits):
    sign, stored, fraction = fields(bits)
    return sign, fraction + (2**23 if stored else 0), max(stored, 1) - 128 - 23


@solutions.wrong(
    "05.float32_fields",
    belief="The significand is 1 and a fraction, so the exponent is the stored one less 127.",
    lesson="As an int the significand counts steps of 2 to the -23. The exponent takes these 23 up.",
)
def forgets_the_23(bits):
    sign, stored, fraction = fields(bits)
    return sign, fraction + (2**23 if stored else 0), max(stored, 1) - 127


@solutions.wrong(
    "05.float32_fields",
    belief="The sign is 1 or -1.",
    lesson="The sign bit is 0 or 1: 0 for plus and 1 for minus. What is done with it is the reader's affair.",
)
def sign_of_one(bits):
    sign, stored, fraction = fields(bits)
    return (-1) ** sign, fraction + (2**23 if stored else 0), max(stored, 1) - 150


@solutions.wrong(
    "05.float32_fields",
    belief="A negative number is stored as its complement, as an integer is.",
    lesson="Floats have a sign bit, and the other bits are those of the positive number.",
)
def complement_of_negatives(bits):
    sign = bits >> 31
    _, stored, fraction = fields(2**32 - bits if sign else bits)
    return sign, fraction + (2**23 if stored else 0), max(stored, 1) - 150


@solutions.wrong(
    "05.float32_fields",
    belief="-0 is 0, so its sign is 0.",
    lesson="The two compare equal, and the bit is there: 1 / -0.0 is minus infinity.",
)
def no_sign_of_zero(bits):
    sign, stored, fraction = fields(bits)
    if stored == fraction == 0:
        sign = 0
    return sign, fraction + (2**23 if stored else 0), max(stored, 1) - 150


@solutions.wrong(
    "05.float32_fields",
    belief="Zero has exponent 0.",
    lesson="Its stored exponent is 0, which stands for 2^-126, as for all subnormal numbers. 0 · "
    "2^-149 is 0.",
)
def zero_has_exponent_zero(bits):
    sign, stored, fraction = fields(bits)
    if stored == fraction == 0:
        return sign, 0, 0
    return sign, fraction + (2**23 if stored else 0), max(stored, 1) - 150


@solutions.wrong(
    "05.float32_fields",
    belief="Numbers that small are zero.",
    lesson="They fill the gap between zero and the least normal number. Without them x - y could be 0 for "
    "different "
    "x and y.",
)
def flushes_to_zero(bits):
    sign, stored, fraction = fields(bits)
    if stored == 0:
        return sign, 0, -149
    return sign, fraction + 2**23, stored - 150


@solutions.wrong(
    "05.float32_fields",
    belief="A stored exponent of 255 is the largest power.",
    lesson="It is reserved: with a fraction of 0 it says infinity, with any other 'not a number'.",
)
def infinity_is_a_number(bits):
    sign, stored, fraction = bits >> 31, bits >> 23 & 255, bits & (1 << 23) - 1
    return sign, fraction + (2**23 if stored else 0), max(stored, 1) - 150


@solutions.wrong(
    "05.float32_fields",
    belief="What is not finite is infinite.",
    lesson="There are two: infinity has a fraction of 0, and any other fraction says 'not a number'.",
)
def all_infinite(bits):
    sign, stored, fraction = bits >> 31, bits >> 23 & 255, bits & (1 << 23) - 1
    if stored == 255:
        raise ValueError("infinity")
    return sign, fraction + (2**23 if stored else 0), max(stored, 1) - 150
