"""What a backend does with elements in order: sorted, chosen by rank, looked up.

It is a part of `tensorlab.backends.core.Core`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tensorlab.core.dtypes import dtype

__all__ = ["OrderOperations"]


class OrderOperations:
    """The operations that compare elements with one another."""

    def search(
        self,
        places: np.ndarray,
        numbers: np.ndarray,
        sequences: np.ndarray,
        order: np.ndarray,
        length: int,
        several: int,
        after: bool,
    ) -> None:
        """For each number, how many elements of its sorted sequence come before it.

        Args:
            places: a flat array that receives the results.
            numbers: the flat array of what is looked for, `several` numbers for each sequence in turn.
            sequences: the elements of the sequences, one sequence after another, each of this `length`.
            order: where the elements stand in order in their sequence; empty if they are in order.
            length: how many elements a sequence has.
            several: how many numbers are looked for in each sequence.
            after: whether elements that equal the number come before it too.
        """
        raise NotImplementedError

    def rank(
        self,
        cells: np.ndarray,
        element_type: dtype,
        size: int,
        backwards: bool,
        values: np.ndarray,
        places: np.ndarray,
    ) -> bool:
        """The first elements in order of each row of `size` cells, and their places in the row.

        NaN counts as greater than every number. Equal elements stay in their order.

        Args:
            cells: a flat array of unsigned integers of the cells' width, row after row.
            element_type: what they mean.
            size: how many cells a row has, at least 1.
            backwards: the greatest first.
            values, places: flat arrays that receive the cells and the places (int64), equally many of each
                row, at least one. Where the places of all cells are wanted, `values` may be empty.

        Returns:
            whether it was done. False where elements cannot be told apart by 32 bits (float64, and int64 over
            a wide range), or where it would take much room beside the results.
        """
        raise NotImplementedError

    def kth_cell(
        self,
        cells: np.ndarray,
        start: int,
        shape: Sequence[int],
        strides: Sequence[int],
        element_type: dtype,
        rule: str,
        k: int = 0,
        bounds: tuple[int, int] | None = None,
    ) -> int:
        """Which cell has the k-th element in order, of all elements of a tensor that has some.

        Of several that are equal it is the one that a stable order has there.

        Args:
            cells: a flat array of unsigned integers of the cells' width.
            start: where the first element lies among them.
            shape, strides: the tensor's.
            element_type: what the cells mean.
            rule: ``"kth"``, where NaN counts as greater than all numbers; ``"median"`` for the lower median,
                or the first NaN if there is one; ``"nanmedian"`` for the lower median of the numbers.
            k: which for ``"kth"``, from 0.
            bounds: of integers the least and the greatest, where they are known: it saves time.
        """
        raise NotImplementedError

    def first_k(self, keys: np.ndarray, k: int, largest: bool) -> np.ndarray:
        """The places (rows, k) of the greatest or least k keys of each row, in order.

        Equal keys come in PyTorch's order. `keys` is (rows, columns), of a NumPy type, and is left in
        disorder. NaN counts as the greatest.
        """
        raise NotImplementedError
