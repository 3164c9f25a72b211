"""AS00's trees: identities where nothing or all is hidden, the paper's order, other channels, what is refused."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

from ppdm.data import QUEST_RANGES, quest
from ppdm.disguise import (
    Channel,
    Disguise,
    GaussianNoise,
    GroupedResponse,
    KeepOrReplace,
    RandomizedResponse,
    UniformNoise,
)
from ppdm.reconstruct import ChiSquareStop, FixedStop, reconstruct
from ppdm.studies.as00 import channels_at
from ppdm.trees import GiniTreeClassifier, Joint, Local, ReconstructedTreeClassifier, Tree

STRATEGIES = ("global", "byclass", "local")
SMALL = {"elevel": (0, 4), "car": (1, 20), "zipcode": (0, 8)}


def disguised(X, channels, rng=3):
    return Disguise(channels, random_state=np.random.default_rng(rng)).fit_transform(X)


@pytest.mark.filterwarnings("ignore:invalid value encountered in cast:RuntimeWarning:sklearn")
@parametrize_with_checks(
    [
        ReconstructedTreeClassifier(),
        ReconstructedTreeClassifier(strategy="local"),
        ReconstructedTreeClassifier(strategy="joint"),
        ReconstructedTreeClassifier(UniformNoise(half_width=1, low=-1e4, high=1e4), strategy="joint"),
        ReconstructedTreeClassifier(UniformNoise(half_width=0, low=-1e4, high=1e4), strategy="global"),
    ]
)
def test_scikit_learns_conventions_hold(estimator, check):
    check(estimator)


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("noise", ["uniform", "Gaussian"])
def test_without_noise_every_strategy_gives_the_original_tree(strategy, noise, same_tree):
    X, y = quest(5000, function=3, rng=1)
    channels = channels_at(noise, 0)
    edges = {name: channel.true_bins(50)[1:-1] for name, channel in channels.items() if channel.step is None}
    edges |= {name: np.arange(low, high) + 0.5 for name, (low, high) in QUEST_RANGES.items() if name in SMALL}
    original = GiniTreeClassifier(intervals=edges).fit(X, y).tree_
    found = ReconstructedTreeClassifier(channels, strategy).fit(disguised(X, channels), y).tree_
    assert len(found.leaves()) > 5
    same_tree(original, found)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_nothing_disguised_is_an_ordinary_tree(strategy, same_tree):
    X, y = quest(5000, function=2, rng=1)
    ordinary = GiniTreeClassifier().fit(X, y).tree_
    same_tree(ordinary, ReconstructedTreeClassifier(strategy=strategy).fit(X, y).tree_)


def hiding(how):
    """A channel for each attribute that hides all, or nearly."""
    if how == "keep":
        return {
            name: KeepOrReplace(keep=1 / (b - a + 1), categories=range(a, b + 1))
            for name, (a, b) in SMALL.items()
        }
    return channels_at(*how)


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("balanced", [True, False])
@pytest.mark.parametrize("how", ["keep", ("uniform", 200), ("uniform", 1e4), ("Gaussian", 50)], ids=str)
def test_a_channel_that_hides_all_leaves_the_majority(strategy, balanced, how):
    # Balanced classes are the harder case: every chance association promises fewer errors.
    X, y = quest(20_000, function=3, balanced=balanced, rng=1)
    T, z = quest(5000, function=3, balanced=balanced, rng=2)
    channels = hiding(how)
    X, T = X[list(channels)], T[list(channels)]
    found = ReconstructedTreeClassifier(channels, strategy).fit(disguised(X, channels), y)
    majority = z.value_counts(normalize=True).max()
    assert abs(found.score(T, z) - majority) <= 3 * (majority * (1 - majority) / len(z)) ** 0.5


@pytest.fixture(scope="module", params=["uniform", "Gaussian"])
def accuracies(request):
    """Accuracy on true records of the trees from 20,000 records of Function 1 at 100 % privacy."""
    X, y = quest(20_000, function=1, rng=1)
    T, z = quest(5000, function=1, rng=2)
    channels = channels_at(request.param, 1.0)
    S = disguised(X, channels)
    models = {strategy: ReconstructedTreeClassifier(channels, strategy) for strategy in STRATEGIES}
    models |= {
        "randomized": GiniTreeClassifier(),
        "again": clone(models["local"]).set_params(strategy=Local(retain=False)),
    }
    return {name: model.fit(S, y).score(T, z) for name, model in models.items()}


def test_reconstruction_by_class_beats_the_rest(accuracies):
    # AS00 §5.2; 0.005 is a standard error of an accuracy on 5,000 records, and seeds are fixed.
    assert min(accuracies["byclass"], accuracies["local"]) > accuracies["global"] + 0.005
    assert accuracies["global"] > accuracies["randomized"] + 0.05


def test_reconstructing_what_was_tested_fails(accuracies):
    assert accuracies["again"] < accuracies["local"] - 0.05


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_codes_are_spread_as_the_reconstruction_says(strategy):
    """Within half a record, each cumulated class count at the root is what reconstruct_counts finds."""
    X, y = quest(10_000, function=2, rng=1)
    channel = GaussianNoise.at_privacy(0.5, low=20, high=80)
    seen = disguised(X[["age"]], {"age": channel})
    model = ReconstructedTreeClassifier({"age": channel}, strategy, stop=FixedStop(20))
    table = model._table(dict(seen.items()), np.asarray(y))
    level = table.root()
    counts = table.histograms(level)
    for number, group in enumerate("AB"):
        values = seen["age"] if strategy == "global" else seen["age"][y == group]
        expected = len(values) * reconstruct(values, channel, 100, FixedStop(20)).distribution.probabilities
        found = counts[:, 0].sum(axis=0) if strategy == "global" else counts[number, 0]
        assert np.abs(np.cumsum(found) - np.cumsum(expected)).max() <= 0.5 + 1e-9


def test_lowest_values_go_to_the_lowest_intervals():
    X, y = quest(5000, function=1, rng=1)
    channel = UniformNoise.at_privacy(1.0, low=20, high=80)
    seen = disguised(X[["age"]], {"age": channel})
    table = ReconstructedTreeClassifier({"age": channel})._table(dict(seen.items()), np.asarray(y))
    for group in "AB":
        here = np.flatnonzero(y == group)
        ranked = here[np.argsort(seen["age"].to_numpy()[here], kind="stable")]
        assert (np.diff(table.codes[0][ranked].astype(int)) >= 0).all()


@pytest.mark.filterwarnings(
    "ignore:column 'town' goes with the row number"
)  # the classes stand one after the other
def test_categories_are_apportioned_as_the_estimate_says():
    rng = np.random.default_rng(2)
    towns, shares = ["Ayr", "Bern", "Cork", "Dole"], {0: [0.7, 0.1, 0.1, 0.1], 1: [0.1, 0.2, 0.3, 0.4]}
    y = np.repeat([0, 1], 20_000)
    X = pd.DataFrame(
        {"town": pd.Categorical(np.concatenate([rng.choice(towns, 20_000, p=shares[c]) for c in (0, 1)]))}
    )
    channel = KeepOrReplace(keep=0.4, categories=towns)
    S = disguised(X, {"town": channel})
    table = ReconstructedTreeClassifier({"town": channel}, stop=FixedStop(500))._table(dict(S.items()), y)
    for c in (0, 1):
        found = np.bincount(table.codes[0][y == c], minlength=4)
        seen = np.bincount(channel.codes(S["town"][y == c]), minlength=4) / 20_000
        direct = (seen - 0.2) / (0.4 - 0.2)  # the textbook's inverse: (1 − 0.4) / 3 = 0.2 off the diagonal
        assert (
            np.abs(found / 20_000 - direct).max() <= 4 / 20_000
        )  # rounding: half a record for each seen category


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("strategy", [*STRATEGIES, "joint"])
def test_answers_of_yes_and_no_teach_the_truth(strategy, ordered):
    # The channel lists yes first, an ordered dtype no; a yes is said by chance four times as often as a no.
    rng = np.random.default_rng(2)
    X = pd.DataFrame({"x": pd.Categorical(rng.choice(["no", "yes"], 20_000), ["no", "yes"], ordered=ordered)})
    y = (X["x"] == "yes") ^ (rng.random(20_000) < 0.1)
    channels = {"x": RandomizedResponse(0.6, unrelated=0.2, categories=["yes", "no"])}
    model = ReconstructedTreeClassifier(channels, strategy, stop=FixedStop(500)).fit(disguised(X, channels), y)
    assert (model.predict(X) == (X["x"] == "yes")).all()
    if strategy == "byclass":
        seen = disguised(X, channels)["x"]
        for label, found in zip([False, True], model.reconstructions_["x"], strict=True):
            no = channels["x"].estimate(seen[y == label]).value
            expected = [no, 1 - no] if ordered else [1 - no, no]
            assert found.distribution.probabilities == pytest.approx(expected, abs=1e-6)
            assert no == pytest.approx(0.1 if label else 0.9, abs=0.03)


@pytest.mark.parametrize("keep", [0.2505, 0.3, 0.4, 0.5])
def test_categories_that_tell_nothing_teach_little(keep):
    # Keeping or replacing magnifies chance by 1 / (keep − replace)²: with the likeliest shares, which have nothing to
    # hold them back, nearly all of these trees take it for knowledge, and are sure of it.
    channel = KeepOrReplace(keep=keep, categories=list("abcd"))
    split = 0
    for seed in range(10):
        rng = np.random.default_rng(seed)
        y, X = rng.integers(0, 2, 10_000), pd.DataFrame({"x": rng.choice(list("abcd"), 10_000)})
        split += (
            len(ReconstructedTreeClassifier({"x": channel}).fit(disguised(X, {"x": channel}), y).tree_.leaves())
            > 1
        )
    assert split <= 3


def mixed(n, seed):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "age": rng.uniform(20, 80, n),
            "town": pd.Categorical(rng.choice(["Ayr", "Bern", "Cork"], n)),
            "degree": pd.Categorical(rng.choice(["low", "mid", "high"], n), ["low", "mid", "high"], ordered=True),
            "rooms": rng.integers(1, 7, n),
        }
    )
    code = (X["age"] >= 50).astype(int) + (X["town"] == "Bern") * 1 + (X["rooms"] > 4) * 1
    return X, np.array(["few", "some", "many", "many"])[code]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_any_channel_beside_true_attributes_and_three_classes(strategy):
    X, y = mixed(20_000, 1)
    T, z = mixed(5000, 2)
    channels = {
        "age": GaussianNoise.at_privacy(0.5, low=20, high=80),
        "town": KeepOrReplace(keep=0.7, categories=["Ayr", "Bern", "Cork"]),
        "rooms": UniformNoise(half_width=1.4, low=1, high=6, step=1),
    }
    model = ReconstructedTreeClassifier(channels, strategy).fit(disguised(X, channels), y)
    assert model.classes_.tolist() == ["few", "many", "some"]
    assert [test.kind for test in model.tree_.attributes] == ["numeric", "nominal", "ordered", "numeric"]
    plain = GiniTreeClassifier().fit(disguised(X, channels), y).score(T, z)
    # Global mixes the classes before it apportions categories, and loses by that; the others gain on the plain tree.
    assert model.score(T, z) > (0.75 if strategy == "global" else plain)
    travelled = Tree.from_json(model.tree_.to_json())
    assert (travelled.predict(T) == model.predict(T)).all()


def test_arrays_name_their_columns_by_position(same_tree):
    X, y = quest(3000, function=1, rng=1)
    channels = channels_at("uniform", 0.5)
    S = disguised(X, channels)
    places = {X.columns.get_loc(name): channel for name, channel in channels.items()}
    by_name = ReconstructedTreeClassifier(channels).fit(S, y)
    same_tree(by_name.tree_, ReconstructedTreeClassifier(places).fit(S.to_numpy(), y).tree_)


def test_intervals_are_the_papers():
    X, y = quest(3000, function=1, rng=1)
    channels = channels_at("uniform", 0.5)

    def widths(n, intervals="auto"):
        S = disguised(X[:n], channels)
        tree = ReconstructedTreeClassifier(channels, intervals=intervals).fit(S, y[:n]).tree_
        return {test.name: test.n_values for test in tree.attributes}

    assert widths(3000)["salary"] == 30
    assert widths(500)["salary"] == 10
    assert {name: widths(3000)[name] for name in SMALL} == {"elevel": 5, "car": 20, "zipcode": 9}
    assert widths(3000, 150)["salary"] == 150
    assert widths(3000, 7) == {**dict.fromkeys(X.columns, 7), "elevel": 5}
    assert widths(3000, {"age": [20, 40, 60, 80]})["age"] == 3


def test_the_cost_of_the_strategies_in_reconstructions():
    # AS00 §4.2: Global once an attribute, ByClass once for each class, Local again at nodes that are not small.
    X, y = quest(10_000, function=2, rng=1)
    channels = channels_at("uniform", 0.5)
    fits = [
        ReconstructedTreeClassifier(channels, strategy).fit(disguised(X, channels), y) for strategy in STRATEGIES
    ]
    assert [fit.n_reconstructions_ for fit in fits[:2]] == [9, 18]
    assert fits[2].n_reconstructions_ > 36
    assert all(fit.n_steps_ > fit.n_reconstructions_ for fit in fits)
    assert ReconstructedTreeClassifier().fit(X, y).n_reconstructions_ == 0


def test_the_reconstructions_can_be_looked_at():
    X, y = quest(5000, function=1, rng=1)
    channel = GaussianNoise.at_privacy(0.5, low=20, high=80)
    S = disguised(X, {"age": channel})
    for strategy, groups in (
        ("global", [y == y]),
        ("byclass", [y == "A", y == "B"]),
        ("local", [y == "A", y == "B"]),
    ):
        (found,) = ReconstructedTreeClassifier({"age": channel}, strategy).fit(S, y).reconstructions_.values()
        expected = [reconstruct(S["age"][group], channel, 50) for group in groups]
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(one.history, other.history, rtol=1e-9)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_one_warning_tells_where_the_stopping_rule_was_not_met(strategy):
    X, y = quest(5000, function=1, rng=1)
    channels = {name: channels_at("uniform", 0.5)[name] for name in ("age", "loan")}
    model = ReconstructedTreeClassifier(channels, strategy, stop=ChiSquareStop(cap=2))
    with pytest.warns(ConvergenceWarning, match=r"cap of 2 iterations in \d+ of \d+ .*\(of 'age'") as caught:
        model.fit(disguised(X, channels), y)
    assert len(caught) == 1


@pytest.mark.parametrize(
    ("settings", "same"),
    [
        ({"smooth": 0.05}, {"smooth": 0.05}),
        ({"exact": False}, {"exact": False}),
        ({"stop": FixedStop(3)}, {"stop": FixedStop(3)}),
    ],
)
def test_the_settings_are_those_of_reconstruct(settings, same):
    X, y = quest(5000, function=1, rng=1)
    channel = GaussianNoise.at_privacy(1.0, low=20, high=80)
    S = disguised(X, {"age": channel})
    (found,) = (
        ReconstructedTreeClassifier({"age": channel}, "global", **settings).fit(S, y).reconstructions_["age"]
    )
    other = reconstruct(S["age"], channel, 50, **same)
    assert np.array_equal(found.distribution.edges, other.distribution.edges)
    np.testing.assert_allclose(found.history, other.history, rtol=1e-9)
    plain = reconstruct(S["age"], channel, 50)
    assert found.history.shape != plain.history.shape or not np.allclose(found.history, plain.history)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"small": 0}, ValueError, "small is 0"),
        ({"small": 1.5}, TypeError, "small is 1.5"),
        ({"retain": 1}, ValueError, "retain is 1"),
    ],
)
def test_bad_parameters_of_local_are_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        Local(**arguments)


def test_a_strategy_may_be_given_by_name_or_as_an_object():
    X, y = quest(3000, function=2, rng=1)
    channels = channels_at("uniform", 0.5)
    S = disguised(X, channels)
    for name, strategy in (("local", Local()), ("joint", Joint())):
        one, other = (
            ReconstructedTreeClassifier(channels, way).fit(S, y).tree_.to_json() for way in (name, strategy)
        )
        assert one == other


def test_cuts_at_or_beyond_the_ends_of_a_domain_change_nothing():
    X, y = quest(3000, function=1, rng=1)
    channels = channels_at("uniform", 0.5)
    S = disguised(X, channels)
    trees = [
        ReconstructedTreeClassifier(channels, intervals={"age": age, "elevel": elevel}).fit(S, y).tree_.to_json()
        for age, elevel in (
            ([40, 60], [1.5]),
            ([20, 40, 60, 80], [0, 1.5, 4]),
            ([-9, 20, 40, 60, 99], [-1, 1.5, 9]),
        )
    ]
    assert trees[0] == trees[1] == trees[2]


def test_the_tree_grows_as_the_given_classifier_says():
    X, y = quest(3000, function=2, rng=1)
    channels = channels_at("uniform", 0.5)
    S = disguised(X, channels)
    given = GiniTreeClassifier(max_depth=1, prune=None)
    model = ReconstructedTreeClassifier(channels, tree=given).fit(S, y)
    assert len(model.tree_.leaves()) == 2
    assert not hasattr(given, "tree_")


def test_small_nodes_are_not_reconstructed():
    X, y = quest(10_000, function=2, rng=1)
    channels = channels_at("uniform", 0.5)
    S = disguised(X, channels)
    counts = [
        ReconstructedTreeClassifier(channels, Local(small=k)).fit(S, y).n_reconstructions_ for k in (200, 1000)
    ]
    assert counts[0] > counts[1] > 18
    never = ReconstructedTreeClassifier(channels, Local(small=10_001)).fit(S, y)
    assert never.n_reconstructions_ == 18
    assert never.tree_.to_json() == ReconstructedTreeClassifier(channels).fit(S, y).tree_.to_json()


def test_the_disguise_that_was_applied_will_do(same_tree):
    X, y = quest(5000, function=1, rng=1)
    disguise = Disguise(channels_at("uniform", 0.5), random_state=1)
    S = disguise.fit_transform(X)
    named = ReconstructedTreeClassifier(disguise.channels).fit(S, y)
    same_tree(named.tree_, ReconstructedTreeClassifier(disguise).fit(S, y).tree_)
    # The column that names the entity is released as it is, even where one channel is for all.
    ages = pd.DataFrame({"id": np.arange(300), "age": X["age"][:300]})
    keyed = Disguise(AGE, key=b"0123456789abcdef", entity="id")
    assert list(ReconstructedTreeClassifier(keyed).fit(keyed.fit_transform(ages), y[:300]).reconstructions_) == [
        "age"
    ]


@pytest.mark.parametrize(
    ("column", "order"),
    [
        (lambda codes: codes, [0, 1, 2, 3]),
        (
            lambda codes: pd.Categorical.from_codes(codes, ["d", "a", "b", "c"], ordered=True),
            ["d", "a", "b", "c"],
        ),
    ],
)
def test_ordered_categories_keep_their_own_order(column, order):
    # The channel lists them in another order than numbers and ordered categories have.
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 4, 6000)
    X, y = pd.DataFrame({"x": column(codes)}), codes >= 2
    channel = KeepOrReplace(keep=0.8, categories=sorted(order, key=str, reverse=True))
    tree = ReconstructedTreeClassifier({"x": channel}).fit(disguised(X, {"x": channel}), y).tree_
    assert list(tree.attributes[0].categories) == order
    assert len(tree.leaves()) == 2
    assert (tree.predict(X) == y).all()


def test_a_fit_leaves_no_trace_and_repeats_itself(same_tree):
    X, y = quest(5000, function=2, rng=1)
    channels = channels_at("Gaussian", 0.5)
    S = disguised(X, channels)
    before = S.copy()
    model = ReconstructedTreeClassifier(channels, "local")
    first = model.fit(S, y).tree_
    same_tree(first, model.fit(S, y).tree_)
    pd.testing.assert_frame_equal(S, before)


AGE = UniformNoise.at_privacy(0.5, low=20, high=80)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (
            {"strategy": "joined"},
            ValueError,
            "strategy is 'joined'; expected one of 'global', 'byclass', 'local', 'joint'; or Local",
        ),
        ({"channels": {"wage": AGE}}, ValueError, "channels names 'wage'"),
        ({"channels": [AGE]}, TypeError, "channels is .*; expected a dict of channels by column"),
        ({"channels": {"age": "uniform"}}, TypeError, "channels\\['age'\\] is a str; expected a channel"),
        ({"channels": AGE}, ValueError, "column 'salary': values has"),
        (
            {"channels": GroupedResponse(0.8, [["age"]])},
            TypeError,
            "for answers in groups take ResponseTreeClassifier",
        ),
        ({"intervals": 0}, ValueError, "intervals is 0"),
        ({"intervals": "many"}, TypeError, "intervals is 'many'"),
        ({"intervals": {"wage": [1]}}, ValueError, "intervals names 'wage'"),
        (
            {"channels": {"age": AGE}, "intervals": {"age": [40, 30]}},
            ValueError,
            "column 'age': intervals does not inc",
        ),
        ({"intervals": 5000}, ValueError, "intervals is 5000; expected a whole number in \\[1, 2000\\]"),
        ({"intervals": np.array([1, 2])}, TypeError, "intervals is a ndarray"),
        (
            {"channels": {"age": AGE}, "intervals": {"age": "ten"}},
            TypeError,
            r"intervals\['age'\] is 'ten'; expected a list",
        ),
        ({"smooth": 7}, ValueError, "smooth is 7"),
        ({"tree": GiniTreeClassifier(prune="hard")}, ValueError, "prune is 'hard'"),
        ({"tree": Tree}, TypeError, "tree is .*; expected a GiniTreeClassifier, or None for its defaults"),
        ({"channels": {"age": AGE}, "stop": "soon"}, TypeError, "stop is of type str"),
        ({"channels": {"age": AGE}, "smooth": 2}, ValueError, "smooth is 2"),
        ({"channels": {"age": AGE}, "exact": None}, ValueError, "exact is None"),
    ],
)
def test_bad_parameters_are_refused_in_fit(arguments, error, message):
    X, y = quest(300, function=1, rng=1)
    S = X.assign(age=AGE.disguise(X["age"], rng=1))
    with pytest.raises(error, match=message):
        ReconstructedTreeClassifier(**arguments).fit(S, y)


def test_bad_values_are_refused_with_their_column():
    X, y = quest(300, function=1, rng=1)
    for value, message in (
        (1e6, "column 'age': values has 1 of 300"),
        (np.nan, "column 'age': values has 1 missing"),
    ):
        S = X.assign(age=np.append(AGE.disguise(X["age"][:-1], rng=1), value))
        with pytest.raises(ValueError, match=message):
            ReconstructedTreeClassifier({"age": AGE}).fit(S, y)
    with pytest.raises(ValueError, match="one class only"):
        ReconstructedTreeClassifier({"age": AGE}).fit(S.assign(age=X["age"]), ["A"] * 300)
    with pytest.raises((TypeError, ValueError), match="town"):
        ReconstructedTreeClassifier({"town": AGE}).fit(X.assign(town="Bern"), y)


class Unknown(Channel):
    """A channel that is neither for numbers nor for categories, as far as the library knows."""


Unknown.__abstractmethods__ = frozenset()


def test_what_no_reconstruction_fits_is_refused():
    X, y = quest(300, function=1, rng=1)
    kept = KeepOrReplace(keep=0.7, categories=range(5))
    with pytest.raises(TypeError, match=r"column 'elevel': intervals are given; expected none for categories"):
        ReconstructedTreeClassifier({"elevel": kept}, intervals={"elevel": [0, 4]}).fit(X, y)
    with pytest.raises(
        TypeError, match=r"column 'age': its channel is .*Unknown.*; expected a NumericChannel or a channel of"
    ):
        ReconstructedTreeClassifier({"age": Unknown()}).fit(X, y)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"channels": Disguise({"wage": UniformNoise(half_width=1, low=0, high=9)})},
            "disguises none of the columns",
        ),
        (
            {"tree": GiniTreeClassifier({"wage": [1]})},
            r"tree has intervals=\{'wage': \[1\]\}; give them to Reconstructed",
        ),
        (
            {"tree": GiniTreeClassifier(5)},
            "tree has intervals=5; give them to ReconstructedTreeClassifier instead",
        ),
    ],
)
def test_what_would_be_left_unused_is_refused(arguments, message):
    X = pd.DataFrame({"age": [1.0, 2, 3, 4]})
    with pytest.raises(ValueError, match=message):
        ReconstructedTreeClassifier(**arguments).fit(X, list("ABAB"))
