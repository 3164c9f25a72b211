"""Value-class membership (AS00 §2): of a true value only the interval is released that it lies in."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from pandas.api.types import is_list_like

from ppdm import checks
from ppdm.disguise.noise import NOISES
from ppdm.disguise.numeric import NumericChannel


@dataclass(frozen=True, kw_only=True, repr=False)
class Intervals(NumericChannel):
    """Release the mid-point of the interval [a, b) that a value lies in; the last interval is closed.

    Parameters
    ----------
    edges : a number of equal intervals over the domain (with a step, over the domain and half a step more at either
        end). Or increasing edges that cover the domain; each interval has a part of it
    low, high : the domain of the true values, low < high; None stands for the first and the last of given edges
    step : spacing of the true values from low to high, 1 for whole numbers; None for continuous values

    Nothing is random: a provider who is asked again gives the same answer. The channel does not hide on which side of
    an edge a value lies. So ``epsilon`` is inf, for any delta; for a single interval it is 0.

    >>> Intervals(edges=4, low=20, high=80).disguise([20, 34.9, 35, 80]).tolist()
    [27.5, 27.5, 42.5, 72.5]
    """

    edges: int | Sequence[float]
    low: Any = None
    high: Any = None

    def __post_init__(self):
        if is_list_like(self.edges):
            edges = checks.edges("edges", self.edges).tolist()
            low = edges[0] if self.low is None else self.low
            high = edges[-1] if self.high is None else self.high
            vars(self).update(edges=tuple(edges), low=low, high=high)
        elif self.low is None or self.high is None:
            raise TypeError(
                f"low is {self.low} and high is {self.high}, for edges={self.edges!r}; expected the domain's ends, "
                "or a list of edges, whose ends they are"
            )
        super().__post_init__()
        self.starts(self._edges, "edges")  # refuses intervals without a value

    @classmethod
    def _at_level(cls, level, confidence, **domain):
        single = cls(edges=1, **domain)
        most = single._narrowest
        span = single.high - single.low
        step = single.step
        width = level * span / confidence
        if width > most * (1 + 1e-9):
            raise ValueError(
                f"level is {level:g}, more than a single interval gives at a confidence of {confidence:g}; "
                f"expected at most {most * confidence / span:g}; for more, add noise or raise the confidence"
            )
        if step is not None:
            width = step * max(math.ceil(width / step - 1e-9), 1)
        number = most / width if width else math.inf
        return cls(edges=int(min(number + 1e-9, single.most_bins)), **domain)

    @property
    def grid(self) -> float | None:
        """The least distance between two mid-points; None for a single interval."""
        return min(np.diff(self._middles).tolist(), default=None)

    def seen_range(self) -> tuple[float, float]:
        """The mid-points of the first and of the last interval."""
        return float(self._middles[0]), float(self._middles[-1])

    def seen_bins(self, true_bins) -> np.ndarray:
        """The channel's own intervals, whatever the true bins; the outermost are open.

        >>> Intervals(edges=[0, 5, 10]).seen_bins([0, 2, 10]).tolist()
        [-inf, 5.0, inf]
        """
        checks.edges("true_bins", true_bins)
        return np.concatenate([[-np.inf], self._edges[1:-1], [np.inf]])

    def _matrix(self, true, seen, exact):  # noqa: ARG002
        # The share of each true bin in each interval, whose mid-points the seen bins hold. Nothing is approximate.
        ends = self.starts(true)
        own = self.starts(self._edges)
        first = np.maximum(ends[:-1, None], own[:-1])
        last = np.minimum(ends[1:, None], own[1:])
        shares = np.maximum(last - first, 0) / np.diff(ends)[:, None]
        seen[-1] = np.nextafter(seen[-1], np.inf)  # the last bin is closed
        middles = self._middles[:, None]
        held = (seen[:-1] <= middles) & (middles < seen[1:])
        return shares @ held

    def _width(self, confidence):
        return confidence * self._narrowest

    def spread(self, cell: float) -> np.ndarray:
        """Equal shares for the cells of the narrowest interval."""
        fewest = max(round(self._narrowest / cell), 1)
        return np.full(fewest, 1 / fewest)

    def variance(self) -> float:
        """0: what is seen follows from the true value."""
        return 0.0

    def _epsilon(self, delta):  # noqa: ARG002
        return math.inf if len(self._middles) > 1 else 0.0

    @cached_property
    def _edges(self):
        return self.true_bins(self.edges, "edges")

    @property
    def _middles(self):
        # Halves are added, because the sum of two very large numbers overflows.
        return self._edges[1:] / 2 + self._edges[:-1] / 2

    @property
    def _narrowest(self):
        """The width within the domain of the narrowest interval: that is what every provider is promised.

        On a step grid an interval is as many steps wide as it has values; where it has a single one, it is known.
        """
        sizes = np.diff(self.starts(self._edges))
        return float(sizes.min() * (self.step or 1))

    def _codes(self, values):
        # On a step grid cuts are just below the edges, so that rounding moves no value of the grid across.
        cuts = self._edges[1:-1] - 1e-6 * (self.step or 0)
        return np.searchsorted(cuts, values, side="right")

    def _unseen(self, values):
        codes = self._codes(values)
        distances = np.abs(values - self._middles[codes])
        return distances > 1e-6 * np.diff(self._edges)[codes]  # mid-points read from a file may be rounded

    def draw(self, codes, uniforms) -> np.ndarray:  # noqa: ARG002
        """The mid-points of the true values' intervals."""
        return self._middles[self._codes(codes)]

    def log_law(self, seen, true) -> np.ndarray:
        """0 where both lie in one interval, else -inf."""
        return np.where(self._codes(seen) == self._codes(true), 0.0, -np.inf)

    @property
    def _whole_grid(self):
        return False  # mid-points between whole numbers need not be whole


def channels_at(kind: str, level: float, domains: Mapping[Any, Mapping], confidence: float = 0.95) -> dict:
    """Make a channel for each attribute, all at one privacy level.

    Parameters
    ----------
    kind : "uniform", "Gaussian" or "intervals"
    level, confidence : as in ``at_privacy``
    domains : a dict from attributes to their domains, as ``data.QUEST_DOMAINS``: dicts of low, high and perhaps step

    >>> channels_at("uniform", 0.95, {"age": {"low": 20, "high": 80}})
    {'age': UniformNoise(half_width=30, low=20, high=80)}
    """
    known = {"intervals": Intervals, **NOISES}
    chosen = known[checks.choice("kind", kind, known)]
    for name, domain in checks.mapping("domains", domains, " of domains by attribute").items():
        if not isinstance(domain, Mapping) or not {"low", "high"} <= {*domain} <= {"low", "high", "step"}:
            raise TypeError(f"domains[{name!r}] is {domain!r}; expected a dict of low, high and perhaps step")
    return {name: chosen.at_privacy(level, **domain, confidence=confidence) for name, domain in domains.items()}
