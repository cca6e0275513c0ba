"""Tensors as text: nested brackets, one width for all numbers, the middle of large tensors left out.

The rules are PyTorch's, so that a printed tensor can be compared with what PyTorch prints.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorlab.core import dtypes, layout
from tensorlab.core.cells import to_float32
from tensorlab.registry import op

if TYPE_CHECKING:
    from tensorlab.tensor import Tensor

__all__ = ["nested_repr", "set_printoptions", "tensor_repr"]


@dataclass
class PrintOptions:
    """How tensors are printed; see `set_printoptions`."""

    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


_PROFILES = {
    "default": PrintOptions(),
    "short": PrintOptions(precision=2, threshold=1000, edgeitems=2),
    "full": PrintOptions(threshold=math.inf),
}

options = PrintOptions()


@op()
def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Choose how tensors are printed. What is left out keeps its value; `sci_mode` goes back to automatic.

    Args:
        precision: digits after the point of a float.
        threshold: with more elements than this, only the edges are shown.
        edgeitems: how many items are shown at each edge.
        linewidth: characters in a line.
        profile: start from ``"default"``, ``"short"`` or ``"full"``.
        sci_mode: True for scientific notation, False for none.

    Raises:
        ValueError: no such profile.

    Example:
        >>> import tensorlab as tl
        >>> tl.set_printoptions(precision=2)
        >>> tl.tensor([1 / 3])
        tensor([0.33])
        >>> tl.set_printoptions(profile="default")
    """
    if profile is not None:
        if profile not in _PROFILES:
            raise ValueError(f"no print profile is called {profile!r}; there are {', '.join(_PROFILES)}")
        chosen = _PROFILES[profile]
        options.precision, options.threshold = chosen.precision, chosen.threshold
        options.edgeitems, options.linewidth = chosen.edgeitems, chosen.linewidth
    options.precision = options.precision if precision is None else precision
    options.threshold = options.threshold if threshold is None else threshold
    options.edgeitems = options.edgeitems if edgeitems is None else edgeitems
    options.linewidth = options.linewidth if linewidth is None else linewidth
    options.sci_mode = sci_mode


def nested_repr(cells: Sequence[Any], shape: Sequence[int], strides: Sequence[int], offset: int = 0) -> str:
    """The elements of a layout over some cells, as nested brackets on one line.

    A tensor of no dimensions is written as its number alone, and a dimension of size 0 as ``[]``.

    Args:
        cells: the storage, one Python object a cell.
        shape, strides, offset: the layout; every element lies inside `cells`.

    Example:
        >>> nested_repr([0, 1, 2, 3, 4, 5], (2, 3), (3, 1))
        '[[0, 1, 2], [3, 4, 5]]'
        >>> nested_repr([0, 1, 2, 3, 4, 5], (3, 2), (1, 3))
        '[[0, 3], [1, 4], [2, 5]]'
        >>> nested_repr([7], (), ()), nested_repr([], (2, 0), (1, 1))
        ('7', '[[], []]')
    """
    if not shape:
        return repr(cells[offset])
    inside = (
        nested_repr(cells, shape[1:], strides[1:], layout.flat_index((i,), strides[:1], offset))
        for i in range(shape[0])
    )
    return f"[{', '.join(inside)}]"


def tensor_repr(tensor: Tensor, *more: str) -> str:
    """The text of ``repr(tensor)``: the elements, then whatever is not the default, then `more`."""
    node = tensor.grad_fn
    if node is not None:
        more = (*more, f"grad_fn=<{node.name()}>")
    elif tensor.requires_grad:
        more = (*more, "requires_grad=True")
    default = dtypes.get_default_dtype()
    element_type = tensor.dtype
    prefix = "tensor("
    suffixes = []
    if tensor.numel() == 0:
        text = "[]"
        if tensor.ndim != 1:
            suffixes.append(f"size={tuple(tensor.shape)}")
        if element_type is not default:
            suffixes.append(f"dtype={element_type}")
    else:
        values = _values(tensor)
        edges = options.edgeitems if values.size > options.threshold else None
        text = _nest(values, len(prefix), edges, _Formatter(_edges_only(values, edges), element_type))
        if element_type not in (default, dtypes.int64, dtypes.bool):
            suffixes.append(f"dtype={element_type}")
    if tensor.device.type != "cpu":
        suffixes.insert(0, f"device='{tensor.device}'")
    return _with_suffixes(prefix + text, [*suffixes, *more], len(prefix))


