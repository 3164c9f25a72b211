"""What the codes of one attribute mean: intervals of a number, places in an order, or names."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype, is_numeric_dtype

from ppdm import checks
from ppdm.reconstruct.distribution import interval_of

Kind = Literal["numeric", "ordered", "nominal"]


@dataclass(frozen=True)
class Attribute:
    """What the codes of one attribute mean.

    Code i of a numeric attribute stands for [edges[i − 1], edges[i]), open at both ends of the line; code i of an
    ordered or nominal attribute stands for categories[i]. A numeric attribute of a tree that leaves the house has
    no edges: they are quantiles of the records it was grown from.

    >>> Attribute.numeric("age", [40, 60]).encode([39.9, 40, 75]).tolist()
    [0, 1, 2]
    """

    name: Any
    kind: Kind
    n_values: int
    edges: tuple[float, ...] | None = None
    categories: tuple[Any, ...] | None = None

    def __post_init__(self) -> None:
        checks.choice("kind", self.kind, ("numeric", "ordered", "nominal"))
        checks.whole("n_values", self.n_values, 1)
        if self.kind != "numeric":
            self._check_categories()
        elif self.edges:
            edges = checks.vector(f"edges of {self.name!r}", self.edges)
            if (edges[1:] <= edges[:-1]).any():
                raise ValueError(f"edges of {self.name!r} are {self.edges!r}; expected numbers that increase strictly")
        described = self.categories if self.edges is None else (*self.edges, None)
        if described is not None and len(described) != self.n_values:
            raise ValueError(f"n_values of {self.name!r} is {self.n_values}; expected {len(described)}, as described")

    @classmethod
    def numeric(cls, name: Any, edges: Sequence[float] | np.ndarray) -> Self:
        """A numeric attribute, cut at strictly increasing edges (none: a single code)."""
        cuts = np.asarray(edges)
        if cuts.shape != (0,):
            cuts = checks.vector(f"edges of {name!r}", cuts)
        return cls(name, "numeric", len(cuts) + 1, edges=tuple(cuts.tolist()))

    @classmethod
    def categorical(cls, name: Any, categories: Sequence[Any], ordered: bool = False) -> Self:
        """A nominal or ordered attribute with the given distinct categories."""
        if isinstance(categories, str) or not isinstance(categories, Iterable):
            raise TypeError(f"categories of {name!r} are {categories!r}; expected a list")
        values = tuple(categories)
        return cls(name, "ordered" if ordered else "nominal", max(len(values), 1), categories=values)

    def _check_categories(self) -> None:
        name, categories = f"categories of {self.name!r}", self.categories
        if not isinstance(categories, tuple):
            raise TypeError(f"{name} are {categories!r}; expected a tuple of them")
        distinct(name, list(categories))
        if any(pd.isna(category) for category in categories):
            raise ValueError(f"{name} are {list(categories)}; expected none missing")

    def encode(self, values: Any) -> np.ndarray:
        """The codes of values, none missing; −1 for a category that the attribute does not have. 1 is True."""
        if self.kind == "numeric":
            if self.edges is None:
                raise ValueError(f"attribute {self.name!r} has no edges, so its values cannot be coded")
            return interval_of(self.complete(values), np.asarray(self.edges))
        values = self.complete(values)
        categories = pd.Index(list(self.categories or ()))
        if categories.inferred_type == "boolean":  # which pandas does not find among numbers
            categories, values = categories.astype(object), pd.Index(values, dtype=object)
        return categories.get_indexer(values)

    def complete(self, values: Any) -> Any:
        """The values of the attribute's column, if none is missing; those of a numeric attribute as numbers."""
        checks.none_missing(f"column {self.name!r}", values)
        return checks.vector(f"column {self.name!r}", values) if self.kind == "numeric" else values

    def without_edges(self) -> Self:
        """The attribute as a tree keeps it."""
        return replace(self, edges=None)


def is_number(dtype: Any) -> bool:
    """Whether columns of a dtype are numeric attributes; booleans are nominal."""
    return bool(is_numeric_dtype(dtype)) and not is_bool_dtype(dtype)


def distinct(name: str, values: list[Any]) -> None:
    """Nothing, if there is at least one value and none occurs twice."""
    if not values or len(set(values)) < len(values):
        raise ValueError(f"{name} are {values!r}; expected distinct ones, at least one")
