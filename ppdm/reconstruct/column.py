"""A disguised column, and the true-looking codes that its records are given, group by group (AS00 §4.2)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd

from ppdm.disguise.categories import CategoryChannel
from ppdm.disguise.release import NumericChannel
from ppdm.reconstruct.attribute import Attribute
from ppdm.reconstruct.bayes import Reconstruction, check_reachable, seen_through
from ppdm.reconstruct.distribution import Distribution
from ppdm.reconstruct.inverse import likeliest
from ppdm.reconstruct.stopping import TINY


@dataclass(frozen=True, eq=False)
class DisguisedColumn:
    """An attribute as the miner has it: disguised.

    Parameters
    ----------
    attribute : what its true codes mean
    edges : of the true intervals; of categories those of their codes
    seen : the seen interval or category of each record
    order : the records by what is seen of them; ties by lot, or equal records would get low codes of all attributes
    matrix : P(seen | true code)
    start : where the estimate of a group starts
    """

    attribute: Attribute
    edges: np.ndarray
    seen: np.ndarray
    order: np.ndarray
    matrix: np.ndarray
    start: np.ndarray

    @classmethod
    def numeric(cls, name: Any, values: Any, channel: NumericChannel, bins: Any, exact: bool, rng: Any) -> Self:
        """Numbers, to be reconstructed over intervals of the channel's domain: so many, or with the given edges."""
        released, edges = channel.released_values(values), channel.true_bins(bins)
        order, start = _sorted(released, channel.grid, rng), Distribution.uniform(edges).probabilities
        seen, matrix = seen_through(channel, released, edges, exact, order)
        check_reachable(np.bincount(seen, minlength=matrix.shape[1]), matrix, start)
        return cls(Attribute.numeric(name, edges[1:-1]), edges, seen, order, matrix, start)

    @classmethod
    def categorical(cls, name: Any, values: Any, channel: CategoryChannel, order: Any, rng: Any) -> Self:
        """Categories, nominal or in an order.

        A group's estimate starts at that of all records. Where noise leaves little to see, it then stops near it,
        instead of taking chance, which keeping or replacing magnifies, for a difference between the classes.

        Parameters
        ----------
        order : the categories from the lowest to the highest; None: nominal
        """
        seen, matrix = channel.codes(values), channel.matrix()
        categories = list(channel.categories)
        if order is not None:
            places = pd.Index(order).get_indexer(categories)
            listed = np.argsort(places)
            seen, categories, matrix = places[seen], order, matrix[np.ix_(listed, listed)]
        start = np.full(channel.k, 1 / channel.k)
        if not np.allclose(matrix, matrix[0], rtol=1e-5, atol=0):
            start = likeliest(np.bincount(seen, minlength=channel.k), matrix)
        attribute = Attribute.categorical(name, categories, order is not None)
        return cls(attribute, np.arange(channel.k + 1) - 0.5, seen, _sorted(seen, 1, rng), matrix, start)

    def all_codes(self, group: np.ndarray, estimate: Estimate) -> tuple[np.ndarray, list[Reconstruction]]:
        """A code for every record, and the reconstruction of each group; groups are numbered from 0."""
        codes = np.empty(len(group), np.min_scalar_type(len(self.matrix)))
        rows, values, found = self.codes(group, int(group.max()) + 1, estimate)
        codes[rows] = values
        return codes, found

    def codes(
        self, group: np.ndarray, groups: int, estimate: Estimate
    ) -> tuple[np.ndarray, np.ndarray, list[Reconstruction]]:
        """Some records, a code for each, spread in each group as its reconstruction says, and the reconstructions.

        Numbers by rank: the lowest N(I_1) of a group's values go to the first interval, and so on (§4.2). Categories by
        the posterior: of the records of one group and one seen category, each true one has its share, chosen by lot.

        Parameters
        ----------
        group : the group of each record, 0 … groups − 1; records of other groups are left out
        estimate : how the distribution of a group is reconstructed
        """
        group = group.astype(np.min_scalar_type(groups))  # sixteen-bit keys are sorted in linear time
        order = self.order[group[self.order] < groups]
        rows = order[np.argsort(group[order], kind="stable")]
        width = self.matrix.shape[1]
        cells = np.multiply(group[rows], width, dtype=np.int64) + self.seen[rows]
        counts = np.bincount(cells, minlength=groups * width).reshape(groups, width)
        spread = self._by_rank if self.attribute.kind == "numeric" else self._by_posterior
        found = [estimate(self, seen) for seen in counts]
        runs = np.array([spread(seen, one.distribution.probabilities) for seen, one in zip(counts, found, strict=True)])
        values = np.tile(np.arange(len(self.matrix)), runs.size // len(self.matrix))
        return rows, np.repeat(values, runs.ravel()), found

    def within(self, group: np.ndarray, shares: np.ndarray, coarse: np.ndarray, drawn: np.ndarray) -> np.ndarray:
        """A code for every record within the coarse interval that was drawn for it, by rank, as ``codes`` spreads them.

        Parameters
        ----------
        group : the group of each record
        shares : the distribution of each group (rows) over the codes
        coarse : the coarse interval of each code
        drawn : the coarse interval of each record
        """
        inside = coarse == np.arange(coarse[-1] + 1)[:, None]
        # Where a group has no share in a whole interval, the records that were drawn for it are spread evenly.
        weights = np.where(inside, shares[:, None] + TINY, 0)
        parts = weights / weights.sum(axis=2, keepdims=True)
        cell = group * len(inside) + drawn
        rows = self.order[np.argsort(cell[self.order], kind="stable")]
        counts = np.bincount(cell, minlength=len(shares) * len(inside)).reshape(*parts.shape[:2], 1)
        runs = _whole(counts * parts)
        codes = np.empty(len(group), np.min_scalar_type(len(coarse)))
        codes[rows] = np.repeat(np.tile(np.arange(len(coarse)), counts.size), runs.ravel())
        return codes

    def _by_rank(self, seen: np.ndarray, shares: np.ndarray) -> np.ndarray:
        return _whole(seen.sum() * shares)

    def _by_posterior(self, seen: np.ndarray, shares: np.ndarray) -> np.ndarray:
        joint = (shares[:, None] * self.matrix).T
        return _whole(seen[:, None] * joint / np.maximum(joint.sum(axis=1, keepdims=True), TINY))


def _whole(counts: np.ndarray) -> np.ndarray:
    """Counts with a whole sum as whole numbers with the same sum: no cumulated count moves by more than a half."""
    return np.diff(np.rint(np.cumsum(counts, axis=-1)).astype(np.int64), axis=-1, prepend=0)


def _sorted(values: np.ndarray, gap: float | None, rng: np.random.Generator) -> np.ndarray:
    """The records by value. Chance moves each value by less than half the gap between two, which breaks ties by lot,
    and the same way on every machine: where none are equal, all sort alike.
    """
    return np.argsort(values + 0.99 * (gap or 0.0) * (rng.random(len(values)) - 0.5))


# From what is seen of a group of a column's records, as counts, to the reconstruction of its true codes.
Estimate = Callable[[DisguisedColumn, np.ndarray], Reconstruction]
