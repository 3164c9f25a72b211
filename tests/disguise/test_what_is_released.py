"""What is released is what is claimed: the law to its last value, ε and δ, and nothing of the table beyond it."""

import copy
import math
import multiprocessing
import pickle
import sys
import traceback
import types
import unicodedata

import numpy as np
import pandas as pd
import pytest
from joblib import Parallel, delayed
from scipy.special import log_ndtr, ndtr
from sklearn.base import clone

from ppdm import randomness
from ppdm.disguise import (
    Disguise,
    GaussianNoise,
    GroupedResponse,
    KeepOrReplace,
    PrivacyWarning,
    Release,
    UniformNoise,
    channels_at,
)
from ppdm.disguise import parts as bindings

AGE = {"low": 20, "high": 80}
LEVELS = [2.0, 1.0, 0.5, 0.25]
KEY = bytes(range(7, 39))


@pytest.fixture(autouse=True)
def _no_key_is_bound(monkeypatch):
    monkeypatch.setattr(bindings, "_bound", {})


# --- The law that is drawn is the law that is stated ------------------------------------------------------------------


def ends_of_draws(channel, true, seen):
    """For each seen value the largest number, as a distance from the nearer end, that is drawn to it or below.

    Found by bisection in ``draw`` itself. The share of numbers below it is that number, to one part in 2^42 or better
    (see ``randomness``). Below a half the distance is from 0, above it from 1, which is what the sign tells.
    """
    codes = np.full(len(seen), float(true))

    def above(numbers):
        return channel.draw(codes, numbers) > seen + (channel.step or 0) / 2

    upper = ~above(np.full(len(seen), 0.5))  # more than half of all numbers are drawn to the value or below
    # In the exponent first: tails are as small as floats can be.
    low, high = np.full(len(seen), -1080.0), np.full(len(seen), -1.0)
    for _ in range(70):
        middle = (low + high) / 2
        numbers = np.maximum(np.exp2(middle), 5e-324)
        inside = np.where(upper, above(-numbers), ~above(numbers))
        low, high = np.where(inside, middle, low), np.where(inside, high, middle)
    return np.exp2(low), upper


@pytest.mark.parametrize("level", LEVELS)
def test_every_value_of_the_grid_is_drawn_with_the_probability_that_is_stated(level):
    # All values that can be reached from both ends of the domain, tails included, against the normal distribution
    # function. Tails are compared by their ratio: an absolute tolerance would see no hole in them.
    channel = GaussianNoise.at_privacy(level, **AGE, step=1)
    reach = math.floor(36.5 * channel.sd)
    for true in (20, 80):
        seen = np.arange(true - reach, true + reach)
        tail, upper = ends_of_draws(channel, true, seen)
        z = (seen + 0.5 - true) / channel.sd
        assert np.log(tail) == pytest.approx(log_ndtr(-np.abs(z)), rel=1e-9, abs=1e-9)
        assert (upper == (z > 0)).all()
        # The matrix says the same, as far as its floats reach.
        edges = np.append(seen - 0.5, seen[-1] + 0.5)
        stated = channel.matrix([true - 0.5, true + 0.5], edges)[0]
        below = np.where(upper, 1 - tail, tail)
        assert stated[1:] == pytest.approx(np.diff(below), abs=1e-12)  # it drops what could be rounding


def test_between_the_values_of_the_fine_grid_there_are_no_holes():
    # Neighbouring grid values at 0.1, 3, 6 and 30 standard deviations: each has its own share of the numbers.
    channel = GaussianNoise(sd=1, low=0, high=1)
    for z in (0.1, 3.0, 6.0, 30.0):
        seen = channel.grid * (round(z / channel.grid) + np.arange(-50, 50))
        tail, _ = ends_of_draws(channel, 0, seen + channel.grid / 2)
        expected = np.exp(log_ndtr(-np.abs(seen + channel.grid / 2)))
        assert np.diff(tail) / np.diff(expected) == pytest.approx(np.ones(99), rel=1e-3)


