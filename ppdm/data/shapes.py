"""The two shapes of Agrawal & Srikant (2000, Figure 2)."""

import numpy as np

from ppdm import checks, randomness
from ppdm.data.quest import MAX_RECORDS


def plateau(n: int, rng: randomness.Rng = None) -> np.ndarray:
    """Draw n values of the plateau of Figure 2: uniform on [0.25, 0.75] (our choice; the paper only draws it).

    >>> plateau(3, rng=7).round(2).tolist()
    [0.56, 0.7, 0.64]
    """
    return 0.25 + 0.5 * _uniform(n, rng)


def triangles(n: int, rng: randomness.Rng = None) -> np.ndarray:
    """Draw n values of the two triangles of Figure 2: on [0, 0.5] and [0.5, 1], peaks at 0.25 and 0.75 (our choice).

    >>> triangles(3, rng=7).round(2).tolist()
    [0.68, 0.84, 0.76]
    """
    # One number says which triangle, by its half, and where in it: the inverse of the triangle's distribution.
    triangle, v = np.divmod(2 * _uniform(n, rng), 1)
    return (triangle + np.where(v < 0.5, np.sqrt(v / 2), 1 - np.sqrt((1 - v) / 2))) / 2


def _uniform(n, rng):
    return randomness.uniform(checks.whole("n", n, 1, MAX_RECORDS), randomness.generator(rng))
