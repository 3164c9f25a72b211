"""Categories kept or replaced, and yes or no by chance: laws against counts, exact epsilons, estimates, errors."""

import itertools
import math
import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from ppdm.disguise import CategoryChannel, Channel, KeepOrReplace, RandomizedResponse
from ppdm.reconstruct import invert

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
QUESTIONS = [
    RandomizedResponse(0.8),
    RandomizedResponse(0.3, categories=["yes", "no"]),
    RandomizedResponse(0),
    RandomizedResponse(1),
    RandomizedResponse(0.7, unrelated=0.4),
    RandomizedResponse(0.2, unrelated=0, categories=(False, True)),
    RandomizedResponse(0.5, unrelated=1),
]
by_name = pytest.mark.parametrize("channel", CHANNELS, ids=repr)
of_any_kind = pytest.mark.parametrize("channel", CHANNELS + QUESTIONS, ids=repr)


@of_any_kind
def test_frequencies_follow_the_matrix(channel):
    # 20,000 draws a category; a right channel fails the chi-squared test once in a million seeds.
    for row, category in enumerate(channel.categories):
        seen = channel.codes(channel.disguise([category] * 20_000, rng=row))
        counts, expected = np.bincount(seen, minlength=channel.k), 20_000 * channel.matrix()[row]
        possible = expected > 0
        assert counts[~possible].sum() == 0
        if possible.sum() > 1:
            assert stats.chisquare(counts[possible], expected[possible]).pvalue > 1e-6


@of_any_kind
def test_evenly_spread_numbers_release_exact_shares(channel):
    uniforms = (np.arange(3600) + 0.5) / 3600
    for row, category in enumerate(channel.categories):
        seen = channel.draw(channel.true_codes([category] * 3600), uniforms)
        assert np.abs(np.bincount(seen, minlength=channel.k) - 3600 * channel.matrix()[row]).max() <= 1


@by_name
def test_matrix_rows_are_as_promised(channel):
    matrix = channel.matrix()
    assert np.diag(matrix) == pytest.approx(channel.keep)
    assert matrix[~np.eye(channel.k, dtype=bool)] == pytest.approx((1 - channel.keep) / (channel.k - 1))
    assert matrix.sum(axis=1) == pytest.approx(1)


@of_any_kind
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


@of_any_kind
def test_prints_what_builds_it_and_is_frozen_and_picklable(channel):
    assert isinstance(channel, Channel)
    assert isinstance(channel, CategoryChannel)
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
def test_a_series_keeps_index_name_and_order(values):
    released = KEPT.disguise(values, rng=1)
    # The dtype is the channel's: what the original had beyond it could tell something.
    assert isinstance(released.dtype, pd.CategoricalDtype) == isinstance(values.dtype, pd.CategoricalDtype)
    assert set(getattr(released.dtype, "categories", TOWNS)) == set(TOWNS)
    assert getattr(released.dtype, "ordered", None) == getattr(values.dtype, "ordered", None)
    assert released.index.equals(values.index)
    assert released.name == values.name
    assert released.tolist() == KEPT.disguise(TOWNS * 9, rng=1).tolist()  # equal codes, equal noise
    assert released.nunique() == 4


@pytest.mark.parametrize(
    ("categories", "values", "kind"),
    [
        (TOWNS, np.array(TOWNS), "O"),
        (TOWNS, np.array(TOWNS, dtype=object), "O"),
        (["a", "longer"], np.array(["a", "a", "a", "a"]), "O"),
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


def test_codes_of_released_values():
    assert KEPT.seen_codes(["Cork", "Ayr"]).tolist() == [2, 0]


BAD_PARAMETERS = [
    ({"keep": 1.5, "categories": TOWNS}, ValueError, r"keep is 1.5; expected a number in \[0, 1\]"),
    ({"keep": "often", "categories": TOWNS}, TypeError, "keep is 'often'"),
    (
        {"keep": 0.5, "categories": ["Ayr"]},
        ValueError,
        r"categories is \['Ayr'\]; expected a list of at least two",
    ),
    ({"keep": 0.5, "categories": ["Ayr", "Ayr"]}, ValueError, "all different"),
    ({"keep": 0.5, "categories": ["Ayr", None]}, ValueError, "none missing"),
    ({"keep": 0.5, "categories": "Ayr"}, TypeError, "categories is 'Ayr'; expected a list"),
    ({"keep": 0.5, "categories": {"Ayr", "Bern"}}, TypeError, "expected a list"),
    ({"keep": 0.5, "categories": [[1], [2]]}, ValueError, "at least two single values"),
    ({"keep": 0.5, "categories": 4}, TypeError, "categories is 4"),
]


@pytest.mark.parametrize(("parameters", "error", "message"), BAD_PARAMETERS)
def test_bad_parameters_are_refused(parameters, error, message):
    with pytest.raises(error, match=message):
        KeepOrReplace(**parameters)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (["Ayr", "Rome"], "values has 1 of 2 that are none of the categories .first at position 1"),
        (["Ayr", None], "first at position 1.*a category of their own"),
        (pd.Series(["Ayr", np.nan]), "first at position 1"),
        ([1, 2], "first at position 0"),
        ([], r"values is empty; expected at least one value"),
        ("Ayr", r"values has 0 dimensions; expected one, a list of categories"),
        ([["Ayr"]], r"values has 2 dimensions; expected one, a list"),
        (
            pd.Series(pd.Categorical(["Ayr"], ordered=True)),
            "values has an ordered dtype that does not hold all of .*set_categories",
        ),
    ],
)
def test_bad_values_are_refused(values, message):
    with pytest.raises(ValueError, match=message):
        KEPT.disguise(values)


