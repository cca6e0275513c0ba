"""Data sets: what they hold, and what happens when a download fails on its way."""

from __future__ import annotations

import gzip
import hashlib
import io
import tarfile

import numpy as np
import pytest

import tensorlab as tl
from tensorlab.datasets import download


@pytest.mark.parametrize(
    ("name", "count", "shape"), [("digits", 1797, (1, 8, 8)), ("iris", 150, (4,)), ("wine", 178, (13,))]
)
def test_packaged_data_can_be_loaded_in_batches(name, count, shape):
    pytest.importorskip("sklearn")
    data = getattr(tl.datasets, name)()
    features, labels = next(iter(tl.utils.data.DataLoader(data, batch_size=16)))
    assert (len(data), features.shape, features.dtype) == (count, (16, *shape), tl.float32)
    assert (labels.shape, labels.dtype) == ((16,), tl.int64)


def test_digits_are_from_0_to_1():
    pytest.importorskip("sklearn")
    images, labels = tl.datasets.digits().tensors
    assert (images.min().item(), images.max().item()) == (0, 1)
    assert labels.unique().tolist() == list(range(10))


def test_without_scikit_learn_the_way_to_it_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "sklearn.datasets", None)
    with pytest.raises(ModuleNotFoundError, match="pip install scikit-learn"):
        tl.datasets.iris()


def test_the_library_documents_itself():
    text = tl.datasets.docstrings()
    assert len(text) > 300_000
    assert tl.zeros.__doc__.splitlines()[0] in text


def idx(array):
    header = bytes([0, 0, 8, array.ndim]) + b"".join(size.to_bytes(4, "big") for size in array.shape)
    return gzip.compress(header + array.tobytes(), mtime=0)


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """Small files of the form of the real ones, where the real ones' addresses lead."""
    there = tmp_path / "there"
    there.mkdir()

    def put(name, content, kind):
        (there / name).write_bytes(content)
        return hashlib.new(kind, content).hexdigest()

    images = np.arange(2 * 28 * 28, dtype=np.uint8).reshape(2, 28, 28)
    files = {
        "train-images-idx3-ubyte.gz": idx(images),
        "train-labels-idx1-ubyte.gz": idx(np.array([7, 3], np.uint8)),
        "t10k-images-idx3-ubyte.gz": idx(images[:1]),
        "t10k-labels-idx1-ubyte.gz": idx(np.array([5], np.uint8)),
    }
    base = there.as_uri() + "/"
    remotes = {name: download._Remote(base, put(name, content, "md5")) for name, content in files.items()}
    monkeypatch.setattr(download, "_IDX", {"mnist": remotes, "fashion-mnist": remotes})
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for k, name in enumerate([*(f"data_batch_{k}.bin" for k in range(1, 6)), "test_batch.bin"]):
            record = bytes([k]) + bytes([10 * k]) * (3 * 32 * 32)
            entry = tarfile.TarInfo(f"cifar-10-batches-bin/{name}")
            entry.size = len(record)
            archive.addfile(entry, io.BytesIO(record))
    sum_ = put("cifar-10-binary.tar.gz", packed.getvalue(), "md5")
    monkeypatch.setattr(download, "_CIFAR10", download._Remote(base + "cifar-10-binary.tar.gz", sum_))
    text = b"First Citizen:\nBefore we proceed"
    monkeypatch.setattr(
        download, "_SHAKESPEARE", download._Remote(base + "input.txt", put("input.txt", text, "sha256"))
    )
    return there, tmp_path / "here"


def test_downloads_are_read_and_kept(elsewhere):
    there, here = elsewhere
    images, labels = tl.datasets.mnist(root=here).tensors
    assert (images.shape, labels.tolist()) == ((2, 1, 28, 28), [7, 3])
    assert images[0, 0, 0, 5].item() == pytest.approx(5 / 255)
    assert tl.datasets.fashion_mnist(train=False, root=here)[0][1].item() == 5
    images, labels = tl.datasets.cifar10(root=here).tensors
    assert (images.shape, labels.tolist()) == ((5, 3, 32, 32), [0, 1, 2, 3, 4])
    assert tl.datasets.cifar10(train=False, root=here)[0][0].mean().item() == pytest.approx(50 / 255)
    for file in there.iterdir():
        file.unlink()
    assert tl.datasets.tiny_shakespeare.__doc__
    assert tl.datasets.mnist(root=here)[1][1].item() == 3  # from the cache


def test_no_network_is_said_with_what_needs_none(elsewhere):
    there, here = elsewhere
    (there / "input.txt").unlink()
    with pytest.raises(RuntimeError, match=r"could not be downloaded.*digits\(\) needs none"):
        tl.datasets.tiny_shakespeare(root=here)


def test_a_changed_file_is_refused_and_not_kept(elsewhere):
    there, here = elsewhere
    (there / "input.txt").write_bytes(b"Second Citizen")
    with pytest.raises(RuntimeError, match="checksum"):
        tl.datasets.tiny_shakespeare(root=here)
    assert not here.exists()


def test_a_damaged_file_in_the_cache_is_fetched_again(elsewhere):
    _, here = elsewhere
    text = tl.datasets.tiny_shakespeare(root=here)
    (here / "input.txt").write_bytes(b"torn")
    assert tl.datasets.tiny_shakespeare(root=here) == text
    assert (here / "input.txt").read_text() == text
