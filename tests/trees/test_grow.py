"""Growing: scikit-learn and the χ² test as oracles, the one rule for negative estimates, properties of every tree."""

import importlib
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2, chi2_contingency
from sklearn.tree import DecisionTreeClassifier

from ppdm.reconstruct.attribute import Attribute
from ppdm.tables import EstimatedTable
from ppdm.trees import Stop, grow

TO_THE_END = Stop(min_gain=0, min_records=0, min_leaf=1e-9)
SKLEARN = {"gini": "gini", "gain": "entropy"}
seeds = st.integers(0, 2**32 - 1)
kinds = st.lists(st.sampled_from(["numeric", "ordered", "nominal"]), min_size=1, max_size=4).map(tuple)
weightings = st.sampled_from([None, "fractional"])


def all_nodes(tree, leaf):
    """Which records (given their leaves) pass through each node."""
    passes = np.zeros((len(tree.attribute), len(leaf)), dtype=bool)
    node = leaf.copy()
    while (node >= 0).any():
        passes[node[node >= 0], np.flatnonzero(node >= 0)] = True
        node = np.where(node > 0, tree.parent[node], -1)
    return passes


def impurity(criterion, counts):
    p = counts / counts.sum()
    return 1 - (p**2).sum() if criterion == "gini" else -sum(q * np.log2(q) for q in p if q > 0)


def our_gain(criterion, tree, node):
    """The gain of an inner node, from the class weights of it and its children alone."""
    children = tree.counts[tree.first_child[node] : tree.first_child[node] + tree.n_children[node]]
    after = sum(child.sum() * impurity(criterion, child) for child in children if child.sum() > 0)
    return impurity(criterion, tree.counts[node]) - after / tree.counts[node].sum()


def best_gain_of_sklearn(criterion, codes, classes, weights):
    """The gain of the best split that scikit-learn finds; None where it finds none."""
    stump = DecisionTreeClassifier(criterion=SKLEARN[criterion], max_depth=1).fit(codes, classes, weights).tree_
    if stump.node_count == 1:
        return None
    size = stump.weighted_n_node_samples
    return stump.impurity[0] - (size[1:] * stump.impurity[1:]).sum() / size[0]


@pytest.mark.parametrize("criterion", ["gini", "gain"])
@settings(max_examples=15)
@given(seed=seeds, classes=st.integers(2, 4), values=st.integers(2, 12), weights=weightings)
def test_every_node_gains_as_much_as_scikit_learns_best_split(
    criterion, seed, classes, values, weights, random_table, frame_of
):
    table = random_table(seed, rows=50, kinds=("numeric",) * 3, values=values, classes=classes, weights=weights)
    tree = grow(table, criterion, TO_THE_END)
    passes = all_nodes(tree, tree.apply(frame_of(table)))
    weight = np.ones(50) if weights is None else table.weights
    for node, inside in enumerate(passes):
        theirs = best_gain_of_sklearn(criterion, table.codes.T[inside], table.class_codes[inside], weight[inside])
        if theirs is None:
            assert tree.attribute[node] == -1
        else:
            assert our_gain(criterion, tree, node) == pytest.approx(theirs, abs=1e-9)


@pytest.mark.parametrize("criterion", ["gini", "gain"])
@settings(max_examples=15)
@given(seed=seeds, classes=st.integers(2, 3))
def test_without_ties_the_leaves_are_those_of_scikit_learn(criterion, seed, classes):
    # Distinct values and arbitrary weights: two splits gain the same only if they part the records alike. The weights
    # are binary fractions, so that sums are exact: otherwise scikit-learn splits pure nodes over a rounding error.
    rng = np.random.default_rng(seed)
    values, classes_of = rng.random((80, 3)), rng.integers(0, classes, 80)
    weights = rng.integers(2**19, 2**21, 80) / 2**20
    attributes = [Attribute.numeric(i, np.sort(values[:, i])[1:]) for i in range(3)]
    codes = np.array([a.encode(values[:, i]) for i, a in enumerate(attributes)])
    table = EstimatedTable(tuple(attributes), np.arange(classes), codes, classes_of, weights)
    ours = grow(table, criterion, TO_THE_END).apply(values)
    full = DecisionTreeClassifier(criterion=SKLEARN[criterion]).fit(codes.T, classes_of, weights)
    theirs = full.apply(codes.T)
    assert len(np.unique(ours)) == len(np.unique(theirs)) == len(np.unique(np.c_[ours, theirs], axis=0))


