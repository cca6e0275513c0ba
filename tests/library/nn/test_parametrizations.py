"""Weights that are computed of other parameters, beside PyTorch's."""

from __future__ import annotations

import copy
import pickle

import pytest

import tensorlab as tl
from tests.library.nn.comparison import agree, compare_modules, copy_state, same_error, same_text, torch

pytestmark = pytest.mark.filterwarnings("ignore:`.*weight_norm` is deprecated")

LAYERS = [
    lambda nn: nn.Linear(3, 2),
    lambda nn: nn.Conv2d(3, 2, 2),
    lambda nn: nn.ConvTranspose2d(3, 2, 2),
]
FORMS = {
    "weight norm": lambda nn, layer: nn.utils.parametrizations.weight_norm(layer),
    "weight norm, one length": lambda nn, layer: nn.utils.parametrizations.weight_norm(layer, dim=None),
    "weight norm, columns": lambda nn, layer: nn.utils.parametrizations.weight_norm(layer, "weight", 1),
    "spectral norm": lambda nn, layer: nn.utils.parametrizations.spectral_norm(layer),
    "spectral norm, steps": lambda nn, layer: nn.utils.parametrizations.spectral_norm(layer, "weight", 3),
    "older weight norm": lambda nn, layer: nn.utils.weight_norm(layer),
    "older spectral norm": lambda nn, layer: nn.utils.spectral_norm(layer, n_power_iterations=2),
}


@pytest.mark.parametrize("make", LAYERS, ids=["linear", "convolution", "transposed"])
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_forward_backward_state_and_text(make, form):
    """In training, where vectors move on, and then in evaluation."""
    mine, yours = form(tl.nn, make(tl.nn)), form(torch.nn, make(torch.nn))
    same_text(mine, yours)
    x = tl.randn(2, 3, *(4, 4) * (mine.weight.dim() == 4)).requires_grad_()
    compare_modules(mine, yours, x)
    compare_modules(mine.eval(), yours.eval(), x.detach())


SHAPES = {"square": (4, 4), "tall": (3, 5), "wide": (5, 3)}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("kind", [None, "matrix_exp", "cayley", "householder"])
@pytest.mark.parametrize("base", [True, False], ids=["with a base", "without"])
def test_orthogonal_weights_are_pytorchs(shape, kind, base):
    weight = tl.randn(shape[1], shape[0], dtype=tl.float64)
    layers = []
    for library in (tl, torch):
        layer = library.nn.Linear(*shape).double()
        with library.no_grad():
            layer.weight.copy_(library.tensor(weight.tolist(), dtype=library.float64))
        layers.append(
            library.nn.utils.parametrizations.orthogonal(layer, "weight", kind, use_trivialization=base)
        )
    mine, yours = layers
    same_text(mine, yours)
    if base or kind == "householder" or (kind is None and shape[0] != shape[1]):
        agree(mine.weight, yours.weight, "float64")
        originals = (layer.parametrizations.weight.original for layer in layers)
        agree(*originals, "float64")
    copy_state(mine, yours)
    with tl.no_grad(), torch.no_grad():
        moved = tl.randn(shape[1], shape[0], dtype=tl.float64).tril(-1) / 2
        mine.parametrizations.weight.original.add_(moved)
        yours.parametrizations.weight.original.add_(torch.tensor(moved.tolist(), dtype=torch.float64))
    compare_modules(mine, yours, tl.randn(2, shape[0], dtype=tl.float64).requires_grad_(), dtype="float64")
    short = mine.weight if shape[0] > shape[1] else mine.weight.T
    agree(short @ short.T, torch.eye(min(shape), dtype=torch.float64), "float64")


def test_a_parametrization_of_ones_own():
    def make(library):
        class Symmetric(library.nn.Module):
            def forward(self, x):
                return x.triu() + x.triu(1).transpose(-1, -2)

            def right_inverse(self, value):
                return value.triu()

        class Twice(library.nn.Module):
            def forward(self, x):
                return 2 * x

        layer = library.nn.Linear(3, 3)
        parametrize = library.nn.utils.parametrize
        before = layer.weight
        parametrize.register_parametrization(layer, "weight", Symmetric())
        assert layer.parametrizations.weight.original is before  # an optimizer that has it goes on
        parametrize.register_parametrization(layer, "weight", Twice())
        return layer

    mine, yours = make(tl), make(torch)
    same_text(mine, yours)
    compare_modules(mine, yours, tl.randn(2, 3))
    assert tl.nn.utils.parametrize.type_before_parametrizations(mine) is tl.nn.Linear
    with pytest.raises(RuntimeError, match="right_inverse"):
        mine.weight = tl.zeros(3, 3)


