"""The graph: nodes that carry a gradient back through one operation, and the edges between them.

A tensor that an operation made points at the operation's node, and the node at the nodes of its operands:
the graph hangs on its results, and goes when they go. Each slot ``_edge`` of a tensor says where a gradient
that reaches the tensor goes on:

- None: nowhere, the tensor requires no gradient;
- a `Leaf`: into ``x.grad``, the tensor is where the graph begins;
- a `Node`: through the operation that made it;
- an `Output`: the same, for an operation with several results.

Each node gets the next sequence number when it is made, so its own is greater than those of the nodes that it
leads to. In descending order of these numbers every node comes before those that wait for it.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Container, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from tensorlab.autograd.accumulation import add_to_grad
from tensorlab.autograd.hooks import Handle, Hooks, run_after, run_before
from tensorlab.core.dtypes import dtype
from tensorlab.core.layout import Size
from tensorlab.core.modes import current
from tensorlab.tensor import Tensor

if TYPE_CHECKING:
    from tensorlab.autograd.hooks import Hook

sequence_numbers = itertools.count()

Gradient = Any  # a Tensor, or None where no gradient arrived


class Node:
    """One recorded operation: what carries the gradient of its result to its operands.

    Attributes:
        edges: where the gradient of each operand goes, None for an operand that requires none.
        sequence: its sequence number: how many nodes were made before it.
        outputs: how many results the operation has.
        shape, dtype: those of the result, so of the gradient that arrives; not set where there are several.
        hooks: what runs before and after it, None while there are none.
    """

    __slots__ = ("__weakref__", "_metadata", "dtype", "edges", "hooks", "outputs", "sequence", "shape")

    is_view: bool = False  # the results are views of the first operand
    stretches: ClassVar[bool] = False  # operands may be broadcast: their gradients have the result's shape
    direct: ClassVar[bool] = True  # a gradient waits at the node itself, not at one of several results

    edges: tuple[Edge | None, ...]
    outputs: int
    sequence: int
    shape: Size
    dtype: dtype
    hooks: Hooks | None

    def gradients(
        self, gradient: Any, differentiable: bool, asked: Container[Node] | None = None
    ) -> Sequence[Gradient]:
        """The gradients of the operands.

        Args:
            gradient: that of the result; of several results a list, with None where none arrived.
            differentiable: the computation will itself be differentiated, so it has to be recorded.
            asked: the nodes that need a gradient, where not all do. What leads to others may be left out.

        Returns:
            one an edge, None where the operand gets none. They may be of a shape that the operand was
            broadcast to, and of the dtype that the operands promote to.
        """
        raise NotImplementedError

    def release(self) -> None:
        """Let go of what was kept for the backward pass."""

    def name(self) -> str:
        """The kind of node: the operation's name and ``Backward``."""
        return type(self).__name__

    @property
    def next_functions(self) -> tuple[tuple[Node | None, int], ...]:
        """The nodes that the gradients of the operands go to, each with the number of its result."""
        return tuple((None, 0) if edge is None else (node_of(edge), edge_number(edge)) for edge in self.edges)

    @property
    def metadata(self) -> dict:
        """A dictionary for whatever a user wants to note."""
        try:
            return self._metadata
        except AttributeError:
            self._metadata: dict = {}
            return self._metadata

    def register_hook(self, hook: Hook) -> Handle:
        """Call ``hook(grad_inputs, grad_outputs)`` after the node ran; what it returns replaces the first.

        Returns:
            a handle whose ``remove()`` takes the hook away.
        """
        return self.own_hooks().after.add(hook)

    def register_prehook(self, hook: Hook) -> Handle:
        """Call ``hook(grad_outputs)`` before the node runs; what it returns replaces the gradients."""
        return self.own_hooks().before.add(hook)

    def own_hooks(self) -> Hooks:
        """The hooks, made if there are none."""
        if self.hooks is None:
            self.hooks = Hooks()
        return self.hooks

    def __call__(self, *gradients: Gradient) -> Any:
        """The gradients of the operands for given gradients of the results, with the node's hooks.

        Raises:
            TypeError: there are not as many gradients as results, or one is no tensor.
        """
        if len(gradients) != self.outputs:
            raise TypeError(
                f"expected {self.outputs} arguments, got {len(gradients)} instead: {self.name()} takes the "
                f"gradient of each of its results"
            )
        for position, gradient in enumerate(gradients):
            if gradient is not None and not isinstance(gradient, Tensor):
                raise TypeError(
                    f"argument {position} is not a Variable: a gradient is a Tensor or None, got "
                    f"{type(gradient).__name__}"
                )
        arrived: Any = gradients[0] if self.direct_result else list(gradients)
        if self.hooks is not None:
            arrived = run_before(self.hooks, arrived)
        results: Any = [None] * len(self.edges)
        if arrived is not None:
            results = self.gradients(arrived, current.grad)
            if self.hooks is not None:
                results = run_after(self.hooks, results, arrived)
        return results[0] if len(results) == 1 else tuple(results)

    @property
    def direct_result(self) -> bool:
        """Whether the gradient waits at the node itself; else one waits at each of its results."""
        return hasattr(self, "shape")

    def _sequence_nr(self) -> int:
        return self.sequence

    def __repr__(self) -> str:
        return f"<{self.name()} object at {id(self):#x}>"


