"""How mixed a node is, and which of the candidate splits of a level unmixes it best.

A measure of impurity takes class weights, classes along the first axis, and their total, and gives the impurity of
the shares times the total, so that impurities of children add up.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ppdm import information

Criterion = Literal["gini", "gain", "gain_ratio"]
Impurity = Callable[[np.ndarray, np.ndarray], np.ndarray]

# Gains closer to each other than this share of the node are ties: the lowest attribute, the lowest cut wins.
TIE = 1e-12
# What stands for 0 below a fraction line, where 0 stands above it too.
TINY = 1e-300


def gini(weights: np.ndarray, total: np.ndarray) -> np.ndarray:
    """Total weight times gini index, 1 − Σ p² (AS00 §4.1).

    >>> float(gini(np.array([3.0, 1.0]), np.array(4.0)))
    1.5
    """
    return total - (weights * weights).sum(axis=0) / np.maximum(total, TINY)


def entropy(weights: np.ndarray, total: np.ndarray) -> np.ndarray:
    """Total weight times entropy in bits, −Σ p log₂ p.

    >>> float(entropy(np.array([2.0, 2.0]), np.array(4.0)))
    4.0
    """
    return total * information.entropy(weights, axis=0)


IMPURITIES: dict[str, Impurity] = {"gini": gini, "gain": entropy, "gain_ratio": entropy}


@dataclass(frozen=True)
class Scale:
    """How the splits of a growing tree are judged.

    ``negative``: weights below 0 occur; class weights are then floored at 0 inside the criterion, while the size
    of a node stays its raw sum. ``min_leaf``: the least size of either side of a binary split.
    """

    impurity: Impurity
    negative: bool
    min_leaf: float

    def __call__(self, weights: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        """The impurity of nodes, times their sizes."""
        if not self.negative:
            return self.impurity(weights, sizes)
        floored = np.maximum(weights, 0)
        total = floored.sum(axis=0)
        return self.impurity(floored, total) * np.maximum(sizes, 0) / np.maximum(total, TINY)


@dataclass(frozen=True, eq=False)
class Candidates:
    """The best split of each node on one attribute: gain a record, its split information, where the codes go.

    A binary split sends the codes whose rank is above ``cut`` to the right (ranks None: the codes themselves); a
    split without a cut has a child for each value.
    """

    gain: np.ndarray
    information: np.ndarray
    cut: np.ndarray | None = None
    ranks: np.ndarray | None = None

    def parts(self, number: int) -> "list[Candidates]":
        """Those of several attributes that were searched at once, one after the other."""
        fields = (self.gain, self.information, self.cut, self.ranks)
        cut = [[None] * number if field is None else np.split(field, number) for field in fields]
        return [Candidates(*own) for own in zip(*cut, strict=True)]

    def routes(self, nodes: np.ndarray, width: int) -> np.ndarray:
        """The child of each code, for some of the nodes."""
        codes = np.arange(width)[None] if self.ranks is None else self.ranks[nodes]
        return codes if self.cut is None else codes > self.cut[nodes, None]


def best_cut(histogram: np.ndarray, scale: Scale) -> Candidates:
    """The best binary split between neighbouring values, for each node of a histogram (class, node, value)."""
    left = histogram.cumsum(axis=2)
    total = left[:, :, -1]
    left = left[:, :, :-1]
    right = total[:, :, None] - left
    return _best(left, right, total, scale)


def best_subset(histogram: np.ndarray, scale: Scale) -> Candidates:
    """The best division of nominal values in two: best cut in the order of a class's share (exact for two classes,
    Breiman et al. 1984), or of the first principal component of the shares (Coppersmith, Hong & Hosking 1999).
    """
    floored = np.maximum(histogram, 0).astype(float)
    shares = _ratio(floored, floored.sum(axis=0))
    position = shares[-1] if len(shares) == 2 else _principal(shares, floored.sum(axis=0))
    order = np.argsort(position, axis=1, kind="stable")
    best = best_cut(np.take_along_axis(histogram, order[None], axis=2), scale)
    assert best.cut is not None
    ranks = np.empty_like(order)
    np.put_along_axis(ranks, order, np.arange(order.shape[1])[None], axis=1)
    # Values that no record of the node has follow the heavier side.
    sizes = histogram.sum(axis=0)
    left = np.where(ranks <= best.cut[:, None], sizes, 0).sum(axis=1)
    lighter = left < sizes.sum(axis=1) - left
    absent = ~histogram.any(axis=0)
    ranks = np.where(absent, np.where(lighter, order.shape[1], -1)[:, None], ranks)
    return Candidates(best.gain, best.information, best.cut, ranks)


def every_value(histogram: np.ndarray, scale: Scale) -> Candidates:
    """The split into one child for each value; two of them at least must reach the least size of a leaf."""
    total, sizes = histogram.sum(axis=2), histogram.sum(axis=0)
    size = total.sum(axis=0)
    gain = _ratio(scale(total, size) - scale(histogram, sizes).sum(axis=1), size)
    allowed = (sizes >= scale.min_leaf).sum(axis=1) >= 2
    return Candidates(np.where(allowed, gain, -np.inf), information.entropy(np.maximum(sizes, 0), axis=1))


def choose(candidates: list[Candidates], criterion: Criterion) -> tuple[np.ndarray, np.ndarray]:
    """For each node the attribute to split on, and its gain.

    Gain ratio is compared among the attributes whose gain is at least the average of the positive gains, as C4.5
    does, because the ratio alone favours lopsided splits.
    """
    gains = np.array([candidate.gain for candidate in candidates])
    merit = gains
    if criterion == "gain_ratio":
        positive = gains > TIE
        average = _ratio(np.where(positive, gains, 0).sum(axis=0), positive.sum(axis=0))
        information = np.array([candidate.information for candidate in candidates])
        worthy = positive & (gains >= average - TIE)
        merit = np.where(worthy, _ratio(gains, information), np.where(positive.any(axis=0), -np.inf, gains))
    attribute = _first_best(merit.T)
    return attribute, np.take_along_axis(gains, attribute[None], axis=0)[0]


def _best(left: np.ndarray, right: np.ndarray, total: np.ndarray, scale: Scale) -> Candidates:
    if not left.shape[2]:
        none = np.full(left.shape[1], -np.inf)
        return Candidates(none, none, np.zeros(left.shape[1], dtype=int))
    size_left, size_right = left.sum(axis=0), right.sum(axis=0)
    after = scale(left, size_left) + scale(right, size_right)
    after[(size_left < scale.min_leaf) | (size_right < scale.min_leaf)] = np.inf
    cut = _first_best(-after, tie=TIE * np.abs(total).sum(axis=0))
    nodes = np.arange(len(cut))
    size = total.sum(axis=0)
    gain = _ratio(scale(total, size) - after[nodes, cut], size, empty=-np.inf)
    sides = np.maximum([size_left[nodes, cut], size_right[nodes, cut]], 0)
    return Candidates(gain, information.entropy(sides, axis=0), cut)


def _first_best(merit: np.ndarray, tie: np.ndarray | float = TIE) -> np.ndarray:
    """The first place in each row that is within a tie of the row's best."""
    best = merit.max(axis=1)
    return np.argmax(merit >= (best - tie)[:, None], axis=1)


def _principal(shares: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Each value's place along the axis on which the class shares of a node's values differ most."""
    centre = _ratio((shares * weight).sum(axis=2), weight.sum(axis=1))
    spread = shares - centre[:, :, None]
    covariance = np.einsum("cnv,dnv,nv->ncd", spread, spread, weight)
    axis = np.linalg.eigh(covariance)[1][:, :, -1]
    # An eigenvector's sign is arbitrary: its largest entry is made positive, so that every machine agrees.
    largest = np.take_along_axis(axis, np.abs(axis).argmax(axis=1)[:, None], axis=1)
    return np.einsum("nc,cnv->nv", axis * np.sign(largest), spread)


def _ratio(top: np.ndarray, bottom: np.ndarray, empty: float = 0.0) -> np.ndarray:
    """Top over bottom, and the given value where there is nothing to divide by."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(bottom > 0, top / bottom, empty)
