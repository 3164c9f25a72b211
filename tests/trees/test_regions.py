"""A leaf's region holds exactly its records; a tree of scikit-learn decides as before, to the last bit."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier

from ppdm.data import load
from ppdm.trees import C45Classifier, GiniTreeClassifier, Stop, Tree, grow

seeds = st.integers(0, 2**32 - 1)
kinds = st.lists(st.sampled_from(["numeric", "ordered", "nominal"]), min_size=1, max_size=4).map(tuple)


def holds(region, value):
    """Whether a region, an interval or a list, has a value; a missing one is anywhere."""
    return pd.isna(value) or value in region


def leaves_of(regions, record):
    """By brute force the leaves in whose regions all values of a record are."""
    return [
        leaf for leaf, region in regions.items() if all(holds(own, record[name]) for name, own in region.items())
    ]


@given(seed=seeds, kinds=kinds, nominal=st.sampled_from(["binary", "multiway"]))
def test_a_record_is_in_the_region_of_its_leaf_and_in_no_other(seed, kinds, nominal, random_table, frame_of):
    table = random_table(seed, kinds=kinds)
    tree, frame = grow(table, "gini", Stop(min_gain=0), nominal), frame_of(table)
    regions = tree.regions()
    assert sorted(regions) == tree.leaves().tolist()
    assert list(regions) == list(tree.conditions())  # from left to right
    for leaf, record in zip(tree.apply(frame), frame.to_dict("records"), strict=True):
        assert leaves_of(regions, record) == [leaf]
    for leaf, region in regions.items():
        assert list(region) == tree.path_attributes(leaf)


def mixed_table(seed, n=120):
    """Numbers, nominal and ordered categories, a tenth of them missing."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "n": rng.integers(0, 8, n).astype(float),
            "m": np.round(rng.normal(size=n), 1),
            "c": pd.Categorical(rng.choice(list("uvwx"), n)),
            "o": pd.Categorical(rng.choice([3, 1, 2], n), categories=[3, 1, 2], ordered=True),
        }
    )
    lean = X["n"] + 3 * X["c"].isin(["u", "w"]) + 2 * X["o"].cat.codes + rng.normal(size=n)
    y = np.where(lean > lean.median(), "p", "q")
    return X.mask(rng.random(X.shape) < 0.1), y


@settings(max_examples=40)
@given(seed=seeds)
def test_regions_of_c45s_trees_know_missing_values(seed):
    X, y = mixed_table(seed)
    tree = C45Classifier(prune=False).fit(X, y).tree_
    regions = tree.regions()
    complete = X.notna().all(axis=1).to_numpy()
    for leaf, own, record in zip(tree.apply(X), complete, X.to_dict("records"), strict=True):
        found = leaves_of(regions, record)
        assert leaf in found
        assert not own or found == [leaf]


def test_intervals_say_which_end_belongs_to_them():
    X = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0] * 5})
    y = np.where(X["x"].between(2, 3), "p", "q")
    c45 = C45Classifier(prune=False).fit(X, y).tree_.regions()
    gini = GiniTreeClassifier(prune=None).fit(X, y).tree_.regions()
    assert {own["x"].closed for own in c45.values()} == {"right"}
    assert {own["x"].closed for own in gini.values()} == {"left"}
    # C4.5 cuts at values of records.
    assert [own["x"] for own in c45.values()] == [
        pd.Interval(-math.inf, 1.0),
        pd.Interval(1.0, 3.0),
        pd.Interval(3.0, math.inf),
    ]
    assert [2.0 in own["x"] for own in c45.values()] == [2.0 in own["x"] for own in gini.values()]
    assert sum(2.0 in own["x"] for own in gini.values()) == 1


def test_orders_and_names_are_lists_in_their_order(leaf_of):
    X = pd.DataFrame({"o": pd.Categorical([3, 1, 2] * 20, categories=[3, 1, 2], ordered=True)})
    tree = C45Classifier().fit(X, np.where(X["o"] == 2, "p", "q")).tree_
    assert tree.regions() == {1: {"o": [3, 1]}, 2: {"o": [2]}}
    names = X.astype(int).astype(str)
    tree = C45Classifier().fit(names, np.where(X["o"] == 2, "p", "q")).tree_
    assert tree.regions() == {1: {"o": ["1"]}, 2: {"o": ["2"]}, 3: {"o": ["3"]}}
    assert leaf_of(1, 2).regions() == {0: {}}


