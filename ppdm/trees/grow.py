"""Growing a tree, a level at a time, from any table that answers ``histograms`` and ``descend`` (AS00 Figure 4)."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.stats import chi2

from ppdm import checks
from ppdm.information import entropy as entropy_of
from ppdm.tables import Splits, Table
from ppdm.trees.criteria import (
    IMPURITIES,
    TIE,
    Criterion,
    Scale,
    after_every_value,
    best_cuts,
    choose,
    order_by_share,
    ratio,
)
from ppdm.trees.model import Tree

# Cells of the histograms at a time: they stay in the processor's cache, and memory stays bounded.
BLOCK = 3 << 15

# Sums of fractional weights are rounded: ten times a tenth is a record, and what cancels leaves a trace.
ENOUGH = 1 - 1e-9

# The splits of a level of leaves.
NONE = np.empty(0, dtype=int)
NOTHING = Splits(NONE, NONE[:, None], NONE, NONE[:, None], NONE)


@dataclass(frozen=True)
class Stop:
    """When a node stays a leaf.

    Parameters
    ----------
    purity : in (0, 1]: a node in which one class has this share or more is a leaf ("most points are of the same class")
    min_records : at least 0: a node of smaller size (its raw sum of weights) is a leaf
    min_leaf : above 0: no side of a split is smaller
    min_gain : at least 0: the least gain of a split, for each record of the node. 0 admits splits that gain nothing, as
        scikit-learn does; the default asks for some gain, as AS00 §5.2 does ("it stops because it does not find any
        split point that increases gini").
    max_depth : at least 0, or None: no bound
    least_errors : at least 0: a node with no more weight than this outside its largest class is a leaf
    confidence : in (0, 1): a split must pass a χ² test of independence (Quinlan 1986) at this confidence,
        Bonferroni-corrected over the candidate tests of the node: every cut is one, and so is a nominal attribute. The
        test knows the variance that a disguise adds to the counts. For "gain" and "gain_ratio"; None: no test
    """

    purity: float = 1.0
    min_records: float = 2.0
    min_leaf: float = 1.0
    min_gain: float = 1e-9
    max_depth: int | None = None
    least_errors: float = 0.0
    confidence: float | None = None

    def __post_init__(self):
        checks.number("purity", self.purity, 0, 1, open_low=True)
        checks.number("min_records", self.min_records, 0)
        checks.number("min_leaf", self.min_leaf, 0, open_low=True)
        checks.number("min_gain", self.min_gain, 0)
        checks.number("least_errors", self.least_errors, 0)
        if self.max_depth is not None:
            checks.whole("max_depth", self.max_depth, 0)
        if self.confidence is not None:
            checks.number("confidence", self.confidence, 0, 1, open_low=True, open_high=True)

    def open_nodes(self, weights: np.ndarray, depth: int) -> np.ndarray:
        """Which nodes of a level, given their weights (class, node), may be split."""
        if self.max_depth is not None and depth >= self.max_depth:
            return np.zeros(weights.shape[1], dtype=bool)
        size, positive = weights.sum(axis=0), np.maximum(weights, 0)
        total, largest = positive.sum(axis=0), positive.max(axis=0)
        rest, rounding = total - largest, (1 - ENOUGH) * total
        mixed = (largest < total * self.purity) & (rest > np.maximum(self.least_errors, rounding))
        return mixed & (size >= ENOUGH * self.min_records)


def grow(
    table: Table,
    criterion: Criterion = "gini",
    stop: Stop | None = None,
    nominal: Literal["binary", "multiway"] = "binary",
) -> Tree:
    """Grow a tree from an estimated table.

    Parameters
    ----------
    table : an ``EstimatedTable``, or another ``tables.Table``
    criterion : "gini" (AS00), "gain" (ID3) or "gain_ratio" (C4.5)
    stop : when a node stays a leaf; None: ``Stop()``
    nominal : whether a test of a nominal attribute divides its values in two or has a child for each. Numeric and
        ordered attributes are always cut in two.

    Ties go to the lowest attribute and the lowest cut. Weights below 0: a node's size is its raw sum; class weights
    are floored at 0 inside the criterion and for predicted shares.

    >>> from ppdm.reconstruct import Attribute
    >>> from ppdm.tables import EstimatedTable
    >>> age = Attribute.numeric("age", [40, 60])
    >>> print(grow(EstimatedTable.from_counts([age], ["A", "B"], [[9, 0], [0, 8], [9, 0]])).rules())
    age < 40        A  9 records, 100.0 %
    40 ≤ age < 60   B  8 records, 100.0 %
    age ≥ 60        A  9 records, 100.0 %
    """
    if not hasattr(table, "histograms"):
        raise TypeError(f"table is of type {type(table).__name__}; expected an EstimatedTable or what answers as one")
    checks.choice("criterion", criterion, IMPURITIES)
    checks.choice("nominal", nominal, ("binary", "multiway"))
    stop = stop or Stop()
    if stop.confidence is not None and (criterion == "gini" or not hasattr(table, "chance")):
        raise ValueError(
            f"stop has confidence={stop.confidence:g} for {type(table).__name__} and criterion {criterion!r}; expected "
            'a criterion in bits, "gain" or "gain_ratio", and a table that knows what chance gains'
        )
    finder = _Finder(table, criterion, stop, nominal == "multiway")
    level, layers = table.root(), list[tuple[np.ndarray, ...]]()
    while True:
        opened = stop.open_nodes(level.class_weights, depth=len(layers))
        inner, splits = level.keep(opened), NOTHING
        if opened.any():
            worth, splits = finder.best_splits(inner)
            inner = inner.keep(worth)
            opened[opened] = worth
        layers.append(_nodes(table.attributes, level.class_weights, opened, splits))
        if not opened.any():
            attributes = tuple(attribute.without_edges() for attribute in table.attributes)
            return Tree(attributes, table.classes, *map(np.concatenate, zip(*layers, strict=True)))
        level = table.descend(inner, splits)


def _nodes(attributes, weights, inner, splits):
    """The nodes of a level as a ``Tree`` has them: counts, attribute, threshold, n_children and routes.

    Parameters
    ----------
    attributes : what the tests can ask
    weights : by class and node
    inner : which nodes are split
    splits : how they are split
    """
    attribute, threshold = np.full(len(inner), -1), np.full(len(inner), np.nan)
    n_children = np.zeros(len(inner), dtype=int)
    attribute[inner], n_children[inner] = splits.attribute, splits.n_children
    for index, test in enumerate(attributes):
        if test.kind != "nominal":
            # A cut sends the lower codes to the left: their number says which edge, or which place, it stands at.
            left = np.count_nonzero(splits.routes[splits.attribute == index, : test.n_values] == 0, axis=1)
            marks = np.asarray(test.edges) if test.kind == "numeric" else np.arange(1.0, test.n_values)
            threshold[attribute == index] = marks[left - 1]
    # No routes are kept of a cut, because its threshold says the same in one number.
    widths = np.array([test.n_values if test.kind == "nominal" else 0 for test in attributes])
    kept = np.arange(splits.routes.shape[1]) < widths[splits.attribute, None]
    return weights.T, attribute, threshold, n_children, splits.routes[kept].astype(int)


class _Finder:
    """Finds the splits of a level's nodes, a block of nodes at a time."""

    def __init__(self, table, criterion, stop, multiway):
        self.table, self.criterion, self.stop = table, criterion, stop
        self.scale = Scale(IMPURITIES[criterion], table.has_negative, ENOUGH * stop.min_leaf)
        self.widths = np.array([attribute.n_values for attribute in table.attributes])
        ends = np.cumsum(self.widths)
        # The part of a histogram that each attribute has.
        self.parts = list(map(slice, ends - self.widths, ends))
        self.named = [index for index, attribute in enumerate(table.attributes) if attribute.kind == "nominal"]
        self.in_two, self.in_all = ([], self.named) if multiway else (self.named, [])

    def best_splits(self, level):
        """Which nodes have a split that gains enough, and these splits."""
        most = max(1, BLOCK // int(self.widths.sum() * len(self.table.classes)))
        found = zip(*(self._of_block(block) for block in level.blocks(most)), strict=True)
        worth, chosen, routes, n_children, weights, shares = (np.concatenate(parts) for parts in found)
        return worth, Splits(chosen, routes, n_children, weights.T, shares)

    def _of_block(self, level):
        """Which of a few nodes are split, and the fields of their splits."""
        histogram, order = self.table.histograms(level), {}
        for index in self.in_two:
            # Values are put in an order in which the best cut is the best division in two.
            own = histogram[:, :, self.parts[index]]
            order[index] = order_by_share(own)
            own[:] = np.take_along_axis(own, order[index][None], axis=2)
        cuts = best_cuts(histogram, self.widths, self.scale)
        for index in self.in_all:
            cuts.after[:, index] = after_every_value(histogram[:, :, self.parts[index]], self.scale)
        known, size = cuts.total.sum(axis=0), level.class_weights.sum(axis=0)
        # Of a record of the node. Where no code is missing, both sizes are equal but for rounding; by the attribute's
        # own size the rounding cancels out, so that equal gains stay equal.
        whole = size[:, None] if self.table.has_missing else known
        gain = ratio(self.scale(cuts.total, known) - cuts.after, whole, empty=-np.inf)
        if self.stop.confidence is not None:
            gain = self._beyond_chance(level, gain, self.stop.confidence)
        chosen = choose(gain, self._information(histogram, cuts, size) if self.criterion == "gain_ratio" else None)
        worth = gain[np.arange(len(gain)), chosen] >= self.stop.min_gain - TIE
        return worth, *self._children(level, np.flatnonzero(worth), chosen[worth], histogram, cuts, order)

    def _children(
        self,
        level,
        nodes,
        chosen,
        histogram,
        cuts,
        order,
    ):
        """The fields of the splits of some nodes on the chosen attributes; class weights have a row a child."""
        n_children = np.where(np.isin(chosen, self.in_all), self.widths[chosen], 2)
        first = np.cumsum(n_children) - n_children
        # Codes above the cut go to the right child, 1. The routes of nominal attributes are written further below.
        routes = np.arange(self.widths.max()) > cuts.last[nodes, chosen, None]
        routes = routes.astype(np.min_scalar_type(int(self.widths.max())))
        left, total = cuts.left[:, nodes, chosen].T, cuts.total[:, nodes, chosen].T
        weights = np.empty((n_children.sum(), len(histogram)), level.class_weights.dtype)
        weights[first], weights[first + 1] = left, total - left
        for index in self.in_all:
            own, codes = np.flatnonzero(chosen == index), np.arange(self.widths[index])
            routes[own, : len(codes)] = codes
            weights[first[own][:, None] + codes] = np.moveaxis(histogram[:, nodes[own], self.parts[index]], 0, 2)
        for index in self.in_two:
            own = np.flatnonzero(chosen == index)
            # Values that no record of the node has follow the heavier side.
            seen = histogram[:, nodes[own], self.parts[index]].any(axis=0)
            heavier = (total - 2 * left)[own].sum(axis=1) > 0
            side = np.where(seen, routes[own, : self.widths[index]], heavier[:, None])
            routes[own[:, None], order[index][nodes[own]]] = side
        shares = weights.sum(axis=1) / np.repeat(total.sum(axis=1), n_children)
        if self.table.has_missing:
            missing = np.repeat(level.class_weights[:, nodes].T - total, n_children, axis=0)
            weights = weights + shares[:, None] * missing
        return chosen, routes, n_children, weights, shares

    def _information(self, histogram, cuts, size):
        """The bits that name the child of a record, or that its code is missing, by node and attribute."""
        left, total = cuts.left.sum(axis=0), cuts.total.sum(axis=0)
        missing = size[:, None] - total
        found = entropy_of(np.maximum([left, total - left, missing], 0), axis=0)
        for index in self.in_all:
            sizes = histogram[:, :, self.parts[index]].sum(axis=0)
            found[:, index] = entropy_of(np.maximum(np.column_stack((sizes, missing[:, index])), 0))
        return found

    def _beyond_chance(self, level, gain, confidence):
        """The gains; −inf for those that chance gives too often."""
        # No division of categories in two gains more than a child for each, so that one limit serves both.
        named = np.isin(np.arange(len(self.widths)), self.named)
        free = np.where(named, np.maximum(self.widths - 1, 1), 1)
        worth, kept = gain > TIE, np.full(gain.shape, -np.inf)
        tests = worth @ ((self.widths - 1) // free)
        for place in np.flatnonzero(worth.any(axis=0)):
            asked = worth[:, place]
            quantile = chi2.isf((1 - confidence) / tests[asked], free[place] * (len(self.table.classes) - 1))
            own, limit = gain[asked, place], self.table.chance(level.keep(asked), place) * quantile
            kept[asked, place] = np.where(own > limit, own, -np.inf)
        return kept
