"""What grouped answers give away: Bayes' rule on the channel's whole matrix, closed forms, and what must be so."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laws import joint_matrix

from ppdm.disguise import GroupedResponse, KeepOrReplace
from ppdm.measure import Intruder, groups, risk
from ppdm.studies.dz03_privacy import best_guess, response_epsilon

PAIR = GroupedResponse(0.8, [["a", "b"], ["c"]])
PEOPLE = pd.DataFrame({"a": [0, 0, 1, 1], "b": [0, 1, 0, 1], "c": [0, 1, 1, 1]})


def response_posteriors(channel, known, released=None, weights=None, rare=1e-4):
    return Intruder(channel, known, weights).posteriors(released, rare)


def record_guess(channel, known, released=None, weights=None):
    return Intruder(channel, known, weights).record_guess(released)


def record_posterior(channel, known, released, weights=None):
    return Intruder(channel, known, weights).record_posterior(released)


def known_answer(channel, known, released=None, weights=None):
    return Intruder(channel, known, weights).known_answer(released)


@st.composite
def worlds(draw, most_values=3, open_values=2):
    """A channel of up to four attributes, true records of them and of an open column, and weights for these."""
    sizes = draw(st.lists(st.integers(2, most_values), min_size=2, max_size=4))
    names = list("abcd")[: len(sizes)]
    places = draw(st.lists(st.integers(0, len(names) - 1), min_size=len(names), max_size=len(names)))
    groups = [
        [name for name, own in zip(names, places, strict=True) if own == place] for place in sorted(set(places))
    ]
    thetas = draw(
        st.lists(st.sampled_from([0, 0.23, 0.55, 0.7, 0.95, 1]), min_size=len(groups), max_size=len(groups))
    )
    values = {name: list(range(k)) for name, k in zip(names, sizes, strict=True)}
    channel = GroupedResponse(thetas, groups, values)
    n = draw(st.integers(1, 8))
    rows = {
        name: draw(st.lists(st.integers(0, k - 1), min_size=n, max_size=n))
        for name, k in zip(names, sizes, strict=True)
    }
    rows["open"] = draw(st.lists(st.integers(0, open_values - 1), min_size=n, max_size=n))
    weights = draw(st.lists(st.integers(0, 5), min_size=n, max_size=n).filter(any))
    return channel, pd.DataFrame(rows), weights


def cells(channel):
    """All combinations of values, in the order of the channel's matrix."""
    return np.array(list(itertools.product(*(range(answer.k) for answer in channel.answers.values()))))


def whole_joint(channel, prior, weights):
    """P(true, release) over all combinations, a row each; the releases of each open value side by side."""
    codes = [tuple(row) for row in cells(channel).tolist()]
    shares = np.array(weights) / np.sum(weights)
    blocks = []
    for value in prior["open"].unique():
        true = np.zeros(len(codes))
        for row, kind, share in zip(
            prior[list(channel.columns)].to_numpy().tolist(), prior["open"], shares, strict=True
        ):
            true[codes.index(tuple(row))] += share * (kind == value)
        blocks.append(true[:, None] * joint_matrix(channel, channel.columns))
    return np.hstack(blocks)


def by_value(channel, joint):
    """For each attribute the joint probabilities of its values (rows) and the releases."""
    codes = cells(channel)
    return [
        np.array([joint[codes[:, place] == value].sum(axis=0) for value in range(answer.k)])
        for place, answer in enumerate(channel.answers.values())
    ]


def worst(table, rare):
    """The largest posterior that is reached or passed by more than a share of the releases."""
    guesses = sorted(
        ((column.max() / column.sum(), column.sum()) for column in table.T if column.sum() > 0), reverse=True
    )
    passed = 0.0
    for guess, share in guesses:
        passed += share
        if passed > rare + 1e-12:
            return guess
    return guesses[-1][0]


# --- The intruder's posterior -----------------------------------------------------------------------------------------


@settings(max_examples=30)
@given(worlds())
def test_posteriors_by_bayes_rule_on_the_whole_matrix(world):
    channel, prior, weights = world
    joint = whole_joint(channel, prior, weights)
    tables = by_value(channel, joint)
    found = response_posteriors(channel, prior, weights=weights, rare=0)
    assert found.index.tolist() == list(channel.columns)
    for table, answer, row in zip(tables, channel.answers.values(), found.to_numpy(), strict=True):
        shares = table.sum(axis=1)
        one = (shares[:, None] * answer.matrix()).max(axis=0).sum()
        believed = max(answer.keep, answer.replace)
        assert row == pytest.approx(
            [shares.max(), believed, one, table.max(axis=0).sum(), worst(table, 0)], abs=1e-12
        )
    assert record_guess(channel, prior, weights=weights) == pytest.approx(joint.max(axis=0).sum(), abs=1e-12)


