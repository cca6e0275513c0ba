"""Data sets: what has samples, by number or one after another."""

from __future__ import annotations

import bisect
import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar

from tensorlab.ops.random_integers import randperm
from tensorlab.random import Generator, default_generator
from tensorlab.tensor import Tensor

__all__ = [
    "ChainDataset",
    "ConcatDataset",
    "Dataset",
    "IterableDataset",
    "StackDataset",
    "Subset",
    "TensorDataset",
    "random_split",
]

T_co = TypeVar("T_co", covariant=True)


class Dataset(Generic[T_co]):
    """A data set whose samples have numbers: a subclass has ``__getitem__``, and mostly ``__len__``.

    Example:
        >>> from tensorlab.utils.data import Dataset
        >>> class Squares(Dataset):
        ...     def __getitem__(self, number):
        ...         return number**2
        ...     def __len__(self):
        ...         return 4
        >>> both = Squares() + Squares()
        >>> len(both), both[6]
        (8, 4)
    """

    def __getitem__(self, index: Any) -> T_co:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other: Dataset) -> ConcatDataset:
        return ConcatDataset([self, other])


class IterableDataset(Dataset[T_co]):
    """A data set that is read from its beginning: a subclass has ``__iter__``.

    With workers, each reads a copy of it from the beginning: `get_worker_info` says which part is its own.

    Example:
        >>> from tensorlab.utils.data import DataLoader, IterableDataset
        >>> class Countdown(IterableDataset):
        ...     def __iter__(self):
        ...         return iter([3, 2, 1])
        >>> list(DataLoader(Countdown(), batch_size=2))
        [tensor([3, 2]), tensor([1])]
    """

    def __iter__(self) -> Iterator[T_co]:
        raise NotImplementedError("Subclasses of IterableDataset should implement __iter__.")

    def __add__(self, other: Dataset) -> ChainDataset:  # type: ignore[override]
        return ChainDataset([self, other])


class TensorDataset(Dataset[tuple]):
    """The rows of some tensors, side by side.

    Args:
        tensors: tensors that agree in the size of the first dimension.

    Raises:
        AssertionError: they do not.

    Example:
        >>> import tensorlab as tl
        >>> data = tl.utils.data.TensorDataset(tl.arange(6).view(3, 2), tl.tensor([7, 8, 9]))
        >>> data[1]
        (tensor([2, 3]), tensor(8))
    """

    def __init__(self, *tensors: Tensor) -> None:
        sizes = [tensor.size(0) for tensor in tensors]
        if len(set(sizes)) != 1:
            raise AssertionError(f"Size mismatch between tensors: their first dimensions are {sizes}")
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple:
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self) -> int:
        return self.tensors[0].size(0)


