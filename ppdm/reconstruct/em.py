"""AS00 §3: from disguised values back to the distribution of the true ones, by iterating Bayes' rule.

The iteration is expectation maximisation for a mixture with known components (Richardson–Lucy in optics), so that
the likelihood never falls. It works on counts: its cost depends on the intervals, not on the records.
"""

import math
import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy
from scipy.special import xlogy
from sklearn.exceptions import ConvergenceWarning

from ppdm import checks, randomness
from ppdm.reconstruct.attribute import code_edges
from ppdm.reconstruct.distribution import Distribution
from ppdm.reconstruct.stopping import TINY, ChiSquareStop, StoppingRule, iterate, whole_counts

MIDPOINTS = 0.5  # how much the sums of a mid-point matrix's rows may be off: a density is taken at one place only


@dataclass(frozen=True, eq=False, repr=False)
class Reconstruction:
    """What a reconstruction found, and how it got there.

    Attributes
    ----------
    distribution : the estimate over the true intervals, or over the cells of a grid
    n_iter : the number of Bayes steps taken
    converged : whether the stopping rule was met; if not, the iteration ended at the rule's cap
    history : all iterates, the first index the step; the first is the prior, the last the estimate. None for a grid,
        which may be too large to keep many of.
    counts, matrices : what it was reconstructed from: the counts of the seen intervals or cells, and for each axis
        P(seen interval | true interval), None where the column is true
    start, stop, smooth : the prior, the rule and the smoothing that were used
    """

    distribution: Distribution
    n_iter: int
    converged: bool
    history: Any
    counts: np.ndarray
    matrices: list
    start: Distribution
    stop: StoppingRule
    smooth: float

    @property
    def probabilities(self) -> np.ndarray:
        """The probabilities of the estimate."""
        return self.distribution.probabilities

    @property
    def matrix(self) -> Any:
        """P(seen interval | true interval) of the first axis."""
        return self.matrices[0]

    @property
    def log_likelihood(self) -> np.ndarray:
        """Log-likelihood of the counts under each iterate, Σ N(s) log P(s). For a single column only."""
        if self.history is None:
            raise ValueError(f"{self!r} keeps no history; expected the reconstruction of a single column")
        return xlogy(self.counts, self.history @ self.matrix).sum(axis=1)

    def bands(
        self, confidence: float = 0.95, repeats: int = 200, rng: randomness.Rng = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """A lower and an upper share for each interval: how far chance may have moved the estimate (a bootstrap).

        The seen values are drawn again with replacement and reconstructed in the same way. The bands hold the middle
        ``confidence`` of the results, interval by interval. They do not cover what an early stop, smoothing or the
        prior do to the estimate, because these pull all repeats the same way. Nor do they cover values that are not
        evenly spread inside an interval. Where such things matter (much noise with narrow intervals; very wide
        intervals), the truth lies outside more often than the confidence says.

        Parameters
        ----------
        confidence : number in (0, 1)
        repeats : whole number of at least 2
        rng : a seed or Generator, to repeat a study

        >>> found = reconstruct_counts([6000, 4000], [[0.75, 0.25], [0.25, 0.75]])
        >>> [share.round(2).tolist() for share in found.bands(rng=1)]
        [[0.68, 0.28], [0.72, 0.32]]
        """
        confidence = checks.number("confidence", confidence, "(0, 1)")
        repeats = checks.whole("repeats", repeats, 2)
        checks.cells("repeats", (repeats, *self.counts.shape))
        counts = whole_counts(self.counts.ravel(), "a bootstrap")
        # Counts of values drawn with replacement are multinomial: no value need be drawn.
        draws = randomness.generator(rng).multinomial(counts.sum(), counts / counts.sum(), repeats)
        draws = draws.reshape(repeats, *self.counts.shape)
        how = self.matrices, self.start, self.stop, self.smooth
        shares = [solve(draw, *how).probabilities for draw in draws]
        tail = (1 - confidence) / 2
        low, high = np.quantile(shares, [tail, 1 - tail], axis=0)
        return low, high

    def __repr__(self):
        ending = "converged" if self.converged else "stopped at the cap"
        return f"Reconstruction({self.distribution.extent}, {ending} after {self.n_iter} iterations)"


def em_step(matrix, counts, prior) -> np.ndarray:
    """One Bayes step: Equation 3 of AS00.

    Pr'(p) = 1/n Σ_s N(s) f(s | p) Pr(p) / Σ_t f(s | t) Pr(t)

    Parameters
    ----------
    matrix : f(s | p) or any multiple of it, non-negative; row: true interval p, column: seen interval s
    counts : N(s), the seen values in each seen interval
    prior : Pr(p), numbers that sum to 1, or less

    A seen interval that the prior rules out (its denominator is 0) adds nothing: the result then sums to less
    than 1, by that interval's share of the counts. ``reconstruct_counts`` refuses such counts.

    >>> em_step([[0.75, 0.25], [0.25, 0.75]], counts=[60, 40], prior=[0.5, 0.5]).round(6).tolist()
    [0.55, 0.45]
    """
    f = checks.matrix("matrix", matrix)
    rows, columns = f.shape
    N = one_for_each("counts", counts, columns, "columns")
    Pr = one_for_each("prior", prior, rows, "rows", most=1)
    n = N.sum()
    seen = Pr @ f  # the denominator: the mixture that the prior comes to
    return Pr * (f @ np.divide(N / n, seen, out=np.zeros_like(seen), where=seen > TINY))


def reconstruct_counts(
    counts,
    matrix,
    prior=None,
    stop: StoppingRule = ChiSquareStop(),  # noqa: B008  (frozen)
    smooth: float | None = None,
    edges=None,
) -> Reconstruction:
    """The distribution of the true values, estimated from the counts of the seen intervals (AS00 §3).

    Parameters
    ----------
    counts : a number of at least 0 for each column of the matrix; whole numbers for ``HeldOutStop`` and ``bands``
    matrix : P(seen interval | true interval): a row for each true interval, a column for each seen interval. Rows sum
        to 1; those of AS00's mid-points may be off by a half. If every count is 1, a column stands for a single value,
        and may hold its density instead.
    edges : of the true intervals; None: −0.5, 0.5, 1.5, …, around the codes 0, 1, 2, …
    prior, stop, smooth : as in ``reconstruct``

    >>> found = reconstruct_counts([6000, 4000], [[0.75, 0.25], [0.25, 0.75]])
    >>> found.distribution.probabilities.round(2).tolist(), found.converged
    ([0.7, 0.3], True)
    """
    matrix = checks.matrix("matrix", matrix)
    edges = code_edges(len(matrix)) if edges is None else checks.edges("edges", edges)
    if len(edges) != len(matrix) + 1:
        raise ValueError(f"edges has {len(edges)} entries for a matrix of {len(matrix)} rows; expected one more")
    counts = one_for_each("counts", counts, matrix.shape[1], "columns")
    # Of single values, each in a column of its own, the density will do: what a column is multiplied by cancels.
    if not (counts == 1).all():
        checks.law("matrix", matrix, MIDPOINTS)
    return solve_from(counts, [matrix], Distribution.uniform(edges), prior, stop, smooth)


def solve_from(counts, matrices, even, prior, stop, smooth) -> Reconstruction:
    """``solve`` for a front door: its arguments are checked, and it warns the caller if the rule was not met.

    Without a prior it starts at the even distribution.
    """
    smooth = 0.0 if smooth is None else checks.number("smooth", smooth, "[0, 1)")
    start = _start(prior, even)
    impossible = np.argwhere((through(start.probabilities, matrices) <= TINY) & (counts > 0))
    if len(impossible):
        first = tuple(impossible[0].tolist())
        raise ValueError(
            f"counts holds values in seen interval {first if len(first) > 1 else first[0]}, which matrix and "
            "prior say no value reaches; expected counts from the channel of the matrix, and a prior that rules "
            "out nothing that occurred"
        )
    found = solve(counts, matrices, start, stop, smooth)
    if not found.converged:
        warnings.warn(
            f"{stop!r} was not met within its cap of {stop.cap} iterations; the estimate is the last iterate",
            ConvergenceWarning,
            stacklevel=3,
        )
    return found


def solve(counts, matrices, start, stop, smooth=0.0) -> Reconstruction:
    """A reconstruction for arguments that are checked already; silent where the rule is not met.

    Parameters
    ----------
    counts : of the seen intervals or cells, an axis for each column
    matrices : for each axis P(seen | true), a row for each true interval; None for a true column
    start : a Distribution over the true intervals or cells
    """
    shape = start.probabilities.shape
    held = np.flatnonzero(counts)
    kinds = [attribute.kind for attribute in start.attributes] or ["numeric"]
    along = [axis for axis, kind in enumerate(kinds) if kind == "numeric"]  # categories have no neighbours

    maps = maps_between(shape, counts.shape, held, matrices)
    # Of a grid one iterate alone is held at a time.
    kept = None if len(shape) == 1 else 1
    after = (lambda shares: _smoothed(shares.reshape(shape), along, smooth).ravel()) if smooth else None
    path, steps, met = iterate(*maps, counts.ravel()[held], start.probabilities.ravel(), stop, after, kept)
    history = None if kept else np.array(path)
    for array in (history, counts, *matrices):
        if array is not None:
            array.setflags(write=False)
    found = replace(start, probabilities=path[-1].reshape(shape))
    return Reconstruction(found, steps, met, history, counts, matrices, start, stop, smooth)


def through(shares, matrices) -> np.ndarray:
    """The shares of the seen cells when those of the true ones are disguised: a product with one matrix on each axis.

    Columns are disguised independently, so that the matrix of their grid is a Kronecker product. It is never made. The
    axes that grow least come first, which keeps what is between small.

    >>> through(np.array([[0.5, 0.0], [0.0, 0.5]]), [None, np.array([[0.75, 0.25], [0.25, 0.75]])]).tolist()
    [[0.375, 0.125], [0.125, 0.375]]
    """
    given = {axis: matrix for axis, matrix in enumerate(matrices) if matrix is not None}
    for axis in sorted(given, key=lambda axis: given[axis].shape[1] / given[axis].shape[0]):
        matrix = given[axis]
        before = shares.shape[:axis]
        after = shares.shape[axis + 1 :]
        # Reshaped to three axes (or two), so that one matrix product does it without a copy of the shares.
        if after:
            product = matrix.T @ shares.reshape(math.prod(before), len(matrix), math.prod(after))
        else:
            product = shares.reshape(-1, len(matrix)) @ matrix
        shares = product.reshape(*before, matrix.shape[1], *after)
    return shares


def maps_between(true, seen, held, matrices) -> tuple[Any, Any]:
    """The maps of ``iterate`` between flat arrays of the true cells and of those seen cells that are held."""
    if len(matrices) == 1 and matrices[0] is not None:
        f = np.ascontiguousarray(matrices[0][:, held])  # of a single axis the other columns are never needed
        return f.T.dot, f.dot
    transposed = [None if matrix is None else matrix.T for matrix in matrices]
    grid = np.zeros(seen)

    def forward(shares) -> np.ndarray:
        return through(shares.reshape(true), matrices).ravel()[held]

    def backward(ratios) -> np.ndarray:
        grid.ravel()[held] = ratios  # the other cells stay at 0
        return through(grid, transposed).ravel()

    return forward, backward


def _smoothed(shares, along, smooth):
    """A share of each interval's mass moved to its neighbours, half to each; at the ends of an axis half stays."""
    for axis in along:
        shares = scipy.ndimage.convolve1d(shares, [smooth / 2, 1 - smooth, smooth / 2], axis, mode="nearest")
    return shares


def _start(prior, even):
    if prior is None:
        return even
    if isinstance(prior, Distribution):
        if not even.same_grid(prior):
            raise ValueError(
                f"prior is {prior!r}; expected a Distribution over the same intervals as the estimate"
            )
        return prior
    shares = checks.plain("prior", prior)
    shape = even.probabilities.shape
    if shares.shape != shape:
        raise ValueError(
            f"prior has shape {shares.shape}; expected {shape}, one for each interval of the estimate"
        )
    shares = checks.shares("prior", shares.ravel()).reshape(shape)
    return replace(even, probabilities=shares / shares.sum())  # exactly 1, or every iterate would carry the gap


def one_for_each(name, values, size, lines, most=np.inf) -> np.ndarray:
    """Numbers of at least 0, one for each of a matrix's rows or columns, not all of them 0; ``most`` bounds the sum."""
    array = checks.not_negative(name, checks.vector(name, values))
    if len(array) != size:
        raise ValueError(f"{name} has {len(array)} entries for a matrix of {size} {lines}; expected one for each")
    if not array.any():
        raise ValueError(f"{name} holds nothing but 0; expected at least one number above 0")
    if array.sum() > most + 1e-6:  # where counts and prior were swapped
        raise ValueError(f"{name} sums to {array.sum():.6g}; expected at most {most}")
    return array
