"""Programs as they are written for GPUs give in the simulator what they give on the CPU."""

from __future__ import annotations

import pytest

import tensorlab as tl
from tensorlab.backends import cuda

nn, F, rnn = tl.nn, tl.nn.functional, tl.nn.utils.rnn


@pytest.fixture(autouse=True)
def simulated(monkeypatch):
    monkeypatch.setenv(cuda.VARIABLE, "simulated")


def same(program, rel=1e-4):
    """A program, told its device, gives the same numbers on both."""
    tl.manual_seed(0)
    expected = program("cpu")
    tl.manual_seed(0)
    assert program("cuda") == pytest.approx(expected, rel=rel, abs=1e-6)


def test_sequences_of_several_lengths_go_through_a_recurrent_network():
    def program(device):
        embedding, lstm = nn.Embedding(20, 3, padding_idx=0), nn.LSTM(3, 4, batch_first=True)
        model = nn.ModuleList([embedding, lstm, nn.Linear(4, 1)]).to(device)
        x = tl.randint(1, 20, (3, 4)).to(device)
        optimizer = tl.optim.RMSprop(model.parameters(), lr=0.01)
        losses = []
        for _ in range(2):
            lengths = tl.tensor([2, 4, 3]).to(device).cpu()
            packed = rnn.pack_padded_sequence(embedding(x), lengths, batch_first=True, enforce_sorted=False)
            assert packed.is_cuda == (device == "cuda")
            found, (hidden, _) = lstm(packed)
            padded, counts = rnn.pad_packed_sequence(found, batch_first=True)
            loss = F.binary_cross_entropy_with_logits(model[2](hidden[-1])[:, 0], tl.ones(3, device=device))
            loss = loss + padded.square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        return [*losses, *counts.tolist()]

    same(program)


def test_packed_sequences_move_with_their_order():
    packed = rnn.pack_sequence([tl.tensor([1]), tl.tensor([2, 3])], enforce_sorted=False)
    moved = packed.cuda()
    assert [each.is_cuda for each in moved] == [True, False, True, True]
    assert moved.sorted_indices.tolist() == [1, 0]
    assert [each.is_cuda for each in moved.cpu()] == [False] * 4


def test_a_mask_of_what_comes_later_lies_on_the_device():
    def program(device):
        layer = nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0, batch_first=True)
        encoder = nn.TransformerEncoder(layer, 1).to(device)
        mask = nn.Transformer.generate_square_subsequent_mask(3).to(device)
        loss = encoder(tl.randn(2, 3, 4).to(device), mask=mask).square().mean()
        loss.backward()
        return [loss.item(), encoder.layers[0].linear1.weight.grad.sum().item()]

    same(program)


OPTIMIZERS = [tl.optim.Adam, tl.optim.NAdam, tl.optim.ASGD, tl.optim.Adagrad, tl.optim.RAdam, tl.optim.Rprop]


@pytest.mark.parametrize("optimizer", OPTIMIZERS, ids=lambda each: each.__name__)
@pytest.mark.parametrize("location", ["cpu", "cuda", None])
def test_training_goes_on_from_a_file(tmp_path, optimizer, location):
    def program(device):
        target, losses, path = tl.randn(3).to(device), [], tmp_path / f"{device}.pt"

        def begin():
            model = nn.Linear(3, 3).to(device)
            return model, optimizer(model.parameters(), lr=0.1)

        def step(model, optimizer):
            loss = F.mse_loss(model(target), target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())

        first = begin()
        step(*first)
        tl.save([each.state_dict() for each in first], path)
        step(*first)
        second = begin()
        for each, state in zip(second, tl.load(path, map_location=location), strict=True):
            each.load_state_dict(state)
        step(*second)
        assert losses[1] == losses[2]
        moved = [each for each in second[1].state.values() for each in each.values() if each.ndim]
        assert {each.device.type for each in moved} == {device}
        return losses

    same(program)


def test_lbfgs_takes_a_parameter_without_a_gradient_for_one_of_zeros():
    def program(device):
        x, unused = (tl.ones(2, device=device, requires_grad=True) for _ in range(2))
        optimizer = tl.optim.LBFGS([x, unused], lr=0.5)

        def closure():
            optimizer.zero_grad()
            loss = (x - 3).square().sum()
            loss.backward()
            return loss

        optimizer.step(closure)
        return x.tolist() + unused.tolist()

    same(program)


def test_what_counts_steps_stays_on_the_cpu_where_tensors_are_made_on_the_device():
    with tl.device("cuda"):
        for optimizer in OPTIMIZERS:
            x = tl.ones(2, requires_grad=True)
            optimizer = optimizer([x], lr=0.1)
            x.sum().backward()
            optimizer.step()
            assert x.cpu().tolist() < [1, 1]


