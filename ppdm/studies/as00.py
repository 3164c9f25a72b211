"""Agrawal & Srikant 2000 at its own scale: what notebook 01 runs small, and quotes in full from results/.

Every measure draws its records first and then disguises them, so that what differs afterwards, strategy or stopping
rule, meets the same records.
"""

import time
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd
from scipy.special import xlogy

from ppdm.data import QUEST_DOMAINS, plateau, quest, shape_probabilities, triangles
from ppdm.disguise import NOISES, Disguise, GaussianNoise, Intervals, NumericChannel, UniformNoise
from ppdm.measure import accuracy_from_disguised, linkage_rate
from ppdm.reconstruct import (
    ChiSquareStop,
    DiscrepancyStop,
    Distribution,
    FixedStop,
    HeldOutStop,
    Reconstruction,
    reconstruct,
)
from ppdm.reconstruct.stopping import TINY
from ppdm.trees import GiniTreeClassifier, Mdl, ReconstructedTreeClassifier
from ppdm.trees.reconstructed import Strategy, papers_intervals

LEVELS = [0.1, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0]
TRAIN, TEST = 100_000, 5_000
SHAPES = {"plateau": plateau, "triangles": triangles}
SHAPE_NOISES: dict[str, NumericChannel] = {
    "Gaussian": GaussianNoise(sd=0.25, low=0, high=1),
    "uniform": UniformNoise(half_width=0.5, low=0, high=1),
}
RULES: dict[str, dict[str, Any]] = {
    "χ² step": {"stop": ChiSquareStop()},
    "discrepancy": {"stop": DiscrepancyStop()},
    "held-out": {"stop": HeldOutStop()},
    "100 steps": {"stop": FixedStop(100)},
    "1,000 steps": {"stop": FixedStop(1000)},
    "χ² step, smoothed": {"stop": ChiSquareStop(), "smooth": 0.01},
}
PAPERS_STRATEGIES: tuple[Strategy, ...] = ("global", "byclass", "local")
Channels = dict[Any, NumericChannel]


@dataclass(frozen=True, eq=False)
class Study:
    """True records, their disguise and what is seen of them; and true records to test on."""

    X: pd.DataFrame
    y: pd.Series
    channels: Channels
    seen: pd.DataFrame
    test: pd.DataFrame
    group: pd.Series

    @classmethod
    def of(
        cls,
        X: pd.DataFrame,
        y: pd.Series,
        channels: Channels,
        test: pd.DataFrame,
        group: pd.Series,
        rng: np.random.Generator,
    ) -> Self:
        """A study of these records, disguised by the channels."""
        return cls(X, y, channels, Disguise(channels, random_state=rng).fit_transform(X), test, group)

    def accuracy(self, model: Any, seen: bool = True) -> float:
        """Accuracy on the test records of a classifier that learns from the seen records, or from the true ones."""
        return float(model.fit(self.seen if seen else self.X, self.y).score(self.test, self.group))


def channels_at(noise: str, level: float) -> Channels:
    """A channel for each attribute, all at one privacy level: a noise by its name, or "intervals"."""
    kind = {"intervals": Intervals, **NOISES}[noise]
    return {name: kind.at_privacy(level, **domain) for name, domain in QUEST_DOMAINS.items()}


def study(
    function: int, noise: str, level: float, rng: np.random.Generator, records: int = TRAIN, balanced: bool = True
) -> Study:
    """Records of a function, every attribute disguised."""
    X, y = quest(records, function, balanced, rng)
    test, group = quest(TEST, function, balanced, rng)
    return Study.of(X, y, channels_at(noise, level), test, group, rng)


def bins(channel: NumericChannel, records: int) -> np.ndarray:
    """The intervals of an attribute's domain: one for 100 records, from 10 to 100, or one a value (§4.2)."""
    return channel.true_bins(min(papers_intervals(records), channel.most_bins))


def original(channels: Channels, records: int) -> GiniTreeClassifier:
    """The tree for true values, cut in the same intervals."""
    cuts = {name: bins(channel, records)[1:-1] for name, channel in channels.items()}
    return GiniTreeClassifier(cuts)


def randomized(channels: Channels, records: int) -> GiniTreeClassifier:
    """The tree for disguised values as they are, their range cut in intervals of the same width."""
    cuts = {name: channel.seen_bins(bins(channel, records))[1:-1] for name, channel in channels.items()}
    return GiniTreeClassifier(cuts)