def test_a_dtype_too_small_for_a_category_is_widened():
    released = KeepOrReplace(keep=0, categories=[1, 300]).disguise(pd.Series([1, 1], dtype="int8"))
    assert released.tolist() == [300, 300]


def test_truth_values_are_the_numbers_that_they_equal():
    assert KeepOrReplace(keep=0.7, categories=[1, 0]).codes([True, False]).tolist() == [0, 1]


@pytest.mark.parametrize("delta", [-0.1, 1, np.nan])
def test_bad_delta_is_refused(delta):
    with pytest.raises(ValueError, match="delta is"):
        KEPT.epsilon(delta)


# --- Yes or no --------------------------------------------------------------------------------------------------------


@st.composite
def questions(draw):
    """Questions of both kinds, sure answers among them."""
    unrelated = draw(st.none() | st.sampled_from([0, 1]) | st.floats(0, 1))
    theta = draw(st.sampled_from([0, 1]) | st.floats(0, 1))
    assume(abs(2 * theta - 1 if unrelated is None else theta) > 1e-3)
    return RandomizedResponse(theta, unrelated)


def test_theta_1_is_the_truth_and_theta_0_its_opposite():
    truth = np.array([0, 1, 1, 0, 1] * 20)
    assert RandomizedResponse(1).matrix().tolist() == [[1, 0], [0, 1]]
    assert RandomizedResponse(1).disguise(truth, rng=1).tolist() == truth.tolist()
    assert RandomizedResponse(1, unrelated=0.3).disguise(truth, rng=1).tolist() == truth.tolist()
    assert RandomizedResponse(0).matrix().tolist() == [[0, 1], [1, 0]]
    assert RandomizedResponse(0).disguise(truth, rng=1).tolist() == (1 - truth).tolist()
    for theta in (0, 1):
        channel = RandomizedResponse(theta)
        assert channel.estimate(channel.disguise(truth, rng=1)).value == pytest.approx(0.6)


@pytest.mark.parametrize("theta", [0, 0.2, 0.49, 0.75, 1])
def test_without_an_unrelated_question_it_keeps_or_replaces(theta):
    question, other = RandomizedResponse(theta), KeepOrReplace(keep=theta, categories=[0, 1])
    assert np.array_equal(question.matrix(), other.matrix())
    assert [question.epsilon(delta) for delta in (0, 0.01, 0.5)] == [
        other.epsilon(delta) for delta in (0, 0.01, 0.5)
    ]
    truth = np.random.default_rng(1).integers(0, 2, 2000)
    answers = question.disguise(truth, np.random.default_rng(2))
    assert np.array_equal(answers, other.disguise(truth, np.random.default_rng(2)))
    assert np.array_equal(*(one.draw(one.true_codes(answers), np.full(2000, 0.3)) for one in (question, other)))
    share = invert(np.bincount(answers, minlength=2) / 2000, other.matrix())[1]
    assert question.estimate(answers).value == pytest.approx(share)


@pytest.mark.parametrize(("theta", "unrelated"), [(0.7, 0.4), (0.2, 0), (0.5, 1), (0.35, 0.9)])
def test_two_questions_asked_by_lot_have_that_matrix(theta, unrelated):
    # 200,000 people of either truth: five standard errors of a share are at most 0.0056.
    rng, n = np.random.default_rng(1), 200_000
    for truth, row in enumerate(RandomizedResponse(theta, unrelated).matrix()):
        sensitive, others = rng.random(n) < theta, rng.random(n) < unrelated
        assert np.where(sensitive, truth, others).mean() == pytest.approx(row[1], abs=0.0056)
        assert row.sum() == pytest.approx(1)


