"""Element types: what the bytes of a storage cell mean, and which type two operands promote to.

A dtype says three things: how many bytes a cell takes, how NumPy reads those bytes, and to which of three
categories (bool, integer, floating) the type belongs. Promotion needs nothing else.
"""

from __future__ import annotations

import builtins
import functools

import numpy as np

from tensorlab.registry import op

__all__ = [
    "ALL",
    "bfloat16",
    "bool",
    "by_name",
    "can_cast",
    "dtype",
    "finfo_max",
    "float16",
    "float32",
    "float64",
    "from_numpy_dtype",
    "get_default_dtype",
    "int8",
    "int16",
    "int32",
    "int64",
    "integer_range",
    "promote_types",
    "set_default_dtype",
    "uint8",
]

# Categories, in the order in which a mixed pair is decided: the higher one wins.
BOOL, INTEGER, FLOATING = 0, 1, 2


class dtype:
    """The type of one element.

    Attributes:
        name: PyTorch's name, ``"float32"``.
        itemsize: bytes per element.
        category: ``BOOL`` (0), ``INTEGER`` (1) or ``FLOATING`` (2); promotion goes upward.
        numpy: NumPy's dtype of the same meaning; None for bfloat16, which NumPy does not have.
        cell: the NumPy dtype in which kernels see a cell. It is `numpy`, except that the sixteen bits of
            float16 and bfloat16 come as ``uint16``: kernels widen them to float32 themselves.
        is_floating_point: True for float16, bfloat16, float32 and float64.
        is_signed: whether there are negative numbers.

    There is one object per type: compare with ``is`` or ``==``.

    Example:
        >>> import tensorlab as tl
        >>> tl.float32, tl.float32.itemsize, tl.float32.is_floating_point
        (tensorlab.float32, 4, True)
    """

    __slots__ = ("category", "cell", "is_floating_point", "is_signed", "itemsize", "name", "numpy")

    def __init__(self, name: str, cell: str, category: int, is_signed: builtins.bool) -> None:
        self.name = name
        self.cell = np.dtype(cell)
        self.numpy = None if name == "bfloat16" else np.dtype(name)
        self.itemsize = self.cell.itemsize
        self.category = category
        self.is_floating_point = category == FLOATING
        self.is_signed = is_signed

    @property
    def is_complex(self) -> builtins.bool:
        """Always False: there are no complex types here."""
        return False

    def __repr__(self) -> str:
        return f"tensorlab.{self.name}"

    def __reduce__(self) -> tuple:
        return by_name, (self.name,)


bool = dtype("bool", "bool", BOOL, False)
uint8 = dtype("uint8", "uint8", INTEGER, False)
int8 = dtype("int8", "int8", INTEGER, True)
int16 = dtype("int16", "int16", INTEGER, True)
int32 = dtype("int32", "int32", INTEGER, True)
int64 = dtype("int64", "int64", INTEGER, True)
float16 = dtype("float16", "uint16", FLOATING, True)
bfloat16 = dtype("bfloat16", "uint16", FLOATING, True)
float32 = dtype("float32", "float32", FLOATING, True)
float64 = dtype("float64", "float64", FLOATING, True)

ALL = (bool, uint8, int8, int16, int32, int64, float16, bfloat16, float32, float64)

_BY_NAME = {t.name: t for t in ALL} | {
    "half": float16,
    "float": float32,
    "double": float64,
    "short": int16,
    "int": int32,
    "long": int64,
}
_BY_NUMPY = {t.numpy: t for t in ALL if t.numpy is not None}

default_dtype = float32


def by_name(name: str) -> dtype:
    """The dtype called `name`, PyTorch's short names (``"long"``, ``"double"``) included.

    Raises:
        TypeError: no dtype has that name.

    Example:
        >>> by_name("long")
        tensorlab.int64
    """
    try:
        return _BY_NAME[name]
    except KeyError:
        raise TypeError(f"no dtype is called {name!r}; there are {', '.join(t.name for t in ALL)}") from None


