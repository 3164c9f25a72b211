"""A column: what its codes mean, what is seen of each record, and P(seen | true).

A tree needs a true-looking code for each record. The records are spread over the codes as a reconstruction says:
numbers by rank, categories by the posterior (AS00 §4.2).
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, Self

import numpy as np

from ppdm import checks, randomness
from ppdm.cuts import interval_of
from ppdm.disguise import CategoryChannel, Channel, NumericChannel
from ppdm.reconstruct.attribute import MAX_TRUE_INTERVALS, Attribute, closed, code_edges
from ppdm.reconstruct.distribution import Distribution
from ppdm.reconstruct.em import Reconstruction, solve
from ppdm.reconstruct.inverse import likeliest
from ppdm.reconstruct.stopping import TINY


@dataclass(frozen=True, eq=False)
class Column:
    """A column of records as the miner has it, true or disguised.

    Parameters
    ----------
    attribute : what its true codes mean
    edges : of the true intervals; of categories those of their codes
    seen : what is seen of each record: the seen interval or category; of a true column its code
    matrix : P(seen | true code); None: the column is true
    start : where a reconstruction starts; None for a true column
    ranks : of a disguised column a number for each record, all different, in the order of what is seen of them. Ties
        are broken at random: else records that are equal in one column would get the same low codes in every column.
    """

    attribute: Attribute
    edges: np.ndarray
    seen: np.ndarray
    matrix: Any = None
    start: Any = None
    ranks: Any = None

    @classmethod
    def of(
        cls,
        name,
        column,
        channel: Channel | None = None,
        cuts=None,
        exact: bool = True,
        rng=None,
    ) -> Self:
        """Read a column of values, true or disguised.

        Parameters
        ----------
        column : an array or a Series; its dtype says what it is, and the order of its categories if they have one
        channel : what disguised it; None: it is true
        cuts : for numbers, the largest number of intervals, or a list of cuts; None: 255. Intervals have equal widths
            over a channel's domain, and about equal counts for true numbers. If there are fewer values, each has its
            own. Cuts at or beyond the ends of a domain change nothing.
        exact : True takes the channel's exact matrix, False AS00's mid-point approximation
        rng : a seed or Generator to break ties by, if records are to get codes by rank; None: they get none
        """
        cuts = MAX_TRUE_INTERVALS if cuts is None else cuts
        if channel is None:
            attribute = Attribute.of(name, column, cuts)
            codes = attribute.encode(column)
            edges = code_edges(attribute.n_values)
            if attribute.kind == "numeric":
                edges = closed(np.asarray(column, dtype=float), np.asarray(attribute.edges))
            return cls(attribute, edges, codes)
        with in_column(name):
            if isinstance(channel, NumericChannel):
                checks.none_missing("values", column)
                return cls.over(name, column, channel, _domain_edges(channel, cuts), exact, rng)
            checks.of_type("its channel", channel, CategoryChannel, "a NumericChannel or a channel of categories")
            if np.ndim(cuts):
                raise TypeError("intervals are given; expected none for categories")
            return cls._of_categories(name, column, channel, rng)

    @classmethod
    def over(cls, name, values, channel, edges, exact=True, rng=None) -> Self:
        """Read disguised numbers, over intervals whose edges cover the channel's domain."""
        checks.of_type("channel", channel, NumericChannel, "a channel of numbers, say UniformNoise(...)")
        edges = channel.true_bins(checks.edges("edges", edges), "edges")
        released = channel.seen_codes(values)
        bins = channel.seen_bins(edges)
        matrix = channel.matrix(edges, bins, exact=exact)
        if not exact:
            # The mid-points can rule out a seen interval that some values reach: that one takes its exact column.
            matrix = np.where(matrix.any(axis=0), matrix, channel.matrix(edges, bins))
        attribute = Attribute.numeric(name, edges[1:-1])
        seen = interval_of(released, bins[1:-1])
        ranks = _ranks(released, channel.grid, rng)
        return cls(attribute, edges, seen, matrix, Distribution.uniform(edges), ranks)

    @classmethod
    def _of_categories(cls, name, column, channel, rng):
        """Disguised categories: in the order of the column's dtype, or nominal, as the channel lists them.

        A class's estimate starts at that of all records. Where noise leaves little to see, it then stops near it. From
        an even start it would take chance, which keeping or replacing magnifies, for a difference between the classes.
        """
        categories = list(channel.categories)
        dtype = column.dtype
        listing = categories
        numeric = checks.is_number(dtype)
        ordered = numeric or getattr(dtype, "ordered", False)
        if ordered:
            known = sorted(categories) if numeric else dtype.categories.tolist()
            listing = [one for one in known if one in categories]
            if len(listing) < len(categories):
                raise ValueError(f"its dtype lacks some categories; expected all of the channel's, {categories}")
        # The rows and columns of the matrix follow the categories to their new places.
        listed = [categories.index(one) for one in listing]
        seen = np.argsort(listed)[channel.codes(column)]
        matrix = checks.law("the matrix of its channel", channel.matrix())[np.ix_(listed, listed)]
        # With equal rows nothing is seen of the truth, and all shares are equally likely.
        number = channel.k
        start = np.full(number, 1 / number)
        if not np.allclose(matrix, matrix[0], atol=0):
            start = likeliest(np.bincount(seen, minlength=number), matrix)
        attribute = Attribute.categorical(name, listing, ordered)
        edges = code_edges(number)
        return cls(attribute, edges, seen, matrix, Distribution(edges, start), _ranks(seen, 1.0, rng))

    @property
    def sizes(self) -> tuple[int, int]:
        """The number of true and of seen intervals."""
        true = self.attribute.n_values
        return true, true if self.matrix is None else self.matrix.shape[1]

    def counts(self, stratum, strata) -> np.ndarray:
        """For each stratum (rows), some of the records, the number of those seen in each interval (columns)."""
        width = self.sizes[1]
        # One number for a stratum and an interval; those of other strata come last and are cut off.
        cells = np.multiply(stratum, width, dtype=np.int64) + self.seen
        return np.bincount(cells, minlength=strata * width)[: strata * width].reshape(strata, width)

    def estimate(self, counts, stop, smooth=0.0) -> Reconstruction:
        """The distribution of the true codes of some records, from their counts of the seen intervals."""
        return solve(counts, [self.matrix], self.start, stop, smooth if self.attribute.kind == "numeric" else 0.0)

    def assign(self, codes, stratum, shares) -> None:
        """Give each record a code, so that the codes in each stratum are distributed by the stratum's shares.

        Numbers by rank: the lowest N(I_1) of a stratum's values go to the first interval, and so on (§4.2). Categories
        by the posterior: the share of each true category among the records of one stratum and one seen category.

        Parameters
        ----------
        codes : a code for each record, changed in place
        stratum : the stratum of each record; those that have no shares are left out
        shares : a distribution over the codes for each stratum, a row each
        """
        if self.attribute.kind == "numeric":
            self._spread(codes, stratum, shares)
            return
        joint = (shares[:, :, None] * self.matrix).swapaxes(1, 2)  # by stratum, seen and true category
        posterior = joint / np.maximum(joint.sum(axis=2, keepdims=True), TINY)
        cell = np.multiply(stratum, self.sizes[1], dtype=np.int64) + self.seen
        self._spread(codes, cell, posterior.reshape(-1, shares.shape[1]))

    def recode(self, codes, stratum, strata, estimate) -> list[Reconstruction]:
        """Reconstruct each stratum, give its records codes by it, in place, and return the reconstructions."""
        found = [estimate(self, counts) for counts in self.counts(stratum, strata)]
        self.assign(codes, stratum, np.array([one.probabilities for one in found]))
        return found

    def within(self, stratum, shares, intervals, drawn) -> np.ndarray:
        """A code for each record inside the coarse interval that was drawn for it, as ``assign`` does it.

        Parameters
        ----------
        stratum, shares : as in ``assign``
        intervals : the number of coarse intervals, those of ``coarse``
        drawn : the coarse interval of each record
        """
        coarse = np.arange(intervals)
        part = np.repeat(coarse, np.diff(_coarse_cuts(shares.shape[1], intervals)))
        # A row for each stratum and coarse interval: the shares of the codes inside it, 0 for all others.
        inside = part == coarse[:, None]
        # Where a stratum has no share in a whole interval, the records that were drawn for it are spread evenly.
        weights = np.where(inside, shares[:, None] + TINY, 0).reshape(-1, len(part))
        codes = np.empty(len(stratum), np.min_scalar_type(len(part)))
        self._spread(codes, stratum * intervals + drawn, weights / weights.sum(axis=1, keepdims=True))
        return codes

    def _spread(self, codes, cell, shares):
        """In each cell the lowest records get code 0, the next ones code 1, and so on, as its shares say.

        Records of cells that have no shares (a row each) are left out.
        """
        cells, values = shares.shape
        keys = np.minimum(cell, cells).astype(np.min_scalar_type(cells))
        held = np.bincount(keys, minlength=cells + 1)[:cells, None]
        # The number of a cell's records up to each code: none moves by more than a half, and the last one stays.
        ends = np.rint(np.cumsum(held * shares, axis=1)).astype(np.int64)
        # Sixteen-bit keys are sorted by radix, in linear time.
        rows = self._order[np.argsort(keys[self._order], kind="stable")][: held.sum()]
        # The codes of one cell after the other, each as often as records get it.
        sizes = np.diff(ends, axis=1, prepend=0)
        codes[rows] = np.repeat(np.tile(np.arange(values), cells), sizes.ravel())

    @cached_property
    def _order(self):
        """The records from the lowest rank to the highest. No two are equal: every sort on every machine gives it."""
        return np.argsort(self.ranks)

    def coarse(self, most, most_seen) -> Self:
        """Merge neighbouring true intervals to at most ``most``; a nominal column stays as it is.

        What is seen of a disguised column is cut in at most ``most_seen`` intervals of about equal counts.
        """
        known = self.attribute
        values, width = self.sizes
        if known.kind == "nominal":
            return self
        cuts = _coarse_cuts(values, min(most, values))
        # In a narrow type, because a search keeps what is seen of each record in many grids.
        part = np.repeat(np.arange(len(cuts) - 1, dtype=np.uint16), np.diff(cuts))
        if known.kind == "numeric":
            edges = self.edges[cuts]
            attribute = Attribute.numeric(known.name, edges[1:-1])
        else:
            merged = [(known.categories or ())[low:high] for low, high in pairwise(cuts)]
            names = [one[0] if len(one) == 1 else f"{one[0]} to {one[-1]}" for one in merged]
            attribute = Attribute.categorical(known.name, names, ordered=True)
            edges = code_edges(len(names))
        if self.matrix is None:
            return replace(self, attribute=attribute, edges=edges, seen=part[self.seen])
        # A coarse interval's row is the mean of its parts' rows, each weighed by what a reconstruction starts with.
        weights = self.start.probabilities[:, None] + TINY
        first = cuts[:-1]
        rows = np.add.reduceat(weights * self.matrix, first) / np.add.reduceat(weights, first)
        place = _equal_parts(np.bincount(self.seen, minlength=width), most_seen)
        # Neighbouring seen intervals with the same number become one column.
        first = np.flatnonzero(np.diff(place, prepend=-1))
        matrix = np.add.reduceat(rows, first, axis=1)
        seen = place.astype(np.uint16)[self.seen]
        return replace(self, attribute=attribute, edges=edges, seen=seen, matrix=matrix)


