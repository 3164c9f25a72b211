"""Checks at the public entries: an error names the argument, what was seen and what is accepted.

The first parameter of each check is the argument's name, the second what was given. What is found in a table is never
shown, because errors end in logs: of this an error names the place.
"""

import math
import numbers
from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import is_any_real_numeric_dtype, is_bool_dtype, is_list_like, is_numeric_dtype

_KINDS = {"b": "booleans", "O": "objects", "U": "text", "M": "dates", "c": "complex numbers"}
MAX_CELLS = 10_000_000  # of an array that is held at once: 80 megabytes, and a few of them while it is made
MAX_CONDITION = 1e12  # of a matrix that is inverted
is_real = is_any_real_numeric_dtype  # of what one can calculate with: as is_number, but no complex numbers
MAX_BINS = 2_000  # more intervals than this ask for matrices of hundreds of megabytes


def number(name, value, interval="(-inf, inf)") -> float:
    """The value as a float, if it is a finite number in an interval, written as "(0, 1]" if 1 belongs to it and 0 not.

    >>> number("theta", 1.5, "[0, 1]")
    Traceback (most recent call last):
    ValueError: theta is 1.5; expected a number in [0, 1]
    """
    expected = "a finite number" if interval == "(-inf, inf)" else f"a number in {interval}"
    if isinstance(value, bool) or not isinstance(value, numbers.Real):  # True is a number to Python
        raise TypeError(_message(name, value, expected))
    try:
        found = float(value)
    except OverflowError:  # a whole number beyond all floats
        found = math.inf
    low, high = map(float, interval[1:-1].split(","))
    at_end = (found == low and interval[0] == "[") or (found == high and interval[-1] == "]")
    if not (low < found < high or at_end):
        raise ValueError(_message(name, value, expected))
    return found


def whole(name, value, low, high=math.inf, *, hint="") -> int:
    """The value as an int, if it is a whole number between low and high."""
    expected = f"a whole number in [{low:g}, {high:g}{']' if high < math.inf else ')'}"
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise TypeError(_message(name, value, expected, hint))
    if not low <= int(value) <= high:
        raise ValueError(_message(name, value, expected, hint))
    return int(value)


def choice(name, value, choices, *, hint="") -> Any:
    """The value, if it is one of the choices."""
    value = scalar(value)
    if (type(value), value) not in [(type(option), option) for option in choices]:  # 1 == True
        raise ValueError(_message(name, value, f"one of {_shown(choices)}", hint))
    return value


def flag(name, value) -> bool:
    """The value, if it is True or False."""
    return choice(name, value, (True, False))


def of_type(name, value, kind, expected) -> Any:
    """The value, if it is of a type. The error names the value's type only: a value may be long, or a secret."""
    if not isinstance(value, kind):
        raise TypeError(f"{name} is {_kind(value)}; expected {expected}")
    return value


def vector(name, values) -> np.ndarray:
    """The values as a one-dimensional float array, if there are some and all are finite numbers.

    >>> vector("values", [1.0, float("nan")])
    Traceback (most recent call last):
    ValueError: values has 1 of 2 missing or infinite values (first at position 1); expected finite numbers only
    """
    array = plain(name, values, 1, "one, a list of numbers")
    if not len(array):
        raise ValueError(f"{name} is empty; expected at least one value")
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{name} holds {_KINDS.get(array.dtype.kind, array.dtype)}; expected numbers")
    found = array.astype(float)
    if array.dtype.kind in "iu":  # from 2^53 on floats make neighbours equal
        expected = "numbers below 2^53, or floats"
        none_wrong(name, found, abs(found) >= 2**53, "whole numbers too large for a float", expected)
    none_wrong(name, found, ~np.isfinite(found), "missing or infinite values", "finite numbers only")
    return found


def plain(name, values, dimensions=None, expected="") -> np.ndarray:
    """The values as an array, if they have one shape and none is masked: NumPy would unmask it in silence."""
    if np.ma.is_masked(values):
        raise ValueError(f"{name} has {np.ma.count_masked(values)} masked values; expected none")
    try:
        array = np.asarray(values)
    except ValueError:
        raise ValueError(f"{name} has rows of several lengths; expected a single shape") from None
    if dimensions not in (None, array.ndim):
        raise ValueError(f"{name} has {array.ndim} dimensions; expected {expected}")
    return array


