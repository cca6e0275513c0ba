"""The calls of matrix products, of layers, and of linear algebra (see `tensorlab.catalogue.expressions`)."""

from __future__ import annotations

from tensorlab.scalars import ANY, FLOATING

__all__ = ["MATRIX_EXPRESSIONS", "PRECISE"]

# Beside the words of `tensorlab.scalars`: what takes float32 and float64 alone.
PRECISE = "precise"

# For each kind of operation and what dtypes it takes, its calls.
MATRIX_EXPRESSIONS: dict[tuple[str, str], str] = {
    ("products", ANY): """
        x @ y
        x @ y.t()
        x.t() @ y
        x.t() @ y.t()
        x @ row
        row @ x
        row @ row
        batch @ batch
        batch @ batch.mT
        tl.matmul(x, y, out=target)
        x.mm(y)
        x.mv(row)
        row.dot(row)
        tl.vdot(row, row)
        tl.inner(x, y)
        tl.outer(row, row)
        tl.ger(row, row)
        batch.bmm(batch)
        tl.baddbmm(batch, batch, batch)
        tl.addbmm(batch[0], batch, batch)
        tl.addmm(x, x, y)
        tl.addmm(row, x, y.t())
        target.copy_(x).addmm_(x, y)
        tl.addmv(row, x, row)
        tl.addr(x, row, row)
        tl.einsum("ij,jk->ik", x, y)
        tl.einsum("bij,bjk->bik", batch, batch)
        tl.einsum("ij,ij->", x, y)
        tl.einsum("i,j->ij", row, row)
        tl.tensordot(x, y, 1)
        tl.kron(row, row)
        tl.chain_matmul(x, y, x)
        tl.linalg.multi_dot([x, y, x])
        tl.linalg.matrix_power(matrix, 3)
        tl.cross(triples, triples, dim=1)
        F.linear(x, y)
        F.linear(x, y, row)
    """,
    ("products", FLOATING): """
        tl.linalg.vecdot(x, y)
        tl.cdist(x[:64], y[:64])
        tl.cdist(x[:64], y[:64], p=1.0)
        F.bilinear(x[:8], y[:8], x.expand(2, side, side))
    """,
    ("layers", FLOATING): """
        F.softmax(x, dim=1)
        F.log_softmax(x, dim=1)
        F.scaled_dot_product_attention(x, x, x)
        F.dropout(x, 0.5)
        F.embedding(places, x)
        F.interpolate(x.view(1, 1, side, side), scale_factor=2)
        F.interpolate(x.view(1, 1, side, side), scale_factor=2, mode="bilinear")
        F.glu(x)
        F.prelu(x, row)
        F.cross_entropy(x, places)
        F.mse_loss(x, y)
        F.l1_loss(x, y)
        F.smooth_l1_loss(x, y)
        F.huber_loss(x, y)
        F.binary_cross_entropy_with_logits(x, y)
        F.layer_norm(x, (side,), row)
        F.rms_norm(x, (side,))
        F.group_norm(x, 2)
        F.batch_norm(x, None, None, training=True)
        F.conv2d(x.view(1, 4, side // 4, side), y.flatten()[:16].view(4, 4, 1, 1))
        F.conv2d(x.view(1, 1, side, side), y.flatten()[:9].view(1, 1, 3, 3), padding=1)
        F.max_pool2d(x.view(1, 1, side, side), 2)
        F.avg_pool2d(x.view(1, 1, side, side), 2)
        F.pad(x, (1, 1), "reflect")
    """,
    ("linear algebra", PRECISE): """
        matrix.det()
        matrix.slogdet()
        matrix.logdet()
        matrix.inverse()
        tl.linalg.inv(matrix)
        tl.linalg.solve(matrix, x)
        tl.linalg.solve(matrix, row)
        tl.linalg.cholesky(matrix)
        tl.linalg.qr(matrix)
        tl.linalg.svd(matrix)
        tl.linalg.svdvals(matrix)
        tl.linalg.eigh(matrix)
        tl.linalg.eigvalsh(matrix)
        tl.linalg.lstsq(matrix, x)
        tl.linalg.pinv(matrix)
        tl.linalg.matrix_rank(matrix)
        tl.linalg.cond(matrix)
        tl.linalg.matrix_norm(x)
        tl.linalg.matrix_norm(x, 1)
        tl.linalg.matrix_norm(x, 2)
        tl.linalg.matrix_norm(x, "nuc")
    """,
}
