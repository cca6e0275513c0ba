"""Convolutions of ``device="cuda"``, simulated or not: products that find their columns in the image."""

from __future__ import annotations

import pytest

import tensorlab as tl
from tensorlab.backends.cuda import columns, convolution, gemm, matmul, products, tensor_cores
from tensorlab.backends.cuda.counts import simulate
from tests.library.device import SEEDS, prepared, simulated_only

F = tl.nn.functional


@pytest.fixture(params=[0], ids="seed{}".format)
def device(request, monkeypatch):
    return prepared(monkeypatch, request.param)


def whole(*shape, kind=tl.float32):
    """Numbers so small and whole that their products' sums are exact, whatever they are summed up by."""
    return tl.randint(-2, 3, shape).to(kind)


def agree(compute, *given):
    """A function gives on the device exactly what it gives on the CPU, and so do the gradients."""
    found = []
    for place in ("cpu", "cuda"):
        leaves = [x.clone().to(place).requires_grad_() for x in given]
        result = compute(*leaves)
        (result * result.detach()).sum().backward()
        found.append([each.detach().cpu() for each in (result, *(leaf.grad for leaf in leaves))])
    for ours, theirs in zip(*reversed(found), strict=True):
        tl.testing.assert_close(ours, theirs, rtol=0, atol=0)


CASES = [
    ((2, 3, 6, 5), (4, 3, 3, 3), {"padding": 1}),
    ((2, 4, 5, 7), (6, 2, 3, 2), {"stride": 2, "padding": 1, "groups": 2}),
    ((2, 3, 4, 4), (5, 3, 1, 1), {}),
    ((1, 3, 5, 4), (2, 3, 1, 1), {"stride": 2}),
    ((2, 3, 4, 5), (3, 1, 3, 3), {"padding": (3, 2), "groups": 3}),
    ((1, 2, 9), (2, 2, 3), {"dilation": 2, "stride": 2}),
    ((1, 3, 18), (17, 3, 4), {"padding": 2}),
    ((1, 1, 3, 4, 4), (2, 1, 2, 2, 2), {}),
    ((2, 2, 3, 3, 4), (2, 2, 3, 2, 3), {"padding": (1, 0, 1), "stride": (2, 1, 1), "dilation": (1, 2, 1)}),
]


@pytest.mark.parametrize("device", SEEDS, indirect=True)
@pytest.mark.parametrize(("image", "kernel", "options"), CASES, ids=str)
def test_a_convolution_is_one_launch_and_agrees_with_the_cpu(device, image, kernel, options):
    tl.manual_seed(3)
    convolve = getattr(F, f"conv{len(image) - 2}d")
    x, weight, bias = whole(*image), whole(*kernel), whole(kernel[0])
    before = device.launches
    convolve(*(each.cuda() for each in (x, weight, bias)), **options)
    assert device.launches == before + 1
    agree(lambda x, w, b: convolve(x, w, b, **options), x, weight, bias)


@pytest.mark.parametrize(("image", "kernel", "options"), CASES[:3] + CASES[-1:], ids=str)
def test_the_other_direction(device, image, kernel, options):
    tl.manual_seed(4)
    turned = getattr(F, f"conv_transpose{len(image) - 2}d")
    agree(lambda x, w: turned(x, w, **options), whole(1, kernel[0], *image[2:]), whole(*kernel))


@pytest.mark.parametrize("kind", [tl.float64, tl.bfloat16, tl.float16], ids=str)
def test_types(device, kind):
    tl.manual_seed(5)
    given = (whole(*shape, kind=kind) for shape in ((2, 3, 5, 4), (4, 3, 3, 2), (4,)))
    agree(lambda x, w, b: F.conv2d(x, w, b, padding=1), *given)


def test_integers_wrap_around(device):
    x, weight = tl.arange(2 * 4 * 4).view(1, 2, 4, 4) << 58, tl.arange(16).view(2, 2, 2, 2)
    tl.testing.assert_close(F.conv2d(x.cuda(), weight.cuda()).cpu(), F.conv2d(x, weight), rtol=0, atol=0)


@pytest.mark.parametrize("form", [tl.contiguous_format, tl.channels_last], ids=str)
def test_channels_that_are_neighbours(device, form):
    tl.manual_seed(6)

    def convolve(x, w):
        x, w = x.to(memory_format=tl.channels_last), w.to(memory_format=form)
        return F.conv2d(x, w, padding=1, stride=(1, 2), groups=2)

    agree(convolve, whole(2, 6, 4, 3), whole(4, 3, 3, 3))


def test_views_with_gaps(device):
    tl.manual_seed(7)

    def convolve(x, w):
        return F.conv2d(x.mT[:, ::2, 1:, ::2], w.mT[:, :, :, 1:])

    agree(convolve, whole(2, 4, 7, 6), whole(3, 2, 4, 2))


def test_outside_of_the_image_are_zeros_even_beside_infinities(device):
    x, weight = tl.full((1, 1, 3, 5), tl.inf).cuda(), tl.ones(1, 1, 3, 3).cuda().requires_grad_()
    result = F.conv2d(x, weight, padding=(4, 1))[0, 0].detach().cpu()
    assert (result[:2] == 0).all().item()
    assert (result[2:-2] == tl.inf).all().item()
    F.conv2d(x, weight, padding=(4, 1)).sum().backward()
    assert (weight.grad == tl.inf).all().item()


