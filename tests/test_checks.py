"""Every check names the argument, the value that was seen and what is accepted."""

import numpy as np
import pandas as pd
import pytest

from ppdm import checks


@pytest.mark.parametrize("value", [0.25, np.float32(0.25), np.int64(0), 1])
def test_numbers_of_any_kind_come_back_as_floats(value):
    found = checks.number("theta", value, "[0, 1]")
    assert type(found) is float
    assert found == value


def test_bounds_belong_to_the_interval_unless_it_is_open():
    assert checks.number("theta", 1, "[0, 1]") == 1
    with pytest.raises(ValueError, match=r"theta is 1; expected a number in \[0, 1\)"):
        checks.number("theta", 1, "[0, 1)")
    with pytest.raises(ValueError, match=r"theta is 0; expected a number in \(0, 1\]"):
        checks.number("theta", 0, "(0, 1]")


def test_vectors_frames_and_flags_come_back():
    assert checks.vector("values", pd.Series([1, 2])).tolist() == [1.0, 2.0]
    frame = pd.DataFrame({"a": [1]})
    assert checks.frame("X", frame) is frame
    assert checks.flag("exact", np.True_) is True
    assert checks.choice("kind", "b", "abc") == "b"
    assert checks.distinct("by", ("a", "b")) == ["a", "b"]
    assert checks.listed("by", range(2), "numbers") == [0, 1]
    checks.cells("X", (9, 2), 18)
    assert checks.whole("seed", 10**400, 0) == 10**400
    assert checks.edges("bins", [-np.inf, 0, np.inf], open_ends=True).tolist() == [-np.inf, 0, np.inf]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: checks.number("theta", "1"), TypeError, "theta is '1'; expected a finite number"),
        (lambda: checks.number("theta", True), TypeError, "theta is True; expected a finite number"),
        (
            lambda: checks.number("theta", np.nan, "[0, 1]"),
            ValueError,
            r"theta is nan; expected a number in \[0, 1\]",
        ),
        (lambda: checks.whole("n", 5, 6, 9, hint="take 7"), ValueError, "; take 7$"),
        (lambda: checks.whole("n", 1.0, 0), TypeError, "n is 1.0; expected a whole number"),
        (lambda: checks.whole("n", -1, 0, 9), ValueError, r"n is -1; expected a whole number in \[0, 9\]"),
        (lambda: checks.choice("kind", "d", ["a", "b"]), ValueError, "kind is 'd'; expected one of 'a', 'b'"),
        (lambda: checks.choice("kind", 1, [True]), ValueError, "kind is 1"),
        (lambda: checks.flag("exact", 1), ValueError, "exact is 1; expected one of True, False"),
        (lambda: checks.number("x", 10**400), ValueError, "x is huge, an int; expected a finite number"),
        (
            lambda: checks.whole("n", 10**400, 1, 9),
            ValueError,
            r"n is huge, an int; expected a whole number in \[1, 9\]",
        ),
        (lambda: checks.listed("by", "ab", "names"), TypeError, "by is 'ab'; expected a list of names"),
        (lambda: checks.vector("x", 3), ValueError, "x has 0 dimensions; expected one, a list of numbers"),
        (lambda: checks.vector("x", [10**400]), TypeError, "x holds objects; expected numbers"),
        (lambda: checks.vector("x", [[1]]), ValueError, "x has 2 dimensions; expected one"),
        (lambda: checks.vector("x", []), ValueError, "x is empty"),
        (lambda: checks.vector("x", ["a"]), TypeError, "x holds text; expected numbers"),
        (lambda: checks.vector("x", [True]), TypeError, "x holds booleans"),
        (
            lambda: checks.vector("x", [1, np.inf, np.nan]),
            ValueError,
            r"x has 2 .*missing or infinite values \(first at position 1\)",
        ),
        (lambda: checks.frame("X", [1]), TypeError, "X is a list; expected a pandas DataFrame"),
        (lambda: checks.frame("X", pd.DataFrame()), ValueError, r"X has shape \(0, 0\)"),
        (lambda: checks.frame("X", pd.DataFrame([[1, 2]], columns=["a", "a"])), ValueError, "'a' more than once"),
        (
            lambda: checks.columns("by", ["c"], ["a", "b"]),
            ValueError,
            "by names 'c', .* its columns are 'a', 'b'",
        ),
        (
            lambda: checks.same_length("y", [1], "X", [1, 2]),
            ValueError,
            "y has 1 .* X has 2; expected the same number",
        ),
        (
            lambda: checks.distinct("by", list("aba")),
            ValueError,
            r"by has 1 of 3 values that came before \(first at position 2\); expected distinct values",
        ),
        (lambda: checks.distinct("by", []), ValueError, "by is empty; expected distinct values, at least 1"),
        (
            lambda: checks.distinct("by", [[1], [1]]),
            ValueError,
            "by has 1 of 2 values that came before",
        ),
        (lambda: checks.cells("X", (9, 2), 17), ValueError, "X has 9 × 2 cells; expected at most 17$"),
        (
            lambda: checks.cells("X", [10**15]),
            ValueError,
            "X has 1,000,000,000,000,000 cells; expected at most 10,000,000",
        ),
        (lambda: checks.edges("bins", [1]), ValueError, "bins has one entry"),
        (lambda: checks.edges("bins", [0, 2, 1]), ValueError, "bins does not increase at position 2"),
        (lambda: checks.edges("bins", [0, np.inf]), ValueError, "bins has 1 .*missing or infinite value"),
        (
            lambda: checks.labels("y", "AB"),
            ValueError,
            "y has 0 dimensions; expected one, a class for each record",
        ),
        (
            lambda: checks.labels("y", ["A", None]),
            ValueError,
            "y has 1 of 2 missing values .first at position 1.; expected a class for each",
        ),
        (
            lambda: checks.none_wrong("x", np.array([3, 8, 9]), np.array([0, 1, 1]), "too high", "at most 5"),
            ValueError,
            r"x has 2 of 3 too high \(first at position 1\); expected at most 5",
        ),
        (lambda: checks.mapping("shares", 1), TypeError, "shares is an int; expected a dict$"),
        (
            lambda: checks.mapping("grid", {}, " of lists"),
            ValueError,
            "grid is empty; expected at .* entry of lists$",
        ),
    ],
)
def test_what_is_wrong_is_named(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.1 + 0.2, "0.3"),
        (27.5, "27.5"),
        (-1234.5, "-1,234.5"),
        (99_999.96, "100,000"),
        (1e6, "1,000,000"),
        (1e300, "1e+300"),
        (1e-7, "1e-07"),
    ],
)
def test_numbers_are_written_as_a_person_does(value, text):
    assert checks.readable(value) == text


