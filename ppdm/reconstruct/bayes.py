"""AS00 §3: from disguised values back to the distribution of the true ones, by iterating Bayes' rule.

The iteration is expectation maximisation for a mixture with known components (Richardson–Lucy in optics), so that
the likelihood never falls. It works on counts: its cost depends on the intervals, not on the records.
"""

import warnings
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, TypeVar

import numpy as np
from scipy.special import xlogy
from sklearn.exceptions import ConvergenceWarning

from ppdm import checks, randomness
from ppdm.disguise.categories import CategoryChannel
from ppdm.disguise.release import NumericChannel
from ppdm.randomness import Rng
from ppdm.reconstruct.distribution import Distribution, interval_of
from ppdm.reconstruct.heldout import whole_counts
from ppdm.reconstruct.iteration import iterate
from ppdm.reconstruct.stopping import TINY, ChiSquareStop, StoppingRule, check_rule

Found = TypeVar("Found", bound=Any)  # a reconstruction of one column, or of several


@dataclass(frozen=True, eq=False, repr=False)
class Reconstruction:
    """What a reconstruction found, and how it got there.

    Attributes
    ----------
    distribution : the estimate over the true intervals
    history : all iterates, a row each; the first is the prior, the last the estimate
    converged : whether the stopping rule was met; if not, the iteration ended at the rule's cap
    counts, matrix : what it was reconstructed from
    stop, smooth : how
    """

    distribution: Distribution
    history: np.ndarray
    converged: bool
    counts: np.ndarray
    matrix: np.ndarray
    stop: StoppingRule
    smooth: float

    @property
    def n_iter(self) -> int:
        """The number of Bayes steps taken."""
        return len(self.history) - 1

    @cached_property
    def log_likelihood(self) -> np.ndarray:
        """Log-likelihood of the counts under each iterate, Σ N(s) log P(s); worked out when first asked for."""
        held = self.counts > 0
        return xlogy(self.counts[held], self.history @ self.matrix[:, held]).sum(axis=1)

    def bands(self, level: float = 0.95, repeats: int = 200, rng: Rng = None) -> tuple[np.ndarray, np.ndarray]:
        """A lower and an upper share for each interval: how far chance may have moved the estimate (a bootstrap).

        The seen values are drawn again with replacement and reconstructed in the same way; the bands hold the middle
        ``level`` of what comes out, interval by interval. They do not cover what an early stop, smoothing or the
        prior do to the estimate, for these pull all repeats the same way, nor that values are not evenly spread
        inside an interval: where such things matter (much noise with narrow intervals; very wide intervals), the
        truth lies outside more often than the level says.

        Parameters
        ----------
        level : number in (0, 1)
        repeats : whole number of at least 2
        rng : a seed or Generator, to repeat a study

        >>> found = reconstruct_counts([6000, 4000], [[0.75, 0.25], [0.25, 0.75]])
        >>> [share.round(2).tolist() for share in found.bands(rng=1)]
        [[0.68, 0.28], [0.72, 0.32]]
        """
        level = checks.number("level", level, 0, 1, open_low=True, open_high=True)
        repeats = checks.whole("repeats", repeats, 2)
        counts = whole_counts(self.counts, "a bootstrap")
        draws = randomness.generator(rng).multinomial(counts.sum(), counts / counts.sum(), size=repeats)
        again = (
            solve(draw, self.matrix, self.history[0], self.stop, self.smooth, self.distribution.edges) for draw in draws
        )
        shares = [found.distribution.probabilities for found in again]
        low, high = np.quantile(shares, [(1 - level) / 2, (1 + level) / 2], axis=0)
        return low, high

    def __repr__(self) -> str:
        ending = "converged" if self.converged else "stopped at the cap"
        return f"Reconstruction({self.history.shape[1]} intervals, {ending} after {self.n_iter} iterations)"


