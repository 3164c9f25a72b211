"""What known records can become when they are disguised in groups, and how likely each release is.

A release and a true record go together with probability Π P(group seen | group true): theta where all values of the
group agree, (1 − theta) / Π (k − 1) where none does, else 0. To sum over all releases of all records, these are
followed group by group. After some groups it matters only what was released of them and what is true of the others:
what agrees in both goes on as one, so that there is never more to follow than the attributes have combinations of
values.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple, Self

import numpy as np
import pandas as pd
from scipy.sparse import csr_array

from ppdm import checks
from ppdm.disguise import GroupedResponse

PAIRS = 1_000_000  # of a released and a true record, that are compared at a time
MOST_RELEASES = 2_000_000  # that are followed at a time


class TooManyError(ValueError):
    """More can be released than can be followed; what has been released can be looked at instead."""


def coded(channel: GroupedResponse, *frames: pd.DataFrame) -> list[np.ndarray]:
    """Records as codes, a table each: a column for each attribute in a group, in the order of ``channel.columns``.

    The last column numbers what records are in the columns that pass as they are; equal ones have equal numbers.
    """
    passing = [column for column in frames[0].columns if column not in channel.answers]
    passed = np.zeros(sum(map(len, frames)), dtype=np.intp)
    if passing:
        columns = (pd.concat([frame[column] for frame in frames], ignore_index=True) for column in passing)
        passed = distinct_rows(np.column_stack([pd.factorize(column, use_na_sentinel=False)[0] for column in columns]))[
            1
        ]
    parts = np.split(passed, np.cumsum([len(frame) for frame in frames[:-1]]))
    return [np.column_stack([*channel.codes(frame).values(), part]) for frame, part in zip(frames, parts, strict=True)]


def distinct_rows(codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The first row of each distinct one, and the number of the distinct one that each row is."""
    _, rows, place = np.unique(codes, axis=0, return_index=True, return_inverse=True)
    return rows, place


def likelihood(channel: GroupedResponse, seen: np.ndarray, true: np.ndarray) -> np.ndarray:
    """P(seen | true): a row for each released record, a column for each true one.

    Parameters
    ----------
    channel : what disguises the records
    seen, true : as ``coded`` gives them, of one call
    """
    found = (seen[:, -1, None] == true[:, -1]).astype(float)
    for theta, sizes, group in _groups(channel):
        matches = np.zeros(found.shape, dtype=np.int16)
        for left, right in zip(seen[:, group].T, true[:, group].T, strict=True):
            matches += left[:, None] == right
        found *= np.where(matches == len(sizes), theta, np.where(matches == 0, (1 - theta) / _replacements(sizes), 0.0))
    return found


@dataclass(frozen=True, eq=False)
class Known:
    """What an intruder knows: which true records there are, and how often.

    Attributes
    ----------
    channel : what disguises them
    records : the distinct ones
    codes : of these, as ``coded`` gives them
    shares : how often each occurs
    """

    channel: GroupedResponse
    records: pd.DataFrame
    codes: np.ndarray
    shares: np.ndarray

    @classmethod
    def of(cls, channel: Any, prior: Any, weights: Any = None) -> Self:
        """The distinct records of a table, with the shares of its rows, or of the rows' weights."""
        if not isinstance(channel, GroupedResponse):
            raise TypeError(f"channel is {channel!r}; expected a GroupedResponse")
        checks.columns("groups", channel.columns, checks.frame("prior", prior).columns)
        counts = np.ones(len(prior)) if weights is None else _checked_weights(weights, prior)
        codes = coded(channel, prior)[0]
        rows, place = distinct_rows(codes)
        shares = np.bincount(place, counts) / counts.sum()
        rows, shares = rows[shares > 0], shares[shares > 0]
        return cls(channel, prior.iloc[rows], codes[rows], shares)

    @property
    def sizes(self) -> list[int]:
        """How many values each attribute in a group has."""
        return [answer.k for answer in self.channel.answers.values()]

    @property
    def starts(self) -> np.ndarray:
        """Where the values of each attribute begin among those of all."""
        return np.cumsum([0, *self.sizes[:-1]])

    @property
    def indicators(self) -> np.ndarray:
        """Whether each record (a row) has each value of each attribute, a column for every one."""
        return np.hstack([np.eye(k)[codes] for k, codes in zip(self.sizes, self.codes.T[:-1], strict=True)])


