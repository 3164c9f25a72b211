"""What reconstruction hands over: coding, counting and descending, each against a count by hand."""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from ppdm.reconstruct.attribute import Attribute
from ppdm.tables.table import EstimatedTable, Level, Splits
from ppdm.trees import Stop, grow

finite = st.floats(-1e308, 1e308, allow_subnormal=False)
AGE = Attribute.numeric("age", [40, 60])
TOWN = Attribute.categorical("town", ["x", "y"])


@given(
    values=arrays.arrays(float, st.integers(1, 40), elements=finite),
    edges=st.lists(finite, unique=True, max_size=20).map(sorted),
)
def test_a_number_gets_as_code_how_many_edges_it_reaches(values, edges):
    expected = [sum(edge <= value for edge in edges) for value in values]
    assert Attribute.numeric("a", edges).encode(values).tolist() == expected


@pytest.mark.parametrize("dtype", ["float32", "int8", "Int64", "Float64"])
def test_numbers_of_any_dtype_are_coded(dtype):
    assert AGE.encode(pd.Series([39, 40, 60], dtype=dtype)).tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("categories", "values", "codes"),
    [
        (["b", "a"], ["a", "b", "c"], [1, 0, -1]),
        (["b", "a"], pd.Categorical(["a", "c"]), [1, -1]),
        (["b", "a"], pd.Series(["a", "b"], dtype="string"), [1, 0]),
        ([False, True], np.array([True, False]), [1, 0]),
        ([False, True], pd.array([True, False], dtype="boolean"), [1, 0]),
        ([False, True], np.array([1, 0, 2]), [1, 0, -1]),
        ([False, True], [0.0, 1.0], [0, 1]),
        ([3, 1], [1, 3, 2], [1, 0, -1]),
        ([1, 0], [True, False], [-1, -1]),
        (["1"], [1], [-1]),
    ],
)
def test_a_category_gets_its_place_and_an_unknown_one_none(categories, values, codes):
    assert Attribute.categorical("c", categories).encode(values).tolist() == codes


