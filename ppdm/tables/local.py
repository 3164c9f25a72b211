"""AS00's Local: at every node that is not small, each attribute is reconstructed anew from the node's own records."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ppdm.reconstruct import Column
from ppdm.tables.table import EstimatedTable, Level


@dataclass(frozen=True, eq=False, kw_only=True)
class LocalTable(EstimatedTable):
    """A table whose codes are reconstructed again while a tree grows from it (AS00 §4.2, Local).

    An attribute that was tested on the way to a node keeps its codes there: "we retain this association between points
    and intervals in case there is a split on the same attribute lower in the tree". The records of such a node were
    chosen by the rank of x + y, so what is seen of them no longer carries noise of the known law.

    Parameters
    ----------
    attributes, classes, codes, class_codes : as in ``EstimatedTable``; the codes to begin with are those by class
    columns : the ``Column`` of each attribute
    estimate : the reconstruction of some records of a column, from the counts of what is seen of them
    least : a class of fewer records in a node keeps its codes there
    retain : False reconstructs tested attributes again too, which does not work: notebook 01 shows it
    """

    columns: Sequence[Column]
    estimate: Callable[[Column, np.ndarray], Any]
    least: int
    retain: bool = True

    def root(self) -> Level:
        """The level that holds all records, with the codes of the beginning. Nothing was tested yet."""
        untested = np.zeros((1, len(self.attributes)), dtype=bool)
        return replace(super().root(), codes=self.codes.copy(), paths=untested)

    def histograms(self, level) -> np.ndarray:
        """As ``EstimatedTable.histograms``, of codes that are reconstructed in the nodes of the level."""
        if len(level.rows) < len(self.class_codes) or level.n_nodes > 1:
            self._reconstruct(level)
        return super().histograms(level)

    def descend(self, level, splits) -> Level:
        """The level below, by the codes of this one."""
        tested = level.paths.copy()
        if self.retain:
            tested[np.arange(level.n_nodes), splits.attribute] = True
        return replace(super().descend(level, splits), paths=np.repeat(tested, splits.n_children, axis=0))

    def _reconstruct(self, level):
        classes = len(self.classes)
        cell = np.multiply(level.node, classes, dtype=np.intp) + self.class_codes[level.rows]
        # A class is reconstructed in a node by itself, if it has enough records there.
        large = np.bincount(cell, minlength=level.n_nodes * classes) >= self.least
        for column, codes, tested in zip(self.columns, level.codes, level.paths.T):
            wanted = large & ~np.repeat(tested, classes)
            if column.matrix is None or not wanted.any():
                continue
            strata = int(wanted.sum())
            stratum = np.full(len(codes), strata)
            stratum[level.rows] = np.where(wanted, np.cumsum(wanted) - 1, strata)[cell]
            column.recode(codes, stratum, strata, self.estimate)
