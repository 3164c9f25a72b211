"""Trees from attributes that are reconstructed together: identities, what the association is worth, at full scale.

Accuracies are on true records, 5,000 unless said otherwise: a standard error of 0.004 at 0.9.
"""

import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning

from ppdm.data import quest
from ppdm.disguise import Channel, Disguise, GaussianNoise, KeepOrReplace, UniformNoise
from ppdm.reconstruct import Attribute, ChiSquareStop, Column, FixedStop, HeldOutStop, Search
from ppdm.studies.as00 import channels_at, study
from ppdm.trees import GiniTreeClassifier, Joint, ReconstructedTreeClassifier, Tree

RESULTS = Path(__file__).resolve().parents[2] / "notebooks" / "results"
AGE = UniformNoise.at_privacy(0.5, low=20, high=80)
PAIR = {"age": AGE, "pay": GaussianNoise.at_privacy(0.5, low=0, high=10)}
WIDE = {
    "age": UniformNoise.at_privacy(1.0, low=20, high=80),
    "pay": GaussianNoise.at_privacy(1.0, low=0, high=10),
}
TOWNS = ["Ayr", "Bern", "Cork"]


def joint(channels=None, together=None, **settings):
    strategy = "joint" if together is None else Joint(together)
    return ReconstructedTreeClassifier(channels, strategy, **settings)


def disguised(X, channels, rng=3):
    return Disguise(channels, random_state=np.random.default_rng(rng)).fit_transform(X)


def either_or(n, seed):
    """Two numbers, and a class that neither of them tells anything of; and a third that tells nothing."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"age": rng.uniform(20, 80, n), "pay": rng.uniform(0, 10, n), "other": rng.uniform(0, 1, n)})
    return X, np.where((X["age"] > 50) ^ (X["pay"] > 5), "yes", "no")


# Where nothing is hidden, or all


@pytest.mark.parametrize("function", [2, 3])
def test_nothing_disguised_is_an_ordinary_tree(function, same_tree):
    X, y = quest(5000, function=function, rng=1)
    ordinary = GiniTreeClassifier().fit(X, y).tree_
    model = joint().fit(X, y)
    assert model.together_ is None  # nothing is to be reconstructed
    assert model.joint_ is None
    same_tree(ordinary, model.tree_)


def test_without_noise_few_values_give_the_tree_of_true_records(same_tree):
    # Each of the six values is its own interval, true and seen: the cells that are drawn are the true ones.
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.integers(1, 7, (6000, 3)).astype(float), columns=["one", "two", "three"])
    y = (X["one"] > 3) ^ (X["two"] > 2) ^ (rng.random(6000) < 0.1)
    channels = {name: UniformNoise(half_width=0, low=1, high=6, step=1) for name in X}
    edges = {name: np.arange(1.5, 6) for name in X}
    original = GiniTreeClassifier(edges).fit(X, y).tree_
    model = joint(channels).fit(disguised(X, channels), y)
    assert set(model.together_.intervals) == {"one", "two"}
    same_tree(original, model.tree_)


@pytest.mark.parametrize("noise", ["uniform", "Gaussian"])
@pytest.mark.parametrize("function", [1, 2, 3])
def test_without_noise_coarse_cells_cost_little(noise, function):
    # Seen intervals hold as many records each and true ones are as wide, so that their ends differ: some records are
    # drawn to the cell beside their own, which by class they are not. Two points, half of them for chance.
    X, y = quest(5000, function=function, rng=1)
    T, z = quest(5000, function=function, rng=2)
    channels = channels_at(noise, 0)
    S = disguised(X, channels)
    byclass = ReconstructedTreeClassifier(channels).fit(S, y).score(T, z)
    assert joint(channels).fit(S, y).score(T, z) >= byclass - 0.02


@pytest.mark.parametrize("balanced", [True, False])
@pytest.mark.parametrize("noise", ["uniform", "Gaussian"])
def test_channels_that_hide_all_leave_the_majority(noise, balanced):
    X, y = quest(20_000, function=3, balanced=balanced, rng=1)
    T, z = quest(5000, function=3, balanced=balanced, rng=2)
    channels = channels_at(noise, 200)
    model = joint(channels).fit(disguised(X, channels), y)
    assert (model.together_, model.joint_) == (None, None)
    majority = z.value_counts(normalize=True).max()
    assert abs(model.score(T, z) - majority) <= 3 * (majority * (1 - majority) / len(z)) ** 0.5


def test_where_nothing_is_found_it_is_the_tree_by_class(same_tree):
    rng = np.random.default_rng(2)
    X, y = (
        pd.DataFrame({"age": rng.uniform(20, 80, 2000), "pay": rng.uniform(0, 10, 2000)}),
        rng.integers(0, 2, 2000),
    )
    S = disguised(X, PAIR)
    model = joint(PAIR).fit(S, y)
    assert model.together_ is None
    same_tree(ReconstructedTreeClassifier(PAIR).fit(S, y).tree_, model.tree_)


# What the association is worth


@pytest.mark.parametrize("seed", [1, 2])
def test_it_learns_what_no_attribute_tells_alone(seed):
    X, y = either_or(10_000, seed)
    T, z = either_or(5000, seed + 10)
    S = disguised(X, WIDE)
    by = {s: ReconstructedTreeClassifier(WIDE, s).fit(S, y).score(T, z) for s in ("byclass", "local", "joint")}
    assert by["joint"] > 0.9
    assert max(by["byclass"], by["local"]) < by["joint"] - 0.05


def mixed(n, seed):
    """Three classes: in one town age and membership tell them together, in the others age and pay."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "age": rng.uniform(20, 80, n),
            "pay": rng.uniform(0, 10, n),
            "town": pd.Categorical(rng.choice(TOWNS, n), TOWNS),
            "rooms": rng.integers(1, 7, n),
            "member": rng.choice(["no", "yes"], n),
        }
    )
    old, rich = X["age"] > 50, X["pay"] > 5
    code = np.where(X["town"] == "Bern", old ^ (X["member"] == "yes"), 2 * (old ^ rich))
    return X, np.array(["few", "many", "some"])[code]


