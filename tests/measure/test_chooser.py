"""The chooser: promises are kept and not undercut, accuracies are those of the trees, what cannot be is told."""

import math

import numpy as np
import pandas as pd
import pytest

from ppdm.disguise import GroupedResponse
from ppdm.measure import choose_response, chooser, known_answer, releases, response_posteriors
from ppdm.trees import ResponseTreeClassifier

COLUMNS = ["groups", "theta", "feasible", "accuracy", "error", "plain", "majority", "guess", "worst", "unmasked"]


def people(n=400, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.integers(0, 2, (n, 4)), columns=list("abcd"))
    labels = np.where((X["a"] + (rng.random(n) < 0.1)) % 2, "yes", "no")
    return X, pd.Series(labels, name="class")


X, y = people()
RECORDS = X.assign(**{"class": y})


def posteriors(channel):
    found = response_posteriors(channel, RECORDS, rare=0)
    return found["whole record"].mean(), found["worst"].max()


def test_a_promise_of_epsilon_is_that_of_one_answer():
    found = choose_response(X, y, epsilon=1.3, repeats=2, rng=1)
    assert found.columns.tolist() == [*COLUMNS, "channel"]
    assert sorted(found["groups"]) == [1, 2, 3, 5]
    assert found["feasible"].all()
    for row in found.itertuples():
        assert row.theta == row.channel.theta == pytest.approx(math.exp(1.3) / (1 + math.exp(1.3)))
        assert len(row.channel.groups) == row.groups
        assert [answer.epsilon(0) for answer in row.channel.answers.values()] == pytest.approx([1.3] * 5)
        assert (row.guess, row.worst) == pytest.approx(posteriors(row.channel))
        assert row.unmasked == pytest.approx(known_answer(row.channel, RECORDS)["unmasked"].mean())
    assert found["accuracy"].is_monotonic_decreasing


@pytest.mark.parametrize(("posterior", "worst"), [(0.8, False), (0.9, False), (0.9, True), (0.97, True)])
def test_no_larger_theta_keeps_the_promise(posterior, worst):
    found = choose_response(X, y, posterior=posterior, worst=worst, repeats=2, rng=1)
    for row in found[found["feasible"]].itertuples():
        assert posteriors(row.channel)[worst] <= posterior
        assert row.theta == row.channel.theta
        more = GroupedResponse(row.theta + 0.001, row.channel.groups, row.channel.values)
        assert posteriors(more)[worst] > posterior
    assert found["feasible"].any()


def test_what_cannot_be_promised_is_told():
    # One group of all: what is released is the record or its opposite, whatever theta.
    found = choose_response(X, y, posterior=0.55, groups=["N", 1], repeats=2, rng=1)
    assert found["feasible"].tolist() == [True, False]
    row = found.iloc[1]
    assert (row["groups"], row["channel"]) == (1, None)
    assert row[["theta", "accuracy", "error"]].isna().all()
    assert row["guess"] > 0.55
    assert row["unmasked"] == 4


def test_thetas_tell_more_from_first_to_last():
    drawn = GroupedResponse.drawn(1.0, list(RECORDS), 2, 1, {"class": ["no", "yes"]})
    told = [posteriors(GroupedResponse(theta, drawn.groups, drawn.values)) for theta in chooser.THETAS[::35]]
    assert (np.diff(told, axis=0) > -1e-12).all()


def test_accuracies_are_those_of_trees_on_true_records():
    found = choose_response(X, y, epsilon=50, groups=[2], repeats=3, test=0.25, confidence=None, rng=5)
    divisions = [np.random.default_rng(5)]
    plain, majority = [], []
    orders = [divisions[0].permutation(len(X)) for _ in range(3)]
    for order in orders:
        test, train = order[:100], order[100:]
        model = ResponseTreeClassifier(1).fit(X.iloc[train], y.iloc[train])
        plain.append(model.score(X.iloc[test], y.iloc[test]))
        majority.append((y.iloc[test] == y.iloc[train].mode()[0]).mean())
    row = found.iloc[0]
    assert row["plain"] == row["accuracy"] == pytest.approx(np.mean(plain))  # at ε = 50 nobody lies
    assert row["error"] == pytest.approx(np.std(plain, ddof=1) / 3**0.5)
    assert row["majority"] == pytest.approx(np.mean(majority))


