"""The stubs of the operators are what the code says."""

from __future__ import annotations

import subprocess
import sys

import pytest

import tensorlab as tl
from tensorlab.stubs import __main__ as stubs


def test_the_stubs_are_up_to_date():
    written = {path.name: path.read_text(encoding="utf-8") for path in stubs.FOLDER.glob("*.pyi")}
    assert written == stubs.stubs(), "run python -m tensorlab.stubs"


def test_every_method_is_in_it():
    text = stubs.stubs()["tensor.pyi"]
    for name in ("add_", "__matmul__", "view", "sum", "T", "float"):
        assert hasattr(tl.Tensor, name)
        assert f"def {name}(self" in text


def test_the_command_checks(tmp_path, monkeypatch):
    done = subprocess.run([sys.executable, "-m", "tensorlab.stubs", "--check"], check=False)
    assert done.returncode == 0
    monkeypatch.setattr(stubs, "FOLDER", tmp_path)
    monkeypatch.setattr(sys, "argv", ["stubs", "--check"])
    with pytest.raises(SystemExit, match="is not up to date"):
        stubs.main()
