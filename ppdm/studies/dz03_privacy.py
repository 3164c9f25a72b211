"""Du & Zhan 2003, the other side: what a sheet of answers gives away, and which theta keeps a promise."""

import math
from bisect import bisect_right
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from ppdm import checks
from ppdm.disguise import GroupedResponse
from ppdm.measure import Intruder, linkage_rate
from ppdm.studies.dz03 import CONFIDENCE, Split, papers_split, records

CHOICES = [thousandths / 1000 for thousandths in range(510, 1001)]  # of theta


def privacy(table: str, groups: str, theta: float, rng: np.random.Generator) -> dict[str, float]:
    """What a sheet gives away; means over the answers.

    To somebody who has all true records without their names: how often an answer is guessed without a sheet ("before"),
    from what is released of it alone ("one answer") and from the whole sheet; and how often all are guessed together
    ("record"). To a "stranger": from the whole sheet. To somebody who knows an answer: how many others are certain then
    ("unmasked"). To somebody who knows all true answers: how many sheets of the test records are found ("linked").
    """
    people, _ = records(table)
    split = papers_split(table)
    channel = split.channel(theta, groups, rng)
    intruder = Intruder(channel, people)
    guesses = intruder.posteriors()
    return {
        **{name: float(guesses[name].mean()) for name in ("before", "one answer", "whole record")},
        "unmasked": float(intruder.unmasked().mean()),
        "record": intruder.record_guess(),
        "stranger": stranger(split, channel, rng),
        "linked": linkage_rate(channel, split.test, rng=rng),
    }


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

    def __repr__(self):
        return f"BestGuess(right in {self.right:.1%}; yes after a yes {self.yes:.1%}, after a no {self.no:.1%})"


def best_guess(theta: float, share: float) -> BestGuess:
    """The best guess of one answer, if one knows for how many people the truth is yes.

    DZ03 §1.2 says that nobody guesses an answer with a probability better than θ. But the best guess is right with
    max(θ, 1 − θ, p, 1 − p): there are four ways to guess: take what is seen, take its opposite, always say yes,
    always say no. After a yes the truth is yes with pθ / (pθ + (1 − p)(1 − θ)).

    Parameters
    ----------
    theta : the probability that the truth is released, in [0, 1]
    share : p, of the people for whom the truth is yes, in (0, 1)

    >>> best_guess(theta=0.7, share=0.1)
    BestGuess(right in 90.0%; yes after a yes 20.6%, after a no 4.5%)
    """
    theta = checks.number("theta", theta, "[0, 1]")
    share = checks.number("share", share, "(0, 1)")
    yes, no = share * theta, share * (1 - theta)
    seen = yes + (1 - share) * (1 - theta)
    return BestGuess(max(theta, 1 - theta, share, 1 - share), yes / seen, no / (1 - seen))


def log_odds(theta: float) -> float:
    """|ln θ / (1 − θ)|: the ε of one answer, if it is a group of its own."""
    return abs(math.log(theta / (1 - theta))) if 0 < theta < 1 else math.inf


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
    odds = [log_odds(theta) for theta in channel.thetas]
    answers: dict[Any, Any] = {}
    groups: dict[Any, Any] = {}
    for part, own in zip(channel.parts, odds):
        answers |= {
            ("one answer", column): (answer.epsilon(delta), own) for column, answer in part.channels.items()
        }
        groups["group", ", ".join(map(str, part.columns))] = part.epsilon(delta), own
    whole = {("whole record", "all"): (sum(part.epsilon(delta / len(odds)) for part in channel.parts), sum(odds))}
    rows = answers | groups | whole
    return pd.DataFrame(list(rows.values()), pd.MultiIndex.from_tuples(rows), ["ε", "kept or replaced"])


