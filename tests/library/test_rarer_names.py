"""Names that a program needs now and then: the same call in both libraries, its gradients with it.

Each line is an expression in `m`, the library, `F`, its functions of layers, and four tensors: `x`, a
matrix of float64; `v` and `w`, vectors; `n`, a vector of integers. All but the last require gradients.
"""

from __future__ import annotations

import importlib
import warnings

import numpy as np
import pytest

import tensorlab as tl

pytestmark = pytest.mark.interpreted  # ever new kernels, each with a few elements

CALLS = """
# quantiles
m.quantile(x, 0.5)
m.quantile(x, 0)
m.quantile(x, m.tensor([0.1, 0.6, 1.0], dtype=m.float64))
m.quantile(x, m.tensor([0.1, 0.6], dtype=m.float64), dim=0)
m.quantile(x, m.tensor([0.1, 0.6], dtype=m.float64), dim=1, keepdim=True)
m.quantile(x.t(), 0.3, dim=1)
m.quantile(x, 0.3, dim=-1, keepdim=True)
m.quantile(x, 0.4, keepdim=True)
m.quantile(x, 0.4, 1, interpolation="lower")
m.quantile(x, 0.4, 1, interpolation="higher")
m.quantile(x, 0.4, 1, interpolation="nearest")
m.quantile(x, 0.4, 1, interpolation="midpoint")
m.quantile(m.tensor([[1.0, float("nan"), 2.0], [1.0, 3.0, 2.0]]), 0.5, dim=1)
m.nanquantile(m.tensor([[1.0, float("nan"), 2.0], [1.0, 3.0, 2.0]]), 0.5, dim=1)
m.nanquantile(m.tensor([float("nan"), float("nan")]), 0.5)
m.nanquantile(x, m.tensor([0.2, 0.9], dtype=m.float64), 0)
m.quantile(m.tensor(3.0), m.tensor([0.5]))
x.quantile(0.25)
x.nanquantile(0.25, dim=0)
m.quantile(x, 1.5)
m.quantile(x, -0.5)
m.quantile(x, float("nan"))
m.quantile(x, m.tensor([1.5], dtype=m.float64))
m.quantile(x, m.tensor([0.5]))
m.quantile(x, m.ones(1, 1, dtype=m.float64))
m.quantile(n, 0.5)
m.quantile(x.half(), 0.5)
m.quantile(m.ones(0), 0.5)
m.quantile(x, 0.5, 2)
m.quantile(x, 0.5, interpolation="between")
# covariances
m.cov(x)
m.cov(x, correction=0)
m.cov(v)
m.cov(m.arange(6).view(2, 3))
m.cov(x, fweights=m.tensor([1, 2, 0, 3]))
m.cov(x, aweights=m.tensor([1.0, 2.0, 0.5, 3.0], dtype=m.float64))
m.cov(x, fweights=m.tensor([1, 2, 0, 3]), aweights=m.tensor([1.0, 2.0, 0.5, 3.0], dtype=m.float64))
m.cov(x, aweights=m.tensor([1.0, 2.0, 0.5, 3.0], dtype=m.float64), correction=0)
m.cov(m.tensor(3.0))
m.cov(m.ones(2, 0))
m.cov(m.ones(2, 1))
m.corrcoef(x)
m.corrcoef(v)
x.cov()
x.corrcoef()
m.cov(m.ones(2, 2, 2))
m.corrcoef(m.ones(2, 2, 2))
m.cov(m.ones(2, 2).bool())
m.cov(x, fweights=m.ones(4))
m.cov(x, fweights=m.ones(3).long())
m.cov(x, aweights=m.ones(4).long())
m.cov(x, fweights=m.tensor([1, -2, 0, 3]))
m.cov(x, fweights=m.ones(2, 2).long())
# everything with everything
m.block_diag(x, v, m.tensor(2.0))
m.block_diag(n)
m.block_diag(n, x)
m.block_diag()
m.block_diag(m.ones(0, 2), m.ones(2, 0))
m.block_diag(m.ones(1, 1, 1))
m.cartesian_prod(v, w)
m.cartesian_prod(n)
m.cartesian_prod(n, n, n)
m.cartesian_prod(n, n[:0])
m.cartesian_prod()
m.cartesian_prod(x, v)
m.cartesian_prod(n, v)
m.combinations(v)
m.combinations(v, r=1)
m.combinations(v, r=3)
m.combinations(n, r=0)
m.combinations(n, r=9)
m.combinations(v, with_replacement=True)
m.combinations(n, 3, True)
m.combinations(n[:0])
m.combinations(n, r=-1)
m.combinations(x)
m.vander(v.detach())
m.vander(v.detach(), 3)
m.vander(v.detach(), 3, increasing=True)
m.vander(v.detach(), N=1)
m.vander(v.detach(), 0)
m.vander(n)
m.vander(n.bool(), 2)
m.vander(v.detach(), -1)
m.vander(x)
# areas
m.trapezoid(x)
m.trapezoid(x, dx=2)
m.trapezoid(x, dim=0, dx=0.5)
m.trapezoid(x, v)
m.trapezoid(x, w[:3], dim=0)
m.trapezoid(x, x * x, dim=0)
m.trapezoid(v, x)
m.trapezoid(n)
m.trapezoid(m.ones(3, 0))
m.trapz(v, v * v)
m.trapz(x, dim=-2)
m.cumulative_trapezoid(x)
m.cumulative_trapezoid(x, dx=2, dim=0)
m.cumulative_trapezoid(x, v)
m.cumulative_trapezoid(x, x * x, dim=0)
m.cumulative_trapezoid(n)
m.trapezoid(m.tensor(3.0))
m.trapezoid(x, w)
m.trapezoid(n.bool())
m.trapezoid(v, m.ones(4).bool())
m.trapezoid(v, v, dx=1)
m.trapezoid(x, dim=3)
# running sums of exponentials
m.logcumsumexp(x, 1)
m.logcumsumexp(x, 0)
m.logcumsumexp(x.t() * -700, -1)
m.logcumsumexp(v, 0)
m.logcumsumexp(m.tensor([-float("inf"), 1.0, float("inf"), float("nan")]), 0)
m.logcumsumexp(m.tensor(2.0), 0)
m.logcumsumexp(m.ones(0, 3), 0)
x.half().logcumsumexp(1)
m.logcumsumexp(n, 0)
m.logcumsumexp(x, 2)
# copies with another part
m.select_scatter(x, v, 0, 1)
m.select_scatter(x, w[:3], 1, -1)
m.slice_scatter(x, x[:, :2] * 2, 1, 0, 4, 2)
m.slice_scatter(x, x[1:] * 2, end=2)
m.diagonal_scatter(x, w[:3])
m.diagonal_scatter(x, w[:2], offset=-1)
m.select_scatter(v.expand(2, 4), v * 2, 0, 0)
x.t().select_scatter(v, 1, 0)
n.slice_scatter(n[:1], start=-1)
m.select_scatter(x, w, 0, 1)
m.select_scatter(x, v, 0, 7)
m.slice_scatter(x, x)
m.slice_scatter(x, v)
m.slice_scatter(x, x, 5)
m.diagonal_scatter(x, v)
# windows
m.hann_window(7)
m.hann_window(7, False)
m.hann_window(8, periodic=False, dtype=m.float64)
m.hann_window(0)
m.hann_window(1)
m.hann_window(2)
m.hamming_window(7)
m.hamming_window(6, False, 0.6, 0.4)
m.hamming_window(6, True, alpha=0.6)
m.blackman_window(7)
m.blackman_window(6, False, dtype=m.float64)
m.bartlett_window(7)
m.bartlett_window(6, False)
m.bartlett_window(2)
m.kaiser_window(7)
m.kaiser_window(6, False, 3.0)
m.kaiser_window(6, True, beta=0.0, dtype=m.float64)
m.hann_window(4, requires_grad=True).detach() * v
m.hann_window(-1)
m.kaiser_window(4, dtype=m.int64)
# softmax with noise
F.gumbel_softmax(x)
F.gumbel_softmax(x, tau=0.3, dim=0)
F.gumbel_softmax(x, hard=True)
F.gumbel_softmax(x.t(), hard=True, dim=0)
F.gumbel_softmax(x.detach().float())
F.gumbel_softmax(x, dim=4)
# bags of rows
F.embedding_bag(n % 3, x, m.tensor([0, 1, 3]))
F.embedding_bag(n % 3, x, m.tensor([0, 3]), mode="sum")
F.embedding_bag(n % 3, x, m.tensor([0, 2, 2]), mode="sum")
F.embedding_bag(n % 3, x, m.tensor([0, 2, 2]), mode="mean")
F.embedding_bag(n % 3, x.detach(), m.tensor([0, 2, 2]), mode="max")
F.embedding_bag(n.view(2, 2) % 3, x)
F.embedding_bag(n.view(2, 2) % 3, x, mode="max")
F.embedding_bag(n % 3, x, m.tensor([0, 1, 4]), include_last_offset=True)
F.embedding_bag(n % 3, x, m.tensor([0, 2]), padding_idx=1)
F.embedding_bag(n % 3, x, m.tensor([0, 2]), mode="sum", padding_idx=-1)
F.embedding_bag(n % 3, x, m.tensor([0, 1]), mode="sum", per_sample_weights=v)
F.embedding_bag(n.view(2, 2) % 3, x, mode="sum", per_sample_weights=v.view(2, 2))
F.embedding_bag(n.int() % 3, x, m.tensor([0, 1]).int(), scale_grad_by_freq=True)
F.embedding_bag(n % 3, x.detach().clone(), m.tensor([0, 1]), max_norm=1.0)
F.embedding_bag(n, x, m.tensor([0]))
F.embedding_bag(n % 3, x, m.tensor([1]))
F.embedding_bag(n % 3, x, m.tensor([0, 9]))
F.embedding_bag(n % 3, x)
F.embedding_bag(n.view(2, 2) % 3, x, m.tensor([0]))
F.embedding_bag(n.view(2, 2, 1) % 3, x)
F.embedding_bag(n % 3, x, m.tensor([0]), mode="least")
F.embedding_bag(n % 3, x, m.tensor([0]), per_sample_weights=v)
F.embedding_bag(n % 3, x, m.tensor([0]), mode="sum", per_sample_weights=w)
# counts in intervals
m.histogram(x.detach(), 4)
m.histogram(x.detach(), 5, range=(-1.0, 2.0))
m.histogram(x.detach().float(), 3, density=True)
m.histogram(x.detach(), m.tensor([-1.0, 0.0, 0.5, 2.2], dtype=m.float64))
m.histogram(x.detach(), 4, weight=x.detach() * x.detach())
m.histogram(m.ones(3), 2)
m.histogram(m.ones(0), 2)
m.histogram(m.tensor([1.0, float("nan"), 2.0]), 2, range=(0, 3))
x.detach().histogram(3)
m.histogram(n, 2)
m.histogram(m.tensor([1.0, float("nan")]), 2)
m.histogram(m.ones(3), 0)
m.histogram(m.ones(3), [1.0, 2.0])
m.histogram(m.ones(3), m.ones(2, 2))
m.histogram(m.ones(3), m.tensor([1.0, 2.0]).double())
m.histogram(m.ones(3), 2, weight=m.ones(2))
m.histogram(m.ones(3), 2, range=(3, 1))
# matrices
m.matrix_exp(x[:, :3])
m.linalg.matrix_exp(x[:, :3] * 9)
x[:, 1:].matrix_exp()
m.matrix_exp(m.stack([x[:, :3], x[:, 1:] * 3]))
m.matrix_exp(m.zeros(2, 0, 0))
m.matrix_exp(m.ones(1, 1))
m.matrix_exp(x)
m.matrix_exp(m.ones(2, 2).long())
m.cholesky(x @ x.t() + m.eye(3, dtype=m.float64))
m.cholesky(x @ x.t() + m.eye(3, dtype=m.float64), True)
m.cholesky(x)
m.pinverse(x)
x.pinverse(0.5)
m.svd(x).S
x.svd()[1]
m.svd(x.detach(), compute_uv=False)
[t.abs() for t in m.svd(x.detach(), some=False)][:2]
m.svd(v)
[t.abs() for t in m.qr(x.detach())]
[t.abs() for t in x.t().detach().qr(some=False)][1]
# lengths brought to a greatest one
m.renorm(x, 2, 0, 1.5)
m.renorm(x, 1, 1, 2)
m.renorm(x, 3, -1, 1)
x.renorm(2, 0, 9)
x.detach().clone().renorm_(2, 0, 1)
m.renorm(x, 0, 0, 1)
m.renorm(x, 2, 0, -1)
m.renorm(v, 2, 0, 1)
m.renorm(n.view(2, 2), 2, 0, 1)
m.renorm(x, 2, 2, 1)
# channels
F.channel_shuffle(x.view(1, 4, 3), 2)
m.channel_shuffle(n.view(1, 4, 1, 1), 4)
F.channel_shuffle(x.view(1, 4, 3), 3)
F.channel_shuffle(x.view(1, 4, 3), 0)
F.channel_shuffle(x, 1)
F.local_response_norm(x.view(1, 4, 3), 2)
F.local_response_norm(x.view(1, 4, 3), 3, 0.5, 0.6, 2.0)
F.local_response_norm(x.view(1, 4, 3, 1, 1), 5, 1.0)
F.local_response_norm(x, 3)
F.local_response_norm(x.view(1, 4, 3), 0)
# losses
F.multi_margin_loss(x, m.tensor([1, 0, 3]))
F.multi_margin_loss(x, m.tensor([1, 0, 3]), p=2, margin=0.5, reduction="none")
F.multi_margin_loss(x, m.tensor([1, 0, 3]), weight=v.detach(), reduction="sum")
F.multi_margin_loss(v, m.tensor(2))
F.multi_margin_loss(x, m.tensor([1, 0, 3]), p=3)
F.multi_margin_loss(x, m.tensor([1, 0, 3]), reduction="least")
F.multilabel_soft_margin_loss(x, (x.detach() > 0.5).double())
F.multilabel_soft_margin_loss(x, (x.detach() > 0.5).double(), weight=v.detach(), reduction="none")
F.multilabel_soft_margin_loss(x, (x.detach() > 0.5).double(), reduction="sum")
# what is nothing here, and settings
m.conj(v) * 2
v.conj().resolve_conj().resolve_neg() * 2
m.vmap(lambda row: row.sum() * row)(x)
m.tensor(len(m.get_float32_matmul_precision()))
# slopes
m.gradient(v)
m.gradient(x)
m.gradient(x, spacing=2.0, dim=1)
m.gradient(x, spacing=(2, 0.5))
m.gradient(x, dim=(1, 0), edge_order=2)
m.gradient(v, edge_order=2)
m.gradient(v, spacing=[v * v])
m.gradient(v, spacing=(v.detach() ** 2,), edge_order=2)
m.gradient(x, spacing=(w[:3], v), edge_order=2)
m.gradient(n)
m.gradient(x, dim=-1)
m.gradient(v[:1])
m.gradient(x[:2], edge_order=2)
m.gradient(x, edge_order=3)
m.gradient(x, spacing=(1, 2, 3))
m.gradient(x, dim=5)
# where elements stand, and what floats are made of
m.unravel_index(n, (2, 4))
m.unravel_index(n.view(2, 2), (3, 1, 5))
m.unravel_index(m.tensor([5, -1, 8]), (2, 4))
m.unravel_index(m.tensor(3), 4)
m.unravel_index(v, (2, 4))
m.unravel_index(n, (2, -4))
m.frexp(x)
m.frexp(m.tensor([0.0, -0.0, float("inf"), float("nan"), 1e-45, 3e38]))
x.detach().half().frexp()
m.frexp(n)
m.nextafter(x, x.t().detach().t() * 0)
m.nextafter(m.tensor([0.0, -0.0, 1.0, float("inf"), float("nan"), 1e-45]), m.tensor(-1.0))
m.nextafter(m.tensor([0.0, -0.0, 1.0, -float("inf"), 3.4e38, 1.0]), m.tensor(float("inf")))
m.nextafter(m.tensor([1.0]), m.tensor(float("nan")))
m.nextafter(m.ones(2).bfloat16(), m.zeros(2).bfloat16())
m.nextafter(m.ones(2).half(), m.tensor([1.0, 2.0]).half())
v.detach().clone().nextafter_(w[:4].detach())
m.nextafter(n, n)
m.angle(x)
m.angle(n - 3)
m.angle(m.tensor([float("nan"), -0.0]))
m.tensor(m.is_signed(x)), m.tensor(m.is_signed(n.byte()))
# second names
n.clone().subtract_(2, alpha=3)
v.detach().clone().divide_(2, rounding_mode="floor")
m.prelu(x, v[0])
x.prelu(v)
m.pairwise_distance(x, x * 2)
# more of layers
F.lp_pool1d(x, 2, 2)
F.lp_pool1d(x.abs(), 3.0, 3, 1, True)
F.lp_pool2d(x.view(1, 1, 3, 4), 2, (2, 3), stride=1)
F.triplet_margin_with_distance_loss(x, x * 0.5, x + 0.1)
F.triplet_margin_with_distance_loss(x, x * 0.5, x + 0.1, margin=3.0, swap=True, reduction="none")
F.triplet_margin_with_distance_loss(x, x * 2, v, distance_function=lambda a, b: (a - b).abs().sum(-1))
# linear systems in tensors
m.linalg.vander(v)
m.linalg.vander(x, N=3)
m.linalg.vander(n, N=2)
m.linalg.vander(m.tensor(3.0), N=2)
m.linalg.vander(v, N=1)
m.linalg.vander(n.bool())
m.linalg.tensorinv((x.t() @ x + m.eye(4, dtype=m.float64)).reshape(4, 2, 2), ind=1)
m.linalg.tensorinv(m.eye(6).reshape(2, 3, 6))
m.linalg.tensorinv(m.ones(2, 3))
m.linalg.tensorinv(m.ones(2, 2), ind=0)
m.linalg.tensorsolve((x.t() @ x + m.eye(4, dtype=m.float64)).reshape(2, 2, 4), v.reshape(2, 2))
m.linalg.tensorsolve(m.eye(4).reshape(4, 2, 2), m.ones(2, 2), dims=(0,))
m.linalg.tensorsolve(m.ones(2, 3), m.ones(2))
# distances within a set
F.pdist(x)
m.pdist(x, 1)
m.pdist(x, 3)
m.pdist(x, float("inf"))
m.pdist(x.detach(), 0)
m.pdist(x.detach()[:1])
m.pdist(x.detach()[:0])
m.pdist(v)
m.pdist(n.view(2, 2))
m.pdist(x, -1)
# volumes
F.max_pool3d(w.view(1, 1, 1, 5) * x.view(1, 3, 4, 1), 2)
F.max_pool3d((v.view(4, 1, 1) * x).view(1, 1, 4, 3, 4), (2, 3, 2), stride=(1, 2, 1), padding=1)
F.max_pool3d((v.view(4, 1, 1) * x).view(1, 4, 3, 4), 2, dilation=(2, 1, 2), stride=1, return_indices=True)
F.max_pool3d((v.view(4, 1, 1) * x).view(1, 4, 3, 4), 3, 2, 1, ceil_mode=True, return_indices=True)
F.max_pool3d(x.view(1, 1, 3, 4), 2)
F.max_pool3d(x, 2)
F.max_pool3d(x.view(1, 3, 2, 2), 2, padding=2)
F.avg_pool3d((v.view(4, 1, 1) * x).view(1, 4, 3, 4), 2)
F.avg_pool3d((v.view(4, 1, 1) * x).view(2, 2, 1, 3, 4), (1, 3, 2), 2, (0, 1, 1), count_include_pad=False)
F.avg_pool3d((v.view(4, 1, 1) * x).view(1, 4, 3, 4), 3, 2, 1, ceil_mode=True)
F.avg_pool3d((v.view(4, 1, 1) * x).view(1, 4, 3, 4), 3, 2, 1, True, False)
F.avg_pool3d((v.view(4, 1, 1) * x).view(1, 4, 3, 4), 2, divisor_override=3)
F.avg_pool3d((v.view(4, 1, 1) * x).view(1, 4, 3, 4), 2, divisor_override=0)
F.adaptive_max_pool3d((v.view(4, 1, 1) * x).view(1, 1, 4, 3, 4), (3, 2, None))
F.adaptive_max_pool3d((v.view(4, 1, 1) * x).view(1, 4, 3, 4), 2, return_indices=True)
F.adaptive_avg_pool3d((v.view(4, 1, 1) * x).view(1, 4, 3, 4), (3, 2, None))
F.adaptive_avg_pool3d((v.view(4, 1, 1) * x).view(1, 1, 4, 3, 4), 1)
F.lp_pool3d((v.view(4, 1, 1) * x.exp()).view(1, 4, 3, 4), 2.0, (2, 1, 2))
F.avg_pool3d(m.arange(-20, 28).view(1, 4, 3, 4), 3, 2, 1, True, False)
F.avg_pool3d(m.arange(-20, 28).view(1, 4, 3, 4), 2, divisor_override=3)
F.avg_pool3d(m.arange(48, dtype=m.int32).view(1, 4, 3, 4), 2)
# what a pooling chose, put back
F.max_unpool1d(x[:, :2], m.tensor([[1, 2], [0, 3], [1, 3]]), 2)
F.max_unpool1d(x[:, :2], m.tensor([[1, 2], [0, 3], [1, 3]]), 2, output_size=[5])
F.max_unpool1d(x[:, :2], m.tensor([[1, 2], [0, 3], [1, 3]]), 2, output_size=[7])
F.max_unpool2d(*F.max_pool2d(x.view(1, 3, 4), 2, return_indices=True), 2)
F.max_unpool2d(*F.max_pool2d(x.view(1, 3, 4), 2, return_indices=True), 2, output_size=(3, 4))
F.max_unpool2d(*F.max_pool2d(x.view(1, 1, 3, 4), 3, 2, 1, return_indices=True), 3, 2, 1, (1, 1, 3, 4))
F.max_unpool3d(*F.max_pool3d(x.view(1, 3, 2, 2), 2, return_indices=True), 2, output_size=(3, 2, 2))
F.max_unpool2d(x, m.zeros(3, 4, dtype=m.int64), 2)
# places in images
F.affine_grid(x[:2, :3].reshape(1, 2, 3), (1, 1, 2, 3), align_corners=False)
F.affine_grid(x[:2, :3].reshape(1, 2, 3), (1, 1, 1, 3), align_corners=True)
F.affine_grid(x.view(1, 3, 4), (1, 2, 2, 1, 3))
F.affine_grid(x, (1, 2, 2, 3))
F.grid_sample(x.view(1, 1, 3, 4), (v[:, None] * w[None, :2]).view(1, 2, 2, 2))
F.grid_sample(x.view(1, 1, 3, 4), (v[:, None] * w[None, :2]).view(1, 2, 2, 2), align_corners=True)
F.grid_sample(x.view(1, 1, 3, 4), (v[:, None] * w[None, :2]).view(1, 2, 2, 2), padding_mode="border")
F.grid_sample(x.view(1, 1, 3, 4), v.view(1, 1, 2, 2) * 1.3, padding_mode="reflection", align_corners=False)
F.grid_sample(x.view(1, 1, 3, 4), v.view(1, 1, 2, 2) * 1.3, padding_mode="reflection", align_corners=True)
F.grid_sample(x.view(1, 1, 3, 4), v.view(1, 1, 2, 2) * 0.4, mode="nearest", align_corners=False)
F.grid_sample(x.view(1, 1, 3, 4), v.view(1, 1, 2, 2) * 0.4, mode="bicubic", align_corners=False)
F.grid_sample(x.view(1, 1, 3, 4), v.view(1, 1, 2, 2), "bicubic", "border", align_corners=True)
F.grid_sample(x.view(1, 1, 3, 4), v.view(1, 1, 2, 2), "bicubic", "reflection", align_corners=False)
F.grid_sample(x.view(1, 1, 3, 2, 2), (x[:, :3] * 0.5).view(1, 1, 1, 3, 3), align_corners=False)
F.grid_sample(x.view(1, 1, 3, 4), v.view(1, 1, 2, 2), mode="linear")
F.grid_sample(x.view(1, 1, 3, 4), v.view(1, 1, 2, 2).float())
F.grid_sample(x.view(1, 1, 3, 4), w[:4].view(2, 1, 1, 2))
# several classes that are there
F.multilabel_margin_loss(x, m.tensor([[2, 0, -1, 1], [1, -1, 0, 0], [-1, 0, 0, 0]]))
F.multilabel_margin_loss(x, m.tensor([[2, 0, 1, 3], [1, 2, 3, -1], [3, -1, 0, 0]]), reduction="none")
F.multilabel_margin_loss(v, m.tensor([1, -1, 0, 0]), reduction="sum")
F.multilabel_margin_loss(x, m.tensor([1, -1, 0, 0]))
# classes without places in time
F.ctc_loss((x[:, None] * v[:, None]).log_softmax(2), m.tensor([[1, 2]] * 4), (3,) * 4, (2, 2, 1, 1))
F.ctc_loss((x.t()[:, None] * w[:3, None]).log_softmax(2), m.tensor([1, 2, 2, 1]), (4, 3, 2), (2, 1, 1))
F.ctc_loss((x[:, None] * v[:, None]).log_softmax(2), m.ones(4, 1).long(), n.clamp(max=3), (1,) * 4, 3, "sum")
F.ctc_loss((x[:, None] * v[:, None]).log_softmax(2), m.tensor([[1, 99]] * 4), (3,) * 4, (1, 0, 1, 1), 2)
F.ctc_loss((x * v).log_softmax(1), m.tensor([1]), (3,), (1,))
F.ctc_loss((x * v).log_softmax(1), m.tensor([1]), (3,), (1,), 0, "none")
F.ctc_loss((x * v).log_softmax(1), m.tensor([1]), m.tensor(3), m.tensor(1), 0, "sum")
F.ctc_loss((x * v).detach().log_softmax(1), m.tensor([1, 1]), (2,), (2,))
F.ctc_loss((x[:, None] * v[:, None]).log_softmax(2), m.ones(4, 2).long(), [3, 2] * 2, [2] * 4, 0, "sum", 1)
F.ctc_loss((x[:, None] * v[:, None]).log_softmax(2), m.tensor([[1, 1]] * 4), (4,) * 4, (2,) * 4)
F.ctc_loss((x[:, None] * v[:, None]).log_softmax(2), m.tensor([[1, 1]] * 4), (3,) * 4, (3,) * 4)
F.ctc_loss((x[:, None] * v[:, None]).log_softmax(2), m.tensor([[1, 1]] * 4), (3,) * 4, (2,) * 4, 4)
"""

