"""When to stop the iterated Bayes step. It matters more than anything else in a reconstruction.

An estimate that runs on fits the noise of the sample too: it grows spikes. One that stops early keeps the shape of
its prior. The held-out rule needs no threshold of a test: steps that bring out the shape of the true values make
held-out values likelier, and steps that fit the noise of the sample do not.
"""

import itertools
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from scipy.special import chdtri, xlogy

from ppdm import checks, randomness

TINY = float(np.finfo(float).tiny)  # a smaller double loses digits, and its inverse overflows
MAX_VALUES = 10**9 - 1  # that NumPy divides into halves
Watch = Callable[[np.ndarray, np.ndarray, np.ndarray], bool]


class StoppingRule(Protocol):
    """A stopping rule. A rule of your own needs these two names and nothing else.

    Optionally, ``settle(counts, trial)`` is called once before the iteration and returns the rule to use. It gets the
    same counts as ``watch``, and a function ``trial(counts, watch, cap)``, which runs the iteration on other counts of
    these intervals for at most cap steps and says whether that watch ended it. See ``HeldOutStop``.
    """

    @property
    def cap(self) -> int:
        """The largest number of iterations. A reconstruction that reaches it warns, unless the rule stops just then."""

    def watch(self, counts: np.ndarray, intervals: int) -> Watch:
        """Begin, with the counts of the seen intervals that hold a value and the number of true intervals.

        The function that is returned decides after each step whether to stop. It gets the old estimate, the new one,
        and the shares of the same seen intervals that the new one has when it is disguised again. No rule knows a
        matrix, so that every rule serves every channel.
        """


def _check(confidence, cap):
    checks.number("confidence", confidence, "(0, 1)")
    checks.whole("cap", cap, 1)


def _chi_square_threshold(confidence, cells):
    return float(chdtri(max(cells - 1, 1), 1 - confidence))


@dataclass(frozen=True)
class ChiSquareStop:
    """AS00's rule: stop when successive estimates are near each other, measured as in a χ² test.

    Near: n Σ (new − old)² / old, in counts, is below fraction × the χ² quantile with (intervals − 1) degrees of
    freedom. The paper states only the 1 %. We chose counts, the confidence and the degrees of freedom; with proportions
    the rule would stop at once.

    Parameters
    ----------
    fraction : number above 0
    confidence : number in (0, 1), of the χ² test
    cap : the most iterations
    """

    fraction: float = 0.01
    confidence: float = 0.95
    cap: int = 10_000

    def __post_init__(self):
        checks.number("fraction", self.fraction, "(0, inf)")
        _check(self.confidence, self.cap)

    def watch(self, counts, intervals) -> Watch:
        """See ``StoppingRule``."""
        limit = self.fraction * _chi_square_threshold(self.confidence, intervals) / counts.sum()

        # Σ (new − old)² / old = Σ new² / old − 1, since both sum to 1; an interval that is at 0 adds nothing.
        return lambda old, new, _: bool(new.dot(new / np.maximum(old, TINY)) - 1 < limit)


@dataclass(frozen=True)
class DiscrepancyStop:
    """Stop when the estimate, disguised again, is statistically the same as what was seen; AS00 §3 warns of it.

    The likelihood-ratio form of the χ² test (the other form fails on sparse seen bins): 2 Σ N log(N / expected) is at
    most the χ² quantile with (seen bins that hold a value − 1) degrees of freedom.

    Parameters
    ----------
    confidence : number in (0, 1), of the χ² test
    cap : the most iterations
    """

    confidence: float = 0.95
    cap: int = 10_000

    def __post_init__(self):
        _check(self.confidence, self.cap)

    def watch(self, counts, intervals) -> Watch:  # noqa: ARG002  (the contract of ``StoppingRule``)
        """See ``StoppingRule``."""
        best = xlogy(counts, counts / counts.sum()).sum()
        limit = _chi_square_threshold(self.confidence, len(counts))
        return lambda _old, _new, seen: bool(2 * (best - xlogy(counts, seen).sum()) <= limit)


@dataclass(frozen=True)
class FixedStop:
    """Stop after n iterations.

    Parameters
    ----------
    n : whole number of at least 1
    """

    n: int

    def __post_init__(self):
        checks.whole("n", self.n, 1)

    @property
    def cap(self) -> int:
        """The same n: the rule always stops there."""
        return self.n

    def watch(self, counts, intervals) -> Watch:  # noqa: ARG002  (the contract of ``StoppingRule``)
        """See ``StoppingRule``."""
        steps = itertools.count(1)
        return lambda _old, _new, _seen: next(steps) >= self.n


def whole_counts(counts, user) -> np.ndarray:
    """The counts as integers, if they are whole numbers."""
    expected = f"whole numbers, because {user} draws single values"
    checks.none_wrong("counts", counts, counts % 1, "fractions", expected)
    return counts.astype(np.int64)


