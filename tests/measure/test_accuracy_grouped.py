"""Accuracy from answers in groups: the paper's way of reversals, no bias, the spread over samples, what is refused."""

import itertools

import numpy as np
import pandas as pd
import pytest
from laws import joint_matrix

from ppdm.disguise import Disguise, GroupedResponse
from ppdm.measure import accuracy_from_disguised
from ppdm.reconstruct import invert
from ppdm.trees import ResponseTreeClassifier

TOWNS = ["Ayr", "Bern", "Cork"]
NAMES = list("abcd")
BINARY = GroupedResponse([0.9, 0.3], [["a", "b"], ["c", "class"]])
MIXED = GroupedResponse([0.8, 0.3, 0.9], [["a", "town"], ["b", "c"], ["class"]], {"town": TOWNS})
OPEN = GroupedResponse(0.7, [["a", "town"]], {"town": TOWNS})


def people(n, seed):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.integers(0, 2, (n, 4)), columns=NAMES)
    X["town"] = pd.Categorical(rng.choice(TOWNS, n), TOWNS)
    yes = X["a"] + X["b"] + 2 * (X["town"] == "Ayr") + rng.normal(0, 0.5, n) > 1.5
    return X, yes.astype(int).rename("class")


def released(X, y, channel, rng=None):
    seen = channel.disguise(X.assign(**{"class": y}), rng)
    return seen.drop(columns="class"), seen["class"]


def tree_of(X, y):
    return ResponseTreeClassifier(1, [list(X)]).fit(X, y)


def test_it_is_what_the_paper_computes():
    # DZ03 §4.6: the hits of the records as released, and reversed in either group or both, are M_2 times the true ones.
    X, y = people(300, seed=1)
    X = X[NAMES]
    model = tree_of(X, y)
    seen, answers = released(X, y, BINARY, rng=2)
    hits = []
    for first, second in itertools.product([0, 1], repeat=2):
        turned = seen.assign(a=seen["a"] ^ first, b=seen["b"] ^ first, c=seen["c"] ^ second)
        hits.append((model.predict(turned) == (answers ^ second)).mean())
    found = accuracy_from_disguised(model, seen, answers, BINARY)
    assert found.accuracy == pytest.approx(invert(hits, BINARY.matrix())[0], abs=1e-12)


@pytest.mark.parametrize(
    "channel", [BINARY, MIXED, OPEN], ids=["class in a group", "more values", "class as it is"]
)
def test_the_mean_over_all_that_may_be_seen_is_the_truth(channel):
    model = tree_of(*people(300, seed=3))
    X, y = people(4, seed=4)
    columns, true = list(channel.columns), X.assign(**{"class": y})
    law, domains = (
        joint_matrix(channel, columns),
        [list(channel.answers[column].categories) for column in columns],
    )
    everything = pd.DataFrame(list(itertools.product(*domains)), columns=columns)
    for row in range(len(X)):
        mean = 0.0
        own = law[(everything == true.iloc[row][columns].to_numpy()).all(axis=1).to_numpy().argmax()]
        for place in np.flatnonzero(own):
            # Twice, because one record has no error.
            seen = true.iloc[[row, row]].assign(**{column: everything[column][place] for column in columns})
            found = accuracy_from_disguised(model, seen.drop(columns="class"), seen["class"], channel)
            mean += own[place] * found.accuracy
        assert mean == pytest.approx(float(model.predict(X)[row] == y[row]), abs=1e-9)


def test_the_standard_error_is_the_spread_over_samples():
    X, y = people(2_000, seed=5)
    model = tree_of(X, y)
    found = []
    for seed in range(200):  # drawn from X, so that its accuracy is that of all records like these
        sample = np.random.default_rng(seed).integers(0, len(X), 300)
        found.append(
            accuracy_from_disguised(model, *released(X.iloc[sample], y.iloc[sample], MIXED, seed), MIXED)
        )
    accuracy, error = np.array([(each.accuracy, each.standard_error) for each in found]).T
    assert abs(accuracy.mean() - model.score(X, y)) < 3 * accuracy.std() / 200**0.5
    assert accuracy.std() == pytest.approx(error.mean(), rel=0.15)  # three times the error of 200 draws


@pytest.mark.parametrize("theta", [0, 1])
def test_where_all_is_told_it_is_the_plain_accuracy(theta):
    model = tree_of(*people(300, seed=6))
    X, y = people(200, seed=7)
    channel = GroupedResponse(theta, [["a", "b"], ["class"]])
    found = accuracy_from_disguised(model, *released(X, y, channel), channel)
    hit = model.predict(X) == y
    assert (found.accuracy, found.records) == (pytest.approx(hit.mean()), 200)
    assert found.standard_error == pytest.approx(hit.std(ddof=0) / 200**0.5)
    assert found.recall == pytest.approx(hit.groupby(y).mean().to_dict())


def test_booleans_disguises_and_other_orders_are_taken_as_they_come():
    X, y = people(300, seed=8)
    X = X[NAMES]
    model, (seen, answers) = tree_of(X, y), released(X, y, BINARY, rng=1)
    found = accuracy_from_disguised(model, seen, answers, BINARY)
    assert accuracy_from_disguised(model, seen[["d", "c", "b", "a"]].assign(z=7), answers, BINARY) == found
    assert accuracy_from_disguised(model, seen, answers, Disguise(BINARY)) == found
    truths = tree_of(X.astype(bool), y.astype(bool))
    again = accuracy_from_disguised(truths, seen.astype(bool), answers.astype(bool), BINARY)
    assert (again.accuracy, again.standard_error) == pytest.approx((found.accuracy, found.standard_error))


def test_a_column_in_a_group_that_is_not_there_is_refused():
    X, y = people(50, seed=9)
    model = tree_of(X[NAMES], y)
    for answers in (y.to_numpy(), y.tolist(), y.rename("other")):
        with pytest.raises(
            ValueError, match=r"disguise names 'class', .*if the class was disguised, give y as a Series"
        ):
            accuracy_from_disguised(model, X[NAMES], answers, BINARY)
    with pytest.raises(ValueError, match="disguise names 'a', which is no column of X"):
        accuracy_from_disguised(model, X[["b", "c", "d"]], y, BINARY)
