"""Tables of records that were disguised in groups (DZ03 §4.5).

The counts of all cells go through the inverse once, group by group. A tree grows from the estimated counts as from any
others. Where there are too many cells, every count is estimated for the path to its node, from all disguised records.
"""

from dataclasses import replace
from math import prod

import numpy as np

from ppdm.tables.table import EstimatedTable, Level, Table

OPEN = -1  # the code of an attribute that was not tested on the way to a node
MAX_CELLS = 1 << 22
MAX_MAGNIFIED = 1e6  # how much the inverse may magnify a rounding error in the cells; on a path few groups do


def grouped_table(attributes, classes, codes, parts, by_path=False) -> Table:
    """The table of the estimated counts of all cells; or a ``PathTable``, where such a table is not possible.

    That is so if there are too many cells, or if their counts are so large, with so many signs, that rounding would
    spoil their sums.

    Parameters
    ----------
    attributes : what the codes mean
    classes : the class labels
    codes : of disguised records (columns); a row for each attribute, and a last one for the class
    parts : the groups, as in ``channel.parts``; a column that is no attribute's name is the class
    by_path : a ``PathTable`` in any case, because only that knows how uncertain a gain is
    """
    paths = PathTable(attributes, classes, codes, parts)
    inside = np.flatnonzero(paths.disguised)
    outside = np.flatnonzero(~paths.disguised)
    # What is not disguised takes one axis: of its combinations only those that occur.
    patterns, pattern = np.unique(codes[outside], axis=1, return_inverse=True)
    shape = (patterns.shape[1], *(paths.sizes[place] for place in inside))
    magnified = prod(1 / part.smallest_eigenvalue for part in parts)
    if by_path or prod(shape) > MAX_CELLS or magnified > MAX_MAGNIFIED:
        return paths
    # One number for each cell: NumPy counts these much faster than combinations.
    seen = np.ravel_multi_index((pattern, *codes[inside]), shape)
    counts = np.bincount(seen, minlength=prod(shape)).reshape(shape)
    for part, places in zip(parts, paths.places):
        axes = 1 + np.searchsorted(inside, places)
        last = range(-len(places), 0)
        counts = np.moveaxis(part.invert(np.moveaxis(counts, axes, last)), last, axes)
    counts = counts.ravel()
    cells = np.flatnonzero(counts)
    pattern, *values = np.unravel_index(cells, shape)
    found = dict(zip([*inside, *outside], [*values, *patterns[:, pattern]]))
    *columns, of_class = (found[place] for place in range(len(codes)))
    return EstimatedTable(attributes, classes, columns, of_class, counts[cells].astype(float))


