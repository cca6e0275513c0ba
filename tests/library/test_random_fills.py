"""Random numbers against PyTorch's: the same seed and the same calls, bit for bit.

Where PyTorch evaluates a logarithm or a sine in float64 both libraries call the machine's own library, so
equality holds on every machine. The float32 normal numbers of 16 and more elements are those of PyTorch's
AVX2 code, and are compared where PyTorch runs it.
"""

from __future__ import annotations

import pytest

import tensorlab as tl
from tests.library.random_pairs import assert_in_step, assert_same, seed_both

SIZES = (0, 1, 2, 15, 16, 17, 31, 32, 100, 623, 625, 1000, 1041)
FLOATS = ("float16", "bfloat16", "float32", "float64")
INTEGERS = ("uint8", "int8", "int16", "int32", "int64")
ALL = ("bool", *INTEGERS, *FLOATS)

# Name, arguments, and dtypes. Each pair of a recipe and a dtype is a kernel to compile: recipes that differ
# in a formula alone are tried on few dtypes, those that differ in how numbers are stored on all.
FILLS = [
    ("uniform_", (), FLOATS),
    ("uniform_", (-0.3, 1.7), FLOATS),
    ("uniform_", (0.1, 0.8), FLOATS),
    ("uniform_", (100, 101), FLOATS),
    ("uniform_", (-1e-4, 0), FLOATS),
    ("uniform_", (2.5, 2.5), FLOATS),
    ("normal_", (), FLOATS),
    ("normal_", (0.1, 0.7), FLOATS),
    ("log_normal_", (0.1, 0.7), ("bfloat16", "float64")),
    ("exponential_", (), ("float16", "float32")),
    ("exponential_", (1.7,), ("float16", "float32", "float64")),
    ("cauchy_", (0.3, 0.7), ("float32", "float64")),
    ("geometric_", (0.3,), ("uint8", "int64", "float32")),
    ("bernoulli_", (0.3,), ("bool", "int8", "int64", "bfloat16", "float32")),
    ("bernoulli_", (1,), ("bool", "float32")),
    ("random_", (), ALL),
    ("random_", (2,), ALL),
    ("random_", (1, 77), (*INTEGERS, *FLOATS)),
    ("random_", (0, None), ALL),
    ("random_", (3, 2**28 + 3), ("int32", "int64", "float64")),
    ("random_", (3, 2**28 + 2), ("int32", "int64", "float64")),
    ("random_", (-(2**62), 2**62 + 7), ("int64",)),
    ("random_", (-(2**63), 2**63 - 1), ("int64",)),
    ("random_", (-(2**63), None), ("int64", "float64")),
]


@pytest.mark.part(3)
@pytest.mark.parametrize(
    ("name", "arguments", "dtype"),
    [(name, arguments, dtype) for name, arguments, found in FILLS for dtype in found],
)
@pytest.mark.usefixtures("vector_code")
def test_fills(torch, name, arguments, dtype):
    for seed, size in enumerate(SIZES, start=8):
        seed_both(torch, seed)
        ours = tl.empty(size, dtype=getattr(tl, dtype))
        theirs = torch.empty(size, dtype=getattr(torch, dtype))
        assert getattr(ours, name)(*arguments) is ours
        getattr(theirs, name)(*arguments)
        assert_same(ours, theirs)
        assert_in_step(torch)


def layouts(library):
    """Uninitialised float32 tensors in many layouts, each made by the same calls."""
    big = library.zeros(8, 12)
    return [
        big.t(),
        big[:, ::2],
        big[1:, 3],
        big[::3, 1:4],
        library.zeros(3, 4, 5).permute(2, 0, 1),
        library.zeros(3, 4, 5).permute(1, 2, 0)[1:, :, ::2],
        library.zeros(2, 1, 9).transpose(0, 2),
        library.zeros(60).as_strided((4, 5), (5, 1), 20),
        library.zeros(60).as_strided((3, 4), (2, 11), 1),
        library.zeros(60).as_strided((3, 2), (1, 1), 0),
        library.zeros(60).as_strided((2, 3, 2), (2, 2, 7), 0),
        library.zeros(0, 3).t(),
        library.zeros(()),
    ]


@pytest.mark.parametrize("name", ["uniform_", "normal_", "exponential_", "bernoulli_", "random_"])
def test_fills_go_along_memory(torch, name):
    for ours, theirs in zip(layouts(tl), layouts(torch), strict=True):
        seed_both(torch, 3)
        getattr(ours, name)()
        getattr(theirs, name)()
        assert_same(ours, theirs)
        assert_in_step(torch)


@pytest.mark.parametrize("name", ["uniform_", "log_normal_"])
def test_large_fills_go_along_memory_part_by_part(torch, name):
    for sizes in ((41, 3, 401), (2, 45001), (40003, 2)):
        seed_both(torch, 3)
        ours, theirs = tl.zeros(*sizes)[..., ::2], torch.zeros(*sizes)[..., ::2]
        getattr(ours, name)()
        getattr(theirs, name)()
        assert_same(ours, theirs)
        assert_in_step(torch)


@pytest.mark.usefixtures("vector_code")
def test_million(torch):
    for seed in range(3):
        seed_both(torch, seed)
        assert_same(tl.randn(1_000_003), torch.randn(1_000_003))
        assert_same(tl.rand(1_000_003), torch.rand(1_000_003))
        assert_same(tl.randperm(100_003), torch.randperm(100_003))