@dataclass(frozen=True)
class HeldOutStop:
    """Stop where values that were held out are likeliest, or nearly.

    The disguised values are divided at random into two halves. The iteration runs on one half, and each estimate is
    judged by the log-likelihood of the other half: the first estimate within ``margin`` of the best so far leads. The
    search ends when the leader's number of steps has passed a second time, and ``patience`` more. Then the iteration
    runs on all values for the leader's number of steps. (The curve is flat at its top, where chance decides which
    estimate is the very best; fewer steps grow fewer spikes.) If the search reaches the cap, the reconstruction goes
    to the cap too, and says so.

    The counts must be whole numbers.

    Parameters
    ----------
    margin : number of at least 0, in units of the log-likelihood (of all held-out values together)
    patience : whole number of at least 1
    cap : the most iterations
    seed : whole number of at least 0, of the halves

    >>> from ppdm.reconstruct import reconstruct_counts
    >>> reconstruct_counts([60, 40], [[0.9, 0.1], [0.1, 0.9]], stop=HeldOutStop())
    Reconstruction(2 intervals, converged after 1 iterations)
    """

    margin: float = 0.25
    patience: int = 100
    cap: int = 10_000
    seed: int = 0

    def __post_init__(self):
        checks.number("margin", self.margin, "[0, inf)")
        checks.whole("patience", self.patience, 1)
        checks.whole("cap", self.cap, 1)
        checks.whole("seed", self.seed, 0)

    def settle(self, counts, trial) -> StoppingRule:
        """See ``StoppingRule``: a fixed number of steps; or this rule, which never stops, if the search did not end."""
        whole = whole_counts(counts, "HeldOutStop")
        checks.whole("the sum of counts", whole.sum(), 2, MAX_VALUES, hint="HeldOutStop halves these values")
        half = randomness.generator(self.seed).multivariate_hypergeometric(
            whole, whole.sum() // 2, method="marginals"
        )
        judge = Judge(whole - half, self.margin, self.patience, self.cap)
        return FixedStop(judge.steps) if trial(half, judge, self.cap) else self

    def watch(self, counts, intervals) -> Watch:  # noqa: ARG002  (the contract of ``StoppingRule``)
        """See ``StoppingRule``."""
        return lambda _old, _new, _seen: False


@dataclass
class Judge:
    """Stops by the log-likelihood of held-out counts, and remembers the best one and the leader's number of steps.

    Parameters
    ----------
    counts : the held-out values in each of the seen intervals
    margin, patience, cap : as in ``HeldOutStop``
    doubt, blind : a share of the prediction that is replaced, and what replaces it
    """

    counts: np.ndarray
    margin: float
    patience: int
    cap: int
    doubt: float = 0.0
    blind: Any = 0.0
    heights: list[float] = field(default_factory=list)
    best: float = -np.inf
    steps: int = 1

    def watch(self, *_) -> Watch:
        """See ``StoppingRule``."""
        return self

    def __call__(self, _old, _new, seen):
        if self.doubt:
            seen = (1 - self.doubt) * seen + self.doubt * self.blind
        height = float(self.counts.dot(np.log(seen)))
        self.heights.append(height)
        self.best = max(self.best, height)
        while self.heights[self.steps - 1] < self.best - self.margin:
            self.steps += 1
        return len(self.heights) >= 2 * self.steps + self.patience


def iterate(
    forward,
    backward,
    counts,
    start,
    stop,
    after=None,
    kept=1,
) -> tuple:
    """The one loop of Bayes steps: the iterates, the number of steps, and whether the rule was met within its cap.

    Parameters
    ----------
    forward : x → x @ matrix, the shares of the seen intervals when an estimate x is disguised
    backward : r → matrix @ r; the loop knows nothing else of the channel, one matrix or one for each axis
    counts : of the same seen intervals, all above 0, so that no step divides 0 by 0
    start : the first estimate, under which all these intervals can be seen
    stop : the stopping rule
    after : is applied to each new estimate
    kept : the number of last iterates that are kept; None: all of them, the start first

    >>> matrix = np.array([[0.75, 0.25], [0.25, 0.75]])
    >>> path, steps, met = iterate(matrix.T.dot, matrix.dot, np.array([60, 40]), np.array([0.5, 0.5]), FixedStop(2))
    >>> path[-1].round(4).tolist(), steps, met
    ([0.5872, 0.4128], 2, True)
    """
    if isinstance(stop, type) or not (hasattr(stop, "watch") and hasattr(stop, "cap")):
        raise TypeError(f"stop is of type {type(stop).__name__}; expected a stopping rule, say ChiSquareStop()")

    def steps(counts, near, cap, forward, kept) -> tuple:
        shares = counts / counts.sum()
        path = deque([start], kept)
        new = start
        # The rule and the next step need what the estimate comes to when it is disguised: it is worked out once.
        seen = forward(start)
        for step in range(1, cap + 1):
            old = new
            new = old * backward(shares / seen)  # Equation 3
            if after:
                new = after(new)
            path.append(new)
            seen = forward(new)
            if near(old, new, seen):
                return path, step, True
        return path, cap, False

    def trial(part, near, cap) -> bool:
        # The other values may lie where the part has none: there its estimate may come to nothing.
        return steps(part, near, cap, lambda x: np.maximum(forward(x), TINY), 1)[2]

    rule = stop.settle(counts, trial) if hasattr(stop, "settle") else stop
    return steps(counts, rule.watch(counts, len(start)), rule.cap, forward, kept)
