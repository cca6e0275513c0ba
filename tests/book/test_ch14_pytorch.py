"""Chapter 14 says that its code runs on PyTorch with the same results; what it says of PyTorch is so."""

from __future__ import annotations

import json

import pytest

import tensorlab as tl

from .conftest import ROOT

torch = pytest.importorskip("torch", reason="PyTorch is not installed; the book does not need it")

OURS = (
    "import picture",
    "measured_bars",
    "tl.figures.picture(",
    "storage(\n",
    "picture(\n",
    "plot(\n",
    "Predict(",
    "Recall(",
    "Parsons(",
    "microseconds(",
    "ConvolutionWalk(",
    "def lines(",
)


def run(library) -> dict:
    """Run the chapter's cells, with PyTorch in place of the library if that is asked."""
    path = ROOT / "book" / "chapters" / "14_convolution_and_layout.ipynb"
    names: dict = {
        "light": library.tensor(tl.figures.lighthouse().tolist()),
        "digits": [library.tensor(part.tolist()) for part in tl.datasets.digits().tensors],
    }
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] != "code" or any(word in source for word in OURS):
            continue
        source = source.replace("tl.figures.lighthouse()", "light")
        source = source.replace("tl.datasets.digits().tensors", "digits")
        if library is torch:
            source = source.replace("import tensorlab as tl", "import torch as tl")
            source = source.replace("from tensorlab import nn", "from torch import nn")
            source = source.replace("from tensorlab.nn import functional", "from torch.nn import functional")
        exec(compile(source, cell["id"], "exec"), names)
    return names


def test_the_chapter_is_the_same_on_pytorch() -> None:
    ours, theirs = run(tl), run(torch)
    assert ours["walks"] == theirs["walks"]
    assert ours["losses"] == pytest.approx(theirs["losses"], rel=1e-3)
    for name in ("windows", "blocks", "halved", "columns", "back", "confusion"):
        assert ours[name].tolist() == theirs[name].tolist(), name
        assert tuple(ours[name].shape) == tuple(theirs[name].shape)
    assert ours["windows"].stride() == theirs["windows"].stride()
    assert ours["killed"] == theirs["killed"]


def test_what_it_says_of_pytorch() -> None:
    images = torch.zeros(2, 3, 4, 5)
    assert images.to(memory_format=torch.channels_last).stride() == (60, 1, 15, 3)
    assert images.unfold(2, 2, 1).data_ptr() == images.data_ptr()
    assert torch.nn.functional.unfold(images, 2).data_ptr() != images.data_ptr()
    layer = torch.nn.Conv2d(3, 2, 3).to(memory_format=torch.channels_last)
    made = layer(images.to(memory_format=torch.channels_last))
    assert made.is_contiguous(memory_format=torch.channels_last)


@pytest.mark.parametrize("library", [tl, torch], ids=["tensorlab", "torch"])
def test_a_write_into_windows_is_refused_by_nobody(library) -> None:
    line = library.arange(8.0)
    line.unfold(0, 3, 1).add_(1)
    assert line[4].item() > 4
