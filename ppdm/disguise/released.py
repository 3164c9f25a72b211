"""What transformers of a table share: how it comes in, what is wrong with it, and what else of it would tell.

That are its order, index, labels and notes.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pandas as pd
from pandas.api.types import infer_dtype, is_any_real_numeric_dtype
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import validate_data

from ppdm import checks, randomness
from ppdm.disguise.parts import Group

# A column goes with the rows where neighbours are nearer than by chance: by a tenth, and by five standard errors.
NEARER, SURE = 0.9, 5.0
SEEDED = "seeded, for study only"
KINDS = {"string": "text", "categorical": "categories", "datetime64": "dates"}
VERB = re.compile(r" (is|has|holds|does|names|reaches|leaves?) ")


class Fault(NamedTuple):
    """What is wrong in a specification; never a value of the data.

    Attributes
    ----------
    where : "known", "columns.age.privacy"
    seen : what was given; where it does not go on after "is", with a verb of its own: "has 3 missing (NaN)"
    expected : what would be right

    >>> print(Fault("known", "'agee'", "columns of the table (did you mean 'age'?)"))
    known is 'agee'; expected columns of the table (did you mean 'age'?)
    """

    where: str
    seen: str
    expected: str

    @classmethod
    def of(cls, where, error) -> "Fault":
        """What a check says of this place: "NAME is SEEN; expected WHAT"."""
        told, _, expected = str(error).partition("; expected ")
        if isinstance(error, TypeError) and not expected:  # pandas' own, of what has no hash
            return cls(where, "holds lists or the like", "text, numbers, True or False")
        verb = VERB.search(told.removeprefix(where))
        seen = verb.string[verb.start() + 1 :] if verb else told
        return cls(where, seen.removeprefix("is "), expected or "values that the action can take")

    def __str__(self):
        verb = "" if VERB.match(f" {self.seen}") else "is "
        return f"{self.where} {verb}{self.seen}; expected {self.expected}"


class SpecificationError(ValueError):
    """A specification, or the table that it is for, has faults; the message has a line for each.

    Parameters
    ----------
    faults : list of (where, seen, expected), which stays an attribute
    """

    def __init__(self, faults):
        super().__init__(faults)
        self.faults = [*faults]

    def __str__(self):
        count = f"{len(self.faults)} fault{'s' * (len(self.faults) != 1)}"
        lines = [f"{place}. {fault}" for place, fault in enumerate(self.faults, 1)]
        return "\n".join([f"the specification has {count}:", *lines])

    def frame(self) -> pd.DataFrame:
        """The faults as a table, with the columns where, seen and expected."""
        return pd.DataFrame(self.faults)


def refuse(faults) -> None:
    """Raise the first of some faults, if there is one."""
    for fault in faults:
        raise ValueError(str(fault))


def some(X, wrong, what, expected) -> Iterator:
    """The fault that values are marked as wrong, with their number and the row of the first one, counted from 0."""
    rows = np.flatnonzero(wrong)
    if len(rows):
        yield Fault(named(X), f"has {len(rows)} of {len(X)} {what}, first in row {rows[0]}", expected)


def named(X) -> str:
    """A column, as errors call it."""
    return f"column {X.name!r}"


def no_numbers(X) -> Iterator:
    """The fault that a column does not hold numbers, or that it holds some with which nobody can calculate."""
    if is_any_real_numeric_dtype(X.dtype):
        values = _floats(X)
        large = abs(values) >= (2**53 if X.dtype.kind in "iu" else np.inf)
        what = "infinite numbers, or whole ones of 2^53 and more"
        yield from some(X, large, what, "finite numbers, which floats can tell apart")
    else:
        kind = infer_dtype(X)
        expected = "numbers: convert it, or take another action"
        yield Fault(named(X), f"holds {KINDS.get(kind, f'{kind} values')} (dtype {X.dtype})", expected)


def numbers(X) -> np.ndarray:
    """The column as floats, if it holds numbers, of which some may be missing."""
    refuse(no_numbers(X))
    return _floats(X)


def _floats(X):
    return X.to_numpy(float, na_value=np.nan)


def known_only(X, known, declared=()) -> np.ndarray:
    """The places of values among the known ones, if none is unknown; −1 of missing ones. Errors show declared ones."""
    places = checks.places(named(X), X, list(known))
    unknown = (places < 0) & X.notna().to_numpy()
    if unknown.any():
        expected = f"values that were there in the fit, or are declared{as_text(declared, set(X[unknown]))}"
        refuse(some(X, unknown, "unknown values", expected))
    return places


def as_text(given, seen) -> str:
    """How a message goes on where a column has given values as text: TOML tells 0 and "0" apart."""
    texts = [f'"{value}"' for value in given if not isinstance(value, str) and str(value) in seen]
    return f", as text: {', '.join(texts)}" if texts else ""


def labelled(name, y, frame) -> pd.Series:
    """The class of each record of a table, with its index."""
    labels = checks.labels(name, y)
    checks.same_length(name, labels, "X", frame)
    given = y if isinstance(y, pd.Series) else pd.Series(labels)
    return given.set_axis(frame.index)


def ends(action, X) -> tuple:
    """The ends that are declared, or else those of the data, if no value is outside of them."""
    values = numbers(X)
    if None not in (action.low, action.high) and action.low > action.high:
        raise ValueError(f"low is {action.low:g}, above high; expected low below high")
    low = np.nanmin(values) if action.low is None else action.low
    high = np.nanmax(values) if action.high is None else action.high
    outside = (values < low) | (values > high)
    refuse(some(X, outside, "values outside of low and high", "ends that hold all values"))
    return low, high


def lost(name) -> ValueError:
    """The error that rounding takes the noise away."""
    return ValueError(f"{name} is too small: most values would stay as they are; expected more noise")


class TableTransformer(TransformerMixin, BaseEstimator):
    """A transformer that takes a DataFrame or an array, and that says if its random numbers can be repeated."""

    def __repr__(self, N_CHAR_MAX=700):
        return super().__repr__(N_CHAR_MAX) + ("" if self.random_state is None else f"  # {SEEDED}")

    def _html_repr(self):
        note = "" if self.random_state is None else f"<p>{SEEDED}</p>"
        return super()._html_repr() + note

    def _numbers_alone(self):
        """Whether a table must have numbers alone."""
        return False

    def _frame(self, X, reset):
        """The table as a frame with the columns of ``fit``, after scikit-learn's checks and ours."""
        if isinstance(X, pd.DataFrame):
            checks.frame("X", X)
            validate_data(self, X, reset=reset, skip_check_array=True)
            if not reset and list(X.columns) != self._columns:
                raise ValueError(f"X has the columns {list(X.columns)}; expected those of fit, {self._columns}")
            return X
        numeric = self._numbers_alone()
        checks.rows("X", X, numeric=numeric)
        if np.iscomplexobj(np.asarray(X)):  # scikit-learn would show its values
            raise ValueError("X holds complex numbers; expected real ones (Complex data not supported)")
        kind = "numeric" if numeric else None
        array = validate_data(self, X, reset=reset, dtype=kind, ensure_all_finite=False)
        frame = pd.DataFrame(array).infer_objects()
        return frame if reset else frame.set_axis(self._columns, axis=1)


