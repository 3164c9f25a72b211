"""Agrawal & Srikant 2000 at its own scale: what notebook 01 runs small, and quotes in full from results/.

Every measure draws its records first and then disguises them. So whatever differs afterwards, a strategy or a stopping
rule, meets the same records.
"""

import time
import warnings
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd

from ppdm import disguise
from ppdm.data import QUEST_DOMAINS, quest
from ppdm.disguise import Disguise, Intervals, NumericChannel, PrivacyWarning
from ppdm.measure import linkage_rate
from ppdm.studies.as00_shapes import RULES, TRAIN
from ppdm.studies.mixture import accuracy_by_mixture
from ppdm.trees import GiniTreeClassifier, ReconstructedTreeClassifier

NOISES, LEVELS = ["uniform", "Gaussian"], [0.1, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0]
TEST = 5_000
PAPERS_STRATEGIES: tuple[Any, ...] = ("global", "byclass", "local")
Channels = dict[Any, NumericChannel]


def seen_of(X: pd.DataFrame, channels: Channels, rng) -> pd.DataFrame:
    """The records disguised for study: nothing is released, whatever their order says."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)
        return Disguise(channels, random_state=rng).fit_transform(X)


@dataclass(frozen=True, eq=False)
class Study:
    """True records and their classes, their disguise, what is seen of them; true records to test on, their classes."""

    X: pd.DataFrame
    y: pd.Series
    channels: Channels
    seen: pd.DataFrame
    test: pd.DataFrame
    test_y: pd.Series

    @classmethod
    def of(cls, X: pd.DataFrame, y, channels: Channels, test: pd.DataFrame, test_y, rng) -> Self:
        """A study of these records, disguised by the channels."""
        return cls(X, y, channels, seen_of(X, channels, rng), test, test_y)

    @classmethod
    def held_out(cls, X: pd.DataFrame, y, channels: Channels, rng, records: int | None = None) -> Self:
        """A study of given records: a third of each class to test on; ``records`` of the others, or all, to learn from.

        Each class has at least one record to learn from.
        """
        labels, order = np.array(list(y)), rng.permutation(len(X))
        classes = pd.Series(order).groupby(labels[order])
        rank, third = classes.cumcount().to_numpy(), classes.transform("size").to_numpy() // 3
        test, learn = order[rank < third], np.r_[order[rank == third], order[rank > third]][:records]
        y = pd.Series(labels)
        return cls.of(X.iloc[learn], y.iloc[learn], channels, X.iloc[test], y.iloc[test], rng)

    def accuracy(self, model, seen: bool = True) -> float:
        """Accuracy on the test records of a classifier that learns from the seen records, or from the true ones."""
        return float(model.fit(self.seen if seen else self.X, self.y).score(self.test, self.test_y))


def channels_at(noise: str, level: float, domains: dict[str, dict[str, Any]] = QUEST_DOMAINS) -> Channels:
    """A channel for each attribute, all at one privacy level: a noise by its name, or "intervals"."""
    with warnings.catch_warnings():
        # At low levels a coarse step leaves attributes as they are; what is shown of them says so.
        warnings.simplefilter("ignore", UserWarning)
        return disguise.channels_at(noise, level, domains)


def study(
    function: int, noise: str, level: float, rng: np.random.Generator, records: int = TRAIN, balanced: bool = True
) -> Study:
    """Records of a function, every attribute disguised."""
    X, y = quest(records, function, balanced, rng)
    test, test_y = quest(TEST, function, balanced, rng)
    return Study.of(X, y, channels_at(noise, level), test, test_y, rng)


def bins(channel: NumericChannel, records: int) -> np.ndarray:
    """The intervals of an attribute's domain: one for 100 records, from 10 to 100, or one a value (§4.2)."""
    return channel.true_bins(min(max(records // 100, 10), 100, channel.most_bins))


def original(channels: Channels, records: int, **growing) -> GiniTreeClassifier:
    """The tree for true values, cut in the same intervals; ``growing``: other parameters of the tree."""
    cuts = {name: bins(channel, records)[1:-1] for name, channel in channels.items()}
    return GiniTreeClassifier(cuts, **growing)


def randomized(channels: Channels, records: int, **growing) -> GiniTreeClassifier:
    """The tree for disguised values as they are, their range cut in intervals of the same width."""
    cuts = {name: channel.seen_bins(bins(channel, records))[1:-1] for name, channel in channels.items()}
    return GiniTreeClassifier(cuts, **growing)


def strategies(
    function: int, noise: str, level: float, rng: np.random.Generator, records: int = TRAIN
) -> dict[str, float]:
    """Accuracy of the five trees of Figures 5 and 6, from the same records."""
    return five_trees(study(function, noise, level, rng, records))


def five_trees(run: Study, **growing) -> dict[str, float]:
    """Accuracy of the five trees from a study; ``growing`` says how all of them are grown, by parameters' names."""
    return {name: float(tree.score(run.test, run.test_y)) for name, tree in grown(run, **growing).items()}


def grown(run: Study, **growing) -> dict[str, Any]:
    """The five trees, grown from the records of a study."""
    records = len(run.X)
    tree = GiniTreeClassifier(**growing)
    disguised: dict[str, Any] = {"randomized": randomized(run.channels, records, **growing)}
    for strategy in PAPERS_STRATEGIES:
        disguised[strategy] = ReconstructedTreeClassifier(run.channels, strategy, tree=tree)
    # It alone learns from true records.
    trees = {"original": original(run.channels, records, **growing).fit(run.X, run.y)}
    return trees | {name: model.fit(run.seen, run.y) for name, model in disguised.items()}


def rules(function: int, noise: str, level: float, rng: np.random.Generator) -> dict[str, float]:
    """What the stopping rule does to the tree."""
    run = study(function, noise, level, rng)
    return {name: run.accuracy(ReconstructedTreeClassifier(run.channels, **rule)) for name, rule in RULES.items()}


def discretised(pieces: int) -> dict[str, Channels]:
    """Every attribute in that number of intervals (or one a value), and both noises with the privacy of these."""
    found: dict[str, Channels] = {"intervals": {}, **{noise: {} for noise in NOISES}}
    for name, domain in QUEST_DOMAINS.items():
        values = pieces if domain["step"] is None else domain["high"] - domain["low"] + 1
        cut = found["intervals"][name] = Intervals(edges=int(min(pieces, values)), **domain)
        for noise in NOISES:
            found[noise] |= channels_at(noise, cut.privacy() / (cut.high - cut.low), {name: domain})
    return found


def classes(function: int, pieces: int, rng: np.random.Generator) -> dict[str, float]:
    """Discretisation beside noise at equal privacy (§2.1): all attributes, the same records."""
    X, y = quest(TRAIN, function, rng=rng)
    test, test_y = quest(TEST, function, rng=rng)
    found = {}
    for name, channels in discretised(pieces).items():
        run = Study.of(X, y, channels, test, test_y, rng)
        found[name] = run.accuracy(ReconstructedTreeClassifier(channels))
        if name == "intervals":
            found["intervals as seen"] = run.accuracy(GiniTreeClassifier())
    return found


def estimated(function: int, noise: str, level: float, rng: np.random.Generator) -> dict[str, float]:
    """Of good trees and bad ones: the accuracy, its estimate from 5,000 disguised records, and the score on these."""
    run = study(function, noise, level, rng)
    seen = seen_of(run.test, run.channels, rng)
    trees = {
        "original": original(run.channels, TRAIN).fit(run.X, run.y),
        "byclass": ReconstructedTreeClassifier(run.channels).fit(run.seen, run.y),
        "randomized": randomized(run.channels, TRAIN).fit(run.seen, run.y),
    }
    found: dict[str, float] = {}
    for name, tree in trees.items():
        guess = accuracy_by_mixture(tree, seen, run.test_y, run.channels)
        found[name] = float(tree.score(run.test, run.test_y))
        found |= {f"{name}: estimated": guess.value, f"{name}: error": guess.error}
        found |= {f"{name}: as seen": float(tree.score(seen, run.test_y))}
    return found


def linkage(noise: str, level: float, rng: np.random.Generator) -> dict[str, float]:
    """The share of 5,000 people that an intruder finds by knowing some of their attributes, or all nine."""
    X, _ = quest(TEST, rng=rng)
    channels = channels_at(noise, level)
    seen = seen_of(X, channels, rng)
    known = {"age": ["age"], "age, salary, loan": ["age", "salary", "loan"], "all nine": list(X.columns)}
    return {
        name: linkage_rate({a: channels[a] for a in some}, X[some], released=seen[some])
        for name, some in known.items()
    }


def work(
    function: int, noise: str, level: float, strategy, rng: np.random.Generator, records: int = TRAIN
) -> dict[str, float]:
    """What a strategy costs, counted: its reconstructions of single attributes, and all their Bayes steps."""
    run = study(function, noise, level, rng, records)
    model = ReconstructedTreeClassifier(run.channels, strategy).fit(run.seen, run.y)
    return {"reconstructions": model.n_reconstructions_, "steps": model.n_steps_}


def seconds(records: int, strategy, rng: np.random.Generator) -> float:
    """The time of a fit; to a depth of 8, because more records grow larger trees."""
    run = study(2, "Gaussian", 1.0, rng, records)
    model = ReconstructedTreeClassifier(run.channels, strategy, tree=GiniTreeClassifier(max_depth=8))
    start = time.perf_counter()
    model.fit(run.seen, run.y)
    return time.perf_counter() - start


def credit_risk() -> tuple[pd.DataFrame, pd.Series]:
    """The training set of Figure 3: six people's age, salary and credit risk, "High" or "Low".

    >>> X, y = credit_risk()
    >>> y[X["age"] < 25].unique().tolist()
    ['High']
    """
    X = pd.DataFrame(
        {"age": [23, 17, 43, 68, 32, 20], "salary": [50_000, 30_000, 40_000, 50_000, 70_000, 20_000]}
    )
    risk = pd.Categorical(["High", "High", "High", "Low", "Low", "High"], categories=["High", "Low"])
    return X, pd.Series(risk, name="risk")
