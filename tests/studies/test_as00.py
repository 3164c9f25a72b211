"""The helpers of notebook 01: verdicts by their rule, true margins, equal privacy, zero noise."""

import numpy as np
import pandas as pd
import pytest

from ppdm.data import QUEST_RANGES, quest
from ppdm.disguise import Intervals
from ppdm.studies import as00


def gains(*means, spread=0.01):
    """Ten repeats around each mean, their standard error about a third of the spread."""
    noise = spread * np.array([-1, 1] * 5)
    index = pd.MultiIndex.from_product([range(len(means)), ["x"], range(10)], names=["function", "noise", "repeat"])
    return pd.Series(np.concatenate([mean + noise for mean in means]), index)


@pytest.mark.parametrize(
    ("means", "holds", "counts"),
    [
        ((0.1, 0.2), True, "2 cells yes, 0 undecided, 0 no"),
        ((0.1, 0.001), True, "1 cells yes, 1 undecided, 0 no"),
        ((0.001, 0.001), "partly", "0 cells yes, 2 undecided, 0 no"),
        ((0.1, 0.1, -0.1), "partly", "2 cells yes, 0 undecided, 1 no"),
        ((0.5, -0.1), False, "1 cells yes, 0 undecided, 1 no"),
        ((-0.1, -0.1), False, "0 cells yes, 0 undecided, 2 no"),
    ],
)
def test_a_verdict_follows_its_rule(means, holds, counts):
    found = as00.verdict(gains(*means))
    assert found["holds"] == holds
    assert found["measured"].startswith(counts)


def test_the_least_margin_is_named():
    assert "lowest -0.100 ± 0.003 (function 1, x)" in as00.verdict(gains(0.3, -0.1))["measured"]


def test_true_margins_keep_the_margins_and_take_the_ranks():
    X, y = quest(500, 2, rng=1)
    ranked = pd.DataFrame(np.random.default_rng(2).random(X.shape), columns=X.columns)
    given = as00.true_margins(X, y, ranked)
    for group in "AB":
        for name in X.columns:
            here = y == group
            assert sorted(given[name][here]) == sorted(X[name][here])
            assert (np.diff(given[name][here].to_numpy()[np.argsort(ranked[name][here])]) >= 0).all()
    assert as00.true_margins(X, y, X).equals(X)


def test_noise_gives_the_privacy_that_the_intervals_have():
    kinds = as00.discretised(3)
    for name in QUEST_RANGES:
        assert isinstance(kinds["intervals"][name], Intervals)
        for noise in ("uniform", "Gaussian"):
            assert kinds[noise][name].privacy() == pytest.approx(kinds["intervals"][name].privacy())


def test_without_noise_all_five_trees_are_one():
    found = as00.strategies(2, "uniform", 0, np.random.default_rng(1), records=3000)
    assert len(set(found.values())) == 1


def test_what_is_watched_is_what_reconstruct_finds():
    panels = as00.figure2(np.linspace(0, 1, 11), np.random.default_rng(1), records=5000)
    assert len(panels) == 4
    for panel in panels.values():
        assert panel["reconstructed"].distance(panel["true"]) < 0.3
