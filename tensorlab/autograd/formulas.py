"""Nodes made of formulas: for each operand, how its gradient follows from the gradient of the result.

A formula is a function, and the names of its parameters say what it needs: ``grad``, the operands, the
result, and whatever the operation noted beside them. An operation keeps what the formulas name that will be
needed, and nothing else. So ``mul`` keeps the second operand only if the first requires a gradient, ``exp``
keeps its result, and ``add`` keeps nothing.

    MulBackward0 = formulas("MulBackward0", input=lambda grad, other: grad * other,
                            other=lambda grad, input: grad * input)
    ...
    return record(MulBackward0, result, input, other)

Formulas compute with operations that are recorded in turn when the gradient shall be differentiated.
`record` and its like stand in `tensorlab.autograd.recording`; what is written in place, in
`tensorlab.autograd.recording`.
"""

from __future__ import annotations

import inspect
import weakref
from collections.abc import Callable, Container, Sequence
from typing import Any, ClassVar

from tensorlab.autograd.graph import Gradient, Node, Output, node_of
from tensorlab.autograd.saved_tensors import KeptTensors, Packed, check_version, freed, release
from tensorlab.tensor import Tensor, without_history

Formula = Callable[..., Gradient]
# Computes all gradients of a node at once: called with the gradient of the result (or the list of them), with
# whether each operand that has an edge gets a gradient, and with what was kept, by name.
Fused = Callable[[Any, Sequence[bool], dict[str, Any]], Sequence[Gradient]]
# A formula as it is computed and as it is recorded, and where its arguments stand among what is kept.
Step = tuple[Formula, Formula, tuple[int, ...]]


class Plan:
    """What a node keeps and computes when certain operands require a gradient.

    Attributes:
        mask: which operands require a gradient, as `Backward.plan_for` takes it.
        names: of what is kept.
        places: where it is found: the position among the operands, or the name among the notes, or the
            number of a result as a one-tuple.
        steps: for each operand that has an edge the formula as it is computed, the formula as it is
            recorded, and the positions among what is kept of its arguments; None if it gets no gradient.
        owns: whether an operand is kept, be it a number, as PyTorch keeps it in a tensor.
        results: which of what is kept are results, and their numbers.
    """

    __slots__ = ("mask", "names", "owns", "places", "results", "steps")

    def __init__(self, kind: type[Backward], mask: int) -> None:
        names: dict[str, int] = {}
        steps: list[Step | None] = []
        for position in kind.positions(mask):
            step = kind.step(position) if mask >> position & 1 else None
            if step is None:
                steps.append(None)
                continue
            computed, recorded, wanted = step
            for name in wanted:
                names.setdefault(name, len(names))
            steps.append((computed, recorded, tuple(names[name] for name in wanted)))
        self.mask = mask
        self.names = tuple(names)
        self.steps = tuple(steps)
        self.places = tuple(kind.place(name) for name in names)
        self.owns = any(place.__class__ is int and place < kind.numbers for place in self.places)
        self.results = tuple(
            (index, place[0]) for index, place in enumerate(self.places) if isinstance(place, tuple)
        )