MIXED = {
    **PAIR,
    "town": KeepOrReplace(keep=0.8, categories=TOWNS),
    "rooms": UniformNoise(half_width=1.4, low=1, high=6, step=1),
}


@pytest.fixture(scope="module")
def three_classes():
    X, y = mixed(20_000, 1)
    S = disguised(X, MIXED)
    return S, y, joint(MIXED).fit(S, y)


def test_three_classes_and_columns_of_all_kinds(three_classes):
    S, y, model = three_classes
    T, z = mixed(5000, 2)
    assert model.classes_.tolist() == ["few", "many", "some"]
    assert {"age", "pay", "town"} <= set(model.together_.intervals)
    assert "rooms" not in model.together_.intervals
    byclass = ReconstructedTreeClassifier(MIXED).fit(S, y).score(T, z)
    assert model.score(T, z) > byclass + 0.05
    travelled = Tree.from_json(model.tree_.to_json())
    assert (travelled.predict(T) == model.predict(T)).all()


def test_the_joint_distribution_is_that_of_the_classes_and_attributes(three_classes):
    _, y, model = three_classes
    found = model.joint_
    names = list(model.together_.intervals)
    assert repr(found).startswith(f"Distribution(class × {' × '.join(names)}, 3 × ")
    assert [attribute.name for attribute in found.attributes] == ["class", *names]
    assert found.attributes[0].categories == ("few", "many", "some")
    assert found.probabilities.sum() == pytest.approx(1)
    # The mix is let alone, so that the classes' shares are those of the records as far as the mix fits what is seen.
    counts = pd.Series(y).value_counts(normalize=True).sort_index()
    assert found.marginal("class").probabilities == pytest.approx(counts.to_numpy(), abs=0.01)
    # Towns are drawn alike; keeping or replacing magnifies chance by 1 / (0.8 − 0.1), and 100 steps reach the inverse.
    assert found.marginal("town").probabilities == pytest.approx(1 / 3, abs=4 * (2 / 9 / 20_000) ** 0.5 / 0.7)


