"""What checks do with an answer: whatever it is, returns or does, what is said is short and the same each time."""

import re
import sys
import warnings

import numpy as np
import pandas as pd
import pytest
from oracles import Student, WrongAnswerError
from oracles.answers import (
    asked,
    compare,
    near,
    number,
    numbers,
    pair,
    possible_share,
    recognised,
    refused,
    returned,
    shown,
)

ME = Student("ada.lovelace")


def said(function, *arguments, **named) -> str:
    """The message with which something is refused."""
    with pytest.raises(WrongAnswerError) as refusal:
        function(*arguments, **named)
    return str(refusal.value)


# Numbers

THREE = {
    "a list": [1, 2.5, -3],
    "a tuple": (1, 2.5, -3),
    "an array": np.array([1, 2.5, -3]),
    "a Series with an index of its own": pd.Series([1, 2.5, -3], index=list("cab")),
    "objects": np.array([1, np.float32(2.5), -3], dtype=object),
    "a Series that allows gaps": pd.Series([1, 2.5, -3], dtype="Float64"),
    "0-d arrays": [np.array(1), np.array(2.5), np.array(-3)],
}


@pytest.mark.parametrize("value", THREE.values(), ids=THREE)
def test_numbers_are_read_from_what_holds_them(value):
    found = numbers("shares", value, (3,))
    assert found.dtype == float
    assert found.tolist() == [1, 2.5, -3]


@pytest.mark.parametrize(
    "value", [2, 2.0, np.int8(2), np.float32(2), np.array(2.0), np.uint64(2), np.array(2, object)]
)
def test_a_number_is_read_from_any_kind(value):
    assert number("n", value) == 2


def test_whole_numbers_larger_than_a_word_are_numbers():
    assert number("n", 2**70) == 2.0**70
    assert numbers("n", [2**70, 1], (2,)).tolist() == [2.0**70, 1]


def test_a_matrix_is_read_as_an_array():
    assert type(numbers("m", np.ones((1, 2)).view(np.matrix), (1, 2))) is np.ndarray


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "n is None; we expect a number. Is it computed?"),
        ("0.5", "n is '0.5'; we expect a number."),
        (True, "n is True; we expect a number."),
        (np.True_, "n is np.True_; we expect a number."),
        (1j, "n is 1j; we expect a number."),
        ({}, "n is {}; we expect a number."),
        ({1}, "n is {1}; we expect a number."),
        (lambda: 1, "we expect a number."),
        ((one for one in [1]), "we expect a number."),
        pytest.param(10**400, "n is 1000000000", id="large"),
        pytest.param(10**5000, "n is of the type int; we expect a number.", id="huge"),
        (pd.NA, "n is <NA>; we expect a number."),
        (pd.Timestamp("2024-01-01"), "we expect a number."),
        ([[1], [1, 2]], "n is [[1], [1, 2]]; we expect a number."),
        ([0.5], "n has the shape (1,); we expect a number."),
        (np.zeros((2, 2)), "n has the shape (2, 2); we expect a number."),
        (float("nan"), "n is nan. NaN and inf are no finite numbers: is there a division by 0?"),
        (-np.inf, "n is -inf. NaN and inf are no finite numbers"),
    ],
)
def test_what_is_no_number_is_told(value, words):
    message = said(number, "n", value)
    assert words in message
    assert len(message) < 200
    assert "0x" not in message


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "shares is None; we expect 3 numbers, one each. Is it"),
        ([True, False, True], "shares is [True, False, True]; we expect 3 numbers, one each."),
        (["1", "2", "3"], "we expect 3 numbers, one each."),
        ([1, "2", 3], "we expect 3 numbers, one each."),
        ([1, None, 3], "shares is [1, None, 3]; we expect 3 numbers, one each."),
        ([1, [2], 3], "we expect 3 numbers"),
        (np.array([1, 2j, 3]), "we expect 3 numbers"),
        (np.array([[1.0, 2, 3]]), "shares has the shape (1, 3); we expect 3 numbers, one each. A row too many."),
        (np.ones((1, 3)).view(np.matrix), "A row too many."),
        (pd.DataFrame({"a": [1, 2, 3]}), "shares has the shape (3, 1); we expect 3 numbers"),
        ([], "shares has the shape (0,); we expect 3 numbers"),
        ([1, np.nan, 3], "shares is 1, nan, 3. NaN and inf are no"),
        (map(float, [1, 2, 3]), "we expect 3 numbers"),
    ],
)
def test_what_are_no_numbers_is_told(value, words):
    assert words in said(numbers, "shares", value, (3,), ", one each", {(1, 3): "A row too many."})


