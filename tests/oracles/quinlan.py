"""C4.5, Release 8, node by node and record by record, as slow as it is plain; and the trees of Weka's J48.

``j48_small.json.gz`` has the trees of Weka 3.9.7's J48 with ``-C 0.25 -M 2``, for Pima and for 15 small random tables,
which are in it: the nodes from the root down, first children first, with the weight of each class, and the probability
of the first class for each record. A child for each category is written "N attribute null children weights", a cut
"N attribute threshold 2 weights", a leaf "L weights".
"""

import gzip
import json
import math
from dataclasses import dataclass, field
from pathlib import Path
from statistics import NormalDist

import numpy as np
import pandas as pd

EPSILON = 1e-6
J48 = json.loads(gzip.decompress((Path(__file__).parent / "j48_small.json.gz").read_bytes()))


@dataclass
class Node:
    """What a node tests (None: nothing), its children, and its records: their numbers and weights."""

    rows: list
    weights: list
    attribute: int | None = None
    threshold: float = math.nan
    children: list = field(default_factory=list)


class C45:
    """A tree of columns, which are lists with None for missing values: of numbers, or of places of categories.

    ``categories`` has the number of categories of each column, None for numbers; classes are 0, 1, … below ``kinds``.
    """

    def __init__(self, columns, categories, classes, kinds, confidence=0.25, min_leaf=2):
        self.columns, self.categories, self.classes, self.kinds = columns, categories, classes, kinds
        self.confidence, self.min_leaf = confidence, min_leaf
        self.root = self.grow(list(range(len(classes))), [1.0] * len(classes))
        self.collapse(self.root)
        if confidence is not None:
            self.prune(self.root)

    def counts(self, rows, weights):
        found = [0.0] * self.kinds
        for row, weight in zip(rows, weights, strict=True):
            found[self.classes[row]] += weight
        return found

    def own_counts(self, node):
        return self.counts(node.rows, node.weights)

    # Growing

    def grow(self, rows, weights):
        node = Node(rows, weights)
        counts, size = self.own_counts(node), sum(weights)
        if size < 2 * self.min_leaf - EPSILON or size - max(counts) <= EPSILON:
            return node
        tests = [self.test(place, node, size) for place in range(len(self.columns))]
        narrow = [q is None or q < 0.3 * len(self.classes) - EPSILON for q in self.categories]
        counted = [test[0] for test, own in zip(tests, narrow, strict=True) if test and (own or not any(narrow))]
        if not counted:
            return node
        least, best = sum(counted) / len(counted) - 1e-3, 0.0
        for place, test in enumerate(tests):
            if test and test[0] >= least and test[1] > EPSILON and test[0] / test[1] > best + EPSILON:
                best, node.attribute, node.threshold = test[0] / test[1], place, test[2]
        if node.attribute is not None:
            node.children = [self.grow(*part) for part in self.parts(node, rows, weights)]
        return node

    def test(self, place, node, size):
        """Gain, split information and threshold of an attribute's test, if there is one."""
        column = self.columns[place]
        known = [(column[row], row, weight) for row, weight in zip(node.rows, node.weights, strict=True)]
        known = sorted(entry for entry in known if entry[0] is not None)
        if self.categories[place] is not None:
            branches = [[entry for entry in known if entry[0] == one] for one in range(self.categories[place])]
            if sum(weight_of(branch) >= self.min_leaf - EPSILON for branch in branches) < 2:
                return None
            return self.gain(known, branches, size), split_bits(branches, size), math.nan
        least = 0.1 * weight_of(known) / self.kinds
        least = self.min_leaf if least <= self.min_leaf + EPSILON else min(least, 25)
        best, possible = (0.0, None), 0
        for end in range(1, len(known)):
            branches = known[:end], known[end:]
            if known[end - 1][0] + 1e-5 >= known[end][0] or min(map(weight_of, branches)) < least - EPSILON:
                continue
            possible += 1
            gain = self.gain(known, branches, size)
            if gain > best[0] + EPSILON:
                best = gain, end
        gain, end = best
        if end is None or gain - math.log2(possible) / size <= EPSILON:
            return None
        low, high = known[end - 1][0], known[end][0]
        middle = (low + high) / 2
        threshold = max(
            value for value in column if value is not None and value <= (middle if middle < high else low)
        )
        return gain - math.log2(possible) / size, split_bits((known[:end], known[end:]), size), threshold

    def gain(self, known, branches, size):
        def bits(entries):
            counts = self.counts([row for _, row, _ in entries], [weight for *_, weight in entries])
            return log(sum(counts)) - sum(map(log, counts))

        return (bits(known) - sum(map(bits, branches))) / size

    def parts(self, node, rows, weights):
        """The records of each child: a missing value is divided by the known weights."""
        column = self.columns[node.attribute]
        number = self.categories[node.attribute] or 2
        parts = [([], []) for _ in range(number)]
        for row, weight in zip(rows, weights, strict=True):
            if column[row] is not None:
                child = column[row] if math.isnan(node.threshold) else int(column[row] > node.threshold)
                parts[child][0].append(row)
                parts[child][1].append(weight)
        known = [sum(part[1]) for part in parts]
        shares = [one / sum(known) if sum(known) else 1 / number for one in known]
        for row, weight in zip(rows, weights, strict=True):
            for part, share in zip(parts, shares, strict=True):
                if column[row] is None and share > EPSILON:
                    part[0].append(row)
                    part[1].append(weight * share)
        return parts

    # Pruning

    def wrong(self, node):
        return sum(node.weights) - max(self.own_counts(node))

    def leaves(self, node):
        return [leaf for child in node.children for leaf in self.leaves(child)] or [node]

    def collapse(self, node):
        if node.children and sum(map(self.wrong, self.leaves(node))) >= self.wrong(node) - 1e-3:
            node.children, node.attribute = [], None
        for child in node.children:
            self.collapse(child)

    def errors(self, node):
        return self.wrong(node) + added(sum(node.weights), self.wrong(node), self.confidence)

    def sent(self, node, rows, weights):
        """The subtree with other records."""
        copy = Node(rows, weights, node.attribute, node.threshold)
        if node.children:
            parts = self.parts(node, rows, weights)
            copy.children = [self.sent(child, *part) for child, part in zip(node.children, parts, strict=True)]
        return copy

    def prune(self, node):
        for child in node.children:
            self.prune(child)
        if not node.children:
            return
        heaviest = max(sum(child.weights) for child in node.children)
        largest = [child for child in node.children if sum(child.weights) >= heaviest - EPSILON][-1]
        branch = self.sent(largest, node.rows, node.weights)
        as_leaf = self.errors(node)
        as_tree, as_branch = (sum(map(self.errors, self.leaves(one))) for one in (node, branch))
        if as_leaf <= as_tree + 0.1 + EPSILON and as_leaf <= as_branch + 0.1 + EPSILON:
            node.children, node.attribute = [], None
        elif as_branch <= as_tree + 0.1 + EPSILON:
            node.attribute, node.threshold, node.children = branch.attribute, branch.threshold, branch.children
            self.prune(node)

    # Asking

    def preorder(self, node=None):
        """The nodes as the file of J48's trees has them."""
        node = self.root if node is None else node
        counts = self.own_counts(node)
        if not node.children:
            return [["L", *counts]]
        threshold = None if math.isnan(node.threshold) else node.threshold
        below = [entry for child in node.children for entry in self.preorder(child)]
        return [["N", node.attribute, threshold, len(node.children), *counts], *below]

    def shares(self, row, node=None, above=None):
        """The class shares of a record of the table."""
        node = self.root if node is None else node
        size = sum(node.weights)
        own = np.array(self.own_counts(node)) / size if size > EPSILON else above
        if not node.children:
            return own
        value = self.columns[node.attribute][row]
        if value is not None:
            child = value if math.isnan(node.threshold) else int(value > node.threshold)
            return self.shares(row, node.children[child], own)
        weights = [sum(child.weights) for child in node.children]
        parts = [
            weight * self.shares(row, child, own) for weight, child in zip(weights, node.children, strict=True)
        ]
        return sum(parts) / sum(weights)


