"""The tree itself: predictions, paths, collapsing, what it refuses to read."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppdm.reconstruct.attribute import Attribute
from ppdm.tables import EstimatedTable
from ppdm.trees import Stop, Tree, grow

seeds = st.integers(0, 2**32 - 1)
kinds = st.lists(st.sampled_from(["numeric", "ordered", "nominal"]), min_size=1, max_size=4).map(tuple)


@pytest.fixture(scope="module")
def mixed():
    """A tree by hand: salary < 40 → low; else by town {x | y, z}; y, z by degree ≤ bachelor."""
    attributes = (
        Attribute("salary", "numeric", 9),
        Attribute.categorical("town", ["x", "y", "z"]),
        Attribute.categorical("degree", ["school", "bachelor", "master"], ordered=True),
    )
    return Tree(
        attributes,
        np.array(["A", "B"]),
        np.array([[7.0, 8], [4, 0], [3, 8], [3, 1], [0, 7], [0, 5], [0, 2]]),
        np.array([0, -1, 1, -1, 2, -1, -1]),
        np.array([40, np.nan, np.nan, np.nan, 2, np.nan, np.nan]),
        np.array([2, 0, 2, 0, 2, 0, 0]),
        np.array([0, 1, 1]),
    )


RECORDS = pd.DataFrame(
    {
        "degree": ["school", "school", "school", "bachelor", "master", "none", "school"],
        "town": ["x", "x", "x", "y", "z", "z", "nowhere"],
        "salary": [39.9, 40, 1e9, 50, 50, 50, 50],
    }
)


def test_records_follow_the_tests(mixed):
    # The degree nobody had goes with most records, to node 5; the unknown town goes to node 4, the heavier.
    assert mixed.apply(RECORDS).tolist() == [1, 3, 3, 5, 6, 5, 5]
    assert mixed.predict(RECORDS).tolist() == ["A", "A", "A", "B", "B", "B", "B"]
    np.testing.assert_allclose(mixed.predict_proba(RECORDS)[:2], [[1, 0], [0.75, 0.25]])


def test_an_array_is_read_by_the_place_of_its_columns(mixed):
    array = RECORDS[["salary", "town", "degree"]].to_numpy(dtype=object)
    assert mixed.apply(array).tolist() == mixed.apply(RECORDS).tolist()


def test_only_tested_columns_are_read(mixed):
    stump = mixed.collapse(np.arange(7) > 0)
    assert stump.apply(RECORDS[["salary"]]).tolist() == [1, 2, 2, 2, 2, 2, 2]


def test_the_shape_of_the_tree(mixed):
    assert repr(mixed) == "Tree(7 nodes, 4 leaves, depth 3)"
    assert mixed.parent.tolist() == [-1, 0, 0, 2, 2, 4, 4]
    assert mixed.leaves().tolist() == [1, 3, 5, 6]
    assert mixed.path(5) == [0, 2, 4, 5]
    assert mixed.path_attributes(5) == ["salary", "town", "degree"]
    assert mixed.path_attributes(1) == ["salary"]
    assert [(level.start, level.stop) for level in mixed.levels] == [(0, 1), (1, 3), (3, 5), (5, 7)]
    assert mixed.routes_of(2).tolist() == [0, 1, 1]


def test_collapsing_keeps_the_rest(mixed):
    pruned = mixed.collapse(np.arange(7) == 4)
    assert pruned.attribute.tolist() == [0, -1, 1, -1, -1]
    assert pruned.routes.tolist() == [0, 1, 1]
    assert pruned.apply(RECORDS).tolist() == [1, 3, 3, 4, 4, 4, 4]
    assert repr(mixed.collapse(np.arange(7) == 0)) == "Tree(1 nodes, 1 leaf, depth 0)"


@given(seed=seeds, kinds=kinds, nominal=st.sampled_from(["binary", "multiway"]))
def test_collapsing_sends_records_to_the_lowest_node_kept(seed, kinds, nominal, random_table, frame_of):
    table = random_table(seed, kinds=kinds)
    tree = grow(table, "gini", Stop(min_gain=0), nominal)
    closed = np.random.default_rng(seed).random(len(tree.attribute)) < 0.3
    pruned, frame = tree.collapse(closed), frame_of(table)
    counts, leaves = tree.counts, pruned.counts[pruned.apply(frame)]
    for place, leaf in enumerate(tree.apply(frame)):
        path = tree.path(leaf)
        stop = next((node for node in path if closed[node]), leaf)
        assert leaves[place].tolist() == counts[stop].tolist()


@given(seed=seeds, kinds=kinds, classes=st.integers(2, 4), weights=st.sampled_from([None, "negative"]))
def test_shares_sum_to_one_and_decide_the_class(seed, kinds, classes, weights, random_table, frame_of):
    table = random_table(seed, kinds=kinds, classes=classes, weights=weights)
    tree, frame = grow(table), frame_of(table)
    proba = tree.predict_proba(frame)
    assert (proba >= 0).all()
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    assert tree.predict(frame).tolist() == tree.classes[proba.argmax(axis=1)].tolist()
    assert set(tree.apply(frame)) <= set(tree.leaves())


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"salary": [1.0, np.nan]}, ValueError, r"column 'salary' has 1 missing \(NaN\), first in row 1"),
        ({"salary": [1.0, np.inf]}, ValueError, "column 'salary' has 1 .*missing or infinite value"),
        ({"salary": ["a", "b"]}, TypeError, "column 'salary' holds .*; expected numbers"),
        ({"town": ["x", None]}, ValueError, "column 'town' has 1 .*missing"),
    ],
)
def test_values_that_no_test_can_read_are_refused(change, error, message, mixed):
    with pytest.raises(error, match=message):
        mixed.apply(RECORDS[:2].assign(**change))


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (RECORDS[["town"]], "the tree names 'salary', 'degree', which the table does not have"),
        (RECORDS[:0], "X has shape"),
        (RECORDS.set_axis(["town", "town", "salary"], axis=1), "X has the column 'town' more than once"),
        (np.zeros((3, 2)), r"X has shape \(3, 2\); expected two dimensions, 3 columns"),
        (np.zeros(3), r"X has shape \(3,\)"),
        (None, r"X has shape \(\)"),
        ([[1, 2, 3], [1, 2]], "X has rows of several lengths"),
        (np.ma.array(np.zeros((1, 3)), mask=[[1, 0, 0]]), "X has 1 masked values"),
    ],
)
def test_tables_of_the_wrong_shape_are_refused(X, message, mixed):
    with pytest.raises(ValueError, match=message):
        mixed.predict(X)


@pytest.mark.parametrize("ask", ["path", "path_attributes", "children", "routes_of", "condition_of", "branch_of"])
@pytest.mark.parametrize(
    ("node", "error"),
    [(7, ValueError), (-1, ValueError), (1.0, TypeError), ("1", TypeError), (None, TypeError), (True, TypeError)],
)
def test_unknown_nodes_are_refused(ask, node, error, mixed):
    # NumPy would count −1 from the end, and take True for 1.
    with pytest.raises(error, match=f"node is .*{node}.*; expected a whole number"):
        getattr(mixed, ask)(node)


def test_a_leaf_has_no_condition_and_the_root_no_branch(mixed):
    with pytest.raises(ValueError, match="node is 1, a leaf; expected a node that tests an attribute"):
        mixed.condition_of(1)
    with pytest.raises(
        ValueError, match=r"node is 0; expected a whole number in \[1, 6\]; no branch leads to the root"
    ):
        mixed.branch_of(0)
    assert mixed.condition_of(np.int64(2)) == "town = x"
    assert mixed.branch_of(np.int64(3)) == "yes"
    assert mixed.routes_of(1).tolist() == []


@pytest.mark.parametrize(
    "cells", [["x", ["y"]], [{}, "x"], [np.zeros(2), "x"]], ids=["a list", "a dict", "an array"]
)
def test_cells_that_can_be_no_category_are_refused(cells, mixed):
    with pytest.raises(TypeError, match=r"column 'town' holds .*; expected text, numbers, True or False"):
        mixed.predict(RECORDS[:2].assign(town=cells))


@pytest.mark.parametrize(
    "cells",
    [["a", "b"], pd.to_datetime(["2020-01-01"] * 2), [[1], [2]], [1j, 2], [True, False], [10**400, 1]],
    ids=["text", "dates", "lists", "complex", "booleans", "beyond floats"],
)
def test_cells_that_are_no_numbers_are_refused(cells, mixed):
    with pytest.raises(TypeError, match=r"column 'salary' holds .*; expected numbers"):
        mixed.predict(RECORDS[:2].assign(salary=cells))


def test_a_place_is_kept_for_tested_attributes_only():
    # A model may list far more attributes than it tests: a row of numbers for each would take all memory.
    attributes = tuple(Attribute(f"n{number}", "numeric", 2) for number in range(20_000))
    nan = np.nan
    tree = Tree(
        attributes,
        np.array(["A", "B"]),
        np.array([[2.0, 2], [2, 0], [0, 2]]),
        np.array([19_999, -1, -1]),
        np.array([0.5, nan, nan]),
        np.array([2, 0, 0]),
        np.array([], dtype=int),
    )
    values, place = tree._values(pd.DataFrame({"n19999": [0.0, 1.0]}))
    assert values.tolist() == [[0, 1]]
    assert place[0] == 0
    assert tree.predict(pd.DataFrame({"n19999": [0.0, 1.0]})).tolist() == ["A", "B"]


def test_edges_do_not_leave_the_house():
    table = EstimatedTable.from_counts([Attribute.numeric("a", [1.5, 7.5])], ["A", "B"], [[4, 0], [0, 4], [0, 4]])
    assert grow(table).attributes[0].edges is None
    assert "7.5" not in grow(table).to_json()
