"""Module: registering, walking, converting, state, hooks, text, copies; beside PyTorch's."""

from __future__ import annotations

import copy
import pickle
from collections import OrderedDict

import pytest

import tensorlab as tl
from tests.library.nn.comparison import agree, copy_state, same_error, same_text, theirs, torch

LIBRARIES = [tl, torch]


def network(library):
    nn = library.nn

    class Block(nn.Module):
        def __init__(self, size):
            super().__init__()
            self.linear = nn.Linear(size, size)
            self.act = nn.ReLU()
            self.register_buffer("scale", library.full((size,), 2.0))
            self.register_buffer("steps", library.zeros(1), persistent=False)

        def forward(self, x):
            return self.act(self.linear(x)) * self.scale

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.blocks = nn.ModuleList([Block(3), Block(3)])
            self.head = nn.Sequential(OrderedDict(drop=nn.Dropout(0.1), out=nn.Linear(3, 2)))
            self.shared = self.head.out
            self.bias = nn.Parameter(library.zeros(2))
            self.nothing = None
            self.register_parameter("absent", None)

        def forward(self, x):
            for block in self.blocks:
                x = block(x)
            return self.head(x) + self.bias

    return Net()


def described(net):
    return {
        "modules": [(name, type(module).__name__) for name, module in net.named_modules()],
        "all modules": [name for name, _ in net.named_modules(remove_duplicate=False)],
        "children": [name for name, _ in net.named_children()],
        "parameters": [(name, tuple(value.shape)) for name, value in net.named_parameters()],
        "all parameters": [name for name, _ in net.named_parameters(remove_duplicate=False)],
        "prefixed": [name for name, _ in net.named_parameters(prefix="net", recurse=False)],
        "buffers": [name for name, _ in net.named_buffers()],
        "state": list(net.state_dict()),
        "prefixed state": list(net.state_dict(prefix="net.")),
        "metadata": dict(net.state_dict()._metadata),
        "training": [module.training for module in net.eval().modules()],
        "dir": [name for name in dir(net) if name in ("bias", "blocks", "head", "0")],
    }


def test_what_a_module_finds():
    mine, yours = network(tl), network(torch)
    assert described(mine) == described(yours)
    same_text(mine, yours)
    assert mine.get_submodule("head.out") is mine.shared
    assert mine.get_parameter("blocks.1.linear.weight") is mine.blocks[1].linear.weight
    assert mine.get_buffer("blocks.0.steps") is mine.blocks[0].steps


@pytest.mark.parametrize(
    "call",
    [
        lambda m: network(m).get_submodule("blocks.5"),
        lambda m: network(m).get_submodule("bias"),
        lambda m: network(m).get_parameter("head"),
        lambda m: network(m).get_buffer("bias"),
        lambda m: network(m).get_buffer("blocks.0.nope"),
        lambda m: network(m).nope,
        lambda m: m.nn.Module().forward(1),
        lambda m: m.nn.Module()(1),
        lambda m: m.nn.Linear(2, 3, nope=1),
        lambda m: setattr(network(m), "bias", m.zeros(2)),
        lambda m: setattr(network(m), "head", 3),
        lambda m: setattr(network(m).blocks[0], "scale", "two"),
        lambda m: network(m).register_buffer("bias", m.zeros(1)),
        lambda m: network(m).register_buffer("a.b", m.zeros(1)),
        lambda m: network(m).register_buffer("", m.zeros(1)),
        lambda m: network(m).register_buffer("x", 3),
        lambda m: network(m).register_buffer(3, m.zeros(1)),
        lambda m: network(m).register_parameter("head", None),
        lambda m: network(m).register_parameter("x", 2.5),
        lambda m: network(m).register_parameter("a.b", None),
        lambda m: network(m).add_module("x", 2),
        lambda m: network(m).add_module("bias", m.nn.ReLU()),
        lambda m: network(m).add_module("a.b", m.nn.ReLU()),
        lambda m: network(m).add_module("", m.nn.ReLU()),
        lambda m: network(m).train("yes"),
        lambda m: network(m).to(m.int64),
        lambda m: network(m).load_state_dict([1]),
        lambda m: network(m).load_state_dict({"bias": m.zeros(2), "more": m.zeros(1)}),
        lambda m: network(m).load_state_dict({"head.out.bias": m.zeros(7), "blocks.7.x": 1}, strict=False),
        lambda m: network(m).load_state_dict({"bias": 3}, strict=False),
        lambda m: network(m).set_submodule("", m.nn.ReLU()),
        lambda m: network(m).set_submodule("head", 3),
        lambda m: network(m).set_submodule("nope", m.nn.ReLU(), strict=True),
        lambda m: m.nn.Sequential(1),
        lambda m: m.nn.Sequential(m.nn.ReLU())[3],
        lambda m: m.nn.Sequential(m.nn.ReLU()) * 0,
        lambda m: m.nn.ModuleList(3),
        lambda m: m.nn.ModuleDict([("a", m.nn.ReLU(), 3)]),
        lambda m: m.nn.ModuleDict(3),
        lambda m: m.nn.ModuleDict({"a": 3}),
        lambda m: m.nn.ParameterList(3),
        lambda m: m.nn.ParameterDict({3: m.zeros(1)}),
        lambda m: m.nn.Dropout(1.5),
        lambda m: m.nn.Hardtanh(1, 1),
        lambda m: m.nn.Unflatten(1, 3),
        lambda m: m.nn.Unflatten(1, (2.5,)),
        lambda m: m.nn.Softmax2d()(m.zeros(2)),
        lambda m: m.nn.Bilinear(0, 1, 1),
        lambda m: m.nn.init.calculate_gain("leaky_relu", True),
        lambda m: m.nn.init.xavier_uniform_(m.zeros(3)),
        lambda m: m.nn.init.kaiming_normal_(m.zeros(3, 3), mode="in"),
        lambda m: m.nn.init.eye_(m.zeros(3)),
        lambda m: m.nn.init.dirac_(m.zeros(3)),
        lambda m: m.nn.init.orthogonal_(m.zeros(3)),
        lambda m: m.nn.init.sparse_(m.zeros(3), 0.1),
    ],
)
def test_errors_are_pytorchs(call):
    same_error(call)


