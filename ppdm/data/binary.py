"""DZ03 §5.2: "we split the value of each attribute from the median point of the range of the attribute"."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd

from ppdm import checks

# What pandas.api.types.infer_dtype calls the kinds of columns that can be cut; a column without any value is empty.
_NUMBERS = {"integer", "floating", "mixed-integer-float", "empty"}
_NAMES = {"categorical", "string", "boolean"}


@dataclass(frozen=True, repr=False)
class BinaryCuts:
    """Where each column is cut in two. Find the cuts once, with ``of``, then ``apply`` them to any records.

    A missing value is a value of its own, the lowest: it becomes 0, and takes the first place of a nominal column
    where it occurs. (Of the votes ?, n and y only y is above the middle.) A column with a single known value and no
    missing one becomes 0 throughout.

    Attributes
    ----------
    cuts : for each column the highest number that becomes 0, or the categories that become 0 and those that become 1.
        None among them stands for a missing value.
    places : for each column where the cut is, in words

    >>> cuts = BinaryCuts.of(pd.DataFrame({"age": [20, 35, 60], "pet": ["cat", "dog", "eel"]}))
    >>> cuts.describe()
                        cut         0     1
    age  middle of 20 to 60      ≤ 40  > 40
    pet  middle of 3 places  cat, dog   eel
    >>> cuts.apply(pd.DataFrame({"age": [41, 40]}))["age"].tolist()
    [1, 0]
    """

    cuts: dict
    places: dict[Any, str]

    def __post_init__(self):
        checks.columns("places", checks.mapping("places", self.places), checks.mapping("cuts", self.cuts))

    @classmethod
    def of(
        cls,
        X: pd.DataFrame,
        listed: Mapping | None = None,
        nominal: str = "listed",
        numbers: str = "middle",
    ) -> Self:
        """Find the cuts of a table's columns.

        This needs the true records. (The paper cuts before it splits the records into training and test.) Where each
        person holds their own record, all agree on the cuts first and each applies them.

        Parameters
        ----------
        X : columns of numbers, categories, text or booleans
        listed : the values of nominal columns, in the order of the data set's own description, as in ``Table.listed``.
            A column named here is nominal, whatever its type; columns that X does not have are ignored.
        nominal : how columns of categories are cut, because these have no range. "listed" and "alphabetical" give them
            the places 0, 1, 2, … and cut at the middle place. "listed": in the order of ``listed``, else of the
            category type, else sorted. "alphabetical": sorted as text. "frequent": 1 for the most frequent value (the
            first of them in the order of "listed"), 0 for all others. Values known from ``listed`` or the type have a
            place even if X does not hold them.
        numbers : "middle" of the range, (lowest + highest) / 2, or the statistical "median". Where no value lies above
            the median, the median itself becomes 1 and what is below it 0, so that both occur.

        >>> X = pd.DataFrame({"age": [20, 35, 60], "vote": ["n", "y", None]})
        >>> BinaryCuts.of(X, {"vote": ["n", "y"]}).apply(X).to_numpy().tolist()
        [[0, 0], [0, 1], [1, 0]]
        """
        known = {} if listed is None else _checked(checks.of_type("listed", listed, Mapping, "a dict of lists"))
        checks.choice("nominal", nominal, ("listed", "alphabetical", "frequent"))
        checks.choice("numbers", numbers, ("middle", "median"))
        cuts = {}
        places = {}
        for name, column in checks.frame("X", X).items():
            if column.isna().all():
                raise ValueError(
                    f"column {name!r} has nothing but missing values; expected one value or more: leave it out"
                )
            if name in known or pd.api.types.infer_dtype(column) in _NAMES:
                cuts[name], places[name] = _cut_names(column, known.get(name), nominal)
            else:
                cuts[name], places[name] = _cut_numbers(column, numbers)
        return cls(cuts, places)

    def apply(self, X: pd.DataFrame) -> pd.DataFrame:
        """Records as 1 above the cut and 0 at it or below (int8), with their columns and index.

        Parameters
        ----------
        X : columns that have a cut, all or some; numbers may lie outside the range that was cut,
            categories must be known
        """
        ones = []
        for name, column in checks.frame("X", X).items():
            cut = self.cuts[checks.choice("a column of X", name, self.cuts, hint="these columns have a cut")]
            if isinstance(cut, float):
                ones.append(_numbers(column) > cut)  # NaN is not
            else:
                zeros, above = cut
                _check_known(column, zeros + above)
                ones.append(column.isin(above))
        return pd.DataFrame(np.column_stack(ones).astype(np.int8), index=X.index, columns=X.columns)

    def describe(self) -> pd.DataFrame:
        """A row for each column: where it is cut, in words, and which values become 0 and which 1."""
        rows = []
        for name, cut in self.cuts.items():
            if isinstance(cut, float):
                sides = [f"≤ {cut:.10g}", f"> {cut:.10g}"]
            else:
                sides = [", ".join("missing" if value is None else str(value) for value in side) for side in cut]
            rows.append([self.places[name], *sides])
        return pd.DataFrame(rows, columns=["cut", "0", "1"], index=pd.Index(self.cuts, tupleize_cols=False))

    def __repr__(self):
        numbers = sum(isinstance(cut, float) for cut in self.cuts.values())
        return f"BinaryCuts({numbers} of numbers, {len(self.cuts) - numbers} of names)"


def _checked(listed):
    """The values of each column as a list, if they are distinct and none is missing."""
    known = {}
    for column, values in listed.items():
        name = f"listed[{column!r}]"
        known[column] = checks.distinct(name, values)
        checks.none_missing(name, known[column])
    return known


def _numbers(column):
    """The column as floats, missing values as NaN."""
    kind = pd.api.types.infer_dtype(column)
    if kind not in _NUMBERS:
        raise TypeError(
            f"column {column.name!r} holds {kind} values; expected numbers, or for names categories, text or booleans; "
            "convert it, or name its values in listed when you make the cuts"
        )
    try:
        values = column.to_numpy(float, na_value=np.nan)
    except OverflowError:
        raise ValueError(
            f"column {column.name!r} holds numbers beyond all floats; expected smaller ones"
        ) from None
    checks.none_wrong(f"column {column.name!r}", values, np.isinf(values), "infinite values", "finite numbers")
    return values


def _cut_numbers(column, numbers):
    values = _numbers(column)
    values = values[~np.isnan(values)]
    low = values.min()
    high = values.max()
    cut = np.median(values)
    if numbers == "middle":
        return float(low / 2 + high / 2), f"middle of {low:.10g} to {high:.10g}"  # low + high may overflow
    place = f"median, {cut:.10g}"
    if cut == high > low:  # nothing lies above it: then the cut is just below it
        cut = values[values < cut].max()
    return float(cut), place


def _cut_names(column, values, nominal):
    """Cut names at the middle of their places (a missing value has the first), or set the most frequent one apart."""
    if values is None:
        values = column.astype("category").cat.categories.tolist()
    _check_known(column, values)
    if nominal == "alphabetical":
        values = sorted(values, key=str)
    places = (None, *values) if column.hasnans else tuple(values)
    if nominal == "frequent" and len(places) > 1:
        commonest = max(values, key=lambda value: column.isin([value]).sum())  # the first, if several are
        return (tuple(value for value in places if value != commonest), (commonest,)), "most frequent value"
    middle = (len(places) + 1) // 2
    return (places[:middle], places[middle:]), f"middle of {len(places)} places"


def _check_known(column, values):
    """Refuse a value that is not among those; a missing one is allowed."""
    unknown = ~column.isin(values) & column.notna()
    checks.none_wrong(
        f"column {column.name!r}", column, unknown, "unknown values", "known ones: add them to listed"
    )
