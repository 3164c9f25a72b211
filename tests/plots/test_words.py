"""Names are drawn as they are: a dollar begins no formula, and a control character breaks nothing."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.text import Text

from ppdm import plots
from ppdm.data import quest
from ppdm.trees import GiniTreeClassifier

FLAT = np.full(4, 0.25)
EDGES = np.linspace(0, 1, 5)
SWEEP = pd.DataFrame({"a": [1, 2], "b": [1.0, 2.0], "c": ["x", "y"]})
X, Y = quest(300, rng=1)


def renamed(name):
    return X[["age", "salary"]].rename(columns={"age": name})


def classified(name):
    return np.where(Y == "A", name, "B")


def classifiers(name):
    """Two trees, the second without a test."""
    return [
        GiniTreeClassifier(max_depth=depth, prune=None).fit(renamed(name), classified(name)) for depth in (2, 0)
    ]


# Each draws the name where a column, a class or a category of the user's stands.
FIGURES = {
    "distributions": lambda name: plots.distributions({name: FLAT}, EDGES, label=name, title=name),
    "panels": lambda name: plots.distributions({name: {name: FLAT}}, EDGES),
    "reconstructions": lambda name: plots.distributions({name: FLAT}, EDGES, true={name: FLAT}),
    "channel": lambda name: plots.channel(np.eye(2), [0, 1, 2], [0, 1, 2], label=name),
    "bars": lambda name: plots.bars({name: 0.5, "b": 0.7}),
    "lines": lambda name: plots.lines(SWEEP.replace("x", name).rename(columns={"a": name}), name, "b", by="c"),
    "logarithmic lines": lambda name: plots.lines(SWEEP.rename(columns={"a": name}), name, "b", log=True),
    "points": lambda name: plots.lines(SWEEP.replace("x", name), "c", "b", by="c", points=True),
    "curves": lambda name: plots.curves(pd.DataFrame({name: [1.0, 2.0]}), marks={name: 0.5}),
    "planes": lambda name: plots.planes({name: (renamed(name), classified(name))}),
    "maps": lambda name: plots.maps({name: np.eye(2)}, [0, 1, 2], [0, 1, 2], x=name, label=name),
    "two trees": lambda name: plots.two_trees(*classifiers(name), renamed(name), names=[name, "after"]),
    "tree": lambda name: plots.tree(GiniTreeClassifier(max_depth=2).fit(renamed(name), classified(name))),
}


@pytest.mark.parametrize("figure", FIGURES)
def test_a_dollar_begins_no_formula(figure):
    name = r"$1 \to_ 2$"  # as a formula it would raise
    picture = FIGURES[figure](name)
    assert picture.png()
    shown = [text for text in picture.findobj(Text) if name in text.get_text()]
    assert shown
    assert not any(text.get_parse_math() for text in shown)


@pytest.mark.parametrize("figure", FIGURES)
def test_a_control_character_breaks_nothing(figure):
    picture = FIGURES[figure]("a\x00b\x1b\tc")  # warnings are errors: fonts have no letters for these
    assert picture.png()
    assert any("a\ufffdb\ufffd\ufffdc" in text.get_text() for text in picture.findobj(Text))


@pytest.mark.parametrize("sign", ["\ud800", "\u202e", "\u2028", "\u200f", "\u2066"])
def test_signs_that_turn_a_line_and_halves_of_characters_are_not_obeyed(sign):
    # A lone half of a character raised inside matplotlib.
    picture = FIGURES["bars"](f"a{sign}b")
    assert picture.png()
    assert any("a\ufffdb" in text.get_text() for text in picture.findobj(Text))


def test_powers_of_ten_stay_formulas():
    picture = plots.lines(SWEEP.assign(a=[1, 1000]), "a", "b", log="x")
    picture.png()
    labels = [label.get_text() for label in picture.axes[0].get_xticklabels()]
    assert all(label.startswith(r"$\mathdefault{10^{") for label in labels)
    assert all(label.get_parse_math() for label in picture.axes[0].get_xticklabels())
