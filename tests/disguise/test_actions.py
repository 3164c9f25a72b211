"""Actions that change values: what they release, their laws against simulation, and errors that tell no value."""

import copy
import math
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ppdm.data import load
from ppdm.disguise import GaussianNoise, KeepOrReplace, UniformNoise
from ppdm.disguise.actions import ACTIONS

PIMA = load("pima")
ADULT = load("adult", part="first10000")
AGE, CLASS = PIMA.X["age"], PIMA.y
WORK = ADULT.X["workclass"]


def made(name, **parameters):
    """An action, its parameters checked one by one as a specification checks them."""
    action = ACTIONS[name]
    return action(**{one: action.parameters[one](one, value) for one, value in parameters.items()})


def fitted(name, true, companion=None, **parameters):
    return made(name, **parameters).fit(true, companion)


def posterior(action, true, released):
    """The posterior of released values, and the distinct true ones."""
    places, values = pd.factorize(true, sort=true.dtype != object)
    counts = np.bincount(places)[:, None]
    return action.posterior(released, np.zeros(len(released), int), values, counts), values


def names(values, found, true, tolerance):
    """The share of records whose true value is in the window, twice the tolerance wide, that holds most."""
    starts = np.asarray(values)
    inside = (starts >= starts[:, None]) & (starts <= starts[:, None] + 2 * tolerance)
    start = starts[(found @ inside.T).argmax(axis=1)]
    return float(((start <= true) & (true <= start + 2 * tolerance)).mean())


# --- posteriors by brute force: many records, counted by what was released of them ---
SMALL = [1, 2, 3, 5, 8]
LAWS = {
    "keep": ("keep", {}, SMALL),
    "discretise": ("discretise", {"method": "cuts", "cuts": [2, 4]}, SMALL),
    "discretise to middles": ("discretise", {"method": "width", "intervals": 3, "label": "middle"}, SMALL),
    "Gaussian noise": ("add", {"sd": 1.5}, SMALL),
    "uniform noise": ("add", {"noise": "uniform", "half_width": 2.5, "low": 0, "high": 9}, SMALL),
    "lognormal factors": ("multiply", {"sd": 0.4}, SMALL),
    "Gaussian factors": ("multiply", {"noise": "gaussian", "sd": 0.3}, SMALL),
    "uniform factors": ("multiply", {"noise": "uniform", "sd": 0.5}, SMALL),
    "replace": ("replace", {"keep": 0.6}, list("abcde")),
    "generalise": ("generalise", {"groups": {"g": ["a", "c"], "h": ["e", "b"]}}, list("abcde")),
    "redraw without ranks": ("redraw", {}, list("abcde")),
}


@pytest.mark.parametrize("law", LAWS)
def test_the_posterior_is_what_counting_finds(law):
    name, parameters, values = LAWS[law]
    true = pd.Series(np.random.default_rng(2).choice(values, 100_000, p=[0.3, 0.1, 0.2, 0.3, 0.1]))
    action = fitted(name, true, **parameters)
    released = action.release(true, rng=6)
    counted = pd.crosstab(released, true)
    often = counted[counted.sum(axis=1) > 500]
    shares = often.div(often.sum(axis=1), axis=0)
    found, _ = posterior(action, true, pd.Series(often.index))
    assert found.sum(axis=1) == pytest.approx(1)
    # 5 standard errors of the share of a row's records; a right law fails once in some ten thousand seeds.
    error = np.sqrt(found * (1 - found) / often.sum(axis=1).to_numpy()[:, None])
    assert (np.abs(shares - found) <= 5 * error + 1e-9).all(axis=None)