def rows(name, values, numeric=False) -> None:
    """Refuse what has no row for each record, or no numbers; of sparse matrices scikit-learn speaks for itself."""
    sizes = None if hasattr(values, "toarray") else 2
    array = plain(name, values, sizes, "two, a row for each record. Reshape your data, or give a DataFrame")
    if numeric and array.dtype.kind == "O" and any(isinstance(cell, str) for cell in array.ravel()):
        raise ValueError(f"{name} holds text; expected numbers, or a DataFrame")  # NumPy would show the value


def labels(name, values) -> np.ndarray:
    """The values as a one-dimensional array, if none is missing: a class for each record."""
    array = plain(name, values, 1, f"one, a class for each record: {name} should be a 1d array")
    # A list is looked at as it was given: NumPy makes text of a missing label, or of a number, among texts.
    given = array if hasattr(values, "dtype") else np.asarray(values, dtype=object)
    none_wrong(name, given, pd.isna(given), "missing values", "a class for each record")
    if given is not array and array.dtype.kind == "U" and not all(isinstance(label, str) for label in given):
        raise TypeError(f"{name} holds text beside other labels; expected labels of one type")
    return array


def places(name, values, known) -> np.ndarray:
    """The place of each value among the known ones; −1 for others."""
    try:
        return pd.Index(known, tupleize_cols=False).get_indexer(values)
    except (TypeError, NotImplementedError):  # of pandas, which may show the value
        raise TypeError(f"{name} holds lists or the like; expected text, numbers, True or False") from None


def edges(name, values, *, open_ends=False) -> np.ndarray:
    """The values as floats, if they are two or more increasing numbers. Open ends may be -inf and inf."""
    array = plain(name, values)
    # With open ends infinity is looked at as the largest number, because a vector holds finite numbers only.
    bounded = vector(name, np.nan_to_num(array, nan=np.nan) if open_ends else array)
    if len(bounded) < 2:
        raise ValueError(f"{name} has one entry; expected the edges of at least one interval")
    flat = np.flatnonzero(bounded[1:] <= bounded[:-1]) + 1
    if len(flat):
        raise ValueError(f"{name} does not increase at position {flat[0]}; expected edges that increase strictly")
    return array.astype(float)


def shares(name, values) -> np.ndarray:
    """The values as a float array, if none is negative and they sum to 1."""
    array = not_negative(name, vector(name, values))
    if abs(array.sum() - 1) > 1e-6:  # shares that were printed to six digits pass
        raise ValueError(f"{name} sums to {array.sum():.6g}; expected 1")
    return array


def matrix(name, values) -> np.ndarray:
    """The values as a two-dimensional float array, if all are finite and none is negative."""
    array = plain(name, values, 2, "two: rows and columns")
    return not_negative(name, vector(name, array.ravel())).reshape(array.shape)


def law(name, array, off=1e-4) -> np.ndarray:
    """The matrix P(seen | true), if its rows sum to 1; they may be off by a little, as those of mid-points are."""
    columns, rows = (abs(array.sum(axis=axis) - 1).max() for axis in (0, 1))
    if columns < 1e-4 < rows and len(array) == array.shape[1]:
        raise ValueError(f"{name} has columns that sum to 1; expected rows that do: transpose it")
    if rows > off:
        raise ValueError(f"{name} has rows that sum to 1 ± {rows:.3g}; expected 1: divide each row by its sum")
    return array


def invertible(name, array) -> np.ndarray:
    """The square matrix, if its inverse magnifies errors less than a million million times."""
    condition = np.linalg.cond(array)
    if not condition < MAX_CONDITION:
        raise ValueError(
            f"{name} has the condition number {condition:.3g}; expected less than {MAX_CONDITION:g}: what is seen "
            "hardly depends on what is true; choose a channel that keeps more, fewer intervals, or em_step"
        )
    return array


def not_negative(name, array) -> np.ndarray:
    """The array, if it holds no negative number."""
    none_wrong(name, array, array < 0, "negative numbers", "numbers of at least 0")
    return array


def frame(name, value, names=None) -> pd.DataFrame:
    """The value, if it is a DataFrame with a row, a column and distinct names; or of an array, with these names."""
    if names is not None and not isinstance(value, pd.DataFrame):
        if (array := plain(name, value)).shape[1:] != (len(names),):
            raise ValueError(f"{name} has shape {array.shape}; expected two dimensions, {len(names)} columns")
        value = pd.DataFrame(array, columns=names).infer_objects()
    of_type(name, value, pd.DataFrame, "a pandas DataFrame")
    if not len(value) or not len(value.columns):
        raise ValueError(f"{name} has shape {value.shape}; expected at least one row and one column")
    if len(twice := value.columns[value.columns.duplicated()]):
        raise ValueError(f"{name} has the column {twice[0]!r} more than once; expected distinct names")
    return value


