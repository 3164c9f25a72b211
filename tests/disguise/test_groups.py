"""Answers in groups: the paper's matrices, the law of what is released against counts, containers, what is refused."""

import itertools
import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from laws import codes, joint_matrix
from scipy import stats

from ppdm import randomness
from ppdm.disguise import GroupedResponse, KeepOrReplace

TOWNS = ["Ayr", "Bern", "Cork"]
PAIR = GroupedResponse(0.9, [["a", "b"], ["c"]])
MIXED = GroupedResponse([0.8, 0.3], [["a", "town"], ["size", "b"]], {"town": TOWNS, "size": [1, 2, 3, 4]})
CHANNELS = [
    PAIR,
    MIXED,
    GroupedResponse(0, [["a"]]),
    GroupedResponse(1.0, [["a", "b", "c"]]),
    GroupedResponse(0.7, [[0, ("b", 1)], [2]], {0: ["no", "yes"]}),
    GroupedResponse(0.6, [["a"], ["b"]], {"a": [1, 0], "b": [False, True]}),
]
by_name = pytest.mark.parametrize("channel", CHANNELS, ids=repr)
thetas = st.floats(0, 1).filter(lambda theta: abs(theta - 0.5) > 0.02)


def everyone(channel, columns=None):
    """A record for each combination of values, the last column changing fastest."""
    names = channel.columns if columns is None else columns
    return pd.DataFrame(
        list(itertools.product(*(channel.answers[name].categories for name in names))), columns=names
    )


def place(frame, channel):
    """The number of each record among ``everyone``."""
    places = codes(channel, frame)
    return np.ravel_multi_index([places[name] for name in frame], [channel.answers[name].k for name in frame])


def drawn(channel, frame, uniforms, monkeypatch):
    """The table that goes with given numbers: for each record one for each group, then one for each wide column."""
    monkeypatch.setattr(randomness, "uniform", lambda n, _: np.ravel(uniforms)[:n])
    return channel.disguise(frame)


def law(channel, columns):
    """P(released | true) by the definition: every way in which the groups may answer."""
    people = [tuple(row) for row in everyone(channel, columns).to_numpy(dtype=object)]
    matrix = np.zeros((len(people), len(people)))
    for (row, true), (column, seen) in itertools.product(enumerate(people), repeat=2):
        share = 1.0
        for theta, group in zip(channel.thetas, channel.groups, strict=True):
            inside = [i for i, name in enumerate(columns) if name in group]
            same = [true[i] == seen[i] for i in inside]
            others = np.prod([1 / (channel.answers[columns[i]].k - 1) for i in inside])
            share *= theta * all(same) + (1 - theta) * (not any(same)) * others
        matrix[row, column] = share
    return matrix


@given(thetas)
def test_the_matrices_are_those_of_the_paper(theta):
    t, f = theta, 1 - theta
    one = np.array([[t, f], [f, t]])
    two = [[t * t, t * f, t * f, f * f], [t * f, t * t, f * f, t * f]]
    two += [[t * f, f * f, t * t, t * f], [f * f, t * f, t * f, t * t]]
    single = GroupedResponse(theta, [["a", "b", "c"]])
    assert single.matrix() == pytest.approx(one)  # Equation 4
    double = GroupedResponse(theta, [["a"], ["b", "c"]])
    assert double.matrix() == pytest.approx(np.array(two))  # Equation 6
    triple = GroupedResponse(theta, [["a"], ["b"], ["c", "d"]])
    assert triple.matrix() == pytest.approx(np.kron(one, two))
    # Equation 8 has the vectors by the number of groups that are reversed; its entries are powers of these two.
    printed = [0, 1, 2, 4, 3, 5, 6, 7]
    lies = np.array([[(i ^ j).bit_count() for j in printed] for i in printed])
    assert triple.matrix()[np.ix_(printed, printed)] == pytest.approx(t ** (3 - lies) * f**lies)
    assert lies[0].tolist() == [0, 1, 1, 1, 2, 2, 2, 3]
    assert lies[1].tolist() == [1, 0, 2, 2, 1, 1, 3, 2]


def test_every_group_has_a_theta_of_its_own():
    channel = GroupedResponse(np.array([0.9, 0.2]), [["a"], ["b", "c"]])
    assert channel.thetas == (0.9, 0.2)
    assert channel.matrix() == pytest.approx(np.kron([[0.9, 0.1], [0.1, 0.9]], [[0.2, 0.8], [0.8, 0.2]]))
    assert channel.answers["c"] == KeepOrReplace(keep=0.2, categories=[0, 1])
    assert GroupedResponse(0.9, [["a"], ["b"]]).thetas == (0.9, 0.9)