def delta_of(channel, epsilon):
    """δ at ε over all values that can be reached: Σ max(P(seen | one end) − exp(ε) P(seen | other end), 0)."""
    reach = math.ceil(37 * channel.sd / channel.step) * channel.step
    edges = np.arange(channel.low - reach - channel.step / 2, channel.high + reach + channel.step, channel.step)
    shares = []
    for true in (channel.low, channel.high):
        z = (edges - true) / channel.sd
        # Differences of the smaller tail, so that small probabilities keep their digits.
        shares.append(np.where(z[1:] > 0, ndtr(-z[:-1]) - ndtr(-z[1:]), ndtr(z[1:]) - ndtr(z[:-1])))
    one, other = shares
    with np.errstate(over="ignore"):
        return max(
            np.maximum(one - np.exp(epsilon) * other, 0).sum(), np.maximum(other - np.exp(epsilon) * one, 0).sum()
        )


@pytest.mark.parametrize("step", [0.25, 1, 5])
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("delta", [1e-3, 1e-5, 1e-9])
def test_epsilon_is_that_of_the_rounded_noise(level, delta, step):
    channel = GaussianNoise.at_privacy(level, **AGE, step=step)
    epsilon = channel.epsilon(delta)
    assert delta_of(channel, epsilon) == pytest.approx(delta, rel=1e-6)
    # Rounding is what comes after the noise: it can only help.
    assert epsilon <= GaussianNoise.at_privacy(level, **AGE).epsilon(delta) * (1 + 1e-9)


@pytest.mark.parametrize(
    ("level", "delta", "tolerance"),
    [
        *[(level, delta, 1e-6) for level in (8, 4) for delta in (1e-3, 1e-5, 1e-9)],
        *[(2, 1e-3, 1e-6), (2, 1e-5, 1e-6), (1, 1e-3, 1e-6), (1, 1e-5, 2e-4)],
    ],
)
def test_epsilon_of_the_fine_grid_is_that_of_an_independent_accountant(level, delta, tolerance):
    # From an ε of about 20 on theirs loses digits, and errs on the side of more noise.
    # diffprivlib's models ask for an older scikit-learn than ours; its mechanisms do not.
    sys.modules.setdefault("diffprivlib.models", types.ModuleType("diffprivlib.models"))
    from diffprivlib.mechanisms import GaussianAnalytic

    channel = GaussianNoise.at_privacy(level, low=0, high=1)
    theirs = GaussianAnalytic(epsilon=channel.epsilon(delta), delta=delta, sensitivity=1)
    assert theirs._scale == pytest.approx(channel.sd, rel=tolerance)


def test_where_no_draw_from_the_other_end_comes_there_is_no_epsilon():
    assert GaussianNoise.at_privacy(0.12, **AGE).epsilon() < math.inf
    assert GaussianNoise.at_privacy(0.11, **AGE).epsilon() == math.inf


@pytest.mark.parametrize("half_width", [12.3, 40.0, 500.2])
def test_epsilon_of_uniform_noise_on_a_step_is_summed_too(half_width):
    channel = UniformNoise(half_width=half_width, low=0, high=10, step=1)
    reach = math.ceil(half_width) + 1
    seen = np.arange(-reach, 10 + reach + 1)
    one, other = (
        np.diff(np.clip((np.append(seen - 0.5, seen[-1] + 0.5) - true) / (2 * half_width) + 0.5, 0, 1))
        for true in (0, 10)
    )
    for delta in (0.0, 1e-4, 0.004, 0.02, 0.3, 0.9):
        epsilon = channel.epsilon(delta)
        if epsilon < math.inf:
            assert np.maximum(one - math.exp(epsilon) * other, 0).sum() <= delta + 1e-12
        if 0 < epsilon < math.inf:
            assert np.maximum(one - math.exp(epsilon * 0.999) * other, 0).sum() > delta
        if epsilon == math.inf:
            assert one[other == 0].sum() > delta - 1e-12


