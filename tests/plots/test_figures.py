"""Figures hold the data they are given, say what they show, and refuse what they cannot draw."""

import time
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

from ppdm import plots
from ppdm.data import quest
from ppdm.plots.trees import _layout
from ppdm.reconstruct.attribute import Attribute
from ppdm.tables import EstimatedTable
from ppdm.trees import GiniTreeClassifier, Stop, Tree, grow

EDGES = np.linspace(0, 1, 5)
FLAT = np.full(4, 0.25)


@pytest.fixture(scope="module")
def records():
    return quest(4000, function=2, rng=5)


def staircase(leaves: int):
    """A tree with a given number of leaves: the class changes at every edge."""
    attribute = Attribute.numeric("salary", np.arange(1.0, leaves) * 1000)
    counts = np.zeros((leaves, 2))
    counts[np.arange(leaves), np.arange(leaves) % 2] = 1000 + np.arange(leaves)
    return grow(EstimatedTable.from_counts([attribute], ["High", "Low"], counts), stop=Stop(min_gain=0))


def boxes(figure: Figure):
    """The extents of all words in boxes, in pixels."""
    figure.draw_without_rendering()
    return [text.get_window_extent() for text in figure.axes[0].texts if text.get_bbox_patch() is not None]


def test_a_picture_shows_itself_as_png_and_in_one_line():
    picture = plots.bars({"Original": 0.9}, title="Accuracy")
    assert picture.png()[:4] == b"\x89PNG"
    assert picture.png() == picture.png()
    assert repr(picture) == f"<Picture 'Accuracy', 640×{round(100 * picture.get_size_inches()[1])}>"


def test_distributions_draw_the_shares():
    figure = plots.distributions({"true": FLAT, "seen": np.array([0.1, 0.2, 0.3, 0.4])}, EDGES, mark="true")
    drawn = [patch.get_data()[0] for patch in figure.axes[0].patches]
    assert np.allclose(drawn, [FLAT, [0.1, 0.2, 0.3, 0.4]])
    assert [text.get_text() for text in figure.axes[0].get_legend().get_texts()] == ["true", "seen"]


def test_reconstructions_draw_true_and_found_in_one_colour():
    found = {"A": np.array([0.1, 0.2, 0.3, 0.4]), "B": FLAT}
    patches = plots.distributions(found, EDGES, true={"A": FLAT, "B": FLAT}).axes[0].patches
    assert np.allclose([patch.get_data()[0] for patch in patches], [FLAT, FLAT, found["A"], FLAT])
    assert patches[0].get_facecolor()[:3] == patches[2].get_edgecolor()[:3] != patches[3].get_edgecolor()[:3]


def test_channel_draws_the_matrix_with_open_ends():
    matrix = np.array([[0.7, 0.2, 0.1], [0.1, 0.2, 0.7]])
    mesh = plots.channel(matrix, [0, 1, 2], [-np.inf, 0.5, 1.5, np.inf]).axes[0].collections[0]
    assert np.allclose(mesh.get_array(), matrix)
    assert np.allclose(mesh.get_coordinates()[0, :, 0], [-0.5, 0.5, 1.5, 2.5])


@pytest.mark.parametrize(("open_edges", "drawn"), [([-np.inf, 0, 1], [-1, 0, 1]), ([0, 2, np.inf], [0, 2, 4])])
def test_an_open_end_is_as_wide_as_its_neighbour(open_edges, drawn):
    patch = plots.distributions({"seen": [0.5, 0.5]}, open_edges).axes[0].patches[0]
    assert patch.get_data()[1].tolist() == drawn


def test_lines_draw_means_and_bands():
    results = pd.DataFrame({"level": [1, 1, 2, 2], "value": [0.0, 2.0, 3.0, 5.0], "who": "a"})
    axes = plots.lines(results, "level", "value", by="who").axes[0]
    assert axes.lines[0].get_ydata().tolist() == [1, 4]
    band = axes.collections[0].get_paths()[0].vertices[:, 1]
    assert np.isclose([band.min(), band.max()], [1 - 2, 4 + 2]).all()


