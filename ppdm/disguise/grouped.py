"""Answers in groups: a group of attributes is released as it is, or all its values are replaced (DZ03 §4)."""

from collections.abc import Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self

import numpy as np
import pandas as pd

from ppdm import checks, randomness
from ppdm.disguise.response import KeepOrReplace
from ppdm.randomness import Rng

BINARY = (0, 1)
SINGULAR = 1e-9  # an eigenvalue below this is none


@dataclass(frozen=True, repr=False)
class GroupedResponse:
    """The channel of a table: each group tells the truth about all its attributes, or replaces all their values.

    A record answers each group by a chance of its own: with probability theta it releases its true values of that
    group, else every one of them is replaced by another value of the attribute, all others as likely, independently.
    Of two values there is one other: then the group is reversed, which is the scheme of DZ03. More values are the
    extension that DZ03 §6 leaves to the future. Columns in no group pass as they are (§4.7, partial disguise). To
    disguise the class, name its column in a group (§4.5).

    Parameters
    ----------
    theta : the probability of the truth, in [0, 1]; or one for each group. Where what is released would not depend on
        what is true it is refused: 0.5 for two values, 1 / k for a group of one attribute with k values.
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

    def __post_init__(self) -> None:
        groups = checked_groups(self.groups)
        object.__setattr__(self, "groups", groups)
        thetas = checks.plain("theta", self.theta)
        object.__setattr__(self, "theta", tuple(thetas) if thetas.ndim else self.theta)
        columns, given = list(self.columns), checks.mapping("values", self.values) if self.values else {}
        unknown = [column for column in given if column not in columns]
        if unknown:
            raise ValueError(f"values names {unknown[0]!r}, which is in no group; the groups hold {columns}")
        object.__setattr__(self, "values", {column: _listed(given.get(column, BINARY)) for column in columns})
        object.__setattr__(self, "values", {column: one.categories for column, one in self.answers.items()})
        for theta, group in self.parts:
            check_informative(theta, group, [self.answers[column].k for column in group])

    @classmethod
    def drawn(
        cls, theta: float | Sequence[float], columns: Sequence[Any], number: int, rng: Rng = None, values: Any = None
    ) -> Self:
        """So many groups, drawn at random, as equal in size as can be (DZ03 §5.2).

        Parameters
        ----------
        columns : to be disguised; for the class to be among them, name its column too
        number : of groups, from 1 to the number of columns
        rng : a seed or Generator; None for the system's secure source. All who answer use the same groups.

        >>> GroupedResponse.drawn(0.9, ["a", "b", "c", "d", "e"], 2, rng=1).groups
        (('a', 'c', 'd'), ('b', 'e'))
        """
        names = _columns(columns, number)
        parts = np.array_split(randomness.permutation(len(names), rng), number)
        return cls(theta, [[names[place] for place in np.sort(part)] for part in parts], values)

    @classmethod
    def divided(cls, theta: float | Sequence[float], columns: Sequence[Any], number: int, values: Any = None) -> Self:
        """So many groups of neighbours, as equal in size as can be, the first ones the larger.

        >>> GroupedResponse.divided(0.9, ["a", "b", "c", "d", "e"], 2).groups
        (('a', 'b', 'c'), ('d', 'e'))
        """
        names = _columns(columns, number)
        parts = np.array_split(np.arange(len(names)), number)
        return cls(theta, [[names[place] for place in part] for part in parts], values)

    def __repr__(self) -> str:
        values = {column: list(known) for column, known in (self.values or {}).items() if known != BINARY}
        own = f", values={values}" if values else ""
        theta = self.theta if np.ndim(self.theta) == 0 else [float(one) for one in self.thetas]
        return f"GroupedResponse(theta={theta}, groups={[list(group) for group in self.groups]}{own})"

    @cached_property
    def thetas(self) -> tuple[float, ...]:
        """The probability of the truth, a number for each group."""
        return checked_thetas(self.theta, len(self.groups))

    @property
    def parts(self) -> list[tuple[float, Sequence[Any]]]:
        """The probability of the truth and the columns of each group."""
        return list(zip(self.thetas, self.groups, strict=True))

    @property
    def columns(self) -> tuple[Any, ...]:
        """The columns in groups, group by group."""
        return tuple(column for group in self.groups for column in group)

    @cached_property
    def answers(self) -> dict[Any, KeepOrReplace]:
        """What each attribute goes through, seen by itself."""
        own = {}
        for theta, group in self.parts:
            for column in group:
                try:
                    own[column] = KeepOrReplace(keep=theta, categories=(self.values or {})[column])
                except (TypeError, ValueError) as error:
                    raise type(error)(f"values of {column!r}: {error}") from None
        return own

    def matrix(self) -> np.ndarray:
        """M_g = M_1 ⊗ … ⊗ M_1 (DZ03 Equations 4, 6 and 8): each group true or reversed, released as such.

        Rows and columns count in twos, a digit for each group, the last one changing fastest; 0 is E, 1 is Ē.

        >>> GroupedResponse(0.9, [["a"], ["b"]]).matrix().round(2).tolist()[0]
        [0.81, 0.09, 0.09, 0.01]
        """
        wide = [column for column in self.columns if self.answers[column].k > 2]
        if wide:
            raise ValueError(
                f"column {wide[0]!r} has more than two values, so that it has no opposite; use joint_matrix(columns)"
            )
        matrix: np.ndarray = np.ones((1, 1))
        for theta in self.thetas:
            matrix = np.kron(matrix, [[theta, 1 - theta], [1 - theta, theta]])
        return matrix

    def joint_matrix(self, columns: Sequence[Any]) -> np.ndarray:
        """P(released values | true values) of some columns: all combinations, the last column changing fastest.

        >>> GroupedResponse(0.9, [["a", "b"]]).joint_matrix(["a", "b"]).round(2).tolist()[0]
        [0.9, 0.0, 0.0, 0.1]
        """
        names = checks.columns("columns", columns, self.columns)
        _check_distinct("columns", names, "different ones")
        matrix: np.ndarray = np.ones((1, 1))
        order: list[Any] = []
        for theta, group in self.parts:
            inside = [column for column in names if column in group]
            kept: np.ndarray = np.ones((1, 1))
            replaced: np.ndarray = np.ones((1, 1))
            for column in inside:
                k = self.answers[column].k
                kept = np.kron(kept, np.eye(k))
                replaced = np.kron(replaced, (1 - np.eye(k)) / (k - 1))
            matrix = np.kron(matrix, theta * kept + (1 - theta) * replaced)
            order += inside
        sizes = [self.answers[column].k for column in order]
        axes = [order.index(column) for column in names]
        both = [*axes, *(len(axes) + axis for axis in axes)]
        return matrix.reshape(sizes * 2).transpose(both).reshape(matrix.shape)

    def codes(self, frame: pd.DataFrame, name: str = "frame") -> dict[Any, np.ndarray]:
        """The place of each value among its column's, for the columns in groups that the frame has."""
        present = [column for column in self.columns if column in checks.frame(name, frame).columns]
        return {column: self.answers[column].codes(_plain(frame[column]), f"column {column!r}") for column in present}

    def disguise(self, frame: pd.DataFrame, rng: Rng = None) -> pd.DataFrame:
        """The table with every record disguised afresh; columns and index kept.

        Parameters
        ----------
        frame : true records; it has all columns that are in groups
        rng : a seed or Generator to repeat a study; None, for a release, takes the system's secure source
        """
        checks.columns("groups", self.columns, checks.frame("frame", frame).columns)
        return self.release(frame, randomness.uniform(len(frame) * self.n_uniforms, rng).reshape(-1, self.n_uniforms))

    @property
    def n_uniforms(self) -> int:
        """How many uniform numbers a record takes: one a group, and one an attribute of more than two values."""
        return len(self.groups) + sum(channel.k > 2 for channel in self.answers.values())

    def release(self, frame: pd.DataFrame, uniforms: Any) -> pd.DataFrame:
        """The disguised table that goes with given uniform numbers: nothing else is left to chance.

        Parameters
        ----------
        frame : true records
        uniforms : in (0, 1), a row a record: first a number for each group, then one for each attribute of more than
            two values, in the order of ``columns``
        """
        checks.columns("groups", self.columns, checks.frame("frame", frame).columns)
        true = {column: self._true_codes(frame[column]) for column in self.columns}
        numbers = checks.plain("uniforms", uniforms)
        shape = (len(frame), self.n_uniforms)
        if numbers.shape != shape:
            raise ValueError(f"uniforms has shape {numbers.shape}; expected {shape}, as channel.n_uniforms says")
        outside = checks.vector("uniforms", numbers.ravel())
        checks.none_wrong("uniforms", outside, (outside <= 0) | (outside >= 1), "outside (0, 1)", "numbers in (0, 1)")
        kept = numbers[:, : len(self.groups)] < np.array(self.thetas)
        others = iter(numbers[:, len(self.groups) :].T)
        released = frame.copy(deep=False)
        for place, group in enumerate(self.groups):
            for column in group:
                channel, code = self.answers[column], true[column]
                other = (next(others) * (channel.k - 1)).astype(int) if channel.k > 2 else np.zeros_like(code)
                seen = np.where(kept[:, place], code, other + (other >= code))
                released[column] = channel._like(frame[column], seen)
        return released

    def _true_codes(self, values: pd.Series) -> np.ndarray:
        return self.answers[values.name]._true_values(_plain(values), f"column {values.name!r}")