def _values(tensor: Tensor) -> np.ndarray:
    """The elements as a NumPy array of numbers; the sixteen-bit floats as float32."""
    cells = tensor._read_cells()
    if tensor.dtype in (dtypes.float16, dtypes.bfloat16):
        return to_float32(np.ascontiguousarray(cells), tensor.dtype).reshape(cells.shape)
    return cells


def _edges_only(values: np.ndarray, edges: int | None) -> np.ndarray:
    """The elements that are shown when only `edges` items at each end of a dimension are."""
    if edges is None:
        return values
    for dim, size in enumerate(values.shape):
        if size > 2 * edges:
            shown = [*range(edges), *range(size - edges, size)]
            values = np.take(values, shown, axis=dim)
    return values


class _Formatter:
    """One format for all numbers of a tensor.

    Floats that are all whole are written ``2.``. Others get `precision` digits, or scientific notation where
    the numbers differ by more than a factor of 1000, or are very large or very small.
    """

    def __init__(self, shown: np.ndarray, element_type: dtypes.dtype) -> None:
        self.is_float = element_type.is_floating_point
        self.whole = True
        self.scientific = False
        self.width = 1
        if not self.is_float:
            self.width = max((len(str(value)) for value in shown.reshape(-1).tolist()), default=1)
            return
        finite = shown[np.isfinite(shown) & (shown != 0)].astype(np.float64)
        if finite.size == 0:
            return
        least, greatest = float(np.abs(finite).min()), float(np.abs(finite).max())
        self.whole = bool((finite == np.ceil(finite)).all())
        self.scientific = greatest / least > 1000 or greatest > 1e8 or (not self.whole and least < 1e-4)
        if options.sci_mode is not None:
            self.scientific = options.sci_mode
        self.width = max(1, *(len(self._number(value)) for value in finite.tolist()))

    def _number(self, value: float) -> str:
        if self.scientific:
            return f"{value:.{options.precision}e}"
        if self.whole:
            return f"{value:.0f}" + ("." if math.isfinite(value) else "")
        return f"{value:.{options.precision}f}"

    def __call__(self, value: bool | int | float) -> str:
        text = self._number(value) if self.is_float else str(value)
        return text.rjust(self.width)


def _nest(values: np.ndarray, indent: int, edges: int | None, formatter: _Formatter) -> str:
    """Brackets around the items of the first dimension, each nested in turn."""
    if values.ndim == 0:
        return formatter(values.item())
    size = len(values)
    cut = edges is not None and size > 2 * edges
    shown = [*range(edges), None, *range(size - edges, size)] if cut and edges is not None else [*range(size)]
    if values.ndim == 1:
        items = [" ..." if i is None else formatter(values[i].item()) for i in shown]
        per_line = max(1, (options.linewidth - indent) // (formatter.width + 2))
        lines = [", ".join(items[start : start + per_line]) for start in range(0, len(items), per_line)]
        return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"
    parts = ["..." if i is None else _nest(values[i], indent + 1, edges, formatter) for i in shown]
    return "[" + ("," + "\n" * (values.ndim - 1) + " " * (indent + 1)).join(parts) + "]"


def _with_suffixes(text: str, suffixes: Sequence[str], indent: int) -> str:
    """`text` followed by the suffixes, each on the last line if it fits there.

    Lines break where PyTorch breaks them, so a suffix counts with the length that it has there.
    """
    length = len(text) - text.rfind("\n") + 1
    for suffix in suffixes:
        width = len(suffix.replace("tensorlab.", "torch."))
        if length + width + 2 > options.linewidth:
            text += ",\n" + " " * indent + suffix
            length = indent + width
        else:
            text += ", " + suffix
            length += width + 2
    return text + ")"