@pytest.mark.parametrize("noise", ["lognormal", "gaussian", "uniform"])
def test_the_law_of_products_sums_to_1(noise):
    action = fitted("multiply", pd.Series(SMALL), noise=noise, sd=0.3)
    law = np.exp(action.log_law(np.arange(-20, 300), SMALL))
    assert law.sum(axis=1) == pytest.approx(1, abs=1e-9)
    shapes = {"lognormal": 0.3, "gaussian": 0.3, "uniform": 0.3}
    released = action.release(pd.Series(np.full(100_000, 1000)), rng=3)
    # Mean 1000, sd 300: within 5 standard errors (about 1 and 1).
    assert released.mean() == pytest.approx(1000, abs=5)
    assert released.std() == pytest.approx(1000 * shapes[noise], abs=7)


def test_the_law_of_products_is_right_far_from_the_truth():
    # In the far tails the difference of two cumulated probabilities loses all digits: here against logs of SciPy.
    action = fitted("multiply", pd.Series([1, 1000]), noise="gaussian", sd=0.1)
    for seen, true in ((170, 100), (30, 100), (1800, 1000)):
        z = (np.array([seen - 0.5, seen + 0.5]) / true - 1) / 0.1
        upper, lower = stats.norm.logsf(np.sort(np.abs(z)))[::1]
        expected = upper + math.log1p(-math.exp(lower - upper))
        assert action.log_law([seen], [true])[0, 0] == pytest.approx(expected, rel=1e-8)


NAMED = [  # of age within 3 years, as measured by hand; noise ± .03
    ("keep", {}, 1.0, 0),
    ("discretise", {}, 0.603, 5e-4),
    ("discretise", {"method": "frequency", "intervals": 5}, 0.846, 5e-4),
    ("discretise", {"method": "width", "intervals": 10}, 1.0, 5e-4),
    ("add", {"privacy": 0.5}, 0.546, 0.03),
    ("add", {"privacy": 1}, 0.457, 0.03),
    ("add", {"noise": "uniform", "privacy": 1}, 0.484, 0.03),
    ("multiply", {"noise": "gaussian", "sd": 0.05}, 0.948, 0.03),
    ("multiply", {"noise": "gaussian", "sd": 0.276}, 0.539, 0.03),
]


@pytest.mark.parametrize(("name", "parameters", "expected", "tolerance"), NAMED)
def test_an_intruder_names_age_as_often_as_measured(name, parameters, expected, tolerance):
    action = fitted(name, AGE, CLASS, **parameters)
    found, values = posterior(action, AGE, action.release(AGE, rng=1))
    assert names(values, found, AGE, 3) == pytest.approx(expected, abs=tolerance)


# --- discretise ---
def test_intervals_do_not_tell_the_ends():
    action = fitted("discretise", AGE, CLASS)
    released = action.release(AGE)
    assert released.cat.ordered
    assert released.value_counts(sort=False).to_dict() == {"< 28.5": 367, ">= 28.5": 401}
    assert ((released == "< 28.5") == (AGE < 28.5)).all()
    assert (action.release(pd.Series([0, 28.5, 999])) == ["< 28.5", ">= 28.5", ">= 28.5"]).all()


LARGE = 1_600_000_000_020


@pytest.mark.parametrize(
    ("values", "cuts", "expected"),
    [
        (range(LARGE, LARGE + 9), [LARGE + 1, LARGE + 2], [f"< {LARGE + 1}", f"{LARGE + 1} to {LARGE + 2}"]),
        ([0, 0.15, 0.3], [0.1, 0.1 + 0.05], ["< 0.1", "0.1 to 0.15000000000000002"]),
        ([0, 50, 100], [28.5, 99.5], ["< 28.5", "28.5 to 99.5"]),
        ([0, 27, 1e30], [27, 1e22], ["< 27", "27 to 1e+22"]),
    ],
)
def test_labels_tell_cuts_apart_and_as_they_are(values, cuts, expected):
    true = pd.Series(values)
    labels = made("discretise", method="cuts", cuts=cuts).fit(true).release(true).cat.categories
    assert labels.tolist()[:2] == expected
    assert float(labels[-1].removeprefix(">= ")) == cuts[-1]


