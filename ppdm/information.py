"""Entropy and information gain in bits, and the codes of values, for every stage that counts."""

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd

from ppdm import checks


def ratio(top, bottom, empty=0.0) -> np.ndarray:
    """Top over bottom; ``empty`` where bottom is not above 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(bottom > 0, top / bottom, empty)


def entropy(weights, axis=-1) -> np.ndarray:
    """Shannon entropy in bits of non-negative weights, taken as shares along an axis; 0 where all weights are 0.

    >>> float(entropy(np.array([2, 2])))
    1.0
    """
    weights = np.asarray(weights, dtype=float)
    shares = ratio(weights, weights.sum(axis=axis, keepdims=True))
    logs = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
    return -(shares * logs).sum(axis=axis) + 0.0  # never −0.0


def gain(codes, others) -> float:
    """How many bits two lists of codes 0, 1, 2, … tell about each other: H(codes) + H(others) − H(both together).

    >>> gain(np.array([0, 0, 1, 1]), np.array([1, 1, 0, 0]))
    1.0
    """
    width = int(others.max()) + 1
    # A pair's number is its code times the number of the others, plus its other.
    pairs = codes * width + others
    # Only the pairs that occur are counted where a table of all would be larger than the records.
    few = pairs.max() < 4 * len(pairs)
    both = np.bincount(pairs) if few else np.unique(pairs, return_counts=True)[1]
    bits = entropy(np.bincount(codes)) + entropy(np.bincount(others)) - entropy(both)
    return max(float(bits), 0.0)  # rounding can leave a gain of 0 slightly below it


def coded(name, values, **how) -> tuple:
    """The code of each value among the distinct ones, and these; ``how`` is as for ``pandas.factorize``."""
    try:
        return pd.factorize(values, **how)
    except TypeError:  # of pandas, which knows no name
        raise TypeError(f"{name} holds lists or the like; expected text, numbers, True or False") from None


def distinct_codes(name, values) -> np.ndarray:
    """The number of each value among the distinct ones. Missing values are equal to each other."""
    return coded(name, values, use_na_sentinel=False)[0]


def shared_codes(name, *columns) -> list:
    """The same numbers for the values of several columns: for each column those of its own."""
    return parted(distinct_codes(name, pd.concat(columns)), columns)


def parted(codes, wholes) -> list:
    """The codes of several columns, or tables, that were joined: those of each."""
    return np.split(codes, np.cumsum([*map(len, wholes)])[:-1])


def codes_of(name, entries) -> np.ndarray:
    """The number of each entry among the distinct ones, in order of appearance; entries of any hashable kind."""
    # A list as objects: NumPy would make a text of 1 beside "a", and several columns of tuples.
    listed = pd.Series(entries, dtype=object) if isinstance(entries, list | tuple) else entries
    try:
        codes, distinct = pd.factorize(checks.labels(name, listed))
    except TypeError as error:
        raise TypeError(
            f"{name} has entries that cannot be told apart ({error}); expected numbers or labels"
        ) from None
    if not len(codes) or pd.Series(distinct).isin([-math.inf, math.inf]).any():
        raise ValueError(f"{name} is empty, or has infinite entries; expected a finite one for each record")
    return codes


def people_in(histograms: Sequence[np.ndarray], widths: Sequence[int]) -> np.ndarray:
    """Whom histograms (class × node × value) show whole: a row for each, of the codes of all attributes and the class.

    Who is alone of a class in a node is so in the histogram of each attribute; and in the nodes below, too.
    """
    ends = np.cumsum(widths)
    rows = [np.empty((0, len(ends) + 1), int)]
    for found in histograms:
        parts = np.split(found, ends[:-1], axis=2)
        alone = parts[0].sum(axis=2) == 1
        codes = [part[alone].argmax(axis=1) for part in parts]
        rows.append(np.column_stack([*codes, np.nonzero(alone)[0]]))
    return np.unique(np.concatenate(rows), axis=0)
