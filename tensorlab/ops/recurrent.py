"""Recurrent layers as a primitive: all steps of a sequence at once, and their gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from tensorlab.autograd.backward import grad as gradients_of
from tensorlab.autograd.formulas import Formula, formulas
from tensorlab.backends import Backend, Launch, recurrent
from tensorlab.core import layout
from tensorlab.core.layout import Size
from tensorlab.dispatch.primitive import Primitive, Recorded, Result, call_several, compute_several
from tensorlab.ops.conversion import contiguous
from tensorlab.ops.creation import zeros
from tensorlab.ops.joining import cat
from tensorlab.ops.linear import linear
from tensorlab.scalars.recurrent import RECURRENCES
from tensorlab.tensor import Tensor

State = tuple[Tensor, ...]


class Run(NamedTuple):
    """What decides beside the operands what a recurrent layer does.

    Attributes:
        mode: one of `tensorlab.scalars.recurrent.RECURRENCES`.
        steps: how many examples take part in each step, which are the first ones.
        backwards: the last step is computed first.
    """

    mode: str
    steps: tuple[int, ...]
    backwards: bool


def recur(
    run: Run,
    given: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    state: State,
    projection: Tensor | None = None,
) -> tuple[Tensor, State]:
    """All steps of one recurrent layer in one direction.

    Args:
        run: the kind of layer, and which examples take part in which step.
        given: what the input gives: a row for each step and example, of a part for each gate.
        weight: of the shape (gates · size, size).
        bias: what is added to the products with the weight, a number for each of its rows.
        state: one tensor (examples, size), or two of an LSTM.
        projection: another weight, by which the outputs are multiplied before they go on to the next step.

    Returns:
        the outputs, a row for each step and example, and the states after the last step of each.
    """
    if projection is not None:
        out, *made = _step_by_step(run, given, weight, bias, list(state), projection)
        return out, tuple(made)
    if bias is None:
        bias = zeros(weight.shape[0], dtype=weight._dtype, device=weight.device)
    operands = [contiguous(operand) for operand in (given, weight, bias, *state)]
    out, *made = call_several(_RECUR[run.mode], *operands, *[None] * (2 - len(state)), params=run)
    return out, tuple(made[: len(state)])


class _Recur(Primitive):
    """The operands are those of `recur`, row-major, and None for a second state; `params` is the run."""

    differentiable = True

    def __init__(self, mode: str) -> None:
        self.kind, self.name = RECURRENCES[mode], mode.lower()
        self.saved = ("h_before", "c_before", "kept") if self.kind.states == 2 else ("h_before", "kept")

    def result(self, operands: Sequence[Any], params: tuple) -> Result:
        """The outputs; then the states, the states before each step, and what each step keeps."""
        rows, size = operands[0]._shape[0], operands[1]._shape[1]
        made = _rows(operands[0], rows, size)
        states = [_rows(each, *each._shape) for each in operands[3 : 3 + self.kind.states]]
        kept = _rows(operands[0], rows, size * self.kind.kept)
        return made._replace(further=[*states, *[made] * len(states), kept])

    def launch(self, backend: Backend, result: Result, operands: Sequence[Any], params: tuple) -> Launch:
        """See `Primitive.launch`."""
        _, steps, backwards = params
        return recurrent.recur(backend, self.kind, result.dtype, result.shape[1], steps, backwards)

    def node(self, operands: Sequence[Any], params: tuple) -> Recorded:
        """See `Primitive.node`."""
        return _NODE, {"run": params, "c_before": None}


class _RecurGradient(Primitive):
    """The operands are what `_Recur` saved, its weight, and the gradients of its results."""

    def __init__(self, mode: str) -> None:
        self.kind, self.name = RECURRENCES[mode], f"{mode.lower()}_backward"

    def result(self, operands: Sequence[Any], params: tuple) -> Result:
        """The gradient of what the input gives.

        Beside it that of what the weights make, without elements if it is the same, and those of the states.
        """
        before, weight = operands[0], operands[self.kind.states + 1]
        made = _rows(before, before._shape[0], weight._shape[0])
        of_products = made if self.kind.apart else _rows(before, 0, 0)
        of_states = [_rows(each, *each._shape) for each in operands[-self.kind.states :]]
        return made._replace(further=[of_products, *of_states])

    def launch(self, backend: Backend, result: Result, operands: Sequence[Any], params: tuple) -> Launch:
        """See `Primitive.launch`."""
        (_, steps, backwards), size = params, operands[0]._shape[1]
        return recurrent.recur_gradient(backend, self.kind, result.dtype, size, steps, backwards)


def _rows(like: Tensor, rows: int, columns: int) -> Result:
    shape = Size((rows, columns))
    return Result(shape, layout.default_strides(shape), like._dtype)


# --- gradients ----------------------------------------------------------------------------------------


def _gradients(grad: Sequence[Tensor | None], wanted: Sequence[bool], kept: dict[str, Any]) -> list:
    """All gradients: of each step by one update, and those of the weights by one product for all steps."""
    run: Run = kept["run"]
    kind = RECURRENCES[run.mode]
    before = (kept["h_before"], kept["c_before"])[: kind.states]
    likes = [before[0], *(kept["h"], kept["c"])[: kind.states]]
    arrived = [
        zeros(like._shape, dtype=like._dtype, device=like.device) if each is None else contiguous(each)
        for each, like in zip(grad, likes, strict=True)
    ]
    operands = *before, kept["kept"], kept["weight"], *arrived
    of_given, of_products, *of_states = compute_several(_RECUR_GRADIENT[run.mode], *operands, params=run)
    if not kind.apart:
        of_products = of_given
    of_weight = of_products.t() @ before[0] if wanted[1] else None
    return [of_given, of_weight, of_products.sum(0) if wanted[2] else None, *of_states]


def _d_operand(operand: int) -> Formula:
    """The gradient of one operand, where it will be differentiated in turn: that of the single steps."""

    def formula(
        grad: Any, given: Any, weight: Any, bias: Any, h: Any, c: Any, run: Run, h_before: Any,
        c_before: Any, kept: Any,
    ) -> Any:  # fmt: skip
        results = _step_by_step(run, given, weight, bias, [h] if c is None else [h, c])
        pairs = [(made, arrived) for made, arrived in zip(results, grad, strict=True) if arrived is not None]
        outputs, above = zip(*pairs, strict=True)
        wanted = (given, weight, bias, h, c)[operand]
        return gradients_of(outputs, wanted, above, create_graph=True, allow_unused=True)[0]

    return formula


def _step_by_step(
    run: Run, given: Any, weight: Any, bias: Any, state: list, projection: Any = None
) -> list[Tensor]:
    """What `recur` returns, made of operations that are recorded one by one."""
    step = _STEPS[run.mode]
    outputs = []
    parts = list(given.split(run.steps))
    for part in reversed(parts) if run.backwards else parts:
        count = len(part)
        moved = step(part, linear(state[0][:count], weight, bias), *[each[:count] for each in state])
        if projection is not None:
            moved = linear(moved[0], projection), *moved[1:]
        outputs.append(moved[0])
        state = [cat([new, old[count:]]) for new, old in zip(moved, state, strict=True)]
    return [cat(outputs[::-1] if run.backwards else outputs), *state]


def _tanh(given: Any, product: Any, h: Any) -> State:
    return ((given + product).tanh(),)


def _relu(given: Any, product: Any, h: Any) -> State:
    return ((given + product).relu(),)


def _lstm(given: Any, product: Any, h: Any, c: Any) -> State:
    i, f, g, o = (given + product).chunk(4, 1)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    return o.sigmoid() * c.tanh(), c


def _gru(given: Any, product: Any, h: Any) -> State:
    (x_r, x_z, x_n), (r, z, s) = given.chunk(3, 1), product.chunk(3, 1)
    r, z = (x_r + r).sigmoid(), (x_z + z).sigmoid()
    n = (x_n + r * s).tanh()
    return (n + z * (h - n),)


_STEPS: dict[str, Callable[..., State]] = {
    "RNN_TANH": _tanh,
    "RNN_RELU": _relu,
    "LSTM": _lstm,
    "GRU": _gru,
}
_NODE = formulas(
    "RecurBackward0",
    fused=_gradients,
    given=_d_operand(0),
    weight=_d_operand(1),
    bias=_d_operand(2),
    h=_d_operand(3),
    c=_d_operand(4),
)
_RECUR = {mode: _Recur(mode) for mode in RECURRENCES}
_RECUR_GRADIENT = {mode: _RecurGradient(mode) for mode in RECURRENCES}
