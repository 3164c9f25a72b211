"""Lines beside bounds, marks and words of their own, in per cent; curves, and tables as maps."""

import numpy as np
import pandas as pd
import pytest

from ppdm import plots

PATH = pd.DataFrame(
    {
        "theta": [0.55, 0.7, 0.9] * 2,
        "guessed": [0.966, 0.963, 0.970, 0.964, 0.963, 0.972],
        "right": [0.8, 0.7, 0.9, 0.82, 0.74, 0.9],
        "who": "a",
        "table": "Adult",
    }
)
CLAIM = pd.DataFrame({"theta": [0.7], "low": [0.6], "high": [0.7]})


def test_bounds_stand_where_they_are_claimed():
    picture = plots.lines(PATH, "theta", "right", bounds=("claimed", CLAIM))
    (axes,) = picture.axes
    (bar,) = axes.patches
    assert (bar.get_y(), bar.get_y() + bar.get_height()) == (0.6, pytest.approx(0.7))
    assert bar.get_x() + bar.get_width() / 2 == pytest.approx(0.7)
    assert "claimed lies between 0.60 and 0.70" in picture.alt


@pytest.mark.parametrize("points", [False, True])
def test_a_bound_with_one_end_is_a_tick(points):
    (axes,) = plots.lines(PATH, "theta", "right", bounds=("claimed", CLAIM[["theta", "low"]]), points=points).axes
    tick = axes.collections[-1].get_segments()[0]
    assert tick.mean(axis=0).tolist() == pytest.approx([1 if points else 0.7, 0.6])
    assert not axes.patches
    assert axes.get_legend_handles_labels()[1] == ["claimed"]


def test_on_a_logarithmic_scale_a_bound_stays_at_its_place():
    spread = pd.DataFrame({"x": [1, 10, 1000.0], "y": [1, 2, 3]})
    claim = pd.DataFrame({"x": [1.0], "low": 1.5, "high": 2})
    (axes,) = plots.lines(spread, "x", "y", log="x", bounds=("c", claim)).axes
    (bar,) = axes.patches
    assert 0.7 < bar.get_x() < 1 < bar.get_x() + bar.get_width() < 1.4


def test_what_a_line_would_leave_out_is_refused():
    with pytest.raises(ValueError, match=r"results\['x'\] has 1 of 2 missing or infinite"):
        plots.lines(pd.DataFrame({"x": [1, np.inf], "y": [1, 2]}), "x", "y")


@pytest.mark.parametrize("percent", [True, "x"])
def test_words_along_an_axis_are_not_replaced_by_per_cents(percent):
    words = pd.DataFrame({"x": ["a", "b"], "y": [0.1, 0.2]})
    with pytest.raises(ValueError, match="percent names the x axis, which has words"):
        plots.lines(words, "x", "y", percent=percent)
    assert "(a)" in plots.lines(words, "x", "y", points=True, percent="y").alt


@pytest.mark.parametrize("name", ["_a", ""])
def test_a_legend_names_what_begins_with_a_line_below(name):
    flat = [0.25] * 4
    pictures = [
        plots.distributions({name: flat}, range(5)),
        plots.curves(pd.DataFrame({name: [1.0, 2.0]}), marks={name: 0.5}),
        plots.lines(PATH.assign(who=name), "theta", "right", by="who"),
        plots.lines(PATH, "theta", "right", mark=(name, 0.5), bounds=(name, CLAIM)),
        plots.planes({"p": (PATH[["theta", "right"]], [name] * len(PATH))}),
    ]
    for picture in pictures:
        (legend,) = [axes.get_legend() for axes in picture.axes if axes.get_legend()]
        assert {text.get_text().strip() for text in legend.get_texts()} == {name}
        assert len(picture.alt) > len("x: ")


def test_stacked_columns_may_look_alike_by_name():
    picture = plots.curves(pd.DataFrame({1: [1, 2], "1": [3, 4]}), stacked=True)
    assert [axes.lines[0].get_ydata().tolist() for axes in picture.axes] == [[1, 2], [3, 4]]


def test_a_panel_has_its_own_bounds_mark_and_words():
    both = pd.concat([PATH, PATH.assign(table="Voting", right=PATH["right"] / 2)])
    words = {"table": "Table", "Voting": "Votes of 1984", "a": "everybody"}
    given = {
        "mark": ("majority", {"Adult": 0.76, "Voting": 0.61}),
        "bounds": ("claimed", CLAIM.assign(table="Adult")),
    }
    picture = plots.lines(
        both, "theta", "right", by="who", panels="table", labels=words, title="A finding", **given
    )
    assert picture.get_suptitle() == "A finding"
    assert [axes.get_title(loc="left") for axes in picture.axes] == ["Table Adult", "Votes of 1984"]
    assert [axes.lines[-1].get_ydata()[0] for axes in picture.axes] == [0.76, 0.61]
    assert [len(axes.patches) for axes in picture.axes] == [1, 0]
    legend = next(axes.get_legend() for axes in picture.axes if axes.get_legend())
    assert {text.get_text() for text in legend.get_texts()} == {"everybody", "majority", "claimed"}


@pytest.mark.parametrize(("percent", "shown"), [(True, (True, True)), ("x", (True, False)), ("y", (False, True))])
def test_axes_show_per_cent(percent, shown):
    (axes,) = plots.lines(PATH, "theta", "right", percent=percent).axes
    axes.figure.draw_without_rendering()
    labels = [[text.get_text() for text in axis.get_ticklabels()] for axis in (axes.xaxis, axes.yaxis)]
    assert tuple(all(label.endswith(" %") for label in each) for each in labels) == shown
    assert not any(label.endswith(".0 %") for label in labels[0] + labels[1])


