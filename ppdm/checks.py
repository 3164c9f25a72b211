"""Checks at the public entries: an error names the argument, what was seen and what is accepted."""

import math
import numbers
from collections.abc import Collection, Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd


def number(
    name: str,
    value: Any,
    low: float = -math.inf,
    high: float = math.inf,
    *,
    open_low: bool = False,
    open_high: bool = False,
    hint: str = "",
) -> float:
    """The value as a float, if it is a finite number between low and high (open: the bound itself excluded).

    >>> number("theta", 0.9, 0, 1)
    0.9
    >>> number("theta", 1.5, 0, 1)
    Traceback (most recent call last):
    ValueError: theta is 1.5; expected a number in [0, 1]
    """
    unbounded = math.isinf(low) and math.isinf(high)
    expected = "a finite number" if unbounded else f"a number in {_interval(low, high, open_low, open_high)}"
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Real):
        raise TypeError(_message(name, value, expected, hint))
    found = float(value)
    below = found < low or (open_low and found == low)
    above = found > high or (open_high and found == high)
    if not math.isfinite(found) or below or above:
        raise ValueError(_message(name, value, expected, hint))
    return found


def whole(name: str, value: Any, low: float = -math.inf, high: float = math.inf, *, hint: str = "") -> int:
    """The value as an int, if it is a whole number between low and high."""
    unbounded = math.isinf(low) and math.isinf(high)
    expected = "a whole number" if unbounded else f"a whole number in {_interval(low, high)}"
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Integral):
        raise TypeError(_message(name, value, expected, hint))
    if not low <= int(value) <= high:
        raise ValueError(_message(name, value, expected, hint))
    return int(value)


def choice(name: str, value: Any, choices: Iterable[Any], *, hint: str = "") -> Any:
    """The value, if it is one of the choices."""
    known = list(choices)
    value = value.item() if isinstance(value, np.generic) else value
    if not any(value is option or (type(value) is type(option) and value == option) for option in known):
        raise ValueError(_message(name, value, f"one of {', '.join(map(repr, known))}", hint))
    return value


