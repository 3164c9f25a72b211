# ruff: noqa: ARG005  (what is wrong is often the same, whatever is good)
"""What can be wrong with an argument, kind by kind, and which error it must give; and a good value for every parameter.

The rules. Something of the wrong type is a TypeError, a wrong value of the right type a ValueError. Three cases follow:

- A choice is compared with the choices, whatever its type: anything else is a ValueError.
- What NumPy makes an array of is judged by the array. Its shape is a value (a single thing has no dimension, and so a
  wrong one), the type of its cells is a type.
- What stands in a table or a dict is judged as if it had been given by itself.
"""

from datetime import datetime

import numpy as np
import pandas as pd

from ppdm import disguise, trees

SECRET, SECRET_NUMBER = "s3cret-4711", 8675309.25
KEEP = disguise.KeepOrReplace(keep=0.7, categories=["x", "y", "z"])
HUGE = 10**400  # beyond all floats
LONE = "\ud800"  # half of a character: no text
N = 24
EITHER = (TypeError, ValueError)  # what is wrong has several faults at once


class Thing:
    """Something that no parameter takes."""


def numbers(_=None):
    return np.linspace(20.0, 80.0, N)


def labels(_=None):
    return np.array(["no", "yes", "yes"] * (N // 3))


def words(_=None):
    return ["x", "y", "z"] * (N // 3)


def table(_=None):
    """Two columns of numbers."""
    return pd.DataFrame({"age": numbers(), "pay": numbers()[::-1].copy()})


def bits(_=None):
    """Three columns of 0 and 1, all different."""
    rows = np.arange(N)
    return pd.DataFrame({"a": rows % 2, "b": rows // 2 % 2, "c": rows // 4 % 2})


# Kinds of badness by the family of a parameter: (kind, what is given instead of a good value, the exact error). What is
# given is made from the good value, so that a table is wrong in one cell alone.
ALIENS = [  # no list and no number
    ("None", lambda good: None, TypeError),
    ("object", lambda good: Thing(), TypeError),
    ("class", lambda good: Thing, TypeError),
    ("text", lambda good: "nonsense", TypeError),
    ("surrogate", lambda good: LONE, TypeError),
    ("date", lambda good: datetime(2020, 1, 1), TypeError),
    ("complex", lambda good: 1j, TypeError),
]
NUMBER = [
    *ALIENS,
    ("bool", lambda good: True, TypeError),
    ("list", lambda good: [good], TypeError),
    ("array", lambda good: np.array([1.0, 2.0]), TypeError),
    ("nan", lambda good: float("nan"), ValueError),
    ("inf", lambda good: float("inf"), ValueError),
    ("minus inf", lambda good: -float("inf"), ValueError),
    ("huge", lambda good: HUGE, ValueError),
    ("minus huge", lambda good: -HUGE, ValueError),
]
WHOLE = [
    *ALIENS,
    ("bool", lambda good: True, TypeError),
    ("list", lambda good: [good], TypeError),
    ("fraction", lambda good: 2.5, TypeError),
    ("nan", lambda good: float("nan"), TypeError),
    ("inf", lambda good: float("inf"), TypeError),
    ("negative", lambda good: -3, ValueError),
    ("huge", lambda good: HUGE, ValueError),
]
CHOICE = [
    ("None", lambda good: None, ValueError),
    ("object", lambda good: Thing(), ValueError),
    ("class", lambda good: Thing, ValueError),
    ("unknown", lambda good: "nonsense", ValueError),
    ("surrogate", lambda good: LONE, ValueError),
    ("list", lambda good: [good], ValueError),
    ("number", lambda good: 17.5, ValueError),
    ("array", lambda good: np.array([1, 2]), ValueError),
]
OBJECT = [
    *ALIENS,
    ("number", lambda good: 3, TypeError),
    ("bool", lambda good: True, TypeError),
    ("its class", lambda good: type(good), TypeError),
]
LIST = [*OBJECT, ("empty", lambda good: [], ValueError)]


def with_cell(good, cell, kind=object):
    """The entries with another one at the end."""
    entries = np.array(list(good), dtype=kind)
    entries[-1] = cell
    return entries


def first(good):
    return next(iter(good))


def listed(good, cell):
    return [*list(good)[:1], cell, *list(good)[2:]]


ARRAY = [
    ("None", lambda good: None, ValueError),
    ("object", lambda good: Thing(), ValueError),
    ("class", lambda good: Thing, ValueError),
    ("text", lambda good: SECRET, ValueError),
    ("scalar", lambda good: SECRET_NUMBER, ValueError),
    ("set", lambda good: {1.5, 2.5}, ValueError),
    ("generator", lambda good: (one for one in [1.5]), ValueError),
    ("empty", lambda good: [], ValueError),
    ("two dimensions", lambda good: np.array([list(good)] * 2), ValueError),
    ("three dimensions", lambda good: np.array([[list(good)] * 2] * 2), ValueError),
    ("masked", lambda good: np.ma.array(list(good), mask=np.arange(len(good)) == 1), ValueError),
]
NUMBERS = [
    *ARRAY,
    ("nan", lambda good: with_cell(good, np.nan, float), ValueError),
    ("inf", lambda good: with_cell(good, np.inf, float), ValueError),
    ("cell of text", lambda good: listed(good, SECRET), TypeError),
    ("cell None", lambda good: with_cell(good, None), EITHER),
    ("cell NaT", lambda good: with_cell(good, pd.NaT), EITHER),
    ("cell of a list", lambda good: with_cell(good, [SECRET]), TypeError),
    ("cell beyond floats", lambda good: listed(good, HUGE), TypeError),
    ("cell that floats merge", lambda good: with_cell(np.zeros(len(good)), 2**53 + 1, np.int64), ValueError),
    ("ragged", lambda good: [[SECRET], *list(good)[1:]], ValueError),
    ("booleans", lambda good: np.ones(len(good), bool), TypeError),
    ("dates", lambda good: np.array(["2020-01-01"] * len(good), "M8[D]"), TypeError),
    ("complex", lambda good: np.array(list(good), complex), TypeError),
    ("Series with NA", lambda good: pd.Series(listed(good, None), dtype="Float64"), EITHER),
]
OUTSIDE = [
    ("outside", lambda good: with_cell(good, SECRET_NUMBER, float), ValueError),
    ("far outside", lambda good: with_cell(good, -1e300, float), ValueError),
]
SHARES = [
    ("negative", lambda good: with_cell(good, -0.25, float), ValueError),
    ("all 0", lambda good: np.zeros(len(good)), ValueError),
    ("wrong length", lambda good: [*good, 0.0], ValueError),
]
EDGES = [
    *(kind for kind in NUMBERS if kind[0] not in ("cell that floats merge",)),
    ("one edge", lambda good: [1.0], ValueError),
    ("decreasing", lambda good: list(good)[::-1], ValueError),
    ("equal", lambda good: [first(good)] * 3, ValueError),
]
TOO_MANY = [("too many", lambda good: np.linspace(good[0], good[-1], 10**6), ValueError)]
# A number or an array of any shape; no list of edges.
POINTS = [
    *ALIENS,
    ("text of data", lambda good: SECRET, TypeError),
    *(kind for kind in NUMBERS if kind not in ARRAY),
]
COLUMN = [  # an array or a Series, whose type says what it is
    *((name, make, TypeError) for name, make, _ in ARRAY if "dimensions" not in name and name != "masked"),
    *(kind for kind in ARRAY if "dimensions" in kind[0] or kind[0] == "masked"),
    *(
        kind
        for kind in NUMBERS
        if kind not in ARRAY and kind[0] not in ("booleans", "ragged", "cell beyond floats")
    ),
]
GRID = [  # shares over the cells of a grid
    ("text", lambda good: SECRET, ValueError),
    ("scalar", lambda good: SECRET_NUMBER, ValueError),
    ("one dimension", lambda good: good[0], ValueError),
    ("negative", lambda good: good - 1, ValueError),
    ("nan", lambda good: good * np.nan, ValueError),
    ("too large", lambda good: good * 2, ValueError),
    ("cells of text", lambda good: good.astype(str), TypeError),
    ("masked", lambda good: np.ma.array(good, mask=good > 0), ValueError),
]
MATRIX = [
    *(kind for kind in ARRAY if kind[0] not in ("two dimensions", "masked")),
    ("one dimension", lambda good: [0.5, 0.5], ValueError),
    ("masked", lambda good: np.ma.array(good, mask=np.eye(2)), ValueError),
    ("nan", lambda good: np.array(good) * [np.nan, 1], ValueError),
    ("inf", lambda good: np.array(good) * [np.inf, 1], ValueError),
    ("negative", lambda good: -np.array(good), ValueError),
    ("cells of text", lambda good: np.array(good).astype(str), TypeError),
    ("cells of lists", lambda good: with_cell([0, 0, 0, 0], [SECRET]).reshape(2, 2), TypeError),
    ("ragged", lambda good: [[0.5, 0.5], [1.0]], ValueError),
    ("transposed", lambda good: [[0.9, 0.6], [0.1, 0.4]], ValueError),
    ("rows that do not sum to 1", lambda good: [[1.6, 0.4], [0.6, 1.4]], ValueError),
]
WORDS = [  # of some categories
    *ARRAY,
    ("unknown", lambda good: listed(good, SECRET), ValueError),
    ("unknown in a Series", lambda good: pd.Series(listed(good, SECRET)), ValueError),
    ("cell NaN", lambda good: listed(good, float("nan")), ValueError),
    ("cell None", lambda good: listed(good, None), ValueError),
    ("cell NaT", lambda good: with_cell(good, pd.NaT), ValueError),
    ("cell of a list", lambda good: with_cell(good, [SECRET]), EITHER),
    ("cell of a dict", lambda good: with_cell(good, {SECRET: 1}), EITHER),
    ("ragged", lambda good: [[SECRET], *list(good)[1:]], ValueError),
    ("surrogate", lambda good: listed(good, LONE), ValueError),
    ("unknown number", lambda good: listed(good, SECRET_NUMBER), ValueError),
]
CLASSES = [  # of each record
    *(kind for kind in ARRAY if kind[0] not in ("set", "two dimensions")),
    ("two columns", lambda good: np.array([list(good)] * 2).T, ValueError),
    ("wrong length", lambda good: list(good)[1:], ValueError),
    ("NaN in a list", lambda good: listed([SECRET] * len(good), float("nan")), ValueError),
    ("None in a list", lambda good: listed([SECRET] * len(good), None), ValueError),
    ("NaN in objects", lambda good: with_cell([SECRET] * len(good), np.nan), ValueError),
    ("NaT", lambda good: with_cell([SECRET] * len(good), pd.NaT), ValueError),
    ("NA in a Series", lambda good: pd.Series(listed([SECRET] * len(good), pd.NA), dtype="string"), ValueError),
    ("NaN in a Series", lambda good: pd.Series(listed([SECRET_NUMBER] * len(good), np.nan)), ValueError),
    ("NaN in a category", lambda good: pd.Series(listed(good, None), dtype="category"), ValueError),
    ("NaN in numbers", lambda good: with_cell([1.0] * len(good), np.nan, float), ValueError),
    (
        "masked numbers",
        lambda good: np.ma.array([0, 1] * (len(good) // 2), mask=np.arange(len(good)) < 3),
        ValueError,
    ),
    ("masked texts", lambda good: np.ma.array([SECRET] * len(good), mask=np.arange(len(good)) < 3), ValueError),
    ("cells of lists", lambda good: with_cell(good, [SECRET]), TypeError),
    ("cells of dicts", lambda good: with_cell(good, {SECRET: 1}), TypeError),
]
MANY_CLASSES = [("one class", lambda good: [SECRET] * len(good), ValueError)]
NO_FRAME = [
    *OBJECT,
    ("dict", lambda good: {"age": [1.0]}, TypeError),
    ("frame class", lambda good: pd.DataFrame, TypeError),
    ("Series", lambda good: good.iloc[:, 0], TypeError),
    ("array", lambda good: good.to_numpy(), TypeError),
]
FRAME = [
    ("no rows", lambda good: good.iloc[:0], ValueError),
    ("no columns", lambda good: good.iloc[:, :0], ValueError),
    ("duplicated column", lambda good: pd.concat([good, good.iloc[:, :1]], axis=1), ValueError),
]


def other_cells(good, entries):
    """The table with other entries in its first column."""
    return good.assign(**{good.columns[0]: entries})


def kind_of_cells(kind, make, error):
    return kind, lambda good: other_cells(good, make(good.iloc[:, 0])), error


MISSING_COLUMN = [
    ("missing column", lambda good: good.rename(columns={good.columns[0]: "elsewhere"}), ValueError)
]
CELLS = [
    kind_of_cells("cell NaN", lambda own: with_cell(own, np.nan, float), ValueError),
    kind_of_cells("cell inf", lambda own: with_cell(own, np.inf, float), ValueError),
    kind_of_cells("cell of text", lambda own: with_cell(own, SECRET), EITHER),
    kind_of_cells("cell of a list", lambda own: with_cell(own, [SECRET]), EITHER),
    kind_of_cells("cell of a dict", lambda own: with_cell(own, {SECRET: 1}), EITHER),
    kind_of_cells("cell NaT", lambda own: with_cell(own, pd.NaT), EITHER),
    kind_of_cells("NA", lambda own: pd.array(listed(own, None), "Float64"), ValueError),
    kind_of_cells("dates", lambda own: pd.date_range("2020", periods=len(own)), EITHER),
    kind_of_cells("complex", lambda own: own.to_numpy(complex), EITHER),
]
# Columns that are not numbers, which a tree can learn from, and which must not come where numbers were learnt.
TEXT_COLUMN = [kind_of_cells("column of text", lambda own: [SECRET] * len(own), TypeError)]
DOMAIN = [kind_of_cells("cell outside", lambda own: with_cell(own, SECRET_NUMBER, float), ValueError)]
MERGED = [
    kind_of_cells("cell that floats merge", lambda own: with_cell(own * 0, 2**53 + 1, np.int64), ValueError)
]
CELLS_OF_BITS = [kind for kind in CELLS if kind[0] not in ("NA", "complex")]  # 1 + 0j is 1
GROUP = [
    kind_of_cells("unknown", lambda own: with_cell(own, SECRET_NUMBER, float), ValueError),
    kind_of_cells("unknown text", lambda own: [SECRET] * len(own), EITHER),
]
MAPPING = [
    *OBJECT,
    ("empty", lambda good: {}, ValueError),
    ("list of pairs", lambda good: [*good.items()], TypeError),
]
UNKNOWN_KEY = [("unknown column", lambda good: {**good, "elsewhere": next(iter(good.values()))}, ValueError)]
NAMES = [
    *LIST,
    ("twice", lambda good: [*good, first(good)], ValueError),
    ("unhashable", lambda good: [["nonsense"], *good], EITHER),
]
CHANNELS = [
    *(kind for kind in OBJECT if kind[0] != "None"),
    ("channel class", lambda good: disguise.UniformNoise, TypeError),
    ("empty", lambda good: {}, ValueError),
    ("dict of numbers", lambda good: dict.fromkeys(good if isinstance(good, dict) else ["a"], 3), TypeError),
    ("dict of classes", lambda good: {first(good) if isinstance(good, dict) else "a": Thing}, TypeError),
]
OF_A_TABLE = [("unknown column", lambda good: {"elsewhere": KEEP}, ValueError)]
SEED = [kind for kind in WHOLE if kind[0] not in ("None", "huge")]
TEXT = [
    ("None", lambda good: None, TypeError),
    ("object", lambda good: Thing(), TypeError),
    ("number", lambda good: 5, TypeError),
    ("list", lambda good: ["a"], TypeError),
]
NUMERIC_FRAME = [*NO_FRAME, *FRAME, *MISSING_COLUMN, *CELLS]
BIT_FRAME = [*NO_FRAME, *FRAME, *MISSING_COLUMN, *CELLS_OF_BITS, *GROUP]
RECORDS = [  # a table or an array
    ("None", lambda good: None, ValueError),
    ("object", lambda good: Thing(), ValueError),
    ("class", lambda good: pd.DataFrame, ValueError),
    ("text", lambda good: SECRET, ValueError),
    ("scalar", lambda good: SECRET_NUMBER, ValueError),
    ("set", lambda good: {SECRET}, ValueError),
    ("empty", lambda good: [], ValueError),
    ("one dimension", lambda good: good.iloc[:, 0].to_numpy(), ValueError),
    ("three dimensions", lambda good: np.array([good.to_numpy()] * 2), ValueError),
    ("masked", lambda good: np.ma.array(good.to_numpy(), mask=good.to_numpy() > 50), ValueError),
    ("ragged", lambda good: [[SECRET_NUMBER], [1.0, 2.0]], ValueError),
    *FRAME,
    *CELLS,
    *MERGED,
]
FAMILIES = {
    "free": [],  # a name for messages, or whatever a user likes
    "number": NUMBER,
    "whole": WHOLE,
    "unbounded": [kind for kind in WHOLE if kind[0] != "huge"],
    "flag": CHOICE,
    "choice": CHOICE,
    "object": OBJECT,
    "numbers": NUMBERS,
    "values": NUMBERS + OUTSIDE,
    "shares": NUMBERS + SHARES,
    "counts": NUMBERS + SHARES,
    "edges": EDGES,
    "edges of a matrix": EDGES + TOO_MANY,
    "points": POINTS,
    "points of the domain": POINTS + OUTSIDE,
    "column": COLUMN,
    "grid": GRID,
    "matrix": MATRIX,
    "densities": [kind for kind in MATRIX if kind[0] not in ("transposed", "rows that do not sum to 1")],
    "words": WORDS,
    "classes": CLASSES + MANY_CLASSES,
    "seen classes": CLASSES,
    "frame": NO_FRAME + FRAME,
    "numeric frame": NUMERIC_FRAME,
    "domain frame": NUMERIC_FRAME + DOMAIN,
    "bit frame": BIT_FRAME,
    "records": RECORDS,
    "known records": RECORDS + MISSING_COLUMN + TEXT_COLUMN,
    "mapping": MAPPING,
    "of columns": MAPPING + UNKNOWN_KEY,
    "names": NAMES,
    "list": LIST,
    "channels": CHANNELS,
    "channels of a table": CHANNELS + OF_A_TABLE,
    "model": [*OBJECT, ("unfitted", lambda good: trees.GiniTreeClassifier(), TypeError)],
    "seed": SEED,
    "text": TEXT,
}
