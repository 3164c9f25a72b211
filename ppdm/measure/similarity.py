"""How alike two trees are, as Islam & Brankovic 2003 compare them: by their rules, each with its records.

They do so by eye. Here each rule of one tree is matched with at most one rule of the other, so that the sum of what
they share is largest.
"""

from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import adjusted_rand_score

from ppdm import checks
from ppdm.measure.risk import in_blocks
from ppdm.trees import Tree

KEPT = 0.9  # the overlap of a rule that is kept
NEW = 0.5  # the overlap below which a rule is new
ALONE = "in one tree only"


@dataclass(frozen=True, eq=False, repr=False)
class Similarity:
    """How alike two trees are on some records; for equal trees all is 1, but shift and new are 0.

    Attributes
    ----------
    score : S, in [0, 1]; 1 if and only if these records fall into the same leaves, with the same classes and
        conditions. Leaves without a record do not count. S is symmetric. It is no metric
    cover : the same without regard to the conditions
    root : whether both trees test the same attribute first
    attributes : what the trees share of the attributes that they test, weighted by the records that are tested
    kept : the share of records in rules of the first tree that the second one has, with an overlap of 90 % or more
    shift : the mean share of records between the bounds of matched rules, on attributes that both test
    new : the share of records in rules of the second tree that match none of the first, or overlap by less than half
    agreement : the share of records that both trees give the same class
    rand : the adjusted Rand index of both partitions
    leaves : the number of leaves of the second tree, over that of the first
    trees : both, as ``Tree``
    rules : the matched rules: the leaves of both trees, their records, the share of these that overlaps, the mean share
        of records on which their conditions agree, and the fate of the rule: "kept" from an overlap of 90 % on, "moved"
        from half on, else "in one tree only"
    """

    score: float
    cover: float
    root: bool
    attributes: float
    kept: float
    shift: float
    new: float
    agreement: float
    rand: float
    leaves: float
    trees: tuple[Tree, Tree] = field(repr=False)
    rules: pd.DataFrame = field(repr=False)

    def __float__(self) -> float:
        return self.score

    def __repr__(self):
        root = "same" if self.root else "other"
        shown = (f"{name} {getattr(self, name):.3g}" for name in ("attributes", "kept", "new", "agreement"))
        return f"Similarity({self.score:.3g}; root {root}, {', '.join(shown)})"

    def parts(self) -> dict[str, float]:
        """All numbers by their names, as a row of a table."""
        return {one.name: float(getattr(self, one.name)) for one in fields(self) if one.repr}

    def lines(self) -> list[list[tuple[str, str | None, bool]]]:
        """The outlines of both trees; of each line the words, the fate of its rule, and whether it is bold.

        A line that is no rule has no fate. Bold are tests of an attribute that the other tree does not test at all.
        """
        both = []
        for tree, other, leaves in zip(self.trees, self.trees[::-1], ("leaf_a", "leaf_b")):
            fates = dict.fromkeys(tree.leaves(), ALONE) | dict(zip(self.rules[leaves], self.rules["fate"]))
            lines = []
            for node, words in tree.outline().items():
                # A line tells a branch, which is a test of the node above it. The root has none.
                above = tree.attribute[tree.parent[node]]
                bold = node > 0 and tree.attributes[above].name not in other.tested_attributes
                lines.append((words, fates.get(node), bold))
            both.append(lines)
        return both


def tree_similarity(tree_a, tree_b, X) -> Similarity:
    """Compare two trees by their rules (IB03 §3): S = max Σ (|a| + |b|) / 2n · J(a, b) · s(a, b) · C(a, b).

    A rule is a leaf: conditions and a class. The sum is over pairs of a rule a of the first tree and a rule b of the
    second, of which each has at most one partner. J is the overlap |a ∩ b| / |a ∪ b| of their records; s is 1 if they
    name the same class, else 0; C is the mean, over the attributes that a or b tests, of the share of all records on
    which the conditions on this attribute alone agree. A record that is divided, because a value is missing, counts in
    the leaf with its largest part; a missing value meets every condition.

    Parameters
    ----------
    tree_a, tree_b : each a ``Tree``, a classifier that has one, or scikit-learn's; the first is the original one
    X : the records by which they are compared, the original ones: a DataFrame, or an array in the order of the trees'
        attributes

    >>> from ppdm.trees import GiniTreeClassifier
    >>> X = pd.DataFrame({"x": np.arange(1, 101)})
    >>> trees = [GiniTreeClassifier(prune=None).fit(X, X["x"] > cut) for cut in (50, 70)]
    >>> tree_similarity(*trees, X)
    Similarity(0.535; root same, attributes 1, kept 0, new 0, agreement 0.8)
    """
    columns = getattr(X, "columns", None)
    if columns is None:
        checks.rows("X", X)
    before = Tree.of(tree_a, columns, name="tree_a")
    after = Tree.of(tree_b, columns, name="tree_b")
    X = checks.frame("X", X, [test.name for test in before.attributes])
    n = len(X)
    first = _Rules(before, X)
    second = _Rules(after, X)
    places, pairs = _pairs(first, second, X)
    worth = (pairs["records_a"] + pairs["records_b"]) / (2 * n) * pairs["overlap"]
    shape = len(first.leaves), len(second.leaves)
    cover, _ = _matching(shape, places, worth)
    score, chosen = _matching(shape, places, worth * pairs["conditions"])
    matched = pairs[chosen].reset_index(drop=True)
    same = before.predict(X) == after.predict(X)
    return Similarity(
        score=score,
        cover=cover,
        root=before.tested_attributes[:1] == after.tested_attributes[:1],
        attributes=_common(first.weights, second.weights),
        kept=float(pairs["records_a"][pairs["fate"] == "kept"].sum() / n),
        shift=float(np.average(matched["shift"], weights=worth[chosen])) if len(matched) else 0.0,
        new=float(1 - matched["records_b"][matched["fate"] != ALONE].sum() / n),
        agreement=float(same.mean()),
        rand=float(adjusted_rand_score(first.place, second.place)),
        leaves=len(second.leaves) / len(first.leaves),
        trees=(before, after),
        rules=matched.drop(columns="shift"),
    )


