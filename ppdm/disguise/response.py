"""Disguises for categories: a value is kept, or another one is answered instead."""

import math
from collections.abc import Hashable, Iterable, Sequence, Set
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ppdm import checks
from ppdm.disguise.channel import Channel


@dataclass(frozen=True, kw_only=True)
class KeepOrReplace(Channel):
    """A value is kept with probability keep, else replaced by one of the other values, all as likely (AS00 §6).

    Parameters
    ----------
    keep : number in [0, 1]; at 1 / k, for k categories, what is seen tells nothing
    categories : all values that the attribute can have, at least two; released as they are listed here

    >>> KeepOrReplace(keep=0.7, categories=["a", "b", "c", "d"]).matrix()[0].round(3).tolist()
    [0.7, 0.1, 0.1, 0.1]
    """

    keep: float
    categories: Sequence[Any]

    def __post_init__(self) -> None:
        object.__setattr__(self, "keep", checks.number("keep", self.keep, 0, 1))
        object.__setattr__(self, "categories", _checked_categories(self.categories))

    @property
    def k(self) -> int:
        """The number of categories."""
        return len(self.categories)

    @property
    def replace(self) -> float:
        """The probability of each other category, (1 − keep) / (k − 1)."""
        return (1 - self.keep) / (self.k - 1)

    def codes(self, values: Any, name: str = "values") -> np.ndarray:
        """The place of each value among the categories; a missing or an unknown value is refused.

        >>> KeepOrReplace(keep=0.7, categories=["no", "yes"]).codes(["yes", "no", "yes"]).tolist()
        [1, 0, 1]
        """
        array: Any = checks.plain(name, values)
        if array.ndim != 1 or not len(array):
            raise ValueError(f"{name} has shape {array.shape}; expected one dimension and at least one value")
        codes = self._index.get_indexer(array)
        wrong = np.flatnonzero(codes < 0)
        if len(wrong):
            raise ValueError(
                f"{name} has {len(wrong)} of {len(array)} that are none of the categories "
                f"(first: {array[wrong[:1]].tolist()[0]!r} at position {wrong[0]}); "
                f"expected values of {list(self.categories)}; "
                "if values may be missing, give them a category of their own"
            )
        return codes

    def matrix(self) -> np.ndarray:
        """P(seen category | true category): a row for each true one, a column for each seen one."""
        matrix = np.full((self.k, self.k), self.replace)
        np.fill_diagonal(matrix, self.keep)
        return matrix

    def epsilon(self, delta: float = 1e-5) -> float:
        """The log of (the larger probability − delta) / (the smaller one), at least 0; delta in [0, 1).

        Two true values differ in two seen ones only, and only one of these speaks for either.
        """
        delta = checks.number("delta", delta, 0, 1, open_high=True)
        low, high = sorted((self.keep, self.replace))
        if high - delta <= low:
            return 0.0
        return math.log((high - delta) / low) if low else math.inf

    @property
    def _index(self) -> pd.Index:
        return pd.Index(list(self.categories), tupleize_cols=False)

    def _true_values(self, values: Any, name: str = "values") -> np.ndarray:
        if isinstance(values, pd.Series) and not _holds(values.dtype, self.categories):
            raise ValueError(
                f"{name} has dtype {values.dtype!r}, which cannot hold all of {list(self.categories)}, as the channel "
                "may release them; expected one that can: see .astype or .cat.set_categories"
            )
        return self.codes(values, name)

    def _seen_values(self, values: Any, name: str = "values") -> np.ndarray:
        return self.codes(values, name)

    def _released(self, true: np.ndarray, uniforms: np.ndarray) -> np.ndarray:
        """The true code below keep; beyond it the others, each over an equal part."""
        other = (uniforms - self.keep) / (self.replace or 1)
        other = np.clip(other, 0, self.k - 2).astype(int)
        return np.where(uniforms < self.keep, true, other + (other >= true))

    def _log_likelihood(self, seen: np.ndarray, true: np.ndarray) -> np.ndarray:
        same, other = (math.log(share) if share else -math.inf for share in (self.keep, self.replace))
        return np.where(seen == true, same, other)

    def _like(self, values: Any, released: np.ndarray) -> Any:
        labels = self._index.take(released)
        if isinstance(values, pd.Series):
            return pd.Series(labels, index=values.index, name=values.name, dtype=values.dtype)
        return labels.to_numpy(str if np.asarray(values).dtype.kind == "U" else None)


def _checked_categories(categories: Any) -> tuple[Any, ...]:
    """The categories as plain Python values, if there are two or more, none twice, none missing."""
    if isinstance(categories, str | Set) or not isinstance(categories, Iterable) or getattr(categories, "ndim", 1) != 1:
        raise TypeError(f"categories is {categories!r}; expected a list of at least two values")
    values = tuple(value.item() if isinstance(value, np.generic) else value for value in categories)
    if not all(isinstance(value, Hashable) for value in values):
        raise TypeError(f"categories is {list(values)!r}; expected text, numbers or other single values")
    if len(values) < 2 or len(set(values)) < len(values) or pd.isna(list(values)).any():
        raise ValueError(f"categories is {list(values)!r}; expected at least two values, all different, none missing")
    return values


def _holds(dtype: Any, categories: Sequence[Any]) -> bool:
    """Whether a Series of that dtype can hold the categories as they are."""
    if isinstance(dtype, pd.CategoricalDtype):
        return bool(pd.Index(list(categories), tupleize_cols=False).isin(dtype.categories).all())
    plain = pd.Series(list(categories), dtype=object)
    try:
        return bool((plain.astype(dtype).astype(object) == plain).all())
    except (ValueError, TypeError, OverflowError):
        return False