def test_an_attribute_without_edges_cannot_code():
    with pytest.raises(ValueError, match="attribute 'age' has no edges"):
        replace(AGE, edges=None).encode([1.0])


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (
            lambda: Attribute.numeric("a", [2, 1]),
            ValueError,
            r"edges of 'a' has 1 of 1 that do not increase .*; expected increasing numbers",
        ),
        (lambda: Attribute.numeric("a", [1, 1]), ValueError, "edges of 'a' has 1 of 1 that do not increase"),
        (lambda: Attribute.numeric("a", [np.inf]), ValueError, "edges of 'a' has 1 .*missing or infinite"),
        (lambda: Attribute.numeric("a", ["1"]), TypeError, "edges of 'a' holds text"),
        (lambda: Attribute.numeric("a", 5), ValueError, "edges of 'a' has 0 dimensions; expected one"),
        (lambda: Attribute.categorical("c", []), ValueError, r"categories of 'c' is empty; expected distinct"),
        (
            lambda: Attribute.categorical("c", ["x", "x"]),
            ValueError,
            "categories of 'c' has 1 of 2 values that came",
        ),
        (
            lambda: Attribute.categorical("c", ["x", np.nan]),
            ValueError,
            "categories of 'c' has 1 missing .* expected none",
        ),
        (lambda: Attribute.categorical("c", "xyz"), TypeError, "categories of 'c' is 'xyz'; expected a list"),
        (lambda: Attribute.categorical("c", None), TypeError, "categories of 'c' is None; expected a list"),
        (
            lambda: EstimatedTable.from_counts([AGE], ["A", "B"], [["1", "2"]] * 3),
            TypeError,
            "counts holds text; expected numbers",
        ),
        (lambda: AGE.encode([1.0, np.nan]), ValueError, r"column 'age' has 1 missing \(NaN\), first in row 1"),
        (lambda: AGE.encode([np.inf]), ValueError, "column 'age' has 1 .*missing or infinite value"),
        (lambda: AGE.encode(["a"]), TypeError, "column 'age' holds text"),
        (lambda: TOWN.encode(["x", None]), ValueError, "column 'town' has 1 .*missing"),
    ],
)
def test_bad_attributes_and_values_are_refused(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_records_weigh_one_each():
    table = EstimatedTable([AGE, TOWN], ["A", "B"], [[0, 1, 1, 2, 2], [0, 1, 0, 1, 0]], [1, 0, 0, 0, 1])
    assert table.weights is None
    assert not table.has_negative
    assert repr(table) == "EstimatedTable(5 rows × 2 attributes, classes A and B, weight 5)"
    root = table.root()
    assert root.class_weights.tolist() == [[3], [2]]
    assert table.histograms(root).tolist() == [[[0, 2, 1, 1, 2]], [[1, 0, 1, 2, 0]]]


def test_counts_are_rows_with_weights():
    counts = np.zeros((3, 2, 2))
    counts[0, 1, 0], counts[2, 0, 1] = 2.5, -0.5
    table = EstimatedTable.from_counts([AGE, TOWN], ["A", "B"], counts)
    assert table.codes.tolist() == [[0, 2], [1, 0]]
    assert table.class_codes.tolist() == [0, 1]
    assert table.weights.tolist() == [2.5, -0.5]
    assert table.has_negative
    assert repr(table) == "EstimatedTable(2 rows × 2 attributes, classes A and B, weight 2)"


def random_level(seed, rows=40, nodes=6):
    """A table and a level that holds some of its rows."""
    rng = np.random.default_rng(seed)
    codes = [rng.integers(0, 3, rows), rng.integers(0, 2, rows)]
    weights = None if seed % 2 else rng.integers(-8, 20, rows) / 4
    table = EstimatedTable((AGE, TOWN), np.array(["A", "B"]), codes, rng.integers(0, 2, rows), weights)
    kept = rng.permutation(rows)[: rng.integers(1, rows)]
    node = rng.integers(0, nodes, len(kept))
    of_class = [table.class_codes[kept[node == number]] for number in range(nodes)]
    class_weights = np.transpose([np.bincount(codes, minlength=2) for codes in of_class])
    return table, Level(kept, node, class_weights, table.codes, None if weights is None else weights[kept])


def test_a_row_can_stand_in_two_nodes_with_parts_of_its_weight():
    table = EstimatedTable.from_counts([AGE], ["A", "B"], [[1, 0], [0, 1], [0, 0]])
    by_class = np.array([[0.25, 0.75], [1, 0]])
    level = Level(np.array([0, 1, 0]), np.array([0, 0, 1]), by_class, table.codes, np.array([0.25, 1.0, 0.75]))
    assert table.histograms(level)[0].tolist() == [[0.25, 0, 0], [0.75, 0, 0]]
    children = np.array([[0.25, 0, 0.75, 0], [0, 1, 0, 0]])
    below = table.descend(
        level, Splits(np.array([0, 0]), np.array([[0, 1, 1]] * 2), np.array([2, 2]), children, np.ones(4) / 2)
    )
    assert np.array_equal(below.class_weights, children)
    assert below.weights.tolist() == [0.25, 1.0, 0.75]
    assert below.node.tolist() == [0, 1, 2]


seeds = st.integers(0, 2**32 - 1)


def node_rows(level):
    return [level.rows[level.node == number].tolist() for number in range(level.n_nodes)]


@given(seed=seeds)
def test_histograms_are_the_weights_by_class_node_and_value(seed):
    table, level = random_level(seed)
    weights = np.ones(40) if table.weights is None else table.weights
    parts = np.split(table.histograms(level), [3], axis=2)
    for codes, histogram in zip(table.codes, parts, strict=True):
        expected = np.zeros(histogram.shape)
        for node, rows in enumerate(node_rows(level)):
            for row in rows:
                expected[table.class_codes[row], node, codes[row]] += weights[row]
        np.testing.assert_allclose(histogram, expected, atol=1e-12)


@given(seed=seeds)
def test_descending_sends_each_row_to_the_child_of_its_code(seed):
    table, level = random_level(seed)
    rng = np.random.default_rng(seed)
    attribute, fan = rng.integers(0, 2, level.n_nodes), rng.integers(2, 4, level.n_nodes)
    routes = rng.integers(0, fan[:, None], (level.n_nodes, 3))
    below = node_rows(
        table.descend(level, Splits(attribute, routes, fan, np.zeros((2, fan.sum())), np.zeros(fan.sum())))
    )
    expected = [
        [row for row in rows if routes[node, table.codes[attribute[node], row]] == child]
        for node, rows in enumerate(node_rows(level))
        for child in range(fan[node])
    ]
    assert below == expected


@given(seed=seeds, most=st.integers(1, 8))
def test_blocks_and_kept_nodes_have_the_rows_of_their_nodes(seed, most):
    _, level = random_level(seed)
    blocks = list(level.blocks(most))
    assert all(block.n_nodes <= most for block in blocks)
    assert [rows for block in blocks for rows in node_rows(block)] == node_rows(level)
    kept = np.random.default_rng(seed).random(level.n_nodes) < 0.5
    expected = [rows for rows, keep in zip(node_rows(level), kept, strict=True) if keep]
    assert node_rows(level.keep(kept)) == expected


def test_codes_are_packed_into_the_narrowest_type():
    for values, dtype in ((255, np.uint8), (256, np.uint16), (65_536, np.uint32)):
        table = EstimatedTable([Attribute("a", "numeric", values)], ["A", "B"], [[0, values]], [0, 1])
        assert table.codes.dtype == dtype
        assert table.codes.tolist() == [[0, values]]


def table(**changes):
    parts = {
        "attributes": (AGE,),
        "classes": np.array(["A", "B"]),
        "codes": np.array([[0, 2]]),
        "class_codes": np.array([0, 1]),
    }
    return EstimatedTable(**(parts | changes))


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"attributes": ()}, ValueError, r"attributes is empty; expected distinct values, at least 1"),
        ({"attributes": (AGE, AGE)}, ValueError, "attributes has 1 of 2"),
        ({"attributes": ("age",)}, TypeError, "one of attributes is a str; expected an Attribute"),
        (
            {"classes": ["A", "A"]},
            ValueError,
            r"classes has .* values that came before.*; expected distinct values",
        ),
        ({"codes": np.array([0, 2])}, ValueError, r"codes has shape \(2,\); expected \(1, 2\)"),
        (
            {"codes": np.array([[0, 4]])},
            ValueError,
            "codes of 'age' has 1 of 2 codes outside .first at position 1.; expected 0 to 3",
        ),
        ({"codes": np.array([[-1, 0]])}, ValueError, "codes of 'age' has 1 of 2 codes outside"),
        (
            {"codes": np.array([[0.0, 1.0]])},
            TypeError,
            "codes of 'age' are of type float64; expected whole numbers",
        ),
        (
            {"class_codes": np.array([0, 2])},
            ValueError,
            "class_codes has 1 of 2 codes outside .*; expected 0 to 1",
        ),
        ({"codes": np.zeros((1, 0), int), "class_codes": np.zeros(0, int)}, ValueError, "with rows"),
        ({"weights": np.array([1.0])}, ValueError, "weights has 1 entries and class_codes has 2"),
        ({"weights": np.array([1.0, np.nan])}, ValueError, "weights has 1 .*missing or infinite value"),
    ],
)
def test_bad_tables_are_refused(changes, error, message):
    with pytest.raises(error, match=message):
        table(**changes)


