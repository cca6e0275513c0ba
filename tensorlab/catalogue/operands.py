"""The operands of the catalogue's calls, made when a call first names them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

import tensorlab as tl
from tensorlab.core.dtypes import dtype
from tensorlab.tensor import Tensor

__all__ = ["Operands"]

MAKERS: dict[str, Callable[[Operands], Any]] = {}


def operand(function: Callable[[Operands], Any]) -> Callable[[Operands], Any]:
    """Enter a function that makes the operand of its name."""
    MAKERS[function.__name__] = function
    return function


class Operands(Mapping[str, Any]):
    """The names that a call of the catalogue may use, for tensors of one dtype and size.

    ``x`` and ``y`` are square matrices, ``row`` and ``column`` broadcast to them, ``mask`` and ``grid`` (of
    indices) have their shape. ``target`` is there to be overwritten. ``tl`` and ``F`` are the library. Each
    is made when it is first asked for.

    Args:
        element_type: the dtype of the operands.
        side: how many rows and columns a matrix has; a multiple of 4.
        requires_grad: whether the tensors of floats require gradients.

    Example:
        >>> from tensorlab import dtypes
        >>> operands = Operands(dtypes.float32, 4)
        >>> operands["x"].shape, operands["row"].shape, operands["mask"].dtype
        (tensorlab.Size([4, 4]), tensorlab.Size([4]), tensorlab.bool)
    """

    def __init__(self, element_type: dtype, side: int, requires_grad: bool = False) -> None:
        self.random = np.random.default_rng(0)
        self.dtype, self.side, self.requires_grad = element_type, side, requires_grad
        self._tracked: Operands | None = None
        self._made: dict[str, Any] = {
            "tl": tl,
            "F": tl.nn.functional,
            "dtype": element_type,
            "side": side,
            "count": side * side,
        }

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            made = MAKERS[name](self)
            if self.requires_grad and isinstance(made, Tensor) and made.is_floating_point():
                made.requires_grad_()
            self._made[name] = made
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter({**self._made, **MAKERS})

    def __len__(self) -> int:
        return len({**self._made, **MAKERS})

    def make_all(self) -> None:
        """Make every operand now."""
        for name in MAKERS:
            self[name]

    def tracked(self) -> Operands:
        """The same operands as leaves that require gradients."""
        if self._tracked is None:
            self._tracked = Operands(self.dtype, self.side, requires_grad=True)
        return self._tracked

    def made(self) -> list[Any]:
        """The operands that have been made, and the names that stand for no operand."""
        return list(self._made.values())

    def numbers(self, *shape: int) -> Tensor:
        """A tensor of numbers between 0.1 and 0.9, or between 1 and 9."""
        if self.dtype.is_floating_point:
            return self.tensor(self.random.uniform(0.1, 0.9, shape))
        return self.tensor(self.random.integers(1, 10, shape))

    def tensor(self, values: np.ndarray) -> Tensor:
        """An array as a tensor of the dtype. NumPy converts where it can: operands should need no kernels."""
        wanted = self.dtype.numpy
        return tl.from_numpy(values if wanted is None else values.astype(wanted)).to(self.dtype)


@operand
def x(operands: Operands) -> Tensor:
    return operands.numbers(operands.side, operands.side)


@operand
def y(operands: Operands) -> Tensor:
    return operands.numbers(operands.side, operands.side)


@operand
def target(operands: Operands) -> Tensor:
    return operands.numbers(operands.side, operands.side)


@operand
def array(operands: Operands) -> np.ndarray:
    return operands.numbers(operands.side, operands.side).numpy()


@operand
def row(operands: Operands) -> Tensor:
    return operands.numbers(operands.side)


@operand
def row_target(operands: Operands) -> Tensor:
    kind = operands.dtype if operands.dtype.is_floating_point else tl.int64
    return tl.zeros(operands.side, dtype=kind)


@operand
def column(operands: Operands) -> Tensor:
    return operands.numbers(operands.side, 1)


@operand
def triples(operands: Operands) -> Tensor:
    return operands.numbers(operands.side, 3)


@operand
def batch(operands: Operands) -> Tensor:
    return operands.numbers(4, operands.side, operands.side // 4)[:, : operands.side // 4].contiguous()


@operand
def matrix(operands: Operands) -> Tensor:
    """A positive definite matrix, far from singular."""
    values = operands.random.uniform(0.1, 0.9, (operands.side, operands.side))
    return operands.tensor(values @ values.T + operands.side * np.eye(operands.side))


@operand
def mask(operands: Operands) -> Tensor:
    return tl.from_numpy(operands.random.random((operands.side, operands.side)) < 0.5)


@operand
def row_mask(operands: Operands) -> Tensor:
    return tl.from_numpy(operands.random.random(operands.side) < 0.5)


@operand
def places(operands: Operands) -> Tensor:
    return tl.from_numpy(operands.random.permutation(operands.side))


@operand
def grid(operands: Operands) -> Tensor:
    shape = operands.side, operands.side
    return tl.from_numpy(operands.random.integers(0, operands.side, shape))


@operand
def ordered(operands: Operands) -> Tensor:
    return operands.tensor(np.arange(1, operands.side + 1) / operands.side)
