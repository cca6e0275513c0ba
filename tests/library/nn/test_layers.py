"""Layers and losses beside PyTorch's: text, names of the state, outputs, gradients, buffers."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import tensorlab as tl
from tests.library.nn.comparison import agree, compare, compare_modules, copy_state, same_error, theirs, torch

pytestmark = pytest.mark.filterwarnings("ignore:size_average", "ignore:Using padding='same'")


def numbers(*shape, seed=0, low=-2.0, high=2.0):
    rng = np.random.default_rng(seed)
    return tl.from_numpy(rng.uniform(low, high, shape).astype(np.float32)).requires_grad_()


def classes(*shape, count=4):
    return tl.from_numpy(np.random.default_rng(1).integers(0, count, shape))


def images(*shape):
    return numbers(*(shape or (2, 4, 6, 5)))


# What a layer is made with, and the inputs that it gets.
LAYERS = [
    ("Identity", (3,), {}, [numbers(2)]),
    ("Linear", (5, 3), {}, [numbers(2, 4, 5)]),
    ("Linear", (5, 3), {"bias": False}, [numbers(5)]),
    ("Bilinear", (3, 4, 2), {}, [numbers(5, 3), numbers(5, 4, seed=1)]),
    ("Flatten", (), {}, [images()]),
    ("Unflatten", (1, (2, 2)), {}, [images()]),
    ("Conv1d", (4, 6, 3), {"padding": "same"}, [numbers(2, 4, 9)]),
    ("Conv1d", (4, 6, 3), {"padding": 2, "padding_mode": "circular"}, [numbers(4, 9)]),
    ("Conv2d", (4, 6, 3), {"stride": 2, "padding": 1}, [images()]),
    ("Conv2d", (4, 8, (3, 2)), {"groups": 2, "dilation": (1, 2), "bias": False}, [images()]),
    ("Conv2d", (4, 2, 4), {"padding": "same", "padding_mode": "reflect"}, [images()]),
    ("Conv2d", (4, 2, (3, 1)), {"padding": (2, 1), "padding_mode": "replicate"}, [images(4, 6, 5)]),
    ("Conv3d", (2, 3, 2), {}, [numbers(1, 2, 3, 4, 3)]),
    ("ConvTranspose1d", (4, 3, 3), {"stride": 2}, [numbers(2, 4, 5)]),
    ("ConvTranspose2d", (4, 6, 3), {"stride": 2, "padding": 1, "output_padding": 1, "groups": 2}, [images()]),
    ("ConvTranspose3d", (2, 1, 2), {"bias": False}, [numbers(1, 2, 2, 2, 2)]),
    ("MaxPool1d", (2,), {}, [numbers(2, 3, 8)]),
    ("MaxPool2d", (3,), {"stride": 2, "padding": 1}, [images()]),
    ("MaxPool2d", ((2, 3),), {"ceil_mode": True}, [images()]),
    ("AvgPool1d", (3,), {"stride": 2}, [numbers(2, 3, 8)]),
    ("AvgPool2d", (2,), {"padding": 1, "count_include_pad": False}, [images()]),
    ("AvgPool2d", (2,), {"divisor_override": 3}, [images()]),
    ("LPPool1d", (2, 3), {}, [numbers(2, 3, 8, low=0.1)]),
    ("LPPool2d", (2.0, 2), {"stride": 1}, [numbers(1, 2, 4, 4, low=0.1)]),
    ("AdaptiveAvgPool1d", (3,), {}, [numbers(2, 3, 8)]),
    ("AdaptiveAvgPool2d", ((3, None),), {}, [images()]),
    ("AdaptiveMaxPool1d", (3,), {}, [numbers(2, 3, 8)]),
    ("AdaptiveMaxPool2d", (2,), {}, [images()]),
    ("MaxPool3d", (2,), {"stride": (1, 2, 1), "padding": (1, 0, 1)}, [numbers(2, 3, 4, 5, 4)]),
    ("AvgPool3d", ((1, 2, 2),), {"padding": (0, 1, 0), "count_include_pad": False}, [numbers(3, 4, 5, 4)]),
    ("AvgPool3d", (2,), {"stride": 1, "divisor_override": 3}, [numbers(2, 3, 4, 5, 4)]),
    ("LPPool3d", (2, 2), {}, [numbers(1, 2, 4, 4, 4, low=0.1)]),
    ("AdaptiveAvgPool3d", ((3, 2, None),), {}, [numbers(2, 3, 4, 5, 4)]),
    ("AdaptiveMaxPool3d", (2,), {}, [numbers(2, 3, 4, 5, 4)]),
    ("MaxUnpool1d", (2,), {}, [numbers(2, 4), tl.tensor([[0, 3, 4, 7], [1, 2, 5, 6]])]),
    ("MaxUnpool2d", (3,), {"stride": 2, "padding": 1}, [numbers(1, 2, 2), tl.tensor([[[0, 2], [4, 7]]])]),
    ("MaxUnpool3d", (2,), {}, [numbers(1, 1, 1, 2), tl.tensor([[[[6, 9]]]])]),
    ("BatchNorm1d", (4,), {}, [numbers(6, 4)]),
    ("BatchNorm1d", (4,), {"momentum": None}, [numbers(3, 4, 5)]),
    ("BatchNorm2d", (4,), {"momentum": 0.3}, [images()]),
    ("BatchNorm2d", (4,), {"affine": False, "track_running_stats": False}, [images()]),
    ("BatchNorm2d", (4,), {"bias": False}, [images()]),
    ("BatchNorm3d", (2,), {}, [numbers(2, 2, 2, 3, 2)]),
    ("InstanceNorm1d", (4,), {}, [numbers(4, 7)]),
    ("InstanceNorm2d", (4,), {"affine": True, "track_running_stats": True}, [images()]),
    ("InstanceNorm3d", (2,), {}, [numbers(1, 2, 2, 3, 2)]),
    ("LayerNorm", (5,), {}, [images()]),
    ("LayerNorm", ([6, 5],), {"bias": False}, [images()]),
    ("LayerNorm", (5,), {"elementwise_affine": False}, [images()]),
    ("GroupNorm", (2, 4), {}, [images()]),
    ("GroupNorm", (2, 4), {"affine": False}, [images()]),
    ("RMSNorm", (5,), {}, [images()]),
    ("RMSNorm", ((6, 5),), {"eps": 1e-3, "elementwise_affine": False}, [images()]),
    ("LocalResponseNorm", (3,), {}, [images()]),
    ("Embedding", (4, 3), {"padding_idx": -1}, [classes(2, 5)]),
    ("Embedding", (4, 3), {"scale_grad_by_freq": True}, [classes(7)]),
    ("EmbeddingBag", (4, 3), {}, [classes(2, 5)]),
    ("EmbeddingBag", (4, 3), {"mode": "max", "padding_idx": 1}, [classes(7), tl.tensor([0, 3])]),
    ("ReflectionPad1d", (2,), {}, [numbers(2, 3, 5)]),
    ("ReflectionPad2d", ((1, 2, 0, 1),), {}, [images()]),
    ("ReplicationPad1d", (1,), {}, [numbers(3, 5)]),
    ("ReplicationPad2d", (1,), {}, [images()]),
    ("ReplicationPad3d", (1,), {}, [numbers(1, 1, 2, 2, 2)]),
    ("CircularPad1d", (2,), {}, [numbers(2, 3, 5)]),
    ("CircularPad2d", (1,), {}, [images()]),
    ("ConstantPad1d", (1, 3.5), {}, [numbers(3, 5)]),
    ("ConstantPad2d", ((1, -1, 0, 2), 1), {}, [images()]),
    ("ZeroPad1d", (1,), {}, [numbers(3, 5)]),
    ("ZeroPad2d", (1,), {}, [images()]),
    ("ZeroPad3d", (1,), {}, [numbers(1, 1, 2, 2, 2)]),
    ("Upsample", (), {"scale_factor": 2}, [images()]),
    ("Upsample", ((7, 4),), {"mode": "bilinear"}, [images()]),
    ("UpsamplingNearest2d", (), {"scale_factor": 2}, [images()]),
    ("UpsamplingBilinear2d", ((7, 4),), {}, [images()]),
    ("PixelShuffle", (2,), {}, [images()]),
    ("PixelUnshuffle", (2,), {}, [images(1, 2, 4, 6)]),
    ("ChannelShuffle", (2,), {}, [images()]),
    ("Fold", ((4, 4), 2), {}, [numbers(1, 8, 9)]),
    ("Unfold", (2,), {"stride": 2}, [images()]),
    ("PairwiseDistance", (), {}, [numbers(3, 4), numbers(3, 4, seed=1)]),
    ("CosineSimilarity", (), {}, [numbers(3, 4), numbers(3, 4, seed=1)]),
    ("Dropout", (0.0,), {}, [images()]),
]


@pytest.mark.parametrize(("name", "arguments", "options", "inputs"), LAYERS)
def test_layers(name, arguments, options, inputs):
    compare(name, arguments, options, *inputs)


@pytest.mark.parametrize("name", ["Linear", "Conv2d", "BatchNorm2d", "LayerNorm"])
def test_layers_in_float64(name):
    arguments, options, inputs = next(row[1:] for row in LAYERS if row[0] == name)
    compare(name, arguments, options, *inputs, dtype="float64")


ACTIVATIONS = [
    ("ReLU", ()), ("ReLU6", ()), ("RReLU", (0.2, 0.2)), ("LeakyReLU", (0.2,)), ("PReLU", (4,)), ("PReLU", ()),
    ("ELU", (1.5,)), ("CELU", (0.5,)), ("SELU", ()), ("GELU", ()), ("GELU", ("tanh",)), ("SiLU", ()),
    ("Mish", ()), ("Hardswish", ()), ("Hardsigmoid", ()), ("Hardtanh", (-0.5, 0.7)), ("Hardshrink", (0.3,)),
    ("Softshrink", ()), ("Softplus", (2.0, 3.0)), ("Softsign", ()), ("Tanhshrink", ()), ("LogSigmoid", ()),
    ("Sigmoid", ()), ("Tanh", ()), ("Threshold", (0.1, 5.0)), ("GLU", (1,)), ("Softmax", (1,)),
    ("Softmin", (1,)), ("LogSoftmax", (-1,)), ("Softmax2d", ()),
]  # fmt: skip


@pytest.mark.parametrize(("name", "arguments"), ACTIVATIONS)
def test_activations(name, arguments):
    compare(name, arguments, {}, images())


@pytest.mark.parametrize("name", ["ReLU", "LeakyReLU", "SiLU", "ELU", "Hardtanh", "Dropout", "Hardswish"])
def test_in_place(name):
    mine, yours = getattr(tl.nn, name)(inplace=True), getattr(torch.nn, name)(inplace=True)
    assert repr(mine) == repr(yours)
    x = numbers(3).detach()
    assert mine.eval()(x) is x


x, y = numbers(5, 4), numbers(5, 4, seed=3)
PROBABILITIES = numbers(5, 4, low=0.1, high=0.9)
SIGNS = tl.tensor([[1.0, -1, 1, -1]]).expand(5, 4).clone()
LOSSES = [
    ("L1Loss", {}, [x, y]),
    ("MSELoss", {}, [x, y]),
    ("SmoothL1Loss", {"beta": 0.5}, [x, y]),
    ("HuberLoss", {"delta": 0.5}, [x, y]),
    ("SoftMarginLoss", {}, [x, SIGNS]),
    ("HingeEmbeddingLoss", {"margin": 0.5}, [x, SIGNS]),
    ("KLDivLoss", {}, [x, PROBABILITIES.detach()]),
    ("PoissonNLLLoss", {"full": True}, [x, PROBABILITIES.detach() * 4]),
    ("GaussianNLLLoss", {"full": True}, [x, y, PROBABILITIES]),
    ("BCELoss", {"weight": tl.tensor([1.0, 2, 3, 4])}, [PROBABILITIES, (SIGNS > 0).float()]),
    ("BCEWithLogitsLoss", {"pos_weight": tl.tensor([1.0, 2, 3, 4])}, [x, (SIGNS > 0).float()]),
    ("NLLLoss", {"weight": tl.tensor([1.0, 2, 3, 4])}, [x, classes(5)]),
    ("CrossEntropyLoss", {"label_smoothing": 0.1, "ignore_index": 2}, [x, classes(5)]),
    ("CrossEntropyLoss", {"weight": tl.tensor([1.0, 2, 3, 4])}, [x, PROBABILITIES.detach()]),
    ("MultiMarginLoss", {"p": 2}, [x, classes(5)]),
    ("MultiLabelMarginLoss", {}, [x, tl.tensor([[0, 2, -1, 1]]).expand(5, 4).contiguous()]),
    ("MultiLabelSoftMarginLoss", {}, [x, (SIGNS > 0).float()]),
    ("CosineEmbeddingLoss", {"margin": 0.2}, [x, y, SIGNS[0, :1].expand(5)]),
    ("MarginRankingLoss", {"margin": 0.2}, [x, y, SIGNS]),
    ("TripletMarginLoss", {"margin": 3.0, "swap": True}, [x, y, numbers(5, 4, seed=5)]),
    ("TripletMarginWithDistanceLoss", {"margin": 3.0}, [x, y, numbers(5, 4, seed=5)]),
]


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize(("name", "options", "inputs"), LOSSES)
@pytest.mark.filterwarnings("ignore:reduction")
def test_losses(name, options, inputs, reduction):
    mine = getattr(tl.nn, name)(reduction=reduction, **options)
    yours = getattr(torch.nn, name)(reduction=reduction, **theirs(options))
    assert repr(mine) == repr(yours)
    inputs = [value.detach().requires_grad_(value.requires_grad) for value in inputs]
    compare_modules(mine, yours, *inputs)


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_ctc(reduction):
    """Of padded targets; behind a softmax the gradient is PyTorch's."""
    scores, targets = numbers(7, 3, 5), tl.tensor([[1, 2, 2], [3, 4, 0], [1, 0, 0]])
    copies = theirs([scores, targets])
    lengths = [7, 5, 4], [3, 2, 1]
    for library, (x, y) in ((tl, (scores, targets)), (torch, copies)):
        loss = library.nn.CTCLoss(reduction=reduction)
        assert repr(loss) == "CTCLoss()"
        loss(x.log_softmax(2), y, *map(library.tensor, lengths)).square().sum().backward()
    agree(scores.grad, copies[0].grad)


