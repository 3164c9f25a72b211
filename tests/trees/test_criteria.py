"""The criteria against brute force over every candidate split."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppdm.reconstruct.attribute import Attribute
from ppdm.tables import EstimatedTable
from ppdm.trees import Stop, grow
from ppdm.trees.criteria import entropy, gini

seeds = st.integers(0, 2**32 - 1)
IMPURITY = {"gini": gini, "gain": entropy}


def share_impurity(criterion, counts):
    """The textbook formula, one node at a time."""
    p = np.asarray(counts, dtype=float) / np.sum(counts)
    return 1 - (p**2).sum() if criterion == "gini" else -sum(q * np.log2(q) for q in p if q > 0)


def gain_of(criterion, children):
    """The gain of dividing a node into children (class weights each), for each record."""
    children = [np.asarray(child, dtype=float) for child in children if np.sum(child) > 0]
    total = np.sum(children, axis=0)
    after = sum(child.sum() * share_impurity(criterion, child) for child in children)
    return share_impurity(criterion, total) - after / total.sum()


def best_division(criterion, counts):
    """The best gain of all divisions of the values (columns of counts) into two groups."""
    present = np.flatnonzero(counts.sum(axis=0))
    best = -np.inf
    for size in range(1, len(present)):
        for group in itertools.combinations(present, size):
            inside = np.isin(np.arange(counts.shape[1]), group)
            best = max(best, gain_of(criterion, [counts[:, inside].sum(1), counts[:, ~inside].sum(1)]))
    return best


def random_counts(seed, classes, values):
    """Counts by class and value, of two classes at least."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 9, (classes, values)) * rng.choice([1.0, 0.37]) * (rng.random(values) < 0.85)
    counts[rng.permutation(classes)[:2], rng.integers(0, values, 2)] += 1
    return counts


def stump(criterion, counts, kind, nominal="binary", **stop):
    """The best split of one node on one attribute, and its gain; None where there is none."""
    values = counts.shape[1]
    numeric = Attribute.numeric("a", np.arange(values - 1) + 0.5)
    attribute = numeric if kind == "numeric" else Attribute.categorical("a", range(values), kind == "ordered")
    table = EstimatedTable.from_counts([attribute], list("ABCDE"[: len(counts)]), counts.T)
    to_the_end = {"min_gain": 0, "min_records": 0, "min_leaf": 1e-9} | stop
    tree = grow(table, criterion, Stop(max_depth=1, **to_the_end), nominal)
    return tree, gain_of(criterion, tree.counts[1:]) if tree.depth else None


@pytest.mark.parametrize("criterion", ["gini", "gain"])
@given(seed=seeds, classes=st.integers(2, 4))
def test_impurity_is_the_formula_times_the_size(criterion, seed, classes):
    counts = random_counts(seed, classes, 1)[:, 0]
    expected = counts.sum() * share_impurity(criterion, counts)
    assert IMPURITY[criterion](counts, counts.sum()) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("kind", ["numeric", "ordered"])
@pytest.mark.parametrize("criterion", ["gini", "gain"])
@given(seed=seeds, classes=st.integers(2, 4), values=st.integers(2, 7))
def test_the_best_cut_is_the_best_of_all_cuts(criterion, kind, seed, classes, values):
    counts = random_counts(seed, classes, values)
    gains = [
        gain_of(criterion, [counts[:, :cut].sum(1), counts[:, cut:].sum(1)])
        for cut in range(1, values)
        if counts[:, :cut].sum() > 0 and counts[:, cut:].sum() > 0
    ]
    best = max(gains) if gains else None
    assert stump(criterion, counts, kind)[1] == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("criterion", ["gini", "gain"])
@given(seed=seeds, values=st.integers(2, 7))
def test_two_classes_get_the_best_of_all_divisions_of_nominal_values(criterion, seed, values):
    counts = random_counts(seed, 2, values)
    best = best_division(criterion, counts)
    assert stump(criterion, counts, "nominal")[1] == pytest.approx(None if np.isinf(best) else best, abs=1e-9)


