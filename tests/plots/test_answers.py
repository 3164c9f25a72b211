"""Figures of answers in groups show what they are given, also when they move, and refuse what they cannot draw."""

import numpy as np
import pytest

from ppdm import plots
from ppdm.plots.picture import Rectangle, Word
from ppdm.plots.sheets import ROW

GROUPS = [["a", "b"], ["c"]]
LINES = {"plain ID3": 0.8, "majority": 0.7}
RUNS = {"estimates": [0.7, 0.8, 0.75], "naive": [0.6]}
CURVES = {"estimates": ([0.6, 0.9], [0.7, 0.78]), "naive": ([0.6, 0.9], [0.72, 0.74])}


def words(picture):
    return [text.get_text() for text in picture.axes[0].texts if text.get_visible()]


def parts(picture, kind):
    return [patch for patch in picture.axes[0].patches if isinstance(patch, kind)]


def written(picture):
    """The words of a sheet, and where each stands."""
    return [(word.get_label(), word.get_path().get_extents()) for word in parts(picture, Word)]


def line(picture, label):
    return next(one for one in picture.axes[0].lines if one.get_label() == label)


def repeats():
    return plots.Repeats(list(RUNS), list(LINES))


def trade_off():
    return plots.TradeOff(list(CURVES), list(LINES))


def test_a_sheet_has_a_box_for_each_answer_in_the_row_of_its_group():
    picture = plots.sheet(GROUPS, open_columns=["d"], leaked="a", certain=["b"], names={"d": "d (class)"})
    rows = [(word, int(place.y1 / ROW[1])) for word, place in written(picture)]
    assert rows[:4] == [("a", 0), ("b", 0), ("c", 1), ("d (class)", 2)]
    assert rows[4:7] == [("group 1", 0), ("group 2", 1), ("open", 2)]
    assert [word for word, _ in rows[7:]] == ["leaked", "certain then", "not told by it", "open"]


def test_what_leaks_and_what_it_tells_differ_not_by_colour_alone():
    boxes = parts(plots.sheet(GROUPS, open_columns=["d"], leaked="a", certain=["b"]), Rectangle)[:4]
    strokes = [(box.get_hatch(), box.get_linestyle(), box.get_facecolor()[:3] == (0, 0, 0)) for box in boxes]
    assert len(set(strokes)) == 4


def test_a_long_group_goes_on_in_the_next_line_and_no_box_leaves_the_picture():
    columns = [f"a-rather-long-name-{k}" for k in range(12)] + ["x" * 80]
    picture = plots.sheet([columns])
    ends = [box.get_x() + box.get_width() for box in parts(picture, Rectangle)]
    assert max(ends) <= picture.axes[0].get_xlim()[1]
    assert len({box.get_y() for box in parts(picture, Rectangle)}) > 4
    assert "x" * 22 + "…" + "x" * 22 in dict(written(picture))


@pytest.mark.parametrize("name", ["a", "lll", "MWM", "education-num", "x" * 80, "$5 or $6", "Äpfel?"])
def test_a_word_stands_in_the_middle_of_its_box(name):
    picture = plots.sheet([[name]], leaked=name)
    box, word = parts(picture, Rectangle)[0].get_bbox(), parts(picture, Word)[0].get_path().get_extents()
    assert box.x0 < word.x0 < word.x1 < box.x1
    assert box.y0 < word.y0 < word.y1 < box.y1
    assert word.x0 + word.x1 == pytest.approx(box.x0 + box.x1, abs=0.04)  # inches: two pixels, each way


def test_a_sheet_that_moved_is_as_one_made_anew():
    figure, many = plots.Sheet(), [[k] for k in range(40)]
    first = figure.show(GROUPS, leaked="a", title="T").sharp()
    assert figure.show([["a"], ["b", "c"]], leaked="a", title="T").sharp() != first
    assert figure.show(many, title="T").sharp() == plots.sheet(many, title="T").sharp()
    assert figure.show(GROUPS, leaked="a", title="T").sharp() == first
    assert figure.show(GROUPS, leaked="a", title="U").sharp() != first