def test_cuts_from_data_have_few_digits_where_these_divide_the_values_alike():
    thirds = pd.Series([*range(11)])
    action = made("discretise", method="width", intervals=3).fit(thirds)
    assert action.release(thirds).cat.categories[0] == "< 3.33333333333"
    times = pd.Series(range(LARGE, LARGE + 100))
    released = made("discretise", method="frequency", intervals=50).fit(times).release(times)
    assert released.nunique() == 50
    assert (released.value_counts() == 2).all()


def test_a_cut_belongs_to_the_interval_above_and_missing_stays_missing():
    true = pd.Series([1, None, 2, 4, 0.1 + 0.2, 3.9], index=[5, 5, 1, 0, 2, 3], name="n")
    labels = {"interval": ["< 2", None, "2 to 4", ">= 4", "< 2", "2 to 4"], "code": [0, None, 1, 2, 0, 1]}
    for label, expected in labels.items():
        action = fitted("discretise", true, method="cuts", cuts=[2, 4], label=label)
        released = action.release(true)
        assert released.index.equals(true.index)
        assert released.name == "n"
        assert released.astype(object).where(released.notna(), None).tolist() == expected
    action = fitted("discretise", true, method="cuts", cuts=[2, 4], label="middle", low=0, high=6)
    assert action.release(true).tolist()[2:] == [3, 5, 1, 3]
    assert action.release(pd.Series([np.nan])).isna().all()
    assert (
        fitted("discretise", true.dropna(), method="cuts", cuts=[2], label="code").release(true[2:]).dtype == int
    )


def test_nullable_numbers_are_cut_as_others():
    true = pd.Series([1, None, 3, 4], dtype="Int64")
    released = fitted("discretise", true, method="frequency", intervals=2).release(true)
    assert released.isna().tolist() == [False, True, False, False]


def test_a_column_without_a_cut_becomes_constant_and_is_noted():
    action = fitted("discretise", PIMA.X["pres"], CLASS)
    assert action.release(PIMA.X["pres"]).unique().tolist() == ["any"]


def test_middles_that_tell_the_ends_are_noted():
    told = "tell the lowest and the highest"
    action = fitted("discretise", AGE, method="frequency", intervals=3, label="middle")
    assert any(told in note for note in action.notes)
    declared = {"label": "middle", "low": 18, "high": 100}
    action = fitted("discretise", AGE, method="cuts", cuts=[30, 50], **declared)
    assert action.notes == []
    assert sorted(action.release(AGE).unique()) == [24, 40, 75]


@given(
    st.lists(st.integers(0, 9), min_size=6, max_size=30),
    st.integers(1, 3),
    st.sampled_from(["width", "frequency"]),
)
def test_no_group_is_smaller_than_asked(values, least, method):
    true = pd.Series(values)
    action = fitted("discretise", true, method=method, intervals=5, min_group=least)
    assert action.release(true).value_counts().min() >= least


# --- add ---
@pytest.mark.parametrize(
    ("parameters", "channel"),
    [
        ({"privacy": 1}, GaussianNoise.at_privacy(1, low=21, high=81, step=1)),
        ({"sd": 4}, GaussianNoise(sd=4, low=21, high=81, step=1)),
        ({"noise": "uniform", "half_width": 9, "low": 0}, UniformNoise(half_width=9, low=0, high=81, step=1)),
        ({"sd": 4, "low": 0.5, "high": 90.5}, GaussianNoise(sd=4, low=0.5, high=90.5)),
        ({"sd": 4, "low": 0, "high": 90, "step": 0.5}, GaussianNoise(sd=4, low=0, high=90, step=0.5)),
    ],
    ids=repr,
)
def test_noise_is_that_of_a_channel(parameters, channel):
    action = fitted("add", AGE, **parameters)
    assert action.channel == channel
    assert bool(action.notes) == (not {"low", "high", "step"} <= set(parameters))
    released = action.release(AGE, rng=4)
    assert released.equals(channel.disguise(AGE, rng=4))
    assert released.index.equals(AGE.index)
    law = action.log_law(released[:5], AGE[:7])
    assert law.shape == (7, 5)
    assert law == pytest.approx(channel.log_likelihood(released[:5].to_numpy(), AGE[:7].to_numpy()[:, None]))


