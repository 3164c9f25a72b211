"""Direct inversion: it undoes the channel, and says when it cannot."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppdm.reconstruct import invert


@given(st.integers(1, 6), st.integers(0, 1000))
def test_it_undoes_the_channel(k, seed):
    rng = np.random.default_rng(seed)
    matrix, true = 0.5 * np.eye(k) + 0.5 * rng.dirichlet(np.ones(k), size=k), rng.dirichlet(np.ones(k))
    assert invert(true @ matrix, matrix) == pytest.approx(true, abs=1e-8)


def test_estimates_may_be_negative_but_keep_the_sum():
    estimate = invert([1, 0], [[0.75, 0.25], [0.25, 0.75]])
    assert estimate == pytest.approx([1.5, -0.5])


@pytest.mark.parametrize(
    ("proportions", "matrix", "error", "message"),
    [
        ([0.5, 0.5], [[0.5, 0.5], [0.5, 0.5]], ValueError, "matrix has the condition number"),
        ([0.5, 0.5], [[0, 0], [0, 0]], ValueError, "matrix has the condition number"),
        ([0.5, 0.5], [[0.5 + 1e-14, 0.5], [0.5, 0.5 + 1e-14]], ValueError, "expected less than 1e.12"),
        ([0.5, 0.5], [[0.5, 0.25, 0.25], [0.2, 0.3, 0.5]], ValueError, r"matrix has shape \(2, 3\); expected a square"),
        ([0.5, 0.3, 0.2], np.eye(2), ValueError, "proportions has 3 entries for a matrix of 2 columns"),
        ([0.5, np.nan], np.eye(2), ValueError, "proportions has 1 missing"),
        ([1.5, -0.5], np.eye(2), ValueError, "proportions holds -0.5"),
        ([], np.eye(2), ValueError, "proportions is empty"),
        ([0.5, 0.5], [1, 0], ValueError, r"matrix has shape \(2,\)"),
        ([0.5, 0.5], [["a", "b"], ["c", "d"]], TypeError, "matrix holds text"),
    ],
)
def test_bad_arguments_are_refused(proportions, matrix, error, message):
    with pytest.raises(error, match=message):
        invert(proportions, matrix)