@by_name
def test_the_parts_state_the_law(channel):
    for part in channel.parts:
        places = part.true_codes(everyone(channel, part.columns))
        found = np.exp(part.log_law(places, places[:, None]))
        assert found == pytest.approx(law(channel, part.columns), abs=1e-12)
        assert found == pytest.approx(joint_matrix(channel, part.columns), abs=1e-12)
        for seen, share in part.outcomes(places):
            assert np.exp(part.log_law(seen, places)) == pytest.approx(share)
    for column in channel.columns:
        assert law(channel, [column]) == pytest.approx(channel.answers[column].matrix())


def test_of_two_values_the_law_is_reversal():
    # Told truly or reversed as a whole: what is between has no chance (DZ03 §4.2).
    matrix = law(GroupedResponse(0.9, [["a", "b", "c"]]), ["a", "b", "c"])
    assert matrix == pytest.approx(0.9 * np.eye(8) + 0.1 * np.eye(8)[::-1])


@by_name
def test_frequencies_follow_the_law(channel):
    # 5,000 records of each kind; a right channel fails the chi-squared test once in a million seeds.
    people, chances = everyone(channel), law(channel, channel.columns)
    for row in range(0, len(people), 5):
        released = channel.disguise(people.iloc[[row] * 5000], rng=row)
        counts, expected = np.bincount(place(released, channel), minlength=len(people)), 5000 * chances[row]
        possible = expected > 1e-9
        assert counts[~possible].sum() == 0
        if possible.sum() > 1:
            assert stats.chisquare(counts[possible], expected[possible]).pvalue > 1e-6


@by_name
def test_evenly_spread_numbers_release_exact_shares(channel, monkeypatch):
    # Tenths of the unit interval for each group, and a part of it for each other value.
    grid = (np.arange(10) + 0.5) / 10
    extra = [(np.arange(k - 1) + 0.5) / (k - 1) for k in (one.k for one in channel.answers.values()) if k > 2]
    numbers = np.array(list(itertools.product(*[grid] * len(channel.groups), *extra)))
    people, chances = everyone(channel), law(channel, channel.columns)
    for row in range(len(people)):
        seen = drawn(channel, people.iloc[[row] * len(numbers)], numbers, monkeypatch)
        shares = np.bincount(place(seen, channel), minlength=len(people)) / len(numbers)
        assert shares == pytest.approx(chances[row], abs=1e-12)


def test_a_group_answers_as_one_and_each_group_for_itself(monkeypatch):
    X = pd.DataFrame({"a": [0, 0, 1, 1], "b": [1, 0, 1, 0], "c": [0, 0, 0, 0]})
    seen = drawn(PAIR, X, [[0.1, 0.1], [0.95, 0.1], [0.1, 0.95], [0.95, 0.95]], monkeypatch)
    assert seen.to_numpy().tolist() == [[0, 1, 0], [1, 1, 0], [1, 1, 1], [0, 1, 1]]


@given(st.integers(0, 2**32 - 1), st.floats(0.51, 1))
def test_all_values_of_a_group_are_kept_or_none_is(seed, theta):
    channel = GroupedResponse(theta, MIXED.groups, MIXED.values)
    X = everyone(channel)
    same = np.array([channel.disguise(X, seed)[name] == X[name] for name in channel.columns])
    for group in channel.groups:
        rows = [channel.columns.index(name) for name in group]
        assert (same[rows].all(axis=0) | ~same[rows].any(axis=0)).all()


def test_what_is_replaced_is_replaced_independently():
    # Of 3 × 4 other values each pair comes as often; a right channel fails once in a million seeds.
    channel = GroupedResponse(0, [["x", "y"]], {"x": list("abcd"), "y": list("pqrst")})
    seen = channel.disguise(pd.DataFrame({"x": ["b"] * 24_000, "y": ["p"] * 24_000}), rng=2)
    counts = pd.crosstab(seen["x"], seen["y"])
    assert counts.shape == (3, 4)
    assert stats.chisquare(counts.to_numpy().ravel()).pvalue > 1e-6


def test_theta_1_is_the_identity_and_theta_0_reverses():
    X = everyone(PAIR)
    pd.testing.assert_frame_equal(GroupedResponse(1, PAIR.groups).disguise(X), X)
    pd.testing.assert_frame_equal(GroupedResponse(0, PAIR.groups).disguise(X), 1 - X)


