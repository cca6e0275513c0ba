"""`AdjointCards`: the Python side. The library's own operations decide what each card makes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import tensorlab as tl
from tensorlab.core import layout
from tensorlab.tensor import Tensor
from tensorlab.widgets.base import html_table
from tensorlab.widgets.lab import Lab
from tensorlab.widgets.storage_lab.twin import cell_text

__all__ = ["AdjointCards"]

LARGEST = 99  # as in engine.js
Card = tuple[tuple[int, ...], tuple[int, ...], Callable[[Tensor], Tensor]]  # from, to, what it does

PLACES = (0, 0, 2)
CUBE = (2, 2, 2)


def _places() -> Tensor:
    return tl.tensor(list(PLACES))


def _written_at_every_second(y: Tensor) -> Tensor:
    whole = tl.zeros(4)
    whole[::2] = y
    return whole


THERE: dict[str, Card] = {
    "flip": ((4,), (4,), lambda x: x.flip(0)),
    "permute": (CUBE, CUBE, lambda x: x.permute(1, 2, 0)),
    "slice": ((4,), (2,), lambda x: x[::2]),
    "take": ((3,), (3,), lambda x: x[_places()]),
    "expand": ((2,), (3, 2), lambda x: x.expand(3, 2)),
    "sum": ((3, 2), (2,), lambda x: x.sum(0)),
}
BACK: dict[str, Card] = {
    "leave": ((4,), (4,), lambda y: y),
    "flip": ((4,), (4,), lambda y: y.flip(0)),
    "permute-same": (CUBE, CUBE, lambda y: y.permute(1, 2, 0)),
    "permute-inverse": (CUBE, CUBE, lambda y: y.permute(2, 0, 1)),
    "slice-twice": ((2,), (4,), lambda y: y.repeat_interleave(2)),
    "slice-zeros": ((2,), (4,), _written_at_every_second),
    "take-write": ((3,), (3,), lambda y: tl.zeros(3).index_put_((_places(),), y)),
    "take-add": ((3,), (3,), lambda y: tl.zeros(3).index_add_(0, _places(), y)),
    "take-again": ((3,), (3,), lambda y: y[_places()]),
    "first": ((3, 2), (2,), lambda y: y[0]),
    "sum": ((3, 2), (2,), lambda y: y.sum(0)),
    "mean": ((2,), (3, 2), lambda y: y.expand(3, 2) / 3),
    "expand": ((2,), (3, 2), lambda y: y.expand(3, 2)),
}


class AdjointCards(Lab):
    """Pair an operation with a way back, and compare the sums of ``there(x) * y`` and of ``x * back(y)``.

    Args:
        there: the operation: "flip", "permute", "slice", "take", "expand" or "sum".
        back: the way back, one whose shapes fit; the first of them if left out.
        x, y: whole numbers from -99 to 99, as many as the operation takes and gives; scattered ones without
            them.
        told: whether to show the two sums from the beginning.
        key: the lab's name in the page's address; labs without one are numbered.

    Raises:
        ValueError: there is no such card, the two do not fit, or the numbers are not as many or too large.

    Example:
        >>> lab = AdjointCards("take", "take-write")
        >>> lab.sums
        (19.0, 16.0)
        >>> lab.change(back="take-add")
        >>> lab.sums
        (19.0, 19.0)
    """

    folder = Path(__file__).parent

    def __init__(
        self,
        there: str = "permute",
        back: str | None = None,
        *,
        x: Sequence[int] | None = None,
        y: Sequence[int] | None = None,
        told: bool = False,
        key: str | None = None,
    ) -> None:
        if there not in THERE:
            raise ValueError(f"there is one of {', '.join(THERE)}, got {there!r}")
        given, made, _ = THERE[there]
        state = {
            "there": there,
            "back": fitting(there)[0] if back is None else back,
            "x": [k * 7 % 10 + 1 for k in range(layout.numel(given))] if x is None else x,
            "y": [(k * 3 + 2) % 7 + 1 for k in range(layout.numel(made))] if y is None else y,
        }
        super().__init__({**state, "guess": None, "told": told}, key)

    @classmethod
    def checked(cls, state: Mapping[str, Any]) -> dict[str, Any]:
        """The state as plain values.

        Raises:
            TypeError, ValueError: see the class.
        """
        there, back, guess = state["there"], state["back"], state["guess"]
        if there not in THERE:
            raise ValueError(f"there is one of {', '.join(THERE)}, got {there!r}")
        if back not in fitting(there):
            raise ValueError(f"back is one of {', '.join(fitting(there))} for {there}, got {back!r}")
        if guess not in (None, "pair", "other"):
            raise ValueError(f"a guess is one of pair, other, got {guess!r}")
        numbers = {}
        for name, shape in zip("xy", THERE[there][:2], strict=True):
            numbers[name] = [layout.as_int(number, f"every number of {name}") for number in state[name]]
            if len(numbers[name]) != layout.numel(shape):
                raise ValueError(
                    f"{name} has shape {shape} here, which is {layout.numel(shape)} numbers; "
                    f"got {len(numbers[name])}"
                )
            if any(abs(number) > LARGEST for number in numbers[name]):
                raise ValueError(f"numbers here go from -{LARGEST} to {LARGEST}")
        return {"there": there, "back": back, **numbers, "guess": guess, "told": bool(state["told"])}

    @property
    def x(self) -> Tensor:
        """What goes there."""
        return self._tensor("x", 0)

    @property
    def y(self) -> Tensor:
        """What comes back."""
        return self._tensor("y", 1)

    def _tensor(self, name: str, which: int) -> Tensor:
        numbers = [float(number) for number in self.state[name]]
        shape: tuple[int, ...] = THERE[self.state["there"]][which]  # type: ignore[assignment]  # 0 or 1
        return tl.tensor(numbers).view(shape)

    @property
    def there(self) -> Tensor:
        """What the operation makes of x."""
        return THERE[self.state["there"]][2](self.x)

    @property
    def back(self) -> Tensor:
        """What the way back makes of y."""
        return BACK[self.state["back"]][2](self.y)

    @property
    def sums(self) -> tuple[float, float]:
        """The sum of ``there(x) * y``, and that of ``x * back(y)``."""
        return float((self.there * self.y).sum()), float((self.x * self.back).sum())

    def text_twin(self) -> str:
        """The four tensors, and folded under them the two sums."""
        state = self.state
        names = {"x": self.x, f"there(x), {state['there']}": self.there}
        names |= {"y": self.y, f"back(y), {state['back']}": self.back}
        rows = [(name, str(tuple(t.shape)), _listed(t)) for name, t in names.items()]
        asked = html_table("Do the two belong together?", ["tensor", "shape", "numbers"], rows)
        left, right = self.sums
        told = html_table(
            "The two sums", ["sum", "value"], [("there(x) · y", f"{left:g}"), ("x · back(y)", f"{right:g}")]
        )
        summary = "Write down your prediction, then open the answer"
        return f"{asked}<details><summary>{summary}</summary>{told}</details>"


def _listed(t: Tensor) -> str:
    numbers: Any = t.reshape(-1).tolist()
    return ", ".join(map(cell_text, numbers))


def fitting(there: str) -> list[str]:
    """The ways back whose shapes go with an operation's.

    Example:
        >>> fitting("slice")
        ['slice-twice', 'slice-zeros']
    """
    given, made, _ = THERE[there]
    return [name for name, (source, target, _) in BACK.items() if (source, target) == (made, given)]
