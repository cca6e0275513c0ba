"""Derivatives as functions of functions: ``grad(f)`` is the function whose value is the gradient of `f`.

They can be nested: ``grad(grad(f))``. Each makes a graph of its own on the way, and adds nothing to ``grad``.
An argument may be a container of tensors, such as the dict of a model's parameters: its gradient is one too.
`vmap` calls the function once for each item of a batch, where PyTorch rewrites its operations to work on the
whole batch: the results are the same, the speed is a loop's.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from tensorlab import random
from tensorlab.autograd import functional
from tensorlab.autograd.backward import grad as _grad
from tensorlab.core.modes import enable_grad
from tensorlab.core.trees import leaves_of, rebuilt, spread
from tensorlab.ops.joining import stack
from tensorlab.tensor import Tensor

__all__ = ["grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "vjp", "vmap"]

Places = int | tuple[int, ...]


def grad(func: Callable, argnums: Places = 0, has_aux: bool = False) -> Callable:
    """The gradient of a function whose value is one number.

    Args:
        func: a function of tensors, or of dicts, lists and tuples of them.
        argnums: which argument to differentiate by, or which ones.
        has_aux: `func` returns the number and something else, which is passed on.

    Returns:
        a function of the same arguments, whose value is the gradient, in the form of the argument; a tuple of
        them for several `argnums`.

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

    Args:
        func: a function that gives one number, as a tensor without dimensions.
        argnums: the place of the argument to differentiate by, or a tuple of places.
        has_aux: `func` gives a pair, whose second part is passed on as it is.

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
        outer = any(isinstance(a, Tensor) and _tracked(a) for a in leaves_of(given))
        with enable_grad():
            points: list[Any] = []
            for place in places:
                leaves = _tensors_of(_argument(given, place))
                points += functional.points_of(leaves, create_graph=True)
                given[place] = rebuilt(given[place], points[-len(leaves) :] if leaves else ())
            returned = func(*given, **keywords)
            value = returned[0] if has_aux else returned
            if not isinstance(value, Tensor) or value.ndim:
                shape = list(value.shape) if isinstance(value, Tensor) else type(value).__name__
                raise RuntimeError(
                    f"Expected f(*args) to return a scalar tensor, got {shape}: sum it, or use jacrev"
                )
            found: Sequence[Any] = [None] * len(points)
            if _tracked(value) and points:
                found = _grad(value, points, create_graph=True, allow_unused=True)
        gradients = iter(
            [
                point.new_zeros(point.shape) if gradient is None else gradient if outer else gradient.detach()
                for point, gradient in zip(points, found, strict=True)
            ]
        )
        results = tuple(rebuilt(arguments[place], gradients) for place in places)
        if not outer:
            value = _plain(value)
        returned = (value, returned[1] if outer else _cut(returned[1])) if has_aux else value
        return results[0] if isinstance(argnums, int) else results, returned

    return both


def _argument(given: Sequence[Any], place: int) -> Any:
    """The argument to differentiate by."""
    if not -len(given) <= place < len(given):
        raise RuntimeError(f"Got argnum={place}, but only {len(given)} positional inputs")
    return given[place]


def _tensors_of(tree: Any) -> list[Tensor]:
    """The leaves of an argument to differentiate by."""
    leaves = leaves_of(tree)
    for leaf in leaves:
        if not isinstance(leaf, Tensor):
            raise ValueError(
                f"a function is differentiated by Tensors, or by containers of them, and a "
                f"{type(leaf).__name__} came"
            )
    return leaves


def _tracked(tensor: Any) -> bool:
    return bool(tensor.requires_grad)


def _plain(tensor: Any) -> Any:
    return tensor.detach()


def _cut(tree: Any) -> Any:
    """Something that a function returned, its tensors without their history."""
    leaves = leaves_of(tree)
    return rebuilt(tree, [_plain(leaf) if isinstance(leaf, Tensor) else leaf for leaf in leaves])


