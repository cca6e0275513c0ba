"""The scalar formulas: how precise the fast versions are, and how a kernel's text is put together."""

from __future__ import annotations

import re

import numpy as np
import pytest

import tensorlab as tl
import tensorlab.nn.functional as F
from tensorlab.backends import OperandLayout, backend_of
from tensorlab.backends.cpu.elementwise import kernel_source
from tensorlab.core import dtypes
from tensorlab.scalars import TABLE, exponential, special, trigonometric
from tensorlab.scalars.source import compute_type, formula_text, version

WIDE = np.finfo(np.longdouble).nmant > 60

# The definition of each function in NumPy's terms, for a type that is wider than the one under test.
DEFINITIONS = {
    "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1,
    "log": np.log,
    "log2": np.log2,
    "log10": np.log10,
    "log1p": np.log1p,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "sigmoid": lambda x: np.where(x < 0, np.exp(x), 1) / (1 + np.exp(-abs(x))),
    "logsigmoid": lambda x: np.minimum(x, 0) - np.log1p(np.exp(-abs(x))),
    "softplus": lambda x: np.where(x > 20, x, np.maximum(x, 0) + np.log1p(np.exp(-abs(x)))),  # threshold 20
    "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x),
}
# Units in the last place: elementary functions keep to two; what multiplies several of them adds theirs up.
ULPS = {"sigmoid": 2.5, "softplus": 2.5, "gelu": 4.5}


def samples(name: str, cell: str) -> np.ndarray:
    """Numbers of every size, subnormal ones included, and many where the function has its bends."""
    rng = np.random.default_rng(7)
    limits = np.finfo(cell)
    exponents = rng.uniform(np.log2(float(limits.smallest_subnormal)), np.log2(float(limits.max)), 60_000)
    sizes = np.exp2(exponents.astype(np.longdouble)).astype(cell) * rng.choice([-1, 1], 60_000).astype(cell)
    near = [rng.normal(size=20_000) * scale for scale in (1, 10, 100)]
    bends = np.concatenate([1 + rng.uniform(-1e-3, 1e-3, 20_000), rng.uniform(-1, 1, 20_000)])
    edges = [0.0, -0.0, np.inf, -np.inf, np.nan, float(limits.max), float(limits.tiny), 1.0, -1.0, 0.5]
    x = np.concatenate([sizes, *[part.astype(cell) for part in (*near, bends)], np.array(edges, cell)])
    return abs(x) if name in ("log", "log2", "log10", "sqrt", "rsqrt") else x


def function(name: str):
    return getattr(tl, name, None) or getattr(F, name)


def errors(ours: np.ndarray, exact: np.ndarray) -> tuple[float, float]:
    """The greatest error in units in the last place, and relative to normal results.

    Everything that is not finite must be equal outright.
    """
    with np.errstate(over="ignore"):
        rounded = exact.astype(ours.dtype)
    limits = np.finfo(ours.dtype)
    finite = np.isfinite(rounded)
    np.testing.assert_array_equal(ours[~finite], rounded[~finite])
    distance = abs(ours[finite].astype(exact.dtype) - exact[finite])
    units = np.spacing(np.minimum(abs(rounded[finite]), np.nextafter(limits.max, ours.dtype.type(0))))
    normal = abs(rounded[finite]) >= limits.tiny
    return float((distance / units).max()), float((distance[normal] / abs(exact[finite][normal])).max())


@pytest.mark.parametrize("name", DEFINITIONS)
def test_float32_is_precise_to_the_last_places(name):
    x = samples(name, "f4")
    with np.errstate(all="ignore"):
        exact = DEFINITIONS[name](x.astype(np.float64))
    ulps, _ = errors(np.asarray(function(name)(tl.tensor(x))), exact)
    assert ulps <= ULPS.get(name, 2.0)


@pytest.mark.skipif(not WIDE, reason="this machine has no floating type wider than float64 to compare with")
@pytest.mark.parametrize("name", DEFINITIONS)
def test_float64_is_precise_to_1e15(name):
    x = samples(name, "f8")
    with np.errstate(all="ignore"):
        exact = DEFINITIONS[name](x.astype(np.longdouble))
    _, relative = errors(np.asarray(function(name)(tl.tensor(x))), exact)
    assert relative <= 1e-15


@pytest.mark.parametrize("cell", ["f4", "f8"])
def test_the_error_function_and_gelu_are_precise_in_both_tails(cell):
    mpmath = pytest.importorskip("mpmath", reason="mpmath, which PyTorch brings along, is not installed")
    rng = np.random.default_rng(3)
    deep = 13.0 if cell == "f4" else 37.0  # beyond, gelu's results are subnormal
    x = np.concatenate([rng.normal(size=600) * 2, rng.uniform(-deep, 6, 600), rng.normal(size=100) * 1e-6])
    x = x.astype(cell)
    exact = np.array([float(mpmath.erf(float(v))) for v in x])
    ulps, relative = errors(np.asarray(tl.erf(tl.tensor(x))), exact)
    assert ulps <= 2
    assert cell == "f4" or relative <= 1e-15
    exact = np.array([float(mpmath.mpf(float(v)) * mpmath.ncdf(float(v))) for v in x])
    ulps, relative = errors(np.asarray(F.gelu(tl.tensor(x))), exact)
    assert cell == "f8" or ulps <= ULPS["gelu"]
    assert cell == "f4" or relative <= 1e-15


