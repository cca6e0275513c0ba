"""Generators: where a stream of random numbers stands, and how it is seeded, saved and set back.

The CPU's generator is the Mersenne Twister, seeded as PyTorch seeds it: the same seed and the same calls give
the numbers that PyTorch gives.
"""

from __future__ import annotations

import os
import threading
from typing import Any

import numpy as np

from tensorlab.backends import RandomState, backend_of
from tensorlab.core import dtypes
from tensorlab.core.devices import device
from tensorlab.core.layout import Size
from tensorlab.tensor import Tensor, make_dense

# A generator that nobody has seeded begins here; PyTorch chose the number.
DEFAULT_SEED = 67280421310721

# The bytes of a state: field by field what PyTorch's get_state gives, so that each reads the other's.
LAYOUT = np.dtype(
    [
        ("seed", "<u8"),
        ("left", "<i4"),  # words until the next twist, counted as 1 more; so left + next = 625
        ("seeded", "<i4"),
        ("next", "<u8"),  # position of the next word
        ("words", "<u8", (624,)),
        ("taken", "<u8"),  # words of the stream of GPUs; PyTorch's field has no use and is 0
        ("spare", "<f8"),  # a normal number that was made but not given out
        ("of_gpus", "<u8"),  # in which bits the seed of GPUs differs; PyTorch's field has no use and is 0
        ("has_spare", "<i4"),
        ("gap", "<i4"),
        ("spare_float32", "<f4"),  # only ever set by PyTorch, and kept for it
        ("has_spare_float32", "u1"),
        ("end", "V3"),
    ]
)


