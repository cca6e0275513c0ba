"""The stub of the methods of `Tensor` is what the code says, and a type checker can use it."""

from __future__ import annotations

import subprocess
import sys

import pytest

import tensorlab as tl
from tensorlab.ops import stubs


def test_the_stub_is_up_to_date():
    written = stubs.STUB.read_text(encoding="utf-8")
    assert written == stubs.stub(), "run python -m tensorlab.ops.stubs"


def test_every_method_is_in_it():
    text = stubs.stub()
    for name in ("add_", "__matmul__", "view", "sum", "T", "float"):
        assert hasattr(tl.Tensor, name)
        assert f"def {name}(self" in text


def test_the_command_checks(tmp_path, monkeypatch):
    done = subprocess.run([sys.executable, "-m", "tensorlab.ops.stubs", "--check"], check=False)
    assert done.returncode == 0
    monkeypatch.setattr(stubs, "STUB", tmp_path / "old.pyi")
    monkeypatch.setattr(sys, "argv", ["stubs", "--check"])
    with pytest.raises(SystemExit, match="is not up to date"):
        stubs.main()
