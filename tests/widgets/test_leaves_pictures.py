"""Two trees in lines: what they hold, within the picture, of one height, and the same however they came about."""

import pytest
from matplotlib.colors import to_rgba
from ppdm.widgets import leaves_pictures
from ppdm.widgets.leaves_pictures import BOLD, LETTERS, MARKS, MOST, ROWS, TwoTrees

TEST, KEPT, ALONE = (
    ("a ≤ 1", None, False),
    (". b ≤ 2: yes (3)", "kept", False),
    (". b > 2: no (4)", "in one tree only", False),
)
MOVED, BOLDER = ("a > 1: no (9/1)", "moved", False), ("c > 1", None, True)
LONG = (
    ". . an attribute with a name of very many letters ≤ 2: a class with a long name, too (1/1)",
    "moved",
    True,
)
HEADLINES = ("True records: 95.7 % right", "Released records: S = 0.86, 89.8 % right")
TREES = [
    ([TEST, KEPT, ALONE, MOVED], [MOVED]),
    ([TEST, KEPT, KEPT, MOVED], [BOLDER, MOVED]),
    ([KEPT] * 7, [LONG] * 3),
    ([LONG] * 60, [KEPT] * 60),
]


def bounds(picture):
    """The ends of what is drawn, in inches of the axes."""
    ends = [patch.get_path().get_extents() for patch in picture.axes[0].patches]
    return max(end.x1 for end in ends), max(end.y1 for end in ends)


@pytest.mark.parametrize("place", [0, 1])
def test_after_a_move_it_is_as_if_new(place):
    moved, seen = TwoTrees(), set()
    for trees in [*TREES, *reversed(TREES)]:
        picture = moved.show(trees, HEADLINES)[place]
        new = TwoTrees().show(trees, HEADLINES)[place]
        assert picture.sharp() == new.sharp()
        assert picture.png() == new.png()
        seen.add(picture.sharp())
    assert len(seen) == len(TREES)


@pytest.mark.parametrize("trees", TREES)
def test_both_have_one_height_and_hold_all_their_lines(trees):
    first, second = TwoTrees().show(trees, HEADLINES)
    assert first.size == second.size
    width, high = first.axes[0].get_xlim()[1], first.axes[0].get_ylim()[0]
    for picture in (first, second):
        right, low = bounds(picture)
        assert right < width
        assert low < high + leaves_pictures.BELOW
    assert high >= leaves_pictures.LINE * min(max(map(len, trees)), MOST + 1) - 1e-9


def test_each_look_is_one_shape_in_its_colour():
    first, second = TwoTrees().show(TREES[0], HEADLINES)
    hues = [patch.get_facecolor() for patch in first.axes[0].patches if patch.get_animated()]
    assert sorted(hues) == sorted(to_rgba(hue) for _, hue in MARKS.values())
    assert [patch.get_facecolor() for patch in second.axes[0].patches if patch.get_animated()] == [
        to_rgba(MARKS["moved"][1])
    ]


def test_what_did_not_change_is_not_drawn_again():
    figure = TwoTrees()
    before = [picture.sharp() for picture in figure.show(TREES[0], HEADLINES)]
    other = [TREES[0][0], [KEPT]]
    after = [picture.sharp() for picture in figure.show(other, HEADLINES)]
    assert after[0] is before[0]
    assert after[1] != before[1]


@pytest.fixture
def words(monkeypatch):
    """What is written, as it comes."""
    found, placed, phrase = [], leaves_pictures.placed, leaves_pictures.phrase
    monkeypatch.setattr(leaves_pictures, "placed", lambda word, *at: found.append(word) or placed(word, *at))
    monkeypatch.setattr(leaves_pictures, "phrase", lambda text, *at: found.append(text) or phrase(text, *at))
    return found


def test_a_large_tree_is_cut_and_what_is_left_out_is_counted(words):
    for more, told in {1: "… 1 more line", 20: "… 20 more lines"}.items():
        words.clear()
        (picture,) = TwoTrees().show([[KEPT] * (MOST + more)], HEADLINES[:1])
        assert words[-1] == told
        assert words.count("b ≤ 2: yes (3)") == MOST
        assert picture.size[1] == TwoTrees().show([[KEPT] * ROWS[-1]], HEADLINES[:1])[0].size[1]
    words.clear()
    TwoTrees().show([[KEPT] * MOST], HEADLINES[:1])
    assert not any("more" in word for word in words)


def test_a_long_line_keeps_its_beginning_and_its_class(words):
    TwoTrees().show([[LONG]], HEADLINES[:1])
    (long,) = [word for word in words if "…" in word]
    assert long.startswith("an attribute with a")
    assert long.endswith("too (1/1)")
    assert len(long) == LETTERS - len(". . ")


def test_what_marks_mean_stands_below(words):
    TwoTrees().show([[KEPT], [KEPT]], HEADLINES)
    assert {"● kept", "◐ moved", "✚ in one tree only", BOLD} <= set(words)


def test_an_attribute_may_begin_with_a_dot(words):
    TwoTrees().show([[(". .net ≤ 2: yes (3)", "kept", False)]], HEADLINES[:1])
    assert ".net ≤ 2: yes (3)" in words