@settings(max_examples=30)
@given(worlds(), st.sampled_from([0.03, 0.1, 0.31]))
def test_rare_releases_are_left_out_of_the_worst(world, rare):
    channel, prior, weights = world
    tables = by_value(channel, whole_joint(channel, prior, weights))
    found = response_posteriors(channel, prior, weights=weights, rare=rare)["worst"]
    at_most = [worst(table, rare - 1e-9) + 1e-9 for table in tables]
    at_least = [worst(table, rare + 1e-9) - 1e-9 for table in tables]
    assert (at_least <= found.to_numpy()).all()
    assert (found.to_numpy() <= at_most).all()


@settings(max_examples=30)
@given(worlds(), st.integers(0, 10**6))
def test_releases_that_are_given_have_the_same_posteriors(world, seed):
    channel, prior, weights = world
    alive = prior[np.array(weights) > 0]
    released = channel.disguise(pd.concat([alive] * 3, ignore_index=True), rng=seed)
    joint = whole_joint(channel, prior, weights)
    codes = [tuple(row) for row in cells(channel).tolist()]
    kinds = prior["open"].unique().tolist()
    columns = [
        kinds.index(row.open) * len(codes)
        + codes.index(tuple(getattr(row, column) for column in channel.columns))
        for row in released.itertuples()
    ]
    posterior = joint[:, columns] / joint[:, columns].sum(axis=0)
    found = response_posteriors(channel, prior, released, weights)
    expected = [table.max(axis=0).mean() for table in by_value(channel, posterior)]
    assert found["whole record"].tolist() == pytest.approx(expected, abs=1e-12)
    assert record_guess(channel, prior, released, weights) == pytest.approx(
        posterior.max(axis=0).mean(), abs=1e-12
    )
    first = record_posterior(channel, prior, released.iloc[0], weights)
    assert first["after"].tolist() == pytest.approx(sorted(filter(None, posterior[:, 0]), reverse=True))


def test_one_record_by_hand():
    prior = pd.DataFrame({"a": [1, 0, 0, 1], "b": [0, 1, 1, 1], "town": ["x", "x", "x", "y"]})
    channel = GroupedResponse(0.8, [["a", "b"]])
    found = record_posterior(channel, prior, {"a": 1, "b": 0, "town": "x"})
    assert found.columns.tolist() == ["a", "b", "town", "before", "after"]
    assert found[["a", "b", "town"]].to_numpy().tolist() == [[1, 0, "x"], [0, 1, "x"]]
    assert found["before"].tolist() == [0.25, 0.5]
    assert found["after"].tolist() == pytest.approx([0.8 / (0.8 + 2 * 0.2), 2 * 0.2 / (0.8 + 2 * 0.2)])
    alone = record_posterior(channel, prior, pd.DataFrame({"a": [1], "b": [1], "town": ["y"]}))
    assert alone["after"].tolist() == [1]


@settings(max_examples=30)
@given(worlds())
def test_who_sees_more_guesses_better(world):
    channel, prior, weights = world
    found = response_posteriors(channel, prior, weights=weights, rare=0)
    ladder = found[["before", "one answer", "whole record", "worst"]].to_numpy()
    assert (np.diff(ladder, axis=1) > -1e-12).all()
    two = [answer.k == 2 for answer in channel.answers.values()]
    assert (found["one answer"] - found["theta"] > -1e-12)[two].all()


@settings(max_examples=30)
@given(worlds(most_values=2), st.lists(st.floats(0.51, 1), min_size=2, max_size=2))
def test_a_larger_theta_tells_more_and_its_mirror_as_much(world, thetas):
    # A group reversed with a further chance is the same group at a theta nearer to one half (Blackwell 1951).
    channel, prior, weights = world
    less, more = (
        response_posteriors(GroupedResponse(theta, channel.groups), prior, weights=weights, rare=0)
        for theta in sorted(thetas)
    )
    assert (more - less > -1e-9).to_numpy().all()
    mirror = response_posteriors(GroupedResponse(1 - max(thetas), channel.groups), prior, weights=weights, rare=0)
    assert mirror.to_numpy() == pytest.approx(more.to_numpy(), abs=1e-9)


