"""Data sets, samplers and collation beside PyTorch's, in one process."""

from __future__ import annotations

from collections import namedtuple

import numpy as np
import pytest

import tensorlab as tl

Pair = namedtuple("Pair", "x y")


def plain(value):
    """Tensors of either library as lists, with their dtypes."""
    if hasattr(value, "tolist") and hasattr(value, "dtype"):
        return str(value.dtype).split(".")[-1], value.tolist()
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value).__name__, [plain(each) for each in value]
    return value


def stream(library):
    """A stream of unknown length."""

    class Stream(library.utils.data.IterableDataset):
        def __iter__(self):
            return iter([1, 2])

    return Stream()


def countdown(library):
    class Countdown(library.utils.data.IterableDataset):
        def __iter__(self):
            return iter([5, 4, 3, 2, 1])

        def __len__(self):
            return 5

    return Countdown()


LOADERS = {
    "order": lambda lib, data: data.DataLoader(range(7), batch_size=3),
    "drop_last": lambda lib, data: data.DataLoader(range(7), batch_size=3, drop_last=True),
    "shuffle": lambda lib, data: data.DataLoader(range(40), batch_size=7, shuffle=True),
    "shuffle, generator": lambda lib, data: data.DataLoader(
        range(40), batch_size=7, shuffle=True, generator=lib.Generator().manual_seed(4)
    ),
    "two epochs, one generator": lambda lib, data: [
        [list(loader), list(loader)]
        for loader in [data.DataLoader(range(12), 4, shuffle=True, generator=lib.Generator().manual_seed(4))]
    ],
    "single": lambda lib, data: data.DataLoader(range(3), batch_size=None),
    "sampler": lambda lib, data: data.DataLoader("abcdef", sampler=[4, 2, 0], batch_size=2),
    "batch_sampler": lambda lib, data: data.DataLoader(range(9), batch_sampler=[[1], [4, 4, 8]]),
    "collate_fn": lambda lib, data: data.DataLoader(range(5), batch_size=2, collate_fn=sum),
    "rows": lambda lib, data: data.DataLoader(
        data.TensorDataset(lib.arange(6).view(3, 2), lib.tensor([7.0, 8.0, 9.0])), batch_size=2
    ),
    "iterable": lambda lib, data: data.DataLoader(countdown(lib), batch_size=2),
    "iterable, drop_last": lambda lib, data: data.DataLoader(countdown(lib), batch_size=2, drop_last=True),
    "iterable, single": lambda lib, data: data.DataLoader(countdown(lib), batch_size=None),
    "random": lambda lib, data: data.DataLoader(range(9), sampler=data.RandomSampler(range(9), True, 40)),
    "more than all": lambda lib, data: data.RandomSampler(range(5), num_samples=13),
    "subset": lambda lib, data: data.SubsetRandomSampler([3, 1, 4, 5]),
    "weighted": lambda lib, data: data.WeightedRandomSampler([0.1, 0.5, 3.0], 20),
    "weighted, once": lambda lib, data: data.WeightedRandomSampler([0.1, 0.5, 3.0], 3, replacement=False),
    "split": lambda lib, data: [list(part) for part in data.random_split(range(11), [0.5, 0.3, 0.2])],
    "split, counts": lambda lib, data: [list(part) for part in data.random_split(range(11), [4, 7])],
    "concat": lambda lib, data: data.ConcatDataset([[1, 2], "ab"]),
    "chain": lambda lib, data: countdown(lib) + countdown(lib),
    "stack": lambda lib, data: [data.StackDataset([1, 2], "ab")[1], data.StackDataset(a=[1], b="c")[0]],
    "subset of subset": lambda lib, data: list(data.Subset(data.Subset("abcdef", [5, 3, 1]), [2, 0])),
}


