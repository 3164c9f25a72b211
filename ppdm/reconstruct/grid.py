"""A distribution over the cells of a grid: how several attributes go together."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ppdm import checks, randomness
from ppdm.randomness import Rng
from ppdm.reconstruct.attribute import Attribute, distinct
from ppdm.reconstruct.distribution import SHOWN_ROWS, Distribution

SHOWN_AXES = 8


@dataclass(frozen=True, eq=False, repr=False)
class JointDistribution:
    """Probabilities of the cells of a grid, an axis for each attribute. Frozen; its arrays are read-only.

    Parameters
    ----------
    attributes : what the codes along each axis mean
    edges : for each attribute's name the edges of its intervals; of categories those of their codes 0, 1, 2, …
    probabilities : an array of numbers of at least 0 with sum 1, an axis for each attribute

    >>> coin, size = Attribute.categorical("coin", ["head", "tail"]), Attribute.numeric("size", [2])
    >>> found = JointDistribution([coin, size], {"coin": [-0.5, 0.5, 1.5], "size": [0, 2, 4]}, [[0.1, 0.2], [0.3, 0.4]])
    >>> found, found.marginal("size")
    (JointDistribution(coin × size, 2 × 2 cells), Distribution(2 intervals on [0, 4], mean 2.2, sd 1.14))
    """

    attributes: tuple[Attribute, ...]
    edges: dict[Any, np.ndarray]
    probabilities: np.ndarray

    def __post_init__(self) -> None:
        attributes, given = tuple(self.attributes), checks.mapping("edges", self.edges)
        names = [attribute.name for attribute in attributes]
        distinct("names of attributes", names)
        checks.columns("attributes", names, given)
        edges = {attribute.name: _edges_of(attribute, given[attribute.name]) for attribute in attributes}
        shares, shape = checks.plain("probabilities", self.probabilities), tuple(a.n_values for a in attributes)
        if shares.shape != shape:
            raise ValueError(f"probabilities has shape {shares.shape}; expected {shape}, the values of each attribute")
        shares = checks.shares("probabilities", shares.ravel()).reshape(shape)
        for array in (*edges.values(), shares):
            array.setflags(write=False)
        for name, value in (("attributes", attributes), ("edges", edges), ("probabilities", shares)):
            object.__setattr__(self, name, value)

    def marginal(self, names: Any) -> Any:
        """The Distribution of one attribute, by its name; of a list of them the JointDistribution, in that order."""
        known, several = list(self.edges), isinstance(names, list)
        wanted = checks.columns("names", names if several else [names], known)
        distinct("names", wanted)
        kept = [known.index(name) for name in wanted]
        others = [axis for axis in range(len(known)) if axis not in kept]
        shares = self.probabilities.transpose(kept + others).sum(axis=tuple(range(len(kept), len(known))))
        if not several:
            return Distribution(self.edges[names], shares)
        return JointDistribution(tuple(self.attributes[axis] for axis in kept), self.edges, shares)

    def distance(self, other: "JointDistribution") -> float:
        """Total variation on the same grid: the largest difference of the probability of any set of cells."""
        if not self.same_grid(other):
            raise ValueError(f"other is {other!r}; expected a JointDistribution over the same grid as {self!r}")
        return float(np.abs(self.probabilities - other.probabilities).sum() / 2)

    def same_grid(self, other: Any) -> bool:
        """Whether the other is a JointDistribution of the same attributes over the same cells."""
        return (
            isinstance(other, JointDistribution)
            and self.attributes == other.attributes
            and all(np.array_equal(edges, other.edges[name]) for name, edges in self.edges.items())
        )

    def sample(self, n: int, rng: Rng = None) -> pd.DataFrame:
        """Draw n records, for simulations: numbers evenly spread inside their cell, categories of a category dtype."""
        n, source = checks.whole("n", n, 1), randomness.generator(rng)
        upto = np.cumsum(self.probabilities)
        cells = np.searchsorted(upto, randomness.uniform(n, source) * upto[-1])
        columns: dict[Any, Any] = {}
        for attribute, codes in zip(self.attributes, np.unravel_index(cells, self.probabilities.shape), strict=True):
            if attribute.kind == "numeric":
                edges = self.edges[attribute.name]
                columns[attribute.name] = edges[codes] + np.diff(edges)[codes] * randomness.uniform(n, source)
            else:
                kinds = pd.CategoricalDtype(list(attribute.categories or ()), attribute.kind == "ordered")
                columns[attribute.name] = pd.Categorical.from_codes(codes, dtype=kinds)
        return pd.DataFrame(columns)

    def __repr__(self) -> str:
        return f"JointDistribution({' × '.join(map(str, self.edges))}, {times(self.probabilities.shape)} cells)"

    def _repr_html_(self) -> str:
        """The likeliest cells."""
        cells = np.argsort(-self.probabilities, axis=None, kind="stable")[:SHOWN_ROWS]
        codes = np.unravel_index(cells, self.probabilities.shape)
        shown = {
            attribute.name: [self._value(attribute, code) for code in axis]
            for attribute, axis in zip(self.attributes, codes, strict=True)
        }
        table = pd.DataFrame({**shown, "probability": [f"{share:.4f}" for share in self.probabilities[codes]]})
        left = self.probabilities.size - len(cells)
        return table.to_html(index=False) + (f"… {left:,} more cells, none of them likelier" if left else "")

    def _value(self, attribute: Attribute, code: int) -> str:
        """What a code stands for."""
        if attribute.categories:
            return str(attribute.categories[code])
        low, high = self.edges[attribute.name][code : code + 2]
        return f"[{low:.6g}, {high:.6g}{']' if code == attribute.n_values - 1 else ')'}"


def times(sizes: Iterable[int]) -> str:
    """The sizes of a grid in words: 20 × 20 × 3; of many axes the first and the last ones only.

    >>> times([20, 1000]), times(range(1, 31))
    ('20 × 1,000', '1 × 2 × 3 × … × 28 × 29 × 30 (30 axes)')
    """
    words = [f"{size:,}" for size in sizes]
    if len(words) <= SHOWN_AXES:
        return " × ".join(words)
    return " × ".join([*words[:3], "…", *words[-3:]]) + f" ({len(words)} axes)"


def _edges_of(attribute: Attribute, edges: Any) -> np.ndarray:
    """The edges, if the attribute has a value for each interval; the inner ones are those it is cut at."""
    found = checks.edges(f"edges of {attribute.name!r}", edges)
    if len(found) != attribute.n_values + 1:
        raise ValueError(
            f"edges of {attribute.name!r} has {len(found)} entries; expected {attribute.n_values + 1}, "
            "one more than the attribute has values"
        )
    if attribute.edges is not None and tuple(found[1:-1].tolist()) != attribute.edges:
        raise ValueError(
            f"edges of {attribute.name!r} is {found.tolist()}; expected {attribute.edges} between its ends"
        )
    return found
