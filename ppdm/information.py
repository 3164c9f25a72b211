"""Entropy and information gain, in bits, for every stage that counts."""

import numpy as np


def entropy(weights: np.ndarray, axis: int = -1) -> np.ndarray:
    """Shannon entropy in bits of non-negative weights, taken as shares along an axis; 0 where all weights are 0.

    >>> float(entropy(np.array([2, 2])))
    1.0
    """
    weights = np.asarray(weights, dtype=float)
    total = weights.sum(axis=axis, keepdims=True)
    shares = np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)
    logs = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
    return -(shares * logs).sum(axis=axis) + 0.0  # never −0.0


def gain(values: np.ndarray, classes: np.ndarray) -> float:
    """Information gain in bits of knowing each record's value, of codes from 0 for both (Quinlan's ID3, multiway).

    H(value) + H(class) − H(value, class). Only the pairs that occur are counted: a table of all could be huge.

    >>> gain(np.array([0, 0, 1, 1]), np.array([0, 0, 1, 1]))
    1.0
    """
    # One number for each pair: its value times the number of classes, plus its class.
    pairs = np.unique(values * (classes.max(initial=0) + 1) + classes, return_counts=True)[1]
    bits = entropy(np.bincount(values)) + entropy(np.bincount(classes)) - entropy(pairs)
    return max(float(bits), 0.0)  # rounding can leave a gain of 0 slightly below it
