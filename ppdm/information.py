"""Entropy and gain, in bits, for every stage that counts."""

import numpy as np


def entropy(weights: np.ndarray, axis: int = -1) -> np.ndarray:
    """Shannon entropy in bits of the shares that non-negative weights have along an axis; 0 where all are 0.

    >>> float(entropy(np.array([2, 2])))
    1.0
    """
    weights = np.asarray(weights, dtype=float)
    total = weights.sum(axis=axis, keepdims=True)
    shares = np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)
    logs = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
    return -(shares * logs).sum(axis=axis) + 0.0


def gain(table: np.ndarray) -> float:
    """Information gain in bits of a table of counts (rows: values, columns: classes).

    The entropy of the classes less the mean entropy of the classes within each value (Quinlan's ID3).

    >>> gain(np.array([[3, 0], [0, 3]]))
    1.0
    """
    table = np.asarray(table, dtype=float)
    sizes = table.sum(axis=1)
    total = sizes.sum()
    if total <= 0:
        return 0.0
    return float(entropy(table.sum(axis=0)) - sizes @ entropy(table, axis=1) / total)
