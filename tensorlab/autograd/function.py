"""Operations of the user's own, with a forward and a backward written by hand."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Container, Sequence
from typing import Any, ClassVar

from tensorlab.autograd import saved_tensors
from tensorlab.autograd.formulas import formulas
from tensorlab.autograd.graph import Gradient, Node, Output, sequence_numbers
from tensorlab.autograd.recording import record
from tensorlab.autograd.saved_tensors import Packed, check_version, freed, packing, version_of
from tensorlab.autograd.views import check_in_place, edge_of, rebase
from tensorlab.autograd.views import requires_grad as needs_grad
from tensorlab.core import modes
from tensorlab.core.layout import Size
from tensorlab.tensor import Tensor, without_history


class FunctionCtx(Node):
    """What the forward of a `Function` hands to its backward; also the node that it leaves in the graph.

    Any attribute may be set on it. Tensors are best kept by `save_for_backward`, which notices when they are
    overwritten and lets go of them after the backward pass.

    Attributes:
        needs_input_grad: for each argument whether it requires a gradient.
    """

    function: ClassVar[type[Function]]

    is_view = False  # True for the node of a function that returns views: they may not be written in place
    needs_input_grad: tuple[bool, ...]

    def __init__(self) -> None:
        self.edges = ()
        self.outputs = 1
        self.hooks = None
        self._to_save: tuple[Tensor | None, ...] = ()
        self._saved: list[tuple[Any, int | None, int | None]] | None = []
        self._dirty: tuple[Tensor, ...] = ()
        self._constant: tuple[Tensor, ...] = ()
        self._materialize = True
        self._results: list[tuple[Size, Any]] = []

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Keep tensors for the backward: arguments, results, or others. Called at most once, in the forward.

        Something else than a tensor or None is refused when the function is recorded, with a TypeError.
        """
        self._to_save = tensors

    def mark_dirty(self, *tensors: Tensor) -> None:
        """Say which arguments the forward has written in place; each has to be returned."""
        self._dirty = tensors

    def mark_non_differentiable(self, *tensors: Tensor) -> None:
        """Say which results have no gradient."""
        self._constant = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """Whether the backward gets zeros for results without gradient (the default), or None."""
        self._materialize = value

    @property
    def saved_tensors(self) -> tuple[Tensor | None, ...]:
        """What `save_for_backward` kept.

        Raises:
            RuntimeError: the node has let go of it, or one was written since.
        """
        if self._saved is None:
            raise freed(self)
        return tuple(self._unpacked(position, *entry) for position, entry in enumerate(self._saved))

    def _unpacked(self, position: int, value: Any, version: int | None, number: int | None) -> Tensor | None:
        if value.__class__ is Packed:
            value = value.unpacked()
        elif version is not None:
            check_version(self, f"saved_tensors[{position}]", value, version)
        if number is not None and modes.current.grad:
            value = without_history(value)
            value._edge = self._edge(number)
        return value

    def _edge(self, number: int) -> Any:
        shape, element_type = self._results[number]
        return self if self.direct_result else Output(self, number, shape, element_type)

    def _save(self, results: Sequence[Any]) -> None:
        """Take over what the forward wants kept. A result is kept without its history, which is this node."""
        self._saved = []
        for position, tensor in enumerate(self._to_save):
            if tensor is not None and not isinstance(tensor, Tensor):
                raise TypeError(
                    f"save_for_backward can only save variables, but argument {position} is of type "
                    f"{type(tensor).__name__}: set other values as attributes of ctx"
                )
            if tensor is None:
                self._saved.append((None, None, None))
                continue
            number = next((place for place, result in enumerate(results) if result is tensor), None)
            kept = tensor if number is None else without_history(tensor)
            version = version_of(kept)
            packed = Packed(kept) if saved_tensors.packers and packing.hooks else kept
            self._saved.append((packed, version, number))
        self._to_save = ()

    def gradients(
        self, gradient: Any, differentiable: bool, asked: Container[Node] | None = None
    ) -> Sequence[Gradient]:
        """What the user's backward returns, checked."""
        arrived = gradient if isinstance(gradient, list) else [gradient]
        if self._materialize:
            arrived = [
                some if some is not None else _zeros(self._results[number])
                for number, some in enumerate(arrived)
            ]
        returned = self.function.backward(self, *arrived)
        results = returned if isinstance(returned, tuple) else (returned,)
        count = len(self.edges)
        if len(results) > count and all(extra is None for extra in results[count:]):
            results = results[:count]
        if len(results) != count:
            raise RuntimeError(
                f"function {self.name()} returned an incorrect number of gradients (expected {count}, got "
                f"{len(results)}): return a tuple, one for each argument of forward, None for those that "
                f"need none"
            )
        for position, (edge, result) in enumerate(zip(self.edges, results, strict=True)):
            if result is not None and not isinstance(result, Tensor):
                raise RuntimeError(
                    f"expected Variable or None (got {type(result).__name__}): function {self.name()} "
                    f"returned it as gradient {position}, and a gradient is a Tensor"
                )
            if result is not None and edge is None and not self._arguments[position]:
                raise RuntimeError(
                    f"function {self.name()} returned a gradient different from None at position "
                    f"{position + 1}, but the corresponding forward input was not a Variable"
                )
        return tuple(results)

    _arguments: tuple[bool, ...]

    def release(self) -> None:
        """Let go of what was kept, if anything was."""
        if self._saved:
            self._saved = None


