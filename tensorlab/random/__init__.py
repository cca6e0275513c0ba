"""The state of random numbers: generators, seeds, and a counter-based generator beside them.

Functions that make random numbers (`tensorlab.rand`, `Tensor.normal_`, …) take them from a `Generator`;
without one from `default_generator`, which begins with an unforeseeable seed. `manual_seed` makes a program
repeatable.

`Philox` is another kind: number i of a stream is computed from i alone, so that any part of a stream can be
made anywhere, in any order.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator

from tensorlab.backends import backend_of
from tensorlab.core.devices import device
from tensorlab.random.counter import philox_block, stream_words
from tensorlab.random.generator import Generator, default_generator
from tensorlab.random.philox import Philox
from tensorlab.registry import op
from tensorlab.tensor import Tensor

__all__ = [
    "Generator",
    "Philox",
    "default_generator",
    "fork_rng",
    "get_rng_state",
    "initial_seed",
    "manual_seed",
    "philox_block",
    "seed",
    "set_rng_state",
    "stream_words",
]


@op()
def manual_seed(seed: int) -> Generator:
    """Begin the default stream of a seed: the same program then makes the same numbers, and PyTorch's.

    Args:
        seed: from -2^63 to 2^64 - 1; anything that ``int(seed)`` accepts.

    Returns:
        the default generator.

    Raises:
        ValueError: the seed has more than 64 bits.

    Example:
        >>> import tensorlab as tl
        >>> _ = tl.manual_seed(8)
        >>> tl.rand(4)
        tensor([0.5979, 0.8453, 0.9464, 0.2965])
    """
    return default_generator.manual_seed(int(seed))


@op()
def seed() -> int:
    """Begin an unforeseeable default stream, and return its seed.

    Example:
        >>> import tensorlab as tl
        >>> tl.seed() == tl.initial_seed()
        True
    """
    return default_generator.seed()


@op()
def initial_seed() -> int:
    """The seed that the default stream began with.

    Example:
        >>> import tensorlab as tl
        >>> _ = tl.manual_seed(8)
        >>> tl.initial_seed()
        8
    """
    return default_generator.initial_seed()


@op()
def get_rng_state() -> Tensor:
    """Where the default stream stands, as a tensor of dtype uint8 (see `Generator.get_state`).

    Example:
        >>> import tensorlab as tl
        >>> state = tl.get_rng_state()
        >>> first = tl.rand(3)
        >>> tl.set_rng_state(state)
        >>> tl.rand(3).tolist() == first.tolist()
        True
    """
    return default_generator.get_state()


@op()
def set_rng_state(new_state: Tensor) -> None:
    """Go to where the default stream stood when `get_rng_state` was called.

    Raises:
        TypeError: `new_state` is no tensor of dtype uint8.
        RuntimeError: it is not the state of a generator.

    Example:
        >>> import tensorlab as tl
        >>> state = tl.get_rng_state()
        >>> first = tl.rand(2)
        >>> tl.set_rng_state(state)
        >>> tl.equal(tl.rand(2), first)
        True
    """
    default_generator.set_state(new_state)


@contextlib.contextmanager
def fork_rng(
    devices: Iterable[device | str | int] | None = None, enabled: bool = True, device_type: str | None = None
) -> Iterator[None]:
    """A block of code after which the default stream stands where it stood before.

    Args:
        devices: devices whose streams are set back beside the CPU's; those of GPUs are in any case.
        enabled: False makes it an ordinary block.
        device_type: the type of `devices`.

    Raises:
        RuntimeError: one of the devices is not there.

    Example:
        >>> import tensorlab as tl
        >>> _ = tl.manual_seed(8)
        >>> with tl.random.fork_rng():
        ...     inside = tl.rand(2)
        >>> tl.rand(2).tolist() == inside.tolist()
        True
    """
    if not enabled:
        yield
        return
    for place in devices or ():
        backend_of(place)
    if device_type is not None:
        backend_of(device_type)
    state = get_rng_state()
    try:
        yield
    finally:
        set_rng_state(state)
