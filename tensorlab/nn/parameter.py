"""Parameters and buffers: the tensors that a module owns.

A `Parameter` is a tensor that a module registers when it is assigned to an attribute, so that
``module.parameters()`` finds it and an optimizer trains it. A `Buffer` is registered too, and not trained:
the running mean of a normalisation is one. Lazy modules begin with their uninitialised kinds, which have no
shape yet.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorlab as tl
from tensorlab.tensor import Tensor, TensorType

__all__ = [
    "Buffer",
    "Parameter",
    "UninitializedBuffer",
    "UninitializedParameter",
    "is_lazy",
]


class Parameter(Tensor):
    """A tensor that belongs to a module and is trained.

    It shares the memory of the tensor that it is made of, and no history. An operation on a parameter gives
    an ordinary tensor.

    Args:
        data: the tensor; an empty one by default.
        requires_grad: whether operations on the parameter are recorded.

    Raises:
        TypeError: `data` is no tensor.
        RuntimeError: `data` holds integers, which have no gradient.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.Parameter(tl.zeros(2))
        Parameter containing:
        tensor([0., 0.], requires_grad=True)
    """

    __slots__ = ()

    def __new__(cls, data: Tensor | None = None, requires_grad: bool = True) -> Parameter:
        if data is None:
            data = tl.empty(0)
        if not isinstance(data, Tensor):
            raise TypeError(
                f"a {cls.__name__} is made of a Tensor, not of {type(data).__name__}: "
                f"convert it first, tensorlab.tensor(data)"
            )
        if type(data) not in (Tensor, Parameter) and not isinstance(data, Parameter):
            raise TypeError(
                f"a {cls.__name__} is made of a plain Tensor, not of {type(data).__name__}: "
                f"a tensor with names gives one by rename(None)"
            )
        found = data.detach()
        found.__class__ = cls
        return found.requires_grad_(requires_grad)  # type: ignore[return-value]

    def __deepcopy__(self, memo: dict[int, Any]) -> Parameter:
        """A parameter of the same class with memory of its own, and without the gradient."""
        if id(self) not in memo:
            copied = type(self)(self.data.clone(), self.requires_grad)
            copied.__dict__.update(self.__dict__)
            memo[id(self)] = copied
        return memo[id(self)]

    def __repr__(self) -> str:
        return "Parameter containing:\n" + super().__repr__()

    def __reduce_ex__(self, protocol: Any) -> tuple:
        return (
            rebuild_parameter,
            (type(self), self.data, self.requires_grad),
            self.__dict__ or None,
        )


def rebuild_parameter(kind: type[Parameter], data: Tensor, requires_grad: bool) -> Parameter:
    """The parameter that a pickle describes."""
    return kind(data, requires_grad)


class _BufferType(TensorType):
    """A buffer is known by a mark, not by its class: it is an ordinary tensor."""

    def __instancecheck__(self, instance: object) -> bool:
        return isinstance(instance, Tensor) and getattr(instance, "_is_buffer", False)


class Buffer(Tensor, metaclass=_BufferType):
    """A tensor that belongs to a module and is not trained: assign one, and the module registers it.

    Args:
        data: the tensor, whose memory is shared; an empty one by default.
        persistent: whether the module's `state_dict` has it.

    Example:
        >>> import tensorlab as tl
        >>> module = tl.nn.Module()
        >>> module.steps = tl.nn.Buffer(tl.zeros(1))
        >>> dict(module.state_dict())
        {'steps': tensor([0.])}
    """

    __slots__ = ()

    def __new__(cls, data: Tensor | None = None, *, persistent: bool = True) -> Any:
        source = tl.empty(0) if data is None else data
        found: Any = source.detach().requires_grad_(source.requires_grad)
        found._is_buffer = True
        found.persistent = persistent
        return found


_NO_SHAPE = (
    "Can't access the shape of an uninitialized parameter or buffer: a lazy module learns its shapes from "
    "its first input. Call `forward` to initialize the parameters before accessing their attributes; a "
    "`state_dict` of an initialized module also gives them their shapes."
)


class _Uninitialized(Tensor):
    """What uninitialised parameters and buffers have in common: a dtype, a device, and no shape.

    Whatever asks for the shape, which every operation does first, is answered with an error.
    """

    __slots__ = ()
    becomes: type[Tensor]

    @property
    def _shape(self) -> Any:  # type: ignore[override]
        raise RuntimeError(_NO_SHAPE)

    def materialize(self: Any, shape: Sequence[int], device: Any = None, dtype: Any = None) -> None:
        """Become an initialised parameter or buffer of this shape, whose numbers are arbitrary.

        Args:
            shape: the sizes.
            device: where it lies, by default where it is now.
            dtype: the type of the elements, by default what it is now.

        Example:
            >>> import tensorlab as tl
            >>> weight = tl.nn.UninitializedParameter()
            >>> weight.materialize((2, 3))
            >>> type(weight).__name__, weight.shape
            ('Parameter', tensorlab.Size([2, 3]))
        """
        made = tl.empty(shape, device=device or self.device, dtype=dtype or self.dtype)
        self.__class__ = self.becomes
        self.data = made

    def _converted(self: Any, dtype: Any) -> Any:
        return type(self)(self.requires_grad, None, dtype)

    def to(self: Any, *args: Any, **kwargs: Any) -> Any:
        """The same, of another dtype: the arguments are those of `Tensor.to`."""
        return self._converted(tl.empty(0, dtype=self.dtype).to(*args, **kwargs).dtype)

    def float(self, memory_format: Any = None) -> Any:
        """The same in float32."""
        return self._converted(tl.float32)

    def double(self, memory_format: Any = None) -> Any:
        """The same in float64."""
        return self._converted(tl.float64)

    def half(self, memory_format: Any = None) -> Any:
        """The same in float16."""
        return self._converted(tl.float16)

    def bfloat16(self, memory_format: Any = None) -> Any:
        """The same in bfloat16."""
        return self._converted(tl.bfloat16)

    def cpu(self, memory_format: Any = None) -> Any:
        """Itself: every tensor lies on the CPU."""
        return self

    def __deepcopy__(self: Any, memo: dict[int, Any]) -> Any:
        if id(self) not in memo:
            memo[id(self)] = self._converted(self.dtype)
        return memo[id(self)]

    def __reduce_ex__(self: Any, protocol: Any) -> tuple:
        return type(self), (self.requires_grad, None, self.dtype)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"


def _uninitialized(cls: type, requires_grad: bool, device: Any, dtype: Any) -> Any:
    found = tl.empty(0, device=device, dtype=dtype).requires_grad_(requires_grad)
    found.__class__ = cls
    return found


class UninitializedParameter(_Uninitialized, Parameter):
    """A parameter that has no shape yet; `materialize` gives it one.

    Args:
        requires_grad: whether operations on the parameter will be recorded.
        device: where it will lie.
        dtype: the type of its elements, by default the default dtype.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.UninitializedParameter()
        <UninitializedParameter>
    """

    __slots__ = ()
    becomes = Parameter

    def __new__(cls, requires_grad: bool = True, device: Any = None, dtype: Any = None) -> Any:
        return _uninitialized(cls, requires_grad, device, dtype)


class UninitializedBuffer(_Uninitialized):
    """A buffer that has no shape yet; `materialize` gives it one.

    The arguments are those of `UninitializedParameter`.

    Example:
        >>> import tensorlab as tl
        >>> mean = tl.nn.UninitializedBuffer()
        >>> mean.materialize((2,))
        >>> mean.shape
        tensorlab.Size([2])
    """

    __slots__ = ()
    becomes = Tensor

    def __new__(cls, requires_grad: bool = False, device: Any = None, dtype: Any = None) -> Any:
        return _uninitialized(cls, requires_grad, device, dtype)


def is_lazy(parameter: object) -> bool:
    """Whether a parameter or buffer has no shape yet.

    Example:
        >>> import tensorlab as tl
        >>> is_lazy(tl.nn.LazyLinear(3).weight), is_lazy(tl.nn.Linear(2, 3).weight)
        (True, False)
    """
    return isinstance(parameter, _Uninitialized)
