"""What a column of true values is, and where its numbers are cut."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import infer_dtype

from ppdm.reconstruct.attribute import Attribute, is_number


def column_attribute(name: Any, column: Any, most: int, edges: Any = None) -> Attribute:
    """What a column is: its kind from the dtype, its categories, its edges unless they are given."""
    if is_number(column.dtype):
        if edges is None:
            edges = equal_count_edges(Attribute.numeric(name, []).complete(column), most)
        return Attribute.numeric(name, edges)
    if edges is not None:
        raise ValueError(f"intervals names {name!r}, which is no column of numbers; expected columns of numbers")
    if isinstance(column.dtype, pd.CategoricalDtype):
        return Attribute.categorical(name, column.dtype.categories.tolist(), bool(column.dtype.ordered))
    kind = infer_dtype(column, skipna=True)
    if kind not in ("string", "boolean"):
        raise TypeError(
            f"column {name!r} holds {kind} values ({column.dtype}); "
            "expected numbers, text, booleans or a category dtype: convert it to one of these"
        )
    return Attribute.categorical(name, sorted(pd.unique(column[~pd.isna(column)]).tolist()))


def order_of(column: Any, categories: Sequence[Any]) -> list[Any] | None:
    """The categories in the order that a column gives them: that of numbers, or of an ordered dtype; None: nominal."""
    dtype = column.dtype
    if is_number(dtype):
        return sorted(categories)
    if not isinstance(dtype, pd.CategoricalDtype) or not dtype.ordered:
        return None
    known = dtype.categories.tolist()
    if not set(categories) <= set(known):
        raise ValueError(f"its dtype has the categories {known}; expected all of the channel's, {list(categories)}")
    return [category for category in known if category in categories]


def equal_count_edges(values: np.ndarray, most: int) -> np.ndarray:
    """Edges of at most so many intervals that hold about as many of the values each.

    Edges lie midway between neighbouring values; no more values than intervals: one value each.

    >>> equal_count_edges(np.array([1.0, 1.0, 2.0, 4.0, 5.0]), 10).tolist()
    [1.5, 3.0, 4.5]
    """
    values = np.sort(values)
    last = np.flatnonzero(values[1:] > values[:-1])
    if len(last) >= most:
        place = (last + 1) * most // len(values)
        last = last[np.diff(place, prepend=0) > 0]
    below, above = values[last], values[last + 1]
    # Halves are added, because the sum of two very large numbers overflows.
    middle = below / 2 + above / 2
    # Between neighbouring floats there is no middle: the upper one is the edge.
    return np.where(middle > below, middle, above)