def test_equal_records_are_one_with_more_weight():
    twice = PEOPLE.iloc[[0, 0, 0, 1, 2, 2, 3]]
    pd.testing.assert_frame_equal(
        response_posteriors(PAIR, twice), response_posteriors(PAIR, PEOPLE, weights=[3, 1, 2, 1])
    )
    extra = pd.concat([PEOPLE, PEOPLE.iloc[:1].assign(a=1)])
    assert known_answer(PAIR, PEOPLE).equals(known_answer(PAIR, extra, weights=[1, 1, 1, 1, 0]))


def test_columns_of_every_kind():
    X = pd.DataFrame({"a": [True, False, True], "b": pd.Categorical(["y", "n", "n"]), "open": ["k", None, None]})
    plain = pd.DataFrame({"a": [1, 0, 1], "b": [1, 0, 0], "open": [1, 2, 2]})
    channel = GroupedResponse(0.7, [["a"], ["b"]], {"b": ["n", "y"]})
    found = response_posteriors(channel, X)
    pd.testing.assert_frame_equal(found, response_posteriors(GroupedResponse(0.7, [["a"], ["b"]]), plain))
    assert len(record_posterior(channel, X, {"a": 0, "b": "y", "open": None})) == 2


def test_blocks_do_not_show(monkeypatch):
    rng = np.random.default_rng(0)
    prior = pd.DataFrame(rng.integers(0, 2, (60, 4)), columns=list("abcd"))
    channel = GroupedResponse(0.8, [["a", "b"], ["c"]])
    released = channel.disguise(prior, rng=1)
    whole = response_posteriors(channel, prior, released)
    monkeypatch.setattr(risk, "PAIRS", 30)
    pd.testing.assert_frame_equal(response_posteriors(channel, prior, released), whole)


def test_a_sample_of_releases_comes_near_to_all():
    prior = pd.DataFrame(np.random.default_rng(0).integers(0, 2, (40, 5)), columns=list("abcde"))
    channel = GroupedResponse(0.7, [["a", "b"], ["c", "d", "e"]])
    released = channel.disguise(pd.concat([prior] * 500), rng=1)
    exact, sampled = response_posteriors(channel, prior), response_posteriors(channel, prior, released)
    # 20,000 guesses: five standard errors are 0.018 at most
    assert sampled["whole record"].to_numpy() == pytest.approx(exact["whole record"].to_numpy(), abs=0.018)
    assert known_answer(channel, prior, released).to_numpy() == pytest.approx(
        known_answer(channel, prior).to_numpy(), abs=0.018
    )


def test_where_too_much_can_be_released_a_sample_stands_for_it(monkeypatch):
    known = pd.DataFrame(np.random.default_rng(0).integers(0, 2, (40, 5)), columns=list("abcde"))
    channel = GroupedResponse(0.7, [["a", "b"], ["c", "d", "e"]])
    exact = Intruder(channel, known)
    monkeypatch.setattr(groups, "MAX_RELEASES", 30)
    sampled, again = Intruder(channel, known), Intruder(channel, known)
    # 20,000 guesses: five standard errors are 0.018 at most
    assert sampled.record_guess() == pytest.approx(exact.record_guess(), abs=0.018)
    assert sampled.posteriors()["whole record"].to_numpy() == pytest.approx(
        exact.posteriors()["whole record"].to_numpy(), abs=0.018
    )
    pd.testing.assert_frame_equal(sampled.known_answer(), again.known_answer())


def test_columns_by_themselves_are_groups_of_one():
    alone = GroupedResponse([0.8, 0.7], [["a"], ["b"]])
    one, other = Intruder(alone, PEOPLE), Intruder(alone.answers, PEOPLE)
    pd.testing.assert_frame_equal(one.posteriors(), other.posteriors())
    pd.testing.assert_frame_equal(one.known_answer(), other.known_answer())
    assert one.record_guess() == pytest.approx(other.record_guess())


# --- One known answer -------------------------------------------------------------------------------------------------


