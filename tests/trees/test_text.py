"""A tree in words, true of exactly the records of each leaf; as JSON it comes back the same, damaged it is refused."""

import copy
import json
import operator
import re
import time
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppdm.reconstruct.attribute import Attribute
from ppdm.tables import EstimatedTable
from ppdm.trees import GiniTreeClassifier, Stop, Tree, grow
from ppdm.trees import text as text_module

seeds = st.integers(0, 2**32 - 1)
kinds = st.lists(st.sampled_from(["numeric", "ordered", "nominal"]), min_size=1, max_size=4).map(tuple)

COMPARE = {"<": operator.lt, "≤": operator.le, "≥": operator.ge}


def reads(text, frame, places):
    """Which records a rule's text is true of; places: the order of each ordered attribute's categories."""
    holds = np.ones(len(frame), dtype=bool)
    for part in [] if text == "always" else text.split(" and "):
        if match := re.fullmatch(r"(\w+) in \{(.+)\}", part):
            holds &= frame[match[1]].isin(match[2].split(", ")).to_numpy()
        elif match := re.fullmatch(r"(\w+) = (\w+)", part):
            holds &= (frame[match[1]] == match[2]).to_numpy()
        else:
            match = re.fullmatch(r"(?:(\S+) ≤ )?([a-z]\d) (?:([<≤≥]) (\S+))?", part)
            low, name, sign, bound = match.groups()
            order = places.get(name)
            column = frame[name].map(order.index) if order else frame[name]
            number = order.index if order else float
            if low is not None:
                holds &= (column >= number(low)).to_numpy()
            holds &= COMPARE[sign](column, number(bound)).to_numpy()
    return holds


@given(seed=seeds, kinds=kinds, nominal=st.sampled_from(["binary", "multiway"]))
def test_a_rule_is_true_of_exactly_the_records_of_its_leaf(seed, kinds, nominal, random_table, frame_of):
    table = random_table(seed, kinds=kinds)
    tree, frame = grow(table, "gini", Stop(min_gain=0), nominal), frame_of(table)
    places = {a.name: list(a.categories) for a in table.attributes if a.kind == "ordered"}
    leaf = tree.apply(frame)
    for node, text in tree.conditions().items():
        assert (reads(text, frame, places) == (leaf == node)).all()


@given(seed=seeds, kinds=kinds, nominal=st.sampled_from(["binary", "multiway"]))
def test_each_leaf_has_one_line(seed, kinds, nominal, random_table):
    tree = grow(random_table(seed, kinds=kinds), "gini", Stop(), nominal)
    conditions = tree.conditions()
    assert sorted(conditions) == tree.leaves().tolist()
    assert [line.split("   ")[0] for line in tree.rules().splitlines()] == list(conditions.values())


def test_rules_read_like_sentences():
    attributes = [
        Attribute.numeric("salary", [40_000, 75_000, 125_000]),
        Attribute.categorical("degree", ["school", "bachelor", "master", "doctor"], ordered=True),
        Attribute.categorical("town", ["Ayr", "Bern", "Cork"]),
    ]
    counts = np.zeros((4, 4, 3, 2))
    counts[0, :, :, 0] = 40
    counts[1:3, :2, :, 1] = 3
    counts[1:3, 2, :, 0] = 2
    counts[1:3, 3, :, 1] = 1
    counts[3, :2, [0, 2], 0] = 1
    counts[3, :2, 1, 1] = 1
    rules = grow(EstimatedTable.from_counts(attributes, ["no", "yes"], counts)).rules()
    assert sorted(rules.splitlines()) == sorted(
        [
            "salary < 40,000                                                  no   480 records, 100.0 %",
            "40,000 ≤ salary < 125,000 and degree ≤ bachelor                  yes  36 records, 100.0 %",
            "salary ≥ 125,000 and degree ≤ bachelor and town in {Ayr, Cork}   no   4 records, 100.0 %",
            "salary ≥ 125,000 and degree ≤ bachelor and town = Bern           yes  2 records, 100.0 %",
            "salary ≥ 40,000 and degree = master                              no   12 records, 100.0 %",
            "salary ≥ 40,000 and degree = doctor                              yes  6 records, 100.0 %",
        ]
    )