class Backward(Node):
    """A node whose gradients are given by formulas.

    Attributes:
        inputs: the names of the operands; none if there may be any number of them.
        formulas: for each operand its formula, None if the operation is constant in it.
        fused: what computes all gradients at once where they are not differentiated in turn, as one kernel
            does; else None. The formulas still say what is kept, and are what is recorded.
        slots: the positions of the operands that have an edge; None if all have one.
        plan: what is kept, and what is to be computed.
        kept: the values that are kept, None when the node has let go of them.
        versions: of each kept tensor the version it had, of several kept together their sum, None for
            other values.
        slices: of a write into a view, a weak reference to the node that the base got; else None.
    """

    __slots__ = ("kept", "plan", "slices", "versions")

    inputs: ClassVar[tuple[str, ...]] = ()
    formulas: ClassVar[tuple[Formula | None, ...]] = ()
    fused: ClassVar[Fused | None] = None
    slots: ClassVar[tuple[int, ...] | None] = None
    plans: ClassVar[dict[int, Plan]]

    # So many of the first operands count as kept, too, where they are numbers.
    numbers: ClassVar[int] = 0

    plan: Plan
    kept: tuple | None
    versions: tuple
    slices: weakref.ref | None

    @classmethod
    def step(cls, position: int) -> tuple[Formula, Formula, tuple[str, ...]] | None:
        """The formula of one operand: as it is computed, as it is recorded, and the names that it needs."""
        formula = cls.formulas[position] if position < len(cls.formulas) else None
        if formula is None:
            return None
        needed = [name for name in inspect.signature(formula).parameters if name != "grad"]
        return formula, formula, tuple(needed)

    @classmethod
    def positions(cls, mask: int) -> Sequence[int]:
        """The positions of the operands that have an edge, for a mask as `plan_for` takes it."""
        if cls.slots is not None:
            return cls.slots
        return range(len(cls.inputs) or mask.bit_length() - 1)

    @classmethod
    def place(cls, name: str) -> Any:
        """Where a value of this name is found when an operation is recorded."""
        if name in cls.inputs:
            return cls.inputs.index(name)
        if name.startswith("result"):
            return (int(name[len("result") :] or 0),)
        return name

    @classmethod
    def plan_for(cls, mask: int) -> Plan:
        """The plan for certain operands, made once: bit `i` is set if operand `i` requires a gradient.

        Where there may be any number of operands, the bit behind the last one is set as well.
        """
        found = cls.plans.get(mask)
        if found is None:
            found = cls.plans[mask] = Plan(cls, mask)
        return found

    def values(self) -> list:
        """What was kept, as it was.

        Raises:
            RuntimeError: the node has let go of it, or a tensor was written since.
        """
        if self.kept is None:
            raise freed(self)
        values = list(self.kept)
        for index, version in enumerate(self.versions):
            if version is not None:
                value = values[index]
                if value.__class__ is Packed:
                    values[index] = value.unpacked()
                elif value.__class__ is KeptTensors:
                    value.check(self, self.plan.names[index])
                elif value._storage._version != version:
                    check_version(self, self.plan.names[index], value, version)
        return values

    def steps_to(self, asked: Container[Node]) -> Sequence[Step | None]:
        """The plan's steps, without those whose gradient no node among `asked` needs."""
        return [
            step if edge is not None and node_of(edge) in asked else None
            for step, edge in zip(self.plan.steps, self.edges, strict=True)
        ]

    def gradients(
        self, gradient: Any, differentiable: bool, asked: Container[Node] | None = None
    ) -> Sequence[Gradient]:
        """The gradients of the operands, by the formulas."""
        values = self.values()
        steps = self.plan.steps if asked is None else self.steps_to(asked)
        fused = type(self).fused
        if differentiable:
            for index, number in self.plan.results:
                values[index] = self.with_history(values[index], number)
        elif fused is not None:
            kept = dict(zip(self.plan.names, values, strict=True))
            return fused(gradient, [step is not None for step in steps], kept)
        gradients: list[Gradient] = []
        for step in steps:
            if step is None:
                gradients.append(None)
            else:
                formula = step[1] if differentiable else step[0]
                gradients.append(formula(gradient, *[values[at] for at in step[2]]))
        return gradients

    def with_history(self, result: Tensor, number: int) -> Tensor:
        """A result that was kept, as a result of this node again."""
        alias = without_history(result)
        slices = None if self.slices is None else self.slices()
        if slices is not None:  # it was written into a view: seen from the base, like the view itself
            alias._edge = slices.edge_of_view(result)
            return alias
        several = self.outputs > 1
        alias._edge = Output(self, number, result._shape, result._dtype) if several else self
        return alias

    def release(self) -> None:
        """Let go of the tensors that were kept. A node that kept none can run again."""
        if self.plan.owns:
            self.kept = None
        else:
            release(self)

    def __getattr__(self, name: str) -> Any:
        # PyTorch shows what a node kept as attributes; the first operand is called self, the second other.
        if name.startswith("_saved_"):
            wanted = self._own_name(name.removeprefix("_saved_"))
            if wanted in self.plan.names:
                index = self.plan.names.index(wanted)
                value = self.values()[index]
                number = dict(self.plan.results).get(index)
                return value if number is None else self.with_history(value, number)
            if wanted in self.inputs and wanted in self.plan_for((1 << len(self.inputs)) - 1).names:
                return None  # it is kept for the gradient of an operand that requires none
        raise AttributeError(f"{self.name()} has no attribute {name!r}")

    def _own_name(self, name: str) -> str:
        """What the formulas call what PyTorch calls by a name."""
        place = {"self": 0, "other": 1}.get(name)
        return name if place is None or place >= len(self.inputs) else self.inputs[place]


class ViewBackward(Backward):
    """A node whose results are views of its first operand.

    Attributes:
        version: how often their storage was written when they were made. If it was written since, the
            view's history is out of date.
    """

    __slots__ = ("version",)
    is_view = True

    version: int


def formulas(
    name: str, /, *, base: type[Backward] = Backward, fused: Fused | None = None, **by_operand: Formula | None
) -> Any:
    """A kind of node.

    Args:
        name: what it is called, the operation's name and ``Backward0``.
        base: the class to build on.
        fused: what computes all gradients at once, if something does; see `Backward`.
        by_operand: for each operand, in order, its formula, or None.

    Returns:
        the class, for `record`.
    """
    slots = tuple(position for position, formula in enumerate(by_operand.values()) if formula is not None)
    own: dict[str, Any] = {
        "__slots__": (),
        "inputs": tuple(by_operand),
        "formulas": tuple(by_operand.values()),
        "fused": None if fused is None else staticmethod(fused),
        "slots": slots if len(slots) < len(by_operand) else None,
        "plans": {},
        "__module__": __name__,
    }
    return type(name, (base,), own)


def view_formulas(name: str, /, **by_operand: Formula | None) -> Any:
    """A kind of node for an operation whose result is a view of its first operand, for `record_view`."""
    return formulas(name, base=ViewBackward, **by_operand)
