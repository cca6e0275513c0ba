"""What `tensorlab bench training` compares: whole steps of training, written once for both libraries."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

import tensorlab as tl
from tensorlab.bench.measure import OURS, Case

__all__ = ["NETWORKS", "TITLES", "TRAINED", "cases"]

TITLES = {"torch": "PyTorch ÷ ours"}

# A step of training: of no arguments, it returns the loss.
Step = Callable[[], Any]


def cases(torch: Any, wanted: str = "") -> Iterator[Case]:
    """The comparisons whose name has `wanted` in it; PyTorch is left out where it is not installed."""
    libraries = {OURS: tl} if torch is None else {OURS: tl, "torch": torch}
    for name, make in TRAINED.items():
        if wanted in name:
            yield name, {key: make(library) for key, library in libraries.items()}


def _trained(library: Any, place: str, model: Any, make_optimizer: Any, inputs: Any, targets: Any) -> Step:
    """A step on one batch, as every training loop has it; the model's last dimension is that of classes."""
    cross_entropy = library.nn.functional.cross_entropy
    model, inputs, targets = (each.to(place) for each in (model, inputs, targets))
    optimizer = make_optimizer(model.parameters())

    def step() -> Any:
        optimizer.zero_grad()
        outputs = model(inputs)
        loss = cross_entropy(outputs.view(-1, outputs.shape[-1]), targets.view(-1))
        loss.backward()
        optimizer.step()
        return loss

    return step


def _numbers(library: Any, *shape: int) -> Any:
    numbers = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    return library.from_numpy(numbers).to(library.get_default_dtype())


def _classes(library: Any, count: int, *shape: int) -> Any:
    return library.from_numpy(np.random.default_rng(0).integers(0, count, shape))


def _mlp(batch: int, *sizes: int) -> Callable[..., Step]:
    def make(library: Any, place: str = "cpu") -> Step:
        nn = library.nn
        library.manual_seed(0)
        layers: list[Any] = []
        for into, out in pairwise(sizes):
            layers += [nn.Linear(into, out), nn.ReLU()]
        model = nn.Sequential(*layers[:-1])
        optimizer = partial(library.optim.SGD, lr=0.01)
        inputs, targets = _numbers(library, batch, sizes[0]), _classes(library, sizes[-1], batch)
        return _trained(library, place, model, optimizer, inputs, targets)

    return make


