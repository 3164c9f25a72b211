"""Accuracy from disguised records: exact where nothing is hidden, unbiased for categories, near the truth for noise."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppdm.data import quest
from ppdm.disguise import Disguise, GaussianNoise, Intervals, KeepOrReplace, RandomizedResponse, UniformNoise
from ppdm.measure import accuracy, accuracy_from_disguised
from ppdm.measure.accuracy import _share
from ppdm.studies.as00 import channels_at
from ppdm.trees import GiniTreeClassifier, Mdl, Tree

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
    "no noise": {"age": UniformNoise(half_width=0, **AGES), "cars": GaussianNoise(sd=0, low=0, high=5, step=1)},
    "no replacement": {"town": KeepOrReplace(keep=1, categories=TOWNS)},
    "numbers kept": {"cars": KeepOrReplace(keep=1, categories=range(6))},
    "all": {
        "age": GaussianNoise(sd=0, low=0, high=100),
        "cars": Intervals(edges=6, low=0, high=5, step=1),
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
    true, label = X.iloc[[row]], y[[row]]
    mean = 0.0
    for seen in itertools.product(*(channel.categories for channel in CATEGORIES.values())):
        pairs = zip(CATEGORIES.items(), seen, strict=True)
        odds = [np.exp(channel.log_likelihood([value], true[name])).item() for (name, channel), value in pairs]
        released = true.assign(**dict(zip(CATEGORIES, seen, strict=True)))
        mean += np.prod(odds) * accuracy_from_disguised(model, released, label, CATEGORIES).accuracy
    assert mean == pytest.approx(float(model.predict(true)[0] == label[0]), abs=1e-9)


@pytest.mark.parametrize("unrelated", [None, 0.3, 0, 1])
def test_of_yes_and_no_the_mean_over_all_that_may_be_seen_is_the_truth(unrelated):
    question, true = RandomizedResponse(0.7, unrelated, ["no", "yes"]), pd.DataFrame({"x": ["no", "yes"]})
    model = tree_of(pd.DataFrame({"x": ["no", "yes"] * 50}), ["A", "B"] * 50)
    for row, label in itertools.product((0, 1), "AB"):
        means = [
            share * accuracy_from_disguised(model, pd.DataFrame({"x": [seen]}), [label], {"x": question}).accuracy
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


def test_two_leaves_of_known_laws_have_the_textbook_estimate_and_variance():
    rng = np.random.default_rng(6)
    law = np.array([[0.7, 0.2, 0.1], [0.1, 0.3, 0.6]])
    n = np.bincount(rng.choice(3, 3_000, p=[0.6, 0.4] @ law), minlength=3)
    share, variance = _share(law[:, np.repeat(range(3), n)], np.array([0.5, 0.5]), np.array([True, False]))
    grid = np.linspace(0.5, 0.7, 20_001)
    seen = np.outer(grid, law[0]) + np.outer(1 - grid, law[1])
    best = (np.log(seen) @ n).argmax()
    assert share == pytest.approx(grid[best], abs=1e-4)
    assert variance == pytest.approx(1 / (n @ ((law[0] - law[1]) / seen[best]) ** 2), rel=1e-3)


# A noisy class, as the tree has it. What biases the estimate is then only that the class's own spread is smeared.
@pytest.mark.parametrize("law", [UniformNoise, GaussianNoise])
@pytest.mark.parametrize("level", [0.25, 0.5])
def test_it_is_right_as_often_as_it_says(law, level):
    def draw(n, rng):
        age = rng.uniform(20, 80, n)
        return pd.DataFrame({"age": age}), rng.random(n) < np.where((age < 40) | (age >= 65), 0.85, 0.25)

    model = tree_of(*draw(20_000, np.random.default_rng(0)), max_depth=2, intervals={"age": [40, 65]})
    true, noise = (0.85 * 35 + 0.75 * 25) / 60, law.at_privacy(level, **AGES)
    found = []
    for seed in range(40):
        X, y = draw(2_000, np.random.default_rng(seed + 1))
        seen = X.assign(age=noise.disguise(X["age"], rng=seed))
        found.append(accuracy_from_disguised(model, seen, y, {"age": noise}))
    accuracy, error = np.array([(each.accuracy, each.standard_error) for each in found]).T
    assert abs(accuracy.mean() - true) < 0.045
    assert np.mean(np.abs(accuracy - true) < 2 * error) >= 0.9
    assert np.mean(error) < 0.08


@pytest.mark.parametrize("law", [UniformNoise, GaussianNoise])
@pytest.mark.parametrize("train_on", ["true", "disguised"])
def test_it_is_near_the_truth_where_the_score_misleads(law, train_on):
    X, y = quest(8_000, function=1, rng=7)
    noise = law.at_privacy(0.5, **AGES)
    seen = X.assign(age=noise.disguise(X["age"], rng=8))
    model = GiniTreeClassifier(20, Mdl("constant", "errors")).fit(
        (X if train_on == "true" else seen)[:4_000], y[:4_000]
    )
    true, score = model.score(X[4_000:], y[4_000:]), model.score(seen[4_000:], y[4_000:])
    found = accuracy_from_disguised(model, seen[4_000:], y[4_000:], {"age": noise})
    assert abs(score - true) > 0.1
    assert abs(found.accuracy - true) < 0.04
    assert abs(found.accuracy - true) < 2 * found.standard_error


def test_noise_categories_and_true_values_go_together():
    model = tree_of(*people(5_000, seed=9), max_depth=4)
    X, y = people(5_000, seed=10)
    channels = {
        "age": GaussianNoise.at_privacy(0.25, **AGES),
        "cars": UniformNoise(half_width=1, low=0, high=5, step=1),
        "town": KeepOrReplace(keep=0.8, categories=TOWNS),
    }
    seen = Disguise(channels, random_state=1).fit_transform(X)
    found = accuracy_from_disguised(model, seen, y, channels)
    true = model.score(X, y)
    assert abs(found.accuracy - true) < 2 * found.standard_error < 0.1
    assert abs(found.accuracy - true) < abs(model.score(seen, y) - true) / 2


def test_intervals_whose_edges_the_tree_cuts_at_hide_nothing_and_others_leave_it_open():
    X, y = quest(3_000, function=1, rng=11)
    model = tree_of(X[["age"]], y, max_depth=2, intervals={"age": [40, 60]})
    for edges, least, most in (([20, 40, 60, 80], 0, 1e-6), ([20, 50, 80], 0.1, 1)):
        channel = Intervals(edges=edges)
        found = accuracy_from_disguised(model, X.assign(age=channel.disguise(X["age"])), y, {"age": channel})
        assert least <= found.standard_error <= most
    assert accuracy_from_disguised(model, X, y, {"loan": channel}).accuracy == 1


def test_the_order_of_records_and_columns_does_not_matter():
    X, y = quest(2_000, function=2, rng=12)
    noises = {"age": GaussianNoise.at_privacy(0.5, **AGES), "salary": UniformNoise(half_width=2e4, low=2e4, high=15e4)}
    seen = Disguise(noises, random_state=1).fit_transform(X)
    model = tree_of(X, y)
    mixed = np.random.default_rng(0).permutation(2_000)
    one = accuracy_from_disguised(model, seen, y, noises)
    two = accuracy_from_disguised(model, seen.iloc[mixed, ::-1], y.iloc[mixed], noises)
    assert two.accuracy == pytest.approx(one.accuracy, abs=1e-6)
    assert two.standard_error == pytest.approx(one.standard_error, abs=1e-6)


def test_trees_classifiers_and_disguises_are_taken_as_they_come():
    X, y = quest(1_000, function=1, rng=13)
    model = tree_of(X[["age"]], y, max_depth=2)
    disguise = Disguise({"age": UniformNoise(half_width=5, **AGES)}, random_state=1)
    seen = disguise.fit_transform(X)
    shipped = Tree.from_json(model.tree_.to_json())
    one = accuracy_from_disguised(model, seen, y, disguise)
    two = accuracy_from_disguised(shipped, seen[["age"]], y.tolist(), disguise.channels_)
    assert one == two


def test_thresholds_outside_the_domain_and_between_steps():
    X = pd.DataFrame({"cars": [0, 1, 2, 3, 4, 5] * 50})
    noise = UniformNoise(half_width=1.2, low=0, high=5, step=1)
    outside = pd.DataFrame({"cars": np.arange(-4.0, 10)})
    model = tree_of(outside, outside["cars"].isin([-3, -2, 3, 4, 5, 8]), max_depth=None)  # cuts at -3.5, -1.5, 2.5, ...
    y = X["cars"] >= 3
    found = accuracy_from_disguised(model, noise.disguise(X["cars"], rng=1).to_frame(), y, {"cars": noise})
    assert model.score(X, y) == 1
    assert found.accuracy > 0.98


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
        ({"model": "a tree"}, TypeError, "model is 'a tree'; expected a Tree, or a fitted classifier that has one"),
        ({"model": GiniTreeClassifier()}, TypeError, r"model is GiniTreeClassifier\(\); expected a Tree"),
        ({"X": FRAME.to_numpy()}, TypeError, "X is an? ndarray; expected a pandas DataFrame"),
        ({"X": FRAME.drop(columns="age")}, ValueError, "model names 'age', which the table does not have"),
        ({"X": FRAME.assign(age=np.nan)}, ValueError, r"column 'age' has 50 missing \(NaN\)"),
        ({"y": CLASSES[:9]}, ValueError, "y has 9 entries and X has 50"),
        (
            {"y": np.append(CLASSES[1:], "D")},
            ValueError,
            r"y has 'D'; expected classes of the model, \['A', 'B', 'C'\]",
        ),
        ({"y": [None, *CLASSES[1:]]}, ValueError, "y has missing values"),
        ({"disguise": {}}, ValueError, "disguise is empty"),
        ({"disguise": None}, TypeError, "disguise is a NoneType; expected a dict"),
        ({"disguise": OFF}, ValueError, "disguise is UniformNoise.* one channel for all columns"),
        ({"disguise": {"cars": 0.5}}, TypeError, "0.5.*; expected a channel"),
        ({"disguise": {"cart": OFF}}, ValueError, "disguise names 'cart', which the table does not have"),
        (
            {"disguise": {"town": OFF}},
            TypeError,
            "column 'town' is nominal in the model; expected a channel of categories for it",
        ),
        ({"disguise": {"age": OFF}}, ValueError, "column 'age' has 50 of 50 that the channel cannot have released"),
        (
            {"disguise": {"town": KeepOrReplace(keep=0.5, categories=["Ayr", "Rome"])}},
            ValueError,
            "column 'town' has .* that are none of the categories",
        ),
        (
            {"disguise": {"town": KeepOrReplace(keep=0.25, categories=TOWNS)}},
            ValueError,
            "column 'town': matrix has the condition number",
        ),
    ],
)
def test_bad_arguments_are_refused(changes, error, message):
    good = {"model": MODEL, "X": FRAME, "y": CLASSES, "disguise": {"cars": OFF}}
    with pytest.raises(error, match=message):
        accuracy_from_disguised(**{**good, **changes})


@pytest.mark.parametrize(("function", "noise", "depth"), [(2, "Gaussian", 10), (4, "uniform", 8)])
def test_thresholds_beyond_the_domain_make_no_slivers(function, noise, depth):
    # Trees of disguised values cut where no true value is, and such cuts once made intervals of the last digit's width.
    X, y = quest(20_000, function, rng=1)
    channels = channels_at(noise, 1.0)
    seen = Disguise(channels, random_state=1).fit_transform(X)
    tree = GiniTreeClassifier(prune=Mdl("cuts", "errors"), max_depth=depth).fit(seen, y)
    assert 0 < accuracy_from_disguised(tree, seen[:2000], y[:2000], channels).accuracy < 1


def test_a_tree_that_would_take_too_much_memory_is_refused(monkeypatch):
    monkeypatch.setattr(accuracy, "MOST_CELLS", 500)
    X, y = quest(300, 1, rng=1)
    model = GiniTreeClassifier(max_depth=3).fit(X, y)
    with pytest.raises(ValueError, match=r"X and model come to \d+ records × \d+ leaves; expected at most"):
        accuracy_from_disguised(model, X, y, {"age": UniformNoise(half_width=0, low=20, high=80)})
