"""The compatibility page's facts: names that PyTorch has, and differences that are real."""

from __future__ import annotations

import importlib
import pickle
import subprocess
import sys
import warnings
import zipfile

import numpy as np
import pytest
from safetensors.numpy import load_file

import tensorlab as tl
from tensorlab.compatibility import (
    BESIDE_OPERATORS,
    DIFFERENCES,
    EVERYDAY,
    LESS_OFTEN,
    NOW_AND_THEN,
    coverage,
)

NAMES = EVERYDAY + LESS_OFTEN + NOW_AND_THEN + BESIDE_OPERATORS


@pytest.mark.parametrize("name", NAMES)
def test_every_name_is_pytorchs(torch, name):
    owner = torch
    for part in name.split("."):
        if not hasattr(owner, part):
            assert hasattr(torch.Tensor, name)
            break
        owner = getattr(owner, part)


def test_no_name_is_listed_twice():
    assert len(set(NAMES)) == len(NAMES)


def test_coverage_asks_the_library():
    found = coverage(("add", "T", "nn.functional.nonsense", "nonsense"))
    assert found.covered == ("add", "T")
    assert found.missing == ("nn.functional.nonsense", "nonsense")


def test_an_uncovered_name_says_so():
    with pytest.raises(AttributeError, match="tensorlab has no 'nonsense'"):
        _ = tl.nonsense

    with pytest.raises(AttributeError, match=r"there is tensorlab\.nn\.functional\.relu"):
        _ = tl.nn.relu


def test_a_prompt_offers_what_is_loaded_late_and_not_what_is_used_inside():
    """In a new process: what other tests have loaded is there anyway."""
    code = "import tensorlab as tl; print(*dir(tl)); print(all(hasattr(tl, name) for name in dir(tl)))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    names, there = shown.splitlines()
    assert {"check", "hint", "adopt", "status", "save", "load", "nn", "func", "gemm", "zeros"} <= set(
        names.split()
    )
    assert {"importlib", "annotations", "Any", "_LAZY"}.isdisjoint(names.split())
    assert there == "True"