def test_lists_will_do():
    assert table(attributes=[AGE], classes=["A", "B"], codes=[[0, 2]], class_codes=[0, 1]).classes.tolist() == [
        "A",
        "B",
    ]


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        (np.ones((2, 2)), r"counts has shape \(2, 2\); expected \(3, 2\)"),
        (np.zeros((3, 2)), "counts are all 0; expected some that are not"),
        (np.full((3, 2), np.nan), "counts has 6 .*missing or infinite values"),
    ],
)
def test_bad_counts_are_refused(counts, message):
    with pytest.raises(ValueError, match=message):
        EstimatedTable.from_counts([AGE], ["A", "B"], counts)


# What comes builds on these two: tables in several hands, and records whose values are missing.


@dataclass(frozen=True)
class BothLevel:
    """A level of two tables at once."""

    parts: tuple
    class_weights: np.ndarray

    @property
    def n_nodes(self):
        return self.class_weights.shape[1]

    def keep(self, nodes):
        return BothLevel(tuple(part.keep(nodes) for part in self.parts), self.class_weights[:, nodes])

    def blocks(self, most):
        pairs = zip(*(part.blocks(most) for part in self.parts), strict=True)
        for first, parts in zip(range(0, self.n_nodes, most), pairs, strict=True):
            yield BothLevel(parts, self.class_weights[:, first : first + most])


class SummedTable:
    """Two tables of different records, of which nothing is asked but sums."""

    has_negative = has_missing = False

    def __init__(self, *tables):
        self.tables, self.attributes, self.classes = tables, tables[0].attributes, tables[0].classes

    def root(self):
        roots = tuple(table.root() for table in self.tables)
        return BothLevel(roots, sum(root.class_weights for root in roots))

    def histograms(self, level):
        return sum(table.histograms(part) for table, part in zip(self.tables, level.parts, strict=True))

    def descend(self, level, splits):
        pairs = zip(self.tables, level.parts, strict=True)
        return BothLevel(tuple(table.descend(part, splits) for table, part in pairs), splits.class_weights)


def halves_of(table, rows):
    """The records of the mask and the others, as two tables."""
    weights = [None, None] if table.weights is None else [table.weights[rows], table.weights[~rows]]
    return [
        replace(table, codes=table.codes[:, own], class_codes=table.class_codes[own], weights=weight)
        for own, weight in zip((rows, ~rows), weights, strict=True)
    ]


