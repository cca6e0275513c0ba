"""Recurrent layers, cells, packed sequences, attention and transformers beside PyTorch's."""

from __future__ import annotations

import pytest

import tensorlab as tl
from tensorlab.nn.utils import rnn
from tests.library.nn.comparison import (
    agree,
    as_double,
    compare,
    compare_modules,
    copy_state,
    same_error,
    same_text,
    theirs,
    torch,
    weighted_sum,
)

pytestmark = pytest.mark.filterwarnings("ignore:enable_nested_tensor", "ignore:LSTM with projections")


def numbers(*shape):
    return tl.randn(*shape).requires_grad_()


LAYERS = [
    ("RNN", {}),
    ("RNN", {"nonlinearity": "relu", "num_layers": 2, "bias": False}),
    ("GRU", {}),
    ("GRU", {"num_layers": 2, "bidirectional": True, "batch_first": True}),
    ("GRU", {"bias": False}),
    ("LSTM", {}),
    ("LSTM", {"num_layers": 2, "bidirectional": True, "batch_first": True}),
    ("LSTM", {"proj_size": 2, "bidirectional": True}),
    ("LSTM", {"bias": False}),
]


@pytest.mark.parametrize(("name", "options"), LAYERS)
def test_recurrent_layers(name, options):
    compare(name, (3, 4), options, numbers(5, 2, 3))


@pytest.mark.parametrize("name", ["RNN", "GRU", "LSTM"])
def test_in_float64_with_states(name):
    h = numbers(2, 2, 4)
    state = (h, numbers(2, 2, 4)) if name == "LSTM" else h
    compare(name, (3, 4, 2), {}, numbers(5, 2, 3), state, dtype="float64")
    compare(name, (3, 4), {}, numbers(5, 3))


@pytest.mark.parametrize(("name", "options"), LAYERS[3:8:2] + LAYERS[6:8])
@pytest.mark.parametrize("in_order", [True, False])
def test_packed_sequences(name, options, in_order):
    lengths = [5, 3, 3, 1] if in_order else [3, 5, 1, 3]
    sequences = [tl.randn(length, 3).requires_grad_() for length in lengths]
    mine, yours = getattr(tl.nn, name)(3, 4, **options), getattr(torch.nn, name)(3, 4, **options)
    copy_state(mine, yours)
    copies = theirs(sequences)
    packed = rnn.pack_sequence(sequences, enforce_sorted=in_order)
    other = torch.nn.utils.rnn.pack_sequence(copies, enforce_sorted=in_order)
    assert packed.batch_sizes.tolist() == other.batch_sizes.tolist()
    output, state = mine(packed)
    expected, wanted = yours(other)
    padded = rnn.pad_packed_sequence(output, total_length=7, padding_value=-1.0)
    longer = torch.nn.utils.rnn.pad_packed_sequence(expected, total_length=7, padding_value=-1.0)
    agree([padded, state], [longer, wanted])
    (weighted_sum(padded[:1]) + weighted_sum(state)).backward()
    (weighted_sum(longer[:1]) + weighted_sum(wanted)).backward()
    agree(
        [x.grad for x in [*sequences, *mine.parameters()]], [x.grad for x in [*copies, *yours.parameters()]]
    )


CELLS = [
    ("RNNCell", {}),
    ("RNNCell", {"nonlinearity": "relu", "bias": False}),
    ("GRUCell", {}),
    ("LSTMCell", {"bias": False}),
]


@pytest.mark.parametrize(("name", "options"), CELLS)
def test_cells(name, options):
    compare(name, (3, 4), options, numbers(2, 3))
    state = (numbers(4), numbers(4)) if name == "LSTMCell" else numbers(4)
    compare(name, (3, 4), options, numbers(3), state)


