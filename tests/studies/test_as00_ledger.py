"""The ledger of AS00: its bounds, its scopes, the paper's words; verdicts turn where a value crosses its bound."""

import re
from itertools import chain
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from ppdm.studies import as00_claims, as00_early, as00_ledger

RESULTS = Path(__file__).resolve().parents[2] / "notebooks" / "results"
TREES = list(as00_claims.NAMES)
FIGURES = [as00_ledger.close, as00_ledger.compared, as00_ledger.noises]
BEYOND, WITHIN = 1e-3, -1e-3


@pytest.fixture(scope="module")
def results():
    return as00_ledger.read(RESULTS)


@pytest.fixture(scope="module")
def rows(results):
    return as00_ledger.ledger(results).to_frame().set_index("claim")


def test_every_row_says_where_it_is_claimed_what_was_asked_and_what_was_found(rows):
    assert rows.index.is_unique
    assert (rows[["statement", "scope", "claimed", "measured"]] != "").all(axis=None)
    assert rows["statement"].str.contains(r"“.+” ?\((?:§\d|footnote|§)|^Ours, .*§").all()
    assert not rows["measured"].str.contains("nan").any()
    assert not rows["verdict"].isin(["not measured"]).any()
    numbers = [int(re.match(r"A(\d+)", claim)[1]) for claim in rows.index]
    assert numbers == sorted(numbers)
    assert set(numbers) == set(range(1, 19))


def test_the_papers_words_are_the_papers(rows):
    # The seed's text is no part of the repository: what is quoted often is pinned here.
    said = " ".join(rows["statement"])
    for words in (
        "the algorithms are within 5% (absolute) of the original accuracy for Functions 1, 4 and 5 and within 15%",
        "it stops because it does not find any split point that increases gini",
        "Overall, the Global algorithm performs worse than ByClass and Local algorithms.",
        "Local performed marginally better than ByClass",
    ):
        assert words in said


def test_results_that_are_missing_are_missed(results):
    with pytest.raises(KeyError, match="shapes"):
        as00_ledger.ledger({name: own for name, own in results.items() if name != "shapes"})


def trees(frame, **accuracies):
    """The same table with other accuracies; those that are not named are Original's, which has 0.99."""
    found = frame.assign(**dict.fromkeys(TREES, 0.99))
    return found.assign(**{name: 0.99 - below for name, below in accuracies.items()})


# For each claim its file, and results in which what was measured is beyond its bound by so much.
AT_BOUND = {
    "A2": ("shapes", lambda t, d: t.assign(**{"χ² step": (0.5 + d) * t["as seen"]})),
    "A11a": ("shapes", lambda t, d: t.assign(agreement=0.5 + d)),
    "A11b": ("shapes", lambda t, d: t.assign(discrepancy=t["χ² step"] - d)),
    "A11c": ("shapes", lambda t, d: t.assign(**{"agreement by doublings": 0.5 + d})),
    "A16a": ("samples", lambda t, d: t.assign(**{"one step from the truth": 0.01 + d})),
    "A16b": ("samples", lambda t, d: t.assign(**{"χ² step": 0.05 + d})),
    "A16c": ("samples", lambda t, d: t.assign(**{"5,000 steps": 0.05 + d})),
    "A3": ("intervals", lambda t, d: t.assign(uniform=t[["intervals", "intervals as seen"]].max(axis=1) - d)),
    **{
        claim: ("strategies", lambda t, d: trees(t, byclass=0.05 + d, local=0.05 + d))
        for claim in ("A4a", "A4b", "A5a", "A5c")
    },
    "A5b": ("strategies", lambda t, d: trees(t, byclass=0.15 + d, local=0.15 + d)),
    "A12": ("strategies", lambda t, d: trees(t, byclass=0.15 + d)),
    "A13a": ("strategies", lambda t, d: trees(t, byclass=np.where(t["function"] == 4, 0.02 + d, 0))),
    "A13b": ("strategies", lambda t, d: trees(t, randomized=np.where(t["function"] == 5, 0.02 + d, 0))),
    "A14": ("strategies", lambda t, d: trees(t, local=0.05 + d)),
    "A6a": ("strategies", lambda t, d: trees(t, byclass=d, local=d)),
    "A6b": ("strategies", lambda t, d: trees(t, byclass=d, local=d)),
    "A7a": ("strategies", lambda t, d: trees(t, byclass=d, local=d)),
    "A7b": ("strategies", lambda t, d: trees(t, **{"global": 0.05 + d})),
    "A7c": ("strategies", lambda t, d: trees(t, randomized=0.05 + d)),
    "A7d": ("strategies", lambda t, d: trees(t, **{"global": 0.05 + d})),
    "A8a": ("strategies", lambda t, d: trees(t, local=d)),
    "A10a": ("strategies", lambda t, d: trees(t, randomized=np.where(t["noise"] == "uniform", 0.05 - d, 0))),
    "A10b": ("strategies", lambda t, d: trees(t, byclass=np.where(t["noise"] == "uniform", 0, 0.05 + d))),
    "A7f": ("sides", lambda t, d: trees(t, randomized=np.where(t["balanced"], 0.1, 0.11 - d))),
    "A8b": (
        "work",
        lambda t, d: t.assign(steps=t["strategy"].map({"global": 1, "byclass": 1 - d, "local": 1 - 2 * d})),
    ),
    "A8c": (
        "seconds",
        lambda t, d: t.assign(value=t["strategy"].map({"global": 1, "byclass": 1 - d, "local": 1 - 2 * d})),
    ),
    "A8d": ("work", lambda t, d: t.assign(steps=t["strategy"].map({"global": 1, "byclass": 2, "local": 4 - d}))),
    "A8e": (
        "seconds",
        lambda t, d: t.assign(value=t["strategy"].map({"global": 1, "byclass": 2, "local": 4 - d})),
    ),
    "A5d": ("growing", lambda t, d: trees(t, byclass=0.05 + d, local=0.05 + d)),
    "A5e": ("growing", lambda t, d: trees(t, byclass=0.15 + d, local=0.15 + d)),
    "A5f": ("growing", lambda t, d: trees(t, byclass=0.15 + d, local=0.15 + d)),
    "A5h": ("learners", lambda t, d: t.assign(**{"original": 0.99, "byclass: boosting": 0.84 - d})),
    "A15c": (
        "experiments",
        lambda t, d: t.assign(
            accuracy=t["original"] - np.where(t["reading"].str.startswith("true split"), 0.05 + d, 0.2)
        ),
    ),
    "A15d": (
        "experiments",
        lambda t, d: t.assign(
            accuracy=t["original"] - np.where(t["reading"] == "true margins, seen ranks", 0.05 + d, 0.2)
        ),
    ),
}


