"""DZ03's trees: the benchmark where all is told, the paper done by hand, tables of every kind, rules, refusals."""

import itertools
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from ppdm import information
from ppdm.data import BinaryCuts, load
from ppdm.disguise import GroupedResponse
from ppdm.reconstruct import Attribute, proportion
from ppdm.tables import EstimatedTable
from ppdm.tables import groups as module
from ppdm.trees import ResponseTreeClassifier, Stop, Tree, grow

FIELDS = ("counts", "attribute", "threshold", "n_children", "routes")
KINDS = {"rows": {}, "paths": {"MAX_CELLS": 0}}


@pytest.mark.filterwarnings("ignore:invalid value encountered in cast:RuntimeWarning:sklearn")
@parametrize_with_checks(
    [
        ResponseTreeClassifier(),
        ResponseTreeClassifier(theta=0.2, groups=1, max_depth=3),
        ResponseTreeClassifier(theta=1),
        ResponseTreeClassifier(confidence=0.9),
    ]
)
def test_scikit_learns_conventions_hold(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def tables():
    """Records and classes, as 0 and 1."""
    found = {}
    for name, part in (("votes", None), ("wbc", None), ("adult", "first10000")):
        table = load(name, **({} if part is None else {"part": part}))
        y = (table.y == table.y.cat.categories[-1]).astype(int).rename("class")
        found[name] = BinaryCuts.of(table.X, table.listed).apply(table.X), y
    return found


def counted(attributes, X, y):
    """The table of true records."""
    classes, codes = np.unique(y, return_inverse=True)
    return EstimatedTable(
        attributes, classes, [attribute.encode(X[attribute.name]) for attribute in attributes], codes
    )


def benchmark(X, y, **stop):
    """ID3 on true records."""
    attributes = [Attribute.numeric(name, [0.5]) for name in X]
    return grow(counted(attributes, X, y), "gain", Stop(min_gain=0, **stop), "multiway")


def disguised(X, y, channel, rng=1):
    """Both as they are released; the class, if it is in a group."""
    released = channel.disguise(X.assign(**{y.name: y}), rng)
    return released.drop(columns=y.name), released[y.name]


def fitted(X, y, channel, **arguments):
    return ResponseTreeClassifier(channel.theta, channel.groups, **arguments).fit(X, y)


def force(patch, kind):
    for name, value in KINDS[kind].items():
        patch.setattr(module, name, value)


@pytest.mark.parametrize("theta", [0, 1])
@pytest.mark.parametrize("groups", [1, 3, "all"])
@pytest.mark.parametrize("with_class", [False, True])
@pytest.mark.parametrize("name", ["votes", "wbc", "adult"])
def test_where_all_is_told_the_tree_is_the_benchmark(name, with_class, groups, theta, tables):
    # D1: "when θ = 1 and when θ = 0, the results are exactly the same as … when the original ID3 algorithm is applied".
    X, y = tables[name]
    columns = [*X, "class"] if with_class else list(X)
    channel = GroupedResponse.drawn(theta, columns, len(columns) if groups == "all" else groups, rng=1)
    original, found = benchmark(X, y), fitted(*disguised(X, y, channel), channel).tree_
    assert original.depth > 5
    for name in FIELDS:
        np.testing.assert_array_equal(getattr(found, name), getattr(original, name), err_msg=name)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("theta", [0, 1])
def test_where_all_is_told_every_kind_of_table_gives_the_benchmark(theta, kind, tables, monkeypatch):
    X, y = tables["wbc"]
    channel = GroupedResponse.drawn(theta, [*X, "class"], 3, rng=1)
    force(monkeypatch, kind)
    found = fitted(*disguised(X, y, channel), channel).tree_
    for name in FIELDS:
        np.testing.assert_array_equal(getattr(found, name), getattr(benchmark(X, y), name), err_msg=name)


@pytest.mark.parametrize("with_class", [False, True])
@pytest.mark.parametrize("groups", [1, 3, "all"])
@pytest.mark.parametrize("name", ["wbc", "adult"])
def test_tables_of_every_kind_grow_the_same_tree(name, groups, with_class, tables, same_tree, monkeypatch):
    X, y = tables[name]
    columns = [*X, "class"] if with_class else list(X)
    channel = GroupedResponse.drawn(0.85, columns, len(columns) if groups == "all" else groups, rng=1)
    seen = disguised(X, y, channel)
    trees = []
    for kind in KINDS:
        with monkeypatch.context() as patch:
            force(patch, kind)
            trees.append(fitted(*seen, channel, max_depth=4).tree_)
    assert len(trees[0].counts) > 10
    same_tree(trees[0], trees[1])


def people(n=3000, seed=1):
    """Columns of every kind, and classes that depend on some of them."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "age": rng.uniform(20, 80, n),
            "town": pd.Categorical(rng.choice(["Ayr", "Bern", "Cork"], n)),
            "degree": pd.Categorical(rng.integers(0, 4, n), range(4), ordered=True),
            "job": rng.choice(["smith", "baker"], n),
            "member": rng.random(n) < 0.4,
            "rich": rng.integers(0, 2, n),
        },
        index=rng.permutation(n),
    )
    yes = (X["town"] == "Cork") ^ (X["degree"].astype(int) >= 2) ^ (rng.random(n) < 0.1)
    few = X["member"] & (X["age"] > 50)
    return X, pd.Series(np.where(yes, "yes", np.where(few, "some", "no")), index=X.index, name="class")


VALUES = {"town": ["Ayr", "Bern", "Cork"], "degree": range(4), "class": ["no", "some", "yes"]}
SCHEMES = [
    GroupedResponse(
        0.9, [["town", "rich"], ["degree", "member"]], {name: VALUES[name] for name in ("town", "degree")}
    ),
    GroupedResponse([0.85, 0.95], [["class", "town"], ["degree"]], VALUES),
    GroupedResponse(0.8, [["town", "class", "rich"]], {name: VALUES[name] for name in ("town", "class")}),
    GroupedResponse(0.2, [["member"], ["rich"]]),
]


@pytest.mark.parametrize("cut", [True, False])
@pytest.mark.parametrize("channel", SCHEMES, ids=repr)
def test_more_values_and_partial_disguise_in_tables_of_every_kind(channel, cut, same_tree, monkeypatch):
    seen = disguised(*people(), channel)
    trees = []
    for kind in ("rows", "paths"):
        with monkeypatch.context() as patch:
            force(patch, kind)
            trees.append(fitted(*seen, channel, cut=cut, max_depth=3).tree_)
    assert trees[0].depth == 3
    same_tree(*trees)


@pytest.mark.parametrize("channel", SCHEMES, ids=repr)
def test_told_truly_a_tree_of_more_values_is_that_of_the_records(channel, same_tree):
    X, y = people()
    X = X.assign(age=X["age"] > 50)
    # What is disguised is released as the channel's values: booleans as 0 and 1.
    X = X.astype({name: int for name in channel.columns if name in X and X[name].dtype == bool})
    truly = GroupedResponse(1, channel.groups, channel.values)
    found = fitted(*disguised(X, y, truly), truly).tree_
    attributes = [
        Attribute.categorical(name, column.cat.categories, name == "degree" and name not in channel.columns)
        if isinstance(column.dtype, pd.CategoricalDtype)
        else Attribute.numeric(name, [0.5])
        if column.dtype == int
        else Attribute.categorical(name, sorted(column.unique().tolist()))
        for name, column in X.items()
    ]
    table = counted(attributes, X, y)
    same_tree(grow(table, "gain", Stop(min_gain=0), "multiway"), found)


# The paper, done by hand (§4.5).


@dataclass
class ByHand:
    """Counts of disguised records by the 2^g vectors of each conjunction, and M_g solved for them."""

    seen: dict
    channel: GroupedResponse

    def count(self, conjunction):
        counts = []
        for reversed_ in itertools.product([0, 1], repeat=len(self.channel.groups)):
            flip = {name: r for r, group in zip(reversed_, self.channel.groups, strict=True) for name in group}
            holds = [self.seen[name] == value ^ flip.get(name, 0) for name, value in conjunction.items()]
            counts.append(np.logical_and.reduce(holds).sum())
        return np.linalg.solve(self.channel.matrix(), counts)[0]

    def classes(self, path):
        return np.array([self.count({**path, "class": value}) for value in (0, 1)])

    def gain(self, path, name):
        parent, *sides = (self.classes(way) for way in (path, {**path, name: 0}, {**path, name: 1}))
        if min(side.sum() for side in sides) < 1 - 1e-6:
            return -np.inf
        after = sum(side.sum() * information.entropy(np.maximum(side, 0), axis=0) for side in sides)
        return information.entropy(np.maximum(parent, 0), axis=0) - after / parent.sum()


def nodes_of(tree, node=0, path=None):
    """The way to each node, its counts and what it tests."""
    path = path or {}
    test = None if tree.attribute[node] < 0 else tree.attributes[tree.attribute[node]].name
    yield path, tree.counts[node], test
    for value in (0, 1) if test else ():
        yield from nodes_of(tree, tree.first_child[node] + value, {**path, test: value})


@pytest.mark.parametrize("with_class", [False, True])
@pytest.mark.parametrize("groups", [1, 2, 3, 4])
@settings(max_examples=5)
@given(seed=st.integers(0, 2**32 - 1), theta=st.sampled_from([0, 0.15, 0.7, 0.9, 1]))
def test_every_node_is_what_the_paper_computes(groups, with_class, seed, theta):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.random((301, 4)) < rng.uniform(0.2, 0.8, 4), columns=list("abcd")).astype(int)
    y = ((X["a"] & X["d"]) ^ (rng.random(301) < 0.2)).rename("class")
    channel = GroupedResponse.drawn(theta, [*X, "class"] if with_class else list(X), groups, rng=rng)
    released, answers = disguised(X, y, channel, rng)
    by_hand = ByHand({**released, "class": answers}, channel)
    for path, counts, test in nodes_of(fitted(released, answers, channel).tree_):
        assert counts == pytest.approx(by_hand.classes(path), abs=1e-9)
        gains = {name: by_hand.gain(path, name) for name in X if name not in path}
        mixed = min(counts) > 1e-6 and sum(counts) > 2 - 1e-6
        if test is None:
            assert not mixed or max(gains.values(), default=-1) < 1e-9
        else:
            assert mixed
            assert gains[test] == pytest.approx(max(gains.values()), abs=1e-9)
            assert gains[test] > -1e-9


def test_every_count_is_an_estimate_from_all_records():
    channel = SCHEMES[1]
    X, y = disguised(*people(), channel)
    model = fitted(X, y, channel, max_depth=2)
    tree = model.tree_
    for node in range(len(tree.counts)):
        path = {}
        for above, below in itertools.pairwise(tree.path(node)):
            test = tree.attributes[tree.attribute[above]]
            child = below - tree.first_child[above]
            if test.name in channel.columns:
                path[test.name] = test.categories[list(tree.routes_of(above)).index(child)]
            else:
                break
        else:
            frame = X.assign(**{"class": y})
            expected = [len(X) * proportion(frame, channel, {**path, "class": label}) for label in model.classes_]
            assert tree.counts[node] == pytest.approx(expected, abs=1e-7)


@pytest.mark.filterwarnings("ignore:the standard error of a share")  # the counts are compared, not believed
@pytest.mark.parametrize("theta", [0.51, 0.55, 0.4])
@pytest.mark.parametrize("name", ["votes", "adult"])
def test_near_one_half_with_a_group_each_counts_are_not_lost_in_rounding(name, theta, tables):
    # A cell of an array would hold up to 25^15 there, of either sign.
    X, y = tables[name]
    channel = GroupedResponse.divided(theta, [*X, "class"], len(X.columns) + 1)
    released, answers = disguised(X, y, channel)
    tree = fitted(released, answers, channel).tree_
    frame = released.assign(**{"class": answers})
    for path, counts, _ in nodes_of(tree):
        expected = [len(X) * proportion(frame, channel, {**path, "class": value}) for value in (0, 1)]
        assert counts == pytest.approx(expected, abs=1e-6)


def test_a_trace_of_a_class_that_rounding_leaves_makes_no_node_mixed(monkeypatch):
    # At θ = 0.8 a fifth of the answers is 1 where nobody's class is: what is estimated of it is 0 up to 1e-14.
    y = pd.Series([1] * 10 + [0] * 40, name="class")
    for kind, seed in itertools.product(KINDS, range(10, 30)):
        X = pd.DataFrame(np.random.default_rng(seed).integers(0, 2, (50, 3)), columns=list("abc"))
        with monkeypatch.context() as patch:
            force(patch, kind)
            tree = ResponseTreeClassifier(0.8, [["a"], ["class"]]).fit(X, y).tree_
        assert tree.counts[0] == pytest.approx([50, 0], abs=1e-9)
        assert tree.depth == 0


# Negative estimates.


def test_negative_estimates_follow_the_one_rule(tables):
    X, y = tables["votes"]
    channel = GroupedResponse.drawn(0.75, [*X, "class"], 3, rng=4)
    model = fitted(*disguised(X, y, channel), channel)
    tree = model.tree_
    inner, size = tree.attribute >= 0, tree.counts.sum(axis=1)
    assert (tree.counts < 0).any()
    assert (tree.counts.max(axis=1) <= 0).sum() == 0  # a side below one record is not split off
    assert (size[inner] >= 2).all()
    assert (size[1:] >= 1).all()
    children = tree.first_child[inner]
    np.testing.assert_allclose(tree.counts[children] + tree.counts[children + 1], tree.counts[inner], atol=1e-8)
    # A node of which one class alone is positive is pure.
    assert ((tree.counts > 0).sum(axis=1)[inner] == 2).all()
    shares = model.predict_proba(X)
    assert ((shares >= 0) & (shares <= 1)).all()
    np.testing.assert_allclose(shares.sum(axis=1), 1)


def test_a_leaf_in_which_nothing_is_positive_predicts_as_its_parent():
    X = pd.DataFrame({"town": pd.Categorical(["Ayr"] * 60 + ["Bern"] * 35 + ["Cork"] * 5)})
    y = np.array([0] * 50 + [1] * 10 + [1] * 30 + [0] * 5 + [0, 1, 0, 1, 0])
    model = ResponseTreeClassifier(0.8, [["town"]]).fit(X, y)
    cork = model.apply(pd.DataFrame({"town": ["Cork"]}))[0]
    assert (model.tree_.counts[cork] < 0).all()
    assert model.predict_proba(pd.DataFrame({"town": ["Cork"]}))[0] == pytest.approx([0.58, 0.42])


# What it says of its arguments.


def test_a_number_of_groups_is_of_neighbours_and_none_is_one(tables, same_tree):
    X, y = tables["wbc"]
    trees = []
    for groups in (3, [list(X)[:3], list(X)[3:6], list(X)[6:]]):
        model = ResponseTreeClassifier(0.9, groups).fit(X, y)
        assert model.groups_ == GroupedResponse.divided(0.9, list(X), 3).groups
        trees.append(model.tree_)
    same_tree(*trees)
    same_tree(ResponseTreeClassifier(0.9, 1).fit(X, y).tree_, ResponseTreeClassifier(0.9).fit(X, y).tree_)
    assert ResponseTreeClassifier().fit(X, y).groups_ == (tuple(X),)


def test_every_group_may_have_a_theta_of_its_own(tables):
    X, y = tables["wbc"]
    channel = GroupedResponse.drawn([0.9, 0.3, 0.75], [*X, "class"], 3, rng=1)
    seen = disguised(X, y, channel)
    tree = fitted(*seen, channel, max_depth=2).tree_
    frame = seen[0].assign(**{"class": seen[1]})
    best = tree.attributes[tree.attribute[0]].name
    expected = [len(X) * proportion(frame, channel, {best: 0, "class": label}) for label in (0, 1)]
    assert tree.counts[1] == pytest.approx(expected)


@pytest.mark.parametrize("change", [np.asarray, lambda X: X.to_numpy().tolist()], ids=["array", "lists"])
def test_arrays_name_their_columns_by_position(change, tables, same_tree):
    X, y = tables["wbc"]
    places = [[0, 3], [1, 2, 4]]
    named = ResponseTreeClassifier(0.9, [[list(X)[place] for place in group] for group in places]).fit(X, y)
    same_tree(named.tree_, ResponseTreeClassifier(0.9, places).fit(change(X), y).tree_)


@pytest.mark.parametrize("dtype", ["int64", "float", "bool", "boolean", "Int64", "category"])
def test_columns_of_any_dtype_give_the_same_tree(dtype, tables):
    X, y = tables["wbc"]
    groups = [list(X)[:4], [*X][4:]]
    ours = ResponseTreeClassifier(0.9, groups).fit(X.astype(dtype), y)
    plain = ResponseTreeClassifier(0.9, groups).fit(X, y)
    np.testing.assert_allclose(ours.tree_.counts, plain.tree_.counts, atol=1e-9)
    np.testing.assert_array_equal(ours.tree_.attribute, plain.tree_.attribute)
    assert (ours.predict(X.astype(dtype)) == plain.predict(X)).all()


def test_numbers_are_cut_at_the_middle_of_their_range(same_tree):
    table = load("wbc")
    X = table.X.fillna(1).astype(float)
    raw = ResponseTreeClassifier(0.9, 3).fit(X, table.y)
    cut = ResponseTreeClassifier(0.9, 3).fit(BinaryCuts.of(X).apply(X), table.y)
    assert (raw.predict(X) == cut.predict(BinaryCuts.of(X).apply(X))).all()
    np.testing.assert_array_equal(raw.tree_.counts, cut.tree_.counts)
    assert (raw.tree_.threshold[raw.tree_.attribute >= 0] == np.nextafter(5.5, 6)).all()
    whole = ResponseTreeClassifier(0.9, [["a"]], cut=False, max_depth=3).fit(
        X.assign(a=1 * (X.iloc[:, 0] > 5)), table.y
    )
    assert len(np.unique(whole.tree_.threshold[whole.tree_.attribute >= 0])) > 2


@pytest.mark.parametrize("constant", [0, 1, 5])
def test_a_column_of_one_value_is_never_tested(constant, tables):
    X, y = tables["wbc"]
    for column in (constant, float(constant), str(constant)):
        for groups in ([list(X)], [list(X)[:2], list(X)[2:]]):
            for cut in (True, False):
                model = ResponseTreeClassifier(1, groups, cut=cut).fit(X.assign(same=column), y)
                tested = model.tree_.attribute[model.tree_.attribute >= 0]
                assert "same" not in {model.tree_.attributes[place].name for place in tested}
                np.testing.assert_array_equal(model.tree_.counts, benchmark(X, y).counts)


def test_the_domain_of_a_disguised_class_is_that_of_its_dtype():
    # Nobody answers "c", though by chance some would have to: the estimate of "c" is then below 0, not absent.
    X = pd.DataFrame({"q": [0, 1] * 20})
    y = pd.Series(pd.Categorical(["a", "b"] * 20, ["b", "c", "a"]), name="class")
    model = ResponseTreeClassifier(0.8, [["q"], ["class"]], max_depth=0).fit(X, y)
    assert model.classes_.tolist() == ["a", "b", "c"]
    assert model.tree_.counts[0] == pytest.approx(40 * (np.array([0.5, 0.5, 0]) - 0.1) / 0.7)
    seen = ResponseTreeClassifier(0.8, [["q"]], max_depth=0).fit(X, y)
    assert seen.classes_.tolist() == ["a", "b"]


def test_with_more_records_the_estimates_lead_to_the_true_tree(tables):
    X, y = people(60_000)
    channel = SCHEMES[1]
    found = fitted(*disguised(X, y, channel), channel, max_depth=2).tree_
    original = fitted(X, y, GroupedResponse(1, channel.groups, channel.values), max_depth=2).tree_
    np.testing.assert_array_equal(found.attribute, original.attribute)
    np.testing.assert_allclose(found.shares, original.shares, atol=0.05)


# A split must beat its own uncertainty.


@pytest.mark.parametrize("groups", [1, 3, 9])
@pytest.mark.parametrize("with_class", [False, True])
def test_from_nothing_a_confident_tree_learns_nothing(with_class, groups):
    # 60 trees of independent attributes: at 95 % about three of them are split, and Bonferroni keeps it below.
    rng = np.random.default_rng(groups)
    split = 0
    for _ in range(60):
        X = pd.DataFrame(rng.random((1000, 8)) < 0.4, columns=list("abcdefgh")).astype(int)
        y = pd.Series(1 * (rng.random(1000) < 0.5), name="class")
        number = groups if groups < 9 or with_class else 8
        channel = GroupedResponse.drawn(0.8, [*X, "class"] if with_class else list(X), number, rng=rng)
        split += fitted(*disguised(X, y, channel, rng), channel, confidence=0.95, max_depth=1).tree_.depth
    assert split <= 9


def test_what_is_certain_is_learnt_with_confidence_too(tables):
    X, y = tables["adult"]
    channel = GroupedResponse.drawn(0.9, [*X, "class"], 3, rng=1)
    seen = disguised(X[:8000], y[:8000], channel)
    sure, unsure = (fitted(*seen, channel, confidence=level) for level in (0.95, None))
    assert 3 < len(sure.tree_.counts) < len(unsure.tree_.counts) / 10
    assert sure.score(X[8000:], y[8000:]) > unsure.score(X[8000:], y[8000:])


# Conventions and refusals.


def test_a_copy_has_the_same_parameters_and_a_tree_travels(tables):
    X, y = tables["votes"]
    model = ResponseTreeClassifier(0.9, 2, False, 0.9, 3, 2, 0.001, 4, 0.9)
    assert clone(model).get_params() == model.get_params()
    fitted_ = model.fit(X, y)
    assert (Tree.from_json(fitted_.tree_.to_json()).predict(X) == fitted_.predict(X)).all()
    assert fitted_.tree_.depth <= 4


SMALL = pd.DataFrame({"a": [0, 1, 0, 1] * 5, "b": [0, 0, 1, 1] * 5, "town": pd.Categorical(["Ayr", "Bern"] * 10)})
ANSWERS = pd.Series([0, 1, 1, 1] * 5, name="class")


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"theta": 0.5}, ValueError, r"theta is 0.5 for the group \['a', 'b', 'town'\].* choose another theta"),
        ({"theta": 1.2}, ValueError, r"theta is 1.2; expected a number in \[0, 1\]"),
        ({"theta": "0.9"}, TypeError, "theta is '0.9'"),
        ({"theta": [0.9, 0.8]}, ValueError, "theta has 2 entries and groups has 1"),
        ({"theta": [0.9, 0.5], "groups": [["a"], ["b"]]}, ValueError, r"theta is 0.5 for the group \['b'\]"),
        ({"groups": 0}, ValueError, r"groups is 0; expected a whole number in \[1, 3\]"),
        ({"groups": 4}, ValueError, "groups is 4"),
        ({"groups": 2.0}, TypeError, "groups is 2.0"),
        ({"groups": True}, TypeError, "groups is True"),
        ({"groups": "ab"}, TypeError, "groups is 'ab'; expected a list of lists of columns"),
        ({"groups": ["a", "b"]}, TypeError, "a group is 'a'"),
        ({"groups": [["a"], ["a"]]}, ValueError, "groups names 'a'; expected .* each in one group only"),
        ({"groups": []}, ValueError, r"groups is \[\]; expected at least one"),
        (
            {"groups": [["a", "z"]]},
            ValueError,
            "groups names 'z', which is no column of X .* and not the name of y",
        ),
        ({"cut": 1}, ValueError, "cut is 1; expected one of True, False"),
        ({"confidence": 1}, ValueError, r"confidence is 1; expected a number in \(0, 1\)"),
        ({"confidence": "95 %"}, TypeError, "confidence is '95 %'"),
        ({"min_records": -1}, ValueError, "min_records is -1"),
        ({"min_leaf": 0}, ValueError, "min_leaf is 0"),
        ({"min_gain": -1}, ValueError, "min_gain is -1"),
        ({"max_depth": -1}, ValueError, "max_depth is -1"),
        ({"purity": 0}, ValueError, "purity is 0"),
    ],
)
def test_bad_parameters_are_refused_in_fit(arguments, error, message):
    model = ResponseTreeClassifier(**arguments)
    with pytest.raises(error, match=message):
        model.fit(SMALL, ANSWERS)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (
            {"a": ["x", "y"] * 10},
            ValueError,
            "column 'a' is in a group and holds values of str; expected 0 and 1, booleans",
        ),
        (
            {"a": pd.Categorical(["x"] * 20)},
            ValueError,
            "column 'a' is in a group and holds values of category; .* the whole domain of two values or more",
        ),
        ({"a": np.nan}, ValueError, r"column 'a' has 20 .*missing|column 'a' has 1 missing"),
        ({"a": [None, *["x"] * 19]}, ValueError, "column 'a' is in a group"),
        ({"a": pd.Categorical([None, *["x", "y"] * 9, "y"])}, ValueError, r"column 'a' has 1 missing \(NaN\)"),
        (
            {"a": pd.array([None, *[True, False] * 9, True], dtype="boolean")},
            ValueError,
            "column 'a' has 1 .*missing",
        ),
        ({"a": [np.inf, *[0.0] * 19]}, ValueError, "column 'a' has 1 .*missing or infinite value"),
        (
            {"a": pd.date_range("2000", periods=20)},
            ValueError,
            "column 'a' is in a group and holds values of datetime64",
        ),
    ],
)
def test_bad_columns_are_refused(change, error, message):
    for confidence in (None, 0.9):
        with pytest.raises(error, match=message):
            ResponseTreeClassifier(confidence=confidence).fit(SMALL.assign(**change), ANSWERS)


def test_numbers_that_no_answer_can_be_are_refused_where_nothing_is_cut():
    model = ResponseTreeClassifier(0.9, [["a"]], cut=False)
    with pytest.raises(
        ValueError, match="column 'a' is in a group and holds numbers other than 0 and 1; expected 0"
    ):
        model.fit(SMALL.assign(a=SMALL["a"] + 1), ANSWERS)


def test_a_tree_of_booleans_takes_0_and_1(tables):
    X, y = tables["votes"]
    model = ResponseTreeClassifier(1).fit(X.astype(bool), y)
    assert (model.predict(X) == model.predict(X.astype(bool))).all()


def test_a_class_in_a_group_needs_its_name():
    model = ResponseTreeClassifier(0.9, [["a", "class"], ["b"]])
    model.fit(SMALL, ANSWERS)
    for y in (ANSWERS.to_numpy(), ANSWERS.rename("other"), ANSWERS.rename(None)):
        with pytest.raises(
            ValueError, match=r"groups names 'class', .*if the class was disguised, give y as a Series"
        ):
            model.fit(SMALL, y)
    for twice in (model, ResponseTreeClassifier(0.9), ResponseTreeClassifier(0.9, 2)):
        with pytest.raises(
            ValueError, match="groups names 'class', a column of X and the name of y too; rename or"
        ):
            twice.fit(SMALL.assign(**{"class": 1}), ANSWERS)
    wide = pd.Series(["no", "some", "yes", "no"] * 5, name="class")
    with pytest.raises(ValueError, match=r"theta is 0.333333 for the group \['class'\]"):
        ResponseTreeClassifier(1 / 3, [["class"]]).fit(SMALL, wide)
    with pytest.raises(ValueError, match="y has one class only"):
        model.fit(SMALL, ANSWERS * 0 + 1)


@pytest.mark.parametrize("channel", SCHEMES, ids=repr)
def test_the_channel_itself_gives_the_tree_of_its_groups_and_theta(channel, same_tree):
    X, y = disguised(*people(), channel)
    model = ResponseTreeClassifier(groups=channel, max_depth=3).fit(X, y)
    assert model.groups_ == channel.groups
    same_tree(model.tree_, fitted(X, y, channel, max_depth=3).tree_)
    same_tree(model.tree_, ResponseTreeClassifier(channel.theta, channel, max_depth=3).fit(X, y).tree_)


def test_a_channel_knows_domains_that_dtypes_do_not(same_tree):
    channel = SCHEMES[1]
    X, y = disguised(*people(), channel)
    texts = X.assign(town=X["town"].astype(str), degree=X["degree"].astype(int))
    found = ResponseTreeClassifier(groups=channel, max_depth=3).fit(texts, y.astype(str))
    same_tree(found.tree_, fitted(X, y, channel, max_depth=3).tree_)
    assert (found.predict(texts) == found.predict(X)).all()
    with pytest.raises(ValueError, match=r"column 'town' has .* none of the categories"):
        ResponseTreeClassifier(groups=channel).fit(texts.replace({"town": {"Ayr": "Rome"}}), y)


def test_a_class_may_have_the_name_of_a_column_that_is_in_no_group(same_tree):
    X, y = SMALL.assign(**{"class": [3.0, 4, 4, 3] * 5}), ANSWERS
    trees = [ResponseTreeClassifier(0.9, [["a"]]).fit(X, one).tree_ for one in (y, y.to_numpy())]
    same_tree(*trees)
    assert trees[0].attributes[3].name == "class"


def test_a_channel_and_another_theta_are_refused():
    channel = GroupedResponse(0.8, [["a"]])
    with pytest.raises(
        ValueError, match=r"theta is 0.7 and groups is GroupedResponse\(theta=0.8.*leave theta out"
    ):
        ResponseTreeClassifier(0.7, channel).fit(SMALL, ANSWERS)
    with pytest.raises(ValueError, match="groups names 'z', which is no column of X"):
        ResponseTreeClassifier(groups=GroupedResponse(0.8, [["z"]])).fit(SMALL, ANSWERS)