@pytest.mark.parametrize("name", ["RNN", "LSTM", "GRU"])
def test_gradients_of_gradients_go_through_all_steps(name):
    layer, x = getattr(tl.nn, name)(2, 2).double(), as_double(numbers(3, 1, 2))
    (first,) = tl.autograd.grad(layer(x)[0].sum(), x, create_graph=True)
    first.square().sum().backward()
    other, y = getattr(torch.nn, name)(2, 2).double(), theirs(x)
    copy_state(layer, other)
    (second,) = torch.autograd.grad(other(y)[0].sum(), y, create_graph=True)
    second.square().sum().backward()
    agree([x.grad, layer.weight_hh_l0.grad], [y.grad, other.weight_hh_l0.grad], "float64")


def test_padding_sequences():
    rows = [tl.tensor([1, 2, 3]), tl.tensor([4])]
    for side in ("left", "right"):
        mine = rnn.pad_sequence(rows, padding_value=9, padding_side=side)
        yours = torch.nn.utils.rnn.pad_sequence(theirs(rows), padding_value=9, padding_side=side)
        assert mine.tolist() == yours.tolist()
    packed = rnn.pack_sequence(rows)
    assert [row.tolist() for row in rnn.unpack_sequence(packed)] == [[1, 2, 3], [4]]


@pytest.mark.parametrize(
    "call",
    [
        lambda m: m.nn.LSTM(0, 2),
        lambda m: m.nn.LSTM(2, 2.5),
        lambda m: m.nn.LSTM(2, 2, dropout=2),
        lambda m: m.nn.LSTM(2, 2, bias=1),
        lambda m: m.nn.LSTM(2, 2, num_layers=0),
        lambda m: m.nn.LSTM(2, 2, proj_size=2),
        lambda m: m.nn.GRU(2, 2, proj_size=1),
        lambda m: m.nn.RNN(2, 2, nonlinearity="sin"),
        lambda m: m.nn.LSTM(2, 2)(m.zeros(2)),
        lambda m: m.nn.LSTM(2, 2)(m.zeros(2, 3)),
        lambda m: m.nn.LSTM(2, 2)(m.zeros(2, 2, dtype=m.float64)),
        lambda m: m.nn.LSTM(2, 2)(m.zeros(3, 1, 2), (m.zeros(1, 2), m.zeros(1, 2))),
        lambda m: m.nn.LSTM(2, 2)(m.zeros(3, 1, 2), (m.zeros(1, 1, 3), m.zeros(1, 1, 2))),
        lambda m: m.nn.LSTM(2, 2)(m.zeros(3, 1, 2), (m.zeros(1, 1, 2), m.zeros(1, 1, 3))),
        lambda m: m.nn.GRU(2, 2)(m.zeros(3, 1, 2), m.zeros(1, 2)),
        lambda m: m.nn.GRU(2, 2)(m.zeros(3, 1, 2), m.zeros(1, 2, 2)),
        lambda m: m.nn.LSTMCell(2, 2)(m.zeros(1, 1, 2)),
        lambda m: m.nn.utils.rnn.pack_padded_sequence(m.zeros(3, 2), [1, 3]),
        lambda m: m.nn.utils.rnn.pack_padded_sequence(m.zeros(3, 2), [3]),
        lambda m: m.nn.utils.rnn.pad_packed_sequence(
            m.nn.utils.rnn.pack_sequence([m.zeros(3)]), total_length=2
        ),
        lambda m: m.nn.MultiheadAttention(0, 1),
        lambda m: m.nn.MultiheadAttention(3, 2),
        lambda m: m.nn.MultiheadAttention(2, 1)(*[m.zeros(3, 1, 2)] * 3, is_causal=True),
        lambda m: m.nn.MultiheadAttention(2, 1)(*[m.zeros(3, 1, 2)] * 3, attn_mask=m.zeros(2, 2)),
        lambda m: m.nn.MultiheadAttention(2, 1)(
            *[m.zeros(3, 1, 2)] * 3, attn_mask=m.zeros(3, 3, dtype=m.int64)
        ),
        lambda m: m.nn.TransformerEncoderLayer(2, 1, activation="sin"),
        lambda m: m.nn.Transformer(2, 1, 1, 1, 4)(m.zeros(3, 1, 2), m.zeros(3, 2, 2)),
    ],
)
def test_errors_are_pytorchs(call):
    same_error(call)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"batch_first": True},
        {"bias": False},
        {"add_bias_kv": True, "add_zero_attn": True},
        {"kdim": 3, "vdim": 5},
    ],
)
@pytest.mark.parametrize("need_weights", [True, False])
def test_attention(options, need_weights):
    mine, yours = tl.nn.MultiheadAttention(4, 2, **options), torch.nn.MultiheadAttention(4, 2, **options)
    same_text(mine, yours)
    lengths = [3, 5, 5]
    sizes = [4, options.get("kdim", 4), options.get("vdim", 4)]
    if options.get("batch_first"):
        inputs = [numbers(2, length, size) for length, size in zip(lengths, sizes, strict=True)]
    else:
        inputs = [numbers(length, 2, size) for length, size in zip(lengths, sizes, strict=True)]
    padding = tl.tensor([[False] * 5, [False, False, True, False, True]])
    compare_modules(mine, yours, *inputs, need_weights=need_weights, key_padding_mask=padding)
    mine.zero_grad(), yours.zero_grad()
    mask = tl.randn(4, 3, 5)
    compare_modules(
        mine, yours, *[value.detach() for value in inputs], need_weights=need_weights, attn_mask=mask,
        average_attn_weights=False,
    )  # fmt: skip