def test_all_shares_can_be_in_per_cent():
    pictures = {
        "curves": plots.curves(pd.DataFrame({"a": [0.1, 0.5]}), percent=True).axes[0].yaxis,
        "bars": plots.bars({"a": 0.5}).axes[0].xaxis,
        "bars that are told": plots.bars({"a": 0.5}, label="share", percent=True).axes[0].xaxis,
    }
    assert {name: axis.get_major_formatter()(0.25) for name, axis in pictures.items()} == dict.fromkeys(
        pictures, "25 %"
    )
    assert plots.bars({"a": 0.5}, percent=False).axes[0].xaxis.get_major_formatter()(0.25) != "25 %"


def test_a_table_is_a_map_with_its_words_and_numbers():
    table = pd.DataFrame({"one": [0.5, -2.0], "two": [1.5, 0.0]}, index=["Adult", "Voting"])
    picture = plots.maps({"a": table, "b": table.T}, numbers="+.1f", label="points")
    axes = picture.axes[0]
    axes.figure.draw_without_rendering()
    assert [text.get_text() for text in axes.texts] == ["+0.5", "+1.5", "−2.0", "+0.0"]
    assert [text.get_text() for text in axes.get_yticklabels()] == ["Adult", "Voting"]
    assert axes.yaxis.get_inverted()
    meshes = [ax.collections[0] for ax in picture.axes[:2]]
    assert [mesh.get_clim() for mesh in meshes] == [(-2, 2)] * 2
    positive = plots.maps({"a": table.abs()}, most=4).axes[0].collections[0]
    assert positive.get_clim() == (0, 4)


@pytest.mark.parametrize(
    ("given", "error", "told"),
    [
        ({"mark": ("half", {"Adult": 1})}, ValueError, r"mark has heights for \['Adult'\]; expected the panels"),
        (
            {"mark": ("half", {"Adul": 1}), "panels": "table"},
            ValueError,
            r"mark has heights for \['Adul'\]; expected the panels \['Adult'\]",
        ),
        ({"mark": ("half", 1, 2)}, ValueError, "mark has 3 entries and a pair has 2"),
        ({"mark": ("half", 0), "log": True}, ValueError, "mark is 0; expected a number in"),
        ({"bounds": ("claimed", CLAIM, 1)}, ValueError, "bounds has 3 entries and a pair has 2"),
        ({"bounds": ("claimed", CLAIM.assign(low=np.nan))}, ValueError, r"bounds\['low'\] has 1 missing"),
        (
            {"bounds": ("claimed", CLAIM.assign(high=np.inf))},
            ValueError,
            r"bounds\['high'\] has 1 of 1 .*infinite",
        ),
        ({"bounds": ("claimed", CLAIM.assign(low="few"))}, TypeError, r"bounds\['low'\] holds"),
        (
            {"bounds": ("claimed", CLAIM.assign(low=0)), "log": True},
            ValueError,
            r"bounds\['low'\] has 1 .*0 or less",
        ),
        (
            {"bounds": ("claimed", CLAIM.assign(theta=0)), "log": "x"},
            ValueError,
            r"bounds\['theta'\] has 1 .*0 or",
        ),
        (
            {"bounds": ("claimed", CLAIM.assign(low=0.8))},
            ValueError,
            r"bounds\['low'\] has 1 of 1 values above high",
        ),
        ({"bounds": ("claimed", CLAIM.assign(theta="few"))}, TypeError, r"bounds\['theta'\] holds"),
        (
            {"bounds": ("claimed", CLAIM.assign(theta=0.71)), "points": True},
            ValueError,
            r"bounds\['theta'\] has 1 of 1 values that results lacks",
        ),
        (
            {"bounds": ("claimed", CLAIM.assign(table="Adul")), "panels": "table"},
            ValueError,
            r"bounds\['table'\] has 1 of 1 values that results lacks",
        ),
        ({"points": True, "percent": True}, ValueError, "percent names the x axis, which has words"),
        ({"title": 5}, TypeError, "title is an int; expected text"),
        ({"mark": "half"}, TypeError, "mark is a str; expected a pair"),
        (
            {"bounds": ("claimed", CLAIM[["theta"]])},
            ValueError,
            "y is 'low'; expected one of 'theta'; these are the columns of bounds",
        ),
        (
            {"bounds": ("claimed", CLAIM[["low"]])},
            ValueError,
            "x is 'theta'; expected one of 'low'; these are the columns of bounds",
        ),
        ({"bounds": CLAIM}, TypeError, "bounds is a DataFrame; expected a pair"),
        ({"percent": "z"}, ValueError, "percent is 'z'; expected one of"),
    ],
)
def test_what_cannot_be_drawn_is_refused_by_name(given, error, told):
    with pytest.raises(error, match=told):
        plots.lines(PATH, "theta", "right", **given)


@pytest.mark.parametrize(
    ("given", "error", "told"),
    [
        ({"parts": {"a": np.eye(2)}}, TypeError, "is a ndarray; expected a pandas DataFrame"),
        ({"parts": {"a": pd.DataFrame({"a": ["x"]})}}, TypeError, r"parts\['a'\] holds"),
        (
            {"parts": {"a": pd.DataFrame({"a": [3]})}, "numbers": "zz"},
            ValueError,
            "numbers is 'zz'; expected a format",
        ),
        ({"parts": {"a": pd.DataFrame({"a": [3]})}, "numbers": 3}, ValueError, "numbers is 3; expected a format"),
        ({"parts": {"a": pd.DataFrame({"a": [3.0]})}, "most": 2}, ValueError, "parts hold 3; expected at most 2"),
    ],
)
def test_a_table_that_is_none_is_refused(given, error, told):
    with pytest.raises(error, match=told):
        plots.maps(**given)
