"""The older form of `weight_norm`: a hook that computes the weight before each forward pass."""

from __future__ import annotations

import warnings
from collections import OrderedDict
from typing import Any

from tensorlab.nn.modules.module import Module
from tensorlab.nn.parameter import Parameter
from tensorlab.nn.utils.parametrizations import norm_except

__all__ = ["WeightNorm", "remove_weight_norm", "weight_norm"]


class WeightNorm:
    """The hook of `weight_norm`.

    Args:
        name: the name of the weight.
        dim: see `weight_norm`; -1 for one length.
    """

    def __init__(self, name: str, dim: int) -> None:
        self.name, self.dim = name, dim

    def compute_weight(self, module: Module) -> Any:
        """The weight, made of its lengths and directions."""
        g, v = getattr(module, f"{self.name}_g"), getattr(module, f"{self.name}_v")
        return v * (g / norm_except(v, self.dim))

    def __call__(self, module: Module, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module))


def weight_norm(module: Module, name: str = "weight", dim: int | None = 0) -> Module:
    """`tensorlab.nn.utils.parametrizations.weight_norm` under its older names, which files of others have.

    Args:
        module: whose weight it is.
        name: the name of the weight.
        dim: the dimension along which each slice has a length of its own; None for one length.

    Returns:
        the module, with the parameters ``weight_g`` and ``weight_v``.

    Raises:
        RuntimeError: the weight has this hook already.

    Example:
        >>> import tensorlab as tl
        >>> import warnings
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore")
        ...     layer = weight_norm(tl.nn.Linear(20, 40))
        >>> list(layer.state_dict())
        ['bias', 'weight_g', 'weight_v']
    """
    warnings.warn(
        "`tensorlab.nn.utils.weight_norm` is deprecated in favor of "
        "`tensorlab.nn.utils.parametrizations.weight_norm`.",
        FutureWarning,
        stacklevel=2,
    )
    if _hook(module, name) is not None:
        raise RuntimeError(f"Cannot register two weight_norm hooks on the same parameter {name}")
    hook = WeightNorm(name, -1 if dim is None else dim)
    weight = getattr(module, name)
    delattr(module, name)
    module.register_parameter(f"{name}_g", Parameter(norm_except(weight.detach(), hook.dim)))
    module.register_parameter(f"{name}_v", Parameter(weight.detach()))
    hook(module, None)
    module.register_forward_pre_hook(hook)
    return module


def remove_weight_norm(module: Module, name: str = "weight") -> Module:
    """Have a weight that got `weight_norm` be a parameter again, with the value that it has.

    Args:
        module: whose weight it is.
        name: the name of the weight.

    Raises:
        ValueError: it has no such hook.

    Example:
        >>> import tensorlab as tl
        >>> remove_weight_norm(tl.nn.Linear(2, 2))
        Traceback (most recent call last):
            ...
        ValueError: weight_norm of 'weight' not found in Linear(in_features=2, out_features=2, bias=True)
    """
    hook = _hook(module, name)
    if hook is None:
        raise ValueError(f"weight_norm of '{name}' not found in {module}")
    module._forward_pre_hooks = OrderedDict(
        (number, other) for number, other in module._forward_pre_hooks.items() if other is not hook
    )
    weight = hook.compute_weight(module)
    for each in (name, f"{name}_g", f"{name}_v"):
        delattr(module, each)
    setattr(module, name, Parameter(weight.detach()))
    return module


def _hook(module: Module, name: str) -> Any:
    """The hook of a weight, or None."""
    hooks = module._forward_pre_hooks.values()
    return next((hook for hook in hooks if isinstance(hook, WeightNorm) and hook.name == name), None)
