"""`OptimizerLab`: the Python side. The library's own optimizers walk down the valley."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tensorlab as tl
from tensorlab.core.layout import as_int
from tensorlab.widgets.base import html_table
from tensorlab.widgets.lab import Lab

__all__ = ["OptimizerLab"]

OPTIMIZERS = ("SGD", "Adam")
STEPS, FAR = 40, 1e6  # as in engine.js
X, Y, CURVATURE = 50, 20, 50  # the farthest start in tenths, and the greatest curvature


class OptimizerLab(Lab):
    """The way of an optimizer down the valley ½(x² + curvature · y²), from a start that the reader drags.

    The reader turns the learning rate, the momentum and the valley's curvature across. The lab says how much
    of the height is left after 40 steps, and for plain SGD by what x and y are multiplied at every step.

    Args:
        optimizer: "SGD" or "Adam".
        lr: the learning rate, from 0.001 to 1, in thousandths.
        momentum: from 0 to 1, in hundredths; of SGD.
        curvature: across the valley, a whole number from 1 to 50; along it the curvature is 1.
        start: x from -5 to 5 and y from -2 to 2, in tenths.
        key: the lab's name in the page's address; labs without one are numbered.

    Raises:
        TypeError, ValueError: a setting is none that the lab shows.

    Example:
        >>> lab = OptimizerLab(lr=0.02, curvature=25, start=(-4.0, 1.0))
        >>> lab.way[1]  # y is halved, and x has hardly moved
        (-3.92, 0.5)
        >>> lab.change(optimizer="Adam", rate=100)
        >>> [round(number, 3) for number in lab.way[1]]
        [-3.9, 0.9]
    """

    folder = Path(__file__).parent

    def __init__(
        self,
        optimizer: str = "SGD",
        *,
        lr: float = 0.07,
        momentum: float = 0.0,
        curvature: float = 25,
        start: tuple[float, float] = (-4.0, 1.0),
        key: str | None = None,
    ) -> None:
        state = {
            "start": [round(10 * number) for number in start],
            "curvature": round(curvature),
            "optimizer": optimizer,
            "rate": round(1000 * lr),
            "momentum": round(100 * momentum),
        }
        super().__init__(state, key)

    @classmethod
    def checked(cls, state: Mapping[str, Any]) -> dict[str, Any]:
        """The state as plain values.

        Raises:
            TypeError, ValueError: see the class.
        """
        start = [as_int(number, "the start, in tenths,") for number in state["start"]]
        if len(start) != 2 or abs(start[0]) > X or abs(start[1]) > Y:
            raise ValueError(f"the start lies within x ±{X / 10:g} and y ±{Y / 10:g}, got {start} tenths")
        if state["optimizer"] not in OPTIMIZERS:
            raise ValueError(f"the optimizer is one of {OPTIMIZERS}, got {state['optimizer']!r}")
        limits = {"curvature": (1, CURVATURE), "rate": (1, 1000), "momentum": (0, 100)}
        found = {name: as_int(state[name], f"the {name}") for name in limits}
        for name, (low, high) in limits.items():
            if not low <= found[name] <= high:
                raise ValueError(f"the {name} is from {low} to {high}, got {found[name]}")
        return {"start": start, "optimizer": state["optimizer"], **found}

    @property
    def way(self) -> list[tuple[float, float]]:
        """The points of the way, the start first, computed by the library's optimizer in float64."""
        state = self.state
        point = tl.tensor([number / 10 for number in state["start"]], dtype=tl.float64, requires_grad=True)
        curvature = tl.tensor([1.0, state["curvature"]], dtype=tl.float64)
        lr = state["rate"] / 1000
        optimizer: tl.optim.Optimizer
        if state["optimizer"] == "SGD":
            optimizer = tl.optim.SGD([point], lr=lr, momentum=state["momentum"] / 100)
        else:
            optimizer = tl.optim.Adam([point], lr=lr)
        points = [(point[0].item(), point[1].item())]
        for _ in range(STEPS):
            optimizer.zero_grad()
            (curvature * point * point / 2).sum().backward()
            optimizer.step()
            points.append((point[0].item(), point[1].item()))
            if max(map(abs, points[-1])) > FAR:
                break
        return points

    def text_twin(self) -> str:
        """Every fourth point of the way, and its height."""
        state, points = self.state, self.way
        rows = [
            (step, f"{x:.3g}", f"{y:.3g}", f"{(x * x + state['curvature'] * y * y) / 2:.3g}")
            for step, (x, y) in enumerate(points)
            if step % 4 == 0
        ]
        return html_table(
            f"{state['optimizer']} with learning rate {state['rate'] / 1000:g} in a valley of curvature "
            f"{state['curvature']}",
            ["step", "x", "y", "height"],
            rows,
        )
