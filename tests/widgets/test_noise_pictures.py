"""Figures that move: what they show after a move is what a new figure shows at once, to the byte."""

import numpy as np
import pytest
from ppdm.widgets.noise_pictures import Shapes, Walk

EDGES = np.linspace(0, 1, 5)
FLAT, STEEP = np.full(4, 0.25), np.array([0.1, 0.2, 0.3, 0.4])
RULES = ["early", "late", "never"]


def shapes(figure, first=FLAT, title="flat", top=0.3, label="age", across=(0, 1)):
    return figure.show(
        [(first, EDGES), (STEEP, EDGES), (first, EDGES)], title=title, label=label, across=across, top=top
    )


def walk(figure, distances=(0.5, 0.3, 0.2, 0.1), step=2, early=1, late=None, naive=0.4):
    return figure.show(
        np.array(distances), step, stops={"early": early, "late": late, "never": None}, naive=naive
    )


SHAPES = [{}, {"first": STEEP, "top": 0.45}, {"label": "salary", "across": (-1, 2)}, {"title": "another"}]
WALKS = [{}, {"step": 0}, {"early": None, "late": 3}, {"naive": 0.9}, {"distances": np.geomspace(0.5, 0.01, 200)}]


@pytest.mark.parametrize(
    ("make", "show", "states"),
    [(lambda: Shapes(), shapes, SHAPES), (lambda: Walk(RULES), walk, WALKS)],
    ids=["shapes", "walk"],
)
def test_after_a_move_it_is_as_if_new(make, show, states):
    moved, seen = make(), set()
    for state in [*states, *reversed(states)]:
        sharp = show(moved, **state).sharp()
        assert sharp == show(make(), **state).sharp()
        assert show(moved, **state).png() == show(make(), **state).png()
        assert show(moved, **state).sharp() == sharp
        seen.add(sharp)
    assert len(seen) == len(states)


def test_the_walk_marks_where_rules_stop_and_where_one_stands():
    figure = Walk(RULES)
    picture = walk(figure, step=3)
    assert (figure.here.get_xdata()[0], figure.here.get_ydata()[0]) == (4, 0.1)
    assert list(figure.marks["early"].get_xdata()) == [2, 2]
    assert not figure.marks["late"].get_visible()
    assert [text.get_text() for text in figure.words.values()] == ["early stops", "late: later", "never: later"]
    assert picture.axes[0].get_xticklabels()[-1].get_text() == "3"