class StackDataset(Dataset):
    """The samples of some data sets, side by side: a tuple of them, or a dict where they have names.

    Raises:
        ValueError: they differ in length, some have names and some have not, or there is none.

    Example:
        >>> from tensorlab.utils.data import StackDataset
        >>> StackDataset(image=[1, 2], label=["one", "two"])[1]
        {'image': 2, 'label': 'two'}
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if bool(args) == bool(kwargs):
            raise ValueError(
                "StackDataset takes data sets by position or by name, and got " + ("both" if args else "none")
            )
        self.datasets: Any = args or kwargs
        sets = args or tuple(kwargs.values())
        if len({len(each) for each in sets}) != 1:
            raise ValueError(f"Size mismatch between datasets: {[len(each) for each in sets]}")
        self._length = len(sets[0])

    def __getitem__(self, index: Any) -> Any:
        if isinstance(self.datasets, dict):
            return {name: each[index] for name, each in self.datasets.items()}
        return tuple(each[index] for each in self.datasets)

    def __len__(self) -> int:
        return self._length


class ConcatDataset(Dataset):
    """Some data sets, one behind another.

    Raises:
        AssertionError: there is none, or one has no numbers.

    Example:
        >>> from tensorlab.utils.data import ConcatDataset
        >>> both = ConcatDataset([[1, 2, 3], "ab"])
        >>> len(both), both[3], both[-5]
        (5, 'a', 1)
    """

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = list(datasets)
        if not self.datasets:
            raise AssertionError("datasets should not be an empty iterable")
        if any(isinstance(each, IterableDataset) for each in self.datasets):
            raise AssertionError("ConcatDataset does not support IterableDataset: use ChainDataset")
        self.cumulative_sizes = list(itertools.accumulate(len(each) for each in self.datasets))

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, index: int) -> Any:
        if index < 0:
            if -index > len(self):
                raise ValueError(
                    f"absolute value of index should not exceed dataset length: {index} of {len(self)}"
                )
            index += len(self)
        which = bisect.bisect_right(self.cumulative_sizes, index)
        if which == len(self.datasets):
            raise IndexError(f"sample {index} of a data set of {len(self)}")
        return self.datasets[which][index - (self.cumulative_sizes[which - 1] if which else 0)]


class ChainDataset(IterableDataset):
    """Some data sets that are read one after another.

    Example:
        >>> from tensorlab.utils.data import ChainDataset
        >>> list(ChainDataset([[1, 2], [3]]))
        [1, 2, 3]
    """

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = datasets

    def __iter__(self) -> Iterator:
        return itertools.chain.from_iterable(self.datasets)

    def __len__(self) -> int:
        return sum(len(each) for each in self.datasets)


class Subset(Dataset):
    """Some samples of a data set.

    Args:
        dataset: the data set.
        indices: the numbers of its samples that are this one's, in order.

    Example:
        >>> from tensorlab.utils.data import Subset
        >>> part = Subset("abcdef", [4, 0])
        >>> len(part), part[0]
        (2, 'e')
    """

    def __init__(self, dataset: Any, indices: Sequence[int]) -> None:
        self.dataset, self.indices = dataset, indices

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, list):
            return self.dataset[[self.indices[each] for each in index]]
        return self.dataset[self.indices[index]]

    def __getitems__(self, indices: list[int]) -> list:
        """Several samples at once; a data set that can fetch several is asked once."""
        numbers = [self.indices[each] for each in indices]
        fetch = getattr(self.dataset, "__getitems__", None)
        return fetch(numbers) if fetch is not None else [self.dataset[number] for number in numbers]

    def __len__(self) -> int:
        return len(self.indices)


def random_split(
    dataset: Any, lengths: Sequence[int | float], generator: Generator | None = None
) -> list[Subset]:
    """Cut a data set into parts at random; the parts share no sample.

    Args:
        dataset: a data set with a length.
        lengths: how many samples each part gets; or fractions that add up to 1. What they leave over by
            rounding down goes to the first parts, one each.
        generator: the source of randomness; the default generator if left out.

    Raises:
        ValueError: the lengths do not add up to the length of the data set, or a fraction is not from 0 to 1.

    Example:
        >>> import tensorlab as tl
        >>> parts = tl.utils.data.random_split(range(10), [0.8, 0.2], tl.Generator().manual_seed(0))
        >>> [len(part) for part in parts]
        [8, 2]
    """
    total = len(dataset)
    counts = [int(length) for length in lengths]
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        for k, fraction in enumerate(lengths):
            if not 0 <= fraction <= 1:
                raise ValueError(f"Fraction at index {k} is not between 0 and 1")
        counts = [math.floor(total * fraction) for fraction in lengths]
        for k in range(total - sum(counts)):
            counts[k % len(counts)] += 1
    if sum(counts) != total:
        raise ValueError(
            f"Sum of input lengths does not equal the length of the input dataset! {list(lengths)} for "
            f"{total} samples"
        )
    generator = generator or default_generator
    drawn = randperm(total, generator=generator, device=generator.device)
    order: Any = drawn.tolist()
    ends = itertools.accumulate(counts)
    return [Subset(dataset, order[end - count : end]) for end, count in zip(ends, counts, strict=True)]