def papers_tree():
    """The tree of Islam & Brankovic's Figure 2, with its cases."""
    tests = [("lstat", 5.49), ("rm", 7.041), ("rm", 6.485), ("ptratio", 17.8), ("nox", 0.4161), ("lstat", 4.45)]
    names = ["lstat", "rm", "ptratio", "nox"]
    # Level by level; of each leaf the cases of "bottom 80%" and "top 20%". Below 5.49 is the first child here.
    nodes = [0, 2, 1, (5, 0), 3, (240, 8), (0, 10), (0, 26), 4, (2, 0), 5, (0, 6), (2, 1)]
    inner = [isinstance(node, int) for node in nodes]
    counts = np.array([(0, 0) if isinstance(node, int) else node for node in nodes])
    attribute = [names.index(tests[node][0]) if isinstance(node, int) else -1 for node in nodes]
    threshold = [tests[node][1] if isinstance(node, int) else np.nan for node in nodes]
    tree = Tree(
        tuple(Attribute(name, "numeric", 2) for name in names),
        np.array(["bottom 80%", "top 20%"]),
        counts,
        np.array(attribute),
        np.array(threshold),
        2 * np.array(inner),
        np.empty(0, dtype=int),
        c45=True,
    )
    for level in tree.levels[:0:-1]:
        np.add.at(counts, tree.parent[level], counts[level])
    return tree


def test_an_outline_reads_as_the_papers_figure():
    assert list(papers_tree().outline().values()) == [
        "lstat ≤ 5.49",
        ". rm ≤ 6.485: bottom 80% (5)",
        ". rm > 6.485",
        ". . ptratio ≤ 17.8: top 20% (26)",
        ". . ptratio > 17.8",
        ". . . nox ≤ 0.4161: bottom 80% (2)",
        ". . . nox > 0.4161",
        ". . . . lstat ≤ 4.45: top 20% (6)",
        ". . . . lstat > 4.45: bottom 80% (3/1)",
        "lstat > 5.49",
        ". rm ≤ 7.041: bottom 80% (248/8)",
        ". rm > 7.041: top 20% (10)",
    ]


@given(
    seed=seeds,
    kinds=kinds,
    nominal=st.sampled_from(["binary", "multiway"]),
    weights=st.sampled_from([None, "fractional", "negative"]),
)
def test_an_outline_has_a_line_for_each_branch(seed, kinds, nominal, weights, random_table):
    table = random_table(seed, kinds=kinds, weights=weights)
    tree = grow(table, "gini", Stop(min_gain=0), nominal)
    lines = tree.outline()
    if len(tree.leaves()) == 1:
        assert list(lines) == [0]
        return
    assert sorted(lines) == list(range(1, len(tree.attribute)))
    assert [node for node in lines if tree.attribute[node] < 0] == list(tree.conditions())
    for node, line in lines.items():
        dots, words = re.fullmatch(r"((?:\. )*)(.*)", line).groups()
        assert len(dots) == 2 * (len(tree.path(node)) - 2)
        words, _, told = words.partition(": ")
        # The first branch of a node has the node's own condition.
        parent = int(tree.parent[node])
        first = tree.children(parent)[0] == node
        assert (words == tree.condition_of(parent)) == first
        if tree.attribute[node] < 0:
            label, size, other = re.fullmatch(r"(\w+) \(([\d.,e-]+)(?:/([\d.,e-]+))?\)", told).groups()
            assert label == tree.classes[tree.predicted[node]]
            records = max(tree.counts[node].sum(), 0)
            assert float(size.replace(",", "")) == pytest.approx(records, rel=1e-4, abs=0.0051)
            others = records - max(tree.counts[node].max(), 0)
            assert float(other or 0) == pytest.approx(max(others, 0), rel=1e-3, abs=0.0101)


