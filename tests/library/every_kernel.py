"""Launches every kernel of ``device="cuda"``, with sizes that no tile fits: for NVIDIA's compute-sanitizer.

    compute-sanitizer --tool memcheck python -m tests.library.every_kernel

Each tensor has memory of its own, of its exact size, so that a tool sees where it ends and who has written to
it. The last line that is printed says how often each kernel was launched.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from typing import Any

import numpy as np

import tensorlab as tl
from tensorlab.backends import cuda
from tensorlab.backends.cuda import ladder, matmul, memory
from tensorlab.backends.cuda.compute import Cuda

F = tl.nn.functional

# What products are made of: a card runs all that it can, the simulator one of each.
TYPES = "float32", "tf32", "bfloat16", "float16"
SIMULATED = {(9, 0): ("bfloat16",), (8, 0): ("float16", "tf32"), (7, 5): ("float32", "bfloat16")}


def main() -> None:
    """Launch them on the GPU, or in the simulator if ``TENSORLAB_CUDA`` asks for that."""
    memory.GRAIN = 1
    print(json.dumps({"launched": launched(cuda.gpu("every_kernel"))}))


def launched(backend: Cuda) -> Counter[str]:
    """Launch every kernel, and count the launches by the kernels' names."""
    seen: Counter[str] = Counter()
    launch = backend.driver.launch

    def counted(kernel: Any, *arguments: Any) -> None:
        seen[kernel.__name__] += 1
        launch(kernel, *arguments)

    backend.driver.launch = counted  # type: ignore[method-assign]
    # Rows and columns, and a row that takes more than one block to sort.
    m, n, long = (9, 11, 270) if cuda.is_simulated() else (133, 131, 5003)
    for _ in chain(operations(m, n, long), rungs(backend)):
        backend.synchronize()
        backend.memory.empty_cache()
    return seen


def numbers(*shape: int) -> tl.Tensor:
    """So many numbers from -1 to 1, no two of which are neighbours' neighbours."""
    found = np.random.default_rng(len(shape)).uniform(-1, 1, shape).astype(np.float32)
    return tl.from_numpy(found).cuda()