def test_numbers_from_both_ends_are_the_numbers_of_uniform():
    ends, numbers = (randomness.uniform(100_000, np.random.default_rng(3), two) for two in (True, False))
    assert np.abs(ends).max() <= 0.5
    assert np.where(ends < 0, 1 + ends, ends) == pytest.approx(numbers, abs=2**-51)
    # What follows in a study's stream does not hang on how deep a tail was.
    one, other = np.random.default_rng(3), np.random.default_rng(3)
    randomness.uniform(100_000, one, True)
    randomness.uniform(100_000, other)
    assert one.random() == other.random()


def test_numbers_near_an_end_have_digits_of_their_own(monkeypatch):
    # All words are 0, again and again: the distance falls to the smallest float and no further.
    monkeypatch.setattr(randomness.os, "urandom", lambda n: bytes(n))
    assert 0 < randomness.uniform(1, two_ended=True)[0] < 1e-297
    monkeypatch.setattr(randomness.os, "urandom", lambda n: b"\xff" * n)
    assert -0.5 < randomness.uniform(1, two_ended=True)[0] < 0


# --- Noise that is rounded away ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("channel", "parameters", "message"),
    [
        (
            GaussianNoise,
            {"sd": 1000, "low": 1.7e18, "high": 1.7e18 + 1e6},
            "sd is 1000, which rounding takes away",
        ),
        (GaussianNoise, {"sd": 1e-9, "low": 0, "high": 1e9}, "sd is 1e-09, which rounding"),
        (GaussianNoise, {"sd": 1e-3, "low": 1e18, "high": 2e18}, "sd is 0.001, which rounding"),
        (GaussianNoise, {"sd": 1e-300, "low": 0, "high": 1}, "sd is 1e-300, which rounding"),
        (GaussianNoise, {"sd": 5e-324, "low": 0, "high": 1}, "which rounding takes away on"),
        (
            GaussianNoise,
            {"sd": 0.1, "low": 0, "high": 9, "step": 1},
            "expected at least 0.194, or 0 for no noise",
        ),
        (UniformNoise, {"half_width": 0.25, "low": 0, "high": 4, "step": 1}, "expected at least 0.505, or 0"),
        (UniformNoise, {"half_width": 0.5, "low": 0, "high": 4, "step": 1}, "half_width is 0.5, which rounding"),
        (
            UniformNoise,
            {"half_width": 1e300, "low": 0, "high": 1},
            r"half_width is 1e\+300; expected a number in",
        ),
        (GaussianNoise, {"sd": 1e308, "low": 0, "high": 1}, r"sd is 1e\+308; expected a number in \[0, 1e\+06\]"),
        (UniformNoise, {"half_width": 1, "low": 0, "high": 1e308}, r"high is 1e\+308; expected a number in"),
        (UniformNoise, {"half_width": 10**400, "low": 0, "high": 1}, "half_width is .*expected a number in"),
        (UniformNoise, {"half_width": 9, "low": 1e18, "high": 1e18 + 1024, "step": 1}, "step is 1, which floats"),
    ],
)
def test_noise_that_would_be_rounded_away_is_refused(channel, parameters, message):
    with pytest.raises(ValueError, match=message):
        channel(**parameters)


@pytest.mark.parametrize("noise", [GaussianNoise, UniformNoise])
@pytest.mark.parametrize("step", [None, 1])
def test_the_least_noise_that_is_accepted_changes_values(noise, step):
    domain = {"low": 0, "high": 9, "step": step}
    least = noise(**{noise.scale_name: 1}, **domain)._least_scale
    channel = noise(**{noise.scale_name: least * 1.001}, **domain)
    values = np.full(20_000, 3.0)
    # One in a hundred on a step (five standard errors: 0.35 %), on the fine grid all but one in hundreds.
    assert (channel.disguise(values, rng=1) != values).mean() >= (0.006 if step else 0.99)


def test_a_level_that_a_step_takes_away_is_no_noise_and_says_so():
    with pytest.warns(PrivacyWarning, match="at level 0.1, tells most values: the step is too coarse"):
        assert UniformNoise.at_privacy(0.1, low=0, high=4, step=1).half_width == 0


