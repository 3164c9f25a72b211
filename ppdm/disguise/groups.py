"""Answers in groups: a group of attributes is released as it is, or all its values are replaced (DZ03 §4)."""

from collections.abc import Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self

import numpy as np
import pandas as pd

from ppdm import checks, randomness
from ppdm.disguise.categories import KeepOrReplace
from ppdm.disguise.parts import BINARY, Group, fresh, shown
from ppdm.randomness import Rng


@dataclass(frozen=True, repr=False)
class GroupedResponse:
    """The channel of a table: a group releases all its true values, or replaces all of them.

    A record answers each group by a chance of its own: with probability theta it releases its true values of that
    group, else every one of them is replaced by another value of the attribute, all others as likely, independently.
    With two values there is one other: the group is reversed, which is the scheme of DZ03. More values are the
    extension that DZ03 §6 leaves to the future. Columns in no group pass as they are (§4.7, partial disguise). To
    disguise the class, name its column in a group (§4.5).

    Parameters
    ----------
    theta : the probability of the truth, in [0, 1]; or one for each group. It may not be a value at which the
        release does not depend on the truth: 0.5 for two values, 1 / k for a group of one attribute with k values.
    groups : lists of columns; every column in one group at most
    values : a dict from columns to the list of their values; (0, 1) for a column that is not named

    >>> pair = GroupedResponse(0.8, [["smokes", "drinks"], ["rides"]])
    >>> people = pd.DataFrame({"name": ["Ada", "Bo"], "smokes": [1, 0], "drinks": [1, 1], "rides": [0, 0]})
    >>> pair.disguise(people, rng=4).to_dict("list")
    {'name': ['Ada', 'Bo'], 'smokes': [0, 0], 'drinks': [0, 1], 'rides': [0, 0]}
    """

    theta: float | Sequence[float]
    groups: Sequence[Sequence[Any]]
    values: Mapping[Any, Sequence[Any]] | None = field(default=None, hash=False)

    def __post_init__(self):
        groups = checked_groups(self.groups)
        thetas = checks.plain("theta", self.theta)
        columns, given = [*_flat(groups)], checks.mapping("values", self.values) if self.values else {}
        unknown = [column for column in given if column not in columns]
        if unknown:
            raise ValueError(f"values names {unknown[0]!r}, which is in no group; the groups hold {columns}")
        object.__setattr__(self, "groups", groups)
        object.__setattr__(self, "theta", tuple(thetas) if thetas.ndim else self.theta)
        object.__setattr__(self, "values", {column: _listed(given.get(column, BINARY)) for column in columns})
        # The values as the channels of the parts have checked them: plain Python ones.
        object.__setattr__(self, "values", {column: one.categories for column, one in self.answers.items()})

    @classmethod
    def drawn(
        cls, theta: float | Sequence[float], columns: Sequence[Any], number: int, rng: Rng = None, values=None
    ) -> Self:
        """Groups drawn at random, as equal in size as can be (DZ03 §5.2).

        Parameters
        ----------
        columns : to be disguised; for the class to be among them, name its column too
        number : of groups, from 1 to the number of columns
        rng : a seed or Generator; None for the system's secure source. All who answer use the same groups.

        >>> GroupedResponse.drawn(0.9, ["a", "b", "c", "d", "e"], 2, rng=1).groups
        (('a', 'c', 'd'), ('b', 'e'))
        """
        return cls(theta, _split(columns, number, lambda n: randomness.permutation(n, rng)), values)

    @classmethod
    def divided(cls, theta: float | Sequence[float], columns: Sequence[Any], number: int, values=None) -> Self:
        """Groups of neighbours, as equal in size as can be, the first ones the larger.

        >>> GroupedResponse.divided(0.9, ["a", "b", "c", "d", "e"], 2).groups
        (('a', 'b', 'c'), ('d', 'e'))
        """
        return cls(theta, _split(columns, number, np.arange), values)

    def __repr__(self):
        theta = self.theta if np.ndim(self.theta) == 0 else [float(one) for one in self.thetas]
        return shown(theta, self.groups, self.values or {})

    @cached_property
    def thetas(self) -> tuple[float, ...]:
        """The probability of the truth, a number for each group."""
        if not np.ndim(self.theta):
            return (checks.number("theta", self.theta, 0, 1),) * len(self.groups)
        given: Any = self.theta
        thetas = tuple(checks.number(f"theta[{place}]", one, 0, 1) for place, one in enumerate(given))
        if len(thetas) != len(self.groups):
            raise ValueError(
                f"theta has {len(thetas)} numbers for {len(self.groups)} groups; expected one for each, or one for all"
            )
        return thetas

    @cached_property
    def parts(self) -> list[Group]:
        """The groups, each with its columns and its law."""
        return [
            Group(theta, {column: self._answer(theta, column) for column in group})
            for theta, group in zip(self.thetas, self.groups, strict=True)
        ]

    def _answer(self, theta, column):
        try:
            return KeepOrReplace(keep=theta, categories=(self.values or {})[column])
        except (TypeError, ValueError) as error:
            raise type(error)(f"values of {column!r}: {error}") from None

    @property
    def columns(self) -> tuple[Any, ...]:
        """The columns in groups, group by group."""
        return tuple(_flat(self.groups))

    @property
    def answers(self) -> dict[Any, KeepOrReplace]:
        """The channel of each attribute when you look at it alone."""
        return {column: answer for part in self.parts for column, answer in part.channels.items()}

    def matrix(self) -> np.ndarray:
        """M_g = M_1 ⊗ … ⊗ M_1 (DZ03 Equations 4, 6 and 8): each group true or reversed, released as such.

        Rows and columns are numbered in binary: a digit for each group, 0 for E, 1 for Ē, the last changing fastest.

        >>> GroupedResponse(0.9, [["a"], ["b"]]).matrix().round(2).tolist()[0]
        [0.81, 0.09, 0.09, 0.01]
        """
        wide = [column for column, answer in self.answers.items() if answer.k > 2]
        if wide:
            raise ValueError(
                f"column {wide[0]!r} has more than two values, so that it has no opposite; the law of a group is in "
                "channel.parts"
            )
        checks.cells(f"the matrix of {len(self.groups)} groups", (2 ** len(self.groups),) * 2)
        matrix: np.ndarray = np.ones((1, 1))
        for theta in self.thetas:
            matrix = np.kron(matrix, [[theta, 1 - theta], [1 - theta, theta]])
        return matrix

    def disguise(self, frame: pd.DataFrame, rng: Rng = None) -> pd.DataFrame:
        """Disguise every record with new random draws; columns and index are kept.

        Parameters
        ----------
        frame : true records; it has all columns that are in groups
        rng : a seed or Generator to repeat a study; None, for a release, takes the system's secure source
        """
        checks.columns("groups", self.columns, checks.frame("frame", frame).columns)
        codes = [part.true_codes(frame) for part in self.parts]
        numbers = fresh(self.parts, len(frame), rng)
        for part, own, uniforms in zip(self.parts, codes, numbers, strict=True):
            frame = part.decode(part.draw(own, uniforms), frame)
        return frame