def test_a_study_is_repeated_and_a_release_is_not(monkeypatch):
    X = everyone(MIXED).sample(500, replace=True, random_state=1)
    once = MIXED.disguise(X, 7)
    pd.testing.assert_frame_equal(once, MIXED.disguise(X, 7))
    assert not once.equals(MIXED.disguise(X, 8))
    assert not MIXED.disguise(X).equals(MIXED.disguise(X))
    by_generator = MIXED.disguise(X, np.random.default_rng(7))
    numbers = randomness.uniform(500 * 4, np.random.default_rng(7))
    pd.testing.assert_frame_equal(by_generator, drawn(MIXED, X, numbers, monkeypatch))


def test_without_a_seed_chance_comes_from_the_system(monkeypatch):
    asked = []
    monkeypatch.setattr(randomness.os, "urandom", lambda n: asked.append(n) or bytes(n))
    PAIR.disguise(everyone(PAIR))
    GroupedResponse.drawn(0.9, list("abcde"), 2)
    assert asked == [8 * 2 * 8, 8 * 5]


@given(st.integers(1, 12), st.data(), st.integers(0, 1000))
def test_drawn_groups_are_as_equal_as_can_be(columns, data, seed):
    number = data.draw(st.integers(1, columns))
    names = [f"q{i}" for i in range(columns)]
    drawn = GroupedResponse.drawn(0.9, names, number, seed)
    divided = GroupedResponse.divided(0.9, names, number)
    for channel in (drawn, divided):
        sizes = [len(group) for group in channel.groups]
        assert sorted(channel.columns) == sorted(names)
        assert len(sizes) == number
        assert max(sizes) - min(sizes) <= 1
        assert all(sorted(group, key=names.index) == list(group) for group in channel.groups)
    assert list(divided.columns) == names
    assert drawn == GroupedResponse.drawn(0.9, names, number, seed)


def test_all_partitions_are_drawn_as_often():
    # Of four columns in two groups there are six; a right draw fails once in a million seeds.
    groups = pd.Series([GroupedResponse.drawn(0.9, list("abcd"), 2, seed).groups for seed in range(3000)])
    counts = groups.value_counts()
    assert len(counts) == 6
    assert stats.chisquare(counts).pvalue > 1e-6


def test_drawn_groups_take_thetas_and_values():
    made = GroupedResponse.drawn([0.9, 0.8], ["town", "a"], 2, 1, {"town": TOWNS})
    assert sorted(made.columns) == ["a", "town"]
    assert made.answers["town"].categories == tuple(TOWNS)
    assert GroupedResponse.divided([0.9, 0.8], ["town", "a"], 2, {"town": TOWNS}).thetas == (0.9, 0.8)


@given(thetas, st.lists(st.integers(2, 4), min_size=1, max_size=4))
def test_the_smallest_eigenvalue_is_the_matrixs(theta, sizes):
    names = list(range(len(sizes)))
    try:
        channel = GroupedResponse(theta, [names], {i: list(range(k)) for i, k in enumerate(sizes)})
    except ValueError:  # it has no inverse
        assume(False)
    smallest = np.abs(np.linalg.eigvalsh(joint_matrix(channel, names))).min()
    assert channel.parts[0].smallest_eigenvalue == pytest.approx(smallest, abs=1e-9)


@pytest.mark.parametrize(
    ("theta", "sizes"),
    [
        (0.5, [2]),
        (0.5, [2, 2, 2]),
        (1 / 3, [3]),
        (0.2, [5]),
        (1 / 3, [3, 2]),
        (1 / 3, [3, 3]),
        (1 / 9, [5, 2, 3]),
    ],
)
def test_where_what_is_true_cannot_be_told_theta_is_refused(theta, sizes):
    values = {i: list(range(k)) for i, k in enumerate(sizes)}
    names = list(values)
    near = GroupedResponse(theta + 1e-3, [names], values)
    assert np.linalg.cond(joint_matrix(near, names)) > 100
    with pytest.raises(
        ValueError, match=r"theta is 0\.\d+ for the group .* no information.*choose another theta"
    ):
        GroupedResponse(theta, [names], values)