@pytest.mark.parametrize("case", LOADERS)
def test_batches_are_pytorchs(torch, case):
    found = []
    for library in (tl, torch):
        library.manual_seed(3)
        batches = LOADERS[case](library, library.utils.data)
        length = len(batches) if hasattr(batches, "__len__") else None
        found.append((length, [plain(batch) for batch in batches], library.rand(1).tolist()))
    assert found[0] == found[1]


SAMPLES = [
    [1, 2],
    [1.5, 2.5],
    [True, False],
    ["a", "b"],
    [b"a", b"b"],
    [(1, "x"), (2, "y")],
    [[1, 2.0], [3, 4.0]],
    [{"a": 1, "b": (2.0, "c")}, {"a": 3, "b": (4.0, "d")}],
    [Pair(1, 2), Pair(3, 4)],
    [np.ones((2, 2), np.float32), np.zeros((2, 2), np.float32)],
    [np.float64(1), np.float64(2)],
    [np.int16(1), np.int16(2)],
]


@pytest.mark.parametrize("samples", SAMPLES, ids=str)
def test_collation_is_pytorchs(torch, samples):
    own, theirs = (library.utils.data.default_collate(samples) for library in (tl, torch))
    assert plain(own) == plain(theirs)
    own, theirs = (library.utils.data.default_convert(samples) for library in (tl, torch))
    assert plain(own) == plain(theirs)


REFUSED = [
    lambda d, lib: d.DataLoader(range(3), batch_size=0),
    lambda d, lib: d.DataLoader(range(3), num_workers=-1),
    lambda d, lib: d.DataLoader(range(3), timeout=-1),
    lambda d, lib: d.DataLoader(range(3), prefetch_factor=2),
    lambda d, lib: d.DataLoader(range(3), persistent_workers=True),
    lambda d, lib: d.DataLoader(range(3), shuffle=True, sampler=[1]),
    lambda d, lib: d.DataLoader(range(3), batch_sampler=[[1]], batch_size=2),
    lambda d, lib: d.DataLoader(range(3), batch_size=None, drop_last=True),
    lambda d, lib: d.DataLoader(stream(lib), shuffle=True),
    lambda d, lib: d.DataLoader(stream(lib), sampler=[1]),
    lambda d, lib: len(d.DataLoader(stream(lib))),
    lambda d, lib: next(iter(d.DataLoader([lib.ones(2), lib.ones(3)], batch_size=2))),
    lambda d, lib: d.default_collate([object()]),
    lambda d, lib: d.default_collate([[1, 2], [3]]),
    lambda d, lib: d.TensorDataset(lib.ones(2), lib.ones(3)),
    lambda d, lib: d.random_split(range(10), [3, 4]),
    lambda d, lib: d.random_split(range(10), [0.5, 0.7]),
    lambda d, lib: d.RandomSampler([]),
    lambda d, lib: d.RandomSampler(range(3), num_samples=0),
    lambda d, lib: d.RandomSampler(range(3), replacement=3),
    lambda d, lib: d.BatchSampler(range(3), 0, False),
    lambda d, lib: d.WeightedRandomSampler([1, 2], 0),
    lambda d, lib: d.ConcatDataset([]),
    lambda d, lib: d.ConcatDataset([stream(lib)]),
    lambda d, lib: d.ConcatDataset([[1]])[-2],
    lambda d, lib: d.Dataset()[0],
    lambda d, lib: len(d.Dataset()),
]


@pytest.mark.parametrize("case", range(len(REFUSED)))
def test_refusals_are_pytorchs(torch, case):
    raised = []
    for library in (torch, tl):
        with pytest.raises(Exception) as caught:  # noqa: PT011
            REFUSED[case](library.utils.data, library)
        raised.append(caught)
    assert raised[1].type is raised[0].type
    assert str(raised[0].value)[:30] in str(raised[1].value)


def test_parts_of_a_split_share_no_sample():
    parts = tl.utils.data.random_split(range(50), [0.3, 0.3, 0.4])
    assert sorted(number for part in parts for number in part) == list(range(50))
