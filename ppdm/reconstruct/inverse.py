"""Direct inversion: the proportions that a channel must have started from, by solving its linear equations."""

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
    if len(seen) != len(matrix):
        raise ValueError(f"proportions has {len(seen)} entries for a matrix of {len(matrix)} columns; expected as many")
    condition = np.linalg.cond(matrix)
    if not condition < WORST_CONDITION:
        raise ValueError(
            f"matrix has the condition number {condition:.3g}; expected less than {WORST_CONDITION:g}: what is seen "
            "hardly depends on what is true; choose a channel that keeps more, fewer intervals, or em_step"
        )
    return np.linalg.solve(matrix.T, seen)