# Where PyTorch has no second derivative, or one that is a rounding of zero.
FIRST_ONLY = (
    "pdist",
    "quantile(x, 0)",
    "embedding_bag",
    "multi_margin",
    "renorm",
    ":3] * 9",
    "1:] * 3",
    "* -700",
    "max_unpool",
    "grid_sample",
    "multilabel_margin",
    "ctc_loss",
)


def lines(text: str) -> list[str]:
    return [line for line in text.strip().splitlines() if not line.startswith("#")]


def arguments(library) -> dict:
    def leaf(numbers):
        return library.tensor(numbers, dtype=library.float64, requires_grad=True)

    x = [[0.3, 1.7, -0.4, 2.6], [1.1, -1.3, 0.8, 0.25], [2.2, 0.6, -0.9, 1.4]]
    return {
        "m": library,
        "F": importlib.import_module(f"{library.__name__}.nn.functional"),
        "x": leaf(x),
        "v": leaf([0.5, 1.25, 2.0, 3.5]),
        "w": leaf([1.0, -0.5, 0.75, 2.5, 0.2]),
        "n": library.tensor([3, 1, 2, 5]),
    }


def outcome(library, expression: str):
    """What the call gives, and the gradients of what it was given; or the type of the error."""
    names = arguments(library)
    library.manual_seed(3)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = eval(expression, names)
    except (IndexError, NotImplementedError, RuntimeError, TypeError, ValueError) as error:
        return type(error)
    results = list(result) if isinstance(result, (tuple, list)) else [result]
    facts = [(str(r.dtype).split(".")[-1], tuple(r.shape), r.stride(), r.tolist()) for r in results]
    tracked = [r for r in results if r.requires_grad]
    if not tracked:
        return facts
    leaves = [names[name] for name in "xvw"]
    weights = [library.arange(r.numel()).to(r.dtype).reshape(r.shape) * 0.31 % 1 + 0.4 for r in tracked]
    deep = not any(word in expression for word in FIRST_ONLY)
    first = library.autograd.grad(tracked, leaves, weights, create_graph=deep, allow_unused=True)
    gradients = [g for g in first if g is not None]
    facts += [("gradient", tuple(g.shape), (), g.tolist()) for g in gradients]
    total = sum((g * g).sum() for g in gradients if g.requires_grad) if deep else 0
    if isinstance(total, library.Tensor) and total.requires_grad:
        second = library.autograd.grad(total, leaves, allow_unused=True)
        shapes = [leaf.shape for leaf in leaves]
        filled = [library.zeros(s) if g is None else g for g, s in zip(second, shapes, strict=True)]
        facts += [("second gradient", tuple(g.shape), (), g.tolist()) for g in filled]
    return facts


