"""Parametrizations that are often used: a weight in length and direction, and one of spectral norm 1."""

from __future__ import annotations

import tensorlab as tl
from tensorlab.nn import functional as F
from tensorlab.nn.modules.module import Module
from tensorlab.nn.utils.parametrize import register_parametrization
from tensorlab.tensor import Tensor

__all__ = ["spectral_norm", "weight_norm"]


def norm_except(weight: Tensor, dim: int | None) -> Tensor:
    """The lengths of the slices of a weight along one dimension; None or -1: of the whole weight."""
    if dim is None or dim == -1:
        return tl.linalg.vector_norm(weight)
    others = [other for other in range(weight.dim()) if other != dim % weight.dim()]
    return tl.linalg.vector_norm(weight, dim=others, keepdim=True) if others else weight.abs()


class _WeightNorm(Module):
    def __init__(self, dim: int | None) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: Tensor, weight_v: Tensor) -> Tensor:
        return weight_v * (weight_g / norm_except(weight_v, self.dim))

    def right_inverse(self, weight: Tensor) -> tuple[Tensor, Tensor]:
        """The lengths, and the weight itself for the directions."""
        return norm_except(weight, self.dim), weight


def weight_norm(module: Module, name: str = "weight", dim: int | None = 0) -> Module:
    """Train the length of a weight's slices apart from their directions: w = g v / ‖v‖.

    Salimans and Kingma, *Weight Normalization*, 2016.

    Args:
        module: whose weight it is.
        name: the name of the weight.
        dim: the dimension along which each slice has a length of its own; None for one length.

    Returns:
        the module, with the parameters ``parametrizations.weight.original0`` (g) and ``…original1`` (v).

    Raises:
        ValueError: there is no such weight.

    Example:
        >>> import tensorlab as tl
        >>> layer = weight_norm(tl.nn.Linear(20, 40))
        >>> layer.parametrizations.weight.original0.shape
        tensorlab.Size([40, 1])
    """
    return register_parametrization(module, name, _WeightNorm(dim), unsafe=True)


class _SpectralNorm(Module):
    _u: Tensor
    _v: Tensor

    def __init__(self, weight: Tensor, n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12) -> None:
        super().__init__()
        if not -weight.ndim <= dim < weight.ndim:
            raise IndexError(
                f"Dimension out of range (expected to be in range of [-{weight.ndim}, {weight.ndim - 1}] "
                f"but got {dim})"
            )
        if n_power_iterations <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        self.dim = dim % weight.ndim
        self.eps = eps
        if weight.ndim > 1:
            self.n_power_iterations = n_power_iterations
            matrix = self._matrix(weight.detach())
            rows, columns = matrix.shape
            u, v = matrix.new_empty(rows).normal_(0, 1), matrix.new_empty(columns).normal_(0, 1)
            self.register_buffer("_u", F.normalize(u, dim=0, eps=eps))
            self.register_buffer("_v", F.normalize(v, dim=0, eps=eps))
            self._iterate(matrix, 15)

    def _matrix(self, weight: Tensor) -> Tensor:
        return weight.movedim(self.dim, 0).flatten(1)

    def _iterate(self, matrix: Tensor, count: int) -> None:
        """Come closer to the singular vectors of the greatest singular value."""
        with tl.no_grad():
            for _ in range(count):
                self._u.copy_(F.normalize(matrix.mv(self._v), dim=0, eps=self.eps))
                self._v.copy_(F.normalize(matrix.t().mv(self._u), dim=0, eps=self.eps))

    def forward(self, weight: Tensor) -> Tensor:
        if weight.ndim == 1:
            return F.normalize(weight, dim=0, eps=self.eps)
        matrix = self._matrix(weight)
        if self.training:
            self._iterate(matrix, self.n_power_iterations)
        # Copies, for the next step overwrites the vectors, and the backward pass needs these.
        u, v = self._u.clone(), self._v.clone()
        return weight / u.dot(matrix.mv(v))

    def right_inverse(self, value: Tensor) -> Tensor:
        """The weight itself, which need not have the norm 1."""
        return value


def spectral_norm(
    module: Module,
    name: str = "weight",
    n_power_iterations: int = 1,
    eps: float = 1e-12,
    dim: int | None = None,
) -> Module:
    """Divide a weight, seen as a matrix, by its greatest singular value, so that no input grows in length.

    Miyato et al., *Spectral Normalization for Generative Adversarial Networks*, 2018.

    Args:
        module: whose weight it is.
        name: the name of the weight.
        n_power_iterations: how many steps of the power method each forward pass in training takes.
        eps: the least length that vectors are divided by.
        dim: the dimension of the matrix's rows; 0, or 1 of transposed convolutions.

    Returns:
        the module.

    Raises:
        ValueError: there is no such weight, or there is to be no step.

    Example:
        >>> import tensorlab as tl
        >>> layer = spectral_norm(tl.nn.Linear(20, 40))
        >>> tl.linalg.matrix_norm(layer.weight.detach(), 2).round()
        tensor(1.)
    """
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    if dim is None:
        transposed = (tl.nn.ConvTranspose1d, tl.nn.ConvTranspose2d, tl.nn.ConvTranspose3d)
        dim = 1 if isinstance(module, transposed) else 0
    return register_parametrization(module, name, _SpectralNorm(weight, n_power_iterations, dim, eps))