def test_numbers_of_a_million_values_count_as_continuous():
    true = pd.Series(np.arange(0, 2_000_000, 1000))
    assert fitted("add", true, privacy=2).channel.step is None
    assert fitted("redraw", true).channel.step == 1


# --- multiply ---
def test_whole_numbers_stay_whole_and_others_lose_their_low_bits():
    released = fitted("multiply", AGE, sd=0.2).release(AGE, rng=1)
    assert released.dtype == int
    true = PIMA.X["pedi"].rename("p")
    action = fitted("multiply", true, sd=0.2)
    released = action.release(true, rng=1)
    assert (released / action._grid % 1 == 0).all()
    assert 2.0**-25 < action._grid / (0.2 * true.min()) <= 2.0**-20
    assert released.name == "p"


# --- replace ---
CATEGORIES = {
    "text": pd.Series(["a", "b", "c", "a"]),
    "booleans": pd.Series([True, False, True, True]),
    "nullable booleans": pd.Series([True, False, True], dtype="boolean"),
    "whole numbers": pd.Series([3, 1, 2]),
    "nullable numbers": pd.Series([3, 1, 2], dtype="Int64"),
    "dates": pd.Series(pd.to_datetime(["2001-02-03", "1999-01-01", "2001-02-03"])),
    "categories": pd.Series(pd.Categorical(["b", "a", "b"], ["b", "a", "unused"])),
    "ordered": pd.Series(pd.Categorical(["b", "a", "b"], ["b", "a"], ordered=True)),
    "objects": pd.Series(["a", 1, (2, 3)], dtype=object),
}


@pytest.mark.parametrize("kind", CATEGORIES)
def test_categories_of_any_kind_are_replaced(kind):
    true = CATEGORIES[kind].rename("c").set_axis(np.arange(len(CATEGORIES[kind])) * 2)
    for keep, same in ((1, True), (0, False)):
        action = fitted("replace", true, keep=keep)
        released = action.release(true, rng=1)
        assert (released.astype(object) == true.astype(object)).all() == same
        assert set(released) <= set(true)
        assert released.index.equals(true.index)
        assert pd.api.types.is_numeric_dtype(released.dtype) == pd.api.types.is_numeric_dtype(true.dtype)
    assert "categories are taken from the data" in action.notes[0]
    found, _ = posterior(fitted("replace", true, keep=0.8), true, released)
    assert found.sum(axis=1) == pytest.approx(1)


def test_declared_categories_may_be_answered():
    action = fitted("replace", pd.Series(["a", "b"]), keep=0.2, categories=["a", "b", "z"])
    assert action.notes == []
    assert action.channel == KeepOrReplace(keep=0.2, categories=["a", "b", "z"])
    assert "z" in set(action.release(pd.Series(["a"] * 50), rng=1))


# --- generalise ---
def test_groups_replace_their_values():
    groups = {"state": ["State-gov", "Federal-gov", "Local-gov"], "self": ["Self-emp-inc", "Self-emp-not-inc"]}
    action = fitted("generalise", WORK, groups=groups)
    released = action.release(WORK)
    assert isinstance(released.dtype, pd.CategoricalDtype)
    assert released.isna().equals(WORK.isna())
    counts, before = released.value_counts(), WORK.value_counts()
    assert counts["state"] == before[groups["state"]].sum()
    assert counts["Private"] == before["Private"]
    assert action.notes == []


