"""What `tensorlab bench nn` compares: the layers of neural networks, forward and with their gradients."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

import tensorlab as tl
from tensorlab.bench.measure import OURS, Case
from tensorlab.nn import functional

__all__ = ["LAYERS", "STEP", "TITLES", "Layer", "cases"]

TITLES = {"torch": "PyTorch ÷ ours"}

# A library, its functional module, and the operands: what a layer is computed from.
Apply = Callable[[Any, Any, Sequence[Any]], Any]


class Layer(NamedTuple):
    """One layer to compare.

    Attributes:
        name: what it is, with its sizes.
        shapes: of the operands, which are normal numbers of float32 and require gradients.
        apply: computes the layer.
    """

    name: str
    shapes: tuple[tuple[int, ...], ...]
    apply: Apply


LAYERS = (
    Layer(
        "layer norm, 4096 × 768",
        ((4096, 768), (768,), (768,)),
        lambda library, f, given: f.layer_norm(given[0], (768,), *given[1:]),
    ),
    Layer(
        "batch norm, 32 × 64 × 56²",
        ((32, 64, 56, 56), (64,), (64,)),
        lambda library, f, given: f.batch_norm(given[0], None, None, *given[1:], training=True),
    ),
    Layer("softmax, 4096 × 1000", ((4096, 1000),), lambda library, f, given: f.softmax(given[0], 1)),
    Layer(
        "linear and gelu, 512 × 768 to 3072",
        ((512, 768), (3072, 768), (3072,)),
        lambda library, f, given: f.gelu(f.linear(*given)),
    ),
    Layer(
        "convolution 3 × 3, 8 × 64 × 56² to 64",
        ((8, 64, 56, 56), (64, 64, 3, 3), (64,)),
        lambda library, f, given: f.conv2d(*given, padding=1),
    ),
    Layer(
        "max pooling 2 × 2, 8 × 64 × 56²",
        ((8, 64, 56, 56),),
        lambda library, f, given: f.max_pool2d(given[0], 2),
    ),
    Layer(
        "attention, 8 × 8 × 512 × 64",
        ((8, 8, 512, 64),) * 3,
        lambda library, f, given: f.scaled_dot_product_attention(*given),
    ),
    Layer(
        "causal attention, 8 × 8 × 512 × 64",
        ((8, 8, 512, 64),) * 3,
        lambda library, f, given: f.scaled_dot_product_attention(*given, is_causal=True),
    ),
)


STEP = "a step of an MLP 784-256-10, batch of 64"


def cases(torch: Any, wanted: str = "") -> Iterator[Case]:
    """The comparisons whose name has `wanted` in it; PyTorch is left out where it is not installed."""
    libraries = {OURS: (tl, functional)}
    if torch is not None:
        libraries["torch"] = (torch, torch.nn.functional)
    for layer in LAYERS:
        for name, made in ((layer.name, _forward), (f"{layer.name}, and gradients", _both)):
            if wanted in name:
                yield name, {key: made(layer, *pair) for key, pair in libraries.items()}
    if wanted in STEP:
        yield STEP, {key: _step(*pair) for key, pair in libraries.items()}


def _operands(layer: Layer, library: Any, requires_grad: bool) -> list[Any]:
    random = np.random.default_rng(0)
    arrays = [random.standard_normal(shape).astype(np.float32) for shape in layer.shapes]
    return [library.from_numpy(array).requires_grad_(requires_grad) for array in arrays]


def _forward(layer: Layer, library: Any, functions: Any) -> Callable[[], object]:
    given = _operands(layer, library, False)
    return lambda: layer.apply(library, functions, given)


def _both(layer: Layer, library: Any, functions: Any) -> Callable[[], object]:
    given = _operands(layer, library, True)
    above = layer.apply(library, functions, given).detach()  # for a gradient, any numbers of this shape

    def run() -> object:
        result = layer.apply(library, functions, given)
        return library.autograd.grad(result, given, above)

    return run


def _step(library: Any, functions: Any) -> Callable[[], object]:
    """A step of stochastic gradient descent of a network with one hidden layer: 784, 256 and 10 numbers."""
    random = np.random.default_rng(0)

    def made(*shape: int) -> Any:
        numbers = random.standard_normal(shape).astype(np.float32) / 28
        return library.from_numpy(numbers).requires_grad_()

    weights = made(256, 784), made(256), made(10, 256), made(10)
    images = made(64, 784).detach()
    labels = library.from_numpy(random.integers(0, 10, 64))

    def run() -> object:
        hidden = functions.relu(functions.linear(images, weights[0], weights[1]))
        loss = functions.cross_entropy(functions.linear(hidden, weights[2], weights[3]), labels)
        loss.backward()
        with library.no_grad():
            for weight in weights:
                weight -= 0.01 * weight.grad
                weight.grad = None
        return loss

    return run
