"""Week 2, trees: the checks that stand in the sheet, and the records that its tasks are about.

Each check is a function with the name of its task. It raises `WrongAnswerError`, or it returns what it checked.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from oracles import Student, WrongAnswerError, prediction
from oracles.answers import compare, near, number, numbers, per_cent, possible_share, recognised, refuse, returned
from oracles.nodes import NODES, cut_and_gain
from oracles.rows import judged, losses
from ppdm.data import quest
from ppdm.disguise import NumericChannel
from ppdm.studies import as00
from ppdm.trees import GiniTreeClassifier, ReconstructedTreeClassifier

STRATEGIES = ("global", "byclass", "local")
FUNCTIONS = (1, 2, 3, 4, 5)


def drawn(function: int, level: float, seed: int, records: int = 4_000) -> dict[str, Any]:
    """What providers, miner and testers have: true and seen records with their classes, and new ones of both kinds.

    Every attribute is disguised, by uniform noise of this level.
    """
    rng = np.random.default_rng(seed)
    run = as00.study(function, "uniform", level, rng, records)
    new_seen = as00.seen_of(run.test, run.channels, rng)
    return {
        "true": run.X,
        "seen": run.seen,
        "classes": run.y.astype(object),
        "new true": run.test,
        "new seen": new_seen,
        "new classes": run.test_y.astype(object),
    }


def own_people(me: Student) -> tuple[np.ndarray, np.ndarray, NumericChannel]:
    """A student's own people of Function 1: their seen ages, their classes, and the noise; not their true ages."""
    rng = me.rng("w2.6")
    level = round(rng.uniform(0.9, 1.1), 2)
    noise = as00.channels_at("uniform", level)["age"]
    X, y = quest(4_000, function=1, rng=rng)
    return noise.disguise(X["age"].to_numpy(), rng=rng), y.to_numpy(dtype=object), noise


def lost_by(me: Student, function: int, repeat: int, growing: dict | None = None, **reading: Any) -> float:
    """By how much ByClass is behind Original on new true records: a share between −1 and 1.

    Both learn from the same 5,000 records of a student's own, ByClass from what is seen of them under uniform noise of
    100 %.

    Parameters
    ----------
    function : of Quest, 1 to 5
    repeat : 0, 1, 2 …: each has other records
    growing : how both trees are grown: parameters of ``GiniTreeClassifier``
    reading : how ByClass reconstructs: parameters of ``ReconstructedTreeClassifier``
    """
    first = int(me.rng("w2.8").integers(1_000_000))
    run = as00.study(function, "uniform", 1.0, np.random.default_rng([first, repeat]), records=5_000)
    grown = growing or {}
    original = as00.original(run.channels, 5_000, **grown)
    byclass = ReconstructedTreeClassifier(run.channels, tree=GiniTreeClassifier(**grown), **reading)
    return round(run.accuracy(original, seen=False) - run.accuracy(byclass), 4)


def w2_1(guess: Any) -> str:
    """A prediction in per cent."""
    return per_cent(guess)


# Seven people and five equal shares; then four people, and an interval that nobody gets.
SEVEN = [25, 12, 8, 12, 25, 47, 31]
FIFTHS = np.full(5, 0.2)
ONE_BY_ONE = "People who are seen at one value need not get the same interval: count them one by one."
RANKS: list[tuple[str, list[float]]] = [
    ("The ranks are descending: the lowest seen values get the first interval.", [1, 3, 4, 3, 2, 0, 1]),
    ("The ranks are descending: the lowest seen values get the first interval.", [2, 3, 4, 3, 1, 0, 1]),
    (
        "These are in the order of what was seen. Bring them back to the order of the people.",
        [0, 1, 1, 2, 3, 3, 4],
    ),
    (
        "You have looked up intervals at the places of np.argsort. It is the other way round: "
        "the person at each of these places gets the next interval.",
        [1, 1, 2, 0, 3, 4, 3],
    ),
    ("That is np.argsort itself, the places of the people in order.", [2, 1, 3, 0, 4, 6, 5]),
    ("Two people who are seen at the same value should keep their order.", [3, 1, 0, 1, 2, 4, 3]),
    (ONE_BY_ONE, [2, 1, 0, 1, 2, 4, 3]),
    (ONE_BY_ONE, [3, 1, 0, 1, 3, 4, 3]),
    ("Intervals are numbered from 0, not from 1.", [3, 2, 1, 2, 4, 5, 4]),
    (
        "These look like mid-points. We expect the numbers of the intervals: 0, 1, 2 …",
        [2.5, 1.5, 0.5, 1.5, 3.5, 4.5, 3.5],
    ),
    ("The cumulated counts are cut off. Round them to the nearest whole number.", [2, 1, 0, 2, 3, 4, 4]),
    ("The cumulated counts are rounded up. Round them to the nearest whole number.", [2, 0, 0, 1, 2, 4, 3]),
    (
        "Each count is rounded by itself, and the rest is put at the end. Round the cumulated counts.",
        [3, 1, 0, 2, 4, 4, 4],
    ),
    (
        "People at one value get one interval, as quantiles of what is seen have it. Count people one by one.",
        [3, 1, 0, 1, 3, 4, 4],
    ),
    (
        "Each interval begins a person too late. With ranks from 0, np.searchsorted wants side='right'.",
        [1, 0, 0, 1, 2, 3, 3],
    ),
    (
        "You have cut the range in equal widths. The shares say how many people each interval gets.",
        [2, 0, 0, 0, 2, 4, 2],
    ),
    (
        "These are quantiles of what is seen. The shares say how many people each interval gets.",
        [2, 0, 0, 0, 2, 4, 4],
    ),
]
ROUND = "Do your counts add up to the number of people? Round the cumulated counts, not each by itself."