def weight_of(entries):
    return sum(weight for *_, weight in entries)


def log(weight):
    return weight * math.log2(weight) if weight > EPSILON else 0.0


def split_bits(branches, size):
    """Split information; what is missing counts as a branch."""
    weights = list(map(weight_of, branches))
    return (log(size) - sum(map(log, weights)) - log(size - sum(weights))) / size


def added(size, wrong, confidence):
    """What pessimism adds to the errors of a leaf."""
    if size <= EPSILON:
        return 0.0
    if wrong < 1:
        none = size * (1 - confidence ** (1 / size))
        return none + (wrong * (added(size, 1, confidence) - none) if wrong > 0 else 0)
    if wrong + 0.5 >= size:
        return max(size - wrong, 0)
    z, f = NormalDist().inv_cdf(1 - confidence), (wrong + 0.5) / size
    root = math.sqrt(f / size - f**2 / size + z**2 / (4 * size**2))
    return size * (f + z**2 / (2 * size) + z * root) / (1 + z**2 / size) - wrong


def frame_of(columns, categories):
    """The columns as a table: numbers, and categories by their places."""
    found = {}
    for place, (column, number) in enumerate(zip(columns, categories, strict=True)):
        if number is None:
            found[f"a{place}"] = pd.Series([math.nan if one is None else one for one in column], dtype=float)
        else:
            codes = [-1 if one is None else one for one in column]
            found[f"a{place}"] = pd.Series(pd.Categorical.from_codes(codes, list(range(number))))
    return pd.DataFrame(found)


def preorder_of(tree, node=0):
    """The nodes of a ``Tree`` as the file of J48's trees has them."""
    counts = tree.counts[node].tolist()
    below = [entry for child in tree.children(node) for entry in preorder_of(tree, child)]
    if not below:
        return [["L", *counts]]
    threshold = float(tree.threshold[node])
    first = [
        "N",
        int(tree.attribute[node]),
        None if math.isnan(threshold) else threshold,
        len(tree.children(node)),
    ]
    return [[*first, *counts], *below]
