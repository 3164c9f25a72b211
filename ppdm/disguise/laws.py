"""Laws: of additive noise of scale 1, uniform and Gaussian; the families that are fitted to numbers; and the laws of
class noise in leaves (Islam & Brankovic 2003, §3.1), from how many records of each class a leaf has.
"""

import math
from functools import cached_property, reduce
from types import SimpleNamespace

import numpy as np
import scipy
from scipy.special import gammainc, log_ndtr, ndtr, ndtri


def _normal_density(z):
    return np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)


def _uniform_density(z):
    # On the very edge the density counts half; else rounding would decide between none and all of it (AS00 §3).
    distance = np.abs(z)
    on_edge = np.isclose(distance, 1, rtol=1e-9, atol=0)
    return np.where(on_edge, 0.25, 0.5 * (distance < 1))


def _uniform_log_mean(z, half):
    low = UNIFORM.cdf(z - half)
    high = UNIFORM.cdf(z + half)
    return np.log((high - low) / (2 * half))


def _normal_log_mean(z, half):
    if half < 1e-5:  # where it is the density in the middle, to 1e-8 at 40 standard deviations
        return -(z**2) / 2 - math.log(2 * math.pi) / 2
    upper = np.maximum(half - np.abs(z), -1e8)  # differences farther out are beyond a float
    above = log_ndtr(upper)
    below = log_ndtr(upper - 2 * half)
    # The log of a difference, from logs: far out the probabilities themselves are 0 to a float.
    inside = above + np.log1p(-np.exp(below - above))
    return inside - math.log(2 * half)


def log(shares) -> np.ndarray:
    """The logarithm; -inf of 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.log(shares)


# The laws of noise of scale 1, symmetric about 0 and log-concave. No draw lies beyond the reach; of Gaussian noise that
# is about the quantile of the smallest float. Its quantile takes numbers as ``uniform(two_ended=True)`` gives them. The
# log of the mean density within a distance of each place is log_mean.
UNIFORM = SimpleNamespace(
    variance=1 / 3,
    reach=1.0,
    quantile=lambda u: 2 * u - 1,
    cdf=lambda z: np.clip((z + 1) / 2, 0, 1),
    log_cdf=lambda z: log(np.clip((z + 1) / 2, 0, 1)),
    cdf_integral=lambda z: np.clip(z + 1, 0, 2) ** 2 / 4 + np.maximum(z - 1, 0),
    density=_uniform_density,
    log_mean=_uniform_log_mean,
)
GAUSSIAN = SimpleNamespace(
    variance=1.0,
    reach=37.0,
    quantile=lambda v: np.sign(v) * ndtri(np.abs(v)),
    cdf=ndtr,
    log_cdf=lambda z: np.where(z < -37, -np.inf, log_ndtr(z)),
    cdf_integral=lambda z: z * ndtr(z) + _normal_density(z),
    density=_normal_density,
    log_mean=_normal_log_mean,
)
MAX_MATCHED = 1_000  # records of a leaf with three classes or more, of which the exact law is worked out
# P(value < t) for values that start at 0 and have a mean of about 1. Where they start is declared, not fitted: with a
# free start the likelihood of tied values has no bound.
FAMILIES = {
    "normal": lambda t, a, b: ndtr((t - a) / np.exp(b)),
    "lognormal": lambda t, a, b: ndtr((log(t) - a) / np.exp(b)),
    "gamma": lambda t, a, b: gammainc(np.exp(b), t * np.exp(b - a)),
    "weibull": lambda t, a, b: -np.expm1(-((t * np.exp(-a)) ** np.exp(b))),
    "exponential": lambda t, a, b: -np.expm1(-t * np.exp(-a)),  # noqa: ARG005
}
# Three corners from which two parameters are searched.
CORNERS = [[0, 0], [1, 0], [0, 1]]


def fitted(law, ends, shares) -> tuple:
    """A family's loss of likelihood on the shares of cells, and its P(value < end)."""
    middle = (ends[1:] + ends[:-1]) / 2 - ends[0]
    scaled = (ends - ends[0]) / (shares @ middle)
    seen = shares > 0

    def cells(parameters) -> np.ndarray:
        """The law in the cells, cut off at the ends of the domain."""
        inside = np.diff(law(scaled, *parameters))
        return inside / inside.sum()

    def loss(parameters) -> float:
        return np.nan_to_num(-shares[seen] @ log(cells(parameters)[seen]), nan=np.inf)

    with np.errstate(all="ignore"):  # far off no cell has a share
        found = scipy.optimize.minimize(
            loss, CORNERS[0], method="Nelder-Mead", options={"initial_simplex": CORNERS}
        )
        return found.fun, np.append(0, np.cumsum(cells(found.x)))


def distance(ends, below, values, half) -> float:
    """How far P(value < end) is from values, each of which stands for all within half a step: Kolmogorov-Smirnov."""
    distinct, counts = np.unique(values, return_counts=True)
    seen = np.cumsum(counts) / len(values)
    above = np.interp(distinct + half, ends, below) - seen
    under = np.interp(distinct - half, ends, below) - np.append(0, seen[:-1])
    return np.abs([above, under]).max()


