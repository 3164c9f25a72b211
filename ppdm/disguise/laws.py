"""The laws of the noises: what the channels of ``noise`` need to know of a noise of scale 1."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.special import log_ndtr, ndtr, ndtri


class Law(NamedTuple):
    """A noise of scale 1, symmetric about 0."""

    variance: float
    reach: float  # beyond it there is no mass, or less than 1e-23
    quantile: Callable[[Any], Any]
    cdf: Callable[[np.ndarray], np.ndarray]
    cdf_integral: Callable[[np.ndarray], np.ndarray]
    density: Callable[[np.ndarray], np.ndarray]
    log_mean: Callable[[np.ndarray, float], np.ndarray]  # log of the mean density within that distance of each place


def _normal_density(z: np.ndarray) -> np.ndarray:
    return np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)


def _uniform_log_mean(z: np.ndarray, half: float) -> np.ndarray:
    low, high = (np.clip((z + sign * half + 1) / 2, 0, 1) for sign in (-1, 1))
    return np.log((high - low) / (2 * half))


def _normal_log_mean(z: np.ndarray, half: float) -> np.ndarray:
    if half < 1e-5:  # where it is the density in the middle, to 1e-8 at 40 standard deviations
        return -(z**2) / 2 - math.log(2 * math.pi) / 2
    upper = np.maximum(half - np.abs(z), -1e8)  # differences farther out are beyond a float
    above, below = log_ndtr(upper), log_ndtr(upper - 2 * half)
    return above + np.log1p(-np.exp(below - above)) - math.log(2 * half)


UNIFORM = Law(
    variance=1 / 3,
    reach=1.0,
    quantile=lambda u: 2 * u - 1,
    cdf=lambda z: np.clip((z + 1) / 2, 0, 1),
    cdf_integral=lambda z: np.clip(z + 1, 0, 2) ** 2 / 4 + np.maximum(z - 1, 0),
    # On the very edge the density counts half; else rounding would decide between none and all of it (AS00 §3).
    density=lambda z: np.where(np.isclose(np.abs(z), 1, rtol=1e-9, atol=0), 0.25, 0.5 * (np.abs(z) < 1)),
    log_mean=_uniform_log_mean,
)
GAUSSIAN = Law(
    variance=1.0,
    reach=10.0,
    quantile=ndtri,
    cdf=ndtr,
    cdf_integral=lambda z: z * ndtr(z) + _normal_density(z),
    density=_normal_density,
    log_mean=_normal_log_mean,
)


def closed_edges(edges: np.ndarray) -> np.ndarray:
    """The edges, an open end at the distance at which its interval is as wide as its neighbour.

    Without two finite edges there is nothing to go by: the ends stay open.

    >>> closed_edges(np.array([-np.inf, 0, 2])).tolist()
    [-2.0, 0.0, 2.0]
    """
    finite = edges[np.isfinite(edges)]
    if len(finite) < 2:
        return edges
    low = edges[0] if np.isfinite(edges[0]) else 2 * finite[0] - finite[1]
    high = edges[-1] if np.isfinite(edges[-1]) else 2 * finite[-1] - finite[-2]
    return np.concatenate(([low], edges[1:-1], [high]))
