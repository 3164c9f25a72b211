"""Tables of records that were disguised in groups (DZ03 §4.5).

The counts of all cells go through the inverse once, group by group: then each disguised record stands for itself and
its reversals, and a tree grows from the table as from any other. Where there are too many cells, every count is
estimated for the path to its node, from all disguised records.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import prod
from typing import Any

import numpy as np

from ppdm.disguise import GroupedResponse
from ppdm.reconstruct import Attribute
from ppdm.tables.table import EstimatedTable, Level, Splits, offsets

Groups = Sequence[tuple[float, Sequence[int]]]  # theta, and the places of the attributes; the class has the last place
OPEN = -1  # the code of an attribute that was not tested on the way to a node
CLASS, VALUE = np.arange(2).reshape(2, 1, 1), np.arange(2).reshape(1, 2, 1)  # whether a record matches
MOST_CELLS = 1 << 22
MOST_MAGNIFIED = 1e6  # how much the inverse may magnify a rounding error in the cells; on a path few groups do


@dataclass(frozen=True, eq=False)
class SeenRecords:
    """Disguised records and the groups that disguised them.

    Parameters
    ----------
    attributes : what the codes mean
    classes : the class labels
    codes : a row an attribute and a last one for the class, a column a record
    groups : the probability of the truth and the places, rows of ``codes``, of each group
    """

    attributes: tuple[Attribute, ...]
    classes: np.ndarray
    codes: np.ndarray
    groups: Groups

    @property
    def sizes(self) -> list[int]:
        """How many values each attribute has, and how many classes there are."""
        return [*(attribute.n_values for attribute in self.attributes), len(self.classes)]

    @cached_property
    def parts(self) -> list[Any]:
        """The groups as parts of a disguise, whose columns are places."""
        if not self.groups:
            return []
        thetas, places = zip(*self.groups, strict=True)
        values = {place: range(self.sizes[place]) for group in places for place in group}
        return list(GroupedResponse(thetas, places, values).parts)

    @property
    def disguised(self) -> list[int]:
        """The places that are in groups."""
        return sorted(place for _, places in self.groups for place in places)


class PathTable:
    """A table that holds the disguised records themselves: every count is estimated for the path to its node.

    It takes the time of the records for every node and attribute, and no memory for cells. A disguised attribute is
    tested once on a path, with a child for each value.
    """

    has_negative, has_missing = True, False

    def __init__(self, records: SeenRecords) -> None:
        distinct, counts = np.unique(records.codes, axis=1, return_counts=True)
        self.attributes, self.classes, self.sizes = records.attributes, records.classes, records.sizes
        self._codes, self._counts = distinct.astype(np.intp), counts.astype(float)
        self._parts, self._disguised = records.parts, records.disguised

    def root(self) -> Level:
        """The level that holds all records in one node."""
        rows, path = np.arange(len(self._counts)), np.full(len(self.sizes), OPEN)
        weights = self._class_weights(rows, self._corners(rows, path))
        return Level(rows, np.array([0, len(rows)]), weights[:, None], self._codes, paths=path[None])

    def histograms(self, level: Level) -> np.ndarray:
        """The weight by class, node and value, in this order of the axes; the values of all attributes side by side."""
        places = range(len(self.attributes))
        found = [np.hstack([self._histogram(*node, place) for place in places]) for node in _nodes(level)]
        return np.stack(found, axis=1)

    def descend(self, level: Level, splits: Splits) -> Level:
        """The level below: the children of all splits, in order."""
        below, paths = [], []
        splitting = zip(_nodes(level), splits.attribute, splits.routes, splits.n_children, strict=True)
        for (rows, path), place, route, children in splitting:
            for child in range(children):
                way = path.copy()
                if place in self._disguised:
                    way[place] = np.flatnonzero(route[: self.sizes[place]] == child)[0]
                    below.append(rows[self._corners(rows, way).any(axis=(0, 1))])
                else:
                    below.append(rows[route[self._codes[place, rows]] == child])
                paths.append(way)
        starts = offsets([len(rows) for rows in below])
        return Level(np.concatenate(below), starts, splits.class_weights, self._codes, paths=np.array(paths))

    def chance(self, level: Level, place: int) -> np.ndarray:
        """The gain, in bits a record, that chance gives on average to each degree of freedom of a split, by node.

        What a record adds to a cell beyond what its row and its column of the table say has a mean of 0 if attribute
        and class are independent. Its variance over the cell's expected count, summed over the cells, is the mean of
        χ² = 2 n ln 2 × gain: the degrees of freedom where nothing is disguised, and more where something is.
        """
        return np.array([self._chance(rows, path, place) for rows, path in _nodes(level)])

    def _corners(self, rows: np.ndarray, path: np.ndarray, place: int | None = None) -> np.ndarray:
        """What the records count for by whether they match: a class (first axis), a value of an attribute (second)."""
        own = len(self.attributes)
        asked = {own: CLASS} if place is None or path[place] != OPEN else {own: CLASS, place: VALUE}
        total = self._counts[rows] * np.ones((2, 2 if len(asked) == 2 else 1, 1))
        for part in self._parts:
            matches = {one: self._codes[one, rows] == path[one] for one in part.columns if path[one] != OPEN}
            matches |= {one: asked[one] for one in part.columns if one in asked}
            if matches:
                total = total * part.match_weights(matches)
        for one, match in asked.items():
            if one not in self._disguised:
                total = total * match
        return total

    def _class_weights(self, rows: np.ndarray, corners: np.ndarray) -> np.ndarray:
        other, same = corners[:, 0]
        return other.sum() + np.bincount(self._codes[-1, rows], same - other, len(self.classes))

    def _histogram(self, rows: np.ndarray, path: np.ndarray, place: int) -> np.ndarray:
        """The estimated count of each class (rows) and value (columns)."""
        corners, shape = self._corners(rows, path, place), (len(self.classes), self.sizes[place])
        if path[place] != OPEN:
            return self._class_weights(rows, corners)[:, None] * (np.arange(shape[1]) == path[place])
        c, v = self._codes[-1, rows], self._codes[place, rows]
        (neither, value), (class_, both) = corners
        found = np.bincount(c * shape[1] + v, both - class_ - value + neither, shape[0] * shape[1]).reshape(shape)
        found += np.bincount(c, class_ - neither, shape[0])[:, None] + np.bincount(v, value - neither, shape[1])
        return found + neither.sum()

    def _chance(self, rows: np.ndarray, path: np.ndarray, place: int) -> float:
        if path[place] != OPEN:
            return np.inf
        corners, counts = self._corners(rows, path, place) / self._counts[rows], self._counts[rows]
        c = self._codes[-1, rows] == np.arange(len(self.classes))[:, None, None]
        v = self._codes[place, rows] == np.arange(self.sizes[place])[:, None]
        cells = corners[c.astype(np.intp), v.astype(np.intp), np.arange(len(rows))]
        total = np.maximum(cells @ counts, 0)
        size = total.sum()
        if size <= 0:
            return np.inf
        p_c, p_v = (total.sum(axis=axis, keepdims=True)[..., None] / size for axis in (1, 0))
        by_class, by_value = cells.sum(axis=1, keepdims=True), cells.sum(axis=0, keepdims=True)
        excess = cells - p_v * by_class - p_c * by_value + p_c * p_v * by_class.sum(axis=0, keepdims=True)
        variance = (excess * excess) @ counts
        expected = (size * p_c * p_v)[..., 0]
        ratio = np.divide(variance, expected, out=np.zeros_like(variance), where=expected > 0)
        freedom = np.prod([np.count_nonzero(total.sum(axis=axis)) - 1 for axis in (0, 1)])
        return float(ratio.sum() / max(freedom, 1) / (2 * size * np.log(2)))


def _nodes(level: Level) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The records and the path of each node."""
    for start, stop, path in zip(level.starts[:-1], level.starts[1:], level.paths, strict=True):
        yield level.rows[start:stop], path