class Output:
    """One of several results of a node, as the end of an edge.

    Attributes:
        node: the node.
        number: which of its results, from 0.
        shape, dtype: those of the result.
        version: of a view, the count of writes of its storage when it was made.
    """

    __slots__ = ("dtype", "node", "number", "shape", "version")

    direct: ClassVar[bool] = False

    def __init__(self, node: Node, number: int, shape: Size, element_type: dtype, version: int = 0) -> None:
        self.version = version
        self.node = node
        self.number = number
        self.shape = shape
        self.dtype = element_type


Edge = Any  # a Node, or an Output


def node_of(edge: Edge) -> Node:
    """The node at the end of an edge."""
    return edge.node if isinstance(edge, Output) else edge


def edge_number(edge: Edge) -> int:
    """Which result of the node an edge means."""
    return edge.number if isinstance(edge, Output) else 0


class Leaf:
    """The beginning of the graph at a tensor that requires a gradient and that no operation made.

    Attributes:
        accumulator: a weak reference to the node that adds to ``x.grad``; the graph keeps it alive.
        hooks: those of the tensor; kept here, for the accumulator comes and goes.
        untracked: the tensor is a view that was made while recording was off.
    """

    __slots__ = ("accumulator", "hooks", "untracked")

    def __init__(self, untracked: bool = False) -> None:
        self.accumulator: weakref.ref[AccumulateGrad] | None = None
        self.hooks: Hooks | None = None
        self.untracked = untracked

    def node(self, tensor: Tensor) -> AccumulateGrad:
        """The accumulator of the tensor that this is the leaf of."""
        found = None if self.accumulator is None else self.accumulator()
        if found is None:
            found = AccumulateGrad(tensor, self.hooks)
            self.accumulator = weakref.ref(found)
        return found

    def own_hooks(self, tensor: Tensor) -> Hooks:
        """The hooks, made if there are none."""
        if self.hooks is None:
            self.hooks = Hooks()
            self.node(tensor).hooks = self.hooks
        return self.hooks


class AccumulateGrad(Node):
    """Where a gradient ends: it is added to the ``grad`` of a leaf.

    Attributes:
        variable: the leaf.
    """

    __slots__ = ("variable",)

    def __init__(self, variable: Tensor, hooks: Hooks | None = None) -> None:
        self.variable = variable
        self.edges = ()
        self.outputs = 1
        self.sequence = next(sequence_numbers)
        self.shape = variable._shape
        self.dtype = variable._dtype
        self.hooks = hooks

    def gradients(
        self, gradient: Any, differentiable: bool, asked: Container[Node] | None = None
    ) -> Sequence[Gradient]:
        """None, for a leaf has no operands: the engine itself adds what arrives to the leaf's ``grad``."""
        return ()

    def __call__(self, *gradients: Gradient) -> Any:
        """Add a gradient to the leaf's ``grad``."""
        super().__call__(*gradients)
        for gradient in gradients:
            if gradient is not None:
                add_to_grad(self.variable, gradient, current.grad, unshared=False)
        return ()


def walk(root: Node) -> Iterator[Node]:
    """All nodes that can be reached from a node, itself first, in no particular order. No recursion."""
    seen = {root}
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        for edge in node.edges:
            if edge is not None:
                target = edge.node if edge.__class__ is Output else edge
                if target not in seen:
                    seen.add(target)
                    waiting.append(target)