def strategies(
    function: int, noise: str, level: float, rng: np.random.Generator, records: int = TRAIN
) -> dict[str, float]:
    """Accuracy of the five trees of Figures 5 and 6, from the same records."""
    run = study(function, noise, level, rng, records)
    found = {
        "original": run.accuracy(original(run.channels, records), seen=False),
        "randomized": run.accuracy(randomized(run.channels, records)),
    }
    for strategy in PAPERS_STRATEGIES:
        found[strategy] = run.accuracy(ReconstructedTreeClassifier(run.channels, strategy))
    return found


def shapes(shape: str, noise: str, rng: np.random.Generator, records: int = TRAIN) -> dict[str, float]:
    """Figure 2: how far from the truth each stopping rule ends, and after how many steps."""
    channel, edges = SHAPE_NOISES[noise], np.linspace(0, 1, 21)
    true = Distribution(edges, shape_probabilities(shape, edges))
    seen = channel.disguise(SHAPES[shape](records, rng), rng)
    found: dict[str, float] = {}
    for name, rule in RULES.items():
        run = reconstruct(seen, channel, edges, **rule)
        found |= {name: run.distribution.distance(true), f"{name}: steps": run.n_iter}
    run = reconstruct(seen, channel, edges, FixedStop(5000))
    path, again = distances(run, true)
    best = int(path.argmin())
    found |= {"as seen": float(np.maximum(run.counts / records - _inside(true, channel), 0).sum())}
    found |= {"best": path[best], "best: steps": best, "best: again": again[best]}
    return found | {"5,000 steps": path[-1], "5,000 steps: again": again[-1]}


def distances(run: Reconstruction, true: Distribution) -> tuple[np.ndarray, np.ndarray]:
    """The total variation of each iterate from the truth; and, disguised again, from what was seen."""
    off = run.history - true.probabilities, run.history @ run.matrix - run.counts / run.counts.sum()
    return np.abs(off[0]).sum(axis=1) / 2, np.abs(off[1]).sum(axis=1) / 2


def _inside(true: Distribution, channel: NumericChannel) -> np.ndarray:
    """The true shares of the seen intervals: none beyond the domain."""
    beyond = (len(channel.seen_bins(true.edges)) - len(true.edges)) // 2
    return np.pad(true.probabilities, beyond)


def rules(function: int, noise: str, level: float, rng: np.random.Generator) -> dict[str, float]:
    """What the stopping rule does to the tree."""
    run = study(function, noise, level, rng)
    return {name: run.accuracy(ReconstructedTreeClassifier(run.channels, **rule)) for name, rule in RULES.items()}


def discretised(intervals: int) -> dict[str, Channels]:
    """Every attribute in so many intervals (or one a value), and both noises with the privacy that these give."""
    cut: Channels = {}
    for name, domain in QUEST_DOMAINS.items():
        values = domain["high"] - domain["low"] + 1 if domain["step"] else intervals
        cut[name] = Intervals(edges=min(intervals, values), **domain)
    noises: dict[str, Channels] = {
        noise: {
            name: kind.at_privacy(c.privacy() / (c.high - c.low), low=c.low, high=c.high, step=c.step)
            for name, c in cut.items()
        }
        for noise, kind in NOISES.items()
    }
    return {"intervals": cut, **noises}


def classes(function: int, pieces: int, rng: np.random.Generator) -> dict[str, float]:
    """Discretisation beside noise at equal privacy (§2.1): all attributes, the same records."""
    X, y = quest(TRAIN, function, rng=rng)
    test, group = quest(TEST, function, rng=rng)
    found = {}
    for name, channels in discretised(pieces).items():
        seen = Disguise(channels, random_state=rng).fit_transform(X)
        found[name] = ReconstructedTreeClassifier(channels).fit(seen, y).score(test, group)
        if name == "intervals":
            found["intervals as seen"] = GiniTreeClassifier().fit(seen, y).score(test, group)
    return found


READINGS: dict[str, dict[str, Any]] = {
    "our reading": {},
    "mid-points": {"exact": False},
    "1,000 steps": {"stop": FixedStop(1000)},
    "held-out stop": {"stop": HeldOutStop()},
    "smoothed by 1 %": {"smooth": 0.01},
    "10 intervals": {"intervals": 10},
    "25 intervals": {"intervals": 25},
    "50 intervals": {"intervals": 50},
    "a test costs 1 bit": {"prune": Mdl("constant", "both")},
    "a leaf costs its errors": {"prune": Mdl("cuts", "errors")},
    "a leaf costs its classes": {"prune": Mdl("cuts", "classes")},
    "pruned as C4.5": {"prune": "pessimistic"},
    "Local": {"strategy": "local"},
    "Local, 100 steps": {"strategy": "local", "stop": FixedStop(100)},
    "Local, held-out stop": {"strategy": "local", "stop": HeldOutStop()},
    "Local, from 200 records on": {"strategy": "local", "small": 200},
    "Local, from 5,000 records on": {"strategy": "local", "small": 5000},
    "Local, tested again": {"strategy": "local", "retain": False},
}


