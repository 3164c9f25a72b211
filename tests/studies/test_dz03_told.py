"""The figures and tables of notebook 04: each says what it shows, in its title and for those who cannot see it."""

import re
from pathlib import Path

import numpy as np
import pytest

from ppdm.studies import dz03, dz03_ledger, dz03_tables, dz03_told

RESULTS = Path(__file__).resolve().parents[2] / "notebooks" / "results"


@pytest.fixture(scope="module")
def results():
    return dz03_ledger.read(RESULTS)


@pytest.mark.parametrize("name", dz03_told.__all__)
def test_a_figure_says_what_it_shows(name, results):
    draw = getattr(dz03_told, name)
    picture = draw(results)
    assert picture.png().startswith(b"\x89PNG")
    assert picture.size[0] <= 1250
    assert len(picture.title.split()) > 5
    assert re.search(r"\d", picture.alt)
    assert picture.alt.endswith(".")
    assert picture.alt != picture.title
    own = draw(results, title="Mine")
    assert own.title == "Mine"


def test_panels_stand_in_one_order(results):
    for draw in (dz03_told.gap_told, dz03_told.accuracy_told, dz03_told.guess_told, dz03_told.bargain_told):
        names = [ax.get_title(loc="left") for ax in draw(results).axes][:3]
        assert names == list(dz03.TABLES.values())


def test_the_score_in_the_title_is_that_of_the_contest(results):
    table = dz03_tables.contest(results)
    for sure, rule in ((False, "the paper's splits"), (True, "sure splits")):
        row = table.loc[(rule, "1 to 3")]
        assert f"{row['ahead']:.0f} of {row['settings']:.0f} settings" in dz03_told.gap_told(results, sure).title


def test_a_path_goes_in_the_order_of_theta(results):
    told = results["privacy"].groupby(["table", "groups", "theta"])["whole record"].mean()
    ax = dz03_told.bargain_told(results).axes[2]
    line = next(line for line in ax.lines if line.get_label() == "3 groups")
    own = 100 * told["Breast-Cancer", "3"].sort_index()
    assert line.get_xdata() == pytest.approx(own.to_numpy())
    assert not np.all(np.diff(line.get_xdata()) > 0)  # which an order by x would be


def test_small_tables_are_in_per_cent_and_in_one_order(results):
    first = list(dz03.TABLES.values())
    assert dz03_tables.fair(results).columns.tolist() == first
    assert dz03_tables.readings(results).index.tolist() == first
    away = dz03_tables.gives_away(results)
    assert away.index.get_level_values("table").unique().tolist() == first
    assert away.loc[("Voting", "N"), "θ to the N"] == pytest.approx(100 * 0.7**17)
    assert away.loc[("Voting", "1"), "unmasked"] == 16
    for make in ("sources", "node", "growth", "dependent", "wide", "wide_epsilon"):
        assert not getattr(dz03_tables, make)(results).isna().any(axis=None), make


def test_titles_that_are_written_down_are_true(results):
    most = (
        results["growth"].query("records == 21707 and groups == 'N'").groupby("theta")[["accuracy", "majority"]]
    )
    assert (most.mean()["accuracy"] < most.mean()["majority"]).all()
    full = results["schemes"].query("theta == 0.7").groupby(["table", "groups"])[["benchmark", "accuracy"]].mean()
    lost = full["benchmark"] - full["accuracy"]
    assert all(
        lost["Voting", groups] > lost[table, groups] for table in ("Adult", "Breast-Cancer") for groups in "123"
    )
    told = (
        results["privacy"]
        .query("groups in ['1', '2', '3']")
        .groupby(["table", "groups", "theta"])["whole record"]
    )
    assert told.mean().groupby(level=["table", "groups"]).agg(np.ptp).max() < 0.06
    hidden = (
        results["class"]
        .query("groups != 'N'")
        .groupby(["table", "groups", "theta", "hidden"])["confident"]
        .mean()
    )
    own = hidden.xs("in a group of its own", level="hidden")
    assert (own <= hidden.xs("in a group", level="hidden") + 0.005).all()
    dependent = results["dependent"].groupby("dependence")[["original", "byclass"]].mean().diff(axis=1)["byclass"]
    assert abs(dependent["in all, not in a class"]) < 0.01
    assert (dependent.drop("in all, not in a class") < -0.03).all()