@pytest.mark.parametrize("compute", [dtypes.float32, dtypes.float64])
def test_the_exponential_of_numbers_up_to_zero_is_the_exponential(compute):
    formula, general = (version(f, compute) for f in (exponential.exp_to_one, exponential.exp))
    cell = np.dtype(compute.name).type
    deepest = {dtypes.float32: -110.0, dtypes.float64: -760.0}[compute]  # from subnormal results down to 0
    with np.errstate(over="ignore"):
        for x in [0.0, -0.0, -np.inf, *np.linspace(deepest, 0, 3001)]:
            assert formula(cell(x)) == general(cell(x))
    assert np.isnan(formula(cell(np.nan)))


@pytest.mark.parametrize("approximate", ["none", "tanh"])
@pytest.mark.parametrize("dtype", [tl.float32, tl.float64, tl.float16])
def test_gelu_at_both_infinities_is_what_its_formula_gives(dtype, approximate):
    inf = float("inf")
    result = F.gelu(tl.tensor([inf, -inf, -0.0, float("nan"), -50.0], dtype=dtype), approximate=approximate)
    assert str(result.tolist()) == "[inf, nan, -0.0, nan, -0.0]"  # -inf times a chance of 0


@pytest.mark.parametrize("cell", ["f4", "f8"])
@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
def test_great_angles_take_the_general_formula_with_all_their_neighbours(name, cell):
    x = np.linspace(-50, 50, 10_000).astype(cell)
    x[[17, 5000, 9999]] = [1e30, -3e7, 1.7e6]
    exact = DEFINITIONS[name](x.astype(np.longdouble if WIDE else np.float64))
    for ours in (function(name)(tl.tensor(x)), function(name)(tl.tensor(np.repeat(x, 2))[::2])):
        ulps, relative = errors(np.asarray(ours), exact)
        assert ulps <= 2 if cell == "f4" else relative <= 1e-15


@pytest.mark.parametrize("name", ["sin", "tan", "sinc"])
def test_functions_with_an_outside_write_into_a_transposed_tensor(name):
    x, out = tl.linspace(0, 9, 600).reshape(20, 30), tl.empty(30, 20).t()
    function(name)(x, out=out)
    assert out.tolist() == function(name)(x).tolist()


SPECIAL = {
    "erfc": lambda m, v: m.erfc(v),
    "erfcx": lambda m, v: m.exp(v * v) * m.erfc(v),
    "lgamma": lambda m, v: m.log(abs(m.gamma(v))),
    "digamma": lambda m, v: m.digamma(v),
    "erfinv": lambda m, v: m.erfinv(v / 30),
    "ndtri": lambda m, v: m.sqrt(2) * m.erfinv(2 * m.exp(-abs(v)) - 1),
    "log_ndtr": lambda m, v: m.log1p(-m.erfc(v / m.sqrt(2)) / 2) if v > 0 else m.log(m.ncdf(v)),
    "asinh": lambda m, v: m.asinh(v),
    "entr": lambda m, v: -abs(v) * m.log(abs(v)),
}
OPERANDS = {"erfinv": lambda x: x / 30, "ndtri": lambda x: np.exp(-abs(x)), "entr": abs}


@pytest.mark.parametrize("name", SPECIAL)
def test_special_functions_are_precise(name):
    mpmath = pytest.importorskip("mpmath", reason="mpmath, which PyTorch brings along, is not installed")
    rng = np.random.default_rng(5)
    x = np.concatenate([rng.uniform(-4, 25, 300), rng.uniform(-1, 1, 100), 1 + rng.normal(size=50) * 1e-3])
    x = x.round(14) if name == "erfinv" else x
    given = OPERANDS.get(name, lambda x: x)(x)
    with mpmath.workdps(300):
        exact = np.array([float(SPECIAL[name](mpmath, mpmath.mpf(float(v)))) for v in x])
    ours = np.asarray(getattr(tl.special, name, getattr(tl, name, None))(tl.tensor(given)))
    # The size of a result near a root is what the numbers have that are subtracted there.
    slack = 4e-15 * np.maximum(abs(exact), 1.0 if name in ("digamma", "lgamma") else 1e-300)
    argument = 4e-16 * abs(x) if name in ("erfinv", "ndtri", "entr") else 0.0  # rounded before it was given
    assert np.all(abs(ours - exact) <= slack + argument * (1 + abs(exact)))