def pooled(seed, rows=400):
    rng = np.random.default_rng(seed)
    attributes = [Attribute.numeric("a", np.arange(9) + 0.5), AGE, Attribute.categorical("c", list("uvwxyz"))]
    codes = [rng.integers(0, attribute.n_values, rows) for attribute in attributes]
    classes = (codes[0] + codes[1] + codes[2] % 3 + rng.integers(0, 5, rows) > 8).astype(int)
    return EstimatedTable(attributes, ["A", "B"], codes, classes)


@given(seed=seeds, criterion=st.sampled_from(["gini", "gain"]), nominal=st.sampled_from(["binary", "multiway"]))
def test_two_parties_who_sum_their_histograms_grow_the_tree_of_the_pool(seed, criterion, nominal):
    table = pooled(seed)
    parties = SummedTable(*halves_of(table, np.random.default_rng(seed).random(400) < 0.3))
    assert (
        grow(parties, criterion, nominal=nominal).to_json() == grow(table, criterion, nominal=nominal).to_json()
    )


def test_a_party_whose_records_reach_some_nodes_only_changes_nothing():
    table = pooled(1)
    parties = SummedTable(*halves_of(table, table.codes[0] == 0))
    assert grow(parties).to_json() == grow(table).to_json()


class Recorder:
    """A table that another tree grows from in the middle of every answer."""

    def __init__(self, table):
        self.table, self.inside = table, []

    def __getattr__(self, name):
        return getattr(self.table, name)

    def histograms(self, level):
        self.inside.append(grow(self.table, "gain", Stop(max_depth=3)).to_json())
        return self.table.histograms(level)


def test_one_table_serves_several_trees_at_once():
    table = pooled(2)
    alone, other = grow(table).to_json(), grow(table, "gain", Stop(max_depth=3)).to_json()
    recorder = Recorder(table)
    assert grow(recorder).to_json() == alone
    assert len(recorder.inside) > 3
    assert set(recorder.inside) == {other}


def test_a_row_without_a_code_goes_to_all_children_in_their_shares():
    # Of a, one A has no value. Six values are known: 0 0 0 0 1 1, so that 4/6 of the record go to the left.
    attributes = [Attribute.numeric("a", [0.5]), Attribute.numeric("b", [0.5])]
    codes = [[0, 0, 0, 0, 1, 1, 2], [0, 0, 0, 1, 1, 1, 1]]
    table = EstimatedTable(attributes, ["A", "B"], codes, [0, 0, 0, 1, 1, 1, 0])
    assert table.has_missing
    assert table.histograms(table.root()).tolist() == [[[3, 0, 3, 1]], [[1, 2, 0, 3]]]
    tree = grow(table, "gain", Stop(min_records=0, min_leaf=0.5))
    # The gain of a is 6/7 of that in the six records: .459 × 6/7 = .394. That of b, which is known of all, is .522.
    assert tree.attribute[0] == 1
    np.testing.assert_allclose(tree.counts[1:3], [[3, 0], [1, 3]])
    # On the right a is 0 1 1 for the B's, and missing for the A: a test of it would gain nothing.
    assert tree.depth == 1
    first = grow(replace(table, codes=[codes[0], np.zeros(7, int)]), "gain", Stop(min_records=0, min_leaf=0.5))
    np.testing.assert_allclose(first.counts, [[4, 3], [3 + 4 / 6, 1], [2 / 6, 2]])


def test_shares_multiply_on_the_way_down():
    """Two values of one record are missing: it ends in all four leaves, with the product of the shares."""
    attributes = [Attribute.numeric("a", [0.5]), Attribute.numeric("b", [0.5])]
    cells = {(0, 0): 8, (0, 1): 2, (1, 0): 4, (1, 1): 2}
    rows = [(a, b, (a + b) % 2) for (a, b), number in cells.items() for _ in range(number)] + [(2, 2, 0)]
    *codes, classes = np.transpose(rows)
    tree = grow(EstimatedTable(attributes, ["A", "B"], codes, classes), "gain", Stop(min_gain=0, min_leaf=0.1))
    assert tree.attribute.tolist() == [0, 1, 1, -1, -1, -1, -1]
    share = np.array([10 / 16 * 8 / 10, 10 / 16 * 2 / 10, 6 / 16 * 4 / 6, 6 / 16 * 2 / 6])
    np.testing.assert_allclose(
        tree.counts[3:], [[8 + share[0], 0], [share[1], 2], [share[2], 4], [2 + share[3], 0]]
    )
    np.testing.assert_allclose(tree.counts[3:].sum(axis=0), tree.counts[0])
