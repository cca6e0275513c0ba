"""How a backend draws random numbers.

It is a part of `tensorlab.backends.core.Core`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from tensorlab.backends.operands import OperandLayout

__all__ = ["RandomLaunch", "RandomOperations", "RandomState"]


class RandomState(NamedTuple):
    """Where a stream of random numbers stands. Launches write into both arrays.

    Attributes:
        words: 625 uint32: the state of the Mersenne Twister, and the position of the next word in it.
        spare: two float64: a normal number that was made but not given out, and 1 if there is one, else 0.
    """

    words: np.ndarray
    spare: np.ndarray


# Called with the state, the output's (cells, offset), the distribution's numbers, and an input's buffer.
RandomLaunch = Callable[..., int | None]


class RandomOperations:
    """The operations of one device that draw random numbers."""

    def random(
        self,
        distribution: str,
        shape: Sequence[int],
        out: OperandLayout,
        read: OperandLayout | None = None,
    ) -> RandomLaunch:
        """Prepare to overwrite `out` with random numbers, from the same words in the same order as PyTorch.

        The distributions, and the numbers that their launches are called with:

        ``"uniform"`` low, high · ``"normal"`` and ``"log_normal"`` mean, std · ``"exponential"`` rate ·
        ``"bernoulli"`` and ``"geometric"`` p · ``"cauchy"`` median, sigma · ``"integers"`` base, span, wide ·
        ``"permutation"`` none · ``"bernoulli_each"`` and ``"poisson"`` the buffer of an input whose elements
        are the parameters · ``"categories"`` the buffer of the weights; `shape` is then rows, categories and
        draws a row, and the launch returns 0 or why it refuses a row (1 negative, 2 infinite, 3 all zero).

        Numbers start, start + 1, … of a counter-based stream take no state, and are called with seed, stream
        and start: ``"philox_words"`` (to int64), ``"philox_uniform"`` and ``"philox_normal"`` (to float32 or
        float64). Which numbers they are is said by `tensorlab.random.Philox`; `out` is one run of cells.
        """
        raise NotImplementedError