@pytest.mark.parametrize("noise", [GaussianNoise, UniformNoise])
@pytest.mark.parametrize("scale", [1e-4, 1, 1e3, 1e6])
def test_the_matrix_of_any_noise_that_is_accepted_is_a_law(noise, scale):
    channel = noise(**{noise.scale_name: scale}, low=0, high=1)
    bins = channel.true_bins(20)
    assert channel.matrix(bins, channel.seen_bins(bins)).sum(axis=1) == pytest.approx(np.ones(20), abs=1e-6)


# --- A release carries nothing else -----------------------------------------------------------------------------------


def sorted_ages(n=2000):
    return pd.DataFrame({"age": np.sort(np.random.default_rng(1).uniform(20, 80, n))})


NOISE = UniformNoise.at_privacy(1.0, **AGE)


def mean_of_neighbours(seen, window=101):
    return seen.rolling(window, center=True, min_periods=1).mean()


def test_row_order_gives_noise_away_and_is_warned_of():
    X = sorted_ages()
    with pytest.warns(PrivacyWarning, match=r"column 'age' goes with the row number: .* shuffle=True"):
        seen = Disguise({"age": NOISE}, random_state=1).fit_transform(X)
    error = (seen["age"] - X["age"]).std()
    assert error == pytest.approx(18.2, abs=0.8)
    assert (mean_of_neighbours(seen["age"]) - X["age"]).std() < error / 7


def test_shuffled_rows_have_a_new_order_and_a_new_index():
    X = sorted_ages().set_index(pd.Index([f"person {i}" for i in range(2000)], name="who"))
    X["number"] = np.arange(2000)
    disguise = Disguise({"age": NOISE}, random_state=1, shuffle=True)
    seen = disguise.fit_transform(X)  # no warning
    assert seen.index.equals(pd.RangeIndex(2000))
    assert seen.index.name is None
    assert sorted(seen["number"]) == list(range(2000))  # rows move as a whole
    assert (seen["age"] - X["age"].to_numpy()[seen["number"]]).abs().max() <= NOISE.half_width + 1e-4
    # Spearman's ρ of 2,000 records has a standard error of 0.022.
    assert abs(seen["number"].corr(pd.Series(range(2000)))) < 0.11
    pd.testing.assert_frame_equal(clone(disguise).fit_transform(X), seen)
    array = Disguise({0: NOISE}, shuffle=True).fit_transform(X[["age", "number"]].to_numpy())
    assert sorted(array[:, 1]) == list(range(2000))
    other = Disguise({"age": NOISE}, shuffle=True)
    assert not other.fit_transform(X)["number"].equals(
        Disguise({"age": NOISE}, shuffle=True).fit_transform(X)["number"]
    )


def test_a_keyed_release_is_shuffled_anew_and_its_values_stay():
    X = sorted_ages(300).assign(id=range(300))
    disguise = Disguise({"age": NOISE}, key=KEY, entity="id", shuffle=True).fit(X)
    first, second = disguise.transform(X), disguise.transform(X)
    assert not first.equals(second)
    pd.testing.assert_frame_equal(*(one.sort_values("id", ignore_index=True) for one in (first, second)))
    assert disguise.__sklearn_tags__().non_deterministic


def test_shuffled_rows_do_not_leave_their_classes_behind():
    X, y = sorted_ages(100), np.repeat([0, 1], 50)
    disguise = Disguise({"age": NOISE}, shuffle=True)
    for call in (disguise.fit, disguise.fit_transform, disguise.fit(X).release):
        with pytest.raises(
            ValueError, match=r"y is given with shuffle=True, .*; expected the class as a column of X"
        ):
            call(X, y)
    with_class = X.assign(label=y)
    assert "label" in disguise.fit_transform(with_class, with_class["label"])
    with pytest.raises(ValueError, match="shuffle is 1; expected one of True, False"):
        Disguise({"age": NOISE}, shuffle=1).fit(X)


