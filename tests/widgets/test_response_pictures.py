"""Pictures of answers in groups show what they are given, also when they move."""

import numpy as np
import pytest
from matplotlib.patches import Rectangle
from ppdm.widgets.picture import Word
from ppdm.widgets.response_pictures import Guesses, Repeats, TradeOff
from ppdm.widgets.response_sheet import ROW, Sheet

GROUPS = {"group 1": ("a", "b"), "group 2": ("c",)}
OPEN = {**GROUPS, "open": ("d",)}
LEVELS = (0.8, 0.7)
RUNS = (np.array([0.7, 0.8, 0.75]), np.array([0.6]))
NONE = np.empty(0)
CURVE = {0.9: (0.78, 0.74), 0.6: (0.7, 0.72)}


def words(picture):
    return [text.get_text() for text in picture.axes[0].texts if text.get_visible()]


def parts(picture, kind):
    return [patch for patch in picture.axes[0].patches if isinstance(patch, kind)]


def written(picture):
    """The words of a sheet, and where each stands."""
    return [(word.get_label(), word.get_path().get_extents()) for word in parts(picture, Word)]


def line(picture, label):
    return next(one for one in picture.axes[0].lines if one.get_label() == label)


def show(figure, rows=GROUPS, open_columns=(), leaked="a", certain=(), target="class"):
    kinds = {
        column: "open" if column in open_columns else "not told by it" for row in rows.values() for column in row
    }
    return figure.show(rows, kinds | dict.fromkeys(certain, "certain then") | {leaked: "leaked"}, target)


def sheet(rows=GROUPS, **told):
    return show(Sheet(), rows, **told)


def single(number):
    """So many groups of one answer each."""
    return {f"group {k}": (f"a{k}",) for k in range(number)}


def test_a_sheet_has_a_box_for_each_answer_in_the_row_of_its_group():
    picture = sheet(OPEN, open_columns=["d"], certain=["b"], target="d")
    rows = [(word, int(place.y1 / ROW[1])) for word, place in written(picture)]
    assert rows[:4] == [("a", 0), ("b", 0), ("c", 1), ("d (class)", 2)]
    assert rows[4:7] == [("group 1", 0), ("group 2", 1), ("open", 2)]
    assert [word for word, _ in rows[7:]] == ["leaked", "certain then", "not told by it", "open"]


def test_what_leaks_and_what_it_tells_differ_not_by_colour_alone():
    boxes = parts(sheet(OPEN, open_columns=["d"], certain=["b"]), Rectangle)[:4]
    strokes = [(box.get_hatch(), box.get_linestyle(), box.get_facecolor()[:3] == (0, 0, 0)) for box in boxes]
    assert len(set(strokes)) == 4


def test_a_long_group_goes_on_in_the_next_line_and_no_box_leaves_the_picture():
    columns = [f"a-rather-long-name-{k}" for k in range(12)] + ["x" * 80]
    picture = sheet({"group 1": columns}, leaked=columns[0])
    ends = [box.get_x() + box.get_width() for box in parts(picture, Rectangle)]
    assert max(ends) <= picture.axes[0].get_xlim()[1]
    assert len({box.get_y() for box in parts(picture, Rectangle)}) > 4
    assert "x" * 30 + "…" + "x" * 14 in dict(written(picture))


@pytest.mark.parametrize("name", ["a", "lll", "MWM", "education-num", "x" * 80, "$5 or $6", "Äpfel?", "a\x07b"])
def test_a_word_stands_in_the_middle_of_its_box(name):
    picture = sheet({"group 1": (name,)}, leaked=name)
    box, word = parts(picture, Rectangle)[0].get_bbox(), parts(picture, Word)[0].get_path().get_extents()
    assert box.x0 < word.x0 < word.x1 < box.x1
    assert box.y0 < word.y0 < word.y1 < box.y1
    assert word.x0 + word.x1 == pytest.approx(box.x0 + box.x1, abs=0.04)  # inches: two pixels, each way


def test_a_sheet_that_moved_is_as_one_made_anew():
    figure, many = Sheet(), single(40)
    first = show(figure).sharp()
    assert show(figure, {"group 1": ("a",), "group 2": ("b", "c")}).sharp() != first
    assert show(figure, many, leaked="a3").sharp() == sheet(many, leaked="a3").sharp()
    assert show(figure).sharp() == first


def test_a_sheet_that_stands_is_not_drawn_again(monkeypatch):
    figure = Sheet()
    first = show(figure).sharp()
    drawn = []
    monkeypatch.setattr(Rectangle, "draw", lambda self, _: drawn.append(self))
    assert show(figure).sharp() is first
    assert not drawn
    show(figure, leaked="b").sharp()
    assert drawn


def test_a_small_picture_in_between_hides_no_move_from_the_sharp_one():
    figure = Sheet()
    first = show(figure).sharp()
    moved = show(figure, leaked="b")
    moved.png()
    assert moved.sharp() == sheet(leaked="b").sharp() != first


def test_the_title_is_whole_however_many_groups():
    picture = sheet(single(60), leaked="a0")
    picture.png()
    title = picture.axes[0].texts[0].get_window_extent()
    assert 0 < picture.bbox.y1 - title.y1 < picture.bbox.y1 - title.y0 < 34  # pixels of the head


