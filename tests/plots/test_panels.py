"""Figures of several axes hold the numbers they are given, and refuse what they cannot draw."""

import numpy as np
import pandas as pd
import pytest

from ppdm import plots

EDGES = np.linspace(0, 1, 5)
FLAT = np.full(4, 0.25)
RESULTS = pd.DataFrame(
    {"f": [1, 1, 2, 2] * 2, "tree": ["a"] * 4 + ["b"] * 4, "repeat": [0, 1] * 4, "y": np.arange(8.0)}
)
CURVES = pd.DataFrame(
    {"near": [3.0, 2.0, 1.0], "far": [1.0, 1.5, 2.5]}, index=pd.Index([1, 10, 100], name="steps")
)


def test_panels_of_distributions_share_one_legend():
    figure = plots.distributions({k: {"true": FLAT, "seen": FLAT} for k in "abc"}, EDGES, mark="true")
    drawn = [axes for axes in figure.axes if axes.patches]
    assert [axes.get_title(loc="left") for axes in drawn] == ["a", "b", "c"]
    assert all(np.allclose(patch.get_data()[0], FLAT) for axes in drawn for patch in axes.patches)
    assert [len(axes.get_legend().get_texts()) for axes in figure.axes if axes.get_legend()] == [2]


def test_points_draw_means_and_two_standard_errors():
    axes = plots.lines(RESULTS, "f", "y", by="tree", points=True).axes[0]
    points = [container.lines[0].get_ydata().tolist() for container in axes.containers]
    assert points == [[0.5, 2.5], [4.5, 6.5]]
    first = axes.containers[0].lines[2][0].get_segments()[0]
    assert np.allclose(first[:, 1], [0.5 - 1, 0.5 + 1])


def test_points_stand_side_by_side_at_their_value():
    containers = plots.lines(RESULTS, "f", "y", by="tree", points=True).axes[0].containers
    places = np.array([container.lines[0].get_xdata() for container in containers])
    assert (places[0] < places[1]).all()
    assert (np.abs(places - [0, 1]) < 0.5).all()


def test_points_have_panels():
    by_noise = RESULTS.assign(noise=["u", "G"] * 4)
    figure = plots.lines(by_noise, "f", "y", by="tree", panels="noise", labels={"y": "words"}, points=True)
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["u", "G"]
    assert [axes.get_ylabel() for axes in figure.axes] == ["words", ""]


@pytest.mark.parametrize("stacked", [False, True])
def test_curves_draw_each_column_and_the_marks(stacked):
    figure = plots.curves(CURVES, marks={"stop": 10}, stacked=stacked, log=True)
    lines = [line for axes in figure.axes for line in axes.lines]
    assert len(figure.axes) == (2 if stacked else 1)
    assert [
        line.get_ydata().tolist() for line in lines if len(line.get_ydata()) == 3
    ] == CURVES.T.to_numpy().tolist()
    assert [line.get_xdata() for line in lines if len(line.get_ydata()) == 2] == [[10, 10]] * len(figure.axes)
    assert figure.axes[-1].get_xlabel() == "steps"


def test_bands_are_drawn_around_their_distribution():
    figure = plots.distributions({"true": FLAT, "found": FLAT}, EDGES, bands={"found": (FLAT - 0.1, FLAT + 0.1)})
    band = figure.axes[0].patches[2]
    assert np.allclose(band.get_data()[0], 0.35)
    assert np.allclose(band.get_data()[2], 0.15)


def test_lines_wrap_after_three_panels():
    results = pd.concat([RESULTS.assign(panel=k) for k in range(5)])
    figure = plots.lines(results, "f", "y", by="tree", panels="panel")
    rows = {round(axes.get_subplotspec().rowspan.start) for axes in figure.axes}
    assert rows == {0, 1}
    assert figure.axes[5].get_legend() is not None


def test_a_category_keeps_its_stroke_whichever_others_are_there():
    results = RESULTS.assign(tree=pd.Categorical(RESULTS["tree"], ["b", "c", "a"]))
    strokes = [
        {
            line.get_label(): (line.get_color(), line.get_linestyle())
            for line in plots.lines(some, "f", "y", by="tree").axes[0].lines
        }
        for some in (results, results[results["tree"] == "a"])
    ]
    assert list(strokes[0]) == ["b", "a"]
    assert strokes[0]["a"] == strokes[1]["a"] != strokes[0]["b"]


def test_a_line_that_only_the_second_panel_has_keeps_its_stroke_and_is_named():
    results = RESULTS.assign(panel=["left" if tree == "b" else "right" for tree in RESULTS["tree"]])
    left, right = plots.lines(results, "f", "y", by="tree", panels="panel").axes[::-1]
    assert left.lines[0].get_color() != right.lines[0].get_color()
    legend = next(axes.get_legend() for axes in (left, right) if axes.get_legend())
    assert sorted(text.get_text() for text in legend.get_texts()) == ["a", "b"]


