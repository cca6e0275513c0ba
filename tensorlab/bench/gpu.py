"""What ``tensorlab bench --gpu`` measures: how near the kernels come to what the card can do, and to cuBLAS.

The sections come in the order of their worth, and each result is handed out as soon as it is there, so that a
run that is cut off keeps what it has. What is timed was compared with float64 before: a wrong kernel gets no
figure. PyTorch stands beside it, on the same card, where it is installed with CUDA.
"""

from __future__ import annotations

import datetime
import functools
import importlib
import importlib.metadata
import operator
import platform
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import tensorlab as tl
from tensorlab.backends.cuda import gpu, ladder, matmul
from tensorlab.backends.cuda.products import LARGEST, MIDDLE
from tensorlab.backends.cuda.simulator import cuda
from tensorlab.bench.training import NETWORKS

__all__ = ["SECTIONS", "card", "measure"]

# One figure, by what it is called.
Row = dict[str, Any]
Section = Callable[[Any], Iterator[Row]]

# How long one figure may be measured, in seconds, and how often at least.
SHARE, TURNS = 0.12, 5
# Sizes of square matrices; what the simulator takes as long for as a GPU for them.
SIZES, SIMULATED_SIZES = (4096, 8192, 1024), (32,)
# The steps of training, of those of `tensorlab bench training`.
TRAINED = (
    "MLP 784-256-10, batch 64",
    "CNN 28 × 28, batch 16",
    "GPT 2 × 64, context 64, batch 4",
    "GPT 4 × 128, context 128, batch 16",
)
# How many losses are compared.
COMPARED = 3
PACKAGES = "numba", "numba-cuda", "cuda-core", "numpy", "torch"


def card() -> Row:
    """The GPU, and with what it is driven."""
    driver, versions = gpu("bench --gpu").driver, {}
    for name in PACKAGES:
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            versions[name] = ""
    return {
        "card": driver.name,
        "capability": list(driver.capability),
        "memory": driver.total,
        "date": datetime.datetime.now(tz=datetime.UTC).date().isoformat(),
        "python": platform.python_version(),
        "packages": versions,
    }


def measure(limit: float, keep: Callable[[Row], None] = lambda found: None) -> Row:
    """All sections, as far as the time reaches.

    Args:
        limit: the seconds after which no new figure is begun.
        keep: is given everything that was found so far, after each figure.

    Returns:
        the `card`, a list of rows for each section, and ``"is_whole"``, whether nothing was left out.

    Raises:
        RuntimeError: there is no GPU.
    """
    end = time.monotonic() + limit
    found: Row = {**card(), "is_whole": False}
    torch = _peer()
    for name, section in SECTIONS.items():
        rows: list[Row] = found.setdefault(name, [])
        for row in _rows(name, section, torch):
            rows.append(row)
            keep(found)
            if time.monotonic() > end:
                return found
    return {**found, "is_whole": True}


def _rows(name: str, section: Section, torch: Any) -> Iterator[Row]:
    """The rows of a section; if it fails, that is the last one."""
    try:
        yield from section(torch)
    except Exception as error:
        yield {"name": name, **_fault(error)}


def _peer() -> Any:
    """PyTorch, if it sees the GPU."""
    try:
        torch: Any = importlib.import_module("torch")
    except ModuleNotFoundError:
        return None
    if not torch.cuda.is_available():
        return None
    torch.backends.cudnn.allow_tf32 = False
    return torch


def _seconds(work: Callable[[], Any], synchronize: Callable[[], None]) -> float:
    """The median time of a call, of turns of many calls that are waited for once."""
    work()
    synchronize()
    began = time.perf_counter()
    work()
    synchronize()
    once = max(time.perf_counter() - began, 1e-6)
    calls = max(1, min(200, int(SHARE / TURNS / once)))
    turns = []
    for _ in range(TURNS if once < 1 else 1):
        began = time.perf_counter()
        for _ in range(calls):
            work()
        synchronize()
        turns.append((time.perf_counter() - began) / calls)
    return statistics.median(turns)