@pytest.mark.parametrize(
    ("values", "goes"),
    [
        (np.linspace(20, 80, 500), True),
        (np.linspace(80, 20, 500), True),
        (50 + 30 * np.sin(np.arange(500) / 20), True),
        (np.repeat([20.0, 80], 250), True),
        (np.random.default_rng(1).uniform(20, 80, 500), False),
        (np.full(500, 30.0), False),
        ([20.0, 80, 50], False),
    ],
    ids=["up", "down", "wave", "two halves", "by chance", "constant", "few"],
)
def test_which_columns_go_with_the_row_number(values, goes):
    X = pd.DataFrame({"age": values})
    if goes:
        with pytest.warns(PrivacyWarning, match="goes with the row number"):
            Disguise({"age": NOISE}).fit_transform(X)
    else:
        Disguise({"age": NOISE}).fit_transform(X)  # a warning would be an error


def test_columns_in_a_random_order_warn_of_nothing():
    # 400 tables of 100 records in random order: at five standard errors none is taken for one in order.
    rng = np.random.default_rng(1)
    for _ in range(400):
        Disguise({"age": NOISE}, random_state=1).fit_transform(pd.DataFrame({"age": rng.uniform(20, 80, 100)}))


def test_the_index_tells_the_order_too():
    X = sorted_ages().sample(frac=1, random_state=1)
    with pytest.warns(PrivacyWarning, match="column 'age' goes with the index"):
        seen = Disguise({"age": NOISE}).fit_transform(X)
    off = mean_of_neighbours(seen["age"].sort_index()) - X["age"].sort_index()
    assert off.std() < 3
    Disguise({"age": NOISE}).fit_transform(X.reset_index(drop=True))  # a warning would be an error


@pytest.mark.parametrize(
    "call",
    [
        lambda: Disguise({"age": NOISE}).fit_transform(sorted_ages()),
        lambda: Disguise({"age": NOISE}).fit(sorted_ages()).release(sorted_ages(300)),
        lambda: UniformNoise.at_privacy(0.1, low=0, high=4, step=1),
        lambda: channels_at("uniform", 0.1, {"age": {"low": 0, "high": 4, "step": 1}}),
    ],
)
def test_a_warning_points_at_the_line_that_called(call):
    # Python shows a warning once for each place: one inside the library would be shown for the first table alone.
    with pytest.warns(PrivacyWarning) as told:
        call()
    assert [warning.filename for warning in told] == [__file__]


def test_labels_that_no_row_has_stay_behind():
    names = pd.MultiIndex.from_product([["Ann", "Bob", "Mr Smith"], ["a"]], names=["who", "what"])
    X = pd.DataFrame({"age": [30.0, 40, 50]}, index=names)
    seen = Disguise({"age": NOISE}).fit_transform(X.iloc[:2])
    assert list(map(list, seen.index.levels)) == [["Ann", "Bob"], ["a"]]
    some = X.set_axis(pd.CategoricalIndex(["Ann", "Bob", "Mr Smith"])).iloc[:2]
    assert Disguise({"age": NOISE}).fit_transform(some).index.categories.tolist() == ["Ann", "Bob"]


class Secretive(pd.DataFrame):
    _metadata = ["secret"]  # noqa: RUF012  (pandas's)

    @property
    def _constructor(self):
        return Secretive


def test_a_release_has_nothing_of_the_table_but_its_values():
    town = pd.Categorical(["Ayr", "Bern", "Ayr"], ["Ayr", "Bern", "Mr. Smith's house"])
    X = Secretive({"age": pd.array([30, 40, 50], "Int8"), "town": town, "home": town})
    X.secret, X.attrs = "Mr. Smith", {"secret": "Mr. Smith"}
    X["age"].attrs["secret"] = "Mr. Smith"
    towns = KeepOrReplace(keep=0.5, categories=["Ayr", "Bern", "Cork"])
    seen = Disguise({"age": UniformNoise(half_width=9, **AGE, step=1), "town": towns}).fit_transform(X)
    assert type(seen) is pd.DataFrame
    assert seen.attrs == {}
    assert not hasattr(seen, "secret")
    assert [seen[name].attrs for name in seen] == [{}, {}, {}]
    assert seen["age"].dtype == np.int64
    assert seen["town"].cat.categories.tolist() == ["Ayr", "Bern", "Cork"]
    assert seen["home"].cat.categories.tolist() == ["Ayr", "Bern"]
    assert "Smith" not in repr(seen.__dict__) + repr(pickle.dumps(seen))
    groups = GroupedResponse(0.8, [["a"]]).disguise(Secretive({"a": [0, 1, 1], "home": town}))
    assert type(groups) is pd.DataFrame
    assert groups["home"].cat.categories.tolist() == ["Ayr", "Bern"]