def operations(m: int, n: int, long: int) -> Iterator[Any]:
    """Operations that need every kernel between them; each is done when the next one is asked for."""
    x, y = numbers(m, n), numbers(n, m)
    fours = numbers(m, n // 4 * 4)
    halves, bits = x.bfloat16(), x > 0
    # elements
    yield x + x, x + x[0], x + x[:, :1], x[:, ::2] * 2, x.view(-1)[1:].exp(), halves + halves, ~bits
    yield x.t().contiguous(), tl.where(bits, x, -x), x.double().sin(), x.clone(), tl.full((m, n), 2.5).cuda()
    yield x.ceil(), x.floor(), x.round(), x.trunc(), x.copysign(-x), x.fmod(x[0]), x.remainder(x[0])
    yield tl.zeros(m, n, device="cuda"), tl.cat([x, x]), x.to(tl.float16), bits.int()
    yield x[1:].untyped_storage().clone(), tl.arange(m, device="cuda"), tl.linspace(0, 1, n, device="cuda")
    # reductions, scans and sorts
    for dim in (0, 1):
        yield x.sum(dim), x.amax(dim), x.var(dim), x.argmax(dim), bits.any(dim), x.argmin(dim)
        yield x.cumsum(dim), x.cummax(dim), halves.cumprod(dim), x.logsumexp(dim)
    yield x.sum(), x.amax(), x.argmax(), halves.mean()
    line = numbers(m * long)  # so long that blocks share it
    yield line.sum(), line.amax(), line.var(), line.argmax(), line.cumsum(0), line.cummax(0)
    yield numbers(3, long).sort(1), x.sort(0, descending=True), x.topk(3), numbers(3, long).cumsum(1)
    # rows
    for rows in (x, fours, halves):
        yield rows.softmax(1), rows.log_softmax(1)
        learned = rows.clone().requires_grad_()
        yield F.layer_norm(learned, rows.shape[1:], learned[0], learned[1]).sum().backward()
    yield x.softmax(0)
    yield from products(x, y)
    yield from layers(m, n)
    yield from places(x, bits)
    # random numbers
    tl.manual_seed(0)
    yield tl.rand(m, n, device="cuda"), tl.randn(m, n, device="cuda"), tl.randint(9, (m, n), device="cuda")
    yield tl.bernoulli(x.abs()), F.dropout(x), tl.empty_like(x).exponential_()
    # steps of training
    kinds = [(each, {}) for each in (tl.optim.SGD, tl.optim.Adam, tl.optim.AdamW)]
    counting = tl.optim.AdamW, tl.optim.Adamax, tl.optim.ASGD, tl.optim.NAdam, tl.optim.RAdam
    kinds += [(each, {"capturable": True}) for each in counting]
    for optimizer, settings in kinds:
        weights = x.clone().requires_grad_()
        weights.grad = x
        yield optimizer([weights], lr=0.1, **settings).step()


def products(x: tl.Tensor, y: tl.Tensor) -> Iterator[Any]:
    """Products of matrices, by whatever multiplies them on a card."""
    driver = cuda.gpu("every_kernel").driver
    known = driver.capability
    eights = numbers(x.shape[0], x.shape[1] // 8 * 8)
    for capability, types in SIMULATED.items() if cuda.is_simulated() else [(known, TYPES)]:
        driver.capability = capability
        for name in types:
            matmul.allow_tf32 = name == "tf32"
            a, b, c = (each.to(getattr(tl, name.replace("tf", "float"))) for each in (x, y, eights))
            yield a @ b, a.t() @ b.t(), c @ c.t(), c.t() @ c
            image, weight = (numbers(*shape).to(a.dtype) for shape in ((1, 8, 5, 8), (8, 8, 1, 3)))
            yield F.conv2d(image.requires_grad_(), weight.requires_grad_(), padding=(0, 1)).sum().backward()
    driver.capability, matmul.allow_tf32 = known, False
    yield x.double() @ y.double(), x.long() @ y.long(), F.linear(x, x, x[:, 0])


def layers(m: int, n: int) -> Iterator[Any]:
    """Attention, convolutions, pooling and losses, there and back."""
    q = numbers(2, m, 8).requires_grad_()
    yield F.scaled_dot_product_attention(q, q, q).sum().backward()
    yield F.scaled_dot_product_attention(q, q, q, is_causal=True).sum().backward()
    for mask in (tl.ones(m, m, dtype=tl.bool, device="cuda"), numbers(m, m)):
        yield F.scaled_dot_product_attention(q, q, q, mask).sum().backward()
    image, weight = numbers(1, 4, m // 2, n // 2).requires_grad_(), numbers(6, 2, 3, 3).requires_grad_()
    yield F.conv2d(image, weight, numbers(6), padding=1, groups=2).sum().backward()
    yield F.conv_transpose2d(image, numbers(4, 2, 3, 3), stride=2)
    yield F.max_pool2d(image, 3, 2, 1).sum().backward(), F.avg_pool2d(image, 2).sum().backward()
    maps, four = numbers(3, 4, m // 2, n // 2).requires_grad_(), numbers(4).requires_grad_()
    for given in (maps, maps.contiguous(memory_format=tl.channels_last)):
        yield F.batch_norm(given, None, None, four, four, training=True).sum().backward()
        yield F.batch_norm(given, four.detach(), four.detach() ** 2, four, four).sum().backward()
    yield F.group_norm(maps, 2, four, four).sum().backward()
    logits, classes = numbers(m, n).requires_grad_(), tl.arange(m).cuda() % n
    for reduction in ("mean", "sum", "none"):
        loss = F.cross_entropy(logits, classes, numbers(n).abs(), reduction=reduction)
        yield loss.sum().backward()
    many = numbers(40 * m, n).requires_grad_()
    yield F.nll_loss(many, tl.arange(40 * m).cuda() % n).backward()


def places(x: tl.Tensor, bits: tl.Tensor) -> Iterator[Any]:
    """What index tensors and masks say where to find, and where to write."""
    rows = tl.arange(x.shape[0]).cuda().flip(0)
    columns = tl.arange(x.shape[1]).cuda().flip(0)
    yield x[rows], x[:, columns], x[rows[:, None], columns], x.gather(1, columns.expand_as(x))
    for to in (x.clone(), x.bfloat16()):
        to[rows] = to.clone()
        to[rows % 2, 1] = 5.0
        yield to.index_add(0, rows // 2, to), to.scatter_add(1, columns.expand_as(to), to)
        yield to.scatter_reduce(1, columns.expand_as(to) // 2, to, "amax"), F.embedding(rows, to)
    yield x[bits], bits.nonzero(), x.masked_scatter(bits, x), x.masked_fill(bits, 1.0)
    x.clone()[bits] = 3.0


def rungs(backend: Cuda) -> Iterator[Any]:
    """The ladder of products, in tiles as large as the GPU runs."""
    for name in ladder.LADDER:
        kernel, block, tile = ladder.sized(name, cuda.is_simulated())
        size = tile * 2
        matrices = [backend.upload(numbers(size * size).cpu().numpy().data) for _ in range(3)]
        cells = [each.cells for each in matrices]
        yield backend.driver.launch(kernel, (2, 2), block, size, size, size, *cells)


if __name__ == "__main__":
    main()