@settings(max_examples=30)
@given(worlds())
def test_a_known_answer_by_bayes_rule(world):
    channel, prior, weights = world
    joint, codes = whole_joint(channel, prior, weights), cells(channel)
    found = known_answer(channel, prior, weights=weights)
    for known, row in enumerate(found.itertuples()):
        others = [place for place in range(codes.shape[1]) if place != known]
        tables = {
            "before": [joint.sum(axis=1, keepdims=True)],
            "release": [joint],
            "answer": [
                np.where(codes[:, [known]] == value, joint.sum(axis=1, keepdims=True), 0) for value in range(3)
            ],
            "both": [np.where(codes[:, [known]] == value, joint, 0) for value in range(3)],
        }
        for name, parts in tables.items():
            rights = [sum(by_value(channel, part)[place].max(axis=0).sum() for part in parts) for place in others]
            assert getattr(row, name) == pytest.approx(np.mean(rights), abs=1e-12)


@settings(max_examples=30)
@given(worlds(most_values=2))
def test_of_two_values_one_known_answer_unmasks_its_whole_group(world):
    # As DZ03 §1.2 has it: then the group might as well be released as it is.
    channel, prior, weights = world
    found = known_answer(channel, prior, weights=weights)
    for place, group in enumerate(channel.groups):
        opened = [1.0 if place == own else theta for own, theta in enumerate(channel.thetas)]
        guesses = response_posteriors(GroupedResponse(opened, channel.groups), prior, weights=weights)[
            "whole record"
        ]
        for column in group:
            assert found.loc[column, "group"] == found.loc[column, "unmasked"] == len(group) - 1
            assert found.loc[column, "both"] == pytest.approx(guesses.drop(column).mean(), abs=1e-12)


def test_of_more_values_only_what_was_kept_is_known():
    channel = GroupedResponse(0.7, [["a", "b", "c"], ["d"]], {"a": [0, 1, 2], "b": [0, 1, 2, 3]})
    prior = pd.DataFrame(list(itertools.product(range(3), range(4), range(2), range(2))), columns=list("abcd"))
    found = known_answer(channel, prior)
    assert found["group"].tolist() == [2, 2, 2, 0]
    assert found["unmasked"].tolist() == pytest.approx([1.7, 1.7, 1.4, 0])
    # c known: a is right if kept, else one of two; b one of three; d as before the answer
    both = (0.7 + 0.3 / 2 + 0.7 + 0.3 / 3 + 0.7) / 3
    assert found.loc["c", "both"] == pytest.approx(both)
    assert found.loc["c", "before"] == pytest.approx((1 / 3 + 1 / 4 + 1 / 2) / 3)


def test_more_groups_unmask_less():
    columns = list("abcdef")
    prior = pd.DataFrame(np.random.default_rng(0).integers(0, 2, (50, 6)), columns=columns)
    means = [known_answer(GroupedResponse.divided(0.8, columns, g), prior).mean() for g in (1, 2, 3, 6)]
    assert [mean["unmasked"] for mean in means] == [5, 2, 1, 0]
    assert means[0]["both"] == pytest.approx(1)
    assert means[3]["both"] < 1


# --- One answer, in closed form ---------------------------------------------------------------------------------------


@given(st.floats(0, 1), st.floats(0.001, 0.999))
def test_the_best_of_four_ways_to_guess(theta, share):
    joint = np.diag([1 - share, share]) @ [[theta, 1 - theta], [1 - theta, theta]]
    found = best_guess(theta, share)
    assert found.right == pytest.approx(joint.max(axis=0).sum())
    assert [found.no, found.yes] == pytest.approx((joint[1] / joint.sum(axis=0)).tolist())


def test_one_attribute_alone_is_the_closed_form():
    prior = pd.DataFrame({"a": [1] * 3 + [0] * 7})
    for theta in (0.55, 0.75, 0.1):
        found = response_posteriors(GroupedResponse(theta, [["a"]]), prior).loc["a"]
        assert found["one answer"] == pytest.approx(best_guess(theta, 0.3).right) == found["whole record"]


def test_a_skewed_answer_is_guessed_better_than_theta():
    assert best_guess(0.7, 0.05).right == 0.95
    assert repr(best_guess(0.7, 0.05)) == "BestGuess(right in 95.0%; yes after a yes 10.9%, after a no 2.2%)"


# --- ε ----------------------------------------------------------------------------------------------------------------