def test_lines_have_panels_on_one_scale_and_a_mark():
    results = pd.DataFrame({"level": [1, 2] * 2, "value": [0.0, 2.0, 3.0, 5.0], "noise": ["u", "u", "G", "G"]})
    figure = plots.lines(
        results, "level", "value", panels="noise", mark=("chance", 0.5), labels={"level": "how much"}
    )
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["u", "G"]
    assert [axes.lines[0].get_ydata().tolist() for axes in figure.axes] == [[0, 2], [3, 5]]
    assert figure.axes[0].get_ylim() == figure.axes[1].get_ylim()
    assert figure.axes[1].lines[1].get_ydata() == [0.5, 0.5]
    assert figure.axes[0].get_xlabel() == "how much"


def test_lines_of_one_repeat_have_no_band():
    axes = plots.lines(pd.DataFrame({"x": [1, 2], "y": [3.0, 4.0]}), "x", "y").axes[0]
    assert np.isfinite(axes.collections[0].get_paths()[0].vertices).all()


@pytest.mark.parametrize("leaves", [2, 5, 10, 16])
def test_words_of_a_small_tree_do_not_overlap(leaves):
    figure = plots.tree(staircase(leaves))
    extents = boxes(figure)
    assert len(extents) == 2 * leaves - 1
    width, height = figure.canvas.get_width_height()
    assert all(box.x0 >= 0 and box.x1 <= width and box.y0 >= 0 and box.y1 <= height for box in extents)
    overlaps = [(a, b) for i, a in enumerate(extents) for b in extents[:i] if a.overlaps(b)]
    assert not overlaps


def test_branches_of_a_multiway_test_are_named_by_their_categories():
    attribute = Attribute.categorical("colour", ["red", "green", "blue"])
    table = EstimatedTable.from_counts([attribute], ["A", "B"], [[9, 0], [0, 9], [5, 5]])
    axes = plots.tree(grow(table, nominal="multiway")).axes[0]
    assert {"red", "green", "blue"} <= {text.get_text() for text in axes.texts}


def test_a_large_tree_shows_its_shape():
    figure = plots.tree(staircase(200))
    assert len(boxes(figure)) <= 7
    assert sum(len(points.get_offsets()) for points in figure.axes[0].collections[1:]) + len(boxes(figure)) == 399
    assert figure.get_size_inches()[0] <= 14


def test_a_fitted_classifier_is_drawn_as_its_tree(records):
    model = GiniTreeClassifier(max_depth=2).fit(*records)
    assert plots.tree(model).png() == plots.tree(model.tree_).png()


def test_a_single_leaf_can_be_drawn():
    attribute = Attribute.numeric("age", [1.0])
    figure = plots.tree(grow(EstimatedTable.from_counts([attribute], ["A", "B"], [[5, 0], [2, 0]])))
    assert len(boxes(figure)) == 1


def shape(depth, classes=2):
    """A tree of 2^depth leaves, as large a model as can be read if depth is 16."""
    nodes = 2 ** (depth + 1) - 1
    inner = np.arange(nodes) < 2**depth - 1
    counts, threshold = np.ones((nodes, classes)), np.where(inner, 0.5, np.nan)
    attributes = (Attribute("n", "numeric", 2),)
    return Tree(attributes, np.arange(classes), counts, inner - 1, threshold, 2 * inner, np.array([], dtype=int))


def test_leaves_stand_side_by_side_and_parents_between_their_children():
    for model in (staircase(40), shape(6)):
        places = _layout(model)
        assert places[list(model.conditions()), 0].tolist() == list(range(len(model.leaves())))
        for node in np.flatnonzero(model.attribute >= 0):
            ends = places[list(model.children(node)), 0]
            assert places[node, 0] == (ends[0] + ends[-1]) / 2
            assert (places[list(model.children(node)), 1] == places[node, 1] - 1).all()


