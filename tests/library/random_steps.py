"""The kinds of steps that random programs have: how a call of each kind draws its arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import tensorlab as tl
from tests.library.random_arguments import (
    DTYPES,
    Constant,
    Draw,
    Live,
    Scene,
    Step,
    a_dim,
    a_factorization,
    a_mask,
    a_number,
    alike,
    any_index,
    pick,
    size_of,
    some_places,
)


def method(name: str, *kinds: Any, keeps: bool = True, piece: bool = False, **keywords: Any) -> Draw:
    """A method whose arguments are drawn each by its own function; what is no function stands for itself."""

    def draw(scene: Scene, position: int) -> Step:
        def drawn(kind: Any) -> Any:
            return kind(scene, position) if callable(kind) else kind

        named = tuple((word, drawn(kind)) for word, kind in keywords.items())
        which = scene.rng.randint(-1, 1) if piece else None
        return Step(Live(position), name, tuple(map(drawn, kinds)), named, which, keeps)

    return draw


def multiplied_along(scene: Scene, position: int) -> Step:
    """`prod` along a dimension where no product is rounded: in which order it would be is left open."""
    x, dim = scene.ours[position], a_dim(scene, position)
    if x.dtype.is_floating_point and -x.ndim <= dim < x.ndim:
        bits = {"float64": 52, "float32": 23, "float16": 10, "bfloat16": 7}[x.dtype.name]
        quarters = np.maximum(np.abs(np.array(x.tolist(), dtype=np.float64)).reshape(x.shape) * 4, 1)
        if np.log2(quarters).sum(dim).max(initial=0) > bits:
            return Step(Live(position), "clone")
    return Step(Live(position), "prod", (dim, flag(scene, position)))


def with_elements(draw: Draw) -> Draw:
    """A step of a tensor that has elements: PyTorch does not look at the dimension where there are none."""
    return lambda scene, position: (
        draw(scene, position) if scene.ours[position].numel() else Step(Live(position), "clone")
    )


def written(name: str, *kinds: Any, **keywords: Any) -> Draw:
    """A method that overwrites its tensor."""
    return method(name, *kinds, keeps=False, **keywords)


def other(scene: Scene, position: int) -> Live:
    """Any live tensor."""
    return Live(pick(scene))


def dtype(scene: Scene, position: int) -> Constant:
    """Any dtype."""
    return Constant(scene.rng.choice(DTYPES))


def permutation(scene: Scene, position: int) -> tuple[int, ...]:
    order = list(range(scene.ours[position].ndim))
    scene.rng.shuffle(order)
    return tuple(order)


def shape(scene: Scene, position: int) -> tuple[int, ...]:
    return a_factorization(scene, scene.ours[position].numel())


def expansion(scene: Scene, position: int) -> tuple[int, ...]:
    rng = scene.rng
    sizes = tuple(3 if n == 1 and rng.random() < 0.7 else n for n in scene.ours[position].shape)
    return (2, *sizes) if rng.random() < 0.3 else sizes


def small(low: int, high: int) -> Callable[[Scene, int], int]:
    return lambda scene, position: scene.rng.randint(low, high)


def flag(scene: Scene, position: int) -> bool:
    return scene.rng.random() < 0.5


def memory_format(scene: Scene, position: int) -> Constant:
    return Constant(scene.rng.choice(["contiguous_format", "preserve_format", "channels_last"]))


def strided(scene: Scene, position: int) -> Step:
    """`as_strided` inside the storage, with no two elements in one cell, or a little outside."""
    rng, x = scene.rng, scene.ours[position]
    room = x.untyped_storage().nbytes() // x.element_size()
    sizes, strides, step = [], [], 1
    for _ in range(rng.randint(0, 3)):
        step *= rng.randint(1, 2)
        sizes.append(rng.randint(1, 3))
        strides.append(step)
        step *= sizes[-1]
    reach = sum((n - 1) * s for n, s in zip(sizes, strides, strict=True))
    order = rng.sample(range(len(sizes)), len(sizes))
    offset = rng.randint(0, max(0, room - reach - (rng.random() < 0.95)))
    return Step(
        Live(position),
        "as_strided",
        (tuple(sizes[i] for i in order), tuple(strides[i] for i in order), offset),
    )


def narrowed(scene: Scene, position: int) -> Step:
    dim = a_dim(scene, position)
    start = scene.rng.randint(0, size_of(scene, position, dim))
    length = scene.rng.randint(0, size_of(scene, position, dim) - start)
    return Step(Live(position), "narrow", (dim, start, length))


def selected(scene: Scene, position: int) -> Step:
    dim = a_dim(scene, position)
    size = size_of(scene, position, dim)
    return Step(Live(position), "select", (dim, scene.rng.randint(-size, size)))


def windows(scene: Scene, position: int) -> Step:
    """Windows beside one another; those that overlap would be written in an order that is left open."""
    dim = a_dim(scene, position)
    size = scene.rng.randint(1, max(1, size_of(scene, position, dim)))
    return Step(Live(position), "unfold", (dim, size, size + scene.rng.randint(0, 1)))


def parts(scene: Scene, position: int) -> Step:
    dim = a_dim(scene, position)
    name, least = scene.rng.choice([("split", 1), ("chunk", 1), ("tensor_split", 1)])
    return Step(Live(position), name, (scene.rng.randint(least, 3), dim), piece=scene.rng.randint(-1, 0))


def read(scene: Scene, position: int) -> Step:
    return Step(Live(position), "[]", (any_index(scene, position),))


def assigned(scene: Scene, position: int) -> Step:
    value = a_number(scene, position) if scene.rng.random() < 0.5 else alike(scene, position)
    return Step(Live(position), "[]=", (any_index(scene, position), value), keeps=False)


def along(name: str, *rest: Any, in_place: bool = False) -> Draw:
    """An operation that takes a dimension and an index of the tensor's own rank."""

    def draw(scene: Scene, position: int) -> Step:
        dim, x = a_dim(scene, position), scene.ours[position]
        count = scene.rng.randint(1, 3)
        sizes = tuple(count if i == dim % max(1, x.ndim) else n for i, n in enumerate(x.shape))
        if 0 in sizes or x.numel() > 60:
            return Step(Live(position), "clone")
        places = some_places(scene, size_of(scene, position, dim), sizes)
        drawn = tuple(kind(scene, position) if callable(kind) else kind for kind in rest)
        return Step(Live(position), name, (dim, Constant("tensor", places), *drawn), keeps=not in_place)

    return draw


