"""What answers in groups give away to who knows how the true records are distributed (DZ03 §1.2, §5.3.3)."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ppdm import checks
from ppdm.disguise import GroupedResponse
from ppdm.measure.releases import Known, Releases, Seen

POSTERIOR = ("before", "after")


@dataclass(frozen=True, repr=False)
class BestGuess:
    """What is guessed of one answer, yes or no, from what is released of it.

    Attributes
    ----------
    right : the probability that the best guess is right
    yes, no : the probability that the truth is yes, once a yes is seen, or a no
    """

    right: float
    yes: float
    no: float

    def __repr__(self) -> str:
        return f"BestGuess(right in {self.right:.1%}; yes after a yes {self.yes:.1%}, after a no {self.no:.1%})"


def best_guess(theta: float, share: float) -> BestGuess:
    """The best guess of one answer by who knows how many people's truth is yes.

    DZ03 §1.2 has it that nobody guesses an answer with a probability better than θ. But the best guess is right with
    max(θ, 1 − θ, p, 1 − p): there are four ways to guess, by believing what is seen or its opposite, or by saying yes
    always, or no. After a yes the truth is yes with pθ / (pθ + (1 − p)(1 − θ)).

    Parameters
    ----------
    theta : the probability that the truth is released, in [0, 1]
    share : p, of the people whose truth is yes, in (0, 1)

    >>> best_guess(theta=0.7, share=0.1)
    BestGuess(right in 90.0%; yes after a yes 20.6%, after a no 4.5%)
    """
    theta = checks.number("theta", theta, 0, 1)
    share = checks.number("share", share, 0, 1, open_low=True, open_high=True)
    yes, no = share * theta, share * (1 - theta)
    seen = yes + (1 - share) * (1 - theta)
    return BestGuess(max(theta, 1 - theta, share, 1 - share), yes / seen, no / (1 - seen))


def record_posterior(channel: GroupedResponse, prior: pd.DataFrame, released: Any, weights: Any = None) -> pd.DataFrame:
    """The true records that a released one can stem from, the likeliest first, each with its probability.

    Parameters
    ----------
    channel : what disguised the record
    prior : true records, distributed as the intruder knows that they are; columns in no group must be as released
    released : a record as it is released: a dict, a Series or a table of one row
    weights : for how much each row of prior counts; None: all the same

    The columns "before" and "after" are the probabilities without and with the release.

    >>> prior = pd.DataFrame({"smokes": [1, 0, 0], "drinks": [1, 0, 1]})
    >>> pair = GroupedResponse(0.8, [["smokes", "drinks"]])
    >>> record_posterior(pair, prior, {"smokes": 1, "drinks": 1}, weights=[1, 5, 4]).round(2)
       smokes  drinks  before  after
    0       0       0     0.5   0.56
    1       1       1     0.1   0.44
    """
    known = Known.of(channel, prior, weights)
    taken = [name for name in POSTERIOR if name in prior.columns]
    if taken:
        raise ValueError(f"prior has a column {taken[0]!r}, as the result calls one of its own; rename it")
    table = released if isinstance(released, pd.DataFrame) else pd.DataFrame([checks.mapping("released", released)])
    if len(table) != 1:
        raise ValueError(f"released has {len(table)} rows; expected one record")
    joint = next(Seen(known, table).blocks())[0]
    after = joint / joint.sum()
    found = known.records.assign(before=known.shares, after=after)[after > 0]
    return found.sort_values("after", ascending=False, kind="stable", ignore_index=True)


def response_posteriors(
    channel: GroupedResponse,
    prior: pd.DataFrame,
    released: pd.DataFrame | None = None,
    weights: Any = None,
    rare: float = 1e-4,
) -> pd.DataFrame:
    """How often the best guess of each attribute in a group is right, for who knows how true records are distributed.

    - before: without any release
    - theta: by believing what is released; DZ03 §1.2 says that nothing is better (for two values and θ < ½, its
      opposite is believed)
    - one answer: from what is released of this attribute alone
    - whole record: from all that is released of the record
    - worst: from the most telling released records, but for such as make up a share ``rare`` of all

    To know the distribution of the true records is to know a lot: with the table itself as prior, it is the table
    without who is who. For who knows less, give another prior, say all combinations with products of shares as weights.

    Parameters
    ----------
    channel : what disguises the records
    prior : true records, distributed as the intruder knows that they are; columns in no group are released as they are
    released : records as they are released, of which the mean is taken; None: all that can be released of those of
        prior, as likely as they are
    weights : for how much each row of prior counts; None: all the same
    rare : number in [0, 1)

    >>> prior = pd.DataFrame({"smokes": [1, 0, 0], "drinks": [1, 0, 1]})
    >>> response_posteriors(GroupedResponse(0.8, [["smokes", "drinks"]]), prior, weights=[1, 5, 4])
            before  theta  one answer  whole record  worst
    smokes     0.9    0.8         0.9           0.9    1.0
    drinks     0.5    0.8         0.8           0.9    1.0
    """
    rare = checks.number("rare", rare, 0, 1, open_high=True)
    known = Known.of(channel, prior, weights)
    joint = _releases(known, released).joint(known.indicators)
    best, totals = (take.reduceat(joint, known.starts, axis=1) for take in (np.maximum, np.add))
    answers = channel.answers.values()
    margins = np.split(known.shares @ known.indicators, known.starts[1:])
    return pd.DataFrame(
        {
            "before": [margin.max() for margin in margins],
            "theta": [max(answer.keep, answer.replace) for answer in answers],
            "one answer": [
                (margin[:, None] * answer.matrix()).max(axis=0).sum()
                for margin, answer in zip(margins, answers, strict=True)
            ],
            "whole record": best.sum(axis=0) / totals.sum(axis=0),
            "worst": [_worst(*columns, rare) for columns in zip(best.T, totals.T, strict=True)],
        },
        index=pd.Index(channel.columns, tupleize_cols=False),
    )


def record_guess(
    channel: GroupedResponse, prior: pd.DataFrame, released: pd.DataFrame | None = None, weights: Any = None
) -> float:
    """How often the best guess of a whole record is right, all its values at once.

    DZ03 §1.2 says with a probability of θ for each group, θ^N for N; that is for who knows nothing of the distribution.

    Parameters
    ----------
    channel, prior, released, weights : as in ``response_posteriors``

    >>> prior = pd.DataFrame({"smokes": [1, 0, 0], "drinks": [1, 0, 1]})
    >>> round(record_guess(GroupedResponse(0.8, [["smokes"], ["drinks"]]), prior, weights=[1, 5, 4]), 3)
    0.72
    """
    return float(_releases(Known.of(channel, prior, weights), released).most().sum())


def known_answer(
    channel: GroupedResponse, prior: pd.DataFrame, released: pd.DataFrame | None = None, weights: Any = None
) -> pd.DataFrame:
    """What one true answer, once it is known, tells of the others (DZ03 §1.2): a row for the answer to each attribute.

    Who knows it sees whether its group was released as it is. If so all the group's values are known; if not, those of
    attributes with two values still are. The probabilities are means over all other attributes in groups.

    - group: how many others the attribute's group has
    - unmasked: how many of them are known for certain, on the average, whatever is known of the distribution
    - before: how often the best guess is right for who has neither the release nor the answer
    - answer: for who knows the answer
    - release: for who sees the release
    - both: for who has both

    Parameters
    ----------
    channel, prior, released, weights : as in ``response_posteriors``; two attributes at least are in groups

    >>> prior = pd.DataFrame({"a": [0, 0, 1, 1], "b": [0, 1, 0, 1], "c": [0, 1, 1, 1]})
    >>> known_answer(GroupedResponse(0.8, [["a", "b"], ["c"]]), prior).round(3)
       group  unmasked  before  answer  release  both
    a      1       1.0   0.625   0.625     0.85   1.0
    b      1       1.0   0.625   0.625     0.85   1.0
    c      0       0.0   0.500   0.750     0.80   0.9
    """
    known = Known.of(channel, prior, weights)
    if len(channel.columns) < 2:
        raise ValueError(f"channel is {channel!r}, which disguises one attribute; expected two or more")
    others = ~np.eye(len(channel.columns), dtype=bool)
    means = []
    for joint in (lambda holds: (known.shares @ holds)[None], _releases(known, released).joint):
        guesses = _guesses(known, joint)
        means += [(np.trace(guesses) - np.diag(guesses)) / others.sum(axis=1), guesses.mean(axis=1, where=others)]
    sizes = [len(group) - 1 for group in channel.groups for _ in group]
    return pd.DataFrame(
        np.column_stack([sizes, unmasked(channel), *means]),
        columns=["group", "unmasked", "before", "answer", "release", "both"],
        index=pd.Index(channel.columns, tupleize_cols=False),
    ).astype({"group": int})


def response_epsilon(channel: GroupedResponse, delta: float = 0.0) -> pd.DataFrame:
    """The ε of single answers, of groups and of the whole record, by (ε, δ)-local differential privacy.

    A group of several attributes has none: a pair that is released as 1 and 1 was never 1 and 0. What "kept or
    replaced" says is less, the log odds |ln θ / (1 − θ)| of whether a group tells the truth: it is the ε of a group of
    one attribute with two values, and no bound on what a larger group gives away.

    Parameters
    ----------
    channel : what disguises the records; columns in none of its groups have no ε, and are left out
    delta : number in [0, 1)

    >>> response_epsilon(GroupedResponse(0.8, [["smokes", "drinks"], ["rides"]])).round(2)
                                    ε  kept or replaced
    one answer   smokes          1.39              1.39
                 drinks          1.39              1.39
                 rides           1.39              1.39
    group        smokes, drinks   inf              1.39
                 rides           1.39              1.39
    whole record all              inf              2.77
    """
    delta = checks.number("delta", delta, 0, 1, open_high=True)
    if not isinstance(channel, GroupedResponse):
        raise TypeError(f"channel is {channel!r}; expected a GroupedResponse")
    odds = [_log_odds(theta) for theta in channel.thetas]
    rows = {
        ("one answer", column): (answer.epsilon(delta), own)
        for own, part in zip(odds, channel.parts, strict=True)
        for column, answer in part.channels.items()
    }
    for own, part in zip(odds, channel.parts, strict=True):
        rows["group", ", ".join(map(str, part.columns))] = (part.epsilon(delta), own)
    rows["whole record", "all"] = (sum(part.epsilon(delta / len(odds)) for part in channel.parts), sum(odds))
    return pd.DataFrame(list(rows.values()), pd.MultiIndex.from_tuples(rows), ["ε", "kept or replaced"])


def _releases(known: Known, released: Any) -> Releases | Seen:
    return Releases(known) if released is None else Seen(known, released)


def _worst(best: np.ndarray, totals: np.ndarray, rare: float) -> float:
    """The largest posterior, but for releases that make up so small a share."""
    possible = totals > 0
    return most_telling(best[possible] / totals[possible], totals[possible], rare)


def most_telling(values: np.ndarray, shares: np.ndarray, rare: float) -> float:
    """The largest of the values, but for such as make up so small a share."""
    order = np.argsort(-values, kind="stable")
    last = int(np.searchsorted(np.cumsum(shares[order]), rare, side="right"))
    return float(values[order[min(last, len(order) - 1)]])


def _guesses(known: Known, joint: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """How often a best guess is right: of each attribute (a column) where another's truth (a row) is known.

    On the diagonal: where none is known.
    """
    holds, starts = known.indicators, known.starts
    guesses = np.diag(np.maximum.reduceat(joint(holds), starts, axis=1).sum(axis=0))
    for place, (start, k) in enumerate(zip(starts[:-1], known.sizes, strict=False)):
        own, rest = holds[:, start : start + k], holds[:, start + k :]
        pairs = joint((own[:, :, None] * rest[:, None]).reshape(len(own), -1)).reshape(-1, k, rest.shape[1])
        parts = starts[place + 1 :] - start - k
        guesses[place, place + 1 :] = np.maximum.reduceat(pairs, parts, axis=2).sum(axis=(0, 1))
        guesses[place + 1 :, place] = np.add.reduceat(pairs.max(axis=1).sum(axis=0), parts)
    return guesses


def unmasked(channel: GroupedResponse) -> np.ndarray:
    """For each attribute in a group, how many others its answer makes known for certain, on the average."""
    certain = [
        np.array([1 if answer.k == 2 else part.theta for answer in part.channels.values()]) for part in channel.parts
    ]
    return np.concatenate([own.sum() - own for own in certain])


def _log_odds(theta: float) -> float:
    return abs(math.log(theta / (1 - theta))) if 0 < theta < 1 else math.inf
