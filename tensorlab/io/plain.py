"""Tensors as bytes and plain facts: what any file has to hold so that views stay views.

`take_apart` writes each storage down once, however many tensors look into it, and of every tensor the four
other facts. `put_together` goes the other way. `tensorlab.save` keeps the same things in a safetensors file.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tensorlab.core.dtypes import dtype
from tensorlab.storage import UntypedStorage
from tensorlab.tensor import Tensor, rebuild_tensor

__all__ = ["Record", "put_together", "take_apart"]

#: Which storage, counted from 0, then dtype, shape, strides and offset.
Record = tuple[int, dtype, tuple[int, ...], tuple[int, ...], int]


def take_apart(tensors: Sequence[Tensor]) -> tuple[list[bytes], list[Record]]:
    r"""The storages of some tensors, each once, and one record a tensor.

    Storages come in the order in which the tensors first look into them, whole: other tensors may need what
    this one does not reach.

    Example:
        >>> import tensorlab as tl
        >>> x = tl.tensor([1, 2, 3, 4], dtype=tl.uint8)
        >>> take_apart([x, x[1::2]])  # doctest: +NORMALIZE_WHITESPACE
        ([b'\x01\x02\x03\x04'],
         [(0, tensorlab.uint8, (4,), (1,), 0), (0, tensorlab.uint8, (2,), (2,), 1)])
    """
    storages: list[UntypedStorage] = []
    records: list[Record] = []
    for x in tensors:
        storage = x.untyped_storage()
        number = next((n for n, known in enumerate(storages) if known is storage), len(storages))
        if number == len(storages):
            storages.append(storage)
        records.append((number, x.dtype, tuple(x.shape), x.stride(), x.storage_offset()))
    return [storage.bytes().tobytes() for storage in storages], records


def put_together(storages: Sequence[bytes], records: Sequence[Record]) -> list[Tensor]:
    """The tensors that `take_apart` described, over new storages: those with one number share one.

    Raises:
        RuntimeError: a record reaches outside its storage.

    Example:
        >>> import tensorlab as tl
        >>> x, tail = put_together(*take_apart([y := tl.arange(3), y[1:]]))
        >>> tail[0] = 9
        >>> x
        tensor([0, 9, 2])
    """
    made = [UntypedStorage(np.frombuffer(content, np.uint8).copy()) for content in storages]
    return [
        rebuild_tensor(made[number], element_type, shape, strides, offset)
        for number, element_type, shape, strides, offset in records
    ]
