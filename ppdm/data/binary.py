"""DZ03 §5.2: "we split the value of each attribute from the median point of the range of the attribute"."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
import pandas as pd

from ppdm import checks

Nominal = Literal["listed", "alphabetical", "frequent"]
Numbers = Literal["middle", "median"]

_NUMBERS = {"integer", "floating", "mixed-integer-float"}
_NAMES = {"categorical", "string", "boolean"}


def binarise(
    X: pd.DataFrame,
    listed: Mapping[Any, Any] | None = None,
    nominal: Nominal = "listed",
    numbers: Numbers = "middle",
) -> pd.DataFrame:
    """Every column as 0 and 1 (int8), cut in two: 1 above the cut, 0 at it or below; columns and index are kept.

    The cuts are read off X as it is given (the paper cuts before it splits the records into training and test), so
    this is done by who has the true records. Where each provider has his own, they agree on cuts first and everybody
    applies them: see ``BinaryCuts``.

    Parameters
    ----------
    X : columns of numbers, categories, text or booleans
    listed : values of nominal columns in the order of the data set's own description, as in ``Table.listed``. A column
        named here is nominal, whatever its type; names that X does not have are passed over.
    nominal : names have no range of their own, so they are given places 0, 1, 2, … and cut at the middle of these.
        "listed": places in the order of ``listed``, else of the category type, else sorted. "alphabetical": sorted as
        text. "frequent": no places; 1 for the most frequent value (the first of them in the order of "listed"), 0 for
        all others. Values that are known from ``listed`` or the type have their places, seen or not.
    numbers : "middle" of the range, (lowest + highest) / 2, or the statistical "median"; where nothing lies above the
        median, 1 at the median and 0 below it, so that both occur

    A missing value is a value of its own, the lowest: it reads as 0, and takes the first place of a nominal column
    where it occurs. (Of the votes ?, n and y only y is above the middle.) A column of which one value is known, and no
    other, is all 0.

    >>> X = pd.DataFrame({"age": [20, 35, 60], "vote": ["n", "y", None]})
    >>> binarise(X, {"vote": ["n", "y"]}).to_numpy().tolist()
    [[0, 0], [0, 1], [1, 0]]
    """
    return BinaryCuts.of(X, listed, nominal, numbers).apply(X)


@dataclass(frozen=True, repr=False)
class BinaryCuts:
    """Where each column is cut in two. Found once, with ``of``, and then applied to any records.

    Attributes
    ----------
    cuts : for each column where it is cut

    >>> cuts = BinaryCuts.of(pd.DataFrame({"age": [20, 35, 60], "pet": ["cat", "dog", "eel"]}))
    >>> cuts.describe()
                        cut         0     1
    age  middle of 20 to 60      ≤ 40  > 40
    pet  middle of 3 places  cat, dog   eel
    >>> cuts.apply(pd.DataFrame({"age": [41, 40]}))["age"].tolist()
    [1, 0]
    """

    cuts: dict[Any, Above | Among]

    def __post_init__(self) -> None:
        cuts = checks.mapping("cuts", self.cuts)
        for column, cut in cuts.items():
            if not isinstance(cut, Above | Among):
                raise TypeError(f"cuts has {cut!r} for column {column!r}; expected a cut as BinaryCuts.of(X) finds it")
        object.__setattr__(self, "cuts", cuts)

    @classmethod
    def of(
        cls,
        X: pd.DataFrame,
        listed: Mapping[Any, Any] | None = None,
        nominal: Nominal = "listed",
        numbers: Numbers = "middle",
    ) -> Self:
        """The cuts of a table's columns; parameters as in ``binarise``."""
        checks.frame("X", X)
        known = _checked_listed(listed)
        checks.choice("nominal", nominal, ("listed", "alphabetical", "frequent"))
        checks.choice("numbers", numbers, ("middle", "median"))
        cuts: dict[Any, Above | Among] = {}
        for column in X.columns:
            _check_some(X[column])
            if column in known or _kind(X[column]) in _NAMES:
                cuts[column] = _cut_names(X[column], known.get(column), nominal)
            else:
                cuts[column] = _cut_numbers(X[column], numbers)
        return cls(cuts)

    def apply(self, X: pd.DataFrame) -> pd.DataFrame:
        """Records as 0 and 1 (int8), with their columns and index.

        Parameters
        ----------
        X : columns that have a cut, all or some; numbers may lie outside the range that was cut, names must be known
        """
        strange = [column for column in checks.frame("X", X).columns if column not in self.cuts]
        if strange:
            raise ValueError(
                f"X has the column {strange[0]!r}, which has no cut; expected some of {', '.join(map(repr, self.cuts))}"
            )
        ones = np.column_stack([self.cuts[column].holds(X[column]) for column in X.columns])
        return pd.DataFrame(ones.astype(np.int8), index=X.index, columns=X.columns)

    def describe(self) -> pd.DataFrame:
        """A row for each column, in words: where it is cut, which values become 0 and which 1."""
        rows = [(cut.place, *cut.sides()) for cut in self.cuts.values()]
        return pd.DataFrame(rows, columns=["cut", "0", "1"], index=pd.Index(self.cuts, tupleize_cols=False))

    def __repr__(self) -> str:
        numbers = sum(isinstance(cut, Above) for cut in self.cuts.values())
        return f"BinaryCuts({numbers} of numbers, {len(self.cuts) - numbers} of names)"

    def _repr_html_(self) -> str:
        with pd.option_context("display.max_colwidth", None):
            return self.describe().to_html()