def test_a_softmax_of_clusters():
    def program(device):
        model = nn.AdaptiveLogSoftmaxWithLoss(16, 9, [3, 6]).to(device)
        found = model(tl.randn(5, 16).to(device), tl.tensor([0, 8, 4, 2, 5]).to(device))
        found.loss.backward()
        return [found.loss.item(), *found.output.tolist()]

    same(program)


def test_numbers_of_the_cpu_are_assigned_on_the_device():
    x, scale = tl.zeros(3, 2, device="cuda"), tl.tensor(2.0, requires_grad=True)
    i = tl.tensor([2, 0])
    x[0] = tl.tensor(1.0)
    x[:, 1] = 7
    x[i, 0] = tl.tensor(5.0)
    x[1, 0] = tl.tensor(6)
    assert x.tolist() == [[5, 7], [6, 7], [5, 7]]
    x[i.cuda()] = tl.tensor(4.0)
    x[x > 6] = tl.tensor(0.0)
    assert x.tolist() == [[4, 4], [6, 0], [4, 4]]
    assert x.index_put((i,), tl.tensor(1.0), accumulate=True).tolist() == [[5, 5], [6, 0], [5, 5]]
    assert tl.zeros(2).fill_(tl.tensor(3.0, device="cuda")).tolist() == [3, 3]
    x[1:] = scale
    (x * x).sum().backward()
    assert (scale.grad.device.type, scale.grad.item()) == ("cpu", 16)
    with pytest.raises(RuntimeError, match="Expected all tensors to be on the same device"):
        x.detach()[i] = tl.ones(2)


def test_numpy_takes_from_the_device_by_force():
    x = tl.ones(2, device="cuda", requires_grad=True)
    assert x.numpy(force=True).tolist() == [1, 1]


def test_helpers_of_functions_are_made_where_their_tensors_lie():
    x, i = tl.tensor([[3.0, 1.0], [3.0, 1.0], [0.0, 2.0]]), tl.tensor([1, 2, 2])
    ones = tl.ones(3)
    for compute in (
        lambda x, i, one: F.embedding_bag(i[None], x),
        lambda x, i, one: F.embedding_bag(i, x, i[:1] * 0, mode="sum", per_sample_weights=one),
        lambda x, i, one: F.embedding_bag(i[:, None], x, mode="mean", padding_idx=1),
        lambda x, i, one: F.embedding_bag(i, x, i[:2] - 1, mode="max"),
        lambda x, i, one: F.embedding_bag(i[:0], x, i[:1] * 0, mode="max"),
        lambda x, i, one: F.affine_grid(x.view(1, 2, 3), (1, 1, 2, 1), align_corners=False),
        lambda x, i, one: tl.unique(x, dim=0),
        lambda x, i, one: tl.isin(i, 2),
        lambda x, i, one: tl.isin(2, i),
        lambda x, i, one: tl.isin(i, i[:0]),
        lambda x, i, one: tl.bincount(i[:0], one[:0], 2),
        lambda x, i, one: tl.cdist(x[:0], x),
        lambda x, i, one: tl.vander(i, 0),
        lambda x, i, one: tl.trapezoid(x[:0], dim=0),
        lambda x, i, one: tl.svd(x, compute_uv=False).U,
    ):
        found = compute(x.cuda(), i.cuda(), ones.cuda())
        assert found.is_cuda
        tl.testing.assert_close(found.cpu(), compute(x, i, ones))


def test_an_accelerator_is_the_gpu():
    gpu = tl.accelerator
    place = gpu.current_accelerator()
    assert (place, gpu.device_count(), gpu.current_device_index()) == (tl.device("cuda"), 1, 0)
    gpu.set_device_index(0)
    with gpu.device_index(0):
        x = tl.ones(1000, device=place)
    gpu.synchronize()
    assert gpu.memory_allocated() == tl.cuda.memory_allocated() >= x.nbytes
    assert gpu.max_memory_reserved() >= gpu.memory_reserved() >= gpu.memory_allocated()
    assert gpu.memory_stats(0)["allocated_bytes.all.current"] == gpu.memory_allocated(place)
    assert gpu.get_memory_info() == tl.cuda.mem_get_info()
    stream = tl.cuda.Stream()
    gpu.set_stream(stream)
    assert gpu.current_stream() is stream
    gpu.set_stream(tl.cuda.default_stream())