class PathTable:
    """A table that holds the disguised records themselves: every count is estimated for the path to its node.

    It looks at the records again for every node and attribute, but keeps no cells. A disguised attribute is tested at
    most once on a path, and each of its values gets a child. The class is the last of what records have codes for.
    """

    has_negative = True
    has_missing = False

    def __init__(self, attributes, classes, codes, parts):
        self.attributes = tuple(attributes)
        self.classes = classes
        self.parts = parts
        self.sizes = [*(attribute.n_values for attribute in attributes), len(classes)]
        places = {attribute.name: place for place, attribute in enumerate(attributes)}
        # Where the columns of each group are: one that is no attribute is the class.
        self.places = [[places.get(name, len(places)) for name in part.columns] for part in parts]
        self.disguised = np.isin(range(len(self.sizes)), [place for own in self.places for place in own])
        self._records = codes

    def root(self) -> Level:
        """The level that holds all records in one node: the different ones, each with their number as its weight."""
        codes, numbers = np.unique(self._records, axis=1, return_counts=True)
        rows = np.arange(len(numbers))
        path = np.full(len(self.attributes), OPEN)
        # The weights of the classes are added up over the records of the level itself.
        level = Level(
            rows, np.zeros_like(rows), np.empty(0), codes.astype(np.intp), numbers.astype(float), path[None]
        )
        return replace(level, class_weights=self._weights(level, path).sum(axis=2))

    def histograms(self, level) -> np.ndarray:
        """The weight by class, node and value, in this order of the axes; the values of all attributes side by side."""
        places = range(len(self.attributes))
        found = [np.hstack([self._histogram(node, place) for place in places]) for node in level.blocks(1)]
        return np.stack(found, axis=1)

    def descend(self, level, splits) -> Level:
        """The level below: the children of all splits, in order."""
        below = []
        paths = []
        splitting = zip(level.blocks(1), splits.attribute, splits.routes, splits.n_children)
        for node, place, route, children in splitting:
            ways = route[node.codes[place, node.rows]]
            for number in range(children):
                path = node.paths[0].copy()
                inside = ways == number
                if self.disguised[place]:
                    # No record is known to have the child's value: those stay that count for anything there.
                    path[place] = np.argmax(route == number)
                    inside = self._weights(node, path).any(axis=(0, 1))
                below.append((node.rows[inside], node.weights[inside]))
                paths.append(path)
        rows, weights = map(np.concatenate, zip(*below))
        child = np.repeat(np.arange(len(below)), [len(own) for own, _ in below])
        return Level(rows, child, splits.class_weights, level.codes, weights, np.array(paths))

    def chance(self, level, place) -> np.ndarray:
        """The gain, in bits a record, that chance gives on average to each degree of freedom of a split, by node.

        If attribute and class are independent, what a record adds to a cell, beyond what its class and its value let
        expect, has a mean of 0. Its variance over the cell's expected count, summed over the cells, is the mean of
        χ² = 2 n ln 2 × gain. That is the number of degrees of freedom where nothing is disguised, else more.
        """
        return np.array([self._chance(node, place) for node in level.blocks(1)])

    def _weights(self, node, path, place=None):
        """The weight of each record (last axis) for a class (first) and, if asked, for a value of a place (second)."""
        codes = node.codes[:, node.rows]
        weights = node.weights
        values = 1
        # Which of the values that the event asks for does each record show?
        matches: dict = {tested: codes[tested] == path[tested] for tested in np.flatnonzero(path != OPEN)}
        matches[len(path)] = codes[-1] == np.arange(self.sizes[-1])[:, None, None]
        if place is not None:
            values = self.sizes[place]
            matches[place] = codes[place] == np.arange(values)[:, None]
        for part, places in zip(self.parts, self.places):
            asked = {name: matches.pop(own) for name, own in zip(part.columns, places) if own in matches}
            weights = weights * part.match_weights(asked) if asked else weights
        for match in matches.values():  # what no group disguises is as it is seen
            weights = weights * match
        return np.broadcast_to(weights, (self.sizes[-1], values, codes.shape[1]))

    def _histogram(self, node, place):
        """The estimated count of each class (rows) and value (columns)."""
        path = node.paths[0]
        tested = path[place] != OPEN
        if self.disguised[place] and not tested:
            return self._weights(node, path, place).sum(axis=2)
        # What was tested has one value here, whatever a record shows. What is not disguised has the value shown.
        shown = np.full(len(node.rows), path[place]) if tested else node.codes[place, node.rows]
        return np.array([np.bincount(shown, own, self.sizes[place]) for own in self._weights(node, path)[:, 0]])

    def _chance(self, node, place):
        path = node.paths[0]
        weights = node.weights
        if path[place] != OPEN:
            return np.inf
        cells = self._weights(node, path, place) / weights
        total = np.maximum(cells @ weights, 0)
        size = total.sum()
        if size <= 0:
            return np.inf
        of_class = total.sum(axis=1, keepdims=True) / size
        of_value = total.sum(axis=0, keepdims=True) / size
        # What each record adds to a cell, less the value's share of its class, and then the class's share of its value.
        excess = cells - of_value[..., None] * cells.sum(axis=1, keepdims=True)
        excess = excess - of_class[..., None] * excess.sum(axis=0, keepdims=True)
        variance = (excess * excess) @ weights
        expected = size * of_class * of_value
        possible = expected > 0
        chi_square = (variance[possible] / expected[possible]).sum()
        freedom = (np.count_nonzero(of_class) - 1) * (np.count_nonzero(of_value) - 1)
        return float(chi_square / max(freedom, 1) / (2 * size * np.log(2)))