@given(seed=seeds, kinds=kinds, weights=weightings, nominal=st.sampled_from(["binary", "multiway"]))
def test_records_reach_the_node_that_counts_them(seed, kinds, weights, nominal, random_table, frame_of):
    table = random_table(seed, kinds=kinds, classes=3, weights=weights)
    tree = grow(table, "gini", nominal=nominal)
    passes = all_nodes(tree, tree.apply(frame_of(table)))
    weight = np.ones(60) if weights is None else table.weights
    one_hot = np.eye(3)[table.class_codes] * weight[:, None]
    np.testing.assert_allclose(passes @ one_hot, tree.counts, atol=1e-9)
    children = np.flatnonzero(tree.parent >= 0)
    sums = np.zeros_like(tree.counts)
    np.add.at(sums, tree.parent[children], tree.counts[children])
    np.testing.assert_allclose(sums[tree.attribute >= 0], tree.counts[tree.attribute >= 0], atol=1e-9)


@given(
    seed=seeds,
    kinds=kinds,
    depth=st.integers(0, 4),
    min_leaf=st.integers(1, 8),
    min_records=st.integers(0, 20),
    purity=st.floats(0.5, 1),
    least_errors=st.integers(0, 5),
)
def test_what_stop_forbids_does_not_happen(
    seed, kinds, depth, min_leaf, min_records, purity, least_errors, random_table
):
    stop = Stop(purity, min_records, min_leaf, max_depth=depth, least_errors=least_errors)
    tree = grow(random_table(seed, kinds=kinds), "gini", stop)
    inner, size = tree.attribute >= 0, tree.counts.sum(axis=1)
    assert tree.depth <= depth
    assert (size[1:] >= min_leaf).all()
    assert (size[inner] >= min_records).all()
    assert (tree.counts.max(axis=1)[inner] < purity * size[inner]).all()
    assert ((size - tree.counts.max(axis=1))[inner] > least_errors).all()


@given(seed=seeds, kinds=kinds, criterion=st.sampled_from(["gini", "gain"]))
def test_a_leaf_that_could_be_split_would_gain_nothing(seed, kinds, criterion, random_table, frame_of):
    table = random_table(seed, kinds=kinds)
    tree = grow(table, criterion)
    frame, leaf = frame_of(table), tree.apply(frame_of(table))
    for node in tree.leaves():
        rows = leaf == node
        if len(set(table.class_codes[rows])) == 2:
            below = grow(
                replace(table, codes=table.codes[:, rows], class_codes=table.class_codes[rows]), criterion
            )
            assert below.depth == 0
            for name in frame:
                for value in frame[name].unique():
                    same = table.class_codes[rows & (frame[name] == value)]
                    if len(same):
                        assert same.mean() == pytest.approx(table.class_codes[rows].mean())


@given(seed=seeds, kinds=kinds, weights=st.sampled_from([None, "quarters", "negative"]))
def test_order_merging_and_scale_of_rows_change_nothing(seed, kinds, weights, random_table, same_tree):
    table = random_table(seed, kinds=kinds, weights=weights)
    weight = np.ones(60) if weights is None else table.weights
    tree = grow(table)

    order = np.random.default_rng(seed).permutation(60)
    shuffled = replace(
        table, codes=table.codes[:, order], class_codes=table.class_codes[order], weights=weight[order]
    )
    same_tree(tree, grow(shuffled))

    shape = (*(attribute.n_values for attribute in table.attributes), len(table.classes))
    counts = np.zeros(shape)
    np.add.at(counts, (*table.codes, table.class_codes), weight)
    same_tree(tree, grow(EstimatedTable.from_counts(table.attributes, table.classes, counts)))

    scaled = grow(replace(table, weights=weight * 8), stop=Stop(min_records=16, min_leaf=8))
    same_tree(tree, scaled, scale=8)


@given(seed=seeds, kinds=kinds, nominal=st.sampled_from(["binary", "multiway"]))
def test_a_row_and_its_negative_change_nothing(seed, kinds, nominal, random_table, same_tree):
    table = random_table(seed, kinds=kinds, weights="quarters")
    other = random_table(seed + 1, rows=20, kinds=kinds, weights="quarters")
    both = replace(
        table,
        codes=np.concatenate([table.codes, other.codes, other.codes], axis=1),
        class_codes=np.concatenate([table.class_codes, other.class_codes, other.class_codes]),
        weights=np.concatenate([table.weights, other.weights, -other.weights]),
    )
    same_tree(grow(table, nominal=nominal), grow(both, nominal=nominal))


