"""Pruning against brute force over all prunings, code lengths and pessimistic errors against their definitions."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from ppdm.reconstruct.attribute import Attribute
from ppdm.tables import EstimatedTable
from ppdm.trees import GiniTreeClassifier, Mdl, Stop, grow, prune_mdl
from ppdm.trees.prune import class_bits, errors, pessimistic, prune_pessimistic

PRICES = list(itertools.starmap(Mdl, itertools.product(["cuts", "constant"], ["errors", "classes"])))
seeds = st.integers(0, 2**32 - 1)
kinds = st.lists(st.sampled_from(["numeric", "ordered", "nominal"]), min_size=1, max_size=3).map(tuple)
weights = st.sampled_from([None, "quarters", "negative"])
nominals = st.sampled_from(["binary", "multiway"])
FULL = Stop(min_gain=0, min_records=0, min_leaf=0.25)


def class_length(counts):
    """Krichevsky & Trofimov's code, a factor at a time: each record's class by the shares of those before it."""
    if any(count % 1 for count in counts):
        terms = [math.lgamma(count + 0.5) - math.lgamma(0.5) for count in counts]
        return (
            math.lgamma(sum(counts) + len(counts) / 2) - math.lgamma(len(counts) / 2) - sum(terms)
        ) / math.log(2)
    seen, bits = [0] * len(counts), 0.0
    for which, count in enumerate(counts):
        for _ in range(int(count)):
            bits -= math.log2((seen[which] + 0.5) / (sum(seen) + len(counts) / 2))
            seen[which] += 1
    return bits


def code_length(tree, prices):
    """The bits of a whole tree by the prices that pruning goes by."""
    leaf = tree.attribute < 0
    of_leaves = 1 + (class_bits(tree) if prices.leaf_bits == "classes" else errors(tree))
    return of_leaves[leaf].sum() + prices.test_lengths(tree)[~leaf].sum()


def length_by_definition(tree, prices, node=0):
    """The recursion of AS00 §4.2's choice in plain Python."""
    counts = np.maximum(tree.counts[node], 0)
    predicted = tree.classes.tolist().index(tree.classes[tree.shares[node].argmax()])
    if tree.attribute[node] < 0:
        return 1 + (class_length(counts) if prices.leaf_bits == "classes" else counts.sum() - counts[predicted])
    attribute, children = tree.attributes[tree.attribute[node]], int(tree.n_children[node])
    tests = attribute.n_values - 1
    if attribute.kind == "nominal":
        tests = 2 ** (attribute.n_values - 1) - 1 if children == 2 else 1
    sliq = prices.test_bits == "constant" and attribute.kind != "nominal"
    test = 1 if sliq else np.log2(len(tree.attributes)) + np.log2(tests)
    below = range(tree.first_child[node], tree.first_child[node] + children)
    return 1 + test + sum(length_by_definition(tree, prices, child) for child in below)


def all_prunings(tree):
    inner = np.flatnonzero(tree.attribute >= 0)
    for closed in itertools.product([False, True], repeat=len(inner)):
        nodes = np.zeros(len(tree.attribute), dtype=bool)
        nodes[inner] = closed
        yield tree.collapse(nodes)


@pytest.mark.parametrize("prices", PRICES, ids=str)
@given(seed=seeds, kinds=kinds, weights=weights, nominal=nominals)
def test_code_length_is_its_definition(prices, seed, kinds, weights, nominal, random_table):
    tree = grow(random_table(seed, kinds=kinds, weights=weights), "gini", FULL, nominal)
    assert code_length(tree, prices) == pytest.approx(length_by_definition(tree, prices))


def test_code_length_of_a_tree_counted_by_hand():
    attributes = [Attribute.numeric("a", [1, 2, 3, 4]), Attribute.numeric("b", [1])]
    counts = np.zeros((5, 2, 2))
    counts[:2, 0], counts[2:, 0] = [30, 0], [1, 20]
    tree = grow(EstimatedTable.from_counts(attributes, ["A", "B"], counts))
    # One test of an attribute of two with four cuts; one leaf without, one with three errors.
    assert code_length(tree, Mdl("cuts", "errors")) == (1 + 1 + 2) + 1 + (1 + 3)
    assert code_length(tree, Mdl("constant", "errors")) == (1 + 1) + 1 + (1 + 3)


@pytest.mark.parametrize("prices", PRICES, ids=str)
@given(seed=seeds, kinds=kinds, weights=weights, nominal=nominals)
def test_mdl_finds_the_shortest_of_all_prunings(prices, seed, kinds, weights, nominal, random_table):
    table = random_table(seed, rows=24, kinds=kinds, values=4, weights=weights)
    tree = grow(table, "gini", Stop(min_records=0, min_leaf=0.25, max_depth=4), nominal)
    assume((tree.attribute >= 0).sum() <= 7)
    best = min(code_length(pruned, prices) for pruned in all_prunings(tree))
    assert code_length(prune_mdl(tree, prices), prices) == pytest.approx(best)


