"""C4.5 (Quinlan 1993) as its Release 8 has it (Quinlan 1996): growing a level at a time, and the classifier.

Rules that the book leaves open follow Weka's J48, the C4.5 that most papers used: the trees are the same, node by node.
"""

from dataclasses import replace
from typing import Self

import numpy as np

from ppdm import checks
from ppdm.reconstruct import Attribute
from ppdm.tables import EstimatedTable
from ppdm.trees.criteria import ratio
from ppdm.trees.gini import TreeClassifier, coded_classes
from ppdm.trees.model import Tree
from ppdm.trees.raising import EPSILON, Sketch

# Neighbouring numbers that are not further apart are not cut, whatever their unit.
APART = 1e-5
# The least weight of either side of a cut is this share of a class's mean weight, up to MOST_LEAST.
LEAST_SHARE, MOST_LEAST = 0.1, 25
# By how much a gain may stay below the average gain.
BELOW_AVERAGE = 1e-3
# A nominal attribute with more categories than this share of all records says nothing of the average gain.
WIDE = 0.3
# More than any gain.
LIFT = 64.0


class C45Classifier(TreeClassifier):
    """C4.5, Release 8: binary cuts of numbers, a child for each category, missing values, pruning by raising subtrees.

    The trees are those of Weka's J48 with the same parameters (``-C 0.25 -M 2`` by default), node by node.

    Parameters
    ----------
    confidence : in (0, 0.5]: of the pessimistic errors that pruning compares; a smaller one prunes more
    min_leaf : at least 1: two children of each test have this weight at least
    prune : whether the tree is pruned; without, only subtrees that avoid no training error are closed

    Numbers are cut at a value of the training set: value ≤ threshold goes to the first child. Text, booleans and
    category dtypes are nominal: each category gets a child, those that no record shows too. If the categories are
    ordered, they are cut as numbers are, by their places, as C5.0 does; for a child each, make the dtype unordered
    (``column.cat.as_unordered()``). Ties go to the first column and to the first class in the order of ``classes_``.

    Missing values (NaN, None, NA) are taken everywhere: such a record goes to all children, divided by their weights.
    ``predict_proba`` is the mean over the leaves that it reaches, ``apply`` the leaf with its largest part. A
    category that ``fit`` never saw goes the way of most records.

    C4.5 takes numbers that differ by less than 1e-5 for one value. So its trees depend on units: a column in millionths
    is not cut at all. Multiply such a column.

    Attributes
    ----------
    tree_ : the fitted ``Tree``
    classes_ : the class labels

    >>> from ppdm.data import load
    >>> table = load("pima")
    >>> print(C45Classifier(min_leaf=60).fit(table.X, table.y).tree_.rules())
    plas ≤ 127                   negative  485 records, 80.6 %
    plas > 127 and mass ≤ 29.9   negative  76 records, 68.4 %
    plas > 127 and mass > 29.9   positive  207 records, 72.5 %
    """

    def __init__(self, confidence: float = 0.25, min_leaf: float = 2, prune: bool = True):
        self.confidence = confidence
        self.min_leaf = min_leaf
        self.prune = prune

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def fit(self, X, y) -> Self:
        """Grow and prune a tree; X: a DataFrame or an array of numbers, y: a class for each record."""
        checks.number("confidence", self.confidence, "(0, 0.5]")
        checks.number("min_leaf", self.min_leaf, "[1, inf)")
        checks.flag("prune", self.prune)
        columns, labels = self._records(X, y)
        confidence = self.confidence if self.prune else None
        class_codes, classes = coded_classes(labels)
        coded = map(_coded, columns, columns.values())
        attributes, values, codes = zip(*coded)
        table = EstimatedTable(attributes, classes, codes, class_codes, np.ones(len(labels)))
        growing = Growing(table, values, self.min_leaf)
        self._keep(growing.grow(confidence))
        return self


