"""`FloatRuler`: the Python side. The library's own float32 decides what comes out."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import tensorlab as tl
from tensorlab.tensor import Tensor
from tensorlab.widgets.base import html_table
from tensorlab.widgets.lab import Lab

__all__ = ["FloatRuler"]

MOST, REACH, MOST_SHIFT = 5, 120, 100_000  # as in engine.js: what the lab draws


class FloatRuler(Lab):
    """Drag logits along the floats: their gaps, where exp still fits, both softmaxes, and the entropy.

    Args:
        logits: two to five finite numbers, each from -120 to 120.
        shift: what is added to all of them.
        key: the lab's name in the page's address; labs without one are numbered.

    Raises:
        ValueError: there are more or fewer logits, or one of them is out of reach.
        TypeError: one of them is no number.

    Example:
        >>> lab = FloatRuler([2.0, 1.0, 0.0], shift=1000)
        >>> lab.by_formula.isnan().all().item(), lab.softmax.argmax().item()
        (True, 0)
        >>> lab.change(logits=[0.0, 0.0], shift=0)
        >>> round(lab.entropy, 4)
        0.6931
    """

    folder = Path(__file__).parent

    def __init__(
        self, logits: Sequence[float] = (2.0, 1.0, 0.0), *, shift: float = 0, key: str | None = None
    ) -> None:
        super().__init__({"logits": logits, "shift": shift}, key)

    @classmethod
    def checked(cls, state: Mapping[str, Any]) -> dict[str, Any]:
        """The state as plain numbers.

        Raises:
            TypeError, ValueError: see the class.
        """
        logits, shift = [float(logit) for logit in state["logits"]], float(state["shift"])
        if not 2 <= len(logits) <= MOST:
            raise ValueError(f"2 to {MOST} logits are drawn, got {len(logits)}")
        if not all(map(math.isfinite, [*logits, shift])):
            raise ValueError("logits are finite numbers here")
        far = next((logit for logit in logits if abs(logit) > REACH), None)
        if far is not None:
            raise ValueError(f"logits go from -{REACH} to {REACH} here, got {far:g}; add the rest to all")
        if abs(shift) > MOST_SHIFT:
            raise ValueError(f"up to {MOST_SHIFT} is added to all, got {shift:g}")
        return {"logits": [_plain(logit) for logit in logits], "shift": _plain(shift)}

    @property
    def tensor(self) -> Tensor:
        """The logits in float32, with what is added to all of them."""
        return tl.tensor(list(map(float, self.state["logits"]))) + float(self.state["shift"])

    @property
    def by_formula(self) -> Tensor:
        """The exponentials, divided by their sum."""
        powers = self.tensor.exp()
        return powers / powers.sum()

    @property
    def softmax(self) -> Tensor:
        """The shares, with the greatest logit taken out first."""
        return self.tensor.softmax(0)

    @property
    def entropy(self) -> float:
        """Of the shares, in nats."""
        return float(tl.special.entr(self.softmax).sum().item())

    def text_twin(self) -> str:
        """The logits with what becomes of them."""
        x, powers, own, safe = self.tensor, self.tensor.exp(), self.by_formula, self.softmax
        rows = [[f"{v.item():.7g}" for v in row] for row in zip(x, powers, own, safe, strict=True)]
        table = html_table("Logits in float32", ["logit", "exp", "by the formula", "softmax"], rows)
        return f"{table}<p>The entropy is {self.entropy:.3f} nats.</p>"


def _plain(number: float) -> float | int:
    """A whole number as an int, as a page writes it."""
    return int(number) if number.is_integer() else number