@given(seed=seeds, kinds=kinds, nominal=st.sampled_from(["binary", "multiway"]))
def test_a_leaf_holds_what_its_region_holds(seed, kinds, nominal, random_table):
    tree = grow(random_table(seed, kinds=kinds), "gini", Stop(min_gain=0), nominal)
    regions = tree.regions()
    for place, attribute in enumerate(tree.attributes):
        numeric = attribute.kind == "numeric"
        values = np.arange(-1, 6, 0.25) if numeric else np.arange(attribute.n_values)
        told = values if numeric else np.array(attribute.categories, dtype=object)
        found = tree.leaf_holds(place, values)
        assert found.shape == (len(tree.leaves()), len(values))
        for row, leaf in zip(found, tree.leaves(), strict=True):
            region = regions[leaf].get(attribute.name)
            expected = [region is None or value in region for value in told]
            assert row.tolist() == expected


@pytest.mark.parametrize("name", ["wbc", "pima", "votes"])
def test_known_tables_are_divided_by_regions(name):
    table = load(name)
    tree = C45Classifier().fit(table.X, table.y).tree_
    regions = tree.regions()
    some = table.X.sample(150, random_state=1)
    for leaf, record in zip(tree.apply(some), some.to_dict("records"), strict=True):
        assert leaf in leaves_of(regions, record)


# ---- trees of scikit-learn


def same_decisions(model, tree, X):
    """Both trees have the same leaves, with the same shares and classes, and send the same records there."""
    array = np.asarray(X, float)
    theirs, ours = model.apply(X), tree.apply(array)
    both = pd.crosstab(theirs, ours).to_numpy() > 0
    assert (both.sum(axis=0) == 1).all()
    assert (both.sum(axis=1) == 1).all()
    assert tree.predict_proba(array) == pytest.approx(model.predict_proba(X), abs=1e-12)
    assert tree.predict(array).tolist() == model.predict(X).tolist()
    assert len(tree.leaves()) == model.get_n_leaves()
    assert tree.depth == model.get_depth()


def near_thresholds(model):
    """Records with values around each threshold: neighbours among floats of 32 and of 64 bits, and where these turn."""
    tree = model.tree_
    rows = [np.zeros(model.n_features_in_)]
    for feature, cut in zip(tree.feature, tree.threshold, strict=True):
        if feature < 0:
            continue
        near = [np.float32(cut)]
        for way in (-np.inf, np.inf):
            near.append(np.nextafter(np.float32(cut), np.float32(way)))
            near.append(np.nextafter(near[-1], np.float32(way)))
        values = sorted(map(float, near))
        values += [(a + b) / 2 for a, b in itertools.pairwise(values)]
        values += [np.nextafter(value, way) for value in values for way in (-np.inf, np.inf)]
        values += [cut, np.nextafter(cut, -np.inf), np.nextafter(cut, np.inf)]
        for value in values:
            rows.append(rows[0].copy())
            rows[-1][feature] = value
    return np.array(rows)


@settings(max_examples=60)
@given(
    seed=seeds,
    classes=st.integers(1, 4),
    scale=st.sampled_from([1e-40, 1e-7, 0.1, 1.0, 16_777_217.0, 1e30]),
    kind=st.sampled_from([DecisionTreeClassifier, ExtraTreeClassifier]),
    rounded=st.booleans(),
)
def test_it_decides_as_scikit_learns_does_to_the_last_bit(seed, classes, scale, kind, rounded):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 3)) * scale
    if rounded:
        X = np.round(X / scale) * scale
    y = np.minimum((np.abs(X[:, 0] + X[:, 1]) / scale).astype(int), classes - 1)
    y[rng.random(60) < 0.2] = 0
    model = kind(random_state=0, max_depth=5).fit(X, y)
    same_decisions(
        model, Tree.of(model), np.vstack([X, near_thresholds(model), rng.normal(size=(99, 3)) * scale])
    )


