"""Accuracy from disguised records: exact where nothing is hidden, unbiased for categories, refused for noise."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppdm.disguise import Disguise, KeepOrReplace, RandomizedResponse, UniformNoise
from ppdm.measure import accuracy_from_disguised
from ppdm.trees import GiniTreeClassifier, Tree

TOWNS = ["Ayr", "Bern", "Cork", "Delft"]
LEVELS = pd.CategoricalDtype(["low", "mid", "high"], ordered=True)
AGES = {"low": 20, "high": 80}


def people(n, seed):
    """A number, whole numbers, an order and names, and three classes that depend on all of them."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "age": rng.uniform(20, 80, n),
            "cars": rng.integers(0, 6, n),
            "level": pd.Categorical.from_codes(rng.integers(0, 3, n), dtype=LEVELS),
            "town": rng.choice(TOWNS, n),
        }
    )
    score = X["age"] / 30 + X["cars"] + X["level"].cat.codes + 2 * (X["town"] < "Cork") + rng.normal(0, 1, n)
    return X, np.array(["A", "B", "C"])[np.digitize(score, [4.5, 7])]


def tree_of(X, y, **settings):
    return GiniTreeClassifier(**{"prune": None, "max_depth": 5, **settings}).fit(X, y)


def plain(model, X, y):
    """Accuracy, its binomial standard error, and recall, of true records."""
    hit = model.predict(X) == y
    return hit.mean(), hit.std() / len(y) ** 0.5, pd.Series(hit).groupby(np.asarray(y)).mean()


SILENT = {
    "no replacement": {"town": KeepOrReplace(keep=1, categories=TOWNS)},
    "numbers kept": {"cars": KeepOrReplace(keep=1, categories=range(6))},
    "all": {
        "cars": KeepOrReplace(keep=1, categories=range(6)),
        "level": KeepOrReplace(keep=1, categories=list(LEVELS.categories)),
        "town": KeepOrReplace(keep=1, categories=[*TOWNS, "Elsewhere"]),
    },
}


@pytest.mark.parametrize("nominal", ["binary", "multiway"])
@pytest.mark.parametrize("disguise", SILENT.values(), ids=SILENT)
def test_where_nothing_is_hidden_it_is_the_plain_accuracy(disguise, nominal):
    model = tree_of(*people(400, seed=1), nominal=nominal)
    X, y = people(300, seed=2)
    accuracy, error, recall = plain(model, X, y)
    found = accuracy_from_disguised(model, X, y, disguise)
    assert found.accuracy == pytest.approx(accuracy, abs=1e-9)
    assert found.standard_error == pytest.approx(error, rel=0.01)
    assert found.recall == pytest.approx(recall.to_dict(), abs=1e-9)
    assert found.records == 300


@given(st.integers(0, 10_000))
def test_any_tree_sends_categories_it_never_saw_where_predict_does(seed):
    model = tree_of(*people(60, seed))
    X, y = people(40, seed + 1)
    X["town"] = X["town"].replace("Ayr", "Elsewhere")
    found = accuracy_from_disguised(model, X, y, {"cars": KeepOrReplace(keep=1, categories=range(6))})
    assert found.accuracy == pytest.approx(model.score(X, y), abs=1e-9)


CATEGORIES = {
    "cars": KeepOrReplace(keep=0.5, categories=range(6)),
    "level": KeepOrReplace(keep=0.2, categories=list(LEVELS.categories)),
    "town": KeepOrReplace(keep=0.7, categories=[*TOWNS, "Elsewhere"]),
}


@pytest.mark.parametrize("row", range(5))
def test_of_categories_the_mean_over_all_that_may_be_seen_is_the_truth(row):
    model = tree_of(*people(300, seed=3))
    X, y = people(5, seed=4)
    true, label = X.iloc[[row, row]], y[[row, row]]  # twice, because one record has no error
    mean = 0.0
    for seen in itertools.product(*(channel.categories for channel in CATEGORIES.values())):
        pairs = zip(CATEGORIES.items(), seen, strict=True)
        odds = [np.exp(channel.log_likelihood([value], true[name])[0]) for (name, channel), value in pairs]
        released = true.assign(**dict(zip(CATEGORIES, seen, strict=True)))
        mean += np.prod(odds) * accuracy_from_disguised(model, released, label, CATEGORIES).accuracy
    assert mean == pytest.approx(float(model.predict(true)[0] == label[0]), abs=1e-9)


@pytest.mark.parametrize("unrelated", [None, 0.3, 0, 1])
def test_of_yes_and_no_the_mean_over_all_that_may_be_seen_is_the_truth(unrelated):
    question, true = RandomizedResponse(0.7, unrelated, ["no", "yes"]), pd.DataFrame({"x": ["no", "yes"]})
    model = tree_of(pd.DataFrame({"x": ["no", "yes"] * 50}), ["A", "B"] * 50)
    for row, label in itertools.product((0, 1), "AB"):
        means = [
            share
            * accuracy_from_disguised(
                model, pd.DataFrame({"x": [seen] * 2}), [label] * 2, {"x": question}
            ).accuracy
            for seen, share in zip(question.categories, question.matrix()[row], strict=True)
        ]
        assert sum(means) == pytest.approx(float(model.predict(true)[row] == label), abs=1e-9)


