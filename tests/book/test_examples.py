"""The programs of the examples are PyTorch's: with PyTorch imported instead they train by the same losses."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import tensorlab as tl

EXAMPLES = Path(__file__).resolve().parents[2] / "book" / "examples"
# How often each loop of the training runs here: enough to see the losses part, were the programs to differ.
FEWER = {r"for (step|epoch) in range\(\d+\)": r"for \1 in range(2)", "range\\(960\\)": "range(96)"}
LONGEST = 150


def cells(name):
    notebook = json.loads((EXAMPLES / f"{name}.ipynb").read_text(encoding="utf-8"))
    return ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]


def losses(name, library):
    """The losses of a program's first steps, with the one library or the other."""
    namespace = {}
    for source in cells(name):
        for long, short in FEWER.items():
            source = re.sub(long, short, source)
        if library == "torch":
            source = source.replace("import tensorlab as torch", "import torch")
            source = re.sub(r"from tensorlab(?!\.(datasets|figures))", "from torch", source)
        exec(source, namespace)
        if "losses" in namespace:
            return namespace["losses"]
    raise AssertionError(f"{name} keeps no losses")


@pytest.mark.parametrize("name", sorted(path.stem for path in EXAMPLES.glob("*.ipynb")))
def test_the_same_program_trains_by_the_same_losses_on_pytorch(torch, name, monkeypatch):
    own = losses(name, "tensorlab")
    packaged = tl.datasets.digits()

    def digits():
        tensors = [torch.from_numpy(each.numpy()) for each in packaged.tensors]
        return torch.utils.data.TensorDataset(*tensors)

    monkeypatch.setattr(tl.datasets, "digits", digits)
    theirs = losses(name, "torch")
    assert len(own) == len(theirs) >= 2
    assert own == pytest.approx(theirs, rel=1e-4)


@pytest.mark.parametrize("name", sorted(path.stem for path in EXAMPLES.glob("*.ipynb")))
def test_a_program_is_short(name):
    assert sum(len(source.splitlines()) for source in cells(name)) < LONGEST