@pytest.mark.parametrize("balanced", [True, False])
def test_its_classes_have_the_shares_of_the_records(balanced):
    X, y = quest(10_000, function=2, balanced=balanced, rng=1)
    channels = {name: channels_at("Gaussian", 1.0)[name] for name in ("age", "salary")}
    found = joint(channels).fit(disguised(X[list(channels)], channels), y).joint_
    shares = y.value_counts(normalize=True).sort_index().to_numpy()
    assert found.marginal("class").probabilities == pytest.approx(shares, abs=0.01)


def test_what_was_found_can_be_read():
    X, y = either_or(3000, 3)
    model = joint(PAIR).fit(disguised(X, PAIR), y)
    assert repr(model).endswith("strategy='joint')")
    assert repr(model.together_).startswith("Together(intervals={'")
    assert set(model.together_.intervals) == {"age", "pay"}
    assert "<table" in model.joint_._repr_html_()
    assert list(model.reconstructions_) == ["age", "pay"]
    assert model.n_reconstructions_ == 4  # of single attributes, by class


# Attributes that it is told


@pytest.mark.parametrize("noise", ["uniform", "Gaussian"])
@pytest.mark.parametrize("function", [2, 3])
def test_told_what_the_search_finds_it_grows_the_same_tree(function, noise, same_tree):
    # Function 3 goes by the education level too, whose five values are fewer than the intervals that were tried.
    run = study(function, noise, 0.5, np.random.default_rng(1), 10_000)
    found = joint(run.channels).fit(run.seen, run.y)
    grid = found.together_.intervals
    assert ("elevel" in grid) == (function == 3)
    for told in (list(grid), tuple(grid), grid):
        model = joint(run.channels, together=told).fit(run.seen, run.y)
        assert model.together_ == found.together_
        assert np.array_equal(model.joint_.probabilities, found.joint_.probabilities)
        same_tree(model.tree_, found.tree_)


def test_told_intervals_are_those_of_the_grid_in_the_order_told():
    X, y = quest(3000, function=2, rng=1)
    channels = channels_at("uniform", 0.5)
    model = joint(channels, together={"salary": 7, "age": 9, "car": 50}).fit(disguised(X, channels), y)
    assert list(model.together_.intervals.items()) == [("salary", 7), ("age", 9), ("car", 20)]
    assert model.joint_.probabilities.shape == (2, 7, 9, 20)
    assert model.joint_.edges["salary"] == pytest.approx(
        np.linspace(20_000, 150_000, 31)[[0, 4, 9, 13, 17, 21, 26, 30]]
    )


def test_told_attributes_are_taken_where_nothing_would_be_found():
    rng = np.random.default_rng(2)
    X, y = (
        pd.DataFrame({"age": rng.uniform(20, 80, 2000), "pay": rng.uniform(0, 10, 2000)}),
        rng.integers(0, 2, 2000),
    )
    S = disguised(X, PAIR)
    assert joint(PAIR).fit(S, y).together_ is None
    model = joint(PAIR, together={"pay": 5}).fit(S, y)
    assert model.together_.intervals == {"pay": 5}
    assert model.together_.gain < Search().worth  # which is why it would not be found


def test_a_told_attribute_may_be_true_and_columns_of_an_array_have_numbers(same_tree):
    X, y = either_or(5000, 3)
    S = disguised(X, {"age": AGE})
    model = joint({"age": AGE}, together={"age": 8, "pay": 8}).fit(S, y)
    array = joint({0: AGE}, together={0: 8, 1: 8}).fit(S.to_numpy(), y)
    assert model.score(X, y) > 0.9
    same_tree(model.tree_, array.tree_)


