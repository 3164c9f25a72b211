"""Information gain: LSL03 Table 1 to its six digits, scikit-learn's mutual information, and what a gain must obey."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import mutual_info_score

from ppdm.data import load
from ppdm.information import entropy
from ppdm.measure import information_gain

PRINTED = [0.061825, 0.304201, 0.05931, 0.081664, 0.232564, 0.123164, 0.010896, 0.140941]  # LSL03 Table 1
TRUE = {4: 0.277095, 5: 0.343811, 6: 0.650918}  # insulin, body mass and pedigree do not fit into a byte

records = st.lists(st.tuples(st.integers(0, 5), st.sampled_from("abc")), min_size=1, max_size=60)


def test_table_1_of_the_paper_on_values_cut_to_a_byte():
    pima = load("pima")
    in_a_byte = pima.X.astype(float) // 1 % 256
    gains = [information_gain(in_a_byte[name], pima.y) for name in pima.X]
    assert np.round(gains, 6).tolist() == PRINTED


def test_table_1_of_the_paper_on_the_true_values():
    pima = load("pima")
    gains = [information_gain(pima.X[name], pima.y) for name in pima.X]
    assert np.round(gains, 6).tolist() == [TRUE.get(place, printed) for place, printed in enumerate(PRINTED)]


@given(records)
def test_equals_mutual_information(rows):
    values, classes = zip(*rows, strict=True)
    expected = mutual_info_score(values, classes) / np.log(2)
    assert information_gain(values, classes) == pytest.approx(expected, abs=1e-12)


@given(records)
def test_bounds_symmetry_and_order(rows):
    values, classes = zip(*rows, strict=True)
    gain = information_gain(values, classes)
    most = entropy(pd.Series(classes).value_counts().to_numpy())
    assert 0 <= gain <= most + 1e-12
    assert gain == pytest.approx(information_gain(classes, values), abs=1e-12)
    assert gain == pytest.approx(information_gain(values[::-1], classes[::-1]), abs=1e-12)
    assert information_gain(classes, classes) == pytest.approx(most, abs=1e-12)
    assert information_gain([0] * len(classes), classes) == pytest.approx(0, abs=1e-12)


@given(records)
def test_merging_values_never_gains(rows):
    values, classes = zip(*rows, strict=True)
    merged = [value // 2 for value in values]
    assert information_gain(merged, classes) <= information_gain(values, classes) + 1e-12


@pytest.mark.parametrize(
    "values",
    [
        [1, 1, 2, 2],
        ["a", "a", "b", "b"],
        [True, True, None.__class__, None.__class__],
        [(1, 2), (1, 2), (3,), (3,)],
        np.array([0.5, 0.5, 0.25, 0.25]),
        pd.Series([1, 1, 2, 2], dtype="Int64", index=[9, 9, 9, 9]),
        pd.Categorical(["x", "x", "y", "y"], categories=["unused", "y", "x"]),
        pd.Index(["x", "x", "y", "y"]),
        pd.Series(pd.to_datetime(["2000-01-01", "2000-01-01", "2004-01-01", "2004-01-01"])),
        pd.cut(pd.Series([1, 1, 5, 5]), [0, 2, 6]),
    ],
    ids=lambda values: type(values).__name__,
)
def test_any_hashable_kind(values):
    assert information_gain(values, [0, 0, 1, 1]) == 1
    assert information_gain(["a", "a", "b", "b"], values) == 1


def test_very_many_values_and_classes_fit_into_memory():
    numbers = np.arange(200_000)  # a table of all pairs would have 4e10 cells
    assert information_gain(numbers, numbers[::-1]) == pytest.approx(np.log2(200_000), abs=1e-9)


@pytest.mark.parametrize(
    ("bad", "error", "message"),
    [
        ([], ValueError, "{} is empty, or has infinite entries; expected a finite one for each record"),
        (np.zeros((2, 2)), ValueError, "{} has 2 dimensions; expected one"),
        (np.array(1), ValueError, "{} has 0 dimensions; expected one"),
        ("ab", ValueError, "{} has 0 dimensions; expected one"),
        ({1, 2}, ValueError, "{} has 0 dimensions; expected one"),
        (pd.DataFrame({"a": [1, 2]}), ValueError, "{} has 2 dimensions; expected one"),
        (None, ValueError, "{} has 0 dimensions; expected one"),
        ([1, None], ValueError, "{} has 1 of . missing values"),
        ([1, float("nan")], ValueError, "{} has 1 of . missing values"),
        ([1, float("inf")], ValueError, "{} is empty, or has infinite entries"),
        (np.array([-np.inf, 1]), ValueError, "{} is empty, or has infinite entries"),
        (pd.Series([1, pd.NA], dtype="Int64"), ValueError, "{} has 1 of . missing values"),
        (pd.Categorical(["a", None]), ValueError, "{} has 1 of . missing values"),
        (np.ma.array([1, 2], mask=[False, True]), ValueError, "{} has 1 masked values"),
        ([[1], [2]], TypeError, "{} has entries that cannot be told apart"),
        ([1, 2, 3], ValueError, "expected the same number"),
    ],
)
def test_bad_input_is_refused(bad, error, message):
    with pytest.raises(error, match=message.format("values")):
        information_gain(bad, [0, 1])
    with pytest.raises(error, match=message.format("classes")):
        information_gain([0, 1], bad)
