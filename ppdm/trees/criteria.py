"""How mixed the classes of a node are, and which split separates them best.

A measure of impurity takes class weights (classes along the first axis) and their total. It gives the impurity of the
shares times the total, so that the impurities of children can be added.
"""

from collections.abc import Callable
from typing import Literal

import numpy as np

from ppdm import information
from ppdm.information import ratio

Criterion = Literal["gini", "gain"]

# Gains closer to each other than this share of the node are ties: the lowest attribute, the lowest cut wins.
TIE = 1e-12
# What stands for 0 below a fraction line, where 0 stands above it too.
TINY = 1e-300


def gini(weights, total) -> np.ndarray:
    """Total weight times gini index, 1 − Σ p² (AS00 §4.1).

    >>> float(gini(np.array([3.0, 1.0]), np.array(4.0)))
    1.5
    """
    return total - (weights * weights).sum(axis=0) / np.maximum(total, TINY)


def entropy(weights, total) -> np.ndarray:
    """Total weight times entropy in bits, −Σ p log₂ p.

    >>> float(entropy(np.array([2.0, 2.0]), np.array(4.0)))
    4.0
    """
    return total * information.entropy(weights, axis=0)


IMPURITIES = {"gini": gini, "gain": entropy}


def floored(impurity) -> Callable:
    """The measure for class weights of which some are below 0: they count as 0, but the size stays their raw sum."""

    def measure(weights, sizes) -> np.ndarray:
        positive = np.maximum(weights, 0)
        total = positive.sum(axis=0)
        return impurity(positive, total) * np.maximum(sizes, 0) / np.maximum(total, TINY)

    return measure


def best_cuts(histogram, widths, impurity, min_leaf) -> tuple:
    """The best cut between neighbouring values, for every node and attribute at once.

    Parameters
    ----------
    histogram : weights by class, node and value; the values of all attributes side by side
    widths : how many values each attribute has
    impurity : the measure by which cuts are compared
    min_leaf : the least size of either side

    The answer has a row for each node and a column for each attribute: the last value of the left side; the impurity of
    both sides, times their sizes, infinite where no cut is allowed; and, with a first axis for the classes, the weights
    of the left side and of both.
    """
    classes, nodes, width = histogram.shape
    # A cut after a value that no record has divides the records as a lower cut does, and the lower one wins. So only
    # values that occur are looked at, which are few in small nodes, and the last of each attribute, where its sums are.
    lasts = np.cumsum(widths) - 1
    occurs = np.asarray(histogram.any(axis=0))
    occurs[:, lasts] = True
    cells = np.flatnonzero(occurs)
    # An attribute's cells in a node stand side by side; they are compared with each other.
    ends = np.arange(nodes)[:, None] * width + lasts
    end = np.searchsorted(cells, ends.ravel())
    sizes = np.diff(end, prepend=-1)
    begin = end + 1 - sizes
    if histogram.dtype.kind == "i":
        # Whole numbers are summed up in one go; what stands before an attribute is taken off again, exactly.
        found = histogram.reshape(classes, -1).take(cells, axis=1)
        sums = found.cumsum(axis=1, dtype=np.int64)
        before = (sums - found).take(begin, axis=1)
        left = (sums - np.repeat(before, sizes, axis=1)).astype(float)
    else:
        # Sums begin again with each attribute: those of a small one would be lost in the rounding of large ones.
        parts = [part.cumsum(axis=2) for part in np.split(histogram, lasts[:-1] + 1, axis=2)]
        left = np.concatenate(parts, axis=2).reshape(classes, -1).take(cells, axis=1)
    total = left.take(end, axis=1)
    right = np.repeat(total, sizes, axis=1) - left

    size_left = left.sum(axis=0)
    size_right = right.sum(axis=0)
    after = impurity(left, size_left) + impurity(right, size_right)
    after[(size_left < min_leaf) | (size_right < min_leaf)] = np.inf
    # Of those that are as good as the best, the first.
    limit = np.minimum.reduceat(after, begin) + TIE * np.abs(total).sum(axis=0)
    good = np.flatnonzero(after <= np.repeat(limit, sizes))
    best = good[np.searchsorted(good, begin)]
    last = (cells[best] % width).reshape(nodes, -1) - (lasts + 1 - widths)
    sides = (classes, nodes, -1)
    return last, after[best].reshape(nodes, -1), left[:, best].reshape(sides), total.reshape(sides)


def order_by_share(histogram) -> np.ndarray:
    """The values of a nominal attribute, in each node in an order whose best cut is a good division in two.

    With two classes, the order of a class's share: the best cut is then the best division (Breiman et al. 1984). With
    more, the order along the first principal component of the shares (Coppersmith, Hong & Hosking 1999).
    """
    positive = np.maximum(histogram, 0).astype(float)
    total = positive.sum(axis=0)
    shares = ratio(positive, total)
    place = shares[-1] if len(shares) == 2 else _principal(shares, total)
    return np.argsort(place, axis=1, kind="stable")


def after_every_value(histogram, impurity, min_leaf) -> np.ndarray:
    """The impurity of the children of a split by value, times their sizes; two must reach the least size of a leaf."""
    sizes = histogram.sum(axis=0)
    allowed = (sizes >= min_leaf).sum(axis=1) >= 2
    return np.where(allowed, impurity(histogram, sizes).sum(axis=1), np.inf)


def _principal(shares, weight):
    """Each value's place along the axis on which the class shares of a node's values differ most."""
    centre = ratio((shares * weight).sum(axis=2), weight.sum(axis=1))
    spread = shares - centre[:, :, None]
    covariance = np.einsum("cnv,dnv,nv->ncd", spread, spread, weight)
    axis = np.linalg.eigh(covariance)[1][:, :, -1]
    # An eigenvector's sign is arbitrary: its largest entry is made positive, so that every machine agrees.
    largest = np.take_along_axis(axis, np.abs(axis).argmax(axis=1)[:, None], axis=1)
    return np.einsum("nc,cnv->nv", axis * np.sign(largest), spread)