def grouped_table(records: SeenRecords) -> "EstimatedTable | PathTable":
    """The estimated counts of all cells, as weighted rows; path by path if there are too many cells, or
    if their counts would be so large, and of so many signs, that their sums were lost in rounding.
    """
    sizes, inside = records.sizes, list(range(len(records.sizes)))
    if prod(sizes) > MOST_CELLS:
        inside = records.disguised
    outside = [place for place in range(len(sizes)) if place not in inside]
    shape = tuple(sizes[place] for place in inside)
    patterns, pattern = _patterns(records.codes[outside])
    if prod(shape) * patterns.shape[1] > MOST_CELLS or _magnified(records) > MOST_MAGNIFIED:
        return PathTable(records)
    counts = np.zeros((patterns.shape[1], *shape))
    np.add.at(counts, (pattern, *records.codes[inside]), 1)
    counts = counts.reshape(len(counts), -1)
    for theta, places in records.groups:
        counts = _inverted(counts, theta, shape, tuple(inside.index(place) for place in places))
    own, cell = np.nonzero(counts)
    codes = np.empty((len(sizes), len(own)), np.min_scalar_type(max(sizes) - 1))
    codes[inside], codes[outside] = _cell_codes(shape)[:, cell], patterns[:, own]
    weights, class_codes = counts[own, cell], codes[-1].astype(np.intp)
    return EstimatedTable(records.attributes, records.classes, codes[:-1], class_codes, weights)