def test_a_long_name_keeps_its_beginning_and_its_end():
    picture = Guesses().show(0.2, theta=0.7, name="Did you ever travel without a ticket? 7")
    text = picture.axes[0].get_legend().get_texts()[0].get_text()
    assert text == "Did you ever trave…ticket? 7 truly 1, where 1 is released"


def test_a_sheet_grows_with_its_groups():
    sizes = [sheet(single(number), leaked="a0").size for number in (2, 15, 40)]
    assert sizes[0][0] == sizes[2][0]
    assert sizes[0][1] < sizes[1][1] < sizes[2][1]


def test_repeats_show_runs_mean_and_two_standard_errors():
    figure = Repeats()
    figure.show((np.array([0.1]), NONE), LEVELS, title="before")
    picture = figure.show(RUNS, LEVELS, title="Accuracy")
    column, other = figure.columns
    assert list(column.points.get_ydata()) == list(RUNS[0])
    error = np.std(RUNS[0], ddof=1) / 3**0.5
    assert np.allclose(column.mean.get_ydata(), 0.75)
    assert np.allclose(column.reach.get_ydata(), [0.75 - 2 * error, 0.75 + 2 * error])
    assert list(other.reach.get_ydata()) == [0.6, 0.6]
    assert words(picture) == ["Accuracy", "plain ID3 80.0 %", "majority 70.0 %"]
    assert picture.title == "Accuracy"
    low, high = picture.axes[0].get_ylim()
    assert low < 0.6 < 0.8 < high


def test_repeats_say_where_there_is_none():
    assert words(Repeats().show((NONE, RUNS[1]), LEVELS, title=""))[-1] == "no run"


@pytest.mark.parametrize("spread", [0.001, 0.1, 0.9])
def test_an_axis_of_accuracies_has_three_to_six_names(spread):
    runs = np.array([0.5 - spread / 2, 0.5 + spread / 2])
    picture = Repeats().show((runs, NONE), (0.5, 0.5), title="")
    assert 3 <= len(picture.axes[0].get_yticks()) <= 6


def test_a_trade_off_stands_over_epsilon():
    figure = TradeOff()
    picture = figure.show(CURVE, LEVELS, theta=0.2, runs=np.array([0.7, 0.72]))
    assert np.allclose(line(picture, "from estimates").get_xdata(), np.log([0.6 / 0.4, 9]))
    assert list(line(picture, "from estimates").get_ydata()) == [0.7, 0.78]
    assert np.allclose(line(picture, "you are here").get_xydata(), [[np.log(4), 0.71]])
    moved = figure.show(CURVE, (0.9, 0.6), theta=1, runs=np.array([0.8]))
    assert line(moved, "you are here").get_xdata()[0] < moved.axes[0].get_xlim()[1]
    assert [text.get_text() for text in moved.axes[0].get_legend().get_texts()][-2:] == [
        "plain ID3 90.0 %",
        "majority 60.0 %",
    ]


def test_a_trade_off_without_runs_marks_the_place_alone():
    picture = TradeOff().show({}, LEVELS, theta=0.5, runs=NONE)
    assert np.isnan(line(picture, "you are here").get_ydata()).all()


def test_an_axis_stands_while_curves_fill_in():
    figure = TradeOff()

    def reach(accuracies, runs=NONE):
        curve = {theta: (accuracy, accuracy) for theta, accuracy in zip((0.6, 0.9), accuracies, strict=False)}
        return figure.show(curve, LEVELS, theta=0.9, runs=runs).axes[0].get_ylim()

    before = reach([])
    assert reach([0.31, 0.79], np.array([0.75])) == before
    assert reach([0.1, 0.79])[0] < 0.1 < before[0]


def test_guesses_follow_bayes():
    figure = Guesses()
    figure.show(0.5, theta=0.5, name="b")
    picture = figure.show(0.2, theta=0.7, name="a")
    theta = figure.yes.get_xdata()[10:91]
    yes = 0.2 * theta / (0.2 * theta + 0.8 * (1 - theta))
    no = 0.8 * theta / (0.8 * theta + 0.2 * (1 - theta))
    assert np.allclose(figure.yes.get_ydata()[10:91], yes)
    assert np.allclose(figure.no.get_ydata()[10:91], no)
    assert np.allclose(figure.best.get_ydata()[10:91], np.maximum(np.maximum(theta, 1 - theta), 0.8))
    assert np.allclose(figure.here.get_ydata(), [0.14 / 0.38, 0.56 / 0.62, 0.8])
    assert picture.axes[0].get_legend().get_texts()[0].get_text() == "a truly 1, where 1 is released"


def test_no_accuracy_is_marked_beyond_what_there_is():
    for runs in ([0.92, 1.0], [0, 0.1], [0, 1]):
        picture = Repeats().show((np.array(runs), NONE), (runs[0], runs[0]), title="")
        named = [text.get_text() for text in picture.axes[0].get_yticklabels()]
        assert all(0 <= int(text) <= 100 and not text.startswith("-") for text in named)
