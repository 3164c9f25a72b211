"""Pruning: from the leaves up, a subtree gives way to a leaf where the leaf is the better bargain."""

from typing import Literal

import numpy as np
from scipy.special import betaincinv

from ppdm import checks
from ppdm.reconstruct.table import Attribute
from ppdm.trees.model import Tree

TestBits = Literal["cuts", "constant"]
TEST_BITS = ("cuts", "constant")


def prune_mdl(tree: Tree, test_bits: TestBits = "cuts") -> Tree:
    """Prune by minimum description length (AS00 §4.2; Mehta, Agrawal & Rissanen 1996).

    A leaf costs 1 bit and one for each error; an inner node 1 bit, log₂(attributes), the price of its test, and its
    children. The price of a test is log₂ of the attribute's candidate tests, or, with test_bits "constant", SLIQ's
    1 bit for a numeric or ordered test.
    """
    checks.choice("test_bits", test_bits, TEST_BITS)
    return _collapse(tree, 1 + errors(tree), _test_lengths(tree, test_bits), margin=0.0)


def code_length(tree: Tree, test_bits: TestBits = "cuts") -> float:
    """The bits that the tree and its errors take, by the lengths of ``prune_mdl``."""
    checks.choice("test_bits", test_bits, TEST_BITS)
    leaf = tree.attribute < 0
    return float((1 + errors(tree))[leaf].sum() + _test_lengths(tree, test_bits)[~leaf].sum())


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


def errors_not_worth_a_test(attributes: tuple[Attribute, ...], test_bits: TestBits = "cuts") -> float:
    """A node with no more errors than this is always pruned by ``prune_mdl``, so that it need not be grown.

    Even a test that leaves no error costs 1 + log₂(attributes) + its price and two leaves of 1 bit, against 1 bit
    and the errors. (A test with a child for each category costs nothing for its price, but no fewer leaves.)
    """
    prices = [_price(test, test.kind == "nominal", test_bits) for test in attributes if test.n_values > 1]
    cheapest = min(prices, default=0.0)
    return float(np.log2(len(attributes)) + cheapest + 2)


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


def _test_lengths(tree: Tree, test_bits: str) -> np.ndarray:
    """What each inner node adds to the code length; meaningless for a leaf."""
    multiway = tree.n_children > 2
    prices = np.array([[_price(test, several, test_bits) for several in (False, True)] for test in tree.attributes])
    return 1 + np.log2(len(tree.attributes)) + prices[tree.attribute, multiway.astype(int)]


def _price(attribute: Attribute, multiway: bool, test_bits: str) -> float:
    """The bits that name one of an attribute's candidate tests: its cuts, or divisions of its categories in two."""
    if attribute.n_values < 2 or (attribute.kind == "nominal" and multiway):
        return 0.0
    if attribute.kind == "nominal":
        return float(attribute.n_values - 1 + np.log1p(-(2.0 ** (1 - attribute.n_values))) / np.log(2))
    return 1.0 if test_bits == "constant" else float(np.log2(attribute.n_values - 1))