def test_a_leaf_as_cheap_as_its_subtree_is_preferred():
    # One test of the only attribute's only cut and two leaves take 3 bits; so does a leaf with two errors.
    prices, attributes = Mdl("cuts", "errors"), [Attribute.numeric("a", [1])]
    assert prices.errors_not_worth_a_test(attributes) == 2
    for few, depth in ((2, 0), (3, 1)):
        table = EstimatedTable.from_counts(attributes, ["A", "B"], [[9, 0], [0, few]])
        assert prune_mdl(grow(table), prices).depth == depth


def test_fractions_of_a_bit_count_where_records_are_whole():
    # A leaf takes 1 + 8 bits, the best subtree 2 (1 + log₂ 3) + 1 + 1 + 2 = 9.17.
    codes, classes = (
        np.repeat([0, 1, 1, 2, 3], [6, 1, 5, 3, 9])[None],
        np.repeat([0, 0, 1, 1, 0], [6, 1, 5, 3, 9]),
    )
    tree = grow(EstimatedTable([Attribute.numeric("a", [1, 2, 3])], ["A", "B"], codes, classes))
    prices = Mdl("cuts", "errors")
    best = tree.collapse(tree.counts.sum(axis=1) == 9)
    assert code_length(best, prices) == pytest.approx(4 + 2 * (1 + np.log2(3)))
    assert prune_mdl(tree, prices).depth == 0


@pytest.mark.parametrize("prices", PRICES, ids=str)
@given(seed=seeds, kinds=kinds, weights=weights, nominal=nominals)
def test_mdl_never_lengthens_the_code_and_has_nothing_left_to_do(
    prices, seed, kinds, weights, nominal, random_table, same_tree
):
    tree = grow(random_table(seed, kinds=kinds, weights=weights), "gini", FULL, nominal)
    pruned = prune_mdl(tree, prices)
    assert code_length(pruned, prices) <= code_length(tree, prices) + 1e-9
    same_tree(pruned, prune_mdl(pruned, prices))


# By one price only: by both, what lies below such a node can pay for a test above it before the errors close it. (Seed
# 117, one nominal attribute and two numeric ones, negative weights, multiway: 8 nodes, and 6 if grown early.)
@pytest.mark.parametrize("prices", PRICES, ids=str)
@given(seed=seeds, kinds=kinds, weights=weights, nominal=nominals, criterion=st.sampled_from(["gini", "gain"]))
def test_what_mdl_would_close_need_not_be_grown(
    prices, seed, kinds, weights, nominal, criterion, random_table, same_tree
):
    table = random_table(seed, rows=200, kinds=kinds, weights=weights)
    least = prices.errors_not_worth_a_test(table.attributes)
    full = grow(table, criterion, Stop(), nominal)
    early = grow(table, criterion, Stop(least_errors=least), nominal)
    assert len(early.attribute) <= len(full.attribute)
    same_tree(prune_mdl(full, prices), prune_mdl(early, prices))


@given(seed=seeds, classes=st.integers(2, 4))
def test_a_test_has_to_pay_by_both_prices(seed, classes, random_table):
    tree = grow(random_table(seed, rows=300, classes=classes), "gini")
    both, *single = (len(prune_mdl(tree, Mdl("cuts", bits)).leaves()) for bits in ("both", "errors", "classes"))
    assert both <= min(single)


@pytest.mark.parametrize("k", [2, 5, 20, 50])
def test_chance_among_many_classes_is_not_taken_for_knowledge_either(k):
    rng = np.random.default_rng(k)
    attributes = [Attribute.numeric(name, np.arange(1, 20)) for name in "abc"]
    table = EstimatedTable(attributes, np.arange(k), rng.integers(0, 20, (3, 2000)), np.arange(2000) % k)
    assert len(prune_mdl(grow(table), Mdl("cuts", "classes")).leaves()) == 1


def test_chance_is_not_taken_for_knowledge():
    # 10,000 records of two equal classes that nothing tells apart: the most deceptive case for counting errors.
    rng = np.random.default_rng(1)
    attributes = [Attribute.numeric(name, np.arange(1, 20)) for name in "abc"]
    table = EstimatedTable(attributes, ["A", "B"], rng.integers(0, 20, (3, 10_000)), np.arange(10_000) % 2)
    tree = grow(table)
    leaves = {bits: len(prune_mdl(tree, Mdl("cuts", bits)).leaves()) for bits in ("errors", "classes", "both")}
    assert leaves["errors"] > 10
    assert leaves["classes"] == leaves["both"] == 1


@pytest.mark.parametrize(
    ("wrong", "size", "limit", "tolerance"),
    [(0, 6, 0.206, 0.0005), (0, 9, 0.143, 0.0005), (0, 1, 0.750, 0.0005), (1, 16, 0.157, 0.003)],
)
def test_pessimistic_errors_are_quinlans(wrong, size, limit, tolerance):
    """U25%(errors, size) as printed by Quinlan (1993, §4.2)."""
    assert pessimistic(size, wrong, 0.25) / size == pytest.approx(limit, abs=tolerance)