def test_of_categories_the_standard_error_is_the_spread_over_samples():
    X, y = people(2_000, seed=5)
    model = tree_of(X, y, max_depth=3)
    true = model.score(X, y)
    channels = {"town": CATEGORIES["town"], "level": KeepOrReplace(keep=0.8, categories=list(LEVELS.categories))}
    found = []
    for seed in range(300):  # drawn from X, so that its accuracy is that of all records like these
        sample = np.random.default_rng(seed).integers(0, len(X), 200)
        seen = Disguise(channels, random_state=seed).fit_transform(X.iloc[sample])
        found.append(accuracy_from_disguised(model, seen, y[sample], channels))
    accuracy, error = np.array([(each.accuracy, each.standard_error) for each in found]).T
    assert abs(accuracy.mean() - true) < 3 * accuracy.std() / 300**0.5
    assert accuracy.std() == pytest.approx(np.mean(error), rel=0.12)  # three times the error of 300 draws
    assert np.mean(np.abs(accuracy - true) < 2 * error) > 0.92


def test_trees_classifiers_and_disguises_are_taken_as_they_come():
    X, y = people(1_000, seed=13)
    model = tree_of(X[["town"]], y, max_depth=2)
    disguise = Disguise({"town": CATEGORIES["town"]}, random_state=1)
    seen = disguise.fit_transform(X)
    shipped = Tree.from_json(model.tree_.to_json())
    one = accuracy_from_disguised(model, seen, y, disguise)
    two = accuracy_from_disguised(shipped, seen[["town"]], y.tolist(), disguise.channels_)
    assert one == two


def test_a_tree_without_tests_predicts_one_class():
    X, y = people(100, seed=14)
    model = tree_of(X, y, min_records=1_000)
    found = accuracy_from_disguised(model, X, y, {"town": CATEGORIES["town"]})
    assert found.accuracy == pytest.approx(model.score(X, y))
    assert sorted(found.recall.values()) == [0, 0, 1]


def test_it_reads_as_a_sentence():
    X, y = people(100, seed=15)
    found = accuracy_from_disguised(tree_of(X, y), X, y, SILENT["no replacement"])
    assert repr(found).startswith("accuracy 0.")
    assert "± 0.0" in repr(found)
    assert repr(found).endswith("; 100 records)")


FRAME, CLASSES = people(50, seed=16)
MODEL = tree_of(FRAME, CLASSES)
OFF = UniformNoise(half_width=1, low=0, high=5, step=1)


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        (
            {"model": "a tree"},
            TypeError,
            "model is a str; expected a Tree, or a fitted classifier that has one",
        ),
        ({"model": GiniTreeClassifier()}, TypeError, "model is a GiniTreeClassifier; expected a Tree"),
        ({"X": FRAME.to_numpy()}, TypeError, "X is an? ndarray; expected a pandas DataFrame"),
        ({"X": FRAME.drop(columns="age")}, ValueError, "model names 'age', which the table does not have"),
        ({"X": FRAME.assign(age=np.nan)}, ValueError, r"column 'age' has 50 missing \(NaN\)"),
        ({"y": CLASSES[:9]}, ValueError, "y has 9 entries and X has 50"),
        (
            {"y": np.append(CLASSES[1:], "D")},
            ValueError,
            "y has 1 of 50 unknown classes .*; expected those of the model",
        ),
        ({"y": [None, *CLASSES[1:]]}, ValueError, "y has 1 of 50 missing values"),
        ({"disguise": None}, TypeError, "disguise is None; expected a dict of channels"),
        ({"X": FRAME[:1], "y": CLASSES[:1]}, ValueError, "X has one record; expected two or more"),
        ({"disguise": {}}, ValueError, "disguise is empty"),
        ({"disguise": 3}, TypeError, "disguise is an int; expected a dict of channels"),
        ({"disguise": OFF}, TypeError, "disguise is a UniformNoise; expected a dict of channels"),
        ({"disguise": {"cars": 0.5}}, TypeError, "a float; expected a channel"),
        ({"disguise": {"cart": OFF}}, ValueError, "disguise names 'cart', which is no column of X"),
        (
            {"disguise": {"town": OFF}},
            TypeError,
            "column 'town' was disguised by UniformNoise.* from noisy numbers no unbiased estimate is known",
        ),
        (
            {"disguise": {"town": KeepOrReplace(keep=0.5, categories=["Ayr", "Rome"])}},
            ValueError,
            "column 'town' has .* that are none of the categories",
        ),
        (
            {"disguise": {"town": KeepOrReplace(keep=0.25, categories=TOWNS)}},
            ValueError,
            "column 'town': the matrix of .* has the condition number",
        ),
    ],
)
def test_bad_arguments_are_refused(changes, error, message):
    good = {"model": MODEL, "X": FRAME, "y": CLASSES, "disguise": {"town": CATEGORIES["town"]}}
    with pytest.raises(error, match=message):
        accuracy_from_disguised(**{**good, **changes})