def rows_of(results, name, table):
    """The rows of the ledger that one of the results gives, if it is another table."""
    given = {**results, name: table}
    seen = as00_claims.trees_of(table) if set(TREES) <= set(table) else None
    return {
        "shapes": lambda: as00_claims.shapes(table),
        "samples": lambda: as00_claims.samples(table),
        "intervals": lambda: as00_claims.discretised(table),
        "strategies": lambda: chain(*(make(seen) for make in FIGURES)),
        "sides": lambda: as00_ledger.diagonal(table),
        "work": lambda: as00_ledger.costs_of(table, given["seconds"]),
        "seconds": lambda: as00_ledger.costs_of(given["work"], table),
        "growing": lambda: as00_early.early(seen, given["learners"]),
        "learners": lambda: as00_early.early(as00_claims.trees_of(given["growing"]), table),
        "gains": lambda: as00_early.stuck(seen),
        "experiments": lambda: as00_early.explained(table),
    }[name]()


def judged(results, name, table, claim):
    """The verdict on a claim if one of the results is another table; later rows are not made."""
    return next(verdict["holds"] for own, *_, verdict in rows_of(results, name, table) if own == claim)


@pytest.mark.parametrize("claim", AT_BOUND)
def test_a_verdict_turns_where_what_is_measured_crosses_the_bound(results, claim):
    name, moved = AT_BOUND[claim]
    assert judged(results, name, moved(results[name], WITHIN), claim) is True
    assert judged(results, name, moved(results[name], BEYOND), claim) is False


@pytest.mark.parametrize(("claim", "gains"), [("A9a", [1e-9]), ("A9b", [2e-4, 5e-4, 1e-3, 2e-3])])
def test_a_tree_that_stops_often_enough_is_found(results, claim, gains):
    own = results["gains"]
    for level, holds in ((0.94, True), (0.96, False)):
        table = own.assign(original=np.where(own["gain"].isin(gains), level, 0.99))
        assert judged(results, "gains", table, claim) is holds


def test_only_the_settings_of_a_claim_count(results):
    # At 50 and 75 % Figure 5 says nothing, and Function 4 is not in Figure 6.
    own = results["strategies"]
    other = trees(own, byclass=np.where(own["level"].isin([0.5, 0.75]), 0.5, -0.005), local=-0.005)
    assert judged(results, "strategies", other, "A6a") is True
    assert judged(results, "strategies", other, "A6b") is False
    other = trees(own, byclass=np.where(own["function"] == 4, 0.5, 0))
    assert judged(results, "strategies", other, "A12") is True
    assert judged(results, "strategies", other, "A14") is True


def test_distances_have_no_direction_but_keep_their_signs_within_a_setting():
    runs = pd.MultiIndex.from_product([["a", "b"], range(2)], names=["setting", "repeat"])
    found = as00_claims.apart(pd.Series([-3.0, 1.0, -1.0, 3.0], runs))
    assert found.tolist() == [3.0, -1.0, -1.0, 3.0]


@pytest.mark.parametrize(
    ("right", "holds"), [([True, True], True), ([True, False], "partly"), ([True, False, False], False)]
)
def test_facts_hold_if_all_are_right_and_not_if_more_than_half_are_wrong(right, holds):
    assert as00_claims.fact("said", "told", right)["holds"] == holds
