"""Many values at once: the interval that holds each, and codes for records by their rank.

A grid of fine intervals tells where most values are, so that few of them have to be searched or sorted one by one.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

MANY, FINE = 1 << 16, 1 << 13  # values from which on fine intervals are worth it; the number of these
BLOCK = 1 << 16  # records at a time: their temporary arrays stay in the processor's cache
MAX_COUNTED = 64  # cells up to which ranks are counted: beyond, a sort needs less memory


def interval_of(values: np.ndarray, cuts: np.ndarray) -> np.ndarray:
    """The number of the interval that holds each value: how many of the cuts are at or below it."""
    codes = np.empty(len(values), np.min_scalar_type(len(cuts)))
    spread = float(cuts[-1]) - float(cuts[0]) if len(cuts) > 1 else 0.0  # which overflow to infinity
    if len(values) < MANY or not 1e-200 < spread < 1e200:
        codes[:] = np.searchsorted(cuts, values, side="right")
        return codes
    # A search for each value takes long. All values of a fine interval that holds no cut have the same code.
    of_cuts = _fine(cuts, cuts[0], cuts[-1])
    codes_of_fine = np.searchsorted(of_cuts, np.arange(FINE + 2))
    with_cut = np.zeros(FINE + 2, dtype=bool)
    with_cut[of_cuts] = True
    for block in _blocks(len(values)):
        part = values[block]
        fine = _fine(part, cuts[0], cuts[-1])
        found, unsure = codes_of_fine[fine], np.flatnonzero(with_cut[fine])
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

        Where no two numbers are equal, every sort on every machine gives the same order.
        """
        numbers = np.empty(len(values))
        for block in _blocks(len(values)):
            part = values[block]
            numbers[block] = part + 0.99 * gap * (rng.random(len(part)) - 0.5)
        return cls(numbers)

    @cached_property
    def order(self) -> np.ndarray:
        """The records from the lowest number to the highest."""
        return np.argsort(self.numbers)

    def spread(self, codes: np.ndarray, cell: np.ndarray, shares: np.ndarray) -> None:
        """In each cell the lowest records get code 0, the next ones code 1, and so on, as its shares say.

        Parameters
        ----------
        codes : of each record, changed in place
        cell : of each record; those of cells that have no shares are left out
        shares : for each cell (a row) the share of each code
        """
        cells, values = shares.shape
        keys = np.minimum(cell, cells).astype(np.min_scalar_type(cells))
        held = np.bincount(keys, minlength=cells + 1)[:cells, None]
        # The number of a cell's records up to each code: none moves by more than a half, and the last one stays.
        ends = np.rint(np.cumsum(held * shares, axis=1)).astype(np.int64)
        if len(keys) >= MANY and cells <= MAX_COUNTED:
            self._spread_by_counts(codes, keys, ends)
            return
        # Sixteen-bit keys are sorted by radix, in linear time.
        rows = self.order[np.argsort(keys[self.order], kind="stable")][: held.sum()]
        codes[rows] = np.repeat(np.tile(np.arange(values), cells), np.diff(ends, axis=1, prepend=0).ravel())

    def _spread_by_counts(self, codes, keys, ends):
        """The same for many records without a sort of all: ranks are counted in fine intervals.

        Only the records of those fine intervals are sorted in which one code ends and another begins.
        """
        low, high, width = self.numbers.min(), self.numbers.max(), FINE + 2
        inside = len(ends) * width
        # One number for a cell and a fine interval. First pass: count the records of each.
        place = np.empty(len(keys), np.int32)
        counts = np.zeros(inside + width, dtype=np.int64)
        for block in _blocks(len(keys)):
            place[block] = keys[block] * np.int32(width) + _fine(self.numbers[block], low, max(high, low + 1e-9))
            counts += np.bincount(place[block], minlength=len(counts))
        by_cell = counts[:inside].reshape(-1, width)
        upto = np.cumsum(by_cell, axis=1)
        # A record of rank r has the code up to whose end there are more than r: those of the first and the last record.
        first, last = (
            np.concatenate([np.searchsorted(own, ranks, side="right") for own, ranks in zip(ends, of, strict=True)])
            for of in (upto - by_cell, upto - 1)
        )
        # Second pass: a fine interval with a single code gives it to all its records.
        mixed, found = first < last, []
        for block in _blocks(len(keys)):
            here = np.flatnonzero(place[block] < inside)
            own = place[block][here]
            codes[block][here] = first[own]
            found.append(block.start + here[mixed[own]])
        # The records that are left are ranked one by one, behind all records of lower fine intervals of their cell.
        rows = np.concatenate(found)
        rows = rows[np.lexsort((self.numbers[rows], place[rows]))]
        own = place[rows]
        begins = np.flatnonzero(np.diff(own, prepend=-1))
        place_in_own = np.arange(len(own)) - np.repeat(begins, np.diff(begins, append=len(own)))
        rank, cell = (upto - by_cell).ravel()[own] + place_in_own, own // width
        for number, end in enumerate(ends):
            codes[rows[cell == number]] = np.searchsorted(end, rank[cell == number], side="right")


def _blocks(records):
    """Slices of all records in turn."""
    return (slice(first, first + BLOCK) for first in range(0, records, BLOCK))


def _fine(values, low, high):
    """The fine interval of each value: ``FINE`` of them between low and high, and one beyond each of these.

    Whatever the rounding, a larger value never has a smaller number. That is all that exact results need.
    """
    with np.errstate(over="ignore"):
        return np.clip((values - low) * (FINE / (high - low)), -1, FINE).astype(np.int16) + 1