@pytest.mark.parametrize("parts", [1, 3, 10, 49])
def test_a_record_in_parts_is_a_record(parts, same_tree):
    attributes = [Attribute.numeric("a", [1, 2])]
    codes, classes = np.repeat([0, 1, 2, 2], parts)[None], np.repeat([0, 1, 0, 0], parts)
    whole = EstimatedTable(attributes, ["A", "B"], np.array([[0, 1, 2, 2]]), np.array([0, 1, 0, 0]))
    split = EstimatedTable(attributes, ["A", "B"], codes, classes, np.full(4 * parts, 1 / parts))
    for stop in (Stop(), Stop(min_records=3, min_leaf=2), Stop(min_records=4), Stop(min_records=5)):
        same_tree(grow(whole, stop=stop), grow(split, stop=stop))


def one_attribute(*counts):
    attribute = Attribute.numeric("a", np.arange(1, len(counts)))
    return EstimatedTable.from_counts([attribute], list("ABC"[: len(counts[0])]), counts)


def test_a_nodes_size_is_its_raw_sum():
    table = one_attribute([9, -2], [-1, 6])
    np.testing.assert_allclose(grow(table).counts, [[8, 4], [9, -2], [-1, 6]])
    # The two sides weigh 7 and 5, though their positive parts weigh 9 and 6; together 12.
    assert grow(table, stop=Stop(min_leaf=5)).depth == 1
    assert grow(table, stop=Stop(min_leaf=5.5)).depth == 0
    assert grow(table, stop=Stop(min_records=12)).depth == 1
    assert grow(table, stop=Stop(min_records=12.5)).depth == 0


def test_class_weights_are_floored_inside_the_criterion_only():
    tree = grow(one_attribute([9, -2], [-1, 6]))
    # Floored, both sides are pure, so nothing below is split and the shares are certain.
    np.testing.assert_allclose(tree.shares, [[8 / 12, 4 / 12], [1, 0], [0, 1]])
    assert tree.predict(pd.DataFrame({"a": [0.0, 2.0]})).tolist() == ["A", "B"]


def test_of_two_cuts_the_floored_impurity_weighted_by_the_raw_size_decides():
    counts = np.array([[-3, 9, 7], [8, -1, -5], [14, 9, 0], [1, 11, 3]], dtype=float)

    def cost(cut, size):
        floored = [np.maximum(side.sum(axis=0), 0) for side in (counts[:cut], counts[cut:])]
        sizes = [side.sum() for side in ((counts[:cut], counts[cut:]) if size == "raw" else floored)]
        return sum(n * (1 - (side**2).sum() / side.sum() ** 2) for n, side in zip(sizes, floored, strict=True))

    raw, positive = ([cost(cut, size) for cut in (1, 2, 3)] for size in ("raw", "floored"))
    assert np.argmin(raw) == 0
    assert np.argmin(positive) == 2
    assert grow(one_attribute(*counts)).threshold[0] == 1


def test_where_nothing_is_positive_the_parents_class_is_predicted():
    table = EstimatedTable.from_counts(
        [Attribute.categorical("c", ["x", "y", "z"])], ["A", "B"], [[6, 0], [1, 9], [-1, -0.5]]
    )
    tree = grow(table, nominal="multiway", stop=Stop(min_records=0))
    assert tree.predict(pd.DataFrame({"c": ["x", "y", "z"]})).tolist() == ["A", "B", "B"]
    np.testing.assert_allclose(tree.shares[3], tree.shares[0])
    assert grow(one_attribute([-1, -2], [-3, 0])).depth == 0


def test_a_node_below_min_records_is_a_leaf_however_much_is_positive_in_it():
    # The sides weigh 1 and ½; of the three classes' totals, 3, 3 and −4½, the positive ones weigh 6.
    table = one_attribute([3, 0, -2], [0, 3, -2.5])
    assert grow(table, stop=Stop(min_leaf=0.25, min_records=1.5)).depth == 1
    assert grow(table, stop=Stop(min_leaf=0.25, min_records=2)).depth == 0


