"""Data sets that are downloaded once, checked, and kept in the user's cache folder."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import sys
import tarfile
import urllib.error
import urllib.request
from pathlib import Path
from typing import NamedTuple

import numpy as np
import platformdirs

import tensorlab as tl
from tensorlab.io.whole import write_whole
from tensorlab.utils.data import TensorDataset

__all__ = ["cifar10", "fashion_mnist", "fetch", "mnist", "tiny_shakespeare"]

BLOCK = 1 << 16  # bytes that are read at a time


class _Remote(NamedTuple):
    """A file elsewhere: its address, and the MD5 or SHA-256 sum that its publishers or many users name."""

    url: str
    checksum: str


_MNIST = "https://ossci-datasets.s3.amazonaws.com/mnist/"
_FASHION = "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/"
_IDX = {
    "mnist": {
        "train-images-idx3-ubyte.gz": _Remote(_MNIST, "f68b3c2dcbeaaa9fbdd348bbdeb94873"),
        "train-labels-idx1-ubyte.gz": _Remote(_MNIST, "d53e105ee54ea40749a09fcbcd1e9432"),
        "t10k-images-idx3-ubyte.gz": _Remote(_MNIST, "9fb629c4189551a2d022fa330f9573f3"),
        "t10k-labels-idx1-ubyte.gz": _Remote(_MNIST, "ec29112dd5afa0611ce80d1b7f02629c"),
    },
    "fashion-mnist": {
        "train-images-idx3-ubyte.gz": _Remote(_FASHION, "8d4fb7e6c68d591d4c3dfef9ec88bf0d"),
        "train-labels-idx1-ubyte.gz": _Remote(_FASHION, "25c81989df183df01b3e8a0aad5dffbe"),
        "t10k-images-idx3-ubyte.gz": _Remote(_FASHION, "bef4ecab320f06d8554ea6380940ec79"),
        "t10k-labels-idx1-ubyte.gz": _Remote(_FASHION, "bb300cfdad3c16e7a12a480ee83cd310"),
    },
}
_CIFAR10 = _Remote(
    "https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz", "c32a1d4ab5d03f1284b67883e8d87530"
)
_SHAKESPEARE = _Remote(
    "https://raw.githubusercontent.com/karpathy/char-rnn/master/data/tinyshakespeare/input.txt",
    "86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed",
)


def mnist(train: bool = True, root: str | os.PathLike | None = None) -> TensorDataset:
    """Handwritten digits: images of shape (1, 28, 28), float32 from 0 to 1, and labels; 11 MB to download.

    LeCun, Bottou, Bengio and Haffner, *Gradient-based learning applied to document recognition*, 1998.

    Args:
        train: the 60,000 to train on; else the 10,000 to test with.
        root: the folder to keep it in; the user's cache folder if left out.

    Raises:
        RuntimeError: it could not be downloaded, or its sum is wrong.

    Example:
        >>> import tensorlab as tl
        >>> images, labels = tl.datasets.mnist().tensors  # doctest: +SKIP
    """
    return _idx("mnist", train, root)


def fashion_mnist(train: bool = True, root: str | os.PathLike | None = None) -> TensorDataset:
    """Pictures of clothes in ten classes, in the form of `mnist`; 31 MB to download.

    Xiao, Rasul and Vollgraf, *Fashion-MNIST*, 2017.

    Args:
        train, root: as `mnist`'s.

    Raises:
        RuntimeError: it could not be downloaded, or its sum is wrong.

    Example:
        >>> import tensorlab as tl
        >>> images, labels = tl.datasets.fashion_mnist(train=False).tensors  # doctest: +SKIP
    """
    return _idx("fashion-mnist", train, root)


def cifar10(train: bool = True, root: str | os.PathLike | None = None) -> TensorDataset:
    """Small photographs in ten classes: images of shape (3, 32, 32), float32 from 0 to 1; 170 MB to download.

    Krizhevsky, *Learning Multiple Layers of Features from Tiny Images*, 2009.

    Args:
        train: the 50,000 to train on; else the 10,000 to test with.
        root: as `mnist`'s.

    Raises:
        RuntimeError: it could not be downloaded, or its sum is wrong.

    Example:
        >>> import tensorlab as tl
        >>> images, labels = tl.datasets.cifar10().tensors  # doctest: +SKIP
    """
    content = fetch(*_CIFAR10, root=root)
    wanted = [f"data_batch_{k}.bin" for k in range(1, 6)] if train else ["test_batch.bin"]
    parts = {}
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        for member in archive:
            if (name := Path(member.name).name) in wanted and (file := archive.extractfile(member)):
                parts[name] = np.frombuffer(file.read(), np.uint8).reshape(-1, 1 + 3 * 32 * 32)
    records = np.concatenate([parts[name] for name in wanted])
    images = tl.from_numpy(records[:, 1:].reshape(-1, 3, 32, 32).astype(np.float32) / 255)
    return TensorDataset(images, tl.from_numpy(records[:, 0].astype(np.int64)))


def tiny_shakespeare(root: str | os.PathLike | None = None) -> str:
    """About a million characters of Shakespeare's plays, as Karpathy chose them in 2015; 1.1 MB to download.

    Args:
        root: as `mnist`'s.

    Raises:
        RuntimeError: it could not be downloaded, or its sum is wrong.

    Example:
        >>> import tensorlab as tl
        >>> text = tl.datasets.tiny_shakespeare()  # doctest: +SKIP
    """
    return fetch(*_SHAKESPEARE, root=root).decode("utf-8")


def fetch(url: str, checksum: str, root: str | os.PathLike | None = None, folder: str = "") -> bytes:
    """The bytes of a file elsewhere, from the cache if they have been downloaded before.

    Progress is shown on standard error, if that is a terminal.

    Args:
        url: its address; ``file://`` works as well.
        checksum: its MD5 or SHA-256 sum, in hexadecimal digits.
        root: the folder to keep it in; the user's cache folder if left out.
        folder: a folder below that.

    Raises:
        RuntimeError: it could not be downloaded, or its sum is wrong; then nothing is kept.

    Example:
        >>> import hashlib, tempfile
        >>> from pathlib import Path
        >>> with tempfile.TemporaryDirectory() as there, tempfile.TemporaryDirectory() as here:
        ...     _ = Path(there, "numbers").write_bytes(b"1 2 3")
        ...     fetch(Path(there, "numbers").as_uri(), hashlib.sha256(b"1 2 3").hexdigest(), root=here)
        b'1 2 3'
    """
    base = Path(root) if root is not None else platformdirs.user_cache_path("tensorlab") / "datasets"
    path = base / folder / url.rpartition("/")[2]
    if path.is_file() and _sum(content := path.read_bytes(), checksum) == checksum:
        return content
    content = _download(url)
    if (found := _sum(content, checksum)) != checksum:
        raise RuntimeError(
            f"{url} was downloaded, but its checksum is {found} and not {checksum}: it was changed or "
            f"damaged on the way, and nothing of it is kept; try again, or put the right file at {path}"
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, content)
    return content


def _sum(content: bytes, like: str) -> str:
    """The sum of the kind that `like` is."""
    kind = "md5" if len(like) == 32 else "sha256"
    return hashlib.new(kind, content, usedforsecurity=False).hexdigest()


def _download(url: str) -> bytes:
    content = bytearray()
    shows = sys.stderr.isatty()
    try:
        with urllib.request.urlopen(url, timeout=30) as answer:
            size = int(answer.headers.get("Content-Length") or 0)
            while block := answer.read(BLOCK):
                content += block
                if shows:
                    of_all = f" of {size / 1e6:.1f}" if size else ""
                    print(
                        f"\r{url.rpartition('/')[2]}: {len(content) / 1e6:.1f}{of_all} MB",
                        end="",
                        file=sys.stderr,
                    )
    except (urllib.error.URLError, OSError) as error:
        raise RuntimeError(
            f"{url} could not be downloaded ({error}): is there a network? tensorlab.datasets.digits() "
            f"needs none"
        ) from error
    finally:
        if shows:
            print(file=sys.stderr)
    if size and len(content) != size:
        raise RuntimeError(f"{url} ended after {len(content)} of {size} bytes: try again")
    return bytes(content)


def _idx(name: str, train: bool, root: str | os.PathLike | None) -> TensorDataset:
    """Images and labels of a data set in the form of MNIST."""
    images, labels = (
        _array(gzip.decompress(fetch(remote.url + file, remote.checksum, root, name)))
        for file, remote in _IDX[name].items()
        if file.startswith("train" if train else "t10k")
    )
    pictures = tl.from_numpy(images.astype(np.float32) / 255).unsqueeze(1)
    return TensorDataset(pictures, tl.from_numpy(labels.astype(np.int64)))


def _array(content: bytes) -> np.ndarray:
    """The array in an IDX file: two zeros, 8 for bytes, the number of sizes, the sizes, the bytes."""
    if content[:3] != b"\0\0\x08":
        raise RuntimeError(f"an IDX file of bytes begins with 0, 0, 8, and this one with {[*content[:3]]}")
    sizes = np.frombuffer(content, ">i4", content[3], 4)
    return np.frombuffer(content, np.uint8, offset=4 + 4 * content[3]).reshape(sizes)
