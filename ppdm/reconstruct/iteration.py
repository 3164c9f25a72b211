"""The loop behind every reconstruction: Bayes steps until a rule says stop, whatever way an estimate is disguised."""

from collections.abc import Callable

import numpy as np

from ppdm.reconstruct.stopping import TINY, StoppingRule, Watch

Map = Callable[[np.ndarray], np.ndarray]
Note = Callable[[np.ndarray, np.ndarray], object]


def iterate(
    forward: Map,
    backward: Map,
    counts: np.ndarray,
    start: np.ndarray,
    stop: StoppingRule,
    smooth: Map | None = None,
    note: Note | None = None,
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
    note : told of each iterate, the start first, and of the shares of the seen intervals that it comes to; then the
        last iterate alone is returned, the only row, for all of them may be too many to keep

    >>> from ppdm.reconstruct import FixedStop
    >>> matrix = np.array([[0.75, 0.25], [0.25, 0.75]])
    >>> history, _ = iterate(matrix.T.dot, matrix.dot, np.array([60, 40]), np.array([0.5, 0.5]), stop=FixedStop(2))
    >>> history.round(4).tolist()
    [[0.5, 0.5], [0.55, 0.45], [0.5872, 0.4128]]
    """

    def trial(part: np.ndarray, near: Watch, cap: int) -> bool:
        # The other values may lie where the part has none: there its estimate may come to nothing.
        return _steps(
            lambda x: np.maximum(forward(x), TINY), backward, part, start, near, cap, smooth, lambda *_: None
        )[1]

    settle = getattr(stop, "settle", None)
    rule: StoppingRule = settle(counts, trial) if settle else stop
    history: list[np.ndarray] = []
    note = note or (lambda new, _seen: history.append(new))
    last, met = _steps(forward, backward, counts, start, rule.watch(counts, len(start)), rule.cap, smooth, note)
    return np.array(history or [last]), met


def _steps(
    forward: Map,
    backward: Map,
    counts: np.ndarray,
    start: np.ndarray,
    near: Watch,
    cap: int,
    smooth: Map | None,
    note: Note,
) -> tuple[np.ndarray, bool]:
    """Equation 3 until the watch says stop, or up to the cap: the last iterate, and whether the watch did."""
    shares, new, seen = counts / counts.sum(), start, forward(start)
    note(new, seen)
    for _ in range(cap):
        old, new = new, new * backward(shares / seen)
        if smooth:
            new = smooth(new)
        seen = forward(new)
        note(new, seen)
        if near(old, new, seen):
            return new, True
    return new, False
