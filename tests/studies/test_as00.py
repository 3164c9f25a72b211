"""The study of AS00: the bounds of its claims, true margins, equal privacy, zero noise."""

import numpy as np
import pandas as pd
import pytest

from ppdm.data import QUEST_RANGES, quest
from ppdm.disguise import Intervals
from ppdm.studies import as00, as00_shapes

KEYS = ["function", "noise", "level", "repeat"]


def accuracies(**trees):
    """The same accuracy of a tree for all functions, noises, levels and repeats."""
    cells = pd.MultiIndex.from_product(
        [range(1, 6), ["uniform", "Gaussian"], [0.25, 0.5, 1.0, 2.0], [0, 1]], names=KEYS
    )
    return pd.DataFrame(trees, index=cells)


def test_each_claim_has_its_bound():
    trees = accuracies(original=0.96, byclass=0.80, local=0.85, randomized=0.70, **{"global": 0.75})
    trees.loc[(slice(None), "Gaussian"), "randomized"] = 0.78
    index = pd.MultiIndex.from_tuples([("plateau", "uniform", 0)], names=["shape", "noise", "repeat"])
    ends = {"as seen": 0.5, "χ² step": 0.1, "discrepancy": 0.3, "best": 0.08, "5,000 steps": 0.2}
    index_of_intervals = pd.MultiIndex.from_tuples([(1, 9, 0)], names=["function", "pieces", "repeat"])
    found = {"intervals": 0.7, "intervals as seen": 0.72, "uniform": 0.75, "Gaussian": 0.9}
    said = as00_shapes.differences(pd.DataFrame(ends, index))
    said |= as00.differences(trees, pd.DataFrame(found, index_of_intervals))
    least = {claim: round(float(gain.min()), 9) for claim, (_, gain) in said.items()}
    assert least == pytest.approx(
        {
            "A2": 0.5 / 2 - 0.1,
            "A3": 0.75 - 0.72,
            "A4a": 0.05 - 0.16,
            "A4b": 0.05 - 0.16,
            "A5a": 0.05 - 0.16,
            "A5b": 0.15 - 0.16,
            "A5c": 0.05 - 0.16,
            "A6": 0.80 - 0.78,
            "A7a": 0.80 - 0.75,
            "A7b": 0.05 + 0.75 - 0.96,
            "A7c": 0.05 + 0.70 - 0.96,
            "A8a": 0.85 - 0.80,
            "A10a": 0.08 - 0.05,
            "A10b": 0.05,
            "A11a": 0.2 - 1.5 * 0.08,
            "A11b": 0.3 - 0.1,
        }
    )


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
            channel, intervals = kinds[noise][name], kinds["intervals"][name]
            # Where each value has an interval, uniform noise would be half a step, which rounds away.
            alone = noise == "uniform" and intervals.privacy(released=True) == 0
            assert channel.privacy() == pytest.approx(0 if alone else intervals.privacy())


def test_without_noise_all_five_trees_are_one():
    found = as00.strategies(2, "uniform", 0, np.random.default_rng(1), records=3000)
    assert len(set(found.values())) == 1


def test_what_is_watched_is_what_reconstruct_finds():
    panels = as00_shapes.figure2(np.linspace(0, 1, 11), np.random.default_rng(1), records=5000)
    assert len(panels) == 4
    for panel in panels.values():
        assert panel["reconstructed"].distance(panel["true"]) < 0.3


def test_credit_risk_agrees_with_the_tree_of_figure_3():
    X, y = as00.credit_risk()
    assert len(X) == 6
    assert y.value_counts().to_dict() == {"High": 4, "Low": 2}
    assert y.tolist() == np.where((X["age"] < 25) | (X["salary"] < 50_000), "High", "Low").tolist()
    X["age"] = 0
    assert as00.credit_risk()[0]["age"].min() == 17