def em_step(matrix: Any, counts: Any, prior: Any) -> np.ndarray:
    """One Bayes step: Equation 3 of AS00.

    Pr'(p) = 1/n Σ_s N(s) f(s | p) Pr(p) / Σ_t f(s | t) Pr(t)

    Parameters
    ----------
    matrix : f(s | p) or any multiple of it, non-negative; row: true interval p, column: seen interval s
    counts : N(s), the seen values in each seen interval
    prior : Pr(p)

    A seen interval that the prior rules out (its denominator is 0) adds nothing: the result then sums to less
    than 1, by that interval's share of the counts. ``reconstruct_counts`` refuses such counts.

    >>> em_step([[0.75, 0.25], [0.25, 0.75]], counts=[60, 40], prior=[0.5, 0.5]).round(6).tolist()
    [0.55, 0.45]
    """
    f, N, Pr = _inputs(matrix, counts, prior)
    n = N.sum()
    seen = Pr @ f
    return Pr * (f @ np.divide(N / n, seen, out=np.zeros_like(seen), where=seen > TINY))


def reconstruct(
    values: Any,
    channel: NumericChannel | CategoryChannel,
    bins: Any = None,
    stop: StoppingRule = ChiSquareStop(),  # noqa: B008  (frozen)
    smooth: float | None = None,
    exact: bool = True,
    prior: Any = None,
) -> Reconstruction:
    """The distribution of the true values, estimated from disguised ones (AS00 §3).

    Parameters
    ----------
    values : disguised values
    channel : the channel that disguised them
    bins : a number of intervals of equal width over the channel's domain, or edges that cover it (what the first or
        the last interval has outside is cut off); with a step, the domain reaches half a step beyond its lowest and
        highest value; None for categories, where the distribution is over their codes 0, 1, 2, …
    stop : the stopping rule: ChiSquareStop, DiscrepancyStop, FixedStop, HeldOutStop or your own (see ``StoppingRule``)
    smooth : share in [0, 1) of each interval's mass that moves to its two neighbours after each step; None for none
    exact : the channel's exact matrix, or AS00's mid-point approximation of it (there is none for categories)
    prior : where to start: probabilities of the intervals, or a Distribution over them; None for uniform

    >>> from ppdm.disguise import UniformNoise
    >>> noise = UniformNoise(half_width=0.25, low=0, high=1)
    >>> seen = noise.disguise(np.linspace(0, 0.5, 1000), rng=1)
    >>> reconstruct(seen, noise, bins=4).distribution.probabilities.round(2).tolist()
    [0.51, 0.49, 0.0, 0.0]
    """
    if isinstance(channel, CategoryChannel):
        if bins is not None or exact is not True or smooth:
            given = f"bins is {bins!r}, exact is {exact!r} and smooth is {smooth!r}"
            raise ValueError(f"{given}; expected None, True and None for categories, which have no neighbours")
        counts = np.bincount(channel.codes(values), minlength=channel.k)
        return told(_from_counts(counts, channel.matrix(), prior, stop, None, None))
    if not isinstance(channel, NumericChannel):
        raise TypeError(f"channel is {channel!r}; expected the channel that disguised the values, say UniformNoise")
    released, edges = channel.released_values(values), channel.true_bins(bins)
    seen, matrix = seen_through(channel, released, edges, exact)
    counts = np.bincount(seen, minlength=matrix.shape[1])
    return told(_from_counts(counts, matrix, prior, stop, smooth, edges))


def reconstruct_counts(
    counts: Any,
    matrix: Any,
    prior: Any = None,
    stop: StoppingRule = ChiSquareStop(),  # noqa: B008  (frozen)
    smooth: float | None = None,
    edges: Any = None,
) -> Reconstruction:
    """The same from counts: the seen values in each seen interval, and P(seen interval | true interval).

    Parameters
    ----------
    counts : one number of at least 0 for each column of the matrix; fractions are welcome
    matrix : a row for each true interval, a column for each seen interval
    edges : of the true intervals; None for codes 0, 1, 2, … in the middle of theirs
    prior, stop, smooth : as in ``reconstruct``

    >>> found = reconstruct_counts([6000, 4000], [[0.75, 0.25], [0.25, 0.75]])
    >>> found.distribution.probabilities.round(2).tolist(), found.converged
    ([0.7, 0.3], True)
    """
    return told(_from_counts(counts, matrix, prior, stop, smooth, edges))


def solve(
    counts: np.ndarray, matrix: np.ndarray, start: np.ndarray, stop: StoppingRule, smooth: float, edges: np.ndarray
) -> Reconstruction:
    """``reconstruct_counts`` for arguments that are checked already; silent where the rule is not met."""
    held = counts > 0
    f = np.ascontiguousarray(matrix[:, held])
    after = partial(smoothed, smooth=smooth) if smooth else None
    history, converged = iterate(f.T.dot, f.dot, counts[held], start, stop, after)
    for array in (history, counts, matrix):
        array.setflags(write=False)
    return Reconstruction(Distribution(edges, history[-1]), history, converged, counts, matrix, stop, smooth)