def test_a_stream_can_be_entered_and_a_tensor_noted_in_it():
    first, second = tl.cuda.Stream(), tl.cuda.Stream()
    with first as entered, second:
        assert entered is first
        assert tl.cuda.current_stream() is second
        x = tl.ones(2, device="cuda")
    x.record_stream(first)
    assert tl.cuda.current_stream() is tl.cuda.default_stream()
    assert first.cuda_stream == x.__cuda_array_interface__["stream"]
    with pytest.raises(RuntimeError, match="lies on the CPU"):
        x.cpu().record_stream(first)


def test_a_number_names_a_gpu():
    assert tl.device(0) == tl.device("cuda:0")
    assert tl.zeros(1, device=tl.device(0)).is_cuda
    with pytest.raises(RuntimeError, match="must not be negative"):
        tl.device(-1)
    with pytest.raises(TypeError, match="True"):
        tl.device(True)


def test_new_tensors_are_pinned_where_that_is_asked_for():
    assert tl.empty(3, pin_memory=True).is_pinned()
    made = tl.tensor([1.0, 2.0], pin_memory=True, requires_grad=True)
    assert (made.is_pinned(), made.is_leaf, made.tolist()) == (True, True, [1, 2])
    assert not tl.zeros(2, pin_memory=False).is_pinned()
    assert tl.rand(2, generator=tl.Generator(), pin_memory=True).is_pinned()
    with pytest.raises(RuntimeError, match="only memory of the CPU can be pinned"):
        tl.zeros(2, device="cuda", pin_memory=True)


def test_a_type_names_the_device():
    x = tl.tensor([1.5], device="cuda")
    assert x.type() == "tensorlab.cuda.FloatTensor"
    assert x.cpu().type("torch.cuda.LongTensor").type() == "tensorlab.cuda.LongTensor"
    assert x.type("torch.FloatTensor").type() == x.type(tl.FloatTensor).type() == "tensorlab.FloatTensor"
    assert x.type(tl.int64).is_cuda
    assert (isinstance(x, tl.FloatTensor), isinstance(x.cpu(), tl.FloatTensor)) == (False, True)


def test_a_precision_that_is_less_than_the_highest_lets_tensor_cores_multiply():
    switch = tl.backends.cuda.matmul
    try:
        for precision, allowed in (("high", True), ("highest", False), ("medium", True)):
            tl.set_float32_matmul_precision(precision)
            assert (switch.allow_tf32, tl.get_float32_matmul_precision()) == (allowed, precision)
        switch.allow_tf32 = False
        assert tl.get_float32_matmul_precision() == "highest"
        switch.allow_tf32 = True
        assert tl.get_float32_matmul_precision() == "medium"
        tl.set_float32_matmul_precision("highest")
        switch.allow_tf32 = True
        assert tl.get_float32_matmul_precision() == "high"
        assert switch.fp32_precision == "tf32"
        for precision, allowed in (("ieee", False), ("tf32", True), ("none", False)):
            switch.fp32_precision = precision
            assert switch.allow_tf32 is allowed
        with pytest.raises(RuntimeError, match=r"Unknown precision: 'high'.*'tf32'"):
            switch.fp32_precision = "high"
    finally:
        tl.set_float32_matmul_precision("highest")


def test_cuda_is_no_way_to_the_cpu():
    with pytest.raises(RuntimeError, match="must be cuda device"):
        tl.ones(1).cuda("cpu")


@pytest.mark.parametrize("places", [("cpu", "cuda"), ("cuda", "cpu")], ids=str)
def test_gradients_of_a_model_on_two_devices_are_clipped_together(simulated, places):
    parameters = [tl.zeros(1, device=place).requires_grad_() for place in places]
    for parameter, gradient in zip(parameters, (3.0, 4.0), strict=True):
        parameter.grad = tl.full_like(parameter, gradient)
    assert tl.nn.utils.clip_grad_norm_(parameters, 1.0).item() == 5
    for parameter, place, left in zip(parameters, places, (0.6, 0.8), strict=True):
        assert parameter.grad.device.type == place
        assert parameter.grad.item() == pytest.approx(left)


def test_a_loader_draws_from_a_generator_of_the_gpu(simulated):
    data = tl.utils.data
    for make in (
        lambda generator: data.DataLoader(range(9), shuffle=True, generator=generator),
        lambda generator: data.RandomSampler(range(9), True, 12, generator),
        lambda generator: data.RandomSampler(range(5), num_samples=9, generator=generator),
        lambda generator: data.SubsetRandomSampler(range(9), generator),
        lambda generator: data.random_split(range(9), [4, 5], generator)[0],
    ):
        first, again, other = ([*map(int, make(tl.Generator("cuda").manual_seed(k)))] for k in (1, 1, 2))
        assert first == again
        assert len(first) == len(other) >= 4