def test_an_outline_of_a_single_leaf_and_of_signs_that_break_lines(leaf_of):
    assert leaf_of(3, 1).outline() == {0: "A (4/1)"}
    assert leaf_of(3, 0).outline() == {0: "A (3)"}
    assert leaf_of(-1, 0.5).outline() == {0: "B (0)"}
    X = pd.DataFrame({"a\nb": [1, 2] * 4})
    lines = GiniTreeClassifier(prune=None).fit(X, ["p\x1b[31m", "q"] * 4).tree_.outline()
    assert list(lines.values()) == ["a\\nb < 1.5: p\\x1b[31m (4)", "a\\nb ≥ 1.5: q (4)"]


def test_a_single_leaf_always_holds(leaf_of):
    assert leaf_of(3, 1).rules() == "always   A  4 records, 75.0 %"
    assert leaf_of(1, 0).rules() == "always   A  1 record, 100.0 %"
    assert leaf_of(-1, 0.5).rules() == "always   B  0 records, 100.0 %"


def test_the_test_of_a_node_is_its_first_childs_condition():
    table = EstimatedTable.from_counts([Attribute.numeric("a", [1.5])], ["A", "B"], [[4, 0], [0, 4]])
    assert grow(table).condition_of(0) == "a < 1.5"


def test_the_words_survive_a_frame_of_any_labels():
    table = EstimatedTable([Attribute.numeric(0, [1.5])], [False, True], [[0, 1]], [1, 0])
    assert "0 < 1.5   True" in grow(table).rules()


@given(
    seed=seeds,
    kinds=kinds,
    classes=st.integers(2, 4),
    weights=st.sampled_from([None, "fractional", "negative"]),
    nominal=st.sampled_from(["binary", "multiway"]),
)
def test_a_tree_comes_back_the_same(seed, kinds, classes, weights, nominal, random_table, frame_of, same_tree):
    table = random_table(seed, kinds=kinds, classes=classes, weights=weights)
    tree, frame = grow(table, "gini", Stop(min_gain=0), nominal), frame_of(table)
    back = Tree.from_json(tree.to_json())
    same_tree(tree, back)
    assert back.attributes == tree.attributes
    assert back.to_json() == tree.to_json()
    assert back.rules() == tree.rules()
    assert back.predict(frame).tolist() == tree.predict(frame).tolist()
    assert (back.predict_proba(frame) == tree.predict_proba(frame)).all()


@pytest.mark.parametrize(
    "labels", [["no", "yes"], ["", "naïve ☂"], [0, 1], [-(2**62), 2**62], [2.0, 7.0], [False, True]]
)
@pytest.mark.parametrize("words", [["x", "y"], [3, 1], [0.5, -1.0], [True, False]])
def test_labels_and_categories_keep_their_type(labels, words):
    X = pd.DataFrame({"word": pd.Categorical(words * 3, categories=words), "n": range(6)})
    model = GiniTreeClassifier(prune=None).fit(X, labels * 3)
    back = Tree.from_json(model.tree_.to_json())
    assert back.predict(X).tolist() == model.predict(X).tolist() == labels * 3
    assert back.classes.tolist() == model.classes_.tolist() == sorted(labels)
    assert back.attributes[0].categories == tuple(words)


def test_bytes_are_read_too(leaf_of):
    assert Tree.from_json(leaf_of(1, 2).to_json().encode()).classes.tolist() == ["A", "B"]