@pytest.mark.parametrize("expression", lines(CALLS))
def test_the_outcome_is_pytorchs(torch, expression):
    ours, theirs = outcome(tl, expression), outcome(torch, expression)
    if isinstance(theirs, type) or isinstance(ours, type):
        assert ours is theirs
        return
    assert [fact[:3] for fact in ours] == [fact[:3] for fact in theirs]
    wide = 2e-6 if "float32" in (fact[0] for fact in theirs) else 1e-11
    for (what, *_, a), (*_, b) in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(np.array(a), np.array(b), rtol=wide, atol=wide, err_msg=what)


def test_statistics_are_numpys():
    x = np.random.default_rng(4).normal(size=(5, 40))
    t = tl.tensor(x)
    np.testing.assert_allclose(tl.cov(t).numpy(), np.cov(x), rtol=1e-12)
    np.testing.assert_allclose(tl.corrcoef(t).numpy(), np.corrcoef(x), rtol=1e-12)
    for method in ("linear", "lower", "higher", "midpoint", "nearest"):
        expected = np.quantile(x, [0.0, 0.1, 0.5, 0.77, 1.0], axis=1, method=method)
        q = tl.tensor([0.0, 0.1, 0.5, 0.77, 1.0], dtype=tl.float64)
        np.testing.assert_allclose(tl.quantile(t, q, 1, interpolation=method).numpy(), expected, rtol=1e-12)
    x[x > 1] = np.nan
    np.testing.assert_allclose(tl.nanquantile(tl.tensor(x), 0.3, 1).numpy(), np.nanquantile(x, 0.3, 1))