def checked_groups(groups) -> tuple[tuple[Any, ...], ...]:
    """The groups as tuples, if they are lists of columns, none empty, no column twice."""
    expected = "expected a list of lists of columns, say [['age', 'sex'], ['income']]"
    if isinstance(groups, str) or not isinstance(groups, Iterable):
        raise TypeError(f"groups is {groups!r}; {expected}")
    parts = list(groups)
    for part in parts:
        if isinstance(part, str) or not isinstance(part, Iterable):
            raise TypeError(f"groups holds {part!r}; {expected}")
    checked = tuple(tuple(one.item() if isinstance(one, np.generic) else one for one in part) for part in parts)
    if not checked or not all(checked):
        raise ValueError(f"groups is {[list(group) for group in checked]}; expected at least one, none of them empty")
    columns = _flat(checked)
    nested = [column for column in columns if not isinstance(column, Hashable)]
    if nested:
        raise TypeError(f"groups names {nested[0]!r} as a column; {expected}")
    twice = [column for place, column in enumerate(columns) if column in columns[:place]]
    if twice:
        raise ValueError(f"groups names {twice[0]!r} twice; expected every column in one group at most")
    return checked


def _flat(groups):
    return [column for group in groups for column in group]


def _listed(values):
    """The values as a tuple, booleans as 0 and 1; what is no list is left to the channel's own check."""
    if isinstance(values, str | Set) or not isinstance(values, Iterable):
        return values
    listed = tuple(values)
    return tuple(map(int, listed)) if all(isinstance(value, bool | np.bool_) for value in listed) else listed


def _split(columns, number, order):
    """The columns in groups as equal in size as can be, divided in the order of their places."""
    if isinstance(columns, str) or not isinstance(columns, Iterable):
        raise TypeError(f"columns is {columns!r}; expected a list of column names")
    names = list(columns)
    checks.whole("number", number, 1, len(names), hint="a group has at least one column")
    return [[names[place] for place in np.sort(part)] for part in np.array_split(order(len(names)), number)]