def readings(function: int, noise: str, level: float, reading: str, rng: np.random.Generator) -> float:
    """Accuracy by class under other readings of what the paper leaves open."""
    run = study(function, noise, level, rng)
    return run.accuracy(ReconstructedTreeClassifier(run.channels, **READINGS[reading]))


# Other readings of the experiment itself: what is disguised, how many records there are, in what proportion. And two
# that no miner can carry out, which tell what is missing: the true margins of each group, given by the ranks of the
# seen values, or dealt out at random.
EXPERIMENTS = (
    "our reading",
    "groups as they fall",
    "only age and salary disguised",
    "1,000,000 records",
    "true margins, seen ranks",
    "true margins, dealt at random",
)


def experiments(function: int, noise: str, level: float, reading: str, rng: np.random.Generator) -> dict[str, float]:
    """Accuracy by class under other readings of the experiment, and of Original there."""
    records = 1_000_000 if reading == "1,000,000 records" else TRAIN
    run = study(function, noise, level, rng, records, balanced=reading != "groups as they fall")
    found = {"original": run.accuracy(original(run.channels, records), seen=False)}
    if reading.startswith("true margins"):
        ranked = run.seen if reading.endswith("ranks") else run.seen.apply(lambda column: rng.random(len(column)))
        model, seen = original(run.channels, records), true_margins(run.X, run.y, ranked)
    elif reading == "only age and salary disguised":
        model = ReconstructedTreeClassifier({name: run.channels[name] for name in ("age", "salary")})
        seen = run.X.assign(age=run.seen["age"], salary=run.seen["salary"])
    else:
        model, seen = ReconstructedTreeClassifier(run.channels), run.seen
    return found | {"accuracy": float(model.fit(seen, run.y).score(run.test, run.group))}


def true_margins(X: pd.DataFrame, y: pd.Series, ranked: pd.DataFrame) -> pd.DataFrame:
    """In each group the lowest true value to the record that ranks lowest, and so on, column by column."""
    given = {name: X[name].to_numpy().copy() for name in X.columns}
    for rows in (np.flatnonzero(y == group) for group in y.unique()):
        for name, values in given.items():
            order = rows[np.argsort(ranked[name].to_numpy()[rows], kind="stable")]
            values[order] = np.sort(values[rows])
    return X.assign(**given)


def estimated(function: int, noise: str, level: float, rng: np.random.Generator) -> dict[str, float]:
    """Of good trees and bad ones: the accuracy, its estimate from 5,000 disguised records, and the score on these."""
    run = study(function, noise, level, rng)
    seen = Disguise(run.channels, random_state=rng).fit_transform(run.test)
    trees = {
        "original": original(run.channels, TRAIN).fit(run.X, run.y),
        "byclass": ReconstructedTreeClassifier(run.channels).fit(run.seen, run.y),
        "randomized": randomized(run.channels, TRAIN).fit(run.seen, run.y),
    }
    found: dict[str, float] = {}
    for name, tree in trees.items():
        guess = accuracy_from_disguised(tree, seen, run.group, run.channels)
        found[name] = float(tree.score(run.test, run.group))
        found |= {f"{name}: estimated": guess.accuracy, f"{name}: error": guess.standard_error}
        found |= {f"{name}: as seen": float(tree.score(seen, run.group))}
    return found


def linkage(noise: str, level: float, rng: np.random.Generator) -> dict[str, float]:
    """The share of 5,000 people whom an intruder finds who knows some of their attributes (or all nine)."""
    X, _ = quest(TEST, rng=rng)
    channels = channels_at(noise, level)
    seen = Disguise(channels, random_state=rng).fit_transform(X)
    known = {"age": ["age"], "age, salary, loan": ["age", "salary", "loan"], "all nine": list(X.columns)}
    return {
        name: linkage_rate({a: channels[a] for a in some}, X[some], released=seen[some]) for name, some in known.items()
    }


def seconds(records: int, strategy: Strategy, rng: np.random.Generator) -> float:
    """The time of a fit; to a depth of 8, because more records grow larger trees."""
    run = study(2, "Gaussian", 1.0, rng, records)
    model = ReconstructedTreeClassifier(run.channels, strategy, max_depth=8)
    start = time.perf_counter()
    model.fit(run.seen, run.y)
    return time.perf_counter() - start