def test_a_sheet_that_stands_is_not_drawn_again(monkeypatch):
    figure = plots.Sheet()
    first = figure.show(GROUPS, leaked="a", title="T").sharp()
    drawn = []
    monkeypatch.setattr(Rectangle, "draw", lambda self, _: drawn.append(self))
    assert figure.show(GROUPS, leaked="a", title="T").sharp() is first
    assert not drawn
    figure.show(GROUPS, leaked="b", title="T").sharp()
    assert drawn


def test_a_small_picture_in_between_hides_no_move_from_the_sharp_one():
    figure = plots.Sheet()
    first = figure.show(GROUPS, leaked="a", title="T").sharp()
    moved = figure.show(GROUPS, leaked="b", title="T")
    moved.png()
    assert moved.sharp() == plots.sheet(GROUPS, leaked="b", title="T").sharp() != first


def test_the_title_is_whole_however_many_groups():
    picture = plots.sheet([[k] for k in range(60)], title="Groups")
    picture.png()
    title = picture.axes[0].texts[0].get_window_extent()
    assert 0 < picture.bbox.y1 - title.y1 < picture.bbox.y1 - title.y0 < 34  # pixels of the head


def test_a_long_name_keeps_its_beginning_and_its_end():
    picture = plots.Guesses().show(0.2, theta=0.7, name="Did you ever travel without a ticket? 7", title="")
    text = picture.axes[0].get_legend().get_texts()[0].get_text()
    assert text == "Did you ever t…t a ticket? 7 truly 1, where 1 is released"


def test_a_sheet_grows_with_its_groups():
    sizes = [plots.sheet([[k] for k in range(number)]).size for number in (2, 15, 40)]
    assert sizes[0][0] == sizes[2][0]
    assert sizes[0][1] < sizes[1][1] < sizes[2][1]


def test_repeats_show_runs_mean_and_two_standard_errors():
    figure = repeats()
    figure.show({"estimates": [0.1], "naive": []}, lines=LINES, title="before")
    picture = figure.show(RUNS, lines=LINES, title="Accuracy")
    column = figure.columns["estimates"]
    assert list(column.points.get_ydata()) == RUNS["estimates"]
    error = np.std(RUNS["estimates"], ddof=1) / 3**0.5
    assert np.allclose(column.mean.get_ydata(), 0.75)
    assert np.allclose(column.reach.get_ydata(), [0.75 - 2 * error, 0.75 + 2 * error])
    assert list(figure.columns["naive"].reach.get_ydata()) == [0.6, 0.6]
    assert words(picture) == ["Accuracy", "plain ID3 80.0 %", "majority 70.0 %"]
    assert picture.title == "Accuracy"
    low, high = picture.axes[0].get_ylim()
    assert low < 0.6 < 0.8 < high


def test_repeats_say_where_there_is_none():
    assert words(repeats().show({"estimates": [], "naive": [0.6]}, lines=LINES, title=""))[-1] == "no run"


@pytest.mark.parametrize("spread", [0.001, 0.1, 0.9])
def test_an_axis_of_accuracies_has_three_to_six_names(spread):
    picture = repeats().show({"estimates": [0.5 - spread / 2, 0.5 + spread / 2], "naive": []},
                             lines={"plain ID3": 0.5, "majority": 0.5}, title="")  # fmt: skip
    assert 3 <= len(picture.axes[0].get_yticks()) <= 6


def test_a_trade_off_stands_over_epsilon():
    figure = trade_off()
    picture = figure.show(CURVES, here=(0.2, [0.7, 0.72]), lines=LINES, title="T")
    assert np.allclose(line(picture, "estimates").get_xdata(), np.log([0.6 / 0.4, 9]))
    assert list(line(picture, "estimates").get_ydata()) == [0.7, 0.78]
    assert np.allclose(line(picture, "you are here").get_xydata(), [[np.log(4), 0.71]])
    moved = figure.show(CURVES, here=(1, [0.8]), lines={"plain ID3": 0.9, "majority": 0.6}, title="T")
    assert line(moved, "you are here").get_xdata()[0] < moved.axes[0].get_xlim()[1]
    assert [text.get_text() for text in moved.axes[0].get_legend().get_texts()][-2:] == [
        "plain ID3 90.0 %",
        "majority 60.0 %",
    ]


