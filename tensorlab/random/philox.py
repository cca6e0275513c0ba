"""Philox: random numbers that depend on a seed, a stream and a position, and on nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from tensorlab.backends import HOST, OperandLayout
from tensorlab.core import dtypes, layout
from tensorlab.core.dtypes import dtype
from tensorlab.core.layout import Size, as_int
from tensorlab.tensor import Tensor, make_dense

# Positions are counted in an int64, and a normal number of float64 takes two words.
MOST = 2**61


class Philox:
    """A counter-based generator: number i of a stream is computed from i, without the numbers before it.

    It has no state. However a stream is cut, in whatever order and by however many threads its parts are
    made, and on whatever device, element i is the same. Only normal numbers of float64 depend on the machine,
    in their last bit: logarithm, sine and cosine are those of its mathematical library.

    The words of a stream are the outputs of Philox 4x32-10 (Salmon and others, SC 2011). Its key is the seed,
    lower half first. Its counter is the number of the block in the lower 64 bits and the stream in the upper
    64 bits, lower halves first; block b holds words 4b … 4b + 3. From these are made:

    =============================  ==================================================================
    ``uniform`` i, float32          word i: its lower 24 bits, times 2^-24
    ``uniform`` i, float64          words 2i and 2i + 1: the lower 21 bits of the first above all bits of
                                    the second, times 2^-53
    ``normal`` 2i and 2i + 1        Box and Muller's pair of the uniform numbers u and v at 2i and 2i + 1:
                                    sqrt(-2 log(1 - u)) times cos(2 pi v), and times sin(2 pi v)
    =============================  ==================================================================

    Args:
        seed: the key, from -2^63 to 2^64 - 1; a negative one counts from 2^64 downward.
        stream: which of the 2^64 streams of the seed; different streams never meet.

    Raises:
        TypeError: an argument is no integer.
        ValueError: it has more than 64 bits.

    Example:
        >>> import tensorlab as tl
        >>> whole = tl.random.Philox(8).uniform(6)
        >>> part = tl.random.Philox(8).uniform(2, start=3)
        >>> whole[3:5].tolist() == part.tolist()
        True
    """

    __slots__ = ("seed", "stream")

    seed: int
    stream: int

    def __init__(self, seed: int, stream: int = 0) -> None:
        self.seed = _as_key("seed", seed)
        self.stream = _as_key("stream", stream)

    def words(self, count: int, start: int = 0) -> Tensor:
        """Words start … start + count - 1, as int64 from 0 to 2^32 - 1.

        Example:
            >>> import tensorlab as tl
            >>> [hex(word) for word in tl.random.Philox(0).words(4).tolist()]
            ['0x6627e8d5', '0xe169c58d', '0xbc57ac4c', '0x9b00dbd8']
        """
        return self._filled("words", (count,), start, dtypes.int64)

    def uniform(self, *size: int | Sequence[int], start: int = 0, dtype: dtype | None = None) -> Tensor:
        """Uniform numbers of [0, 1), in row-major order.

        Args:
            size: the sizes, as separate ints or as one sequence.
            start: the position of the first element in the stream.
            dtype: float32 or float64; the default dtype.

        Raises:
            TypeError: another dtype.
            RuntimeError: a size is negative.
            ValueError: a position is negative or beyond 2^61.
        """
        return self._filled("uniform", size, start, dtype or dtypes.get_default_dtype())

    def normal(self, *size: int | Sequence[int], start: int = 0, dtype: dtype | None = None) -> Tensor:
        """Normal numbers of mean 0 and standard deviation 1 (see `uniform` for the arguments)."""
        return self._filled("normal", size, start, dtype or dtypes.get_default_dtype())

    def _filled(self, kind: str, size: Sequence, start: int, element_type: dtype) -> Tensor:
        if kind != "words" and element_type not in (dtypes.float32, dtypes.float64):
            raise TypeError(f"Philox makes float32 and float64, not {element_type!r}: convert with .to()")
        if len(size) == 1 and isinstance(size[0], (tuple, list)):
            size = size[0]
        shape = Size(as_int(item, "every size") for item in size)
        if any(item < 0 for item in shape):
            raise RuntimeError(f"Philox.{kind}(): sizes must not be negative, got {tuple(shape)}")
        count = layout.numel(shape)
        start = as_int(start, "start")
        if not 0 <= start <= MOST - count:
            raise ValueError(f"a stream has positions 0 … 2^61 - 1, got {start} … {start + count - 1}")
        memory = HOST.allocate(count, element_type.cell)
        fill = HOST.random(f"philox_{kind}", (count,), OperandLayout(element_type, (1,)))
        fill(None, (memory, 0), self.seed, self.stream, start)
        return make_dense(memory, element_type, shape, layout.default_strides(shape))

    def __repr__(self) -> str:
        return f"Philox(seed={self.seed}, stream={self.stream})"


def _as_key(name: str, value: int) -> int:
    number = as_int(value, name)
    if not -(2**63) <= number < 2**64:
        raise ValueError(f"the {name} of a Philox generator has 64 bits, got {number}")
    return number % 2**64