@pytest.fixture(scope="module")
def sound():
    """The document of a tree with all three kinds of test: 7 nodes, numeric at 0, nominal at 1, ordered at 2."""
    attributes = (
        Attribute("n", "numeric", 2),
        Attribute.categorical("c", ["x", "y", "z"]),
        Attribute.categorical("o", ["low", "mid", "high"], ordered=True),
    )
    counts = np.array([[5, 7], [3, 2], [2, 5], [3, 0], [0, 2], [2, 0], [0, 5]])
    attribute, children = np.array([0, 1, 2, -1, -1, -1, -1]), np.array([2, 2, 2, 0, 0, 0, 0])
    threshold = np.array([0.5, np.nan, 2, np.nan, np.nan, np.nan, np.nan])
    tree = Tree(attributes, np.array(["A", "B"]), counts, attribute, threshold, children, np.array([0, 0, 1]))
    return json.loads(tree.to_json())


DAMAGES = {
    "wrong format": (("format",), "tree", "no tree; expected an object with format 'ppdm-tree'"),
    "newer version": (("version",), 2, "version is 2; expected one of 1"),
    "no version": (("version",), None, "version is None"),
    "version true": (("version",), True, "version is True; expected one of 1"),
    "version 1.0": (("version",), 1.0, "version is 1.0"),
    "unknown key": (("more",), 1, "keys that are unknown"),
    "unknown key of nodes": (("nodes", "more"), 1, "keys that are unknown"),
    "unknown key of an attribute": (("attributes", 0, "edges"), [1], "keys that are unknown"),
    "unknown kind, otherwise complete": (("attributes", 1, "kind"), "fuzzy", "kind is 'fuzzy'"),
    "no classes": (("classes",), [], "classes .*; expected distinct values"),
    "equal classes": (
        ("classes",),
        ["A", "A"],
        "classes has .* values that came before.*; expected distinct values",
    ),
    "classes of two types": (("classes",), ["A", 1], "labels of several types; expected labels of one type"),
    "classes of True and 2": (("classes",), [True, 2], "labels of several types; expected labels of one type"),
    "classes of lists": (("classes",), [["A"], ["B"]], "a name, class or category is a list; expected text"),
    "class without label": (("classes",), [None], "a name, class or category is a NoneType; expected text"),
    "class not a number": (
        ("classes",),
        [0.5, float("nan")],
        "name, class or category is nan; expected a finite",
    ),
    "class of half a character": (
        ("classes", 0),
        "\ud800",
        "holds half a character; expected text that UTF-8 has",
    ),
    "category of half a character": (("attributes", 1, "categories", 0), "a\udfff", "half a character"),
    "name of half a character": (("attributes", 0, "name"), "\udc00", "half a character"),
    "classes as text": (("classes",), "AB", "classes is a str; expected a list"),
    "classes as an object": (("classes",), {"A": 1, "B": 2}, "classes is a dict; expected a list"),
    "one class too many": (
        ("classes",),
        ["A", "B", "C"],
        "counts has the shape \\(7, 2\\) and the type int64; expected \\(7, 3\\) numbers",
    ),
    "no attributes": (("attributes",), [], "attributes is empty; expected distinct values"),
    "attributes missing": (("attributes",), None, "attributes is a NoneType; expected a list"),
    "attribute no object": (("attributes", 0), 7, "an entry of attributes is an int; expected an object"),
    "name a list": (("attributes", 0, "name"), ["n"], "a name, class or category is a list"),
    "same name twice": (
        ("attributes", 0, "name"),
        "c",
        "attributes has .* values that came before.*; expected distinct values",
    ),
    "unknown kind": (("attributes", 0, "kind"), "fuzzy", "categories' is missing"),
    "values as text": (("attributes", 0, "values"), "2", "values is '2'; expected a whole number"),
    "no values": (("attributes", 0, "values"), 0, "values is 0; expected a whole number"),
    "values beyond floats": (("attributes", 0, "values"), 10**400, "expected a whole number in \\[1, 1e\\+15\\]"),
    "values true": (("attributes", 0, "values"), True, "values is True; expected a whole number"),
    "categories as text": (("attributes", 1, "categories"), "xyz", "categories is a str; expected a list"),
    "no categories": (("attributes", 1, "categories"), [], "categories of 'c' is"),
    "equal categories": (("attributes", 1, "categories"), ["x", "x", "z"], "categories of 'c'"),
    "category null": (
        ("attributes", 1, "categories"),
        ["x", None, "z"],
        "class or category is a NoneType; expected",
    ),
    "category a list": (("attributes", 1, "categories"), ["x", [], "z"], "class or category is a list; expected"),
    "category too few": (("attributes", 1, "categories"), ["x", "y"], "n_values of 'c' is 3"),
    "nodes missing": (("nodes",), None, "nodes is a NoneType; expected an object"),
    "nodes a list": (("nodes",), [], "nodes is a list; expected an object"),
    "no nodes": (("nodes", "attribute"), [], "expected \\(0, 2\\) numbers"),
    "counts missing": (("nodes", "counts"), None, "counts is a NoneType; expected a list"),
    "counts of unequal length": (
        ("nodes", "counts", 0),
        [1.0],
        "counts holds .* rows of several lengths; expected",
    ),
    "counts of text": (("nodes", "counts", 0), ["1", "2"], "counts holds what is no number.*; expected numbers"),
    "counts true": (("nodes", "counts", 0), [True, 2], "counts holds what is no number"),
    "counts of lists": (("nodes", "counts", 0), [[1], 2], "counts holds what is no number"),
    "counts infinite": (
        ("nodes", "counts", 0),
        [float("inf"), 1],
        "counts holds numbers beyond 5e\\+14; expected smaller ones",
    ),
    "counts not a number": (("nodes", "counts", 0), [float("nan"), 1], "counts holds numbers beyond"),
    "counts null": (("nodes", "counts", 0), [None, 1], "counts holds what is no number"),
    "counts too large": (
        ("nodes", "counts", 0),
        [5e14, 1],
        "counts holds numbers beyond 5e\\+14; expected smaller ones",
    ),
    "counts far below 0": (("nodes", "counts", 0), [-1e300, 1], "counts holds numbers beyond"),
    # NumPy's |−2⁶³| is −2⁶³: in whole numbers it would pass.
    "counts the least integer": (("nodes", "counts"), [[-(2**63), 1]] * 7, "counts holds numbers beyond"),
    "attribute out of range": (("nodes", "attribute", 0), 3, "attribute holds what is no place in attributes"),
    "attribute below −1": (("nodes", "attribute", 3), -2, "attribute holds what is no place in attributes"),
    "attribute a fraction": (
        ("nodes", "attribute", 0),
        0.0,
        "attribute has the shape \\(7,\\) and the type float64; expected \\(7,\\) whole numbers",
    ),
    "attribute true": (("nodes", "attribute"), [True] * 7, "attribute holds what is no number"),
    "attribute huge": (("nodes", "attribute", 0), 10**30, "the type object; expected"),
    "attribute nested": (("nodes", "attribute"), [[0]], "expected \\(1, 2\\) numbers"),
    "attribute null": (("nodes", "attribute", 6), None, "attribute has .* the type float64; expected"),
    "threshold missing": (("nodes", "threshold", 0), None, "threshold does not fit"),
    "threshold infinite": (
        ("nodes", "threshold", 0),
        float("inf"),
        "expected a finite number for numeric and ordered",
    ),
    "threshold text": (("nodes", "threshold", 0), "1", "threshold holds what is no number"),
    "threshold true": (("nodes", "threshold", 0), True, "threshold holds what is no number"),
    "threshold of a leaf": (("nodes", "threshold", 5), 1.0, "threshold does not fit"),
    "threshold of names": (("nodes", "threshold", 1), 1.0, "threshold does not fit"),
    "place below": (("nodes", "threshold", 2), 0, "an ordered test cuts outside"),
    "place above": (("nodes", "threshold", 2), 3, "an ordered test cuts outside"),
    "place between": (("nodes", "threshold", 2), 1.5, "an ordered test cuts outside"),
    "thresholds too few": (("nodes", "threshold"), [None], "threshold has the shape \\(1,\\)"),
    "children too many": (("nodes", "n_children", 0), 3, "not every node is a child of one other"),
    "children of a leaf": (("nodes", "n_children", 6), 2, "n_children does not fit; expected 2 or more"),
    "an only child": (("nodes", "n_children", 0), 1, "n_children does not fit; expected 2 or more"),
    "children huge": (
        ("nodes", "n_children"),
        [2**62, 2**62, 2**62, 0, 0, 0, 0],
        "not every node is a child of one other",
    ),
    "children negative": (
        ("nodes", "n_children"),
        [4, -2, 4, 0, 0, 0, 0],
        "n_children does not fit; expected 2 or more",
    ),
    "children too few": (("nodes", "n_children"), [2, 2, 2], "n_children has the shape \\(3,\\)"),
    "three ways to cut": (
        ("nodes", "n_children"),
        [3, 2, 1, 0, 0, 0, 0],
        "n_children does not fit; expected 2 or more",
    ),
    "route out of range": (("nodes", "routes", 0), 2, "a route leads to a child that is not there"),
    "route negative": (("nodes", "routes", 0), -1, "a route leads to a child that is not there"),
    "routes too few": (("nodes", "routes"), [0, 1], "routes does not fit"),
    "routes too many": (("nodes", "routes"), [0, 0, 1, 1], "routes does not fit"),
    "no route to a child": (("nodes", "routes"), [0, 0, 0], "there is a child that no category leads to"),
}


