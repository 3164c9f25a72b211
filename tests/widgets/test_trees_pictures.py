"""Accuracies side by side, decisions over a plane, the top of a tree: they hold what they are given, uncut."""

import re

import numpy as np
import pytest
from ppdm.widgets import trees_pictures
from ppdm.widgets.forest import Plane

from ppdm.data import quest
from ppdm.trees import GiniTreeClassifier

VALUES = {"Original": 0.99, "ByClass": 0.82, "Local": None}
DECIDED = [[0, 1, 1], [0, 0, 1]]
DOMAIN = ((0.5, 1.5), (2, 8))


@pytest.fixture(scope="module")
def deep():
    X, y = quest(20_000, function=3, rng=1)
    return GiniTreeClassifier(prune=None, max_depth=9).fit(X, y).tree_


def scores(values, **told):
    told = {"chosen": next(iter(values)), "least": None, "note": "", "label": ""} | told
    return trees_pictures.scores(values, **told)


def decided(classes, of=("no", "yes")):
    plane = Plane(
        np.arange(3), np.array([0, 10]), np.array(DECIDED), np.array([[0.5, 2], [1.5, 3]]), np.array(of)
    )
    return trees_pictures.decided(classes, plane, DOMAIN, x="age", y="pay", title="ByClass")


def widths(ax):
    """Where bars begin and end, those of accuracies only."""
    return [(bar.get_x(), bar.get_x() + bar.get_width()) for bar in ax.patches if bar.get_height() < 0.9]


def inside(figure):
    """Whether all words are within the picture."""
    figure.draw_without_rendering()
    width, height = figure.get_size_inches() * figure.dpi
    ax = figure.axes[0]
    words = [*figure.texts, *ax.texts, *(ax.get_yticklabels() if ax.axison else [])]
    boxes = [text.get_window_extent() for text in words if text.get_text()]
    return all(box.x0 >= 0 and box.y0 >= 0 and box.x1 <= width and box.y1 <= height for box in boxes)


def test_bars_end_at_the_accuracies_and_say_them():
    ax = scores(VALUES, chosen="ByClass").axes[0]
    assert np.allclose(widths(ax), [(0, 0.99), (0, 0.82)])
    assert [text.get_text().strip() for text in ax.texts] == ["99.0 %", "82.0 %", "…"]
    assert [text.get_fontweight() for text in ax.get_yticklabels()] == ["normal", "bold", "normal"]


@pytest.mark.parametrize("lowest", [0.05, 0.3, 0.8])
def test_the_axis_is_the_same_for_all_values(lowest):
    assert scores({"a": lowest, "b": 0.9}).axes[0].get_xlim() == (0, 1.03)


def test_what_somebody_says_is_marked_at_its_bars_only():
    figure = scores(VALUES, least=0.84, note="the paper: within 15 points")
    ax = figure.axes[0]
    assert [(line.get_xdata()[0], round(np.mean(line.get_ydata()))) for line in ax.lines] == [
        (0.84, 1),
        (0.84, 2),
    ]
    assert "the paper: within 15 points" in [text.get_text() for text in figure.texts]
    assert len(ax.patches) == 2  # the line has no area, which would want a key
    bare = scores(VALUES, note="the paper says nothing")
    assert not bare.axes[0].lines
    assert [text.get_text() for text in bare.texts] == ["the paper says nothing"]


@pytest.mark.parametrize("value", [0.8, 0.839, 0.841, 0.86, 0.9, 0.99])
def test_no_value_is_written_over_the_edge(value):
    figure = scores({"ByClass": value, "b": 0.5}, chosen="ByClass", least=0.84, note="said")
    figure.draw_without_rendering()
    ax = figure.axes[0]
    edge = ax.transData.transform((0.84, 0))[0]
    box = ax.texts[0].get_window_extent()
    assert not box.x0 + 1 < edge < box.x1 - 3  # a space stands at the end


