"""Tables of vectors: a row for each number."""

from __future__ import annotations

from typing import Any

import tensorlab as tl
from tensorlab.nn import functional as F
from tensorlab.nn import init
from tensorlab.nn.modules.module import Module
from tensorlab.nn.parameter import Parameter
from tensorlab.tensor import Tensor

__all__ = ["Embedding", "EmbeddingBag"]


class _Table(Module):
    """A matrix whose rows are looked up."""

    padding_idx: int | None

    def _make_table(
        self, num_embeddings: int, embedding_dim: int, padding_idx: int | None, weight: Tensor | None,
        freeze: bool, device: Any, dtype: Any, name: str,
    ) -> None:  # fmt: skip
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        if padding_idx is not None:
            if not -num_embeddings <= padding_idx < num_embeddings:
                raise AssertionError(f"{name} must be within num_embeddings")
            padding_idx %= num_embeddings
        self.padding_idx = padding_idx
        shape = (num_embeddings, embedding_dim)
        if weight is None:
            drawn = tl.empty(shape, device=device, dtype=dtype)
            self.weight = Parameter(drawn, requires_grad=not freeze)
            self.reset_parameters()
        elif tuple(weight.shape) != shape:
            raise AssertionError("Shape of weight does not match num_embeddings and embedding_dim")
        else:
            self.weight = Parameter(weight, requires_grad=not freeze)

    def reset_parameters(self) -> None:
        """Draw the table anew; the row of `padding_idx` is 0."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            with tl.no_grad():
                self.weight[self.padding_idx].fill_(0)


class Embedding(_Table):
    """A learned vector for each number from 0 to `num_embeddings` - 1.

    Args:
        num_embeddings: how many vectors there are.
        embedding_dim: how long each is.
        padding_idx: the number whose vector is 0, and stays so: it gets no gradient.
        max_norm: vectors that are longer are made this long when they are looked up.
        norm_type: which norm measures their length.
        scale_grad_by_freq: divide gradients by how often the number occurs in the batch.
        sparse: False. There are no sparse tensors here, and the gradient is dense.
        device, dtype: of the table.

    Attributes:
        weight: the table, of the shape (num_embeddings, embedding_dim), normal numbers at first.

    Shape:
        (…) becomes (…, embedding_dim).

    Example:
        >>> import tensorlab as tl
        >>> table = tl.nn.Embedding(10, 3, padding_idx=0)
        >>> table(tl.tensor([[0, 2], [4, 9]])).shape, table(tl.tensor(0)).tolist()
        (tensorlab.Size([2, 2, 3]), [0.0, 0.0, 0.0])
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Tensor | None = None,
        _freeze: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self.sparse = sparse
        self._make_table(
            num_embeddings, embedding_dim, padding_idx, _weight, _freeze, device, dtype, "Padding_idx"
        )

    def forward(self, input: Tensor) -> Tensor:
        return F.embedding(
            input, self.weight, self.padding_idx, self.max_norm, self.norm_type, self.scale_grad_by_freq,
            self.sparse,
        )  # fmt: skip

    def extra_repr(self) -> str:
        text = f"{self.num_embeddings}, {self.embedding_dim}"
        usual = {"padding_idx": None, "max_norm": None, "norm_type": 2, "scale_grad_by_freq": False}
        for name, value in {**usual, "sparse": False}.items():
            if getattr(self, name) != value:
                text += f", {name}={getattr(self, name)}"
        return text

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
    ) -> Embedding:
        """A table of given vectors.

        Args:
            embeddings: a matrix, whose memory is shared.
            freeze: the table is not trained.
            padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse: see the class.

        Raises:
            AssertionError: it is no matrix.

        Example:
            >>> import tensorlab as tl
            >>> tl.nn.Embedding.from_pretrained(tl.eye(2))(tl.tensor([1]))
            tensor([[0., 1.]])
        """
        if embeddings.dim() != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        rows, columns = embeddings.shape
        return cls(
            rows, columns, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse, embeddings, freeze
        )


class EmbeddingBag(_Table):
    """The sum, mean or maximum of the vectors of several numbers, for each bag of numbers.

    Args:
        num_embeddings, embedding_dim, max_norm, norm_type, scale_grad_by_freq, sparse: see `Embedding`.
        mode: ``"mean"``, ``"sum"`` or ``"max"``.
        include_last_offset: `offsets` has one element more, which says where the last bag ends.
        padding_idx: the number that does not count.
        device, dtype: of the table.

    Shape:
        (B, N) becomes (B, embedding_dim); a vector of all numbers takes `offsets`, where each bag begins.

    Example:
        >>> import tensorlab as tl
        >>> bags = tl.nn.EmbeddingBag(10, 3, mode="sum")
        >>> bags(tl.tensor([1, 2, 4, 5]), tl.tensor([0, 2])).shape
        tensorlab.Size([2, 3])
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        _weight: Tensor | None = None,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self.mode = mode
        self.sparse = sparse
        self.include_last_offset = include_last_offset
        self._make_table(
            num_embeddings, embedding_dim, padding_idx, _weight, False, device, dtype, "padding_idx"
        )

    def forward(
        self, input: Tensor, offsets: Tensor | None = None, per_sample_weights: Tensor | None = None
    ) -> Tensor:
        return F.embedding_bag(
            input, self.weight, offsets, self.max_norm, self.norm_type, self.scale_grad_by_freq, self.mode,
            self.sparse, per_sample_weights, self.include_last_offset, self.padding_idx,
        )  # fmt: skip

    def extra_repr(self) -> str:
        text = f"{self.num_embeddings}, {self.embedding_dim}"
        for name, value in {"max_norm": None, "norm_type": 2, "scale_grad_by_freq": False}.items():
            if getattr(self, name) != value:
                text += f", {name}={getattr(self, name)}"
        text += f", mode={self.mode!r}"
        return text if self.padding_idx is None else f"{text}, padding_idx={self.padding_idx}"

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
    ) -> EmbeddingBag:
        """A table of given vectors; see `Embedding.from_pretrained`.

        Raises:
            AssertionError: it is no matrix.
        """
        if embeddings.dim() != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        rows, columns = embeddings.shape
        made = cls(
            rows, columns, max_norm, norm_type, scale_grad_by_freq, mode, sparse, embeddings,
            include_last_offset, padding_idx,
        )  # fmt: skip
        made.weight.requires_grad_(not freeze)
        return made
