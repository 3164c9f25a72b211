"""C4.5 against Weka's J48, node by node, and against a plain implementation of the same rules on random tables."""

import tracemalloc
from functools import cache

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from quinlan import C45, J48, frame_of, preorder_of
from sklearn.utils.estimator_checks import parametrize_with_checks

from ppdm.data import load, quest
from ppdm.disguise import KeepOrReplace
from ppdm.measure import accuracy_from_disguised
from ppdm.tables import EstimatedTable
from ppdm.trees import C45Classifier, GiniTreeClassifier, Tree
from ppdm.trees.c45 import Growing, _coded

seeds = st.integers(0, 2**32 - 1)


@pytest.mark.filterwarnings("ignore:invalid value encountered in cast:RuntimeWarning:sklearn")
@parametrize_with_checks([C45Classifier(), C45Classifier(prune=False)])
def test_scikit_learns_conventions_hold(estimator, check):
    check(estimator)


def grown(X, classes, kinds, confidence=0.25, min_leaf=2):
    """The tree of a table whose classes are 0, 1, … below their number, whether records show all or not."""
    attributes, values, codes = zip(*(_coded(*item) for item in X.items()), strict=True)
    table = EstimatedTable(attributes, list(range(kinds)), codes, np.asarray(classes), np.ones(len(classes)))
    return Growing(table, values, min_leaf).grow(confidence)


def assert_same(found, expected):
    """Two lists of nodes are the same: kinds, attributes, thresholds, children; weights to 1e-4."""
    assert [node[:1] + node[1:4] * (node[0] == "N") for node in found] == [
        node[:1] + node[1:4] * (node[0] == "N") for node in expected
    ]
    for own, other in zip(found, expected, strict=True):
        start = 4 if own[0] == "N" else 1
        assert own[start:] == pytest.approx(other[start:], abs=1e-4)


def table_of(entry):
    """One of the small tables: columns, their numbers of categories, classes and the number of classes."""
    columns = [column["values"] for column in entry["columns"]]
    categories = [column.get("categories") for column in entry["columns"]]
    return columns, categories, entry["classes"], entry["k"]


@pytest.mark.parametrize("place", range(len(J48["small"])))
def test_small_tables_give_j48s_trees(place):
    entry = J48["small"][place]
    columns, categories, classes, kinds = table_of(entry)
    X = frame_of(columns, categories)
    tree = grown(X, classes, kinds)
    assert_same(preorder_of(tree), entry["preorder"])
    assert tree.predict_proba(X)[:, 0] == pytest.approx(entry["p_first"], abs=1e-6)
    # So does the plain implementation, to which random tables are compared below.
    plain = C45(columns, categories, classes, kinds)
    assert_same(plain.preorder(), entry["preorder"])
    assert [plain.shares(row)[0] for row in range(len(X))] == pytest.approx(entry["p_first"], abs=1e-6)


def test_pima_gives_j48s_tree():
    table, entry = load("pima"), J48["sets"]["pima"]
    tree = C45Classifier().fit(table.X, table.y).tree_
    names = list(table.X)
    expected = [
        ["N", names.index(node["attribute"]), node["at_most"], 2, *node["weights"]]
        if "attribute" in node
        else ["L", *node["weights"]]
        for node in entry["preorder"]
    ]
    assert_same(preorder_of(tree), expected)
    assert tree.predict_proba(table.X)[:, 0] == pytest.approx(entry["p_first"], abs=1e-6)
    assert (tree.predict(table.X) == table.y).sum() == entry["train_correct"]


@cache
def adult():
    """The first 15,000 of Adult. J48 has each text nominal, so education loses its order."""
    table = load("adult")
    X = table.X.assign(education=table.X["education"].cat.as_unordered())
    return X[:15_000], table.y[:15_000]


def boston(*without):
    table = load("boston")
    return table.X.drop(columns=list(without)), np.where(table.y >= 28.6, "top", "bottom")


def first(table, rows):
    return table[0][:rows], table[1][:rows]


# Leaves, nodes and records that it classifies well, of J48's trees.
SETS = {
    "wbc": (lambda: (load("wbc").X, load("wbc").y), 14, 27, 686),
    "votes": (lambda: (load("votes").X, load("votes").y), 6, 11, 423),
    "boston": (boston, 19, 37, 503),
    "boston of 11": (lambda: boston("CHAS", "B"), 18, 35, 501),
    "adult": (lambda: first(adult(), 10_000), 282, 357, 8_753),
}


