"""A table disguised by columns or in groups: afresh at every call, or for each entity once and for all (AS00 §2)."""

import numbers
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from ppdm import checks, randomness
from ppdm.disguise.channel import Channel, NumericChannel, channels_by_column
from ppdm.disguise.grouped import GroupedResponse

SHORTEST_KEY = 16  # bytes


class Disguise(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """A transformer, with scikit-learn's conventions, from true tables to disguised ones.

    Parameters
    ----------
    channels : a dict from columns (positions, for an array) to their channels, others pass as they are; or one channel
        for all columns; or a GroupedResponse
    random_state : None, for a release, takes the system's secure source; a seed, a Generator or a RandomState repeats a
        study. What it starts in ``fit`` goes on from call to call, so that no two calls of ``transform`` add the same
        noise; fitted again with the same seed, or copied, it adds the same noise again.
    key : secret bytes, 16 or more, as from ``secrets.token_bytes(32)``: an entity gets the same disguised value always
    entity : the column that says whose record it is, by whole numbers or text. It is released as it is: it identifies
        people, so drop or replace it before the table leaves the house.

    Disguise first and then fit: a pipeline of both would disguise the records that it predicts, too.

    Fresh noise at every request averages out; with a key, asking again tells nothing new. The noise then follows from
    key, entity, column, channel *and true value*, and is fresh where one of them changes: the same noise on two values
    would give away their exact difference, and at two scales the value itself. The price: who sees both releases knows
    whether the true value changed. Of grouped answers it follows from all true values of the group. Who has the key can
    undo the disguise; a pickle holds it, a print does not.

    Attributes
    ----------
    channels_ : dict from each disguised column to its channel; of grouped answers, to what it goes through by itself

    >>> from ppdm.disguise import UniformNoise
    >>> table = pd.DataFrame({"id": [7, 8, 7], "age": [30, 30, 30], "town": ["Ayr", "Bern", "Ayr"]})
    >>> ages = {"age": UniformNoise(half_width=25, low=20, high=80, step=1)}
    >>> Disguise(ages, random_state=1).fit_transform(table)["age"].tolist()
    [22, 36, 30]
    >>> Disguise(ages, key=b"sixteen or more: secret", entity="id").fit_transform(table)["age"].tolist()
    [11, 25, 11]
    """

    def __init__(
        self,
        channels: Mapping[Any, Channel] | Channel | GroupedResponse,
        random_state: Any = None,
        key: bytes | None = None,
        entity: Any = None,
    ) -> None:
        self.channels = channels
        self.random_state = random_state
        self.key = key
        self.entity = entity

    def __setattr__(self, name: str, value: Any) -> None:
        # What prints an estimator, or a pipeline with it, prints its parameters.
        super().__setattr__(name, _Secret(value) if name == "key" and type(value) is bytes else value)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.non_deterministic = self.key is None
        return tags

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002
        """Check parameters and table, and start the stream; nothing is learnt. X: a DataFrame or an array."""
        stream = self._started()
        frame = self._frame(X, reset=True)
        self._grouped = self.channels if isinstance(self.channels, GroupedResponse) else None
        self.channels_ = self._by_column(frame.columns)
        self._checked(frame)
        self._columns = list(frame.columns)
        self._stream = stream
        return self

    def transform(self, X: Any) -> Any:
        """The table disguised, all of it checked first: a DataFrame for a DataFrame, else an array."""
        check_is_fitted(self)
        frame = self._frame(X, reset=False)
        true = self._checked(frame)
        owners = None if self.key is None else _Owners(frame[self.entity], self.key)
        if self._grouped is None:
            released = self._by_columns(frame, true, owners)
        else:
            released = self._grouped.release(frame, self._group_uniforms(self._grouped, true, owners))
        return released if isinstance(X, pd.DataFrame) else released.to_numpy()

    def _by_columns(self, frame: pd.DataFrame, true: dict[Any, np.ndarray], owners: "_Owners | None") -> pd.DataFrame:
        released = frame.copy(deep=False)
        for column, channel in self.channels_.items():
            if owners is None:
                uniforms = randomness.uniform(len(frame), self._stream)
            else:
                uniforms = owners.uniforms(f"{column!r} {channel!r}", true[column])
            released[column] = channel._like(frame[column], channel._released(true[column], uniforms))
        return released

    def _group_uniforms(
        self, channel: GroupedResponse, true: dict[Any, np.ndarray], owners: "_Owners | None"
    ) -> np.ndarray:
        """The numbers that ``GroupedResponse.release`` takes."""
        records = len(next(iter(true.values())))
        if owners is None:
            return randomness.uniform(records * channel.n_uniforms, self._stream).reshape(records, -1)
        numbers, others = [], []
        for theta, group in channel.parts:
            members = sorted(group, key=repr)  # however they are listed, they are the same group
            part = GroupedResponse(theta, [members], {column: channel.answers[column].categories for column in members})
            values = np.column_stack([true[column] for column in members])
            numbers.append(owners.uniforms(repr(part), values))
            wide = [column for column in group if channel.answers[column].k > 2]
            others += [owners.uniforms(f"{column!r} {part!r}", values) for column in wide]
        return np.column_stack(numbers + others)

    def _started(self) -> np.random.Generator | None:
        """The stream that random_state stands for, if the parameters go together."""
        if (self.key is None) != (self.entity is None):
            raise ValueError("key and entity go together: give both, or neither for fresh noise at every call")
        if self.key is not None:
            if not isinstance(self.key, bytes):
                raise TypeError(f"key is of type {type(self.key).__name__}; expected bytes")
            if len(self.key) < SHORTEST_KEY:
                raise ValueError(f"key has {len(self.key)} bytes; expected {SHORTEST_KEY} or more, drawn by chance")
            if self.random_state is not None:
                raise ValueError(f"random_state is {self.random_state!r}; expected None: the noise follows from key")
        if isinstance(self.random_state, np.random.RandomState):
            return np.random.default_rng(self.random_state.randint(2**32, size=4, dtype=np.uint32))
        return randomness.stream(self.random_state, "random_state")

    def _frame(self, X: Any, reset: bool) -> pd.DataFrame:
        """The table as a frame with the columns of ``fit``, after scikit-learn's checks and ours."""
        if isinstance(X, pd.DataFrame):
            checks.frame("X", X)
            validate_data(self, X, reset=reset, skip_check_array=True)
            if not reset and list(X.columns) != self._columns:
                raise ValueError(f"X has the columns {list(X.columns)}; expected those of fit, {self._columns}")
            return X
        numbers = isinstance(self.channels, NumericChannel) and self.entity is None
        array = validate_data(self, X, reset=reset, dtype="numeric" if numbers else None, ensure_all_finite=False)
        frame = pd.DataFrame(array).infer_objects()
        return frame if reset else frame.set_axis(self._columns, axis=1)

    def _by_column(self, columns: pd.Index) -> dict[Any, Channel]:
        """The channel of each disguised column, in the table's order."""
        if self.entity is not None:
            checks.columns("entity", [self.entity], columns)
        if self._grouped is not None:
            checks.columns("groups", self._grouped.columns, columns)
            given: dict[Any, Channel] = {c: self._grouped.answers[c] for c in columns if c in self._grouped.answers}
        else:
            single = isinstance(self.channels, Channel)
            given = channels_by_column(self.channels, [c for c in columns if not single or c != self.entity])
        if not given:
            raise ValueError(f"X has no column but the entity's, {self.entity!r}; expected one to disguise")
        if self.entity in given:
            raise ValueError(f"channels names the entity column {self.entity!r}; expected others: it passes as it is")
        return given

    def _checked(self, frame: pd.DataFrame) -> dict[Any, np.ndarray]:
        """The true values of the disguised columns, all of them in their domains."""
        for column in self.channels_:
            checks.none_missing(f"column {column!r}", frame[column])
        if self._grouped is not None:
            return {column: self._grouped._true_codes(frame[column]) for column in self.channels_}
        return {
            column: channel._true_values(frame[column], f"column {column!r}")
            for column, channel in self.channels_.items()
        }


def channels_in(given: Any) -> Any:
    """The channels of a Disguise, by column if it is fitted and not in groups; anything else as it is given."""
    if not isinstance(given, Disguise):
        return given
    return (
        given.channels if isinstance(given.channels, GroupedResponse) else getattr(given, "channels_", given.channels)
    )


class _Secret(bytes):
    """Bytes that are not printed."""

    def __repr__(self) -> str:
        return "<secret>"

    __str__ = __repr__


class _Owners:
    """Whose the records are."""

    def __init__(self, entities: pd.Series, key: bytes) -> None:
        self.key = key
        self.owner, distinct = pd.factorize(entities)
        if (self.owner < 0).any():
            raise ValueError(f"entity column {entities.name!r} has missing values; expected whose each record is")
        self.names = [_entity_name(entity, entities.name) for entity in distinct.tolist()]

    def uniforms(self, purpose: str, true: np.ndarray) -> np.ndarray:
        """A number in (0, 1) for each record, the same for the same owner and true value, or row of values."""
        value, distinct = _distinct_rows(true.reshape(len(true), -1) + 0.0)  # which makes −0 a 0
        record, pairs = pd.factorize(self.owner * len(distinct) + value)
        owners, values = np.divmod(pairs, len(distinct))
        coded = [row.astype("<f8").tobytes() for row in distinct]
        messages = (coded[v] + self.names[o] for o, v in zip(owners.tolist(), values.tolist(), strict=True))
        return randomness.keyed_uniform(self.key, purpose, messages)[record]


def _distinct_rows(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The number of the distinct row that each row is, and these."""
    place = pd.factorize(rows[:, 0])[0]
    for column in rows.T[1:]:
        own, values = pd.factorize(column)
        place = pd.factorize(place * len(values) + own)[0]
    return place, rows[np.unique(place, return_index=True)[1]]


def _entity_name(entity: Any, column: Any) -> bytes:
    """An entity as bytes: 7, 7.0 and "7" are one, as they may come from one file read in several ways."""
    if isinstance(entity, float) and entity.is_integer():
        entity = int(entity)
    if isinstance(entity, bool) or not isinstance(entity, numbers.Integral | str):
        raise TypeError(f"entity column {column!r} holds {entity!r}; expected whole numbers or text")
    return str(entity).encode()