def _magnified(records: SeenRecords) -> float:
    """By how much the inverse may magnify an error."""
    return prod(1 / min(map(abs, part.eigenvalues())) for part in records.parts)


def _patterns(codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The different columns of some codes, and which of them each is."""
    if not len(codes):
        return np.empty((0, 1), dtype=codes.dtype), np.zeros(codes.shape[1], dtype=np.intp)
    patterns, pattern = np.unique(codes, axis=1, return_inverse=True)
    return patterns, pattern.ravel()


def _inverted(counts: np.ndarray, theta: float, shape: tuple[int, ...], axes: tuple[int, ...]) -> np.ndarray:
    """Counts (pattern, cell) before one group's disguise."""
    if theta == 1:
        return counts
    if all(shape[axis] == 2 for axis in axes):
        truth, opposite = theta / (2 * theta - 1), (theta - 1) / (2 * theta - 1)
        return truth * counts + opposite * counts[:, _reversal(shape, axes)]
    # Its matrix is diagonal in the Fourier basis: one eigenvalue where an attribute is the same for all its values.
    product = np.ones([1] * (len(shape) + 1))
    for axis in axes:
        own = np.full(shape[axis], -1 / (shape[axis] - 1))
        own[0] = 1
        product = product * own.reshape([-1 if place == axis + 1 else 1 for place in range(len(shape) + 1)])
    along = [axis + 1 for axis in axes]
    waves = np.fft.fftn(counts.reshape(-1, *shape), axes=along) / (theta + (1 - theta) * product)
    return np.fft.ifftn(waves, axes=along).real.reshape(counts.shape)


@lru_cache(maxsize=4)
def _cell_codes(shape: tuple[int, ...]) -> np.ndarray:
    """The codes of each cell, a row an axis."""
    codes = np.indices(shape, np.min_scalar_type(max(shape, default=1) - 1))
    return codes.reshape(len(shape), prod(shape))


@lru_cache(maxsize=64)
def _reversal(shape: tuple[int, ...], axes: tuple[int, ...]) -> np.ndarray:
    """The cell that each becomes when its values along some axes of two are reversed."""
    codes = list(_cell_codes(shape))
    for axis in axes:
        codes[axis] = 1 - codes[axis]
    return np.ravel_multi_index(codes, shape)