@pytest.mark.parametrize(
    ("values", "known", "dtype"),
    [
        (pd.Series([1, 0, 1], dtype="int8"), None, "int64"),
        (pd.Series([1, 0, 1], dtype="uint8"), None, "int64"),
        (pd.Series([1.0, 0, 1]), None, "int64"),
        (pd.Series([1, 0, 1], dtype="float32"), None, "int64"),
        (pd.Series([1, 0, 1], dtype="Int64"), None, "int64"),
        (pd.Series([True, False, True]), None, "int64"),
        (pd.Series([True, False, True], dtype="boolean"), None, "int64"),
        (pd.Series([True, False, True]), [True, False], "int64"),
        (pd.Series([True, False, True]), [1, 0], "int64"),
        (pd.Series([1, 0, 1], dtype=object), None, "int64"),
        (pd.Series([1, 0, 1], dtype="category"), None, pd.CategoricalDtype([0, 1])),
        (pd.Series(["n", "y", "n"]), ["n", "y"], "str"),
        (pd.Series(["n", "y", "n"], dtype=object), ["y", "n"], "str"),
        (
            pd.Series(pd.Categorical(["n", "y", "n"], ["y", "n", "?"], ordered=True)),
            ["n", "y"],
            pd.CategoricalDtype(["y", "n"], ordered=True),
        ),
    ],
    ids=lambda one: str(getattr(one, "dtype", one)),
)
def test_the_channel_says_the_dtype_and_what_is_in_no_group_passes(values, known, dtype):
    X = pd.DataFrame({"kept": ["x", None, "z"], "a": values, "also": [np.nan, 2, 3]}).set_axis([7, 5, 5])
    before = X.copy()
    seen = GroupedResponse(0, [["a"]], known and {"a": known}).disguise(X)
    assert seen["a"].dtype == dtype
    assert seen["a"].tolist() == values.iloc[[1, 0, 1]].tolist()
    pd.testing.assert_frame_equal(seen.drop(columns="a"), X.drop(columns="a"))
    assert seen.index.equals(X.index)
    pd.testing.assert_frame_equal(X, before)


def test_an_order_that_lacks_what_may_be_released_is_refused():
    truths = pd.DataFrame({"a": pd.Categorical([1, 1], ordered=True)})
    with pytest.raises(ValueError, match=r"column 'a' has an ordered dtype that does not hold all of \[0, 1\]"):
        GroupedResponse(0.9, [["a"]]).disguise(truths)


def test_groups_of_an_array_are_those_of_lists():
    for names in (["a", "b"], [0, 1]):
        channel = GroupedResponse(0.9, np.array([names]))
        assert repr(channel) == repr(GroupedResponse(0.9, [names]))


@by_name
def test_prints_what_builds_it_and_is_frozen_and_picklable(channel):
    again = eval(repr(channel))
    assert again == channel
    assert hash(again) == hash(pickle.loads(pickle.dumps(channel))) == hash(channel)
    with pytest.raises(FrozenInstanceError):
        channel.theta = 1


def test_it_prints_only_what_is_not_usual():
    assert repr(PAIR) == "GroupedResponse(theta=0.9, groups=[['a', 'b'], ['c']])"
    assert repr(MIXED).endswith("values={'town': ['Ayr', 'Bern', 'Cork'], 'size': [1, 2, 3, 4]})")


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"theta": 1.5, "groups": [["a"]]}, ValueError, r"theta is 1.5; expected a number in \[0, 1\]"),
        ({"theta": "0.9", "groups": [["a"]]}, TypeError, "theta is '0.9'"),
        ({"theta": None, "groups": [["a"]]}, TypeError, "theta is None"),
        ({"theta": np.nan, "groups": [["a"]]}, ValueError, "theta is nan"),
        ({"theta": [0.9, 2], "groups": [["a"], ["b"]]}, ValueError, "theta is 2"),
        ({"theta": [0.9], "groups": [["a"], ["b"]]}, ValueError, "theta has 1 entries and groups has 2"),
        ({"theta": [[0.9], 0.8], "groups": [["a"], ["b"]]}, ValueError, "theta has rows of several lengths"),
        ({"theta": 0.9, "groups": "ab"}, TypeError, "groups is 'ab'; expected a list of lists of columns"),
        ({"theta": 0.9, "groups": ["ab", "c"]}, TypeError, "a group is 'ab'; expected a list of columns"),
        ({"theta": 0.9, "groups": 3}, TypeError, "groups is 3; expected a list of lists"),
        ({"theta": 0.9, "groups": [1, 2]}, TypeError, "a group is 1; expected a list of columns"),
        ({"theta": 0.9, "groups": [[["a"]]]}, ValueError, r"groups names \['a'\]; expected names of columns"),
        ({"theta": 0.9, "groups": []}, ValueError, r"groups is \[\]; expected at least one, none of them empty"),
        ({"theta": 0.9, "groups": [["a"], []]}, ValueError, "none of them empty"),
        (
            {"theta": 0.9, "groups": [["a"], ["b", "a"]]},
            ValueError,
            "groups names 'a'; expected .* each in one group only",
        ),
        (
            {"theta": 0.9, "groups": [["a"]], "values": {"z": [1, 2]}},
            ValueError,
            "values names 'z', which is in no",
        ),
        ({"theta": 0.9, "groups": [["a"]], "values": [1, 2]}, TypeError, "values is a list; expected a dict"),
        (
            {"theta": 0.9, "groups": [["a"]], "values": {"a": [1]}},
            ValueError,
            r"values\['a'\] is \[1\]; expected a list of at least two",
        ),
        (
            {"theta": 0.9, "groups": [["a"]], "values": {"a": "no"}},
            TypeError,
            r"values\['a'\] is .*; expected a list",
        ),
        (
            {"theta": 0.9, "groups": [["a"]], "values": {"a": {1, 2}}},
            TypeError,
            r"values\['a'\] is .*; expected a list",
        ),
        (
            {"theta": 0.9, "groups": [["a"]], "values": {"a": 2}},
            TypeError,
            r"values\['a'\] is .*; expected a list",
        ),
        (
            {"theta": 0.5, "groups": [["a"]]},
            ValueError,
            "choose another theta, the farther from it the more is told",
        ),
        ({"theta": [0.9, 0.5], "groups": [["a"], ["b"]]}, ValueError, r"theta is 0.5 for the group \['b'\]"),
    ],
)
def test_bad_parameters_are_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        GroupedResponse(**arguments)