@settings(max_examples=20)
@given(seed=seeds, kinds=kinds, weights=st.sampled_from([None, "fractional", "negative"]))
def test_the_size_of_blocks_and_the_order_of_rows_change_nothing(seed, kinds, weights, random_table, same_tree):
    module, tables = (importlib.import_module(name) for name in ("ppdm.trees.grow", "ppdm.tables.table"))
    table = random_table(seed, kinds=kinds, weights=weights)
    trees = []
    # Rows stand node by node from the first level on, from the second, or in their own order for long.
    for block, few in ((1, 0), (40, 1), (module.BLOCK, tables.SORTED)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, "BLOCK", block)
            patch.setattr(tables, "SORTED", few)
            trees.append(grow(table, "gini", Stop(min_gain=0)))
    same_tree(trees[0], trees[1])
    same_tree(trees[0], trees[2])


@pytest.mark.parametrize("criterion", ["gini", "gain"])
def test_xor_stops_unless_splits_that_gain_nothing_are_admitted(criterion):
    """AS00 §5.2: the tree "stops because it does not find any split point that increases gini"."""
    attributes = [Attribute.numeric("constant", []), Attribute.numeric("a", [1]), Attribute.numeric("b", [1])]
    table = EstimatedTable.from_counts(attributes, ["A", "B"], [[[[5, 0], [0, 5]], [[0, 5], [5, 0]]]])
    assert grow(table, criterion).depth == 0
    assert grow(table, criterion, Stop(min_gain=0)).depth == 2


def p_value(counts, free):
    """Of χ² = 2 n ln 2 × gain, Wilks' likelihood ratio, for the children of a node."""
    if len(counts) < 2:
        return 1.0
    seen = counts[:, counts.any(axis=0)][counts.any(axis=1)]
    return chi2.sf(chi2_contingency(seen, correction=False, lambda_="log-likelihood")[0], free)


@given(
    seed=seeds,
    kind=st.sampled_from(["numeric", "ordered", "nominal"]),
    values=st.integers(2, 5),
    classes=st.integers(2, 4),
    confidence=st.floats(0.05, 0.999),
)
def test_a_confident_split_is_one_that_the_chi_squared_test_admits(
    seed, kind, values, classes, confidence, random_table
):
    """Quinlan (1986): the irrelevance of an attribute "can be rejected with a very high confidence"."""
    table = random_table(seed, kinds=(kind,), values=values, classes=classes)
    one = Stop(min_gain=0, min_leaf=1e-9, max_depth=1)
    free, tests = (values - 1, 1) if kind == "nominal" else (1, values - 1)
    best = grow(table, "gain", one, "multiway")
    p = p_value(best.counts[1:], free * (classes - 1)) * tests
    if abs(p - (1 - confidence)) > 1e-6:
        sure = grow(table, "gain", replace(one, confidence=confidence), "multiway")
        assert sure.depth == int(p < 1 - confidence)


def test_all_tests_of_a_node_count_together():
    # One attribute of 3 values, two of 2 with gains: 2 + 1 + 1 tests; a fourth that gains nothing is none of them.
    rng = np.random.default_rng(3)
    classes = rng.integers(0, 2, 400)
    columns = [np.where(rng.random(400) < 0.1, 2 * classes, rng.integers(0, 3, 400))]
    columns += [rng.integers(0, 2, 400), rng.integers(0, 2, 400), np.zeros(400, dtype=int)]
    attributes = [Attribute.numeric(i, np.arange(k) + 0.5) for i, k in enumerate([2, 1, 1, 1])]
    table = EstimatedTable(tuple(attributes), np.arange(2), np.array(columns), classes)
    one = Stop(min_gain=0, max_depth=1)
    p = p_value(grow(table, "gain", one).counts[1:], 1)
    assert grow(table, "gain", replace(one, confidence=1 - 3.9 * p)).depth == 0
    assert grow(table, "gain", replace(one, confidence=1 - 4.1 * p)).depth == 1


def test_confidence_keeps_what_is_certain_and_little_else(random_table):
    for seed in range(5):
        table = random_table(seed, rows=2000, kinds=("numeric", "nominal", "numeric"))
        noise = replace(table, class_codes=np.random.default_rng([seed, 1]).permutation(table.class_codes))
        assert grow(noise, "gain", Stop(confidence=0.999)).depth == 0
        sure, unsure = (grow(table, "gain", Stop(confidence=level)) for level in (0.999, None))
        assert 1 < len(sure.counts) < len(unsure.counts)


