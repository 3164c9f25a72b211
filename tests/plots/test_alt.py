"""A picture says in sentences what it shows: the words follow from the numbers that are drawn."""

import numpy as np
import pandas as pd
import pytest

from ppdm import plots
from ppdm.data import quest
from ppdm.plots.words import told
from ppdm.trees import GiniTreeClassifier

X, Y = quest(300, rng=1)


def one_line(*heights, **settings):
    frame = pd.DataFrame({"steps": range(len(heights)), "right": heights})
    return plots.lines(frame, "steps", "right", percent="y", **settings)


# A fall of 3 points in 50 is seen, one of 1 is not; 0.1 + 0.2 is not 0.3 to a machine, but it is to a reader.
@pytest.mark.parametrize(
    ("heights", "words"),
    [
        ((0.99, 0.94, 0.5), "falls from 99 % to 50 %"),
        ((0.5, 0.7, 0.99), "rises from 50 % to 99 %"),
        ((0.5, 0.99, 0.7), "rises from 50 % to 99 % at 1.0 and falls to 70 %"),
        ((0.99, 0.5, 0.7), "falls from 99 % to 50 % at 1.0 and rises to 70 %"),
        ((0.7, 0.99, 0.5, 0.7), "moves between 50 % and 99 %"),
        ((0, 1, 0, 1), "moves between 0 % and 100 %"),
        ((1, 0, 1, 0, 1), "moves between 0 % and 100 %"),
        ((0.5, 0.6, 0.55, 0.99), "rises from 50 % to 99 %"),
        ((0.3, 0.1 + 0.2), "stays at 30.0 %"),
    ],
)
def test_a_line_rises_falls_or_stays(heights, words):
    assert one_line(*heights).alt == f"Right against steps: {words}."


def test_a_small_move_on_a_long_axis_is_none():
    frame = pd.DataFrame({"x": [0, 1] * 2, "y": [0.5, 0.51, 0, 1], "who": ["a", "a", "b", "b"]})
    assert "a stays at 0.51, b rises from 0.00 to 1.00" in plots.lines(frame, "x", "y", by="who").alt


def test_each_line_of_each_part_is_told_and_no_verb_twice():
    frame = pd.DataFrame({"x": [0, 1] * 4, "y": np.arange(8.0), "who": list("aabb") * 2, "p": list("uuuuvvvv")})
    picture = plots.lines(
        frame, "x", "y", by="who", panels="p", mark=("half", {"u": 2, "v": 3}), title="It grows"
    )
    assert picture.alt == (
        "It grows. Y against x, 2 parts of 2 lines. u: a rises from 0.0 to 1.0, b from 2.0 to 3.0, half lies at 2.0. "
        "v: a rises from 4.0 to 5.0, b from 6.0 to 7.0, half lies at 3.0."
    )


def test_numbers_have_the_same_last_digit_on_every_machine():
    shares = np.array([0.125, 0.375, 0.335, 0.165])
    for noise in (0, 1e-15, -1e-15):
        pictures = [
            plots.bars({"a": 0.9825 + noise}),
            one_line(0.9825 + noise, 0.7),
            plots.distributions({"a": shares + noise}, np.arange(5)),
            plots.maps({"": pd.DataFrame([[0.125 + noise, 0.5]])}),
        ]
        sentences = [picture.alt for picture in pictures]
        if not noise:
            first = sentences
        assert sentences == first


def test_small_numbers_do_not_vanish():
    assert one_line(1e-12, 2e-12, 5e-12).alt.endswith("from 1e-10 % to 5e-10 %.")
    frame = pd.DataFrame({"x": [1, 2, 3], "y": [1e-5, 1e-8, 1e-12]})
    assert plots.lines(frame, "x", "y", log=True).alt.endswith("falls from 1e-05 to 1e-12.")
    frame = pd.DataFrame({"x": [1, 2, 3], "y": [1.0, 1e-8, 1e-5], "who": "a"})
    assert (
        "a falls from 1 to 1e-08 at 2 and rises to 1e-05" in plots.lines(frame, "x", "y", by="who", log=True).alt
    )
    edges = [0, 1, 2]
    tiny = plots.maps({"": np.array([[1e-12, 2e-12], [3e-12, 4e-12]])}, edges, edges, most=4e-12)
    assert tiny.alt == "Share: from 1e-12 (0.5, 0.5) to 4e-12 (1.5, 1.5)."


