"""Derivatives as functions of functions: ``grad(f)`` is the function whose value is the gradient of `f`.

They can be nested: ``grad(grad(f))``. Each makes a graph of its own on the way, and adds nothing to ``grad``.
`vmap` calls the function once for each item of a batch, where PyTorch rewrites its operations to work on the
whole batch: the results are the same, the speed is a loop's.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from tensorlab.autograd import functional
from tensorlab.autograd.passes import grad as _grad
from tensorlab.modes import enable_grad
from tensorlab.ops.joining import stack
from tensorlab.tensor import Tensor

__all__ = ["grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "vjp", "vmap"]

Places = int | tuple[int, ...]


def grad(func: Callable, argnums: Places = 0, has_aux: bool = False) -> Callable:
    """The gradient of a function whose value is one number.

    Args:
        func: a function of tensors.
        argnums: which argument to differentiate by, or which ones.
        has_aux: `func` returns the number and something else, which is passed on.

    Returns:
        a function of the same arguments, whose value is the gradient, a tuple of them for several `argnums`.

    Example:
        >>> import tensorlab as tl
        >>> from tensorlab.func import grad
        >>> grad(grad(lambda x: x**3))(tl.tensor(2.0))
        tensor(12.)
    """
    both = grad_and_value(func, argnums, has_aux)

    @functools.wraps(func)
    def gradient(*arguments: Any, **keywords: Any) -> Any:
        found, value = both(*arguments, **keywords)
        return (found, value[1]) if has_aux else found

    return gradient


def grad_and_value(func: Callable, argnums: Places = 0, has_aux: bool = False) -> Callable:
    """`grad`, which gives the value of the function too: ``(gradient, value)``.

    Raises:
        RuntimeError: the value is no tensor without dimensions, or `argnums` names no argument.
        ValueError: an argument to differentiate by is no tensor.

    Example:
        >>> import tensorlab as tl
        >>> tl.func.grad_and_value(lambda x: (x * x).sum())(tl.tensor([1.0, 2.0]))
        (tensor([2., 4.]), tensor(5.))
    """
    if not isinstance(argnums, (int, tuple)):
        raise RuntimeError(
            f"argnums must be an int or a tuple of ints, got {argnums!r} of type {type(argnums).__name__}"
        )
    places = (argnums,) if isinstance(argnums, int) else argnums

    @functools.wraps(func)
    def both(*arguments: Any, **keywords: Any) -> Any:
        given: list[Any] = list(arguments)
        outer = any(isinstance(a, Tensor) and _tracked(a) for a in given)
        with enable_grad():
            points = []
            for place in places:
                (given[place],) = functional.points_of(_argument(given, place), create_graph=True)
                points.append(given[place])
            returned = func(*given, **keywords)
            value = returned[0] if has_aux else returned
            if not isinstance(value, Tensor) or value.ndim:
                shape = list(value.shape) if isinstance(value, Tensor) else type(value).__name__
                raise RuntimeError(
                    f"Expected f(*args) to return a scalar tensor, got {shape}: sum it, or use jacrev"
                )
            found: Sequence[Any] = [None] * len(points)
            if _tracked(value):
                found = _grad(value, points, create_graph=True, allow_unused=True)
        results = tuple(
            point.new_zeros(point.shape) if gradient is None else gradient if outer else gradient.detach()
            for point, gradient in zip(points, found, strict=True)
        )
        if not outer:
            value = _plain(value)
        returned = (value, returned[1]) if has_aux else value
        return results[0] if isinstance(argnums, int) else results, returned

    return both


def _argument(given: list[Any], place: int) -> Any:
    """The argument to differentiate by."""
    if not -len(given) <= place < len(given):
        raise RuntimeError(f"Got argnum={place}, but only {len(given)} positional inputs")
    if not isinstance(given[place], Tensor):
        raise ValueError(
            f"grad() differentiates by Tensors, and argument {place} is a {type(given[place]).__name__}"
        )
    return given[place]


def _tracked(tensor: Any) -> bool:
    return bool(tensor.requires_grad)


def _plain(tensor: Any) -> Any:
    return tensor.detach()


def vjp(func: Callable, *primals: Any) -> tuple[Any, Callable]:
    """The value of a function, and the function that takes a vector to its product with the Jacobian.

    Example:
        >>> import tensorlab as tl
        >>> value, pull = tl.func.vjp(lambda x: x**2, tl.tensor([1.0, 2.0]))
        >>> value, pull(tl.tensor([1.0, 10.0]))
        (tensor([1., 4.]), (tensor([ 2., 40.]),))
    """
    with enable_grad():
        points = functional.points_of(primals, create_graph=True)
        outputs = func(*points)
    outer = any(_tracked(point) for point in primals)

    def pull(*vectors: Any) -> tuple:
        several = outputs if isinstance(outputs, tuple) else (outputs,)
        return _grad(several, points, vectors, retain_graph=True, create_graph=outer, materialize_grads=True)

    if outer:
        return outputs, pull
    return tuple(map(_plain, outputs)) if isinstance(outputs, tuple) else _plain(outputs), pull


def jvp(func: Callable, primals: tuple, tangents: tuple) -> tuple[Any, Any]:
    """The value of a function, and its Jacobian times a vector: how the value moves with the arguments.

    Example:
        >>> import tensorlab as tl
        >>> tl.func.jvp(lambda x: x**2, (tl.tensor([1.0, 2.0]),), (tl.tensor([1.0, 10.0]),))
        (tensor([1., 4.]), tensor([ 2., 40.]))
    """
    return functional.jvp(func, primals, tangents, create_graph=any(_tracked(point) for point in primals))


def jacrev(func: Callable, argnums: Places = 0) -> Callable:
    """The function whose value is the Jacobian of `func` (see `tensorlab.autograd.functional.jacobian`).

    Example:
        >>> import tensorlab as tl
        >>> tl.func.jacrev(lambda x: x**2)(tl.tensor([1.0, 2.0]))
        tensor([[2., 0.],
                [0., 4.]])
    """

    @functools.wraps(func)
    def jacobian(*arguments: Any) -> Any:
        places = (argnums,) if isinstance(argnums, int) else tuple(argnums)

        def of(*points: Any) -> Any:
            given = list(arguments)
            for place, point in zip(places, points, strict=True):
                given[place] = point
            return func(*given)

        points = tuple(arguments[place] for place in places)
        chosen = points[0] if isinstance(argnums, int) else points
        return functional.jacobian(of, chosen, create_graph=any(_tracked(point) for point in points))

    return jacobian


jacfwd = jacrev


def hessian(func: Callable, argnums: Places = 0) -> Callable:
    """The function whose value is the matrix of second derivatives of `func`.

    Example:
        >>> import tensorlab as tl
        >>> tl.func.hessian(lambda x: (x**3).sum())(tl.tensor([1.0, 2.0]))
        tensor([[ 6.,  0.],
                [ 0., 12.]])
    """
    return jacrev(grad(func, argnums), argnums)


def vmap(func: Callable, in_dims: Any = 0, out_dims: Any = 0) -> Callable:
    """The function that applies `func` to each item of a batch, and stacks the results.

    Args:
        func: a function of tensors of one item.
        in_dims: along which dimension each argument is a batch, None for one that is the same for all.
        out_dims: which dimension of each result shall be the batch.

    Raises:
        ValueError: no argument is a batch, one has no items or is no tensor, or two are of different sizes.

    Example:
        >>> import tensorlab as tl
        >>> tl.func.vmap(lambda row, w: row @ w, in_dims=(0, None))(tl.eye(2), tl.tensor([3.0, 4.0]))
        tensor([3., 4.])
    """

    @functools.wraps(func)
    def batched(*arguments: Any) -> Any:
        dims = in_dims if isinstance(in_dims, (tuple, list)) else (in_dims,) * len(arguments)
        if len(dims) != len(arguments):
            raise ValueError(f"vmap: in_dims has {len(dims)} entries for {len(arguments)} arguments")
        mapped = [(a, dim) for a, dim in zip(arguments, dims, strict=True) if dim is not None]
        for argument, dim in mapped:
            if not isinstance(argument, Tensor):
                raise ValueError(
                    f"vmap: Got in_dim={dim} for an input but the input is of type "
                    f"{type(argument).__name__}: only tensors are batches, give None as its in_dim"
                )
        sizes = {argument.shape[dim] for argument, dim in mapped}
        if not sizes:
            raise ValueError("vmap: at least one argument must be a batch, and in_dims is None for all")
        if len(sizes) > 1:
            raise ValueError(
                f"vmap: Expected all tensors to have the same size in the mapped dimension, got sizes "
                f"{sorted(sizes)}"
            )
        if 0 in sizes:
            raise ValueError("vmap: the batch has no items, and no item tells the shape of the results")
        results = []
        for place in range(sizes.pop()):
            items = [
                a if dim is None else a.select(dim, place) for a, dim in zip(arguments, dims, strict=True)
            ]
            results.append(func(*items))
        if not isinstance(results[0], tuple):
            return stack(results, out_dims)
        outs = out_dims if isinstance(out_dims, (tuple, list)) else (out_dims,) * len(results[0])
        return tuple(
            stack(list(column), dim) for column, dim in zip(zip(*results, strict=True), outs, strict=True)
        )

    return batched
