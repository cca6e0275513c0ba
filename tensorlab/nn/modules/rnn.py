"""Recurrent layers: the same weights at every step of a sequence, and a state that goes from step to step.

The product of the inputs with their weights does not depend on the state, so it is computed for all steps at
once; what is left for each step is one product of the state, and a few functions of the gates (see
`tensorlab.scalars.recurrent`).
"""

from __future__ import annotations

import math
import warnings
from typing import Any

import tensorlab as tl
from tensorlab.nn import functional as F
from tensorlab.nn import init
from tensorlab.nn.modules.module import Module
from tensorlab.nn.parameter import Parameter
from tensorlab.nn.utils.rnn import PackedSequence
from tensorlab.ops.recurrent import Run, recur
from tensorlab.scalars.recurrent import RECURRENCES
from tensorlab.tensor import Tensor

__all__ = ["GRU", "LSTM", "RNN", "GRUCell", "LSTMCell", "RNNBase", "RNNCell", "RNNCellBase"]

State = tuple[Tensor, ...]

_GATES = {mode: kind.gates for mode, kind in RECURRENCES.items()}


# --- layers -------------------------------------------------------------------------------------------


class RNNBase(Module):
    """What the recurrent layers have in common: stacked layers, in one direction or in two.

    Args:
        mode: ``"LSTM"``, ``"GRU"``, ``"RNN_TANH"`` or ``"RNN_RELU"``.
        input_size, hidden_size, num_layers, bias, batch_first: see `LSTM`.
        dropout, bidirectional, proj_size, device, dtype: see `LSTM`.
    """

    def __init__(
        self,
        mode: str,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if mode not in _GATES:
            raise ValueError("Unrecognized RNN mode: " + mode)
        _check_sizes(input_size, hidden_size, num_layers, bias, batch_first, dropout, proj_size)
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        self._all_weights: list[list[str]] = []
        gates, given = _GATES[mode] * hidden_size, proj_size or hidden_size
        for layer in range(num_layers):
            for suffix in ("", "_reverse")[: 1 + bidirectional]:
                taken = given * (1 + bidirectional) if layer else input_size
                shapes: dict[str, tuple[int, ...]] = {
                    "weight_ih": (gates, taken),
                    "weight_hh": (gates, given),
                }
                if bias:
                    shapes |= {"bias_ih": (gates,), "bias_hh": (gates,)}
                if proj_size:
                    shapes["weight_hr"] = (proj_size, hidden_size)
                names = {f"{name}_l{layer}{suffix}": shape for name, shape in shapes.items()}
                for name, shape in names.items():
                    self.register_parameter(name, Parameter(tl.empty(shape, device=device, dtype=dtype)))
                self._all_weights.append(list(names))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw all weights and biases anew, evenly between ±1/√hidden_size."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    @property
    def all_weights(self) -> list[list[Parameter]]:
        """The weights of each layer and direction."""
        return [[getattr(self, name) for name in names] for names in self._all_weights]

    def flatten_parameters(self) -> None:
        """Do nothing: on a GPU, PyTorch puts the weights side by side here."""

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}"
        usual = {
            "proj_size": 0, "num_layers": 1, "bias": True, "batch_first": False, "dropout": 0,
            "bidirectional": False,
        }  # fmt: skip
        for name, value in usual.items():
            if getattr(self, name) != value:
                text += f", {name}={getattr(self, name)}"
        return text

    def forward(self, input: Any, hx: Any = None) -> tuple[Any, Any]:
        """The outputs of the last layer at all steps, and the states after the last step.

        Raises:
            ValueError: the input has another dtype than the weights, or another number of dimensions.
            RuntimeError: sizes do not fit.
        """
        if isinstance(input, PackedSequence):
            sizes = [int(size) for size in input.batch_sizes]
            state = self._initial(input.data, hx, sizes[0], input.sorted_indices)
            self._check(input.data, state, sizes[0], dims=2)
            output, state = self._run(input.data, state, sizes)
            packed = PackedSequence(output, *input[1:])
            return packed, self._handed(self._permuted(state, input.unsorted_indices))
        if input.dim() not in (2, 3):
            name = self.mode.partition("_")[0]
            raise ValueError(f"{name}: Expected input to be 2D or 3D, got {input.dim()}D instead")
        alone = input.dim() == 2
        batch_dim = 0 if self.batch_first else 1
        if hx is not None:
            self._check_dims(hx, 2 if alone else 3)
            if alone:
                hx = tuple(h.unsqueeze(1) for h in hx) if self.mode == "LSTM" else hx.unsqueeze(1)
        steps = input.unsqueeze(batch_dim) if alone else input
        state = self._initial(steps, hx, steps.shape[batch_dim], None)
        self._check(steps, state, steps.shape[batch_dim], dims=3)
        steps = steps.transpose(0, 1) if self.batch_first else steps
        output, state = self._run(steps, state, None)
        if self.batch_first:
            output = output.transpose(0, 1)
        if alone:
            output, state = output.squeeze(batch_dim), tuple(h.squeeze(1) for h in state)
        return output, self._handed(state)

    def _handed(self, state: State) -> Any:
        return state if self.mode == "LSTM" else state[0]

    def _permuted(self, state: State, order: Tensor | None) -> State:
        return state if order is None else tuple(h.index_select(1, order) for h in state)

    def _sizes(self, batch: int) -> list[tuple[int, int, int]]:
        """The shapes that the states have."""
        rows = self.num_layers * (1 + self.bidirectional)
        sizes = [(rows, batch, self.proj_size or self.hidden_size)]
        return [*sizes, (rows, batch, self.hidden_size)] if self.mode == "LSTM" else sizes

    def _initial(self, input: Tensor, hx: Any, batch: int, order: Tensor | None) -> State:
        if hx is None:
            return tuple(
                tl.zeros(size, dtype=input.dtype, device=input.device) for size in self._sizes(batch)
            )
        return self._permuted(tuple(hx) if self.mode == "LSTM" else (hx,), order)

    def _check_dims(self, hx: Any, dims: int) -> None:
        what = f"For {'batched' if dims == 3 else 'unbatched'} {dims}-D input, "
        if self.mode == "LSTM":
            if hx[0].dim() != dims or hx[1].dim() != dims:
                raise RuntimeError(
                    f"{what}hx and cx should also be {dims}-D but got ({hx[0].dim()}-D, {hx[1].dim()}-D) "
                    "tensors"
                )
        elif hx.dim() != dims:
            raise RuntimeError(f"{what}hx should also be {dims}-D but got {hx.dim()}-D tensor")

    def _check(self, input: Tensor, state: State, batch: int, dims: int) -> None:
        own = self.all_weights[0][0].dtype
        if input.dtype != own:
            raise ValueError(
                f"RNN input dtype ({input.dtype}) does not match weight dtype ({own}). Convert input: "
                f"input.to({own}), or convert model: model.to({input.dtype})"
            )
        if input.dim() != dims:
            raise RuntimeError(f"input must have {dims} dimensions, got {input.dim()}")
        if input.shape[-1] != self.input_size:
            raise RuntimeError(
                f"input.size(-1) must be equal to input_size. Expected {self.input_size}, "
                f"got {input.shape[-1]}"
            )
        for place, (h, size) in enumerate(zip(state, self._sizes(batch), strict=True)):
            if tuple(h.shape) != size:
                which = f"hidden[{place}]" if self.mode == "LSTM" else "hidden"
                raise RuntimeError(f"Expected {which} size {size}, got {list(h.shape)}")

    def _run(self, steps: Tensor, state: State, sizes: list[int] | None) -> tuple[Tensor, State]:
        """All layers; `sizes` says how many rows each step of a packed sequence has."""
        states = [tuple(h[row] for h in state) for row in range(state[0].shape[0])]
        directions = 1 + self.bidirectional
        last: list[State] = []
        for layer in range(self.num_layers):
            if layer and self.dropout:
                steps = F.dropout(steps, self.dropout, self.training)
            outputs = []
            for direction in range(directions):
                row = layer * directions + direction
                made, after = self._run_layer(row, steps, states[row], sizes, backwards=direction == 1)
                outputs.append(made)
                last.append(after)
            steps = outputs[0] if directions == 1 else tl.cat(outputs, -1)
        return steps, tuple(tl.stack(rows) for rows in zip(*last, strict=True))

    def _run_layer(
        self, row: int, steps: Tensor, state: State, sizes: list[int] | None, backwards: bool
    ) -> tuple[Tensor, State]:
        """One layer in one direction."""
        weights = {name.split("_l")[0]: getattr(self, name) for name in self._all_weights[row]}
        given = F.linear(steps, weights["weight_ih"], weights.get("bias_ih"))
        gates = given if sizes is not None else given.flatten(0, 1)
        run = Run(self.mode, tuple(sizes or [given.shape[1]] * len(given)), backwards)
        w_hh, b_hh = weights["weight_hh"], weights.get("bias_hh")
        output, state = recur(run, gates, w_hh, b_hh, state, weights.get("weight_hr"))
        return (output if sizes is not None else output.unflatten(0, given.shape[:2])), state


