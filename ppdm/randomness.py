"""Where chance comes from: a seed, a NumPy generator or, for releases, the operating system.

Every argument ``rng`` of the library means the same: a whole number starts a reproducible stream, a
``numpy.random.Generator`` is drawn from as it stands, and ``None`` asks for the default of the caller, which is
the operating system's secure source wherever values are disguised for release.
"""

import os
from typing import Any

import numpy as np

Rng = int | np.random.Generator | None


def stream(rng: Any) -> np.random.Generator | None:
    """A generator for a seed or a generator; None, which stands for the secure source, stays None."""
    if rng is None or isinstance(rng, np.random.Generator):
        return rng
    expected = f"rng is {rng!r}; expected a whole number of at least 0, a numpy Generator, or None"
    if not isinstance(rng, (int, np.integer)) or isinstance(rng, bool):
        raise TypeError(expected)
    if rng < 0:
        raise ValueError(expected)
    return np.random.default_rng(int(rng))


def generator(rng: Any) -> np.random.Generator:
    """A generator, for simulated data: None starts one from fresh entropy."""
    return stream(rng) or np.random.default_rng()


def uniform(n: int, rng: Rng = None) -> np.ndarray:
    """Draw n numbers, uniform on the open interval (0, 1); from the operating system's secure source if rng is None.

    >>> uniform(3, rng=7).round(4).tolist()
    [0.6251, 0.8972, 0.7757]
    """
    source = stream(rng)
    if source is None:
        words = np.frombuffer(os.urandom(8 * n), dtype=np.uint64)
    else:
        words = source.integers(0, 2**64, n, dtype=np.uint64)
    # The middle of each of 2^52 cells: neither 0 nor 1 occurs, so every quantile function stays finite.
    return ((words >> np.uint64(12)).astype(float) + 0.5) * 2.0**-52


def permutation(n: int, rng: Rng = None) -> np.ndarray:
    """A random order of 0 … n − 1, by sorting random keys."""
    return np.argsort(uniform(n, rng), kind="stable")
