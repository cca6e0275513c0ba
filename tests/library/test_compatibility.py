"""The compatibility page's facts: names that PyTorch has, and differences that are real."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import tensorlab as tl
from tensorlab.compatibility import DIFFERENCES, EVERYDAY, LESS_OFTEN, coverage


@pytest.mark.parametrize("name", EVERYDAY + LESS_OFTEN)
def test_every_name_is_pytorchs(torch, name):
    owner = torch
    for part in name.split("."):
        if not hasattr(owner, part):
            assert hasattr(torch.Tensor, name)
            break
        owner = getattr(owner, part)


def test_no_name_is_listed_twice():
    assert len(set(EVERYDAY + LESS_OFTEN)) == len(EVERYDAY + LESS_OFTEN)


def test_coverage_asks_the_library():
    found = coverage(("add", "T", "nn.functional.nonsense", "nonsense"))
    assert found.covered == ("add", "T")
    assert found.missing == ("nn.functional.nonsense", "nonsense")


def test_an_uncovered_name_says_so():
    with pytest.raises(AttributeError, match="tensorlab has no 'nonsense'"):
        _ = tl.nonsense


def test_the_differences_are_real(torch):
    """Each entry of the page, shown: what PyTorch does and what happens here."""
    torch.storage._reset_warn_typed_storage_removal()  # PyTorch warns once in a process
    shown = {
        "Complex numbers": (torch.tensor(1j).is_complex(), _error(lambda: tl.tensor(1j)) is not None),
        "`storage()`": (_warns(lambda: torch.zeros(2).storage()), not _warns(lambda: tl.zeros(2).storage())),
        "Reading a tensor over read-only NumPy memory": (
            _write_into_constant(torch) is None,
            isinstance(_write_into_constant(tl), RuntimeError),
        ),
        "The dimension that an `IndexError` names": (
            "dimension 1" in str(_error(lambda: torch.zeros(2, 3, 4)[..., 9])),
            "dimension 2" in str(_error(lambda: tl.zeros(2, 3, 4)[..., 9])),
        ),
    }
    for difference in DIFFERENCES:
        assert shown[difference.topic] == (True, True), difference.topic


def _error(call):
    try:
        call()
    except (RuntimeError, IndexError) as error:
        return error
    return None


def _warns(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return bool(caught)


def _write_into_constant(library):
    array = np.zeros(2)
    array.flags.writeable = False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        x = library.from_numpy(array)
    return _error(lambda: x.__setitem__(0, 1.0))
