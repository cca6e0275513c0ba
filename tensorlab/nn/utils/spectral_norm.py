"""The older form of `spectral_norm`: a hook that divides the weight before each forward pass."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import tensorlab as tl
from tensorlab.nn import functional as F
from tensorlab.nn.modules.module import Module
from tensorlab.nn.parameter import Parameter
from tensorlab.tensor import Tensor

__all__ = ["SpectralNorm", "remove_spectral_norm", "spectral_norm"]


class SpectralNorm:
    """The hook of `spectral_norm`.

    Args:
        name: the name of the weight.
        n_power_iterations, dim, eps: see `spectral_norm`.

    Raises:
        ValueError: there is to be no step.
    """

    def __init__(
        self, name: str = "weight", n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12
    ) -> None:
        if n_power_iterations <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        self.name, self.n_power_iterations, self.dim, self.eps = name, n_power_iterations, dim, eps

    def reshape_weight_to_matrix(self, weight: Tensor) -> Tensor:
        """The weight as a matrix whose rows are its slices along `dim`."""
        return weight.movedim(self.dim, 0).flatten(1)

    def compute_weight(self, module: Module, do_power_iteration: bool) -> Tensor:
        """The weight divided by its greatest singular value.

        Args:
            module: whose weight it is.
            do_power_iteration: take steps of the power method first.
        """
        weight, u, v = (getattr(module, f"{self.name}_{part}") for part in ("orig", "u", "v"))
        matrix = self.reshape_weight_to_matrix(weight)
        if do_power_iteration:
            with tl.no_grad():
                for _ in range(self.n_power_iterations):
                    v.copy_(F.normalize(matrix.t().mv(u), dim=0, eps=self.eps))
                    u.copy_(F.normalize(matrix.mv(v), dim=0, eps=self.eps))
            # Copies, for the next step overwrites the vectors, and the backward pass needs these.
            u, v = u.clone(), v.clone()
        return weight / u.dot(matrix.mv(v))

    def __call__(self, module: Module, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module, do_power_iteration=module.training))


def spectral_norm(
    module: Module,
    name: str = "weight",
    n_power_iterations: int = 1,
    eps: float = 1e-12,
    dim: int | None = None,
) -> Module:
    """`tensorlab.nn.utils.parametrizations.spectral_norm` under its older names, which files of others have.

    Args:
        module: whose weight it is.
        name: the name of the weight.
        n_power_iterations: how many steps of the power method each forward pass in training takes.
        eps: the least length that vectors are divided by.
        dim: the dimension of the matrix's rows; 0, or 1 of transposed convolutions.

    Returns:
        the module, with the parameter ``weight_orig`` and the buffers ``weight_u`` and ``weight_v``.

    Raises:
        RuntimeError: the weight has this hook already.
        ValueError: there is to be no step.

    Example:
        >>> import tensorlab as tl
        >>> list(spectral_norm(tl.nn.Linear(20, 40)).state_dict())
        ['bias', 'weight_orig', 'weight_u', 'weight_v']
    """
    if _hook(module, name) is not None:
        raise RuntimeError(f"Cannot register two spectral_norm hooks on the same parameter {name}")
    if dim is None:
        transposed = (tl.nn.ConvTranspose1d, tl.nn.ConvTranspose2d, tl.nn.ConvTranspose3d)
        dim = 1 if isinstance(module, transposed) else 0
    hook = SpectralNorm(name, n_power_iterations, dim, eps)
    weight = module._parameters.pop(name)
    assert weight is not None
    matrix = hook.reshape_weight_to_matrix(weight.detach())
    u, v = (matrix.new_empty(size).normal_(0, 1) for size in matrix.shape)
    module.register_parameter(f"{name}_orig", weight)
    setattr(module, name, weight.detach())
    module.register_buffer(f"{name}_u", F.normalize(u, dim=0, eps=eps))
    module.register_buffer(f"{name}_v", F.normalize(v, dim=0, eps=eps))
    module.register_forward_pre_hook(hook)
    return module


def remove_spectral_norm(module: Module, name: str = "weight") -> Module:
    """Have a weight that got `spectral_norm` be a parameter again, with the value that it has.

    Args:
        module: whose weight it is.
        name: the name of the weight.

    Raises:
        ValueError: it has no such hook.

    Example:
        >>> import tensorlab as tl
        >>> list(remove_spectral_norm(spectral_norm(tl.nn.Linear(2, 2))).state_dict())
        ['bias', 'weight']
    """
    hook = _hook(module, name)
    if hook is None:
        raise ValueError(f"spectral_norm of '{name}' not found in {module}")
    module._forward_pre_hooks = OrderedDict(
        (number, other) for number, other in module._forward_pre_hooks.items() if other is not hook
    )
    with tl.no_grad():
        weight = hook.compute_weight(module, do_power_iteration=False)
    for each in (name, f"{name}_u", f"{name}_v", f"{name}_orig"):
        delattr(module, each)
    module.register_parameter(name, Parameter(weight.detach()))
    return module


def _hook(module: Module, name: str) -> Any:
    """The hook of a weight, or None."""
    hooks = module._forward_pre_hooks.values()
    return next((hook for hook in hooks if isinstance(hook, SpectralNorm) and hook.name == name), None)