@settings(max_examples=30)
@given(worlds())
def test_epsilon_by_the_largest_ratio(world):
    channel, _, _ = world
    found = response_epsilon(channel)
    for group in channel.groups:
        assert found.loc[("group", ", ".join(group)), "ε"] == pytest.approx(
            largest_ratio(joint_matrix(channel, group))
        )
        for column in group:
            single = largest_ratio(joint_matrix(channel, [column]))
            assert found.loc[("one answer", column), "ε"] == pytest.approx(single)
    whole = largest_ratio(joint_matrix(channel, channel.columns))
    assert found.loc[("whole record", "all"), "ε"] == pytest.approx(whole)


def largest_ratio(matrix):
    """The log of the largest ratio of two entries of a column."""
    columns = [column for column in matrix.T if column.max() > 0]
    return max(math.log(column.max() / column.min()) if column.min() > 0 else math.inf for column in columns)


def test_epsilon_with_a_delta_is_shared_among_the_groups():
    channel = GroupedResponse(0.8, [["a"], ["b"]])
    found = response_epsilon(channel, delta=0.1)
    assert found.loc[("group", "a"), "ε"] == KeepOrReplace(keep=0.8, categories=[0, 1]).epsilon(0.1)
    assert found.loc[("whole record", "all"), "ε"] == 2 * KeepOrReplace(keep=0.8, categories=[0, 1]).epsilon(0.05)
    assert found["kept or replaced"].tolist() == pytest.approx([math.log(4)] * 4 + [2 * math.log(4)])
    assert response_epsilon(GroupedResponse(0, [["a", "b"]]))["kept or replaced"].tolist() == [math.inf] * 4


# --- Refusals ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: response_posteriors(0.8, PEOPLE), TypeError, "disguise is a float; expected a dict of channels"),
        (
            lambda: response_posteriors(PAIR, [[0, 1, 1]]),
            TypeError,
            "known is a list; expected a pandas DataFrame",
        ),
        (
            lambda: response_posteriors(PAIR, PEOPLE[["a"]]),
            ValueError,
            "groups names 'b', 'c', which the table does",
        ),
        (lambda: response_posteriors(PAIR, PEOPLE + 1), ValueError, "column 'a' has .* none of the categories"),
        (
            lambda: response_posteriors(PAIR, PEOPLE, weights=[1, 1]),
            ValueError,
            "weights has 2 entries and known has 4",
        ),
        (lambda: response_posteriors(PAIR, PEOPLE, weights=[0] * 4), ValueError, "weights are all 0"),
        (
            lambda: response_posteriors(PAIR, PEOPLE, weights=[-1, 1, 1, 1]),
            ValueError,
            "weights has 1 of 4 negative numbers",
        ),
        (lambda: response_posteriors(PAIR, PEOPLE, rare=1), ValueError, "rare is 1"),
        (
            lambda: response_posteriors(PAIR, PEOPLE, PEOPLE[["a"]]),
            ValueError,
            r"released lacks the columns \['b', 'c'\]",
        ),
        (
            lambda: response_posteriors(PAIR, PEOPLE, 3),
            TypeError,
            "released is an int; expected a pandas DataFrame",
        ),
        (
            lambda: response_posteriors(PAIR, PEOPLE[:1], PEOPLE[::2]),
            ValueError,
            "released has a row 1 that no record of known can have become",
        ),
        (lambda: record_posterior(PAIR, PEOPLE, PEOPLE), ValueError, "released has 4 rows; expected one record"),
        (lambda: record_posterior(PAIR, PEOPLE, 3), TypeError, "released is an int; expected a dict"),
        (
            lambda: record_posterior(PAIR, PEOPLE, {"a": 1}),
            ValueError,
            r"released lacks the columns \['b', 'c'\]",
        ),
        (
            lambda: record_posterior(PAIR, PEOPLE.assign(after=1), {"a": 1}),
            ValueError,
            "known has a column 'after', and so has the result",
        ),
        (
            lambda: known_answer(GroupedResponse(0.8, [["a"]]), PEOPLE),
            ValueError,
            r"disguise is .*, of one attribute; expected two or more",
        ),
        (lambda: best_guess(1.2, 0.5), ValueError, "theta is 1.2"),
        (lambda: best_guess(0.8, 1), ValueError, r"share is 1; expected a number in \(0, 1\)"),
        (lambda: response_epsilon(PAIR, delta=1), ValueError, "delta is 1"),
    ],
)
def test_bad_input_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