@pytest.mark.parametrize(
    ("values", "nominal", "least"), [(2, "binary", 0.05), (6, "multiway", 0.05), (8, "binary", 0)]
)
def test_of_attributes_that_tell_nothing_five_of_a_hundred_pass(values, nominal, least):
    # 400 tables, up to 4.5 errors of the number that are split; names divided at will pass more rarely.
    rng, split = np.random.default_rng(7), 0
    for _ in range(400):
        codes, classes = rng.integers(0, values, (1, 400)), rng.integers(0, 2, 400)
        table = EstimatedTable((Attribute.categorical("a", range(values)),), np.arange(2), codes, classes)
        split += grow(table, "gain", Stop(confidence=0.95, max_depth=1), nominal).depth
    error = (0.05 * 0.95 / 400) ** 0.5
    assert least - 4.5 * error < split / 400 < 0.05 + 4.5 * error


@pytest.mark.parametrize("criterion", ["gini", "gain"])
def test_confidence_needs_bits_and_a_table_that_knows_chance(criterion):
    counted = EstimatedTable(
        [Attribute.numeric("a", [1])], ["A", "B"], np.array([[0, 1, 1]]), np.array([0, 1, 1])
    )
    tables = {"gini": counted, "gain": SimpleNamespace(histograms=counted.histograms)}
    name = type(tables[criterion]).__name__
    with pytest.raises(
        ValueError, match=rf"stop has confidence=0.95 for {name} and criterion '{criterion}'; expected"
    ):
        grow(tables[criterion], criterion, Stop(confidence=0.95))
    with pytest.raises(ValueError, match="the table has weights, which do not tell how uncertain they are"):
        grow(one_attribute([3.5, 1], [2, 5]), "gain", Stop(confidence=0.95))


def test_a_trace_that_rounding_leaves_of_a_class_makes_no_node_mixed():
    to_the_end = Stop(min_gain=0)
    assert grow(one_attribute([30, 1e-13], [20, 1e-12]), stop=to_the_end).depth == 0
    assert grow(one_attribute([30, 0.001], [20, 0]), stop=to_the_end).depth == 1


def test_a_single_row_and_a_single_class_make_a_leaf():
    assert grow(one_attribute([1, 0])).depth == 0
    assert grow(one_attribute([5, 0], [7, 0])).depth == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"criterion": "Gini"}, "criterion is 'Gini'; expected one of 'gini', 'gain'"),
        ({"nominal": "both"}, "nominal is 'both'; expected one of 'binary', 'multiway'"),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        grow(one_attribute([1, 0], [0, 1]), **arguments)


def test_what_is_no_table_is_refused():
    with pytest.raises(TypeError, match="table is of type DataFrame; expected an EstimatedTable"):
        grow(pd.DataFrame({"a": [1]}))
    with pytest.raises(TypeError, match="table is of type type; expected an EstimatedTable"):
        grow(EstimatedTable)


def test_what_is_no_stop_is_refused():
    with pytest.raises(TypeError, match="stop is an int; expected a Stop, say"):
        grow(one_attribute([1, 0], [0, 1]), stop=3)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"purity": 0}, ValueError, r"purity is 0; expected a number in \(0, 1\]"),
        ({"purity": 1.01}, ValueError, "purity is 1.01"),
        ({"min_records": -1}, ValueError, "min_records is -1"),
        ({"min_records": None}, TypeError, "min_records is None"),
        ({"min_leaf": 0}, ValueError, "min_leaf is 0"),
        ({"min_leaf": np.nan}, ValueError, "min_leaf is nan"),
        ({"min_gain": -0.1}, ValueError, "min_gain is -0.1"),
        ({"least_errors": "1"}, TypeError, "least_errors is '1'"),
        ({"max_depth": 2.0}, TypeError, "max_depth is 2.0; expected a whole number"),
        ({"max_depth": -1}, ValueError, "max_depth is -1"),
        ({"max_depth": True}, TypeError, "max_depth is True"),
        ({"confidence": 0}, ValueError, r"confidence is 0; expected a number in \(0, 1\)"),
        ({"confidence": 1.0}, ValueError, "confidence is 1.0"),
        ({"confidence": "high"}, TypeError, "confidence is 'high'"),
    ],
)
def test_bad_stops_are_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        Stop(**arguments)