def largest_excess(epsilon, matrix):
    """The δ at ε: the largest P(event | truth) − exp(ε) P(event | other truth), over the four events."""
    events = [list(event) for size in range(3) for event in itertools.combinations(range(2), size)]
    return max(
        matrix[true, event].sum() - math.exp(epsilon) * matrix[1 - true, event].sum()
        for event in events
        for true in (0, 1)
    )


@given(questions(), st.just(0) | st.floats(0, 1, exclude_max=True))
def test_epsilon_is_the_smallest_over_the_four_events(question, delta):
    epsilon, matrix = question.epsilon(delta), question.matrix()
    if epsilon > 600:  # inf, or where its exponential is no float
        assert largest_excess(600, matrix) > delta
        return
    assert largest_excess(epsilon, matrix) <= delta + 1e-9
    if epsilon > 1e-6:
        assert largest_excess(epsilon * (1 - 1e-6), matrix) > delta - 1e-12


@pytest.mark.parametrize(
    ("theta", "unrelated", "delta", "epsilon"),
    [
        (0.75, None, 0, math.log(3)),
        (0.25, None, 0, math.log(3)),
        (0.5, 0.5, 0, math.log(3)),
        (0.5, 0.2, 0, math.log(6)),  # yes: 0.6 against 0.1; no: 0.9 against 0.4
        (0.5, 0.8, 0, math.log(6)),
        (0.5, 0.2, 0.3, math.log(3)),
        (0.5, 0.2, 0.5, 0),
        (0.5, 0, 0, math.inf),
        (0.5, 1, 0.49, math.inf),
        (0.5, 1, 0.5, 0),
        (1, None, 0.9, math.inf),
    ],
)
def test_epsilon_of_a_question_by_hand(theta, unrelated, delta, epsilon):
    assert RandomizedResponse(theta, unrelated).epsilon(delta) == pytest.approx(epsilon, abs=1e-12)


@pytest.mark.filterwarnings("ignore:the standard error of a share")  # of two answers little is known
@given(questions(), st.floats(0, 1), st.integers(2, 12))
def test_over_all_samples_the_estimate_has_no_bias_and_the_stated_variance(question, share, n):
    told = question.matrix()[1, 1] - question.matrix()[0, 1]
    no, yes = [1 - share, share] @ question.matrix()
    odds = np.array([math.comb(n, k) * yes**k * no ** (n - k) for k in range(n + 1)])
    found = [question.estimate(np.repeat([1, 0], [k, n - k])) for k in range(n + 1)]
    values, errors = np.array([(each.value, each.error) for each in found]).T
    scale = 1e-9 / told**2
    assert odds @ values == pytest.approx(share, abs=scale)
    variance = question.standard_error(share, n) ** 2
    assert odds @ (values - share) ** 2 == pytest.approx(variance, rel=1e-6, abs=scale)
    assert odds @ errors**2 == pytest.approx(variance, rel=1e-6, abs=scale)


@pytest.mark.parametrize("question", [RandomizedResponse(0.8), RandomizedResponse(0.6, unrelated=0.3)], ids=repr)
def test_people_who_are_asked_again_and_again(question):
    # 2,000 samples of 400 people: four standard errors of the mean, and of the variance's ratio (√(2 / 2,000) = 0.032).
    rng, share = np.random.default_rng(1), 0.2
    found = [
        question.estimate(question.disguise((rng.random(400) < share).astype(int), rng)) for _ in range(2000)
    ]
    values, error = np.array([float(each) for each in found]), question.standard_error(share, 400)
    assert values.mean() == pytest.approx(share, abs=4 * error / 2000**0.5)
    assert values.var() / error**2 == pytest.approx(1, abs=0.13)
    assert np.mean([each.error**2 for each in found]) / error**2 == pytest.approx(1, abs=0.01)
    held = [low <= share <= high for low, high in (each.interval() for each in found)]
    assert np.mean(held) == pytest.approx(0.95, abs=0.02)


@given(st.floats(0, 1), st.floats(0, 1), st.integers(1, 10_000))
def test_the_standard_error_is_warners(theta, share, n):
    assume(abs(2 * theta - 1) > 1e-3)
    warners = share * (1 - share) / n + theta * (1 - theta) / (n * (2 * theta - 1) ** 2)
    assert RandomizedResponse(theta).standard_error(share, n) ** 2 == pytest.approx(warners, abs=1e-9 / n)


def test_estimates_are_not_forced_into_shares():
    assert RandomizedResponse(0.75).estimate([0, 0]).value == pytest.approx(-0.5)
    assert RandomizedResponse(0.75).estimate([1, 1]).value == pytest.approx(1.5)
    assert RandomizedResponse(0.5, unrelated=0.5).estimate([0, 0, 0]).value == pytest.approx(-0.5)