def w2_2(by_rank: Callable) -> str:
    """Seven people by hand, four with an empty interval, a Series with an index of its own, forty at two values."""
    _ranks(by_rank, "For the seven people seen at 25, 12, 8, …", np.array(SEVEN), FIFTHS, [2, 1, 0, 1, 3, 4, 3])
    what = "For lists: people seen at 0.4, −1.5, 0.3, 2, and the shares 0.25, 0, 0.75"
    _ranks(by_rank, what, [0.4, -1.5, 0.3, 2.0], [0.25, 0.0, 0.75], [2, 0, 2, 2])
    what = "For a Series with the index 3, 2, 1, 0, and people seen at 5, −1, 9, 3"
    hint = "The index is not the place of a person. Take np.asarray(seen)."
    mistakes = [(hint, [1, 0, 0, 1]), (hint, [0, 1, 0, 1])]
    series = pd.Series([5.0, -1.0, 9.0, 3.0], index=[3, 2, 1, 0])
    _ranks(by_rank, what, series, [0.5, 0.5], [1, 0, 1, 0], mistakes)
    what = "For forty people, seen at 1 and at 2 in turn, and four equal shares"
    hint = "People who are seen at one value should keep their order: np.argsort does so with kind='stable' only."
    _ranks(by_rank, what, np.array([1, 2] * 20), [0.25] * 4, [0, 2] * 10 + [1, 3] * 10, [], hint)
    return (
        "seven people, and forty at two values; an interval that nobody gets; a list and a Series. "
        "Marking also tries larger crowds, and a single person."
    )


def _ranks(answer, what, seen, shares, right, mistakes=RANKS, otherwise=""):
    """Compare the intervals of some people with the right ones."""
    name = "by_rank(seen, shares)"
    value = returned(name, answer, seen, shares, hint=ROUND)
    found = numbers(name, value, (len(seen),), ", one for each person")
    compare(what, found, right, mistakes, otherwise=otherwise)


def w2_3(best_cut: Callable) -> str:
    """Five intervals by hand, each of the rules for small, negative and equal ones, and nodes without a good cut."""
    for what, counts, best, right, cuts, gains in NODES:
        cut, gain = cut_and_gain(best_cut, np.array(counts))
        if cut is None:
            raise WrongAnswerError(f"For {what} you find no cut; the best one has {best} on its left.")
        compare(f"The cut of {what}", cut, best, cuts)
        compare(f"The gain of {what}", gain, right, gains)
    for kind, node in (
        ("have the same mixture", [[1, 2], [2, 4], [3, 6]]),
        ("hold one class only", [[3, 0], [5, 0]]),
    ):
        cut, gain = cut_and_gain(best_cut, np.array(node, dtype=float))
        if cut is not None or gain != 0:
            text = "no cut gains anything; we expect (None, 0.0)"
            raise WrongAnswerError(f"Where all intervals {kind}, {text}, and you have ({cut}, {gain:.4g}).")
    return (
        "five intervals cut by hand, four nodes for the rules, and two where no cut gains anything. "
        "Marking also tries nodes of one interval, and of thirty."
    )


def w2_4(guess: Any) -> str:
    """A prediction in points."""
    return prediction(guess, -100, 100)


