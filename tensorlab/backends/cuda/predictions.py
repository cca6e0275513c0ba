"""How long a kernel may take on a card, from its machine code: for what no run on the card has timed.

A kernel takes no less than its memory traffic at the card's bandwidth, nor than its instructions at the rate
at which the card issues them (S. Williams et al., "Roofline", CACM 52, 2009), and a call no less than it
takes the host. These rates are the best that a run on the card has shown. So is how far kernels stay behind:
each that was timed is predicted too, and the least and the greatest ratio of the two times make the range of
a prediction.

    TENSORLAB_CUDA=simulated python -m tensorlab.backends.cuda.predictions

prints them, and what the steps of training ask of the host. Nothing runs on a GPU.
"""

from __future__ import annotations

import json
import operator
import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from tensorlab.backends.cuda import gpu
from tensorlab.backends.cuda.driver import Gpu
from tensorlab.backends.cuda.figures import TIMED, recorded
from tensorlab.backends.cuda.gemm import CARDS
from tensorlab.backends.cuda.simulator import WARP

__all__ = ["Prediction", "Step", "Work", "predictions", "step", "table"]


class Work(NamedTuple):
    """What a kernel does.

    Attributes:
        kernel: its name among the figures.
        moved: the bytes that it reads and writes, each once.
        amount: how much of a `unit` all threads do together.
        unit: what a turn of its loop counts: ``"fma"``, or bytes ``"read"`` or ``"written"``.
    """

    kernel: str
    moved: float
    amount: float
    unit: str

    def instructions(self) -> float:
        """How many instructions the warps issue in the loop where the time goes by."""
        figures = recorded()[self.kernel]["sm_{}{}".format(*TIMED)]
        return self.amount / WARP / figures[f"inner_{self.unit}"] * figures["inner_all"]


class Prediction(NamedTuple):
    """How long something takes, in milliseconds.

    Attributes:
        name: what it is, as ``tensorlab bench --gpu`` calls it.
        milliseconds: the prediction.
        least, greatest: its range: as far from it as the kernels that were timed are from theirs.
        measured: what it took on the card; None where no run has timed it.
        torch: what PyTorch took there; None where no run has timed that.
    """

    name: str
    milliseconds: float
    least: float
    greatest: float
    measured: float | None
    torch: float | None


def _product(m: int, n: int, k: int, kernel: str, count: int = 1) -> Work:
    return Work(kernel, 4 * count * (m * k + k * n + m * n), count * m * n * k, "fma")


# The elements of a square matrix of `tensorlab bench --gpu`, and the multiplications of half of all queries
# and keys, of its attention; those of its convolution.
N, PAIRS, TAPS = 8192**2, 96 * 1024**2 // 2 * 64, 32 * 64 * 62**2 * 32 * 9
# Bytes of its queries, of its images, and of the results of its convolution.
QUERIES, IMAGES, RESULTS = 4 * 96 * 1024 * 64, 4 * 32**2 * 64**2, 4 * 32 * 64 * 62**2

