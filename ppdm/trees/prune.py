"""Pruning: from the leaves up, a subtree becomes a leaf where the leaf costs no more."""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from scipy.special import gammaln, ndtri

from ppdm import checks
from ppdm.trees.model import Tree

TestBits = Literal["cuts", "constant"]
LeafBits = Literal["errors", "classes", "both"]


@dataclass(frozen=True)
class Mdl:
    """The prices of pruning by minimum description length, in bits (AS00 §4.2).

    A leaf costs 1 bit, and the bits for the classes of its records. An inner node costs 1 bit, its test and its
    children.

    Parameters
    ----------
    test_bits : "cuts": a test costs log₂(attributes) + log₂(candidate tests of its attribute); "constant": 1 bit if it
        is numeric or ordered, whatever its attribute, as in SLIQ
    leaf_bits : "errors": a record outside its leaf's class costs 1 bit, the others nothing (SLIQ; Mehta, Agrawal &
        Rissanen 1996); "classes": the classes of all records are written down (Mehta, Rissanen & Agrawal 1995);
        "both": first by "classes", then by "errors". If classes have equal sizes, random splits avoid hundreds of
        errors, and "errors" keeps these splits. "classes" prunes them, but keeps tests that predict the same class on
        both sides.

    The default prunes hard, because noise makes many splits look good by chance: a channel that hides everything must
    give a tree of one leaf. SLIQ's own prices are ``Mdl("constant", "errors")``. They are better for true values
    if the boundary of the classes is slanted, so that it takes many tests.
    """

    test_bits: TestBits = "cuts"
    leaf_bits: LeafBits = "both"

    def __post_init__(self):
        checks.choice("test_bits", self.test_bits, get_args(TestBits))
        checks.choice("leaf_bits", self.leaf_bits, get_args(LeafBits))

    def test_lengths(self, tree) -> np.ndarray:
        """What each inner node adds to the code length; meaningless for a leaf."""
        shortest, in_two = self._bits(tree.attributes)
        return 1 + np.where(tree.n_children > 2, shortest[tree.attribute], in_two[tree.attribute])

    def errors_not_worth_a_test(self, attributes) -> float:
        """A node with at most this number of errors would always be pruned, so there is no need to grow it.

        Even a test that leaves no error costs 1 bit, its own length and two leaves of 1 bit. A leaf costs 1 bit and the
        errors. The answer is 0 where errors have no price.
        """
        if self.leaf_bits == "classes":
            return 0.0
        shortest, _ = self._bits(attributes)
        return 2 + min([bits for bits, test in zip(shortest, attributes) if test.n_values > 1], default=0.0)

    def _bits(self, attributes):
        """The bits that name the cheapest test of each attribute, and those of a test in two."""
        number = len(attributes)
        values = np.array([max(test.n_values, 2) for test in attributes])
        cuts = 1.0 if self.test_bits == "constant" else np.log2(number * (values - 1))
        # A test with a child for each category is the only one of its kind: its attribute names it. There are
        # 2^(values − 1) − 1 divisions; with many categories their number itself is too large.
        only = np.log2(number)
        divisions = only + (values - 1 + np.log2(1 - 2.0 ** (1 - values)))
        named = [test.kind == "nominal" for test in attributes]
        return np.where(named, only, cuts), np.where(named, divisions, cuts)


def prune_mdl(tree: Tree, prices: Mdl | None = None) -> Tree:
    """Prune a tree by minimum description length (AS00 §4.2): see ``Mdl`` for the prices; None: ``Mdl()``."""
    expected = "Mdl(test_bits=..., leaf_bits=...)"
    prices = checks.of_type("prices", Mdl() if prices is None else prices, Mdl, expected)
    # "both" prunes twice: what is left has paid by either price.
    for bits, of_records in (("classes", class_bits), ("errors", errors)):
        if prices.leaf_bits in (bits, "both"):
            tree = _collapse(tree, 1 + of_records(tree), prices.test_lengths(tree))
    return tree


def prune_pessimistic(tree, confidence=0.25) -> Tree:
    """Prune by pessimistic errors, as C4.5 does (Quinlan 1993, §4.2), but raise no subtree.

    A subtree becomes a leaf unless it saves more than a tenth of a record. A smaller confidence, in (0, 0.5], prunes
    more.
    """
    size = _positive(tree).sum(axis=1)
    as_leaf = pessimistic(size, errors(tree), confidence)
    return _collapse(tree, as_leaf, np.zeros(len(as_leaf)), margin=0.1)


def errors(tree) -> np.ndarray:
    """Each node's weight outside its predicted class, weights below 0 floored."""
    positive = _positive(tree)
    return positive.sum(axis=1) - positive[np.arange(len(positive)), tree.predicted]


def class_bits(tree) -> np.ndarray:
    """The bits that name the class of each record of each node, if the shares of classes are learnt on the way.

    This is the code of Krichevsky & Trofimov (1981): −log₂ of the probability of the classes, if their shares have a
    Dirichlet(½) prior. Mehta, Rissanen & Agrawal (1995) approximate it for many records.
    """
    # As if each class had been seen half a time before. A log-gamma function stands for a product over all records.
    positive = _positive(tree)
    half = positive.shape[1] / 2
    together = gammaln(positive.sum(axis=1) + half) - gammaln(half)
    each = gammaln(positive + 0.5) - gammaln(0.5)
    return (together - each.sum(axis=1)) / np.log(2)


def pessimistic(size, wrong, confidence) -> np.ndarray:
    """Records times the upper limit of the error rate, of leaves with these records and errors, as Release 8 has it.

    Without errors the limit is the rate at which none has the probability ``confidence``. From one error on it is that
    of the normal approximation (Wilson 1927), with half an error more; in between it is a straight line.
    """
    checks.number("confidence", confidence, "(0, 0.5]")
    z = -ndtri(confidence)
    n = np.maximum(size, 1e-6)  # no overflow where there are none
    some = np.maximum(wrong, 1)
    rate = (some + 0.5) / n
    spread = z * np.sqrt(np.maximum(rate / n - rate**2 / n + (z / (2 * n)) ** 2, 0))
    limit = (rate + z**2 / (2 * n) + spread) / (1 + z**2 / n)
    # Where all records but half a one are wrong, the approximation would pass their number.
    more = np.where(some + 0.5 >= size, np.maximum(size - some, 0), size * limit - some)
    none = -size * np.expm1(np.log(confidence) / n)
    return wrong + np.where(wrong < 1, none + wrong * (more - none), more)


def _positive(tree):
    """The weights of a tree's classes in its nodes, those below 0 floored."""
    return np.maximum(checks.of_type("tree", tree, Tree, "a Tree, such as classifier.tree_").counts, 0)


def _collapse(tree, as_leaf, of_test, margin=0.0):
    """Make a leaf of every node whose subtree does not cost less, by more than the margin."""
    cost = as_leaf.astype(float)
    pruned = np.zeros(len(cost), dtype=bool)
    for level, below in zip(tree.levels[-2::-1], tree.levels[:0:-1]):
        nodes = level.start + np.flatnonzero(tree.attribute[level] >= 0)
        # Children stand side by side, in the order of their parents: each parent's first one starts a new sum.
        below_each = np.add.reduceat(cost[below], tree.first_child[nodes] - below.start)
        subtree = of_test[nodes] + below_each
        pruned[nodes] = as_leaf[nodes] <= subtree + margin
        cost[nodes] = np.where(pruned[nodes], as_leaf[nodes], subtree)
    return tree.collapse(pruned)
