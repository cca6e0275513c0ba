"""What a backend does with elements in order: sorted, chosen by rank, distinct, counted, looked up.

It is a part of `tensorlab.backends.core.Core`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tensorlab.core.dtypes import dtype

__all__ = ["OrderOperations"]


class OrderOperations:
    """The operations that compare elements with one another, or count them."""

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

    def count_runs(self, cells: np.ndarray) -> int:
        """How many runs of equal elements a vector of numbers has. NaN equals nothing."""
        raise NotImplementedError

    def take_runs(self, cells: np.ndarray, values: np.ndarray, counts: np.ndarray, runs: np.ndarray) -> None:
        """The first element of each run of equal ones in a vector that has some.

        Args:
            cells: the vector, of a NumPy type.
            values: receives the first elements. It may be `cells` itself.
            counts: receives the lengths of the runs; empty if nobody asks.
            runs: receives for each element which run it belongs to; empty if nobody asks.
        """
        raise NotImplementedError

    def distinct(
        self, cells: np.ndarray, element_type: dtype, runs: np.ndarray, counted: bool
    ) -> tuple[np.ndarray, np.ndarray] | None:
        """The distinct elements in order, which of them each element is, and how often each occurs.

        Of equal elements the first one is taken. NaN equals nothing.

        Args:
            cells: a flat array of unsigned integers of the cells' width.
            element_type: what they mean.
            runs: receives for each element which of the distinct ones it is: int64.
            counted: whether it is asked how often each occurs.

        Returns:
            the distinct cells, and how often they occur (nothing unless `counted`); None where elements
            cannot be told apart by 32 bits.
        """
        raise NotImplementedError

    def order_rows(self, rows: np.ndarray, places: np.ndarray) -> None:
        """The order of the rows of a matrix of numbers: the first elements that differ decide.

        NaN is the greatest. Equal rows stay in their order.

        Args:
            rows: the matrix, of a NumPy type.
            places: receives, in order, which row it is: int64.
        """
        raise NotImplementedError

    def row_runs(self, rows: np.ndarray, places: np.ndarray, begins: np.ndarray) -> None:
        """Where runs of equal rows begin, when the rows of a matrix are taken in some order.

        Args:
            rows: the matrix, of a NumPy type. NaN equals nothing.
            places: the order: which row is the first, the second, ….
            begins: receives for each place in the order whether a run begins there: bools.
        """
        raise NotImplementedError

    def first_k(self, keys: np.ndarray, k: int, largest: bool) -> np.ndarray:
        """The places (rows, k) of the greatest or least k keys of each row, in order.

        Equal keys come in PyTorch's order. `keys` is (rows, columns), of a NumPy type, and is left in
        disorder. NaN counts as the greatest.
        """
        raise NotImplementedError

    def first_of_more(
        self, keys: np.ndarray, start: int, size: int, best: np.ndarray, places: np.ndarray, largest: bool
    ) -> None:
        """`first_k` of one long row that comes in parts, for a k of at most a 64th of its columns.

        Args:
            keys: the keys of the next part.
            start: how many came before them.
            size: how many there are in the row.
            best, places: of length k, kept from part to part. After the last part they hold the first k keys
                in order, and their places.
            largest: False for the least.
        """
        raise NotImplementedError
