"""Chapter 11 says that its code runs on PyTorch with the same results, and names what differs there."""

from __future__ import annotations

import warnings

import pytest

from .on_pytorch import run_on

torch = pytest.importorskip("torch", reason="PyTorch is not installed; the book does not need it")

#: The meter and the list of saved tensors, what is measured with them, and the library's own files.
ONLY_HERE = (
    "autograd.saved(", "autograd.profile(", "autograd.graph(", "inspect.", "watched(", "bytes_kept(",
    "batches_of_a_text", "checkpoint(", "entries", "measured(", "saved_bytes(", "kept_open",
)  # fmt: skip


def test_the_chapters_code_runs_on_pytorch() -> None:
    assert run_on(torch, "11_saved_tensors_and_lifetimes", ONLY_HERE) >= 25


def test_what_nodes_save() -> None:
    x = torch.ones(3, requires_grad=True)
    assert x.exp().grad_fn._saved_result is not None
    assert x.sin().grad_fn._saved_self is not None
    assert x.square().grad_fn.name() == "PowBackward0"
    saved = [name for name in dir((x + x).grad_fn) if name.startswith("_saved")]
    assert all(not isinstance(getattr((x + x).grad_fn, name), torch.Tensor) for name in saved)


def test_a_hidden_state_grows_with_retain_graph_and_not_with_detach() -> None:
    def nodes(result: torch.Tensor) -> int:
        found, waiting = set(), [result.grad_fn]
        while waiting:
            node = waiting.pop()
            if node is not None and node not in found:
                found.add(node)
                waiting += [other for other, _ in node.next_functions]
        return len(found)

    for cut in (False, True):
        w, h, lengths = torch.full((3,), 0.5, requires_grad=True), torch.ones(3), []
        for _ in range(3):
            h = (h.detach() if cut else h) * w
            h.sum().backward(retain_graph=not cut)
            lengths.append(nodes(h))
        assert len(set(lengths)) == (1 if cut else 3)


def test_the_remarks_on_checkpoints() -> None:
    checkpoint = torch.utils.checkpoint.checkpoint
    data, w = torch.ones(3), torch.ones(3, requires_grad=True)
    assert checkpoint(lambda x: (x * w).exp(), data, use_reentrant=False).requires_grad
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        old = checkpoint(lambda x: (x * w).exp(), data, use_reentrant=True)
    assert not old.requires_grad


def test_the_remarks_on_inference_mode() -> None:
    with torch.inference_mode():
        x = torch.ones(2)
    w = torch.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="Inference tensors cannot be saved for backward"):
        w * x
