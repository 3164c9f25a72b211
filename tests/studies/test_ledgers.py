"""Ledgers of notebooks 02, 03 and 05: what they claim, and that each verdict follows from its numbers and its bound."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from ppdm.measure import Ledger
from ppdm.studies import ib03_ledger, lsl03_ledger, vc04_ledger

RESULTS = Path(__file__).resolve().parents[2] / "notebooks" / "results"
# Of each ledger the bounds on what runs measured; the other claims are single facts.
BOUNDS = {
    ib03_ledger: {
        **dict.fromkeys(["I3b", "I3d", "I4a", "I4b", "I4c", "I9a", "I10e", "I10f", "I12b"], "at least 0"),
        **dict.fromkeys(["I3c", "I10c", "I10d", "I10g", "I10h", "I12a"], "at least 0.08"),
        **dict.fromkeys(["I5b", "I5d", "I7a", "I7b"], "at least 50 points"),
        **dict.fromkeys(["I8a", "I8b", "I8c"], "at most 2 points"),
        **dict.fromkeys(["I5c", "I10a", "I10b"], "at least -0.05"),
        **dict.fromkeys(["I6", "I11"], "at least 10 points"),
        "I3a": "1 − S at most 0.5 of a bootstrap's",
        "I3e": "at most 5 points",
        "I5a": "at least 95 points",
        "I9b": "at least 0.01",
    },
    lsl03_ledger: {
        **dict.fromkeys(["L2a", "L2b", "L2c", "L2d", "L10a", "L10b", "L10c", "L11"], "at least 0 points"),
        **dict.fromkeys(["L13a", "L13b"], "at least -1 points"),
        **dict.fromkeys(["L7", "L8c"], "at most 5 points"),
        "L5a": "at least 10 points",
        "L5b": "at most 3 points",
        "L6": "at least -0.5 points",
        "L8a": "at most 0.5",
        "L8b": "at least 5 points",
        "L8d": "at most 0.05",
        "L12": "at most 1",
    },
    vc04_ledger: {
        **dict.fromkeys(["V3a", "V3b", "V3c"], "at most 0.5"),
        **dict.fromkeys([f"V5{letter}" for letter in "abcdefghi"], "at most 10 points"),
        **dict.fromkeys(["V7a", "V7b"], "at most 3 points"),
        **dict.fromkeys(["V8a", "V8b", "V8c", "V8d"], "at least -1 points"),
        "V3d": "at least 90 points",
        "V4a": "at most 1 points",
        "V4b": "at least 100 points",
        "V9b": "at least 0 points",
    },
}
NAMES = {ib03_ledger: "IB03", lsl03_ledger: "LSL03", vc04_ledger: "VC04"}
pytestmark = pytest.mark.parametrize("study", BOUNDS, ids=NAMES.get)
_told: dict[Any, pd.DataFrame] = {}


def told(study) -> pd.DataFrame:
    if study not in _told:
        _told[study] = study.ledger(study.read(RESULTS)).to_frame().set_index("claim")
    return _told[study]


def test_the_saved_ledger_is_that_of_the_saved_results(study):
    saved = Ledger.gather(RESULTS).query("paper == @NAMES[@study]").set_index("claim")
    pd.testing.assert_frame_equal(saved, told(study))


def test_bounds_are_those_that_the_notebooks_state(study):
    found = told(study)
    judged = found[found["everywhere"] != ""]
    assert judged["claimed"].to_dict() == BOUNDS[study]
    assert (found["claimed"] != "").all()
    assert (found["scope"] != "").all()


def test_claims_are_the_papers_words_or_say_whose_they_are(study):
    ours = ("Ours", "The field: ", "One might think: ", "Table 2's order")
    assert all("“" in said or said.startswith(ours) for said in told(study)["statement"])


@pytest.mark.parametrize("across", [False, True])
def test_a_bound_moved_across_what_was_measured_turns_the_verdict(study, across, monkeypatch):
    judge = Ledger.verdict

    def moved(values, at_least=None, at_most=None, **how) -> dict[str, Any]:
        upper = at_most is not None
        # Beyond all runs: where every one violates the bound, or none does.
        bound = values.min() - 1 if upper == across else values.max() + 1
        return judge(values, **{"at_most" if upper else "at_least": bound}, **how)

    monkeypatch.setattr(Ledger, "verdict", staticmethod(moved))
    found = study.ledger(study.read(RESULTS)).to_frame().set_index("claim").loc[list(BOUNDS[study])]
    assert set(found["verdict"]) == {"does not hold" if across else "holds"}
    assert (found["verdict"] == found["everywhere"]).all()