WORK: dict[str, tuple[Work, ...]] = {
    "matmul 1024": (_product(1024, 1024, 1024, "product nn 64x4"),),
    "matmul 4096": (_product(4096, 4096, 4096, "product nn 128x8"),),
    "matmul 8192": (_product(8192, 8192, 8192, "product nn 128x8"),),
    "add": (Work("pointwise add", 12 * N, 8 * N, "read"),),
    "clone": (Work("pointwise copy", 8 * N, 4 * N, "read"),),
    "exp": (Work("pointwise exp", 8 * N, 4 * N, "read"),),
    "x + row": (Work("pointwise add of a row", 8 * N, 4 * N, "written"),),
    "transpose": (Work("transpose", 8 * N, 4 * N, "read"),),
    "sum": (Work("reduce sum parts", 4 * N, 4 * N, "read"),),
    "sum of rows": (Work("reduce sum whole", 4 * N, 4 * N, "read"),),
    "sum of columns": (Work("reduce sum parts in columns", 4 * N, 4 * N, "read"),),
    "softmax": (Work("kept softmax", 8 * N, 4 * N, "written"),),
    "layer norm": (Work("kept normalise", 8 * N, 4 * N, "written"),),
    "attention": (Work("attention", 4 * QUERIES, 2 * PAIRS, "fma"),),
    "max_pool2d": (Work("greatest of windows", IMAGES + IMAGES // 4, IMAGES, "read"),),
    "conv2d": (Work("product of columns 64x4", IMAGES + RESULTS, TAPS, "fma"),),
    "gradient of conv2d": (
        Work("product of columns 64x4", IMAGES + RESULTS, TAPS, "fma"),
        Work("product of columns over places 64x4", IMAGES + RESULTS, TAPS, "fma"),
    ),
    "gradient of attention": (
        Work("attention gradient of queries", 5 * QUERIES, 3 * PAIRS, "fma"),
        Work("attention gradient of keys", 6 * QUERIES, 4 * PAIRS, "fma"),
    ),
    "batch norm": (
        Work("grouped group statistics", 4 * N, 4 * N, "read"),
        Work("grouped normalise groups", 8 * N, 4 * N, "written"),
    ),
    "gradient of batch norm": (
        Work("grouped group products", 8 * N, 8 * N, "read"),
        Work("grouped normalise groups gradient", 12 * N, 4 * N, "written"),
    ),
    "gradient of layer norm": (Work("row gradient of 4 numbers", 12 * N, 4 * N, "written"),),
    "AdamW": (Work("update adam", 28 * N, 12 * N, "written"),),
}


# When a kernel was written, if that was after the first run that is kept: older times are not its own.
SINCE = dict.fromkeys(("conv2d", "max_pool2d"), "2026-11-28")


def predictions(run: Mapping[str, Any]) -> list[Prediction]:
    """The times of `WORK` on a card.

    Args:
        run: what ``tensorlab bench --gpu`` has found on it.
    """
    timed = {
        name: seconds
        for name in WORK
        if run["date"] >= SINCE.get(name, "") and (seconds := _measured(run, name)) is not None
    }
    bandwidth, rate = _rates(timed)
    bounds = {
        name: max(
            sum(max(work.moved / bandwidth, work.instructions() / rate) for work in works),
            len(works) * _call(run),
        )
        for name, works in WORK.items()
    }
    behind = [timed[name] / bounds[name] for name in timed]
    usual = statistics.geometric_mean(behind)
    found = []
    for name, bound in bounds.items():
        milliseconds, least, greatest = (1e3 * bound * by for by in (usual, min(behind), max(behind)))
        measured, torch = timed.get(name), _measured(run, name, of_torch=True)
        both = _in_milliseconds(measured), _in_milliseconds(torch)
        found.append(Prediction(name, milliseconds, least, greatest, *both))
    return found


def _in_milliseconds(seconds: float | None) -> float | None:
    return None if seconds is None else 1e3 * seconds


def _rates(timed: Mapping[str, float]) -> tuple[float, float]:
    """The most bytes, and the most instructions of warps, that anything reached in a second."""
    moved, issued = (
        {name: sum(map(count, WORK[name])) / seconds for name, seconds in timed.items()}
        for count in (operator.attrgetter("moved"), Work.instructions)
    )
    return max(moved.values()), max(issued.values())


def _call(run: Mapping[str, Any]) -> float:
    """How many seconds a call of one launch takes the host."""
    return next(row["us"] for row in run["calls"] if row["name"] == "add") / 1e6


def _called(row: Mapping[str, Any]) -> str:
    """What a row of a run is called here."""
    if (row["name"], row.get("dtype"), row.get("order")) == ("matmul", "float32", "nn"):
        return f"matmul {row['size']}"
    return str(row["name"])


def _measured(run: Mapping[str, Any], name: str, of_torch: bool = False) -> float | None:
    """How many seconds something took on the card, or took PyTorch there, if a run has timed it."""
    for section in ("products", "elements", "windows", "gradients"):
        for row in run.get(section, ()):
            if _called(row) != name or "error" in row:
                continue
            unit = next(each for each in ("tflop_per_s", "gb_per_s", "ms") if each in row)
            found = row["torch" if of_torch else unit]
            if found is None:
                return None
            if unit == "ms":
                return float(found) / 1e3
            moved = sum(work.moved for work in WORK[name])
            return float((2e-12 * row["size"] ** 3 if unit == "tflop_per_s" else 1e-9 * moved) / found)
    return None


# --- steps of training --------------------------------------------------------------------------------------


class Step(NamedTuple):
    """What a step of training asks of a card and of the host.

    Attributes:
        launches: how many kernels it launches.
        moved: the bytes of all memory that these are given.
        calls: as how many calls of an operation of one launch it takes the host.
    """

    launches: int
    moved: int
    calls: float

    def milliseconds(self, run: Mapping[str, Any]) -> tuple[float, float, float]:
        """On a card: of the kernels, of the kernels and a call for each, and of the host.

        The kernels run beside the host, and small ones wait for it.
        """
        bandwidth = max(row["gb_per_s"] for row in run["elements"] if "gb_per_s" in row) * 1e9
        kernels, call = self.moved / bandwidth, _call(run)
        return 1e3 * kernels, 1e3 * (kernels + self.launches * call), 1e3 * self.calls * call


# So many multiprocessors has an H200, by NVIDIA's data sheet of it.
PROCESSORS = 132


def step(make: Callable[..., Callable[[], Any]], turns: int = 5) -> Step:
    """What a step of training would launch on a card: nothing is computed, and its results are not numbers.

    Args:
        make: makes the step of a library and a place, as those of `tensorlab.bench.training.NETWORKS`.
        turns: how often the host's time is taken; the least counts.

    Raises:
        RuntimeError: ``TENSORLAB_CUDA=simulated`` does not ask for a simulated GPU.
    """
    import tensorlab as tl

    with _unlaunched(gpu("predictions").driver) as launched:
        small, whole = tl.ones(2, 2, device="cuda"), make(tl, "cuda")
        call = _least(lambda: small + small, 100 * turns)
        least = _least(whole, turns)
        launched.clear()
        whole()
        moved = sum(each.nbytes for arguments in launched for each in arguments if hasattr(each, "nbytes"))
        return Step(len(launched), moved, least / call)


def _least(work: Callable[[], Any], turns: int) -> float:
    """The least time that some work took the processor, in seconds, whoever else is given it."""
    work()
    times = []
    for _ in range(turns):
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    return min(times)


@contextmanager
def _unlaunched(driver: Any) -> Iterator[list[tuple[Any, ...]]]:
    """Let a simulated GPU be as large as a card, and note the arguments of launches instead of doing them."""
    launched: list[tuple[Any, ...]] = []
    as_card = {
        "capability": TIMED,
        "processors": PROCESSORS,
        "threads": Gpu.threads,
        "blocks": 8 * PROCESSORS,
        "launch": lambda kernel, grid, block, *arguments: launched.append(arguments),
        "take": lambda block, count, cell: block[: count * cell.itemsize].view(cell),
    }
    before = dict(vars(driver))
    try:
        vars(driver).update(as_card)
        yield launched
    finally:
        vars(driver).clear()
        vars(driver).update(before)


def table(found: Iterable[Prediction]) -> str:
    """Predictions in milliseconds, a line each, beside what was measured."""
    lines = [f"{'':24}{'predicted':>9}{'range':>18}{'measured':>10}{'PyTorch':>9}"]
    for each in found:
        span = f"{each.least:.3f} … {each.greatest:.3f}"
        measured, torch = ("" if time is None else f"{time:.3f}" for time in (each.measured, each.torch))
        lines.append(f"{each.name:24}{each.milliseconds:9.3f}{span:>18}{measured:>10}{torch:>9}")
    return "\n".join(lines)


def main() -> None:
    """Print what is predicted for each card of which a run is kept."""
    from tensorlab.bench.training import NETWORKS

    for file in sorted(CARDS.glob("*.json")):
        run = json.loads(file.read_text("utf-8"))
        print(f"{run['card']}, predicted from machine code, not measured, in milliseconds")
        print(table(predictions(run)))
        for name in STEPS:
            found = step(NETWORKS[name])
            kernels, calls, host = found.milliseconds(run)
            print(f"{name}: {found.launches} launches, {kernels:.2f}; and a call for each, {calls:.1f};")
            print(f"    all that Python does for them, {host:.1f}")


STEPS = "GPT 2 × 64, context 64, batch 4", "GPT 4 × 128, context 128, batch 16"

if __name__ == "__main__":
    main()