class Generator:
    """A stream of random numbers that is independent of all others.

    One of the CPU has a second stream, from which numbers on GPUs come. One of a GPU has that stream alone.

    Args:
        device: the device that the numbers are made on.

    Raises:
        RuntimeError: no such device, or it is not there.

    Example:
        >>> import tensorlab as tl
        >>> g = tl.Generator().manual_seed(8)
        >>> tl.rand(3, generator=g)
        tensor([0.5979, 0.8453, 0.9464])
        >>> g.initial_seed(), g.device
        (8, device(type='cpu'))
    """

    __slots__ = ("__weakref__", "_device", "_lock", "_seed", "_seeded", "_spare_float32", "_state")

    _device: device
    _lock: threading.RLock
    _seed: int
    _seeded: bool
    _spare_float32: tuple[float, int]
    _state: RandomState

    def __init__(self, device: device | str = "cpu") -> None:
        self._device = backend_of(device).device
        # Taken while numbers are made, so that two threads never give out the same ones.
        self._lock = threading.RLock()
        self._state = RandomState(np.zeros(625, np.uint32), np.zeros(2), np.zeros(2, np.uint64))
        self._begin(DEFAULT_SEED)

    @property
    def device(self) -> device:
        """The device that the numbers are made on."""
        return self._device

    def manual_seed(self, seed: int) -> Generator:
        """Begin the stream of a seed, and return this generator.

        Args:
            seed: from -2^63 to 2^64 - 1; a negative seed counts from 2^64 downward. The Mersenne Twister uses
                the lower 32 bits.

        Raises:
            RuntimeError: the seed is no int.
            ValueError: it has more than 64 bits.
        """
        chosen = _of_64_bits(seed)
        with self._lock:
            self._begin(chosen)
        return self

    def seed(self) -> int:
        """Begin a stream that cannot be foreseen, and return its seed, a number of 53 bits."""
        chosen = int.from_bytes(os.urandom(8), "little") >> 11
        self.manual_seed(chosen)
        return chosen

    def initial_seed(self) -> int:
        """The seed that the stream began with, from 0 to 2^64 - 1."""
        return self._seed

    def manual_seed_of_gpus(self, seed: int) -> None:
        """Begin the stream of a seed for GPUs alone (see `manual_seed`)."""
        chosen = _of_64_bits(seed)
        with self._lock:
            self._state.counted[:] = chosen, 0

    def initial_seed_of_gpus(self) -> int:
        """The seed that the stream for GPUs began with."""
        return int(self._state.counted[0])

    def get_state_of_gpus(self) -> Tensor:
        """Where the stream for GPUs stands: the seed, and how many words were taken, as 16 bytes."""
        memory = self._state.counted.copy().view(np.uint8)
        return make_dense(memory, dtypes.uint8, Size((memory.size,)), (1,))

    def set_state_of_gpus(self, new_state: Tensor) -> None:
        """Go to where the stream for GPUs stood when `get_state_of_gpus` was called.

        Raises:
            TypeError: `new_state` is no tensor of dtype uint8.
            RuntimeError: it has another size.
        """
        content = _content(new_state, "GPU", self._state.counted.nbytes)
        with self._lock:
            self._state.counted[:] = np.frombuffer(content, np.uint64)

    def get_state(self) -> Tensor:
        """Where the stream stands, as 5056 bytes in a tensor of dtype uint8; of a GPU's, as 16.

        The bytes of the CPU's are laid out as PyTorch's are: a state can be taken from one library to the
        other.
        """
        if self._device.type == "cuda":
            return self.get_state_of_gpus()
        with self._lock:
            words, spare, _ = self._started()
            record = np.zeros((), LAYOUT)
            position = int(words[624])
            record["seed"], record["seeded"] = self._seed, 1
            record["next"], record["left"] = position, 625 - position if position else 1
            record["words"] = words[:624]
            if spare[1]:
                record["spare"], record["has_spare"] = spare[0], 1
            record["of_gpus"], record["taken"] = self._state.counted ^ np.array([self._seed, 0], np.uint64)
            record["spare_float32"], record["has_spare_float32"] = self._spare_float32
        memory = np.frombuffer(bytearray(record.tobytes()), np.uint8)
        return make_dense(memory, dtypes.uint8, Size((memory.size,)), (1,))

    def set_state(self, new_state: Tensor) -> None:
        """Go to where a stream stood when `get_state` was called.

        Raises:
            TypeError: `new_state` is no tensor of dtype uint8.
            RuntimeError: it has another size, or its bytes are no state.
        """
        if self._device.type == "cuda":
            self.set_state_of_gpus(new_state)
            self._seed, self._seeded = self.initial_seed_of_gpus(), False
            return
        record = np.frombuffer(_content(new_state, "CPU", LAYOUT.itemsize), LAYOUT)[0]
        left, position = int(record["left"]), int(record["next"])
        fresh = (left, position) == (1, 0)
        if not record["seeded"] or not (fresh or (1 <= position <= 624 and left + position == 625)):
            raise RuntimeError("Invalid mt19937 state: these bytes are not from get_state()")
        with self._lock:
            self._seed, self._seeded = int(record["seed"]), True
            self._state.words[:624] = record["words"].astype(np.uint32)
            self._state.words[624] = position
            self._state.spare[:] = (record["spare"], 1.0) if record["has_spare"] else (0.0, 0.0)
            self._state.counted[:] = self._seed ^ int(record["of_gpus"]), record["taken"]
            self._spare_float32 = float(record["spare_float32"]), int(record["has_spare_float32"])

    def clone_state(self) -> Generator:
        """A new generator that stands where this one does."""
        twin = Generator(self._device)
        twin.set_state(self.get_state())
        return twin

    def _begin(self, seed: int) -> None:
        self._seed, self._seeded = seed, False
        self._state.counted[:] = seed, 0
        self._spare_float32 = 0.0, 0

    def _started(self) -> RandomState:
        """The state that launches write into. Only now are its words made: importing compiles no kernel."""
        if not self._seeded:
            # The Mersenne Twister of NumPy makes the same words of a seed.
            words = np.random.RandomState(self._seed & 0xFFFFFFFF).get_state(legacy=False)["state"]["key"]
            self._state.words[:624], self._state.words[624] = words, 0
            self._state.spare[:] = 0.0
            self._seeded = True
        return self._state

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self._device, self.get_state())

    def __repr__(self) -> str:
        return f"Generator(device={str(self._device)!r}, initial_seed={self._seed})"


def _of_64_bits(seed: int) -> int:
    """A seed as it is kept, from 0 to 2^64 - 1."""
    if not isinstance(seed, int) or isinstance(seed, bool):
        raise RuntimeError(f"manual_seed expected a long, but got {type(seed).__name__}")
    if not -(2**63) <= seed < 2**64:
        raise ValueError(f"Overflow when unpacking long long: a seed has 64 bits, got {seed}")
    return seed % 2**64


def _content(state: Tensor, kind: str, size: int) -> bytes:
    """The bytes of a state, which must be so many."""
    if not isinstance(state, Tensor):
        raise TypeError(f"expected a tensor, as get_state() gives it, but got {state!r}")
    if state.dtype is not dtypes.uint8:
        raise TypeError(f"RNG state must be a tensor of dtype uint8, got {state.dtype.name}")
    if state.numel() != size:
        raise RuntimeError(f"the state of a {kind} generator has {size} bytes, got {state.numel()}")
    return state._read_cells().tobytes()


def _restored(device: device, state: Tensor) -> Generator:
    """The generator that was pickled or copied."""
    generator = Generator(device)
    generator.set_state(state)
    return generator


default_generator = Generator()
default_generator.seed()