@pytest.mark.parametrize("target", [[0, 7, 2, 15, 8], [1, 0, 2, 2, 0], [19, 18, 19, 17, 19], 9])
def test_adaptive_softmax(target):
    options = {"div_value": 2.0, "head_bias": True}
    mine = tl.nn.AdaptiveLogSoftmaxWithLoss(8, 20, [4, 9, 16], **options)
    yours = torch.nn.AdaptiveLogSoftmaxWithLoss(8, 20, [4, 9, 16], **options)
    assert repr(mine) == repr(yours)
    target = tl.tensor(target)
    compare_modules(mine, yours, numbers(*target.shape, 8), target)
    x = numbers(6, 8).detach()
    agree(mine.log_prob(x), yours.log_prob(theirs(x)))
    agree(mine.predict(x), yours.predict(theirs(x)))


def test_old_names_of_reductions():
    with pytest.warns(UserWarning, match="please use reduction='none'"):
        assert tl.nn.MSELoss(reduce=False).reduction == "none"
    with pytest.warns(UserWarning, match="please use reduction='sum'"):
        assert tl.nn.CrossEntropyLoss(size_average=False).reduction == "sum"


@pytest.mark.parametrize("name", ["BatchNorm2d", "InstanceNorm2d"])
def test_running_statistics_over_steps(name):
    mine = getattr(tl.nn, name)(4, track_running_stats=True)
    yours = getattr(torch.nn, name)(4, track_running_stats=True)
    copy_state(mine, yours)
    for seed in range(3):
        batch = numbers(2, 4, 3, 3, seed=seed)
        agree(mine(batch), yours(theirs(batch)))
    agree(list(mine.state_dict().values()), list(yours.state_dict().values()))
    agree(mine.eval()(batch), yours.eval()(theirs(batch)))
    old = {key: value for key, value in mine.state_dict().items() if key != "num_batches_tracked"}
    if name == "BatchNorm2d":
        tl.nn.BatchNorm2d(4).load_state_dict(old)


