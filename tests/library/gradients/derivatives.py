"""First and second derivatives of one expression: by both libraries, and by finite differences.

An expression is text in `m`, the library, `F`, its `nn.functional`, and the operands `x`, `y` and `z`.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

import tensorlab as tl
import tensorlab.nn.functional as F
from tests.library.layouts import lay_out

# Where the operands of an expression lie. Away from the bends, so that differences are derivatives.
DOMAINS = {
    "any": lambda rng, shape: _apart(rng, shape) * 0.7,
    "positive": lambda rng, shape: abs(_apart(rng, shape)) * 0.9,
    "inside": lambda rng, shape: rng.uniform(-0.9, 0.9, shape),
}


def _apart(rng: np.random.Generator, shape: Sequence[int]) -> np.ndarray:
    """Numbers of both signs, no two of them and no whole or half number closer than a hundredth."""
    count = int(np.prod(shape))
    steps = rng.permutation(4 * count)[:count] - 2 * count
    values = (steps + rng.uniform(0.3, 0.6, count)) / max(count, 1)
    near = np.abs(2 * values * 0.7 - np.round(2 * values * 0.7)) < 0.04
    return (values + 0.06 * near).reshape(shape)


def operands(names: str, domain: str, shapes: Sequence[Sequence[int]], seed: int = 0) -> list[np.ndarray]:
    """One array for each of the names, from the domain."""
    rng = np.random.default_rng(seed)
    return [np.asarray(DOMAINS[domain](rng, shape)) for _, shape in zip(names, shapes, strict=False)]


def evaluate(library: Any, expression: str, tensors: Sequence[Any]) -> Any:
    """The value of an expression, with the operands in the order x, y, z."""
    functional = F if library is tl else importlib.import_module("torch.nn.functional")
    # ruff's S307 does not apply: the text is a test's own
    return eval(
        expression, {"m": library, "F": functional, "math": math, **dict(zip("xyz", tensors, strict=False))}
    )


def leaves(library: Any, arrays: Sequence[np.ndarray], kinds: Sequence[str] = ()) -> list[Any]:
    """Tensors of these values that require gradients; for tensorlab in the layouts named."""
    found = []
    for array, kind in zip(arrays, [*kinds, *["row"] * (len(arrays) - len(kinds))], strict=True):
        if library is tl:
            found.append(lay_out(array, kind).requires_grad_())
        else:
            first = np.repeat(array[:1], len(array), 0) if kind == "expanded" and array.ndim else array
            found.append(library.tensor(first).requires_grad_())
    return found


def derivatives(
    library: Any, expression: str, tensors: Sequence[Any], second: bool = True
) -> tuple[Any, list, list]:
    """The result, its gradients, and the gradients of a weighted sum of those (None where there are none)."""
    result = evaluate(library, expression, tensors)
    weights = library.tensor(weights_of(result.shape), dtype=result.dtype)
    first = library.autograd.grad(result, tensors, weights, create_graph=second, allow_unused=True)
    tracked = [g for g in first if g is not None and g.requires_grad]
    if not tracked:
        return result, list(first), [None] * len(tensors)
    towards = [library.tensor(weights_of(g.shape, 1.7), dtype=g.dtype) for g in tracked]
    second = library.autograd.grad(tracked, tensors, towards, allow_unused=True)
    return result, list(first), list(second)


def weights_of(shape: Sequence[int], start: float = 0.6) -> np.ndarray:
    """Numbers between 1/2 and 2, all different."""
    count = int(np.prod(tuple(shape)))
    return (0.5 + (start + 0.37 * np.arange(count)) % 1.5).reshape(tuple(shape))


def values(tensor: Any) -> np.ndarray | None:
    """The elements as an array; None for None."""
    if tensor is None:
        return None
    dense = tensor.detach() + 0  # PyTorch may hand out zeros that have no storage
    return np.array(dense.tolist(), dtype=float).reshape(tuple(tensor.shape))


def assert_like_torch(
    torch: Any,
    expression: str,
    arrays: Sequence[np.ndarray],
    kinds: Sequence[str] = (),
    tolerance: float = 1e-11,
    second: bool = True,
) -> None:
    """Value, gradients, second derivatives and the node's name are PyTorch's."""
    ours = derivatives(tl, expression, leaves(tl, arrays, kinds), second)
    theirs = derivatives(torch, expression, leaves(torch, arrays, kinds), second)
    assert ours[0].grad_fn.name() == theirs[0].grad_fn.name().removeprefix("torch::autograd::")
    _assert_near("value", ours[0], theirs[0], tolerance)
    for order, mine, reference in zip((1, 2) if second else (1,), ours[1:], theirs[1:], strict=False):
        for name, a, b in zip("xyz", mine, reference, strict=False):
            _assert_near(f"derivative {order} for {name}", a, b, tolerance)


def _assert_near(what: str, ours: Any, theirs: Any, tolerance: float) -> None:
    a, b = values(ours), values(theirs)
    if a is None or b is None:  # no gradient, and zeros, say the same
        rest = b if a is None else a
        assert rest is None or not rest.any(), (what, a, b)
        return
    assert ours.dtype.name == str(theirs.dtype).removeprefix("torch."), what
    np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance, equal_nan=True, err_msg=what)


def assert_like_differences(expression: str, arrays: Sequence[np.ndarray], second: bool = True) -> None:
    """Gradients and second derivatives are those that central differences show."""
    _, first, again = derivatives(tl, expression, leaves(tl, arrays))

    def weighted(points: Sequence[np.ndarray]) -> float:
        result = evaluate(tl, expression, [tl.tensor(point) for point in points])
        return float((values(result) * weights_of(result.shape)).sum())

    def slope(points: Sequence[np.ndarray]) -> float:
        found = derivatives(tl, expression, leaves(tl, points))[1]
        tracked = [g for g in found if g is not None and g.requires_grad]
        return sum(float((values(g) * weights_of(g.shape, 1.7)).sum()) for g in tracked)

    _assert_slopes(weighted, arrays, first)
    if second and any(g is not None and g.requires_grad for g in first):
        _assert_slopes(slope, arrays, again)


def _assert_slopes(function: Any, arrays: Sequence[np.ndarray], found: Sequence[Any]) -> None:
    for which, (array, gradient) in enumerate(zip(arrays, found, strict=True)):
        expected = np.zeros(array.shape)
        for place in np.ndindex(array.shape):
            sides = []
            for step in (1e-6, -1e-6):
                moved = [a.copy() for a in arrays]
                moved[which][place] += step
                sides.append(function(moved))
            expected[place] = (sides[0] - sides[1]) / 2e-6
        actual = np.zeros(array.shape) if gradient is None else values(gradient)
        np.testing.assert_allclose(actual, expected, rtol=2e-6, atol=2e-7, err_msg=f"operand {which}")