def test_the_dtype_of_the_original_does_not_show():
    channel = UniformNoise(half_width=9, **AGE, step=1)
    kinds = ["int8", "int64", "float32", "float64", "Int16", "Float64"]
    assert {Disguise({"age": channel}).fit_transform(pd.DataFrame({"age": [30, 40]}, dtype=kind))["age"].dtype
            for kind in kinds} == {np.dtype("int64")}  # fmt: skip


# --- Seeds ------------------------------------------------------------------------------------------------------------


def a_table(seed=1, n=400):
    return pd.DataFrame({"age": np.random.default_rng(seed).uniform(20, 80, n)})


def noise_of(disguise, X):
    return (disguise.transform(X) - X)["age"].to_numpy()


def share_noise(one, other):
    return bool(
        np.abs(one - other).mean() < 1
    )  # years; independent noise of ±31.6 years differs by 21 on average


def test_two_columns_with_one_seed_do_not_share_noise():
    a, b = (a_table(seed)["age"].to_numpy() for seed in (1, 2))
    noise = [NOISE.disguise(values, rng=7) - values for values in (a, b)]
    assert not share_noise(*noise)
    wide = UniformNoise(half_width=2 * NOISE.half_width, **AGE)
    # The same noise at two scales would give the value away.
    assert not share_noise(noise[0], (wide.disguise(a, rng=7) - a) / 2)
    assert np.array_equal(NOISE.disguise(a, rng=7), NOISE.disguise(a, rng=7))  # a study repeats
    answers = GroupedResponse(0.5 + 1e-3, [["a"]])
    tables = [pd.DataFrame({"a": np.random.default_rng(seed).integers(0, 2, 1000)}) for seed in (1, 2)]
    lies = [(answers.disguise(table, rng=7) != table)["a"] for table in tables]
    assert (lies[0] == lies[1]).mean() == pytest.approx(0.5, abs=0.08)  # five standard errors


def test_two_objects_with_one_seed_do_not_share_noise():
    tables = [a_table(seed) for seed in (1, 2)]
    for seed in (lambda: 7, lambda: np.random.RandomState(7)):
        noise = [noise_of(Disguise({"age": NOISE}, random_state=seed()).fit(X), X) for X in tables]
        assert not share_noise(*noise)
    disguise = Disguise({"age": NOISE}, random_state=7).fit(tables[0])
    assert not share_noise(*(noise_of(disguise, X) for X in tables))


@pytest.mark.parametrize("random_state", [7, np.random.default_rng(7)], ids=["seed", "generator"])
def test_copies_do_not_repeat_the_noise(random_state):
    X, other = a_table(1), a_table(2)
    disguise = Disguise({"age": NOISE}, random_state=random_state).fit(X)
    stored = pickle.dumps(disguise)
    copies = [pickle.loads(stored), pickle.loads(stored), copy.deepcopy(disguise), copy.deepcopy(disguise)]
    noise = [noise_of(one, X) for one in copies]
    parallel = Parallel(n_jobs=2)(delayed(Disguise.transform)(disguise, X) for _ in range(3))
    with multiprocessing.get_context("fork").Pool(2) as pool:
        parallel += [pool.apply(disguise.transform, (X,)) for _ in range(3)]
    noise += [(seen - X)["age"].to_numpy() for seen in parallel]
    noise.append(noise_of(disguise, other))
    pairs = [(i, j) for i in range(len(noise)) for j in range(i)]
    assert [pair for pair in pairs if share_noise(*(noise[i] for i in pair))] == []


def test_the_one_copy_that_goes_on_as_the_original_gives_no_other_table_its_noise():
    X, other = a_table(1), a_table(2)
    disguise = Disguise({"age": NOISE}, random_state=7).fit(X)
    copied = pickle.loads(pickle.dumps(disguise))
    first = disguise.transform(X)
    pd.testing.assert_frame_equal(copied.transform(X), first)  # as scikit-learn asks; it tells nothing new
    assert not share_noise((first - X)["age"], noise_of(copied, other))