def test_a_trade_off_without_runs_marks_the_place_alone():
    picture = trade_off().show({k: ([], []) for k in CURVES}, here=(0.5, []), lines=LINES, title="")
    assert np.isnan(line(picture, "you are here").get_ydata()).all()


def test_an_axis_stands_while_curves_fill_in():
    figure, empty = trade_off(), {name: ([], []) for name in CURVES}
    before = figure.show(empty, here=(0.9, []), lines=LINES, title="").axes[0].get_ylim()
    low = {"estimates": ([0.6, 0.9], [0.31, 0.79]), "naive": ([], [])}
    assert figure.show(low, here=(0.9, [0.75]), lines=LINES, title="").axes[0].get_ylim() == before
    lower = {"estimates": ([0.6, 0.9], [0.1, 0.79]), "naive": ([], [])}
    assert figure.show(lower, here=(0.9, []), lines=LINES, title="").axes[0].get_ylim()[0] < 0.1 < before[0]


def test_guesses_follow_bayes():
    figure = plots.Guesses()
    figure.show(0.5, theta=0.5, name="b", title="")
    picture = figure.show(0.2, theta=0.7, name="a", title="One answer")
    theta = figure.yes.get_xdata()[10:91]
    yes = 0.2 * theta / (0.2 * theta + 0.8 * (1 - theta))
    no = 0.8 * theta / (0.8 * theta + 0.2 * (1 - theta))
    assert np.allclose(figure.yes.get_ydata()[10:91], yes)
    assert np.allclose(figure.no.get_ydata()[10:91], no)
    assert np.allclose(figure.best.get_ydata()[10:91], np.maximum(np.maximum(theta, 1 - theta), 0.8))
    assert np.allclose(figure.here.get_ydata(), [0.14 / 0.38, 0.56 / 0.62, 0.8])
    assert picture.axes[0].get_legend().get_texts()[0].get_text() == "a truly 1, where 1 is released"


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: plots.sheet([["a", "a"]]), ValueError, "names 'a' twice"),
        (lambda: plots.sheet(GROUPS, open_columns=["a"]), ValueError, "open_columns names 'a', which is in a group"),
        (lambda: plots.sheet([]), ValueError, "groups"),
        (lambda: plots.sheet(GROUPS, leaked="z"), ValueError, "leaked names 'z'"),
        (lambda: plots.sheet(GROUPS, certain=["z"]), ValueError, "certain names 'z'"),
        (lambda: repeats().show({"naive": []}, lines=LINES, title=""), ValueError, "values has 'naive'; expected"),
        (lambda: repeats().show(RUNS, lines={"m": 1}, title=""), ValueError, "lines has 'm'; expected 'plain ID3', 'm"),
        (lambda: trade_off().show(CURVES, here=(2, []), lines=LINES, title=""), ValueError, "here is 2"),
        (lambda: trade_off().show([], here=(1, []), lines=LINES, title=""), TypeError, "curves is a list"),
        (lambda: plots.Guesses().show(0, theta=0.5, name="a", title=""), ValueError, "share is 0"),
    ],
)
def test_bad_input_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: repeats().show({"estimates": [80.0], "naive": []}, lines=LINES, title=""),
            "values.'estimates'.*outside",
        ),
        (lambda: repeats().show({"estimates": [np.nan], "naive": []}, lines=LINES, title=""), "values.'estimates'"),
    ],
)
def test_accuracies_are_shares(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_no_accuracy_is_marked_beyond_what_there_is():
    for runs in ([0.92, 1.0], [0, 0.1], [0, 1]):
        picture = repeats().show({"estimates": runs, "naive": []}, lines=dict.fromkeys(LINES, runs[0]), title="")
        named = [text.get_text() for text in picture.axes[0].get_yticklabels()]
        assert all(0 <= int(text) <= 100 and not text.startswith("-") for text in named)
