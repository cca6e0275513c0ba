"""The steps of recurrent layers: what becomes of the numbers at one position of a state, and their gradients.

The operands of a step, one number of each:

- what it keeps for the backward pass: the states before, then the parts of its own, the activated gates;
- the output, and the states, which it overwrites;
- the parts that the input gives, and the biases: a part for each gate.

The first parts of its own hold, when the step begins, what the weights make of the state.

The operands of a gradient:

- what it writes: of each part the gradient that the input gets and, where they differ, of each part that the
  weights have made; then the gradients of the states, but for what comes back through the weights;
- what was kept, in the same order as above;
- what came back through the weights from the step behind, and the gradient of the output.
"""

from __future__ import annotations

from typing import NamedTuple

from tensorlab.scalars.exponential import sigmoid
from tensorlab.scalars.row import number
from tensorlab.scalars.trigonometric import tanh
from tensorlab.scalars.updates import Update

__all__ = ["RECURRENCES", "Recurrence"]

# mypy: disable-error-code="no-untyped-def, no-untyped-call"


class Recurrence(NamedTuple):
    """One kind of recurrent layer.

    Attributes:
        states: how many states go from step to step; the first is the output too.
        gates: how many parts the input gives, and the weights make of the state.
        kept: how many parts of its own a step keeps.
        step, gradient: the formulas.
        apart: whether the input gets other gradients than what the weights have made.
    """

    states: int
    gates: int
    kept: int
    step: Update
    gradient: Update
    apart: bool = False


def rnn_tanh(h_before, gate, out, h, x, b):
    made = tanh(x + (gate + b))
    return h, made, made, made


def d_rnn_tanh(d_gate, d_h, h_before, gate, back, grad):
    d_h = d_h + back + grad
    return d_h * (number(1) - gate * gate), number(0)


def rnn_relu(h_before, gate, out, h, x, b):
    made = x + (gate + b)
    made = number(0) if made <= 0 else made  # NaN stays
    return h, made, made, made


def d_rnn_relu(d_gate, d_h, h_before, gate, back, grad):
    d_h = d_h + back + grad
    return d_h if gate > 0 else number(0), number(0)


def lstm(h_before, c_before, i, f, g, o, out, h, c, x_i, x_f, x_g, x_o, b_i, b_f, b_g, b_o):
    i = sigmoid(x_i + (i + b_i))
    f = sigmoid(x_f + (f + b_f))
    g = tanh(x_g + (g + b_g))
    o = sigmoid(x_o + (o + b_o))
    new_c = f * c + i * g
    new_h = o * tanh(new_c)
    return h, c, i, f, g, o, new_h, new_h, new_c


def d_lstm(d_i, d_f, d_g, d_o, d_h, d_c, h_before, c_before, i, f, g, o, back, grad):
    d_h = d_h + back + grad
    t = tanh(f * c_before + i * g)
    d_o = d_h * t * (o * (number(1) - o))
    d_c = d_c + d_h * o * (number(1) - t * t)
    d_i = d_c * g * (i * (number(1) - i))
    d_f = d_c * c_before * (f * (number(1) - f))
    d_g = d_c * i * (number(1) - g * g)
    return d_i, d_f, d_g, d_o, number(0), d_c * f


def gru(h_before, r, z, s, n, out, h, x_r, x_z, x_n, b_r, b_z, b_n):
    r = sigmoid(x_r + (r + b_r))
    z = sigmoid(x_z + (z + b_z))
    s = s + b_n
    n = tanh(x_n + r * s)
    made = n + z * (h - n)
    return h, r, z, s, n, made, made


def d_gru(d_r, d_z, d_n, m_r, m_z, m_s, d_h, h_before, r, z, s, n, back, grad):
    d_h = d_h + back + grad
    d_n = d_h * (number(1) - z) * (number(1) - n * n)
    d_z = d_h * (h_before - n) * (z * (number(1) - z))
    d_r = d_n * s * (r * (number(1) - r))
    return d_r, d_z, d_n, d_r, d_z, d_n * r, d_h * z


def _update(formula, *read):
    return Update(formula.__name__, formula, read=read)


RECURRENCES = {
    "RNN_TANH": Recurrence(
        1, 1, 1,
        _update(rnn_tanh, "x", "b"),
        _update(d_rnn_tanh, "h_before", "gate", "back", "grad"),
    ),
    "RNN_RELU": Recurrence(
        1, 1, 1,
        _update(rnn_relu, "x", "b"),
        _update(d_rnn_relu, "h_before", "gate", "back", "grad"),
    ),
    "LSTM": Recurrence(
        2, 4, 4,
        _update(lstm, "x_i", "x_f", "x_g", "x_o", "b_i", "b_f", "b_g", "b_o"),
        _update(d_lstm, "h_before", "c_before", "i", "f", "g", "o", "back", "grad"),
    ),
    "GRU": Recurrence(
        1, 3, 4,
        _update(gru, "x_r", "x_z", "x_n", "b_r", "b_z", "b_n"),
        _update(d_gru, "h_before", "r", "z", "s", "n", "back", "grad"),
        apart=True,
    ),
}  # fmt: skip