def test_infinity_is_a_number_where_there_may_be_no_bound():
    assert number("ε", np.inf, finite=False) == np.inf
    assert "ε is nan" in said(number, "ε", np.nan, finite=False)


def test_a_share_is_possible_or_told():
    assert possible_share(ME, "share", np.float64(0.25)) == 0.25
    assert possible_share(ME, "share", 1.1, -1, 2.5) == 1.1
    assert said(possible_share, ME, "share", 54.2) == (
        "share is 54.2; we expect a share between 0 and 1, and not per cent."
    )
    assert "is 'ada'; we expect me, from the first cell." in said(possible_share, "ada", "share", 0.5)


@pytest.mark.parametrize("value", [(2, None), [2, None], np.array([2, None], object)])
def test_a_pair_is_read_from_what_holds_two(value):
    assert pair("cut", value, "the cut and its gain") == [2, None]


@pytest.mark.parametrize(
    "value", [None, 2, (2,), (1, 2, 3), "ab", {1: 2, 3: 4}, np.array(2), np.ones((2, 2))], ids=str
)
def test_what_is_no_pair_is_told(value):
    assert "we expect a pair, the cut and its gain." in said(pair, "cut", value, "the cut and its gain")


# Calls


def test_an_answer_gets_copies_and_returns_what_it_returns():
    given = [1, 2], {"a": np.ones(2)}, pd.Series([1, np.nan])
    seen = returned("f(a, b, c)", lambda *them: them, *given)
    assert all(one is not other for one, other in zip(seen, given))
    assert seen[0] == [1, 2]


CHANGES = {
    "an array": (np.ones(3), "x[0] = 2"),
    "an array's type in place": (np.ones(2), "x[:] = np.array([1, 1 + 1e-12])"),
    "a list": ([1, 2], "x.append(3)"),
    "a dict": ({"a": 1}, "x['b'] = 2"),
    "an order": ({"a": 1, "b": 2}, "x['a'] = x.pop('a')"),
    "an array in a dict in a list": ([{"a": np.zeros(2)}], "x[0]['a'] += 1"),
    "a table": (pd.DataFrame({"a": [1, 2]}), "x.loc[0, 'a'] = 5"),
    "a column more": (pd.DataFrame({"a": [1, 2]}), "x['b'] = 1"),
    "an index": (pd.Series([1.0, 2.0]), "x.index = [1, 0]"),
    "a table in a dict": ({"seen": pd.DataFrame({"a": [2, 1]})}, "x['seen'].sort_values('a', inplace=True)"),
    "another kind": ([np.ones(1)], "x[0] = [1.0]"),
}


@pytest.mark.parametrize(("given", "change"), CHANGES.values(), ids=CHANGES)
def test_an_answer_may_not_change_what_it_is_given(given, change):
    names = {"np": np}
    exec(f"def f(x):\n    {change}\n    return 1", names)
    assert said(returned, "f(x)", names["f"], given) == (
        "f(x) changes what it is given. Work on a copy, or make new arrays."
    )


