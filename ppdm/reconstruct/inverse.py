"""Direct estimators: the proportions that a channel must have started from, without iteration.

The inverse is linear, so that each record that was disguised in groups has a weight (DZ03 §4). The proportion of a
conjunction E = E_1 ∧ … ∧ E_g is the mean over the disguised records of Π w_g. Where an attribute has two values, w_g is
θ / (2θ − 1) for a record whose group is as E_g says, (θ − 1) / (2θ − 1) for one whose group is its opposite, and 0 for
all others: one pass for any number of groups. Groups that E does not mention have no part.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import product
from math import prod
from typing import Any

import numpy as np
import pandas as pd

from ppdm import checks
from ppdm.disguise.grouped import GroupedResponse, checked_channel
from ppdm.estimate import Estimate

WORST_CONDITION = 1e12
MAX_ATTRIBUTES = 16  # of one group that has more than two values somewhere, in one conjunction
MAX_COMBINATIONS = 10_000


def invert(proportions: Any, matrix: Any) -> np.ndarray:
    """The x with matrixᵀ x = proportions: unbiased, but possibly with negative entries or entries above 1.

    Parameters
    ----------
    proportions : of the seen values, one for each column; counts give counts
    matrix : P(seen | true), square; row: true, column: seen

    >>> invert([0.6, 0.4], [[0.75, 0.25], [0.25, 0.75]]).round(6).tolist()
    [0.7, 0.3]
    """
    matrix = checks.matrix("matrix", matrix)
    seen = checks.not_negative("proportions", checks.vector("proportions", proportions))
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"matrix has shape {matrix.shape}; expected a square one (em_step takes any)")
    checks.not_transposed("matrix", matrix)
    if len(seen) != len(matrix):
        raise ValueError(f"proportions has {len(seen)} entries for a matrix of {len(matrix)} columns; expected as many")
    check_invertible(matrix)
    return np.linalg.solve(matrix.T, seen)


def check_invertible(matrix: np.ndarray) -> None:
    """Refuse a matrix by which what is seen depends too little on what is true for the inverse."""
    condition = np.linalg.cond(matrix)
    if not condition < WORST_CONDITION:
        raise ValueError(
            f"matrix has the condition number {condition:.3g}; expected less than {WORST_CONDITION:g}: what is seen "
            "hardly depends on what is true; choose a channel that keeps more, fewer intervals, or em_step"
        )


def proportion(frame: pd.DataFrame, channel: GroupedResponse, conjunction: Mapping[Any, Any]) -> float:
    """The estimated share of the true records that satisfy a conjunction; unbiased, so it may lie outside [0, 1].

    Parameters
    ----------
    frame : the disguised records; the columns that the conjunction names are read
    channel : what disguised them; columns in none of its groups are taken as true
    conjunction : a dict from columns to values

    >>> seen = pd.DataFrame({"a": [1, 1, 0, 0, 1], "b": [1, 1, 0, 1, 1]})
    >>> round(proportion(seen, GroupedResponse(0.9, [["a", "b"]]), {"a": 1, "b": 1}), 3)
    0.65
    """
    return float(record_weights(frame, channel, conjunction).mean())


def estimate(frame: pd.DataFrame, channel: GroupedResponse, conjunction: Mapping[Any, Any]) -> Estimate:
    """That share with its standard error, that of the mean of the records' weights.

    Parameters
    ----------
    frame, channel, conjunction : as in ``proportion``; two records at least

    >>> seen = pd.DataFrame({"a": [1, 1, 0, 0, 1] * 200, "b": [1, 1, 0, 1, 1] * 200})
    >>> estimate(seen, GroupedResponse(0.9, [["a", "b"]]), {"a": 1, "b": 1})
    0.650 ± 0.018
    """
    weights = record_weights(frame, channel, conjunction)
    if len(weights) < 2:
        raise ValueError("frame has one record; expected two or more, because one does not tell how sure it is")
    return Estimate(float(weights.mean()), float(weights.std(ddof=1) / len(weights) ** 0.5))


def frequencies(frame: pd.DataFrame, channel: GroupedResponse, columns: Sequence[Any]) -> pd.DataFrame:
    """The estimated share of every combination of values of some columns, and its standard error.

    Parameters
    ----------
    frame, channel : as in ``estimate``
    columns : in groups; their values come as the channel lists them, the last column changing fastest. At most 10,000
        combinations.

    >>> places = ["home", "office", "both"]
    >>> seen = pd.DataFrame({"works": ["home"] * 60 + ["office"] * 25 + ["both"] * 15})
    >>> frequencies(seen, GroupedResponse(0.8, [["works"]], {"works": places}), ["works"]).round(3).T
    works   home  office   both
    share  0.714   0.214  0.071
    error  0.070   0.062  0.051
    """
    names = checks.columns("columns", columns, checked_channel(channel).columns)
    if not names or len(set(names)) < len(names):
        raise ValueError(f"columns is {names}; expected at least one, none of them twice")
    values = [channel.answers[name].categories for name in names]
    if prod(map(len, values)) > MAX_COMBINATIONS:
        raise ValueError(f"columns have {prod(map(len, values))} combinations; expected at most {MAX_COMBINATIONS:,}")
    found = [estimate(frame, channel, dict(zip(names, cell, strict=True))) for cell in product(*values)]
    index = pd.MultiIndex.from_product(values, names=names)
    return pd.DataFrame(
        {"share": [one.value for one in found], "error": [one.error for one in found]},
        index=index if len(names) > 1 else index.get_level_values(0),
    )


def record_weights(frame: pd.DataFrame, channel: GroupedResponse, conjunction: Mapping[Any, Any]) -> np.ndarray:
    """What each disguised record counts for in the estimate of a conjunction."""
    weights = np.ones(len(checks.frame("frame", frame)))
    for theta, sizes, matches in _matches(frame, channel, conjunction):
        weights *= group_weights(theta, sizes, matches)
    return weights


def proportion_variance(
    truth: pd.DataFrame, channel: GroupedResponse, conjunction: Mapping[Any, Any], records: int | None = None
) -> float:
    """The variance of ``proportion`` in closed form, over the choice of the records and their disguise.

    The mean of w² minus the squared proportion, over the number of records. For one answer it is Warner's (1965)
    π(1 − π) / n + θ(1 − θ) / (n (2θ − 1)²).

    Parameters
    ----------
    truth : true records of the population
    channel, conjunction : as in ``proportion``
    records : how many are drawn from the population, with replacement, and disguised; None: as many as it has

    >>> truth = pd.DataFrame({"a": [1] * 3 + [0] * 7})
    >>> round(proportion_variance(truth, GroupedResponse(0.75, [["a"]]), {"a": 1}, records=100), 6)
    0.0096
    """
    number = len(checks.frame("truth", truth)) if records is None else checks.whole("records", records, 1)
    squares, inside = np.ones(len(truth)), np.ones(len(truth))
    for theta, sizes, matches in _matches(truth, channel, conjunction):
        squares *= _mean_squares(theta, sizes, matches)
        inside *= np.logical_and.reduce(matches)
    return float((squares.mean() - inside.mean() ** 2) / number)


def group_weights(theta: float, sizes: Sequence[int], matches: Sequence[np.ndarray]) -> np.ndarray:
    """The weight of records in one group, for an event that names a value of some of its attributes.

    Parameters
    ----------
    theta : the probability of the truth
    sizes : how many values each of these attributes has
    matches : for each of them, whether the seen value is the event's; arrays whose shapes go together
    """
    if max(sizes, default=2) == 2:
        return by_number(_number(matches), len(sizes), *binary_weights(theta))
    return inverse_by_match(theta, tuple(sizes))[tuple(np.asarray(match, dtype=np.intp) for match in matches)]


def binary_weights(theta: float) -> tuple[float, float]:
    """The weights of the truth and of its opposite, the two entries of the inverse of M_1."""
    return theta / (2 * theta - 1), (theta - 1) / (2 * theta - 1)


@lru_cache(maxsize=256)
def inverse_by_match(theta: float, sizes: tuple[int, ...]) -> np.ndarray:
    """The entries of the inverse of a group's matrix, by which attributes agree (1) and which do not (0).

    Along each attribute the matrix has two eigenspaces: what is the same for all values, and what sums to 0.
    """
    if len(sizes) > MAX_ATTRIBUTES:
        raise ValueError(
            f"conjunction names {len(sizes)} attributes of one group, some of more than two values; "
            f"expected at most {MAX_ATTRIBUTES}"
        )
    replaced = np.ones(())
    for k in sizes:
        replaced = np.multiply.outer(replaced, [1, -1 / (k - 1)])
    inverse = 1 / (theta + (1 - theta) * replaced)
    for k in sizes:  # each turn replaces the first axis, by eigenspace, by a last one, by match
        inverse = np.tensordot(inverse, [[1 / k, 1 / k], [-1 / k, 1 - 1 / k]], axes=(0, 0))
    return inverse


def _mean_squares(theta: float, sizes: Sequence[int], matches: Sequence[np.ndarray]) -> np.ndarray:
    """The mean of the squared weight, over what may be released of true records."""
    if max(sizes, default=2) == 2:
        truth, opposite = binary_weights(theta)
        kept, reversed_ = (theta * a * a + (1 - theta) * b * b for a, b in ((truth, opposite), (opposite, truth)))
        return by_number(_number(matches), len(sizes), kept, reversed_)
    squares = inverse_by_match(theta, tuple(sizes)) ** 2
    replaced = squares
    for k in sizes:  # a value is replaced by the event's never, if it is that, else in one case of k − 1
        replaced = np.tensordot(replaced, [[1 - 1 / (k - 1), 1], [1 / (k - 1), 0]], axes=(0, 0))
    mean = theta * squares + (1 - theta) * replaced
    return mean[tuple(np.asarray(match, dtype=np.intp) for match in matches)]


def by_number(matching: Any, wanted: Any, every: float, none: float) -> np.ndarray:
    """One number where so many attributes match as are wanted, another where none does, else 0."""
    return np.where(matching == wanted, every, np.where(matching == 0, none, 0.0))


def _number(matches: Sequence[np.ndarray]) -> Any:
    """How many attributes match."""
    return sum(np.asarray(match, dtype=np.intp) for match in matches)


def _matches(
    frame: pd.DataFrame, channel: GroupedResponse, conjunction: Any
) -> list[tuple[float, list[int], list[np.ndarray]]]:
    """For each group that the conjunction mentions: its theta, its attributes' sizes and which records match them.

    A column that is not disguised is a group that always tells the truth.
    """
    checked_channel(channel)
    wanted = {column: _single(column, value) for column, value in checks.mapping("conjunction", conjunction).items()}
    checks.columns("conjunction", wanted, checks.frame("frame", frame).columns)
    codes = channel.codes(frame[list(wanted)], "frame")
    parts = []
    for theta, group in channel.parts:
        inside = [column for column in group if column in wanted]
        if inside:
            values = [
                channel.answers[column].codes([wanted[column]], f"conjunction[{column!r}]")[0] for column in inside
            ]
            matches = [codes[column] == value for column, value in zip(inside, values, strict=True)]
            parts.append((theta, [channel.answers[column].k for column in inside], matches))
    for column in wanted:
        if column not in codes:
            checks.none_missing(f"column {column!r}", frame[column])
            parts.append((1.0, [2], [np.asarray(frame[column] == wanted[column])]))
    return parts


def _single(column: Any, value: Any) -> Any:
    """What a conjunction asks of a column; True and False are 1 and 0."""
    if pd.api.types.is_list_like(value) or pd.isna(value):
        raise ValueError(f"conjunction[{column!r}] is {value!r}; expected a single value, not missing")
    return int(value) if isinstance(value, bool | np.bool_) else value