def _check_sizes(
    input_size: Any, hidden_size: Any, num_layers: int, bias: Any, batch_first: Any, dropout: Any,
    proj_size: int,
) -> None:  # fmt: skip
    """Refuse what makes no recurrent layer."""
    if not isinstance(dropout, (int, float)) or isinstance(dropout, bool) or not 0 <= dropout <= 1:
        raise ValueError(
            "dropout should be a number in range [0, 1] representing the probability of an element being "
            "zeroed"
        )
    if dropout > 0 and num_layers == 1:
        warnings.warn(
            "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects "
            f"num_layers greater than 1, but got dropout={dropout} and num_layers={num_layers}",
            stacklevel=4,
        )
    for name, value in (("bias", bias), ("batch_first", batch_first)):
        if not isinstance(value, bool):
            raise TypeError(f"{name} should be of type bool, got: {type(value).__name__}")
    for name, value in (("input_size", input_size), ("hidden_size", hidden_size)):
        if not isinstance(value, int):
            raise TypeError(f"{name} should be of type int, got: {type(value).__name__}")
        if value <= 0:
            raise ValueError(f"{name} must be greater than zero")
    if num_layers <= 0:
        raise ValueError("num_layers must be greater than zero")
    if proj_size < 0:
        raise ValueError("proj_size should be a positive integer or zero to disable projections")
    if proj_size >= hidden_size:
        raise ValueError("proj_size has to be smaller than hidden_size")


