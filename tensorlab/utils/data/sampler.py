"""Samplers: in which order the samples of a data set come."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence, Sized
from typing import Any, Generic, TypeVar

from tensorlab.core import dtypes
from tensorlab.core.devices import device
from tensorlab.ops.creation import empty
from tensorlab.ops.from_data import as_tensor
from tensorlab.ops.random import multinomial
from tensorlab.ops.random_integers import randint, randperm
from tensorlab.random import Generator
from tensorlab.tensor import Tensor

__all__ = [
    "BatchSampler",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "SubsetRandomSampler",
    "WeightedRandomSampler",
    "draw_seed",
]

T_co = TypeVar("T_co", covariant=True)


class Sampler(Generic[T_co]):
    """The base of all samplers: a subclass has ``__iter__``, and ``__len__`` if the loader shall have one.

    Example:
        >>> from tensorlab.utils.data import DataLoader, Sampler
        >>> class EveryOther(Sampler):
        ...     def __iter__(self):
        ...         return iter(range(0, 6, 2))
        >>> list(DataLoader(range(6), sampler=EveryOther(), batch_size=3))
        [tensor([0, 2, 4])]
    """

    def __iter__(self) -> Iterator[T_co]:
        raise NotImplementedError(f"{type(self).__name__} has no __iter__(): a sampler needs one")


class SequentialSampler(Sampler[int]):
    """All samples in order.

    Example:
        >>> from tensorlab.utils.data import SequentialSampler
        >>> list(SequentialSampler("abc"))
        [0, 1, 2]
    """

    def __init__(self, data_source: Sized) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler[int]):
    """Samples in random order, the numbers that PyTorch draws from the same seed.

    Args:
        data_source: the data set.
        replacement: draw each anew from all samples.
        num_samples: how many; all if left out.
        generator: the source of randomness; otherwise one with a seed drawn from the default generator.

    Raises:
        TypeError: `replacement` is no bool.
        ValueError: `num_samples` is not positive.

    Example:
        >>> import tensorlab as tl
        >>> order = tl.utils.data.RandomSampler(range(5), generator=tl.Generator().manual_seed(5))
        >>> sorted(order)
        [0, 1, 2, 3, 4]
    """

    def __init__(
        self,
        data_source: Sized,
        replacement: bool = False,
        num_samples: int | None = None,
        generator: Generator | None = None,
    ) -> None:
        self.data_source, self.replacement, self.generator = data_source, replacement, generator
        self._num_samples = num_samples
        if not isinstance(replacement, bool):
            raise TypeError(f"replacement should be a boolean value, but got replacement={replacement}")
        if not isinstance(self.num_samples, int) or self.num_samples <= 0:
            raise ValueError(
                f"num_samples should be a positive integer value, but got num_samples={self.num_samples}"
            )

    @property
    def num_samples(self) -> int:
        """How many samples are drawn."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        count, generator = len(self.data_source), self.generator
        if generator is None:
            generator = Generator().manual_seed(draw_seed())
        if self.replacement:
            for first in range(0, self.num_samples, 32):
                size = min(32, self.num_samples - first)
                yield from _numbers(randint(0, count, (size,), generator=generator, device=generator.device))
            return
        for _ in range(self.num_samples // count):
            yield from _permuted(count, generator)
        # The rest may be none: PyTorch draws an order for it all the same, which moves its generator on.
        yield from _permuted(count, generator)[: self.num_samples % count]

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler[int]):
    """Some samples in random order.

    Args:
        indices: their numbers.
        generator: the source of randomness; the default generator if left out.

    Example:
        >>> from tensorlab.utils.data import SubsetRandomSampler
        >>> sorted(SubsetRandomSampler([8, 3, 5]))
        [3, 5, 8]
    """

    def __init__(self, indices: Sequence[int], generator: Generator | None = None) -> None:
        self.indices, self.generator = indices, generator

    def __iter__(self) -> Iterator[int]:
        for position in _permuted(len(self.indices), self.generator):
            yield self.indices[position]

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler[int]):
    """Samples drawn with given weights, so that rare classes come as often as others.

    Args:
        weights: the weight of each sample; they need not add up to 1.
        num_samples: how many are drawn.
        replacement: draw each from all samples.
        generator: the source of randomness; the default generator if left out.

    Raises:
        ValueError: `num_samples` is not positive, or `replacement` no bool.

    Example:
        >>> from tensorlab.utils.data import WeightedRandomSampler
        >>> list(WeightedRandomSampler([0.0, 1.0, 0.0], 4))
        [1, 1, 1, 1]
    """

    def __init__(
        self,
        weights: Sequence[float],
        num_samples: int,
        replacement: bool = True,
        generator: Generator | None = None,
    ) -> None:
        if not isinstance(num_samples, int) or isinstance(num_samples, bool) or num_samples <= 0:
            raise ValueError(
                f"num_samples should be a positive integer value, but got num_samples={num_samples}"
            )
        if not isinstance(replacement, bool):
            raise ValueError(f"replacement should be a boolean value, but got replacement={replacement}")
        self.weights = as_tensor(weights, dtype=dtypes.float64)
        self.num_samples, self.replacement, self.generator = num_samples, replacement, generator

    def __iter__(self) -> Iterator[int]:
        drawn = multinomial(self.weights, self.num_samples, self.replacement, generator=self.generator)
        yield from _numbers(drawn)

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler[list[int]]):
    """The samples of another sampler in batches.

    Args:
        sampler: the other sampler, or anything that can be iterated over.
        batch_size: how many to a batch.
        drop_last: leave out a last batch that is not full.

    Raises:
        ValueError: `batch_size` is not positive, or `drop_last` no bool.

    Example:
        >>> from tensorlab.utils.data import BatchSampler
        >>> list(BatchSampler(range(5), batch_size=2, drop_last=False))
        [[0, 1], [2, 3], [4]]
    """

    def __init__(self, sampler: Iterable[Any], batch_size: int, drop_last: bool) -> None:
        if not isinstance(batch_size, int) or isinstance(batch_size, bool) or batch_size <= 0:
            raise ValueError(
                f"batch_size should be a positive integer value, but got batch_size={batch_size}"
            )
        if not isinstance(drop_last, bool):
            raise ValueError(f"drop_last should be a boolean value, but got drop_last={drop_last}")
        self.sampler, self.batch_size, self.drop_last = sampler, batch_size, drop_last

    def __iter__(self) -> Iterator[list]:
        samples = iter(self.sampler)
        while batch := list(itertools.islice(samples, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield batch

    def __len__(self) -> int:
        count = len(self.sampler)  # type: ignore[arg-type]
        return count // self.batch_size if self.drop_last else -(-count // self.batch_size)


def draw_seed(generator: Generator | None = None) -> int:
    """A seed, drawn from a generator as PyTorch draws one."""
    return int(empty((), dtype=dtypes.int64, device=_place(generator)).random_(generator=generator).item())


def _place(generator: Generator | None) -> device | None:
    """Where a generator draws."""
    return None if generator is None else generator.device


def _permuted(count: int, generator: Generator | None) -> list[int]:
    return _numbers(randperm(count, generator=generator, device=_place(generator)))


def _numbers(drawn: Tensor) -> list[int]:
    found = drawn.tolist()
    assert isinstance(found, list)
    return found
