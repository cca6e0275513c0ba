"""Tensors as plain values: what a tensor is, told in numbers, with whose storage it shares.

A `Strided` holds no memory, so it may leave the box and stand in a file of questions. Inside the box real
tensors are made of it for the call, and what the call returns and leaves behind is told in the same words.
That is how a view is told from a copy: by the storage, not by the numbers.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tensorlab.core import dtypes, layout
from tensorlab.core.size import Size
from tensorlab.ops.from_data import tensor
from tensorlab.tensor import Tensor, make_tensor

MAX_CELLS = 2000  # of a storage that is told, and elements of a tensor; a stride of 0 makes many of one cell
MAX_DIMS = 64  # whoever writes the numbers down goes one call deeper with each


@dataclass(frozen=True, slots=True)
class Strided:
    """A tensor, told in numbers.

    Attributes:
        dtype: of the cells.
        shape, strides, offset: the layout.
        cells: all that the storage holds, as Python numbers.
        storage: whose memory it is. The arguments' storages are numbered 1, 2, …; those that a call makes
            are -1, -2, … in the order in which its answer shows them.
        argument: the argument, from 1, that this very object is; 0 when it is an object of its own.

    Example:
        >>> x = strided((2, 3))
        >>> x.strides, x.cells
        ((3, 1), (0.0, 1.0, 2.0, 3.0, 4.0, 5.0))
    """

    dtype: dtypes.dtype
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int
    cells: tuple[Any, ...]
    storage: int = 1
    argument: int = 0

    @property
    def elements(self) -> list[Any]:
        """The numbers that it shows, row by row."""
        places = [self.offset]
        for size, stride in zip(self.shape, self.strides, strict=True):
            places = [place + step * stride for place in places for step in range(size)]
        return [self.cells[place] for place in places]

    def nested(self) -> Any:
        """The numbers that it shows, as nested lists: what ``tolist()`` gives."""
        return _nested(self, 0, self.offset)

    @property
    def line(self) -> str:
        """The call that makes a tensor of one dimension over such a storage."""
        return _literal(list(self.cells), self.dtype)

    def over(self, line: str) -> str:
        """The call that makes this tensor over the storage of another one, which `line` names."""
        return f"tl.as_strided({line}, {self.shape}, {self.strides}, {self.offset})"

    def __repr__(self) -> str:
        """The call that makes such a tensor, as a person would write it."""
        usual = layout.default_strides(self.shape)
        if not self.cells and self.strides == usual and not self.offset:
            named = "" if self.dtype is dtypes.float32 else f", dtype=tl.{self.dtype.name}"
            return f"tl.zeros({', '.join(map(str, self.shape))}{named})"
        whole = layout.numel(self.shape) == len(self.cells) > 0 == self.offset
        if whole and self.strides == usual:
            return _literal(self.nested(), self.dtype)
        turned = self.shape[::-1], self.strides[::-1]
        if whole and len(self.shape) == 2 and turned[1] == layout.default_strides(turned[0]):
            return f"{_literal(replace(self, shape=turned[0], strides=turned[1]).nested(), self.dtype)}.t()"
        return self.over(self.line)


def strided(
    shape: Sequence[int],
    strides: Sequence[int] | None = None,
    offset: int = 0,
    *,
    cells: Sequence[Any] | int | None = None,
    dtype: dtypes.dtype = dtypes.float32,
    storage: int = 1,
) -> Strided:
    """A tensor for a question. Each cell of its storage holds its own number, unless `cells` says otherwise.

    Args:
        strides: row after row if left out.
        cells: the numbers in the storage, or how many cells it has; as many as the layout needs if left out.
        storage: two arguments with one number look into one storage; they must say the same `cells`.

    Raises:
        ValueError: the layout reaches outside the storage.

    Example:
        >>> strided((2,), (3,), 1).cells
        (0.0, 1.0, 2.0, 3.0, 4.0)
    """
    steps = layout.default_strides(shape) if strides is None else tuple(strides)
    reached = layout.address_range(shape, steps, offset)
    if cells is None:
        cells = reached[1] + 1 if reached else offset
    numbers = range(cells) if isinstance(cells, int) else cells
    kind: type = bool if dtype is dtypes.bool else float if dtype.is_floating_point else int
    made = Strided(dtype, tuple(shape), steps, offset, tuple(map(kind, numbers)), storage)
    if not is_whole(made):
        raise ValueError(f"{made} is no tensor: it reaches outside its storage, or is too large to tell")
    return made


def is_whole(told: Strided) -> bool:
    """Whether it tells of a tensor: every element lies in the storage, and none is too many to look at."""
    if len(told.shape) > MAX_DIMS or min(told.shape, default=0) < 0:
        return False
    # Beside a size of 0 the others count as well: their lists are made, and hold nothing.
    lists = math.prod(max(size, 1) for size in told.shape)
    return max(lists, len(told.cells)) <= MAX_CELLS and not isinstance(
        layout.check_bounds(told.shape, told.strides, told.offset, len(told.cells)), layout.Refusal
    )


@dataclass
class Scene:
    """One call: the tensors that it is given, and the storages that it has to do with.

    Example:
        >>> scene = Scene()
        >>> (x,) = scene.build((strided((2, 3)),))
        >>> scene.tell(x[1]).storage, scene.tell(x.clone()).storage, scene.tell(x).argument
        (1, -1, 1)
    """

    _storages: dict[int, Any] = field(default_factory=dict)  # number -> UntypedStorage, which it keeps alive
    _arguments: list[Any] = field(default_factory=list)

    def build(self, args: Sequence[Any]) -> tuple[Any, ...]:
        """The arguments of the call: real tensors in the place of those that are told."""
        self._arguments = [self._build(value, {}) for value in args]
        return tuple(self._arguments)

    @property
    def has_changeable(self) -> bool:
        """Whether the call was given a tensor or a list, which it can change."""
        lists = any(isinstance(value, list) for value in self._arguments)
        return lists or any(number > 0 for number in self._storages)

    def _build(self, value: Any, made: dict[Strided, Tensor]) -> Any:
        """The real value; inside one argument, what is told twice in the same words is one object."""
        if isinstance(value, Strided):
            if value in made:
                return made[value]
            if value.storage not in self._storages:
                line = tensor(list(value.cells), dtype=value.dtype)
                self._storages[value.storage] = line.untyped_storage()
            storage = self._storages[value.storage]
            made[value] = make_tensor(storage, value.dtype, Size(value.shape), value.strides, value.offset)
            return made[value]
        if isinstance(value, (tuple, list)):
            return type(value)(self._build(item, made) for item in value)
        return value

    def after(self) -> tuple[Any, ...]:
        """The arguments as the call left them, to be encoded."""
        return tuple(self._arguments)

    def write(self, lines: Sequence[Strided]) -> None:
        """Put other numbers into storages of the arguments."""
        for line in lines:
            written = self._storages[line.storage].bytes()
            source = tensor(list(line.cells), dtype=line.dtype).untyped_storage().bytes()
            length = min(len(written), len(source))  # the call may have changed its size
            written[:length] = source[:length]

    def tell(self, given: Tensor) -> Strided | None:
        """What a tensor is; None when it is damaged or too large to tell."""
        try:
            storage, element_type = given._storage, given._dtype
            if storage.nbytes() > MAX_CELLS * element_type.itemsize:
                return None
            cells = tuple(given.storage().tolist())
            own = next((n for n, x in enumerate(self._arguments, 1) if x is given), 0)
            shape, strides = tuple(map(int, given._shape)), tuple(map(int, given._stride))
            told = Strided(
                element_type, shape, strides, int(given._offset), cells, self._number(storage), own
            )
            return told if is_whole(told) else None
        except Exception:  # a tensor that the student's code has taken apart may fail in any way
            return None

    def _number(self, storage: Any) -> int:
        address = storage.data_ptr()
        for number, known in self._storages.items():
            if known is storage or (address and known.data_ptr() == address):
                return number
        number = min([0, *self._storages]) - 1
        self._storages[number] = storage
        return number


def same_tensor(got: Strided, want: Strided, same: Any) -> bool:
    """Whether a tensor is the one that was wanted: numbers, dtype, layout, and whose storage it looks into.

    Strides count where a step is taken: not along a size of 1, and not in a tensor without elements. In a
    storage of its own a tensor may begin anywhere. Where the very object of an argument is wanted, it must be
    that; where a view of it is wanted, the object itself is one too if its layout is right.
    """
    if got.dtype is not want.dtype or got.shape != want.shape or got.storage != want.storage:
        return False
    if want.argument and got.argument != want.argument:
        return False
    return (
        _steps(got) == _steps(want)
        and (want.storage < 0 or not want.elements or got.offset == want.offset)
        and all(map(same, got.elements, want.elements))
    )


def same_state(got: Strided, want: Strided, same: Any) -> bool:
    """Whether an argument is after the call what it should be, down to the cells that it does not reach."""
    return layout_of(got) == layout_of(want) and same(got.cells, want.cells)


def layout_of(told: Strided) -> tuple[dtypes.dtype, tuple[int, ...], tuple[int, ...], int, int]:
    """All that is said of a tensor but its cells: how it looks into which storage."""
    return told.dtype, told.shape, told.strides, told.offset, told.storage


def _steps(told: Strided) -> list[int]:
    """The strides along which a step is taken."""
    if 0 in told.shape:
        return []
    return [stride for size, stride in zip(told.shape, told.strides, strict=True) if size > 1]


def _nested(told: Strided, dim: int, cell: int) -> Any:
    if dim == len(told.shape):
        return told.cells[cell]
    return [_nested(told, dim + 1, cell + i * told.strides[dim]) for i in range(told.shape[dim])]


#: Where the text of a list has a number that Python has no literal of.
_NAMELESS = re.compile(r"(?=\b(?:nan|inf)\b)")


def _literal(numbers: Any, element_type: dtypes.dtype) -> str:
    usual = element_type in (dtypes.float32, dtypes.int64, dtypes.bool)
    named = "" if usual and numbers != [] else f", dtype=tl.{element_type.name}"
    return f"tl.tensor({_NAMELESS.sub('tl.', repr(numbers))}{named})"
