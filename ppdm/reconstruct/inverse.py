"""Direct estimators: the proportions that a channel must have started from, without iteration.

The inverse is linear, so that each disguised record has a weight (DZ03 §4). The proportion of a conjunction
E = E_1 ∧ … ∧ E_g, with an E_i for each group that it mentions, is the mean over the disguised records of Π w_i. Where
attributes have two values, w_i is θ / (2θ − 1) for a record whose group is as E_i says, and (θ − 1) / (2θ − 1) for one
whose group is its opposite. It is 0 for all others. So one pass does for any number of groups.
"""

from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np
import pandas as pd

from ppdm import checks
from ppdm.disguise import CategoryChannel, GroupedResponse, as_disguise
from ppdm.estimate import Estimate, doubt
from ppdm.reconstruct.em import one_for_each

MAX_COMBINATIONS = 10_000


def invert(proportions, matrix) -> np.ndarray:
    """The x with matrixᵀ x = proportions: unbiased, but possibly with negative entries or entries above 1.

    Parameters
    ----------
    proportions : a number for each seen value; counts give counts
    matrix : P(seen | true), square; row: true, column: seen; rows sum to 1

    >>> invert([0.6, 0.4], [[0.75, 0.25], [0.25, 0.75]]).round(6).tolist()
    [0.7, 0.3]
    """
    matrix = checks.matrix("matrix", matrix)
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"matrix has shape {matrix.shape}; expected a square one (em_step takes any)")
    checks.law("matrix", matrix)
    seen = one_for_each("proportions", proportions, len(matrix), "columns")
    checks.invertible("matrix", matrix)
    return np.linalg.solve(matrix.T, seen)  # not the inverse itself, which loses digits


def likeliest(counts, matrix) -> np.ndarray:
    """The shares under which the counts are likeliest: where the EM iteration ends, in closed form.

    Each answer is kept, or replaced by another in a way that does not depend on what it replaces. A category whose
    share would be negative is left out, and the others are seen in proportion to their counts. A channel that replaces
    in another way has no closed form: then all shares are equal.
    """
    # The probability of each answer where another one is true, and how much larger it is where it is true itself.
    replaced = np.array([matrix[1, 0], *matrix[0, 1:]])
    kept = matrix[0, 0] - matrix[1, 0]
    number = len(counts)
    if not np.allclose(matrix, replaced + kept * np.eye(number)):
        return np.full(number, 1 / number)
    # Without the left out the bound for the others rises, so that none of these comes back.
    free = np.ones(number, dtype=bool)
    while True:
        total = counts[free].sum()
        parts = counts[free] / total if total else np.full(free.sum(), 1 / free.sum())
        shares = np.zeros(number)
        shares[free] = parts + (replaced[free].sum() * parts - replaced[free]) / kept
        if (shares >= 0).all():
            return shares
        free &= shares >= 0


def proportion(frame: pd.DataFrame, channel: GroupedResponse, conjunction: Mapping) -> float:
    """The estimated share of the true records that satisfy a conjunction (DZ03 §4).

    It is unbiased, so it may lie outside [0, 1]. A warning says if its standard error is more than that whole range.

    Parameters
    ----------
    frame : the disguised records; the columns that the conjunction names are read
    channel : what disguised them; columns in none of its groups are taken as true
    conjunction : a dict from columns to values

    >>> seen = pd.DataFrame({"a": [1, 1, 0, 0, 1], "b": [1, 1, 0, 1, 1]})
    >>> round(proportion(seen, GroupedResponse(0.9, [["a", "b"]]), {"a": 1, "b": 1}), 3)
    0.65
    """
    weights = record_weights(frame, channel, conjunction)
    doubt(weights.mean(), weights.std() / len(weights) ** 0.5)
    return float(weights.mean())


def estimate(frame: pd.DataFrame, channel: GroupedResponse, conjunction: Mapping) -> Estimate:
    """The estimated share with its standard error: the mean of the records' weights, and the error of that mean.

    A warning says if the error is more than 1, so that nothing is known of the share.

    Parameters
    ----------
    frame, channel, conjunction : as in ``proportion``; two records at least

    >>> seen = pd.DataFrame({"a": [1, 1, 0, 0, 1] * 200, "b": [1, 1, 0, 1, 1] * 200})
    >>> estimate(seen, GroupedResponse(0.9, [["a", "b"]]), {"a": 1, "b": 1})
    0.650 ± 0.018
    """
    found = _estimate(frame, channel, conjunction)
    doubt(found.value, found.error)
    return found


def _estimate(frame, channel, conjunction):
    weights = record_weights(frame, channel, conjunction)
    if len(weights) < 2:
        raise ValueError("frame has one record; expected two or more, because one does not tell how sure it is")
    return Estimate(weights.mean(), weights.std(ddof=1) / len(weights) ** 0.5)


