"""Class shares in the cells of a grid: all records say where people are, each class who they are.

Reconstructed alone, each class fits the chance of its own records, and their quotient, which a classifier goes by,
magnifies it. So the distribution of all records together is estimated first, which needs few steps. Then Bayes steps
estimate which share of each cell belongs to each class while the cells' sums stay as they are. Such shares lie
between 0 and 1, and more steps hardly make them worse.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from ppdm.reconstruct.attribute import Attribute
from ppdm.reconstruct.coarse import CoarseColumn
from ppdm.reconstruct.grid import JointDistribution
from ppdm.reconstruct.iteration import iterate
from ppdm.reconstruct.joint import disguise_again, maps_between
from ppdm.reconstruct.stopping import TINY, FixedStop, StoppingRule

BATCH = 1 << 17  # records whose codes are drawn at a time, which bounds the memory
MIX_STOP = FixedStop(
    50
)  # of all records together: 10 blur many records, 500 bring spikes to few (notebook 06, section 4)


@dataclass(frozen=True, eq=False)
class ClassGrid:
    """A grid of several columns, with the records of each class.

    Parameters
    ----------
    columns : its axes
    class_codes : the class of each record
    n_classes : how many there are
    """

    columns: Sequence[CoarseColumn]
    class_codes: np.ndarray
    n_classes: int

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the true cells, the classes first."""
        return self.n_classes, *(column.sizes[0] for column in self.columns)

    @property
    def seen_shape(self) -> tuple[int, ...]:
        """Of the seen cells, the classes first."""
        return self.n_classes, *(column.sizes[1] for column in self.columns)

    @property
    def matrices(self) -> list[np.ndarray | None]:
        """One for each axis; none for the classes, which are true."""
        return [None, *(column.matrix for column in self.columns)]

    def counts(self, rows: np.ndarray | slice = slice(None)) -> np.ndarray:
        """How many of these records are seen in each cell."""
        codes = (self.class_codes[rows], *(column.seen[rows] for column in self.columns))
        cells = np.ravel_multi_index(codes, self.seen_shape)
        return np.bincount(cells, minlength=math.prod(self.seen_shape)).reshape(self.seen_shape)

    def mix(self, counts: np.ndarray) -> np.ndarray:
        """The distribution of all records over the true cells, whatever their class."""
        even = np.full((1, *self.shape[1:]), 1 / math.prod(self.shape[1:]))
        return self._steps(counts.sum(axis=0, keepdims=True), even, MIX_STOP, total=None)[0][0]

    def shares(
        self, counts: np.ndarray, mix: np.ndarray, stop: StoppingRule, known: np.ndarray | None = None
    ) -> tuple[np.ndarray, bool]:
        """P(class, true cell), whose sum over the classes is the mix, and whether the rule was met within its cap.

        Parameters
        ----------
        counts : of seen cells
        mix : of all records
        stop : when the Bayes steps end
        known : which seen cells the rule is told the shares of; None: those with a count
        """
        of_class = counts.reshape(self.n_classes, -1).sum(axis=1) / counts.sum()
        start = of_class.reshape(-1, *(1,) * mix.ndim) * mix
        return self._steps(counts, start, stop, mix, known)

    def _steps(
        self,
        counts: np.ndarray,
        start: np.ndarray,
        stop: StoppingRule,
        total: np.ndarray | None,
        known: np.ndarray | None = None,
    ) -> tuple[np.ndarray, bool]:
        held = np.flatnonzero(counts if known is None else known)
        forward, backward = maps_between(start.shape, counts.shape, held, self.matrices)

        def keep_total(total: np.ndarray, shares: np.ndarray) -> np.ndarray:
            by_class = shares.reshape(start.shape)
            sums = by_class.sum(axis=0)
            # A cell that no record can be in has no shares of its own: it keeps those of the start.
            scale = np.divide(total, sums, out=np.zeros_like(sums), where=sums > TINY)
            return np.where(sums > TINY, by_class * scale, start).ravel()

        last, met = iterate(
            lambda shares: np.maximum(forward(shares), TINY),
            backward,
            counts.ravel()[held],
            start.ravel(),
            stop,
            None if total is None else partial(keep_total, total),
            note=lambda _new, _seen: None,
        )
        return last[-1].reshape(start.shape), met

    def distribution(self, shares: np.ndarray, classes: np.ndarray) -> JointDistribution:
        """The shares, with what the axes mean: first the classes, then the columns."""
        axes = {column.attribute.name: column.edges for column in self.columns}
        name = "class"
        while name in axes:
            name += " of the record"
        of_class = Attribute.categorical(name, classes.tolist())
        edges = {name: np.arange(self.n_classes + 1) - 0.5, **axes}
        return JointDistribution((of_class, *(column.attribute for column in self.columns)), edges, shares)

    def cells(self, shares: np.ndarray, rng: np.random.Generator) -> list[np.ndarray]:
        """For each axis, the true code of each record: drawn by its posterior, P(cell | what is seen of it, its class).

        One axis after the other: the first code given all that is seen, the second given the first code too, and so on.
        """
        drawn: list[np.ndarray] = []
        for axis, column in enumerate(self.columns):
            later = self.columns[axis + 1 :]
            # The axes of codes that are drawn already stay true; those still to come are disguised again.
            ahead = disguise_again(shares, [None] * (axis + 2) + [other.matrix for other in later])
            at = (self.class_codes, *drawn, *(other.seen for other in later))
            drawn.append(
                column.seen if column.matrix is None else _drawn(np.moveaxis(ahead, axis + 1, -1), at, column, rng)
            )
        return drawn


def _drawn(ahead: np.ndarray, at: Sequence[np.ndarray], column: CoarseColumn, rng: np.random.Generator) -> np.ndarray:
    """A code for each record: by its share, the last axis, where the record is, times P(what is seen of it | code)."""
    assert column.matrix is not None
    codes = np.empty(len(column.seen), dtype=np.int64)
    for first in range(0, len(codes), BATCH):
        part = slice(first, first + BATCH)
        weights = ahead[tuple(place[part] for place in at)] * column.matrix[:, column.seen[part]].T
        upto = np.cumsum(weights + TINY, axis=1)
        lot = rng.random(len(upto)) * upto[:, -1]
        codes[part] = np.minimum((upto <= lot[:, None]).sum(axis=1), upto.shape[1] - 1)
    return codes
