"""The backend in plain NumPy: it needs no Numba, and computes what the compiled kernels compute.

Here a part of PyTorch's samples runs on it; ``python -m tests.library.blocked tests.library.operators`` runs
all.
"""

from __future__ import annotations

import os
import subprocess
import sys
import warnings

import numpy as np
import pytest

from tensorlab import folds
from tensorlab.backends import HOST, choice
from tensorlab.backends.numpy import NumPy
from tensorlab.backends.operands import OperandLayout
from tensorlab.backends.recurrent import recur, recur_gradient
from tensorlab.backends.windows import Pooling
from tensorlab.core import dtypes
from tensorlab.ops.pooling_windows import adaptive_reach
from tensorlab.scalars import COUNTING, FLOATING, INTEGERS, NUMERIC, TABLE, TRUTH
from tensorlab.scalars.recurrent import RECURRENCES

NUMPY = NumPy()

# Operators that, between them, call every method of a backend.
OPERATORS = """
add argmax avg_pool2d bernoulli bincount bmm conv2d conv_transpose2d cross_entropy cummax cumsum embedding
group_norm index_add index_put interpolate kthvalue layer_norm linalg.norm logsumexp masked_fill
masked_scatter masked_select max_pool2d median multinomial nll_loss nonzero normal prod
scaled_dot_product_attention scatter scatter_reduce searchsorted softmax sort std topk tril unique
unique_consecutive var where
""".split()  # noqa: SIM905


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **environment}
    command = [sys.executable, *arguments]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", env=environment)