def frequencies(frame: pd.DataFrame, channel: GroupedResponse, columns: Sequence) -> pd.DataFrame:
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
    channels = as_disguise(channel, name="channel").channels_
    names = checks.distinct("columns", checks.columns("columns", columns, channels))
    for name in names:
        checks.of_type(f"the channel of {name!r}", channels[name], CategoryChannel, "a channel of categories")
    values = [channels[name].categories for name in names]
    checks.cells("columns", map(len, values), MAX_COMBINATIONS)
    asked = [dict(zip(names, cell)) for cell in product(*values)]
    found = [_estimate(frame, channel, conjunction) for conjunction in asked]
    index = pd.MultiIndex.from_product(values, names=names)
    if len(names) == 1:
        index = index.get_level_values(0)
    table = pd.DataFrame([(one.value, one.error) for one in found], index, ["share", "error"])
    doubt(table["share"], table["error"])
    return table


def record_weights(frame: pd.DataFrame, channel: GroupedResponse, conjunction: Mapping) -> np.ndarray:
    """What each disguised record counts for in the estimate of a conjunction; arguments as in ``proportion``."""
    asked, agree = _asked(frame, channel, conjunction)
    weights = agree.astype(float)
    for part, seen, wanted in asked:
        inside = {column: np.arange(part.channels[column].k) == code for column, code in wanted.items()}
        weights *= part.weights(seen, inside)
    return weights


def proportion_variance(
    truth: pd.DataFrame, channel: GroupedResponse, conjunction: Mapping, records: int | None = None
) -> float:
    """The variance of ``proportion`` in closed form, over the choice of the records and their disguise.

    The mean of w² minus the squared proportion, over the number of records. For one answer it is Warner's (1965)
    π(1 − π) / n + θ(1 − θ) / (n (2θ − 1)²).

    Parameters
    ----------
    truth : true records of the population
    channel, conjunction : as in ``proportion``
    records : how many are drawn from the population, with replacement, and disguised; None: the number that it has

    >>> truth = pd.DataFrame({"a": [1] * 3 + [0] * 7})
    >>> round(proportion_variance(truth, GroupedResponse(0.75, [["a"]]), {"a": 1}, records=100), 6)
    0.0096
    """
    checks.frame("truth", truth)
    number = len(truth) if records is None else checks.whole("records", records, 1)
    asked, inside = _asked(truth, channel, conjunction)
    squares = inside.astype(float)
    for part, seen, wanted in asked:
        matches = {column: seen[column] == wanted[column] for column in seen}
        squares *= _mean_squares(part, matches)
        inside = np.logical_and.reduce([inside, *matches.values()])
    return float((squares.mean() - inside.mean() ** 2) / number)


def _mean_squares(part, matches):
    """The mean of the squared weight, over what may be released of true records."""
    sizes = [part.channels[column].k for column in matches]
    shape = [2] * len(sizes)
    checks.cells("conjunction", shape)
    # The squares by which attributes are released as the event asks (1) and which are not (0), an axis for each.
    every_match = dict(zip(matches, np.indices(shape)))
    squares = part.match_weights(every_match) ** 2
    replaced = squares
    for k in sizes:
        # The event's value is always replaced by another one, another one by the event's in one case of k − 1.
        back = 1 / (k - 1)
        replaced = np.tensordot(replaced, [[1 - back, 1], [back, 0]], axes=(0, 0))
    mean = part.theta * squares + (1 - part.theta) * replaced
    places = tuple(match.astype(int) for match in matches.values())
    return mean[places]


def _asked(frame, channel, conjunction):
    """What a conjunction asks of records, for each part that it mentions, and of columns that are not disguised.

    For a part: it, what is seen of its columns and what is wanted, as codes. Of the others, which records agree.
    """
    wanted = checks.mapping("conjunction", conjunction)
    for column, value in wanted.items():
        if pd.api.types.is_list_like(value) or pd.isna(value):
            raise ValueError(f"conjunction[{column!r}] is {value!r}; expected a single value, not missing")
    checks.columns("conjunction", wanted, checks.frame("frame", frame).columns)
    disguise = as_disguise(channel, name="channel")
    asked = []
    agree = np.ones(len(frame), dtype=bool)
    for part in disguise.parts_:
        own = {column: one for column, one in part.channels.items() if column in wanted}
        seen = {column: one.codes(frame[column], f"column {column!r}") for column, one in own.items()}
        codes = {
            column: one.codes([wanted[column]], f"conjunction[{column!r}]")[0] for column, one in own.items()
        }
        if own:
            asked.append((part, seen, codes))
    for column in wanted.keys() - disguise.channels_.keys():
        checks.none_missing(f"column {column!r}", frame[column])
        agree &= frame[column].to_numpy() == wanted[column]
    return asked, agree