@pytest.mark.parametrize("value", ["parameter", "module"])
def test_assigning_before_init(value):
    def call(library):
        class Early(library.nn.Module):
            def __init__(self):
                self.x = library.nn.Parameter(library.zeros(1)) if value == "parameter" else library.nn.ReLU()

        Early()

    same_error(call, AttributeError)


def test_a_result_is_no_parameter():
    def call(library):
        weight = library.nn.Parameter(library.zeros(2))
        product = weight * 2
        product.__class__ = library.nn.Parameter
        library.nn.Module().register_parameter("x", product)

    with pytest.raises(ValueError, match="Cannot assign non-leaf Tensor to parameter 'x'"):
        call(tl)


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_name_changes_its_kind(library):
    module = library.nn.Module()
    module.x = 3
    module.x = library.nn.Parameter(library.zeros(1))
    assert [name for name, _ in module.named_parameters()] == ["x"]
    module.x = None
    assert list(module.parameters()) == []
    assert module.x is None
    del module.x
    module.x = library.nn.ReLU()
    assert [name for name, _ in module.named_children()] == ["x"]
    module.x = library.nn.Parameter(library.zeros(1))
    assert list(module.children()) == []
    del module.x
    module.x = library.nn.Buffer(library.zeros(1), persistent=False)
    assert [name for name, _ in module.named_buffers()] == ["x"]
    assert list(module.state_dict()) == []
    module.x = library.ones(1)
    assert module.x.item() == 1
    assert isinstance(module.x, library.nn.Buffer) is False


def test_state_goes_from_module_to_module():
    mine, other = network(tl), network(tl)
    state = mine.state_dict()
    assert repr(other.load_state_dict(state)) == "<All keys matched successfully>"
    x = tl.randn(4, 3)
    agree(mine.eval()(x), [theirs(other.eval()(x))])
    state["bias"] += 1  # the dictionary looks into the module
    assert mine.bias.tolist() == [1, 1]
    incomplete = {name: tensor for name, tensor in state.items() if name != "bias"}
    found = other.load_state_dict({**incomplete, "more": tl.zeros(1)}, strict=False)
    assert found.missing_keys == ["bias"]
    assert found.unexpected_keys == ["more"]
    assert repr(found) == "_IncompatibleKeys(missing_keys=['bias'], unexpected_keys=['more'])"


def test_loading_can_assign():
    module = tl.nn.Linear(2, 1)
    given = {"weight": tl.ones(1, 2, dtype=tl.float64), "bias": tl.nn.Parameter(tl.ones(1))}
    module.load_state_dict(given, assign=True)
    assert module.weight.dtype is tl.float64
    assert isinstance(module.weight, tl.nn.Parameter)
    assert module.bias is given["bias"]
    given["weight"][0, 0] = 7
    assert module.weight[0, 0] == 7


