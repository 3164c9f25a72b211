"""Tables of records that were disguised in groups (DZ03 §4.5).

The counts of all cells go through the inverse once, group by group. A tree grows from the estimated counts as from any
others. Where there are too many cells, every count is estimated for the path to its node, from all disguised records.
"""

from collections.abc import Sequence
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from ppdm.reconstruct import Attribute
from ppdm.tables.table import EstimatedTable, Level, Splits, Table

OPEN = -1  # the code of an attribute that was not tested on the way to a node
MAX_CELLS = 1 << 22
MAX_MAGNIFIED = 1e6  # how much the inverse may magnify a rounding error in the cells; on a path few groups do


def grouped_table(
    attributes: Sequence[Attribute], classes: np.ndarray, codes: np.ndarray, parts: Sequence[Any], by_path: bool = False
) -> Table:
    """The table of the estimated counts of all cells; or a ``PathTable``, where such a table is not possible.

    That is so if there are too many cells, or if their counts are so large, with so many signs, that rounding would
    spoil their sums.

    Parameters
    ----------
    attributes : what the codes mean
    classes : the class labels
    codes : of disguised records (columns); a row an attribute, and a last one for the class
    parts : the groups, as in ``channel.parts``; a column that is no attribute's name is the class
    by_path : a ``PathTable`` in any case, because only that knows how uncertain a gain is
    """
    paths = PathTable(attributes, classes, codes, parts)
    inside = [place for place, name in enumerate(paths.names) if name in paths.disguised]
    outside = [place for place in range(len(codes)) if place not in inside]
    # What is not disguised takes one axis: of its combinations only those that occur. Without any it has one place,
    # which is not worth the sort.
    patterns, pattern = codes[outside, :1], np.zeros(codes.shape[1], dtype=np.intp)
    if outside:
        patterns, pattern = np.unique(codes[outside], axis=1, return_inverse=True)
    shape = (patterns.shape[1], *(paths.sizes[place] for place in inside))
    magnified = prod(1 / part.smallest_eigenvalue for part in parts)
    if by_path or prod(shape) > MAX_CELLS or magnified > MAX_MAGNIFIED:
        return paths
    counts = np.zeros(shape)
    np.add.at(counts, (pattern, *codes[inside]), 1)
    for part in parts:
        axes = [1 + inside.index(paths.names.index(name)) for name in part.columns]
        last = range(-len(axes), 0)
        counts = part.invert(np.moveaxis(counts, axes, last))
        counts = np.moveaxis(counts, last, axes)
    own, *cells = np.nonzero(counts)
    estimated = np.empty((len(codes), len(own)), int)
    estimated[outside] = patterns[:, own]
    for place, cell in zip(inside, cells, strict=True):
        estimated[place] = cell
    return EstimatedTable(tuple(attributes), classes, estimated[:-1], estimated[-1], counts[own, *cells])