def test_images_too_large_to_be_counted_are_cut_into_pieces(device, monkeypatch):
    monkeypatch.setattr(convolution, "COUNTED", 12)
    tl.manual_seed(8)
    given = whole(2, 2, 9, 7), whole(3, 2, 3, 2)
    agree(lambda x, w: F.conv2d(x, w, stride=(2, 1), padding=(3, 1), dilation=(2, 1)), *given)


@pytest.mark.parametrize("images", [1, 2])
def test_images_whose_sums_have_no_room_side_by_side_are_summed_up_in_turns(device, monkeypatch, images):
    x, weight = whole(9, 2, 3, 2 + images), whole(16, 2, 2, 2)
    monkeypatch.setattr(convolution, "SUMS", images * weight.numel())
    agree(lambda x, w: F.conv2d(x, w, padding=1), x, weight)
    result = F.conv2d(x.cuda(), weight.cuda().requires_grad_(), padding=1)
    grad = tl.ones_like(result)
    tl.cuda.reset_peak_memory_stats()
    before = tl.cuda.memory_allocated()
    result.backward(grad)
    assert tl.cuda.max_memory_allocated() - before <= (images + 3) * weight.nbytes


def test_cells_that_are_too_far_apart_for_32_bits(device, monkeypatch):
    monkeypatch.setattr(columns, "NEAR", 20)
    tl.manual_seed(9)
    agree(lambda x, w: F.conv2d(x, w, padding=1), whole(1, 2, 5, 6), whole(3, 2, 3, 3))


@pytest.mark.parametrize("size", [products.MIDDLE, products.LARGEST], ids=["64x4", "128x8"])
def test_sizes_that_a_gpu_runs(device, monkeypatch, size):
    monkeypatch.setattr(gemm, "choose", lambda *given: size)
    tl.manual_seed(10)
    agree(lambda x, w: F.conv2d(x, w, padding=1), whole(1, 2, 8, 9), whole(3, 2, 3, 3))


@simulated_only
@pytest.mark.parametrize("kind", ["float16", "bfloat16", "tf32"])
def test_tensor_cores_find_their_columns_too(device, monkeypatch, kind):
    monkeypatch.setattr(device.driver, "capability", (8, 0))
    monkeypatch.setattr(tensor_cores, "LARGE", tensor_cores.SMALL)
    monkeypatch.setattr(matmul, "allow_tf32", kind == "tf32")
    ran = []
    run = type(device).run
    monkeypatch.setattr(type(device), "run", lambda *given: ran.append(given[1].__name__) or run(*given))
    tl.manual_seed(11)
    given = (
        whole(*shape, kind=getattr(tl, kind.replace("tf", "float"))) for shape in ((1, 8, 5, 8), (8, 8, 3, 3))
    )
    agree(lambda x, w: F.conv2d(x, w, padding=1), *given)
    assert ran.count("tensor_product") == 3  # the result, and both gradients


def test_no_images_and_no_channels(device):
    for image, kernel in ((0, 2, 4, 4), (3, 2, 2, 2)), ((2, 0, 4, 4), (3, 0, 2, 2)):
        agree(lambda x, w, b: F.conv2d(x, w, b), whole(*image), whole(*kernel), whole(3))


@simulated_only
def test_a_convolution_takes_memory_for_its_result_and_for_no_columns(device, monkeypatch):
    monkeypatch.setattr(device.driver, "launch", lambda *given: None)
    x, weight = tl.zeros(8, 16, 28, 28).cuda(), tl.zeros(16, 16, 3, 3).cuda()
    taken = []
    for compute in (lambda: F.conv2d(x, weight, padding=1), lambda: F.unfold(x, 3, padding=1)):
        tl.cuda.reset_peak_memory_stats()
        before = tl.cuda.memory_allocated()
        compute()
        taken.append(tl.cuda.max_memory_allocated() - before)
    table = taken[0] - x.nbytes  # the result is as large as the image
    assert table <= 4096
    assert taken[1] >= 9 * x.nbytes


@simulated_only
def test_a_convolution_moves_less_than_unfold_and_a_product(device, monkeypatch):
    x, weight = whole(1, 1, 8, 8).cuda(), whole(16, 1, 3, 3).cuda()
    moved = []

    def launch(kernel, grid, block, *arguments):
        moved[-1] += simulate(kernel, grid, block, *arguments).bytes_moved

    monkeypatch.setattr(device.driver, "launch", launch)
    results = []
    for compute in (
        lambda: F.conv2d(x, weight, padding=1),
        lambda: (weight.view(16, -1) @ F.unfold(x, 3, padding=1)).view(1, 16, 8, 8),
    ):
        moved.append(0)
        results.append(compute())
    monkeypatch.undo()
    tl.testing.assert_close(*(each.cpu() for each in results), rtol=0, atol=0)
    assert moved[0] < 0.75 * moved[1]