@pytest.mark.parametrize(
    ("told", "error", "message"),
    [
        (
            ["age", "wage"],
            ValueError,
            "together names 'wage', which the table does not have; its columns are 'age'",
        ),
        ({"wage": 3}, ValueError, "together names 'wage'"),
        ([["age", "pay"]], ValueError, r"together names \['age', 'pay'\], which the table does not have"),
        ("age", TypeError, "together is 'age'; expected a list of values"),
        (3, TypeError, "together is 3; expected a list of values"),
        (
            {"age"},
            TypeError,
            "together is a set; expected a list of values",
        ),
        ([], ValueError, r"together is empty; expected distinct values"),
        ({}, ValueError, r"together is empty"),
        (["age", "age"], ValueError, r"together has .* values that came before.*; expected distinct values"),
        (["other"], ValueError, r"together is \['other'\]; expected at least one column that is disguised"),
        ({"age": 1}, ValueError, r"together\['age'\] is 1; expected a whole number in \[2, 2000\]"),
        ({"age": 10**9}, ValueError, r"together\['age'\] is 1000000000; expected a whole number in \[2, 2000\]"),
        ({"age": 2.5}, TypeError, r"together\['age'\] is 2.5; expected a whole number"),
        ({"age": None}, TypeError, r"together\['age'\] is None"),
        (
            {"age": 10, "town": 2},
            ValueError,
            r"together\['town'\] is 2; expected at least 3: its categories have no order",
        ),
        (
            dict.fromkeys("abcde", 12),
            ValueError,
            "makes more than 262,144 cells of 'a', 'b', 'c', 'd', 'e' and the 2",
        ),
        (
            list("abcdefghij"),
            ValueError,
            "makes more than 65,536 cells of 'a', 'b', .* expected fewer columns, or a",
        ),
    ],
)
def test_told_attributes_that_cannot_be_taken_are_refused(told, error, message):
    X, y = either_or(300, 5)
    X = X.assign(town=np.resize(TOWNS, 300), **dict.fromkeys("abcdefghij", X["pay"]))
    channels = {"age": AGE, "town": KeepOrReplace(keep=0.8, categories=TOWNS)}
    channels |= dict.fromkeys("abcdefghij", PAIR["pay"])
    with pytest.raises(error, match=message):
        joint(channels, together=told).fit(disguised(X, channels), y)


# Settings, and what is refused


@pytest.mark.parametrize("stop", [FixedStop(7), ChiSquareStop(), HeldOutStop(patience=20)], ids=repr)
def test_a_stopping_rule_that_is_given_is_obeyed(stop):
    X, y = either_or(3000, 4)
    S = disguised(X, PAIR)
    model = joint(PAIR, stop=stop).fit(S, y)
    _, again = Search().find(*_columns(model, S, y))
    counts = again.counts()
    expected, _ = again.class_shares(counts, again.mix(counts, FixedStop(Search().mix_steps)), stop)
    assert model.joint_.probabilities == pytest.approx(expected)
    assert all(one.stop == stop for found in model.reconstructions_.values() for one in found)
    free = joint(PAIR).fit(S, y)
    assert free.together_ == model.together_
    assert np.abs(free.joint_.probabilities - model.joint_.probabilities).max() > 1e-6


def _columns(model, S, y):
    """What ``Search.find`` asks for, as the model makes it."""
    columns = model._read({name: S[name] for name in PAIR})
    codes, classes = pd.factorize(y, sort=True)
    return columns, Column(Attribute.categorical("class", classes), np.arange(3) - 0.5, codes)