def damaged(document, place, value):
    document = copy.deepcopy(document)
    part = document
    for key in place[:-1]:
        part = part[key]
    part[place[-1]] = value
    return json.dumps(document)


@pytest.mark.parametrize(("place", "value", "message"), DAMAGES.values(), ids=DAMAGES.keys())
def test_a_damaged_document_is_refused(place, value, message, sound):
    with pytest.raises(ValueError, match=message):
        Tree.from_json(damaged(sound, place, value))


@pytest.mark.parametrize("key", ["format", "version", "classes", "attributes", "nodes"])
def test_an_incomplete_document_is_refused(key, sound):
    document = {name: part for name, part in sound.items() if name != key}
    with pytest.raises(ValueError, match=f"{key}|version"):
        Tree.from_json(json.dumps(document))


@pytest.mark.parametrize("key", ["counts", "attribute", "threshold", "n_children", "routes"])
def test_an_incomplete_list_of_nodes_is_refused(key, sound):
    nodes = {name: part for name, part in sound["nodes"].items() if name != key}
    with pytest.raises(ValueError, match=f"'{key}' is missing"):
        Tree.from_json(json.dumps(sound | {"nodes": nodes}))


@pytest.mark.parametrize("key", ["classes", "name", "counts"])
def test_a_key_that_stands_twice_is_refused(key, sound):
    text = json.dumps(sound)
    place = text.index(f'"{key}"')
    with pytest.raises(ValueError, match="a key stands twice in an object"):
        Tree.from_json(f'{text[:place]}"{key}": 1, {text[place:]}')