def test_attention_of_a_sequence_to_itself():
    for shape in ((5, 2, 4), (5, 4)):
        mine, yours = tl.nn.MultiheadAttention(4, 2), torch.nn.MultiheadAttention(4, 2)
        copy_state(mine, yours)
        x = numbers(*shape)
        y = theirs(x)
        mask = tl.nn.Transformer.generate_square_subsequent_mask(5)
        found = mine(x, x, x, attn_mask=mask, is_causal=True, need_weights=False)[0]
        expected = yours(y, y, y, attn_mask=theirs(mask), is_causal=True, need_weights=False)[0]
        agree(found, expected)
        found.sum().backward(), expected.sum().backward()
        agree(x.grad, y.grad)


@pytest.mark.parametrize("options", [{}, {"norm_first": True, "activation": "gelu", "bias": False}])
def test_transformers(options):
    options = {"dropout": 0.0, "batch_first": True, **options}

    def made(library):
        nn = library.nn
        layer = nn.TransformerEncoderLayer(4, 2, 8, **options)
        other = nn.TransformerDecoderLayer(4, 2, 8, **options)
        return nn.TransformerEncoder(layer, 2), nn.TransformerDecoder(other, 2, norm=nn.LayerNorm(4))

    (encoder, decoder), (other_encoder, other_decoder) = made(tl), made(torch)
    same_text(encoder, other_encoder)
    same_text(decoder, other_decoder)
    mask = tl.nn.Transformer.generate_square_subsequent_mask(5)
    compare_modules(encoder, other_encoder, numbers(2, 5, 4), mask)
    padding = tl.tensor([[False] * 6, [False] * 4 + [True] * 2])
    compare_modules(
        decoder, other_decoder, numbers(2, 5, 4), numbers(2, 6, 4), tgt_mask=mask,
        memory_key_padding_mask=padding,
    )  # fmt: skip


def test_the_transformer():
    mine = tl.nn.Transformer(4, 2, 1, 1, 8, dropout=0.0)
    yours = torch.nn.Transformer(4, 2, 1, 1, 8, dropout=0.0)
    same_text(mine, yours)
    compare_modules(mine, yours, numbers(5, 2, 4), numbers(3, 2, 4))


def test_weights_of_a_seed_are_pytorchs():
    def weights(library):
        library.manual_seed(4)
        nn = library.nn
        modules = [
            nn.LSTM(3, 4, 2), nn.GRUCell(2, 3), nn.MultiheadAttention(4, 2, add_bias_kv=True),
            nn.Transformer(4, 2, 1, 1, 8),
        ]  # fmt: skip
        return [weight for module in modules for weight in module.parameters()]

    agree(weights(tl), weights(torch))