def _zeros(result: tuple[Size, Any]) -> Tensor | None:
    """The gradient of a result that nobody used; of one that is no tensor there is none."""
    shape, element_type = result
    if element_type is None:
        return None
    zero: Any = Tensor
    return zero().new_zeros(shape, dtype=element_type)


class Function:
    """An operation with a gradient of its own: subclass it, write `forward` and `backward`, call `apply`.

    Write either ``forward(ctx, *arguments)``, or ``forward(*arguments)`` and
    ``setup_context(ctx, inputs, output)``. ``backward(ctx, *gradients)`` gets one gradient for each result
    and returns one for each argument. If it computes with operations, its results can be differentiated in
    turn.

    Example:
        >>> import tensorlab as tl
        >>> class Exp(tl.autograd.Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         y = x.exp()
        ...         ctx.save_for_backward(y)
        ...         return y
        ...     @staticmethod
        ...     def backward(ctx, gradient):
        ...         (y,) = ctx.saved_tensors
        ...         return gradient * y
        >>> x = tl.zeros(2, requires_grad=True)
        >>> y = Exp.apply(x)
        >>> y.sum().backward()
        >>> y, x.grad
        (tensor([1., 1.], grad_fn=<ExpBackward>), tensor([1., 1.]))
    """

    _kind: ClassVar[type[FunctionCtx]]

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        cls._kind = type(f"{cls.__name__}Backward", (FunctionCtx,), {"function": cls})

    def __call__(self, *arguments: Any) -> Any:
        """Refused: a function has no objects."""
        raise RuntimeError(
            f"{type(self).__name__} is called by its class, {type(self).__name__}.apply(...), and its "
            f"methods are static"
        )

    @staticmethod
    def forward(*arguments: Any, **keywords: Any) -> Any:
        """Compute the results. To be written by the subclass."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple, output: Any) -> Any:
        """Keep what the backward needs, where `forward` has no ctx. To be written by the subclass."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        """The gradients of the arguments. To be written by the subclass."""
        raise NotImplementedError(
            "You must implement the backward method for your custom autograd.Function to use it with "
            "backward mode AD."
        )

    @classmethod
    def apply(cls, *arguments: Any, **keywords: Any) -> Any:
        """Run the operation, and record it if an argument requires a gradient.

        Arguments by name, and those with defaults, are put in their places: the forward, its
        ``setup_context`` and the backward know arguments by position.
        """
        separate = cls.setup_context is not Function.setup_context
        if keywords or separate:
            arguments = _in_places(cls.forward, () if separate else (None,), arguments, keywords)
        ctx = cls._kind()
        ctx._arguments = tuple(isinstance(argument, Tensor) for argument in arguments)
        recording = modes.current.grad
        ctx.needs_input_grad = tuple(isinstance(a, Tensor) and needs_grad(a) for a in arguments)
        edges = tuple(edge_of(a) if isinstance(a, Tensor) and recording else None for a in arguments)
        modes.current.grad = False
        try:
            if not separate:
                returned = cls.forward(ctx, *arguments)
            else:
                returned = cls.forward(*arguments)
                cls.setup_context(ctx, arguments, returned)
        finally:
            modes.current.grad = recording
        results = list(returned) if isinstance(returned, tuple) else [returned]
        if recording and any(edge is not None for edge in edges):
            ctx.edges = edges
            _attach(ctx, results, arguments)
        return tuple(results) if isinstance(returned, tuple) else results[0]


def _in_places(forward: Callable, first: tuple, arguments: tuple, keywords: dict[str, Any]) -> tuple:
    """All arguments of a forward by position, behind the first ones."""
    bound = inspect.signature(forward).bind(*first, *arguments, **keywords)
    bound.apply_defaults()
    return bound.args[len(first) :]


def _attach(ctx: FunctionCtx, results: list, arguments: tuple) -> None:
    """Make a node the history of the results of its function.

    Raises:
        RuntimeError: what the forward said of its arguments and results does not hold.
    """
    _check_marks(ctx, results)
    for tensor in ctx._dirty:
        if not any(tensor is result for result in results):
            raise RuntimeError(
                "Some elements marked as dirty during the forward method were not returned as output. The "
                "inputs that are modified inplace must all be outputs of the Function."
            )
        check_in_place(tensor)
        if tensor._base is not None and sum(isinstance(result, Tensor) for result in results) > 1:
            raise RuntimeError(
                "If your Function modifies inplace an input that is a view of another Tensor, your Function "
                "cannot return more than one Tensor: make it return that one only, or clone() the input first"
            )
        tensor._storage._writer = type(ctx).__name__
    ctx.sequence = next(sequence_numbers)  # after the nodes of its arguments
    ctx.outputs = len(results)
    ctx._results = [
        (result._shape, result._dtype) if isinstance(result, Tensor) else (Size(), None) for result in results
    ]
    kept = list(results)
    bases = [_seen_base(ctx, result, arguments) for result in results]
    ctx.is_view = any(base is not None for base in bases)
    if ctx.outputs == 1 and not ctx.is_view:
        ctx.shape, ctx.dtype = ctx._results[0]
    for number, (result, base) in enumerate(zip(results, bases, strict=True)):
        if not isinstance(result, Tensor) or not result._dtype.is_floating_point:
            continue
        if any(result is constant for constant in ctx._constant):
            if base is None:
                result._edge = None
        elif any(result is dirty for dirty in ctx._dirty):
            rebase(result, ctx)
        elif base is not None:
            result = results[number] = without_history(result)  # a tensor object of this node's own
            result._base = base
            version = result._storage._version
            result._edge = Output(ctx, number, result._shape, result._dtype, version)
        else:
            result._edge = ctx._edge(number)
    ctx._save(kept)


def _check_marks(ctx: FunctionCtx, results: list) -> None:
    """Refuse marks on what is no tensor."""
    for name, marked in (("mark_dirty", ctx._dirty), ("mark_non_differentiable", ctx._constant)):
        for position, tensor in enumerate(marked):
            if not isinstance(tensor, Tensor):
                raise RuntimeError(
                    f"{name} can only accept variables, but argument {position} is of type "
                    f"{type(tensor).__name__}: name tensors that the forward has taken or returns"
                )


def _seen_base(ctx: FunctionCtx, result: Any, arguments: tuple) -> Tensor | None:
    """The tensor that a result is a view of: an argument that is returned as it is counts as one."""
    if not isinstance(result, Tensor) or any(result is dirty for dirty in ctx._dirty):
        return None
    if result._base is None and any(result is argument for argument in arguments):
        return result
    return result._base


TwiceError = formulas("Error", input=lambda grad: _refuse_twice(grad))


def _refuse_twice(gradient: Tensor) -> Tensor:
    raise RuntimeError("trying to differentiate twice a function that was marked with @once_differentiable")


def once_differentiable(backward: Callable) -> Callable:
    """Decorate a ``backward`` that does not compute with recorded operations: it is run without recording.

    Whoever differentiates its results gets an error instead of a wrong gradient.

    Example:
        >>> import tensorlab as tl
        >>> class Double(tl.autograd.Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         return x * 2
        ...
        ...     @staticmethod
        ...     @once_differentiable
        ...     def backward(ctx, gradient):
        ...         return gradient * 2
        >>> x = tl.ones(2, requires_grad=True)
        >>> Double.apply(x).sum().backward()
        >>> x.grad
        tensor([2., 2.])
    """

    @functools.wraps(backward)
    def once(ctx: Any, *gradients: Any) -> Any:
        with modes.no_grad():
            returned = backward(ctx, *gradients)
        if not modes.current.grad or not any(isinstance(g, Tensor) and needs_grad(g) for g in gradients):
            return returned
        results = returned if isinstance(returned, tuple) else (returned,)
        source = next(g for g in gradients if isinstance(g, Tensor) and needs_grad(g))
        marked = tuple(
            record(TwiceError, without_history(result), source) if isinstance(result, Tensor) else result
            for result in results
        )
        return marked if isinstance(returned, tuple) else marked[0]

    return once
