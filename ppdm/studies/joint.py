"""Joint reconstruction at full scale: what notebook 06 runs small, and quotes in full from results/."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import xlogy

from ppdm.data import QUEST_RANGES, load, quest, quest_class
from ppdm.reconstruct import Distribution, Search
from ppdm.studies.as00 import TEST, TRAIN, Study, channels_at, original, study
from ppdm.studies.joint_price import interval_of
from ppdm.studies.synthesis import synthesise
from ppdm.trees import GiniTreeClassifier, Joint, ReconstructedTreeClassifier

YEARS, DOLLARS = 3, 7_000  # by which the functions' constants are shifted


def _domain(low, high, step=None):
    return {"low": low, "high": high, "step": step}


# What each number can be, as a questionnaire or a measuring device tells, never the records.
DOMAINS: dict[str, dict[str, dict[str, Any]]] = {
    "adult": {
        "age": _domain(17, 90, step=1),
        "fnlwgt": _domain(0, 1_500_000),
        "education-num": _domain(1, 16, step=1),
        "capital-gain": _domain(0, 100_000),
        "capital-loss": _domain(0, 5_000),
        "hours-per-week": _domain(1, 99, step=1),
    },
    "pima": {
        "preg": _domain(0, 20, step=1),
        "plas": _domain(0, 200, step=1),
        "pres": _domain(0, 130, step=1),
        "skin": _domain(0, 100, step=1),
        "insu": _domain(0, 900, step=1),
        "mass": _domain(0, 70, step=0.1),
        "pedi": _domain(0, 2.5, step=0.001),
        "age": _domain(21, 90, step=1),
    },
}
STRATEGIES: tuple[Any, ...] = ("byclass", "local", "joint")
DELTA, INTERVALS = 1e-5, 20  # of the synthesiser; the intervals of a number that it works with
# What else might have been chosen.
CHOICES: dict[str, Search] = {
    "as they are": Search(),
    "mix of 10 steps": Search(mix_steps=10),
    "mix of 500 steps": Search(mix_steps=500),
    "worth of 1 unit": Search(worth=1.0),
    "worth of 16 units": Search(worth=16.0),
    "as many seen intervals": Search(seen_per_true=1.0),
    "twice as many seen": Search(seen_per_true=2.0),
    "at most 100 steps": Search(steps=(100, 100)),
    "at most 16 intervals": Search(sizes=(3, 4, 5, 6, 8, 10, 12, 16)),
}
TINY = np.finfo(float).tiny
FINE = {"age": 30, "salary": 26}  # intervals that all constants of Function 2 are edges of


def strategies(function: int, noise: str, level: float, rng: np.random.Generator) -> dict[str, float]:
    """Accuracy by class and jointly, from the records of Figures 5 and 6."""
    return _both(study(function, noise, level, rng))


def shifted(function: int, noise: str, level: float, rng: np.random.Generator) -> dict[str, float]:
    """The same with all constants for age and salary shifted, so that no grid can lie on them by luck."""
    X, y = _shifted_records(TRAIN, function, rng)
    test, test_y = _shifted_records(TEST, function, rng)
    return _beside_original(Study.of(X, y, channels_at(noise, level), test, test_y, rng))


def records(function: int, noise: str, level: float, records: int, rng: np.random.Generator) -> dict[str, float]:
    """How accuracy grows with the training records."""
    return _beside_original(study(function, noise, level, rng, records))


def choices(noise: str, records: int, choice: str, rng: np.random.Generator) -> dict[str, float]:
    """Accuracy on Function 2 at 100 % with other constants of the joint reconstruction."""
    run = study(2, noise, 1.0, rng, records)
    return {"joint": run.accuracy(ReconstructedTreeClassifier(run.channels, Joint(search=CHOICES[choice])))}


def real(table: str, noise: str, level: float, rng: np.random.Generator) -> dict[str, float]:
    """Accuracy on true records of a real table, of which every number is disguised; and of the larger class."""
    X, y, test, test_y = _real_records(table, rng)
    run = Study.of(X, y, channels_at(noise, level, DOMAINS[table]), test, test_y, rng)
    found = _without_disguise(run) | {"randomized": run.accuracy(GiniTreeClassifier())}
    for strategy in STRATEGIES:
        found[strategy] = run.accuracy(ReconstructedTreeClassifier(run.channels, strategy))
    return found


def synthesiser(table: str, epsilon: float, rng: np.random.Generator) -> dict[str, float]:
    """Accuracy on true records of a tree that grew from synthetic ones; somebody trusted held the true ones.

    Beside it that of a tree from true records that know their intervals only, as the synthesiser does ("intervals").
    """
    X, y, test, test_y = _real_records(table, rng)
    edges = {name: _edges(**domain) for name, domain in DOMAINS[table].items()}
    codes = pd.DataFrame({name: interval_of(X[name].to_numpy(), cuts) for name, cuts in edges.items()})
    sizes = {"class": len(y.cat.categories)} | {name: len(cuts) - 1 for name, cuts in edges.items()}
    made = synthesise(codes.assign(**{"class": y.cat.codes})[list(sizes)], sizes, epsilon, DELTA, rng)
    labels = pd.Series(y.cat.categories[made["class"]])
    found = _without_disguise(Study(X, y, {}, X, test, test_y))
    for name, (kept, classes) in {"intervals": (codes, y), "synthetic": (made, labels)}.items():
        middles = {column: ((cuts[1:] + cuts[:-1]) / 2)[kept[column]] for column, cuts in edges.items()}
        found[name] = float(GiniTreeClassifier().fit(pd.DataFrame(middles), classes).score(test, test_y))
    return found


def _both(run):
    return {
        strategy: run.accuracy(ReconstructedTreeClassifier(run.channels, strategy))
        for strategy in ("byclass", "joint")
    }


def _beside_original(run):
    return {"original": run.accuracy(original(run.channels, len(run.X)), seen=False), **_both(run)}


def _shifted_records(n, function, rng):
    """Some records, half of them of each class, of a function whose constants are larger by YEARS and DOLLARS."""
    X, _ = quest(6 * n, function, balanced=False, rng=rng)
    y = quest_class(X.assign(age=X["age"] - YEARS, salary=X["salary"] - DOLLARS), function)
    chosen = np.concatenate([np.flatnonzero(y == label)[: n // 2] for label in ("A", "B")])
    if len(chosen) < n:
        raise ValueError(f"class counts are {y.value_counts().to_dict()}; expected {n // 2:,} of each")
    return X.iloc[chosen].reset_index(drop=True), y.iloc[chosen].reset_index(drop=True)


# What notebook 06 runs


def cells_right(share: np.ndarray, edges: dict[str, np.ndarray], X: pd.DataFrame, y: pd.Series) -> float:
    """The share of people who are classified rightly by the larger class of their cell, given the share of A."""
    cell = tuple(np.searchsorted(cuts[1:-1], X[name], side="right") for name, cuts in edges.items())
    return float((np.where(share[cell] > 0.5, "A", "B") == y).mean())


def share_of_a(parts: dict[str, np.ndarray]) -> np.ndarray:
    """The share of class A in each cell, from the numbers or shares of both classes, which are equally large."""
    return parts["A"] / np.maximum(parts["A"] + parts["B"], TINY)


def counted(frame: pd.DataFrame, edges: dict[str, np.ndarray]) -> np.ndarray:
    """How many records of two columns are in each cell."""
    across, up = (frame[name] for name in edges)
    return np.histogram2d(across, up, list(edges.values()))[0]


def multiplied(margins: dict[str, Distribution]) -> np.ndarray:
    """Shares of cells, as if two columns had nothing to do with each other."""
    one, other = (found.probabilities for found in margins.values())
    return np.outer(one, other)


def ranked(frame: pd.DataFrame, margins: dict[str, Distribution]) -> np.ndarray:
    """How many records are in each cell after ByClass has given every column its intervals by rank."""
    given = pd.DataFrame({name: by_rank(frame[name], found) for name, found in margins.items()})
    return counted(given, {name: found.edges for name, found in margins.items()})


def by_rank(values: pd.Series, found: Distribution) -> np.ndarray:
    """The middle of the interval that ByClass gives each value of a class: the lowest to the first (AS00 §4.2).

    Equal values come in the order of the records; the library breaks ties at random.
    """
    upto = np.rint(np.cumsum(found.probabilities) * len(values))
    place = np.searchsorted(upto[:-1], values.rank(method="first") - 0.5)
    return found.midpoints[place]


def blurred(noise: str, level: float, steps: Sequence[int] = (100, 300, 1_000, 3_000)) -> pd.DataFrame:
    """How much less likely than Function 2 wrong answers make 100,000 disguised records, chance taken away.

    The answers are shares of class A in cells of two years and 5K: those after some Bayes steps from even ones, if
    the distribution of all people is known and every count is what is to be expected; and the function itself with its
    bounds moved by a cell or two. Of each the points of accuracy and the units of log-likelihood that it loses.
    """
    channels = [channels_at(noise, level)[name] for name in FINE]
    edges = {name: channel.true_bins(k) for channel, (name, k) in zip(channels, FINE.items())}
    ages, salaries = (c.matrix(cuts, c.seen_bins(cuts)) for c, cuts in zip(channels, edges.values()))
    truth = _in_a(edges)
    mix = np.where(truth, 0.5 / truth.sum(), 0.5 / (~truth).sum())

    def disguised(share) -> np.ndarray:
        """P(class, seen cell) from the share of class A in each true cell: a product with each attribute's matrix."""
        return ages.T @ np.stack([share * mix, (1 - share) * mix]) @ salaries

    seen, lost = disguised(truth), {}

    def note(name, share) -> None:
        lost[name] = {
            "points lost": 100 * mix[(share > 0.5) != truth].sum(),
            "units": TRAIN * xlogy(seen, seen / np.maximum(disguised(share), TINY)).sum(),
        }

    share = np.full(truth.shape, 0.5)
    for step in range(1, max(steps) + 1):
        a, b = ages @ (seen / np.maximum(disguised(share), TINY)) @ salaries.T
        share = share * a / (share * a + (1 - share) * b)
        if step in steps:
            note(f"{step:,} steps", share)
    note("salaries 5K up", _in_a(edges, salary=5_000))
    note("ages 4 years up", _in_a(edges, age=4))
    return pd.DataFrame(lost).T