def vjp(func: Callable, *primals: Any) -> tuple[Any, Callable]:
    """The value of a function, and the function that takes a vector to its product with the Jacobian.

    Args:
        func: a function of tensors.
        primals: the arguments, positional.

    Example:
        >>> import tensorlab as tl
        >>> value, pull = tl.func.vjp(lambda x: x**2, tl.tensor([1.0, 2.0]))
        >>> value, pull(tl.tensor([1.0, 10.0]))
        (tensor([1., 4.]), (tensor([ 2., 40.]),))
    """
    leaves = _tensors_of(primals)
    with enable_grad():
        points = functional.points_of(leaves, create_graph=True)
        outputs = func(*rebuilt(primals, points))
    outer = any(_tracked(point) for point in leaves)

    def pull(*vectors: Any) -> tuple:
        several, weights = leaves_of(outputs), leaves_of(vectors)
        found = _grad(several, points, weights, retain_graph=True, create_graph=outer, materialize_grads=True)
        return rebuilt(primals, found)

    return outputs if outer else _cut(outputs), pull


def jvp(func: Callable, primals: tuple, tangents: tuple) -> tuple[Any, Any]:
    """The value of a function, and its Jacobian times a vector: how the value moves with the arguments.

    Args:
        func: a function of tensors.
        primals: the arguments, as a tuple.
        tangents: a tensor of the same shape for each of them: the direction.

    Example:
        >>> import tensorlab as tl
        >>> tl.func.jvp(lambda x: x**2, (tl.tensor([1.0, 2.0]),), (tl.tensor([1.0, 10.0]),))
        (tensor([1., 4.]), tensor([ 2., 40.]))
    """
    leaves, form = _tensors_of(primals), None

    def of(*points: Any) -> tuple:
        nonlocal form
        form = func(*rebuilt(primals, points))
        return tuple(leaves_of(form))

    directions = tuple(leaves_of(tangents))
    found = functional.jvp(of, tuple(leaves), directions, create_graph=any(map(_tracked, leaves)))
    return rebuilt(form, found[0]), rebuilt(form, found[1])


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
        chosen = tuple(_argument(arguments, place) for place in places)
        leaves = _tensors_of(chosen)
        outputs: Any = None

        def of(*points: Any) -> tuple:
            nonlocal outputs
            given = list(arguments)
            for place, tree in zip(places, rebuilt(chosen, points), strict=True):
                given[place] = tree
            outputs = func(*given)
            return tuple(leaves_of(outputs))

        rows = functional.jacobian(of, tuple(leaves), create_graph=any(map(_tracked, leaves)))
        by_argument = [rebuilt(chosen, row) for row in rows]
        return rebuilt(outputs, [row[0] for row in by_argument] if isinstance(argnums, int) else by_argument)

    return jacobian


jacfwd = jacrev


def hessian(func: Callable, argnums: Places = 0) -> Callable:
    """The function whose value is the matrix of second derivatives of `func`.

    Args:
        func: a function that gives one number, as a tensor without dimensions.
        argnums: the place of the argument to differentiate by, or a tuple of places.

    Example:
        >>> import tensorlab as tl
        >>> tl.func.hessian(lambda x: (x**3).sum())(tl.tensor([1.0, 2.0]))
        tensor([[ 6.,  0.],
                [ 0., 12.]])
    """
    return jacrev(grad(func, argnums), argnums)


