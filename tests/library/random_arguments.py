"""A step of a random program, and the numbers, indices and shapes that its arguments are made of."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

DTYPES = ("float32", "float32", "int64", "float64", "int32", "uint8", "int8", "bool", "float16", "bfloat16")


@dataclass(frozen=True)
class Live:
    """A live tensor among the arguments of a call."""

    position: int

    def __repr__(self) -> str:
        return f"x{self.position}"


@dataclass(frozen=True)
class Constant:
    """A value of the library that is called: a dtype, a memory format, a tensor of given numbers."""

    name: str
    numbers: Any = None

    def __repr__(self) -> str:
        return f"torch.{self.name}" if self.numbers is None else f"torch.tensor({self.numbers!r})"


@dataclass(frozen=True)
class Step:
    """One line of a program.

    Attributes:
        owner: the tensor whose method is called, or None for a function of the library.
        name: the method or function; ``[]`` and ``[]=`` are indexing and assignment.
        arguments, keywords: what it is called with.
        piece: which of several results is kept.
        keeps: whether the result becomes a live tensor.
    """

    owner: Live | None
    name: str
    arguments: tuple[Any, ...] = ()
    keywords: tuple[tuple[str, Any], ...] = ()
    piece: int | None = None
    keeps: bool = True

    def __repr__(self) -> str:
        if self.name == "[]":
            return f"{self.owner}[{self.arguments[0]!r}]"
        if self.name == "[]=":
            return f"{self.owner}[{self.arguments[0]!r}] = {self.arguments[1]!r}"
        words = [*map(repr, self.arguments), *(f"{name}={value!r}" for name, value in self.keywords)]
        piece = "" if self.piece is None else f"[{self.piece}]"
        return f"{self.owner or 'torch'}.{self.name}({', '.join(words)}){piece}"

    def run(self, library: Any, alive: list[Any]) -> Any:
        """The result of the line in one library."""
        arguments = resolved(library, alive, self.arguments)
        keywords = {name: resolved(library, alive, value) for name, value in self.keywords}
        owner = library if self.owner is None else alive[self.owner.position]
        if self.name == "[]":
            return owner[arguments[0]]
        if self.name == "[]=":
            owner[arguments[0]] = arguments[1]
            return owner
        if self.name == "data":
            return owner.data
        result = getattr(owner, self.name)(*arguments, **keywords)
        return result if self.piece is None else result[self.piece]


def resolved(library: Any, alive: list[Any], value: Any) -> Any:
    """An argument with its live tensors and constants put in."""
    if isinstance(value, Live):
        return alive[value.position]
    if isinstance(value, Constant):
        return getattr(library, value.name) if value.numbers is None else library.tensor(value.numbers)
    if isinstance(value, Step):
        return value.run(library, alive)
    if isinstance(value, (tuple, list)):
        return type(value)(resolved(library, alive, item) for item in value)
    return value


class Scene(Protocol):
    """What draws look at: the live tensors of one library, and the random numbers."""

    rng: random.Random
    ours: list[Any]


Draw = Callable[[Scene, int], Step]


# --- arguments ------------------------------------------------------------------------------------------


def pick(scene: Scene) -> int:
    """The position of a live tensor."""
    return scene.rng.randrange(len(scene.ours))


def alike(scene: Scene, position: int) -> Live:
    """A live tensor, of the dtype of another where there is a second one."""
    same = [i for i, x in enumerate(scene.ours) if x.dtype is scene.ours[position].dtype]
    return Live(scene.rng.choice(same) if scene.rng.random() < 0.8 else pick(scene))


def a_dim(scene: Scene, position: int) -> int:
    """A dimension of a live tensor, now and then one too many."""
    ndim = scene.ours[position].ndim
    return scene.rng.randint(-ndim, ndim - 1) if ndim and scene.rng.random() < 0.97 else ndim


def size_of(scene: Scene, position: int, dim: int) -> int:
    """The size of a dimension of a live tensor."""
    shape = scene.ours[position].shape
    return shape[dim] if -len(shape) <= dim < len(shape) else 1


def a_number(scene: Scene, position: int) -> int | float | bool:
    """A small number."""
    return 0.5 if scene.rng.random() < 0.05 else scene.rng.randint(0, 3)


def some_places(scene: Scene, size: int, shape: tuple[int, ...], signed: bool = False) -> Any:
    """Nested lists of indices below a size, now and then one outside."""
    if not shape:
        low = -size if signed else 0
        return scene.rng.randint(low, max(low, size - (scene.rng.random() < 0.99)))
    return [some_places(scene, size, shape[1:], signed) for _ in range(shape[0])]


def a_mask(scene: Scene, shape: tuple[int, ...]) -> Any:
    """Nested lists of truths."""
    if not shape:
        return scene.rng.random() < 0.5
    return [a_mask(scene, shape[1:]) for _ in range(shape[0])]


def basic_index(scene: Scene, position: int) -> list[Any]:
    """Integers, slices, None and an ellipsis."""
    rng, shape = scene.rng, scene.ours[position].shape
    items: list[Any] = []
    for size in shape[: rng.randint(0, len(shape))]:
        kind = rng.random()
        if kind < 0.4 and size:
            items.append(rng.randint(-size, size - 1))
        elif kind < 0.9:
            items.append(
                slice(rng.randint(-1, size), rng.choice([None, size, size + 1]), rng.choice([None, 1, 2]))
            )
        else:
            items.append(slice(None))
    if rng.random() < 0.2:
        items.insert(rng.randint(0, len(items)), None)
    if rng.random() < 0.2:
        items.append(Ellipsis)
    return items


def advanced_index(scene: Scene, position: int) -> tuple[Any, ...]:
    """A basic index with lists, tensors of indices or a mask in it."""
    rng, shape = scene.rng, scene.ours[position].shape
    if shape and rng.random() < 0.25:
        dims = rng.randint(1, len(shape))
        if 0 not in shape[:dims]:
            return (Constant("tensor", a_mask(scene, tuple(shape[:dims]))),)
    count = rng.randint(1, 3)
    items: list[Any] = []
    for size in shape[: rng.randint(1, max(1, len(shape)))]:
        if not size or rng.random() < 0.35:
            items.append(slice(None, None, rng.choice([None, 2])))
        elif rng.random() < 0.2:
            items.append(rng.randint(-size, size - 1))
        else:
            places = some_places(scene, size, rng.choice([(count,), (count,), (1,), (2, count)]), signed=True)
            items.append(places if rng.random() < 0.3 else Constant("tensor", places))
    return tuple(items)


def any_index(scene: Scene, position: int) -> Any:
    """An index of any kind."""
    if scene.rng.random() < 0.5:
        return tuple(basic_index(scene, position))
    return advanced_index(scene, position)


def a_factorization(scene: Scene, count: int) -> tuple[int, ...]:
    """A shape of so many elements, sometimes with -1."""
    sizes: list[int] = []
    while count > 1 and len(sizes) < 4:
        sizes.append(scene.rng.choice([d for d in range(1, count + 1) if count % d == 0]))
        count //= sizes[-1]
    sizes.append(count)
    scene.rng.shuffle(sizes)
    if scene.rng.random() < 0.2:
        sizes[scene.rng.randrange(len(sizes))] = -1
    return tuple(sizes)