@contextmanager
def in_column(name) -> Iterator:
    """Put the column's name before errors about it."""
    try:
        yield
    except (TypeError, ValueError) as error:
        raise type(error)(f"column {name!r}: {error}") from None


def _domain_edges(channel, cuts):
    """Equal intervals over a channel's domain, or intervals between those of the cuts that lie inside it."""
    if np.ndim(cuts) == 0:
        return channel.true_bins(min(cuts, channel.most_bins), "intervals")
    given = checks.vector("intervals", cuts)
    inside = given[(given > channel.low) & (given < channel.high)]
    return checks.edges("intervals", np.insert(channel.true_bins(1), 1, inside))


def _ranks(values, gap, rng):
    """Numbers by which records are ranked: each is moved at random by less than half the gap between two values."""
    if rng is None:
        return None
    if not gap:  # any two values may be neighbours, however near: their places are ranked
        gap = 1.0
        _, values = np.unique(values, return_inverse=True)
    return values + 0.99 * gap * (randomness.generator(rng).random(len(values)) - 0.5)


def _coarse_cuts(values, intervals):
    """The first code of each coarse interval, and the number of codes: intervals of about equal numbers of codes."""
    return np.rint(np.linspace(0, values, intervals + 1)).astype(int)


def _equal_parts(counts, most):
    """A number for each count, not decreasing from 0, to split them into at most ``most`` parts of about equal sum."""
    # A count belongs to the part that holds the middle of its records.
    middle = np.cumsum(counts) - counts / 2
    place = np.minimum((middle * most / counts.sum()).astype(int), most - 1)
    return np.unique(place, return_inverse=True)[1]