@pytest.mark.parametrize("name", SETS)
def test_known_tables_give_j48s_leaves_and_errors(name):
    make, leaves, nodes, right = SETS[name]
    X, y = make()
    model = C45Classifier().fit(X, y)
    assert (len(model.tree_.leaves()), len(model.tree_.attribute)) == (leaves, nodes)
    assert (model.predict(X) == np.asarray(y)).sum() == right


@pytest.mark.parametrize(
    ("name", "rows", "right", "of"),
    [("wbc", 350, 334, 349), ("votes", 290, 135, 145), ("adult", 10_000, 4_235, 5_000)],
)
def test_unseen_records_are_classified_as_j48_does(name, rows, right, of):
    X, y = adult() if name == "adult" else (load(name).X, load(name).y)
    model = C45Classifier().fit(X[:rows], y[:rows])
    assert len(X[rows:]) == of
    assert (model.predict(X[rows:]) == np.asarray(y[rows:])).sum() == right


def random_table(seed, rows=None):
    """Columns of both kinds with ties and missing values, and classes that lean on some of them."""
    rng = np.random.default_rng(seed)
    n, kinds = int(rng.integers(4, 120)) if rows is None else rows, int(rng.integers(2, 6))
    columns, categories, score = [], [], rng.normal(size=n) * rng.choice([0.1, 0.5, 2])
    for _ in range(rng.integers(1, 5)):
        if rng.random() < 0.4:
            number = int(rng.integers(2, 9))
            values = rng.integers(0, number - rng.integers(0, 2), n)
            score += rng.normal(size=number)[values] * rng.integers(0, 2)
        else:
            number = None
            values = np.round(rng.normal(size=n) * rng.choice([1, 5]), int(rng.integers(0, 3)))
            score += rng.normal() * values * rng.integers(0, 2)
        missing = rng.random(n) < rng.choice([0, 0.1, 0.4])
        columns.append([None if gone else one for one, gone in zip(values.tolist(), missing, strict=True)])
        categories.append(number)
    classes = np.digitize(score, np.quantile(score, np.sort(rng.random(kinds - 1)))).tolist()
    return columns, categories, classes, kinds


@settings(max_examples=60)
@given(
    seed=seeds, confidence=st.sampled_from([0.25, 0.25, 0.05, 0.5, None]), min_leaf=st.sampled_from([2, 2, 1, 5])
)
def test_random_tables_give_the_trees_of_the_plain_rules(seed, confidence, min_leaf):
    columns, categories, classes, kinds = random_table(seed)
    X = frame_of(columns, categories)
    tree = grown(X, classes, kinds, confidence, min_leaf)
    plain = C45(columns, categories, classes, kinds, confidence, min_leaf)
    assert_same(preorder_of(tree), plain.preorder())
    shares = np.array([plain.shares(row) for row in range(len(X))])
    assert tree.predict_proba(X) == pytest.approx(shares, abs=1e-9)


@given(seed=seeds)
def test_the_order_of_records_changes_nothing(seed):
    columns, categories, classes, _ = random_table(seed)
    X, y = frame_of(columns, categories), np.array(classes)
    order = np.random.default_rng(seed).permutation(len(y))
    if len(set(classes)) > 1:
        trees = [C45Classifier().fit(X.iloc[rows], y[rows]).tree_ for rows in (np.arange(len(y)), order)]
        assert_same(*map(preorder_of, trees))


@given(seed=seeds, power=st.integers(-3, 20))
def test_larger_units_move_the_thresholds_alone(seed, power):
    """Powers of 2, without rounding; numbers of two digits at most, so that none come closer than 1e-5."""
    columns, categories, classes, kinds = random_table(seed)
    X = frame_of(columns, categories)
    numbers = [name for name, number in zip(X, categories, strict=True) if number is None]
    one, other = (
        preorder_of(grown(X.assign(**{n: X[n] * by for n in numbers}), classes, kinds)) for by in (1, 2.0**power)
    )
    scaled = [
        [*node[:2], node[2] and node[2] * 2.0**power, *node[3:]] if node[0] == "N" else node for node in one
    ]
    assert_same(other, scaled)


