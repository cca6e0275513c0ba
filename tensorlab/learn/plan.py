"""The plan of the book: six parts, 24 chapters. A chapter is written when its notebook is there."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["PARTS", "Part", "chapters_of"]


@dataclass(frozen=True)
class Part:
    """One part of the book.

    Attributes:
        can: what a reader can do at its end.
        chapters: the titles of its chapters.
    """

    title: str
    can: str
    chapters: tuple[str, ...]


PARTS = (
    Part(
        "Memory",
        "say where every number lies, and whether an operation copies",
        (
            "A tensor is a line",
            "Strides",
            "Views without copying",
            "view, reshape, contiguous",
            "dtypes and interop",
        ),
    ),
    Part(
        "Array programming",
        "write code without loops whose shapes you can defend",
        ("Broadcasting", "Reductions, indexing, randomness", "Matmul in all ranks"),
    ),
    Part(
        "Autograd",
        "build backward(), and bound its memory",
        (
            "Graph and engine",
            "Gradients of shape operations",
            "Saved tensors and lifetimes",
            "Numerics and entropy",
        ),
    ),
    Part(
        "Networks",
        "train a network on parts that you wrote",
        ("nn and optimisers", "Convolution and layout"),
    ),
    Part(
        "Speed",
        "predict what a kernel will cost, then measure it",
        (
            "Caches, roofline, honest timing",
            "GEMM and threads",
            "Fusion and JIT",
            "The GPU model",
            "Shared memory and reductions",
            "CUDA GEMM",
            "Low precision",
        ),
    ),
    Part(
        "Systems",
        "run a small GPT on your own tensorlab, and test it so that you believe it",
        ("Many devices, simulated", "Your GPT", "Trust it"),
    ),
)


def chapters_of(part: int) -> range:
    """Return the numbers of the chapters of a part, which is counted from 1.

    Example:
        >>> chapters_of(2)
        range(6, 9)
    """
    before = sum(len(each.chapters) for each in PARTS[: part - 1])
    return range(before + 1, before + 1 + len(PARTS[part - 1].chapters))
