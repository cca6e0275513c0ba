"""Index expressions drawn at random, written down so that either library can be given the same one."""

from __future__ import annotations

import warnings

import numpy as np
from hypothesis import strategies as st

import tensorlab as tl

LAYOUTS = ("row", "turned", "stepped", "stretched")

sizes = st.lists(st.integers(0, 4), max_size=4).map(tuple)


def base(library, shape, layout, dtype="int64"):
    """The numbers 0, 1, 2, … in a shape, laid out in memory in one of several ways."""
    count = int(np.prod(shape, dtype=np.int64))
    if layout == "stretched" and shape:
        shape = (1, *shape[1:])
        count = int(np.prod(shape, dtype=np.int64))
    numbers = library.arange(count).to(getattr(library, dtype))
    if layout == "turned":
        return numbers.reshape(shape[::-1]).permute(tuple(range(len(shape) - 1, -1, -1)))
    if layout == "stepped" and shape:
        wide = library.zeros(tuple(2 * size + 1 for size in shape), dtype=getattr(library, dtype))
        part = wide[tuple(slice(1, 2 * size + 1, 2) for size in shape)]
        part.copy_(numbers.reshape(shape))
        return part
    return numbers.reshape(shape)


def stretched(tensor, shape):
    """`tensor` with its first dimension of size 1 stretched to the size that `shape` has there."""
    if not shape:
        return tensor
    return tensor.as_strided(shape, (0, *tensor.stride()[1:]), tensor.storage_offset())


def make(library, shape, layout, dtype="int64"):
    tensor = base(library, shape, layout, dtype)
    return stretched(tensor, shape) if layout == "stretched" else tensor


@st.composite
def items(draw, shape):
    """An index tuple for a tensor of this shape; most fit, some do not."""
    found = []
    dim = 0
    ellipsis = False
    met = draw(st.sampled_from([(), (1,), (2,), (3,), (2, 3), (1, 3), (0,)]))
    while dim < len(shape) + draw(st.sampled_from([0] * 12 + [1])):
        size = shape[dim] if dim < len(shape) else 2
        kind = draw(
            st.sampled_from(
                [
                    "int",
                    "slice",
                    "slice",
                    "slice",
                    "none",
                    "ellipsis",
                    "bool",
                    "list",
                    "tensor",
                    "tensor",
                    "mask",
                ]
            )
        )
        if kind == "int":
            found.append(draw(_position(size)))
        elif kind == "slice":
            bound = st.none() | st.integers(-5, 5)
            found.append(slice(draw(bound), draw(bound), draw(st.sampled_from([None, 1, 2, 3]))))
        elif kind == "none":
            found.append(None)
            continue
        elif kind == "ellipsis":
            if ellipsis:
                continue
            ellipsis = True
            found.append(Ellipsis)
            dim += draw(st.integers(0, len(shape) - dim)) if dim < len(shape) else 0
            continue
        elif kind == "bool":
            found.append(draw(st.booleans()))
            if draw(st.booleans()):
                break
            continue
        elif kind == "list":
            found.append(draw(st.lists(_position(size), max_size=3)))
        elif kind == "tensor":
            dtype = draw(st.sampled_from(["int64", "int64", "int64", "int32", "int16", "float32"]))
            own = draw(st.sampled_from([met, met, met[1:], (1,)]))
            count = int(np.prod(own, dtype=np.int64))
            cells = draw(st.lists(_position(size), min_size=count, max_size=count))
            found.append(("tensor", np.array(cells, dtype).reshape(own), draw(st.booleans())))
        else:
            ndim = min(draw(st.integers(0, 2)), len(shape) - dim) if dim < len(shape) else 1
            own = tuple(shape[dim : dim + ndim]) if draw(st.integers(0, 9)) else (3,) * ndim
            count = int(np.prod(own, dtype=np.int64))
            cells = draw(st.lists(st.booleans(), min_size=count, max_size=count))
            dtype = draw(st.sampled_from(["bool", "bool", "bool", "uint8"]))
            found.append(("tensor", np.array(cells, dtype).reshape(own), False))
            dim += max(ndim - 1, 0)
        dim += 1
    return tuple(found)


def _position(size):
    """A position of a dimension, seldom one that does not exist."""
    if not size:
        return st.sampled_from([0, -1])
    good = st.integers(-size, size - 1)
    return good if size > 2 else good | st.sampled_from([*range(-size, size), size, -size - 1])


def spell(library, index):
    """The index as a library's own objects; a turned tensor is the same one with other strides."""
    return tuple(_spell(library, item) for item in index)


def _spell(library, item):
    if not (isinstance(item, tuple) and item and isinstance(item[0], str)):
        return item
    _, array, turned = item
    if turned:
        return library.tensor(np.ascontiguousarray(array.T)).permute(tuple(range(array.ndim - 1, -1, -1)))
    return library.tensor(array)


def outcome(function):
    """The result of a call, or the type of the error that it raised."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return function()
        except (IndexError, RuntimeError, TypeError, ValueError) as error:
            return type(error)


def assert_same(ours, theirs):
    """The same tensor, or the same type of error, from both libraries."""
    if isinstance(theirs, type) or isinstance(ours, type):
        assert ours is theirs or (ours, theirs) == (theirs, theirs), (ours, theirs)
        return
    if isinstance(theirs, tuple):
        assert len(ours) == len(theirs)
        for mine, other in zip(ours, theirs, strict=True):
            assert_same(mine, other)
        return
    assert isinstance(ours, tl.Tensor)
    assert tuple(ours.shape) == tuple(theirs.shape)
    assert ours.stride() == theirs.stride()
    assert str(ours.dtype).split(".")[1] == str(theirs.dtype).split(".")[1]
    assert repr(ours.tolist()) == repr(theirs.tolist())
