"""Inverses, solutions and factorizations: what defines each, and PyTorch's layouts, types and errors."""

from __future__ import annotations

import numpy as np
import pytest

import tensorlab as tl
from tests.library.layouts import lay_out

BATCHES = [(), (2,), (2, 3), (0,)]


def well_conditioned(*shape: int, seed: int = 0) -> np.ndarray:
    """float64 matrices that are far from singular."""
    return np.random.default_rng(seed).normal(size=shape) + 4 * np.eye(shape[-2], shape[-1])


def positive_definite(*shape: int) -> np.ndarray:
    x = well_conditioned(*shape)
    return x @ x.swapaxes(-1, -2)


def same_layout(ours, theirs) -> None:
    assert (tuple(ours.shape), ours.stride()) == (tuple(theirs.shape), theirs.stride())
    assert ours.dtype.name == str(theirs.dtype).removeprefix("torch.")


def close(result: tl.Tensor, expected: np.ndarray) -> None:
    np.testing.assert_allclose(np.asarray(result), expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("batch", BATCHES, ids=str)
@pytest.mark.parametrize("n", [1, 3, 0])
@pytest.mark.parametrize("kind", ["row", "transposed", "sliced"])
def test_inverse_determinant_and_solution(torch, batch, n, kind):
    values = well_conditioned(*batch, n, n)
    a, t = lay_out(values, kind), torch.from_numpy(values)
    inverse = tl.linalg.inv(a)
    same_layout(inverse, torch.linalg.inv(t))
    close(a @ inverse, np.broadcast_to(np.eye(n), values.shape))
    for name in ("det", "slogdet"):
        ours, theirs = getattr(tl.linalg, name)(a), getattr(torch.linalg, name)(t)
        pairs = [(ours, theirs)] if name == "det" else zip(ours, theirs, strict=True)
        for x, y in pairs:
            same_layout(x, y)
            close(x, y.numpy())
    for shape in [(*batch, n, 2), (*batch, n)]:
        b = np.random.default_rng(1).normal(size=shape)
        solution = tl.linalg.solve(a, tl.tensor(b))
        same_layout(solution, torch.linalg.solve(t, torch.from_numpy(b)))
        close(solution, torch.linalg.solve(t, torch.from_numpy(b)).numpy())


@pytest.mark.parametrize(
    ("a", "b", "left"),
    [
        ((3, 3), (3,), True),
        ((3, 3), (2, 3, 5), True),
        ((2, 1, 3, 3), (4, 3, 5), True),
        ((2, 4, 3, 3), (3,), True),
        ((3, 3), (5, 3), False),
        ((2, 3, 3), (2, 5, 3), False),
    ],
    ids=str,
)
def test_solve_broadcasts(torch, a, b, left):
    x, y = well_conditioned(*a), np.random.default_rng(1).normal(size=b)
    expected = torch.linalg.solve(torch.from_numpy(x), torch.from_numpy(y), left=left)
    result = tl.linalg.solve(tl.tensor(x), tl.tensor(y), left=left)
    same_layout(result, expected)
    close(result, expected.numpy())


@pytest.mark.parametrize("batch", BATCHES, ids=str)
@pytest.mark.parametrize("upper", [False, True])
def test_cholesky(torch, batch, upper):
    values = positive_definite(*batch, 3, 3)
    factor = tl.linalg.cholesky(tl.tensor(values), upper=upper)
    expected = torch.linalg.cholesky(torch.from_numpy(values), upper=upper)
    same_layout(factor, expected)
    close(factor, expected.numpy())


@pytest.mark.parametrize("shape", [(3, 3), (4, 3), (3, 5), (2, 4, 3), (0, 3), (3, 0), (0, 3, 3)], ids=str)
def test_qr_and_svd(torch, shape):
    values = np.random.default_rng(0).normal(size=shape)
    a, t = tl.tensor(values), torch.from_numpy(values)
    for mode in ("reduced", "complete"):
        ours, theirs = tl.linalg.qr(a, mode), torch.linalg.qr(t, mode)
        same_layout(ours.Q, theirs.Q)
        same_layout(ours.R, theirs.R)
        close(ours.Q @ ours.R, values)
        close(
            tl.einsum("...ij,...ik->...jk", ours.Q, ours.Q),
            np.broadcast_to(np.eye(ours.Q.shape[-1]), (*shape[:-2], *[ours.Q.shape[-1]] * 2)),
        )
        assert not np.tril(np.asarray(ours.R), -1).any()
    same_layout(tl.linalg.qr(a, "r").Q, torch.linalg.qr(t, "r").Q)
    close(tl.linalg.qr(a, "r").R, np.asarray(tl.linalg.qr(a).R))
    for full in (True, False):
        u, s, vh = tl.linalg.svd(a, full_matrices=full)
        for x, y in zip((u, s, vh), torch.linalg.svd(t, full_matrices=full), strict=True):
            same_layout(x, y)
    close(u @ (s[..., None] * vh), values)
    close(s, np.linalg.svd(values, compute_uv=False))
    same_layout(tl.linalg.svdvals(a), torch.linalg.svdvals(t))
    close(tl.linalg.svdvals(a), np.asarray(s))


@pytest.mark.parametrize("batch", BATCHES, ids=str)
def test_eigh(torch, batch):
    values = positive_definite(*batch, 3, 3)
    ours, theirs = tl.linalg.eigh(tl.tensor(values)), torch.linalg.eigh(torch.from_numpy(values))
    same_layout(ours.eigenvalues, theirs.eigenvalues)
    same_layout(ours.eigenvectors, theirs.eigenvectors)
    close(ours.eigenvectors * ours.eigenvalues[..., None, :], values @ np.asarray(ours.eigenvectors))
    lower = np.tril(values)
    close(tl.linalg.eigvalsh(tl.tensor(lower)), np.asarray(ours.eigenvalues))
    close(
        tl.linalg.eigvalsh(tl.tensor(lower.swapaxes(-1, -2).copy()), UPLO="U"), np.asarray(ours.eigenvalues)
    )


@pytest.mark.parametrize("driver", [None, "gelsy", "gelsd", "gelss", "gels"])
@pytest.mark.parametrize(
    ("a", "b"),
    [((4, 3), (4, 2)), ((4, 3), (4,)), ((3, 5), (3, 2)), ((2, 4, 3), (2, 4, 2)), ((2, 4, 3), (2, 4))],
    ids=str,
)
def test_lstsq(torch, a, b, driver):
    x, y = np.random.default_rng(0).normal(size=a), np.random.default_rng(1).normal(size=b)
    ours = tl.linalg.lstsq(tl.tensor(x), tl.tensor(y), driver=driver)
    theirs = torch.linalg.lstsq(torch.from_numpy(x), torch.from_numpy(y), driver=driver)
    for result, expected in zip(ours, theirs, strict=True):
        same_layout(result, expected)
        close(result, expected.numpy())


def test_results_of_float32_stay_float32():
    x = tl.tensor(positive_definite(3, 3)).to(tl.float32)
    assert {t.dtype for t in (tl.linalg.inv(x), tl.linalg.det(x), *tl.linalg.svd(x), *tl.linalg.eigh(x))} == {
        tl.float32
    }


def test_named_results_unpack_and_say_their_names():
    factors = tl.linalg.qr(tl.ones(2, 2))
    q, r = factors
    assert q is factors.Q
    assert r is factors[1]
    assert repr(factors).startswith("tensorlab.return_types.linalg_qr(\nQ=tensor(")


def test_out_and_top_level_names():
    x = tl.tensor([[2.0, 0.0], [0.0, 4.0]])
    out = tl.empty(2, 2)
    assert tl.linalg.inv(x, out=out) is out
    assert out.tolist() == x.inverse().tolist() == tl.inverse(x).tolist() == [[0.5, 0.0], [0.0, 0.25]]
    assert x.det().tolist() == tl.det(x).tolist() == 8.0
    assert tl.logdet(x).tolist() == pytest.approx(np.log(8.0))
    assert x.slogdet().sign.tolist() == 1.0
    assert tl.logdet(tl.zeros(2, 2)).tolist() == float("-inf")
    assert np.isnan(tl.logdet(tl.tensor([[-1.0]])).tolist())
    assert tl.linalg.diagonal(tl.ones(2, 4, 3)).shape == (2, 3)
    assert tl.linalg.vecdot(tl.ones(2, 3), tl.ones(3)).tolist() == [3.0, 3.0]


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize(
    "rows",
    [
        [[0.0, 0.0], [0.0, 0.0]],
        [[-1.0, 0.0], [0.0, 0.0]],
        [[0.0, 1.0], [0.0, 0.0]],
        [[-0.0, 1.0], [0.0, 2.0]],
        [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]],
        [[[-1.0, 2.0], [1.0, -2.0]], [[1.0, 2.0], [3.0, 4.0]]],
    ],
    ids=str,
)
def test_a_determinant_is_rounded_and_signed_as_in_pytorch(torch, rows, transposed):
    ours, theirs = tl.tensor(rows, dtype=tl.float64), torch.tensor(rows, dtype=torch.float64)
    if transposed:
        ours, theirs = ours.mT, theirs.mT
    results = [tl.linalg.det(ours), *tl.linalg.slogdet(ours)]
    expected = [torch.linalg.det(theirs), *torch.linalg.slogdet(theirs)]
    for result, other in zip(results, expected, strict=True):
        close(result, other.numpy())
        np.testing.assert_array_equal(np.signbit(result.numpy()), np.signbit(other.numpy()))


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize(
    "rows",
    [
        [[-3e112, 2e154], [3e112, -2e154]],
        [[2e112, -2e112], [3e154, -3e154]],
        [[3e112, 1e154], [3e112, 1e154]],
    ],
    ids=str,
)
def test_the_determinant_of_long_and_short_rows_is_rounded_once(torch, rows, transposed):
    """What is left of equal products depends on the machine: whether its LAPACK rounds a product first."""
    array = np.array(rows).T if transposed else np.array(rows)
    rounding = np.finfo(float).eps * abs(array[0, 0] * array[1, 1])
    assert rounding < 1e252
    assert abs(float(tl.linalg.det(tl.from_numpy(array)))) <= rounding
    assert abs(float(torch.linalg.det(torch.from_numpy(array)))) <= rounding