class PathTable:
    """A table that holds the disguised records themselves: every count is estimated for the path to its node.

    It looks at the records again for every node and attribute, but keeps no cells. A disguised attribute is tested at
    most once on a path, and each of its values gets a child.
    """

    has_negative, has_missing = True, False

    def __init__(
        self, attributes: Sequence[Attribute], classes: np.ndarray, codes: np.ndarray, parts: Sequence[Any]
    ) -> None:
        self.attributes, self.classes, self.parts = tuple(attributes), classes, parts
        self.sizes = [*(attribute.n_values for attribute in attributes), len(classes)]
        self.disguised = {name for part in parts for name in part.columns}
        known = [attribute.name for attribute in attributes]
        # A class that is not disguised gets a name that no column can have.
        self.names = [*known, next(iter(self.disguised - set(known)), object())]
        self._records = codes

    @cached_property
    def _distinct(self):
        """The different records, and how many there are of each; a table of cells never asks for them."""
        distinct, counts = np.unique(self._records, axis=1, return_counts=True)
        return distinct.astype(np.intp), counts.astype(float)

    @property
    def _codes(self):
        return self._distinct[0]

    @property
    def _counts(self):
        return self._distinct[1]

    def root(self) -> Level:
        """The level that holds all records in one node."""
        rows, path = np.arange(len(self._counts)), np.full(len(self.attributes), OPEN)
        weights = self._weights(rows, path).sum(axis=2)
        return Level(rows, np.zeros_like(rows), weights, self._codes, paths=path[None])

    def histograms(self, level: Level) -> np.ndarray:
        """The weight by class, node and value, in this order of the axes; the values of all attributes side by side."""
        found = []
        for rows, path in _nodes(level):
            parts = [self._histogram(rows, path, place) for place in range(len(self.attributes))]
            found.append(np.hstack(parts))
        return np.stack(found, axis=1)

    def descend(self, level: Level, splits: Splits) -> Level:
        """The level below: the children of all splits, in order."""
        below, paths = [], []
        splitting = zip(_nodes(level), splits.attribute, splits.routes, splits.n_children, strict=True)
        for (rows, path), place, route, children in splitting:
            for child in range(children):
                way, inside = path.copy(), route[self._codes[place, rows]] == child
                if self.names[place] in self.disguised:
                    # No record is known to have the child's value: those stay that count for anything there.
                    way[place] = np.argmax(route == child)
                    inside = self._weights(rows, way).any(axis=(0, 1))
                below.append(rows[inside])
                paths.append(way)
        node = np.repeat(np.arange(len(below)), [len(rows) for rows in below])
        return Level(np.concatenate(below), node, splits.class_weights, self._codes, paths=np.array(paths))

    def chance(self, level: Level, place: int) -> np.ndarray:
        """The gain, in bits a record, that chance gives on average to each degree of freedom of a split, by node.

        If attribute and class are independent, what a record adds to a cell, beyond what its class and its value let
        expect, has a mean of 0. Its variance over the cell's expected count, summed over the cells, is the mean of
        χ² = 2 n ln 2 × gain. That is the number of degrees of freedom where nothing is disguised, else more.
        """
        return np.array([self._chance(rows, path, place) for rows, path in _nodes(level)])

    def _weights(self, rows, path, place=None):
        """The weight of each record (last axis) for a class (first) and, if asked, for a value of a place (second)."""
        codes, values = self._codes[:, rows], 1
        # Which of the values that the event asks for does each record show?
        matches: dict[Any, Any] = {self.names[one]: codes[one] == path[one] for one in np.flatnonzero(path != OPEN)}
        matches[self.names[-1]] = codes[-1] == np.arange(self.sizes[-1])[:, None, None]
        if place is not None:
            values = self.sizes[place]
            matches[self.names[place]] = codes[place] == np.arange(values)[:, None]
        weights = self._counts[rows]
        for part in self.parts:
            asked = {name: matches.pop(name) for name in part.columns if name in matches}
            weights = weights * part.match_weights(asked) if asked else weights
        for match in matches.values():  # what no group disguises is as it is seen
            weights = weights * match
        return np.broadcast_to(weights, (self.sizes[-1], values, len(rows)))

    def _histogram(self, rows, path, place):
        """The estimated count of each class (rows) and value (columns)."""
        tested = path[place] != OPEN
        if self.names[place] in self.disguised and not tested:
            return self._weights(rows, path, place).sum(axis=2)
        # What was tested has one value here, whatever a record shows. What is not disguised has the value shown.
        codes = np.full(len(rows), path[place]) if tested else self._codes[place, rows]
        return np.array([np.bincount(codes, own, self.sizes[place]) for own in self._weights(rows, path)[:, 0]])

    def _chance(self, rows, path, place):
        if path[place] != OPEN:
            return np.inf
        counts = self._counts[rows]
        cells = self._weights(rows, path, place) / counts
        total = np.maximum(cells @ counts, 0)
        size = total.sum()
        if size <= 0:
            return np.inf
        of_class = total.sum(axis=1, keepdims=True) / size
        of_value = total.sum(axis=0, keepdims=True) / size
        # What each record adds to a cell, less the value's share of its class, and then the class's share of its value.
        excess = cells - of_value[..., None] * cells.sum(axis=1, keepdims=True)
        excess = excess - of_class[..., None] * excess.sum(axis=0, keepdims=True)
        variance, expected = (excess * excess) @ counts, size * of_class * of_value
        possible = expected > 0
        chi_square = (variance[possible] / expected[possible]).sum()
        freedom = (np.count_nonzero(of_class) - 1) * (np.count_nonzero(of_value) - 1)
        return float(chi_square / max(freedom, 1) / (2 * size * np.log(2)))


def _nodes(level):
    """The records and the path of each node."""
    starts = np.searchsorted(level.node, np.arange(level.n_nodes + 1))
    for start, stop, path in zip(starts[:-1], starts[1:], level.paths, strict=True):
        yield level.rows[start:stop], path
