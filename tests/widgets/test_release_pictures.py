"""Risk above utility, and rows of a released table: they hold what they are given, uncut, and move as if new."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.colors import to_rgba as rgba
from ppdm.widgets import release_pictures
from ppdm.widgets.picture import apart
from ppdm.widgets.release import ROWS
from ppdm.widgets.release_pictures import BLACK, BLUE, GREY, RED, Balance, Head

NAN = float("nan")
GAINS = {"plas": 0.19, "age": 0.1, "preg": 0.05}
HEADLINES = ("Risk: held", "Utility: C4.5 right 74.5 % before, 76.4 % after")
COLUMNS = {"class": ["yes", "no"], "age": ["36", "28.5 to 41"], "plas": ["199", ""]}


def balance(figure, kept=(0.19, 0.02, NAN), headlines=HEADLINES, **told):
    columns = {"named": [0.3, 0.45], "inferred": [0.35, NAN], "baseline": 0.3, "threshold": 0.6}
    columns |= {"complete": 0, "verdict": "held"} | told
    return figure.show(pd.DataFrame(columns, ["preg", "age"]), kept, headlines)


def new():
    return Balance(["preg", "age"], GAINS)


def head(figure, columns=COLUMNS, marked=("age",)):
    return figure.show(columns, marked)


BALANCES = [{}, {"named": [0.9, 0.1]}, {"complete": [0, 3]}, {"kept": (0, 0, 0)}, {"headlines": ("a", "b")}]
HEADS = [
    {},
    {"marked": ()},
    {"columns": {"class": ["yes", "no"]}},
    {"columns": {**COLUMNS, "pedi": ["1.394", "0.4"]}},
]


def inside(picture):
    """Whether all words are within the picture."""
    picture.draw_without_rendering()
    width, height = picture.get_size_inches() * picture.dpi
    words = []
    for ax in picture.axes:
        low, high = ax.get_xlim()
        ticks = [tick for tick in ax.get_xticklabels() if low <= tick.get_position()[0] <= high]
        legend = ax.get_legend()
        words += [
            *ax.texts,
            *ticks,
            *ax.get_yticklabels(),
            ax.xaxis.label,
            *(legend.get_texts() if legend else []),
        ]
    boxes = [text.get_window_extent() for text in words if text.get_text()]
    return all(box.x0 >= 0 and box.y0 >= 0 and box.x1 <= width and box.y1 <= height for box in boxes)


@pytest.mark.parametrize(
    ("make", "show", "states"),
    [(new, balance, BALANCES), (Head, head, HEADS)],
    ids=["balance", "head"],
)
def test_after_a_move_it_is_as_if_new(make, show, states):
    moved, seen = make(), set()
    for state in [*states, *reversed(states)]:
        sharp = show(moved, **state).sharp()
        assert sharp == show(make(), **state).sharp()
        assert show(moved, **state).png() == show(make(), **state).png()
        seen.add(sharp)
    assert len(seen) == len(states)


def test_bars_and_marks_stand_where_the_report_says():
    figure = new()
    picture = balance(figure, verdict=["held", "not held"])
    risk, utility = picture.axes
    assert [bar.get_width() for bar in figure.named] == [0.3, 0.45]
    assert [bar.get_facecolor() for bar in figure.named] == [pytest.approx(hue) for hue in map(rgba, (BLUE, RED))]
    assert [bar.get_width() for bar in figure.kept] == [0.19, 0.02, 0]
    assert [word.get_text() for word in figure.words[0]] == ["30.0 %", "45.0 %"]
    assert [word.get_text() for word in figure.words[1]] == ["", "", "dropped"]
    assert np.allclose(figure.marks["inferred"].get_xdata(), [0.35, NAN], equal_nan=True)
    assert list(figure.marks["threshold"].get_xdata()) == [0.6, 0.6]
    assert [text.get_text() for text in risk.get_yticklabels()] == ["preg", "age"]
    assert [text.get_text() for text in utility.get_yticklabels()] == list(GAINS)
    assert picture.title == "; ".join(HEADLINES)


@pytest.mark.parametrize("names", [["preg"], [f"a very long name of column {number}" for number in range(8)]])
def test_words_stay_within_the_picture(names):
    figure = Balance(names, dict.fromkeys(names, 1 / 3))
    shares = dict.fromkeys(["named", "inferred", "baseline", "threshold"], 1.0)
    columns = shares | {"complete": 0, "verdict": "not held"}
    picture = figure.show(pd.DataFrame(columns, names), [NAN] * len(names), HEADLINES)
    assert inside(picture)
    assert picture.size[1] == round(100 * figure.height)


def test_an_attribute_that_tells_nothing_has_an_axis_too():
    figure = Balance(["a"], {"a": 0.0})
    assert figure.picture.axes[1].get_xlim()[1] > 0


@pytest.mark.parametrize(("more", "told"), [(1, "and 1 more column"), (6, "and 6 more columns")])
def test_columns_that_do_not_fit_are_counted_and_nothing_leaves_the_picture(monkeypatch, more, told):
    words = []
    draw = release_pictures.placed
    monkeypatch.setattr(
        release_pictures, "placed", lambda word, *at, **style: words.append(word) or draw(word, *at, **style)
    )
    columns = {f"column {number}": ["a released value of many letters"] * ROWS for number in range(3 + more)}
    few = head(Head(), columns).axes[0]
    assert words[-1] == told
    assert {patch.get_facecolor() for patch in few.patches} == {rgba(BLACK), rgba(GREY)}
    ends = [patch.get_path().vertices.max(axis=0) for patch in few.patches]
    assert max(right for right, _ in ends) <= few.get_xlim()[1]
    assert max(low for _, low in ends) < few.get_ylim()[0] - 0.02
    assert few.get_position().y0 > 0


SHARES = st.floats(0, 1)


@given(SHARES, st.tuples(*[SHARES | st.just(NAN)] * 3), st.booleans())
def test_a_bars_number_is_beside_its_end_and_its_marks(named, marks, whole):
    figure = Balance(["age"], GAINS)
    told = dict(zip(["inferred", "baseline", "threshold"], marks))
    row = {"named": 1.0 if whole else named, **told, "complete": 0, "verdict": "held"}
    picture = figure.show(pd.DataFrame([row], ["age"]), (0, 0, 0), HEADLINES)
    picture.draw_without_rendering()
    (word, *_), ax = figure.words[0], picture.axes[0]
    box = word.get_window_extent()
    points = ax.transData.transform([(share, 0) for share in (row["named"], *marks) if share == share])[:, 0]
    assert not any(box.x0 - 2 < place < box.x1 + 2 for place in points)
    assert box.x1 <= ax.bbox.x1 + 2
    assert (word.get_color() == "white") == (box.x0 < points[0])


def test_names_are_shortened_until_they_differ():
    patient = [f"measurement number {number} of the patient (mmol/l)" for number in range(8)]
    visits = [f"visit {day} pulse {kind} (1/min)" for day in (1, 2) for kind in ("low", "high")]
    names = [*patient, *visits, "age", "glucose", "visit 1"]
    for most in (7, 11, 14):
        found = apart(names, most)
        assert [*found] == names
        assert len({*found.values()}) == len(names)
        assert max(map(len, found.values())) <= most
        assert [found[name] for name in ("age", "glucose", "visit 1")] == ["age", "glucose", "visit 1"]
        assert all(str(number) in found[name] for number, name in enumerate(patient))


def test_what_is_sensitive_is_coloured():
    words = {patch.get_facecolor(): patch.get_path() for patch in head(Head()).axes[0].patches}
    assert words.keys() == {rgba(RED), rgba(BLACK)}
    alone = head(Head(), {"age": COLUMNS["age"]}).axes[0].patches[0].get_path()
    assert len(words[rgba(RED)]) == len(alone)