SQUARE_ONLY = ["inv", "det", "slogdet", "cholesky", "eigh", "eigvalsh"]


@pytest.mark.parametrize("name", [*SQUARE_ONLY, "qr", "svd", "svdvals"])
def test_operands_that_are_refused(torch, name):
    function, reference = getattr(tl.linalg, name), getattr(torch.linalg, name)
    whole = tl.ones(3, 3, dtype=tl.int32)
    with pytest.raises(RuntimeError, match="Expected a floating point tensor as input"):
        function(whole)
    with pytest.raises(RuntimeError, match="Low precision dtypes not supported"):
        function(tl.ones(3, 3, dtype=tl.float16))
    with pytest.raises(RuntimeError, match="must have at least 2 dimensions"):
        function(tl.ones(3))
    for operand in (
        torch.ones(3, 3, dtype=torch.int32),
        torch.ones(3, 3, dtype=torch.float16),
        torch.ones(3),
    ):
        with pytest.raises(RuntimeError):
            reference(operand)
    if name in SQUARE_ONLY:
        with pytest.raises(
            RuntimeError, match="A must be batches of square matrices, but they are 4 by 3 matrices"
        ):
            function(tl.ones(4, 3))


def test_what_has_no_result():
    singular = tl.ones(3, 3)
    for call, message in [
        (lambda: tl.linalg.inv(singular), "linalg.inv: .* the input matrix is singular"),
        (lambda: tl.linalg.solve(singular, tl.ones(3)), "linalg.solve: .* the input matrix is singular"),
        (lambda: tl.linalg.cholesky(-singular), "the input is not positive-definite"),
        (lambda: tl.linalg.svd(singular * float("nan")), "linalg.svd: The algorithm failed to converge"),
    ]:
        with pytest.raises(tl.linalg.LinAlgError, match=message):
            call()