@given(st.lists(st.integers(0, 7), min_size=8, max_size=40), st.integers(2, 4))
def test_rare_values_are_joined(values, least):
    true = pd.Series(values).map(lambda value: f"v{value}")
    action = fitted("generalise", true, min_group=least)
    released, counts = action.release(true), true.value_counts()
    assert released.value_counts().min() >= least
    rare = counts.index[counts < least]
    assert (released[true.isin(rare)] == "other").all()
    # Nothing is joined without need: at most one value more than the rare ones, unless they are too few.
    joined = true[released == "other"].nunique()
    assert joined == len(rare) or counts[rare].sum() < least
    assert len(action.notes) == (len(rare) > 0)


def test_groups_that_are_called_like_other_values_are_noted():
    told = "is a group and a value outside of it: nobody can tell them apart now"
    true = pd.Series(list("xyz") * 3 + ["other", "a", "b", "c"])
    for groups, least, called in (
        ({"y": ["x"]}, 1, ["y"]),
        ({"y": ["x", "y"]}, 1, []),
        ({"y": ["x"], "z": ["y"]}, 1, ["y", "z"]),
        ({"g": ["x"]}, 1, []),
        ({"g": ["x"]}, 2, []),  # "other" is rare, and joined as well
        ({"g": ["x", "other"]}, 2, ["other"]),
    ):
        notes = [
            note for note in fitted("generalise", true, groups=groups, min_group=least).notes if told in note
        ]
        assert notes == [f"{group!r} {told}" for group in called]


@pytest.mark.parametrize("kind", CATEGORIES)
def test_categories_of_any_kind_are_generalised(kind):
    true = CATEGORIES[kind]
    some = true.iloc[0]
    released = fitted("generalise", true, groups={"g": [some]}).release(true)
    same = true.astype(object) == some
    assert (released[same] == "g").all()
    assert released[~same].astype(object).tolist() == true[~same].astype(object).tolist()


# --- what all share ---
SECRET, NUMBER = "Zaphod-4711", 7_654_321.25
TEXT = pd.Series(["a", "b", SECRET, SECRET], name="t")
NUMBERS = pd.Series([1.0, 2.0, 3.0, NUMBER], name="t")
WRONG = [  # what is done with which column, and a word of what is told
    ("add", {"sd": 1}, TEXT, "numbers"),
    ("multiply", {"sd": 0.1}, TEXT, "numbers"),
    ("discretise", {"method": "width", "intervals": 2}, TEXT, "numbers"),
    ("add", {"sd": 1}, pd.Series([1, None]), "missing"),
    ("redraw", {}, pd.Series([1, None]), "missing"),
    ("replace", {"keep": 0.5}, pd.Series(["a", None, "b"]), "missing"),
    ("add", {"sd": 1}, pd.Series([np.inf, 2]), "infinite"),
    ("add", {"sd": 1}, pd.Series([NUMBER, NUMBER]), "single value"),
    ("redraw", {}, pd.Series([NUMBER, NUMBER]), "single value"),
    ("add", {"sd": 1, "low": NUMBER}, pd.Series([1, 2]), "expected"),
    ("add", {"sd": 1, "low": 0, "high": 10}, NUMBERS, "1 of 4 values outside of low and high"),
    ("add", {"sd": 1, "low": 0, "high": 10, "step": 4}, pd.Series([4.0]), "step"),
    ("add", {"sd": 1, "low": 0, "high": 8, "step": 4}, pd.Series([5.0]), "outside the domain"),
    ("add", {"sd": 1e300}, NUMBERS, "^sd does not go with the range"),
    ("add", {"privacy": 0.01}, pd.Series([1, 2, 3]), "^privacy is too small"),
    ("add", {"privacy": 1e-20}, NUMBERS, "^privacy is too small"),
    ("add", {"noise": "uniform", "half_width": 0.01}, pd.Series([1, 2, 54_321]), "^half_width is too small"),
    ("multiply", {"sd": 0.001}, pd.Series([1, 2, 100]), "^sd is too small"),
    ("multiply", {"sd": 0.1}, pd.Series([0, NUMBER, -NUMBER]), "2 of 3 numbers of at most 0"),
    ("redraw", {"density": "exponential"}, pd.Series([1, 99, 100, 101, 102, 100, 99, NUMBER]), "distance of 0"),
    ("redraw", {"low": 3}, TEXT, "numbers only"),
    ("replace", {"keep": 0.5}, pd.Series([SECRET, SECRET]), "single value"),
    ("replace", {"keep": 0.5, "categories": ["a", "b"]}, TEXT, "2 of 4 unknown"),
    ("generalise", {"groups": {"g": ["no"]}}, TEXT, "names \\['no'\\]"),
    ("generalise", {"groups": {"g": ["a"]}, "min_group": 2}, TEXT, "leave one of 1 records"),
    ("discretise", {"method": "mdlp"}, NUMBERS, "without a class"),
    ("discretise", {"method": "width", "intervals": 2, "min_group": 3}, NUMBERS, "half"),
    ("discretise", {"method": "cuts", "cuts": [-5]}, NUMBERS, "a group of 0 records"),
    (
        "discretise",
        {"method": "cuts", "cuts": [2], "label": "middle", "low": 0, "high": 9},
        NUMBERS,
        "^column 't' has 1 of 4 values outside of low and high, first in row 3",
    ),
]


