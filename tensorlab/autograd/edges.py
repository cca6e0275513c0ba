"""Edges of the graph as values, and a hook that waits for several gradients of one pass.

PyTorch keeps these in `torch.autograd.graph`; here they are attributes of `tensorlab.autograd.graph`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from tensorlab.autograd.graph import Edge, Node, Output, edge_number, node_of
from tensorlab.autograd.hooks import Handle
from tensorlab.autograd.views import edge_of
from tensorlab.core.layout import Size
from tensorlab.core.modes import current
from tensorlab.tensor import Tensor

__all__ = [
    "GradientEdge",
    "Handles",
    "get_gradient_edge",
    "increment_version",
    "register_multi_grad_hook",
]


class GradientEdge(NamedTuple):
    """Where the gradient of a tensor goes on, without the tensor: `grad` and `backward` take it in its place.

    ``node`` is the operation that made the tensor, or what accumulates the gradient of a leaf, ``output_nr``
    says which of its results the tensor is, and ``ownership_token`` keeps the graph alive.
    """

    node: Node
    output_nr: int
    ownership_token: object = None

    @property
    def edge(self) -> Edge:
        """The same for the engine."""
        if self.ownership_token is not None:
            return self.ownership_token
        return self.node if self.node.direct_result else Output(self.node, self.output_nr, Size(), None)  # type: ignore[arg-type]


def get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """The edge of a tensor: with it a gradient can be asked for when the tensor itself is gone.

    Raises:
        RuntimeError: the tensor requires no gradient.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.tensor([1.0, 2.0], requires_grad=True)
        >>> y = x * 2
        >>> edge = tl.autograd.graph.get_gradient_edge(y)
        >>> z = (y * y).sum()
        >>> del y
        >>> tl.autograd.grad(z, edge)
        (tensor([4., 8.]),)
    """
    edge = edge_of(tensor)
    if edge is None:
        raise RuntimeError(
            "It is not possible to get the gradient edge for a Tensor that does not require gradients: no "
            "operation on one that does was recorded"
        )
    return GradientEdge(node_of(edge), edge_number(edge), edge)


def increment_version(tensor: Tensor | Sequence[Tensor]) -> None:
    """Count a write into one or several tensors that happened where the library could not see it."""
    for one in (tensor,) if isinstance(tensor, Tensor) else tensor:
        one._storage._version += 1


class Handles:
    """Several hooks that are removed together: by ``remove()``, or as a context at its end."""

    def __init__(self, handles: Sequence[Handle]) -> None:
        self.handles = tuple(handles)

    def remove(self) -> None:
        """Take all of them away."""
        for handle in self.handles:
            handle.remove()

    def __enter__(self) -> Handles:
        return self

    def __exit__(self, *error: object) -> None:
        self.remove()


def register_multi_grad_hook(
    tensors: Sequence[Tensor], fn: Callable[[Any], None], *, mode: str = "all"
) -> Handles:
    """Call a function in each backward pass when the gradients of several tensors are there.

    Args:
        tensors: the tensors whose gradients are waited for.
        fn: with the mode ``"all"`` it is called with a list of the gradients, None for tensors that the pass
            does not reach, after the last of them; with ``"any"``, with the first gradient alone.
        mode: ``"all"`` or ``"any"``.

    Returns:
        a handle whose ``remove()`` takes the hook away.

    Raises:
        ValueError: the mode is neither.
        AssertionError: a tensor requires no gradient, and all are waited for.

    Example:
        >>> import tensorlab as tl
        >>> a, b = tl.ones(2, requires_grad=True), tl.ones(2, requires_grad=True)
        >>> seen = lambda gradients: print([gradient is not None for gradient in gradients])
        >>> handle = tl.autograd.graph.register_multi_grad_hook((a, b), seen)
        >>> (a * 2).sum().backward()
        [True, False]
        >>> (a * b).sum().backward()
        [True, True]
    """
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    if mode == "any":
        first = _First(fn)
        return Handles([tensor.register_hook(first) for tensor in tensors if tensor.requires_grad])
    edges = [edge_of(tensor) for tensor in tensors]
    if None in edges:
        raise AssertionError(
            f"Expected gradient function to be set: tensor {edges.index(None)} requires no gradient, so none "
            f"of it ever comes"
        )
    together = _Together(fn, [node_of(edge) for edge in edges])
    return Handles(
        [
            tensor.register_hook(functools.partial(together, position))
            for position, tensor in enumerate(tensors)
        ]
    )


class _First:
    """Calls a function with the first gradient of each pass."""

    def __init__(self, fn: Callable[[Tensor], None]) -> None:
        self._fn = fn
        self._last: object = None

    def __call__(self, gradient: Tensor) -> None:
        if self._last is not current.running:
            self._last = current.running
            self._fn(gradient)


class _Together:
    """Collects the gradients of one pass, and calls a function with all of them."""

    def __init__(self, fn: Callable[[list[Tensor | None]], None], nodes: list[Node]) -> None:
        self._fn = fn
        self._nodes = nodes
        self._pass: object = None
        self._gradients: list[Tensor | None] = []
        self._waiting = 0

    def __call__(self, position: int, gradient: Tensor) -> None:
        if self._pass is not current.running:  # the first gradient of another pass
            self._pass = current.running
            reached = set(current.running or ())
            self._gradients = [None] * len(self._nodes)
            self._waiting = sum(node in reached for node in self._nodes)
        self._gradients[position] = gradient
        self._waiting -= 1
        if not self._waiting:
            self._fn(self._gradients)