def test_calls_that_do_not_fit():
    x = tl.tensor(well_conditioned(3, 3)).to(tl.float32)
    for call, message in [
        (lambda: tl.linalg.solve(x, tl.ones(4)), "the equation AX = B: A .* takes 3 rows, and B .* has 4"),
        (lambda: tl.linalg.solve(x, tl.ones(3, dtype=tl.float64)), "Expected A and B to have the same dtype"),
        (lambda: tl.linalg.qr(x, "bad"), "unrecognized mode 'bad'"),
        (lambda: tl.linalg.eigh(x, "X"), "Expected UPLO argument to be 'L' or 'U', but got X"),
        (lambda: tl.linalg.lstsq(x, tl.ones(4)), "input.size"),
        (lambda: tl.linalg.lstsq(x, tl.ones(3), driver="x"), "parameter `driver` should be one of"),
    ]:  # fmt: skip
        with pytest.raises(RuntimeError, match=message):
            call()


def of_rank(rank: int, *shape: int) -> np.ndarray:
    """Matrices of a rank below their sizes."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(*shape[:-1], rank)) @ rng.normal(size=(*shape[:-2], rank, shape[-1]))


@pytest.mark.parametrize("shape", [(3, 3), (4, 3), (3, 5), (2, 4, 3), (0, 3), (3, 0), (0, 3, 3)], ids=str)
@pytest.mark.parametrize("options", [{}, {"rtol": 0.3}, {"atol": 0.5}, {"atol": 0.5, "rtol": 0.1}], ids=str)
def test_pseudoinverse_and_rank(torch, shape, options):
    values = of_rank(2, *shape)
    a, t = tl.tensor(values), torch.from_numpy(values)
    for name in ("pinv", "matrix_rank"):
        ours, theirs = getattr(tl.linalg, name)(a, **options), getattr(torch.linalg, name)(t, **options)
        same_layout(ours, theirs)
        close(ours, theirs.numpy())


def test_tolerances_as_tensors_and_symmetric_matrices(torch):
    values = positive_definite(2, 3, 3)
    a, t = tl.tensor(values), torch.from_numpy(values)
    limits = np.array([20.0, 60.0])
    for name in ("pinv", "matrix_rank"):
        ours = getattr(tl.linalg, name)(a, atol=tl.tensor(limits))
        close(ours, getattr(torch.linalg, name)(t, atol=torch.from_numpy(limits)).numpy())
        close(
            getattr(tl.linalg, name)(a, hermitian=True),
            getattr(torch.linalg, name)(t, hermitian=True).numpy(),
        )
    assert tl.linalg.matrix_rank(a, 20.0).tolist() == torch.linalg.matrix_rank(t, 20.0).tolist()


@pytest.mark.parametrize("p", [None, 2, -2, "fro", "nuc", 1, -1, float("inf"), float("-inf")])
@pytest.mark.parametrize("shape", [(3, 3), (2, 4, 3, 3), (0, 3, 3)], ids=str)
def test_condition_numbers(torch, p, shape):
    values = well_conditioned(*shape)
    ours, theirs = tl.linalg.cond(tl.tensor(values), p), torch.linalg.cond(torch.from_numpy(values), p)
    same_layout(ours, theirs)
    close(ours, theirs.numpy())


def test_condition_number_of_an_empty_matrix():
    assert tl.linalg.cond(tl.zeros(0, 0)).tolist() == 0.0


GRADIENTS = {
    "eigenvectors": lambda t, a, b: abs(t.linalg.eigh(a)[1]),
    "the power 0": lambda t, a, b: t.linalg.matrix_power(a, 0),
    "pinv of symmetric matrices": lambda t, a, b: t.linalg.pinv(a, hermitian=True),
    "residuals": lambda t, a, b: t.linalg.lstsq(a[:, :2], b, driver="gelsd").residuals,
    "residuals that are not computed": lambda t, a, b: t.linalg.lstsq(a[:, :2], b).residuals,
    "a solution and its residuals": lambda t, a, b: t.cat(
        [x.reshape(-1) for x in t.linalg.lstsq(a[:, :2], b, driver="gels")[:2]]
    ),
}


@pytest.mark.parametrize("name", GRADIENTS)
def test_gradients(torch, name):
    found = []
    for library in (tl, torch):
        a = library.tensor([[2.0, 0.5, 0.1], [0.5, 3.0, 0.7], [0.1, 0.7, 1.0]], dtype=library.float64)
        b = library.tensor([[1.0, 2.0], [0.0, 1.0], [3.0, 1.0]], dtype=library.float64)
        operands = a.requires_grad_(), b.requires_grad_()
        result = GRADIENTS[name](library, *operands)
        weights = (library.arange(result.numel(), dtype=library.float64) + 0.5).reshape(result.shape)
        gradients = library.autograd.grad(result, operands, weights, allow_unused=True)
        found.append([None if g is None else np.array(g.tolist()) for g in gradients])
    for ours, theirs in zip(*found, strict=True):
        assert (ours is None) == (theirs is None)
        if ours is not None:
            np.testing.assert_allclose(ours, theirs, rtol=1e-11, atol=1e-12)