def test_decisions_are_drawn_as_they_are_with_the_points_and_the_domain():
    ax = decided(["no", "yes"]).axes[0]
    image = ax.images[0]
    assert image.get_array().tolist() == DECIDED
    assert image.get_extent() == [0, 2, 0, 10]
    assert [line.get_xydata().tolist() for line in ax.lines[:2]] == [[[0.5, 2]], [[1.5, 3]]]
    assert ax.lines[0].get_marker() != ax.lines[1].get_marker()
    assert np.ptp(ax.lines[2].get_xdata()) == 1
    assert np.ptp(ax.lines[2].get_ydata()) == 6
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["no", "yes", "true range"]
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_title(loc="left")) == ("age", "pay", "ByClass")


def test_a_small_tree_is_shown_whole():
    X, y = quest(5_000, function=1, rng=1)
    model = GiniTreeClassifier({"age": [40, 60]}).fit(X[["age"]], y)
    figure = trees_pictures.treetop(model.tree_, "Original: its tree")
    words = [text.get_text() for text in figure.axes[0].texts if text.get_text()]
    young, old = (X["age"] < 40).sum(), (X["age"] >= 60).sum()
    expected = ["age < 60 ?", "yes:", "age < 40 ?", "yes:", f"A  100 % of {young:,} records", "no:"]
    expected += [f"B  100 % of {5_000 - young - old:,} records", "no:", f"A  100 % of {old:,} records"]
    assert words == expected
    assert not [word for word in words if "below" in word]
    assert inside(figure)


@pytest.mark.parametrize("rows", [1, 3, 7, 15])
def test_a_large_tree_says_what_is_cut_off(deep, monkeypatch, rows):
    monkeypatch.setattr(trees_pictures, "ROWS", rows)
    figure = trees_pictures.treetop(deep, "")
    words = [text.get_text() for text in figure.axes[0].texts]
    hidden = [int(word.split(" + ")[1].split()[0]) for word in words if "below" in word]
    shown = max(level.stop for level in deep.levels if level.stop <= rows)
    assert sum(hidden) == len(deep.attribute) - shown > 0
    assert (
        sum(word.startswith(("A  ", "B  ")) for word in words) == (shown + 1) // 2
    )  # the leaves of what is shown
    assert inside(figure)


def test_long_names_are_shortened_within_the_picture():
    rng = np.random.default_rng(1)
    X, y = quest(2_000, function=2, rng=1)
    X["salary and bonus of the whole household before taxes"] = X.pop("salary")
    X["town"] = rng.choice([f"a town with a long name, number {number}" for number in range(9)], len(X))
    model = GiniTreeClassifier(prune=None, max_depth=4).fit(
        X, y.map({"A": "a class with a very long name", "B": "B"})
    )
    figure = trees_pictures.treetop(model.tree_, "")
    words = [text.get_text() for text in figure.axes[0].texts]
    assert any("…" in word for word in words)
    assert all(
        re.search(r" \d+ % of [\d,]+ (records?| \+ \d+ nodes below)$", word) for word in words if " % " in word
    )
    assert inside(figure)


def test_no_line_of_a_tree_is_over_another(deep):
    figure = trees_pictures.treetop(deep, "")
    figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in figure.axes[0].texts if text.get_text()]
    assert len(boxes) == 2 * 13 - 1  # thirteen nodes; each but the first has its way, and what it says
    assert not any(one.overlaps(other) for place, one in enumerate(boxes) for other in boxes[:place])


@pytest.mark.parametrize("number", [2, 3, 4, 7])
def test_the_legend_hides_nothing_and_is_whole(number):
    names = [f"a class with a name, {place}" for place in range(number)]
    figure = decided(names, names[:2])
    figure.draw_without_rendering()
    ax = figure.axes[0]
    legend, label = ax.get_legend().get_window_extent(), ax.xaxis.label.get_window_extent()
    assert len(ax.get_legend().get_texts()) == number + 1
    assert 0 <= legend.x0 < legend.x1 <= figure.bbox.width
    assert 0 <= legend.y0 < legend.y1 <= label.y0
