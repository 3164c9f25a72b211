"""Categories kept or replaced: the law against counts, the exact epsilon, containers, errors."""

import math
import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ppdm.disguise import Channel, KeepOrReplace

TOWNS = ["Ayr", "Bern", "Cork", "Delft"]
KEPT = KeepOrReplace(keep=0.7, categories=TOWNS)
CHANNELS = [
    KEPT,
    KeepOrReplace(keep=0.1, categories=TOWNS),
    KeepOrReplace(keep=0.25, categories=TOWNS),
    KeepOrReplace(keep=0.9, categories=[False, True]),
    KeepOrReplace(keep=0, categories=[3, 1, 2]),
    KeepOrReplace(keep=1, categories=[1.5, 2.5]),
]
by_name = pytest.mark.parametrize("channel", CHANNELS, ids=repr)


@by_name
def test_frequencies_follow_the_matrix(channel):
    # 20,000 draws a category; a right channel fails the chi-squared test once in a million seeds.
    for row, category in enumerate(channel.categories):
        seen = channel.codes(channel.disguise([category] * 20_000, rng=row))
        counts, expected = np.bincount(seen, minlength=channel.k), 20_000 * channel.matrix()[row]
        possible = expected > 0
        assert counts[~possible].sum() == 0
        if possible.sum() > 1:
            assert stats.chisquare(counts[possible], expected[possible]).pvalue > 1e-6


@by_name
def test_evenly_spread_numbers_release_exact_shares(channel):
    uniforms = (np.arange(3600) + 0.5) / 3600
    for row, category in enumerate(channel.categories):
        seen = channel.codes(channel.release([category] * 3600, uniforms))
        assert np.abs(np.bincount(seen, minlength=channel.k) - 3600 * channel.matrix()[row]).max() <= 1


@by_name
def test_matrix_rows_are_as_promised(channel):
    matrix = channel.matrix()
    assert np.diag(matrix) == pytest.approx(channel.keep)
    assert matrix[~np.eye(channel.k, dtype=bool)] == pytest.approx((1 - channel.keep) / (channel.k - 1))
    assert matrix.sum(axis=1) == pytest.approx(1)


@by_name
def test_log_likelihood_is_the_log_of_the_matrix(channel):
    values = np.array(channel.categories)
    found = channel.log_likelihood(values, values[:, None])
    assert np.exp(found) == pytest.approx(channel.matrix(), abs=1e-15)


def hockey_stick(epsilon, matrix):
    """The δ at ε: over all pairs of true values, the largest Σ max(p − exp(ε) q, 0)."""
    excess = np.maximum(matrix[:, None, :] - math.exp(epsilon) * matrix[None, :, :], 0)
    return excess.sum(axis=2).max()


@given(st.floats(0, 1), st.integers(2, 6), st.floats(0, 1, exclude_max=True))
def test_epsilon_is_the_smallest_by_definition(keep, k, delta):
    channel = KeepOrReplace(keep=keep, categories=range(k))
    epsilon, matrix = channel.epsilon(delta), channel.matrix()
    if epsilon > 600:  # inf, or where its exponential is no float
        assert hockey_stick(600, matrix) > delta
        return
    assert hockey_stick(epsilon, matrix) <= delta + 1e-9
    if epsilon > 1e-6:
        assert hockey_stick(epsilon * (1 - 1e-6), matrix) > delta - 1e-12


@pytest.mark.parametrize(
    ("keep", "k", "delta", "epsilon"),
    [
        (0.75, 2, 0, math.log(3)),
        (0.7, 4, 0, math.log(7)),
        (0.7, 4, 0.1, math.log(6)),
        (0.25, 4, 0, 0),
        (0.1, 4, 0, math.log(3)),
        (0, 4, 0, math.inf),
        (0, 4, 0.4, 0),
        (1, 4, 0.999, math.inf),
        (0.7, 4, 0.65, 0),
    ],
)
def test_epsilon_by_hand(keep, k, delta, epsilon):
    assert KeepOrReplace(keep=keep, categories=range(k)).epsilon(delta) == pytest.approx(epsilon)


def test_keep_1_is_the_identity_and_keep_0_never_tells_the_truth():
    assert KeepOrReplace(keep=1, categories=TOWNS).disguise(TOWNS * 50).tolist() == TOWNS * 50
    assert (KeepOrReplace(keep=0, categories=TOWNS).disguise(TOWNS * 50) != np.array(TOWNS * 50)).all()


@by_name
def test_prints_what_builds_it_and_is_frozen_and_picklable(channel):
    assert isinstance(channel, Channel)
    assert eval(repr(channel)) == channel
    assert hash(pickle.loads(pickle.dumps(channel))) == hash(channel)
    with pytest.raises(FrozenInstanceError):
        channel.keep = 1


