"""The matrix products that are compared, as NumPy operands: the same numbers in every process."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

__all__ = ["PRODUCTS", "Product", "operands"]


class Product(NamedTuple):
    """One product to compare.

    Attributes:
        dtype: the operands' type.
        m, k, n: `a` is m × k and `b` is k × n.
        batch: how many products there are; 0 for one without a dimension of its own.
        a, b: how the operand lies: ``"rows"``, ``"transposed"`` or ``"sliced"`` (every second column).
        end: what follows: ``""``, or ``"gelu"`` with a bias before it.
    """

    dtype: str
    m: int
    k: int
    n: int
    batch: int = 0
    a: str = "rows"
    b: str = "rows"
    end: str = ""

    @property
    def name(self) -> str:
        """What is computed, in words.

        Example:
            >>> Product("float32", 64, 64, 64, batch=10).name, Product("float64", 2, 3, 4, a="sliced").name
            ('float32, 10 of 64³', 'float64, 2 × 3 × 4, A sliced')
        """
        size = f"{self.m}³" if self.m == self.k == self.n else f"{self.m} × {self.k} × {self.n}"
        words = [f"{self.batch} of {size}" if self.batch else size]
        words += [f"{name} {kind}" for name, kind in (("A", self.a), ("B", self.b)) if kind != "rows"]
        return ", ".join([self.dtype, *words, *([f"{self.end}(a @ b + bias)"] if self.end else [])])

    @property
    def operations(self) -> int:
        """Multiplications and additions."""
        return 2 * self.m * self.k * self.n * (self.batch or 1)

    @property
    def bytes(self) -> int:
        """What has to be moved at least: each operand read once, the result written once."""
        cells = self.m * self.k + self.k * self.n + self.m * self.n
        return cells * (self.batch or 1) * np.dtype(self.dtype).itemsize


def _listed() -> list[Product]:
    found = []
    for dtype in ("float32", "float64"):
        found += [Product(dtype, n, n, n) for n in (4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048)]
        for a, b in (("transposed", "rows"), ("rows", "transposed"), ("sliced", "rows"), ("rows", "sliced")):
            found.append(Product(dtype, 1024, 1024, 1024, a=a, b=b))
        found.append(Product(dtype, 64, 64, 64, batch=64))
        found += [Product(dtype, *sizes) for sizes in ((4096, 64, 4096), (64, 4096, 64), (1024, 1024, 1))]
    found.append(Product("float32", 512, 512, 512, end="gelu"))
    found.append(Product("float32", 4096, 64, 1024, end="gelu"))
    return found


PRODUCTS = tuple(_listed())


def operands(product: Product) -> tuple[np.ndarray, np.ndarray]:
    """`a` and `b`, of numbers from -1 to 1."""
    random = np.random.default_rng(0)
    batch = (product.batch,) if product.batch else ()

    def made(rows: int, columns: int, kind: str) -> np.ndarray:
        shape = {"rows": (rows, columns), "transposed": (columns, rows), "sliced": (rows, 2 * columns)}[kind]
        numbers = random.uniform(-1, 1, (*batch, *shape)).astype(product.dtype)
        if kind == "transposed":
            return np.swapaxes(numbers, -1, -2)
        return numbers[..., ::2] if kind == "sliced" else numbers

    return made(product.m, product.k, product.a), made(product.k, product.n, product.b)
