"""A distribution over intervals: edges and the probability of each interval, evenly spread inside it."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ppdm import checks, randomness
from ppdm.randomness import Rng

SHOWN_ROWS = 12


def interval_of(values: np.ndarray, cuts: np.ndarray, order: np.ndarray | None = None) -> np.ndarray:
    """The number of the interval that holds each value: how many of the cuts are at or below it.

    To sort first is much faster than a search for each of many values; who has their order already may give it.
    """
    order = np.argsort(values) if order is None else order
    first = np.searchsorted(values[order], cuts, side="left")
    places = np.empty(len(values), np.min_scalar_type(len(cuts)))
    places[order] = np.repeat(np.arange(len(cuts) + 1), np.diff(first, prepend=0, append=len(values)))
    return places


@dataclass(frozen=True, eq=False, repr=False)
class Distribution:
    """Probabilities of adjoining intervals. Frozen; its arrays are read-only.

    Parameters
    ----------
    edges : k + 1 increasing finite numbers
    probabilities : k numbers of at least 0 with sum 1

    >>> thirds = Distribution([0, 1, 3], [1 / 3, 2 / 3])
    >>> thirds
    Distribution(2 intervals on [0, 3], mean 1.5, sd 0.866)
    >>> round(thirds.quantile(0.5), 3)
    1.5
    """

    edges: np.ndarray
    probabilities: np.ndarray

    def __post_init__(self) -> None:
        edges = checks.edges("edges", self.edges)
        probabilities = checks.shares("probabilities", self.probabilities)
        if len(probabilities) != len(edges) - 1:
            raise ValueError(
                f"probabilities has {len(probabilities)} entries for {len(edges) - 1} intervals; expected one for each"
            )
        for name, array in (("edges", edges), ("probabilities", probabilities)):
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    @classmethod
    def from_values(cls, values: Any, edges: Any) -> Self:
        """The share of the values in each interval; values outside are refused.

        >>> Distribution.from_values([0, 1, 1, 2], edges=[0, 1, 2]).probabilities.tolist()
        [0.25, 0.75]
        """
        array, edges = checks.vector("values", values), checks.edges("edges", edges)
        outside = (array < edges[0]) | (array > edges[-1])
        what = f"outside the edges' range [{edges[0]:g}, {edges[-1]:g}]"
        checks.none_wrong("values", array, outside, what, "edges that cover the values")
        counts = np.bincount(interval_of(array, edges[1:-1]), minlength=len(edges) - 1)
        return cls(edges, counts / len(array))

    @classmethod
    def uniform(cls, edges: Any) -> Self:
        """Even density from the first edge to the last: a wide interval has more of it than a narrow one."""
        edges = checks.edges("edges", edges)
        return cls(edges, np.diff(edges) / (edges[-1] - edges[0]))

    @property
    def midpoints(self) -> np.ndarray:
        """The middle of each interval."""
        return (self.edges[1:] + self.edges[:-1]) / 2

    @property
    def density(self) -> np.ndarray:
        """Probability per unit in each interval."""
        return self.probabilities / np.diff(self.edges)

    def mean(self) -> float:
        """The expected value."""
        return float(self.probabilities @ self.midpoints)

    def variance(self) -> float:
        """The variance, the spread inside the intervals included."""
        within = np.diff(self.edges) ** 2 / 12
        return float(self.probabilities @ ((self.midpoints - self.mean()) ** 2 + within))

    def cdf(self, x: Any) -> Any:
        """P(value ≤ x): a float for a number, an array for several."""
        scalar = np.ndim(x) == 0
        points = checks.vector("x", np.atleast_1d(x))
        shares = np.interp(points, self.edges, self._cumulated())
        return float(shares[0]) if scalar else shares

    def quantile(self, q: Any) -> Any:
        """The smallest x with cdf(x) ≥ q, for q in [0, 1] (the start of the support for 0)."""
        scalar = np.ndim(q) == 0
        shares = checks.vector("q", np.atleast_1d(q))
        if shares.min() < 0 or shares.max() > 1:
            raise ValueError(f"q holds {shares.min():g} to {shares.max():g}; expected numbers in [0, 1]")
        some = self.probabilities > 0
        starts, ends, upto = self.edges[:-1][some], self.edges[1:][some], self._cumulated()[1:][some]
        chosen = np.searchsorted(upto, shares)
        left = (upto[chosen] - shares) / self.probabilities[some][chosen]
        points = np.maximum(ends[chosen] - left * (ends - starts)[chosen], starts[chosen])
        return float(points[0]) if scalar else points

    def sample(self, n: int, rng: Rng = None) -> np.ndarray:
        """Draw n values, for simulations."""
        n = checks.whole("n", n, 1)
        return self.quantile(randomness.uniform(n, randomness.generator(rng)))

    def distance(self, other: "Distribution", kind: str = "tv") -> float:
        """How far apart two distributions are, whatever their edges.

        Parameters
        ----------
        kind : "tv", total variation, the largest difference of any event's probability, in [0, 1];
            "kolmogorov", the largest difference of the CDFs; "wasserstein", the area between the CDFs, in the
            units of the values

        >>> low, high = Distribution([0, 1], [1]), Distribution([1, 2], [1])
        >>> low.distance(high), low.distance(high, kind="wasserstein")
        (1.0, 1.0)
        """
        if not isinstance(other, Distribution):
            raise TypeError(f"other is {other!r}; expected a Distribution")
        checks.choice("kind", kind, ("tv", "kolmogorov", "wasserstein"))
        knots = np.union1d(self.edges, other.edges)
        gap = self.cdf(knots) - other.cdf(knots)
        if kind == "tv":
            return float(np.abs(np.diff(gap)).sum() / 2)
        size = np.abs(gap)
        if kind == "kolmogorov":
            return float(size.max())
        a, b = size[:-1], size[1:]
        # Where the gap changes its sign within a piece, the area is two triangles instead of a trapezium.
        crossing = gap[:-1] * gap[1:] < 0
        height = np.divide(a**2 + b**2, a + b, out=a + b, where=crossing)
        return float((height / 2 * np.diff(knots)).sum())

    def _cumulated(self) -> np.ndarray:
        sums = np.concatenate([[0.0], np.cumsum(self.probabilities)])
        return sums / sums[-1]  # exactly 1 at the end, whatever the rounding

    def __repr__(self) -> str:
        return (
            f"Distribution({len(self.probabilities)} intervals on [{self.edges[0]:g}, {self.edges[-1]:g}], "
            f"mean {self.mean():.4g}, sd {self.variance() ** 0.5:.3g})"
        )

    def _repr_html_(self) -> str:
        rows = [
            f"<tr><td>[{a:.6g}, {b:.6g})</td><td>{p:.4f}</td></tr>"
            for a, b, p in zip(self.edges[:-1], self.edges[1:], self.probabilities, strict=True)
        ]
        rows[-1] = rows[-1].replace(")</td>", "]</td>", 1)
        if len(rows) > SHOWN_ROWS:
            half = SHOWN_ROWS // 2
            rows[half:-half] = [f"<tr><td>… {len(rows) - 2 * half} more</td><td></td></tr>"]
        return f"<table><tr><th>interval</th><th>probability</th></tr>{''.join(rows)}</table>"