def test_neighbours_closer_than_a_hundred_thousandth_are_one_value():
    y = np.arange(40) >= 20
    assert C45Classifier().fit(np.arange(40)[:, None] * 1e-4, y).tree_.depth == 1
    assert C45Classifier().fit(np.arange(40)[:, None] * 1e-6, y).tree_.depth == 0


def steps(n=2_000):
    """A number with three ranges, an order with two, text with two, of which one decides in the middle range."""
    rng = np.random.default_rng(5)
    X = pd.DataFrame(
        {
            "age": rng.integers(20, 80, n),
            "degree": pd.Categorical(rng.choice(["low", "mid", "high"], n), ["low", "mid", "high"], ordered=True),
            "town": rng.choice(["Ayr", "Bern"], n),
            "member": rng.random(n) < 0.5,
        }
    )
    middle = (X["age"] > 40) & (X["age"] <= 60)
    return X, np.where(middle & (X["degree"] >= "mid"), "yes", "no")


def test_thresholds_are_values_of_the_training_set_and_rules_say_at_most():
    X, y = steps()
    model = C45Classifier().fit(X, y)
    tree = model.tree_
    assert (model.predict(X) == y).all()
    cut = tree.kinds == "numeric"
    assert set(tree.threshold[cut]) <= set(X["age"])
    low, high = sorted(tree.threshold[cut])
    # The middle between two classes is no value; the largest value below it is.
    assert (low, high) == (40, 60)
    conditions = ["age ≤ 40", "40 < age ≤ 60 and degree = low", "40 < age ≤ 60 and degree ≥ mid", "age > 60"]
    assert list(tree.conditions().values()) == conditions
    # Where tests meet, the threshold itself belongs to the first child, the next float to the second.
    probe = X.iloc[[0, 0]].assign(age=[low, np.nextafter(low, 99)], degree=pd.Categorical(["high"] * 2))
    assert model.predict(probe).tolist() == ["no", "yes"]
    index = list(X).index("age")
    held = tree.leaf_holds(index, np.array([low, np.nextafter(low, 99)]))
    assert (held[:, 0] != held[:, 1]).any()


def test_an_order_is_cut_and_the_same_without_order_has_a_child_each():
    X, _ = steps()
    assert C45Classifier().fit(X[["degree"]], X["degree"] == "low").tree_.n_children[0] == 2
    loose = X["degree"].cat.as_unordered().cat.add_categories("none")
    tree = C45Classifier().fit(X.assign(degree=loose)[["degree"]], X["degree"] == "low").tree_
    assert tree.n_children[0] == 4
    # A category without records has a leaf without records, which predicts as its parent does.
    assert tree.counts[4].tolist() == [0, 0]
    assert tree.shares[4] == pytest.approx(tree.shares[0])


def test_a_tree_is_read_as_it_was_written():
    table = load("votes")
    tree = C45Classifier().fit(table.X, table.y).tree_
    for own in (tree, C45Classifier().fit(*steps()).tree_):
        again = Tree.from_json(own.to_json())
        assert again.c45
        assert again.to_json() == own.to_json()
        assert again.rules() == own.rules()
    assert (Tree.from_json(tree.to_json()).predict_proba(table.X) == tree.predict_proba(table.X)).all()
    assert '"c45"' not in GiniTreeClassifier().fit(*steps()).tree_.to_json()


@pytest.mark.parametrize("value", ["false", "1", "null", '"yes"', "[true]"])
def test_another_mark_of_c45_is_refused(value):
    text = C45Classifier().fit(*steps()).tree_.to_json()
    with pytest.raises(ValueError, match=r"the text is no sound tree: c45 is .*; expected one of True"):
        Tree.from_json(text.replace('"c45": true', f'"c45": {value}'))


MISSING = pd.DataFrame(
    {"age": [np.nan, 50, np.nan], "degree": ["high", None, np.nan], "town": None, "member": pd.NA}
)