@pytest.mark.parametrize(("name", "parameters", "true", "told"), WRONG)
def test_what_does_not_fit_is_told_without_a_value(name, parameters, true, told):
    action = made(name, **parameters)
    with pytest.raises((TypeError, ValueError), match=told) as error:
        copy.copy(action).fit(true)
    ((parameter, seen, expected),) = action.faults(true, None)
    assert parameter in ("", *action.parameters)
    assert expected
    message = f"{error.value} {seen} {expected}"
    declared = repr(parameters)
    for secret in (SECRET, "7654321", "7,654,321", "7.65432e+06", "54321"):
        assert secret not in message.replace(declared, "")
    assert not hasattr(action, "channel"), "faults leave the action as it is"


NEW = [
    ("add", {"sd": 1}, pd.Series([1, 2, 3]), pd.Series([2, int(NUMBER)]), "1 of 2 values outside the domain"),
    ("redraw", {}, pd.Series([1, 2, 3]), pd.Series([2, int(NUMBER)]), "1 of 2 values outside the domain"),
    ("redraw", {}, pd.Series([1, 2, 3]), TEXT, "holds text"),
    ("redraw", {}, pd.Series([1, 2, 3]), pd.Series([2, None]), "1 of 2 missing"),
    ("add", {"sd": 1}, pd.Series([1, 2, 54_321]), pd.Series([2.5]), "1 of 1 values outside the domain"),
    ("multiply", {"sd": 0.4}, pd.Series([1, 2]), pd.Series([-NUMBER]), "1 of 1 numbers of at most 0"),
    ("replace", {"keep": 0.5}, pd.Series(["a", "b"]), TEXT, "2 of 4 unknown"),
    ("redraw", {}, pd.Series(["a", "b"]), TEXT, "2 of 4 unknown"),
    ("generalise", {"groups": {"g": ["a"]}}, pd.Series(["a", "b", None]), TEXT, "2 of 4 unknown"),
    (
        "replace",
        {"keep": 0.5},
        pd.Series(["a", "b"]),
        pd.Series(["a", None]),
        "1 of 2 missing .*, first in row 1; .*fill",
    ),
    ("redraw", {}, pd.Series(["a", "b"]), pd.Series(["a", None]), "1 of 2 missing"),
    (
        "generalise",
        {"min_group": 2},
        pd.Series(["a", "b"] * 2),
        pd.Series([None, "b", "c"]),
        "1 of 3 .*, first in row 2;",
    ),
    ("replace", {"keep": 0.5}, pd.Series([54321, 1]), pd.Series(["54321", "1"]), "are declared$"),
    ("discretise", {"method": "cuts", "cuts": [2]}, pd.Series([1, 2]), TEXT, "numbers"),
    ("add", {"sd": 1}, pd.Series([1, 2]), TEXT, "numbers"),
]


