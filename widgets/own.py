"""Your own data: checked for each explorer, with words for what cannot be taken."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
import pandas as pd
from pandas.api.types import infer_dtype, is_list_like

from ppdm import checks
from ppdm.data import load

OWN = "own data"
MAX_STEPS = 1_000  # a wider range of whole numbers in a table is taken as continuous
MIN_RECORDS, MAX_CLASSES = 30, 7
OF_EACH = 3  # records of a class: one is held out, and at least one is learnt from
MIN_ANSWERS, MAX_COLUMNS = 12, 20  # records and columns of a table of 0 and 1
MOST_RELEASED = 5_000  # records of a table to release; of more a sample is taken, because a panel has to be quick


@dataclass(frozen=True, eq=False, repr=False)
class OwnRecords:
    """Records to learn from; their numbers are disguised, each on the range that it has."""

    X: pd.DataFrame
    y: np.ndarray

    @classmethod
    def of(cls, own) -> Self:
        """The records, checked: a frame with two columns of numbers or more, and two classes or more."""
        X, y = classed_records(own)
        for name in X.columns:
            _check_attribute(name, X[name])
        found = cls(X, y)
        numbers = len(found.domains)
        if numbers < 2:
            raise ValueError(f"own[0] has {numbers} columns of numbers; expected two or more, for the plane")
        return found

    @cached_property
    def domains(self) -> dict[Any, dict[str, Any]]:
        """The low, high and step of each number; whole numbers over a short range stay whole."""
        found: dict[Any, dict[str, Any]] = {}
        for name in [name for name, dtype in self.X.dtypes.items() if checks.is_number(dtype)]:
            low, high = float(self.X[name].min()), float(self.X[name].max())
            whole = self.X[name].dtype.kind in "iu" and high - low <= MAX_STEPS
            found[name] = {"low": low, "high": high, "step": 1 if whole else None}
        return found


def classed_records(own) -> tuple[pd.DataFrame, np.ndarray]:
    """Copies of a frame and of a class for each record, checked: 30 records or more, 2 to 7 classes, three of each."""
    first, second = _pair(own, ": a frame, and a class for each record")
    X, y = checks.frame("own[0]", first), _labels(second)
    checks.same_length("own[0]", X, "own[1]", y)
    if len(X) < MIN_RECORDS:
        raise ValueError(f"own has {len(X)} records; expected at least {MIN_RECORDS}, a third to test on")
    classes, counts = np.unique(y, return_counts=True)
    if not 2 <= len(classes) <= MAX_CLASSES:
        raise ValueError(f"own[1] has {len(classes)} different classes; expected 2 to {MAX_CLASSES}")
    if counts.min() < OF_EACH:
        number = "1 record" if counts.min() == 1 else f"{counts.min()} records"
        rare = f"{number} of the class {classes.tolist()[int(counts.argmin())]!r}"
        raise ValueError(f"own[1] has {rare}; expected at least {OF_EACH} of each class")
    if infer_dtype(X.columns) not in ("string", "integer"):
        raise TypeError(f"own[0] has the columns {list(X.columns)}; expected texts, or whole numbers")
    return X.reset_index(drop=True).copy(), y.copy()


def _pair(own, parts):
    """What is given as own data, if it has two parts; ``parts`` says which."""
    if not isinstance(own, (tuple, list)) or len(own) != 2:
        raise TypeError(f"own is a {type(own).__name__}; expected a pair{parts}")
    return own


def _labels(y):
    """The class of each record, checked to be of one kind: NumPy would take a list of text and numbers as text."""
    asked = np.asarray(y, dtype=object) if isinstance(y, (tuple, list)) else y
    labels = checks.labels("own[1]", asked)
    kind, expected = infer_dtype(labels), "classes that are all text, all whole numbers or all booleans"
    if kind not in ("string", "boolean", "integer", "floating", "mixed-integer-float"):
        several = "values of several kinds" if kind.startswith("mixed") else f"{kind} values"
        raise TypeError(f"own[1] holds {several}; expected {expected}")
    if "float" in kind and (labels.astype(float) % 1 != 0).any():
        raise ValueError(f"own[1] holds fractions; expected {expected}")
    return np.array(list(y))


def _check_attribute(name, column):
    """Refuse a column that can neither be disguised nor stay as it is."""
    if not checks.is_number(column.dtype):
        checks.none_missing(f"own[0][{name!r}]", column)
        kind = infer_dtype(column)
        if kind not in ("string", "boolean", "categorical"):
            expected = "numbers, text, booleans or a category dtype: convert it, or leave it out"
            raise TypeError(f"own[0][{name!r}] holds {kind} values; expected {expected}")
        return
    values = checks.vector(f"own[0][{name!r}]", column)
    if values.min() == values.max():
        raise ValueError(f"own[0][{name!r}] is always {values[0]:g}; expected two values or more: drop it")


def own_answers(own) -> tuple[pd.DataFrame, str]:
    """A table of 0 and 1 with its class last, checked to be one that can be disguised in groups and learnt from."""
    table, target = _pair(own, ", (a table of 0 and 1, the name of its class)")
    frame = checks.frame("own", table)
    for name, column in frame.items():
        # Names are written in a list, a line for each group.
        if not isinstance(name, str) or not name or name != name.strip() or "," in name or "\n" in name:
            raise ValueError(f"own has the column {name!r}; expected a text without commas, lines, outer spaces")
        values = set(column.unique())
        if values != {0, 1}:
            shown, wanted = sorted(map(str, values))[:5], "0 and 1, both: convert it, or leave it out"
            raise ValueError(f"own's column {name!r} holds {shown}; expected {wanted}")
    checks.choice("own's target", target, frame.columns)
    if not 2 <= len(frame.columns) <= MAX_COLUMNS:
        raise ValueError(f"own has {len(frame.columns)} columns; expected 2 to {MAX_COLUMNS}, with the class")
    if len(frame) < MIN_ANSWERS:
        raise ValueError(f"own has {len(frame)} records; expected at least {MIN_ANSWERS}")
    return frame[[name for name in frame if name != target] + [target]].astype(np.int8), target


def table_to_release(own) -> tuple[pd.DataFrame, str, str]:
    """A table with its class last, the name of that, and the code for it. None: Pima, the table of LSL03 §4.

    What the columns hold is for a specification to judge.
    """
    if own is None:
        pima = load("pima")
        code = 'from ppdm.data import load\n\npima = load("pima")\ntable = pima.X.join(pima.y)'
        return pima.X.join(pima.y), "class", code
    first, second = _pair(own, ": a frame, and a class for each record")
    if isinstance(second, str):
        way = f"own=(frame.drop(columns={second!r}), frame[{second!r}])"
        raise TypeError(f"own[1] is {second!r}; expected a class for each record, as in {way}")
    X, y = checks.frame("own[0]", first), _labels(second)
    checks.same_length("own[0]", X, "own[1]", y)
    if len(X) < MIN_RECORDS:
        raise ValueError(f"own has {len(X)} records; expected at least {MIN_RECORDS}")
    for name, column in X.items():
        if not isinstance(name, str):
            raise TypeError(f"own[0] has the column {name!r}; expected a text, as columns.map(str) makes it")
        if column.dtype == object and column.map(is_list_like).any():
            raise TypeError(f"own[0][{name!r}] holds lists or the like; expected one value for each record")
    target = str("class" if getattr(second, "name", None) is None else second.name)
    if target in X:
        raise ValueError(f"own[0] has the column {target!r}, as the class is called; expected another name")
    table = X.reset_index(drop=True).assign(**{target: y})
    code = f"table = own[0].reset_index(drop=True).assign(**{{{target!r}: [*own[1]]}})"
    if len(X) <= MOST_RELEASED:
        return table, target, code
    some = f".sample({MOST_RELEASED}, random_state=0)"
    return table.sample(MOST_RELEASED, random_state=0), target, code + some


def own_column(column, bounds) -> tuple[np.ndarray, dict[str, Any]]:
    """The values of a column of numbers, and their domain; whole numbers within whole bounds stay whole."""
    if column is None:
        expected = "expected a column of your own that they bound"
        raise ValueError(f"bounds is {bounds!r}, but own is None; {expected}")
    values = checks.vector("own", column)
    if len(np.unique(values)) < 2:
        raise ValueError(f"own holds {len(values)} values, all the same; expected at least two different numbers")
    ends = np.array([values.min(), values.max()]) if bounds is None else checks.vector("bounds", bounds)
    if len(ends) != 2 or not ends[0] < ends[1]:
        raise ValueError(f"bounds is {bounds!r}; expected two numbers, the lowest and the highest possible value")
    low, high = ends.tolist()
    outside = (values < low) | (values > high)
    checks.none_wrong("own", values, outside, f"outside bounds, [{low:g}, {high:g}]", "values within")
    whole = all(np.array_equal(part, np.round(part)) for part in (values, ends))
    return values, {"low": low, "high": high, "step": 1.0 if whole and high - low <= 1e7 else None}
