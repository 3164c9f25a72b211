"""Two trees side by side: a line for each branch, a mark for each rule, and what the other tree does not test."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.text import Text
from sklearn.tree import DecisionTreeClassifier

from ppdm import plots
from ppdm.data import load
from ppdm.measure import tree_similarity
from ppdm.trees import C45Classifier, GiniTreeClassifier, Tree

MARKS = {"●": "kept", "◐": "moved", "✚": "in one tree only"}
X = pd.DataFrame({"x": np.arange(1, 101)}).assign(z=lambda own: 101 - own["x"])


def stump(column, cut):
    return GiniTreeClassifier(prune=None).fit(X[[column]], np.where(X["x"] > cut, "q", "p"))


def lines_of(axes):
    """The lines of a tree: mark, words, and whether they are bold."""
    texts = [text for text in axes.findobj(Text) if text.get_text() and text.get_position()[1] <= 0]
    texts = [text for text in texts if text.axes is axes and text.get_transform() == axes.transData]
    rows = {}
    for text in texts:
        rows.setdefault(text.get_position()[1], []).append(text)
    found = []
    for _, row in sorted(rows.items(), reverse=True):
        mark, words = sorted(row, key=lambda text: text.get_position()[0]) if len(row) == 2 else (None, row[0])
        found.append((mark and mark.get_text().strip(), words.get_text(), words.get_weight() == "bold"))
    return found


def test_rules_are_marked_by_what_became_of_them():
    picture = plots.two_trees(stump("x", 50), stump("x", 52), X, names=["true", "noisy"])
    left, right = picture.axes
    assert [axes.get_title(loc="left") for axes in (left, right)] == ["true", "noisy"]
    assert lines_of(left) == [("●", "x < 50.5: p (50)", False), ("●", "x ≥ 50.5: q (50)", False)]
    assert lines_of(right) == [("●", "x < 52.5: p (52)", False), ("●", "x ≥ 52.5: q (48)", False)]
    moved = plots.two_trees(stump("x", 50), stump("x", 60), X)
    assert [line[0] for axes in moved.axes for line in lines_of(axes)] == ["◐"] * 4
    assert moved.title in ("S = 0.73", "S = 0.74")
    alone = plots.two_trees(stump("x", 50), stump("x", 90), X, title="own")
    assert alone.title == "own"
    # 50 of 90 records in common are moved, 10 of 50 are not.
    assert [line[0] for axes in alone.axes for line in lines_of(axes)] == ["◐", "✚"] * 2


def test_an_attribute_that_the_other_tree_does_not_test_is_bold():
    picture = plots.two_trees(stump("x", 50), stump("z", 50), X)
    assert all(line[2] for axes in picture.axes for line in lines_of(axes))
    alone = plots.two_trees(stump("x", 50), stump("x", 1000 // 11), X)
    assert not any(line[2] for axes in alone.axes for line in lines_of(axes))


def test_the_lines_are_those_of_the_outlines_and_the_marks_those_of_the_similarity():
    table = load("pima")
    models = [C45Classifier(min_leaf=leaf).fit(table.X, table.y) for leaf in (20, 30)]
    picture = plots.two_trees(*models, table.X)
    rules = tree_similarity(*models, table.X).rules
    for axes, model, leaf in zip(picture.axes, models, ("leaf_a", "leaf_b"), strict=True):
        tree = model.tree_
        lines = lines_of(axes)
        assert [words for _, words, _ in lines] == list(tree.outline().values())
        overlap = rules.set_index(leaf)["overlap"]
        for node, (mark, _, _) in zip(tree.outline(), lines, strict=True):
            if tree.attribute[node] >= 0:
                assert not mark
                continue
            own = overlap.get(node, 0)
            assert MARKS[mark] == ("kept" if own >= 0.9 else "moved" if own >= 0.5 else "in one tree only")
    legend = [text.get_text() for text in picture.legends[0].get_texts()]
    bold = "bold: not tested in the other tree"
    assert legend == [*(f"{mark} {fate}" for mark, fate in MARKS.items()), bold]


def test_a_large_tree_is_cut_off_and_a_single_leaf_has_one_line():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(300, 2)), columns=["u", "v"])
    large = DecisionTreeClassifier(random_state=0).fit(frame, rng.integers(0, 2, 300))
    leaf = DecisionTreeClassifier(max_depth=1, min_samples_leaf=300).fit(frame, rng.integers(0, 2, 300))
    picture = plots.two_trees(large, leaf, frame)
    left, right = map(lines_of, picture.axes)
    branches = len(Tree.of(large).outline())
    assert len(left) == 41
    assert left[-1] == (None, f"… {branches - 40} more", False)
    assert len(right) == 1
    assert picture.png()


def test_trees_on_arrays_are_drawn():
    array = X[["x"]].to_numpy()
    models = [DecisionTreeClassifier(max_depth=1).fit(array, X["x"] > cut) for cut in (50, 60)]
    picture = plots.two_trees(*models, array)
    assert [words for _, words, _ in lines_of(picture.axes[0])] == ["0 < 50.5: False (50)", "0 ≥ 50.5: True (50)"]
    # The names are those of the records, if these have some.
    assert lines_of(plots.two_trees(*models, X[["x"]]).axes[0])[0][1] == "x < 50.5: False (50)"


def test_it_is_the_same_picture_every_time():
    models = stump("x", 50), stump("x", 60)
    assert plots.two_trees(*models, X).png() == plots.two_trees(*models, X).png()


@pytest.mark.parametrize(
    ("given", "error", "told"),
    [
        ({"names": ["one"]}, ValueError, "names has 1 entries"),
        ({"names": "ab"}, TypeError, "names is 'ab'; expected a list"),
        ({"first": "tree"}, TypeError, "first is a str; expected a Tree"),
        ({"second": C45Classifier()}, TypeError, "second is a C45Classifier; expected a Tree, a fitted"),
        ({"X": X[["z"]]}, ValueError, "the tree names 'x', which the table does not have"),
        ({"X": None}, ValueError, "X has 0 dimensions; expected two"),
    ],
)
def test_what_cannot_be_compared_is_refused_by_name(given, error, told):
    with pytest.raises(error, match=told):
        plots.two_trees(**{"first": stump("x", 50), "second": stump("x", 60), "X": X} | given)