class Seen:
    """Releases that are given: distinct ones, compared with every known record."""

    def __init__(self, known: Known, released: pd.DataFrame) -> None:
        checks.columns("released", known.records.columns, checks.frame("released", released).columns)
        self._known, (self._true, codes) = known, coded(known.channel, known.records, released)
        rows, place = distinct_rows(codes)
        self._codes = codes[rows]
        self._totals = np.concatenate([block.sum(axis=1) for block in self.blocks()])
        if not self._totals.all():
            first = np.flatnonzero(self._totals[place] == 0)[0]
            raise ValueError(
                f"released has a row {first} that no record of prior can have become; expected releases of records "
                "such as prior has: take a prior in which all of them occur"
            )
        self.shares = np.bincount(place) / len(place)

    def joint(self, holds: np.ndarray) -> np.ndarray:
        """P(release, what holds), a row a release.

        Parameters
        ----------
        holds : for each known record (a row), whether something holds (a column), as 0 or 1
        """
        return np.vstack([block @ holds for block in self.blocks()]) * (self.shares / self._totals)[:, None]

    def most(self) -> np.ndarray:
        """P(release, true record) of the true record that is the most likely."""
        return np.concatenate([block.max(axis=1) for block in self.blocks()]) * self.shares / self._totals

    def blocks(self) -> Iterator[np.ndarray]:
        """P(seen, true): rows are releases, columns known records."""
        known, size = self._known, max(PAIRS // len(self._known.shares), 1)
        for first in range(0, len(self._codes), size):
            yield likelihood(known.channel, self._codes[first : first + size], self._true) * known.shares


class Releases:
    """All that known records can become.

    Attributes
    ----------
    shares : how likely each release is
    """

    def __init__(self, known: Known) -> None:
        self._known, self._steps = known, list(_steps(known))
        self.shares = self.joint(np.ones((len(known.shares), 1)))[:, 0]

    def joint(self, holds: np.ndarray) -> np.ndarray:
        """P(release, what holds), a row a release.

        Parameters
        ----------
        holds : for each known record (a row), whether something holds (a column), as 0 or 1
        """
        found = holds * self._known.shares[:, None]
        for theta, step in zip(self._known.channel.thetas, self._steps, strict=True):
            found = step.matrix(theta) @ found
        return found

    def most(self) -> np.ndarray:
        """P(release, true record) of the true record that is the most likely."""
        found = self._known.shares
        for theta, step in zip(self._known.channel.thetas, self._steps, strict=True):
            matrix = step.matrix(theta)
            found = np.maximum.reduceat(matrix.data * found[matrix.indices], matrix.indptr[:-1])
        return found


class _Step(NamedTuple):
    """What one group does: a row for each end, a column for each start, 1 where values are kept, −1 where replaced."""

    kept: csr_array
    ways: int  # to replace the values

    @classmethod
    def to(cls, ends: np.ndarray, number: int) -> Self:
        """The step to so many ends: those of each start (a row), first the one where the values are kept."""
        starts, signs = np.arange(len(ends)), np.where(np.arange(ends.shape[1]), -1.0, 1.0)
        entries = np.tile(signs, len(ends)), (ends.ravel(), np.repeat(starts, len(signs)))
        return cls(csr_array(entries, (number, len(ends))), len(signs) - 1)

    def matrix(self, theta: float) -> csr_array:
        """P(end | start)."""
        shares = np.where(self.kept.data > 0, theta, (1 - theta) / self.ways)
        return csr_array((shares, self.kept.indices, self.kept.indptr), self.kept.shape)


def _steps(known: Known) -> Iterator[_Step]:
    """Group by group; what is followed is numbered by what was released so far and what is true of the rest."""
    own = [np.unique(known.codes[:, group], axis=0, return_inverse=True) for _, _, group in _groups(known.channel)]
    rests = [np.zeros(len(known.shares), dtype=np.intp)]
    for _, pattern in reversed(own):
        rests.insert(0, pd.factorize(pattern * (rests[0].max() + 1) + rests[0])[0])
    seen, rest = known.codes[:, -1], rests[0]
    for (_, sizes, _), (patterns, pattern), now, after in zip(
        _groups(known.channel), own, rests, rests[1:], strict=False
    ):
        releases, options = _options(patterns, sizes)
        record = np.unique(now, return_index=True)[1][rest]  # one of those that what is followed is true of
        if len(record) * options.shape[1] > MOST_RELEASES:
            raise _too_many()
        seen = pd.factorize((seen[:, None] * releases + options[pattern[record]]).ravel())[0]
        width = after.max() + 1
        ends, states = pd.factorize(seen * width + np.repeat(after[record], options.shape[1]))
        yield _Step.to(ends.reshape(len(record), -1), len(states))
        seen, rest = np.divmod(states, width)


def _options(patterns: np.ndarray, sizes: Sequence[int]) -> tuple[int, np.ndarray]:
    """How many releases a group can have, and which of them each true pattern (a row) can become: itself first."""
    if len(patterns) * _replacements(sizes) > MOST_RELEASES:
        raise _too_many()
    others = np.array(list(product(*(range(1, k) for k in sizes))))
    released = np.concatenate([patterns[:, None], (patterns[:, None] + others) % sizes], axis=1)
    distinct, number = np.unique(released.reshape(-1, len(sizes)), axis=0, return_inverse=True)
    return len(distinct), number.reshape(len(patterns), -1)


def _too_many() -> TooManyError:
    return TooManyError(
        f"prior can become more than {MOST_RELEASES:,} releases at a time; give some of them: "
        "released=channel.disguise(prior)"
    )


def _groups(channel: GroupedResponse) -> Iterator[tuple[float, list[int], slice]]:
    """For each group its theta, how many values its attributes have, and where they stand."""
    first = 0
    for part in channel.parts:
        yield part.theta, part.sizes, slice(first, first + len(part.sizes))
        first += len(part.sizes)


def _replacements(sizes: Sequence[int]) -> float:
    """In how many ways all values of a group can be replaced."""
    return float(np.prod(np.subtract(sizes, 1.0)))


def _checked_weights(weights: Any, prior: pd.DataFrame) -> np.ndarray:
    numbers = checks.not_negative("weights", checks.vector("weights", weights))
    checks.same_length("weights", numbers, "prior", prior)
    if not numbers.sum() > 0:
        raise ValueError("weights are all 0; expected some above 0")
    return numbers
