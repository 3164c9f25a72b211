"""A disguised table: with new noise at every call, or always the same for an entity (AS00 §2)."""

from collections.abc import Collection, Mapping
from copy import deepcopy
from typing import Any, Self

import pandas as pd
from sklearn.base import OneToOneFeatureMixin
from sklearn.utils.validation import check_is_fitted

from ppdm import checks, randomness
from ppdm.disguise.groups import GroupedResponse
from ppdm.disguise.numeric import NumericChannel
from ppdm.disguise.parts import Part, bind, keyed_numbers
from ppdm.disguise.release import Channel, Release, warn
from ppdm.disguise.released import TableTransformer, disguised, row_warnings

EXPECTED = "a channel, say UniformNoise(half_width=5, low=0, high=100)"


class Disguise(OneToOneFeatureMixin, TableTransformer):
    """A scikit-learn transformer that turns true tables into disguised ones.

    Parameters
    ----------
    channels : a dict from columns (positions, for an array) to their channels, or other releases. Columns that it does
        not name pass as they are. Or one channel for all columns; or a GroupedResponse
    random_state : None, the system's secure source, for a release. A seed, a Generator or a RandomState for a study
        that can be repeated: whoever guesses it undoes the disguise. No two calls of ``transform`` add the same noise.
        With a seed, the noise follows from it, from the table and from how often ``transform`` had this table since
        ``fit``: no two tables share noise. A copy (``deepcopy``, a fork, another process, a second load of one pickle)
        takes the secure source until it is fitted.
    key : secret bytes, 16 or more, as from ``secrets.token_bytes(32)``. With it an entity always gets the same values
    entity : the column that says whose record it is, by whole numbers or text. It is released as it is: it identifies
        people, so drop or replace it before the release.
    shuffle : True releases the rows in random order, with a new index. Else both stay, and they may tell what the noise
        hides. The class must then be a column of the table, or it would lose its records.

    Disguise first and then fit a model. A pipeline of both would also disguise the records that it predicts. A release
    has the values, the names of the columns and, without ``shuffle``, the order and the index. It does not have the
    table's ``attrs``, categories that no record has, or the dtypes of disguised columns: the channels say these.

    New noise at every request averages out. With a key, a second request shows nothing new: the noise is computed from
    key, entity, column, channel *and true value*, and changes if one of them changes. (The same noise on two values
    would give away their exact difference; the same noise at two scales, the value itself.) The price: two releases
    together show whether the true value changed. For answers in groups, the noise is computed from all true values of
    the group. A column that is declared anew would get new noise, which averages out too: so a process refuses a key
    that has disguised the column by another channel. Anybody with the key can undo the disguise. Neither ``repr`` nor
    a pickle holds it; a pickled copy needs it again. ``SECURITY.md`` says what a key, a seed and a copy mean.

    Attributes
    ----------
    parts_ : the columns that are disguised together, with their law; parts are independent of each other
    channels_ : dict from each column of these parts to its channel; in a group, to its channel when looked at alone
    releases_ : dict from each other disguised column to its fitted release, whose law is not known

    >>> from ppdm.disguise import UniformNoise
    >>> table = pd.DataFrame({"id": [7, 8, 7], "age": [30, 30, 30], "town": ["Ayr", "Bern", "Ayr"]})
    >>> ages = {"age": UniformNoise(half_width=25, low=20, high=80, step=1)}
    >>> Disguise(ages, random_state=1).fit_transform(table)["age"].tolist()
    [53, 30, 10]
    >>> Disguise(ages, key=b"sixteen or more: secret", entity="id").fit_transform(table)["age"].tolist()
    [11, 25, 11]
    """

    def __init__(
        self,
        channels: Mapping[Any, Release] | Channel | GroupedResponse | None,
        random_state=None,
        key: bytes | None = None,
        entity=None,
        shuffle: bool = False,
    ):
        self.channels = channels
        self.random_state = random_state
        self.key = key
        self.entity = entity
        self.shuffle = shuffle

    def __setattr__(self, name, value):
        # What prints an estimator, or a pipeline with it, prints its parameters.
        super().__setattr__(name, randomness.Secret.hide(value) if name == "key" else value)

    def set_params(self, **params) -> Self:
        """Set parameters as in scikit-learn; a key is hidden before anything can fail."""
        if "key" in params:
            params["key"] = randomness.Secret.hide(params["key"])
        return super().set_params(**params)

    def _numbers_alone(self):
        return isinstance(self.channels, NumericChannel) and self.entity is None

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.non_deterministic = self.key is None or self.shuffle
        return tags

    def fit(self, X, y=None) -> Self:
        """Check parameters and table, and start the stream; a channel learns nothing. X: a DataFrame or an array."""
        frame = self._begin(X, y)
        for part in self.parts_:
            part.true_codes(frame)  # refuses values outside of a domain
        if self.key is not None:
            keyed_numbers(self.key, frame[self.entity])  # refuses what is no entity
        return self

    def fit_transform(self, X, y=None) -> Any:
        """Fit, and release the same table."""
        self._begin(X, y)
        return self.release(X, y)

    def transform(self, X) -> Any:
        """Disguise a table, if no release in it needs the class."""
        return self.release(X)

    def release(self, X, y=None) -> Any:
        """The table disguised, all of it checked first: a DataFrame for a DataFrame, else an array.

        Parameters
        ----------
        X : the table
        y : the class of each record, for releases that need it
        """
        check_is_fitted(self, "_columns")  # as_disguise makes one that knows its parts and is not fitted
        frame = self._frame(X, reset=False)
        self._check_class(frame, y)
        codes = [part.true_codes(frame) for part in self.parts_]
        others = [pd.util.hash_array(frame[column].to_numpy(object)) for column in self.releases_]
        keyed = None
        if self.key is not None:
            keyed = keyed_numbers(self.key, frame[self.entity])
            bind(self.key, self.parts_)
        source, times = self._stream.of([*(part.purposes for part in self.parts_), *codes, *others])
        self._warn(codes, times, frame.index)
        released = disguised(self.parts_, frame, codes, source, keyed)
        for column, release in self.releases_.items():
            released[column] = release.release(released[column], y, source)
        if self.shuffle:
            order = randomness.permutation(len(frame), source)
            released = released.iloc[order].reset_index(drop=True)
        return released if isinstance(X, pd.DataFrame) else released.to_numpy()

    def _warn(self, codes, times, index):
        """Warn of what noise cannot hide: the order of the rows, and the same table released before."""
        columns = [pair for part, own in zip(self.parts_, codes) for pair in zip(part.columns, own.T)]
        told = "a mean over neighbouring rows removes its noise; choose Disguise(..., shuffle=True)"
        found = [] if self.shuffle else row_warnings(columns, index, told)
        if times == 2 and self.key is None:  # once is enough
            found.append(
                "the same table is released again, with new noise, which averages out; expected one release, or a "
                "key, with which an entity gets the same noise again"
            )
        warn(*found)

    def by_column(self) -> dict[Any, Channel]:
        """The channel of each disguised column, if none is disguised together with others."""
        check_is_fitted(self)
        for part in self.parts_:
            if len(part.columns) > 1:
                raise TypeError(
                    f"the columns {list(part.columns)} are disguised together, as a group; "
                    "expected a channel for each column by itself"
                )
        return self.channels_

    def _begin(self, X, y):
        """The table, once parameters and columns are found to go together."""
        if self.key is not None:
            checks.of_type("key", self.key, randomness.Secret, "bytes, as from secrets.token_bytes(32)").checked()
            if self.random_state is not None:
                raise ValueError(f"random_state is {self.random_state!r}; expected None: noise follows from key")
        if (self.key is None) != (self.entity is None):
            raise ValueError("key and entity go together: give both, or neither for fresh noise at every call")
        checks.flag("shuffle", self.shuffle)
        self._stream = randomness.Stream(self.random_state, "random_state")
        frame = self._frame(X, reset=True)
        columns = list(frame.columns)
        if self.entity is not None:
            checks.columns("entity", [self.entity], columns)
        others = [column for column in columns if column != self.entity]
        # One channel is for all but the entity, which passes as it is; a dict must not name it.
        self._know(others if isinstance(self.channels, Channel) else columns, "channels")
        known = {**self.channels_, **self.releases_}
        if not known:
            raise ValueError(
                f"channels is {self.channels!r}, for no column of {columns}; expected one to disguise"
            )
        if self.entity in known:
            raise ValueError(f"channels names the entity {self.entity!r}; expected others: it passes as it is")
        if self.key is not None and self.releases_:
            raise ValueError(
                f"key is given, but {next(iter(self.releases_.values()))!r} cannot be drawn by a key"
            )
        self._check_class(frame, y)
        for column, release in self.releases_.items():
            self.releases_[column] = deepcopy(release).fit(frame[column], y)  # what was given stays as it was
        self._columns = columns
        return frame

    def _check_class(self, frame, y):
        """Refuse a class that is not there where a release needs it, or is not that of each record."""
        if self.shuffle and y is not None and getattr(y, "name", None) not in frame.columns:
            raise ValueError(
                "y is given with shuffle=True, and would lose its records; expected the class as a column of X"
            )
        for column, release in self.releases_.items():
            if y is not None:
                checks.same_length("y", y, "X", frame)
            elif release.needs_class:
                raise ValueError(
                    f"y is None; expected the class of each record, for {release!r} of column {column!r}"
                )

    def _know(self, columns, name):
        """Note what there is for these columns, in their order; None: for all that are named."""
        given = self.channels
        named: dict = {}
        if isinstance(given, GroupedResponse):
            checks.columns("groups", given.columns, given.columns if columns is None else columns)
        elif isinstance(given, Channel) and columns is not None:
            named = dict.fromkeys(columns, given)
        elif given is not None:
            others = (
                "a GroupedResponse or a fitted Disguise; or one channel, if there is a table, for all its columns"
            )
            named = checks.mapping(name, given, f" of channels by column, {others}")
            checks.columns(name, named, named if columns is None else columns)
        for column, release in named.items():
            checks.of_type(f"{name}[{column!r}]", release, Release, EXPECTED)
        found = {column: named[column] for column in columns or named if column in named}
        self.parts_ = [Part({column: own}) for column, own in found.items() if isinstance(own, Channel)]
        self.releases_ = {column: own for column, own in found.items() if not isinstance(own, Channel)}
        if isinstance(given, GroupedResponse):
            self.parts_ = [*given.parts]
        self.channels_ = {column: own for part in self.parts_ for column, own in part.channels.items()}