LAZY = [
    ("LazyConv1d", (3, 2), {}, numbers(2, 4, 5)),
    ("LazyConv2d", (3, 2), {"bias": False}, images()),
    ("LazyConv3d", (2, 1), {}, numbers(1, 2, 2, 2, 2)),
    ("LazyConvTranspose1d", (4, 2), {"groups": 2}, numbers(2, 4, 5)),
    ("LazyConvTranspose2d", (3, 2), {}, images()),
    ("LazyConvTranspose3d", (2, 1), {}, numbers(1, 2, 2, 2, 2)),
    ("LazyBatchNorm1d", (), {}, numbers(5, 4)),
    ("LazyBatchNorm2d", (), {"affine": False}, images()),
    ("LazyBatchNorm3d", (), {}, numbers(2, 2, 2, 2, 2)),
    ("LazyInstanceNorm1d", (), {}, numbers(2, 3, 5)),
    ("LazyInstanceNorm2d", (), {"affine": True, "track_running_stats": True}, images()),
    ("LazyInstanceNorm3d", (), {}, numbers(2, 2, 2, 2, 2)),
]


@pytest.mark.filterwarnings("ignore:input's size at dim")
@pytest.mark.parametrize(("name", "arguments", "options", "value"), LAZY)
def test_lazy_layers(name, arguments, options, value):
    mine, yours = getattr(tl.nn, name)(*arguments, **options), getattr(torch.nn, name)(*arguments, **options)
    assert repr(mine) == repr(yours)
    mine(value), yours(theirs(value))
    assert repr(mine) == repr(yours)
    assert type(mine).__name__ == type(yours).__name__ == name.removeprefix("Lazy")
    compare_modules(mine, yours, value.detach().requires_grad_())


