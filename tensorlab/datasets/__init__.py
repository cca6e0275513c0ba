"""Small real data to train on: some that a package brings along, a text of the project's own, and downloads.

Each function returns a data set for `tensorlab.utils.data.DataLoader`, or a text. What is downloaded is
checked against a known sum, kept in the user's cache folder, and not asked for again.
"""

from __future__ import annotations

from typing import Any

from tensorlab.datasets.download import cifar10, fashion_mnist, mnist, tiny_shakespeare
from tensorlab.datasets.packaged import breast_cancer, digits, docstrings, iris, wine

__all__ = [
    "breast_cancer",
    "cifar10",
    "digits",
    "docstrings",
    "fashion_mnist",
    "iris",
    "mnist",
    "tiny_shakespeare",
    "wine",
]


def __getattr__(name: str) -> Any:
    raise AttributeError(
        f"tensorlab.datasets has no {name!r}; there are {', '.join(__all__)}", name=name, obj=None
    )
