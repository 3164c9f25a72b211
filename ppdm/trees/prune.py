"""Pruning: from the leaves up, a subtree gives way to a leaf where the leaf is the better bargain."""

from typing import Literal, get_args

import numpy as np
from scipy.special import betaincinv, gammaln

from ppdm import checks
from ppdm.reconstruct.attribute import Attribute
from ppdm.trees.model import Tree

TestBits = Literal["cuts", "constant"]
TEST_BITS = get_args(TestBits)
LeafBits = Literal["errors", "classes", "both"]
LEAF_BITS = get_args(LeafBits)


def prune_mdl(tree: Tree, test_bits: TestBits = "cuts", leaf_bits: LeafBits = "errors") -> Tree:
    """Prune by minimum description length (AS00 §4.2).

    A leaf costs 1 bit and those for the classes of its records; an inner node 1 bit, its test, and its children.

    Parameters
    ----------
    tree : a tree that was grown to its end
    test_bits : "cuts": a test costs log₂(attributes) + log₂(candidate tests of its attribute); "constant": 1 bit if it
        is numeric or ordered, whatever its attribute, as in SLIQ
    leaf_bits : "errors": a record outside its leaf's class costs 1 bit, the others nothing (SLIQ; Mehta, Agrawal &
        Rissanen 1996); "classes": all classes are written down (as Mehta, Rissanen & Agrawal 1995 do); "both": by
        "classes", then by "errors". Where classes are of equal size, chance alone spares errors in hundreds: "errors"
        takes that for knowledge. "classes" does not, but keeps tests on either side of which the same class prevails.
    """
    checks.choice("leaf_bits", leaf_bits, LEAF_BITS)
    if leaf_bits == "both":
        return prune_mdl(prune_mdl(tree, test_bits, "classes"), test_bits, "errors")
    return _collapse(tree, _leaf_lengths(tree, leaf_bits), _test_lengths(tree, test_bits), margin=0.0)


def code_length(tree: Tree, test_bits: TestBits = "cuts", leaf_bits: LeafBits = "errors") -> float:
    """The bits that the tree and the classes of its records take, by the lengths of ``prune_mdl``."""
    leaf = tree.attribute < 0
    return float(_leaf_lengths(tree, leaf_bits)[leaf].sum() + _test_lengths(tree, test_bits)[~leaf].sum())


def prune_pessimistic(tree: Tree, confidence: float = 0.25) -> Tree:
    """Prune by pessimistic errors, as C4.5 does (Quinlan 1993, §4.2).

    A leaf of N records and E errors is charged N times the upper confidence limit of its error rate; a subtree is
    replaced unless it saves more than a tenth of a record. Smaller confidence, in (0, 0.5], prunes more.
    """
    checks.number("confidence", confidence, 0, 0.5, open_low=True)
    return _collapse(tree, pessimistic_errors(tree, confidence), np.zeros(len(tree.attribute)), margin=0.1)


def pessimistic_errors(tree: Tree, confidence: float = 0.25) -> np.ndarray:
    """Each node's records times the upper limit of its error rate: the rate at which so few errors are just as
    improbable as the confidence says (Clopper & Pearson 1934).
    """
    size = np.maximum(tree.counts, 0).sum(axis=1)
    wrong = np.minimum(errors(tree), size)
    right = size - wrong
    limit = betaincinv(wrong + 1, np.where(right > 0, right, 1), 1 - confidence)
    return size * np.where(right > 0, limit, 1.0)


def errors(tree: Tree) -> np.ndarray:
    """Each node's weight outside its predicted class, weights below 0 floored."""
    positive = np.maximum(tree.counts, 0)
    predicted = tree.shares.argmax(axis=1)[:, None]
    return positive.sum(axis=1) - np.take_along_axis(positive, predicted, axis=1)[:, 0]


def class_bits(tree: Tree) -> np.ndarray:
    """The bits that name the class of each record of each node, if the classes' shares are learnt on the way.

    The code of Krichevsky & Trofimov (1981), which the stochastic complexity of Mehta, Rissanen & Agrawal (1995)
    approximates for many records: −log₂ of the probability of the classes under shares from a Dirichlet(½) prior.
    """
    positive = np.maximum(tree.counts, 0)
    half = positive.shape[1] / 2
    nats = gammaln(positive.sum(axis=1) + half) - gammaln(half) - (gammaln(positive + 0.5) - gammaln(0.5)).sum(axis=1)
    return nats / np.log(2)


def errors_not_worth_a_test(attributes: tuple[Attribute, ...], test_bits: TestBits = "cuts") -> float:
    """A node of no more errors is always pruned by ``prune_mdl`` if these are priced, so that it need not be grown.

    Even a test that leaves no error costs 1 bit, its own length and two leaves of 1 bit, against 1 bit and the errors.
    """
    several = [test for test in attributes if test.n_values > 1]
    lengths = [_length(test, test.kind == "nominal", len(attributes), test_bits) for test in several]
    return 2 + min(lengths, default=0.0)


def _collapse(tree: Tree, as_leaf: np.ndarray, of_test: np.ndarray, margin: float) -> Tree:
    """Make a leaf of every node whose subtree does not cost less, by more than the margin."""
    cost = as_leaf.astype(float)
    pruned = np.zeros(len(cost), dtype=bool)
    for level, below in zip(tree.levels[-2::-1], tree.levels[:0:-1], strict=True):
        nodes = level.start + np.flatnonzero(tree.attribute[level] >= 0)
        subtree = of_test[nodes] + np.add.reduceat(cost[below], tree.first_child[nodes] - below.start)
        pruned[nodes] = as_leaf[nodes] <= subtree + margin
        cost[nodes] = np.where(pruned[nodes], as_leaf[nodes], subtree)
    return tree.collapse(pruned)


def _leaf_lengths(tree: Tree, leaf_bits: str) -> np.ndarray:
    """What each node would take as a leaf."""
    checks.choice("leaf_bits", leaf_bits, ("errors", "classes"))
    return 1 + (errors(tree) if leaf_bits == "errors" else class_bits(tree))


def _test_lengths(tree: Tree, test_bits: str) -> np.ndarray:
    """What each inner node adds to the code length; meaningless for a leaf."""
    checks.choice("test_bits", test_bits, TEST_BITS)
    number = len(tree.attributes)
    lengths = [[_length(test, multiway, number, test_bits) for multiway in (False, True)] for test in tree.attributes]
    return 1 + np.array(lengths)[tree.attribute, (tree.n_children > 2).astype(int)]


def _length(attribute: Attribute, multiway: bool, attributes: int, test_bits: str) -> float:
    """The bits that name a test: its attribute, and one of the cuts or of the divisions of its categories in two.

    A test with a child for each category is the only one of its kind, so that its attribute names it.
    """
    if attribute.n_values < 2:
        return 0.0
    if attribute.kind != "nominal":
        return 1.0 if test_bits == "constant" else float(np.log2(attributes * (attribute.n_values - 1)))
    divisions = 0.0 if multiway else attribute.n_values - 1 + np.log2(1 - 2.0 ** (1 - attribute.n_values))
    return float(np.log2(attributes) + divisions)