def test_the_time_of_a_picture_grows_no_faster_than_its_tree():
    def seconds(depth):
        model = shape(depth)
        start = time.perf_counter()
        assert plots.tree(model).png()
        return time.perf_counter() - start

    seconds(6)
    assert seconds(13) < 2 * 32 * seconds(8)


def test_a_count_of_any_size_that_a_model_may_have_is_drawn():
    # With one count of 1e100 beside counts of 1 matplotlib drew for ever, and no interrupt stopped it.
    text = staircase(20).to_json().replace("1000.0", "4.9e14", 1)
    assert plots.tree(Tree.from_json(text)).png()
    with pytest.raises(ValueError, match="counts holds numbers beyond"):
        Tree.from_json(text.replace("490000000000000.0", "1e100").replace("4.9e14", "1e100"))


def test_the_legend_names_thirty_classes_at_most():
    legend = plots.tree(shape(5, classes=500)).axes[0].get_legend()
    assert [text.get_text() for text in legend.get_texts()] == [str(number) for number in range(30)]


def test_a_very_long_word_is_cut():
    words = [f"{'w' * 100_000}{number}" for number in range(40)]
    attribute = Attribute.categorical(words[0], words)
    counts = np.eye(2)[np.arange(40) % 2] * 5
    picture = plots.tree(grow(EstimatedTable.from_counts([attribute], ["A", "B"], counts)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a box as wide as the picture leaves the axes no room
        assert picture.png()
    assert max(len(text.get_text()) for text in picture.findobj(Text)) == 201


def test_a_class_cannot_pretend_other_numbers():
    picture = plots.tree(replace(staircase(2), classes=np.array(["A\n9,999\n100%", "B"])))
    assert "A 9,999 100%\n1,000\n100%" in {text.get_text() for text in picture.axes[0].texts}


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: plots.distributions({"true": FLAT}, [0, 1]),
            ValueError,
            "shares of 'true' has 4 entries and its list of intervals has 1",
        ),
        (
            lambda: plots.distributions({"true": FLAT * np.nan}, EDGES),
            ValueError,
            "shares of 'true' has 4 .*missing",
        ),
        (
            lambda: plots.channel(np.eye(2), [0, 1], [0, 1]),
            ValueError,
            r"matrix has shape \(2, 2\); expected \(1, 1\)",
        ),
        (
            lambda: plots.lines(pd.DataFrame({"a": [1]}), "a", "b"),
            ValueError,
            "y is 'b'; expected one of 'a'; these are the columns of results",
        ),
        (
            lambda: plots.distributions({"B": FLAT}, EDGES, true={"A": FLAT}),
            ValueError,
            "true has the names .'A'.",
        ),
        (lambda: plots.bars({}), ValueError, "values is empty"),
        (lambda: plots.bars([1, 2]), TypeError, "values is a list; expected a dict"),
        (lambda: plots.distributions(None), TypeError, "shares is a NoneType; expected a dict"),
        (lambda: plots.distributions({}), ValueError, "shares is empty"),
        (
            lambda: plots.distributions({"a": FLAT}, EDGES, mark="b"),
            ValueError,
            "mark is 'b'; expected one of None, 'a'",
        ),
        (lambda: plots.distributions({"a": (FLAT,)}), ValueError, "shares of 'a' has 2 dimensions; expected one"),
        (lambda: plots.distributions({"a": [1]}, [-np.inf, np.inf]), ValueError, "at least two that are finite"),
        (lambda: plots.channel([[np.nan]], [0, 1], [0, 1]), ValueError, "matrix has 1 .*missing"),
        (lambda: plots.lines(pd.DataFrame({"a": [1], "b": ["x"]}), "a", "b"), TypeError, r"results\['b'\] holds"),
        (lambda: plots.lines(pd.DataFrame({"a": [1], "b": [np.nan]}), "a", "b"), ValueError, "has 1 .*missing"),
        (lambda: plots.tree("tree"), TypeError, "model is a str; expected a Tree"),
    ],
)
def test_bad_input_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