def test_a_pickle_tells_nothing_of_what_was_released():
    disguise = Disguise({"age": NOISE}).fit(a_table())
    before = len(pickle.dumps(disguise))
    disguise.transform(a_table())
    assert len(pickle.dumps(disguise)) == before


def test_many_threads_never_get_the_same_noise():
    X = a_table(n=20)
    disguise = Disguise({"age": NOISE}, random_state=7).fit(X)
    disguise.transform(X)
    with pytest.warns(PrivacyWarning):
        disguise.transform(X)
    found = Parallel(n_jobs=4, prefer="threads")(delayed(noise_of)(disguise, X) for _ in range(200))
    assert len({one.tobytes() for one in found}) == 200


def test_a_second_release_of_a_table_warns_once():
    X = a_table()
    for random_state in (None, 3):
        disguise = Disguise({"age": NOISE}, random_state=random_state).fit(X)
        disguise.transform(X)
        disguise.transform(a_table(2))
        with pytest.warns(
            PrivacyWarning, match="the same table is released again, with new noise, which averages out"
        ):
            disguise.transform(X)
        disguise.transform(X)  # once is enough: a second warning would be an error here
    keyed = Disguise({"age": NOISE}, key=KEY, entity="id").fit(X.assign(id=range(400)))
    for _ in range(3):
        keyed.transform(X.assign(id=range(400)))


def test_a_release_without_a_law_is_recognised_too():
    class Turned(Release):
        needs_class = False

        def release(self, X, y=None, rng=None):  # noqa: ARG002
            return X.sample(frac=1, random_state=randomness.stream(rng)).set_axis(X.index)

    X = pd.DataFrame({"name": [f"person {i}" for i in range(100)]})
    disguise = Disguise({"name": Turned()}, random_state=1).fit(X)
    first = disguise.transform(X)
    assert not disguise.transform(X[::-1]).equals(first)
    with pytest.warns(PrivacyWarning, match="released again"):
        disguise.transform(X)


def test_what_is_seeded_says_so():
    assert repr(Disguise({"age": NOISE}, random_state=3)).endswith("random_state=3)  # seeded, for study only")
    assert "seeded, for study only" in Disguise({"age": NOISE}, random_state=3)._repr_html_()
    for text in (repr(Disguise({"age": NOISE})), Disguise({"age": NOISE})._repr_html_()):
        assert "for study" not in text


# --- Keys -------------------------------------------------------------------------------------------------------------


def with_ids(n=40):
    return a_table(n=n).assign(id=range(n))


HIDDEN = b"hidden4711hidden4711"


def with_locals(error):
    """An error as tools print it that show local variables: all frames but the test's own."""
    frames = error.__traceback__.tb_next
    return "".join(traceback.TracebackException(type(error), error, frames, capture_locals=True).format())


@pytest.mark.parametrize(
    "key",
    [
        HIDDEN,
        HIDDEN.decode(),
        bytearray(HIDDEN),
        list(HIDDEN),
        np.bytes_(HIDDEN),
        memoryview(HIDDEN),
        4711 << 64,
        4711.5,
    ],
    ids=lambda key: type(key).__name__,
)
def test_a_key_of_whatever_type_is_never_shown(key):
    disguise = Disguise({"age": NOISE}, key=key, entity="id")
    shown = [repr(disguise), str(disguise.get_params()), disguise._repr_html_(), repr(vars(disguise))]
    shown += [repr(clone(disguise)), repr(pickle.dumps(disguise)), repr(copy.deepcopy(disguise).key)]
    if type(key) is bytes:
        disguise.fit(with_ids())
    else:
        with pytest.raises(TypeError, match=r"expected bytes, as from secrets.token_bytes") as refused:
            disguise.fit(with_ids())
        shown.append(with_locals(refused.value))
    with pytest.raises(ValueError, match="Invalid parameter 'colour'") as refused:
        disguise.set_params(key=key, colour="red")
    shown += [repr(disguise), repr(pickle.dumps(disguise)), with_locals(refused.value)]
    for text in shown:
        assert "4711" not in text
        assert str(4711 << 64) not in text
        assert str(list(HIDDEN))[1:-1] not in text