def test_what_was_measured_is_told_without_a_name_too():
    frame = pd.DataFrame({"x": ["a", "b"], "y": [0.1, 0.2]})
    picture = plots.lines(frame, "x", "y", points=True, mark=("half", 0.5))
    assert picture.alt == "Y against x: lies between 0.10 (a) and 0.20 (b), half at 0.50."


def test_bounds_are_told_at_their_places():
    frame = pd.DataFrame({"x": [1, 2, 3], "y": [0.1, 0.2, 0.5]})

    def told(**ends):
        return plots.lines(frame, "x", "y", bounds=("c", pd.DataFrame({"x": [1, 3], **ends}))).alt

    assert "c lies between 0.10 and 0.20 (1.0), between 0.80 and 0.90 (3.0)." in told(
        low=[0.1, 0.8], high=[0.2, 0.9]
    )
    assert "c lies between 0.10 and 0.20." in told(low=0.1, high=0.2)
    assert "c lies at 0.10 (1.0), at 0.80 (3.0)." in told(low=[0.1, 0.8])


def test_numbers_have_the_noun_of_their_legend_if_there_is_one():
    frame = pd.DataFrame({"x": [0, 1] * 3, "y": [0, 1] * 3, "who": [0.5] * 2 + [1] * 2 + [-1] * 2})
    alt = plots.lines(frame, "x", "y", by="who").alt
    assert alt.endswith("who 0.5 rises from 0.00 to 1.00, who 1.0 from 0.00 to 1.00, who -1.0 from 0.00 to 1.00.")
    alt = plots.distributions({1: [0.2, 0.8]}, [0, 1, 2]).alt
    assert alt.startswith("Share of records against value: 1 has its")
    assert "0.50, 5 lies at 0.20" in plots.lines(frame / 2, "x", "y", mark=(5, 0.2)).alt


def test_a_distribution_of_zeros_has_no_highest_step():
    assert plots.distributions({"a": [0, 0]}, [0, 1, 2]).alt.endswith("a is 0 everywhere.")


def test_parts_with_other_axes_are_not_told_as_one():
    parts = {"a": (X[["age", "salary"]], Y), "b": (X[["age", "loan"]], Y)}
    assert plots.planes(parts, title="T").alt.startswith("T. Salary or loan against age, 2 parts.")
    ages = pd.DataFrame({"a": [1, 2], "b": [2, 1]}, index=pd.Index([20, 40], name="age"))
    assert plots.curves(ages, stacked=True).alt.startswith("Age, 2 parts.")


def test_a_map_says_its_numbers_as_it_writes_them():
    shares = pd.DataFrame({"one": [0.2, 0.4]}, index=["u", "v"])
    assert plots.maps({"": shares}, numbers=".0%").alt == "Share: from 20% (one, u) to 40% (one, v)."


def test_a_question_and_a_single_test_are_told_in_plain_words():
    stump = GiniTreeClassifier(max_depth=1, prune=None).fit(X, Y)
    alone = GiniTreeClassifier(max_depth=0, prune=None).fit(X, Y)
    assert plots.tree(stump, title="Is it?").alt.startswith("Is it? A tree of 2 leaves, 1 test deep: ")
    assert plots.tree(alone, title="No.").alt.startswith("No. A tree of 1 leaf, 0 tests deep: ")
    assert plots.two_trees(stump, stump, X, title="Same?").alt.startswith("Same? Rules: ")
    assert plots.bars({"a": -0.5}, percent=False).alt == "Accuracy: a −0.5."


def test_signs_are_minus_signs_and_nothing_is_less_than_0_by_rounding():
    assert "falls from 4.0 to −4.0" in plots.curves(pd.DataFrame({"a": [4.0, -4.0]})).alt
    assert "from 0 to" in plots.curves(pd.DataFrame({"a": [-0.01, 50]})).alt