class RNN(RNNBase):
    """h′ = tanh(W_ih x + b_ih + W_hh h + b_hh) at every step (Elman, 1990).

    Args:
        input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, device, dtype: see
            `LSTM`.
        nonlinearity: ``"tanh"`` or ``"relu"``; it stands after `num_layers`.

    Raises:
        ValueError: the function is another one.

    Shape:
        as of `LSTM`, with one state instead of two.

    Example:
        >>> import tensorlab as tl
        >>> rnn = tl.nn.RNN(10, 20, 2)
        >>> output, h = rnn(tl.zeros(5, 3, 10))
        >>> output.shape, h.shape
        (tensorlab.Size([5, 3, 20]), tensorlab.Size([2, 3, 20]))
    """

    def __init__(
        self, input_size: int, hidden_size: int, num_layers: int = 1, nonlinearity: str = "tanh",
        *args: Any, **kwargs: Any,
    ) -> None:  # fmt: skip
        if "proj_size" in kwargs:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'.")
        super().__init__(f"RNN_{nonlinearity.upper()}", input_size, hidden_size, num_layers, *args, **kwargs)
        self.nonlinearity = nonlinearity


class LSTM(RNNBase):
    """Long short-term memory (Hochreiter and Schmidhuber, 1997): a state c that gates write and read.

    i, f, o = sigmoid and g = tanh of W_ih x + b_ih + W_hh h + b_hh, each with its rows; c′ = f·c + i·g;
    h′ = o·tanh(c′).

    Args:
        input_size: the size of x.
        hidden_size: the size of h and c.
        num_layers: how many layers stand on one another; each takes the outputs of the one below.
        bias: whether there are b_ih and b_hh.
        batch_first: inputs and outputs are (batch, steps, size); states are not concerned.
        dropout: with which probability numbers are left out between two layers in training.
        bidirectional: a second set of weights runs from the end to the beginning; the outputs of both stand
            side by side.
        proj_size: multiply h by another weight, to this size.
        device, dtype: of the parameters.

    Attributes:
        weight_ih_l[k], weight_hh_l[k], bias_ih_l[k], bias_hh_l[k]: of layer k, the rows of i, f, g and o one
            below another; with ``_reverse`` those of the other direction.

    Shape:
        (steps, batch, input_size) and, if they are given, two states (layers · directions, batch,
        hidden_size) become (steps, batch, directions · hidden_size) and the two states at the end. The batch
        may be left out. A `tensorlab.nn.utils.rnn.PackedSequence` gives another.

    Example:
        >>> import tensorlab as tl
        >>> lstm = tl.nn.LSTM(10, 20, num_layers=2)
        >>> output, (h, c) = lstm(tl.zeros(5, 3, 10))
        >>> output.shape, h.shape, c.shape
        (tensorlab.Size([5, 3, 20]), tensorlab.Size([2, 3, 20]), tensorlab.Size([2, 3, 20]))
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__("LSTM", *args, **kwargs)


class GRU(RNNBase):
    """The gated recurrent unit (Cho et al., 2014): two gates, and no second state.

    r, z = sigmoid of W_ih x + b_ih + W_hh h + b_hh, each with its rows;
    n = tanh(W_in x + b_in + r·(W_hn h + b_hn)); h′ = (1 - z)·n + z·h.

    Args:
        input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, device, dtype: see
            `LSTM`.

    Shape:
        as of `LSTM`, with one state instead of two.

    Example:
        >>> import tensorlab as tl
        >>> gru = tl.nn.GRU(10, 20, batch_first=True, bidirectional=True)
        >>> output, h = gru(tl.zeros(3, 5, 10))
        >>> output.shape, h.shape
        (tensorlab.Size([3, 5, 40]), tensorlab.Size([2, 3, 20]))
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if "proj_size" in kwargs:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        super().__init__("GRU", *args, **kwargs)