def test_extra_state_is_saved():
    class Counting(tl.nn.Module):
        def __init__(self):
            super().__init__()
            self.count = 0

        def get_extra_state(self):
            return {"count": self.count}

        def set_extra_state(self, state):
            self.count = state["count"]

    first, second = tl.nn.Sequential(Counting()), tl.nn.Sequential(Counting())
    first[0].count = 5
    assert list(first.state_dict()) == ["0._extra_state"]
    second.load_state_dict(first.state_dict())
    assert second[0].count == 5
    with pytest.raises(RuntimeError, match=r'Missing key.*"0._extra_state"'):
        second.load_state_dict({})


def test_converting():
    net = network(tl)
    weight, storage = net.bias, net.bias.untyped_storage()
    net(tl.ones(1, 3)).sum().backward()
    net.register_buffer("counts", tl.zeros(1, dtype=tl.int64))
    assert net.double() is net
    assert net.bias is weight
    assert net.bias.untyped_storage() is not storage
    assert net.bias.grad.dtype is tl.float64
    assert net.blocks[0].scale.dtype is tl.float64
    assert net.counts.dtype is tl.int64
    for change in ("float", "half", "bfloat16", "cpu"):
        getattr(net, change)()
    assert net.bias.dtype is tl.bfloat16
    assert net.to(tl.zeros(1)).bias.dtype is tl.float32
    assert net.to("cpu", tl.float64).bias.dtype is tl.float64
    assert net.to(device="cpu", dtype=tl.float32, non_blocking=True).bias.dtype is tl.float32
    net.requires_grad_(False)
    assert not any(parameter.requires_grad for parameter in net.parameters())


@pytest.mark.parametrize("library", LIBRARIES)
def test_zero_grad(library):
    layer = library.nn.Linear(2, 1)
    layer(library.ones(1, 2)).sum().backward()
    layer.zero_grad(set_to_none=False)
    assert layer.weight.grad.tolist() == [[0, 0]]
    layer.zero_grad()
    assert layer.weight.grad is None


@pytest.mark.parametrize("library", LIBRARIES)
def test_copies(library):
    net = network(library)
    net.blocks[0].linear.weight.grad = library.ones(3, 3)
    twin = copy.deepcopy(net)
    assert twin.shared is twin.head.out
    assert twin.blocks[0].linear.weight is not net.blocks[0].linear.weight
    assert twin.blocks[0].linear.weight.grad is None
    assert type(twin.bias) is library.nn.Parameter
    assert list(twin.state_dict()) == list(net.state_dict())
    again = pickle.loads(pickle.dumps(net.head))
    assert type(again.out.weight) is library.nn.Parameter
    assert again.out.weight.tolist() == net.head.out.weight.tolist()
    assert again.out.weight.requires_grad


@pytest.mark.parametrize("library", LIBRARIES)
def test_forward_hooks(library):
    said = []
    layer = library.nn.Linear(1, 1)
    library.nn.init.ones_(layer.weight)
    library.nn.init.zeros_(layer.bias)
    layer.register_forward_pre_hook(lambda module, args: said.append("second"))
    layer.register_forward_pre_hook(lambda module, args: (said.append("first"), args[0] + 1)[1], prepend=True)
    layer.register_forward_pre_hook(
        lambda module, args, kwargs: (said.append(kwargs), (args, {}))[1], with_kwargs=True
    )
    handle = layer.register_forward_hook(lambda module, args, output: output * 10)
    layer.register_forward_hook(
        lambda module, args, kwargs, output: said.append(output.item()), with_kwargs=True
    )
    assert layer(library.zeros(1, 1)).item() == 10
    assert said == ["first", "second", {}, 10]
    handle.remove()
    assert layer(library.zeros(1, 1)).item() == 1
    failed = []
    layer.register_forward_hook(lambda *given: failed.append(given[-1]), always_call=True)
    with pytest.raises(RuntimeError):
        layer(library.zeros(1, 2))
    assert failed == [None]


