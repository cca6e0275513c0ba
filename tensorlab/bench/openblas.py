"""NumPy in a process of its own, whose OpenBLAS is told how many threads and which kernels to use.

OpenBLAS reads its settings once, when NumPy is imported. And for some processors that have AVX-512 it takes
kernels without: the ratio to it says little, so both are compared.

Run as a program, this module times products: a line of JSON comes in, the seconds of one try go out.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from types import TracebackType

import numpy as np

from tensorlab.bench.products import Product, operands

__all__ = ["Child", "Timed"]


class Timed:
    """A candidate that another process times.

    Example:
        >>> with Child(1) as child:
        ...     candidate = Timed(child, Product("float32", 2, 2, 2))
        ...     candidate.seconds(10) > 0
        True
    """

    def __init__(self, child: Child, product: Product) -> None:
        self.child, self.product = child, product

    def __call__(self) -> None:
        """One call."""
        self.seconds(1)

    def seconds(self, count: int) -> float:
        """The seconds that `count` calls took."""
        return self.child.ask(self.product, count)


class Child:
    """A process with NumPy in it; a context, which ends it.

    Args:
        threads: how many threads OpenBLAS may use.
        core: the kernels that it is to take, such as ``"SkylakeX"``; what it takes by itself if left out.
    """

    def __init__(self, threads: int, core: str | None = None) -> None:
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": str(threads)}
        environment.pop("OPENBLAS_CORETYPE", None)
        if core is not None:
            environment["OPENBLAS_CORETYPE"] = core
        self._process = subprocess.Popen(
            [sys.executable, "-m", __name__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            text=True,
        )

    def ask(self, product: Product, count: int) -> float:
        """The seconds of so many products there.

        Raises:
            RuntimeError: the process has ended.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps([product, count]) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            answer = ""
        else:
            answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError(f"the process with NumPy has ended, with code {self._process.wait()}")
        return float(answer)

    def __enter__(self) -> Child:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.communicate()  # the end of its input ends it


def _serve() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who asks ends this process, by the end of its input
    known: dict[Product, Callable[[], np.ndarray]] = {}
    for line in sys.stdin:
        fields, count = json.loads(line)
        product = Product(*fields)
        if product not in known:
            known.clear()
            a, b = operands(product)
            known[product] = lambda a=a, b=b: a @ b  # type: ignore[misc]
        function = known[product]
        began = time.perf_counter()
        for _ in range(count):
            function()
        print(time.perf_counter() - began, flush=True)


if __name__ == "__main__":
    _serve()