@pytest.mark.parametrize(
    ("log", "scales"), [(False, ("linear",) * 2), ("x", ("log", "linear")), (True, ("log",) * 2)]
)
def test_lines_have_the_scales_that_are_asked_for(log, scales):
    axes = plots.lines(RESULTS.assign(y=RESULTS["y"] + 1), "f", "y", by="tree", log=log).axes[0]
    assert (axes.get_xscale(), axes.get_yscale()) == scales


def test_a_logarithmic_scale_refuses_nothing_that_it_shows():
    # A repeat of 0 whose cell has a mean above 0, places in words, and points on a scale of y alone.
    above = RESULTS.assign(y=RESULTS["y"] + (RESULTS["f"] == 2), word=RESULTS["f"].astype(str))
    assert plots.lines(above, "f", "y", by="tree", log=True).png()
    points = plots.lines(above, "word", "y", by="tree", log=True, points=True)
    assert points.png()
    assert (points.axes[0].get_xscale(), points.axes[0].get_yscale()) == ("linear", "log")
    assert plots.curves(CURVES.set_axis(list("abc"))).png()


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: plots.lines(RESULTS, "f", "z", by="tree", points=True),
            ValueError,
            "y is 'z'; expected one of 'f', 'tree', 'repeat', 'y'",
        ),
        (lambda: plots.lines(RESULTS, "f", "tree", by="f", points=True), TypeError, r"results\['tree'\] holds"),
        (
            lambda: plots.lines(RESULTS, "f", "y", log="y"),
            ValueError,
            "log is 'y'; expected one of False, True, 'x'",
        ),
        # A logarithmic scale would leave out in silence what is 0 or less, and any scale what is missing.
        (
            lambda: plots.curves(CURVES.set_axis([-1, 0, 10]), log=True),
            ValueError,
            "the index of values has 2 of 3 values of 0 or less .*; expected numbers above 0, or no log",
        ),
        (lambda: plots.curves(CURVES.set_axis(list("abc")), log=True), TypeError, "the index of values holds"),
        (lambda: plots.curves(CURVES.set_axis([np.nan, 1, 2])), ValueError, "the index of values has 1 missing"),
        (
            lambda: plots.curves(CURVES, marks={"m": 0}, log=True),
            ValueError,
            r"marks is 0; expected a number in \(0, inf\)",
        ),
        (lambda: plots.curves(CURVES, marks={"m": "far"}), TypeError, "marks is 'far'; expected a finite number"),
        (
            lambda: plots.lines(RESULTS, "repeat", "y", log="x"),
            ValueError,
            r"results\['repeat'\] has 4 of 8 values of",
        ),
        (lambda: plots.lines(RESULTS, "tree", "y", log="x"), TypeError, r"results\['tree'\] holds"),
        (
            lambda: plots.lines(RESULTS.assign(y=RESULTS["y"] - 3), "f", "y", by="tree", log=True),
            ValueError,
            r"the means of results\['y'\] has 2 of 2 values of 0 or less",
        ),
        (
            lambda: plots.lines(RESULTS.assign(f=[np.nan, *RESULTS["f"][1:]]), "f", "y"),
            ValueError,
            r"results\['f'\] has 1 missing .*row 0",
        ),
        (
            lambda: plots.lines(RESULTS.assign(tree=[None, *RESULTS["tree"][1:]]), "f", "y", by="tree"),
            ValueError,
            r"results\['tree'\] has 1 missing .*row 0",
        ),
        (
            lambda: plots.lines(RESULTS.assign(tree=[None, *RESULTS["tree"][1:]]), "f", "y", panels="tree"),
            ValueError,
            r"results\['tree'\] has 1 missing .*row 0",
        ),
        (lambda: plots.lines(RESULTS, "f", "y", mark="chance"), TypeError, "mark is a str; expected a pair"),
        (
            lambda: plots.lines(RESULTS, "f", "y", mark=("a", "b")),
            TypeError,
            "mark is 'b'; expected a finite number",
        ),
        (
            lambda: plots.lines(RESULTS.assign(y=1.0), "f", "y", mark=("chance", 0), log=True),
            ValueError,
            r"mark is 0; expected a number in \(0, inf\)",
        ),
        (lambda: plots.curves([1, 2]), TypeError, "values is a list"),
        (lambda: plots.curves(CURVES, marks=[1]), TypeError, "marks is a list; expected a dict"),
        (lambda: plots.curves(CURVES * np.nan), ValueError, r"values\['near'\] has 3 .*missing"),
        (
            lambda: plots.distributions({"a": FLAT}, EDGES, bands={"b": (FLAT, FLAT)}),
            ValueError,
            "bands is 'b'; expected one of 'a'",
        ),
        (
            lambda: plots.distributions({"a": FLAT}, EDGES, bands={"a": FLAT}),
            ValueError,
            r"bands of 'a' has .*; expected .*rows and columns",
        ),
        (
            lambda: plots.distributions({"a": FLAT}, EDGES, bands={"a": (FLAT[1:], FLAT)}),
            ValueError,
            "bands of 'a' has rows of several lengths",
        ),
    ],
)
def test_bad_input_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