def test_areas_powers_and_blocks_are_numpys():
    rng = np.random.default_rng(5)
    y, x = rng.normal(size=(3, 8)), np.sort(rng.normal(size=8))
    integrate = getattr(np, "trapezoid", None) or np.trapz
    np.testing.assert_allclose(tl.trapezoid(tl.tensor(y), tl.tensor(x)).numpy(), integrate(y, x))
    np.testing.assert_array_equal(tl.vander(tl.arange(1, 6)).numpy(), np.vander(np.arange(1, 6)))
    blocks = tl.block_diag(tl.ones(2, 3), 2 * tl.ones(1, 2)).numpy()
    np.testing.assert_array_equal(blocks[:2, :3], 1)
    np.testing.assert_array_equal(blocks[2:, 3:], 2)
    assert blocks.sum() == 10


def test_an_out_takes_the_result_and_no_gradient():
    x = tl.rand(4, 5)
    for call in (tl.quantile, tl.nanquantile):
        out = tl.empty(4)
        assert call(x, 0.3, dim=1, out=out) is out
        assert out.tolist() == call(x, 0.3, dim=1).tolist()
        with pytest.raises(RuntimeError, match=r"out=.* don't support automatic differentiation"):
            call(x.clone().requires_grad_(), 0.3, out=tl.empty(()))


def test_the_precision_of_products_is_a_word(torch):
    for library in (tl, torch):
        for word in ("high", "medium", "highest"):
            library.set_float32_matmul_precision(word)
            assert library.get_float32_matmul_precision() == word
    with pytest.warns(UserWarning, match="no effect"):
        tl.set_float32_matmul_precision("most")
    assert tl.get_float32_matmul_precision() == "highest"


def test_outs_of_several_results(torch):
    x = tl.tensor([[0.5, 2.0, 1.0], [1.5, 0.25, 3.0]], dtype=tl.float64)
    for call, count in ((lambda **out: tl.histogram(x, 3, **out), 2), (lambda **out: tl.svd(x, **out), 3)):
        outs = tuple(tl.empty(0, dtype=tl.float64) for _ in range(count))
        found = call(out=outs)
        assert all(a is b for a, b in zip(found, outs, strict=True))
        assert [o.tolist() for o in outs] == [r.tolist() for r in call()]
    out = tl.empty(2, 3, dtype=tl.float64)
    assert tl.renorm(x, 2, 0, 1, out=out) is out
    assert out.tolist() == tl.renorm(x, 2, 0, 1).tolist()
