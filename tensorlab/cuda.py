"""What programs ask of GPUs before they use one: there is none here, and they go on with the CPU.

So ``device = "cuda" if tensorlab.cuda.is_available() else "cpu"`` runs as it stands. Whatever needs a GPU is
not here, and a tensor asked for on ``"cuda"`` is refused.
"""

from __future__ import annotations

__all__ = [
    "device_count",
    "empty_cache",
    "is_available",
    "is_initialized",
    "manual_seed",
    "manual_seed_all",
]


def is_available() -> bool:
    """Whether tensors can be made on a GPU: no.

    Example:
        >>> import tensorlab as tl
        >>> "cuda" if tl.cuda.is_available() else "cpu"
        'cpu'
    """
    return False


def is_initialized() -> bool:
    """Whether a GPU has been used: no."""
    return False


def device_count() -> int:
    """How many GPUs tensors can be made on: 0."""
    return 0


def manual_seed(seed: int) -> None:
    """Seed the generator of the current GPU: there is none, so nothing changes.

    Raises:
        TypeError, ValueError: the seed is no number.
    """
    int(seed)


def manual_seed_all(seed: int) -> None:
    """Seed the generators of all GPUs, as programs do beside `tensorlab.manual_seed`: there are none.

    Raises:
        TypeError, ValueError: the seed is no number.
    """
    int(seed)


def empty_cache() -> None:
    """Give back the memory of GPUs that no tensor uses: there is none."""