def as_disguise(
    given, columns: Collection | None = None, name: str = "channels", optional: bool = True
) -> Disguise:
    """Make a Disguise of what a user passes, with its parts over the columns; it has no random stream.

    Parameters
    ----------
    given : None for no disguise at all, a channel for all columns, a dict of channels, a GroupedResponse, or a Disguise
    columns : of the table. A dict or a GroupedResponse may name no others. Of a Disguise of channels by column, those
        of missing columns are left out. None: there is no table, and all named columns are used.
    name : of the argument, for messages
    optional : True accepts None; False accepts a single channel without a table

    >>> from ppdm.disguise import UniformNoise
    >>> noise = UniformNoise(half_width=25, low=20, high=80)
    >>> as_disguise(noise, ["age", "years"]).parts_[1].columns
    ('years',)
    """
    if not checks.flag("optional", optional) and given is None:
        raise TypeError(f"{name} is None; expected a dict of channels by column, a GroupedResponse or a Disguise")
    columns = None if columns is None else checks.listed("columns", columns, "column names")
    found = Disguise(given)
    if isinstance(given, Disguise):
        found = Disguise(**given.get_params(deep=False))
        named = {**given.channels_, **given.releases_} if hasattr(given, "channels_") else given.channels
        if isinstance(named, Mapping) and not isinstance(given.channels, GroupedResponse):
            present = {column: one for column, one in named.items() if columns is None or column in columns}
            found.channels = present or None
    elif isinstance(given, Channel) and columns is None and not optional:
        columns = [None]  # a column without a name
    found._know(columns, name)
    for column, release in found.releases_.items():
        raise TypeError(
            f"{name}[{column!r}] is {release!r}, which has no law P(seen | true); expected {EXPECTED}"
        )
    return found
