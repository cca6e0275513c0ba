"""Lazy modules: layers that learn the size of their input from the first input that they see."""

from __future__ import annotations

from typing import Any

from tensorlab.nn.modules.module import Module
from tensorlab.nn.parameter import UninitializedBuffer, UninitializedParameter, is_lazy

__all__ = ["LazyModuleMixin"]


class LazyModuleMixin:
    """What makes a layer lazy; it stands before the layer's own class.

    The subclass makes its parameters uninitialised, and overrides `initialize_parameters`. At the first call
    the module gives them their shapes, fills them as the layer does, and becomes an ordinary layer, of the
    class `cls_to_become`.

    Example:
        >>> import tensorlab as tl
        >>> net = tl.nn.Sequential(tl.nn.Flatten(), tl.nn.LazyLinear(2))
        >>> net[1]
        LazyLinear(in_features=0, out_features=2, bias=True)
        >>> _ = net(tl.zeros(1, 3, 4))
        >>> net[1]
        Linear(in_features=12, out_features=2, bias=True)
    """

    cls_to_become: type[Module] | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        module: Any = self
        module._load_hook = module._register_load_state_dict_pre_hook(self._lazy_load_hook)
        module._initialize_hook = module.register_forward_pre_hook(self._infer_parameters, with_kwargs=True)

    def _save_to_state_dict(self: Any, destination: Any, prefix: str, keep_vars: bool) -> None:
        """Like any module's, but what has no shape yet is given as it is."""
        for name, tensor in self._persistent().items():
            destination[prefix + name] = tensor if is_lazy(tensor) or keep_vars else tensor.detach()

    def _lazy_load_hook(self: Any, state_dict: Any, prefix: str, *others: Any) -> None:
        """Give what has no shape yet the shapes of what is loaded."""
        for name, tensor in self._persistent().items():
            given = state_dict.get(prefix + name)
            if is_lazy(tensor) and given is not None and not is_lazy(given):
                tensor.materialize(given.shape)

    def initialize_parameters(self, *args: Any, **kwargs: Any) -> None:
        """Give the parameters their shapes, from the arguments of `forward`, and fill them.

        Raises:
            NotImplementedError: the subclass does not override it.
        """
        raise NotImplementedError(f"initialize_parameters is not implemented for {type(self).__name__}")

    def has_uninitialized_params(self: Any) -> bool:
        """Whether a parameter or a buffer of the module has no shape yet.

        Example:
            >>> import tensorlab as tl
            >>> tl.nn.LazyLinear(2).has_uninitialized_params()
            True
        """
        own = [*self._parameters.values(), *self._buffers.values()]
        return any(isinstance(tensor, (UninitializedParameter, UninitializedBuffer)) for tensor in own)

    def _infer_parameters(self: Any, module: Any, args: tuple, kwargs: dict[str, Any]) -> None:
        """Before the first call: become an ordinary layer."""
        kwargs = kwargs or {}
        module.initialize_parameters(*args, **kwargs)
        if module.has_uninitialized_params():
            raise RuntimeError(f"module {self._get_name()} has not been fully initialized")
        module._initialize_hook.remove()
        module._load_hook.remove()
        delattr(module, "_initialize_hook")
        delattr(module, "_load_hook")
        if module.cls_to_become is not None:
            module.__class__ = module.cls_to_become