def checked_channel(channel: Any) -> GroupedResponse:
    """The channel, if it is one of answers in groups."""
    if not isinstance(channel, GroupedResponse):
        raise TypeError(f"channel is {channel!r}; expected a GroupedResponse")
    return channel


def checked_groups(groups: Any) -> tuple[tuple[Any, ...], ...]:
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
    columns = [column for group in checked for column in group]
    nested = [column for column in columns if not isinstance(column, Hashable)]
    if nested:
        raise TypeError(f"groups names {nested[0]!r} as a column; {expected}")
    _check_distinct("groups", columns, "every column in one group at most")
    return checked


def checked_thetas(theta: Any, groups: int) -> tuple[float, ...]:
    """A probability for each group: the one for all, or those given."""
    if not checks.plain("theta", theta).ndim:
        return (checks.number("theta", theta, 0, 1),) * groups
    thetas = tuple(checks.number(f"theta[{place}]", one, 0, 1) for place, one in enumerate(theta))
    if len(thetas) != groups:
        raise ValueError(f"theta has {len(thetas)} numbers for {groups} groups; expected one for each, or one for all")
    return thetas


def eigenvalues(theta: float, sizes: Sequence[int]) -> set[float]:
    """The eigenvalues of a group's matrix: θ + (1 − θ) Π −1/(k − 1), the product over any of its attributes."""
    products = {1.0}
    for k in sizes:
        products |= {-product / (k - 1) for product in products}
    return {theta + (1 - theta) * product for product in products}