def _pairs(first, second, X):
    """The rules that have a class and records in common: their places, and what else they share."""
    shared = np.zeros((len(first.leaves), len(second.leaves)), int)
    np.add.at(shared, (first.place, second.place), 1)
    alike = first.labels[:, None] == second.labels
    a, b = np.nonzero(shared * alike)
    both = shared[a, b]
    union = first.sizes[a] + second.sizes[b] - both
    agree, shift = _conditions(first, second, a, b, X)
    overlap = both / union
    pairs = {
        "leaf_a": first.leaves[a],
        "leaf_b": second.leaves[b],
        "records_a": first.sizes[a],
        "records_b": second.sizes[b],
        "overlap": overlap,
        "conditions": agree,
        "shift": shift,
        "fate": np.select([overlap >= KEPT, overlap >= NEW], ["kept", "moved"], ALONE),
    }
    return (a, b), pd.DataFrame(pairs)


class _Rules:
    """The leaves of a tree, and the leaf of each record by its place among them."""

    def __init__(self, tree, X):
        self.tree = tree
        self.leaves = tree.leaves()
        self.place = np.searchsorted(self.leaves, tree.apply(X))
        self.sizes = np.bincount(self.place, minlength=len(self.leaves))
        self.labels = tree.classes.astype(object)[tree.predicted[self.leaves]]
        self.paths = [tree.path_attributes(leaf) for leaf in self.leaves]
        weights = np.zeros(len(tree.attributes))
        for leaf, size in zip(self.leaves, self.sizes):
            np.add.at(weights, tree.attribute[tree.path(leaf)[:-1]], size)
        weights /= max(weights.sum(), 1)
        # Of each attribute that is tested anywhere: where, and for how many of all records.
        self.tests = {test.name: place for place, test in enumerate(tree.attributes) if place in tree.attribute}
        self.weights = {name: weights[place] for name, place in self.tests.items()}

    def tested(self, name) -> np.ndarray:
        """Whether the way to each leaf tests an attribute."""
        return np.array([name in path for path in self.paths])

    def holds(self, name, values) -> np.ndarray:
        """Whether each leaf (a row) can have each of these values, of a column, as the tree reads it."""
        if name not in self.tests:
            return np.ones((len(self.leaves), len(values)), bool)
        place = self.tests[name]
        read = self.tree.attributes[place].read(pd.Series(values))
        return self.tree.leaf_holds(place, read)

    def cuts(self, name) -> np.ndarray:
        """The least numbers that tests of an attribute tell from smaller ones; none if it has categories."""
        own = self.tree.attribute == self.tests.get(name, -2)
        return self.tree.cuts[own & (self.tree.kinds == "numeric")]


def _conditions(first, second, a, b, X):
    """For each pair of rules, how far their conditions agree, and how far those on attributes that both test do not."""
    sums = np.zeros((2, len(a)))
    numbers = np.zeros((2, len(a)))
    for name in dict.fromkeys([*first.tests, *second.tests]):
        values = X[name].dropna()
        cuts = np.unique([*first.cuts(name), *second.cuts(name)])
        if len(cuts):
            # Between two cuts all numbers are alike: a cut stands for those from there to the next.
            cell = np.searchsorted(cuts, values, side="right")
            least = np.nextafter(cuts[0], -np.inf)
            kinds: Any = np.append(least, cuts)
        else:
            cell, kinds = pd.factorize(values)
        weights = np.bincount(cell, minlength=len(kinds)) / len(X)
        held_a = first.holds(name, kinds)
        held_b = second.holds(name, kinds)
        tested_a = first.tested(name)[a]
        tested_b = second.tested(name)[b]
        either = tested_a | tested_b
        both = tested_a & tested_b
        for rows in in_blocks(len(a), len(kinds)):
            # The share of records on which one rule alone has its condition met.
            differ = (held_a[a[rows]] != held_b[b[rows]]) @ weights
            sums[:, rows] += [(1 - differ) * either[rows], differ * both[rows]]
        numbers += [either, both]
    agree, apart = sums / np.maximum(numbers, 1)
    agree[numbers[0] == 0] = 1
    return agree, apart


def _matching(shape, places, worth):
    """The largest sum of the worth of pairs in which each rule has one partner at most; and which pairs these are."""
    table = np.zeros(shape)
    table[places] = worth
    chosen = np.zeros(shape, bool)
    chosen[linear_sum_assignment(table, maximize=True)] = True
    total = table[chosen].sum()
    # A partner that is worth nothing is none.
    return float(total), chosen[places] & (worth > 0)


def _common(weights, others):
    """What two sets of weights share; nothing and nothing is all."""
    if not weights and not others:
        return 1.0
    shared = (min(weight, others.get(name, 0)) for name, weight in weights.items())
    return float(sum(shared))
