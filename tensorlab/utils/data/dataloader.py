"""The loader: batches of a data set, made in this process or ahead of time by others."""

from __future__ import annotations

import functools
import multiprocessing
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar

from tensorlab import cuda
from tensorlab.core.warned import warn_caller
from tensorlab.random import Generator
from tensorlab.utils.data.collate import default_collate, default_convert, pinned
from tensorlab.utils.data.dataset import IterableDataset
from tensorlab.utils.data.sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler, draw_seed
from tensorlab.utils.data.worker import BEGIN, Ended, Failure, Fetch, Workers

__all__ = ["DataLoader"]

T_co = TypeVar("T_co", covariant=True)


class DataLoader(Generic[T_co]):
    """Batches of a data set, one after another, anew with every loop.

    With `num_workers` the batches are made by other processes, some ahead of the one that is asked for, and
    come in the same order. A worker's copy of the data set is its own: what it changes there, nobody else
    sees. Where processes are not forked (on Windows and macOS, and on Linux from Python 3.14 on), the data
    set and the functions must be picklable, and the program's entry must be guarded by ``if __name__ ==
    "__main__"``.

    Args:
        dataset: has ``__getitem__`` and ``__len__``, or is an `IterableDataset`.
        batch_size: samples to a batch; None for single samples.
        shuffle: a new random order with every loop.
        sampler: the order instead, a `Sampler` or anything else with numbers of samples.
        batch_sampler: batches of numbers, instead of the four arguments around it.
        num_workers: how many other processes make batches.
        collate_fn: makes a batch of a list of samples; `default_collate` if left out.
        pin_memory: copy the tensors of each batch into pinned memory, from which a GPU copies by itself
            (see `Tensor.pin_memory`). Without a GPU there is a warning.
        drop_last: leave out a last batch that is not full.
        timeout: how many seconds to wait for a worker's batch; 0 for ever.
        worker_init_fn: called in each worker with its number.
        multiprocessing_context: the way in which processes are started, or its name.
        generator: the source of the order and of the workers' seeds.
        prefetch_factor: how many batches each worker makes ahead; 2 if left out.
        persistent_workers: keep the workers from one loop to the next.
        pin_memory_device: accepted.
        in_order: accepted; batches come in order always.

    Raises:
        ValueError: arguments contradict one another, or a number is out of range.
        TypeError: the length is asked of a data set that has none.
        RuntimeError: while batches are asked for: a worker died, or took longer than `timeout`. An error in a
            worker is raised here, with the worker's traceback in its text.

    Example:
        >>> import tensorlab as tl
        >>> data = tl.utils.data.TensorDataset(tl.arange(10).view(5, 2), tl.arange(5))
        >>> loader = tl.utils.data.DataLoader(data, batch_size=2)
        >>> len(loader)
        3
        >>> for rows, labels in loader:
        ...     print(rows.tolist(), labels.tolist())
        [[0, 1], [2, 3]] [0, 1]
        [[4, 5], [6, 7]] [2, 3]
        [[8, 9]] [4]
    """

    def __init__(
        self,
        dataset: Any,
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Sampler | Iterable | None = None,
        batch_sampler: Sampler | Iterable[Sequence] | None = None,
        num_workers: int = 0,
        collate_fn: Callable[[list], Any] | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: Callable[[int], None] | None = None,
        multiprocessing_context: Any = None,
        generator: Generator | None = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
    ) -> None:
        iterable = isinstance(dataset, IterableDataset)
        _check_workers(num_workers, timeout, prefetch_factor, persistent_workers)
        if iterable:
            _check_iterable(shuffle, sampler, batch_sampler)
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        if batch_sampler is not None:
            if batch_size != 1 or shuffle or sampler is not None or drop_last:
                raise ValueError(
                    "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and "
                    "drop_last"
                )
            batch_size = None
        elif batch_size is None and drop_last:
            raise ValueError(
                "batch_size=None option disables auto-batching and is mutually exclusive with drop_last"
            )
        if sampler is None and not iterable:
            sampler = RandomSampler(dataset, generator=generator) if shuffle else SequentialSampler(dataset)
        elif sampler is None:
            sampler = _Endless()
        if batch_size is not None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.dataset, self.batch_size, self.drop_last = dataset, batch_size, drop_last
        self.sampler, self.batch_sampler, self.generator = sampler, batch_sampler, generator
        self.num_workers, self.timeout, self.worker_init_fn = num_workers, timeout, worker_init_fn
        self.prefetch_factor = 2 if num_workers and prefetch_factor is None else prefetch_factor
        self.persistent_workers, self.multiprocessing_context = persistent_workers, multiprocessing_context
        self.pin_memory, self.pin_memory_device, self.in_order = pin_memory, pin_memory_device, in_order
        batches = batch_sampler is not None
        self.collate_fn = collate_fn or (default_collate if batches else default_convert)
        self._fetch_of = functools.partial(
            _fetch_next if iterable else _fetch_numbers, self.collate_fn, batches, drop_last
        )
        self._kept: Workers | None = None

    def __iter__(self) -> Iterator[T_co]:
        seed = draw_seed(self.generator)
        numbers = iter(self.sampler if self.batch_sampler is None else self.batch_sampler)
        batches = self._from_workers(numbers, seed) if self.num_workers else self._own(numbers)
        if not self.pin_memory:
            return batches
        if cuda.is_available():
            return map(pinned, batches)
        warn_caller(
            "'pin_memory' argument is set as true but no accelerator is found, then device pinned memory "
            "won't be used.",
            UserWarning,
        )
        return batches

    def __len__(self) -> int:
        if not isinstance(self.dataset, IterableDataset):
            return len(self.sampler if self.batch_sampler is None else self.batch_sampler)  # type: ignore[arg-type]
        length = len(self.dataset)  # type: ignore[arg-type]
        if self.batch_size is None:
            return length
        return length // self.batch_size if self.drop_last else -(-length // self.batch_size)

    def _own(self, numbers: Iterator[Any]) -> Iterator[T_co]:
        """Batches that are made here, each when it is asked for."""
        fetch = self._fetch_of(self.dataset)
        for indices in numbers:
            try:
                made = fetch(indices)
            except StopIteration:
                return
            yield made

    def _from_workers(self, numbers: Iterator[Any], seed: int) -> Iterator[T_co]:
        """Batches that others make. Batch k is the affair of the worker whose turn it is."""
        workers, self._kept = self._kept or self._start(seed), None
        going_on = deque(range(self.num_workers))  # those whose data set is not at its end
        asked: deque[int] = deque()  # the worker of each batch that is on its way

        def ask() -> None:
            if going_on and (indices := next(numbers, _END)) is not _END:
                worker = going_on[0]
                going_on.rotate(-1)
                workers.send(worker, (indices,))
                asked.append(worker)

        clean = False
        try:
            for worker in range(self.num_workers):
                workers.send(worker, BEGIN)
            for _ in range((self.prefetch_factor or 2) * self.num_workers):
                ask()
            while asked:
                worker = asked.popleft()
                made = workers.receive(worker)
                if isinstance(made, Ended) and worker in going_on:
                    going_on.remove(worker)
                ask()
                if isinstance(made, Failure):
                    made.raise_again(worker)
                if not isinstance(made, Ended):
                    yield made
            clean = True
        finally:
            if clean and self.persistent_workers:
                self._kept = workers
            else:
                workers.close()

    def _start(self, seed: int) -> Workers:
        context = self.multiprocessing_context
        if context is None or isinstance(context, str):
            context = multiprocessing.get_context(context)
        return Workers(
            context, self.num_workers, self.dataset, self._fetch_of, self.worker_init_fn, seed, self.timeout
        )


