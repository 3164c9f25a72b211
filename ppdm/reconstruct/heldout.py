"""When to stop, judged by values that were held out: no true value is needed, and no threshold of a test.

Steps that bring out the shape of the true values make held-out values likelier; steps that fit the noise of the
sample do not.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ppdm import checks, randomness
from ppdm.reconstruct.stopping import FixedStop, StoppingRule, Watch

MOST_VALUES = 10**9  # that NumPy deals to halves


def whole_counts(counts: np.ndarray, user: str) -> np.ndarray:
    """The counts as whole numbers, if they are."""
    broken = np.flatnonzero(counts % 1)
    if len(broken):
        raise ValueError(
            f"counts holds {counts[broken[0]]:g} (position {broken[0]}); expected whole numbers, "
            f"for {user} draws among single values"
        )
    return counts.astype(np.int64)


@dataclass(frozen=True)
class HeldOutStop:
    """Stop where values that were held out are likeliest, or nearly.

    The disguised values are dealt at random to two halves. The iteration runs on one of them, and each estimate is
    judged by the log-likelihood of the other: the first that is within ``margin`` of the best so far leads. When it
    has led for as many steps as it took, and ``patience`` more, the iteration runs on all values for as many steps
    as the leader took. (The curve is flat at its top, where chance decides which estimate is the very best; fewer
    steps grow fewer spikes.) A search that reaches the cap settles nothing: the reconstruction goes to the cap too,
    and says so.

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

    def __post_init__(self) -> None:
        checks.number("margin", self.margin, 0)
        for name in ("patience", "cap"):
            checks.whole(name, getattr(self, name), 1)
        checks.whole("seed", self.seed, 0)

    def settle(self, counts: np.ndarray, trial: Callable[[np.ndarray, Watch, int], bool]) -> StoppingRule:
        """See ``StoppingRule``: so many steps; or this rule itself, which never stops, if the search did not end."""
        whole = whole_counts(counts, "HeldOutStop")
        if whole.sum() >= MOST_VALUES:
            raise ValueError(f"counts holds {whole.sum():,} values; expected fewer than {MOST_VALUES:,} to be halved")
        if whole.sum() < 2:
            raise ValueError("counts holds a single value; expected two or more, for HeldOutStop deals them to halves")
        half = randomness.generator(self.seed).multivariate_hypergeometric(whole, whole.sum() // 2, method="marginals")
        search = Search(self, whole - half)
        return FixedStop(search.first + 1) if trial(half, search, self.cap) else self

    def watch(self, counts: np.ndarray, intervals: int) -> Watch:  # noqa: ARG002  (the contract of ``StoppingRule``)
        """See ``StoppingRule``."""
        return lambda _old, _new, _seen: False


class Search:
    """The log-likelihood of held-out counts after each step, and the first step that came within the margin."""

    def __init__(self, rule: HeldOutStop, counts: np.ndarray) -> None:
        self.rule, self.counts = rule, counts
        self.heights: list[float] = []
        self.best, self.first = -np.inf, 0

    def __call__(self, _old: np.ndarray, _new: np.ndarray, seen: np.ndarray) -> bool:
        self.heights.append(float(self.counts.dot(np.log(seen))))
        self.best = max(self.best, self.heights[-1])
        while self.heights[self.first] < self.best - self.rule.margin:
            self.first += 1
        return len(self.heights) >= 2 * (self.first + 1) + self.rule.patience