def _coded(name, column):
    """A column as an attribute, what its codes stand for where a test reads them, and the codes."""
    # Of what nobody knows any attribute will do.
    numeric = checks.is_number(column.dtype) or column.isna().all()
    attribute = Attribute(name, "numeric", 1) if numeric else Attribute.of(name, column)
    codes = attribute.read(column)
    missing = np.isnan(codes)
    # A cut behind a place in an order is known by the place that follows.
    values = np.arange(attribute.n_values) + 1
    if numeric:
        values, codes = np.unique(codes, return_inverse=True)
        known = len(values) - int(missing.any())
        attribute = replace(attribute, n_values=max(known, 1))
    codes[missing] = attribute.n_values
    return attribute, values, codes.astype(np.uint32)


class Growing(Sketch):
    """A tree that grows; values: what the codes of each attribute stand for, in increasing order."""

    def __init__(self, table, values, min_leaf):
        super().__init__(table)
        self.values = values
        self.min_leaf = min_leaf
        wide = WIDE * len(table.class_codes)
        narrow = ~self.named | (self.widths < wide - EPSILON)
        self.counted = narrow if narrow.any() else self.named

    def grow(self, confidence) -> Tree:
        """The tree; it is pruned if a confidence is given."""
        root = replace(self.table.root(), paths=np.zeros(1, dtype=int))
        level = root
        while level.n_nodes:
            size = level.class_weights.sum(axis=0)
            mixed = size - level.class_weights.max(axis=0) > EPSILON
            large = size >= 2 * self.min_leaf - EPSILON
            opened = mixed & large
            tests = np.full((2, len(size)), -1)
            tests[:, opened] = self.best(level.keep(opened))
            self.add(level, *tests)
            level = self.below(self.inner(level))
        self.collapse()
        if confidence is not None:
            self.prune(root, confidence)
        return self.tree(self.values)

    def best(self, level) -> tuple:
        """The attribute that each node tests, −1 for none, and the last code of the first child of a cut."""
        size = level.class_weights.sum(axis=0)
        found = [self._test(level, place, size) for place in range(len(self.values))]
        gains, bits, cuts = map(np.array, zip(*found))
        possible = gains > -np.inf
        counted = possible & self.counted[:, None]
        sums = np.where(counted, gains, 0).sum(axis=0)
        # Without an attribute that counts there is no test.
        average = ratio(sums, counted.sum(axis=0), np.inf)
        allowed = gains >= average - BELOW_AVERAGE
        gain_ratios = ratio(gains * size, bits)
        merits = np.where(allowed, gain_ratios, 0)
        chosen = np.full(len(size), -1)
        most = np.zeros(len(size))
        # A later attribute wins if it is better by more than rounding.
        for place, merit in enumerate(merits):
            better = merit > most + EPSILON
            chosen[better] = place
            most[better] = merit[better]
        return chosen, cuts[chosen, np.arange(len(size))]

    def _test(self, level, place, size):
        """For each node of its test of an attribute: the gain, −inf without a test; the bits of the children; the cut.

        The bits name the child of a record, as if missing values had one of their own.
        """
        node, code, counts = self._runs(level, place)
        missing = size - np.bincount(node, counts.sum(axis=1), len(size))
        values = self.values[place]
        if self.named[place]:
            found = self._of_names(node, counts, size)
        else:
            found = self._of_numbers(node, values[code], counts, size)
        gain, cut, node, weight = found
        of_children = np.bincount(node, _log(weight), len(size))
        bits = _log(size) - _log(missing) - of_children
        # The threshold is a value of the training set, perhaps of another node.
        last = np.searchsorted(values, cut, side="right") - 1
        return gain, bits, last

    def _of_names(self, node, counts, size):
        """The gain of a child for each category, no cut, and the nodes and weights of the children."""
        weight = counts.sum(axis=1)
        total = np.zeros((len(size), counts.shape[1]))
        np.add.at(total, node, counts)
        after = np.bincount(node, _bits(counts), len(size))
        gain = (_bits(total) - after) / size
        large = weight >= self.min_leaf - EPSILON
        enough = np.bincount(node, large, len(size)) > 1
        gain[~enough] = -np.inf
        return gain, np.zeros(len(size)), node, weight

    def _of_numbers(self, node, numbers, counts, size):
        """The gain of the best cut of each node, where it lies, and the nodes and weights of the children."""
        # The weights up to each number of a node, and of all: the sums of the nodes before are taken off.
        sums = counts.cumsum(axis=0)
        before = sums - counts
        below = sums - before[np.searchsorted(node, node)]
        last = np.searchsorted(node, node, side="right") - 1
        total = below[last]
        left = below.sum(axis=1)
        right = total.sum(axis=1) - left
        least = LEAST_SHARE * (left + right) / counts.shape[1]
        small = least <= self.min_leaf + EPSILON
        least = np.minimum(least, MOST_LEAST)
        least[small] = self.min_leaf
        # Behind the last number of a node nothing is left, so that no cut reaches into the next one.
        enough = np.minimum(left, right) >= least - EPSILON
        following = np.append(numbers[1:], np.inf)
        apart = numbers + APART < following
        at = np.flatnonzero(enough & apart)
        owner = node[at]
        below = below[at]
        total = total[at]
        saved = _bits(total) - _bits(below) - _bits(total - below)
        gains = saved / size[owner]
        best = _first_best(gains, owner)
        tests = owner[best]
        # The choice among the cuts that were possible has its price (Quinlan 1996).
        number = np.bincount(owner)[tests]
        gains = gains[best] - np.log2(number) / size[tests]
        gain = np.full(len(size), -np.inf)
        gains[gains <= EPSILON] = -np.inf
        gain[tests] = gains
        at = at[best]
        low = numbers[at]
        high = following[at]
        middle = low / 2 + high / 2
        cut = np.zeros(len(size))
        cut[tests] = np.where(middle < high, middle, low)
        return gain, cut, np.tile(tests, 2), np.append(left[at], right[at])

    def _runs(self, level, place):
        """Each node's runs of equal codes of an attribute, where it is known: node, code and class weights."""
        width = self.widths[place]
        kinds = len(self.table.classes)
        code = level.codes[place][level.rows]
        known = np.flatnonzero(code < width)
        rows = level.rows[known]
        cells = level.node[known] * width + code[known]
        cells, run = np.unique(cells, return_inverse=True)
        cell = run * kinds + self.table.class_codes[rows]
        counts = np.bincount(cell, level.weights[known], len(cells) * kinds)
        return cells // width, cells % width, counts.reshape(-1, kinds)


def _first_best(gain, node):
    """The place of each node's best cut, found as if they were looked at one after the other.

    A later cut takes the place of an earlier one only if it gains more by ``EPSILON``.
    """
    # The gains of a node are lifted above those of the nodes before: one search serves all.
    height = np.maximum.accumulate(gain + LIFT * node)
    record = np.flatnonzero(np.diff(height, prepend=-1))
    height = height[record]
    node = node[record]
    ahead = np.searchsorted(height, height + EPSILON, side="right")
    own = np.append(node, -1)[ahead] == node
    ahead = np.where(own, ahead, np.arange(len(node)))
    # Each step doubles how far every record looks ahead.
    while (ahead[ahead] != ahead).any():
        ahead = ahead[ahead]
    _, first = np.unique(node, return_index=True)
    return record[ahead[first]]


def _log(weight):
    """Weights times their log₂; nothing of what is nearly nothing."""
    return weight * np.log2(np.where(weight > EPSILON, weight, 1))


def _bits(counts):
    """The bits of the classes (columns) of the records of each row."""
    return _log(counts.sum(axis=1)) - _log(counts).sum(axis=1)
