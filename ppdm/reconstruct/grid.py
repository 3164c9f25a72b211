"""Several columns taken together: the grid of their cells, what is seen of them, and class shares in each cell.

Reconstructed alone, each class fits the chance of its own records. A classifier compares the classes, which magnifies
that chance. So the distribution of all records together is estimated first, which needs few steps. Then, with these
totals fixed, Bayes steps estimate the share of each class in every cell. More steps hardly make such shares worse.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
import pandas as pd

from ppdm import checks
from ppdm.blocks import blocks
from ppdm.disguise import CategoryChannel, Channel, Disguise, NumericChannel, as_disguise
from ppdm.randomness import lots
from ppdm.reconstruct.attribute import Attribute, code_edges, covering_edges, equal_width_edges
from ppdm.reconstruct.column import Column, in_column
from ppdm.reconstruct.distribution import Distribution
from ppdm.reconstruct.em import Reconstruction, maps_between, solve, solve_from, through
from ppdm.reconstruct.stopping import TINY, ChiSquareStop, StoppingRule, iterate

INTERVALS = 20  # of a number, unless another number is given
MAX_TRUE, MAX_SEEN = 2**21, 2**23  # cells: even with a record in each, all that is held stays below a gigabyte


@dataclass(frozen=True, eq=False)
class Grid:
    """Columns that are taken together, an axis for each. For class shares the first column is the class."""

    columns: Sequence[Column]

    @property
    def shape(self) -> tuple:
        """The number of true intervals along each axis."""
        return tuple(column.sizes[0] for column in self.columns)

    @property
    def seen_shape(self) -> tuple:
        """The number of seen intervals along each axis."""
        return tuple(column.sizes[1] for column in self.columns)

    @property
    def matrices(self) -> list:
        """P(seen | true) of each axis; None: a true column."""
        return [column.matrix for column in self.columns]

    def counts(self, rows=slice(None)) -> np.ndarray:
        """The number of records seen in each cell; of some rows only, if they are given."""
        # One number for each cell, so that a single count of numbers does for any number of axes.
        cells = np.ravel_multi_index([column.seen[rows] for column in self.columns], self.seen_shape)
        return np.bincount(cells, minlength=math.prod(self.seen_shape)).reshape(self.seen_shape)

    def distribution(self, shares) -> Distribution:
        """Shares of the true cells, with what the axes mean."""
        attributes = tuple(column.attribute for column in self.columns)
        return Distribution({column.attribute.name: column.edges for column in self.columns}, shares, attributes)

    def mix(self, counts, stop) -> np.ndarray:
        """The distribution of all records over the true cells, whatever their class."""
        others = Grid(self.columns[1:])
        even = others.distribution(np.full(others.shape, 1 / math.prod(others.shape)))
        return solve(counts.sum(axis=0), others.matrices, even, stop).probabilities

    def class_shares(self, counts, mix, stop, watched=None) -> tuple:
        """P(class, true cell), whose sum over the classes is the mix, and whether the rule was met within its cap.

        Parameters
        ----------
        counts : of the seen cells
        mix : of all records
        stop : when the Bayes steps end
        watched : the seen cells whose shares the rule gets; None: those with a count
        """
        of_class = counts.reshape(len(counts), -1).sum(axis=1)
        start = np.multiply.outer(of_class / counts.sum(), mix)  # the classes in the same shares everywhere

        def keep_mix(shares) -> np.ndarray:
            by_class = shares.reshape(start.shape)
            sums = by_class.sum(axis=0)
            # A cell that no record can be in has no shares of its own: it keeps those of the start.
            scale = np.divide(mix, sums, out=np.zeros_like(sums), where=sums > TINY)
            return np.where(sums > TINY, by_class * scale, start).ravel()

        held = np.flatnonzero(counts if watched is None else watched)
        forward, backward = maps_between(start.shape, counts.shape, held, self.matrices)
        path, _, met = iterate(
            # A held cell without a count may get no share at all, and 0 / 0 must not be asked for.
            lambda shares: np.maximum(forward(shares), TINY),
            backward,
            counts.ravel()[held],
            start.ravel(),
            stop,
            keep_mix,
        )
        return path[-1].reshape(start.shape), met

    def draw(self, shares) -> list:
        """For each axis but the class, a true code for each record, drawn from P(cell | its class, what is seen of it).

        One axis after the other: the first code given all that is seen, the second given the first code too, and so on.
        """
        at = [column.seen for column in self.columns]
        for axis, column in enumerate(self.columns):
            if column.matrix is not None:
                # The axes of codes that are drawn already stay true; those still to come are disguised again.
                ahead = through(shares, [None] * (axis + 1) + self.matrices[axis + 1 :])
                ahead = np.moveaxis(ahead, axis, -1)
                others = at[:axis] + at[axis + 1 :]
                at[axis] = _drawn(ahead, others, column, lots(0, axis))
        return at[1:]


def reconstruct(
    values,
    channel: NumericChannel | CategoryChannel,
    bins=None,
    stop: StoppingRule = ChiSquareStop(),  # noqa: B008  (frozen)
    smooth: float | None = None,
    exact: bool = True,
    prior=None,
) -> Reconstruction:
    """The distribution of the true values, estimated from disguised ones (AS00 §3).

    Parameters
    ----------
    values : disguised values
    channel : the channel that disguised them
    bins : a number of intervals of equal width over the channel's domain, or edges that cover it (what the first or
        the last interval has outside is cut off); with a step, the domain reaches half a step beyond its lowest and
        highest value; None for categories, where the distribution is over their codes 0, 1, 2, …
    stop : ChiSquareStop, DiscrepancyStop, FixedStop, HeldOutStop, or a rule of your own: see ``stopping.StoppingRule``
    smooth : share in [0, 1) of each interval's mass that moves to its two neighbours after each step; None for none
    exact : True takes the channel's exact matrix, False AS00's mid-point approximation (which categories do not have)
    prior : where to start: probabilities of the intervals, or a Distribution over them; None for uniform

    >>> from ppdm.disguise import UniformNoise
    >>> noise = UniformNoise(half_width=0.25, low=0, high=1)
    >>> seen = noise.disguise(np.linspace(0, 0.5, 1000), rng=1)
    >>> reconstruct(seen, noise, bins=4).distribution.probabilities.round(2).tolist()
    [0.51, 0.49, 0.0, 0.0]
    """
    if isinstance(channel, CategoryChannel):
        if bins is not None or exact is not True or smooth:
            expected = "None, True and None for categories, which have no neighbours"
            raise ValueError(f"bins, exact or smooth is given; expected {expected}")
        seen = channel.codes(values)
        matrix = checks.law("the matrix of channel", channel.matrix())
        even = Distribution.uniform(code_edges(channel.k))
    else:
        expected = "what disguised the values, say UniformNoise(...); the values come first, then the channel"
        checks.of_type("channel", channel, NumericChannel, expected)
        column = Column.over("values", values, channel, channel.true_bins(bins), exact)
        seen = column.seen
        matrix = column.matrix
        even = column.start
    counts = np.bincount(seen, minlength=matrix.shape[1])
    return solve_from(counts, [matrix], even, prior, stop, smooth)


def reconstruct_joint(
    frame: pd.DataFrame,
    channels: Mapping[Any, Channel] | Channel | Disguise | None,
    bins=None,
    stop: StoppingRule = ChiSquareStop(),  # noqa: B008  (frozen)
    smooth: float | None = None,
    exact: bool = True,
    prior=None,
) -> Reconstruction:
    """The joint distribution of the true values of several columns, estimated from disguised ones (AS00 §3).

    Parameters
    ----------
    frame : what is seen; each column is an axis of the grid
    channels : a dict from columns to the channels that disguised them, others are true; one channel for all; the
        ``Disguise`` that was applied, perhaps to more columns than these; None: all are true
    bins : the number of intervals of every numeric column, None for 20; fewer if a column has fewer values. Or a dict
        from columns to such a number, or to edges that cover the domain (20 for the others). True numbers are cut at
        equal widths from the lowest to the highest. Categories take none.
    stop : as in ``reconstruct``. ChiSquareStop allows for a change in all cells together, and ends early on a grid of
        thousands, where HeldOutStop is the better choice.
    smooth : share in [0, 1) of each cell's mass that moves to its neighbours after each step, along the axis of every
        number; None for none
    exact : as in ``reconstruct``, of the channels of numbers
    prior : where to start: an array of the grid's shape, or a Distribution over it; None for uniform

    >>> from ppdm.disguise import UniformNoise
    >>> true = np.random.default_rng(1).uniform(0, 1, 10_000)
    >>> noise = UniformNoise(half_width=0.25, low=0, high=1)
    >>> seen = pd.DataFrame({"size": noise.disguise(true, rng=2), "large": true > 0.5})
    >>> reconstruct_joint(seen, {"size": noise}, bins=2).probabilities.round(2).tolist()
    [[0.5, 0.0], [0.0, 0.5]]
    """
    checks.frame("frame", frame)
    given = as_disguise(channels, frame.columns).by_column()
    own = {}
    most = INTERVALS
    if isinstance(bins, Mapping):
        checks.columns("bins", bins, frame.columns)
        own = dict(bins)
    elif bins is not None:
        most = checks.whole("bins", bins, 1, checks.MAX_BINS, hint="or a dict from columns to numbers or edges")
    columns: list = []
    grid = Grid(columns)
    for name, values in frame.items():
        columns.append(_axis(name, values, given.get(name), own.get(name), most, exact))
        # What must fit is the grid of their cells, of which nothing is made before; nor is another column's matrix.
        checks.cells("the grid of these columns and bins", grid.shape, MAX_TRUE)
        checks.cells("what is seen of the grid of these columns and bins", grid.seen_shape, MAX_SEEN)
    along = [Distribution.uniform(column.edges).probabilities for column in columns]
    even = grid.distribution(reduce(np.multiply.outer, along))
    return solve_from(grid.counts(), grid.matrices, even, prior, stop, smooth)


def _axis(name, values, channel, bins, most, exact):
    """A column of a grid: in at most ``most`` equal intervals, or as ``bins`` says."""
    with in_column(name):
        checks.none_missing("values", values)
        if isinstance(channel, NumericChannel):
            edges = channel.true_bins(min(most, channel.most_bins) if bins is None else bins)
            return Column.over(name, values, channel, edges, exact)
        if channel is None and checks.is_number(values.dtype):
            numbers = checks.vector("values", values)
            if np.ndim(bins):
                edges = covering_edges("bins", bins, numbers)
            else:
                hint = "or edges that cover the values"
                own = most if bins is None else checks.whole("bins", bins, 1, checks.MAX_BINS, hint=hint)
                edges = equal_width_edges(numbers, own)
            attribute = Attribute.numeric(name, edges[1:-1])
            return Column(attribute, edges, attribute.encode(numbers))
        if bins is not None and isinstance(channel, CategoryChannel | None):
            raise ValueError("bins are given; expected none for categories")
    return Column.of(name, values, channel)


def _drawn(ahead, at, column, rng):
    """A code for each record: by its share, the last axis, where the record is, times P(what is seen of it | code)."""
    codes = np.empty(len(column.seen), dtype=np.int64)
    for part in blocks(len(codes)):
        here = tuple(place[part] for place in at)
        weights = ahead[here] * column.matrix[:, column.seen[part]].T
        # By inversion: the first code whose cumulated weight exceeds a uniform number.
        upto = np.cumsum(weights + TINY, axis=1)
        lot = rng.random(len(upto)) * upto[:, -1]
        below = (upto <= lot[:, None]).sum(axis=1)
        codes[part] = np.minimum(below, upto.shape[1] - 1)
    return codes