def test_missing_values_are_divided_by_the_weights_of_the_children():
    X, y = steps()
    model = C45Classifier().fit(X, y)
    tree = model.tree_
    index = list(X).index
    shares = []
    for row in range(len(MISSING)):
        # By hand: the weight of each node, from the root down.
        part = np.zeros(len(tree.attribute))
        part[0] = 1
        for node in np.flatnonzero(tree.attribute >= 0):
            children = list(tree.children(node))
            share = tree.counts[children].sum(axis=1) / tree.counts[node].sum()
            name = tree.attributes[tree.attribute[node]].name
            value = MISSING[name][row]
            if not pd.isna(value):
                place = value if name == "age" else list(X["degree"].cat.categories).index(value) + 0.5
                share = np.eye(2)[int(place > tree.threshold[node])]
            part[children] = part[node] * share
        leaves = tree.leaves()
        shares.append(part[leaves] @ tree.shares[leaves])
        assert model.apply(MISSING.iloc[[row]])[0] == leaves[part[leaves].argmax()]
    assert index("age") == 0
    assert model.predict_proba(MISSING) == pytest.approx(np.array(shares))
    assert model.predict(MISSING).tolist() == model.classes_[np.argmax(shares, axis=1)].tolist()
    whole = pd.concat([X, MISSING])
    assert model.predict(whole)[: len(X)].tolist() == model.predict(X).tolist()


@pytest.mark.parametrize("kind", ["Int64", "Float64", "float32", "boolean", "string", "category", object])
def test_missing_values_of_any_dtype_are_taken(kind):
    plain = [None if place % 7 == 0 else place % 2 for place in range(60)]
    text = kind in ("string", "category", object)
    values = pd.Series([one if one is None or not text else f"v{one}" for one in plain], dtype=kind)
    X, y = pd.DataFrame({"a": values}), np.arange(60) % 2
    model = C45Classifier().fit(X, y)
    assert model.tree_.depth == 1
    known = values.notna().to_numpy()
    assert (model.predict(X)[known] == y[known]).all()
    # A record of which nothing is known gets the shares of the root, whatever the dtype of the frame.
    assert model.predict_proba(pd.DataFrame({"a": [None]})) == pytest.approx(model.tree_.shares[:1])
    assert C45Classifier().fit(X.assign(b=np.nan), y).tree_.to_json() != model.tree_.to_json()


def test_a_category_that_nobody_had_goes_the_way_of_most_records():
    X, y = steps()
    loose = X.assign(degree=X["degree"].astype(str))[["degree"]]
    model = C45Classifier(prune=False).fit(loose, X["degree"].isin(["low", "high"]) & (y == "no"))
    heaviest = model.tree_.counts[model.tree_.children(0)].sum(axis=1).argmax() + 1
    assert model.apply(pd.DataFrame({"degree": ["none", None]}))[0] == heaviest


def test_accuracy_is_estimated_with_thresholds_that_belong_below():
    """What is not disguised at all has the accuracy that is counted, though half the ages stand at a threshold."""
    X, y = steps()
    tree = C45Classifier().fit(X, y).tree_
    test = X.assign(age=X["age"].where(np.arange(len(X)) % 2 == 0, 40))
    whole = KeepOrReplace(keep=1, categories=["low", "mid", "high"])
    found = accuracy_from_disguised(tree, test, y, {"degree": whole})
    assert found.accuracy == pytest.approx(np.mean(tree.predict(test) == y))


def test_trees_that_were_grown_otherwise_refuse_missing_values():
    X, y = steps()
    model = GiniTreeClassifier(prune=None).fit(X, y)
    with pytest.raises(ValueError, match=r"column 'age' has 2 missing \(NaN\), first in row 0; expected none"):
        model.predict(MISSING)
    with pytest.raises(ValueError, match=r"column 'age' has 2 missing \(NaN\), first in row 0; expected none"):
        model.tree_.predict(MISSING)


@pytest.mark.parametrize("place", ["fit", "predict"])
def test_infinite_numbers_are_refused_by_the_columns_name(place):
    X, y = steps()
    model, bad = C45Classifier().fit(X, y), X.astype({"age": float})
    bad.loc[[3, 4], "age"] = [np.nan, np.inf]
    with pytest.raises(
        ValueError, match="column 'age' has 1 of 2000 missing or infinite values \\(first at position 4"
    ):
        model.fit(bad, y) if place == "fit" else model.predict(bad)


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"confidence": 0}, ValueError, r"confidence is 0; expected a number in \(0, 0.5\]"),
        ({"confidence": 0.6}, ValueError, "confidence is 0.6"),
        ({"min_leaf": 0.5}, ValueError, r"min_leaf is 0.5; expected a number in \[1, inf\)"),
        ({"min_leaf": "2"}, TypeError, "min_leaf is '2'"),
        ({"prune": "no"}, ValueError, "prune is 'no'; expected one of True, False"),
    ],
)
def test_bad_parameters_are_refused(parameters, error, message):
    with pytest.raises(error, match=message):
        C45Classifier(**parameters).fit(*steps())