def path_of(depth, distinct=False):
    """A tree whose every test, n < 10,000, n < 9,999, ..., has the next one and a leaf below it.

    If distinct, each test is of an attribute of its own.
    """
    tests = np.array([0, *range(1, 2 * depth - 1, 2)])
    attribute, threshold = np.full(2 * depth + 1, -1), np.full(2 * depth + 1, np.nan)
    attribute[tests], threshold[tests] = 0, 10_000 - np.arange(depth)
    counts = np.ones((len(attribute), 2))
    attributes, labels = (Attribute("n", "numeric", depth + 1),), np.array(["A", "B"])
    if distinct:
        attributes = tuple(Attribute(f"n{number}", "numeric", 2) for number in range(depth))
        attribute[tests] = range(depth)
    return Tree(attributes, labels, counts, attribute, threshold, 2 * (attribute >= 0), np.array([], dtype=int))


def balanced(depth, classes=("A", "B")):
    """A tree of 2^depth leaves whose every test is n < 0.5."""
    nodes = 2 ** (depth + 1) - 1
    inner = np.arange(nodes) < 2**depth - 1
    attributes, labels = (Attribute("n", "numeric", 2),), np.array(classes)
    counts, threshold = np.ones((nodes, len(classes))), np.where(inner, 0.5, np.nan)
    return Tree(attributes, labels, counts, inner - 1, threshold, 2 * inner, np.array([], dtype=int))