def check_informative(theta: float, group: Sequence[Any], sizes: Sequence[int]) -> None:
    """Nothing, if what is released of a group depends on all that is true of it."""
    if min(map(abs, eigenvalues(theta, sizes))) < SINGULAR:
        raise ValueError(
            f"theta is {theta:g} for the group {list(group)}, which carries no information on a single answer: the "
            "truth and its replacement look alike, and no inverse exists; choose another theta, the farther from it "
            "the more is told (1 tells all)"
        )


def _check_distinct(name: str, columns: Sequence[Any], expected: str) -> None:
    twice = [column for place, column in enumerate(columns) if column in columns[:place]]
    if twice:
        raise ValueError(f"{name} names {twice[0]!r} twice; expected {expected}")


def _listed(values: Any) -> Any:
    """The values as a tuple, booleans as 0 and 1; what is no list is left to the channel's own check."""
    if isinstance(values, str | Set) or not isinstance(values, Iterable):
        return values
    listed = tuple(values)
    return tuple(map(int, listed)) if all(isinstance(value, bool | np.bool_) for value in listed) else listed


def _columns(columns: Any, number: Any) -> list[Any]:
    if isinstance(columns, str) or not isinstance(columns, Iterable):
        raise TypeError(f"columns is {columns!r}; expected a list of column names")
    names = list(columns)
    checks.whole("number", number, 1, len(names), hint="a group has at least one column")
    return names


def _plain(values: pd.Series) -> pd.Series:
    """Booleans as 0 and 1, which they equal."""
    if isinstance(values.dtype, pd.BooleanDtype):
        return values.astype("Int64")
    return values.astype(int) if values.dtype == bool else values
