"""Answers in groups: a group of attributes is released as it is, or all its values are replaced (DZ03 §4)."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Any, Self

import numpy as np
import pandas as pd

from ppdm import checks, randomness
from ppdm.disguise.categories import KeepOrReplace, checked_categories, plain_values
from ppdm.disguise.parts import BINARY, Group, shown
from ppdm.disguise.released import disguised


@dataclass(frozen=True, repr=False)
class GroupedResponse:
    """The channel of a table: a group releases all its true values, or replaces all of them.

    A record answers each group by a chance of its own. With probability theta it releases its true values of that
    group. Else it replaces every one of them by another value of the attribute, all others as likely, independently.
    With two values there is one other: the group is reversed, which is the scheme of DZ03. More values are the
    extension that DZ03 §6 leaves to the future. Columns in no group pass as they are (§4.7, partial disguise). To
    disguise the class, name its column in a group (§4.5).

    Parameters
    ----------
    theta : the probability of the truth, in [0, 1]; or one for each group. It may not be a value at which the
        release does not depend on the truth: 0.5 for two values, 1 / k for a group of one attribute with k values.
    groups : lists of columns; every column in one group at most
    values : a dict from columns to the list of their values; (0, 1) for a column that is not named

    Attributes
    ----------
    thetas : the probability of the truth, a number for each group
    parts : the groups, each with its columns and its law

    >>> pair = GroupedResponse(0.8, [["smokes", "drinks"], ["rides"]])
    >>> people = pd.DataFrame({"name": ["Ada", "Bo"], "smokes": [1, 0], "drinks": [1, 1], "rides": [0, 0]})
    >>> pair.disguise(people, rng=4).to_dict("list")
    {'name': ['Ada', 'Bo'], 'smokes': [0, 0], 'drinks': [0, 1], 'rides': [1, 0]}
    """

    theta: float | Sequence[float]
    groups: Sequence[Sequence]
    values: Mapping[Any, Sequence] | None = field(default=None, hash=False)
    thetas: tuple[float, ...] = field(init=False, compare=False)
    parts: list[Group] = field(init=False, compare=False)

    def __post_init__(self):
        groups = _checked(self.groups)
        theta = checks.plain("theta", self.theta)
        each = theta.tolist() if theta.ndim else [self.theta] * len(groups)
        thetas = tuple(checks.number("theta", one, "[0, 1]") for one in each)
        checks.same_length("theta", thetas, "groups", groups)
        columns = sum(groups, ())
        none = self.values is None or (isinstance(self.values, dict) and not self.values)
        known = {} if none else checks.mapping("values", self.values)
        for column in known:
            if column not in columns:
                raise ValueError(
                    f"values names {column!r}, which is in no group; the groups hold {list(columns)}"
                )
        values = {column: _known(column, known.get(column, BINARY)) for column in columns}
        parts = []
        for kept, group in zip(thetas, groups):
            answers = {column: KeepOrReplace(keep=kept, categories=values[column]) for column in group}
            parts.append(Group(kept, answers))
        # A frozen dataclass is set past its guard: equal channels must be equal however their parameters were written.
        given = thetas if theta.ndim else self.theta
        vars(self).update(theta=given, groups=groups, values=values, thetas=thetas, parts=parts)

    @classmethod
    def drawn(
        cls,
        theta: float | Sequence[float],
        columns: Sequence,
        number: int,
        rng: randomness.Rng = None,
        values=None,
    ) -> Self:
        """Draw groups at random, as equal in size as can be (DZ03 §5.2).

        Parameters
        ----------
        theta, values : as in ``GroupedResponse``
        columns : to be disguised; for the class to be among them, name its column too
        number : of groups, from 1 to the number of columns
        rng : a seed or Generator; None for the system's secure source. All who answer use the same groups.

        >>> GroupedResponse.drawn(0.9, ["a", "b", "c", "d", "e"], 2, rng=1).groups
        (('a', 'c', 'd'), ('b', 'e'))
        """
        return cls(theta, _split(columns, number, lambda n: randomness.permutation(n, rng)), values)

    @classmethod
    def divided(cls, theta: float | Sequence[float], columns: Sequence, number: int, values=None) -> Self:
        """Make groups of neighbours, as equal in size as can be, the first ones the larger.

        Parameters
        ----------
        theta, columns, number, values : as in ``drawn``

        >>> GroupedResponse.divided(0.9, ["a", "b", "c", "d", "e"], 2).groups
        (('a', 'b', 'c'), ('d', 'e'))
        """
        return cls(theta, _split(columns, number, np.arange), values)

    def __repr__(self):
        theta = list(self.thetas) if np.ndim(self.theta) else self.theta
        return shown(theta, self.groups, self.values or {})

    @property
    def columns(self) -> tuple:
        """The columns in groups, group by group."""
        return tuple(self.answers)

    @property
    def answers(self) -> dict[Any, KeepOrReplace]:
        """The channel of each attribute when you look at it alone."""
        return {column: answer for part in self.parts for column, answer in part.channels.items()}

    def matrix(self) -> np.ndarray:
        """M_g = M_1 ⊗ … ⊗ M_1 (DZ03 Equations 4, 6 and 8).

        A row for each way in which groups are true (E) or reversed (Ē), a column for each way in which they are
        released. Both are numbered in binary: a digit for each group, 0 for E, 1 for Ē, the last changing fastest.

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
        each = [np.array([[theta, 1 - theta], [1 - theta, theta]]) for theta in self.thetas]
        return reduce(np.kron, each)

    def disguise(self, frame: pd.DataFrame, rng: randomness.Rng = None) -> pd.DataFrame:
        """Disguise every record with new random draws; columns and index are kept.

        Parameters
        ----------
        frame : true records; it has all columns that are in groups
        rng : a seed or Generator to repeat a study, as in ``Channel.disguise``; None, for a release, takes the system's
            secure source
        """
        checks.columns("groups", self.columns, checks.frame("frame", frame).columns)
        codes = [part.true_codes(frame) for part in self.parts]
        told = [*(part.purposes for part in self.parts), *codes]
        return disguised(self.parts, frame, codes, randomness.stream(rng, told))


def _checked(groups):
    """The groups as tuples, if they are lists of columns, none empty, no column twice."""
    given = checks.listed("groups", groups, "lists of columns, say [['age', 'sex'], ['income']]")
    checked = tuple(plain_values(checks.listed("a group", group, "columns")) for group in given)
    if not checked or not all(checked):
        raise ValueError(
            f"groups is {[list(group) for group in checked]}; expected at least one, none of them empty"
        )
    columns = sum(checked, ())
    for column in columns:
        if not isinstance(column, Hashable) or columns.count(column) > 1:
            raise ValueError(f"groups names {column!r}; expected names of columns, each in one group only")
    return checked


def _known(column, values):
    """The values of a column, checked; booleans as 0 and 1."""
    known = checked_categories(f"values[{column!r}]", values)
    if all(isinstance(value, bool) for value in known):
        # True prints otherwise than 1, and a key makes its numbers by what is printed.
        return tuple(map(int, known))
    return known


def _split(columns, number, order):
    """The columns in groups as equal in size as can be, divided in the order of their places."""
    names = checks.listed("columns", columns, "column names")
    checks.whole("number", number, 1, len(names), hint="a group has at least one column")
    parts = np.array_split(order(len(names)), number)
    # A group lists its columns as they were given, whatever order they were drawn in.
    return [[names[place] for place in np.sort(part)] for part in parts]