def test_an_interrupt_shows_neither_the_key_nor_what_is_derived_from_it(monkeypatch):
    disguise = Disguise({"age": NOISE}, key=HIDDEN, entity="id").fit(with_ids())
    derived = []
    digest = randomness.hmac.digest
    monkeypatch.setattr(randomness.hmac, "digest", lambda *given: derived.append(digest(*given)) or derived[-1])

    def messages():
        yield b"ann"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as stopped:
        disguise.key.words("age", messages())
    seen = with_locals(stopped.value)
    assert "own = <secret>" in seen
    assert "4711" not in seen
    assert derived
    assert repr(derived[-1])[2:20] not in seen


@pytest.mark.parametrize(
    "key", [bytes(16), b"0" * 32, b"abababababababab", b"password12345678", b"PassWord-of-the-company"]
)
def test_a_key_that_can_be_guessed_is_refused(key):
    with pytest.raises(
        ValueError, match="key can be guessed; expected bytes drawn by chance, as from secrets"
    ) as told:
        Disguise({"age": NOISE}, key=key, entity="id").fit(with_ids())
    assert repr(key) not in str(told.value)


def test_a_key_serves_one_declared_channel():
    # Each channel that is declared anew gives new noise to all: a hundred of them average it out.
    X = with_ids()
    Disguise({"age": NOISE}, key=KEY, entity="id").fit_transform(X)
    Disguise({"age": UniformNoise.at_privacy(1.0, **AGE)}, key=KEY, entity="id").fit_transform(X)  # the same
    again = UniformNoise.at_privacy(1.0, low=20, high=81)
    with pytest.raises(
        ValueError, match=r"key has disguised column 'age' by another channel, .*; expected the channel of"
    ):
        Disguise({"age": again}, key=KEY, entity="id").fit_transform(X)
    # A key that a fitted copy is given later is bound as any other.
    other = Disguise({"age": again}, key=KEY[::-1], entity="id").fit(X)
    with pytest.raises(ValueError, match="by another channel"):
        other.set_params(key=KEY).transform(X)
    # What released nothing binds nothing.
    Disguise({"age": NOISE}, key=KEY[1:], entity="id").fit(X)
    Disguise({"age": again}, key=KEY[1:], entity="id").fit_transform(X)
    Disguise({"age": again}, key=KEY[::-1], entity="id").fit_transform(X)
    Disguise({"years": again}, key=KEY, entity="id").fit(X.rename(columns={"age": "years"}))


def test_narrow_floats_are_no_names_where_they_merge():
    X = a_table(n=2).assign(age=50.0, id=np.array([2**24, 2**24 + 1], np.float32))
    with pytest.raises(ValueError, match="a float in row 0 that is no whole number below 16,777,216"):
        Disguise({"age": NOISE}, key=KEY, entity="id").fit(X)


def test_names_are_the_same_however_their_letters_are_typed():
    X = a_table(n=2).assign(age=50.0)
    names = ["José", "Zoë"]
    seen = [
        Disguise({"age": NOISE}, key=KEY, entity="who").fit_transform(
            X.assign(who=[unicodedata.normalize(form, name) for name in names])
        )["age"]
        for form in ("NFC", "NFD")
    ]
    assert seen[0].equals(seen[1])
    assert seen[0].nunique() == 2


def test_keyed_gaussian_noise_reaches_its_tails_by_further_digits():
    numbers = randomness.keyed_uniform(KEY, "age", [b"%d" % i for i in range(20_000)], two_ended=True)
    whole = randomness.keyed_uniform(KEY, "age", [b"%d" % i for i in range(20_000)])
    assert np.where(numbers < 0, 1 + numbers, numbers) == pytest.approx(whole, abs=2**-51)
    assert (np.where(numbers < 0, 1 + numbers, numbers) != whole).any()  # some had further digits
