"""Direct estimators: the proportions that a channel must have started from, without iteration."""

from typing import Any

import numpy as np

from ppdm import checks

WORST_CONDITION = 1e12


def invert(proportions: Any, matrix: Any) -> np.ndarray:
    """The x with matrixᵀ x = proportions: unbiased, but possibly with negative entries or entries above 1.

    Parameters
    ----------
    proportions : of the seen values, one for each column; counts give counts
    matrix : P(seen | true), square; row: true, column: seen

    >>> invert([0.6, 0.4], [[0.75, 0.25], [0.25, 0.75]]).round(6).tolist()
    [0.7, 0.3]
    """
    matrix = checks.matrix("matrix", matrix)
    seen = checks.not_negative("proportions", checks.vector("proportions", proportions))
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"matrix has shape {matrix.shape}; expected a square one (em_step takes any)")
    checks.not_transposed("matrix", matrix)
    if len(seen) != len(matrix):
        raise ValueError(f"proportions has {len(seen)} entries for a matrix of {len(matrix)} columns; expected as many")
    check_invertible(matrix)
    return np.linalg.solve(matrix.T, seen)


def check_invertible(matrix: np.ndarray) -> None:
    """Nothing, if what is seen depends enough on what is true to tell it by the inverse."""
    condition = np.linalg.cond(matrix)
    if not condition < WORST_CONDITION:
        raise ValueError(
            f"matrix has the condition number {condition:.3g}; expected less than {WORST_CONDITION:g}: what is seen "
            "hardly depends on what is true; choose a channel that keeps more, fewer intervals, or em_step"
        )


def likeliest(counts: Any, matrix: Any) -> np.ndarray:
    """The shares under which the counts are likeliest, if each answer is kept or replaced by any other alike.

    Two categories may go through any channel. It is where ``reconstruct_counts`` goes in the end, and ``invert``
    wherever that gives no negative share. Else a share that is 0 fixes the probability with which its category is
    seen, and the free categories are seen in proportion to their counts; those with the largest counts are free (with
    the smallest, where a value is replaced more often than kept). Categories without a count that could share a mass
    in several ways share it evenly.

    Parameters
    ----------
    counts : of the seen categories, numbers of at least 0
    matrix : P(seen | true), one number on the diagonal and one everywhere else, as ``KeepOrReplace.matrix`` gives; or
        any of two rows and two columns, as ``RandomizedResponse.matrix`` gives

    >>> matrix = [[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.25, 0.25, 0.5]]
    >>> invert([0.5, 0.4, 0.1], matrix).round(3).tolist(), likeliest([50, 40, 10], matrix).round(3).tolist()
    ([1.0, 0.6, -0.6], [0.667, 0.333, 0.0])
    """
    matrix = checks.matrix("matrix", matrix)
    two = matrix.shape == (2, 2) and not np.array_equal(matrix, matrix[::-1, ::-1])
    law = _chances_of_the_second(matrix) if two else _kept_and_other(matrix)
    N = checks.not_negative("counts", checks.vector("counts", counts))
    if len(N) != len(matrix) or not N.any():
        raise ValueError(f"counts is {N.tolist()}; expected {len(matrix)} numbers, one for each category, not all 0")
    return _of_two(N, *law) if two else _of_many(N, *law)


def _of_two(N: np.ndarray, q: float, p: float) -> np.ndarray:
    """The inverse, cut off at 0 and 1: of one number, and concave, the log-likelihood has its maximum there."""
    second = min(max((float(N[1] / N.sum()) - q) / (p - q), 0.0), 1.0)
    return np.array([1 - second, second])


def _of_many(N: np.ndarray, keep: float, other: float) -> np.ndarray:
    """The shares that are not 0 are those of the largest counts, or of the smallest."""
    gain = keep - other
    order = np.argsort(-np.sign(gain) * N, kind="stable")
    m, sums = np.arange(1, len(N) + 1), np.cumsum(N[order])
    # With the first m free, their shares are gain N + other (m N - sum of N), over gain times that sum: of one sign.
    last = np.flatnonzero(np.sign(gain) * (gain * N[order] + other * (m * N[order] - sums)) >= 0)[-1]
    free, shares = order[: last + 1], np.zeros(len(N))
    parts = N[free] / sums[last] if sums[last] else np.full(len(free), 1 / len(free))
    shares[free] = np.maximum(parts + other / gain * (len(free) * parts - 1), 0)
    return shares


def _chances_of_the_second(matrix: np.ndarray) -> tuple[float, float]:
    """The probabilities that the second of two categories is seen: where the first one is true, and the second."""
    checks.not_transposed("matrix", matrix)
    first, second = totals = matrix.sum(axis=1)
    if np.ptp(totals) > 1e-9 * totals.max():
        raise ValueError(f"matrix has rows that sum to {first:g} and {second:g}; expected rows of the same sum")
    q, p = matrix[:, 1] / totals
    if abs(p - q) * WORST_CONDITION <= 1:
        raise ValueError(f"matrix holds {matrix[0].tolist()} twice: what is seen does not depend on what is true")
    return float(q), float(p)


def _kept_and_other(matrix: np.ndarray) -> tuple[float, float]:
    """The probability of a value itself, and of each other one."""
    k, keep, other = len(matrix), matrix[0, 0], matrix[0, -1]
    if matrix.shape != (k, k) or k < 2 or np.abs(matrix - np.where(np.eye(k) > 0, keep, other)).max() > 1e-9:
        raise ValueError(
            "matrix is not made of one number on the diagonal and one everywhere else, in two rows or more; "
            "reconstruct_counts takes any"
        )
    total = keep + (k - 1) * other
    if abs(keep - other) * WORST_CONDITION <= total:
        raise ValueError(f"matrix holds {keep:g} everywhere: what is seen does not depend on what is true")
    return float(keep / total), float(other / total)
