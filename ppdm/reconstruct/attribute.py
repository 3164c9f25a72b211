"""What the codes of one attribute mean: intervals of a number, places in an order, or names."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
import pandas as pd
from pandas.api.types import infer_dtype

from ppdm import checks
from ppdm.cuts import equal_count_cuts, increasing, interval_of

Kind = Literal["numeric", "ordered", "nominal"]
MAX_TRUE_INTERVALS = 255  # of a number that is not disguised, unless another number is given: codes fit in a byte


@dataclass(frozen=True)
class Attribute:
    """What the codes of one attribute mean.

    ``n_values`` is the number of codes. Code i of a numeric attribute stands for [edges[i − 1], edges[i]): ``edges``
    holds the cuts only, and the first and the last interval are open. Code i of an ordered or nominal attribute stands
    for categories[i]. A numeric attribute of a tree has no edges, because these are quantiles of the records from which
    it grew, and the tree may be handed on.

    >>> Attribute.numeric("age", [40, 60]).encode([39.9, 40, 75]).tolist()
    [0, 1, 2]
    """

    name: Any
    kind: Kind
    n_values: int
    edges: tuple[float, ...] | None = None
    categories: tuple[Any, ...] | None = None

    def __post_init__(self):
        checks.choice("kind", self.kind, ("numeric", "ordered", "nominal"))
        checks.whole("n_values", self.n_values, 1)
        if self.edges is not None:
            vars(self).update(edges=_increasing(self.name, self.edges))  # past the guard of a frozen dataclass
        if self.kind != "numeric":
            known = checks.distinct(f"categories of {self.name!r}", self.categories or ())
            checks.none_missing(f"categories of {self.name!r}", known)
        alien = "categories" if self.kind == "numeric" else "edges"
        if getattr(self, alien) is not None:
            raise ValueError(f"{alien} of {self.name!r} are given, but it is {self.kind}; expected None")
        # Edges are one fewer than the intervals between them.
        described = self.categories if self.edges is None else (*self.edges, None)
        if described is not None and len(described) != self.n_values:
            raise ValueError(
                f"n_values of {self.name!r} is {self.n_values}; expected {len(described)}, as described"
            )

    @classmethod
    def numeric(cls, name, edges: Sequence[float] | np.ndarray) -> Self:
        """A numeric attribute with these cuts, strictly increasing (none: a single code)."""
        cuts = _increasing(name, edges)
        return cls(name, "numeric", len(cuts) + 1, edges=cuts)

    @classmethod
    def categorical(cls, name, categories: Sequence, ordered: bool = False) -> Self:
        """A nominal or ordered attribute with the given distinct categories."""
        values = tuple(checks.listed(f"categories of {name!r}", categories, "values"))
        kind: Kind = "ordered" if checks.flag("ordered", ordered) else "nominal"
        return cls(name, kind, max(len(values), 1), categories=values)

    @classmethod
    def of(cls, name, column, cuts=MAX_TRUE_INTERVALS) -> Self:
        """Find the kind of a true column by its dtype, its categories, and where its numbers are cut.

        Parameters
        ----------
        column : an array or a Series
        cuts : of numbers: the largest number of intervals, which hold about equal counts; or where to cut
        """
        checks.of_type(f"column {name!r}", column, np.ndarray | pd.Series, "an array or a Series")
        dtype = column.dtype
        if checks.is_number(dtype):
            values = cls.numeric(name, []).complete(column)
            if not np.ndim(cuts):
                cuts = equal_count_cuts(values, checks.whole("intervals", cuts, 1))
            return cls.numeric(name, cuts)
        if np.ndim(cuts):
            raise ValueError(
                f"intervals names {name!r}, which is no column of numbers; expected columns of numbers"
            )
        if isinstance(dtype, pd.CategoricalDtype):
            return cls.categorical(name, dtype.categories.tolist(), bool(dtype.ordered))
        kind = infer_dtype(column, skipna=True)
        if kind not in ("string", "boolean"):
            raise TypeError(
                f"column {name!r} holds {kind} values ({dtype}); "
                "expected numbers, text, booleans or a category dtype: convert it to one of these"
            )
        # Missing values are refused when the column is coded, so that a tree may know of them first.
        present = pd.Series(column).dropna()
        return cls.categorical(name, sorted(present.unique().tolist()))

    def encode(self, values) -> np.ndarray:
        """The codes of values, none of them missing; −1 for an unknown category. 1 and True are the same."""
        values = self.complete(values)
        if self.kind == "numeric":
            if self.edges is None:
                raise ValueError(f"attribute {self.name!r} has no edges, so its values cannot be coded")
            return interval_of(values, np.asarray(self.edges))
        categories = pd.Index(list(self.categories or ()))
        if categories.inferred_type == "boolean":  # which pandas does not find among numbers
            categories = categories.astype(object)
            values = pd.Index(values, dtype=object)
        return checks.places(f"column {self.name!r}", values, categories)

    def read(self, column: pd.Series) -> np.ndarray:
        """A column's numbers, or the places of its categories (−1: unknown); NaN where a value is missing."""
        missing = pd.isna(column).to_numpy()
        if missing.all():
            return np.full(len(missing), np.nan)
        if missing.any():  # they are filled in, not left out, so that an error names the right place
            if self.categories is None:
                column = column.fillna(0)
            else:
                column = column.astype(object).where(~missing, self.categories[0]).infer_objects()
        codes = self.complete(column) if self.kind == "numeric" else self.encode(column)
        return np.where(missing, np.nan, codes)

    def complete(self, values) -> Any:
        """The values of the attribute's column, as numbers if it is numeric. Refuse missing values."""
        checks.none_missing(f"column {self.name!r}", values)
        return checks.vector(f"column {self.name!r}", values) if self.kind == "numeric" else values


def _increasing(name, edges):
    """The cuts of a numeric attribute, if they increase strictly; there may be none."""
    what = f"edges of {name!r}"
    given = checks.plain(what, edges)
    return () if given.shape == (0,) else tuple(increasing(what, given))


def equal_width_edges(values, most) -> np.ndarray:
    """Edges of ``most`` intervals of equal width from the lowest value to the highest; or of one for each value."""
    if len(np.unique(values)) > most:
        edges = np.linspace(values.min(), values.max(), most + 1)
    else:
        edges = closed(values, equal_count_cuts(values, most))
    return checks.edges("values", edges)


def covering_edges(name, edges, values) -> np.ndarray:
    """The edges, if no value lies outside."""
    edges = checks.edges(name, edges)
    outside = (values < edges[0]) | (values > edges[-1])
    what = f"outside the {name}' range [{edges[0]:g}, {edges[-1]:g}]"
    checks.none_wrong("values", values, outside, what, f"{name} that cover the values")
    return edges


def closed(values, cuts) -> np.ndarray:
    """The cuts between two ends, which lie as far beyond the values as the nearest cut lies inside."""
    extremes = np.array([values.min(), values.max()])
    largest = np.finfo(float).max
    nearest = cuts[[0, -1]] if len(cuts) else extremes + np.array([0.5, -0.5])
    low = min(extremes[0], nearest[0])
    high = max(extremes[1], nearest[1])
    # A very large number plus a small one is the same number: the ends move by one step of floats at least.
    below, above = np.maximum(np.abs(nearest - extremes), np.spacing(np.abs([low, high])))
    with np.errstate(over="ignore"):
        ends = np.clip([low - below, high + above], -largest, largest)
    return np.insert(ends, 1, cuts)


def code_edges(codes) -> np.ndarray:
    """The edges of codes 0, 1, 2, … that lie in the middle of their intervals."""
    return np.arange(codes + 1) - 0.5