def test_more_privacy_costs_accuracy():
    found = pd.concat([choose_response(X, y, epsilon=one, groups=["N"], rng=1) for one in (3, 1, 0.2)])
    assert found["accuracy"].is_monotonic_decreasing
    assert found["guess"].is_monotonic_decreasing


def test_a_seed_repeats_it_and_classes_of_every_kind_are_taken():
    kinds = [y, y.astype(pd.CategoricalDtype(["no", "perhaps", "yes"])), (y == "yes").astype(int), y == "yes"]
    tables = [X, X.astype(bool), X.astype(float), X.set_axis(range(1, 401))]
    found = [
        choose_response(table, one, epsilon=1, groups=[2], repeats=2, rng=3)
        for table, one in zip(tables, kinds, strict=True)
    ]
    for other in found[1:]:
        pd.testing.assert_frame_equal(other[COLUMNS], found[0][COLUMNS])


def test_where_too_much_can_be_released_one_release_is_looked_at(monkeypatch):
    exact = choose_response(X, y, epsilon=1, groups=["N"], repeats=2, rng=1)
    monkeypatch.setattr(releases, "MOST_RELEASES", 30)
    sampled = choose_response(X, y, epsilon=1, groups=["N"], repeats=2, rng=1)
    assert sampled["accuracy"].tolist() == exact["accuracy"].tolist()
    # 2,000 guesses: five standard errors are 0.055
    assert sampled["guess"].tolist() == pytest.approx(exact["guess"].tolist(), abs=0.055)
    assert sampled["guess"].tolist() != exact["guess"].tolist()


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"X": [[0, 1]]}, TypeError, "X is a list; expected a pandas DataFrame"),
        ({"X": X.assign(a=2)}, ValueError, "X has column 'a' with other values than 0 and 1; cut it in two: data.bin"),
        ({"X": X.assign(a=np.nan)}, ValueError, "X has column 'a' with other values"),
        ({"y": y.tolist()}, TypeError, "y is of type list; expected a Series"),
        ({"y": y.rename(None)}, ValueError, r"y has the name None; expected one, .* y.rename\('class'\)"),
        ({"y": y.rename("a")}, ValueError, "y has the name 'a'"),
        ({"y": y[:3]}, ValueError, "y has 3 entries and X has 400"),
        ({"y": y.where(y == "no")}, ValueError, "y has missing values"),
        ({"y": pd.Series(["no"] * 400, name="class")}, ValueError, r"y has the classes \['no'\]; expected two"),
        ({"epsilon": None}, ValueError, "epsilon is None and posterior is None; expected a number for one of them"),
        ({"posterior": 0.9}, ValueError, "epsilon is 1 and posterior is 0.9; expected a number for one of them"),
        ({"epsilon": 0}, ValueError, "epsilon is 0; expected a number in"),
        ({"epsilon": None, "posterior": 0.5}, ValueError, r"posterior is 0.5; expected a number in \(0.5, 1\)"),
        ({"groups": 3}, TypeError, "groups is 3; expected a list of numbers of groups"),
        ({"groups": []}, ValueError, "groups is empty"),
        ({"groups": [6]}, ValueError, r"groups is 6; expected a whole number in \[1, 5\]; or \"N\""),
        ({"worst": 1}, TypeError, "worst is 1; expected True or False"),
        ({"repeats": 1}, ValueError, "repeats is 1"),
        ({"test": 1}, ValueError, "test is 1; expected a number"),
        ({"test": 0.001}, ValueError, "test is 0.001 of 400 records; expected some to test on"),
        ({"confidence": 2}, ValueError, "confidence is 2"),
        ({"rng": "a"}, TypeError, "rng is 'a'"),
    ],
)
def test_bad_input_is_refused(changed, error, message):
    with pytest.raises(error, match=message):
        choose_response(**{"X": X, "y": y, "epsilon": 1, **changed})
