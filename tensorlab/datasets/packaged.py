"""Data that lies on the disk already: in the package scikit-learn, and in this library's own source."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path
from typing import Any

import tensorlab as tl
from tensorlab.utils.data import TensorDataset

__all__ = ["breast_cancer", "digits", "docstrings", "iris", "wine"]


def digits() -> TensorDataset:
    """1,797 handwritten digits: images of shape (1, 8, 8), float32 from 0 to 1, and labels from 0 to 9.

    From scikit-learn; Alpaydin and Kaynak, *Optical Recognition of Handwritten Digits*, 1998.

    Raises:
        ModuleNotFoundError: scikit-learn is not installed.

    Example:
        >>> import tensorlab as tl
        >>> image, label = tl.datasets.digits()[0]
        >>> image.shape, label
        (tensorlab.Size([1, 8, 8]), tensor(0))
    """
    found = _loaded("load_digits")
    images = tl.tensor(found.images, dtype=tl.float32).unsqueeze(1) / 16
    return TensorDataset(images, tl.tensor(found.target))


def iris() -> TensorDataset:
    """150 flowers of three kinds: lengths and widths of sepals and petals in centimetres, and the kind.

    From scikit-learn; Fisher, *The use of multiple measurements in taxonomic problems*, 1936.

    Raises:
        ModuleNotFoundError: scikit-learn is not installed.

    Example:
        >>> import tensorlab as tl
        >>> tl.datasets.iris()[0]
        (tensor([5.1000, 3.5000, 1.4000, 0.2000]), tensor(0))
    """
    return _table("load_iris")


def wine() -> TensorDataset:
    """178 wines of three growers: thirteen measurements of each, and the grower.

    From scikit-learn; Forina et al., *PARVUS*, 1988.

    Raises:
        ModuleNotFoundError: scikit-learn is not installed.

    Example:
        >>> import tensorlab as tl
        >>> len(tl.datasets.wine()), tl.datasets.wine()[0][0].shape
        (178, tensorlab.Size([13]))
    """
    return _table("load_wine")


def breast_cancer() -> TensorDataset:
    """569 tumours: thirty measurements of their cells' nuclei, and 1 for a benign one.

    From scikit-learn; Street, Wolberg and Mangasarian, *Nuclear feature extraction for breast tumor
    diagnosis*, 1993.

    Raises:
        ModuleNotFoundError: scikit-learn is not installed.

    Example:
        >>> import tensorlab as tl
        >>> features, labels = tl.datasets.breast_cancer().tensors
        >>> features.shape, labels.sum()
        (tensorlab.Size([569, 30]), tensor(357))
    """
    return _table("load_breast_cancer")


def docstrings() -> str:
    """The texts that document this library, one behind another: some hundred thousand characters of English.

    Example:
        >>> import tensorlab as tl
        >>> text = tl.datasets.docstrings()
        >>> "A floating-point" in text or "a tensor" in text
        True
    """
    root = Path(__file__).parents[1]
    found = []
    for path in sorted(root.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and (
                text := ast.get_docstring(node)
            ):
                found.append(text)
    return "\n\n".join(found)


def _table(name: str) -> TensorDataset:
    found = _loaded(name)
    return TensorDataset(tl.tensor(found.data, dtype=tl.float32), tl.tensor(found.target))


def _loaded(name: str) -> Any:
    try:
        datasets = importlib.import_module("sklearn.datasets")
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"this data set comes with scikit-learn, which is not installed ({error}): "
            "pip install scikit-learn",
            name=error.name,
        ) from error
    return getattr(datasets, name)()
