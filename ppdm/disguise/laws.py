"""Laws: of additive noise, uniform and Gaussian, of scale 1; and the families that are fitted to numbers."""

import math
from types import SimpleNamespace

import numpy as np
from scipy.optimize import minimize
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


def fitted(law, ends, shares) -> tuple[float, np.ndarray]:
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
        found = minimize(loss, CORNERS[0], method="Nelder-Mead", options={"initial_simplex": CORNERS})
        return found.fun, np.append(0, np.cumsum(cells(found.x)))


def distance(ends, below, values, half) -> float:
    """How far P(value < end) is from values, each of which stands for all within half a step: Kolmogorov-Smirnov."""
    distinct, counts = np.unique(values, return_counts=True)
    seen = np.cumsum(counts) / len(values)
    above = np.interp(distinct + half, ends, below) - seen
    under = np.interp(distinct - half, ends, below) - np.append(0, seen[:-1])
    return np.abs([above, under]).max()