def test_reading_changes_nothing():
    table = pd.DataFrame({"a": [1.0, np.nan], "b": ["x", None]})
    given = table, table["a"], {"t": table}, np.array(["a"], object), float("nan"), np.array([1.0, np.nan])
    for _ in range(2):
        returned("f(…)", lambda *them: [str(one) for one in them], *given)


def test_an_answer_that_is_not_written_or_no_function_is_told():
    def later(x):
        raise NotImplementedError("w1.2")

    assert said(returned, "f(x)", later, 1) == "f(x) is not written yet: put your lines in place of the raise."
    assert said(returned, "f(x)", None, 1) == "f is None; we expect a function. Is it computed?"
    assert said(returned, "f(x)", 3.14159265, 1) == "f is 3.14159; we expect a function."


def test_an_answer_that_fails_is_told_with_what_it_was_given():
    def fails(x, y):
        return {}["a long\nmessage"]

    message = said(returned, "f(x, y)", fails, np.array([1 / 3, 2]), pd.DataFrame({"a": [1]}), hint="Is x empty?")
    assert message == (
        "f(x, y) stops with KeyError: 'a long\\nmessage'. It was given [0.333333, 2], a table of 1 row. Is x empty?"
    )

    def recurses(x):
        return recurses(x)

    assert "stops with RecursionError" in said(returned, "f(x)", recurses, 1)
    assert len(said(returned, "f(x)", lambda x: x / 0, [[10**30] * 30] * 30)) < 400

    def shouts(x):
        raise ValueError("x" * 10_000)

    assert len(said(returned, "f(x)", shouts, 1)) < 300


def test_an_answer_may_warn_and_turn_warnings_into_errors():
    def warns(x):
        warnings.warn("slow", stacklevel=1)
        return np.array([0.0]) / x

    assert np.isnan(returned("f(x)", warns, 0)).all()

    def strict(x):
        with np.errstate(all="ignore"):
            return warns(x)

    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        assert np.isnan(returned("f(x)", strict, 0)).all()
    assert np.geterr()["divide"] == "warn"


def test_an_answer_that_returns_a_generator_is_told():
    def yields(x):
        yield from [1, 2, 3]

    message = said(numbers, "f(x)", returned("f(x)", yields, 1), (3,))
    assert re.fullmatch(r"f\(x\) is <generator object .*yields>; we expect 3 numbers\.", message)


def test_what_stops_the_course_is_not_told_as_a_wrong_answer():
    def stops(x):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        returned("f(x)", stops, 1)


def test_asked_is_the_number_that_an_answer_returns():
    assert asked("f(x)", lambda x: np.array(x / 2), 5) == 2.5
    assert said(asked, "f(x)", lambda x: str(x), 5) == "f(x) is '5'; we expect a number."


def test_an_answer_has_to_refuse_by_a_value_error():
    def fair(theta):
        raise ValueError

    def singular(theta):
        return np.linalg.inv(np.zeros((2, 2)))

    for answer in (fair, singular):  # a LinAlgError is a ValueError
        refused("f", answer, 0.5, why="no coin is fair")
    wanted = "for 0.5 it should raise a ValueError, because no coin is fair."
    assert said(refused, "f", lambda theta: theta, 0.5, why="no coin is fair") == f"f returns 0.5; {wanted}"
    assert said(refused, "f", lambda theta: theta / 0, 0.5, why="no coin is fair") == (
        f"f stops with ZeroDivisionError; {wanted}"
    )
    assert "TypeError" in said(refused, "f", None, 0.5, why="no coin is fair")


# Comparisons


@pytest.mark.parametrize(
    ("found", "right", "is_near"),
    [
        (1 + 1e-7, 1, True),
        (1 + 1e-5, 1, False),
        (1e9 + 100, 1e9, True),
        (1e-7, 0, True),
        (np.inf, np.inf, True),
        (-np.inf, np.inf, False),
        (1e300, np.inf, False),
        (np.inf, 1, False),
        (np.nan, np.nan, False),
        ([1, 2], [1, 2], True),
        ([1, 2], [1, 2.1], False),
        ([1, 1], 1, False),
        ([[1, 2]], [1, 2], False),
        (np.uint64(1), np.uint64(2), False),
    ],
)
def test_near(found, right, is_near):
    assert near(found, right) is is_near
    assert not is_near or compare("f", found, right) is None