def test_weights_of_a_seed_are_pytorchs():
    def weights(library):
        library.manual_seed(5)
        nn = library.nn
        return [
            nn.Conv2d(4, 6, 3).weight, nn.Conv1d(2, 3, 4).bias, nn.ConvTranspose2d(2, 4, 3).bias,
            nn.Embedding(5, 3, padding_idx=2).weight, nn.EmbeddingBag(5, 3).weight,
        ]  # fmt: skip

    agree(weights(tl), weights(torch))


def test_max_pooling_gives_places():
    mine, yours = tl.nn.MaxPool2d(2, return_indices=True), torch.nn.MaxPool2d(2, return_indices=True)
    agree(mine(images()), yours(theirs(images())))


def test_transposed_convolutions_take_sizes():
    mine, yours = tl.nn.ConvTranspose2d(4, 3, 3, stride=2), torch.nn.ConvTranspose2d(4, 3, 3, stride=2)
    copy_state(mine, yours)
    for size in ((13, 12), (2, 3, 14, 11)):
        agree(mine(images(), output_size=size), yours(theirs(images()), output_size=size))


def test_tables_from_vectors():
    vectors = tl.randn(4, 3)
    table = tl.nn.Embedding.from_pretrained(vectors)
    assert not table.weight.requires_grad
    assert table.weight.data_ptr() == vectors.data_ptr()
    assert tl.nn.EmbeddingBag.from_pretrained(vectors, freeze=False).weight.requires_grad


