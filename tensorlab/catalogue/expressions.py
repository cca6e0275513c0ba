"""The calls, as text: one expression a line, of the operands that `tensorlab.catalogue.operands` makes.

Calls of the table of scalar functions are not listed: `tensorlab.catalogue` makes them from the table. Those
of products of matrices, and of what is made of such, stand in `tensorlab.catalogue.matrix_expressions`.
"""

from __future__ import annotations

from tensorlab.scalars import ANY, FLOATING

__all__ = ["EXPRESSIONS"]

# For each kind of operation and what dtypes it takes, its calls.
EXPRESSIONS: dict[tuple[str, str], str] = {
    ("arithmetic", ANY): """
        x + y
        x - y
        x * y
        x / y
        x + 2
        x - 2
        x * 2
        x / 2
        2 - x
        2 / x
        x + row
        x * row
        x + column
        column + row
        x ** 2
        x ** 3
        -x
        tl.add(x, y, alpha=2)
        tl.sub(x, y, alpha=2)
        tl.add(x, y, out=target)
        target.copy_(x).add_(2)
        target.copy_(x).sub_(2)
        target.copy_(x).mul_(2)
        target.copy_(x).add_(y, alpha=2)
        target.copy_(x).add_(row)
        target.copy_(x).mul_(row)
        target.copy_(x).pow_(2)
        target.copy_(x).addcmul_(x, y, value=2)
        tl.div(x, y, rounding_mode="trunc")
        tl.div(x, y, rounding_mode="floor")
        x // 2
        x % 2
        x == y
        x < y
        x > 2
        x == 2
        tl.where(mask, x, 0)
        tl.allclose(x, y)
        tl.equal(x, y)
    """,
    ("arithmetic", FLOATING): """
        x ** 0.5
        2 ** x
        x * 0.5
        x + 0.5
        target.copy_(x).div_(2)
        target.copy_(x).mul_(0.5)
        target.copy_(x).add_(y, alpha=0.5)
        target.copy_(x).addcdiv_(x, y, value=0.5)
        target.copy_(x).lerp_(y, 0.5)
        tl.lerp(x, y, 0.5)
        tl.round(x, decimals=2)
        tl.polygamma(1, x)
        F.gelu(x, approximate="tanh")
    """,
    ("creation", ANY): """
        tl.zeros(side, side, dtype=dtype)
        tl.ones(side, side, dtype=dtype)
        tl.full((side, side), 2, dtype=dtype)
        tl.empty(side, side, dtype=dtype)
        tl.empty_strided((side, side), (1, side), dtype=dtype)
        tl.eye(side, dtype=dtype)
        tl.arange(count, dtype=dtype)
        tl.linspace(0, 1, count, dtype=dtype)
        tl.logspace(0, 1, count, dtype=dtype)
        tl.zeros_like(x)
        tl.ones_like(x)
        tl.full_like(x, 2)
        tl.empty_like(x)
        x.new_zeros(side, side)
        x.new_ones(side, side)
        x.new_full((side, side), 2)
        x.new_empty(side, side)
        tl.tensor(array)
        tl.tensor([[1, 2], [3, 4]], dtype=dtype)
        tl.as_tensor(array)
        tl.asarray(array)
        tl.from_numpy(array)
        tl.tril_indices(side, side)
        tl.triu_indices(side, side)
        tl.scalar_tensor(2, dtype=dtype)
    """,
    ("copies", ANY): """
        x.clone()
        x.t().contiguous()
        x.t().reshape(-1)
        x[::2].contiguous()
        x[:, ::2].contiguous()
        row.expand(side, side).contiguous()
        target.copy_(x)
        target.copy_(x.t())
        target.copy_(row)
        target.fill_(2)
        target.zero_()
        x.to(tl.float64)
        x.to(tl.float32)
        x.to(tl.float16)
        x.to(tl.bfloat16)
        x.to(tl.int64)
        x.to(tl.int32)
        x.to(tl.uint8)
        x.to(tl.bool)
        x.double()
        x.float()
        x.long()
        tl.cat([x, y])
        tl.cat([x, y], 1)
        tl.stack([x, y])
        tl.stack([x, y], -1)
        tl.vstack([x, y])
        tl.hstack([x, y])
        tl.dstack([x, y])
        tl.column_stack([x, y])
        x.flip(0)
        x.flip(1)
        tl.fliplr(x)
        tl.flipud(x)
        x.roll(1)
        x.roll(1, 0)
        tl.rot90(x)
        row.repeat(side, 1)
        tl.tile(row, (side, 1))
        column.repeat_interleave(side, 1)
        column.repeat_interleave(side)
        x.tril()
        x.triu()
        target.copy_(x).tril_()
        target.copy_(x).triu_()
        tl.diag(row)
        tl.diag(x)
        tl.diag_embed(row)
        tl.diagflat(row)
        tl.meshgrid(row, row, indexing="ij")
        tl.atleast_3d(x)
        x.numpy()
    """,
    ("views", ANY): """
        x.view(-1)
        x.reshape(-1)
        x.flatten()
        x.ravel()
        x.t()
        x.transpose(0, 1)
        x.permute(1, 0)
        x.movedim(0, 1)
        x.swapaxes(0, 1)
        x.T
        x.mT
        x.unsqueeze(0)
        x.squeeze()
        x.unflatten(0, (2, -1))
        x.expand(2, side, side)
        tl.broadcast_to(x, (2, side, side))
        tl.broadcast_tensors(row, column)
        x.narrow(0, 1, 2)
        x.select(0, 1)
        x.split(2)
        x.chunk(2)
        x.tensor_split(2)
        x.unbind()
        x.diagonal()
        x.unfold(0, 2, 1)
        x.as_strided((2, 2), (1, 1))
        x.view_as(y)
        x.expand_as(y)
        x[1]
        x[1:]
        x[:, 1]
        x[::2]
        x[None]
        x[..., 1]
        x.detach()
    """,
    ("reductions", ANY): """
        x.sum()
        x.sum(0)
        x.sum(1)
        x.sum(1, keepdim=True)
        x.t().sum(0)
        tl.sum(x, 0, out=row_target)
        x.prod()
        x.prod(0)
        x.prod(1)
        x.amax()
        x.amax(0)
        x.amax(1)
        x.amin()
        x.amin(0)
        x.amin(1)
        x.aminmax()
        x.max()
        x.max(0)
        x.max(1)
        x.min()
        x.min(0)
        x.min(1)
        x.argmax()
        x.argmax(0)
        x.argmax(1)
        x.argmin()
        x.argmin(0)
        x.argmin(1)
        x.any()
        x.any(1)
        x.all()
        x.all(1)
        mask.any()
        mask.all()
        mask.sum()
        mask.sum(1)
        x.count_nonzero()
        x.count_nonzero(0)
        x.cumsum(0)
        x.cumsum(1)
        x.cumprod(0)
        x.cumprod(1)
        x.cummax(0)
        x.cummax(1)
        x.cummin(0)
        x.cummin(1)
        x.diff()
        x.trace()
    """,
    ("reductions", FLOATING): """
        x.mean()
        x.mean(0)
        x.mean(1)
        x.mean(1, keepdim=True)
        x.var()
        x.var(0)
        x.var(1)
        x.std()
        x.std(0)
        x.std(1)
        tl.var_mean(x, 1)
        tl.std_mean(x, 1)
        x.nansum()
        x.nansum(1)
        x.nanmean()
        x.nanmean(1)
        x.logsumexp(0)
        x.logsumexp(1)
        x.softmax(0)
        x.softmax(1)
        x.log_softmax(0)
        x.log_softmax(1)
        x.norm()
        x.norm(dim=1)
        x.norm(1)
        x.norm(3)
        tl.linalg.vector_norm(x)
        tl.linalg.vector_norm(x, 2, 1)
        tl.linalg.vector_norm(x, 1, 1)
        tl.linalg.vector_norm(x, float("inf"), 1)
        tl.linalg.vector_norm(x, 0, 1)
        tl.linalg.norm(x)
        F.normalize(x)
        F.cosine_similarity(x, y)
        tl.histc(x)
    """,
    ("order", ANY): """
        x.sort()
        x.sort(0)
        x.sort(descending=True)
        x.sort(stable=True)
        x.argsort()
        tl.msort(x)
        x.topk(2)
        x.topk(2, 0)
        x.topk(2, largest=False)
        x.kthvalue(2)
        x.median()
        x.median(1)
        x.nanmedian()
        x.nanmedian(1)
        x.mode()
        x.unique()
        x.unique(return_inverse=True, return_counts=True)
        x.unique(dim=0)
        x.unique_consecutive()
        tl.bincount(grid.view(-1))
        tl.searchsorted(ordered, x)
        tl.bucketize(x, ordered)
    """,
    ("indexing", ANY): """
        x[places]
        x[:, places]
        x[places, places]
        x[places[:, None], places]
        row[grid]
        x[mask]
        x[row_mask]
        target.copy_(x).__setitem__(0, 2)
        target.copy_(x).__setitem__((slice(None), 0), row)
        target.copy_(x).__setitem__(places, y)
        target.copy_(x).__setitem__((slice(None), places), y)
        target.copy_(x).__setitem__((places, places), row)
        target.copy_(x).__setitem__(mask, 2)
        target.copy_(x).__setitem__(mask, x[mask])
        target.copy_(x).index_put_((places, places), row, accumulate=True)
        x.index_select(0, places)
        x.index_select(1, places)
        x.index_add(0, places, y)
        x.index_add(1, places, y)
        x.index_copy(0, places, y)
        x.index_fill(0, places, 2)
        target.copy_(x).index_add_(0, places, y)
        x.gather(0, grid)
        x.gather(1, grid)
        x.scatter(0, grid, y)
        x.scatter(1, grid, y)
        x.scatter(1, grid, 2)
        x.scatter_add(0, grid, y)
        x.scatter_add(1, grid, y)
        target.copy_(x).scatter_add_(1, grid, y)
        x.scatter_reduce(1, grid, y, "amax")
        x.scatter_reduce(1, grid, y, "amin")
        x.scatter_reduce(1, grid, y, "prod")
        x.scatter_reduce(1, grid, y, "sum")
        x.take(grid)
        x.take_along_dim(grid, 1)
        x.put(grid, y)
        x.masked_fill(mask, 2)
        x.masked_select(mask)
        x.masked_scatter(mask, y)
        target.copy_(x).masked_fill_(mask, 2)
        x.nonzero()
        x.nonzero(as_tuple=True)
        mask.nonzero()
        tl.argwhere(mask)
        tl.where(mask)
        F.one_hot(places, side)
    """,
    ("random", ANY): """
        tl.randint(0, 9, (side, side), dtype=dtype)
        tl.randint_like(x, 9)
        target.random_()
        target.random_(0, 9)
        target.bernoulli_(0.5)
        target.geometric_(0.5)
        tl.randperm(count)
    """,
    ("random", FLOATING): """
        tl.rand(side, side, dtype=dtype)
        tl.randn(side, side, dtype=dtype)
        tl.rand(3, dtype=dtype)
        tl.randn(3, dtype=dtype)
        tl.rand_like(x)
        tl.randn_like(x)
        tl.normal(0.0, 1.0, (side, side))
        tl.normal(x, 1.0)
        tl.normal(0.0, x)
        tl.normal(x, y)
        tl.bernoulli(x)
        tl.poisson(x)
        tl.multinomial(x, 2, replacement=True)
        tl.multinomial(x, 2)
        target.uniform_()
        target.uniform_(-1, 1)
        target.normal_()
        target.exponential_()
        target.cauchy_()
        target.log_normal_()
    """,
    ("names", ANY): """
        x.rename("N", "C").sum("N")
        x.rename("N", "C") + y.rename("N", "C")
        x.rename("N", "C").align_to("C", "N")
        x.rename("N", "C").rename(None)
    """,
}
