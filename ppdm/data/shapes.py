"""The two shapes of Agrawal & Srikant (2000, Figure 2): their values, and the true probability of each interval."""

import numpy as np

from ppdm import checks, randomness
from ppdm.data.quest import MAX_RECORDS


def plateau(n: int, rng: randomness.Rng = None) -> np.ndarray:
    """Draw n values of the plateau of Figure 2: uniform on [0.25, 0.75] (*choice*; the paper only draws it).

    >>> plateau(3, rng=7).round(2).tolist()
    [0.56, 0.7, 0.64]
    """
    return 0.25 + 0.5 * _uniform(n, rng)


def triangles(n: int, rng: randomness.Rng = None) -> np.ndarray:
    """Draw n values of the two triangles of Figure 2: on [0, 0.5] and [0.5, 1], peaks at 0.25 and 0.75 (*choice*).

    >>> triangles(3, rng=7).round(2).tolist()
    [0.68, 0.84, 0.76]
    """
    # One number says which triangle, by its half, and where in it: the inverse of the triangle's distribution.
    triangle, v = np.divmod(2 * _uniform(n, rng), 1)
    return (triangle + np.where(v < 0.5, np.sqrt(v / 2), 1 - np.sqrt((1 - v) / 2))) / 2


def shape_probabilities(shape: str, edges) -> np.ndarray:
    """The true probability of each interval [edge, next edge): what a reconstruction of the shape should find.

    Parameters
    ----------
    shape : "plateau" or "triangles"
    edges : increasing numbers that cover [0, 1]

    >>> shape_probabilities("plateau", [0, 0.5, 1]).tolist()
    [0.5, 0.5]
    """
    cdf = _CDF[checks.choice("shape", shape, _CDF)]
    edges = checks.edges("edges", edges)
    if edges[0] > 0 or edges[-1] < 1:
        raise ValueError(f"edges goes from {edges[0]:g} to {edges[-1]:g}; expected edges that cover [0, 1]")
    return np.diff(cdf(edges))


def _uniform(n, rng):
    return randomness.uniform(checks.whole("n", n, 1, MAX_RECORDS), randomness.generator(rng))


def _triangles_cdf(x):
    triangle, t = np.divmod(2 * np.clip(x, 0, 1), 1)
    return (triangle + np.where(t < 0.5, 2 * t**2, 1 - 2 * (1 - t) ** 2)) / 2


_CDF = {
    "plateau": lambda x: np.clip(2 * x - 0.5, 0, 1),
    "triangles": _triangles_cdf,
}
