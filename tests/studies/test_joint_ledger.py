"""The verdicts of notebook 06, and its figures."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from ppdm.studies import joint_ledger, joint_told
from ppdm.studies.joint import CHOICES, blurred

RESULTS = joint_ledger.read(Path(__file__).resolve().parents[2] / "notebooks" / "results")


def test_ahead_of_the_tree_that_is_the_better_one_on_average():
    runs = pd.MultiIndex.from_product([["x", "z"], range(2)], names=["function", "repeat"])
    trees = pd.DataFrame(
        {"byclass": [0.8, 0.8, 0.5, 0.5], "local": [0.9, 0.6, 0.6, 0.6], "joint": [0.9, 0.9, 0.7, 0.5]}, runs
    )
    # Of "x" ByClass is the better one, though Local is in one run.
    assert joint_ledger.ahead(trees).tolist() == pytest.approx([0.1, 0.1, 0.1, -0.1])
    assert joint_ledger.ahead(trees, ["local"]).tolist() == pytest.approx([0, 0.3, 0.1, -0.1])


def changed(name, **columns):
    return RESULTS | {name: RESULTS[name].assign(**columns)}


@pytest.mark.parametrize(
    ("results", "claim", "verdict"),
    [
        (changed("heldout", joint=0.1), "J1b", "does not hold"),
        (changed("heldout", joint=1.0), "J1b", "holds"),
        (changed("strategies", joint=0.92), "J2a", "holds"),
        (changed("strategies", joint=0.92), "J2b", "does not hold"),
        (changed("shifted", joint=0.5), "J3a", "does not hold"),
        (changed("strategies", joint=0.5), "J4", "does not hold"),
        (changed("strategies", joint=1.0), "J5", "holds"),
        (changed("real", joint=0.9), "J6a", "holds"),
        (changed("real", joint=0.9), "J6b", "holds"),
        (changed("real", joint=0.1), "J6b", "does not hold"),
        (changed("price", **{"linked": 1.0}), "J8", "does not hold"),
        (changed("mixes", **{"one shared mix": 1.0}), "J9b", "holds"),
        (changed("mixes", **{"each class alone": 1.0}), "J9a", "does not hold"),
        (changed("stopped", **{"each class alone": 1.0}), "J11a", "does not hold"),
        (changed("stopped", **{"one shared mix": 1.0}), "J11b", "holds"),
    ],
)
def test_results_that_were_others_give_other_verdicts(results, claim, verdict):
    claims = joint_ledger.ledger(results).to_frame().set_index("claim")
    assert claims.loc[claim, "verdict"] == verdict


def test_the_ledger_says_whose_aims_these_are():
    assert "we set out to show" in joint_ledger.ledger(RESULTS)._repr_html_()


def heights(picture):
    """What stands in the cells of a map."""
    return np.array([float(text.get_text().replace("−", "-")) for ax in picture.axes for text in ax.texts])


def test_maps_hold_the_differences_in_points():
    found = heights(joint_told.ahead_told(RESULTS["strategies"], "Ahead"))
    wanted = 100 * joint_ledger.ahead(RESULTS["strategies"].set_index(joint_ledger.KEYS))
    wanted = wanted.groupby(["noise", "function", "level"]).mean().loc[["uniform", "Gaussian"]]
    assert found == pytest.approx(np.r_[wanted["uniform"], wanted["Gaussian"]], abs=0.051)

    held_out = RESULTS["heldout"].groupby(["noise", "function"], sort=False)[["local", "joint"]].mean()
    lead = 100 * (held_out["joint"] - held_out["local"])
    found = heights(joint_told.held_out_told(RESULTS["heldout"], "Held out")).reshape(2, -1, 2)[:, :, 1]
    assert found == pytest.approx(np.array([lead["uniform"], lead["Gaussian"]]), abs=0.051)

    choices = RESULTS["choices"].groupby(["choice", "noise", "records"])["joint"].mean()
    found = heights(joint_told.choices_told(RESULTS["choices"], "Choices")).reshape(2, -1, 2)
    names = list(CHOICES)[1:]
    for place, noise in enumerate(("uniform", "Gaussian")):
        for row, name in enumerate(names):
            gain = 100 * (choices[name][noise] - choices["as they are"][noise])
            assert found[place, row] == pytest.approx(gain.to_numpy(), abs=0.051)


def test_what_is_known_is_told_in_per_cent():
    found = heights(joint_told.known_told(RESULTS["price"], "Known")).reshape(2, 8, 3)
    means = RESULTS["price"].query("level == 1").groupby("noise").mean(numeric_only=True)
    assert found[0, 0, 0] == pytest.approx(100 * means.loc["uniform", "age: true tenth, class alone"], abs=0.051)
    wanted = means.loc["Gaussian", "salary: error, joint"] / 1_300
    assert found[1, 7, 1] == pytest.approx(wanted, abs=0.051)


@pytest.mark.parametrize(
    ("figure", "results", "parts"),
    [
        (joint_told.levels_told, RESULTS["strategies"].query("noise == 'uniform'"), 5),
        (joint_told.records_told, RESULTS["records"], 2),
        (joint_told.real_told, RESULTS["real"], 4),
    ],
)
def test_every_part_of_a_comparison_has_its_axes(figure, results, parts):
    picture = figure(results, "A title")
    assert sum(ax.axison for ax in picture.axes) == parts
    assert picture.alt.startswith("A title.")


def test_shifted_constants_change_a_tree_by_the_difference_of_means():
    found = heights(joint_told.shifted_told(RESULTS["strategies"], RESULTS["shifted"], "Shifted")).reshape(
        2, 5, 3
    )
    old, new = (
        RESULTS[name].query("noise == 'Gaussian' and level == 1 and function == 2")["joint"].mean()
        for name in ("strategies", "shifted")
    )
    assert found[1, 1, 2] == pytest.approx(100 * (new - old), abs=0.051)


def test_blurred_answers_are_drawn_over_what_they_lose():
    table = blurred("uniform", 1.0, steps=(10, 1_000))
    picture = joint_told.blurred_told({"uniform": table, "again": table}, "Blurred")
    first, second, *_ = picture.axes[0].lines
    assert first.get_ydata().tolist() == table["points lost"][:2].tolist()
    assert second.get_xdata().tolist() == table["units"][2:].tolist()
    assert f"{table['units']['1,000 steps']:.1f} units" in picture.alt


def test_a_star_is_where_held_out_records_stop():
    picture = joint_told.mixes_told(RESULTS["mixes"], RESULTS["stopped"], "Mixes")
    stopped = RESULTS["stopped"].query("noise == 'Gaussian' and level == 2")
    for star, way, steps in zip(
        picture.axes[3].lines[2:], ["each class alone", "one shared mix"], ["steps alone", "steps shared"]
    ):
        ((x, y),) = star.get_xydata()
        assert (np.log(x), y) == pytest.approx((np.log(stopped[steps]).mean(), stopped[way].mean()))
    assert f"{100 * stopped['one shared mix'].mean():.1f} % (Gaussian, 200 %)" in picture.alt
    assert len(picture.axes) == 4
    assert [text.get_text() for text in picture.axes[1].get_legend().texts] == [
        "each class alone",
        "one shared mix",
        "chosen by held-out records",
    ]
