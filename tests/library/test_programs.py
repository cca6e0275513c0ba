"""Short programs as textbooks have them, run as they stand and with ``import tensorlab as torch``."""

from __future__ import annotations

import contextlib
import io
import re
import warnings
from pathlib import Path

import pytest

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.py"))


def printed(source: str, name: str) -> str:
    """What a program prints."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(source, name, "exec"), {"__name__": "__main__"})
    return output.getvalue()


def with_tensorlab(source: str) -> str:
    """A program with the names of this library in its import lines."""
    source = source.replace("\nimport torch\n", "\nimport tensorlab as torch\n")
    return re.sub(r"^(import|from) torch(?=\.| import )", r"\1 tensorlab", source, flags=re.M)


@pytest.mark.part(2)
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_prints_the_same_with_tensorlab_for_torch(torch, path):
    source = path.read_text(encoding="utf-8")
    assert source.count("\nimport torch\n") == 1
    theirs = printed(source, path.name)
    ours = printed(with_tensorlab(source), path.name)
    assert len(theirs.splitlines()) >= 3
    assert ours.replace("tensorlab.", "torch.") == theirs
