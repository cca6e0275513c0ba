"""Chapter 7, rows of length 1: solutions that are wrong, each from a belief that somebody holds."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, has-type"
# The answers are written as students write them, without types.

from __future__ import annotations

from tensorlab.grading.suite import Solutions

solutions = Solutions()


def powers(input, p):
    """The absolute values to the power p."""
    return input.abs() ** p


@solutions.wrong(
    "07.normalize",
    belief="keepdim is cosmetic; the lengths are the same without it.",
    lesson="Without it the lengths are aligned on the right, with the columns. Some shapes raise an error, "
    "and square tables are divided by the wrong lengths.",
)
def forgets_keepdim(input, p=2.0, dim=1, eps=1e-12):
    return input / (powers(input, p).sum(dim) ** (1 / p)).clamp(min=eps)


@solutions.wrong(
    "07.normalize",
    belief="Each row is divided by its length, so the lengths have to become a column.",
    lesson="A column is right along the last dimension of a table. keepdim=True puts the 1 where the "
    "dimension was, for every dimension.",
)
def makes_a_column(input, p=2.0, dim=1, eps=1e-12):
    lengths = (powers(input, p).sum(dim) ** (1 / p)).clamp(min=eps)
    return input / lengths[..., None]


@solutions.wrong(
    "07.normalize",
    belief="Where the shapes do not fit without keepdim, keepdim has to be added.",
    lesson="Where they happen to fit they are wrong all the same: in a square table. Do not wait for the "
    "error.",
)
def keeps_it_only_after_an_error(input, p=2.0, dim=1, eps=1e-12):
    try:
        return input / (powers(input, p).sum(dim) ** (1 / p)).clamp(min=eps)
    except RuntimeError:
        return input / (powers(input, p).sum(dim, keepdim=True) ** (1 / p)).clamp(min=eps)


@solutions.wrong(
    "07.normalize",
    belief="To normalize is to divide by the sum.",
    lesson="That is the 1-norm of positive numbers. For p = 2 the length is the square root of the sum of "
    "squares.",
)
def divides_by_the_sum(input, p=2.0, dim=1, eps=1e-12):
    return input / input.sum(dim, keepdim=True).clamp(min=eps)


@solutions.wrong(
    "07.normalize",
    belief="The length of a row is the sum of its squares.",
    lesson="It is the square root of that: (3, 4) has length 5, not 25.",
)
def forgets_the_root(input, p=2.0, dim=1, eps=1e-12):
    return input / powers(input, p).sum(dim, keepdim=True).clamp(min=eps)


@solutions.wrong(
    "07.normalize",
    belief="A length has a square in it, whatever p is.",
    lesson="p is the power and the root. For p = 1 the length is the sum of the absolute values.",
)
def always_squares(input, p=2.0, dim=1, eps=1e-12):
    return input / (powers(input, 2).sum(dim, keepdim=True) ** 0.5).clamp(min=eps)


@solutions.wrong(
    "07.normalize",
    belief="The root undoes the power, and a square root is a square root.",
    lesson="The p-th power needs the p-th root: ** (1 / p).",
)
def always_takes_the_square_root(input, p=2.0, dim=1, eps=1e-12):
    return input / (powers(input, p).sum(dim, keepdim=True) ** 0.5).clamp(min=eps)


@solutions.wrong(
    "07.normalize",
    belief="The p-th power is p factors.",
    lesson="p may be 1.5, and half a factor there is none. input.abs() ** p knows every power.",
)
def multiplies_p_times(input, p=2.0, dim=1, eps=1e-12):
    power = absolute = input.abs()
    for _ in range(int(p) - 1):
        power = power * absolute
    return input / (power.sum(dim, keepdim=True) ** (1 / p)).clamp(min=eps)


@solutions.wrong(
    "07.normalize",
    belief="Lengths as small as 0.000001 are rounding, so they count as zero.",
    lesson="A float32 has as many digits near 1e-8 as near 1. From which length on a row counts is what eps "
    "says.",
)
def lifts_short_rows(input, p=2.0, dim=1, eps=1e-12):
    lengths = powers(input, p).sum(dim, keepdim=True) ** (1 / p)
    return input / lengths.clamp(min=max(eps, 1e-6))


@solutions.wrong(
    "07.normalize",
    belief="A power makes all numbers positive.",
    lesson="Even powers do. For p = 1 or 3, -3 and 3 cancel. Take absolute values first.",
)
def forgets_absolute_values(input, p=2.0, dim=1, eps=1e-12):
    lengths = (input**p).sum(dim, keepdim=True)
    return input / (lengths ** (1 / p)).clamp(min=eps)


@solutions.wrong(
    "07.normalize",
    belief="Normalized numbers are positive, like shares.",
    lesson="Only the length is made of absolute values. The elements keep their sign.",
)
def loses_the_sign(input, p=2.0, dim=1, eps=1e-12):
    return input.abs() / (powers(input, p).sum(dim, keepdim=True) ** (1 / p)).clamp(min=eps)


@solutions.wrong(
    "07.normalize",
    belief="eps is added, so that the divisor is never 0.",
    lesson="Then every length is a little too long. eps takes its place only where the length is less.",
)
def adds_eps(input, p=2.0, dim=1, eps=1e-12):
    return input / (powers(input, p).sum(dim, keepdim=True) ** (1 / p) + eps)


@solutions.wrong(
    "07.normalize",
    belief="No row has the length 0.",
    lesson="A row of zeros has. 0 / 0 is nan, and a nan spreads through everything that follows.",
)
def divides_by_zero(input, p=2.0, dim=1, eps=1e-12):
    return input / powers(input, p).sum(dim, keepdim=True) ** (1 / p)


@solutions.wrong(
    "07.normalize",
    belief="The rows of a tensor are always its last dimension.",
    lesson="dim says along which dimension the lengths are taken, and it may be another one.",
)
def always_takes_the_last_dimension(input, p=2.0, dim=1, eps=1e-12):
    return input / (powers(input, p).sum(-1, keepdim=True) ** (1 / p)).clamp(min=eps)


@solutions.wrong(
    "07.normalize",
    belief="One length for the whole tensor.",
    lesson="Each row has a length of its own. Name the dimension in the sum.",
)
def takes_one_length_for_all(input, p=2.0, dim=1, eps=1e-12):
    return input / (powers(input, p).sum() ** (1 / p)).clamp(min=eps)


@solutions.wrong(
    "07.normalize",
    belief="The input is to be normalized, so it is divided in place.",
    lesson="The caller's numbers are changed then. Return a new tensor; names that write in place end "
    "with an underscore.",
)
def divides_in_place(input, p=2.0, dim=1, eps=1e-12):
    input /= (powers(input, p).sum(dim, keepdim=True) ** (1 / p)).clamp(min=eps)
    return input


@solutions.wrong(
    "07.normalize",
    belief="After it the largest element of each row is 1.",
    lesson="That divides by the largest. The length is made of all elements of the row.",
)
def divides_by_the_greatest(input, p=2.0, dim=1, eps=1e-12):
    return input / input.abs().amax(dim, keepdim=True).clamp(min=eps)
