"""Joint reconstruction on functions that its constants were not chosen on, and what the shared mix costs there."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from ppdm.data import QUEST_RANGES, quest, quest_class
from ppdm.reconstruct import Column, FixedStop, reconstruct_joint
from ppdm.studies.as00 import TEST, TRAIN, Study, channels_at, original, randomized, study
from ppdm.studies.joint import STRATEGIES, TINY, cells_right
from ppdm.trees import Joint, ReconstructedTreeClassifier

STAIRS = {"age": 38, "salary": 60_000, "loan": 170_000, "hyears": 12}  # each step divides those who are left
BELOW = {"age": 61, "salary": 113_000, "loan": 390_000}
CORNERS = ("age", "salary", "loan")
MIXED = {"age": 23, "salary": 25}  # intervals; no inner edge is a constant of Function 2
MIX_PEOPLE = 20_000  # to test on
# Numbers of steps among which held-out records choose for each class alone; the last one is the search's own limit.
LADDER = (10, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1_000)
DOUBT = 0.01  # the share of even odds in each forecast, as in the search: one odd record must not decide


def _stairs(X):
    """Five classes: the number of the first value below its threshold."""
    below = [X[name] < bound for name, bound in STAIRS.items()]
    return np.select(below, list("ABCD"), "E")


def _below(X):
    """Class A: three values, each below a threshold of its own."""
    inside = np.logical_and.reduce([X[name] < bound for name, bound in BELOW.items()])
    return np.where(inside, "A", "B")


def _boxes(X):
    """Three classes in four boxes of age, salary and loan."""
    young, poor, small = X["age"] < 46, X["salary"] < 78_000, X["loan"] < 230_000
    return np.select([young & poor, young, small], list("ABC"), "A")


def _corners(X):
    """Class A: three values that are all in the lower part of their range, or all in the upper one."""
    return np.where(np.isin(_upper(X, 0.53), [0, 3]), "A", "B")


def _parity(split):
    """Class A: one or three of three values are above the split. No two of them say anything if that is the middle."""
    return lambda X: np.where(_upper(X, split) % 2, "A", "B")


def _upper(X, split):
    """How many of the three values are above a share of their range."""
    above = []
    for name in CORNERS:
        low, high = QUEST_RANGES[name]
        above.append((X[name] - low) / (high - low) > split)
    return sum(column.astype(int) for column in above)


def _of_quest(function):
    return lambda X: quest_class(X, function).to_numpy()


# What says the class of each record. The first two are of the generator's own list (Agrawal et al. 1992).
HELD_OUT: dict[str, Callable[[pd.DataFrame], Any]] = {
    "Quest 3 (1992)": _of_quest("ibm-3"),
    "Quest 5 (1992)": _of_quest("ibm-5"),
    "two corners": _corners,
    "three thresholds": _below,
    "three classes": _boxes,
    "five classes": _stairs,
    "parity of three": _parity(0.53),
    "parity of halves": _parity(0.5),
}


def records_of(function: str, n: int, rng: np.random.Generator) -> tuple[pd.DataFrame, pd.Series]:
    """About n records of a function of HELD_OUT, equally many of each class, in random order."""
    X, _ = quest(8 * n, balanced=False, rng=rng)
    y = pd.Series(HELD_OUT[function](X), name="class")
    classes = sorted(y.unique())
    each = min(n // len(classes), y.value_counts().min())
    chosen = np.concatenate([np.flatnonzero(y == label)[:each] for label in classes])
    chosen = rng.permutation(chosen)
    labels = pd.Series(pd.Categorical(y.iloc[chosen], classes), name="class")
    return X.iloc[chosen].reset_index(drop=True), labels


def held_out(
    function: str, noise: str, level: float, rng: np.random.Generator, records: int = TRAIN
) -> dict[str, float]:
    """Accuracy of the trees of notebook 06 on a function that played no part when its constants were chosen."""
    X, y = records_of(function, records, rng)
    test, test_y = records_of(function, TEST, rng)
    run = Study.of(X, y, channels_at(noise, level), test, test_y, rng)
    found = {
        "original": run.accuracy(original(run.channels, len(X)), seen=False),
        "randomized": run.accuracy(randomized(run.channels, len(X))),
    }
    for strategy in STRATEGIES:
        found[strategy] = run.accuracy(ReconstructedTreeClassifier(run.channels, strategy))
    return found


def mixes(
    noise: str, level: float, steps: int, rng: np.random.Generator, records: int = TRAIN
) -> dict[str, float]:
    """Function 2 on a grid of age and salary: each class alone, and both with one shared mix.

    Each cell goes to its larger class; what is told is the share of 20,000 people who are classified rightly.
    """
    run, right = _mix_study(noise, level, rng, records)
    seen, channels = run.seen[list(MIXED)], {name: run.channels[name] for name in MIXED}
    ways = {"each class alone": alone, "one shared mix": mixed}
    return {name: right(share_of_a(seen, run.y, channels, MIXED, steps)) for name, share_of_a in ways.items()}


def stopped(noise: str, level: float, rng: np.random.Generator, records: int = TRAIN) -> dict[str, float]:
    """The same, on the same records, but disguised records that were held out choose the number of steps.

    They do so in both ways by the likelihood of their classes, up to 1,000 steps. Then all records take these steps.
    """
    run, right = _mix_study(noise, level, rng, records)
    seen, channels = run.seen[list(MIXED)], {name: run.channels[name] for name in MIXED}
    steps = steps_held_out(seen, run.y, channels, MIXED, rng)
    shared: Any = ReconstructedTreeClassifier(channels, Joint(MIXED)).fit(seen, run.y)
    return {
        "each class alone": right(alone(seen, run.y, channels, MIXED, steps)),
        "steps alone": steps,
        "one shared mix": right(_of_both(shared, MIXED)),
        "steps shared": shared.together_.steps,
    }


def _mix_study(noise, level, rng, records):
    """A study of Function 2, and what tells the share of 20,000 people who are right by the share of A in each cell."""
    run = study(2, noise, level, rng, records)
    fresh, truth = quest(MIX_PEOPLE, function=2, rng=rng)
    edges = {name: run.channels[name].true_bins(number) for name, number in MIXED.items()}
    return run, lambda share: cells_right(share, edges, fresh, truth)


def steps_held_out(
    seen: pd.DataFrame, y: pd.Series, channels, intervals: dict[str, int], rng: np.random.Generator
) -> int:
    """After how many Bayes steps of each class alone the classes of records that were held out are likeliest.

    Each class is learnt from its part of one half. Its estimate is disguised again: a product with the matrix of each
    attribute. In each seen cell the two numbers that come of it, weighted by how many each class has, forecast the
    class of the other half.
    """
    axes = [
        Column.over(name, seen[name], channels[name], channels[name].true_bins(k))
        for name, k in intervals.items()
    ]
    across, up = (column.matrix for column in axes)
    in_cell = np.ravel_multi_index([column.seen for column in axes], [column.sizes[1] for column in axes])
    learnt = rng.permutation(len(y)) < len(y) // 2
    edges = {name: column.edges for name, column in zip(intervals, axes)}
    estimates: dict[str, Any] = dict.fromkeys("AB")
    held = {label: in_cell[~learnt & (y == label)] for label in "AB"}
    heights, done = {}, 0
    for steps in LADDER:
        forecast = {}
        for label, before in estimates.items():
            own = seen[learnt & (y == label)]
            # Each rung starts where the last one ended.
            more = reconstruct_joint(own, channels, edges, FixedStop(steps - done), prior=before).distribution
            estimates[label] = more
            forecast[label] = len(own) * (across.T @ more.probabilities @ up).ravel()
        both = np.maximum(forecast["A"] + forecast["B"], TINY)
        odds = {label: (1 - DOUBT) * part / both + DOUBT / 2 for label, part in forecast.items()}
        heights[steps] = sum(np.log(odds[label][cells]).sum() for label, cells in held.items())
        done = steps
    return max(heights, key=lambda steps: heights[steps])


def alone(seen: pd.DataFrame, y: pd.Series, channels, intervals: dict[str, int], steps: int) -> np.ndarray:
    """The share of class A in each cell, if each class is reconstructed by itself in so many Bayes steps."""
    edges = {name: channels[name].true_bins(number) for name, number in intervals.items()}
    stop = FixedStop(steps)
    a, b = (reconstruct_joint(seen[y == label], channels, edges, stop).probabilities for label in "AB")
    return a / np.maximum(a + b, TINY)


def mixed(seen: pd.DataFrame, y: pd.Series, channels, intervals: dict[str, int], steps: int) -> np.ndarray:
    """The share of class A in each cell, if the classes share one estimate of where people are."""
    strategy = Joint(intervals)
    return _of_both(
        ReconstructedTreeClassifier(channels, strategy, stop=FixedStop(steps)).fit(seen, y), intervals
    )


def _of_both(model, intervals):
    """The share of class A in each cell of a joint estimate."""
    a, b = model.joint_.marginal(["class", *intervals]).probabilities
    return a / np.maximum(a + b, TINY)
