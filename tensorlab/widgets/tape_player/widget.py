"""`TapePlayer`: the Python side. The library runs the program and goes back through its graph."""

from __future__ import annotations

import html
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import traitlets

import tensorlab as tl
from tensorlab import autograd
from tensorlab.autograd.inspection import Graph
from tensorlab.core import layout
from tensorlab.tensor import Tensor
from tensorlab.widgets.base import html_table
from tensorlab.widgets.lab import Lab, checked_choice
from tensorlab.widgets.tape_player.program import MOST_ELEMENTS, Program, parse, run
from tensorlab.widgets.tape_player.record import record

__all__ = ["TapePlayer"]

_NAME = re.compile(r"[A-Za-z_]\w*")
_GUESSES = (
    *("right", "unsummed", "overwrite", "first", "through", "mean", "input", "chain"),
    *("none", "zeros", "ones", "value", "old", "written", "error"),
)  # as in mistakes.js
PRESETS = ("two ways", "stretched", "overwritten", "written and fine")  # as in presets.js


class TapePlayer(Lab):
    """A graph played step by step: values forward, then gradients back, and finite differences beside them.

    Each node shows how many gradients it waits for, what it keeps, and when it lets go. Where two gradients
    meet the second is added to the first; where an operand was broadcast its gradient is summed to its shape.
    The reader says which gradient comes out before the way back opens. Then every number can be dragged and
    the expression written anew, in a page without kernel too: the page has its own engine, which is tested
    against the library's.

    A program may write into a result, ``h *= 2``. Where a node has kept what is overwritten, the way back
    ends there with the library's error, the node that wrote, and both versions.

    A tensor that was computed before can be played as well. Its graph has no forward pass to run again, so
    its leaves stand as they are, and values show where something keeps them.

    Args:
        source: lines of Python, with ``;`` or line breaks between, whose last result is one number; or a
            tensor with a graph. Lines may use ``+ - * / ** @`` and the methods that a refusal lists, and
            ``+= -= *= /=`` to write into a result.
        told: whether to open the way back from the beginning.
        ask: the leaf whose gradient is asked for; the first that requires one if None.
        fixed: leaves that require no gradient.
        presets: which programs are offered: "two ways", "stretched", "overwritten", "written and fine"; all
            if left out. A recorded graph has none.
        key: the player's name in the page's address; left out, it follows from the first state.
        leaves: the values of the names that the source uses, or the leaves of the tensor by name.

    Raises:
        ValueError: the player cannot read the source, its result is not one number, or it is too large.
        TypeError, IndexError, RuntimeError: what the library says of operands that do not fit.

    Example:
        >>> player = TapePlayer("z = (x * w + b).tanh().sum()", x=[[1, 2, 3]], w=[0.1, 0.2, 0.3], b=0.5)
        >>> player.gradients["w"].shape, player.graph.nodes[0].name
        (tensorlab.Size([3]), 'SumBackward0')
        >>> player.change(source="h = x.exp(); h *= 2; z = h.sum()")
        >>> player.gradients
        Traceback (most recent call last):
            ...
        RuntimeError: one of the variables needed for gradient computation has been modified by an inplace \
operation: ExpBackward0 kept a tensor of shape [1, 3] and dtype float64 as `result`, its own result; it was \
at version 0 then, and is at version 1 now. mul_ wrote it. Compute ExpBackward0's operation after the write, \
or write into a clone().
        >>> player.change(source="h = x * w; z = (h * h + h).sum()")
        >>> max(player.graph.waiting().values())
        3
        >>> w = tl.tensor([2.0, 3.0], requires_grad=True)
        >>> TapePlayer((w * w).sum(), w=w).tape["nodes"][1]["label"]
        'mul'

    Calls for chapters: ``TapePlayer("h = x * w; z = h * h + h", x=2, w=3)`` shows gradients that meet, with
    `Predict the next node` for the order of the pass. ``ask="b"`` on the default asks for a leaf that was
    stretched. ``x.exp()`` against ``x * 2`` shows what a graph keeps and when it lets go. ``TapePlayer("z =
    x.detach() * w", x=2, w=3, ask="x")`` shows where no gradient comes out.
    """

    folder = Path(__file__).parent

    tape: traitlets.Dict[str, Any] = traitlets.Dict().tag(sync=True)  # of a recorded graph; else empty
    presets = traitlets.List(traitlets.Unicode()).tag(sync=True)

    def __init__(
        self,
        source: str | Tensor = "z = (x * w + b).tanh().sum()",
        *,
        told: bool = False,
        ask: str | None = None,
        fixed: Sequence[str] = (),
        presets: Sequence[str] | None = None,
        key: str | None = None,
        **leaves: Any,
    ) -> None:
        if isinstance(source, Tensor):
            wrong = next((name for name, leaf in leaves.items() if not isinstance(leaf, Tensor)), None)
            if wrong is not None:
                raise TypeError(
                    f"{wrong} is to name a leaf of the graph, so it is a tensor; got {leaves[wrong]!r}"
                )
            self._recorded: Tensor | None = source
            tape = record(source, leaves)
            state: dict[str, Any] = {"source": "", "leaves": {}, "ask": None}
        else:
            self._recorded = None
            tape = {}
            if not leaves and source == "z = (x * w + b).tanh().sum()":
                leaves = {"x": [[1, 2, 3], [-3, -2, -1]], "w": [0.5, -0.25, 0.25], "b": 0.5}
            unknown = sorted(set(fixed) - leaves.keys())
            if unknown:
                raise ValueError(f"fixed names {unknown[0]!r}, and the leaves are {', '.join(leaves)}")
            plain = {name: _plain_leaf(value, name not in fixed) for name, value in leaves.items()}
            state = {"source": source, "leaves": plain, "ask": ask}
        super().__init__(state | {"guess": None, "told": told, "step": 0}, key)
        self.tape = tape
        self.presets = checked_choice("preset", () if tape else presets, PRESETS)

    @classmethod
    def checked(cls, state: Mapping[str, Any]) -> dict[str, Any]:
        """The state as plain values.

        Raises:
            TypeError, ValueError, IndexError, RuntimeError: the program cannot run, or is none.
        """
        plain: dict[str, Any] = {"source": str(state["source"])}
        plain["leaves"] = {str(name): _checked_leaf(name, leaf) for name, leaf in state["leaves"].items()}
        guess, ask = state["guess"], state["ask"]
        if guess is not None and guess not in _GUESSES:
            raise ValueError(f"a guess is one of {', '.join(_GUESSES)} or None, got {guess!r}")
        if ask is not None and ask not in plain["leaves"]:
            raise ValueError(f"ask names {ask!r}, and the leaves are {', '.join(plain['leaves'])}")
        step = layout.as_int(state["step"], "step")
        if step < 0:
            raise ValueError(f"a step is 0 or more, got {step}")
        if plain["leaves"]:
            _run(plain)
        return plain | {"ask": ask, "guess": guess, "told": bool(state["told"]), "step": step}

    @property
    def tensors(self) -> dict[str, Tensor]:
        """The leaves as they stand, by name."""
        return {name: _tensor(leaf) for name, leaf in self.state["leaves"].items()}

    @property
    def result(self) -> Tensor:
        """The result, with its graph."""
        return self._recorded if self._recorded is not None else self._played()[0]

    @property
    def graph(self) -> Graph:
        """The graph of the result."""
        return autograd.graph(self.result)

    @property
    def gradients(self) -> dict[str, Tensor | None]:
        """The gradients of the leaves by name; None where none arrives.

        Raises:
            RuntimeError: a node finds a tensor overwritten that it has kept.
        """
        result, leaves = self._played()
        wanted = {name: leaf for name, leaf in leaves.items() if leaf.requires_grad}
        found = autograd.grad(result, list(wanted.values()), allow_unused=True)
        by_name = dict(zip(wanted, found, strict=True))
        return {name: by_name.get(name) for name in leaves}

    def _played(self) -> tuple[Tensor, dict[str, Tensor]]:
        if self._recorded is not None:
            raise ValueError("a recorded graph has no program: ask its tensors themselves")
        return _run(self.state)

    def text_twin(self) -> str:
        """The program, and folded under it what comes out."""
        if self._recorded is not None:
            rows = [
                (node["label"], node["name"], tuple(node["shape"]), _numbers(node["gradient"]))
                for node in self.tape["nodes"]
            ]
            return html_table("A graph, the result first.", ["computes", "node", "shape", "gradient"], rows)
        leaves = [
            (name, tuple(leaf["shape"]), _numbers(leaf["data"]), "yes" if leaf["grad"] else "no")
            for name, leaf in self.state["leaves"].items()
        ]
        asked = html_table(
            f"{self.state['source']}. Which gradients come out?",
            ["leaf", "shape", "value", "requires_grad"],
            leaves,
        )
        try:
            gradients = self.gradients
        except RuntimeError as error:
            answer = f"<p>backward() raises an error: {html.escape(str(error))}</p>"
        else:
            after = [
                (
                    name,
                    "None" if gradient is None else f"{tuple(gradient.shape)}: {_numbers(_flat(gradient))}",
                )
                for name, gradient in gradients.items()
            ]
            answer = html_table("After backward().", ["leaf", "gradient"], after)
        summary = "Write down your prediction, then open the answer"
        return f"{asked}<details><summary>{summary}</summary>{answer}</details>"


