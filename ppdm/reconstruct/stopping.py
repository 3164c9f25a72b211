"""When to stop the iterated Bayes step. It matters more than anything else in a reconstruction.

Run on, the estimate fits the noise of the sample too: it grows spikes. Stopped early, it keeps the shape of its prior.
"""

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from scipy.special import chdtri, xlogy

from ppdm import checks

TINY = float(np.finfo(float).tiny)  # a smaller double loses digits, and its inverse overflows
Watch = Callable[[np.ndarray, np.ndarray, np.ndarray], bool]


class StoppingRule(Protocol):
    """A stopping rule. Another one needs these two names and nothing else.

    It may have a third, ``settle(counts, trial)``, which is asked before the iteration for the rule to go by: with
    the same counts as ``watch``, and a function ``trial(counts, watch, cap)`` that runs the iteration on other counts
    of these intervals, at most cap steps of it, and says whether that watch ended it. See ``HeldOutStop``.
    """

    @property
    def cap(self) -> int:
        """The most iterations; a reconstruction that gets there warns, unless the rule stops just then."""

    def watch(self, counts: np.ndarray, intervals: int) -> Watch:
        """Begin, with the counts of the seen intervals that hold a value and the number of true intervals.

        What it returns is asked after each step whether to stop: with the old estimate, the new one, and the shares
        of the same seen intervals that the new one, disguised again, would have. No rule knows a matrix, so that the
        rules serve whatever way the estimate is disguised.
        """


def check_rule(stop: Any) -> StoppingRule:
    """The value, if it is a stopping rule."""
    if isinstance(stop, type) or not callable(getattr(stop, "watch", None)) or not hasattr(stop, "cap"):
        raise TypeError(f"stop is {stop!r}; expected a stopping rule, say ChiSquareStop()")
    return stop


def _check(level: float, cap: int) -> None:
    checks.number("level", level, 0, 1, open_low=True, open_high=True)
    checks.whole("cap", cap, 1)


def _chi_square_threshold(level: float, cells: int) -> float:
    return float(chdtri(max(cells - 1, 1), 1 - level))


@dataclass(frozen=True)
class ChiSquareStop:
    """AS00's rule: stop when successive estimates are near each other, measured as in a χ² test.

    Near: n Σ (new − old)² / old, in counts, is below fraction × the χ² quantile with (intervals − 1) degrees of
    freedom. The paper gives the 1 %; counts, level and degrees are our reading (on proportions it would stop at once).

    Parameters
    ----------
    fraction : number above 0
    level : number in (0, 1), of the χ² test
    cap : the most iterations
    """

    fraction: float = 0.01
    level: float = 0.95
    cap: int = 10_000

    def __post_init__(self) -> None:
        checks.number("fraction", self.fraction, 0, open_low=True)
        _check(self.level, self.cap)

    def watch(self, counts: np.ndarray, intervals: int) -> Watch:
        """See ``StoppingRule``."""
        limit = self.fraction * _chi_square_threshold(self.level, intervals) / counts.sum()

        def near(old: np.ndarray, new: np.ndarray, _: np.ndarray) -> bool:
            # Σ (new − old)² / old = Σ new² / old − 1, since both sum to 1; an interval that is at 0 adds nothing.
            return bool(new.dot(new / np.maximum(old, TINY)) - 1 < limit)

        return near


@dataclass(frozen=True)
class DiscrepancyStop:
    """Stop when the estimate, disguised again, is statistically the same as what was seen; AS00 §3 warns of it.

    The likelihood-ratio form of the χ² test (the other form fails on sparse seen bins): 2 Σ N log(N / expected) is at
    most the χ² quantile with (seen bins that hold a value − 1) degrees of freedom.

    Parameters
    ----------
    level : number in (0, 1), of the χ² test
    cap : the most iterations
    """

    level: float = 0.95
    cap: int = 10_000

    def __post_init__(self) -> None:
        _check(self.level, self.cap)

    def watch(self, counts: np.ndarray, intervals: int) -> Watch:  # noqa: ARG002  (the contract of ``StoppingRule``)
        """See ``StoppingRule``."""
        best = xlogy(counts, counts / counts.sum()).sum()
        limit = _chi_square_threshold(self.level, len(counts))
        return lambda _old, _new, seen: bool(2 * (best - xlogy(counts, seen).sum()) <= limit)


@dataclass(frozen=True)
class FixedStop:
    """Stop after n iterations.

    Parameters
    ----------
    n : whole number of at least 1
    """

    n: int

    def __post_init__(self) -> None:
        checks.whole("n", self.n, 1)

    @property
    def cap(self) -> int:
        """The same n: this rule never fails to be met."""
        return self.n

    def watch(self, counts: np.ndarray, intervals: int) -> Watch:  # noqa: ARG002  (the contract of ``StoppingRule``)
        """See ``StoppingRule``."""
        steps = itertools.count(1)
        return lambda _old, _new, _seen: next(steps) >= self.n
