"""Counts for the paths of a tree, each from all disguised records (DZ03 §4.5), and how uncertain a gain is."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np

from ppdm.reconstruct.attribute import Attribute
from ppdm.reconstruct.groups import group_weights
from ppdm.reconstruct.table import Splits

Groups = Sequence[tuple[float, Sequence[int]]]  # theta, and the places of the attributes; the class has the last place
OPEN = -1  # the code of an attribute that was not tested on the way to a node
CLASS, VALUE = np.arange(2).reshape(2, 1, 1), np.arange(2).reshape(1, 2, 1)  # whether a record matches


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

    @property
    def disguised(self) -> list[int]:
        """The places that are in groups."""
        return sorted(place for _, places in self.groups for place in places)


@dataclass(frozen=True, eq=False)
class PathLevel:
    """The nodes of a level: which records can count in each, and the codes that lead to it."""

    rows: tuple[np.ndarray, ...]
    paths: tuple[np.ndarray, ...]

    @property
    def n_nodes(self) -> int:
        """How many nodes the level has."""
        return len(self.rows)

    def keep(self, nodes: np.ndarray) -> "PathLevel":
        """The level without the nodes that the mask leaves out."""
        return PathLevel(tuple(compress(self.rows, nodes)), tuple(compress(self.paths, nodes)))

    def blocks(self, most: int) -> Iterator["PathLevel"]:
        """The level in pieces of at most so many nodes."""
        for first in range(0, self.n_nodes, most):
            yield PathLevel(self.rows[first : first + most], self.paths[first : first + most])

    def nodes(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """The records and the path of each node."""
        return zip(self.rows, self.paths, strict=True)


class PathTable:
    """A table that holds the disguised records themselves: every count is estimated for the path to its node.

    It takes the time of the records for every node and attribute, and no memory for cells. A disguised attribute is
    tested once on a path, with a child for each value.
    """

    has_negative = True

    def __init__(self, records: SeenRecords) -> None:
        distinct, counts = np.unique(records.codes, axis=1, return_counts=True)
        self.attributes, self.classes, self.sizes = records.attributes, records.classes, records.sizes
        self._codes, self._counts = distinct.astype(np.intp), counts.astype(float)
        self._groups, self._disguised = records.groups, records.disguised

    def root(self) -> PathLevel:
        """The level that holds all records in one node."""
        return PathLevel((np.arange(len(self._counts)),), (np.full(len(self.sizes), OPEN),))

    def class_weights(self, level: PathLevel) -> np.ndarray:
        """The weight of each class (rows) in each node (columns)."""
        weights = [self._class_weights(rows, self._corners(rows, path)) for rows, path in level.nodes()]
        return np.reshape(weights, (-1, len(self.classes))).T

    def histograms(self, level: PathLevel) -> Iterator[np.ndarray]:
        """For each attribute, the weight by class, node and value, in this order of the axes."""
        for place in range(len(self.attributes)):
            yield np.stack([self._histogram(rows, path, place) for rows, path in level.nodes()], axis=1)

    def descend(self, level: PathLevel, splits: Splits) -> PathLevel:
        """The level below: the children of all splits, in order."""
        rows, paths = [], []
        for (own, path), place, route, children in zip(
            level.nodes(), splits.attribute, splits.routes, splits.n_children, strict=True
        ):
            for child in range(children):
                below = path.copy()
                if place in self._disguised:
                    below[place] = np.flatnonzero(route[: self.sizes[place]] == child)[0]
                    rows.append(own[self._corners(own, below).any(axis=(0, 1))])
                else:
                    rows.append(own[route[self._codes[place, own]] == child])
                paths.append(below)
        return PathLevel(tuple(rows), tuple(paths))

    def chance(self, level: PathLevel, place: int) -> np.ndarray:
        """The gain, in bits a record, that chance gives on average to each degree of freedom of a split, by node.

        What a record adds to a cell beyond what its row and its column of the table say has a mean of 0 if attribute
        and class are independent. Its variance over the cell's expected count, summed over the cells, is the mean of
        χ² = 2 n ln 2 × gain: the degrees of freedom where nothing is disguised, and more where something is.
        """
        return np.array([self._chance(rows, path, place) for rows, path in level.nodes()])

    def _corners(self, rows: np.ndarray, path: np.ndarray, place: int | None = None) -> np.ndarray:
        """What the records count for by whether they match: a class (first axis), a value of an attribute (second)."""
        own = len(self.attributes)
        asked = {own: CLASS} if place is None or path[place] != OPEN else {own: CLASS, place: VALUE}
        total = self._counts[rows] * np.ones((2, 2 if len(asked) == 2 else 1, 1))
        for theta, places in self._groups:
            tested = [one for one in places if path[one] != OPEN]
            asking = [one for one in places if one in asked]
            if tested or asking:
                matches = [self._codes[one, rows] == path[one] for one in tested] + [asked[one] for one in asking]
                total = total * group_weights(theta, [self.sizes[one] for one in tested + asking], matches)
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
