"""A distribution over intervals of one attribute, or over the cells of a grid of several."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd

from ppdm import checks, randomness
from ppdm.cuts import interval_of
from ppdm.reconstruct.attribute import Attribute, covering_edges

SHOWN_ROWS = 12


@dataclass(frozen=True, eq=False, repr=False)
class Distribution:
    """Probabilities of neighbouring intervals, spread evenly inside each. Frozen; its arrays are read-only.

    Several attributes have an axis each, and the probabilities are those of the cells of their grid.

    Parameters
    ----------
    edges : k + 1 increasing finite numbers; of several attributes a dict from their names to such numbers (categories
        have the edges of their codes 0, 1, 2, …)
    probabilities : k numbers of at least 0 with sum 1; of several attributes an array with an axis for each
    attributes : of several attributes, what the codes along each axis mean

    >>> thirds = Distribution([0, 1, 3], [1 / 3, 2 / 3])
    >>> thirds
    Distribution(2 intervals on [0, 3], mean 1.5, sd 0.866)
    >>> round(thirds.quantile(0.5), 3)
    1.5
    >>> from ppdm.reconstruct import Attribute
    >>> coin, size = Attribute.categorical("coin", ["head", "tail"]), Attribute.numeric("size", [2])
    >>> edges = {"coin": [-0.5, 0.5, 1.5], "size": [0, 2, 4]}
    >>> both = Distribution(edges, [[0.1, 0.2], [0.3, 0.4]], (coin, size))
    >>> both, both.marginal("size")
    (Distribution(coin × size, 2 × 2 cells), Distribution(2 intervals on [0, 4], mean 2.2, sd 1.14))
    """

    edges: Any
    probabilities: np.ndarray
    attributes: tuple[Attribute, ...] = ()

    def __post_init__(self):
        attributes = tuple(checks.listed("attributes", self.attributes, "Attributes"))
        edges = _edges_by_name(attributes, self.edges) if attributes else checks.edges("edges", self.edges)
        # So the fields of a frozen object are set.
        self.__dict__.update(edges=edges, attributes=attributes)
        shape = tuple(len(ends) - 1 for ends in self._axes)
        given = checks.plain("probabilities", self.probabilities)
        if given.shape != shape:
            raise ValueError(
                f"probabilities has shape {given.shape}; expected {shape}, one for each interval or cell"
            )
        shares = checks.shares("probabilities", given.ravel()).reshape(shape)
        # Frozen means the arrays too, or a result could change after it was reported.
        for array in (*self._axes, shares):
            array.setflags(write=False)
        self.__dict__.update(probabilities=shares)

    @classmethod
    def from_values(cls, values, edges) -> Self:
        """The share of the values in each interval; values outside are refused.

        >>> Distribution.from_values([0, 1, 1, 2], edges=[0, 1, 2]).probabilities.tolist()
        [0.25, 0.75]
        """
        array = checks.vector("values", values)
        edges = covering_edges("edges", edges, array)
        counts = np.bincount(interval_of(array, edges[1:-1]), minlength=len(edges) - 1)
        return cls(edges, counts / len(array))

    @classmethod
    def uniform(cls, edges) -> Self:
        """Even density from the first edge to the last: a wide interval has more of it than a narrow one."""
        edges = checks.edges("edges", edges)
        return cls(edges, np.diff(edges) / (edges[-1] - edges[0]))

    @property
    def midpoints(self) -> np.ndarray:
        """The middle of each interval."""
        return (self._ends[1:] + self._ends[:-1]) / 2

    @property
    def density(self) -> np.ndarray:
        """Probability per unit in each interval."""
        return self.probabilities / np.diff(self._ends)

    def mean(self) -> float:
        """The expected value."""
        return float(self.probabilities @ self.midpoints)

    def variance(self) -> float:
        """The variance, the spread inside the intervals included."""
        within = np.diff(self._ends) ** 2 / 12
        return float(self.probabilities @ ((self.midpoints - self.mean()) ** 2 + within))

    def cdf(self, x) -> Any:
        """P(value ≤ x): a float for a number, an array for several."""
        given = checks.plain("x", x)
        points = checks.vector("x", np.atleast_1d(given))
        shares = np.interp(points, self._ends, self._cumulated())
        return shares if given.ndim else float(shares[0])

    def quantile(self, q) -> Any:
        """The smallest x with cdf(x) ≥ q, for q in [0, 1] (the start of the support for 0)."""
        given = checks.plain("q", q)
        shares = checks.vector("q", np.atleast_1d(given))
        if shares.min() < 0 or shares.max() > 1:
            raise ValueError(f"q holds {shares.min():g} to {shares.max():g}; expected numbers in [0, 1]")
        # An interval without mass holds no quantile: only the others are searched.
        held = self.probabilities > 0
        starts = self._ends[:-1][held]
        ends = self._ends[1:][held]
        upto = self._cumulated()[1:][held]
        chosen = np.searchsorted(upto, shares)
        left = (upto[chosen] - shares) / self.probabilities[held][chosen]
        points = np.maximum(ends[chosen] - left * (ends - starts)[chosen], starts[chosen])
        return points if given.ndim else float(points[0])

    def sample(self, n: int, rng: randomness.Rng = None) -> Any:
        """Draw n values for a simulation: an array; of several attributes a DataFrame of n records."""
        n = checks.whole("n", n, 1, checks.MAX_CELLS)
        source = randomness.generator(rng)
        if not self.attributes:
            return self.quantile(randomness.uniform(n, source))
        upto = np.cumsum(self.probabilities)
        # By inversion: a cell is drawn where its cumulated share is reached.
        cells = np.searchsorted(upto, randomness.uniform(n, source) * upto[-1])
        columns: dict = {}
        for attribute, codes in zip(self.attributes, np.unravel_index(cells, self.probabilities.shape)):
            name = attribute.name
            if attribute.kind == "numeric":
                edges = self.edges[name]
                columns[name] = edges[codes] + np.diff(edges)[codes] * randomness.uniform(n, source)
            else:
                dtype = pd.CategoricalDtype(list(attribute.categories or ()), attribute.kind == "ordered")
                columns[name] = pd.Categorical.from_codes(codes, dtype=dtype)
        return pd.DataFrame(columns)

    def marginal(self, names) -> "Distribution":
        """The distribution of one of several attributes, by its name; or of a list of them, in that order."""
        if not self.attributes:
            raise TypeError(f"{self!r} is of one attribute; expected a distribution of several")
        known = list(self.edges)
        several = isinstance(names, list)
        wanted = checks.distinct("names", checks.columns("names", names if several else [names], known))
        kept = [known.index(name) for name in wanted]
        # The axes that are kept come in their new order, the others are added up.
        shares = np.einsum(self.probabilities, range(len(known)), kept)
        if not several:
            return Distribution(self.edges[names], shares)
        return Distribution(self.edges, shares, tuple(self.attributes[axis] for axis in kept))

    def distance(self, other: "Distribution") -> float:
        """Total variation: the largest difference of the probability of any event, in [0, 1].

        Two distributions of one attribute may have different edges; of several attributes they need the same grid.

        >>> Distribution([0, 1], [1]).distance(Distribution([0, 2], [1]))
        0.5
        """
        checks.of_type("other", other, Distribution, "a Distribution")
        if not self.attributes and not other.attributes:
            # Between two edges both densities are even: the difference of the masses there has one sign.
            knots = np.union1d(self.edges, other.edges)
            gap = np.diff(self.cdf(knots) - other.cdf(knots))
        elif self.same_grid(other):
            gap = self.probabilities - other.probabilities
        else:
            raise ValueError(f"other is {other!r}; expected a Distribution over the same grid as {self!r}")
        return float(np.abs(gap).sum() / 2)

    def same_grid(self, other) -> bool:
        """Whether the other is a Distribution of the same attributes over the same intervals."""
        same = isinstance(other, Distribution) and self.attributes == other.attributes
        return same and all(map(np.array_equal, self._axes, other._axes))

    @property
    def _axes(self):
        """The edges along each axis."""
        return list(self.edges.values()) if self.attributes else [self.edges]

    @property
    def _ends(self):
        """The edges, if there is one attribute."""
        if self.attributes:
            raise TypeError(
                f"{self!r} has several axes; expected the distribution of one attribute: see marginal"
            )
        return self.edges

    def _cumulated(self):
        sums = np.cumsum([0.0, *self.probabilities])
        return sums / sums[-1]  # exactly 1 at the end, whatever the rounding

    @property
    def extent(self) -> str:
        """How many intervals, or which attributes in how many cells."""
        if self.attributes:
            sizes = " × ".join(f"{size:,}" for size in self.probabilities.shape)
            return f"{' × '.join(map(str, self.edges))}, {sizes} cells"
        return f"{len(self.probabilities)} intervals"

    def __repr__(self):
        if self.attributes:
            return f"Distribution({self.extent})"
        ends = f"[{self.edges[0]:g}, {self.edges[-1]:g}]"
        return f"Distribution({self.extent} on {ends}, mean {self.mean():.4g}, sd {self.variance() ** 0.5:.3g})"

    def _repr_html_(self):
        """The likeliest cells, from the likeliest on; of one attribute the likeliest intervals, in their order."""
        cells = np.argsort(-self.probabilities, axis=None, kind="stable")[:SHOWN_ROWS]
        codes = np.unravel_index(cells if self.attributes else np.sort(cells), self.probabilities.shape)
        known = [(one.name, one.categories) for one in self.attributes] or [("interval", None)]
        shown = {
            name: [str(values[code]) if values else _interval(edges, code) for code in axis]
            for (name, values), edges, axis in zip(known, self._axes, codes)
        }
        table = pd.DataFrame({**shown, "probability": [f"{share:.4f}" for share in self.probabilities[codes]]})
        left = self.probabilities.size - len(cells)
        return table.to_html(index=False) + (f"… {left:,} more, none of them likelier" if left else "")


def _interval(edges, code):
    """An interval in brackets; the last one is closed."""
    return f"[{edges[code]:.6g}, {edges[code + 1]:.6g}{']' if code == len(edges) - 2 else ')'}"


def _edges_by_name(attributes, given):
    """The edges of each attribute, one interval for each of its values, cut where the attribute is cut."""
    known = [checks.of_type("one of attributes", own, Attribute, "an Attribute").name for own in attributes]
    names = checks.distinct("names of attributes", known)
    checks.columns("attributes", names, checks.mapping("edges", given))
    found = {name: checks.edges(f"edges of {name!r}", given[name]) for name in names}
    for attribute in attributes:
        cuts = tuple(found[attribute.name][1:-1].tolist())
        if len(cuts) + 1 != attribute.n_values or attribute.edges not in (None, cuts):
            raise ValueError(
                f"edges of {attribute.name!r} have {cuts} between the ends; expected those of {attribute}"
            )
    return found