def _ratio(own: float, theirs: float | None) -> float | None:
    return None if theirs is None else round(theirs / own, 3)


# --- what the card can do -----------------------------------------------------------------------------------


def multiply_and_add(count, start, out):  # type: ignore[no-untyped-def]
    """Sixteen numbers of each thread, multiplied and added to over and over."""
    kept = cuda.local.array(16, np.float32)
    for i in range(16):
        kept[i] = start + np.float32(i)
    for _ in range(count):
        for i in range(16):
            kept[i] = kept[i] * start + start
    total = np.float32(0)
    for i in range(16):
        total += kept[i]
    out[cuda.grid(1)] = total


def peaks(torch: Any) -> Iterator[Row]:
    """The bandwidth of a copy, and how fast numbers are multiplied and added."""
    backend = gpu("bench --gpu")
    driver = backend.driver
    count = 64 if tl.backends.cuda.is_simulated() else 1 << 28
    yield _compared(
        torch,
        "copy",
        "gb_per_s",
        8e-9 * count,
        lambda t, x: x.clone(),
        [np.ones(count, np.float32)],
        [np.ones(9)],
    )
    steps = 2 if tl.backends.cuda.is_simulated() else 4096
    out = backend.allocate(driver.blocks * driver.threads, np.dtype(np.float32))

    given = steps, np.float32(0.5), out.cells
    work = functools.partial(driver.launch, multiply_and_add, driver.blocks, driver.threads, *given)
    own = _seconds(work, tl.cuda.synchronize)
    yield {"name": "float32", "tflop_per_s": 2e-12 * 16 * steps * out.size / own}


# --- products of matrices -----------------------------------------------------------------------------------


def products(torch: Any) -> Iterator[Row]:
    """`matmul` of every type, and the rungs of the ladder in float32, beside cuBLAS."""
    sizes = SIMULATED_SIZES if tl.backends.cuda.is_simulated() else SIZES
    for size in sizes:
        for name in ("float32", "bfloat16", "float16", "tf32"):
            yield from _matmuls(torch, name, size)
    for size in [each for each in sizes if each <= 4096][:1]:
        yield from _rungs(torch, size)


def _matmuls(torch: Any, name: str, size: int) -> Iterator[Row]:
    kind = "float32" if name == "tf32" else name
    a, b = (_matrix(size, seed).to(getattr(tl, kind)) for seed in (0, 1))
    before, matmul.allow_tf32 = matmul.allow_tf32, name == "tf32"
    try:
        theirs = _cublas(torch, name, a, b)
        for order, x, y in (("nn", a, b), ("nt", a, b.t().contiguous().t())):
            called = {"name": "matmul", "dtype": name, "order": order, "size": size}
            work, most = functools.partial(operator.matmul, x, y), 1e-5 if name == "float32" else 1e-2
            yield _product(called, work, lambda: _check_product(work(), a, b, most), theirs)  # noqa: B023
    finally:
        matmul.allow_tf32 = before


def _product(called: Row, work: Callable[[], Any], check: Callable[[], None], theirs: float | None) -> Row:
    """The row of a product, once it is right."""
    try:
        check()
        own = _seconds(work, tl.cuda.synchronize)
    except Exception as error:
        return {**called, **_fault(error)}
    count = 2e-12 * called["size"] ** 3
    return {
        **called, "tflop_per_s": count / own, "torch": theirs and count / theirs, "ratio": _ratio(own, theirs)
    }  # fmt: skip


def _fault(error: Exception) -> Row:
    """What stands where a figure would: a fault of one call is no other call's."""
    return {"error": f"{type(error).__name__}: {error}"[:300]}


@functools.cache
def _matrix(size: int, seed: int) -> tl.Tensor:
    numbers = np.random.default_rng(seed).standard_normal((size, size), dtype=np.float32)
    return tl.from_numpy(numbers).cuda()


