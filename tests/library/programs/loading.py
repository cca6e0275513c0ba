"""Loading with workers: variable lengths, a collate of one's own, weighted samplers, seeds, streams."""

import random

import numpy as np
import torch
from torch.utils.data import (
    BatchSampler,
    ConcatDataset,
    DataLoader,
    Dataset,
    IterableDataset,
    RandomSampler,
    SequentialSampler,
    WeightedRandomSampler,
    default_collate,
    get_worker_info,
    random_split,
)


class Bags(Dataset):
    def __init__(self, n, transform=None):
        self.n, self.transform = n, transform

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        if not 0 <= i < self.n:
            raise IndexError(i)
        bag = torch.arange(i, i + 1 + i % 4)
        return {
            "bag": bag if self.transform is None else self.transform(bag),
            "label": i % 3,
            "name": f"bag {i}",
        }


class Stream(IterableDataset):
    def __init__(self, start, end):
        self.start, self.end = start, end

    def __iter__(self):
        info = get_worker_info()
        step = 1 if info is None else info.num_workers
        first = self.start if info is None else self.start + info.id
        return iter(range(first, self.end, step))


def collate(batch):
    lengths = torch.tensor([len(item["bag"]) for item in batch])
    padded = torch.zeros(len(batch), int(lengths.max()), dtype=torch.long)
    for row, item in zip(padded, batch):
        row[: len(item["bag"])] = item["bag"]
    return (
        padded,
        lengths,
        default_collate([item["label"] for item in batch]),
        [item["name"] for item in batch],
    )


def seed_worker(worker_id):
    worker_seed = torch.initial_seed() % 2**32
    np.random.seed(worker_seed)
    random.seed(worker_seed)


def main():
    g = torch.Generator()
    g.manual_seed(0)
    data = Bags(10, transform=lambda bag: bag * 2)
    for workers in (0, 2):
        loader = DataLoader(
            data,
            batch_size=4,
            num_workers=workers,
            collate_fn=collate,
            worker_init_fn=seed_worker,
            generator=g,
        )
        for padded, lengths, labels, names in loader:
            print(padded.tolist(), lengths.tolist(), labels, names[0])
    train, val = random_split(data, [7, 3], generator=torch.Generator().manual_seed(42))
    print(train.indices, val.indices, len(ConcatDataset([train, val, data])))
    labels = torch.tensor([data[i]["label"] for i in range(len(data))])
    weights = 1.0 / labels.bincount().float()
    sampler = WeightedRandomSampler(weights[labels], 12, generator=torch.Generator().manual_seed(1))
    print(list(sampler))
    loader = DataLoader(data, sampler=sampler, batch_size=6, collate_fn=lambda b: [d["label"] for d in b])
    print([sorted(batch) for batch in loader])
    print(list(BatchSampler(SequentialSampler(range(7)), 3, drop_last=False)))
    print(
        list(RandomSampler(data, replacement=True, num_samples=5, generator=torch.Generator().manual_seed(3)))
    )
    for workers in (0, 2):
        print(sorted(torch.cat(list(DataLoader(Stream(3, 12), batch_size=3, num_workers=workers))).tolist()))
    batch = next(iter(DataLoader(data, batch_size=1, shuffle=False)))
    print(batch)
    print(default_collate([(1.0, {"a": np.float32(2)}), (3.0, {"a": np.float32(4)})]))
    try:
        next(iter(DataLoader(data, batch_size=2)))
    except RuntimeError as error:
        print(str(error).split(",")[0])


if __name__ == "__main__":
    main()