def test_labels_weights_and_names_come_along():
    X, y = mixed_table(1)
    X = X[["n", "m"]].fillna(0)
    weights = np.random.default_rng(1).random(len(X))
    for labels in (y, np.where(y == "p", 7, 3), y == "p", pd.Series(y, dtype="category")):
        model = DecisionTreeClassifier(max_depth=4, class_weight="balanced").fit(X, labels, sample_weight=weights)
        tree = Tree.of(model)
        assert tree.predict(X).tolist() == model.predict(X).tolist()
        assert tree.predict_proba(X) == pytest.approx(model.predict_proba(X))
        assert tree.classes.dtype == model.classes_.dtype
        assert tree.counts.sum() > 0
        # The order of the columns does not matter, nor do others.
        assert (tree.apply(X[["m", "n"]].assign(more="text")) == tree.apply(X)).all()
        assert Tree.from_json(tree.to_json()).predict(X).tolist() == model.predict(X).tolist()
        assert [test.name for test in tree.attributes] == ["n", "m"]
    array = DecisionTreeClassifier(max_depth=2).fit(X.to_numpy(), y)
    assert [test.name for test in Tree.of(array).attributes] == [0, 1]
    assert [test.name for test in Tree.of(array, columns=X.columns).attributes] == ["n", "m"]
    assert (Tree.of(array, columns=X.columns).apply(X) == Tree.of(array).apply(X.to_numpy())).all()
    # A table that was fitted with names keeps these.
    assert [test.name for test in Tree.of(model, columns=["u", "v"]).attributes] == ["n", "m"]


def test_counts_are_those_of_the_records():
    X, y = mixed_table(2)
    X = X[["n", "m"]].fillna(0)
    tree = Tree.of(DecisionTreeClassifier(max_depth=3).fit(X, y))
    leaf = tree.apply(X)
    for node in tree.leaves():
        assert tree.counts[node] == pytest.approx([(y[leaf == node] == one).sum() for one in tree.classes])
    assert tree.counts[0].sum() == pytest.approx(len(X))


def test_a_single_leaf_of_scikit_learn():
    model = DecisionTreeClassifier().fit([[1], [2]], ["p", "p"])
    tree = Tree.of(model)
    assert tree.rules() == "always   p  2 records, 100.0 %"
    assert tree.regions() == {0: {}}
    assert tree.predict([[5]]).tolist() == ["p"]


def test_trees_of_ours_come_back_as_they_are():
    X, y = mixed_table(3)
    model = C45Classifier().fit(X, y)
    assert Tree.of(model) is model.tree_
    assert Tree.of(model.tree_) is model.tree_


def test_missing_values_are_refused():
    model = DecisionTreeClassifier().fit([[1.0], [np.nan], [3.0]], ["p", "q", "q"])
    with pytest.raises(ValueError, match=r"column 'x' has 1 missing \(NaN\), first in row 1"):
        Tree.of(model, columns=["x"]).apply(pd.DataFrame({"x": [1, np.nan]}))


X2 = np.arange(8.0).reshape(4, 2)
WRONG = {
    "unfitted": (lambda: DecisionTreeClassifier(), NotFittedError, "not fitted"),
    "unfitted, of ours": (
        lambda: C45Classifier(),
        TypeError,
        "model is a C45Classifier; expected a Tree, a fitted",
    ),
    "a number's": (
        lambda: DecisionTreeRegressor().fit(X2, [1, 2, 3, 4]),
        TypeError,
        "model is a DecisionTreeRegr",
    ),
    "a forest": (lambda: RandomForestClassifier(2).fit(X2, [1, 2, 1, 2]), TypeError, "model is a RandomForestCl"),
    "several classes": (
        lambda: DecisionTreeClassifier().fit(X2, [[1, 1], [2, 1], [1, 2], [1, 1]]),
        ValueError,
        "model predicts 2 classes at once; expected one",
    ),
    "a class": (lambda: DecisionTreeClassifier, TypeError, "model is "),
    "nothing": (lambda: None, TypeError, "model is a NoneType; expected a Tree"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_what_is_no_tree_of_one_class_is_refused(wrong):
    make, error, told = WRONG[wrong]
    with pytest.raises(error, match=told):
        Tree.of(make())


@pytest.mark.parametrize("columns", ["ab", 5, ["a"], ["a", "a"], {"a", "b"}, ["a", None], []])
def test_wrong_names_are_refused(columns):
    model = DecisionTreeClassifier().fit(X2, [1, 2, 1, 2])
    with pytest.raises((TypeError, ValueError), match=r"^columns (is|has) .*; expected"):
        Tree.of(model, columns=columns)
