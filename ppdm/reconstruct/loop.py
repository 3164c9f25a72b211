"""The one loop of Bayes steps behind every reconstruction, and what one matrix for each axis does to a grid.

Columns are disguised independently, so that the channel of a grid is the Kronecker product of one matrix for each axis.
A step takes products with these along the axes; the large matrix is never made.
"""

import math
from collections.abc import Callable, Sequence

import numpy as np

from ppdm.reconstruct.stopping import TINY, StoppingRule, Watch, check_rule

Map = Callable[[np.ndarray], np.ndarray]
Note = Callable[[np.ndarray], object]
Matrices = Sequence[np.ndarray | None]  # P(seen | true) of each axis, a row for each true interval; None: a true axis


def iterate(
    forward: Map,
    backward: Map,
    counts: np.ndarray,
    start: np.ndarray,
    stop: StoppingRule,
    after: Map | None = None,
    note: Note | None = None,
) -> tuple[np.ndarray, int, bool]:
    """The one loop of Bayes steps: the last iterate, the number of steps, and whether the rule was met within its cap.

    Parameters
    ----------
    forward : x → x @ matrix, the shares of the seen intervals when an estimate x is disguised
    backward : r → matrix @ r; the loop knows nothing else of the channel, one matrix or one for each axis
    counts : of the same seen intervals, all above 0, so that no step divides 0 by 0
    start : the first estimate, under which all these intervals can be seen
    stop : the stopping rule
    after : is applied to each new estimate
    note : is called with each iterate, the start first

    >>> from ppdm.reconstruct import FixedStop
    >>> matrix = np.array([[0.75, 0.25], [0.25, 0.75]])
    >>> iterate(matrix.T.dot, matrix.dot, np.array([60, 40]), np.array([0.5, 0.5]), FixedStop(2))[0].round(4).tolist()
    [0.5872, 0.4128]
    """

    def steps(
        counts: np.ndarray, near: Watch, cap: int, forward: Map, note: Note | None
    ) -> tuple[np.ndarray, int, bool]:
        # What an estimate comes to when it is disguised serves the rule and the next step: it is worked out once.
        shares, new, seen = counts / counts.sum(), start, forward(start)
        if note:
            note(new)
        for step in range(1, cap + 1):
            old, new = new, new * backward(shares / seen)  # Equation 3
            if after:
                new = after(new)
            seen = forward(new)
            if note:
                note(new)
            if near(old, new, seen):
                return new, step, True
        return new, cap, False

    def trial(part: np.ndarray, near: Watch, cap: int) -> bool:
        # The other values may lie where the part has none: there its estimate may come to nothing.
        return steps(part, near, cap, lambda x: np.maximum(forward(x), TINY), None)[2]

    settle = getattr(check_rule(stop), "settle", None)
    rule: StoppingRule = settle(counts, trial) if settle else stop
    return steps(counts, rule.watch(counts, len(start)), rule.cap, forward, note)


def through(shares: np.ndarray, matrices: Matrices) -> np.ndarray:
    """The shares of the seen cells when those of the true ones are disguised: a product with one matrix on each axis.

    An axis of None does not change. The axes that grow least come first, which keeps what is between small.

    >>> through(np.array([[0.5, 0.0], [0.0, 0.5]]), [None, np.array([[0.75, 0.25], [0.25, 0.75]])]).tolist()
    [[0.375, 0.125], [0.125, 0.375]]
    """
    given = {axis: matrix for axis, matrix in enumerate(matrices) if matrix is not None}
    for axis in sorted(given, key=lambda axis: given[axis].shape[1] / given[axis].shape[0]):
        matrix, before, after = given[axis], shares.shape[:axis], shares.shape[axis + 1 :]
        # Reshaped to three axes (or two), so that one matrix product does it without a copy of the shares.
        if after:
            product = matrix.T @ shares.reshape(math.prod(before), len(matrix), math.prod(after))
        else:
            product = shares.reshape(-1, len(matrix)) @ matrix
        shares = product.reshape(*before, matrix.shape[1], *after)
    return shares


def maps_between(true: tuple[int, ...], seen: tuple[int, ...], held: np.ndarray, matrices: Matrices) -> tuple[Map, Map]:
    """The maps of ``iterate`` between flat arrays of the true cells and of those seen cells that are held."""
    if len(matrices) == 1 and matrices[0] is not None:
        f = np.ascontiguousarray(matrices[0][:, held])  # of a single axis the other columns are never needed
        return f.T.dot, f.dot
    transposed = [None if matrix is None else matrix.T for matrix in matrices]
    grid = np.zeros(seen)

    def forward(shares: np.ndarray) -> np.ndarray:
        return through(shares.reshape(true), matrices).ravel()[held]

    def backward(ratios: np.ndarray) -> np.ndarray:
        grid.ravel()[held] = ratios  # the other cells stay at 0
        return through(grid, transposed).ravel()

    return forward, backward