def test_assigning_a_weight_moves_what_is_trained():
    layers = []
    for library in (tl, torch):
        layer = library.nn.utils.parametrizations.weight_norm(library.nn.Linear(2, 2))
        layer.weight = library.tensor([[3.0, 4.0], [0.0, 2.0]])
        layers.append(layer)
    agree(list(layers[0].parameters())[1:], list(layers[1].parameters())[1:])
    assert layers[0].parametrizations.weight.original0.tolist() == [[5.0], [2.0]]


def test_a_weight_is_computed_once_in_cached():
    layer = tl.nn.utils.parametrizations.weight_norm(tl.nn.Linear(2, 2))
    assert layer.weight is not layer.weight
    with tl.nn.utils.parametrize.cached():
        assert layer.weight is layer.weight
    assert layer.weight is not layer.weight


@pytest.mark.parametrize("leave", [True, False])
def test_removing_gives_the_weight_back(leave):
    mine = tl.nn.utils.parametrizations.spectral_norm(tl.nn.Linear(3, 2))
    yours = torch.nn.utils.parametrizations.spectral_norm(torch.nn.Linear(3, 2))
    copy_state(mine, yours)
    for layer, library in ((mine.eval(), tl), (yours.eval(), torch)):
        library.nn.utils.parametrize.remove_parametrizations(layer, "weight", leave)
    same_text(mine, yours)
    agree(list(mine.state_dict().values()), list(yours.state_dict().values()))


def test_removing_the_older_hooks():
    weight_norm, spectral_norm = tl.nn.utils.weight_norm, tl.nn.utils.spectral_norm
    for given, take in ((weight_norm, "remove_weight_norm"), (spectral_norm, "remove_spectral_norm")):
        layer = given(tl.nn.Linear(2, 2)).eval()
        expected = layer(tl.ones(1, 2)).detach()
        getattr(tl.nn.utils, take)(layer)
        assert sorted(layer.state_dict()) == ["bias", "weight"]
        tl.testing.assert_close(layer(tl.ones(1, 2)).detach(), expected)


def test_a_copy_has_weights_of_its_own():
    layer = tl.nn.utils.parametrizations.weight_norm(tl.nn.Linear(2, 2))
    other = copy.deepcopy(layer)
    with tl.no_grad():
        other.parametrizations.weight.original0.zero_()
    assert not other.weight.any()
    assert layer.weight.all()


def test_pickles_hold_states_and_no_parametrized_modules():
    with pytest.raises(RuntimeError, match=r"state_dict\(\)"):
        pickle.dumps(tl.nn.utils.parametrizations.weight_norm(tl.nn.Linear(2, 2)))


def wrong(library):
    class Wrong(library.nn.Module):
        def forward(self, x):
            return x[:1]

    return Wrong()


@pytest.mark.parametrize(
    "call",
    [
        lambda m: m.nn.utils.parametrizations.weight_norm(m.nn.Linear(2, 2), "nonsense"),
        lambda m: m.nn.utils.parametrizations.spectral_norm(m.nn.Linear(2, 2), "nonsense"),
        lambda m: m.nn.utils.parametrizations.spectral_norm(m.nn.Linear(2, 2), n_power_iterations=0),
        lambda m: m.nn.utils.parametrizations.spectral_norm(m.nn.Linear(2, 2), dim=5),
        lambda m: m.nn.utils.spectral_norm(m.nn.Linear(2, 2), n_power_iterations=0),
        lambda m: m.nn.utils.spectral_norm(m.nn.utils.spectral_norm(m.nn.Linear(2, 2))),
        lambda m: m.nn.utils.weight_norm(m.nn.utils.weight_norm(m.nn.Linear(2, 2))),
        lambda m: m.nn.utils.remove_weight_norm(m.nn.Linear(2, 2)),
        lambda m: m.nn.utils.remove_spectral_norm(m.nn.Linear(2, 2)),
        lambda m: m.nn.utils.parametrize.remove_parametrizations(m.nn.Linear(2, 2), "weight"),
        lambda m: m.nn.utils.parametrize.register_parametrization(m.nn.Linear(2, 2), "weight", wrong(m)),
        lambda m: m.nn.utils.parametrize.remove_parametrizations(
            m.nn.utils.parametrizations.weight_norm(m.nn.Linear(2, 2)), "weight", False
        ),
    ],
)
def test_errors_are_pytorchs(call):
    same_error(call)
