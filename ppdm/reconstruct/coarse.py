"""A column in few intervals, as an axis of a grid that several columns share."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Self

import numpy as np

from ppdm.disguise.release import closed_edges
from ppdm.reconstruct.attribute import Attribute
from ppdm.reconstruct.column import DisguisedColumn
from ppdm.reconstruct.stopping import TINY


@dataclass(frozen=True, eq=False)
class TrueColumn:
    """An attribute that is not disguised: the code of each record."""

    attribute: Attribute
    seen: np.ndarray

    @property
    def edges(self) -> np.ndarray:
        """Of the codes; the outermost intervals are as wide as their neighbours, as far as there are such numbers."""
        cuts = np.asarray(self.attribute.edges or ())
        if self.attribute.kind != "numeric" or not len(cuts):
            return np.arange(self.attribute.n_values + 1) - 0.5
        if len(cuts) == 1:  # a very large number plus 1 would be the same number
            return cuts[0] + max(1.0, np.spacing(abs(cuts[0]))) * np.array([-1.0, 0.0, 1.0])
        largest = np.finfo(float).max
        with np.errstate(over="ignore"):
            return np.clip(closed_edges(np.r_[-np.inf, cuts, np.inf]), -largest, largest)


@dataclass(frozen=True, eq=False)
class CoarseColumn:
    """A column whose neighbouring codes are taken together.

    Parameters
    ----------
    attribute, edges : what the coarse intervals mean
    group : the coarse interval of each code of the column
    seen : the coarse seen interval of each record
    matrix : P(coarse seen | coarse true); None where the column is true
    """

    attribute: Attribute
    edges: np.ndarray
    group: np.ndarray
    seen: np.ndarray
    matrix: np.ndarray | None

    @property
    def sizes(self) -> tuple[int, int]:
        """How many true and how many seen intervals there are."""
        true = self.attribute.n_values
        return true, true if self.matrix is None else self.matrix.shape[1]

    def same_as(self, other: "CoarseColumn") -> bool:
        """Whether another cut of the same column is the same, on both sides."""
        return self.sizes == other.sizes and np.array_equal(self.seen, other.seen)

    @classmethod
    def of(cls, column: DisguisedColumn | TrueColumn, most: int, most_seen: int) -> Self:
        """At most so many intervals; a nominal column stays as it is, for its categories have no neighbours.

        What is seen of a disguised column is cut in at most ``most_seen`` intervals of about as many records each; a
        nominal and a true column ignore that number.
        """
        matrix = column.matrix if isinstance(column, DisguisedColumn) else None
        values = column.attribute.n_values
        if column.attribute.kind == "nominal":
            return cls(column.attribute, column.edges, np.arange(values), column.seen, matrix)
        cuts = np.rint(np.linspace(0, values, min(most, values) + 1)).astype(int)
        group = np.repeat(np.arange(len(cuts) - 1), np.diff(cuts))
        attribute, edges = _merged(column, cuts)
        if not isinstance(column, DisguisedColumn):
            return cls(attribute, edges, group, _narrow(group)[column.seen], None)
        weights = column.start[:, None] + TINY
        rows = np.add.reduceat(weights * column.matrix, cuts[:-1]) / np.add.reduceat(weights, cuts[:-1])
        place = _shared_out(np.bincount(column.seen, minlength=column.matrix.shape[1]), most_seen)
        first = np.flatnonzero(np.diff(place, prepend=-1))
        return cls(attribute, edges, group, _narrow(place)[column.seen], np.add.reduceat(rows, first, axis=1))


def _narrow(codes: np.ndarray) -> np.ndarray:
    """The codes in the narrowest type: a search keeps them, for many grids and as many records as there are."""
    return codes.astype(np.min_scalar_type(int(codes.max())))


def _merged(column: DisguisedColumn | TrueColumn, cuts: np.ndarray) -> tuple[Attribute, np.ndarray]:
    """What stands between the cuts, places among the column's codes, and its edges."""
    known = column.attribute
    if known.kind == "numeric":
        return Attribute.numeric(known.name, column.edges[cuts][1:-1]), column.edges[cuts]
    parts = [(known.categories or ())[low:high] for low, high in pairwise(cuts)]
    names = [part[0] if len(part) == 1 else f"{part[0]} to {part[-1]}" for part in parts]
    return Attribute.categorical(known.name, names, ordered=True), np.arange(len(names) + 1) - 0.5


def _shared_out(counts: np.ndarray, most: int) -> np.ndarray:
    """A number for each count, 0 or more and not falling, so that as much falls to each of at most so many numbers."""
    middle = np.cumsum(counts) - counts / 2
    place = np.minimum((middle * most / max(counts.sum(), 1)).astype(int), most - 1)
    found: Any = np.unique(place, return_inverse=True)[1]
    return found