def flag(name: str, value: Any) -> bool:
    """The value, if it is True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(_message(name, value, "True or False", ""))
    return bool(value)


def vector(name: str, values: Any, *, hint: str = "") -> np.ndarray:
    """The values as a one-dimensional float array, if there are some and all are finite numbers.

    >>> vector("values", [1.0, float("nan")])
    Traceback (most recent call last):
    ValueError: values has 1 missing or infinite value (first at position 1); expected finite numbers only
    """
    array = plain(name, values)
    if not array.ndim:
        raise ValueError(f"{name} has 0 dimensions, as {_article(type(values).__name__)}; expected one{_tail(hint)}")
    if array.ndim > 1:
        raise ValueError(f"{name} has {array.ndim} dimensions; expected one{_tail(hint)}")
    if not len(array):
        raise ValueError(f"{name} is empty; expected at least one value")
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{name} holds {_kind(array)}; expected numbers{_tail(hint)}")
    array = array.astype(float)
    wrong = np.flatnonzero(~np.isfinite(array))
    if len(wrong):
        amount = "1 missing or infinite value" if len(wrong) == 1 else f"{len(wrong)} missing or infinite values"
        raise ValueError(
            f"{name} has {amount} (first at position {wrong[0]}); expected finite numbers only{_tail(hint)}"
        )
    return array


def plain(name: str, values: Any) -> np.ndarray:
    """The values as an array, if they are of one shape and none is masked: NumPy would take a masked value as it is."""
    if np.ma.is_masked(values):
        raise ValueError(f"{name} has {np.ma.count_masked(values)} masked values; expected none")
    try:
        return np.asarray(values)
    except ValueError:
        raise ValueError(f"{name} has rows of several lengths; expected a single shape") from None


def labels(name: str, values: Any) -> np.ndarray:
    """The values as a one-dimensional array, if none is missing: a class for each record."""
    array = plain(name, values)
    if array.ndim != 1:
        raise ValueError(f"{name} has {array.ndim} dimensions; expected one, a class for each record")
    if pd.isna(array).any():
        raise ValueError(f"{name} has missing values; expected a class for each record")
    return array


def edges(name: str, values: Any, *, open_ends: bool = False) -> np.ndarray:
    """The values as a float array, if they are two or more increasing numbers: the edges of intervals.

    With open_ends the first may be -inf and the last inf.

    >>> edges("bins", [0, 1, 1])
    Traceback (most recent call last):
    ValueError: bins does not increase at position 2 (1 after 1); expected edges that increase strictly
    """
    array = plain(name, values)
    bounded = array
    if open_ends and array.dtype.kind == "f":
        largest = np.finfo(float).max
        bounded = np.nan_to_num(array.astype(float), nan=np.nan, posinf=largest, neginf=-largest)
    bounded = vector(name, bounded)
    if len(bounded) < 2:
        raise ValueError(f"{name} has one entry; expected the edges of at least one interval")
    flat = np.flatnonzero(bounded[1:] <= bounded[:-1]) + 1
    if len(flat):
        later, earlier = array[flat[0]], array[flat[0] - 1]
        raise ValueError(
            f"{name} does not increase at position {flat[0]} ({later:g} after {earlier:g}); "
            "expected edges that increase strictly"
        )
    return array.astype(float)


def shares(name: str, values: Any) -> np.ndarray:
    """The values as a float array, if none is negative and they sum to 1."""
    array = not_negative(name, vector(name, values))
    if abs(array.sum() - 1) > 1e-6:
        raise ValueError(f"{name} sums to {array.sum():.6g}; expected 1")
    return array


def matrix(name: str, values: Any) -> np.ndarray:
    """The values as a two-dimensional float array, if all are finite and none is negative."""
    array = plain(name, values)
    if array.ndim != 2 or not array.size:
        raise ValueError(f"{name} has shape {array.shape}; expected rows and columns")
    return not_negative(name, vector(name, array.ravel())).reshape(array.shape)


def not_transposed(name: str, array: np.ndarray) -> None:
    """Nothing, unless it is the columns of a square matrix P(seen | true) that sum to 1, and not the rows."""
    columns, rows = (np.abs(array.sum(axis=axis) - 1).max() for axis in (0, 1))
    if columns < 1e-9 and rows > 1e-3 and array.shape[0] == array.shape[1]:
        raise ValueError(f"{name} has columns that sum to 1, not rows; expected a row a true value: transpose it")


def not_negative(name: str, array: np.ndarray) -> np.ndarray:
    """The array, if it holds no negative number."""
    if array.min() < 0:
        raise ValueError(f"{name} holds {array.min():g} (position {array.argmin()}); expected no negative number")
    return array


def frame(name: str, value: Any) -> pd.DataFrame:
    """The value, if it is a DataFrame with at least one row, one column and distinct column names."""
    if not isinstance(value, pd.DataFrame):
        raise TypeError(f"{name} is {_article(type(value).__name__)}; expected a pandas DataFrame")
    if not len(value) or not len(value.columns):
        raise ValueError(f"{name} has shape {value.shape}; expected at least one row and one column")
    twice = value.columns[value.columns.duplicated()]
    if len(twice):
        raise ValueError(f"{name} has the column {twice[0]!r} more than once; expected distinct names")
    return value


def columns(name: str, wanted: Iterable[Any], present: Collection[Any]) -> list[Any]:
    """The wanted column names, if all of them are present."""
    if isinstance(wanted, str) or not isinstance(wanted, Iterable):
        raise TypeError(f"{name} is {wanted!r}; expected a list of column names")
    names = list(wanted)
    missing = [column for column in names if column not in present]
    if missing:
        raise ValueError(
            f"{name} names {', '.join(map(repr, missing))}, which the table does not have; "
            f"its columns are {', '.join(map(repr, present))}"
        )
    return names


def columns_or_class(name: str, wanted: Iterable[Any], present: Collection[Any], target: Any) -> None:
    """Nothing, if each of the wanted columns is one of X, or the class, which y goes by."""
    for column in wanted:
        if column not in present and (target is None or column != target):
            raise ValueError(
                f"{name} names {column!r}, which is no column of X ({list(present)}) and not the name of y "
                f"({target!r}); if the class was disguised, give y as a Series of that name"
            )


def mapping(name: str, value: Any) -> dict[Any, Any]:
    """The value as a dict, if it is one, or alike, with at least one entry."""
    if not isinstance(value, Mapping | pd.Series):
        raise TypeError(f"{name} is {_article(type(value).__name__)}; expected a dict")
    entries = dict(value.items())
    if not entries:
        raise ValueError(f"{name} is empty; expected at least one entry")
    return entries


def none_wrong(name: str, values: np.ndarray, wrong: np.ndarray, what: str, expected: str) -> None:
    """Nothing, if no value is marked as wrong; else an error that counts them and shows the first."""
    places = np.flatnonzero(wrong)
    if len(places):
        first = f"first: {values[places[0]]:.15g} at position {places[0]}"
        raise ValueError(f"{name} has {len(places)} of {len(values)} {what} ({first}); expected {expected}")


def none_missing(name: str, values: Any) -> None:
    """Nothing, if no value is missing."""
    missing = np.flatnonzero(pd.isna(values))
    if len(missing):
        raise ValueError(f"{name} has {len(missing)} missing (NaN), first in row {missing[0]}; expected none")


def same_length(name: str, values: Any, other: str, others: Any) -> None:
    """Nothing, if both have as many entries."""
    if len(values) != len(others):
        raise ValueError(f"{name} has {len(values)} entries and {other} has {len(others)}; expected as many")


def _interval(low: float, high: float, open_low: bool = False, open_high: bool = False) -> str:
    """The interval in brackets; an infinite end is always open."""
    left = "(" if open_low or math.isinf(low) else "["
    right = ")" if open_high or math.isinf(high) else "]"
    return f"{left}{low:g}, {high:g}{right}"


def _kind(array: np.ndarray) -> str:
    kinds = {"b": "booleans", "O": "objects", "U": "text", "S": "bytes", "M": "dates", "c": "complex numbers"}
    return kinds.get(array.dtype.kind, str(array.dtype))


def _article(noun: str) -> str:
    return f"{'an' if noun[:1].lower() in 'aeiou' else 'a'} {noun}"


def _tail(hint: str) -> str:
    return f"; {hint}" if hint else ""


def _message(name: str, value: Any, expected: str, hint: str) -> str:
    shown = value.item() if isinstance(value, np.generic) else value
    return f"{name} is {shown!r}; expected {expected}{_tail(hint)}"
