"""Entropy and gain against SciPy and scikit-learn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import mutual_info_score

from ppdm.information import entropy, gain

counts = st.lists(st.integers(0, 50), min_size=2, max_size=6)


@given(counts)
def test_entropy_is_scipys(weights):
    expected = stats.entropy(weights, base=2) if sum(weights) else 0
    assert entropy(np.array(weights)) == pytest.approx(expected, abs=1e-12)


def test_entropy_goes_along_an_axis():
    assert entropy(np.array([[1, 1], [4, 0], [0, 0]]), axis=1).tolist() == [1, 0, 0]


@given(st.lists(st.lists(st.integers(0, 20), min_size=3, max_size=3), min_size=1, max_size=5))
def test_gain_is_the_mutual_information(rows):
    table = np.array(rows)
    values, classes = (np.repeat(index, table.ravel()) for index in map(np.ravel, np.indices(table.shape)))
    expected = mutual_info_score(values, classes) / np.log(2) if len(values) else 0
    assert gain(values, classes) == pytest.approx(expected, abs=1e-9)