@pytest.mark.parametrize(
    "call",
    [
        lambda m: m.nn.Conv2d(3, 4, 2, groups=2),
        lambda m: m.nn.Conv2d(4, 3, 2, groups=2),
        lambda m: m.nn.Conv2d(4, 3, 2, groups=0),
        lambda m: m.nn.Conv2d(4, 3, 2, padding="same", stride=2),
        lambda m: m.nn.ConvTranspose2d(1, 1, 1, padding_mode="reflect"),
        lambda m: m.nn.ConvTranspose2d(1, 1, 3, stride=2)(m.zeros(1, 1, 4, 4), output_size=[20, 20]),
        lambda m: m.nn.ConvTranspose2d(1, 1, 3, stride=2)(m.zeros(1, 1, 4, 4), output_size=[20]),
        lambda m: m.nn.LazyConv2d(1, 1)(m.zeros(1, 2)),
        lambda m: m.nn.BatchNorm2d(3)(m.zeros(2, 3)),
        lambda m: m.nn.BatchNorm1d(3)(m.zeros(2)),
        lambda m: m.nn.InstanceNorm2d(3, affine=True)(m.zeros(2, 4, 3, 3)),
        lambda m: m.nn.GroupNorm(2, 3),
        lambda m: m.nn.Embedding(3, 2, padding_idx=3),
        lambda m: m.nn.EmbeddingBag(3, 2, padding_idx=-4),
        lambda m: m.nn.Embedding.from_pretrained(m.zeros(3)),
        lambda m: m.nn.CircularPad2d(1)(m.zeros(3)),
    ],
)
def test_errors_are_pytorchs(call):
    same_error(call)


def test_nothing_warns():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tl.nn.Sequential(tl.nn.LazyConv2d(2, 3), tl.nn.Softmax(dim=1))(tl.zeros(1, 1, 3, 3))