def blocked(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A program where Numba cannot be imported."""
    begin = "import sys; from tests.library.blocked import Blocker; sys.meta_path.insert(0, Blocker()); "
    return run("-c", begin + code, **environment)


TRAINING = """
import tensorlab as tl
tl.manual_seed(1)
x, w = tl.randn(8, 4), tl.zeros(4, 2, requires_grad=True)
for step in range(3):
    y = tl.nn.functional.scaled_dot_product_attention(x @ w, x @ w, x @ w)
    loss = tl.nn.functional.cross_entropy(y, tl.arange(8) % 2)
    (gradient,) = tl.autograd.grad(loss, w)
    w = (w - gradient).detach().requires_grad_()
print(f"{loss.item():.4f}")
"""


def test_without_numba_the_library_computes_and_says_so_once():
    without, there = blocked(TRAINING, TENSORLAB_BACKEND=""), run("-c", TRAINING)
    assert without.returncode == there.returncode == 0, without.stderr + there.stderr
    assert without.stdout == there.stdout
    assert without.stderr.count("Numba is not installed") == 1


def test_who_chooses_numpy_is_told_nothing_and_imports_no_numba():
    code = "import sys, tensorlab as tl; print((tl.ones(3) + 1).sum().item(), 'numba' in sys.modules)"
    found = run("-W", "error", "-c", code, TENSORLAB_BACKEND="numpy")
    assert (found.stdout.split(), found.stderr) == (["6.0", "False"], "")


def test_a_backend_that_there_is_not_is_refused(monkeypatch):
    monkeypatch.setenv(choice.VARIABLE, "cuda")
    with pytest.raises(RuntimeError, match="'cpu' and 'numpy'"):
        choice.chosen()


def test_operators_agree_with_pytorch(torch, every):
    pytest.importorskip("expecttest", reason="PyTorch's list of operators needs it: pip install expecttest")
    names = [name for name in OPERATORS for name in (name, f"nn.functional.{name}")]
    options = ["--dtypes", "float32,int64", "--every", str(every(7))]
    found = run("-W", "ignore", "-m", "tests.library.blocked", "tests.library.operators", *options, *names)
    assert found.returncode == 0, found.stdout + found.stderr
    assert int(found.stdout.splitlines()[-1].split()[0]) >= 40


def numbers(row, compute, count: int) -> list[np.ndarray]:
    rng = np.random.default_rng(5)
    operands = []
    for _ in range(row.arity + row.parameters):
        if compute.is_floating_point:
            operands.append(rng.uniform(0.05, 0.95, count).astype(compute.cell))
        else:
            operands.append(rng.integers(1, 6, count).astype(compute.cell))
    return operands


KINDS = {FLOATING: ("float32", "float64"), INTEGERS: ("int64", "bool"), COUNTING: ("int64", "uint8")}


@pytest.mark.interpreted
@pytest.mark.parametrize("name", TABLE)
def test_a_row_gives_the_same_numbers_on_both_backends(name):
    from tensorlab.backends.cpu import CPU

    row, count = TABLE[name], 37
    for kind in KINDS.get(row.takes, ("float32", "int64") if row.takes == NUMERIC else ("float32", "uint8")):
        compute = dtypes.by_name(kind)
        result = dtypes.bool if row.result == TRUTH else compute
        if row.result == "float" and not compute.is_floating_point:
            compute = result = dtypes.float32
        given = numbers(row, compute, count)
        out_layout, inputs = OperandLayout(result, (1,)), [OperandLayout(compute, (1,))] * len(given)
        made = []
        for backend in (CPU(), NUMPY):
            out = np.zeros(count, result.cell)
            launch = backend.pointwise(row, compute, (count,), out_layout, inputs)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # interpreted kernels warn of what overflows
                launch((out, 0), *[(cells, 0) for cells in given])
            made.append(out)
        single = compute is dtypes.float32
        np.testing.assert_allclose(made[1], made[0], rtol=2e-6 if single else 1e-12, atol=1e-7)


def test_no_step_of_a_formula_overflows():
    """The square of 100 has no exponential that fits, and erfcx of 100 is 0.0056."""
    x, out = np.array([0.5, 30.0, 100.0]), np.zeros(3)
    layout = OperandLayout(dtypes.float64, (1,))
    NUMPY.pointwise(TABLE["erfcx"], dtypes.float64, (3,), layout, [layout])((out, 0), (x, 0))
    # The asymptotic series, DLMF 7.12.1.
    np.testing.assert_allclose(out[1:], (1 - 1 / (2 * x**2) + 3 / (4 * x**4))[1:] / (x[1:] * np.sqrt(np.pi)))


@pytest.mark.interpreted
@pytest.mark.parametrize("kind", ["float32", "int64", "bool", "bfloat16"])
@pytest.mark.parametrize("name", folds.TABLE)
def test_a_fold_gives_the_same_numbers_on_both_backends(name, kind):
    from tensorlab.backends.cpu import CPU

    fold, source = folds.TABLE[name], dtypes.by_name(kind)
    floating = source.is_floating_point
    if (
        not floating
        and (fold.wide or fold.center or "per_element" in fold.finish.__name__)
        and name != "prod"
    ):
        pytest.skip("a fold of floats")
    result = (
        dtypes.bool
        if fold.truth
        else source
        if floating or fold.join.start in ("lowest", "highest")
        else dtypes.int64
    )
    cells = np.random.default_rng(3).integers(0, 3, 60)
    cells = (cells.astype(np.float32) + 0.5).view(np.uint32) >> 16 if kind == "bfloat16" else cells
    cells = cells.astype(source.cell)
    made = []
    for backend in (CPU(), NUMPY):
        for dims, strides in (((1,), (1, 0)), ((0,), (0, 1)), ((0, 1), (0, 0))):
            out = np.zeros(12, result.cell)
            layouts = OperandLayout(result, strides), OperandLayout(source, (12, 1))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                backend.reduce(fold, source, (5, 12), dims, *layouts, 2.0)((out, 0), (cells, 0))
            made.append(out)
    for ours, theirs in zip(made[3:], made[:3], strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-6)


@pytest.mark.parametrize("kind", RECURRENCES.values(), ids=RECURRENCES)
@pytest.mark.parametrize("backwards", [False, True])
def test_recurrent_layers_agree_with_the_compiled_kernels(kind, backwards):
    """Of four sequences that end one after the other, with gradients."""
    steps, size, count = (4, 3, 1, 1), 3, kind.states
    gates, states = kind.gates * size, [(4, size)] * count
    kept = [(9, size)] * count + [(9, kind.kept * size)]
    forward = [(9, size), *states, *kept, (9, gates), (gates, size), (gates,), *states]
    gradient = [(9, gates), (9, gates), *states, *kept, (gates, size), (9, size), *states]
    for shapes, prepare in ((forward, recur), (gradient, recur_gradient)):
        random = np.random.default_rng(0)
        given = [random.standard_normal(shape).ravel() for shape in shapes]
        results = []
        for backend in (HOST, NUMPY):
            buffers = [(array.copy(), 0) for array in given]
            prepare(backend, kind, dtypes.float64, size, steps, backwards)(*buffers)
            results.append([array for array, _ in buffers])
        for compiled, plain in zip(*results, strict=True):
            np.testing.assert_allclose(compiled, plain, rtol=1e-12, atol=1e-14)
        assert (given[0] != results[0][0]).all()


@pytest.mark.parametrize(("greatest", "expected"), [(True, [9.0, 11.0]), (False, [4.5, 6.5])])
def test_pooling_of_lines_that_lie_apart(greatest, expected):
    """Of a transposed image: four lines of three numbers, side by side."""
    reaches = adaptive_reach(4, 2), adaptive_reach(3, 1)
    problem = Pooling(1, 1, 3, reaches, 0, out=(2, 2, 1, 1), image=(12, 12, 1, 4))
    out = np.zeros(2)
    NUMPY.pool(dtypes.float64, problem, greatest, places=False)((out, 0), (np.arange(12.0), 0))
    assert out.tolist() == expected
