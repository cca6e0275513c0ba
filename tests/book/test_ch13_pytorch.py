"""Chapter 13 says that its code runs on PyTorch with the same results; what it says of PyTorch is so."""

from __future__ import annotations

import json

import pytest

import tensorlab as tl

from .conftest import ROOT

torch = pytest.importorskip("torch", reason="PyTorch is not installed; the book does not need it")

OURS = (
    "figures",
    "widgets",
    "plot(",
    "descent(",
    "module_tree(",
    "Predict(",
    "Recall(",
    "Parsons(",
    "OptimizerLab(",
)


DATA = "images, labels = tl.datasets.digits().tensors\ndigits = images.flatten(1)\n"


def run(library, until: str) -> dict:
    """Run the chapter's cells up to one, with PyTorch in place of the library if that is asked."""
    path = ROOT / "book" / "chapters" / "13_nn_and_optimisers.ipynb"
    images, labels = tl.datasets.digits().tensors
    names: dict = {
        "digits": library.tensor(images.flatten(1).tolist()),
        "labels": library.tensor(labels.tolist()),
    }
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] != "code" or (
            any(word in source for word in OURS) and "def losses_of(" not in source
        ):
            continue
        if "def losses_of(" in source:  # the opening figure: its program, without the picture
            source = source[: source.index("steps = list(")].replace(
                "images, labels = tl.datasets.digits().tensors", ""
            )
            source = source.replace("digits = images.flatten(1)", "")
        if library is torch:
            source = source.replace("import tensorlab as tl", "import torch as tl")
            source = source.replace("from tensorlab import nn", "from torch import nn")
            source = source.replace("from tensorlab.nn import functional", "from torch.nn import functional")
        exec(compile(source, cell["id"], "exec"), names)
        if cell["id"] == until:
            return names
    raise AssertionError(f"the chapter has no cell {until}")


def test_the_chapter_is_the_same_on_pytorch() -> None:
    ours, theirs = run(tl, "mutants-truth"), run(torch, "mutants-truth")
    for name in ("careful", "forgetful", "no_friction", "losses"):
        assert ours[name] == pytest.approx(theirs[name], rel=2e-3), name
    assert ours["killed"] == theirs["killed"]
    assert (ours["confusion"].tolist()) == (theirs["confusion"].tolist())
