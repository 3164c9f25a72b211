"""A privacy specification: what is done with each column of a table, and a table released by it (LSL03 §3, §5)."""

from collections.abc import Mapping
from os import PathLike
from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.base import OneToOneFeatureMixin
from sklearn.utils.validation import check_is_fitted

from ppdm import checks, randomness
from ppdm.disguise import relevance, toml
from ppdm.disguise.reading import Reading
from ppdm.disguise.release import warn
from ppdm.disguise.released import (
    SEEDED,
    Fault,
    SpecificationError,
    TableTransformer,
    bare,
    hashed,
    places,
    row_warnings,
)
from ppdm.disguise.shuffle import LEAST, companion
from ppdm.disguise.suggest import suggest


class PrivacySpecification(TableTransformer):
    """What is done with each column of a table before others may mine it: LSL03's privacy specification.

    Parameters
    ----------
    specification : a dict, or the path of a TOML file, with these entries, of which none is needed:

        - ``class``: the column that a miner will predict, which is kept. It may also be y.
        - ``known``: columns that an intruder may know of a person: the *quasi-identifiers*. Reports try them. None
          means that the row of a person is known, and what moved along with a sensitive value: the strongest intruder;
          an empty list that nobody knows anything.
        - ``others``: what is done with columns without an entry: "refuse" (the default, so that no column leaves the
          house because nobody thought of it), "keep" or "drop".
        - ``threshold``: the share of people, in (0, 1], whose sensitive value an intruder may name; ``k``: how many
          people at least shall look alike in the known columns; ``relevance``: the ``measure`` and the ``threshold``
          from which on an attribute counts as relevant. Reports look at these.
        - ``columns``: an entry for each column, with its ``action`` and the action's parameters: keep, drop,
          discretise, add, multiply, redraw, shuffle, replace or generalise; with ``sensitive`` (True for what must
          not be kept), and perhaps a ``threshold`` of its own and a ``tolerance``: a guess that is so near is right.
          That is 5 % of the range of a number if you do not say it.
    random_state : None, the system's secure source, for a release. A seed or a Generator for a study that can be
        repeated: whoever guesses it undoes the release. Numbers follow from the seed and the table, as in a
        ``Disguise``; no two columns share them, and a copy takes the secure source until it is fitted. A specification
        itself must hold no seed.

    All faults of a specification are told at once, before any work is done, in one ``SpecificationError``. That nothing
    but the class would be released is one.

    A fitted specification, its copies and its pickle hold true values: kernel points, categories, ends and cuts. Keep a
    fitted specification as you keep the table. ``release`` is for whole tables. ``fit`` and ``transform`` are
    scikit-learn's: with new records no class is known, so that what was shuffled within a class, or another column, is
    then shuffled over all records of the call. Kept columns stay as they are, and so do index, rows and the order of
    columns. ``attrs``, and categories that no record has, stay behind. The class may be a column of X, or y; if it is
    both, the column counts. y goes with the records by position, whatever its index is. It is not released, so that an
    entry for it can only keep it.

    Attributes
    ----------
    actions_ : dict from each column to its fitted action
    settings_ : the specification with all defaults, and an entry for each column
    said_ : dict from each column to what its entry says by itself
    notes_ : sentences on what was learnt from the table, and on what the release may tell

    >>> from ppdm.data import load
    >>> pima = load("pima")
    >>> table = pima.X.join(pima.y)
    >>> age = {"sensitive": True, "action": "shuffle", "within": "class", "tolerance": 3}
    >>> columns = {"preg": {"sensitive": True, "action": "drop"}, "age": age}
    >>> specification = PrivacySpecification({"class": "class", "others": "keep", "columns": columns})
    >>> released = specification.release(table)
    >>> [*released]
    ['plas', 'pres', 'skin', 'insu', 'mass', 'pedi', 'age', 'class']
    >>> bool((released["age"].groupby(table["class"]).mean() == table["age"].groupby(table["class"]).mean()).all())
    True
    """

    def __init__(self, specification: Mapping | str | PathLike | None = None, random_state=None):
        self.specification = specification
        self.random_state = random_state

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.non_deterministic = True
        # What is kept, dropped or shuffled may be anything.
        tags.input_tags.allow_nan = tags.input_tags.string = True
        return tags

    def check(self, X, y=None) -> None:
        """Raise a ``SpecificationError`` with all faults, of the specification alone and beside a table; do no work.

        Parameters
        ----------
        X : a DataFrame
        y : the class of each record, if it is no column of X
        """
        self._read(checks.frame("X", X), y)

    def fit(self, X, y=None) -> Self:
        """Check the specification beside the table, and learn what the release needs.

        Parameters
        ----------
        X : a DataFrame or an array
        y : the class of each record, if it is no column of X
        """
        self._begin(X, y)
        return self

    def fit_transform(self, X, y=None) -> Any:
        """Fit, and release the same table; what is shuffled within a class stays in it."""
        frame, classes = self._begin(X, y)
        released, found = self._released(frame, classes)
        self.notes_ += found
        return _like(X, released)

    def release(self, X) -> Any:
        """Fit, and release a whole table, in which the class is a column."""
        return self.fit_transform(X)

    def transform(self, X) -> Any:
        """Release new records, of which no class is known.

        Parameters
        ----------
        X : records with the columns of ``fit``; where one is shuffled, at least ``k`` of them, and 5
        """
        check_is_fitted(self, "actions_")
        frame = bare(self._frame(X, reset=False))
        least = max(LEAST, self.settings_["k"] or 0)
        for name, action in self.actions_.items():
            if action.name == "shuffle" and len(frame) < least:
                few = f"X has {len(frame)} records; expected at least {least}"
                raise ValueError(f"{few}, because column {name!r} is shuffled")
        return _like(X, self._released(frame, new=True)[0])

    def get_feature_names_out(self, input_features=None) -> np.ndarray:
        """The names of the columns that are released."""
        check_is_fitted(self, "actions_")
        names = OneToOneFeatureMixin.get_feature_names_out(self, input_features)
        return names[[action.name != "drop" for action in self.actions_.values()]]

    def companion(self, name, table) -> pd.Series | None:
        """What the action of a column looks at beside it: the class, the column that it shuffles within, or nothing.

        Parameters
        ----------
        name : a column of the table
        table : with the class
        """
        check_is_fitted(self, "actions_")
        checks.columns("name", [name], list(checks.frame("table", table)))
        target = self.settings_["class"]
        classes = None if target is None else table.get(target)
        return companion(self.actions_[name], table, target, classes)

    @classmethod
    def suggest(cls, X, y, sensitive, known=None, measure: relevance.Measure = "gain") -> Self:
        """A first specification for a table, to be read and changed: ``to_toml`` gives the reason for each column.

        It follows Figure 2 of LSL03. What is sensitive is dropped if it is not relevant; else it is shuffled within the
        class, which keeps its gain, suits any kind of column, and tells an intruder hardly more than the distribution
        does. (Intervals by MDLP tell more, and have few groups to choose from.) All records are shuffled if a class has
        fewer than five, or if y has no name and a column is called "class", which would be taken for it. What looks
        like an identifier is dropped, and so is what nobody can count, as lists or infinite numbers. All other columns
        are kept; a comment says which are not relevant or repeat others, because LSL03 removes these. The threshold is
        0.6, and k is 5 if so many records look alike in the known columns that are kept; else a comment says that it is
        not reached.

        Parameters
        ----------
        X, y : the attributes and the class
        sensitive : names of columns, at least one: no table says which
        known : what an intruder may know, the quasi-identifiers; None for all columns that are kept
        measure : of relevance, as in ``relevance.rank``

        >>> from ppdm.data import load
        >>> pima = load("pima")
        >>> found = PrivacySpecification.suggest(pima.X, pima.y, sensitive=["preg", "age"])
        >>> for line in found.to_toml().splitlines()[-5:]:
        ...     print(line)
        # sensitive and relevant: its values change their places (gain 0.141)
        [columns.age]
        sensitive = true
        action = "shuffle"
        within = "class"
        """
        specification, comments = suggest(X, y, sensitive, known, measure)
        found = cls(specification)
        found.comments_ = comments
        return found

    def to_toml(self) -> str:
        """The specification as TOML, to be kept in a file."""
        return toml.text(self._given(), getattr(self, "comments_", {})) + "\n"

    def _given(self):
        """The specification as it was given, or as its file says."""
        given = {} if self.specification is None else self.specification
        found = toml.read(given) if isinstance(given, str | PathLike) else given
        if not isinstance(found, Fault | Mapping):
            found = Fault(
                "specification", f"of type {type(found).__name__}", "a dict, or the path of a TOML file"
            )
        if isinstance(found, Fault):
            raise SpecificationError([found])
        return found

    def _read(self, frame, y):
        """What the specification says of this table, if nothing is wrong with it."""
        found = Reading(self._given(), frame, y)
        if found.faults:
            raise SpecificationError(found.faults)
        return found

    def _begin(self, X, y):
        stream = randomness.Stream(self.random_state, "random_state")
        frame = bare(self._frame(X, reset=True))
        found = self._read(frame, y)
        # Only now, when nothing is wrong, is what came before forgotten.
        self._stream = stream
        self._columns = list(frame.columns)
        self.settings_ = found.settings
        self.said_ = found.said
        self.actions_ = found.actions
        self.notes_ = [] if self.random_state is None else [f"The release is {SEEDED}."]
        columns = found.settings["columns"]
        self.notes_ += [
            f"column {name!r} is sensitive and known: it is judged for people of whom it is not known"
            for name in found.settings["known"] or []
            if columns[name]["sensitive"]
        ]
        for name, action in self._leading().items():
            action.fit(frame[name], companion(action, frame, found.settings["class"], found.classes))
            notes = [f"column {name!r}: {note}" for note in action.notes]
            if action.name == "keep":
                told = f"column {name!r} is kept, and looks like an identifier"
                notes = [f"{told}: {why}; drop it" for why in relevance.identifiers(frame[[name]]).values()]
            self.notes_ += notes
            if action.name in ("keep", "shuffle"):
                warn(*notes)
        return frame, found.classes

    def _leading(self):
        """The columns with their actions; of those that are moved together the one that says so."""
        along = {other for action in self.actions_.values() for other in getattr(action, "with", [])}
        return {name: action for name, action in self.actions_.items() if name not in along}

    def _released(self, frame, classes=None, new=False):
        """The table released, and what it gives away; of new records no class is known."""
        released = frame[[name for name, action in self.actions_.items() if action.name != "drop"]]
        # What is changed together, with its action.
        changed = [
            ([name, *getattr(action, "with", [])], action)
            for name, action in self._leading().items()
            if action.name not in ("keep", "drop")
        ]
        moved = [name for names, _ in changed for name in names]
        gone = [
            name for name, own in self.settings_["columns"].items() if own["sensitive"] and name not in released
        ]
        told = (
            "the place of a row tells of its true value, whatever is released; give the rows a random order first"
        )
        found = row_warnings([(name, places(frame[name])) for name in moved + gone], frame.index, told)
        if changed:
            # The class decides where values go, so a seed's numbers follow from it as well.
            drawn_for = [frame[name] for name in moved] + ([] if classes is None else [classes])
            source, times = self._stream.of([repr(self.settings_), *map(hashed, drawn_for)])
            if times == 2:  # once is enough
                again = "the same table is released again, with new noise, which averages out"
                found.append(f"{again}; expected a single release")
        for names, action in changed:
            other = None if new else companion(action, frame, self.settings_["class"], classes)
            # A column alone goes in as a Series. What is moved together is a frame.
            seen = action.release(frame[names] if len(names) > 1 else frame[names[0]], other, source)
            # A frame: of an array pandas would choose another dtype.
            released[names] = pd.DataFrame(seen)
            if action.category == "reduction" and seen.nunique() < 2 <= frame[names[0]].nunique():
                found.append(f"column {names[0]!r} becomes constant; drop it, or take other groups")
        warn(*found)
        return released, found


def _like(X, released):
    """What is released as X is: a DataFrame, or an array."""
    # A copy: the array of a frame can only be read.
    return released if isinstance(X, pd.DataFrame) else released.to_numpy(copy=True)
