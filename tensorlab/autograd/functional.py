"""Derivatives of functions: Jacobians, Hessians, and their products with vectors.

Each takes a function of tensors and the point, and leaves no gradient behind in ``grad``. A product with the
Jacobian from the right, `jvp`, is made of two backward passes: the first is linear in its gradient, and the
second differentiates it by that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorlab.autograd.backward import grad
from tensorlab.core.modes import enable_grad
from tensorlab.tensor import Tensor

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]

Tensors = Tensor | Sequence[Tensor]


def _many(given: Any) -> tuple:
    return (given,) if isinstance(given, Tensor) else tuple(given)


def _like(results: tuple, given: Any) -> Any:
    """One result for one tensor, a tuple for several."""
    return results[0] if isinstance(given, Tensor) else results


def points_of(inputs: Any, create_graph: bool) -> tuple:
    """The inputs, ready to be differentiated by: views of themselves if the results shall depend on them."""
    return tuple(
        point.view_as(point) if create_graph and point.requires_grad else point.detach().requires_grad_()
        for point in _many(inputs)
    )


def _done(results: Sequence[Any], create_graph: bool) -> tuple:
    return tuple(results) if create_graph else tuple(result.detach() for result in results)


def _gradients(outputs: Any, points: tuple, weights: Any, create_graph: bool, strict: bool) -> list:
    """The gradients, with zeros where an output does not depend on an input."""
    needed = [(o, w) for o, w in zip(_many(outputs), _many(weights), strict=True) if o.requires_grad]
    found: Sequence[Any] = [None] * len(points)
    if needed:
        found = grad(
            [output for output, _ in needed],
            points,
            [weight for _, weight in needed],
            create_graph=create_graph,
            retain_graph=True,
            allow_unused=True,
        )
    if strict and any(gradient is None for gradient in found):
        raise RuntimeError(
            "An output of the function is independent of an input: this is refused by strict=True"
        )
    return [
        point.new_zeros(point.shape) if gradient is None else gradient
        for point, gradient in zip(points, found, strict=True)
    ]


def vjp(
    func: Callable[..., Any],
    inputs: Tensors,
    v: Tensors | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """The result of a function, and a vector times its Jacobian.

    Args:
        func: a function of the inputs.
        inputs: the point: a tensor, or a tuple of tensors.
        v: the vector, of the result's shape; 1 for a result of one element.
        create_graph: let the products be differentiated in turn.
        strict: refuse an input that the result does not depend on, instead of giving zeros.

    Example:
        >>> import tensorlab as tl
        >>> tl.autograd.functional.vjp(lambda x: x**2, tl.tensor([1.0, 2.0]), tl.tensor([1.0, 10.0]))
        (tensor([1., 4.]), tensor([ 2., 40.]))
    """
    with enable_grad():
        points = points_of(inputs, create_graph)
        outputs = func(*points)
        products = _gradients(outputs, points, _vector(v, outputs), create_graph, strict)
    return _result(outputs, create_graph), _like(_done(products, create_graph), inputs)


def _vector(v: Any, outputs: Any) -> Any:
    """The vector of a product, checked against the results."""
    if v is None:
        several = _many(outputs)
        if len(several) != 1 or several[0].numel() != 1:
            raise RuntimeError(
                "The vector v can only be None if the user-provided function returns a single Tensor with a "
                "single element."
            )
        return several[0].detach().new_ones(several[0].shape)
    for vector, output in zip(_many(v), _many(outputs), strict=True):
        if vector.shape != output.shape:
            raise RuntimeError(
                f"v has invalid size: should be {list(output.shape)} but got {list(vector.shape)}: the size "
                f"of what it is multiplied with"
            )
    return v


def _result(outputs: Any, create_graph: bool) -> Any:
    return outputs if create_graph else _like(_done(_many(outputs), False), outputs)


def jvp(
    func: Callable[..., Any],
    inputs: Tensors,
    v: Tensors | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """The result of a function, and its Jacobian times a vector: how the result moves with the inputs.

    Args:
        func, inputs, create_graph, strict: see `vjp`.
        v: the direction, of the inputs' shapes; 1 for a single input of one element.

    Example:
        >>> import tensorlab as tl
        >>> tl.autograd.functional.jvp(lambda x: x**2, tl.tensor([1.0, 2.0]), tl.tensor([1.0, 10.0]))
        (tensor([1., 4.]), tensor([ 2., 40.]))
    """
    with enable_grad():
        points = points_of(inputs, create_graph)
        direction = _vector(v, points[0] if isinstance(inputs, Tensor) else points)
        outputs = func(*points)
        several = _many(outputs)
        weights = [output.detach().new_zeros(output.shape).requires_grad_() for output in several]
        backward = _gradients(several, points, weights, True, strict)
        products = _gradients(backward, tuple(weights), direction, create_graph, False)
    return _result(outputs, create_graph), _like(_done(products, create_graph), outputs)


def jacobian(
    func: Callable[..., Any],
    inputs: Tensors,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """The derivative of each element of the result with respect to each element of the inputs.

    Args:
        func, inputs, create_graph, strict: see `vjp`.
        vectorize, strategy: taken as PyTorch takes them; one backward pass is made for each element.

    Returns:
        a tensor of the result's shape followed by the input's; for several inputs or results a tuple, or a
        tuple of tuples.

    Example:
        >>> import tensorlab as tl
        >>> tl.autograd.functional.jacobian(lambda x: x**2, tl.tensor([1.0, 2.0]))
        tensor([[2., 0.],
                [0., 4.]])
    """
    with enable_grad():
        points = points_of(inputs, create_graph)
        outputs = func(*points)
        rows = [_one_jacobian(output, points, create_graph, strict) for output in _many(outputs)]
    results = tuple(_like(_done(row, create_graph), inputs) for row in rows)
    return _like(results, outputs)


def _one_jacobian(output: Any, points: tuple, create_graph: bool, strict: bool) -> list:
    """The Jacobian of one result with respect to each point."""
    pieces: list[list] = [[] for _ in points]
    for place in range(output.numel()):
        weight = output.detach().new_zeros(output.numel())
        weight[place] = 1
        found = _gradients(output, points, weight.reshape(output.shape), create_graph, strict)
        for own, gradient in zip(pieces, found, strict=True):
            own.append(gradient)
    jacobians = []
    for point, own in zip(points, pieces, strict=True):
        together = point.detach().new_zeros((len(own), *point.shape))
        for place, gradient in enumerate(own):
            together[place] = gradient
        jacobians.append(together.reshape((*output.shape, *point.shape)))
    return jacobians


def hessian(
    func: Callable[..., Any],
    inputs: Tensors,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """The second derivatives of a function whose result is one number.

    Args:
        func, inputs, create_graph, strict, vectorize, outer_jacobian_strategy: see `jacobian`.

    Returns:
        a tensor of the input's shape twice; for several inputs a tuple of tuples.

    Example:
        >>> import tensorlab as tl
        >>> tl.autograd.functional.hessian(lambda x: (x**3).sum(), tl.tensor([1.0, 2.0]))
        tensor([[ 6.,  0.],
                [ 0., 12.]])
    """
    single = isinstance(inputs, Tensor)

    def slope(*points: Any) -> Any:
        value = _one_number(func(*points))
        found = _gradients(value, points, value.detach().new_ones(value.shape), True, strict)
        return found[0] if single else tuple(found)

    return jacobian(slope, inputs, create_graph=create_graph, strict=strict)


def _one_number(output: Any) -> Any:
    if not isinstance(output, Tensor) or output.numel() != 1:
        raise RuntimeError(
            "The Tensor returned by the function given to hessian should contain a single element: sum it "
            "first"
        )
    return output.reshape(())


def vhp(
    func: Callable[..., Any],
    inputs: Tensors,
    v: Tensors | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """The result of a function of one number, and a vector times its Hessian (see `vjp`, `hessian`).

    Example:
        >>> import tensorlab as tl
        >>> x = tl.tensor([1.0, 2.0])
        >>> tl.autograd.functional.vhp(lambda x: (x**3).sum(), x, tl.ones(2))
        (tensor(9.), tensor([ 6., 12.]))
    """
    with enable_grad():
        points = points_of(inputs, create_graph)
        direction = _vector(v, points[0] if isinstance(inputs, Tensor) else points)
        output = func(*points)
        value = _one_number(output)
        slopes = _gradients(value, points, value.detach().new_ones(()), True, strict)
        products = _gradients(slopes, points, direction, create_graph, False)
    return _result(output, create_graph), _like(_done(products, create_graph), inputs)


def hvp(
    func: Callable[..., Any],
    inputs: Tensors,
    v: Tensors | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """`vhp` under another name: a Hessian is symmetric.

    Args:
        func, inputs, v, create_graph, strict: see `vhp`.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.tensor([1.0, 2.0])
        >>> tl.autograd.functional.hvp(lambda x: (x**3).sum(), x, tl.ones(2))
        (tensor(9.), tensor([ 6., 12.]))
    """
    return vhp(func, inputs, v, create_graph, strict)