# What notebook 01 draws


def figure2(edges: np.ndarray, rng: np.random.Generator, records: int = TRAIN) -> dict[str, dict[str, Any]]:
    """The four panels of Figure 2: true, seen and reconstructed shares, for ``plots.distribution_panels``."""
    panels = {}
    for noise, channel in SHAPE_NOISES.items():
        for shape, draw in SHAPES.items():
            run = reconstruct(channel.disguise(draw(records, rng), rng), channel, edges)
            panels[f"{shape}, {noise} noise"] = {
                "true": Distribution(edges, shape_probabilities(shape, edges)),
                "seen": (run.counts / run.counts.sum(), channel.seen_bins(edges)),
                "reconstructed": run.distribution,
            }
    return panels


def watch(
    seen: np.ndarray, others: np.ndarray, channel: NumericChannel, true: Distribution, steps: int
) -> pd.DataFrame:
    """After each Bayes step: what only a teacher knows, what the miner can see, and what other people's values say."""
    run = reconstruct(seen, channel, true.edges, FixedStop(steps))
    fresh = reconstruct(others, channel, true.edges, FixedStop(1)).counts
    path, again = distances(run, true)
    columns = {
        "distance to the truth": path,
        "distance disguised again": again,
        "log-likelihood of others": xlogy(fresh, np.maximum(run.history @ run.matrix, TINY)).sum(axis=1),
    }
    return pd.DataFrame(columns).rename_axis("Bayes steps")


def differences(
    strategies: pd.DataFrame, shapes: pd.DataFrame, intervals: pd.DataFrame
) -> dict[str, tuple[str, pd.Series]]:
    """For the claims about distances and accuracies: what is said, and differences that are at least 0 if it is so.

    The three tables are those of the results, indexed by their arguments and "repeat".
    """
    loss, above = (
        pd.concat({k: strategies[k] - strategies[other] for k in ("byclass", "local")}, names=["strategy"])
        for other in ("original", "randomized")
    )
    shown = _at(strategies, level=[0.25, 1.0])
    better, slanted = shown[["byclass", "local"]].min(axis=1), _at(shown, function=[4, 5])
    gap: Any = strategies.xs("Gaussian", level="noise") - strategies.xs("uniform", level="noise")
    at_100 = _at(loss, level=[1.0])
    return {
        "A2": ("Figure 2: the shapes come back", shapes["as seen"] / 2 - shapes["χ² step"]),
        "A3": (
            "At equal privacy, discretisation gives worse trees than uniform noise (§2.1)",
            intervals["uniform"] - intervals[["intervals", "intervals as seen"]].max(axis=1),
        ),
        "A4a": ("At 25 %, ByClass and Local are very close to Original (§5.2)", 0.05 + _at(loss, level=[0.25])),
        "A4b": ("At 50 %, too", 0.05 + _at(loss, level=[0.5])),
        "A5a": ("At 100 %, Function 1 stays within 5 points (§5.2)", 0.05 + _at(at_100, function=[1])),
        "A5b": ("Functions 2 and 3 within 15 points", 0.15 + _at(at_100, function=[2, 3])),
        "A5c": ("Functions 4 and 5 within 5 points", 0.05 + _at(at_100, function=[4, 5])),
        "A6": ("Reconstruction beats Randomized (§5.2)", above),
        "A7a": (
            "Global is worse than ByClass and Local (§5.2)",
            better - shown["global"],
        ),
        "A7b": ("Global fares well on Functions 4 and 5", 0.05 + slanted["global"] - slanted["original"]),
        "A7c": ("Even Randomized is close to Original there", 0.05 + slanted["randomized"] - slanted["original"]),
        "A8a": ("Local is marginally better than ByClass (§6)", strategies["local"] - strategies["byclass"]),
        "A10a": (
            "Before correction uniform noise hurts far more (§5.3)",
            _at(gap["randomized"], level=[1.0, 1.5, 2.0]) - 0.05,
        ),
        "A10b": ("After it the two noises are comparable (§5.3)", 0.05 - gap["byclass"].abs()),
        "A11a": (
            "Observed against re-randomised is no reliable indicator (§3)",
            shapes["5,000 steps"] - 1.5 * shapes["best"],
        ),
        "A11b": ("Successive estimates are the better rule (§3)", shapes["discrepancy"] - shapes["χ² step"]),
    }


def _at(values: Any, **levels: list[Any]) -> Any:
    for name, wanted in levels.items():
        values = values[values.index.isin(wanted, level=name)]
    return values
