"""Parametrizations that are often used: a weight in length and direction, of spectral norm 1, orthogonal."""

from __future__ import annotations

import tensorlab as tl
from tensorlab.nn import functional as F
from tensorlab.nn.modules.module import Module
from tensorlab.nn.utils.parametrize import register_parametrization
from tensorlab.tensor import Tensor

__all__ = ["orthogonal", "spectral_norm", "weight_norm"]


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


_MAPS = ("matrix_exp", "cayley", "householder")


class _Orthogonal(Module):
    base: Tensor

    def __init__(self, weight: Tensor, orthogonal_map: str, use_trivialization: bool) -> None:
        super().__init__()
        self.shape = weight.shape
        self.orthogonal_map = orthogonal_map
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, x: Tensor) -> Tensor:
        tall = x if x.shape[-2] >= x.shape[-1] else x.mT
        rows, columns = tall.shape[-2:]
        if self.orthogonal_map == "householder":
            q = _reflected(tall.tril(-1)) * tall.diagonal(dim1=-2, dim2=-1).detach().sign().unsqueeze(-2)
        else:
            lower = F.pad(tall.tril(), (0, rows - columns))
            skew = lower - lower.mT
            if self.orthogonal_map == "matrix_exp":
                q = tl.matrix_exp(skew)
            else:
                one = tl.eye(rows, dtype=skew.dtype, device=skew.device)
                q = tl.linalg.solve(one - skew / 2, one + skew / 2)
            q = q[..., :columns]
        if hasattr(self, "base"):
            q = self.base @ q
        return q if tall is x else q.mT

    def right_inverse(self, value: Tensor) -> Tensor:
        """What gives the weight, made orthogonal; with a base, that takes the weight."""
        if value.shape != self.shape:
            raise ValueError(
                f"Expected a matrix or batch of matrices of shape {self.shape}. Got a tensor of shape "
                f"{value.shape}."
            )
        with tl.no_grad():
            return self._inverse(value)

    def _inverse(self, value: Tensor) -> Tensor:
        tall = value if value.shape[-2] >= value.shape[-1] else value.mT
        rows, columns = tall.shape[-2:]
        if not hasattr(self, "base"):
            if self.orthogonal_map != "householder":
                raise NotImplementedError(
                    "It is not possible to assign to the matrix exponential or the Cayley parametrizations "
                    "when use_trivialization=False."
                )
            x = _reflectors(tall)
            return x if tall is value else x.mT
        further = value.new_empty(*tall.shape[:-1], rows - columns).normal_(0, 1)
        near = 10 * rows * tl.finfo(value.dtype).eps
        one = tl.eye(rows, dtype=value.dtype, device=value.device)
        if rows == columns and tl.allclose(tall.mT @ tall, one, atol=near):
            self.base = tall.clone()
        else:
            q, r = tl.linalg.qr(tl.cat([tall, further], -1))
            self.base = q * r.diagonal(dim1=-2, dim2=-1).sign().unsqueeze(-2)
        return (
            -tl.eye(*value.shape[-2:], dtype=value.dtype, device=value.device)
            .expand(value.shape)
            .contiguous()
        )


def _reflected(below: Tensor) -> Tensor:
    """The first columns of the product of reflections, whose vectors are the columns of a matrix.

    Args:
        below: the vectors below the diagonal; on it they are 1.
    """
    rows, columns = below.shape[-2:]
    ones = tl.eye(rows, columns, dtype=below.dtype, device=below.device)
    vectors = below + ones
    q = ones.expand(below.shape)
    for k in reversed(range(columns)):
        v = vectors[..., k : k + 1]
        q = q - v @ (v.mT @ q) * (2 / (v.mT @ v))
    return q


def _reflectors(matrix: Tensor) -> Tensor:
    """The vectors of the reflections that make a matrix triangular, and the signs of its diagonal then."""
    rest, columns = matrix.clone(), []
    for k in range(matrix.shape[-1]):
        x = rest[..., k:, k : k + 1]
        first, length = x[..., :1, :], tl.linalg.vector_norm(x, dim=-2, keepdim=True)
        away = tl.where(first > 0, first + length, first - length)
        still = tl.linalg.vector_norm(x[..., 1:, :], dim=-2, keepdim=True) == 0
        below = tl.where(still, 0.0, x[..., 1:, :] / away)
        sign = tl.where(still, -first.sign(), -(first + (first == 0)).sign())
        columns.append(F.pad(tl.cat([sign, below], -2), (0, 0, k, 0)))
        v = F.pad(below, (0, 0, 1, 0), value=1.0)
        turned = rest[..., k:, :] - v @ (v.mT @ rest[..., k:, :]) * (2 / (v.mT @ v))
        rest[..., k:, :] = tl.where(still, rest[..., k:, :], turned)
    return tl.cat(columns, -1) + rest.triu(1)


def orthogonal(
    module: Module,
    name: str = "weight",
    orthogonal_map: str | None = None,
    *,
    use_trivialization: bool = True,
) -> Module:
    """Keep a weight orthogonal: its columns, or, of a wide one, its rows, have length 1 and right angles.

    Lezcano-Casado, *Trivializations for Gradient-Based Optimization on Manifolds*, 2019.

    Args:
        module: whose weight it is.
        name: the name of the weight.
        orthogonal_map: how an orthogonal matrix is made of any other: ``"matrix_exp"`` or ``"cayley"`` of its
            lower triangle less the transpose, or ``"householder"``, the product of reflections at its
            columns. By default the first for square weights, and else the last.
        use_trivialization: multiply by a fixed orthogonal matrix, the buffer ``base``, in which the weight of
            now is kept, so that training begins near the identity.

    Returns:
        the module.

    Raises:
        ValueError: there is no such weight or map, or the weight is no matrix.

    Example:
        >>> import tensorlab as tl
        >>> layer = orthogonal(tl.nn.Linear(2, 3))
        >>> (layer.weight.T @ layer.weight).detach().round().abs()
        tensor([[1., 0.],
                [0., 1.]])
    """
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    if weight.ndim < 2:
        raise ValueError(f"Expected a matrix or batch of matrices. Got a tensor of {weight.ndim} dimensions.")
    if orthogonal_map is None:
        orthogonal_map = "matrix_exp" if weight.shape[-2] == weight.shape[-1] else "householder"
    if orthogonal_map not in _MAPS:
        raise ValueError(f"orthogonal_map has to be one of {_MAPS}. Got: {orthogonal_map}")
    made = _Orthogonal(weight, orthogonal_map, use_trivialization)
    return register_parametrization(module, name, made, unsafe=True)