def test_a_rule_that_is_not_met_on_the_grid_is_told():
    X, y = either_or(3000, 5)
    rule = ChiSquareStop(fraction=1e-9, cap=3)
    with pytest.warns(
        ConvergenceWarning, match=r"3 iterations in 5 of 5 .*\(of 'age', 'pay', \('age', 'pay'\)\)"
    ):
        joint(PAIR, stop=rule).fit(disguised(X, PAIR), y)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"channels": {"wage": AGE}}, ValueError, "channels names 'wage'"),
        ({"channels": [AGE]}, TypeError, "channels is .*; expected a dict of channels by column"),
        ({"intervals": 0}, ValueError, "intervals is 0"),
        ({"intervals": {"wage": [1]}}, ValueError, "intervals names 'wage'"),
        (
            {"channels": {"age": AGE}, "intervals": {"age": [40, 30]}},
            ValueError,
            "column 'age': intervals does not inc",
        ),
        ({"channels": {"age": AGE}, "stop": "soon"}, TypeError, "stop is of type str"),
        ({"smooth": 7}, ValueError, "smooth is 7"),
        ({"exact": None}, ValueError, "exact is None"),
        ({"tree": GiniTreeClassifier(prune="hard")}, ValueError, "prune is 'hard'"),
    ],
)
def test_it_refuses_what_the_others_refuse(arguments, error, message):
    X, y = quest(300, function=1, rng=1)
    S = X.assign(age=AGE.disguise(X["age"], rng=1))
    with pytest.raises(error, match=message):
        ReconstructedTreeClassifier(**{"strategy": "joint", **arguments}).fit(S, y)


def test_bad_values_and_classes_are_refused():
    X, y = quest(300, function=1, rng=1)
    for value, message in (
        (1e6, "column 'age': values has 1 of 300"),
        (np.nan, "column 'age': values has 1 missing"),
    ):
        S = X.assign(age=np.append(AGE.disguise(X["age"][:-1], rng=1), value))
        with pytest.raises(ValueError, match=message):
            joint({"age": AGE}).fit(S, y)
    S = X.assign(age=AGE.disguise(X["age"], rng=1))
    with pytest.raises(ValueError, match="one class only"):
        joint({"age": AGE}).fit(S, ["A"] * 300)
    with pytest.raises(TypeError, match=r"column 'age': its channel is .*Unknown"):
        joint({"age": Unknown()}).fit(S, y)


def test_a_search_is_an_object_and_no_number():
    with pytest.raises(TypeError, match=r"search is an int; expected a reconstruct\.Search"):
        Joint(search=3)


class Unknown(Channel):
    """A channel that is neither for numbers nor for categories, as far as the library knows."""


Unknown.__abstractmethods__ = frozenset()


@pytest.mark.parametrize("large", [1e17, 1e300, 1.7e308])
def test_true_numbers_may_be_very_large(large):
    rng = np.random.default_rng(6)
    y = rng.integers(0, 2, 500)
    values = pd.DataFrame({"two": y * large, "many": np.where(y, 1, -1) * rng.uniform(0.5, 1, 500) * large})
    for name in values:
        model = joint().fit(values[[name]], y)
        assert (model.predict(values[[name]]) == y).all()


def test_columns_may_have_any_names(same_tree):
    X, y = either_or(3000, 7)
    S = disguised(X, PAIR)
    model = joint(PAIR).fit(S, y)
    names = {"age": "class", "pay": "class of the record", "other": "other"}
    renamed = joint({names[name]: channel for name, channel in PAIR.items()}).fit(S.rename(columns=names), y)
    assert renamed.joint_.attributes[0].name == "class of the record of the record"
    assert np.array_equal(renamed.joint_.probabilities, model.joint_.probabilities)
    array = joint({0: PAIR["age"], 1: PAIR["pay"]}).fit(S.to_numpy(), y)
    assert list(array.together_.intervals) == [S.columns.get_loc(name) for name in model.together_.intervals]
    same_tree(array.tree_, model.tree_)


@pytest.mark.parametrize("n", [2, 3, 10])
def test_few_records_will_do(n):
    X, y = either_or(n, 8)
    y = np.arange(n) % 2
    assert joint(PAIR).fit(disguised(X, PAIR), y).tree_.predict(X).shape == (n,)


def test_nominal_attributes_of_many_categories_are_still_in_the_tree():
    rng = np.random.default_rng(9)
    names = [f"v{code:02}" for code in range(20)]
    X = pd.DataFrame({"kind": pd.Categorical(rng.choice(names, 10_000), names)})
    y = X["kind"].cat.codes.to_numpy() >= 10
    channel = {"kind": KeepOrReplace(keep=0.8, categories=names)}
    S = disguised(X, channel)
    model = joint(channel).fit(S, y)
    assert model.together_ is None
    assert model.score(X, y) > 0.95