def test_a_tolerance_is_as_wide_as_it_says():
    assert near(0.5 + 0.0019, 0.5, 0.002)
    assert not near(0.5 + 0.0021, 0.5, 0.002)


def test_the_first_known_mistake_is_named():
    mistakes = [("Turned.", [2, 1]), ("Nothing done.", [1, 2]), ("Again.", [1, 2]), ("A number.", 1)]
    assert recognised([1, 2], mistakes) == "Nothing done."
    assert recognised([3, 3], mistakes) == ""
    assert recognised([1, 2], iter(mistakes)) == "Nothing done."


def test_what_is_wrong_is_told_with_the_right_numbers_and_the_mistake():
    mistakes = [("Divide by n.", [3, 7])]
    told = "The shares: we expect 0.3, 0.7, and you have"
    assert said(compare, "The shares", [3, 7], [0.3, 0.7], mistakes) == f"{told} 3, 7. Divide by n."
    assert said(compare, "The shares", [1, 7], [0.3, 0.7], mistakes) == f"{told} 1, 7."
    assert said(compare, "The shares", [1, 7], [0.3, 0.7], mistakes, otherwise="Hm.") == f"{told} 1, 7. Hm."


def test_a_tolerance_is_told_where_it_is_wide():
    assert said(compare, "share", 0.6, 0.5, within=0.02) == "share: we expect 0.5 ± 0.02, and you have 0.6."


def test_so_many_digits_are_told_that_the_difference_is_seen():
    assert "we expect 3.91993, and you have 3.92." in said(compare, "w", 3.92, 3.919928)
    assert "we expect 0.3, and you have 0.30000001." in said(compare, "w", 0.30000001, 0.3, within=1e-12)
    assert "0.29999999999999999, and you have 0.30000000000000004." in said(
        compare, "w", 0.1 + 0.2, 0.3, within=1e-17
    )


def test_of_many_numbers_the_first_wrong_one_is_told():
    right = np.arange(12.0)
    assert said(compare, "f", right + (right > 9), right) == "f, at place 10: we expect 10, and you have 11."
    table = right.reshape(3, 4)
    message = said(compare, "f", table + (table == 6), table, [("Known.", table + (table == 6))])
    assert message == "f, in row 1, column 2: we expect 6, and you have 7. Known."


# Values in messages


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.float64(0.1) + np.float64(0.2), "0.3"),
        (np.array([[1, 2], [3, 4]]), "[[1, 2], [3, 4]]"),
        (pd.Series([0.5, 1.0], index=["a", "b"]), "[0.5, 1]"),
        (pd.DataFrame({"a": range(3)}), "a table of 3 rows"),
        ({"seen": pd.DataFrame({"a": [1]})}, "{'seen': a table of 1 row}"),
        (object(), "<object object>"),
        ([object()], "[<object object>]"),
        ("two\nlines", "'two\\nlines'"),
        (float("nan"), "nan"),
    ],
)
def test_a_value_is_shown_in_a_few_words(value, text):
    assert shown(value) == text


class Silent:
    """Something that cannot be shown."""

    def __repr__(self):
        raise RuntimeError


def test_what_is_long_or_cannot_be_shown_is_shown_in_a_line():
    for value in (Silent(), [Silent()], "x" * 9999, list(range(9999)), np.zeros((99, 99)), 10**4000, sys.modules):
        assert len(shown(value)) <= 100
        assert "0x" not in shown(value)
    nested: list = []
    nested.append(nested)
    assert len(shown(nested)) <= 100