@pytest.mark.parametrize("make", [GroupedResponse.drawn, GroupedResponse.divided])
@pytest.mark.parametrize(
    ("columns", "number", "error", "message"),
    [
        ("abc", 1, TypeError, "columns is 'abc'; expected a list of column names"),
        (3, 1, TypeError, "columns is 3; expected a list"),
        (
            ["a", "b"],
            0,
            ValueError,
            r"number is 0; expected a whole number in \[1, 2\]; a group has at least one",
        ),
        (["a", "b"], 3, ValueError, "number is 3"),
        (["a", "b"], 1.0, TypeError, "number is 1.0"),
        (["a", "a"], 1, ValueError, "groups names 'a'; expected .* each in one group"),
    ],
)
def test_groups_that_cannot_be_made_are_refused(make, columns, number, error, message):
    with pytest.raises(error, match=message):
        make(0.9, columns, number)


@pytest.mark.parametrize(
    ("frame", "error", "message"),
    [
        ([[1, 0, 1]], TypeError, "frame is a list; expected a pandas DataFrame"),
        (pd.DataFrame({"a": [1], "b": [0]}), ValueError, "groups names 'c', which the table does not have"),
        (
            pd.DataFrame({"a": [], "b": [], "c": []}),
            ValueError,
            r"frame has shape \(0, 3\); expected at least one row",
        ),
        (
            pd.DataFrame([[1, 1, 0]], columns=["a", "a", "b"]),
            ValueError,
            "frame has the column 'a' more than once",
        ),
        (
            pd.DataFrame({"a": [1, 2], "b": [0, 1], "c": [0, 1]}),
            ValueError,
            "column 'a' has 1 of 2 .*first at",
        ),
        (
            pd.DataFrame({"a": [1.0, np.nan], "b": 0, "c": 0}),
            ValueError,
            r"column 'a' has 1 missing \(NaN\), first in row 1",
        ),
        (
            pd.DataFrame({"a": pd.array([True, None], dtype="boolean"), "b": 0, "c": 0}),
            ValueError,
            r"column 'a' has 1 missing \(NaN\), first in row 1",
        ),
        (
            pd.DataFrame({"a": ["n", "y"], "b": 0, "c": 0}),
            ValueError,
            r"column 'a' has 2 of 2 that are none of the categories",
        ),
    ],
)
def test_bad_tables_are_refused(frame, error, message):
    with pytest.raises(error, match=message):
        PAIR.disguise(frame, 1)


def test_a_matrix_that_there_is_not_is_refused():
    with pytest.raises(ValueError, match="column 'town' has more than two values, so that it has no opposite"):
        MIXED.matrix()
    with pytest.raises(
        ValueError, match="the matrix of 40 groups has 1,099,511,627,776 × 1,099,511,627,776 cells"
    ):
        GroupedResponse(0.9, [[name] for name in range(40)]).matrix()