def of_rows(name: str, *rest: Any, in_place: bool = False) -> Draw:
    """An operation that takes a dimension and a vector of places along it."""

    def draw(scene: Scene, position: int) -> Step:
        dim = a_dim(scene, position)
        size = size_of(scene, position, dim)
        if not size:  # which error a place outside is, depends on PyTorch's kernels
            return Step(Live(position), "clone")
        places = Constant("tensor", [scene.rng.randrange(size) for _ in range(scene.rng.randint(1, 3))])
        drawn = tuple(kind(scene, position) if callable(kind) else kind for kind in rest)
        return Step(Live(position), name, (dim, places, *drawn), keeps=not in_place)

    return draw


def copied_rows(name: str, reading: str, draw: Draw, in_place: bool = False) -> Draw:
    """An operation that writes to places what another has read from them."""

    def drawn(scene: Scene, position: int) -> Step:
        step = draw(scene, position)
        if step.name == "clone":
            return step
        source = Step(Live(position), reading, step.arguments[:2])
        return Step(Live(position), name, (*step.arguments[:2], source), keeps=not in_place)

    return drawn


def joined(scene: Scene, position: int) -> Step:
    """`cat` or `stack` of tensors that mostly fit."""
    x = scene.ours[position]
    name = scene.rng.choice(["cat", "cat", "stack", "hstack", "vstack"])
    fitting = [
        i for i, y in enumerate(scene.ours) if y.ndim == x.ndim and (name == "cat" or y.shape == x.shape)
    ]
    chosen = [Live(scene.rng.choice(fitting)) for _ in range(scene.rng.randint(1, 2))]
    arguments = (a_dim(scene, position),) if name in ("cat", "stack") else ()
    return Step(None, name, ([Live(position), *chosen], *arguments))


def masked(name: str, *rest: Any, in_place: bool = False) -> Draw:
    """An operation that takes a mask, of the tensor's shape or one that is broadcast to it."""

    def draw(scene: Scene, position: int) -> Step:
        sizes = tuple(1 if scene.rng.random() < 0.2 else n for n in scene.ours[position].shape)
        if 0 in sizes:
            return Step(Live(position), "clone")
        drawn = tuple(kind(scene, position) if callable(kind) else kind for kind in rest)
        mask = Constant("tensor", a_mask(scene, sizes))
        return Step(Live(position), name, (mask, *drawn), keeps=not in_place)

    return draw


def multiplied(scene: Scene, position: int) -> Step:
    """A product of matrices of two live tensors of one dtype whose inner sizes meet, if there are any."""
    x = scene.ours[position]
    if x.dtype is tl.bool:  # PyTorch refuses bools unless there is nothing to multiply
        return Step(None, "outer", (Live(position), Live(position)))
    fitting = [
        i
        for i, y in enumerate(scene.ours)
        if x.ndim
        and y.ndim
        and y.dtype is x.dtype
        and x.shape[-1] == y.shape[-2 if y.ndim > 1 else 0]
        # PyTorch squeezes a vector times a matrix in place, and counts that as a write of the result
        and not (x.ndim == 1 < y.ndim)
    ]
    if not fitting:
        return Step(None, "einsum", ("...i,...i->...", Live(position), Live(position)))
    return Step(None, "matmul", (Live(position), Live(scene.rng.choice(fitting))))


def into(name: str) -> Draw:
    """A function of a live tensor and itself, with a live tensor of its shape as `out` where there is one."""

    def draw(scene: Scene, position: int) -> Step:
        fitting = [i for i, y in enumerate(scene.ours) if y.shape == scene.ours[position].shape]
        out = (("out", Live(scene.rng.choice(fitting))),)
        return Step(None, name, (Live(position), Live(position)), out, keeps=False)

    return draw


def chosen(scene: Scene, position: int) -> Step:
    """`where` of a comparison with a number."""
    sizes = scene.ours[position].shape
    if 0 in sizes:
        return Step(Live(position), "clone")
    mask = Constant("tensor", a_mask(scene, tuple(sizes)))
    return Step(None, "where", (mask, Live(position), alike(scene, position)))


def triangle(scene: Scene, position: int) -> Step:
    """`tril_` or `triu_` of a tensor with a cell for each element: PyTorch does not refuse others there."""
    if 0 in scene.ours[position].stride():
        return Step(Live(position), "clone")
    name = scene.rng.choice(["tril_", "triu_"])
    return Step(Live(position), name, (scene.rng.randint(-1, 1),), keeps=False)
