"""How much an attribute tells about the class."""

import math
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.extensions import ExtensionArray

from ppdm import checks
from ppdm.information import gain


def information_gain(values: Any, classes: Any) -> float:
    """Information gain in bits of splitting the records on every distinct value (LSL03 §4, Table 1).

    The split is multiway, so that the measure favours attributes with many values; cut numbers into intervals first
    to compare them fairly.

    Parameters
    ----------
    values, classes : one entry a record, of any hashable kind, none missing or infinite

    >>> information_gain(["low", "low", "high", "high"], [0, 0, 1, 1])
    1.0
    """
    value_codes, class_codes = _codes("values", values), _codes("classes", classes)
    checks.same_length("values", values, "classes", classes)
    return gain(value_codes, class_codes)


def _codes(name: str, entries: Any) -> np.ndarray:
    """The number of each entry among the distinct ones."""
    if not isinstance(entries, list | tuple | np.ndarray | pd.Series | pd.Index | ExtensionArray):
        raise TypeError(f"{name} is of type {type(entries).__name__}; expected a list, an array or a Series")
    if np.ma.is_masked(entries):
        raise ValueError(f"{name} has masked entries; expected an entry for each record")
    array: Any = pd.Series(entries, dtype=object) if isinstance(entries, list | tuple) else entries
    if array.ndim != 1 or not len(array):
        raise ValueError(f"{name} has the shape {array.shape}; expected one dimension and at least one entry")
    try:
        codes, distinct = pd.factorize(array)
    except TypeError as error:
        raise TypeError(f"{name} has entries that cannot be told apart ({error}); expected numbers or labels") from None
    if -1 in codes or math.inf in distinct or -math.inf in distinct:
        raise ValueError(f"{name} has missing or infinite entries; expected an entry for each record")
    return codes
