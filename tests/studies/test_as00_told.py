"""The figures of notebook 01: titles that say the finding, bounds where the paper has them, alternative texts."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from ppdm.studies import as00_told

RESULTS = Path(__file__).resolve().parents[2] / "notebooks" / "results"
FIGURES = {
    "figure5": "strategies",
    "figure6": "strategies",
    "readings_map": "readings",
    "gains_told": "gains",
    "growth_told": "samples",
}


def results(name):
    return pd.read_csv(RESULTS / f"as00-{name}.csv")


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_says_what_it_shows(name):
    picture = getattr(as00_told, name)(results(FIGURES[name]))
    assert picture.alt.startswith(picture.title)
    assert len(picture.alt) > len(picture.title) + 40
    assert any(sign.isdigit() for sign in picture.title)
    assert picture.get_suptitle() == picture.title
    assert np.asarray(picture.image()).std() > 0


def test_the_bounds_stand_below_original():
    own = results("strategies")
    own = own.assign(original=0.9, byclass=0.86, local=0.74)
    picture = as00_told.figure5(own)
    # Of ByClass all five functions are within 5 points, of Local none: twice, for two noises.
    assert "in 10 of 20 places" in picture.title
    for ax in picture.axes:
        heights = [round(100 * bar.get_height()) for bar in ax.patches]
        assert heights == ([5, 15, 15, 5, 5] if "100 %" in ax.get_title("left") else [])


def test_figure_6_can_be_drawn_of_local():
    own = results("strategies")
    flat = own.assign(local=np.where(own["noise"] == "uniform", 0.8, 0.9))
    assert "10 after it (Local)" in as00_told.figure6(flat, "Local").title


def test_the_map_counts_what_is_within_the_bounds():
    own = results("readings")
    lost = np.where(own["reading"] == "Local", 0.04, 0.06)
    title = as00_told.readings_map(own.assign(accuracy=own["original"] - lost)).title
    assert "our reading in 4 of 10 places" in title
    assert "“Local” in 10" in title