def _in_a(edges, **moved):
    """Whether each cell is in class A of Function 2 with its bounds moved up."""
    middles = [(cuts[1:] + cuts[:-1]) / 2 - moved.get(name, 0) for name, cuts in edges.items()]
    age, salary = (part.ravel() for part in np.meshgrid(*middles, indexing="ij"))
    cells = pd.DataFrame({name: np.zeros(len(age)) for name in QUEST_RANGES}).assign(age=age, salary=salary)
    return (quest_class(cells, 2) == "A").to_numpy().reshape([len(part) for part in middles])


def _real_records(table, rng):
    """Numbers and classes to learn from, and those to test on: Adult's own parts; two thirds of Pima and the rest."""
    if table == "adult":
        train, test = load(table, "data"), load(table, "test")
        return train.X[list(DOMAINS[table])], train.y, test.X[list(DOMAINS[table])], test.y
    whole = load(table)
    X, rows, cut = whole.X[list(DOMAINS[table])], rng.permutation(len(whole.X)), 2 * len(whole.X) // 3
    parts = (
        frame.iloc[some].reset_index(drop=True) for some in (rows[:cut], rows[cut:]) for frame in (X, whole.y)
    )
    return tuple(parts)


def _without_disguise(run):
    """Accuracy of the larger class, and of the tree from true records."""
    larger = float((run.test_y == run.y.mode()[0]).mean())
    return {"majority": larger, "original": run.accuracy(GiniTreeClassifier(), seen=False)}


def _edges(low, high, step):
    """The edges of 20 equal intervals of a domain, or of one a value where there are fewer values."""
    most = INTERVALS if step is None else min(INTERVALS, round((high - low) / step) + 1)
    return np.linspace(low - (step or 0) / 2, high + (step or 0) / 2, most + 1)
