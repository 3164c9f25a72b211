"""Growing a tree, a level at a time, from any table that answers ``histograms`` and ``descend`` (AS00 Figure 4)."""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import scipy

from ppdm import checks
from ppdm.tables import Splits, Table
from ppdm.trees.criteria import (
    IMPURITIES,
    TIE,
    Criterion,
    after_every_value,
    best_cuts,
    floored,
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
NOTHING = Splits(NONE, NONE[:, None], NONE, NONE, NONE)


@dataclass(frozen=True)
class Stop:
    """When a node stays a leaf.

    Parameters
    ----------
    purity : in (0, 1]: a node in which one class has this share or more is a leaf ("most points are of the same class")
    min_records : at least 0: a node of smaller size (its raw sum of weights) is a leaf
    min_leaf : above 0: no side of a cut is smaller. Of a split with a child for each category, two children at least
        are this large.
    min_gain : at least 0: the least gain of a split, for each record of the node. 0 admits splits that gain nothing, as
        scikit-learn does; the default asks for some gain, as AS00 §5.2 does ("it stops because it does not find any
        split point that increases gini").
    max_depth : at least 0, or None: no bound
    least_errors : at least 0: a node with no more weight than this outside its largest class is a leaf
    confidence : in (0, 1): a split must pass a χ² test of independence (Quinlan 1986) at this confidence,
        Bonferroni-corrected over the candidate tests of the node: every cut is one, and so is a nominal attribute. The
        test knows the variance that a disguise adds to the counts. For "gain"; None: no test
    """

    purity: float = 1.0
    min_records: float = 2.0
    min_leaf: float = 1.0
    min_gain: float = 1e-9
    max_depth: int | None = None
    least_errors: float = 0.0
    confidence: float | None = None

    def __post_init__(self):
        checks.number("purity", self.purity, "(0, 1]")
        checks.number("min_leaf", self.min_leaf, "(0, inf)")
        for name in ("min_records", "min_gain", "least_errors"):
            checks.number(name, getattr(self, name), "[0, inf)")
        if self.max_depth is not None:
            checks.whole("max_depth", self.max_depth, 0)
        if self.confidence is not None:
            checks.number("confidence", self.confidence, "(0, 1)")

    def open_nodes(self, weights, depth) -> np.ndarray:
        """Which nodes of a level, given their weights (class, node), may be split."""
        above = self.max_depth is None or depth < self.max_depth
        size = weights.sum(axis=0)
        positive = np.maximum(weights, 0)
        total = positive.sum(axis=0)
        largest = positive.max(axis=0)
        rounding = (1 - ENOUGH) * total
        mixed = (largest < total * self.purity) & (total - largest > np.maximum(self.least_errors, rounding))
        return above & mixed & (size >= ENOUGH * self.min_records)


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
    criterion : "gini" (AS00) or "gain" (ID3)
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
    if isinstance(table, type) or not hasattr(table, "histograms"):
        raise TypeError(
            f"table is of type {type(table).__name__}; expected an EstimatedTable or what answers as one"
        )
    checks.choice("criterion", criterion, IMPURITIES)
    checks.choice("nominal", nominal, ("binary", "multiway"))
    stop = checks.of_type("stop", Stop() if stop is None else stop, Stop, "a Stop, say Stop(max_depth=3)")
    if stop.confidence is not None and (criterion == "gini" or not hasattr(table, "chance")):
        raise ValueError(
            f"stop has confidence={stop.confidence:g} for {type(table).__name__} and criterion {criterion!r}; expected "
            'criterion "gain", and a table that knows what chance gains'
        )
    finder = _Finder(table, criterion, stop, nominal == "multiway")
    level = table.root()
    layers: list = []
    while True:
        opened = stop.open_nodes(level.class_weights, depth=len(layers))
        splits = NOTHING
        if opened.any():
            worth, splits = finder.best_splits(level, opened)
            opened[opened] = worth
        layers.append((level.class_weights.T, *finder.nodes(opened, splits)))
        if not opened.any():
            attributes = tuple(replace(attribute, edges=None) for attribute in table.attributes)
            return Tree(attributes, table.classes, *map(np.concatenate, zip(*layers)))
        level = table.descend(level.keep(opened), splits)


class _Finder:
    """Finds the splits of a level's nodes, a block of nodes at a time."""

    def __init__(self, table, criterion, stop, multiway):
        self.table = table
        self.stop = stop
        measure = IMPURITIES[criterion]
        self.impurity = floored(measure) if table.has_negative else measure
        self.min_leaf = ENOUGH * stop.min_leaf
        self.widths = np.array([attribute.n_values for attribute in table.attributes])
        ends = np.cumsum(self.widths)
        # The part of a histogram that each attribute has, and where it begins.
        self.starts = ends - self.widths
        self.parts = list(map(slice, self.starts, ends))
        # The threshold of a cut behind each value: an edge, or a place in an order; none stands behind the last.
        marks = [range(1, test.n_values) if test.edges is None else test.edges for test in table.attributes]
        self.marks = np.concatenate([(*own, np.nan) for own in marks])
        self.named = np.array([attribute.kind == "nominal" for attribute in table.attributes])
        names = np.flatnonzero(self.named).tolist()
        self.in_two, self.in_all = ([], names) if multiway else (names, [])

    def nodes(self, inner, splits) -> tuple:
        """The nodes of a level as a ``Tree`` has them: attribute, threshold, n_children and routes."""
        number = len(inner)
        tests = splits.attribute
        attribute = np.full(number, -1)
        attribute[inner] = tests
        n_children = np.zeros(number, dtype=int)
        n_children[inner] = splits.n_children
        # A cut sends the lower codes to the left: their number says which mark it stands at.
        place = self.starts[tests] + np.count_nonzero(splits.routes == 0, axis=1) - 1
        threshold = np.full(number, np.nan)
        named = self.named[tests]
        threshold[inner] = np.where(named, np.nan, self.marks.take(place, mode="clip"))
        # No routes are kept of a cut, because its threshold says the same in one number.
        kept = np.arange(splits.routes.shape[1]) < (self.widths * self.named)[tests, None]
        return attribute, threshold, n_children, splits.routes[kept].astype(int)

    def best_splits(self, level, opened) -> tuple:
        """Which of the opened nodes have a split that gains enough, and these splits."""
        most = max(1, BLOCK // int(self.widths.sum() * len(self.table.classes)))
        found = zip(*map(self._of_block, level.keep(opened).blocks(most)))
        worth, chosen, routes, n_children, weights, shares = map(np.concatenate, found)
        return worth, Splits(chosen, routes, n_children, weights.T, shares)

    def _of_block(self, level):
        """Which of a few nodes are split, and the fields of their splits."""
        histogram = self.table.histograms(level)
        order = {}
        for index in self.in_two:
            # Values are put in an order in which the best cut is the best division in two.
            own = histogram[:, :, self.parts[index]]
            order[index] = order_by_share(own)
            own[:] = np.take_along_axis(own, order[index][None], axis=2)
        last, after, left, total = best_cuts(histogram, self.widths, self.impurity, self.min_leaf)
        for index in self.in_all:
            after[:, index] = after_every_value(histogram[:, :, self.parts[index]], self.impurity, self.min_leaf)
        known = total.sum(axis=0)
        size = level.class_weights.sum(axis=0)[:, None]
        # Of a record of the node. Where no code is missing, both sizes are equal but for rounding; by the attribute's
        # own size the rounding cancels out, so that equal gains stay equal.
        gain = ratio(
            self.impurity(total, known) - after, size if self.table.has_missing else known, empty=-np.inf
        )
        if self.stop.confidence is not None:
            gain = self._beyond_chance(level, gain)
        # Of the attributes with the best gain the first.
        chosen = np.argmax(gain >= gain.max(axis=1, keepdims=True) - TIE, axis=1)
        worth = np.take_along_axis(gain, chosen[:, None], axis=1)[:, 0] >= self.stop.min_gain - TIE
        at = np.flatnonzero(worth), chosen[worth]
        return worth, *self._children(level, at, histogram, last[at], left[:, *at].T, total[:, *at].T, order)

    def _children(self, level, at, histogram, last, left, total, order):
        """The fields of the splits of some nodes on the chosen attributes; class weights have a row for each child."""
        nodes, chosen = at
        widths = self.widths
        n_children = np.where(np.isin(chosen, self.in_all), widths[chosen], 2)
        first = np.cumsum(n_children) - n_children
        # Codes above the cut go to the right child, 1. The routes of nominal attributes are written further below.
        most = int(widths.max())
        routes = np.arange(most) > last[:, None]
        routes = routes.astype(np.min_scalar_type(most))
        weights = np.empty((n_children.sum(), len(histogram)), level.class_weights.dtype)
        weights[first] = left
        weights[first + 1] = total - left
        for index in np.flatnonzero(self.named):
            own = np.flatnonzero(chosen == index)
            codes = np.arange(widths[index])
            values = histogram[:, nodes[own], self.parts[index]]
            if index in self.in_all:
                routes[own, : len(codes)] = codes
                weights[first[own][:, None] + codes] = np.moveaxis(values, 0, 2)
            else:
                # Values that no record of the node has follow the heavier side.
                heavier = (total - 2 * left)[own].sum(axis=1, keepdims=True) > 0
                side = np.where(values.any(axis=0), routes[own, : len(codes)], heavier)
                routes[own[:, None], order[index][nodes[own]]] = side
        shares = weights.sum(axis=1) / np.repeat(total.sum(axis=1), n_children)
        if self.table.has_missing:
            missing = np.repeat(level.class_weights[:, nodes].T - total, n_children, axis=0)
            weights = weights + shares[:, None] * missing
        return chosen, routes, n_children, weights, shares

    def _beyond_chance(self, level, gain):
        """The gains; −inf for those that chance gives too often."""
        # A cut is a test with one degree of freedom; names are one test, with one for each but the first: no division
        # of them in two gains more than a child for each, so that one limit serves both.
        others = self.widths - 1
        free = np.where(self.named, others, 1)
        beyond = gain > TIE
        tests = beyond @ np.where(self.named, 1, others)
        for place in np.flatnonzero(beyond.any(axis=0)):
            asked = beyond[:, place].copy()
            chance = (1 - self.stop.confidence) / tests[asked]
            quantile = scipy.stats.chi2.isf(chance, free[place] * (len(self.table.classes) - 1))
            beyond[asked, place] = gain[asked, place] > self.table.chance(level.keep(asked), place) * quantile
        return np.where(beyond, gain, -np.inf)
