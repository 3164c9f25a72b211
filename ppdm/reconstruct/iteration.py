"""The loop behind every reconstruction: Bayes steps until a rule says stop, whatever way an estimate is disguised."""

from collections.abc import Callable

import numpy as np

from ppdm.reconstruct.stopping import TINY, StoppingRule, Watch

Map = Callable[[np.ndarray], np.ndarray]


def iterate(
    forward: Map, backward: Map, counts: np.ndarray, start: np.ndarray, stop: StoppingRule, smooth: Map | None = None
) -> tuple[np.ndarray, bool]:
    """All iterates from start on, a row each, and whether the rule was met within its cap.

    Parameters
    ----------
    forward : x → x @ matrix, the shares of the seen intervals that an estimate x comes to when it is disguised
    backward : r → matrix @ r; with forward it is all that is known of the disguise, one matrix or one for each axis
    counts : of the same seen intervals, all above 0, for then no step divides 0 by 0
    start : the first estimate, under which all these intervals can be seen
    stop : the stopping rule
    smooth : what is done to each new estimate; None for nothing

    >>> from ppdm.reconstruct import FixedStop
    >>> matrix = np.array([[0.75, 0.25], [0.25, 0.75]])
    >>> history, _ = iterate(matrix.T.dot, matrix.dot, np.array([60, 40]), np.array([0.5, 0.5]), stop=FixedStop(2))
    >>> history.round(4).tolist()
    [[0.5, 0.5], [0.55, 0.45], [0.5872, 0.4128]]
    """

    def trial(part: np.ndarray, near: Watch, cap: int) -> bool:
        # The other values may lie where the part has none: there its estimate may come to nothing.
        return _steps(lambda x: np.maximum(forward(x), TINY), backward, part, start, near, cap, smooth)[1]

    settle = getattr(stop, "settle", None)
    rule: StoppingRule = settle(counts, trial) if settle else stop
    history, met = _steps(forward, backward, counts, start, rule.watch(counts, len(start)), rule.cap, smooth)
    return np.array(history), met


def _steps(
    forward: Map, backward: Map, counts: np.ndarray, start: np.ndarray, near: Watch, cap: int, smooth: Map | None
) -> tuple[list[np.ndarray], bool]:
    """Equation 3 until the watch says stop, or up to the cap."""
    shares, history, seen = counts / counts.sum(), [start], forward(start)
    for _ in range(cap):
        old = history[-1]
        new = old * backward(shares / seen)
        history.append(smooth(new) if smooth else new)
        seen = forward(history[-1])
        if near(old, history[-1], seen):
            return history, True
    return history, False