_END = object()


class _Endless:
    """The numbers of a data set that has none."""

    def __iter__(self) -> Iterator[None]:
        while True:
            yield None


def _fetch_numbers(collate: Callable, batches: bool, drop_last: bool, dataset: Any) -> Fetch:
    """Makes a batch of the samples with certain numbers."""
    several = getattr(dataset, "__getitems__", None)

    def fetch(indices: Any) -> Any:
        if not batches:
            return collate(dataset[indices])
        samples = several(indices) if several is not None else [dataset[index] for index in indices]
        return collate(samples)

    return fetch


def _fetch_next(collate: Callable, batches: bool, drop_last: bool, dataset: Any) -> Fetch:
    """Makes a batch of the next samples of a data set that is read from its beginning."""
    samples = iter(dataset)

    def fetch(indices: Any) -> Any:
        if not batches:
            return collate(next(samples))
        batch = [sample for _, sample in zip(indices, samples)]  # noqa: B905 - the last one may be shorter
        if not batch or (drop_last and len(batch) < len(indices)):
            raise StopIteration
        return collate(batch)

    return fetch


def _check_workers(
    num_workers: int, timeout: float, prefetch_factor: int | None, persistent_workers: bool
) -> None:
    if num_workers < 0:
        raise ValueError(
            "num_workers option should be non-negative; use num_workers=0 to disable multiprocessing."
        )
    if timeout < 0:
        raise ValueError("timeout option should be non-negative")
    if num_workers == 0 and prefetch_factor is not None:
        raise ValueError(
            "prefetch_factor option could only be specified in multiprocessing: let num_workers > 0 to "
            "enable multiprocessing, otherwise set prefetch_factor to None."
        )
    if prefetch_factor is not None and prefetch_factor < 1:
        raise ValueError(f"prefetch_factor option should be positive, got {prefetch_factor}")
    if num_workers == 0 and persistent_workers:
        raise ValueError("persistent_workers option needs num_workers > 0")


def _check_iterable(shuffle: bool | None, sampler: Any, batch_sampler: Any) -> None:
    for name, value in (("shuffle", shuffle or None), ("sampler", sampler), ("batch_sampler", batch_sampler)):
        if value is not None:
            raise ValueError(
                f"DataLoader with IterableDataset: expected unspecified {name} option, but got {name}={value}"
            )