def vmap(
    func: Callable,
    in_dims: Any = 0,
    out_dims: Any = 0,
    randomness: str = "error",
    *,
    chunk_size: int | None = None,
) -> Callable:
    """The function that applies `func` to each item of a batch, and stacks the results.

    Args:
        func: a function of tensors of one item, or of dicts, lists and tuples of them.
        in_dims: along which dimension each argument is a batch, None for one that is the same for all. For a
            container one number for all that is in it, or a container of the same form.
        out_dims: which dimension of each result shall be the batch.
        randomness: ``"different"`` random numbers for each item, or the ``"same"``, or an ``"error"`` if the
            function draws any from the default generator.
        chunk_size: taken as PyTorch takes it: how many items to work on at once. Here it is always one.

    Raises:
        ValueError: no argument is a batch, one has no items or is no tensor, two are of different sizes, or a
            result is no tensor.
        RuntimeError: `randomness` is none of these, or it is an error and the function draws random numbers.

    Example:
        >>> import tensorlab as tl
        >>> tl.func.vmap(lambda row, w: row @ w, in_dims=(0, None))(tl.eye(2), tl.tensor([3.0, 4.0]))
        tensor([3., 4.])
    """
    if randomness not in ("different", "same", "error"):
        raise RuntimeError(f"vmap: randomness must be 'error', 'different' or 'same', got {randomness!r}")

    @functools.wraps(func)
    def batched(*arguments: Any, **keywords: Any) -> Any:
        leaves, dims = leaves_of(arguments), _dims_of(arguments, in_dims)
        state = random.get_rng_state()
        results, form = [], None
        for place in range(_batch_size(leaves, dims)):
            if randomness == "same":
                random.set_rng_state(state)
            items = [a if dim is None else a.select(dim, place) for a, dim in zip(leaves, dims, strict=True)]
            form = func(*rebuilt(arguments, items), **keywords)
            if randomness == "error" and not place:
                _refuse_draws(state)
            results.append([_result(leaf) for leaf in leaves_of(form)])
        outs = spread(out_dims, form, lambda: ValueError(f"vmap: out_dims={out_dims!r} has another form"))
        columns = zip(*results, strict=True)
        return rebuilt(form, [stack(column, dim) for column, dim in zip(columns, outs, strict=True)])

    return batched


def _refuse_draws(state: Tensor) -> None:
    """Refuse what was drawn since the default generator was in this state, and set it back."""
    if random.get_rng_state().tolist() != state.tolist():
        random.set_rng_state(state)
        raise RuntimeError(
            "vmap: called random operation while in randomness error mode: pass randomness='same' or "
            "randomness='different' to say what is meant"
        )


def _dims_of(arguments: tuple, in_dims: Any) -> list[int | None]:
    """Along which dimension each leaf of the arguments is a batch."""
    given = tuple(in_dims) if isinstance(in_dims, list) else in_dims
    return spread(
        given,
        arguments,
        lambda: ValueError(
            f"vmap: in_dims={in_dims!r} is not compatible with the structure of {len(arguments)} arguments: "
            f"give one number for all, or one for each"
        ),
    )


def _batch_size(leaves: Sequence[Any], dims: Sequence[int | None]) -> int:
    """How many items there are."""
    sizes = set()
    for leaf, dim in zip(leaves, dims, strict=True):
        if dim is None:
            continue
        if not isinstance(leaf, Tensor):
            raise ValueError(
                f"vmap: Got in_dim={dim} for an input but the input is of type {type(leaf).__name__}: only "
                f"tensors are batches, give None as its in_dim"
            )
        if not -leaf.ndim <= dim < leaf.ndim:
            raise ValueError(f"vmap: Got in_dim={dim} for a tensor of {leaf.ndim} dimensions")
        sizes.add(leaf.shape[dim])
    if not sizes:
        raise ValueError("vmap: at least one argument must be a batch, and in_dims is None for all")
    if len(sizes) > 1:
        raise ValueError(
            f"vmap: Expected all tensors to have the same size in the mapped dimension, got sizes "
            f"{sorted(sizes)}"
        )
    if 0 in sizes:
        raise ValueError("vmap: the batch has no items, and no item tells the shape of the results")
    return int(sizes.pop())


def _result(leaf: Any) -> Tensor:
    if not isinstance(leaf, Tensor):
        raise ValueError(f"vmap: the function must only return Tensors, got type {type(leaf).__name__}")
    return leaf