def test_a_fit_leaves_no_trace_and_repeats_itself(same_tree):
    X, y = quest(5000, function=2, rng=1)
    channels = channels_at("Gaussian", 0.5)
    S = disguised(X, channels)
    before = S.copy()
    model = joint(channels)
    first, found = model.fit(S, y).tree_, model.joint_.probabilities
    same_tree(first, model.fit(S, y).tree_)
    assert np.array_equal(found, model.joint_.probabilities)
    pd.testing.assert_frame_equal(S, before)


def test_the_order_of_the_records_hardly_matters():
    run, names = study(2, "Gaussian", 1.0, np.random.default_rng(1), 20_000), ["age", "salary", "loan"]
    channels = {name: run.channels[name] for name in names}
    orders = [np.arange(20_000), np.random.default_rng(2).permutation(20_000), np.argsort(run.y, kind="stable")]
    models = [joint(channels).fit(run.seen[names].iloc[order], run.y.iloc[order]) for order in orders]
    assert all({"age", "salary"} <= set(model.together_.intervals) for model in models)
    # Other halves, another grid, other lots: three points, as between trees of other records.
    assert np.ptp([model.score(run.test[names], run.test_y) for model in models]) < 0.03


# At the paper's scale: live for Function 2, and in the committed results, of which a test computes some anew


@pytest.mark.parametrize(("noise", "least"), [("Gaussian", 0.9), ("uniform", 0.93)])
def test_function_2_with_all_that_is_known_disguised(noise, least):
    """100,000 records at 100 %: ten other runs gave 0.920 to 0.943 and 0.948 to 0.970; by class, 0.82 and 0.75."""
    run = study(2, noise, 1.0, np.random.default_rng(1))
    start = time.perf_counter()
    accuracy = run.accuracy(joint(run.channels))
    print(f"\nFunction 2, {noise} noise: {accuracy:.3f} after {time.perf_counter() - start:.1f} s")
    assert accuracy >= least


def results(name):
    return pd.read_csv(RESULTS / f"joint-{name}.csv").set_index(["function", "noise", "level", "repeat"])


def test_function_2_where_no_interval_ends_at_its_constants():
    found = results("shifted").loc[2]
    least = found.groupby("noise")["joint"].min()
    assert least["Gaussian"] >= 0.87
    assert least["uniform"] >= 0.9
    assert (found["joint"] >= found["byclass"] + 0.08).all()


def test_it_is_never_much_worse_than_by_class():
    found = results("strategies")
    lost = found["byclass"] - found["joint"]
    assert lost.groupby(["function", "noise", "level"]).mean().max() <= 0.01
    assert lost.max() <= 0.02


@pytest.mark.parametrize("noise", ["uniform", "Gaussian"])
def test_more_steps_never_make_it_worse_than_by_class(noise):
    # By class, each step fits the chance of each class more: with uniform noise 0.72 falls to 0.60. Class shares of
    # what all records together say lie between 0 and 1: 0.89 falls to 0.84.
    run, names = study(2, noise, 1.0, np.random.default_rng(1), 20_000), ["age", "salary", "loan"]
    channels = {name: run.channels[name] for name in names}
    run = replace(run, channels=channels, seen=run.seen[names], test=run.test[names])
    byclass = run.accuracy(ReconstructedTreeClassifier(channels))
    for steps in (30, 500, 5000):
        same = run.accuracy(ReconstructedTreeClassifier(channels, stop=FixedStop(steps)))
        assert run.accuracy(joint(channels, stop=FixedStop(steps))) > max(byclass, same) + 0.02


def test_another_strategy_leaves_nothing_of_the_last_fit():
    X, y = either_or(2000, 8)
    S = disguised(X, PAIR)
    model = joint(PAIR).fit(S, y)
    assert model.together_ is not None
    model.set_params(strategy="byclass").fit(S, y)
    assert model.together_ is None
    assert model.joint_ is None