def hashed(column) -> np.ndarray:
    """A number for each value, by which a stream tells tables apart."""
    try:
        return pd.util.hash_pandas_object(column, index=False).to_numpy()
    except (TypeError, ValueError):  # of lists and the like, and of tuples beside numbers
        return hashed(column.map(repr))


def places(column) -> np.ndarray:
    """A number for each value, in their order; missing where a value is, or where they have no order."""
    if is_any_real_numeric_dtype(column.dtype):
        # Beyond that the square of a number is none.
        return _floats(column).clip(-1e100, 1e100)
    try:
        codes = pd.factorize(column, sort=True)[0]
    except TypeError:  # of values without an order
        codes = np.full(len(column), -1)
    return np.where(codes < 0, np.nan, codes)


def row_warnings(columns, index, told) -> list:
    """A warning for each column, given with its values, that the order of the rows or of a unique index gives away.

    ``told``: what that order does, and the way out.
    """
    orders: dict = {"row number": slice(None)}
    if index.is_unique and not index.is_monotonic_increasing:
        with suppress(TypeError):  # of labels that have no order
            orders["index"] = np.argsort(index, kind="stable")
    return [
        f"column {name!r} goes with the {what}: {told}"
        for name, values in columns
        for what, order in orders.items()
        if _goes_with_rows(values[order])
    ]


def _goes_with_rows(values):
    """Whether neighbouring values are nearer to each other than in a random order (von Neumann's ratio, 1941)."""
    values = values[~np.isnan(values)].astype(float)
    spread = values.var() if len(values) > 1 else 0
    if not spread > 0:
        return False
    nearness = np.mean(np.diff(values) ** 2) / (2 * spread)  # 1 on average, with a standard error of 1 / √n
    return nearness < NEARER and (1 - nearness) * len(values) ** 0.5 > SURE


def _used(index):
    """An index with the labels that it shows, and no others that it remembers."""
    if isinstance(index, pd.MultiIndex):
        return index.remove_unused_levels()
    return index.remove_unused_categories() if isinstance(index, pd.CategoricalIndex) else index


def bare(frame) -> pd.DataFrame:
    """A table's index, names and values, and nothing else of it."""
    released = pd.DataFrame(frame).copy(deep=False)
    released.attrs = {}
    for name in frame.select_dtypes("category"):  # a category that no record has may be somebody's name
        released[name] = frame[name].cat.remove_unused_categories()
    released.index, released.columns = _used(frame.index), _used(frame.columns)
    return released


def disguised(parts, frame, codes, source, keyed=None) -> pd.DataFrame:
    """The table with the parts' columns released: its index, names and values, and nothing else of it.

    ``codes``: of the true records, for each part; ``source``: a generator, or None for the system's secure source;
    ``keyed``: what makes the numbers of a part from its codes, instead of chance.
    """
    numbers = _fresh(parts, len(frame), source) if keyed is None else map(keyed, parts, codes)
    released = bare(frame)
    for part, own, uniforms in zip(parts, codes, numbers):
        for column, seen in zip(part.columns, part.draw(own, uniforms).T):
            released[column] = part.channels[column].decode(seen, frame[column])
    return released


def _fresh(parts, records, source):
    """Uniform numbers for each part in turn: a row for each record, a number for each purpose."""
    if not any(isinstance(part, Group) for part in parts):
        for part in parts:
            yield randomness.uniform(records, source, part.two_ended)[:, None]
        return
    # A record's numbers for all groups are drawn in a row: first one for each, then what they take beyond that.
    beyond = [len(part.purposes) - 1 for part in parts]
    ends = np.cumsum([len(parts), *beyond])
    rows = randomness.uniform(records * ends[-1], source).reshape(records, -1)
    for place, (start, end) in enumerate(pairwise(ends)):
        yield rows[:, [place, *range(start, end)]]