@pytest.mark.parametrize("library", LIBRARIES)
def test_backward_hooks(library):
    said = []

    def shape(gradients):
        return [None if gradient is None else gradient.tolist() for gradient in gradients]

    layer = library.nn.Linear(2, 1)
    library.nn.init.ones_(layer.weight)
    layer.register_full_backward_pre_hook(lambda module, outer: (outer[0] * 3,))
    layer.register_full_backward_hook(
        lambda module, inner, outer: (said.append((shape(inner), shape(outer))), (inner[0] * 2,))[1]
    )
    x = library.ones(1, 2, requires_grad=True)
    layer(x).sum().backward()
    assert said == [([[[3, 3]]], [[[3]]])]
    assert x.grad.tolist() == [[6, 6]]
    assert layer.weight.grad.tolist() == [[3, 3]]
    with pytest.raises(RuntimeError, match="Cannot use both regular backward hooks and full"):
        layer.register_backward_hook(lambda *given: None)


@pytest.mark.parametrize("library", LIBRARIES)
def test_state_hooks(library):
    said = []
    net = library.nn.Sequential(library.nn.Linear(1, 1))
    net.register_state_dict_pre_hook(lambda module, prefix, keep: said.append((prefix, keep)))
    net[0].register_state_dict_post_hook(lambda module, state, prefix, metadata: state.update(more=1))
    assert list(net.state_dict()) == ["0.weight", "0.bias", "more"]
    assert said == [("", False)]

    def rename(module, state, prefix, *others):
        state[prefix + "bias"] = state.pop(prefix + "old")

    target = library.nn.Sequential(library.nn.Linear(1, 1))
    target[0].register_load_state_dict_pre_hook(rename)
    target.register_load_state_dict_post_hook(lambda module, keys: keys.missing_keys.clear())
    target.load_state_dict({"0.old": library.ones(1)})
    assert target[0].bias.item() == 1


def test_a_missing_name_is_named():
    with pytest.raises(AttributeError, match=r"tensorlab.nn has no 'Linea'; did you mean 'Linear'\?"):
        tl.nn.Linea  # noqa: B018
    with pytest.raises(AttributeError, match=r"there is tensorlab.nn.functional.relu"):
        tl.nn.relu  # noqa: B018


# --- containers -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("library", LIBRARIES)
def test_sequential(library):
    nn = library.nn
    net = nn.Sequential(nn.Linear(1, 2), nn.ReLU()).append(nn.Linear(2, 3))
    net.insert(1, nn.Tanh())
    net.extend([nn.Sigmoid(), nn.ELU()])
    assert [type(module).__name__ for module in net] == ["Linear", "Tanh", "ReLU", "Linear", "Sigmoid", "ELU"]
    assert type(net.pop(1)) is nn.Tanh
    del net[1:2]
    assert [type(module).__name__ for module in net + nn.Sequential(nn.ReLU())] == [
        "Linear", "Linear", "Sigmoid", "ELU", "ReLU",
    ]  # fmt: skip
    net[-1] = nn.SiLU()
    assert type(net[3]) is nn.SiLU
    assert list(net[1:]._modules) == list(net._modules)[1:]
    assert len(net * 2) == 8
    net += nn.Sequential(nn.Tanh())
    assert len(net) == 5


@pytest.mark.parametrize("library", LIBRARIES)
def test_lists_and_dictionaries(library):
    nn = library.nn
    layers = nn.ModuleList([nn.ReLU(), nn.Tanh(), nn.Tanh()])
    layers += [nn.ReLU()]
    layers.insert(0, nn.Sequential(nn.ReLU(), nn.ReLU()))
    assert len(layers[1:3]) == 2
    assert type(layers.pop(-1)) is nn.ReLU
    assert len(layers + nn.ModuleList([nn.ReLU()])) == 5
    choices = nn.ModuleDict({"a": nn.ReLU()})
    choices.update([("b", nn.Tanh())])
    assert list(choices) == list(choices.keys()) == ["a", "b"]
    assert "a" in choices
    assert type(choices.pop("b")) is nn.Tanh
    values = nn.ParameterList([library.zeros(2), library.ones(1)])
    values.append(library.full((1,), 3.0))
    values += [library.zeros(1)]
    assert [name for name, _ in values.named_parameters()] == ["0", "1", "2", "3"]
    assert len(values[1:]) == 3
    named = nn.ParameterDict({"a": library.zeros(1), "b": 3})
    named["c"] = library.ones(1)
    assert [name for name, _ in named.named_parameters()] == ["a", "c"]
    assert list((named | nn.ParameterDict({"d": 1})).keys()) == ["a", "b", "c", "d"]
    assert named.pop("a").item() == 0
    assert named.get("z", 5) == 5
    assert named.setdefault("b") == 3
    assert named.popitem()[0] == "c"
    assert list(reversed(named.copy())) == ["b"]


