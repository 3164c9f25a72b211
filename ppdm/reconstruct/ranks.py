"""Many values at once: the interval that holds each, and codes for records by their rank.

Everything runs over blocks of records, whose temporary arrays stay in the processor's cache. A grid of fine intervals
tells where most values are, so that few of them have to be searched or sorted one by one.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

BLOCK, FINE = 1 << 16, 1 << 13  # records at a time; fine intervals
COUNTED, MAX_COUNTED = 1 << 16, 64  # from this number of records on, and up to this number of cells, ranks are counted


def blocks(records: int) -> Iterator[slice]:
    """Slices of all records in turn, each short enough for its temporary arrays to stay in the processor's cache."""
    return (slice(first, first + BLOCK) for first in range(0, records, BLOCK))


def places(values: np.ndarray, low: float, high: float) -> np.ndarray:
    """The number of the fine interval, of ``FINE`` between low and high and one beyond each, that holds each value.

    Whatever the rounding, a larger value never has a smaller number. That is all that exact results need.
    """
    with np.errstate(over="ignore"):
        return np.clip((values - low) * (FINE / (high - low)), -1, FINE).astype(np.int16) + 1


def interval_of(values: np.ndarray, cuts: np.ndarray) -> np.ndarray:
    """The number of the interval that holds each value: how many of the cuts are at or below it."""
    codes = np.empty(len(values), np.min_scalar_type(len(cuts)))
    spread = float(cuts[-1]) - float(cuts[0]) if len(cuts) > 1 else 0.0  # which overflow to infinity
    if len(values) < BLOCK or not 1e-200 < spread < 1e200:
        codes[:] = np.searchsorted(cuts, values, side="right")
        return codes
    # A search for each value takes long. A fine interval without a cut tells the number of all its values at once.
    of_cuts = places(cuts, cuts[0], cuts[-1])
    below, cut = np.searchsorted(of_cuts, np.arange(FINE + 2)), np.zeros(FINE + 2, dtype=bool)
    cut[of_cuts] = True
    for block in blocks(len(values)):
        part = values[block]
        own = places(part, cuts[0], cuts[-1])
        found, unsure = below[own], np.flatnonzero(cut[own])
        found[unsure] = np.searchsorted(cuts, part[unsure], side="right")
        codes[block] = found
    return codes


@dataclass(frozen=True, eq=False)
class Ranks:
    """Records in the order of some numbers, no two of which are equal.

    Parameters
    ----------
    numbers : a number for each record
    """

    numbers: np.ndarray

    @classmethod
    def without_ties(cls, values: np.ndarray, gap: float, rng: np.random.Generator) -> "Ranks":
        """By values of which many may be equal: each is moved at random by less than half the gap between two.

        It does so in the same way on every machine: where no two numbers are equal, every sort gives the same order.
        """
        moved = np.empty(len(values))
        for block in blocks(len(values)):
            part = values[block]
            moved[block] = part + 0.99 * gap * (rng.random(len(part)) - 0.5)
        return cls(moved)

    @cached_property
    def order(self) -> np.ndarray:
        """The records from the lowest number to the highest."""
        return np.argsort(self.numbers)

    def spread(self, codes: np.ndarray, cell: np.ndarray, sizes: np.ndarray) -> None:
        """In each cell the records of lowest rank get code 0, the next ones code 1, and so on.

        Parameters
        ----------
        codes : of each record, changed in place
        cell : of each record; those of cells that have no sizes are left out
        sizes : for each cell (a row) the number of records that each code is to get, perhaps a fraction
        """
        # No cumulated number moves by more than a half, and the sum of a row stays.
        ends = np.rint(np.cumsum(sizes, axis=1)).astype(np.int64)
        cells, n_values = sizes.shape
        if len(cell) >= COUNTED and cells <= MAX_COUNTED:
            self._spread_by_counts(codes, cell, ends)
            return
        # Sixteen-bit keys are sorted by radix, in linear time.
        keys = np.minimum(cell, cells).astype(np.min_scalar_type(cells))[self.order]
        rows = self.order[np.argsort(keys, kind="stable")][: np.count_nonzero(keys < cells)]
        codes[rows] = np.repeat(np.tile(np.arange(n_values), cells), np.diff(ends, axis=1, prepend=0).ravel())

    def _spread_by_counts(self, codes: np.ndarray, cell: np.ndarray, ends: np.ndarray) -> None:
        """The same for many records without a sort of all: ranks are counted in fine intervals.

        Only the records of those fine intervals are sorted in which one code ends and another begins.
        """
        low, high, width = self.numbers.min(), self.numbers.max(), FINE + 2
        place, inside = np.empty(len(cell), np.int16), len(ends) * width
        counts = np.zeros(inside, dtype=np.int64)
        # First pass: the records of each cell in each fine interval.
        for block in blocks(len(cell)):
            place[block] = places(self.numbers[block], low, max(high, low + 1e-9))
            key = _key(cell[block], place[block])
            counts += np.bincount(key, minlength=inside)[:inside]
        upto = np.cumsum(counts.reshape(-1, width), axis=1)
        before = upto - counts.reshape(-1, width)
        # The codes of the first and of the last record of each fine interval: a code ends at its number of ranks.
        first, last = (
            np.concatenate([np.searchsorted(own, ranks, side="right") for own, ranks in zip(ends, of, strict=True)])
            for of in (before, upto - 1)
        )
        # Second pass: a fine interval with a single code tells that of all its records.
        mixed, found = first < last, []
        for block in blocks(len(cell)):
            key = _key(cell[block], place[block])
            here = np.flatnonzero(key < inside)
            codes[block][here] = first[key[here]]
            found.append(block.start + here[mixed[key[here]]])
        # What is left are the records of fine intervals with several codes: these are ranked one by one.
        rows = np.concatenate(found)
        key = _key(cell[rows], place[rows])
        order = np.lexsort((self.numbers[rows], key))
        rows, key = rows[order], key[order]
        # A record's rank: those before its fine interval, and its place among those within.
        ranks = before.ravel()[key] + np.arange(len(key)) - np.searchsorted(key, key)
        starts = np.searchsorted(key, np.arange(len(ends) + 1) * width)
        for own, start, end in zip(ends, starts, starts[1:], strict=False):
            codes[rows[start:end]] = np.searchsorted(own, ranks[start:end], side="right")


def _key(cell: np.ndarray, place: np.ndarray) -> np.ndarray:
    """One number for a cell and a fine interval."""
    return np.multiply(cell, FINE + 2, dtype=np.int64) + place