def test_less_confidence_prunes_more():
    X, y = load("pima").X, load("pima").y
    fitted = [C45Classifier(**own).fit(X, y).tree_ for own in ({"prune": False}, {}, {"confidence": 0.01})]
    sizes = [len(tree.attribute) for tree in fitted]
    assert sizes == sorted(sizes, reverse=True)
    assert len(set(sizes)) == 3
    assert (C45Classifier(min_leaf=30).fit(X, y).tree_.counts.sum(axis=1) >= 25).all()


def test_a_long_list_of_decisions_stays():
    """Sixty classes, each told by a column of its own: a tree of as many levels, none of which can go."""
    classes = np.repeat(np.arange(60), 3)
    tree = C45Classifier().fit((classes[:, None] == np.arange(59)).astype(float), classes).tree_
    assert len(tree.leaves()) == 60


@pytest.mark.parametrize("kind", ["numbers", "texts with missing"])
def test_a_fit_takes_the_memory_of_a_few_tables(kind):
    X, y = quest(20_000, function=4, rng=1)
    X = X.astype(float) + np.random.default_rng(1).normal(size=X.shape)
    if kind != "numbers":
        X = X.assign(
            elevel=X["elevel"].round().astype(str).where(X["age"] > 30), salary=X["salary"].where(X["age"] > 30)
        )
    tracemalloc.start()
    try:
        C45Classifier().fit(X, y)
        assert tracemalloc.get_traced_memory()[1] < 8 * 8 * X.size
    finally:
        tracemalloc.stop()


def test_a_record_with_missing_values_holds_one_path_and_not_all_children():
    """With a list of all children and their records at once this takes a thousand times the records."""
    categories, copies = 1000, 4
    names = pd.Series(np.repeat(np.arange(categories), copies).astype(str))
    y = np.repeat(np.arange(categories) % 2, copies)
    model = C45Classifier(prune=False).fit(pd.DataFrame({"name": names}), y)
    assert len(model.tree_.leaves()) == categories
    unknown = pd.DataFrame({"name": pd.Series([None] * 4000, dtype="str")})
    tracemalloc.start()
    try:
        assert model.predict_proba(unknown) == pytest.approx(np.full((4000, 2), 0.5))
        assert tracemalloc.get_traced_memory()[1] < 100 * 8 * len(unknown)
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("dtype", ["str", "object", "boolean", "category", "float", "Int64"])
def test_a_column_that_nobody_knows_is_never_tested(dtype):
    X = pd.DataFrame({"empty": pd.Series([None] * 40, dtype=dtype), "told": np.arange(40.0)})
    y = np.arange(40) >= 20
    model = C45Classifier().fit(X, y)
    assert {test for test in model.tree_.attribute if test >= 0} == {1}
    assert (model.predict(X) == y).all()


def test_classes_as_good_as_equal_go_to_the_first_as_in_j48():
    # J48 takes a later class only if its share is larger by more than a millionth.
    y = np.repeat([0, 1], [600_000, 600_001])
    assert C45Classifier().fit(np.zeros((len(y), 1)), y).predict(np.zeros((1, 1))).tolist() == [0]
    y = np.repeat([0, 1], [1000, 1001])
    assert C45Classifier().fit(np.zeros((len(y), 1)), y).predict(np.zeros((1, 1))).tolist() == [1]


def test_however_small_the_confidence_it_prunes():
    X, y = load("pima").X, load("pima").y
    sizes = [len(C45Classifier(confidence=c).fit(X, y).tree_.attribute) for c in (1e-5, 1e-17, 1e-100, 1e-300)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] < 39


def test_rules_show_every_digit_that_divides_the_records():
    X = pd.DataFrame({"a": np.repeat([10000.5, 10000.75], 20), "b": 0.0})
    rules = str(C45Classifier().fit(X, np.repeat([0, 1], 20)).tree_.rules())
    assert "a ≤ 10,000.5 " in rules
    assert "a > 10,000.5 " in rules


def test_numbers_as_objects_are_refused_with_missing_values_and_without():
    X, y = load("pima").X, load("pima").y
    model = C45Classifier().fit(X, y)
    some = X.astype(object)
    for records in (some, some.mask(some.index.to_series() == 3)):
        with pytest.raises(TypeError, match="holds objects; expected numbers"):
            model.predict(records)