@pytest.mark.parametrize(
    "make",
    [
        lambda nn, m: nn.ModuleList(nn.Linear(2, 2) for _ in range(3)),
        lambda nn, m: nn.ModuleList([nn.Sequential(nn.ReLU()), nn.Sequential(nn.ReLU()), nn.Tanh()]),
        lambda nn, m: nn.ModuleList(),
        lambda nn, m: nn.Sequential(),
        lambda nn, m: nn.ModuleDict({"a": nn.ModuleList([nn.ReLU()])}),
        lambda nn, m: nn.ParameterList([m.zeros(2, 3), 3]),
        lambda nn, m: nn.ParameterList(),
        lambda nn, m: nn.ParameterDict({"a": m.zeros(2, 3), "b": 3}),
        lambda nn, m: nn.Parameter(m.zeros(2)),
        lambda nn, m: nn.Parameter(m.zeros(2), requires_grad=False),
        lambda nn, m: nn.UninitializedParameter(),
        lambda nn, m: nn.Sequential(nn.LazyLinear(3)),
        lambda nn, m: nn.Module(),
    ],
)
def test_text_is_pytorchs(make):
    same_text(make(tl.nn, tl), make(torch.nn, torch))


# --- lazy modules and seeds -----------------------------------------------------------------------------


def test_lazy_linear():
    net = tl.nn.Sequential(tl.nn.LazyLinear(4), tl.nn.ReLU(), tl.nn.LazyLinear(2))
    with pytest.raises(RuntimeError, match=r"Can't access the shape of an uninitialized parameter"):
        net[0].weight + 1
    twin = copy.deepcopy(net)
    assert net.double()[0].weight.dtype is tl.float64
    net(tl.zeros(3, 5, dtype=tl.float64))
    assert type(net[0]) is tl.nn.Linear
    assert net[0].weight.dtype is tl.float64
    assert type(twin[0]) is tl.nn.LazyLinear
    twin.load_state_dict(net.state_dict())
    assert twin[2].weight.shape == (2, 4)
    assert twin(tl.zeros(1, 5)).shape == (1, 2)
    fresh = tl.nn.LazyLinear(2)
    again = pickle.loads(pickle.dumps(fresh))
    assert again(tl.zeros(1, 3)).shape == (1, 2)


def test_weights_of_a_seed_are_pytorchs():
    def weights(library):
        library.manual_seed(3)
        nn, init, empty = library.nn, library.nn.init, library.empty
        lazy = nn.LazyLinear(3)
        lazy(library.zeros(1, 4))
        linear, double = nn.Linear(5, 7), nn.Linear(2, 3, dtype=library.float64)
        return [
            linear.weight, linear.bias, double.weight, lazy.weight, nn.Bilinear(2, 3, 4).weight,
            init.xavier_uniform_(empty(6, 7)), init.xavier_normal_(empty(6, 7, 2)),
            init.kaiming_normal_(empty(5, 5), nonlinearity="relu", mode="fan_out"),
            init.trunc_normal_(empty(40), std=0.5, a=-1, b=1), init.trunc_normal_(empty(40), 0, 2, 0.5, 1),
            init.orthogonal_(empty(3, 5)), init.orthogonal_(empty(5, 3), gain=2), init.eye_(empty(2, 3)),
            init.sparse_(empty(5, 4), 0.4), init.dirac_(empty(4, 2, 3, 3), groups=2),
            nn.RReLU()(-library.ones(30)), nn.Dropout(0.3)(library.ones(40)),
        ]  # fmt: skip

    for mine, yours in zip(weights(tl), weights(torch), strict=True):
        agree(mine, yours, str(yours.dtype).split(".")[-1])


def test_the_mlp_of_both_libraries_is_one():
    mine = tl.nn.Sequential(tl.nn.Flatten(), tl.nn.Linear(6, 8), tl.nn.Tanh(), tl.nn.Linear(8, 3))
    yours = torch.nn.Sequential(
        torch.nn.Flatten(), torch.nn.Linear(6, 8), torch.nn.Tanh(), torch.nn.Linear(8, 3)
    )
    copy_state(mine, yours)
    x = tl.randn(5, 2, 3)
    agree(mine(x), yours(theirs(x)))
