"""Entropy in bits, for every stage that counts."""

import numpy as np


def entropy(weights, axis=-1) -> np.ndarray:
    """Shannon entropy in bits of non-negative weights, taken as shares along an axis; 0 where all weights are 0.

    >>> float(entropy(np.array([2, 2])))
    1.0
    """
    weights = np.asarray(weights, dtype=float)
    total = weights.sum(axis=axis, keepdims=True)
    shares = np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)
    logs = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
    return -(shares * logs).sum(axis=axis) + 0.0  # never −0.0
