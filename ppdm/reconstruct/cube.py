"""A table of all cells of two-valued attributes, as an array: what a tree asks of it are sums over its axes."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ppdm.reconstruct.attribute import Attribute
from ppdm.reconstruct.table import Splits


@dataclass(frozen=True, eq=False)
class CubeLevel:
    """The nodes of a level: counts (node, class, cell), and the attributes that the cells of each are made of."""

    counts: np.ndarray
    open: np.ndarray

    @property
    def n_nodes(self) -> int:
        """How many nodes the level has."""
        return len(self.counts)

    def keep(self, nodes: np.ndarray) -> "CubeLevel":
        """The level without the nodes that the mask leaves out."""
        return self if nodes.all() else CubeLevel(self.counts[nodes], self.open[nodes])

    def blocks(self, most: int) -> Iterator["CubeLevel"]:
        """The level in pieces of at most so many nodes."""
        for first in range(0, self.n_nodes, most):
            yield CubeLevel(self.counts[first : first + most], self.open[first : first + most])


class CubeTable:
    """Estimated counts of all cells, where every attribute has two values and most cells are not 0.

    Parameters
    ----------
    attributes : of two values each
    classes : the class labels
    counts : a row a class, a column a cell; the last attribute changes fastest
    """

    def __init__(self, attributes: tuple[Attribute, ...], classes: np.ndarray, counts: np.ndarray) -> None:
        self.attributes, self.classes, self.counts = attributes, classes, np.ascontiguousarray(counts)
        self.has_negative = bool((counts < 0).any())

    def root(self) -> CubeLevel:
        """The level that holds all cells in one node."""
        return CubeLevel(self.counts[None], np.arange(len(self.attributes))[None])

    def class_weights(self, level: CubeLevel) -> np.ndarray:
        """The weight of each class (rows) in each node (columns)."""
        return level.counts.sum(axis=2).T

    def histograms(self, level: CubeLevel) -> Iterator[np.ndarray]:
        """For each attribute, the weight by class, node and value; one that was tested has the first value only.

        The first axis is summed by its halves and then folded away, so that all axes together cost two of them.
        """
        nodes, classes = level.counts.shape[:2]
        found = np.zeros((len(self.attributes), nodes, classes, 2))
        found[:, :, :, 0] = level.counts.sum(axis=2)
        rest = level.counts
        for place in level.open.T:
            halves = rest.reshape(nodes, classes, 2, -1)
            found[place, np.arange(nodes)] = halves.sum(axis=3)
            rest = halves[:, :, 0] + halves[:, :, 1]
        yield from found.transpose(0, 2, 1, 3)

    def descend(self, level: CubeLevel, splits: Splits) -> CubeLevel:
        """The level below: the children of all splits, in order."""
        nodes, classes, cells = level.counts.shape
        if not nodes:
            return level
        counts = np.empty((nodes, 2, classes, cells // 2))
        place = (level.open == splits.attribute[:, None]).argmax(axis=1)
        for axis in np.unique(place):
            here = np.flatnonzero(place == axis)
            parts = level.counts[here].reshape(len(here), classes, 1 << axis, 2, -1)
            for value in (0, 1):
                child = splits.routes[here, value]
                counts[here, child] = parts[:, :, :, value].reshape(len(here), classes, -1)
        left = level.open[level.open != splits.attribute[:, None]].reshape(nodes, -1)
        return CubeLevel(counts.reshape(2 * nodes, classes, -1), np.repeat(left, 2, axis=0))