@given(size=st.integers(1, 300), confidence=st.floats(0.01, 0.5))
def test_no_error_is_as_improbable_as_the_confidence_says(size, confidence):
    rate = pessimistic(size, 0, confidence) / size
    assert stats.binom.cdf(0, size, rate) == pytest.approx(confidence, rel=1e-6)


@given(size=st.floats(2, 300), share=st.floats(0, 1), confidence=st.floats(0.01, 0.5))
def test_the_limit_of_some_errors_solves_the_normal_equation(size, share, confidence):
    """At the limit, half an error more than seen lies z standard deviations below the expected errors (Wilson 1927)."""
    wrong = 1 + share * (size - 2)
    rate = pessimistic(size, wrong, confidence) / size
    if wrong + 0.5 >= size:
        assert rate == 1
        return
    z = stats.norm.isf(confidence)
    assert size * rate - wrong - 0.5 == pytest.approx(z * np.sqrt(size * rate * (1 - rate)), abs=1e-6 * size)


@given(size=st.floats(1.6, 300), share=st.floats(0, 1), confidence=st.floats(0.01, 0.5))
def test_between_no_error_and_one_the_limit_is_a_straight_line(size, share, confidence):
    none, one, between = (pessimistic(size, wrong, confidence) - wrong for wrong in (0, 1, share))
    assert between == pytest.approx((1 - share) * none + share * one, abs=1e-9 * size)


@given(seed=seeds, kinds=kinds, weights=weights, nominal=nominals, confidence=st.floats(0.05, 0.5))
def test_pessimistic_pruning_keeps_what_saves_a_tenth_of_a_record(
    seed, kinds, weights, nominal, confidence, random_table, same_tree
):
    tree = grow(random_table(seed, kinds=kinds, weights=weights), "gini", FULL, nominal)
    pruned = prune_pessimistic(tree, confidence)

    def expected(tree, amounts, node=0):
        """The pruned tree's pessimistic errors and inner nodes, by recursion."""
        if tree.attribute[node] < 0:
            return amounts[node], 0
        first = tree.first_child[node]
        below = [expected(tree, amounts, child) for child in range(first, first + tree.n_children[node])]
        as_subtree = sum(amount for amount, _ in below)
        if amounts[node] <= as_subtree + 0.1:
            return amounts[node], 0
        return as_subtree, 1 + sum(inner for _, inner in below)

    def costs(tree):
        return pessimistic(np.maximum(tree.counts, 0).sum(axis=1), errors(tree), confidence)

    amount, inner = expected(tree, costs(tree))
    assert (pruned.attribute >= 0).sum() == inner
    assert costs(pruned)[pruned.leaves()].sum() == pytest.approx(amount)
    same_tree(pruned, prune_pessimistic(pruned, confidence))


def test_a_leaf_without_records_has_no_pessimistic_errors():
    assert pessimistic(0, 0, 0.25) == 0


def test_a_single_leaf_is_pruned_to_itself(leaf_of, same_tree):
    leaf = leaf_of(3, 4)
    for pruned in (prune_mdl(leaf), prune_pessimistic(leaf)):
        same_tree(leaf, pruned)


@pytest.mark.parametrize("name", ["test_bits", "leaf_bits"])
@pytest.mark.parametrize("value", ["cut", None, 1])
def test_bad_prices_are_refused(name, value, leaf_of):
    with pytest.raises(ValueError, match=rf"{name} is .*; expected one of '"):
        Mdl(**{name: value})
    with pytest.raises(TypeError, match=r"prices is a .*; expected Mdl"):
        prune_mdl(leaf_of(1, 2), "cuts")


@pytest.mark.parametrize(
    "prune",
    [
        prune_mdl,
        lambda tree: prune_mdl(tree, Mdl(leaf_bits="errors")),
        prune_pessimistic,
        errors,
        class_bits,
    ],
)
@pytest.mark.parametrize("tree", [None, "tree", GiniTreeClassifier()])
def test_what_is_no_tree_is_refused(prune, tree):
    with pytest.raises(TypeError, match=r"tree is an? .*; expected a Tree, such as classifier.tree_"):
        prune(tree)


@pytest.mark.parametrize(("confidence", "error"), [(0, ValueError), (0.51, ValueError), ("a", TypeError)])
def test_bad_confidence_is_refused(confidence, error, leaf_of):
    with pytest.raises(error, match=r"confidence is .*; expected a number in \(0, 0.5\]"):
        prune_pessimistic(leaf_of(1, 2), confidence)
    with pytest.raises(error, match=r"confidence is .*; expected a number in \(0, 0.5\]"):
        pessimistic(3, 1, confidence)