@pytest.mark.parametrize(
    "values",
    [
        pd.Series(TOWNS * 9, index=np.arange(36) * 2, name="town"),
        pd.Series(TOWNS * 9, dtype=object),
        pd.Series(pd.Categorical(TOWNS * 9, ["Delft", "Elba", *TOWNS[:3]], ordered=True)),
    ],
    ids=["text", "objects", "ordered"],
)
def test_a_series_keeps_dtype_index_and_name(values):
    released = KEPT.disguise(values, rng=1)
    assert released.dtype == values.dtype
    assert released.index.equals(values.index)
    assert released.name == values.name
    assert released.tolist() == KEPT.disguise(TOWNS * 9, rng=1).tolist()
    assert released.nunique() == 4


@pytest.mark.parametrize(
    ("categories", "values", "kind"),
    [
        (TOWNS, np.array(TOWNS), "U"),
        (TOWNS, np.array(TOWNS, dtype=object), "O"),
        (["a", "longer"], np.array(["a", "a", "a", "a"]), "U"),
        ([1, 2], np.array([1, 2, 1, 1]), "i"),
        ([False, True], [True, False, True, True], "b"),
        ([1, "one"], np.array([1, "one", 1, 1], dtype=object), "O"),
    ],
)
def test_arrays_hold_any_category(categories, values, kind):
    released = KeepOrReplace(keep=0, categories=categories).disguise(values, rng=1)
    assert released.dtype.kind == kind
    assert set(released.tolist()) <= set(categories)


def test_codes_are_places_in_the_list():
    assert KEPT.codes(pd.Series(["Delft", "Ayr"])).tolist() == [3, 0]
    assert KeepOrReplace(keep=0.5, categories=np.array([5, 3])).codes([3.0, 5.0]).tolist() == [1, 0]


def test_released_values_are_given_back():
    assert KEPT.released_values(["Cork", "Ayr"]).tolist() == ["Cork", "Ayr"]


BAD_PARAMETERS = [
    ({"keep": 1.5, "categories": TOWNS}, ValueError, r"keep is 1.5; expected a number in \[0, 1\]"),
    ({"keep": "often", "categories": TOWNS}, TypeError, "keep is 'often'"),
    ({"keep": 0.5, "categories": ["Ayr"]}, ValueError, r"categories is \['Ayr'\]; expected at least two values"),
    ({"keep": 0.5, "categories": ["Ayr", "Ayr"]}, ValueError, "all different"),
    ({"keep": 0.5, "categories": ["Ayr", None]}, ValueError, "none missing"),
    ({"keep": 0.5, "categories": "Ayr"}, TypeError, "categories is 'Ayr'; expected a list"),
    ({"keep": 0.5, "categories": {"Ayr", "Bern"}}, TypeError, "expected a list"),
    ({"keep": 0.5, "categories": [[1], [2]]}, TypeError, "expected text, numbers or other single values"),
    ({"keep": 0.5, "categories": 4}, TypeError, "categories is 4"),
]


@pytest.mark.parametrize(("parameters", "error", "message"), BAD_PARAMETERS)
def test_bad_parameters_are_refused(parameters, error, message):
    with pytest.raises(error, match=message):
        KeepOrReplace(**parameters)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (["Ayr", "Rome"], "values has 1 of 2 that are none of the categories .first: 'Rome' at position 1"),
        (["Ayr", None], "first: None at position 1.*a category of their own"),
        (pd.Series(["Ayr", np.nan]), "first: nan at position 1"),
        ([1, 2], "first: 1 at position 0"),
        ([], r"values has shape \(0,\); expected one dimension and at least one value"),
        ("Ayr", r"values has shape \(\)"),
        ([["Ayr"]], r"values has shape \(1, 1\)"),
        (pd.Series(["Ayr"], dtype="category"), "values has dtype .* which cannot hold all of .*set_categories"),
    ],
)
def test_bad_values_are_refused(values, message):
    with pytest.raises(ValueError, match=message):
        KEPT.disguise(values)


def test_a_dtype_too_small_for_a_category_is_refused():
    with pytest.raises(ValueError, match=r"int8.*cannot hold all of \[1, 300\]"):
        KeepOrReplace(keep=0.5, categories=[1, 300]).disguise(pd.Series([1, 1], dtype="int8"))


def test_truth_and_numbers_are_told_apart():
    with pytest.raises(ValueError, match="none of the categories"):
        KeepOrReplace(keep=0.5, categories=[0, 1]).codes([True, False])


@pytest.mark.parametrize("delta", [-0.1, 1, np.nan])
def test_bad_delta_is_refused(delta):
    with pytest.raises(ValueError, match="delta is"):
        KEPT.epsilon(delta)
