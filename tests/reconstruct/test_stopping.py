"""The stopping rules, against their definitions written out."""

from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

from ppdm.reconstruct import ChiSquareStop, DiscrepancyStop, FixedStop, em_step, reconstruct_counts

MATRIX = np.array([[0.6, 0.2, 0.1, 0.1, 0.0], [0.1, 0.5, 0.2, 0.1, 0.1], [0.0, 0.1, 0.2, 0.3, 0.4]])
COUNTS = np.array([300, 150, 120, 140, 90])


def iterates(n, matrix=MATRIX, counts=COUNTS):
    estimates = [np.full(len(matrix), 1 / len(matrix))]
    for _ in range(n):
        estimates.append(em_step(matrix, counts, estimates[-1]))
    return estimates


@pytest.mark.parametrize(("fraction", "level"), [(0.01, 0.95), (1, 0.95), (0.001, 0.99)])
def test_chi_square_stops_at_the_first_small_step(fraction, level):
    limit = fraction * stats.chi2.ppf(level, len(MATRIX) - 1)
    steps = iterates(200)
    sizes = [COUNTS.sum() * ((new - old) ** 2 / old).sum() for old, new in pairwise(steps)]
    first = int(np.argmax(np.array(sizes) < limit)) + 1
    assert reconstruct_counts(COUNTS, MATRIX, stop=ChiSquareStop(fraction, level)).n_iter == first


def test_chi_square_ignores_an_interval_at_zero():
    found = reconstruct_counts(COUNTS, MATRIX, prior=[0.5, 0.5, 0])
    assert found.converged
    assert found.distribution.probabilities[2] == 0


def test_chi_square_takes_a_single_interval():
    assert reconstruct_counts([3, 4], [[0.5, 0.5]]).distribution.probabilities.tolist() == [1]


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_discrepancy_stops_when_the_estimate_explains_what_is_seen(level):
    limit = stats.chi2.ppf(level, len(COUNTS) - 1)
    gaps = [stats.power_divergence(COUNTS, COUNTS.sum() * x @ MATRIX, lambda_=0).statistic for x in iterates(300)[1:]]
    assert min(gaps) < limit < gaps[0]
    first = int(np.argmax(np.array(gaps) <= limit)) + 1
    found = reconstruct_counts(COUNTS, MATRIX, stop=DiscrepancyStop(level=level))
    assert (found.n_iter, found.converged) == (first, True)


def test_fixed_takes_exactly_n_steps():
    for n in (1, 7):
        found = reconstruct_counts(COUNTS, MATRIX, stop=FixedStop(n))
        assert (found.n_iter, found.converged) == (n, True)


def test_a_rule_can_be_used_again():
    rule = FixedStop(3)
    assert [reconstruct_counts(COUNTS, MATRIX, stop=rule).n_iter for _ in range(2)] == [3, 3]


def test_a_rule_of_ones_own():
    class Lazy:
        cap = 50

        def watch(self, counts, intervals):
            assert (counts.tolist(), intervals) == (COUNTS.tolist(), len(MATRIX))
            return lambda old, new, seen: np.allclose(seen, new @ MATRIX) and np.abs(new - old).max() < 0.01

    found = reconstruct_counts(COUNTS, MATRIX, stop=Lazy())
    assert (
        np.abs(np.diff(found.history[-2:], axis=0)).max() < 0.01 <= np.abs(np.diff(found.history[-3:-1], axis=0)).max()
    )


@pytest.mark.parametrize(
    ("rule", "arguments", "error", "message"),
    [
        (ChiSquareStop, {"fraction": 0}, ValueError, r"fraction is 0; expected a number in \(0, inf\)"),
        (ChiSquareStop, {"fraction": "1 %"}, TypeError, "fraction is '1 %'"),
        (ChiSquareStop, {"level": 1}, ValueError, r"level is 1; expected a number in \(0, 1\)"),
        (ChiSquareStop, {"cap": 0}, ValueError, "cap is 0"),
        (ChiSquareStop, {"cap": 10.0}, TypeError, "cap is 10.0; expected a whole number"),
        (DiscrepancyStop, {"level": 0}, ValueError, "level is 0"),
        (DiscrepancyStop, {"cap": -1}, ValueError, "cap is -1"),
        (FixedStop, {"n": 0}, ValueError, r"n is 0; expected a whole number in \[1, inf\)"),
        (FixedStop, {"n": True}, TypeError, "n is True"),
    ],
)
def test_bad_parameters_are_refused(rule, arguments, error, message):
    with pytest.raises(error, match=message):
        rule(**arguments)
