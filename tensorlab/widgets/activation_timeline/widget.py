"""`ActivationTimeline`: the Python side. The library itself says what is alive when."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import tensorlab as tl
from tensorlab.core import layout
from tensorlab.figures.lifetimes import watched
from tensorlab.widgets.base import html_table
from tensorlab.widgets.lab import Lab

__all__ = ["ActivationTimeline"]

LEAST, MOST = 2, 8  # as in engine.js
PIECES = (1, 2, 4)
STEPS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "add": ("+ 1", lambda h: h + 1),
    "mul": ("× 2", lambda h: h * 2),
    "sin": ("sin", lambda h: h.sin()),
    "square": ("square", lambda h: h.square()),
    "exp": ("exp", lambda h: h.exp()),
    "tanh": ("tanh", lambda h: h.tanh()),
    "relu": ("relu", lambda h: h.relu()),
}


class ActivationTimeline(Lab):
    """What is alive when: the results of a chain of steps over its forward and its backward pass.

    The reader chooses the steps, cuts them into checkpoints, cuts the batch, or switches recording off, and
    commits to the moment that frees a result for good. Then the lab shows every result at every moment.

    Args:
        steps: 2 to 8 of "add", "mul", "sin", "square", "exp", "tanh" and "relu".
        segment: so many steps make a checkpoint; 0 for none.
        pieces: into how many pieces the batch is cut: 1, 2 or 4.
        recording: whether a graph is recorded.
        result: the number of the result that is asked about, from 1.
        told: whether to show the answer from the beginning.
        key: the lab's name in the page's address; labs without one are numbered.

    Raises:
        TypeError, ValueError: a step or a number is none that the lab shows.

    Example:
        >>> lab = ActivationTimeline(["exp", "add"])
        >>> lab.lives["1 exp"]
        [True, True, True, True, True, False]
        >>> lab.change(recording=False)
        >>> lab.lives["1 exp"]
        [True, False, False]
    """

    folder = Path(__file__).parent

    def __init__(
        self,
        steps: Sequence[str] = ("sin", "add", "exp", "square", "add", "tanh"),
        *,
        segment: int = 0,
        pieces: int = 1,
        recording: bool = True,
        result: int = 3,
        told: bool = False,
        key: str | None = None,
    ) -> None:
        state = {"steps": list(steps), "segment": segment, "pieces": pieces, "recording": recording}
        super().__init__({**state, "result": min(result, len(steps)), "guess": None, "told": told}, key)

    @classmethod
    def checked(cls, state: Mapping[str, Any]) -> dict[str, Any]:
        """The state as plain values.

        Raises:
            TypeError, ValueError: see the class.
        """
        steps = list(state["steps"])
        for step in steps:
            if step not in STEPS:
                raise ValueError(f"a step is one of {', '.join(STEPS)}, not {step!r}")
        if not LEAST <= len(steps) <= MOST:
            raise ValueError(f"a chain has {LEAST} to {MOST} steps, got {len(steps)}")
        segment = layout.as_int(state["segment"], "the segment")
        if not 0 <= segment <= len(steps):
            raise ValueError(f"a segment has 0 to {len(steps)} steps, got {segment}")
        pieces = layout.as_int(state["pieces"], "the number of pieces")
        if pieces not in PIECES:
            raise ValueError(f"the batch is cut into {PIECES} pieces, not {pieces}")
        result = layout.as_int(state["result"], "the result")
        if not 1 <= result <= len(steps):
            raise ValueError(f"there are results 1 to {len(steps)}, not {result}")
        recording = bool(state["recording"])
        guess = state["guess"]
        last = (len(steps) + 1) * (2 if recording else 1) - 1
        if guess is not None and not 0 <= layout.as_int(guess, "the guess") <= last:
            raise ValueError(f"there are moments 0 to {last}, not {guess}")
        return {
            "steps": steps,
            "segment": segment,
            "pieces": pieces,
            "recording": recording,
            "result": result,
            "guess": guess,
            "told": bool(state["told"]),
        }

    @property
    def lives(self) -> dict[str, list[bool]]:
        """For each result, whether it is alive after each moment: the chain is run, and watched."""
        return self._watched()[0]

    def _watched(self) -> tuple[dict[str, list[bool]], list[str], list[str]]:
        chain = [
            (f"{number} {STEPS[step][0]}", STEPS[step][1])
            for number, step in enumerate(self.state["steps"], 1)
        ]
        x = tl.ones(4, requires_grad=self.state["recording"])
        return watched([*chain, ("sum", tl.sum)], x, self.state["segment"])

    def text_twin(self) -> str:
        """The moments, and folded under them what is alive after each."""
        lives, forward, backward = self._watched()
        names = [*(f"{name} forward" for name in forward), *(f"{name} backward" for name in backward)]
        asked = html_table(
            f"Which of these moments frees result {self.state['result']} for good?",
            ["moment", "what runs"],
            [(str(number), name) for number, name in enumerate(names, 1)],
        )
        told = html_table(
            "The results, and the moments after which they are alive.",
            ["result", "alive after"],
            [
                (name, ", ".join(str(number) for number, here in enumerate(alive, 1) if here))
                for name, alive in lives.items()
            ],
        )
        summary = "Write down your prediction, then open the answer"
        return f"{asked}<details><summary>{summary}</summary>{told}</details>"