def _cublas(torch: Any, name: str, a: tl.Tensor, b: tl.Tensor) -> float | None:
    if torch is None:
        return None
    before = torch.backends.cuda.matmul.allow_tf32
    torch.backends.cuda.matmul.allow_tf32 = name == "tf32"
    kind = getattr(torch, "float32" if name == "tf32" else name)
    x, y = (torch.from_numpy(each.float().cpu().numpy()).cuda().to(kind) for each in (a, b))
    seconds = _seconds(functools.partial(operator.matmul, x, y), torch.cuda.synchronize)
    torch.backends.cuda.matmul.allow_tf32 = before
    return seconds


def _check_product(found: Any, a: tl.Tensor, b: tl.Tensor, most: float) -> None:
    """Compare eight rows of a product with float64.

    Raises:
        AssertionError: they differ by more than `most` of their size.
    """
    rows = slice(None, None, max(1, a.shape[0] // 8))
    left, right, rows_found = (
        np.asarray(each.float().cpu().numpy(), np.float64) for each in (a[rows], b, found[rows])
    )
    expected = left @ right
    error = np.linalg.norm(rows_found - expected) / np.linalg.norm(expected)
    assert error < most, f"the product differs from float64 by {error:.1e} of its size"


def _rungs(torch: Any, size: int) -> Iterator[Row]:
    backend, (a, b) = gpu("bench --gpu"), (_matrix(size, seed) for seed in (0, 1))
    memory = [backend.upload(each.cpu().numpy().reshape(-1).data) for each in (a, b)]
    out = backend.allocate(size * size, np.dtype(np.float32))
    cells = [each.cells for each in (*memory, out)]
    theirs = _cublas(torch, "float32", a, b)
    is_small = tl.backends.cuda.is_simulated()
    rungs = {name: ladder.sized(name, is_small) for name in ladder.LADDER}
    if not is_small:  # what `matmul` chooses between
        rungs |= {
            f"product {each.TILE}x{each.KEPT}": ladder.sized("warp_tiled", of_size=each)
            for each in (MIDDLE, LARGEST)
        }
    for name, (kernel, block, tile) in rungs.items():
        grid = size // tile, size // tile

        work = functools.partial(backend.driver.launch, kernel, grid, block, size, size, size, *cells)

        def check() -> None:
            work()  # noqa: B023
            product = np.asarray(backend.download(out)).reshape(size, size)
            _check_product(tl.from_numpy(product), a, b, 1e-5)

        yield _product({"name": name, "dtype": "float32", "size": size}, work, check, theirs)


# --- elements, rows and windows -----------------------------------------------------------------------------

# A name, the bytes that must be moved for a float32 element of a square matrix, and the call. `t` is a
# library and `x`, `y` are such matrices; `rows` is a number for each row, below their number.
CALLS: dict[str, tuple[float, Callable[..., Any]]] = {
    "add": (12, lambda t, x, y, rows: x + y),
    "clone": (8, lambda t, x, y, rows: x.clone()),
    "exp": (8, lambda t, x, y, rows: x.exp()),
    "gelu": (8, lambda t, x, y, rows: t.nn.functional.gelu(x)),
    "x + row": (8, lambda t, x, y, rows: x + y[0]),
    "x + column": (8, lambda t, x, y, rows: x + y[:, :1]),
    "transpose": (8, lambda t, x, y, rows: x.t().contiguous()),
    "sum": (4, lambda t, x, y, rows: x.sum()),
    "sum of rows": (4, lambda t, x, y, rows: x.sum(1)),
    "sum of columns": (4, lambda t, x, y, rows: x.sum(0)),
    "argmax of rows": (4, lambda t, x, y, rows: x.argmax(1)),
    "softmax": (8, lambda t, x, y, rows: x.softmax(1)),
    "layer norm": (8, lambda t, x, y, rows: t.nn.functional.layer_norm(x, x.shape[1:])),
    "cross entropy": (4, lambda t, x, y, rows: t.nn.functional.cross_entropy(x, rows)),
    "cumsum of rows": (8, lambda t, x, y, rows: x.cumsum(1)),
    "x[rows]": (8, lambda t, x, y, rows: x[rows]),
    "where": (12, lambda t, x, y, rows: t.where(x > 0, x, y)),
    "sort of rows": (12, lambda t, x, y, rows: x[: len(rows) // 64].sort(1)),
}


def elements(torch: Any) -> Iterator[Row]:
    """What moves more than it computes: bytes a second, and PyTorch's time over ours."""
    size = 16 if tl.backends.cuda.is_simulated() else 8192
    given = [_matrix(size, seed).cpu().numpy() for seed in (0, 1)]
    given.append(np.random.default_rng(2).permutation(size))
    least = min(size, 260)
    small = [_matrix(least, seed).cpu().numpy() for seed in (0, 1)]
    small.append(np.random.default_rng(2).permutation(least))
    for name, (moved, call) in CALLS.items():
        count = size * size / (64 if name.startswith("sort") else 1)
        yield _compared(torch, name, "gb_per_s", 1e-9 * moved * count, call, given, small)


def attention(t: Any, q: Any) -> Any:
    return t.nn.functional.scaled_dot_product_attention(q, q, q, is_causal=True)


def conv2d(t: Any, x: Any, weight: Any) -> Any:
    return t.nn.functional.conv2d(x, weight)


def max_pool2d(t: Any, x: Any) -> Any:
    return t.nn.functional.max_pool2d(x, 2)


def layer_norm(t: Any, x: Any) -> Any:
    return t.nn.functional.layer_norm(x, x.shape[1:])


def batch_norm(t: Any, x: Any) -> Any:
    return t.nn.functional.batch_norm(x, None, None, training=True)


def _window_operands() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The queries of attention, and the images and weights of a convolution."""
    is_small, rng = tl.backends.cuda.is_simulated(), np.random.default_rng(3)
    q = rng.standard_normal((1, 1, 8, 8) if is_small else (8, 12, 1024, 64), np.float32)
    images = rng.standard_normal((1, 2, 6, 6) if is_small else (32, 32, 64, 64), np.float32)
    return q, images, rng.standard_normal((2, 2, 3, 3) if is_small else (64, 32, 3, 3), np.float32)


def windows(torch: Any) -> Iterator[Row]:
    """Attention, convolution and pooling."""
    q, images, weights = _window_operands()
    for call, first, others in ((attention, q, []), (conv2d, images, [weights]), (max_pool2d, images, [])):
        given, small = [first, *others], [first[:1], *others]
        yield _compared(torch, call.__name__, "ms", 1e3, call, given, small)


def gradients(torch: Any) -> Iterator[Row]:
    """What training does beside `windows`: the ways back, batch norm, and a step of AdamW."""
    q, images, weights = _window_operands()
    shape = (2, 2, 3, 4) if tl.backends.cuda.is_simulated() else (64, 64, 128, 128)
    maps = np.random.default_rng(4).standard_normal(shape, np.float32)
    rows = maps.reshape(-1, min(maps.size // 4, 1024))
    few, few_maps = rows[:4], maps[:2, :, :3, :4]

    def adamw(t: Any, x: Any) -> Callable[[], Any]:
        weights = t.nn.Parameter(x.clone())
        weights.grad = x
        optimizer = t.optim.AdamW([weights])

        def step() -> Any:
            optimizer.step()
            return weights.detach()

        return step

    cases: dict[str, tuple[Callable[..., Callable[[], Any]], list[np.ndarray], list[np.ndarray]]] = {
        "gradient of attention": (_gradient(attention), [q], [q[:1, :2, :64]]),
        "gradient of conv2d": (_gradient(conv2d), [images, weights], [images[:1], weights]),
        "gradient of layer norm": (_gradient(layer_norm), [rows], [few]),
        "batch norm": (functools.partial(functools.partial, batch_norm), [maps], [few_maps]),
        "gradient of batch norm": (_gradient(batch_norm), [maps], [few_maps]),
        "AdamW": (adamw, [rows], [few]),
    }
    for name, (make, given, small) in cases.items():
        yield _compared(torch, name, "ms", 1e3, make, given, small, is_made=True)


def _gradient(call: Callable[..., Any]) -> Callable[..., Callable[[], Any]]:
    """What makes the way back of a call, which has been made, of its operands."""

    def make(t: Any, *given: Any) -> Callable[[], Any]:
        leaves = [each.clone().requires_grad_() for each in given]
        result = call(t, *leaves)
        weights = result.detach().clone()
        return lambda: t.autograd.grad(result, leaves, weights, retain_graph=True)

    return make


# --- calls and steps ----------------------------------------------------------------------------------------


def calls(torch: Any) -> Iterator[Row]:
    """What a call costs the host, in microseconds: of four elements, so that no call waits for the GPU."""
    given = [np.ones((2, 2), np.float32)]
    for name, call in {
        "add": lambda t, x: x + x,
        "softmax": lambda t, x: x.softmax(1),
        "matmul": lambda t, x: x @ x,
    }.items():
        yield _compared(torch, name, "us", 1e6, call, given, given)


def steps(torch: Any) -> Iterator[Row]:
    """Whole steps of training, whose first losses are PyTorch's."""
    for name in TRAINED:
        try:
            own = NETWORKS[name](tl, "cuda")
            theirs = NETWORKS[name](tl, "cpu") if torch is None else NETWORKS[name](torch, "cuda")
            losses, expected = ([float(step()) for _ in range(COMPARED)] for step in (own, theirs))
            np.testing.assert_allclose(losses, expected, rtol=1e-3)
        except Exception as error:
            yield {"name": name, **_fault(error)}
            continue
        yield _timed(torch, name, "ms", 1e3, own, theirs)


# --- one figure ---------------------------------------------------------------------------------------------


def _compared(
    torch: Any,
    name: str,
    unit: str,
    scale: float,
    call: Callable[..., Any],
    given: Any,
    small: Any,
    is_made: bool = False,
) -> Row:
    """The row of a call: right on the GPU for some small arrays, and then timed for others.

    What `call` returns is the result, or if it `is_made` what gives the result and is timed.
    """
    make = call if is_made else functools.partial(functools.partial, call)
    try:
        on_gpu, on_cpu = (
            make(tl, *[tl.from_numpy(each).to(place) for each in small])() for place in ("cuda", "cpu")
        )
        pairs = zip(*(each if isinstance(each, tuple) else (each,) for each in (on_gpu, on_cpu)), strict=True)
        for ours, expected in pairs:
            tl.testing.assert_close(ours.cpu(), expected, rtol=1e-4, atol=1e-4)
        own = make(tl, *[tl.from_numpy(each).cuda() for each in given])
        theirs = own if torch is None else make(torch, *[torch.from_numpy(each).cuda() for each in given])
    except Exception as error:
        return {"name": name, **_fault(error)}
    return _timed(torch, name, unit, scale, own, theirs)


def _timed(
    torch: Any, name: str, unit: str, scale: float, own: Callable[[], Any], theirs: Callable[[], Any]
) -> Row:
    """The row of two calls: in a unit of time, or so much a second."""
    try:
        seconds = _seconds(own, tl.cuda.synchronize)
        peer = None if torch is None else _seconds(theirs, torch.cuda.synchronize)
    except Exception as error:
        return {"name": name, **_fault(error)}
    found, other = (
        each and (scale * each if unit in ("ms", "us") else scale / each) for each in (seconds, peer)
    )
    return {"name": name, unit: found, "torch": other, "ratio": _ratio(seconds, peer)}


SECTIONS: dict[str, Section] = {
    "peaks": peaks,
    "steps": steps,
    "calls": calls,
    "elements": elements,
    "windows": windows,
    "gradients": gradients,
    "products": products,
}