def _run(state: Mapping[str, Any]) -> tuple[Tensor, dict[str, Tensor]]:
    """The result of a state's program and its leaves."""
    leaves = {name: _tensor(leaf) for name, leaf in state["leaves"].items()}
    program: Program = parse(state["source"], list(leaves))
    result = run(program, leaves)[-1]
    if not result.requires_grad:
        raise ValueError("nothing to go back to: no leaf that requires a gradient leads to the result")
    if result.numel() != 1:
        raise ValueError(
            f"grad can be implicitly created only for scalar outputs: the result has shape "
            f"{tuple(result.shape)}; end with .sum()"
        )
    return result, leaves


def _tensor(leaf: Mapping[str, Any]) -> Tensor:
    flat = tl.tensor(leaf["data"], dtype=tl.float64)
    return flat.view(tuple(leaf["shape"])).clone().requires_grad_(leaf["grad"])


def _flat(tensor: Tensor) -> list[float]:
    numbers: Any = tensor.detach().reshape(-1).tolist()
    return [float(number) for number in numbers]


def _plain_leaf(value: Any, grad: bool) -> dict[str, Any]:
    tensor = value.detach() if isinstance(value, Tensor) else tl.tensor(value, dtype=tl.float64)
    return {"shape": list(tensor.shape), "data": _flat(tensor), "grad": grad}


def _checked_leaf(name: Any, leaf: Mapping[str, Any]) -> dict[str, Any]:
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ValueError(f"a leaf's name is one that a variable can have, got {name!r}")
    shape = list(layout.as_shape(leaf["shape"]))
    data = [float(number) for number in leaf["data"]]
    count = layout.numel(shape)
    if count != len(data) or count > MOST_ELEMENTS or count == 0:
        raise ValueError(
            f"{name} of shape {tuple(shape)} has {count} elements, given are {len(data)}: a leaf has "
            f"1 … {MOST_ELEMENTS}"
        )
    if not all(map(math.isfinite, data)):
        raise ValueError(f"every element of {name} is a finite number")
    return {"shape": shape, "data": data, "grad": bool(leaf["grad"])}


def _numbers(numbers: Sequence[float | str] | None) -> str:
    return "" if numbers is None else ", ".join(f"{float(number):.4g}" for number in numbers)
