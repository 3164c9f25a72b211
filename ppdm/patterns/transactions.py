"""Transactions that were disguised in groups: what each counts for in the support of a set of items.

A set is a conjunction of ones, so the inverse of DZ03 §4 tells its support: the mean of Π w_g over the groups that it
has items in (§4.8). All that is asked for is a sum of such products over the records. A record's weights over the
first groups and over the last are computed once for all sets that ask the same of these, so that the sums of many sets
are one matrix product.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
import pandas as pd

from ppdm import checks
from ppdm.disguise.grouped import GroupedResponse
from ppdm.reconstruct.groups import binary_weights, by_number

MOST_NUMBERS = 1 << 22  # held at once: sets times different records
WASTE = 64  # a matrix product is faster than single sums, as long as it makes no more than so many times what is asked


@dataclass(frozen=True, eq=False)
class Transactions:
    """Different seen transactions and how often each occurs.

    Attributes
    ----------
    items : the columns, those of a part next to each other
    seen : a row an item, a column a transaction: 1 if the item is seen in it
    counts : how often each transaction is seen
    parts : for each group, and for each column that is in none, the probability of the truth and how many items
    order : the places of the items in the table that they came from
    """

    items: list[Any]
    seen: np.ndarray
    counts: np.ndarray
    parts: list[tuple[float, int]]
    order: np.ndarray

    @classmethod
    def of(cls, X: pd.DataFrame, channel: GroupedResponse | None) -> Self:
        """The transactions of a table of items, a row each, disguised by a channel or, with None, not."""
        columns = list(_checked_items(X).columns)
        groups = [] if channel is None else _groups_of(channel, columns)
        items = [column for _, group in groups for column in group]
        plain = [column for column in columns if column not in items]
        parts = [(theta, len(group)) for theta, group in groups] + [(1.0, 1)] * len(plain)
        items += plain
        rows = np.column_stack([X[column].to_numpy(bool) for column in items])
        packed, counts = np.unique(np.packbits(rows, axis=1), axis=0, return_counts=True)
        seen = np.unpackbits(packed, axis=1, count=len(items)).T
        order = np.array([columns.index(item) for item in items])
        return cls(items, seen.astype(np.float32), counts.astype(float), parts, order)

    @property
    def number(self) -> float:
        """How many transactions there are, equal ones included."""
        return float(self.counts.sum())

    def names(self, members: np.ndarray) -> list[tuple[Any, ...]]:
        """The items of each set (rows, 1 where the item belongs to it), in the order of the table's columns."""
        columns = np.argsort(self.order)
        return [tuple(self.items[place] for place in columns[row]) for row in members[:, columns]]

    def totals(self, sets: np.ndarray) -> np.ndarray:
        """For each set, a row of booleans, its weights summed over all transactions: its support times their number."""
        return self._sums(sets, np.zeros((len(sets), len(self.parts)), dtype=bool))

    def products(self, sets: np.ndarray, subsets: np.ndarray) -> np.ndarray:
        """The weights of each set times those of one of its subsets, which may be the set itself, summed likewise.

        In a group that a set has items in, a record counts for it only if it counts as much for each of its subsets
        with an item there. So the product of both weights is a square in the groups of the subset, and the set's own in
        all others: which items the subset has makes no difference, and many pairs are one.
        """
        noisy = np.array([theta not in (0, 1) for theta, _ in self.parts])  # else a weight is its own square
        squared = np.logical_or.reduceat(subsets, self._starts[:-1], axis=1) & noisy
        place, own = _different(np.hstack([sets, squared]))
        return self._sums(sets[place], squared[place])[own]

    def _sums(self, sets: np.ndarray, squared: np.ndarray) -> np.ndarray:
        most = max(1, MOST_NUMBERS // len(self.counts))
        pieces = [
            self._block_sums(sets[start : start + most], squared[start : start + most])
            for start in range(0, len(sets), most)
        ]
        return np.concatenate([np.empty(0), *pieces])

    @cached_property
    def _starts(self) -> np.ndarray:
        """The place of the first item of each part, and the number of items."""
        return np.cumsum([0, *(size for _, size in self.parts)])

    def _block_sums(self, sets: np.ndarray, squared: np.ndarray) -> np.ndarray:
        """The sums of a few sets, the weights of some parts (a column each) squared."""
        if len(self.parts) == 1:
            return self._weights(sets, squared, 0, 1) @ self.counts
        (left, own_left), (right, own_right) = self._halves(sets, squared, 0, len(self.parts))
        left *= self.counts
        if len(left) * len(right) <= WASTE * len(sets):
            return (left @ right.T)[own_left, own_right]
        return np.einsum("sr,sr->s", left[own_left], right[own_right])

    def _weights(self, sets: np.ndarray, squared: np.ndarray, first: int, last: int) -> np.ndarray:
        """What each transaction (columns) counts for in each set (rows), as far as the parts from first to last say."""
        if last - first > 1:
            (left, own_left), (right, own_right) = self._halves(sets, squared, first, last)
            return left[own_left] * right[own_right]
        inside = slice(self._starts[first], self._starts[last])
        weights = _part_weights(self.parts[first][0], sets[:, inside], self.seen[inside])
        weights[squared[:, first]] **= 2
        return weights

    def _halves(
        self, sets: np.ndarray, squared: np.ndarray, first: int, last: int
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """For both halves of the parts: the weights of all different sets, and which of them is each set's."""
        ends = self._starts[first : last + 1]
        middle = first + 1 + int(np.abs(2 * ends[1:-1] - ends[0] - ends[-1]).argmin())
        for start, stop in ((first, middle), (middle, last)):
            inside = sets[:, self._starts[start] : self._starts[stop]]
            place, own = _different(np.hstack([inside, squared[:, start:stop]]))
            yield self._weights(sets[place], squared[place], start, stop), own


def _different(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where each different row of booleans stands first, and which of them each row is."""
    _, place, own = np.unique(np.packbits(rows, axis=1), axis=0, return_index=True, return_inverse=True)
    return place, own.ravel()


def _part_weights(theta: float, sets: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """The weights of one part: the truth's where all its items of a set are seen, its opposite's where none is."""
    wanted = sets.sum(axis=1, keepdims=True)
    matches = sets.astype(np.float32) @ seen
    weights = by_number(matches, wanted, *binary_weights(theta))
    weights[wanted[:, 0] == 0] = 1
    return weights


def _groups_of(channel: Any, columns: list[Any]) -> list[tuple[float, list[Any]]]:
    """The probability of the truth of each group and its items, if the channel disguises some, all as 0 and 1."""
    if not isinstance(channel, GroupedResponse):
        raise TypeError(f"channel is {channel!r}; expected the GroupedResponse that disguised X, or None")
    groups = [(theta, [column for column in group if column in columns]) for theta, group in channel.parts]
    inside = [column for _, group in groups for column in group]
    if not inside:
        raise ValueError(
            f"channel disguises {', '.join(map(repr, channel.columns))}, and no column of X ({columns}); expected one "
            "that disguised some of them, or None"
        )
    for column in inside:
        if set(channel.answers[column].categories) != {0, 1}:
            raise ValueError(
                f"channel has the values {list(channel.answers[column].categories)} for column {column!r}; expected "
                "items, 0 and 1; reconstruct.estimate takes conjunctions of other values"
            )
    return [(theta, group) for theta, group in groups if group]


def _checked_items(X: Any) -> pd.DataFrame:
    """The table, if it has two records or more and nothing but 0 and 1, or booleans."""
    if len(checks.frame("X", X)) < 2:
        raise ValueError("X has one transaction; expected two or more, because one does not tell how sure a support is")
    for column in X.columns:
        checks.none_missing(f"column {column!r}", X[column])
        wrong = np.flatnonzero(~X[column].isin([0, 1]))
        if len(wrong) or not (pd.api.types.is_numeric_dtype(X[column]) or pd.api.types.is_bool_dtype(X[column])):
            seen = X[column].tolist()[wrong[0] if len(wrong) else 0]
            raise ValueError(
                f"column {column!r} is of type {X[column].dtype} and holds {seen!r}; expected items as the numbers 0 "
                "and 1, or booleans: convert it, or see data.binarise, or pandas.get_dummies for a column a value"
            )
    return X
