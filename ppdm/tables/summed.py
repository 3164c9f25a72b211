"""Rows that are held apart, of which only sums come together (Vaidya & Clifton 2004)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ppdm.reconstruct import Attribute
from ppdm.tables.table import EstimatedTable, Level


@dataclass(frozen=True, eq=False)
class SummedTable:
    """A table whose rows are held by several parties; each grows the tree from its own rows and the sums of all.

    Parameters
    ----------
    own : the rows of this party, with attributes and classes that all parties agree on
    total : adds up what all parties have; it is given what is summed, in words, and the own array
    has_negative : whether sums can be below 0, because noise is added
    """

    own: EstimatedTable
    total: Callable[[str, np.ndarray], np.ndarray]
    has_negative: bool = False
    has_missing = False

    @property
    def attributes(self) -> Sequence[Attribute]:
        """What the codes of each attribute mean."""
        return self.own.attributes

    @property
    def classes(self) -> np.ndarray:
        """The class labels."""
        return self.own.classes

    def root(self) -> Level:
        """The level that holds all rows in one node."""
        level = self.own.root()
        return replace(level, class_weights=self.total("classes", level.class_weights))

    def histograms(self, level) -> np.ndarray:
        """The weight by class, node and value, of the rows of all parties."""
        return self.total("histograms", self.own.histograms(level))

    def descend(self, level, splits) -> Level:
        """The level below; what its nodes weigh follows from the histograms, without a further sum."""
        return replace(self.own.descend(level, splits), class_weights=splits.class_weights)