def _cnn(batch: int, side: int) -> Callable[..., Step]:
    def make(library: Any, place: str = "cpu") -> Step:
        nn = library.nn
        library.manual_seed(0)
        model = nn.Sequential(
            nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(8, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Flatten(), nn.Linear(16 * (side // 4) ** 2, 10),
        )  # fmt: skip
        optimizer = partial(library.optim.SGD, lr=0.01)
        inputs, targets = _numbers(library, batch, 1, side, side), _classes(library, 10, batch)
        return _trained(library, place, model, optimizer, inputs, targets)

    return make


def _gpt(layers: int, width: int, context: int, batch: int) -> Callable[..., Step]:
    """A GPT over 65 characters with heads of 32 numbers, trained by AdamW."""

    def make(library: Any, place: str = "cpu") -> Step:
        library.manual_seed(0)
        model = _gpt_of(library)(layers, width, context)
        optimizer = partial(library.optim.AdamW, lr=3e-4)
        tokens = _classes(library, 65, batch, context + 1)
        return _trained(library, place, model, optimizer, tokens[:, :-1], tokens[:, 1:].contiguous())

    return make


def _gpt_of(library: Any) -> Any:
    nn = library.nn
    functional = nn.functional

    class Block(nn.Module):  # type: ignore[name-defined, misc]
        def __init__(self, width: int) -> None:
            super().__init__()
            self.heads = width // 32
            self.before, self.after = nn.LayerNorm(width), nn.LayerNorm(width)
            self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

        def forward(self, x: Any) -> Any:
            batch, steps, width = x.shape
            parts = self.qkv(self.before(x)).view(batch, steps, 3, self.heads, 32)
            q, k, v = parts.permute(2, 0, 3, 1, 4).unbind(0)
            y = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + self.out(y.transpose(1, 2).reshape(batch, steps, width))
            return x + self.mlp(self.after(x))

    class GPT(nn.Module):  # type: ignore[name-defined, misc]
        def __init__(self, layers: int, width: int, context: int) -> None:
            super().__init__()
            self.tokens, self.places = nn.Embedding(65, width), nn.Embedding(context, width)
            self.blocks = nn.Sequential(*(Block(width) for _ in range(layers)))
            self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, 65, bias=False)

        def forward(self, tokens: Any) -> Any:
            places = library.arange(tokens.shape[1], device=tokens.device)
            return self.head(self.norm(self.blocks(self.tokens(tokens) + self.places(places))))

    return GPT


def _recurrent(kind: str, batch: int, steps: int, size: int, hidden: int) -> Callable[..., Step]:
    def make(library: Any, place: str = "cpu") -> Step:
        nn = library.nn
        library.manual_seed(0)

        class Recurrent(nn.Module):  # type: ignore[name-defined, misc]
            def __init__(self) -> None:
                super().__init__()
                self.layer = getattr(nn, kind)(size, hidden, batch_first=True)
                self.head = nn.Linear(hidden, 10)

            def forward(self, x: Any) -> Any:
                return self.head(self.layer(x)[0])

        model = Recurrent()
        optimizer = library.optim.Adam
        inputs, targets = _numbers(library, batch, steps, size), _classes(library, 10, batch, steps)
        return _trained(library, place, model, optimizer, inputs, targets)

    return make


def _optimizer(kind: str, tensors: int, *shape: int) -> Callable[..., Step]:
    """A step of an optimizer alone, over so many parameters of one shape."""

    def make(library: Any) -> Step:
        parameters = [library.ones(shape, requires_grad=True) for _ in range(tensors)]
        for parameter in parameters:
            parameter.grad = library.full(shape, 1e-3)
        return getattr(library.optim, kind)(parameters, lr=1e-3).step

    return make


def _loader(workers: int) -> Callable[..., Step]:
    """A pass over 2,000 images of 28 × 28 in batches of 100."""

    def make(library: Any) -> Step:
        data = library.utils.data
        images = data.TensorDataset(_numbers(library, 2000, 28, 28), _classes(library, 10, 2000))
        loader = data.DataLoader(images, batch_size=100, shuffle=True, num_workers=workers)
        return lambda: sum(len(labels) for _, labels in loader)

    return make


#: Networks by name, made for a library and a device, whose step returns the loss.
NETWORKS: dict[str, Callable[..., Step]] = {
    "MLP 64-128-10, batch 32": _mlp(32, 64, 128, 10),
    "MLP 784-256-10, batch 64": _mlp(64, 784, 256, 10),
    "CNN 8 × 8, batch 16": _cnn(16, 8),
    "CNN 28 × 28, batch 16": _cnn(16, 28),
    "GPT 2 × 64, context 64, batch 4": _gpt(2, 64, 64, 4),
    "GPT 4 × 128, context 128, batch 16": _gpt(4, 128, 128, 16),
    "GPT 6 × 384, context 64, batch 4": _gpt(6, 384, 64, 4),
    "RNN 32-64, 64 steps, batch 16": _recurrent("RNN", 16, 64, 32, 64),
    "LSTM 32-64, 64 steps, batch 16": _recurrent("LSTM", 16, 64, 32, 64),
    "GRU 32-64, 64 steps, batch 16": _recurrent("GRU", 16, 64, 32, 64),
}

#: What is compared by name, made for a library.
TRAINED: dict[str, Callable[..., Step]] = {
    **NETWORKS,
    "AdamW, 10 parameters of 1 M": _optimizer("AdamW", 10, 1000, 1000),
    "SGD, 50 parameters of 100": _optimizer("SGD", 50, 10, 10),
    "Adam, 50 parameters of 100": _optimizer("Adam", 50, 10, 10),
    "DataLoader": _loader(0),
    "DataLoader, 2 workers": _loader(2),
}
