"""Gradients against finite differences, which show whether a formula is the derivative that it claims to be.

A small step `eps` of one input element changes the outputs by about the derivative times `eps`. Taken to
both sides, ``(f(x + eps) - f(x - eps)) / (2 * eps)`` is off by a multiple of ``eps**2``. In float64 with the
default step about eight digits are right; in float32 too few are left to tell right from wrong.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tensorlab.autograd.backward import grad
from tensorlab.autograd.views import requires_grad
from tensorlab.core import dtypes
from tensorlab.core.modes import enable_grad, no_grad
from tensorlab.tensor import Tensor


class GradcheckError(RuntimeError):
    """What `gradcheck` raises when a gradient is not what the differences say."""


def gradcheck(
    func: Callable[..., Any],
    inputs: Tensor | Sequence[Any],
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    fast_mode: bool = False,
) -> bool:
    """Compare the gradients of a function with finite differences, element by element.

    Args:
        func: a function of the inputs, whose result is a tensor or a tuple of tensors.
        inputs: its arguments; those that are float64 tensors and require a gradient are checked.
        eps: the step.
        atol, rtol: how far apart the two may be: ``atol + rtol * abs(difference)``.
        raise_exception: raise when they differ; if not, return False.
        nondet_tol: how far two runs of the backward pass may be apart.
        check_undefined_grad: with several results, check that each may come without gradient.
        fast_mode: step all elements of an input at once, in one direction drawn at random, instead of one
            after the other. A wrong gradient is then seen, but not at which element.

    Raises:
        GradcheckError: an entry of a Jacobian differs; it is named, with both values.
        ValueError: no input requires a gradient.
        RuntimeError: elements of an input lie in one cell.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.tensor([0.5, 2.0], dtype=tl.float64, requires_grad=True)
        >>> tl.autograd.gradcheck(lambda x: x.exp() * x, x)
        True
    """
    arguments = (inputs,) if isinstance(inputs, Tensor) else tuple(inputs)
    checked = [
        (place, argument)
        for place, argument in enumerate(arguments)
        if isinstance(argument, Tensor) and requires_grad(argument)
    ]
    if not checked:
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of them have "
            "requires_grad=True."
        )
    for place, argument in checked:
        _need_own_cells(place, argument)
        if argument._dtype is not dtypes.float64:
            warnings.warn(
                f"Input #{place} requires gradient and is not a double precision floating point: it is of "
                f"{argument._dtype.name}. This check will likely fail if all the inputs are not of double "
                f"precision floating point.",
                stacklevel=2,
            )
    returned = _several(func(*arguments))
    outputs = [(number, r) for number, r in enumerate(returned) if isinstance(r, Tensor) and requires_grad(r)]
    try:
        if not outputs:
            _check_constant(func, arguments, checked, eps, atol)
        elif fast_mode:
            _check_directions(func, arguments, checked, outputs, eps, atol, rtol)
        else:
            _check(func, arguments, checked, outputs, eps, atol, rtol, nondet_tol)
        if check_undefined_grad:
            _check_missing(func, arguments, checked)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def _need_own_cells(place: int, argument: Tensor) -> None:
    if any(step == 0 and size > 1 for step, size in zip(argument._stride, argument._shape, strict=True)):
        raise RuntimeError(
            f"The {place}th input has a dimension with stride 0. gradcheck only supports inputs that are "
            f"non-overlapping to be able to compute the numerical gradients correctly: a step would move "
            f"all elements in one cell. Expand it inside of the function, or give a contiguous() copy"
        )


def gradgradcheck(
    func: Callable[..., Any],
    inputs: Tensor | Sequence[Any],
    grad_outputs: Tensor | Sequence[Tensor] | None = None,
    **options: Any,
) -> bool:
    """`gradcheck` of the gradient: compare second derivatives with finite differences of first ones.

    Args:
        func, inputs: as for `gradcheck`.
        grad_outputs: the gradients that the first backward pass begins with; drawn at random if left out.
        options: those of `gradcheck`.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.tensor([0.5, 2.0], dtype=tl.float64, requires_grad=True)
        >>> tl.autograd.gradgradcheck(lambda x: x**3, x)
        True
    """
    arguments = (inputs,) if isinstance(inputs, Tensor) else tuple(inputs)
    outputs = _results(func(*arguments))
    if grad_outputs is None:
        weights: tuple[Any, ...] = tuple(_weights(output).requires_grad_() for output in outputs)
    else:
        weights = (grad_outputs,) if isinstance(grad_outputs, Tensor) else tuple(grad_outputs)

    def first(*everything: Any) -> tuple[Tensor, ...]:
        own, given = everything[: len(arguments)], everything[len(arguments) :]
        chosen = [a for a in own if isinstance(a, Tensor) and requires_grad(a)]
        with enable_grad():
            found = grad(_results(func(*own)), chosen, given, create_graph=True, allow_unused=True)
        return tuple(gradient for gradient in found if gradient is not None and requires_grad(gradient))

    if not first(*arguments, *weights):
        return True  # the gradient is constant
    return gradcheck(first, (*arguments, *weights), check_undefined_grad=False, **options)


def _results(returned: Any) -> tuple[Any, ...]:
    """The results that have a gradient."""
    return tuple(r for r in _several(returned) if isinstance(r, Tensor) and requires_grad(r))


def _several(returned: Any) -> Sequence[Any]:
    return returned if isinstance(returned, (tuple, list)) else (returned,)


def _weights(output: Any) -> Any:
    """Numbers of the shape of an output that are different from one another and from 0 and 1."""
    count = output.numel()
    flat = output.detach().new_empty(count)
    for place in range(count):
        flat[place] = 0.5 + (place * 0.6180339887498949) % 1.0  # spread evenly, and never the same
    return flat.reshape(output.shape)


def _check(
    func: Callable,
    arguments: tuple,
    checked: list[tuple[int, Tensor]],
    outputs: list[tuple[int, Tensor]],
    eps: float,
    atol: float,
    rtol: float,
    nondet_tol: float,
) -> None:
    tensors = [argument for _, argument in checked]
    for number, output in outputs:
        analytical = _jacobian(output, tensors)
        again = _jacobian(output, tensors)
        for (place, argument), columns, repeated in zip(checked, analytical, again, strict=True):
            if any(abs(a - b) > nondet_tol for a, b in zip(_flat(columns), _flat(repeated), strict=True)):
                raise GradcheckError(
                    f"Backward is not reentrant, i.e., running backward with same input and grad_output "
                    f"multiple times gives different values: output {number}, input {place}"
                )
            numerical = _differences(func, arguments, argument, number, eps)
            if (mismatch := _mismatch(columns, numerical, atol, rtol)) is not None:
                raise GradcheckError(
                    f"Jacobian mismatch for output {number} with respect to input {place}: {mismatch}"
                )


def _mismatch(
    analytical: list[list[float]], numerical: list[list[float]], atol: float, rtol: float
) -> str | None:
    """The first entry in which two Jacobians differ, in words. Two NaN are alike."""
    for (row, mine), theirs in zip(enumerate(analytical), numerical, strict=True):
        for column, (a, n) in enumerate(zip(mine, theirs, strict=True)):
            if not abs(a - n) <= atol + rtol * abs(n) and not (a != a and n != n):
                return (
                    f"element {row} of the input and element {column} of the output, numerical:{n!r}, "
                    f"analytical:{a!r}"
                )
    return None


def _flat(columns: list[list[float]]) -> itertools.chain[float]:
    return itertools.chain.from_iterable(columns)


def _jacobian(output: Any, tensors: list) -> list[list[list[float]]]:
    """For each input: for each of its elements the derivatives of all elements of the output."""
    columns: list[list[list[float]]] = [[[] for _ in range(tensor.numel())] for tensor in tensors]
    for place in range(output.numel()):
        begin = output.detach().new_zeros(output.numel())
        begin[place] = 1
        found = grad(output, tensors, begin.reshape(output.shape), retain_graph=True, allow_unused=True)
        for tensor, own, gradient in zip(tensors, columns, found, strict=True):
            values: Any = [0.0] * tensor.numel()
            if gradient is not None:
                if gradient._shape != tensor._shape or gradient._dtype is not tensor._dtype:
                    raise GradcheckError(
                        f"Gradient has wrong shape or type: {list(gradient._shape)} of "
                        f"{gradient._dtype.name} for an input of {list(tensor._shape)}, {tensor._dtype.name}"
                    )
                plain: Any = gradient
                values = plain.detach().reshape(-1).tolist()
            for row, value in zip(own, values, strict=True):
                row.append(value)
    return columns


def _differences(
    func: Callable, arguments: tuple, argument: Tensor, number: int, eps: float
) -> list[list[float]]:
    """For each element of one input the finite differences of all elements of one output."""
    cells: Any = argument._cells_array()  # of views too: the memory itself is stepped
    rows = []
    with no_grad():
        for index in itertools.product(*(range(size) for size in argument._shape)):
            kept = cells[index].copy()
            cells[index] = kept + eps
            upper = _values(func, arguments, number)
            cells[index] = kept - eps
            lower = _values(func, arguments, number)
            cells[index] = kept
            rows.append([(u - low) / (2 * eps) for u, low in zip(upper, lower, strict=True)])
    return rows


def _values(func: Callable, arguments: tuple, number: int) -> list[float]:
    chosen: Any = _several(func(*arguments))[number]
    return chosen.detach().reshape(-1).tolist()


def _check_constant(
    func: Callable, arguments: tuple, checked: list[tuple[int, Tensor]], eps: float, atol: float
) -> None:
    """Results without a gradient must not move when an input does."""
    for place, argument in checked:
        for row in _differences(func, arguments, argument, 0, eps):
            if any(abs(value) > atol for value in row):
                raise GradcheckError(
                    f"Numerical gradient for function expected to be zero: nothing requires a gradient, and "
                    f"the output moves with input {place}"
                )


def _check_directions(
    func: Callable,
    arguments: tuple,
    checked: list[tuple[int, Tensor]],
    outputs: list[tuple[int, Tensor]],
    eps: float,
    atol: float,
    rtol: float,
) -> None:
    """The derivatives of weighted sums of each output, along one direction of each input."""
    rng = np.random.default_rng(0)  # not the library's own generator, which the function may draw from
    for number, output in outputs:
        weights = _unit(rng, output._shape)
        towards: Any = output.detach().new_empty(output._shape)
        towards._cells_array()[...] = weights
        found = grad(output, [a for _, a in checked], towards, retain_graph=True, allow_unused=True)
        for (place, argument), gradient in zip(checked, found, strict=True):
            cells: Any = argument._cells_array()  # of views too: the memory itself is stepped
            direction = _unit(rng, argument._shape)
            kept, sides = cells.copy(), []
            for step in (eps, -eps):
                cells[...] = kept + step * direction
                with no_grad():
                    sides.append(np.reshape(_values(func, arguments, number), output._shape))
                cells[...] = kept
            numerical = float(((sides[0] - sides[1]) * weights).sum() / (2 * eps))
            values: Any = 0.0 if gradient is None else np.reshape(_plain(gradient), argument._shape)
            analytical = float((values * direction).sum())
            if not abs(analytical - numerical) <= atol + rtol * abs(numerical):
                raise GradcheckError(
                    f"Jacobian mismatch for output {number} with respect to input {place}, along one "
                    f"direction of all elements, numerical:{numerical!r}, analytical:{analytical!r}"
                )


def _unit(rng: np.random.Generator, shape: Sequence[int]) -> np.ndarray:
    """A direction drawn at random, of length 1."""
    drawn = rng.standard_normal(tuple(shape))
    return np.asarray(drawn / max(float(np.linalg.norm(drawn.reshape(-1))), 1e-300))


def _plain(gradient: Any) -> list[float]:
    return gradient.detach().reshape(-1).tolist()


def _check_missing(func: Callable, arguments: tuple, checked: list[tuple[int, Tensor]]) -> None:
    """Each result of several may come without gradient."""
    outputs = _results(func(*arguments))
    if len(outputs) < 2:
        return
    tensors = [argument for _, argument in checked]
    for output in outputs:
        grad(output, tensors, _weights(output), allow_unused=True, retain_graph=True)
