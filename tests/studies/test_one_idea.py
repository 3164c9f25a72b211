"""Notebook 00's tree, its figures and its ledger."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from ppdm.reconstruct import Distribution
from ppdm.studies import as00_claims, as00_ledger, one_idea, one_idea_ledger, one_idea_told

PARTS = pd.DataFrame(
    [[2.0, 1.0, 1.0, 0.0, 0.0], [0.0, 1.0, 1.0, 0.5, 0.0], [0.0, 0.0, 1.0, 0.5, 1.0]],
    index=["young", "middle-aged", "old"],
    columns=["too young", "young", "middle-aged", "old", "too old"],
)


def results(lost):
    """Runs in which reconstruction wins by a tenth, and ByClass and Local lose so much."""
    settings = [
        (noise, level, strategy, repeat, accuracy)
        for noise in ("uniform", "Gaussian")
        for level in (0.5, 1.0)
        for strategy, accuracy in (("as seen", 0.8), ("reconstructed", 0.9))
        for repeat in range(4)
    ]
    one = pd.DataFrame(settings, columns=["noise", "level", "strategy", "repeat", "accuracy"])
    wide = one.loc[one["strategy"] == "as seen", ["noise", "level", "repeat"]]
    wide.insert(0, "function", 1)
    trees = {"original": 1.0, "randomized": 0.5} | dict.fromkeys(("global", "byclass", "local"), 1 - lost)
    wide = wide.assign(**trees)
    return {"one idea": one, "strategies": wide}


def test_shares_cut_in_two_give_a_tree_that_asks_there():
    halves = {"A": Distribution([0, 1, 2], [1, 0]), "B": Distribution([0, 1, 2], [0, 1])}
    tree = one_idea.tree_from(halves, pd.Series(["A"] * 50 + ["B"] * 50))
    assert tree.predict(pd.DataFrame({"age": [0.5, 1.5]})).tolist() == ["A", "B"]


@pytest.mark.parametrize(("lost", "verdict"), [(0.04, "holds"), (0.06, "does not hold")])
def test_five_points_are_a_bound(lost, verdict):
    claims = one_idea_ledger.ledger(results(lost), np.full(10, 60.0)).to_frame().set_index("claim")
    assert claims["verdict"].tolist() == ["holds", verdict, "holds"]
    assert claims.loc["S2", "measured"].startswith(f"{100 * lost:.1f} ± 0.0 points")


def test_the_second_claim_has_the_verdict_that_it_has_in_notebook_01():
    folder = Path(__file__).resolve().parents[2] / "notebooks" / "results"
    here = one_idea_ledger.ledger(one_idea_ledger.read(folder), np.full(10, 60.0)).to_frame().set_index("claim")
    trees = as00_claims.trees_of(pd.read_csv(folder / "as00-strategies.csv"))
    (there,) = (row for row in as00_ledger.close(trees) if row[0] == "A5a")
    assert here.loc["S2", "measured"] == there[3]["measured"]
    assert here.loc["S2", "claimed"] == there[3]["claimed"]
    assert here.loc["S2", "statement"] == there[1]


def test_one_person_too_close_refutes_the_third():
    claims = one_idea_ledger.ledger(results(0.01), np.array([59.9, 60, 60, 60])).to_frame().set_index("claim")
    assert claims.loc["S3", ["measured", "verdict"]].tolist() == [
        "for certain, not only with 95 %: closer than 60 years for 25.0% of the people",
        "does not hold",
    ]


def test_figures_say_what_they_show():
    answers = one_idea_told.answers_told(np.array([2, 1]), ["young", "old"], "Nine answers")
    assert answers.alt == "Nine answers. People by answer: young 2, old 1"
    shared = one_idea_told.shared_out(PARTS, "One step")
    assert shared.alt == "One step. The new guess: young 4, middle-aged 2.5, old 2.5 people"
    left, right = shared.axes
    assert [bar.get_height() for bar in right.patches] == [4, 2.5, 2.5]
    tops = np.array([bar.get_y() + bar.get_height() for bar in left.patches]).reshape(PARTS.shape)
    assert tops.max(axis=0) == pytest.approx(PARTS.sum().to_numpy())
