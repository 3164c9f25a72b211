"""Entropy against SciPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ppdm.information import entropy

counts = st.lists(st.integers(0, 50), min_size=2, max_size=6)


@given(counts)
def test_entropy_is_scipys(weights):
    expected = stats.entropy(weights, base=2) if sum(weights) else 0
    assert entropy(np.array(weights)) == pytest.approx(expected, abs=1e-12)


def test_entropy_goes_along_an_axis():
    assert entropy(np.array([[1, 1], [4, 0], [0, 0]]), axis=1).tolist() == [1, 0, 0]