@pytest.mark.parametrize("n", [1, 2, 5])
def test_polygamma_is_precise_on_both_sides_of_zero(n):
    mpmath = pytest.importorskip("mpmath", reason="mpmath, which PyTorch brings along, is not installed")
    x = np.random.default_rng(n).uniform(-6, 30, 300)
    exact = np.array([float(mpmath.polygamma(n, mpmath.mpf(float(v)))) for v in x])
    np.testing.assert_allclose(np.asarray(tl.polygamma(n, tl.tensor(x))), exact, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("name", [row.name for row in TABLE.values() if row.cost >= 8 and row.arity == 1])
def test_float32_kernels_call_no_mathematical_library(name):
    row = TABLE[name]
    types = (dtypes.float32, dtypes.float32, *[dtypes.float64] * row.parameters)
    text = kernel_source(row, dtypes.float32, types, ("run", "run", *["one"] * row.parameters))
    fast = text.split("general =")[-1]  # sin, cos and tan keep the general formula for great angles
    called = set(re.findall(r"(?:math|np)\.(\w+)\(", fast))
    allowed = {
        "copysign",
        "empty",
        "float32",
        "float64",
        "floor",
        "int32",
        "int64",
        "rint",
        "sqrt",
        "trunc",
        "uint64",
    }
    general = {f.__name__ for f in (row.formula,) if version(f, dtypes.float32) is not f}
    assert not (called - allowed - general)


def test_a_formula_comes_in_versions():
    exp, log2 = exponential.exp, TABLE["log2"].formula
    assert version(exp, dtypes.float32) is exponential.exp_float32
    assert version(exp, dtypes.float64) is exponential.exp_float64
    assert version(exp, dtypes.int64) is exp
    assert version(TABLE["remainder"].formula, dtypes.int8).__name__ == "remainder_integer"
    assert compute_type(exp, dtypes.float32) is dtypes.float32
    assert compute_type(log2, dtypes.float32) is dtypes.float64
    assert compute_type(log2, dtypes.float64) is dtypes.float64
    assert compute_type(special.pow, dtypes.float32) is dtypes.float32


def test_the_text_of_a_formula_has_what_it_needs_once():
    text = formula_text(TABLE["erf"].formula, dtypes.float32, "@njit")
    for name in ("erf_float32", "exp_times_float32", "exp_reduced_float32", "power_of_two_float32"):
        assert text.count(f"def {name}(") == 1
    assert "erf = erf_float32" in text
    assert "def erf(" not in text
    assert f"LN2_HIGH_32 = {exponential.LN2_HIGH_32!r}" in text
    assert "general = sin" in formula_text(trigonometric.sin, dtypes.float64, "@njit", keep_general=True)


def test_two_meanings_of_one_constant_are_refused(monkeypatch):
    monkeypatch.setitem(special.exp2_float64.__globals__, "ROUNDER", 1.0)  # logarithms have one of their own
    with pytest.raises(ValueError, match="two scalar functions use the name ROUNDER"):
        formula_text(special.pow, dtypes.float32, "@njit")


def test_a_version_for_another_type_names_its_callees_in_full(monkeypatch):
    monkeypatch.setitem(special.exp2_float64.__globals__, "exp_reduced_float64_float32", special.sqrt)
    with pytest.raises(
        ValueError, match="exp2_float64 must call a version of exp_reduced_float64 by its full"
    ):
        formula_text(special.pow, dtypes.float32, "@njit")


def test_powers_in_float32_round_once():
    rng = np.random.default_rng(1)
    x, y = np.exp2(rng.uniform(-100, 100, 50_000)).astype("f4"), rng.normal(size=50_000).astype("f4")
    with np.errstate(over="ignore"):
        exact = x.astype(np.float64) ** y.astype(np.float64)
    ulps, _ = errors(np.asarray(tl.pow(tl.tensor(x), tl.tensor(y))), exact)
    assert ulps <= 0.501


def test_formulas_are_ordinary_functions():
    assert TABLE["relu"].formula(-2.0) == 0
    assert TABLE["lerp"].formula(1.0, 3.0, 0.75) == 2.5
    assert TABLE["gelu"].formula(0.0) == 0.0
    assert TABLE["remainder"].formula(np.float64(-7.0), np.float64(3.0)) == 2.0
    assert exponential.exp_float64(np.float64(1.0)) == pytest.approx(np.e, rel=1e-15)


def test_the_backend_prepares_kernels_without_tensors():
    f32 = dtypes.float32
    run = OperandLayout(f32, (1,))
    launch = backend_of("cpu").pointwise(TABLE["square"], f32, (3,), run, [run])
    out = np.zeros(4, np.float32)
    launch((out, 1), (np.array([1, 2, 3], np.float32), 0))
    assert out.tolist() == [0, 1, 4, 9]