def listed(name, values, what) -> list:
    """The values as a list, if they are several things in an order, not a single one, a text or a set."""
    if not is_list_like(values) or isinstance(values, set | frozenset):  # the keys of a dict have an order
        raise TypeError(_message(name, values, f"a list of {what}"))
    return list(values)


def columns(name, wanted, present) -> list:
    """The wanted column names, if all of them are present."""
    names = listed(name, wanted, "column names")
    missing = [column for column in names if not isinstance(column, Hashable) or column not in present]
    if missing:
        known = f"its columns are {_shown(present)}: use these"
        raise ValueError(f"{name} names {_shown(missing)}, which the table does not have; {known}")
    return names


def columns_or_class(name, wanted, present, target) -> None:
    """Refuse wanted columns that are neither in X nor the class (the name of y)."""
    other = [one for one in wanted if one not in present and (target is None or one != target)]
    if other:
        known = f"no column of X ({list(present)}) and not the name of y ({target!r}); if the class was disguised"
        raise ValueError(f"{name} names {_shown(other)}, which is {known}, give y as a Series of that name")


def is_number(dtype) -> bool:
    """Whether columns of a dtype hold numbers; booleans are categories."""
    return is_numeric_dtype(dtype) and not is_bool_dtype(dtype)


def mapping(name, value, hint="") -> dict:
    """The value as a dict, if it is one (or a mapping, or a Series) with at least one entry."""
    entries = dict(of_type(name, value, Mapping | pd.Series, "a dict" + hint).items())
    if not entries:
        raise ValueError(f"{name} is empty; expected at least one entry{hint}")
    return entries


def none_wrong(name, values, wrong, what, expected) -> None:
    """Refuse values that are marked as wrong; the error counts them and says where the first one is."""
    if len(found := np.flatnonzero(wrong)):
        count = f"{len(found)} of {len(values)} {what} (first at position {found[0]})"
        raise ValueError(f"{name} has {count}; expected {expected}")


def none_missing(name, values) -> None:
    """Refuse missing values."""
    if len(missing := np.flatnonzero(pd.isna(values))):
        raise ValueError(f"{name} has {len(missing)} missing (NaN), first in row {missing[0]}; expected none")


def same_length(name, values, other, others) -> None:
    """Refuse two lists of different lengths."""
    if len(values) != (number := len(others)):
        raise ValueError(f"{name} has {len(values)} entries and {other} has {number}; expected the same number")


def distinct(name, values) -> list:
    """The values as a list, if there are some and no two of them are equal."""
    if not (found := listed(name, values, "values")):
        raise ValueError(f"{name} is empty; expected distinct values, at least 1")
    twice = pd.Series(found, dtype=object).duplicated()
    none_wrong(name, found, twice, "values that came before", "distinct values")
    return found


def cells(name, shape, most=MAX_CELLS) -> None:
    """Refuse the shape of an array that is too large to be held: ask before it is made."""
    if math.prod(sizes := list(shape)) > most:
        raise ValueError(f"{name} has {' × '.join(map('{:,}'.format, sizes))} cells; expected at most {most:,}")


def readable(value, exact=False) -> str:
    """A number as a person writes it: 75,000 or 0.125; with all of its digits if it must be exact."""
    told = f"{value:,.0f}" if 1e4 <= abs(value) < 1e15 else f"{value:,.5g}"
    return f"{value:,}" if exact and float(told.replace(",", "")) != value else told


def scalar(value) -> Any:
    """The value as Python has it, if it is a single value of NumPy's."""
    return value.item() if isinstance(value, np.generic) else value


def _shown(values):
    return ", ".join(map(repr, values))


def _kind(value):
    """What a value is, without showing it: an Intervals, a UniformNoise."""
    noun = type(value).__name__
    return f"{'an' if noun[0].lower() in 'aeio' else 'a'} {noun}"


def _message(name, value, expected, hint=""):
    # A table that was given for a number would be shown with all its records, a very long number with all its digits.
    value = scalar(value)
    huge = isinstance(value, int) and abs(value) > 2**99
    shown = repr(value) if isinstance(value, str | float | int | None) and not huge else _kind(value)
    return f"{name} is {'huge, ' * huge}{shown}; expected {expected}" + (f"; {hint}" if hint else "")