@pytest.mark.parametrize("criterion", ["gini", "gain"])
@given(seed=seeds, classes=st.integers(3, 4), values=st.integers(2, 6))
def test_more_classes_get_a_real_division_never_better_than_the_best(criterion, seed, classes, values):
    counts = random_counts(seed, classes, values)
    tree, gain = stump(criterion, counts, "nominal")
    if gain is not None:
        assert gain <= best_division(criterion, counts) + 1e-9
        right = tree.routes_of(0).astype(bool)
        np.testing.assert_allclose(
            tree.counts[1:], [counts[:, ~right].sum(1), counts[:, right].sum(1)], atol=1e-9
        )


@pytest.mark.parametrize("criterion", ["gini", "gain"])
@given(seed=seeds, classes=st.integers(3, 5), values=st.integers(2, 6))
def test_more_classes_get_the_best_division_where_their_shares_lie_on_a_line(criterion, seed, classes, values):
    # The best division is cut out by a hyperplane in the space of shares: on a line, by a place in the order.
    rng = np.random.default_rng(seed)
    ends, place = rng.dirichlet(np.ones(classes), size=2), rng.random(values)
    shares = np.outer(ends[0], place) + np.outer(ends[1], 1 - place)
    counts = shares * rng.uniform(1, 20, values)
    assert stump(criterion, counts, "nominal")[1] == pytest.approx(best_division(criterion, counts), abs=1e-9)


@given(seed=seeds, classes=st.integers(2, 4), values=st.integers(2, 6))
def test_a_child_for_every_value_gains_what_all_values_tell(seed, classes, values):
    counts = random_counts(seed, classes, values)
    tree, gain = stump("gain", counts, "nominal", "multiway")
    if (counts.sum(axis=0) > 0).sum() < 2:
        assert gain is None
        return
    assert gain == pytest.approx(gain_of("gain", counts.T), abs=1e-9)
    np.testing.assert_allclose(tree.counts[1:], counts.T)


def table_of(counts):
    """A table with as many numeric attributes as there are axes before the classes."""
    shape = np.shape(counts)
    attributes = [Attribute.numeric(f"a{i}", np.arange(n - 1) + 0.5) for i, n in enumerate(shape[:-1])]
    return EstimatedTable.from_counts(attributes, ["A", "B"], counts)


@pytest.mark.parametrize("criterion", ["gini", "gain"])
def test_ties_go_to_the_lowest_attribute_and_the_lowest_cut(criterion):
    twins = table_of([[[4, 0], [0, 0]], [[0, 0], [0, 4]]])
    assert grow(twins, criterion).attribute[0] == 0
    mirrored = table_of([[9, 0], [0, 8], [9, 0]])
    assert grow(mirrored, criterion).threshold[0] == 0.5
    # No record lies between the two cuts.
    gap = table_of([[3, 0], [0, 0], [0, 3]])
    assert grow(gap, criterion).threshold[0] == 0.5


def test_the_least_size_of_a_side_is_kept():
    counts = np.array([[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 3.0, 3.0]])
    assert stump("gini", counts, "numeric")[0].threshold[0] == 0.5
    assert stump("gini", counts, "numeric", min_leaf=2)[0].threshold[0] == 1.5
    assert stump("gini", counts, "numeric", min_leaf=5)[1] is None


def test_values_that_no_record_has_follow_the_heavier_side():
    for counts in ([[5.0, 0.0, 0.0], [0.0, 0.0, 2.0]], [[2.0, 0.0, 0.0], [0.0, 0.0, 5.0]]):
        tree, _ = stump("gini", np.array(counts), "nominal")
        heavier = 0 if counts[0][0] > counts[1][2] else 2
        routes = tree.routes_of(0)
        assert routes[0] != routes[2]
        assert routes[1] == routes[heavier]
