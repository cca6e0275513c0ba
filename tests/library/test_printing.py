"""The text of tensors is PyTorch's, letter by letter: any values, any shape, any options."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import tensorlab as tl
from tensorlab.core import dtypes

SPECIAL = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    1e-4,
    9.99e-5,
    1e8,
    100000001.0,
    999.5,
    1000.0,
    1e-8,
    1e16,
    3.14159,
    2.5e-45,
]
NOT_FINITE = [np.nan, np.inf, -np.inf]


def values(dtype):
    if dtype == "bool":
        return hnp.from_dtype(np.dtype("bool"))
    if dtype in ("float32", "float64", "float16"):
        width = int(dtype[5:])
        with np.errstate(over="ignore"):
            fitting = [float(v) for v in np.array(SPECIAL + NOT_FINITE).astype(dtype)]
        return st.sampled_from(fitting) | st.floats(width=width) | st.floats(-1000, 1000, width=width)
    return hnp.from_dtype(np.dtype(dtype)) | st.integers(0, 9)


arrays = st.sampled_from(
    ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64"]
).flatmap(
    lambda dtype: hnp.arrays(
        dtype, hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5), elements=values(dtype)
    )
)
options = st.fixed_dictionaries(
    {},
    optional={
        "precision": st.integers(0, 7),
        "threshold": st.integers(0, 20),
        "edgeitems": st.integers(1, 3),
        "linewidth": st.integers(10, 120),
        "sci_mode": st.booleans(),
    },
)


@pytest.fixture(autouse=True)
def default_options(request):
    yield
    tl.set_printoptions(profile="default")
    if "torch" in request.fixturenames:
        request.getfixturevalue("torch").set_printoptions(profile="default")


def texts(torch, array, chosen, bfloat16=False):
    """What both libraries print of the same numbers with the same options."""
    written = []
    for module in (tl, torch):
        module.set_printoptions(profile="default")
        module.set_printoptions(**chosen)
        x = module.tensor(array)
        if bfloat16:
            x = x.to(module.bfloat16)
        written.append(repr(x).replace("torch.", "tensorlab."))
    return written


@settings(max_examples=300)
@given(array=arrays, chosen=options)
@example(array=np.array([0.0, -0.0], np.float32), chosen={"sci_mode": True})
@example(array=np.array([np.nan, np.inf], np.float32), chosen={})
@example(array=np.array(1e-45, np.float32), chosen={})
def test_text_is_pytorchs(torch, array, chosen):
    ours, theirs = texts(torch, array, chosen)
    assert ours == theirs


@settings(max_examples=100)
@given(array=hnp.arrays("float32", hnp.array_shapes(max_side=4), elements=values("float32")), chosen=options)
def test_text_of_bfloat16_is_pytorchs(torch, array, chosen):
    ours, theirs = texts(torch, array, chosen, bfloat16=True)
    assert ours == theirs


@settings(max_examples=40)
@given(
    shape=st.lists(st.sampled_from([0, 1, 2, 5, 6, 7, 8, 30, 1001]), min_size=1, max_size=4).filter(
        lambda shape: np.prod([max(n, 1) for n in shape]) < 50_000
    ),
    step=st.sampled_from([1, 0.25, 1e-5, 12345.678, -3]),
)
def test_text_of_large_tensors_is_pytorchs(torch, shape, step):
    array = (np.arange(np.prod(shape)) * step).reshape(shape).astype("float32")
    ours, theirs = texts(torch, array, {})
    assert ours == theirs


@pytest.mark.parametrize("default", ["float16", "bfloat16", "float64"])
def test_the_default_dtype_is_not_named(torch, default):
    try:
        for module in (tl, torch):
            module.set_default_dtype(getattr(module, default))
        for t in dtypes.ALL:
            for data in ([1, 2], [], [[]]):
                ours = repr(tl.tensor(data, dtype=t))
                assert ours == repr(torch.tensor(data, dtype=getattr(torch, t.name))).replace(
                    "torch.", "tensorlab."
                )
    finally:
        tl.set_default_dtype(tl.float32)
        torch.set_default_dtype(torch.float32)


def test_text_of_any_layout_is_that_of_its_values(torch):
    x, y = tl.arange(24.0).view(4, 6), torch.arange(24.0).view(4, 6)
    for index in ((slice(1, None), slice(None, None, 2)), (0,), (slice(2, 2),), (None, ..., 1)):
        assert repr(x[index]) == repr(y[index])
    assert repr(x.t()) == repr(y.t())
    assert str(x) == repr(x)