# --- cells --------------------------------------------------------------------------------------------


class RNNCellBase(Module):
    """What the cells have in common: the weights of one step.

    Args:
        input_size, hidden_size, bias, device, dtype: see `LSTMCell`.
        num_chunks: how many gates there are.
    """

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool, num_chunks: int, device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        gates = num_chunks * hidden_size
        shapes: dict[str, tuple[int, ...]] = {
            "weight_ih": (gates, input_size),
            "weight_hh": (gates, hidden_size),
            "bias_ih": (gates,),
            "bias_hh": (gates,),
        }
        for name, shape in shapes.items():
            there = bias or name.startswith("weight")
            made = Parameter(tl.empty(shape, device=device, dtype=dtype)) if there else None
            self.register_parameter(name, made)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw all weights and biases anew, evenly between ±1/√hidden_size."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}"
        if self.bias is not True:
            text += f", bias={self.bias}"
        if getattr(self, "nonlinearity", "tanh") != "tanh":
            text += f", nonlinearity={self.nonlinearity}"
        return text

    def _step(self, mode: str, input: Tensor, hx: State | None) -> State:
        """One step, of a batch or of one example."""
        name = type(self).__name__
        if input.dim() not in (1, 2):
            raise ValueError(f"{name}: Expected input to be 1D or 2D, got {input.dim()}D instead")
        for place, h in enumerate(hx or ()):
            if h.dim() not in (1, 2):
                which = f"hx[{place}]" if mode == "LSTM" else "hidden"
                raise ValueError(f"{name}: Expected {which} to be 1D or 2D, got {h.dim()}D instead")
        alone = input.dim() == 1
        input = input.unsqueeze(0) if alone else input
        if hx is None:
            zeros = tl.zeros((len(input), self.hidden_size), dtype=input.dtype, device=input.device)
            state: State = (zeros, zeros) if mode == "LSTM" else (zeros,)
        else:
            state = tuple(h.unsqueeze(0) for h in hx) if alone else hx
        given = F.linear(input, self.weight_ih, self.bias_ih)
        _, state = recur(Run(mode, (len(given),), False), given, self.weight_hh, self.bias_hh, state)
        return tuple(h.squeeze(0) for h in state) if alone else state


class RNNCell(RNNCellBase):
    """One step of `RNN`.

    Args:
        input_size, hidden_size, bias, device, dtype: see `LSTMCell`.
        nonlinearity: ``"tanh"`` or ``"relu"``.

    Shape:
        (N, input_size) and (N, hidden_size) become (N, hidden_size); N may be left out.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.RNNCell(10, 20)(tl.zeros(3, 10)).shape
        tensorlab.Size([3, 20])
    """

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, nonlinearity: str = "tanh",
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        if self.nonlinearity not in ("tanh", "relu"):
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        return self._step(f"RNN_{self.nonlinearity.upper()}", input, None if hx is None else (hx,))[0]


class LSTMCell(RNNCellBase):
    """One step of `LSTM`.

    Args:
        input_size: the size of x.
        hidden_size: the size of h and c.
        bias: whether there are biases.
        device, dtype: of the parameters.

    Shape:
        (N, input_size) and two states (N, hidden_size) become two states; N may be left out.

    Example:
        >>> import tensorlab as tl
        >>> h, c = tl.nn.LSTMCell(10, 20)(tl.zeros(3, 10))
        >>> h.shape
        tensorlab.Size([3, 20])
    """

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 4, device, dtype)

    def forward(self, input: Tensor, hx: State | None = None) -> State:
        return self._step("LSTM", input, hx)


class GRUCell(RNNCellBase):
    """One step of `GRU`.

    Args:
        input_size, hidden_size, bias, device, dtype: see `LSTMCell`.

    Shape:
        (N, input_size) and (N, hidden_size) become (N, hidden_size); N may be left out.

    Example:
        >>> import tensorlab as tl
        >>> tl.nn.GRUCell(10, 20)(tl.zeros(3, 10)).shape
        tensorlab.Size([3, 20])
    """

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 3, device, dtype)

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        return self._step("GRU", input, None if hx is None else (hx,))[0]