@pytest.mark.parametrize("text", ["[" + "0," * 5_000_000 + "0]", b"[" + b"[]," * 3_400_000 + b"[]]"])
def test_a_text_of_more_than_ten_million_signs_is_refused_unread(text, monkeypatch):
    # Read first, a list of 5 million entries took 12 seconds and 0.9 gigabytes to be refused.
    monkeypatch.setattr(json, "loads", None)
    with pytest.raises(
        ValueError, match=r"text has 10,\d{3},\d{3} characters or more; expected 10,000,000 at most"
    ):
        Tree.from_json(text)


def test_what_cannot_be_read_is_not_written(monkeypatch):
    monkeypatch.setattr(text_module, "MAX_TEXT", 2_000)
    assert Tree.from_json(balanced(4).to_json()).depth == 4
    with pytest.raises(
        ValueError, match=r"the tree as JSON has .* characters or more; expected 2,000 at most: prune"
    ):
        balanced(6).to_json()


def test_rules_that_cannot_be_held_are_refused(leaf_of):
    # A small tree whose few leaves all repeat a long list of categories, and one that repeats a long class.
    many = Attribute.categorical("c", range(300_000))
    below = balanced(3)
    tree = Tree(
        (below.attributes[0], many),
        below.classes,
        np.ones((17, 2)),
        np.concatenate([[1], [-1], below.attribute]),
        np.concatenate([[np.nan] * 2, below.threshold]),
        np.concatenate([[2], [0], below.n_children]),
        np.repeat([0, 1], [1, many.n_values - 1]),
    )
    for ask in (tree.conditions, tree.rules):
        with pytest.raises(
            ValueError, match=r"the conditions of all leaves has .* expected 10,000,000 at most: prune"
        ):
            ask()
    with pytest.raises(ValueError, match=r"the rules has .* expected 10,000,000 at most: prune the tree"):
        balanced(4, ["A" * 2_000_000, "B"]).rules()


def test_one_long_condition_does_not_widen_all_lines():
    lines = path_of(3).rules().splitlines()
    assert len({len(line) for line in lines}) == 1
    attribute = Attribute("n" * 5000, "numeric", 4)
    widest, *others = sorted(map(len, replace(path_of(3), attributes=(attribute,)).rules().splitlines()))[::-1]
    assert widest > 5000
    assert len(balanced(2, ["A" * 5000, "B"]).rules()) < 5 * 5300
    assert others


def seconds(work):
    """The shortest of three times that a call takes."""

    def once():
        start = time.perf_counter()
        work()
        return time.perf_counter() - start

    return min(once() for _ in range(3))


@pytest.mark.parametrize(
    ("make", "sizes"),
    [
        (path_of, (500, 4000)),
        (lambda leaves: star(leaves), (2_000, 16_000)),
        (lambda depth: path_of(depth, distinct=True), (60, 480)),
    ],
    ids=["a path", "a child for each category", "a path of distinct attributes"],
)
def test_rules_cost_what_they_write(make, sizes):
    # Eight times the nodes: with work that grows with the square of the tree alone, 64 times the time. The last tree
    # itself writes a text that grows with the square, so that time is compared with the text.
    small, large = map(make, sizes)
    longer = len(large.rules()) / len(small.rules())
    assert seconds(large.rules) < 3.5 * longer * seconds(small.rules)