SECRET = "HIV positive"


@pytest.mark.parametrize(
    "call",
    [
        lambda: checks.number("theta", pd.DataFrame({"a": [SECRET]})),
        lambda: checks.whole("n", pd.Series([SECRET]), 1),
        lambda: checks.choice("kind", [SECRET], "ab"),
        lambda: checks.listed("by", {SECRET}, "names"),
        lambda: checks.distinct("classes", [SECRET, SECRET]),
        lambda: checks.vector("x", [SECRET]),
        lambda: checks.vector("x", SECRET),
        lambda: checks.plain("x", [[SECRET], []]),
        lambda: checks.labels("y", [SECRET, None]),
        lambda: checks.labels("y", [SECRET, 1]),
        lambda: checks.places("y", [[SECRET]], ["a"]),
        lambda: checks.none_wrong("y", np.array([SECRET]), [True], "others", "none"),
    ],
)
def test_what_stands_in_records_is_never_shown(call):
    with pytest.raises((TypeError, ValueError), match="expected") as caught:
        call()
    assert SECRET not in str(caught.value)
    # Nor by what comes before the error in a traceback.
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


@pytest.mark.parametrize("number", [10**400, -(10**5000), 2**100], ids=["400", "5,000", "100 bits"])
def test_numbers_of_any_length_are_refused_in_short_words(number):
    """Python itself refuses to print a whole number of more than 4,300 digits."""
    with pytest.raises(ValueError, match=r"theta is huge, an int; expected a number in \[0, 1\]"):
        checks.number("theta", number, "[0, 1]")


def test_labels_of_one_type_stay_as_they_are():
    for given in (["a", "b"], [1, 2.5], [True, False], pd.Series(["a", "b"]), np.array(["a", 1], dtype=object)):
        assert checks.labels("y", given).tolist() == list(given)
    for mixed in (["a", 1], [True, "a"], [2.5, "a"]):
        with pytest.raises(TypeError, match="y holds text beside other labels; expected labels of one type"):
            checks.labels("y", mixed)


def test_places_are_those_of_equal_values():
    assert checks.places("y", ["b", "z", "a"], ["a", "b"]).tolist() == [1, -1, 0]
    assert checks.places("y", [("a", 1)], [("b", 2), ("a", 1)]).tolist() == [1]


def test_a_law_has_rows_that_sum_to_1():
    law = np.array([[0.9, 0.1], [0.2, 0.8]])
    assert checks.law("matrix", law) is law
    with pytest.raises(ValueError, match=r"matrix has columns that sum to 1; .* transpose it"):
        checks.law("matrix", law.T)
    with pytest.raises(ValueError, match=r"matrix has rows that sum to 1 ± 0.1; .* divide each row by its sum"):
        checks.law("matrix", law * 1.1)
    assert checks.law("matrix", law * 1.1, 0.2).sum() == pytest.approx(2.2)
