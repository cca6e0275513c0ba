"""How samples become a batch: tensors are stacked, numbers become tensors, containers keep their form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tensorlab.core import dtypes
from tensorlab.ops.from_data import as_tensor, tensor
from tensorlab.ops.joining import stack
from tensorlab.tensor import Tensor

__all__ = ["default_collate", "default_convert", "pinned"]


def default_collate(batch: Sequence[Any]) -> Any:
    """One object of the samples of a batch, which are all of one form.

    Tensors and arrays are stacked along a new first dimension; numbers become a tensor (floats a float64
    one); texts and bytes stay a list; of dicts and tuples each entry is collated.

    Raises:
        RuntimeError: sizes differ.
        TypeError: a sample is of another type.

    Example:
        >>> import tensorlab as tl
        >>> from tensorlab.utils.data import default_collate
        >>> default_collate([(tl.ones(2), 0), (tl.zeros(2), 5)])
        [tensor([[1., 1.],
                [0., 0.]]), tensor([0, 5])]
    """
    first = batch[0]
    if isinstance(first, Tensor):
        return stack(list(batch))
    if isinstance(first, (np.ndarray, np.generic)):
        if first.dtype.kind in "SUO":
            raise TypeError(
                f"default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found "
                f"{first.dtype}"
            )
        return stack([as_tensor(np.asarray(each)) for each in batch])
    if isinstance(first, float):
        return tensor(list(batch), dtype=dtypes.float64)
    if isinstance(first, int):
        return tensor(list(batch))
    if isinstance(first, (str, bytes)):
        return batch
    if isinstance(first, Mapping):
        made = {key: default_collate([each[key] for each in batch]) for key in first}
        return made if type(first) is dict else _of_type(first, made)
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return type(first)(*(default_collate(each) for each in zip(*batch, strict=True)))
    if isinstance(first, Sequence):
        if any(len(each) != len(first) for each in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        parts = [default_collate(each) for each in zip(*batch, strict=True)]
        return parts if isinstance(first, (list, tuple)) else _of_type(first, parts)
    raise TypeError(
        f"default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found "
        f"{type(first)}; give the loader a collate_fn for others"
    )


def default_convert(data: Any) -> Any:
    """A sample with its arrays as tensors; what a loader without batches hands out.

    Example:
        >>> import numpy as np
        >>> from tensorlab.utils.data import default_convert
        >>> default_convert({"x": np.array([1, 2]), "name": "two"})
        {'x': tensor([1, 2]), 'name': 'two'}
    """
    if isinstance(data, (np.ndarray, np.generic)) and data.dtype.kind not in "SUO":
        return as_tensor(np.asarray(data))
    if isinstance(data, Mapping):
        return {key: default_convert(value) for key, value in data.items()}
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*map(default_convert, data))
    if isinstance(data, (list, tuple)):
        return [default_convert(each) for each in data]
    return data


def pinned(batch: Any) -> Any:
    """A batch with its tensors in pinned memory; objects with a method ``pin_memory`` are asked to do it.

    Raises:
        RuntimeError: there is no GPU.
    """
    if isinstance(batch, Mapping):
        made = {key: pinned(value) for key, value in batch.items()}
        return made if type(batch) is dict else _of_type(batch, made)
    if isinstance(batch, tuple) and hasattr(batch, "_fields"):
        return type(batch)(*map(pinned, batch))
    if isinstance(batch, (list, tuple)):
        return _of_type(batch, [pinned(each) for each in batch])
    return batch.pin_memory() if hasattr(batch, "pin_memory") else batch


def _of_type(first: Any, made: Any) -> Any:
    """What was collated, in the samples' own type if that can be made of it."""
    try:
        return type(first)(made)
    except TypeError:
        return made