def check_reachable(counts: np.ndarray, matrix: np.ndarray, start: np.ndarray) -> None:
    """Nothing, if every seen interval with a count can be reached from the start."""
    impossible = np.flatnonzero((start @ matrix <= TINY) & (counts > 0))
    if len(impossible):
        first = impossible[0]
        raise ValueError(
            f"counts holds {counts[first]:g} in seen interval {first}, which matrix and prior say no value reaches; "
            "expected counts from the channel of the matrix, and a prior that rules out nothing that occurred"
        )


def _from_counts(counts: Any, matrix: Any, prior: Any, stop: Any, smooth: Any, edges: Any) -> Reconstruction:
    matrix = checks.matrix("matrix", matrix)
    edges = np.arange(len(matrix) + 1) - 0.5 if edges is None else checks.edges("edges", edges)
    if len(edges) != len(matrix) + 1:
        raise ValueError(f"edges has {len(edges)} entries for a matrix of {len(matrix)} rows; expected one more")
    smooth = 0.0 if smooth is None else checks.number("smooth", smooth, 0, 1, open_high=True)
    check_rule(stop)
    counts, start = _agreeing(matrix, counts, _start(prior, edges))
    checks.not_transposed("matrix", matrix)
    check_reachable(counts, matrix, start)
    return solve(counts, matrix, start, stop, smooth, edges)


def told(found: Found) -> Found:
    """What was found, with a warning to the caller's caller if the rule was not met."""
    if not found.converged:
        warnings.warn(
            f"{found.stop!r} was not met within its cap of {found.stop.cap} iterations; "
            "the estimate is the last iterate",
            ConvergenceWarning,
            stacklevel=3,
        )
    return found


def smoothed(shares: np.ndarray, smooth: float) -> np.ndarray:
    """A share of each interval's mass moved to its neighbours on the first axis, half each; at the ends half stays."""
    padded = np.concatenate([shares[:1], shares, shares[-1:]])
    return (1 - smooth) * shares + smooth / 2 * (padded[:-2] + padded[2:])


def seen_through(
    channel: NumericChannel,
    released: np.ndarray,
    edges: np.ndarray,
    exact: bool = True,
    order: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """The seen interval of each released value, and P(seen interval | true interval), exact or by mid-points.

    No seen interval that some value reaches is ruled out. Who has the order of the values already may give it.
    """
    bins = channel.seen_bins(edges)
    matrix = channel.matrix(edges, bins, exact=exact)
    if not exact:
        # The mid-points can rule out a seen interval that some values reach: that one takes its exact column.
        lost = ~matrix.any(axis=0)
        matrix[:, lost] = channel.matrix(edges, bins)[:, lost]
    return interval_of(released, bins[1:-1], order), matrix


def _start(prior: Any, edges: np.ndarray) -> np.ndarray:
    if prior is None:
        return Distribution.uniform(edges).probabilities
    if not isinstance(prior, Distribution):
        shares = checks.shares("prior", prior)
        return shares / shares.sum()
    if not np.array_equal(prior.edges, edges):
        raise ValueError(f"prior is {prior!r}; expected a Distribution over the same intervals as the estimate")
    return prior.probabilities


def _inputs(matrix: Any, counts: Any, prior: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    matrix = checks.matrix("matrix", matrix)
    return matrix, *_agreeing(matrix, counts, prior)


def _agreeing(matrix: np.ndarray, counts: Any, prior: Any) -> tuple[np.ndarray, np.ndarray]:
    counts = checks.not_negative("counts", checks.vector("counts", counts))
    prior = checks.not_negative("prior", checks.vector("prior", prior))
    for name, array, size, lines in zip(
        ("prior", "counts"), (prior, counts), matrix.shape, ("rows", "columns"), strict=True
    ):
        if len(array) != size:
            raise ValueError(f"{name} has {len(array)} entries for a matrix of {size} {lines}; expected one for each")
        if not array.any():
            raise ValueError(f"{name} holds nothing but 0; expected at least one number above 0")
    return counts, prior
