"""Sequences of several lengths in one batch: padded to one length, or packed without padding."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import tensorlab as tl
from tensorlab.tensor import Tensor

__all__ = [
    "PackedSequence",
    "invert_permutation",
    "pack_padded_sequence",
    "pack_sequence",
    "pad_packed_sequence",
    "pad_sequence",
    "unpack_sequence",
    "unpad_sequence",
]


class PackedSequence(NamedTuple):
    """Sequences of several lengths, step by step: first all first elements, then all second ones, and so on.

    The longest sequence comes first, so that at each step the sequences that go on are the first of those of
    the step before. `pack_padded_sequence` and `pack_sequence` make one; recurrent layers take and give them.

    Args:
        data: all elements, of the shape (elements, …).
        batch_sizes: how many sequences go on at each step.
        sorted_indices: which sequence of the batch stands where; None if they came in order.
        unsorted_indices: the way back.
    """

    data: Tensor
    batch_sizes: Tensor
    sorted_indices: Tensor | None = None
    unsorted_indices: Tensor | None = None

    def to(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """The same with `data` converted, on its device: the arguments are those of `Tensor.to`.

        Example:
            >>> import tensorlab as tl
            >>> pack_sequence([tl.ones(2)]).to(tl.float64).data
            tensor([1., 1.], dtype=tensorlab.float64)
        """
        data = self.data.to(*args, **kwargs)
        if data is self.data:
            return self
        orders = (None if each is None else each.to(data.device) for each in self[2:])
        return PackedSequence(data, self.batch_sizes, *orders)

    def cuda(self) -> PackedSequence:
        """The same on the GPU."""
        return self.to("cuda")

    def cpu(self) -> PackedSequence:
        """The same on the CPU."""
        return self.to("cpu")

    @property
    def is_cuda(self) -> bool:
        """Whether `data` lies on a GPU."""
        return self.data.is_cuda


def invert_permutation(permutation: Tensor | None) -> Tensor | None:
    """The permutation that undoes another.

    Example:
        >>> import tensorlab as tl
        >>> invert_permutation(tl.tensor([2, 0, 1]))
        tensor([1, 2, 0])
    """
    return None if permutation is None else permutation.argsort()


def pad_sequence(
    sequences: Tensor | Iterable[Tensor],
    batch_first: bool = False,
    padding_value: float = 0.0,
    padding_side: str = "right",
) -> Tensor:
    """Sequences of several lengths in one tensor, the shorter ones filled up.

    Args:
        sequences: tensors of shape (length, …), alike but for their lengths.
        batch_first: give (batch, longest, …) instead of (longest, batch, …).
        padding_value: what they are filled up with.
        padding_side: ``"right"`` or ``"left"``.

    Raises:
        RuntimeError: `sequences` cannot be iterated, or there are none, or the side is another word.

    Example:
        >>> import tensorlab as tl
        >>> pad_sequence([tl.tensor([1, 2, 3]), tl.tensor([4])], batch_first=True)
        tensor([[1, 2, 3],
                [4, 0, 0]])
    """
    if not isinstance(sequences, Iterable):
        raise RuntimeError(
            f"pad_sequence: Expected iterable for input sequences, but got arg of type: {type(sequences)}"
        )
    if padding_side not in ("left", "right"):
        raise RuntimeError("Expected padding_side to be one of left or right, but got " + str(padding_side))
    rows = list(sequences)
    if not rows:
        raise RuntimeError("received an empty list of sequences")
    longest = max(len(row) for row in rows)
    padded = []
    for row in rows:
        missing = longest - len(row)
        if missing:
            filler = row.new_full((missing, *row.shape[1:]), padding_value)
            row = tl.cat([row, filler] if padding_side == "right" else [filler, row])
        padded.append(row)
    return tl.stack(padded, 0 if batch_first else 1)


def unpad_sequence(padded_sequences: Tensor, lengths: Tensor, batch_first: bool = False) -> list[Tensor]:
    """Undo `pad_sequence`.

    Args:
        padded_sequences: what it gave.
        lengths: how long each sequence is.
        batch_first: what it was called with.

    Example:
        >>> import tensorlab as tl
        >>> unpad_sequence(tl.tensor([[1, 2], [3, 0]]), tl.tensor([2, 1]), batch_first=True)
        [tensor([1, 2]), tensor([3])]
    """
    rows = padded_sequences if batch_first else padded_sequences.transpose(0, 1)
    return [row[: int(length)] for row, length in zip(rows, lengths, strict=True)]


def pack_padded_sequence(
    input: Tensor,
    lengths: Tensor | Sequence[int],
    batch_first: bool = False,
    enforce_sorted: bool = True,
) -> PackedSequence:
    """Leave the padding out.

    Args:
        input: sequences of shape (longest, batch, …).
        lengths: how long each is.
        batch_first: `input` is (batch, longest, …).
        enforce_sorted: raise unless the longest comes first; else they are sorted.

    Raises:
        RuntimeError: lengths are not sorted, do not fit the batch, or are not above 0.

    Example:
        >>> import tensorlab as tl
        >>> pack_padded_sequence(tl.tensor([[1, 2], [3, 0]]), [2, 1], batch_first=True).data
        tensor([1, 3, 2])
    """
    sizes = tl.as_tensor(lengths, dtype=tl.int64, device="cpu")
    order = None
    batch_dim = 0 if batch_first else 1
    if not enforce_sorted:
        sizes, order = tl.sort(sizes, descending=True)
        order = order.to(input.device)
        input = input.index_select(batch_dim, order)
    steps = input.transpose(0, 1) if batch_first else input
    known = [int(size) for size in sizes]
    if len(known) != steps.shape[1]:
        raise RuntimeError(
            f"Expected `len(lengths)` to be equal to batch_size, but got {len(known)} "
            f"(batch_size={steps.shape[1]})"
        )
    if any(first < second for first, second in pairwise(known)):
        raise RuntimeError(
            "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass "
            "`enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this "
            "requirement if you do not need ONNX exportability."
        )
    if known[-1] <= 0:
        raise RuntimeError(
            "Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0"
        )
    counts = [sum(size > step for size in known) for step in range(known[0])]
    data = tl.cat([steps[step, :count] for step, count in enumerate(counts)])
    return PackedSequence(data, tl.tensor(counts, device="cpu"), order, invert_permutation(order))


def pad_packed_sequence(
    sequence: PackedSequence,
    batch_first: bool = False,
    padding_value: float = 0.0,
    total_length: int | None = None,
) -> tuple[Tensor, Tensor]:
    """Undo `pack_padded_sequence`.

    Args:
        sequence: the packed sequences.
        batch_first: give (batch, longest, …) instead of (longest, batch, …).
        padding_value: what shorter ones are filled up with.
        total_length: fill all up to this length.

    Returns:
        the sequences, and their lengths.

    Raises:
        ValueError: `total_length` is less than the longest sequence.

    Example:
        >>> import tensorlab as tl
        >>> packed = pack_sequence([tl.tensor([1, 2]), tl.tensor([3])])
        >>> pad_packed_sequence(packed, batch_first=True)
        (tensor([[1, 2],
                [3, 0]]), tensor([2, 1]))
    """
    counts = [int(count) for count in sequence.batch_sizes]
    if total_length is not None and total_length < len(counts):
        raise ValueError(
            "Expected total_length to be at least the length of the longest sequence in input, but got "
            f"total_length={total_length} and max sequence length being {len(counts)}"
        )
    steps = sequence.data.split(counts)
    padded = pad_sequence(steps, True, padding_value)
    longer = (total_length or len(counts)) - len(counts)
    if longer:
        padded = tl.cat([padded, padded.new_full((longer, *padded.shape[1:]), padding_value)])
    lengths = tl.tensor([sum(count > row for count in counts) for row in range(counts[0])], device="cpu")
    if sequence.unsorted_indices is not None:
        padded = padded.index_select(1, sequence.unsorted_indices)
        lengths = lengths[sequence.unsorted_indices.cpu()]
    return padded.transpose(0, 1) if batch_first else padded, lengths


def pack_sequence(sequences: Sequence[Tensor], enforce_sorted: bool = True) -> PackedSequence:
    """Sequences of several lengths without padding.

    Args:
        sequences: tensors of shape (length, …), alike but for their lengths.
        enforce_sorted: raise unless the longest comes first; else they are sorted.

    Example:
        >>> import tensorlab as tl
        >>> packed = pack_sequence([tl.tensor([1, 2, 3]), tl.tensor([4])])
        >>> packed.data, packed.batch_sizes
        (tensor([1, 4, 2, 3]), tensor([2, 1, 1]))
    """
    lengths = [len(sequence) for sequence in sequences]
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list[Tensor]:
    """Undo `pack_sequence`.

    Example:
        >>> import tensorlab as tl
        >>> unpack_sequence(pack_sequence([tl.tensor([1, 2]), tl.tensor([3])]))
        [tensor([1, 2]), tensor([3])]
    """
    return unpad_sequence(*pad_packed_sequence(packed_sequences, batch_first=True), batch_first=True)
