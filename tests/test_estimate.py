"""An estimate: its interval against SciPy and by counting, what it prints, what it refuses."""

import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ppdm.estimate import Estimate


@given(st.floats(-1e6, 1e6), st.floats(1e-6, 1e6), st.floats(1e-6, 1 - 1e-6))
def test_the_interval_is_the_normal_one(value, error, confidence):
    found = Estimate(value, error).interval(confidence)
    assert found == pytest.approx(stats.norm(value, error).interval(confidence), rel=1e-9, abs=1e-9)


def test_the_interval_holds_the_truth_as_often_as_it_says():
    # 10,000 draws: four standard errors of a share of 0.9 are 0.012.
    ends = [Estimate(value, 2).interval(0.9) for value in np.random.default_rng(1).normal(5, 2, 10_000)]
    assert np.mean([low <= 5 <= high for low, high in ends]) == pytest.approx(0.9, abs=0.012)


def test_the_interval_of_a_share_is_not_cut():
    low, high = Estimate(1.01, 0.02).interval()
    assert (low, high) == pytest.approx((0.9708, 1.0492), abs=1e-4)
    assert Estimate(-0.2, 0).interval() == (-0.2, -0.2)


@pytest.mark.parametrize(
    ("value", "error", "shown"),
    [
        (0.312, 0.014, "0.312 ± 0.014"),
        (0.65, 0.018, "0.650 ± 0.018"),
        (0.31234, 0.00414, "0.3123 ± 0.0041"),
        (-0.0004, 0.02, "0.000 ± 0.020"),
        (-1.25, 0.5, "-1.25 ± 0.50"),
        (12.34, 5.6, "12.3 ± 5.6"),
        (1234.5, 67.8, "1234 ± 68"),
        (0.25, 0, "0.25 ± 0"),
        (2e12, 3e11, "2e+12 ± 3e+11"),
        (0, 1e-300, "0 ± 1e-300"),
    ],
)
def test_it_prints_both_numbers_to_the_second_digit_of_the_error(value, error, shown):
    assert repr(Estimate(value, error)) == shown


def test_it_is_a_number_that_does_not_change():
    share = Estimate(np.float32(0.5), np.int64(1))
    assert (float(share), type(share.value), type(share.error)) == (0.5, float, float)
    assert share == pickle.loads(pickle.dumps(share)) == Estimate(error=1, value=0.5)
    assert hash(share) == hash(Estimate(0.5, 1))
    with pytest.raises(FrozenInstanceError):
        share.value = 0


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: Estimate("0.3", 0.1), TypeError, "value is '0.3'; expected a finite number"),
        (lambda: Estimate(np.nan, 0.1), ValueError, "value is nan; expected a finite number"),
        (lambda: Estimate(0.3, np.nan), ValueError, r"error is nan; expected a number in \[0, inf\)"),
        (lambda: Estimate(0.3, np.inf), ValueError, "error is inf"),
        (lambda: Estimate(0.3, -0.1), ValueError, "error is -0.1"),
        (lambda: Estimate(0.3, 0.1).interval(1), ValueError, r"confidence is 1; expected a number in \(0, 1\)"),
        (lambda: Estimate(0.3, 0.1).interval("95 %"), TypeError, "confidence is '95 %'"),
    ],
)
def test_bad_arguments_are_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