def test_every_figure_says_its_title_and_its_numbers():
    frame = X[["age", "salary"]]
    model = GiniTreeClassifier(max_depth=2).fit(frame, Y)
    said = {
        "distributions": plots.distributions({"true": [0.1, 0.2, 0.7]}, [0, 1, 2, 3], title="T"),
        "channel": plots.channel(np.eye(2), [0, 1, 2], [0, 1, 2], title="T"),
        "bars": plots.bars({"Original": 0.972, "b": 0.5}, title="T"),
        "planes": plots.planes({"true": (frame, Y)}, title="T"),
        "maps": plots.maps({"a": np.eye(2)}, [0, 1, 2], [0, 1, 2], title="T"),
        "tree": plots.tree(model, title="T"),
        "two trees": plots.two_trees(model, model, frame, title="T"),
        "points": plots.lines(pd.DataFrame({"x": ["F1", "F2"], "y": [1, 2]}), "x", "y", points=True, title="T"),
    }
    assert all(picture.alt.startswith("T. ") for picture in said.values())
    words = {
        "distributions": "true has its middle half between 1.8 and 2.6, most near 2.5 (0.70).",
        "channel": "P(seen | true) by seen value and true value: from 0.00 to 1.00.",
        "bars": "Accuracy: Original 97.2 %, b 50.0 %.",
        "planes": f"B {(Y == 'B').sum()} points, half of them at age",
        "maps": "Share: from 0.00 to 1.00.",
        "tree": f"A tree of {len(model.tree_.leaves())} leaves, 2 tests deep: ",
        "two trees": f"Rules: {len(model.tree_.leaves())} kept; similarity 1.00.",
        "points": "Y against x: lies between 1.00 (F1) and 2.00 (F2).",
    }
    assert {name: part for name, part in words.items() if part not in said[name].alt} == {}


def test_words_along_an_axis_are_said_and_not_counted():
    picture = plots.Picture("Own")
    picture.add_subplot().plot(["few", "many", "all"], [1.0, 3.0, 2.0])
    assert picture.alt == "Own. Lies between 1.0 (few) and 3.0 (many)."
    picture = plots.Picture("Points")
    ax = picture.add_subplot()
    ax.plot([1, 2, 3, 4], [0, 1, 0, 1], "o", label="runs")
    ax.set_yticks([0, 1], ["low", "high"])
    assert picture.alt == "Points. Runs has 4 points, half of them at 1.8 to 3.2."


def test_boxes_are_no_lines():
    picture = plots.Picture("Boxes")
    picture.add_subplot().boxplot([[1, 2, 3]] * 5)
    assert picture.alt == "Boxes."


def test_parts_side_by_side_have_one_unit():
    picture = plots.Picture("Own")
    for ax, height in zip(picture.subplots(1, 2), (40, 50), strict=True):
        ax.plot([1, 2], [0, height])
        ax.set_title(f"up to {height}", loc="left")
    picture.axes[0].set_ylabel("people (%)")
    assert (
        picture.alt
        == "Own. People (%), 2 parts. up to 40: rises from 0 % to 40 %. up to 50: rises from 0 % to 50 %."
    )


def test_a_picture_of_ones_own_can_say_what_it_shows():
    picture = plots.Picture("A drawing")
    assert picture.alt == "A drawing."
    picture.alt = "Four boxes and three arrows."
    assert picture._repr_png_()[1] == {"alt": "Four boxes and three arrows."}
    assert told(picture) == "A drawing."
    for wrong, error in (("", ValueError), (" \n", ValueError), (5, TypeError), (["a"], TypeError)):
        with pytest.raises(error, match=r"alt is .*expected a sentence"):
            picture.alt = wrong
    picture.alt = "One\x00 turned \u202eline."
    assert picture.alt == "One\ufffd turned \ufffdline."
    own = plots.Picture("Is it?")
    own.add_subplot().plot([0, 1], [0, 4])
    assert own.alt == "Is it? Rises from 0.0 to 4.0."


def test_below_the_picture_a_fold_says_what_it_shows(monkeypatch):
    shown = []
    asked = []
    monkeypatch.setattr("ppdm.plots.picture.told", lambda picture: asked.append(picture) or told(picture))
    monkeypatch.setattr("IPython.display.display", lambda faces, **how: shown.append((faces, how)))
    picture = plots.bars({"<b>": 0.5}, title="One & all")
    picture._ipython_display_()
    (image, how), (fold, _) = shown
    assert fold["text/html"].startswith('<details class="in-words mathjax_ignore tex2jax_ignore">')
    assert image == {"image/png": picture.png(), "text/plain": repr(picture)}
    assert how["metadata"] == {"image/png": {"alt": "One & all. Accuracy: <b> 50.0 %."}}
    assert len(asked) == 1  # a sentence may take long
    (html,) = fold.values()
    assert "</summary>One &amp; all. Accuracy: &lt;b&gt; 50.0 %.</details>" in html