def test_answers_are_read_by_their_names():
    question = RandomizedResponse(theta=0.9, categories=["no", "yes"])
    answers = pd.Series(["yes", "yes", "no", "no", "no"], dtype="category", name="smokes")
    found = question.estimate(answers)
    assert found == RandomizedResponse(0.9).estimate([1, 1, 0, 0, 0])
    assert (found.value, found.error) == pytest.approx(((0.4 - 0.1) / 0.8, math.sqrt(0.4 * 0.6 / 4) / 0.8))
    assert question.disguise(answers, rng=1).dtype == answers.dtype


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: RandomizedResponse(0.5),
            ValueError,
            "theta is 0.5: an answer carries no information; choose one farther from 0.5, or",
        ),
        (lambda: RandomizedResponse(0.5), ValueError, "with an unrelated question: unrelated=…"),
        (lambda: RandomizedResponse(0.7 - 0.2), ValueError, "theta is 0.5: an answer carries no information"),
        (
            lambda: RandomizedResponse(0, unrelated=0.3),
            ValueError,
            r"theta is 0: an answer carries no information",
        ),
        (
            lambda: RandomizedResponse(1e-12, 0.3),
            ValueError,
            "theta is 1e-12: .* or farther from 0 with an unrelated question",
        ),
        (lambda: RandomizedResponse(1.1), ValueError, r"theta is 1.1; expected a number in \[0, 1\]"),
        (lambda: RandomizedResponse("often"), TypeError, "theta is 'often'"),
        (
            lambda: RandomizedResponse(0.8, unrelated=-0.1),
            ValueError,
            r"unrelated is -0.1; expected a number in \[0, 1\]",
        ),
        (lambda: RandomizedResponse(0.8, unrelated=True), TypeError, "unrelated is True"),
        (lambda: RandomizedResponse(0.8, categories=["a"]), ValueError, "at least two single values"),
        (lambda: RandomizedResponse(0.8, categories="ab"), TypeError, "categories is 'ab'"),
        (lambda: RandomizedResponse(0.8, categories=list("abc")), ValueError, "two values, no and yes"),
        (lambda: QUESTIONS[0].estimate([1]), ValueError, "answers has one answer; expected two or more"),
        (lambda: QUESTIONS[0].estimate([]), ValueError, r"answers is empty; expected"),
        (
            lambda: QUESTIONS[0].estimate([0, 1, 2]),
            ValueError,
            "answers has 1 of 3 that are none of the categories",
        ),
        (lambda: QUESTIONS[0].estimate([0, np.nan]), ValueError, "first at position 1"),
        (lambda: QUESTIONS[0].standard_error(1.2, 10), ValueError, "share is 1.2"),
        (lambda: QUESTIONS[0].standard_error(0.2, 0), ValueError, "n is 0; expected a whole number"),
        (lambda: QUESTIONS[0].standard_error(0.2, 10.5), TypeError, "n is 10.5"),
        (lambda: QUESTIONS[0].epsilon(1), ValueError, "delta is 1"),
        (lambda: QUESTIONS[0].disguise([0, 5]), ValueError, "values has 1 of 2 that are none of the categories"),
    ],
)
def test_bad_questions_are_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_yes_or_no_may_be_booleans():
    coin = RandomizedResponse(0.8)
    told = pd.Series([True, False, True, True], name="smokes")
    assert coin.estimate(told) == coin.estimate([1, 0, 1, 1])
    assert coin.disguise(told, rng=1).tolist() == [bool(one) for one in coin.disguise([1, 0, 1, 1], rng=1)]
    with pytest.raises(ValueError, match="first at position 0"):
        RandomizedResponse(0.8, categories=("no", "yes")).codes([True, False])


def test_answers_that_tell_nothing_are_warned_of():
    with pytest.warns(UserWarning, match="the standard error of a share is more than 1, its whole range"):
        RandomizedResponse(0.5 + 1e-8).estimate([0, 1] * 20)


def test_many_categories_need_no_matrix():
    many = KeepOrReplace(keep=0.9, categories=range(100_000))
    assert many.log_likelihood([1, 2], [2, 2]).tolist() == pytest.approx([math.log(0.1 / 99_999), math.log(0.9)])
    with pytest.raises(
        ValueError, match="the matrix of categories has 100,000 × 100,000 cells; expected at most"
    ):
        many.matrix()


def test_a_number_and_its_text_are_two_categories():
    assert KeepOrReplace(keep=0.5, categories=[1, "1"]).codes(["1", 1, "1"]).tolist() == [1, 0, 1]