def stranger(split: Split, channel: GroupedResponse, rng: np.random.Generator) -> float:
    """How often an answer of the test records is guessed by somebody who knows how often each class gives each answer.

    Given the class, answers are taken as independent, with the shares of the training records. Then a group is as
    released or turned with probabilities that multiply, and groups tell of each other by the class alone.
    """
    seen = channel.disguise(split.test, rng)
    classes, sizes = np.unique(split.train[split.target], return_counts=True)
    shares = [(split.train[split.train[split.target] == k].sum() + 1) / (n + 2) for k, n in zip(classes, sizes)]
    kept, turned = np.empty((2, len(classes), len(channel.groups), len(seen)))
    for k, share in enumerate(shares):
        share[split.target] = classes[k]
        for g, (theta, group) in enumerate(zip(channel.thetas, channel.groups)):
            here, p = seen[list(group)].to_numpy(), share[list(group)].to_numpy()
            kept[k, g] = theta * np.where(here == 1, p, 1 - p).prod(axis=1)
            turned[k, g] = (1 - theta) * np.where(here == 1, 1 - p, p).prod(axis=1)
    both = (sizes / sizes.sum())[:, None] * (kept + turned).prod(axis=1)
    of_class = both / both.sum(axis=0)
    as_released = (of_class[:, None] * kept / np.maximum(kept + turned, np.finfo(float).tiny)).sum(axis=0) > 0.5
    right = [
        (seen[list(group)].eq(split.test[list(group)]).to_numpy() == as_released[g, :, None])
        for g, group in enumerate(channel.groups)
    ]
    return float(np.concatenate(right, axis=1).mean())


def choose(table: str, rng, epsilon: float | None = None, guessed: float | None = None) -> pd.DataFrame:
    """For 1, 2, 3 and N groups the largest theta that keeps a promise, and the accuracy that it leaves.

    One of two promises: the ``epsilon`` of one answer by itself; or how often an answer is ``guessed`` rightly at most,
    in the mean, from the whole sheet by somebody with the list. If no theta of 0.51 or more keeps it, theta and
    accuracy are missing, and "guess" is that of 0.51.

    - accuracy, error, majority: of sure trees, over ten divisions of the records, a third of them to test on
    - guess, unmasked: as "whole record" and "unmasked" in ``privacy``
    """
    people, target = records(table)
    rng, tested = np.random.default_rng(rng), round(len(people) / 3)
    orders = [rng.permutation(len(people)) for _ in range(10)]
    splits = [Split(people.iloc[order[tested:]], people.iloc[order[:tested]], target) for order in orders]
    rows = []
    for number in [1, 2, 3, len(people.columns)]:
        drawn = GroupedResponse.drawn(1.0, list(people), number, rng)
        theta = 1 / (1 + math.exp(-epsilon)) if epsilon is not None else _largest_theta(drawn, people, guessed)
        right = np.full(len(splits), np.nan)
        if theta:
            channel = replace(drawn, theta=theta)
            seen = [channel.disguise(split.train, rng) for split in splits]
            models = [split.fit(channel, rows, confidence=CONFIDENCE) for split, rows in zip(splits, seen)]
            right = np.array([split.accuracy(model) for split, model in zip(splits, models)])
        row = {"groups": number, "theta": theta or np.nan, "accuracy": right.mean()}
        row |= {"error": right.std(ddof=1) / len(right) ** 0.5, "majority": np.mean([s.majority for s in splits])}
        row |= {
            "guess": _guess(drawn, people, theta or CHOICES[0]),
            "unmasked": Intruder(drawn, people).unmasked().mean(),
        }
        rows.append(row)
    return pd.DataFrame(rows).sort_values("accuracy", ascending=False, kind="stable", ignore_index=True)


def _guess(drawn, people, theta):
    """How often an answer is guessed rightly from the whole sheet, in the mean."""
    return float(Intruder(replace(drawn, theta=theta), people).posteriors()["whole record"].mean())


def _largest_theta(drawn, people, most):
    """The largest theta at which an answer is guessed that often at most; None if there is none.

    A sheet can be disguised once more, which makes it one of a smaller theta. So a smaller theta gives less away, and
    the largest one is found by bisection.
    """
    first = bisect_right(CHOICES, most, key=lambda theta: _guess(drawn, people, theta))
    return CHOICES[first - 1] if first else None