def star(leaves):
    """A test with a child for each of its categories."""
    attribute = np.where(np.arange(leaves + 1) == 0, 0, -1)
    attributes, labels = (Attribute.categorical("c", range(leaves)),), np.array(["A", "B"])
    counts, threshold = np.ones((leaves + 1, 2)), np.full(leaves + 1, np.nan)
    children = np.where(attribute == 0, leaves, 0)
    return Tree(attributes, labels, counts, attribute, threshold, children, np.arange(leaves))


def test_an_error_is_short_and_says_what_is_expected_however_long_the_text(sound):
    for place, value in [
        (("attributes", 1, "kind"), "x" * 1_000_000),
        (("attributes", 0, "values"), "x" * 1_000_000),
    ]:
        with pytest.raises(ValueError, match=r"is 'x+ … .*expected") as caught:
            Tree.from_json(damaged(sound, place, value))
        assert len(str(caught.value)) < 500


def test_a_tree_may_be_a_thousand_tests_deep_and_no_deeper():
    assert Tree.from_json(path_of(1000).to_json()).depth == 1000
    with pytest.raises(ValueError, match="it is 1001 tests deep; expected 1000 at most"):
        Tree.from_json(path_of(1001).to_json())


def test_the_rules_of_a_deep_tree_are_written_too():
    # In a second; in more than a minute, if each leaf walked its whole path.
    lines = path_of(10_000).rules().splitlines()
    assert len(lines) == 10_001
    assert lines[:2] == [f"{'n < 1':<18}   A  2 records, 50.0 %", f"{'1 ≤ n < 2':<18}   A  2 records, 50.0 %"]


def test_a_name_that_would_break_a_line_is_written_out():
    X = pd.DataFrame({"a\nb": [0, 0, 1, 1]})
    tree = GiniTreeClassifier(prune=None).fit(X, ["x", "x", "\x1b[2J", "\x1b[2J"]).tree_
    assert tree.rules().splitlines() == [
        r"a\nb < 0.5   x        2 records, 100.0 %",
        r"a\nb ≥ 0.5   \x1b[2J  2 records, 100.0 %",
    ]


def test_orphans_and_cycles_are_refused(sound):
    # Children are numbered in the order of their parents, so the only cycle that can be written is a root of none:
    # the tests stand behind the leaves whose children they would have.
    nodes = sound["nodes"]
    moved = {
        name: nodes[name][3:] + nodes[name][:3] for name in ("counts", "attribute", "threshold", "n_children")
    }
    with pytest.raises(ValueError, match="not every node is a child of one other"):
        Tree.from_json(json.dumps(sound | {"nodes": nodes | moved}))


@pytest.mark.parametrize("text", ["", "{", "null", "[]", "7", '"tree"', "[" * 100_000, b"\xff\xfe", "9" * 5000])
def test_what_is_no_document_is_refused(text):
    with pytest.raises(ValueError, match="the text is"):
        Tree.from_json(text)


def test_a_document_cut_off_anywhere_is_refused(sound):
    text = json.dumps(sound)
    for end in range(0, len(text), 7):
        with pytest.raises(ValueError, match="the text is not JSON"):
            Tree.from_json(text[:end])


@pytest.mark.parametrize("text", [None, 7, {"format": "ppdm-tree"}])
def test_what_is_no_text_is_refused(text):
    with pytest.raises(TypeError, match=r"text is an? .*; expected the JSON text of a tree"):
        Tree.from_json(text)


def test_names_that_json_does_not_have_are_refused():
    X = pd.DataFrame({"a": pd.cut([1.0, 2, 3, 4], 2)})
    model = GiniTreeClassifier(prune=None).fit(X, [0, 0, 1, 1])
    with pytest.raises(
        TypeError, match=r"a name, class or category is an Interval; expected text, a number, .*JSON"
    ):
        model.tree_.to_json()
    with pytest.raises(ValueError, match=r"the outline has .* expected 10,000,000 at most: prune the tree"):
        balanced(4, ["A" * 2_000_000, "B"]).outline()