@pytest.mark.parametrize(("name", "parameters", "true", "new", "told"), NEW)
def test_new_records_that_do_not_fit_are_refused_openly(name, parameters, true, new, told):
    action = fitted(name, true, **parameters)
    with pytest.raises((TypeError, ValueError), match=told) as error:
        action.release(new.rename("the column"))
    assert "'the column'" in str(error.value)
    for secret in (SECRET, "7654321", "7.65432e+06", "54321"):
        assert secret not in str(error.value)


COMBINATIONS = [
    ("add", {}, "no size of the noise"),
    ("add", {"privacy": 1, "sd": 2}, "privacy and sd"),
    ("add", {"half_width": 1}, "one of privacy and sd"),
    ("add", {"noise": "uniform", "sd": 1}, "one of privacy and half_width"),
    ("multiply", {}, "sd is missing"),
    ("replace", {}, "keep is missing"),
    ("generalise", {}, "groups is missing"),
    ("discretise", {"method": "width"}, "intervals is missing"),
    ("discretise", {"method": "cuts"}, "cuts is missing"),
    ("discretise", {"method": "mdlp", "intervals": 3}, "intervals is given"),
    ("discretise", {"method": "mdlp", "low": 3}, "low is given"),
]


@pytest.mark.parametrize(("name", "parameters", "told"), COMBINATIONS)
def test_parameters_go_together(name, parameters, told):
    with pytest.raises(ValueError, match=told):
        made(name, **parameters)


SINGLE = [
    ("add", "privacy", 50),
    ("add", "sd", 0),
    ("add", "noise", "laplace"),
    ("add", "low", "1"),
    ("multiply", "sd", 0.6),
    ("redraw", "density", "cauchy"),
    ("replace", "keep", 1.1),
    ("replace", "categories", ["a"]),
    ("shuffle", "within", ["a"]),
    ("shuffle", "with", "a"),
    ("discretise", "cuts", [2, 1]),
    ("discretise", "cuts", []),
    ("discretise", "min_group", 0),
    ("discretise", "intervals", 2.5),
    ("discretise", "label", "midpoint"),
    ("generalise", "groups", {}),
    ("generalise", "groups", {"g": "a"}),
    ("generalise", "groups", {"g": ["a"], "h": ["a"]}),
]


@pytest.mark.parametrize(("name", "parameter", "value"), SINGLE)
def test_parameters_are_checked_one_by_one(name, parameter, value):
    with pytest.raises((TypeError, ValueError), match=rf"^{parameter} "):
        made(name, **{parameter: value})


@pytest.mark.parametrize("law", LAWS)
def test_a_seed_repeats_a_release_and_nothing_else_does(law):
    name, parameters, values = LAWS[law]
    true = pd.Series(values * 40)
    action = fitted(name, true, **parameters)
    first, second = action.release(true, rng=1), action.release(true, rng=1)
    pd.testing.assert_series_equal(first, second)
    by_chance = name not in ("keep", "discretise", "generalise")
    assert (not action.release(true).equals(action.release(true))) == by_chance
    again = pickle.loads(pickle.dumps(action))
    pd.testing.assert_series_equal(again.release(true, rng=1), first)
    assert "\n" not in repr(action)


def test_what_is_printed_is_what_was_declared():
    assert repr(fitted("add", AGE, privacy=1)) == "add(noise='gaussian', privacy=1.0)"
    assert repr(fitted("discretise", AGE, CLASS)) == "discretise(method='mdlp', min_group=1, label='interval')"
    assert repr(fitted("redraw", AGE)) == "redraw(density='best')"


def test_a_released_value_that_no_true_one_explains_tells_nothing():
    true = pd.Series([1, 1, 2])
    found, _ = posterior(fitted("keep", true), true, pd.Series([1, 7, np.nan]))
    assert found == pytest.approx(np.array([[1, 0], [2 / 3, 1 / 3], [2 / 3, 1 / 3]]))