def test_the_differences_are_real(torch, tmp_path):
    """Each entry of the page, shown: what PyTorch does and what happens here."""
    torch.storage._reset_warn_typed_storage_removal()  # PyTorch warns once in a process
    rows = [np.ones(2), np.ones(2)]
    torch.save(torch.ones(2), tmp_path / "torch")
    tl.save(tl.ones(2), tmp_path / "tensorlab")
    refused = {m: _error(lambda m=m: m.zeros(2, 3).t().view(6)) for m in (torch, tl)}
    even_then_odd = [*range(1, 8000, 2), *range(0, 8000, 2)]  # the places of False, then those of True
    shown = {
        "Rare dtypes": (
            torch.zeros(2, dtype=torch.uint16) is not None,
            _error(lambda: tl.uint16) is not None,
        ),
        "Names of dimensions": (
            _error(lambda: torch.zeros(2, names=("N",))) is not None,
            tl.zeros(2, names=("N",)).names == ("N",),
        ),
        "`save` and `load`": (
            "data.pkl" in str(zipfile.ZipFile(tmp_path / "torch").namelist()),
            next(iter(load_file(tmp_path / "tensorlab").values())).tolist() == [1.0, 1.0],
        ),
        "The words of an error": (
            "2" not in str(refused[torch]),
            type(refused[tl]) is type(refused[torch]) and "strides (1, 3)" in str(refused[tl]),
        ),
        "`tensor([row, row])` of tensors": (
            _error(lambda: torch.tensor([torch.tensor(row) for row in rows])) is not None,
            tl.tensor([tl.tensor(row) for row in rows]).tolist() == [[1.0, 1.0], [1.0, 1.0]],
        ),
        "`tensor([[], [1]])`": (
            torch.tensor([[], [1]]).shape == (2, 0),
            _error(lambda: tl.tensor([[], [1]])) is not None,
        ),
        "`tensor` of a NumPy array that runs backwards, or has its bytes in the other order": (
            all(_error(lambda a=a: torch.tensor(a)) is not None for a in _arrays_to_copy()),
            [tl.tensor(array).tolist() for array in _arrays_to_copy()] == [[1, 0], [0, 1]]
            and _error(lambda: tl.from_numpy(_arrays_to_copy()[0])) is not None,
        ),
        "A pickle of tensors that share memory": (
            _pickled_view_follows(torch) is False,
            _pickled_view_follows(tl) is True,
        ),
        "`gelu` of infinity": (
            bool(torch.nn.functional.gelu(torch.tensor([torch.inf] * 8)).isnan().all())
            is (torch.backends.cpu.get_cpu_capability() == "AVX512"),
            bool(tl.nn.functional.gelu(tl.tensor([tl.inf] * 8)).eq(tl.inf).all()),
        ),
        "`x.to(3.5)`": (
            torch.zeros(2).to(3.5).dtype is torch.float64,
            _error(lambda: tl.zeros(2).to(3.5)) is not None,
        ),
        "Complex numbers": (torch.tensor(1j).is_complex(), _error(lambda: tl.tensor(1j)) is not None),
        "An `out` that must grow": (
            _error(lambda: _grow_a_shared_out(torch)) is None,
            isinstance(_error(lambda: _grow_a_shared_out(tl)), RuntimeError),
        ),
        "A write that raises halfway, as `scatter_` with an index outside": (
            _scatter_outside(torch) != [1, 2, 3],
            _scatter_outside(tl) == [1, 2, 3],
        ),
        "`tril_` and `triu_` of an expanded tensor": (
            _error(lambda: torch.ones(1).expand(2, 2).tril_()) is None,
            isinstance(_error(lambda: tl.ones(1).expand(2, 2).tril_()), RuntimeError),
        ),
        "`addbmm_` into a tensor of another shape": (
            torch.ones(1).addbmm_(torch.ones(2, 2, 3), torch.ones(2, 3, 4)).shape == (2, 4),
            _error(lambda: tl.ones(1).addbmm_(tl.ones(2, 2, 3), tl.ones(2, 3, 4))) is not None,
        ),
        "`sort` without `stable=True`": (
            torch.tensor([True, False] * 4000).sort().indices.tolist() != even_then_odd,
            tl.tensor([True, False] * 4000).sort().indices.tolist() == even_then_odd,
        ),
        "`storage()`": (_warns(lambda: torch.zeros(2).storage()), not _warns(lambda: tl.zeros(2).storage())),
        "Reading a tensor over read-only NumPy memory": (
            _write_into_constant(torch) is None,
            isinstance(_write_into_constant(tl), RuntimeError),
        ),
        "The dimension that an `IndexError` names": (
            "dimension 1" in str(_error(lambda: torch.zeros(2, 3, 4)[..., 9])),
            "dimension 2" in str(_error(lambda: tl.zeros(2, 3, 4)[..., 9])),
        ),
        "Sparse tensors": (
            _gradient_of_rows(torch).is_sparse,
            isinstance(_error(lambda: _gradient_of_rows(tl)), NotImplementedError),
        ),
        "Forward-mode derivatives": (
            hasattr(torch.autograd, "forward_ad"),
            not hasattr(tl.autograd, "forward_ad") and tl.func.jacfwd is tl.func.jacrev,
        ),
        "`func.vmap`": (
            _calls_of_vmap(torch) == 1 and _error(lambda: _empty_batch(torch)) is None,
            _calls_of_vmap(tl) == 3 and isinstance(_error(lambda: _empty_batch(tl)), ValueError),
        ),
        "`checkpoint(use_reentrant=True)`": (
            _error(lambda: _checkpoint_again(torch)) is None,
            isinstance(_error(lambda: _checkpoint_again(tl)), NotImplementedError),
        ),
        "`untyped_storage().resize_`": (
            _error(lambda: torch.zeros(2).untyped_storage().resize_(64)) is None,
            isinstance(_error(lambda: tl.zeros(2).untyped_storage().resize_(64)), RuntimeError),
        ),
        '`device="meta"`': (
            torch.zeros(2, device="meta").is_meta,
            isinstance(_error(lambda: tl.zeros(2, device="meta")), RuntimeError),
        ),
        "A window of `max_pool2d` that lies in the padding": (
            bool(_pooled_padding(torch).isinf().any()),
            isinstance(_error(lambda: _pooled_padding(tl)), RuntimeError),
        ),
    }
    for difference in DIFFERENCES:
        assert shown[difference.topic] == (True, True), difference.topic


def _pickled_view_follows(library):
    x = library.zeros(2, 3)
    whole, row = pickle.loads(pickle.dumps([x, x[0]]))
    whole.fill_(1)
    return row.tolist() == [1, 1, 1]


def _arrays_to_copy():
    return np.arange(2)[::-1], np.arange(2, dtype=">i4")


def _error(call):
    try:
        call()
    except (AttributeError, IndexError, RuntimeError, TypeError, ValueError) as error:
        return error
    return None


def _gradient_of_rows(library):
    weight = library.ones(4, 2, requires_grad=True)
    library.nn.functional.embedding(library.tensor([1]), weight, sparse=True).sum().backward()
    return weight.grad


def _calls_of_vmap(library):
    calls = []
    library.func.vmap(lambda x: calls.append(x) or 2 * x)(library.ones(3))
    return len(calls)


def _empty_batch(library):
    return library.func.vmap(library.exp)(library.ones(0, 3))


def _checkpoint_again(library):
    checkpoint = importlib.import_module(f"{library.__name__}.utils.checkpoint").checkpoint
    return checkpoint(library.exp, library.ones(2, requires_grad=True), use_reentrant=True)


def _pooled_padding(library):
    return library.nn.functional.max_pool2d(library.ones(1, 1, 1), 2, padding=1, dilation=2)


def _grow_a_shared_out(library):
    base = library.zeros(2)
    library.neg(library.ones(3), out=base[:0])


def _scatter_outside(library):
    x = library.tensor([1, 2, 3])
    assert _error(lambda: x.scatter_(0, library.tensor([0, 1, 9]), 0)) is not None
    return x.tolist()


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