@dataclass(frozen=True)
class Above:
    """A cut of numbers: 1 above it.

    Parameters
    ----------
    cut : the highest number that becomes 0
    place : where that is, in words
    """

    cut: float
    place: str

    def holds(self, values: pd.Series) -> np.ndarray:
        """Which values lie above the cut; a missing one does not."""
        return _numbers(values) > self.cut

    def sides(self) -> tuple[str, str]:
        """What becomes 0 and what 1, in words."""
        return f"≤ {self.cut:.10g}", f"> {self.cut:.10g}"


@dataclass(frozen=True)
class Among:
    """A cut of names: 1 for some of them.

    Parameters
    ----------
    zeros, ones : the values that become 0 and 1
    missing : whether some were missing where the cut was found
    place : how they were parted, in words
    """

    zeros: tuple[Any, ...]
    ones: tuple[Any, ...]
    missing: bool
    place: str

    def holds(self, values: pd.Series) -> np.ndarray:
        """Which values are among the ones; a missing one is not."""
        _check_known(values, (*self.zeros, *self.ones))
        return values.isin(self.ones).to_numpy(bool)

    def sides(self) -> tuple[str, str]:
        """What becomes 0 and what 1, in words."""
        zeros = ("missing", *self.zeros) if self.missing else self.zeros
        return ", ".join(map(str, zeros)), ", ".join(map(str, self.ones))


def _checked_listed(listed: Any) -> dict[Any, list[Any]]:
    """The values of each column as a list, if they are distinct and none is missing."""
    if listed is None or (isinstance(listed, Mapping) and not listed):
        return {}
    known = {}
    for column, values in checks.mapping("listed", listed).items():
        if not pd.api.types.is_list_like(values, allow_sets=False):
            raise TypeError(f"listed has {values!r} for column {column!r}; expected a list of its values, in order")
        known[column] = list(values)
        if not known[column] or pd.isna(known[column]).any() or pd.Series(known[column]).duplicated().any():
            raise ValueError(
                f"listed has {known[column]!r} for column {column!r}; expected distinct values, none missing"
            )
    return known


def _check_some(column: pd.Series) -> None:
    """Nothing, if the column has a value."""
    if column.isna().all():
        raise ValueError(f"column {column.name!r} has nothing but missing values; expected at least one; leave it out")


def _kind(column: pd.Series) -> str:
    """What a column holds, in pandas' words, if it can be cut."""
    kind = pd.api.types.infer_dtype(column, skipna=True)
    if kind not in _NUMBERS | _NAMES:
        raise TypeError(
            f"column {column.name!r} is of type {kind}; expected numbers, categories, text or booleans; convert it, or "
            "name its values in listed"
        )
    return kind


def _cut_numbers(column: pd.Series, numbers: Numbers) -> Above:
    values = _numbers(column)
    values = values[~np.isnan(values)]
    low, high = values.min(), values.max()
    if numbers == "middle":
        return Above(float(low / 2 + high / 2), f"middle of {low:.10g} to {high:.10g}")
    median = np.median(values)
    below = values[values < median]
    cut = below.max() if median == high and len(below) else median
    return Above(float(cut), f"median, {median:.10g}")


def _numbers(column: pd.Series) -> np.ndarray:
    """The column as floats, missing values as NaN."""
    if column.notna().any() and (kind := _kind(column)) not in _NUMBERS:
        raise TypeError(f"column {column.name!r} is {kind}; expected numbers, as where it was cut")
    values = column.to_numpy(float, na_value=np.nan)
    checks.none_wrong(f"column {column.name!r}", values, np.isinf(values), "infinite values", "finite numbers")
    return values


def _cut_names(column: pd.Series, listed: list[Any] | None, nominal: Nominal) -> Among:
    """Places 0 … k − 1, one before them for a missing value, cut at the middle; or the most frequent value alone."""
    values = _in_order(column, listed)
    if nominal == "alphabetical":
        values.sort(key=str)
    missing = bool(column.isna().any())
    places = len(values) + missing
    if nominal == "frequent" and places > 1:
        commonest = values[int(np.argmax([column.isin([value]).sum() for value in values]))]
        others = tuple(value for value in values if value != commonest)
        return Among(others, (commonest,), missing, "most frequent value")
    zeros = (places + 1) // 2 - missing
    return Among(tuple(values[:zeros]), tuple(values[zeros:]), missing, f"middle of {places} places")


def _in_order(column: pd.Series, listed: list[Any] | None) -> list[Any]:
    """The values of a nominal column: as listed, else as the category type has them, else sorted."""
    if listed is None and isinstance(column.dtype, pd.CategoricalDtype):
        return column.cat.categories.tolist()
    if listed is None:
        return sorted(column.dropna().unique().tolist())
    _check_known(column, listed)
    return list(listed)


def _check_known(column: pd.Series, values: Any) -> None:
    """Nothing, if every value that is not missing is one of those."""
    unknown = column[~column.isin(values) & column.notna()]
    if len(unknown):
        raise ValueError(
            f"column {column.name!r} has {unknown.tolist()[0]!r}, which is not among its values "
            f"{', '.join(map(repr, values))}; add it to listed"
        )