class LeafLaw:
    """What a method does to counts of leaves (rows) by class (columns).

    Parameters
    ----------
    counts : whole numbers; no row and no column is 0
    method : "random", "probabilistic", "all" or None, as for ``LeafNoise``
    """

    def __init__(self, counts, method):
        self.method = method
        self.counts = counts.astype(float)
        self.sizes = counts.sum(axis=1)
        self.shares = counts / self.sizes[:, None]
        self.mixed = (self.shares < 1).all(axis=1)

    @cached_property
    def expected(self) -> float:
        """E(N) = Σ N_k (1 − Σ p²), the same for all methods."""
        if not self.method:
            return 0.0
        changed = 1 - (self.shares**2).sum(axis=1)
        return float(self.sizes @ changed)

    @property
    def chance(self) -> float:
        """The probability E(N) / N with which "all" changes a class."""
        return self.expected / self.sizes.sum()

    @property
    def matrix(self) -> np.ndarray:
        """P(released class | true class) of "all"."""
        k = self.counts.shape[1]
        each_other = self.chance / max(k - 1, 1)
        return np.where(np.eye(k), 1 - self.chance, each_other)

    @property
    def sd(self) -> float:
        """The standard deviation of the number of changed classes."""
        squares = self.counts**2
        sizes = self.sizes.astype(float)
        if self.method == "random":
            # Of the kept labels of each class the variance, of those of two classes the covariance, in tables with
            # fixed margins.
            others = sizes[:, None] - self.counts
            own = (squares * others**2).sum(axis=1)
            pairs = squares.sum(axis=1) ** 2 - (squares**2).sum(axis=1)
            # A leaf of a single record has no variance.
            whole = sizes**2 * np.maximum(sizes - 1, 1)
            variance = ((own + pairs) / whole).sum()
        elif self.method == "probabilistic":
            variance = (self.counts * self.shares * (1 - self.shares)).sum()
        else:
            variance = self.expected * (1 - self.chance)
        return math.sqrt(variance)

    def totals(self) -> tuple:
        """The true number of records of each class, that expected in the release, and its standard deviation."""
        true = self.counts.sum(axis=0)
        expected = true
        variance = np.zeros_like(true)
        if self.method == "probabilistic":
            variance = self.sizes @ (self.shares * (1 - self.shares))
        elif self.method == "all":
            expected = true @ self.matrix
            variance = true @ (self.matrix * (1 - self.matrix))
        return true, expected, np.sqrt(variance)

    def total(self, column) -> np.ndarray:
        """The probability of 0, 1, 2, … released records of the class in a column."""
        sizes = self.counts.sum(axis=0)
        chances = np.eye(len(sizes))[column]
        if self.method == "all":
            # Who has the class and keeps it, and who comes to it.
            chances = self.matrix[:, column]
        elif self.method == "probabilistic":
            sizes = self.sizes
            chances = self.shares[:, column]
        return reduce(np.convolve, map(_binomial, sizes, chances))

    def changes(self) -> np.ndarray:
        """The probability of 0, 1, 2, … changed classes."""
        if self.method == "all":
            return _binomial(self.sizes.sum(), self.chance)
        of_leaf = _permuted if self.method == "random" else _drawn
        # The leaves change independently. In a homogeneous one nothing changes.
        leaves = self.counts[self.mixed].astype(int) if self.method else []
        return reduce(np.convolve, map(of_leaf, leaves), np.ones(1))

    def security(self) -> tuple:
        """For each leaf and true class, the probability of a change, and what an intruder believes of that class."""
        if self.method == "all":
            # By Bayes' rule, for each class that may be seen.
            seen = (self.shares @ self.matrix)[:, None]
            told = self.matrix**2 / np.where(seen > 0, seen, 1)
            believed = self.shares * told.sum(axis=2)
            return np.full_like(self.shares, self.chance), believed
        if self.method is None:
            return np.zeros_like(self.shares), np.ones_like(self.shares)
        return 1 - self.shares, self.shares


def _permuted(counts):
    """The law of the changes in a leaf whose classes change places at random (p_k^i of the paper)."""
    size = int(counts.sum())
    counts = counts[counts > 0]
    if len(counts) == 2:
        # Where i labels of the rarer class are dealt to their own records, 2 (n − i) change.
        rarer = int(counts.min())
        law = np.zeros(2 * rarer + 1)
        law[::-2] = scipy.stats.hypergeom.pmf(np.arange(rarer + 1), size, rarer, rarer)
        return law
    if size > MAX_MATCHED:
        told = f"a leaf has {size} records of {len(counts)} classes; expected at most {MAX_MATCHED}"
        raise ValueError(f"{told} for the exact law: use expected and sd")
    # Rook numbers: in how many ways m records can be chosen and given labels of their own classes. Python's whole
    # numbers are exact.
    rooks = np.ones(1, dtype=object)
    for count in counts.tolist():
        own = [math.comb(count, m) ** 2 * math.factorial(m) for m in range(count + 1)]
        rooks = np.convolve(rooks, np.array(own, dtype=object))
    ways = [rook * math.factorial(size - m) for m, rook in enumerate(rooks)]
    whole = math.factorial(size)
    law = np.zeros(size + 1)
    for kept in range(size + 1):
        # Inclusion and exclusion: the ways in which exactly so many records keep their labels.
        terms = ((-1) ** (m - kept) * math.comb(m, kept) * ways[m] for m in range(kept, size + 1))
        law[size - kept] = sum(terms) / whole
    return law


def _drawn(counts):
    """The law of the changes in a leaf whose records draw their classes by its shares."""
    return reduce(np.convolve, map(_binomial, counts, 1 - counts / counts.sum()))


def _binomial(size, chance):
    """The law of the number among so many that each has the chance."""
    return scipy.stats.binom.pmf(np.arange(size + 1), size, chance)
