"""Tables of records that were disguised in groups (DZ03 §4.5).

The counts of all cells go through the inverse once, group by group: then each disguised record stands for itself and
its reversals, and a tree grows from the table as from any other. Where there are too many cells, every count is
estimated for the path to its node, from all disguised records.
"""

from collections.abc import Iterator, Sequence
from math import prod
from typing import Any

import numpy as np

from ppdm.reconstruct import Attribute
from ppdm.tables.table import EstimatedTable, Level, Splits, Table, offsets

OPEN = -1  # the code of an attribute that was not tested on the way to a node
MAX_CELLS = 1 << 22
MAX_MAGNIFIED = 1e6  # how much the inverse may magnify a rounding error in the cells; on a path few groups do


def grouped_table(
    attributes: Sequence[Attribute], classes: np.ndarray, codes: np.ndarray, parts: Sequence[Any], by_path: bool = False
) -> Table:
    """The estimated counts of all cells; path by path, if there are too many cells, or if their counts would be so
    large, and of so many signs, that their sums were lost in rounding.

    Parameters
    ----------
    attributes : what the codes mean
    classes : the class labels
    codes : of disguised records (columns); a row an attribute, and a last one for the class
    parts : the groups, as in ``channel.parts``; a column that is no attribute's name is the class
    by_path : path by path in any case, which also tells how uncertain a gain is
    """
    paths = PathTable(attributes, classes, codes, parts)
    inside = [place for place, name in enumerate(paths.names) if name in paths.disguised]
    outside = [place for place in range(len(codes)) if place not in inside]
    patterns, pattern = np.unique(codes[outside], axis=1, return_inverse=True) if outside else (codes[:0, :1], 0)
    shape = (patterns.shape[1], *(paths.sizes[place] for place in inside))
    magnified = prod(1 / min(map(abs, part.eigenvalues())) for part in parts)
    if by_path or prod(shape) > MAX_CELLS or magnified > MAX_MAGNIFIED:
        return paths
    counts = np.zeros(shape)
    np.add.at(counts, (pattern, *codes[inside]), 1)
    for part in parts:
        axes = tuple(1 + inside.index(paths.names.index(name)) for name in part.columns)
        counts = _inverted(counts, part, axes)
    own, *cells = np.nonzero(counts)
    estimated = np.empty((len(codes), len(own)), int)
    estimated[outside] = patterns[:, own]
    for place, cell in zip(inside, cells, strict=True):
        estimated[place] = cell
    return EstimatedTable(tuple(attributes), classes, estimated[:-1], estimated[-1], counts[own, *cells])


def _inverted(counts: np.ndarray, part: Any, axes: tuple[int, ...]) -> np.ndarray:
    """Counts before the disguise of one group, whose attributes are some of the axes."""
    if part.theta == 1:
        return counts
    if set(part.sizes) == {2}:  # which keeps the cells of 0 that nobody's reversal meets
        whole = 2 * part.theta - 1
        return part.theta / whole * counts + (part.theta - 1) / whole * np.flip(counts, axes)
    # Its matrix is diagonal in the Fourier basis: one eigenvalue where an attribute is the same for all its values.
    product = np.ones([1] * counts.ndim)
    for axis, k in zip(axes, part.sizes, strict=True):
        own = np.array([1, *[-1 / (k - 1)] * (k - 1)])
        product = product * np.expand_dims(own, [place for place in range(counts.ndim) if place != axis])
    waves = np.fft.fftn(counts, axes=axes) / (part.theta + (1 - part.theta) * product)
    return np.fft.ifftn(waves, axes=axes).real