def from_numpy_dtype(numpy_dtype: np.dtype) -> dtype:
    """The dtype whose cells NumPy stores as `numpy_dtype`.

    Raises:
        TypeError: NumPy's type has no counterpart here.
        ValueError: it has one, with the bytes of an item in the other order.

    Example:
        >>> from_numpy_dtype(np.dtype("f8"))
        tensorlab.float64
    """
    found = _BY_NUMPY.get(numpy_dtype)
    if found is None:
        if numpy_dtype.newbyteorder("=") in _BY_NUMPY:
            raise ValueError(
                f"given numpy array has byte order different from the native byte order ({numpy_dtype.str}): "
                f"convert first, array.astype(array.dtype.newbyteorder('='))"
            )
        supported = ", ".join(t.name for t in _BY_NUMPY.values())
        raise TypeError(
            f"can't convert a NumPy array of type {numpy_dtype}; the supported types are {supported}: "
            f"convert with array.astype(...) first"
        )
    return found


@op()
def get_default_dtype() -> dtype:
    """The floating type that Python floats become: float32 unless `set_default_dtype` changed it.

    Example:
        >>> import tensorlab as tl
        >>> tl.get_default_dtype(), tl.tensor(0.5).dtype
        (tensorlab.float32, tensorlab.float32)
    """
    return default_dtype


@op()
def set_default_dtype(d: dtype) -> None:
    """Make `d` the type that Python floats become.

    Raises:
        TypeError: `d` is not a floating-point dtype.

    Example:
        >>> import tensorlab as tl
        >>> tl.set_default_dtype(tl.float64)
        >>> tl.tensor(0.5).dtype
        tensorlab.float64
        >>> tl.set_default_dtype(tl.float32)
    """
    global default_dtype
    if not isinstance(d, dtype) or not d.is_floating_point:
        raise TypeError(f"the default dtype must be a floating-point dtype, got {d!r}")
    default_dtype = d


def integer_range(d: dtype) -> tuple[int, int]:
    """The least and the greatest value of an integer dtype (bool counts as 0 and 1).

    Example:
        >>> integer_range(int8)
        (-128, 127)
    """
    if d is bool:
        return 0, 1
    info = np.iinfo(d.cell)
    return int(info.min), int(info.max)


@functools.cache
def finfo_max(d: dtype) -> float:
    """The greatest finite value of a floating dtype.

    Example:
        >>> finfo_max(float16)
        65504.0
    """
    if d is bfloat16:
        return 2.0**127 * (2 - 2.0**-7)
    return float(np.finfo(d.numpy).max)


def _promotion_table() -> dict[tuple[dtype, dtype], dtype]:
    """PyTorch's lattice: bool, then the integers, then the floats.

    Three pairs need thought. uint8 with a signed type needs a type that holds both ranges. A float and an
    integer of any width promote to the float. float16 and bfloat16 contain one another in neither range
    nor precision, so they promote to float32.
    """
    ladder = [bool, int8, int16, int32, int64, float16, float32, float64]
    table = {}
    for i, low in enumerate(ladder):
        for high in ladder[i:]:
            table[low, high] = table[high, low] = high
    for other in ladder:
        meet = uint8 if other is bool else int16 if other is int8 else other
        table[uint8, other] = table[other, uint8] = meet
    for other in (*ladder, uint8):
        meet = float32 if other is float16 else other if other in (float32, float64) else bfloat16
        table[bfloat16, other] = table[other, bfloat16] = meet
    table[uint8, uint8] = uint8
    table[bfloat16, bfloat16] = bfloat16
    return table


_PROMOTION = _promotion_table()


@op()
def promote_types(type1: dtype, type2: dtype) -> dtype:
    """The smallest dtype that two tensors of at least one dimension promote to.

    Args:
        type1, type2: the dtypes of the two.

    Raises:
        TypeError: an argument is no dtype.

    Example:
        >>> promote_types(uint8, int8), promote_types(int64, float16)
        (tensorlab.int16, tensorlab.float16)
    """
    try:
        return _PROMOTION[type1, type2]
    except (KeyError, TypeError):
        raise TypeError(
            f"promote_types() takes two dtypes such as tensorlab.int8, got {type1!r} and {type2!r}"
        ) from None


@op()
def can_cast(from_: dtype, to: dtype) -> builtins.bool:
    """Whether a conversion keeps the kind of number: a float may not become an integer, nor a number a bool.

    What is written in place or into ``out`` must be of such a kind.

    Args:
        from_: the dtype of the numbers.
        to: the dtype that they are converted to.

    Example:
        >>> can_cast(float64, float16), can_cast(float16, int64)
        (True, False)
    """
    return from_.category <= to.category
