"""Plain values as JSON and back. Nothing else crosses the wall between a student's code and the grader.

A value is plain when its type is exactly None, bool, int, float, str, bytes, tuple, list, slice, a tensorlab
dtype or a layout's refusal, and lists, tuples and slices hold plain values. Subclasses are not plain: an
object of the student's own class could answer ``==`` as it likes. A tensor leaves as the `Strided` that tells
of it, and a shape, which is a `tensorlab.Size`, as a tuple. Anything else is described by the name of its
type, and that name is all that leaves.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from tensorlab.core import dtypes
from tensorlab.core.layout import Refusal
from tensorlab.core.size import Size
from tensorlab.tensor import Tensor

from .strided import Scene, Strided, is_whole, same_state, same_tensor

MAX_BITS = 4096  # of an int
MAX_NESTING = 24  # lists in lists; JSON nests twice as deep, see frames.MAX_DEPTH

#: What one value may cost: `_COST` for itself and each value inside it, and one a character. JSON writes a
#: character as at most 12 bytes, so that an encoded value always fits frames.MAX_REPLY.
MAX_SIZE = 80_000
_COST = 20

#: How numbers are written: the most characters of one, and what reads it.
_NUMBERS: dict[str, tuple[int, Callable[[str], Any]]] = {
    "int": (MAX_BITS // 4 + 8, lambda text: int(text, 16)),
    "float": (40, float.fromhex),
}

#: Types of which two values are the same if they are equal.
_EQUAL = {bool, int, float, str, bytes}

_SEQUENCES: dict[str, type] = {"tuple": tuple, "list": list}

#: Tuples and lists whose items are all floats, or all ints of 64 bits: their bytes, as `struct` has them.
_ROWS = {f"{name} of {kind}": (made, kind) for name, made in _SEQUENCES.items() for kind in ("float", "int")}
_LETTERS = {"float": "d", "int": "q"}
_BYTES = 8  # of one of their items

_DTYPE_NAMES = frozenset(dtype.name for dtype in dtypes.ALL)


class NotPlain(ValueError):
    """JSON that describes no plain value."""


@dataclass(frozen=True, slots=True)
class Opaque:
    """Stands for a value that is not plain. It equals no answer.

    Attributes:
        type_name: such as ``"numpy.int64"``, or what was wrong, such as ``"list (more than 20000 values)"``.
    """

    type_name: str

    def __repr__(self) -> str:
        return f"a value of type {self.type_name}"


class _TooMuch(Exception):
    """The value is plain and too large to send."""


def encode(value: Any, scene: Scene | None = None) -> dict[str, Any]:
    """Describe `value`. Never fails, whatever the value is: cyclic, huge, or of a hostile type.

    Args:
        scene: the call that the value comes from; without one, a tensor is not plain.

    Example:
        >>> encode((1, 2.5))
        {'tuple': [{'int': '0x1'}, {'float': '0x1.4000000000000p+1'}]}
    """
    try:
        return _Encoder(scene).encode(value, 0)
    except _TooMuch as reason:
        return {"opaque": f"{type(value).__name__} ({reason})"}


class _Encoder:
    """One walk over one value, with a budget."""

    def __init__(self, scene: Scene | None) -> None:
        self._left = MAX_SIZE
        self._scene = scene

    def _spend(self, size: int) -> None:
        self._left -= size
        if self._left < 0:
            raise _TooMuch("too large to send")

    def encode(self, value: Any, nesting: int) -> dict[str, Any]:
        self._spend(_COST)
        kind = type(value)
        if value is None:
            return {"none": True}
        if kind is bool:
            return {"bool": value}
        if kind is int:
            return {"int": self._int(value)}
        if kind is float:
            return {"float": value.hex()}
        if kind is str:
            self._spend(len(value))
            text = printable(value)
            self._spend(len(text) - len(value))
            return {"str": text}
        if kind is bytes:
            self._spend(2 * len(value))
            return {"bytes": value.hex()}
        if kind is slice:
            value = (value.start, value.stop, value.step)
        if kind is tuple or kind is list or kind is slice:
            if nesting >= MAX_NESTING:
                raise _TooMuch(f"nested deeper than {MAX_NESTING}")
            if kind is not slice and value and (row := self._row(value)):
                return {f"{kind.__name__} of {row[0]}": row[1]}
            return {kind.__name__: [self.encode(item, nesting + 1) for item in value]}
        if kind is Size:
            return self.encode(tuple(value), nesting)
        if kind is dtypes.dtype:
            return {"dtype": value.name}
        if kind is Refusal:
            return {"refusal": self.encode(value.reason, nesting + 1)}
        if kind is Tensor and self._scene is not None:
            told = self._scene.tell(value)
            if told is None:
                raise _TooMuch("too large to tell, or damaged")
            value = told
        if isinstance(value, Strided):
            places = (*value.shape, *value.strides, value.offset, value.storage, value.argument)
            row = self._row(places)
            if row is None:
                raise _TooMuch("damaged")
            return {"tensor": [value.dtype.name, row[1], self.encode(value.cells, nesting + 1)]}
        return {"opaque": type_name(kind)}

    def _row(self, items: Sequence[Any]) -> tuple[str, str] | None:
        """The type and the bytes of items that are all floats or all small ints: cells, sizes."""
        kinds = set(map(type, items))
        if kinds not in ({float}, {int}):
            return None
        self._spend(_COST * len(items))
        name = kinds.pop().__name__
        try:
            return name, struct.pack(f">{len(items)}{_LETTERS[name]}", *items).hex()
        except struct.error:  # an int of more than 64 bits
            return None

    def _int(self, value: int) -> str:
        bits = value.bit_length()
        if bits > MAX_BITS:
            raise _TooMuch(f"more than {MAX_BITS} bits")
        self._spend(bits // 4)
        return hex(value)


def decode(node: Any) -> Any:
    """The value that `node` describes: a plain value or an `Opaque`.

    The size needs no check here: `node` comes from a frame, and frames are bounded.

    Raises:
        NotPlain: `node` is nothing that `encode` writes.
    """
    return _decode(node, 0)


def _decode(node: Any, nesting: int) -> Any:
    if nesting > MAX_NESTING or not isinstance(node, dict) or len(node) != 1:
        raise NotPlain("not the description of one plain value")
    ((kind, content),) = node.items()
    if isinstance(content, list) and (made := _SEQUENCES.get(kind)):
        return made(_decode(item, nesting + 1) for item in content)
    if isinstance(content, str) and (row := _ROWS.get(kind)):
        return row[0](_numbers(row[1], content))
    if kind == "slice" and isinstance(content, list) and len(content) == 3:
        return slice(*(_decode(item, nesting + 1) for item in content))
    if kind == "tensor" and isinstance(content, list) and len(content) == 3:
        return _tensor(content[0], content[1], _decode(content[2], nesting + 1))
    if kind == "refusal" and isinstance(content, dict):
        return Refusal(_decode(content, nesting + 1))
    if kind == "none" and content is True:
        return None
    if kind == "bool" and isinstance(content, bool):
        return content
    if isinstance(content, str):
        return _decode_text(kind, content)
    raise NotPlain(f"not the description of a {printable(kind)[:40]}")


def _number(kind: str, text: str) -> Any:
    longest, read = _NUMBERS[kind]
    try:
        if len(text) <= longest:
            return read(text)
    except (ValueError, OverflowError):
        pass
    raise NotPlain(f"not a {kind}")


def _numbers(kind: str, text: str) -> tuple[Any, ...]:
    try:
        content = bytes.fromhex(text)
        return struct.unpack(f">{len(content) // _BYTES}{_LETTERS[kind]}", content)
    except (ValueError, struct.error):
        raise NotPlain(f"not a row of {kind}") from None


def _tensor(name: Any, places: Any, cells: Any) -> Strided:
    if (
        type(name) is not str
        or name not in _DTYPE_NAMES
        or type(places) is not str
        or type(cells) is not tuple
    ):
        raise NotPlain("not the description of a tensor")
    numbers = _numbers("int", places)
    if len(numbers) < 3:
        raise NotPlain("not the description of a tensor")
    *layout, offset, storage, argument = numbers
    dims = len(layout) // 2
    shape, strides = tuple(layout[:dims]), tuple(layout[dims:])
    told = Strided(dtypes.by_name(name), shape, strides, offset, cells, storage, argument)
    if len(shape) != len(strides) or not is_whole(told):
        raise NotPlain("not the description of a tensor that lies in its storage")
    return told


def _decode_text(kind: str, content: str) -> Any:
    try:
        if kind in _NUMBERS:
            return _number(kind, content)
        if kind == "bytes":
            return bytes.fromhex(content)
    except ValueError:
        raise NotPlain(f"not a {kind}") from None
    if kind == "str":
        return printable(content)
    if kind == "dtype" and content in _DTYPE_NAMES:
        return dtypes.by_name(content)
    if kind == "opaque":
        return Opaque(printable(content)[:120])
    raise NotPlain(f"not the description of a {printable(kind)[:40]}")


def same(got: Any, want: Any, rounding: float = 0.0) -> bool:
    """True when two decoded values are equal in value and in exact type, all the way down.

    ``True`` is not ``1``, ``6.0`` is not ``6``, and a list is not a tuple. NaN is the same as NaN. A refusal
    is as good as another one if it gives a reason. Floats may differ by `rounding` times the larger of 1 and
    the wanted one.

    Example:
        >>> same((1, 2), (1, 2)), same([1, 2], (1, 2)), same(True, 1)
        (True, False, False)
    """
    if type(got) is not type(want) or type(got) is Opaque:
        return False
    if isinstance(want, Strided):
        return same_tensor(got, want, partial(same, rounding=rounding))
    if isinstance(want, Refusal):
        return type(got.reason) is str and bool(got.reason.strip())
    if isinstance(want, slice):
        return same((got.start, got.stop, got.step), (want.start, want.stop, want.step))
    if isinstance(want, (tuple, list)):
        if set(map(type, want)) <= _EQUAL and list(map(type, got)) == list(map(type, want)) and got == want:
            return True  # as most rows of numbers are, at once
        return len(got) == len(want) and all(map(partial(same, rounding=rounding), got, want))
    if isinstance(want, float) and got != want:
        both_nan = math.isnan(want) and math.isnan(got)
        return both_nan or (math.isfinite(want) and abs(got - want) <= rounding * max(1.0, abs(want)))
    return bool(got == want)


def same_after(got: Any, want: Any, rounding: float = 0.0) -> bool:
    """True when a call left its arguments as it should, down to the cells that no argument reaches.

    `got` and `want` are decoded tuples of arguments, or None where nothing among them can be changed.
    `rounding` is that of `same`.
    """
    if want is None or got is None:
        return got is want
    return len(got) == len(want) and all(map(partial(_same_argument, rounding=rounding), got, want))


def _same_argument(got: Any, want: Any, rounding: float) -> bool:
    if isinstance(want, Strided):
        return isinstance(got, Strided) and same_state(got, want, partial(same, rounding=rounding))
    if isinstance(want, (tuple, list)):
        return type(got) is type(want) and same_after(got, want, rounding)
    return isinstance(want, Opaque) or same(got, want, rounding)


def printable(text: str) -> str:
    r"""`text` with everything that could steer a terminal or break an encoder written as an escape.

    Tabs and newlines stay. Control characters, lone surrogates and marks that reverse the reading direction
    do not.

    Example:
        >>> printable("a\x1b[31mb")
        'a\\x1b[31mb'
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in "\n\t" else _escape(c) for c in text)


def _escape(character: str) -> str:
    return character.encode("unicode_escape", "backslashreplace").decode("ascii")


def type_name(kind: type) -> str:
    """A type's name as a student would write it: ``int``, ``numpy.int64``, ``tensorlab.Tensor``."""
    module, name = kind.__module__, kind.__qualname__
    if module in ("builtins", "__main__"):
        return printable(name)[:120]
    # str: a class body may set __module__ to anything
    shown = f"{str(module).partition('.')[0]}.{name}"
    return printable(shown)[:120]