class PathTable:
    """A table that holds the disguised records themselves: every count is estimated for the path to its node.

    It takes the time of the records for every node and attribute, and no memory for cells. A disguised attribute is
    tested once on a path, with a child for each value.
    """

    has_negative, has_missing = True, False

    def __init__(
        self, attributes: Sequence[Attribute], classes: np.ndarray, codes: np.ndarray, parts: Sequence[Any]
    ) -> None:
        distinct, counts = np.unique(codes, axis=1, return_counts=True)
        self.attributes, self.classes, self.parts = tuple(attributes), classes, parts
        self.sizes = [*(attribute.n_values for attribute in attributes), len(classes)]
        self.disguised = {name for part in parts for name in part.columns}
        known = [attribute.name for attribute in attributes]
        self.names = [*known, next(iter(self.disguised - set(known)), object())]
        self._codes, self._counts = distinct.astype(np.intp), counts.astype(float)

    def root(self) -> Level:
        """The level that holds all records in one node."""
        rows, path = np.arange(len(self._counts)), np.full(len(self.attributes), OPEN)
        weights = self._weights(rows, path).sum(axis=2)
        return Level(rows, np.array([0, len(rows)]), weights, self._codes, paths=path[None])

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
                way, inside = path.copy(), route[self._codes[place, rows]] == child
                if self.names[place] in self.disguised:
                    way[place] = np.flatnonzero(route[: self.sizes[place]] == child)[0]
                    inside = self._weights(rows, way).any(axis=(0, 1))
                below.append(rows[inside])
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

    def _weights(self, rows: np.ndarray, path: np.ndarray, place: int | None = None) -> np.ndarray:
        """What each record (last axis) counts for in a class (first) and, if asked, a value of a place (second)."""
        codes = self._codes[:, rows]
        matches: dict[Any, Any] = {self.names[one]: codes[one] == path[one] for one in np.flatnonzero(path != OPEN)}
        matches[self.names[-1]] = codes[-1] == np.arange(self.sizes[-1])[:, None, None]
        if place is not None:
            matches[self.names[place]] = codes[place] == np.arange(self.sizes[place])[:, None]
        weights = self._counts[rows]
        for part in self.parts:
            asked = {name: matches.pop(name) for name in part.columns if name in matches}
            weights = weights * part.match_weights(asked) if asked else weights
        for match in matches.values():  # what no group disguises is as it is seen
            weights = weights * match
        return np.broadcast_to(weights, (self.sizes[-1], 1 if place is None else self.sizes[place], len(rows)))

    def _histogram(self, rows: np.ndarray, path: np.ndarray, place: int) -> np.ndarray:
        """The estimated count of each class (rows) and value (columns)."""
        k = self.sizes[place]
        if path[place] != OPEN:
            return self._weights(rows, path).sum(axis=2) * (np.arange(k) == path[place])
        if self.names[place] in self.disguised:
            return self._weights(rows, path, place).sum(axis=2)
        codes = self._codes[place, rows]
        return np.array([np.bincount(codes, own, k) for own in self._weights(rows, path)[:, 0]])

    def _chance(self, rows: np.ndarray, path: np.ndarray, place: int) -> float:
        if path[place] != OPEN:
            return np.inf
        counts = self._counts[rows]
        cells = self._weights(rows, path, place) / counts
        total = np.maximum(cells @ counts, 0)
        size = total.sum()
        if size <= 0:
            return np.inf
        of_class, of_value = (total.sum(axis=axis, keepdims=True) / size for axis in (1, 0))
        by_class, by_value = cells.sum(axis=1, keepdims=True), cells.sum(axis=0, keepdims=True)
        # What the record adds, less what its class and its value let expect.
        excess = cells - of_value[..., None] * by_class - of_class[..., None] * by_value
        excess += (of_class * of_value)[..., None] * by_class.sum(axis=0)
        variance, expected = (excess * excess) @ counts, size * of_class * of_value
        ratio = np.divide(variance, expected, out=np.zeros_like(variance), where=expected > 0)
        freedom = np.prod([np.count_nonzero(total.sum(axis=axis)) - 1 for axis in (0, 1)])
        return float(ratio.sum() / max(freedom, 1) / (2 * size * np.log(2)))


def _nodes(level: Level) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The records and the path of each node."""
    for start, stop, path in zip(level.starts[:-1], level.starts[1:], level.paths, strict=True):
        yield level.rows[start:stop], path