SCORES: list[tuple[str, list[float]]] = [
    (
        "These are scored on disguised records, new ones. People come with their true values.",
        [0.627, 0.572, 0.572],
    ),
    ("These are scored on the disguised records that the trees learned from.", [0.636, 0.580333, 0.580333]),
    ("These are scored on the records that the trees learned from. Take new ones.", [0.81, 0.973667, 0.973667]),
    ("These trees learned from true records, which no miner has.", [0.8036, 0.298, 0.298]),
    ("These trees learned from the new records. They are for the test.", [0.7754, 0.9806, 0.9806]),
    ("The trees do not know the channels: they take what is seen for true.", [0.665, 0.665, 0.665]),
    ("These trees have the channels of 100 %. The level is given.", [0.9242, 0.8502, 0.8502]),
    ("These are per cent. We expect shares between 0 and 1.", [80.54, 97.52, 97.52]),
    ("These are numbers of people. We expect shares between 0 and 1.", [4027, 4876, 4876]),
    (
        "These are shares of errors. We expect shares of people who are classified correctly.",
        [0.1946, 0.0248, 0.0248],
    ),
]


def scores(name: str, value: Any) -> np.ndarray:
    """The accuracies of an answer, in the order of the strategies."""
    if not isinstance(value, dict) or set(value) != set(STRATEGIES):
        refuse(name, value, f"a dict with the keys {', '.join(STRATEGIES)}")
    return np.array([number(f"{name}[{key!r}]", value[key]) for key in STRATEGIES])


def w2_5(score_strategies: Callable) -> str:
    """Three trees of Function 1 at 75 %, from 3,000 records."""
    name = "score_strategies(tables, level)"
    hint = "Does it use the tables and the level that it is given?"
    value = returned(name, score_strategies, drawn(1, 0.75, seed=4, records=3_000), 0.75, hint=hint)
    got = scores(name, value)
    what = "For 3,000 records of Function 1 at 75 %, Global, ByClass and Local"
    compare(what, got, [0.8054, 0.9752, 0.9752], SCORES)
    return (
        "Global, ByClass and Local learn from what is seen, and are scored on new true records. "
        "Marking also tries other functions, levels and names of classes."
    )


MIDDLES = np.arange(21, 80, 2)  # of thirty intervals from 20 to 80


def w2_6(me: Any, given_age: Any, share: Any) -> str:
    """Whether the ages are given by rank, to all people together, and whether the share is that of these ages."""
    told = possible_share(me, "share", share)
    seen, classes, _ = own_people(me)
    ages = numbers("given_age", given_age, (len(seen),), ", one for each person")
    if not np.isin(ages.round(6), MIDDLES).all():
        odd = ages[~np.isin(ages.round(6), MIDDLES)][0]
        text = "we expect the mid-points of thirty intervals from 20 to 80, which are 21, 23, …, 79"
        raise WrongAnswerError(f"given_age has {odd:.6g}; {text}. Are there as many intervals, and given ages?")
    order = np.argsort(seen)
    falls = np.flatnonzero(np.diff(ages[order]) < 0)
    if len(falls):
        low, high = order[falls[0]], order[falls[0] + 1]
        raise WrongAnswerError(
            f"Who is seen at {seen[low]:.2f} is given {ages[low]:g}, and who is seen at {seen[high]:.2f} is given "
            f"{ages[high]:g}. Global ranks all people together. Have you taken each class by itself, as ByClass does?"
        )
    _share_of(told, ages, seen, classes)
    return (
        f"the ages are given by rank, and {told:.4g} is the share of these ages. "
        "Marking accepts a share that is within 0.002 of the library's."
    )


def _share_of(share, ages, seen, classes):
    """Refuse a share that is not that of the given ages, without the right one; it may be rounded to three digits."""
    is_a, rounded = classes == "A", 0.000501
    in_middle = np.digitize(ages, [40, 60]) == 1
    named = (in_middle != is_a).mean()
    if near(share, named, rounded):
        return
    mistakes = [
        ("That is the share of those whom the rule gets wrong.", 1 - named),
        ("That asks the rule about the ages as seen.", ((np.digitize(seen, [40, 60]) == 1) != is_a).mean()),
        ("That is the share of class A.", is_a.mean()),
        ("That is the share of those whom the rule calls A.", 1 - in_middle.mean()),
        (
            "That is the share of class A among those whom the rule calls A. Count both classes.",
            is_a[~in_middle].mean(),
        ),
        ("That is the share of class A whom the rule calls A. Count both classes.", 1 - in_middle[is_a].mean()),
        ("The rule has two parts: class A is below 40, and from 60 on.", ((ages < 40) == is_a).mean()),
    ]
    hint = recognised(share, mistakes, rounded) or "For how many of all people does the rule say their class?"
    raise WrongAnswerError(f"share is {share:.4g}, and that is not the share of these ages. {hint}")


def w2_8(runs: Any, row: Any) -> str:
    """A row of a ledger says what its runs say: the mean, the bound, and the verdict by the one rule."""
    return judged(losses(runs), row)
